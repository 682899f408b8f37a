"""Hosts, their groups and connections of a FlashArray: what is read of them, and what is a peer's."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from auditor.endpoints.flasharray.hosts import is_of_a_peer
from auditor.facts.needs import needs
from auditor.model import Endpoint
from auditor_lab.arrays.flasharray.parts import (
    HostDescription,
)
from auditor_lab.arrays.flasharray.server import FlashArrayServer
from tests.endpoints.flasharray.conftest import S2, collected, column, item, serving


def test_hosts_that_are_read_for_the_volumes_sake_alone_are_complained_about_there(served: tuple[FlashArrayServer, Endpoint]) -> None:
    server, endpoint = served
    server.alterations["GET hosts"] = item(lambda host: host.update(nqns="one"), place=2)
    found = collected(endpoint, needs({("array_volume", "device")}))
    assert found.complete == {"qos_policies": True, "volumes": False}
    assert [gap.what for gap in found.gaps] == ["GET hosts: nqns of host nvme-1"]


def test_hosts_their_initiators_and_what_they_reach_lead_to_one_another(served: tuple[FlashArrayServer, Endpoint]) -> None:
    found = collected(served[1])
    assert [(row["array_host_id"], row["name"], row["host_group"], row["host_type"]) for row in found.tables["array_host"]] == [
        ("esx-1", "esx-1", "blue", "esxi"),
        ("esx-2", "esx-2", "blue", ""),
        ("nvme-1", "nvme-1", None, "esxi"),
    ]
    assert [(row["array_host_id"], row["initiator"], row["kind"]) for row in found.tables["array_initiator"]] == [
        ("esx-1", "2100f4c7aa002706", "fc"),
        ("esx-1", "2100f4c7aa002707", "fc"),
        ("esx-2", "iqn.1998-01.com.vmware:esx-2", "iscsi"),
        ("nvme-1", "nqn.2014-08.com.vmware:nvme-1", "nvme"),
    ]
    names = column(found, "name", key="volume_id")
    reached = {(names[row["volume_id"]], row["array_host_id"]) for row in found.tables["array_connection"]}
    vvols = {(name, "esx-1") for name in names.values() if name.startswith("vvol-")}
    assert reached == vvols | {
        ("pe", "esx-1"),
        ("pe", "esx-2"),
        ("db", "esx-1"),
        ("db", "esx-2"),
        ("both::shared", "esx-1"),
        ("both::shared", "esx-2"),
        ("batch/archive", "esx-1"),
        ("fast", "nvme-1"),
    }
    assert len(vvols) == 2


def test_a_destroyed_group_limits_nothing(served: tuple[FlashArrayServer, Endpoint]) -> None:
    server, endpoint = served
    server.alterations["GET volume-groups"] = item(lambda group: group.update(destroyed=True), place=0)
    found = collected(endpoint)
    assert found.gaps == []
    assert "batch" not in column(found, "max_iops", "array_qos_policy")


@pytest.mark.parametrize(
    ("change", "table", "topic"),
    [
        pytest.param(lambda h: h.update(wwns=["21"]), "array_initiator", "array_hosts", id="a world wide name too short"),
        pytest.param(lambda h: h.update(iqns=[None]), "array_initiator", "array_hosts", id="an initiator that is null"),
        pytest.param(lambda h: h.pop("wwns"), "array_initiator", "array_hosts", id="initiators not told"),
        pytest.param(lambda h: h.update(personality=7), "array_host", "array_hosts", id="a personality that is a number"),
        pytest.param(lambda h: h.update(host_group=7), "array_host", "array_hosts", id="a host group that is a number"),
    ],
)
def test_a_host_that_is_not_understood_keeps_its_row(
    served: tuple[FlashArrayServer, Endpoint], change: Any, table: str, topic: str
) -> None:
    server, endpoint = served
    server.alterations["GET hosts"] = item(change, place=0)
    found = collected(endpoint)
    assert found.incomplete() == {topic}
    assert [row["name"] for row in found.tables["array_host"]] == ["esx-1", "esx-2", "nvme-1"]
    assert found.tables[table]
    assert "host esx-1" in found.gaps[0].what


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param(lambda c: c.update(volume=None), "volume", id="no volume"),
        pytest.param(lambda c: c["volume"].update(id=None), "volume.id", id="a volume without an id"),
        pytest.param(lambda c: c["volume"].update(id="gone"), "did not list", id="a volume nobody listed"),
        pytest.param(lambda c: c["host"].update(name="gone"), "did not list", id="a host nobody listed"),
        pytest.param(lambda c: c.update(host=None), "host", id="no host"),
        pytest.param(lambda c: c.update(lun="first"), "lun", id="a LUN that is a word"),
    ],
)
def test_a_connection_that_leads_nowhere_is_missed(served: tuple[FlashArrayServer, Endpoint], change: Any, said: str) -> None:
    server, endpoint = served
    server.alterations["GET connections"] = item(change, place=0)
    found = collected(endpoint)
    assert found.incomplete() == {"connections"}
    assert any(said in gap.what or said in gap.why for gap in found.gaps)


PEER = HostDescription("fa-2:esx-9", personality="esxi", nqns=("nqn.2014-08.com.vmware:far",), is_local=False)


@pytest.mark.parametrize(
    "forget",
    [
        pytest.param({}, id="by is_local"),
        pytest.param({"is_local": None}, id="by the name, of a release without is_local"),
    ],
)
def test_a_peers_hosts_and_what_they_reach_are_left_out(tmp_path: Path, forget: dict[str, Any]) -> None:
    volumes = (*S2.volumes[:3], dataclasses.replace(S2.volumes[3], hosts=(PEER.name,)), S2.volumes[4])
    with serving(tmp_path, dataclasses.replace(S2, hosts=(*S2.hosts, PEER), volumes=volumes)) as (server, endpoint):
        server.alterations["GET hosts"] = lambda answer: answer | {"items": [host | forget for host in answer["items"]]}
        found = collected(endpoint)
    assert found.gaps == []
    assert [row["name"] for row in found.tables["array_host"]] == ["esx-1", "esx-2", "nvme-1"]
    for table in ("array_initiator", "array_connection"):
        assert {row["array_host_id"] for row in found.tables[table]} == {"esx-1", "esx-2", "nvme-1"}
    # Reached by SCSI here: the far host's NVMe name does not count.
    assert column(found, "device")["both::shared"] == "naa.624a9370704fa624cf6e4196000217f9"


# Source: OpenAPI definitions, Host.destroyed: "destroyed with its container realm and is pending eradication".
def test_a_destroyed_host_and_what_it_reached_are_left_out(served: tuple[FlashArrayServer, Endpoint]) -> None:
    server, endpoint = served
    server.alterations["GET hosts"] = item(lambda host: host.update(destroyed=True), place=0)
    found = collected(endpoint)
    assert found.gaps == []
    assert [row["name"] for row in found.tables["array_host"]] == ["esx-2", "nvme-1"]
    for table in ("array_initiator", "array_connection"):
        assert {row["array_host_id"] for row in found.tables[table]} == {"esx-2", "nvme-1"}


def test_a_connection_that_says_it_is_a_peers_is_left_out(served: tuple[FlashArrayServer, Endpoint]) -> None:
    server, endpoint = served
    whole = collected(endpoint).tables["array_connection"]
    server.alterations["GET connections"] = item(lambda connection: connection.update(is_local=False), place=0)
    found = collected(endpoint)
    assert (found.gaps, found.tables["array_connection"]) == ([], whole[1:])


@pytest.mark.parametrize(
    ("record", "peer"),
    [
        ({"name": "esx-1"}, False),
        ({"name": "pod::esx-1"}, False),
        ({"name": "realm::pod::esx-1"}, False),
        ({"name": "fa-2:esx-1"}, True),
        ({"name": "fa-2:pod::esx-1"}, True),
        ({"name": "fa-2:esx-1", "is_local": True}, False),
        ({"name": "esx-1", "is_local": False}, True),
        ({"name": None}, False),
    ],
)
def test_a_peers_object_is_known_by_what_the_array_says_and_else_by_its_name(record: dict[str, Any], peer: bool) -> None:
    assert is_of_a_peer(record) is peer


def test_a_group_of_hosts_that_has_none_reaches_nothing(served: tuple[FlashArrayServer, Endpoint]) -> None:
    server, endpoint = served
    whole = len(collected(endpoint).tables["array_connection"])
    server.alterations["GET connections"] = item(lambda connection: connection.update(host={"name": None}), place=0)
    found = collected(endpoint)
    assert found.gaps == []
    assert len(found.tables["array_connection"]) == whole - 1
