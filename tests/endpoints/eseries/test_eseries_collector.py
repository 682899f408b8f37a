"""What a reading of SANtricity Web Services gives, and what it says where it could not read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auditor.endpoints.common.sessions import open_session
from auditor.endpoints.eseries.collect import collect_eseries
from auditor.endpoints.eseries.settings.host_type import ESeriesHostType
from auditor.errors import EndpointError, MalformedAnswerError, NotThereError, PermissionMissingError, RefusedError
from auditor.model import EndpointKind, Target
from auditor_lab.arrays.eseries.description import ESeriesDescription, VolumeDescription
from auditor_lab.arrays.eseries.records import LISTS
from auditor_lab.wire import Answer, Fault
from tests.endpoints.arrays import Collected, saying, serving_array
from tests.endpoints.eseries.eseries_system import SYSTEM

A, B = "1/070000000000000000000001", "1/070000000000000000000002"
Alterations = dict[str, Any]


def collected(folder: Path, description: ESeriesDescription = SYSTEM, alterations: Alterations | None = None) -> Collected:
    with serving_array(EndpointKind.ESERIES, description, folder) as (server, endpoint):
        server.alterations.update(alterations or {})
        with open_session(endpoint) as session:
            return Collected(collect_eseries(session, endpoint))


def test_an_array_is_read_whole(tmp_path: Path) -> None:
    found = collected(tmp_path)
    assert (found.gaps, found.incomplete()) == ([], set())
    assert found.tables["array"] == [
        {
            "endpoint": "es-east",
            "family": "eseries",
            "name": "es",
            "array_id": "60080e500023c73400000000515af323",
            "version": "08.73.00.00",
            "model": "2806",
        }
    ]
    assert found.column("array_node", "node_id", "name", "state") == [(A, "es A", "optimal"), (B, "es B", "optimal")]
    assert found.column("array_pool", "name", "media", "rpm", "disks") == [("sas", "hdd", 10_000, 12), ("flash", "ssd", None, 11)]
    assert found.column("array_volume", "name", "device", "owner_id", "preferred_owner_id", "write_cache") == [
        ("vmfs-1", "naa.600a098000a4b28d0000000000000001", A, A, "on"),
        ("vmfs-2", "naa.600a098000a4b28d0000000000000002", A, B, "suspended"),
        ("thin", "naa.600a098000a4b28d0000000000000003", A, A, "off"),
    ]
    assert found.column("array_host", "name", "host_group", "host_type") == [
        ("esx-1", "esx", "VmwTPGSALUA"),
        ("esx-2", "esx", "LnxDHALUA"),
        ("db", None, "LnxDHALUA"),
    ]
    assert found.column("array_alert", "severity", "code", "component") == [
        ("warning", "failedDrive", "drive"),
        ("warning", "nonPreferredPath", "volume"),
    ]


def test_a_group_is_mapped_to_each_of_its_hosts_and_the_access_volume_is_no_storage(tmp_path: Path) -> None:
    found = collected(tmp_path)
    names = {row["array_host_id"]: row["name"] for row in found.tables["array_host"]}
    volumes = {row["volume_id"]: row["name"] for row in found.tables["array_volume"]}
    reached = [(volumes[row["volume_id"]], names[row["array_host_id"]], row["lun"]) for row in found.tables["array_connection"]]
    assert reached == [("vmfs-1", "esx-1", 1), ("vmfs-1", "esx-2", 1), ("vmfs-2", "esx-1", 2), ("vmfs-2", "esx-2", 2)]


def test_two_failures_of_one_kind_about_one_object_are_two_alerts(tmp_path: Path) -> None:
    found = collected(tmp_path, alterations={"GET failures": lambda listed: [listed[0], listed[0]]})
    assert len({row["alert_id"] for row in found.tables["array_alert"]}) == 2


def test_systems_behind_one_proxy_keep_their_controllers_apart_and_one_out_of_reach_is_a_gap_in_each_topic(tmp_path: Path) -> None:
    other = replace(SYSTEM, id="b", name="other", wwn="60080e500023c73400000000515af324", volume_prefix="60080e5000290d80")
    away = replace(other, id="c", name="away", status="offline")
    found = collected(tmp_path, replace(SYSTEM, id="a", is_proxy=True, also=(other, away)))
    assert found.column("array", "name") == ["es", "other"]
    assert found.column("array_node", "node_id") == [f"{one}/07000000000000000000000{n}" for one in ("a", "b") for n in (1, 2)]
    assert len(found.tables["array_volume"]) == 2 * len(SYSTEM.volumes)
    assert found.incomplete() == set(found.complete)
    assert {gap.why for gap in found.gaps} == {"its Web Services do not reach it (status offline, passwordStatus valid)"}
    assert "nodes of storage system away" in found.gap_text() or "nodes of storage system c" in found.gap_text()


@pytest.mark.parametrize(
    ("status", "login"),
    [
        pytest.param("neverContacted", "valid", id="never contacted"),
        pytest.param("optimal", "invalid", id="a password that the array refuses"),
        pytest.param("optimal", "securityLockout", id="locked"),
    ],
)
def test_what_a_proxy_tells_of_an_array_that_does_not_answer_it_is_not_believed(tmp_path: Path, status: str, login: str) -> None:
    found = collected(tmp_path, replace(SYSTEM, status=status, login_status=login))
    assert found.tables["array"] == []
    assert found.incomplete() == set(found.complete)


def test_services_that_speak_for_no_array_leave_a_gap_and_no_pass(tmp_path: Path) -> None:
    found = collected(tmp_path, alterations={"GET storage-systems": lambda _: []})
    assert found.incomplete() == set(found.complete)
    assert {gap.why for gap in found.gaps} == {"these Web Services speak for none"}


def test_a_volume_without_statistics_is_not_idle_but_a_gap(tmp_path: Path) -> None:
    # Web Services that have just begun to collect them answer with none.
    found = collected(tmp_path, alterations={"GET analysed-volume-statistics": lambda _: []})
    assert found.incomplete() == {"volume_load"}
    assert "the record of volume 1/" in found.gap_text()
    assert "and 2 more: was not in the answer" in found.gap_text()


def test_the_load_of_a_pool_is_that_of_all_its_drives_and_one_that_says_nothing_leaves_a_gap(tmp_path: Path) -> None:
    # vmfs-1 alone takes 400 operations a second, on 12 drives.
    found = collected(tmp_path)
    names = {row["pool_id"]: row["name"] for row in found.tables["array_pool"]}
    loads = {names[row["pool_id"]]: row for row in found.tables["array_pool_load"]}
    assert loads.keys() == {"sas", "flash"}
    assert (loads["sas"]["transfers_per_second"], loads["flash"]["transfers_per_second"]) == (pytest.approx(400), 0)
    assert loads["sas"]["disk_iops"] == pytest.approx(400 / 12)
    less = collected(tmp_path, alterations={"GET analysed-drive-statistics": lambda listed: listed[1:]})
    assert less.incomplete() == {"pool_load"}
    assert [names[row["pool_id"]] for row in less.tables["array_pool_load"]] == ["flash"]
    assert "is missing of 1 of its 12 drives" in less.gap_text()


@pytest.mark.parametrize(
    ("operation", "status", "lost"),
    [
        pytest.param("GET host-types", 404, {"array_hosts"}, id="a release without the list"),
        pytest.param("GET drives", 403, {"pools", "pool_load"}, id="a list that the account may not see"),
        pytest.param("GET analysed-drive-statistics", 404, {"pool_load"}, id="a release without load of drives"),
        pytest.param("GET thin-volumes", 422, {"volumes", "volume_load"}, id="refused in its own words"),
        pytest.param("GET failures", 424, {"alerts"}, id="the array does not answer its proxy"),
    ],
)
def test_one_list_that_is_refused_is_a_gap_of_its_topic_in_the_words_of_the_refusal(
    tmp_path: Path, operation: str, status: int, lost: set[str]
) -> None:
    with serving_array(EndpointKind.ESERIES, SYSTEM, tmp_path) as (server, endpoint):
        answer = server.answer

        def refusing(request: Any) -> Any:
            if server.operation(request) != operation:
                return answer(request)
            body = {"errorMessage": "no", "localizedMessage": "Not today.", "retcode": "30"}
            return Answer(json.dumps(body).encode(), "application/json", status)

        server.answer = refusing
        with open_session(endpoint) as session:
            found = Collected(collect_eseries(session, endpoint))
    assert found.incomplete() == lost
    assert f"Not today. (HTTP {status}, 30)" in found.gap_text()


def test_a_host_whose_type_was_not_read_has_none_and_the_rest_of_it_stands(tmp_path: Path) -> None:
    found = collected(tmp_path, alterations={"GET host-types": lambda _: {"no": "list"}})
    assert found.column("array_host", "name", "host_type") == [("esx-1", None), ("esx-2", None), ("db", None)]
    assert found.incomplete() == {"array_hosts"}


def test_without_the_groups_a_mapping_to_a_host_stands_and_one_that_may_be_to_a_group_is_a_gap(tmp_path: Path) -> None:
    own = VolumeDescription("db-1", "sas", mapped_to=("db",))
    found = collected(tmp_path, replace(SYSTEM, volumes=(*SYSTEM.volumes, own)), {"GET host-groups": lambda _: {"no": "list"}})
    assert found.column("array_host", "name", "host_group") == [("esx-1", None), ("esx-2", None), ("db", None)]
    (db,) = (row["array_host_id"] for row in found.tables["array_host"] if row["name"] == "db")
    assert [row["array_host_id"] for row in found.tables["array_connection"]] == [db]
    assert {"array_hosts", "connections"} <= found.incomplete()
    assert "may be of a group, and the hosts were not all read" in found.gap_text()


def test_a_mapping_to_a_group_is_a_gap_where_a_host_was_not_understood_that_may_be_in_it(tmp_path: Path) -> None:
    found = collected(tmp_path, alterations={"GET hosts": lambda listed: [*listed, {"label": "odd"}]})
    assert len(found.tables["array_host"]) == 3
    assert found.tables["array_connection"] == []
    assert {"array_hosts", "connections"} <= found.incomplete()
    assert "may be of a group, and the hosts were not all read" in found.gap_text()


def test_a_group_goes_by_its_label(tmp_path: Path) -> None:
    found = collected(tmp_path, alterations={"GET host-groups": lambda listed: [{**one, "name": "by name"} for one in listed]})
    assert found.column("array_host", "name", "host_group") == [("esx-1", "esx"), ("esx-2", "esx"), ("db", None)]


def test_a_group_without_a_label_goes_by_its_name(tmp_path: Path) -> None:
    def unlabelled(listed: list[Any]) -> list[Any]:
        return [{key: value for key, value in one.items() if key != "label"} | {"name": "by name"} for one in listed]

    found = collected(tmp_path, alterations={"GET host-groups": unlabelled})
    assert found.column("array_host", "name", "host_group") == [("esx-1", "by name"), ("esx-2", "by name"), ("db", None)]


def test_a_mapping_to_a_host_is_for_that_host(tmp_path: Path) -> None:
    found = collected(tmp_path, replace(SYSTEM, volumes=(VolumeDescription("db-1", "sas", mapped_to=("db",)),)))
    (db,) = (row["array_host_id"] for row in found.tables["array_host"] if row["name"] == "db")
    assert [row["array_host_id"] for row in found.tables["array_connection"]] == [db]
    assert found.gaps == []


def test_what_comes_after_the_access_volume_is_read(tmp_path: Path) -> None:
    found = collected(tmp_path, alterations={"GET volume-mappings": lambda listed: listed[::-1]})
    assert [row["lun"] for row in found.tables["array_connection"]] == [2, 2, 1, 1]


def test_initiators_are_of_the_host_that_has_the_port(tmp_path: Path) -> None:
    found = collected(tmp_path)
    names = {row["array_host_id"]: row["name"] for row in found.tables["array_host"]}
    assert [(names[row["array_host_id"]], row["initiator"]) for row in found.tables["array_initiator"]] == [
        ("esx-1", "500605b001020301"),
        ("esx-1", "500605b001020302"),
        ("esx-2", "500605b001020303"),
        ("db", "iqn.1994-05.com.redhat:db"),
    ]
    assert {row["endpoint"] for row in found.tables["array_initiator"]} == {"es-east"}


def test_a_mapping_to_what_is_neither_a_host_nor_a_group_reaches_nobody_that_is_known(tmp_path: Path) -> None:
    def to_the_default_group(listed: list[Any]) -> list[Any]:
        return [{**listed[0], "type": "all", "mapRef": "0" * 40}, *listed[1:]]

    found = collected(tmp_path, alterations={"GET volume-mappings": to_the_default_group})
    assert [row["volume_id"][-1] for row in found.tables["array_connection"]] == ["2", "2"]
    assert found.incomplete() == {"connections"}
    assert "which hosts the default group has is not known" in found.gap_text()


def test_a_busy_answer_is_waited_for(tmp_path: Path) -> None:
    with serving_array(EndpointKind.ESERIES, SYSTEM, tmp_path) as (server, endpoint), open_session(endpoint) as session:
        server.faults.active.append(Fault("status", "GET controllers", status=503, times=1))
        found = Collected(collect_eseries(session, endpoint))
        assert server.requests.count("GET controllers") == 2
    assert found.gaps == []


def test_an_answer_that_is_no_list_or_no_object_makes_no_sense(tmp_path: Path) -> None:
    with saying(EndpointKind.ESERIES, b"[]", tmp_path) as (_, endpoint), pytest.raises(MalformedAnswerError) as caught:
        open_session(endpoint).__enter__()
    assert "a list where an object was expected" in caught.value.what
    with saying(EndpointKind.ESERIES, b"{}", tmp_path) as (_, endpoint), pytest.raises(EndpointError) as caught_list:
        open_session(endpoint).__enter__()
    assert "a dict where a list was expected" in caught_list.value.what


def test_what_answers_is_told_with_its_release_and_who_it_is(tmp_path: Path) -> None:
    with serving_array(EndpointKind.ESERIES, SYSTEM, tmp_path) as (_, endpoint), open_session(endpoint) as session:
        assert session.release == "SANtricity Web Services, embedded 05.30.0000.0003"
        assert session.identity() == "60080E500023C73400000000515AF323"
    with serving_array(EndpointKind.ESERIES, replace(SYSTEM, is_proxy=True), tmp_path) as (_, endpoint), open_session(endpoint) as session:
        assert session.release == "SANtricity Web Services Proxy 05.30.0000.0003"


HOST = Target("es-east", (("array_host_id", "1/8400000060080e500023c7340000000000000002"),))


@pytest.mark.parametrize("value", [pytest.param("VMware", id="no code of this array"), pytest.param(10, id="an index")])
def test_a_type_that_the_array_does_not_list_is_refused_before_anything_is_sent(tmp_path: Path, value: Any) -> None:
    with serving_array(EndpointKind.ESERIES, SYSTEM, tmp_path) as (server, endpoint), open_session(endpoint) as session:
        with pytest.raises(RefusedError, match="VmwTPGSALUA") as caught:
            ESeriesHostType().write(session, HOST, value)
        assert "nothing was written" in caught.value.why
        assert "POST hosts" not in server.requests


def test_a_host_that_is_gone_and_a_type_that_is_not_listed_are_no_value(tmp_path: Path) -> None:
    with serving_array(EndpointKind.ESERIES, SYSTEM, tmp_path) as (server, endpoint), open_session(endpoint) as session:
        with pytest.raises(NotThereError):
            ESeriesHostType().read(session, Target("es-east", (("array_host_id", "1/84ff"),)))
        server.systems["1"].host_types["esx-2"] = 99
        with pytest.raises(MalformedAnswerError, match="99"):
            ESeriesHostType().read(session, HOST)


def test_a_role_that_may_only_read_may_not_write(tmp_path: Path) -> None:
    reader = replace(SYSTEM, role="storage.monitor")
    with serving_array(EndpointKind.ESERIES, reader, tmp_path) as (_, endpoint), open_session(endpoint) as session:
        with pytest.raises(PermissionMissingError, match=r"storage\.admin") as caught:
            ESeriesHostType().write(session, HOST, "VmwTPGSALUA")
        assert caught.value.do == "give audit the role storage.admin."


def test_a_volume_that_two_lists_have_is_one(tmp_path: Path) -> None:
    with serving_array(EndpointKind.ESERIES, replace(SYSTEM, volumes=(VolumeDescription("v", "sas"),)), tmp_path) as (server, endpoint):
        (system,) = server.systems.values()
        server.alterations["GET thin-volumes"] = lambda _: LISTS["volumes"](system)
        with open_session(endpoint) as session:
            found = Collected(collect_eseries(session, endpoint))
    assert found.column("array_volume", "name") == ["v"]
