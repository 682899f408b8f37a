"""The lab's Storage Manager logs in, lists, filters and reports faults as the real one does."""

from __future__ import annotations

import dataclasses
from typing import Any

import httpx
import msgspec
import pytest

from auditor_lab.arrays.dell_sc import qos
from auditor_lab.arrays.dell_sc.description import (
    DellScDescription,
    StorageProfileDescription,
)
from auditor_lab.wire import Fault
from tests.lab.dell_sc.dell_sc_client import DESCRIPTION, Clock


def test_a_description_is_plain_data() -> None:
    assert msgspec.convert(msgspec.to_builtins(DESCRIPTION), DellScDescription) == DESCRIPTION


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param({"serial_number": 1 << 24}, "6 hex digits", id="a serial number too long for a device name"),
        pytest.param({"qos_profiles": ()}, "QoS profile for volumes", id="a volume with a QoS profile that is not there"),
        pytest.param({"qos_profiles": DESCRIPTION.qos_profiles[:2]}, "QoS profile for groups", id="a group profile that is not there"),
        pytest.param({"storage_profiles": ()}, "storage profile", id="a storage profile that is not there"),
        pytest.param({"servers": ()}, "server or server cluster", id="a mapping to a server that is not there"),
        pytest.param({"controllers": 1}, "controllers", id="a port on a controller that is not there"),
    ],
)
def test_a_description_that_contradicts_itself_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        dataclasses.replace(DESCRIPTION, **change)


def test_a_storage_profile_of_no_known_tier_is_refused() -> None:
    with pytest.raises(ValueError, match="tiers"):
        StorageProfileDescription(name="odd", tiers=(4,))


def test_device_names_carry_the_vpd_id_and_not_the_index() -> None:
    assert DESCRIPTION.volume_naas() == ("6000d31000fcbe000000000000000003", "6000d31000fcbe000000000000000004")


def test_a_login_opens_a_session_that_a_logout_ends(serve: Any) -> None:
    with serve() as (cinder, _):
        assert cinder.login().json()["provider"] == "EnterpriseManager"
        assert cinder.ask("GET", "StorageCenter/StorageCenter").json()[0]["scSerialNumber"] == 64702
        assert cinder.ask("GET", "ApiConnection/ApiConnection/0/StorageCenterList").json()[0]["instanceId"] == "64702"
        assert cinder.ask("POST", "ApiConnection/Logout", {}).status_code == 204
        assert cinder.ask("GET", "StorageCenter/StorageCenter").status_code == 401


def test_a_wrong_password_gives_no_session_and_is_not_repeated_back(serve: Any) -> None:
    with serve() as (cinder, _):
        cinder.session.cookies.clear()
        answer = cinder.login("wrong-secret")
        assert answer.status_code == 401
        assert "wrong-secret" not in answer.text
        assert cinder.ask("GET", "StorageCenter/StorageCenter").status_code == 401


def test_a_session_ends_when_nobody_uses_it_and_when_the_manager_restarts(serve: Any) -> None:
    clock = Clock()
    with serve(session_seconds=60.0, clock=clock) as (cinder, server):
        clock.seconds += 59
        assert cinder.ask("GET", "StorageCenter/StorageCenter").status_code == 200
        clock.seconds += 59
        assert cinder.ask("GET", "StorageCenter/StorageCenter").status_code == 200, "using it must prolong it"
        clock.seconds += 61
        assert cinder.ask("GET", "StorageCenter/StorageCenter").status_code == 401
        cinder.login()
        server.forget_sessions()
        assert cinder.ask("GET", "StorageCenter/StorageCenter").status_code == 401


@pytest.mark.parametrize("version", [pytest.param("2.0", id="too old"), pytest.param("9.9", id="too new"), pytest.param("", id="none")])
def test_a_version_out_of_range_is_told_the_way_cinder_reads_the_range(serve: Any, version: str) -> None:
    with serve(dataclasses.replace(DESCRIPTION, min_api_version="3.5")) as (cinder, _):
        cinder.version = version
        answer = cinder.login()
        assert answer.status_code == 400
        assert answer.json()["result"].startswith("Invalid API version specified, the version must be in the range [")
        cinder.version = answer.text.split("[")[1].split(",")[0]
        assert cinder.version == "3.5"
        assert cinder.login().status_code == 200


@pytest.mark.parametrize(
    ("kind", "wanted", "names"),
    [
        pytest.param("ScVolume", {"scSerialNumber": 64702}, ["capped", "twin"], id="all of a Storage Center"),
        pytest.param("ScVolume", {"ScSerialNumber": 64702, "Name": "twin"}, ["twin"], id="attribute names of any case"),
        pytest.param("ScVolume", {"scSerialNumber": 1}, [], id="of another Storage Center"),
        pytest.param("ScVolume", {"DeviceId": "6000D31000FCBE000000000000000003"}, ["capped"], id="text of any case"),
        pytest.param("ScQosProfile", {"Name": "Bronze", "profileType": "VolumeQosProfile"}, ["Bronze"], id="a volume's QoS profile"),
        pytest.param("ScQosProfile", {"profileType": "GroupQosProfile"}, ["Tenant"], id="a group's QoS profile"),
        pytest.param("ScServer", {}, ["esx", "esx-1", "esx-2"], id="servers with the clusters"),
        pytest.param("ScPhysicalServer", {}, ["esx-1", "esx-2"], id="servers alone"),
        pytest.param("ScServerCluster", {}, ["esx"], id="clusters alone"),
        pytest.param("ScServerHba", {"server": "64702.3"}, ["iqn.1998-01.com.vmware:esx-2"], id="a reference by its id"),
        pytest.param("StorageCenter", {"connected": True}, ["Storage Center 64702"], id="connected Storage Centers"),
    ],
)
def test_a_list_holds_what_the_filter_asks_for(serve: Any, kind: str, wanted: dict[str, Any], names: list[str]) -> None:
    with serve() as (cinder, _):
        assert [one["name"] for one in cinder.find(kind, **wanted)] == names


def equals(name: str, value: Any, kind: str = "Equals") -> dict[str, Any]:
    return {"attributeName": name, "attributeValue": value, "filterType": kind}


@pytest.mark.parametrize(
    ("filter_", "names"),
    [
        pytest.param({"filterType": "OR", "filters": [equals("name", "twin"), equals("index", 1)]}, ["capped", "twin"], id="either"),
        pytest.param({"filterType": "AND", "filters": [equals("name", "twin"), equals("index", 1)]}, [], id="both"),
        pytest.param({"filterType": "AND", "filters": [equals("name", "APP", "Contains")]}, ["capped"], id="a part of the text"),
        pytest.param({"filterType": "AND", "filters": [equals("index", 1, "GreaterThan")]}, ["twin"], id="more than"),
        pytest.param({"filterType": "AND", "filters": [equals("name", "twin", "NotEquals")]}, ["capped"], id="not this one"),
        pytest.param(
            {"filterType": "AND", "filters": [{"filterType": "OR", "filters": [equals("index", 2)]}]}, ["twin"], id="filters in a filter"
        ),
        pytest.param({"filterType": "AND", "filters": [equals("colour", "red")]}, 400, id="an attribute there is none of"),
        pytest.param({"filterType": "AND", "filters": [equals("name", "x", "Resembles")]}, 400, id="a comparison there is none of"),
        pytest.param({"filterType": "AND", "filters": "all"}, 400, id="filters that are none"),
        pytest.param(None, 400, id="a payload without a filter"),
    ],
)
def test_filters_combine_and_nonsense_is_refused(serve: Any, filter_: Any, names: list[str] | int) -> None:
    with serve() as (cinder, _):
        answer = cinder.ask("POST", "StorageCenter/ScVolume/GetList", {"filter": filter_})
    if isinstance(names, int):
        assert answer.status_code == names
    else:
        assert [one["name"] for one in answer.json()] == names


def test_an_api_before_2_2_takes_filters_without_their_wrapping(serve: Any) -> None:
    bare = {"filterType": "AND", "filters": [equals("name", "twin")]}
    with serve(dataclasses.replace(DESCRIPTION, api_version="2.1")) as (cinder, _):
        assert [one["name"] for one in cinder.ask("POST", "StorageCenter/ScVolume/GetList", bare).json()] == ["twin"]
    with serve() as (cinder, _):
        assert cinder.ask("POST", "StorageCenter/ScVolume/GetList", bare).status_code == 400


def test_the_cap_of_incident_s1_can_be_read(serve: Any) -> None:
    with serve() as (cinder, _):
        bronze = cinder.find("ScQosProfile", Name="Bronze")[0]
        assert (bronze[qos.BANDWIDTH_LIMIT_ENABLED], bronze[qos.BANDWIDTH_LIMIT], bronze[qos.PRIORITY]) == (True, 50, "Low")
        assert (bronze[qos.IOPS_LIMIT_ENABLED], bronze["volumeCount"]) == (False, 1)
        assert cinder.profiles("64702.1") == ("Bronze", "Tenant")
        assert cinder.profiles("64702.2") == ("Default", None)


def test_data_progression_is_told_by_the_tiers_of_the_storage_profile(serve: Any) -> None:
    with serve() as (cinder, _):
        tiers = {one["name"]: [one[f"useTier{tier}Storage"] for tier in (1, 2, 3)] for one in cinder.find("ScStorageProfile")}
        volume = cinder.ask("GET", "StorageCenter/ScVolume/64702.2/VolumeConfiguration").json()
    assert tiers["Recommended"] == [True, True, True]
    assert tiers[volume["storageProfile"]["instanceName"]] == [True, False, False]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        pytest.param("GET", "StorageCenter/ScVolume/64702.99", id="no such volume"),
        pytest.param("GET", "StorageCenter/ScVolume/12345.1", id="another Storage Center's volume"),
        pytest.param("GET", "StorageCenter/ScVolume/one/MappingList", id="an id that is none"),
        pytest.param("GET", "StorageCenter/ScServer/64702.99/HbaList", id="no such server"),
        pytest.param("GET", "StorageCenter/ScQosProfile/64702.99", id="no such profile"),
        pytest.param("GET", "StorageCenter/StorageCenter/1/StorageUsage", id="no such Storage Center"),
        pytest.param("GET", "StorageCenter/ScControllerPort/64702.1.1/FaultDomainList", id="no such port"),
        pytest.param("DELETE", "StorageCenter/ScMappingProfile/64702.99", id="no such mapping"),
        pytest.param("GET", "StorageCenter/ScUnicorn", id="no such class"),
        pytest.param("DELETE", "StorageCenter/ScVolume/64702.1", id="a call the lab does not have"),
        pytest.param("PUT", "StorageCenter/ScQosProfile", id="a change of nothing in particular"),
        pytest.param("GET", "ApiConnection/AsyncTask/1", id="no such task"),
        pytest.param("GET", "Nothing", id="no such part of the API"),
    ],
)
def test_what_is_not_there_is_not_found(serve: Any, method: str, path: str) -> None:
    with serve() as (cinder, _):
        answer = cinder.ask(method, path)
        assert answer.status_code == 404
        assert answer.json()["result"]


def test_a_port_tells_its_fault_domain_and_the_wwn_in_the_spelling_asked_for(serve: Any) -> None:
    with serve(dataclasses.replace(DESCRIPTION, wwn_key="wWN")) as (cinder, _):
        ports = cinder.ask("GET", "StorageCenter/StorageCenter/64702/ControllerPortList").json()
        assert [one["wWN"] for one in ports] == ["5000D31000FCBE01", "5000D31000FCBE02"]
        assert not any("WWN" in one for one in ports)
        domains = cinder.ask("GET", f"StorageCenter/ScControllerPort/{ports[0]['instanceId']}/FaultDomainList").json()
        assert [one["wellKnownIpAddress"] for one in domains] == ["198.51.100.31"]


def test_the_model_stands_on_the_controllers_and_the_release_on_the_storage_center(serve: Any) -> None:
    with serve() as (cinder, _):
        controllers = cinder.ask("GET", "StorageCenter/StorageCenter/64702/ControllerList").json()
        assert {(one["model"], one["version"]) for one in controllers} == {("SCv3020", "7.3.20.19")}
        assert cinder.find("StorageCenter")[0]["version"] == "7.3.20.19"


def test_usage_is_told_for_as_long_as_asked(serve: Any) -> None:
    with serve(dataclasses.replace(DESCRIPTION, clock_skew_seconds=3600.0)) as (cinder, server):
        start = server.center.now().timestamp() - 1000
        from datetime import UTC, datetime

        wanted = {"HistoricalFilter": {"StartTime": datetime.fromtimestamp(start, UTC).isoformat(), "UseCurrent": True}}
        samples = cinder.ask("POST", "StorageCenter/ScVolume/64702.1/GetHistoricalIoUsage", wanted).json()
        assert len(samples) == 3
        assert {(one["totalIops"], one["totalKbPerSecond"], one["averageKbPerIo"], one["ioPending"]) for one in samples} == {
            (400, 48000, 120, 64)
        }
        newest = datetime.fromisoformat(samples[-1]["time"])
        assert (newest - datetime.now(UTC)).total_seconds() == pytest.approx(3600, abs=60)
        wanted["HistoricalFilter"]["MaxCountReturn"] = 1
        assert len(cinder.ask("POST", "StorageCenter/ScVolume/64702.1/GetHistoricalIoUsage", wanted).json()) == 1
        latest = cinder.ask("POST", "StorageCenter/StorageCenter/64702/GetLatestVolumeIoUsage").json()
        assert [one["totalIops"] for one in latest] == [400, 0]
        assert cinder.ask("GET", "StorageCenter/ScVolume/64702.1/StorageUsage").json()["activeSpace"] == "5.49755813888E11 Bytes"


def test_faults_hit_the_operation_they_name(serve: Any) -> None:
    with serve() as (cinder, server):
        server.faults.active.append(Fault("status", operation="ScVolume/GetList", status=503, times=1))
        assert cinder.ask("GET", "StorageCenter/ScVolume/64702.1").status_code == 200
        answer = cinder.ask("POST", "StorageCenter/ScVolume/GetList")
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
        assert cinder.ask("POST", "StorageCenter/ScVolume/GetList").status_code == 200
        server.faults.active.append(Fault("lose", operation="PUT ScVolumeConfiguration"))
        with pytest.raises(httpx.RemoteProtocolError):
            cinder.ask("PUT", "StorageCenter/ScVolumeConfiguration/64702.1", {"volumeQosProfile": "64702.1"})
        assert cinder.profiles() == ("Default", "Tenant"), "the answer was lost, not the change"
        assert server.requests[:3] == ["Login", "GET ScVolume", "ScVolume/GetList"]
        assert "ScVolume/VolumeConfiguration" in server.requests


def test_what_is_no_json_and_what_is_no_part_of_the_api_is_refused(serve: Any) -> None:
    with serve() as (cinder, _):
        headers = {"x-dell-api-version": "2.0"}
        assert cinder.session.post("/api/rest/StorageCenter/ScVolume/GetList", content=b"{", headers=headers).status_code == 400
        assert cinder.session.get("/somewhere", headers=headers).status_code == 404


def test_one_manager_speaks_for_several_storage_centers(serve: Any) -> None:
    away = dataclasses.replace(DESCRIPTION, name="away", serial_number=64703, connected=False)
    with serve(dataclasses.replace(DESCRIPTION, also=(away,))) as (cinder, server):
        answer = cinder.ask("GET", "StorageCenter/StorageCenter").json()
        assert [(one["scSerialNumber"], one["connected"], bool(one["connectionError"])) for one in answer] == [
            (64702, True, False),
            (64703, False, True),
        ]
        assert cinder.ask("GET", "ApiConnection/ApiConnection/0/StorageCenterList").json() == answer
        assert [one["instanceId"] for one in cinder.find("ScVolume")] == ["64702.1", "64702.2", "64703.1", "64703.2"]
        assert [one["instanceId"] for one in cinder.find("ScVolume", scSerialNumber=64703)] == ["64703.1", "64703.2"]
        change = {"volumeQosProfile": "64703.1"}
        assert cinder.ask("PUT", "StorageCenter/ScVolumeConfiguration/64703.1", change).status_code == 200
        assert (cinder.profiles("64703.1")[0], cinder.profiles("64702.1")[0]) == ("Default", "Bronze")
        assert [center.description.serial_number for center in server.centers] == [64702, 64703]


def test_every_volume_is_of_a_storage_type_that_is_there(serve: Any) -> None:
    with serve() as (cinder, _):
        (there,) = cinder.find("ScStorageType")
        assert {one["storageType"]["instanceId"] for one in cinder.find("ScVolume")} == {there["instanceId"]}
        assert there["redundancy"] == "Redundant"


def test_an_answer_can_be_altered_on_its_way_out(serve: Any) -> None:
    with serve() as (cinder, server):
        server.alterations["ScVolume/GetList"] = lambda answer: answer[:1]
        assert [one["name"] for one in cinder.find("ScVolume")] == ["capped"]
        del server.alterations["ScVolume/GetList"]
        assert len(cinder.find("ScVolume")) == 2
