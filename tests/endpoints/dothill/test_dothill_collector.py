"""A whole reading of a Dot Hill array of the lab: the same from JSON and from XML, and what is left open where an answer is not whole."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.common.sessions import open_session
from auditor.endpoints.dothill.collect import collect_dothill
from auditor.facts.needs import EVERYTHING, needs
from auditor.model import EndpointKind
from auditor_lab.arrays.dothill.description import (
    DotHillDescription,
    HostDescription,
    LoadDescription,
    PoolDescription,
    VolumeDescription,
)
from tests.endpoints.arrays import Collected, serving_array

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from auditor.facts.needs import Needs

TIERED = DotHillDescription(
    name="msa",
    pools=(
        PoolDescription(name="A", tiers={"Performance": 4, "Archive": 12, "Read Cache": 1}, rpm=7),
        PoolDescription(name="B", owner="B", tiers={"Standard": 8}, rpm=10),
        PoolDescription(name="old", tiers={"Standard": 6}, linear=True, rpm=15),
    ),
    volumes=(
        VolumeDescription(name="tiered", mapped_to=("esx-1",), load=LoadDescription(iops=200, bytes_per_second=3_276_800)),
        VolumeDescription(name="one-tier", pool="B", owner="A", preferred_owner="B", mapped_to=("cluster", "iqn.1998-01.com.vmware:esx-3")),
        VolumeDescription(name="linear", pool="old", load=LoadDescription(iops=9, sample_seconds=3600)),
    ),
    hosts=(
        HostDescription(name="esx-1", group="cluster", initiators=("100000109b643c08", "100000109b643c09")),
        HostDescription(name="esx-2", group="cluster", initiators=("100000109b643c0a",)),
        HostDescription(initiators=("iqn.1998-01.com.vmware:esx-3",)),
    ),
    pool_load=LoadDescription(iops=192, response_us=12001),
)


def read(
    folder: Path, alterations: Mapping[str, Any] | None = None, wanted: Needs = EVERYTHING, **changes: Any
) -> tuple[Collected, tuple[str, ...]]:
    description = dataclasses.replace(TIERED, **changes)
    with serving_array(EndpointKind.DOTHILL, description, folder) as (server, endpoint), open_session(endpoint) as array:
        server.alterations.update(alterations or {})
        return Collected(collect_dothill(array, endpoint, wanted)), array.notes


@pytest.mark.parametrize("answers_xml", [pytest.param(False, id="JSON"), pytest.param(True, id="XML")])
def test_everything_is_read_the_same_from_both_forms(tmp_path: Path, *, answers_xml: bool) -> None:
    found, notes = read(tmp_path, answers_xml=answers_xml)
    assert (found.gaps, found.incomplete()) == ([], set())
    assert found.column("array", "name", "array_id", "version", "model") == [("msa", "00C0FF446D15", "VL270P005", "MSA 2052 SAN")]
    assert found.column("array_node", "node_id", "state") == [("a", "Operational"), ("b", "Operational")]
    assert found.column("array_pool", "name", "node_id", "media", "rpm", "disks") == [
        ("A", "a", "mixed", 7000, 17),
        ("B", "b", "hdd", 10_000, 8),
        ("old", "a", "hdd", 15_000, 6),
    ]
    assert found.column("array_volume", "name", "device", "tiers", "owner_id", "preferred_owner_id") == [
        ("tiered", "naa.600c0ff000446d155f95066801000000", 2, "a", "a"),
        ("one-tier", "naa.600c0ff000446d155f95066901000000", 1, "a", "b"),
        ("linear", "naa.600c0ff000446d155f95066a01000000", 1, "a", "a"),
    ]
    names = {row["volume_id"]: row["name"] for row in found.tables["array_volume"]}
    assert [(names[row["volume_id"]], row["actual_iops"]) for row in found.tables["array_volume_load"]] == [
        ("tiered", 200),
        ("one-tier", 0),
        ("linear", None),
    ]
    assert [note for note in notes if "the load of 1 of its volumes" in note], "a sample of an hour is none of now"
    assert found.column("array_pool_load", "current_ops", "current_latency_us") == [(192.0, 12001.0)] * 3
    hosts = {row["array_host_id"]: row["name"] or row["array_host_id"] for row in found.tables["array_host"]}
    assert sorted(hosts.values()) == ["esx-1", "esx-2", "iqn.1998-01.com.vmware:esx-3"]
    assert sorted((names[row["volume_id"]], hosts[row["array_host_id"]], row["lun"]) for row in found.tables["array_connection"]) == [
        ("one-tier", "esx-1", 1),
        ("one-tier", "esx-2", 1),
        ("one-tier", "iqn.1998-01.com.vmware:esx-3", 1),
        ("tiered", "esx-1", 0),
    ]


def refused(_: Any) -> Any:
    return {"status": [{"response-type-numeric": 1, "response": "Error: The command was not recognized.", "return-code": -10008}]}


def test_where_pools_are_refused_volumes_are_read_without_tiers_and_a_gap_names_it(tmp_path: Path) -> None:
    found, _ = read(tmp_path, {"show pools": refused})
    assert found.incomplete() == {"pools", "volumes"}
    assert found.column("array_volume", "name", "tiers") == [("tiered", None), ("one-tier", None), ("linear", 1)]
    assert "between how many tiers" in found.gap_text()


@pytest.mark.parametrize(("health", "severities"), [("OK", []), ("Degraded", ["warning"]), ("Fault", ["critical"])])
def test_firmware_without_alerts_tells_its_health_and_is_never_taken_for_well(tmp_path: Path, health: str, severities: list[str]) -> None:
    found, _ = read(tmp_path, has_alerts=False, health=health, health_reason="A fan has failed.")
    assert [row["severity"] for row in found.tables["array_alert"]] == severities
    assert found.incomplete() == {"alerts"}
    assert "show alerts: Error: The command was not recognized. (-10008)" in found.gap_text()


def test_a_volume_without_statistics_leaves_a_gap(tmp_path: Path) -> None:
    found, _ = read(
        tmp_path, {"show volume-statistics": lambda objects: {**objects, "volume-statistics": objects["volume-statistics"][:2]}}
    )
    assert found.incomplete() == {"volume_load"}
    assert "was not in the answer" in found.gap_text()


def test_what_is_wrong_with_one_pool_or_one_volume_is_told_of_one(tmp_path: Path) -> None:
    def odd(under: str, field: str) -> Any:
        return lambda objects: {**objects, under: [{**objects[under][0], field: ["odd"]}, *objects[under][1:]]}

    found, _ = read(
        tmp_path,
        {"show pools": odd("pools", "tiers"), "show volume-statistics": odd("volume-statistics", "start-sample-time-numeric")},
    )
    assert sorted(gap.what for gap in found.gaps) == [
        "show pools: tiers of pools A",
        "show volume-statistics: start-sample-time-numeric of volume-statistics tiered",
    ]


def test_load_that_nobody_can_call_whole_is_a_gap_where_volumes_were_not_read(tmp_path: Path) -> None:
    found, _ = read(tmp_path, {"show volumes": refused})
    assert found.incomplete() == {"volumes", "volume_load"}


def test_volumes_that_an_array_does_not_list_are_none(tmp_path: Path) -> None:
    # An answer without the basetype: an array without volumes.
    found, _ = read(tmp_path, {"show volumes": lambda objects: {"status": objects["status"]}}, volumes=())
    assert (found.tables["array_volume"], found.incomplete()) == ([], set())


def test_disks_are_asked_only_where_their_speed_is_needed(tmp_path: Path) -> None:
    with serving_array(EndpointKind.DOTHILL, TIERED, tmp_path) as (server, endpoint), open_session(endpoint) as array:
        del server.requests[:]
        found = Collected(collect_dothill(array, endpoint, needs([("array_pool", "media")])))
        assert server.requests == ["show pools"]
    assert found.column("array_pool", "rpm") == [None, None, None]


def test_two_systems_are_none(tmp_path: Path) -> None:
    def twice(objects: Any) -> Any:
        return {**objects, "system": [*objects["system"], {**objects["system"][0], "midplane-serial-number": "00C0FF000001"}]}

    found, _ = read(tmp_path, {"show system": twice})
    assert len(found.tables["array"]) == 1
    assert found.incomplete() == {"array"}
