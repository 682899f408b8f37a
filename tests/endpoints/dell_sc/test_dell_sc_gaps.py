"""What a Storage Center does not report, reports in another form or refuses is unknown, a gap, and costs nothing else."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from auditor_lab.arrays.dell_sc import qos
from auditor_lab.wire import Fault
from tests.endpoints.dell_sc.dell_sc_serving import S1, serving

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor.model import Endpoint
    from auditor_lab.arrays.dell_sc.server import DellScServer
from tests.endpoints.dell_sc.dell_sc_collecting import TOPICS, TWIN, collected


def renamed(names: dict[str, str]) -> Callable[[Any], Any]:
    return lambda answer: [{names.get(name, name): value for name, value in one.items()} for one in answer]


def test_a_profile_whose_limits_go_by_other_names_is_unknown_and_never_a_pass(served: tuple[DellScServer, Endpoint]) -> None:
    server, endpoint = served
    other = {qos.BANDWIDTH_LIMIT: "quantum", qos.BANDWIDTH_LIMIT_ENABLED: "quantumInForce", qos.IOPS_LIMIT: "credit"}
    server.alterations["ScQosProfile/GetList"] = renamed(other)
    found = collected(endpoint)
    assert found.incomplete() == {"qos_policies"}, "the volumes were read; what limits them says of itself that it was not"
    assert {row["is_read"] for row in found.tables["array_qos_policy"]} == {False}
    assert {row["qos_read"] for row in found.tables["array_volume"]} == {False}
    assert "nothing is known of credit, quantum" in found.gap_text()
    raw = json.loads(found.by("array_qos_policy", "name")["Prod"]["raw"])
    assert (raw["quantum"], raw["quantumInForce"]) == (50, True), "the evidence is kept"


def test_a_rate_without_its_unit_is_unknown(served: tuple[DellScServer, Endpoint]) -> None:
    server, endpoint = served
    server.alterations["ScQosProfile/GetList"] = renamed({qos.BANDWIDTH_LIMIT: "bandwidthLimit"})
    volume = collected(endpoint).by("array_volume", "name")["capped"]
    assert (volume["qos_max_bytes_per_second"], volume["qos_read"], volume["qos_policy"]) == (None, False, "Prod")


def test_a_volume_whose_group_has_a_profile_that_is_unknown_is_unknown_too(served: tuple[DellScServer, Endpoint]) -> None:
    server, endpoint = served
    server.alterations["ScQosProfile/GetList"] = lambda answer: [*answer[:2], {**answer[2], "iopsLimit": None}]
    volumes = collected(endpoint).by("array_volume", "name")
    assert (volumes["capped"]["qos_group"], volumes["capped"]["qos_read"], volumes["free"]["qos_read"]) == ("Tenant", False, True)


def test_a_release_that_has_qos_and_tells_no_profile_is_unknown(served: tuple[DellScServer, Endpoint]) -> None:
    server, endpoint = served
    server.alterations["ScVolumeConfiguration/GetList"] = renamed({"volumeQosProfile": "x", "groupQosProfile": "y"})
    found = collected(endpoint)
    assert {row["qos_read"] for row in found.tables["array_volume"]} == {False}
    assert found.incomplete() == {"volumes"}
    assert "volumeQosProfile of ScVolumeConfiguration 64702.1 and 1 more: is missing" in found.gap_text()


def test_a_storage_center_that_its_manager_does_not_reach_leaves_a_gap_in_every_topic(tmp_path: Path) -> None:
    with serving(tmp_path, dataclasses.replace(S1, also=(dataclasses.replace(TWIN, connected=False),))) as (_, endpoint):
        found = collected(endpoint)
    assert found.incomplete() == TOPICS
    assert sorted(found.by("array_volume", "volume_id")) == ["64702.1", "64702.2"], "what it tells of the other may be old"
    assert "volumes of Storage Center 64703: its Storage Manager does not reach it: The Storage Center does not answer" in found.gap_text()


@pytest.mark.parametrize("reported", [pytest.param([], id="none"), pytest.param([{"scSerialNumber": 64702}], id="one without an id")])
def test_a_manager_that_shows_no_storage_center_was_not_read(served: tuple[DellScServer, Endpoint], reported: Any) -> None:
    server, endpoint = served
    server.alterations["GET StorageCenter"] = lambda _: reported
    found = collected(endpoint)
    assert found.incomplete() == TOPICS
    assert "array" not in found.tables


def test_a_question_that_one_storage_center_refuses_is_still_asked_of_the_others(tmp_path: Path) -> None:
    with serving(tmp_path, dataclasses.replace(S1, also=(TWIN,))) as (server, endpoint):
        server.faults.active.append(Fault("status", "ScServer/GetList", status=403, containing=b"64702"))
        found = collected(endpoint)
    assert sorted(found.by("array_host", "array_host_id")) == ["64703.2", "64703.3", "64703.4"]
    assert found.incomplete() == {"array_hosts", "connections"}, "who is in the cluster was not read"
    assert "and which servers are in it was not read" in found.gap_text()


def test_a_volume_of_which_nothing_more_is_told_is_a_gap(served: tuple[DellScServer, Endpoint]) -> None:
    server, endpoint = served
    for operation in ("ScVolumeConfiguration/GetList", "StorageCenter/GetLatestVolumeIoUsage"):
        server.alterations[operation] = lambda answer: answer[:1]
    server.alterations["ScVolume/GetHistoricalIoUsage"] = lambda _: []
    server.faults.active.append(Fault("status", "ScVolume/VolumeConfiguration", status=404))
    found = collected(endpoint)
    assert found.incomplete() == {"volumes", "volume_load"}
    free = found.by("array_volume", "name")["free"]
    assert (free["device"], free["qos_read"], free["tiers"]) == ("naa.6000d31000fcbe000000000000000004", False, None)
    assert list(found.by("array_volume_load", "volume_id")) == ["64702.1"]


def each(**changes: Any) -> Callable[[Any], Any]:
    return lambda answer: [{**one, **changes} for one in answer]


@pytest.mark.parametrize(
    ("operation", "change", "table", "column", "value", "topics"),
    [
        pytest.param("ScVolume/GetList", each(configuredSize=None), "array_volume", "size_bytes", None, {"volumes"}, id="null for a size"),
        pytest.param("ScVolume/GetList", each(configuredSize="1 TB"), "array_volume", "size_bytes", 1 << 40, set(), id="another unit"),
        pytest.param("ScVolume/GetList", each(deviceId=""), "array_volume", "device", None, {"volumes"}, id="no device name"),
        pytest.param("ScVolume/GetList", each(deviceId="6000D31000FCBE00000000000000000A"), "array_volume", "device",
                     "naa.6000d31000fcbe00000000000000000a", set(), id="a device name in capitals"),
        pytest.param("ScVolume/GetList", each(storageType=None), "array_volume", "pool_id", None, {"volumes"}, id="no storage type"),
        pytest.param("ScVolume/GetList", each(somethingNew=[1]), "array_volume", "status", "Up", set(), id="an attribute that is new"),
        pytest.param("ScStorageProfile/GetList", each(useTier1Storage="true"), "array_volume", "tiers", None, {"volumes"}, id="a tier"),
        pytest.param("ScVolumeConfiguration/GetList", each(volumeQosProfile=None), "array_volume", "qos_read", False, {"volumes"},
                     id="null for a profile"),
        pytest.param("ScVolumeConfiguration/GetList",
                     each(volumeQosProfile={"instanceId": "64702.77", "instanceName": "Gone"}), "array_volume", "qos_read", False,
                     {"volumes"}, id="a profile that is not in the list"),
        pytest.param("ScQosProfile/GetList", each(profileType="NodeQosProfile"), "array_qos_policy", "is_read", False, {"qos_policies"},
                     id="a kind of profile that is new"),
        pytest.param("ScQosProfile/GetList", each(volumeCount="12"), "array_qos_policy", "volumes", 12, set(), id="a number as text"),
        pytest.param("StorageCenter/GetLatestVolumeIoUsage", each(totalIops=None), "array_volume_load", "actual_iops", None,
                     {"volume_load"}, id="null for a number"),
        pytest.param("StorageCenter/GetLatestVolumeIoUsage", each(totalIops="310"), "array_volume_load", "actual_iops", 310, set(),
                     id="load as text"),
        pytest.param("ScServer/GetList", each(operatingSystem=None), "array_host", "host_type", None, {"array_hosts", "connections"},
                     id="no operating system"),
        pytest.param("ScServerHba/GetList", each(portType="Token Ring"), "array_initiator", "kind", None, {"array_hosts"},
                     id="a transport that is new"),
        pytest.param("ScServerHba/GetList", each(name="192.0.2.7", portType="Iscsi"), "array_initiator", "initiator", None,
                     {"array_hosts"}, id="an initiator that is an address"),
        pytest.param("ScMappingProfile/GetList", each(lunUsed=[]), "array_connection", "lun", None, set(), id="no LUN yet"),
        pytest.param("ScMappingProfile/GetList", each(lunUsed="N/A"), "array_connection", "lun", None, {"connections"}, id="no LUNs"),
        pytest.param("StorageCenter/ControllerList", each(status=None), "array_node", "state", None, {"nodes"}, id="a controller's status"),
    ],
)  # fmt: skip
def test_a_field_that_is_not_what_it_should_be_is_null_and_told(
    served: tuple[DellScServer, Endpoint], operation: str, change: Any, table: str, column: str, value: Any, topics: set[str]
) -> None:
    server, endpoint = served
    server.alterations[operation] = change
    found = collected(endpoint)
    assert {row[column] for row in found.tables[table]} == {value}
    assert found.incomplete() == topics


@pytest.mark.parametrize(
    ("operation", "table", "topic"),
    [
        pytest.param("ScVolume/GetList", "array_volume", "volumes", id="volumes"),
        pytest.param("ScVolumeConfiguration/GetList", "array_volume", "volumes", id="configurations"),
        pytest.param("ScQosProfile/GetList", "array_qos_policy", "qos_policies", id="profiles"),
        pytest.param("ScServer/GetList", "array_host", "array_hosts", id="servers"),
        pytest.param("ScMappingProfile/GetList", "array_connection", "connections", id="mappings"),
        pytest.param("StorageCenter/GetLatestVolumeIoUsage", "array_volume_load", "volume_load", id="loads"),
    ],
)
def test_an_object_that_is_told_twice_is_counted_once(
    served: tuple[DellScServer, Endpoint], operation: str, table: str, topic: str
) -> None:
    server, endpoint = served
    whole = len(collected(endpoint).tables[table])
    server.alterations[operation] = lambda answer: answer + answer[-1:]
    found = collected(endpoint)
    assert len(found.tables[table]) == whole
    assert topic in found.incomplete()
    assert "came twice" in found.gap_text()


def test_an_initiator_that_belongs_to_no_server_is_nobodys(served: tuple[DellScServer, Endpoint]) -> None:
    server, endpoint = served
    server.alterations["ScServerHba/GetList"] = lambda answer: [{**answer[0], "server": None}, *answer[1:]]
    found = collected(endpoint)
    assert found.gaps == []
    assert len(found.tables["array_initiator"]) == 2


@pytest.mark.parametrize(
    ("fault", "topics"),
    [
        pytest.param(Fault("truncate", "ScVolume/GetList"), {"volumes", "volume_load"}, id="an answer that breaks off"),
        pytest.param(Fault("garbage", "ScQosProfile/GetList"), {"qos_policies", "volumes"}, id="garbage for profiles"),
        pytest.param(Fault("status", "ScConfiguration/GetList", status=404), {"array"}, id="no such class"),
        pytest.param(Fault("status", "ScServer/GetList", status=429, times=1), set(), id="busy for a moment"),
        pytest.param(Fault("drop", "ScMappingProfile/GetList"), {"connections"}, id="one answer that does not come"),
    ],
)
def test_trouble_costs_what_it_hits_and_no_more(served: tuple[DellScServer, Endpoint], fault: Fault, topics: set[str]) -> None:
    server, endpoint = served
    server.faults.active.append(fault)
    found = collected(endpoint)
    assert found.incomplete() == topics
    assert bool(found.gaps) is bool(topics)
    assert len(found.tables["array"]) == 1


def test_a_session_that_is_lost_between_two_questions_costs_nothing(served: tuple[DellScServer, Endpoint]) -> None:
    server, endpoint = served

    def lose(reported: Any) -> Any:
        server._sessions.clear()
        return reported

    server.alterations["ScQosProfile/GetList"] = lose
    found = collected(endpoint)
    assert found.gaps == []
    assert server.requests.count("Login") == 2


def test_an_account_without_permission_reads_nothing_and_says_so(tmp_path: Path) -> None:
    with serving(tmp_path, dataclasses.replace(S1, permissions=frozenset())) as (_, endpoint):
        found = collected(endpoint)
    assert found.incomplete() == TOPICS
    assert "privilege to read" in found.gap_text()
