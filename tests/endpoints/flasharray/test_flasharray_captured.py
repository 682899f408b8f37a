"""What a real FlashArray answered is understood."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from auditor_lab.arrays.flasharray.description import FlashArrayDescription
from tests.endpoints.arrays import Collected
from tests.endpoints.flasharray.conftest import ID, collected, serving
from tests.required import capture


def captured(name: str) -> Any:
    return json.loads(capture(f"pure-fa-openmetrics-exporter/{name}.json").read_text(encoding="utf-8"))


@pytest.fixture
def real(tmp_path: Path) -> Collected:
    """What is read of the recorded array. Its volume groups were recorded on another one: those that its volumes name are made of these."""
    groups = captured("volume_groups")
    like = groups["items"][0]
    named = {json.dumps(each["volume_group"]) for each in captured("volumes")["items"] if each["volume_group"]["name"]}
    groups["items"] += [{**like, **json.loads(each)} for each in sorted(named)]
    answers = {name: captured(name) for name in ("arrays", "controllers", "hosts", "volumes", "connections")}
    answers |= {"volume-groups": groups, "volumes/performance": captured("volumes_performance")}

    def recorded(what: str) -> Any:
        return lambda _: answers[what]

    with serving(tmp_path, FlashArrayDescription(name="bare", id=ID)) as (server, endpoint):
        server.alterations = {f"GET {what}": recorded(what) for what in answers}
        return collected(endpoint)


def test_the_answers_of_a_real_array_are_understood(real: Collected) -> None:
    assert real.gaps == []
    assert real.incomplete() == set()
    assert real.tables["array"] == [
        {"endpoint": "fa-east", "family": "flasharray", "name": "z-x70-a", "array_id": ID, "version": "6.3.3", "model": "FA-X70R3"}
    ]
    counts = {table: len(real.tables[table]) for table in ("array_volume", "array_host", "array_volume_load", "array_protocol_endpoint")}
    assert counts == {"array_volume": 81, "array_host": 16, "array_volume_load": 83, "array_protocol_endpoint": 1}
    assert {row["qos_read"] for row in real.tables["array_volume"]} == {True}
    assert {row["kind"] for row in real.tables["array_volume"] if row["qos_group"]} == {"vvol"}
    assert sum(row["kind"] == "vvol" for row in real.tables["array_volume"]) == 18
    assert sum(row["host_type"] == "" for row in real.tables["array_host"]) == 5


def test_every_recorded_connection_joins_its_host_its_volume_and_the_name_the_host_sees(real: Collected) -> None:
    peers = {host["name"] for host in captured("hosts")["items"] if not host["is_local"]}
    assert len(peers) == 15
    assert all(name.startswith("z-m70-a:") for name in peers), "the array that it replicates with"
    of_hosts = [one for one in captured("connections")["items"] if one["host"]["name"]]
    assert len(of_hosts) == 169, "two are of a group that has no host"
    recorded = [one for one in of_hosts if one["host"]["name"] not in peers]
    assert len(recorded) == 157
    volumes, hosts = real.by("array_volume", "volume_id"), real.by("array_host", "array_host_id")
    by_nvme = {host["name"] for host in captured("hosts")["items"] if host["nqns"]}
    serials = {each["id"]: each["serial"].lower() for each in captured("volumes")["items"]}
    joined = {(row["volume_id"], row["array_host_id"]): row["lun"] for row in real.tables["array_connection"]}
    assert len(joined) == len(real.tables["array_connection"]) == len(recorded)
    for one in recorded:
        volume_id, host = one["volume"]["id"], one["host"]["name"]
        assert joined[volume_id, host.lower()] == one["lun"]
        assert hosts[host.lower()]["name"] == host
        assert volumes[volume_id]["name"] == one["volume"]["name"]
        serial, device = serials[volume_id], volumes[volume_id]["device"]
        assert device == (f"eui.00{serial[:14]}24a937{serial[14:]}" if host in by_nvme else f"naa.624a9370{serial}")
    assert sum(row["device"].startswith("eui.") for row in volumes.values()) == 2
    assert all(re.fullmatch(r"naa\.[0-9a-f]{32}|eui\.[0-9a-f]{32}", row["device"]) for row in volumes.values())


def test_the_size_of_recorded_operations_is_what_the_array_says_it_is(real: Collected) -> None:
    """bytes_per_op is the array's own mean; ours is made of bytes and operations, which are whole numbers, so it may differ by rounding."""
    recorded = {load["id"]: load for load in captured("volumes_performance")["items"]}
    for row in real.tables["array_volume_load"]:
        own = recorded[row["volume_id"]]["bytes_per_op"]
        assert row["average_io_bytes"] == (pytest.approx(own, rel=0.2, abs=64) if row["actual_iops"] else None)
