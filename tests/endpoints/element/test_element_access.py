"""Which hosts may reach which volumes of an Element cluster, who is logged in, and how often volumes were seen at their limits."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.element import load as element_load
from auditor.endpoints.element.access_rows import initiator
from auditor.facts.needs import needs
from auditor_lab.arrays.element.cluster import Cluster, ElementError
from auditor_lab.arrays.element.description import (
    AccessGroupDescription,
    ElementDescription,
    LoadDescription,
    NodeDescription,
    QosDescription,
    VolumeDescription,
)
from auditor_lab.arrays.element.records import INITIATOR_CHAP, TARGET_CHAP
from auditor_lab.wire import Fault
from tests.endpoints.element.element_collecting import collected, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.model import Endpoint
    from auditor_lab.arrays.element.server import ElementServer
    from tests.endpoints.arrays import Collected

IQN, WWPN = "iqn.1998-01.com.vmware:ESX-1-2f", "21:00:00:0E:1E:14:AF:40"
DESCRIPTION = ElementDescription(
    name="sf",
    unique_id="1mhp",
    nodes=(NodeDescription(1, "n1"), NodeDescription(2, "n2")),
    volumes=(
        VolumeDescription("a", id=7, access_groups=("esx",)),
        VolumeDescription("b", id=9, access_groups=("esx", "old"), load=LoadDescription(524288, 2.0, 1520000, 40, 26)),
        VolumeDescription("c", id=12, qos=QosDescription(60, 700, 800)),
    ),
    access_groups=(AccessGroupDescription("esx", (IQN, WWPN), require_chap=True), AccessGroupDescription("spare", (IQN.lower() + "-2",))),
)


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ElementServer, Endpoint]]:
    with serving(tmp_path_factory.mktemp("access"), DESCRIPTION) as (server, endpoint):
        yield server, endpoint


@pytest.fixture
def served(standing: tuple[ElementServer, Endpoint]) -> tuple[ElementServer, Endpoint]:
    server, _ = standing
    server.cluster, server.alterations = Cluster(DESCRIPTION), {}
    server.faults.active.clear()
    server.requests.clear()
    return standing


def rows(found: Collected, table: str, *columns: str) -> list[tuple[Any, ...]]:
    return [tuple(row[column] for column in columns) for row in found.tables[table]]


def test_an_access_group_is_a_host_and_its_initiators_are_written_as_hosts_write_them(served: tuple[ElementServer, Endpoint]) -> None:
    server, endpoint = served
    found = collected(endpoint)
    assert found.gaps == []
    assert rows(found, "array_host", "array_host_id", "name", "host_type") == [("1", "esx", None), ("2", "spare", None), ("3", "old", None)]
    assert rows(found, "array_initiator", "array_host_id", "initiator", "kind") == [
        ("1", "iqn.1998-01.com.vmware:esx-1-2f", "iscsi"),
        ("1", "2100000e1e14af40", "fc"),
        ("2", "iqn.1998-01.com.vmware:esx-1-2f-2", "iscsi"),
    ]
    assert server.requests.count("ListVolumeAccessGroups") == 1
    assert "ListInitiators" not in server.requests, "groups name their initiators"


def test_initiators_that_groups_tell_only_by_their_ids_are_looked_up(served: tuple[ElementServer, Endpoint]) -> None:
    server, endpoint = served
    whole = collected(endpoint)

    def nameless(_: Any, result: Any) -> Any:
        for group in result["volumeAccessGroups"]:
            group["initiators"] = group["initiators"][:1]
        return result

    server.alterations["ListVolumeAccessGroups"] = nameless
    found = collected(endpoint)
    assert found.gaps == []
    assert sorted(rows(found, "array_initiator", "array_host_id", "initiator", "kind")) == sorted(
        rows(whole, "array_initiator", "array_host_id", "initiator", "kind")
    )
    assert INITIATOR_CHAP not in repr(found.items)
    assert TARGET_CHAP not in repr(found.items)


def test_a_host_may_reach_the_volumes_of_its_group_at_their_luns(served: tuple[ElementServer, Endpoint]) -> None:
    found = collected(served[1])
    assert rows(found, "array_connection", "volume_id", "array_host_id", "lun") == [("7", "1", 0), ("9", "1", 1), ("9", "3", 0)]


def test_luns_are_asked_for_only_where_they_are_needed(served: tuple[ElementServer, Endpoint]) -> None:
    server, endpoint = served
    found = collected(endpoint, needs([("array_connection", "volume_id")]))
    assert rows(found, "array_connection", "volume_id", "array_host_id", "lun") == [("7", "1", None), ("9", "1", None), ("9", "3", None)]
    assert "GetVolumeAccessGroupLunAssignments" not in server.requests
    assert {row["topic"]: row["complete"] for row in found.tables["reading"]}["connections"] is True


def test_luns_an_account_may_not_ask_for_are_a_gap_and_the_rest_stays(served: tuple[ElementServer, Endpoint]) -> None:
    server, endpoint = served
    server.faults.active.append(Fault("permission", "GetVolumeAccessGroupLunAssignments", privilege="read"))
    found = collected(endpoint)
    assert rows(found, "array_connection", "volume_id", "lun") == [("7", None), ("9", None), ("9", None)]
    assert found.incomplete() == {"connections"}
    assert len(found.gaps) == 1
    assert server.requests.count("GetVolumeAccessGroupLunAssignments") == 1, "it may not ask for the other groups either"


def test_sessions_tell_who_is_logged_in_to_what(served: tuple[ElementServer, Endpoint]) -> None:
    found = collected(served[1])
    listed = rows(found, "array_session", "volume_id", "node_id", "initiator", "initiator_address")
    # One iSCSI session a volume, on the nodes in turn; the WWPN has one with each node, and with no volume of its own.
    assert listed == [
        ("7", "1", IQN.lower(), "203.0.113.2"),
        ("9", "2", IQN.lower(), "203.0.113.2"),
        (None, "1", "2100000e1e14af40", None),
        (None, "2", "2100000e1e14af40", None),
    ]
    assert len({row["session_id"] for row in found.tables["array_session"]}) == 4


def test_an_account_that_sees_no_fibre_channel_still_sees_iscsi(served: tuple[ElementServer, Endpoint]) -> None:
    server, endpoint = served
    server.faults.active.append(Fault("permission", "ListFibreChannelSessions", privilege="read"))
    found = collected(endpoint)
    assert found.incomplete() == {"sessions"}
    assert rows(found, "array_session", "volume_id") == [("7",), ("9",)]


def sessions(**changed: Any) -> Any:
    def alter(_: Any, result: Any) -> Any:
        result["sessions"][0].update(changed)
        return result

    return alter


@pytest.mark.parametrize(
    ("change", "column", "value", "complete"),
    [
        pytest.param({"initiatorIP": "[2001:db8::5]:33196"}, "initiator_address", "2001:db8::5", True, id="IPv6 with a port"),
        pytest.param({"initiatorIP": "2001:db8::5"}, "initiator_address", "2001:db8::5", True, id="IPv6 without"),
        pytest.param({"initiatorIP": "203.0.113.9"}, "initiator_address", "203.0.113.9", True, id="IPv4 without a port"),
        pytest.param({"initiatorIP": ""}, "initiator_address", None, False, id="no address"),
        pytest.param({"initiatorIP": None}, "initiator_address", None, False, id="null for an address"),
        pytest.param({"volumeID": None}, "volume_id", None, True, id="with no volume"),
        pytest.param({"initiatorName": "esx-1"}, "initiator", None, False, id="a name that is no initiator's"),
        pytest.param({"initiatorName": 5}, "initiator", None, False, id="a number for a name"),
    ],
)
def test_what_of_a_session_is_not_understood_is_null_and_told(
    served: tuple[ElementServer, Endpoint], change: dict[str, Any], column: str, value: Any, complete: bool
) -> None:
    server, endpoint = served
    server.alterations["ListISCSISessions"] = sessions(**change)
    found = collected(endpoint, needs([("array_session", column)]))
    assert found.tables["array_session"][0][column] == value
    assert found.tables["reading"][-1]["complete"] is complete


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("IQN.1998-01.com.vmware:X", ("iqn.1998-01.com.vmware:x", "iscsi"), id="an IQN"),
        pytest.param("eui.0123456789ABCDEF", ("eui.0123456789abcdef", "iscsi"), id="an EUI"),
        pytest.param("5F:47:AC:C0:00:00:00:10", ("5f47acc000000010", "fc"), id="a WWPN with colons"),
        pytest.param("5f47acc000000010", ("5f47acc000000010", "fc"), id="a WWPN without"),
        pytest.param("5f:47:acc000000010", None, id="a WWPN with some"),
        pytest.param("esx-1", None, id="a host's name"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_an_initiator_is_known_by_its_form(name: str, expected: tuple[str, str] | None) -> None:
    assert initiator(name) == expected


@pytest.mark.parametrize(
    ("field", "value", "topics"),
    [
        pytest.param("initiators", ["esx-1"], {"array_hosts"}, id="a host's name for an initiator"),
        pytest.param("initiators", [None, IQN], {"array_hosts"}, id="null for an initiator"),
        pytest.param("initiators", None, {"array_hosts"}, id="null for the initiators"),
        pytest.param("name", None, {"array_hosts"}, id="no name"),
        pytest.param("volumes", ["x"], {"connections"}, id="a word for a volume"),
        pytest.param("volumes", None, {"connections"}, id="null for the volumes"),
    ],
)
def test_what_of_a_group_is_not_understood_makes_its_topic_incomplete(
    served: tuple[ElementServer, Endpoint], field: str, value: Any, topics: set[str]
) -> None:
    server, endpoint = served

    def alter(_: Any, result: Any) -> Any:
        result["volumeAccessGroups"][0][field] = value
        result["volumeAccessGroups"][0]["initiatorIDs"] = []
        return result

    server.alterations["ListVolumeAccessGroups"] = alter
    found = collected(endpoint)
    assert found.incomplete() == topics
    assert all("access group 1" in gap.what for gap in found.gaps)
    assert len(found.tables["array_host"]) == 3


def test_histograms_are_asked_for_a_few_volumes_at_a_time(served: tuple[ElementServer, Endpoint], monkeypatch: pytest.MonkeyPatch) -> None:
    server, endpoint = served
    monkeypatch.setattr(element_load, "_HISTOGRAMS", 2)
    found = collected(endpoint)
    assert found.gaps == []
    assert server.requests.count("ListVolumeQoSHistograms") == 2
    counted = {(row["volume_id"], row["kind"], row["bucket"]): row["count"] for row in found.tables["array_volume_histogram"]}
    assert {volume for volume, _, _ in counted} == {"7", "9", "12"}
    # Volume b bursts at twice its limit with blocks of 512 KiB, the others do nothing.
    assert counted["9", "target_utilization_percentages", "101Plus"] > 0
    assert counted["9", "write_block_sizes", "131072Plus"] > 0
    assert counted["7", "target_utilization_percentages", "0"] > 0
    assert counted["7", "target_utilization_percentages", "101Plus"] == counted["7", "write_block_sizes", "131072Plus"] == 0


def test_a_volume_deleted_meanwhile_costs_only_its_own_histogram(served: tuple[ElementServer, Endpoint]) -> None:
    server, endpoint = served

    def deleted(_: Any, result: Any) -> Any:
        server.cluster.volumes.pop(9, None)
        return result

    server.alterations["ListVolumeStats"] = deleted
    found = collected(endpoint)
    assert {row["volume_id"] for row in found.tables["array_volume_histogram"]} == {"7", "12"}
    assert [gap.what for gap in found.gaps] == ["ListVolumeQoSHistograms: the record of volume 9"]


def test_a_release_without_histograms_is_not_asked_volume_by_volume(served: tuple[ElementServer, Endpoint]) -> None:
    server, endpoint = served

    def unknown(*_: Any) -> Any:
        raise ElementError("xUnknownAPIMethod", "method=ListVolumeQoSHistograms")

    server.alterations["ListVolumeQoSHistograms"] = unknown
    found = collected(endpoint)
    assert found.incomplete() == {"volume_histograms"}
    assert server.requests.count("ListVolumeQoSHistograms") == 1


@pytest.mark.parametrize(
    ("change", "gaps"),
    [
        pytest.param(lambda h: h["throttlePercentages"].update(Bucket0=None), 1, id="a counter that is null"),
        pytest.param(lambda h: h.pop("readBlockSizes"), 1, id="a histogram that is missing"),
        pytest.param(lambda h: h.update(writeBlockSizes=[]), 1, id="a histogram that is a list"),
        pytest.param(lambda h: h.update(queueDepths={"Bucket1": 4}), 0, id="one that a newer release counts too"),
        pytest.param(lambda h: h.update(note="text"), 0, id="a note that is no histogram"),
    ],
)
def test_what_of_a_histogram_is_not_understood_is_told(served: tuple[ElementServer, Endpoint], change: Any, gaps: int) -> None:
    server, endpoint = served

    def alter(_: Any, result: Any) -> Any:
        change(result["qosHistograms"][0]["histograms"])
        return result

    server.alterations["ListVolumeQoSHistograms"] = alter
    found = collected(endpoint)
    assert len(found.gaps) == gaps
    assert found.incomplete() == ({"volume_histograms"} if gaps else set())


def test_a_histogram_that_a_newer_release_adds_is_kept(served: tuple[ElementServer, Endpoint]) -> None:
    server, endpoint = served
    server.alterations["ListVolumeQoSHistograms"] = lambda _, __: {
        "qosHistograms": [{"volumeID": 7, "histograms": {"queueDepths": {"Bucket1": 4}}}]
    }
    found = collected(endpoint)
    assert rows(found, "array_volume_histogram", "volume_id", "kind", "bucket", "count") == [("7", "queue_depths", "1", 4)]
    assert found.incomplete() == {"volume_histograms"}, "the six that every release has were not told"


def test_more_connections_than_a_batch_holds_come_in_several(served: tuple[ElementServer, Endpoint]) -> None:
    server, endpoint = served
    names = tuple(f"g{number}" for number in range(4))
    many = tuple(VolumeDescription(f"v{number}", access_groups=names) for number in range(600))
    server.cluster = Cluster(dataclasses.replace(DESCRIPTION, volumes=many))
    found = collected(endpoint, needs([("array_connection", "lun")]))
    assert len(found.tables["array_connection"]) == 4 * 600
    assert found.largest_batch <= element_load.PAGE
