"""The lab's Storage Center behaves as OpenStack's client expects one to, asked by a plain HTTP client and not by ours."""

from __future__ import annotations

import dataclasses
import ssl
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
import msgspec
import pytest

from auditor_lab.arrays.dell_sc import qos
from auditor_lab.arrays.dell_sc.description import (
    DellScDescription,
    HbaDescription,
    LoadDescription,
    QosProfileDescription,
    ServerDescription,
    StorageProfileDescription,
    VolumeDescription,
)
from auditor_lab.arrays.dell_sc.server import DellScServer
from auditor_lab.authority import Authority
from auditor_lab.wire import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

# Incident S1: a profile with a priority and 50 MB/s on the volume that a machine moves to, and a twin without a cap.
DESCRIPTION = DellScDescription(
    name="scv3020",
    serial_number=64702,
    qos_profiles=(
        QosProfileDescription(name="Default"),
        QosProfileDescription(name="Bronze", priority="Low", bandwidth_limit_mb_per_second=50),
        QosProfileDescription(name="Tenant", kind="group", iops_limit=9000),
    ),
    server_clusters=("esx",),
    servers=(
        ServerDescription(name="esx-1", cluster="esx", hbas=(HbaDescription(name="iqn.1998-01.com.vmware:esx-1"),)),
        ServerDescription(name="esx-2", cluster="esx", hbas=(HbaDescription(name="iqn.1998-01.com.vmware:esx-2"),)),
    ),
    volumes=(
        VolumeDescription(
            name="capped",
            volume_qos_profile="Bronze",
            group_qos_profile="Tenant",
            mapped_to=("esx",),
            lun=7,
            used_bytes=1 << 39,
            load=LoadDescription(read_iops=100, write_iops=300, read_kb_per_second=10000, write_kb_per_second=38000, pending=64),
        ),
        VolumeDescription(name="twin", storage_profile="High Priority", mapped_to=("esx-1",)),
    ),
)
NEVER = None


class Clock:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


class Cinder:
    """What OpenStack's client sends: its headers, its filters, its way of following a task."""

    def __init__(self, session: httpx.Client, version: str = "2.0") -> None:
        self.session = session
        self.version = version

    def ask(self, method: str, path: str, payload: Any = None, *, wait: bool = False, **headers: str) -> httpx.Response:
        given = {"x-dell-api-version": self.version, **({"Async": "True"} if wait else {}), **headers}
        return self.session.request(method, f"/api/rest/{path}", json=payload, headers=given)

    def login(self, password: str = "right") -> httpx.Response:
        body = {"Application": "Cinder REST Driver", "ApplicationVersion": "4.1.2"}
        headers = {"x-dell-api-version": self.version}
        return self.session.post("/api/rest/ApiConnection/Login", json=body, headers=headers, auth=("Admin", password))

    def find(self, kind: str, **wanted: Any) -> Any:
        filters = [{"attributeName": name, "attributeValue": value, "filterType": "Equals"} for name, value in wanted.items()]
        answer = self.ask("POST", f"StorageCenter/{kind}/GetList", {"filter": {"filterType": "AND", "filters": filters}})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def profiles(self, volume: str = "64702.1") -> tuple[str, str | None]:
        answer = self.ask("GET", f"StorageCenter/ScVolume/{volume}/VolumeConfiguration").json()
        return answer["volumeQosProfile"]["instanceName"], answer.get("groupQosProfile", {}).get("instanceName")

    def follow(self, task: httpx.Response) -> httpx.Response:
        """Ask once for what a task's own address answers; the address names a host that is not ours."""
        path = task.json()["returnValue"].split("https://")[1].split("/", 1)[1]
        return self.ask("GET", path.removeprefix("api/rest/"))


@pytest.fixture
def serve(tmp_path: Path) -> Callable[..., Any]:
    authority = Authority()
    authority.write(tmp_path / "ca.pem")

    @contextmanager
    def serving(description: DellScDescription = DESCRIPTION, **more: Any) -> Iterator[tuple[Cinder, DellScServer]]:
        server = DellScServer(description, authority.server_context("127.0.0.1"), "Admin", "right", **more)
        context = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
        try:
            with httpx.Client(verify=context, base_url=f"https://127.0.0.1:{server.port}") as session:
                cinder = Cinder(session)
                cinder.login()
                yield cinder, server
        finally:
            server.stop()

    return serving


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


def test_cinder_gives_a_volume_another_qos_profile_and_it_sticks(serve: Any) -> None:
    clock = Clock()
    with serve(dataclasses.replace(DESCRIPTION, task_seconds=5.0), clock=clock) as (cinder, _):
        prefs = cinder.ask("GET", "StorageCenter/StorageCenter/64702/UserPreferences").json()
        assert prefs["allowQosProfileSelection"] is True
        wanted = cinder.find("ScQosProfile", ScSerialNumber=64702, Name="Default", profileType="VolumeQosProfile")[0]
        task = cinder.ask("PUT", "StorageCenter/ScVolumeConfiguration/64702.1", {"volumeQosProfile": wanted["instanceId"]}, wait=True)
        assert (task.status_code, task.json()["objectType"], task.json()["state"]) == (202, "AsyncTask", "Running")
        assert cinder.profiles() == ("Bronze", "Tenant"), "it must not have happened before its time"
        assert cinder.follow(task).json()["objectType"] == "AsyncTask"
        clock.seconds += 5
        done = cinder.follow(task)
        assert (done.status_code, done.json()["objectType"]) == (200, "ScVolumeConfiguration")
        assert cinder.profiles() == ("Default", "Tenant")
        assert {one["name"]: one["volumeCount"] for one in cinder.find("ScQosProfile")} == {"Default": 2, "Bronze": 0, "Tenant": 1}


def test_null_takes_the_group_profile_away_and_a_call_without_the_header_happens_at_once(serve: Any) -> None:
    with serve() as (cinder, _):
        answer = cinder.ask("PUT", "StorageCenter/ScVolumeConfiguration/64702.1", {"groupQosProfile": None})
        assert (answer.status_code, answer.json()["objectType"]) == (200, "ScVolumeConfiguration")
        assert cinder.profiles() == ("Bronze", None)


@pytest.mark.parametrize(
    ("payload", "status"),
    [
        pytest.param({"volumeQosProfile": "64702.9"}, 400, id="a profile that is not there"),
        pytest.param({"volumeQosProfile": "64702.3"}, 400, id="a group's profile for a volume"),
        pytest.param({"volumeQosProfile": None}, 400, id="no profile"),
        pytest.param({"storageProfile": "64702.1", "volumeQosProfile": "12345.1"}, 400, id="half of it right"),
        pytest.param({"ReadCacheEnabled": "yes"}, 400, id="text for a switch"),
        pytest.param({"colour": "red"}, 400, id="an attribute there is none of"),
        pytest.param(None, 400, id="nothing"),
    ],
)
@pytest.mark.parametrize("wait", [pytest.param(False, id="at once"), pytest.param(True, id="as a task")])
def test_a_change_that_is_refused_changes_nothing(serve: Any, payload: Any, status: int, *, wait: bool) -> None:
    with serve(dataclasses.replace(DESCRIPTION, task_seconds=0.0)) as (cinder, _):
        before = cinder.find("ScVolumeConfiguration")
        answer = cinder.ask("PUT", "StorageCenter/ScVolumeConfiguration/64702.2", payload, wait=wait)
        if wait:
            assert answer.status_code == 202
            answer = cinder.follow(answer)
        assert answer.status_code == status
        assert answer.json()["result"]
        assert cinder.find("ScVolumeConfiguration") == before


def test_other_settings_of_a_volume_stick_as_well(serve: Any) -> None:
    change = {"storageProfile": "64702.2", "ReplayProfileList": ["64702.1"], "WriteCacheEnabled": False, "compressionEnabled": True}
    with serve() as (cinder, _):
        assert cinder.ask("PUT", "StorageCenter/ScVolumeConfiguration/64702.1", change).status_code == 200
        answer = cinder.ask("GET", "StorageCenter/ScVolumeConfiguration/64702.1").json()
        assert [one["name"] for one in cinder.ask("GET", "StorageCenter/ScReplayProfile/64702.1/VolumeList").json()] == ["capped"]
    assert (answer["storageProfile"]["instanceName"], answer["writeCacheEnabled"], answer["compressionEnabled"]) == (
        "High Priority",
        False,
        True,
    )


def test_a_changed_qos_profile_keeps_what_was_left_out(serve: Any) -> None:
    with serve() as (cinder, _):
        path = "StorageCenter/ScQosProfile/64702.2"
        assert cinder.ask("PUT", path, {qos.BANDWIDTH_LIMIT: 200}).json()[qos.BANDWIDTH_LIMIT] == 200
        assert cinder.ask("PUT", path, {qos.BANDWIDTH_LIMIT: -1}).status_code == 400
        assert cinder.ask("PUT", path, {"colour": "red"}).status_code == 400
        answer = cinder.ask("GET", path).json()
        assert (answer[qos.BANDWIDTH_LIMIT], answer[qos.PRIORITY]) == (200, "Low")
        assert cinder.ask("PUT", path, {qos.BANDWIDTH_LIMIT_ENABLED: False}).json()[qos.BANDWIDTH_LIMIT_ENABLED] is False


def test_profiles_cannot_be_chosen_where_the_preferences_forbid_it(serve: Any) -> None:
    forbidden = dataclasses.replace(DESCRIPTION, allow_qos_profile_selection=False, allow_storage_profile_selection=False)
    with serve(forbidden) as (cinder, _):
        assert cinder.ask("GET", "StorageCenter/StorageCenter/64702/UserPreferences").json()["allowQosProfileSelection"] is False
        for change in ({"volumeQosProfile": "64702.1"}, {"storageProfile": "64702.2"}):
            assert cinder.ask("PUT", "StorageCenter/ScVolumeConfiguration/64702.1", change).status_code == 403


def test_a_release_before_7_knows_no_qos_profiles(serve: Any) -> None:
    with serve(dataclasses.replace(DESCRIPTION, version="6.5.1.269")) as (cinder, _):
        assert cinder.ask("POST", "StorageCenter/ScQosProfile/GetList").status_code == 404
        answer = cinder.ask("GET", "StorageCenter/ScVolume/64702.1/VolumeConfiguration").json()
        assert not {"volumeQosProfile", "groupQosProfile"} & answer.keys()
        assert "allowQosProfileSelection" not in cinder.ask("GET", "StorageCenter/StorageCenter/64702/UserPreferences").json()


@pytest.mark.parametrize(
    ("permissions", "read", "written"),
    [pytest.param({"read"}, 200, 403, id="a reporter"), pytest.param(set(), 403, 403, id="nobody")],
)
def test_an_account_does_only_what_it_may(serve: Any, permissions: set[str], read: int, written: int) -> None:
    with serve(dataclasses.replace(DESCRIPTION, permissions=frozenset(permissions))) as (cinder, _):
        assert cinder.ask("POST", "StorageCenter/ScVolume/GetList").status_code == read
        assert cinder.ask("POST", "StorageCenter/ScVolume/64702.1/GetHistoricalIoUsage").status_code == read
        change = {"volumeQosProfile": "64702.1"}
        for wait in (False, True):
            assert cinder.ask("PUT", "StorageCenter/ScVolumeConfiguration/64702.1", change, wait=wait).status_code == written
        assert cinder.ask("POST", "StorageCenter/ScVolume/64702.1/Unmap", {}).status_code == written


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


def test_a_cluster_brings_a_volume_to_every_server_in_it(serve: Any) -> None:
    with serve() as (cinder, _):
        profiles = cinder.ask("GET", "StorageCenter/ScVolume/64702.1/MappingProfileList").json()
        assert [(one["server"]["instanceName"], one["mappedVia"], one["lunUsed"]) for one in profiles] == [
            ("esx", "Server", [7]),
            ("esx-1", "Cluster", [7]),
            ("esx-2", "Cluster", [7]),
        ]
        mappings = cinder.ask("GET", "StorageCenter/ScVolume/64702.1/MappingList").json()
        assert len(mappings) == 4, "two servers with an initiator each, two ports"
        assert len({one["instanceId"] for one in cinder.find("ScMapping")}) == 6, "the twin is mapped to one server"
        assert len(cinder.ask("GET", "StorageCenter/ScServer/64702.2/MappingList").json()) == 4
        cluster = cinder.ask("GET", "StorageCenter/ScServerCluster/64702.1").json()
        assert (cluster["operatingSystem"]["instanceName"], cluster["hbaCount"], cluster["mapped"]) == ("VMware ESXi 6.5", 2, True)


def test_cinder_maps_and_unmaps_a_volume(serve: Any) -> None:
    with serve() as (cinder, _):
        path, wanted = "StorageCenter/ScVolume/64702.2/MapToServer", {"server": "64702.3", "Advanced": {"MapToDownServerHbas": True}}
        made = cinder.ask("POST", path, wanted).json()
        assert (made["objectType"], made["server"]["instanceName"]) == ("ScMappingProfile", "esx-2")
        assert cinder.ask("POST", path, wanted).json()["instanceId"] == made["instanceId"], "mapped once is mapped"
        assert cinder.ask("GET", "StorageCenter/ScServer/64702.3").json()["volumeCount"] == 2
        assert cinder.ask("DELETE", f"StorageCenter/ScMappingProfile/{made['instanceId']}").json() is True
        assert cinder.ask("GET", "StorageCenter/ScServer/64702.3").json()["volumeCount"] == 1
        # The cluster's mapping takes those of its servers with it.
        whole = cinder.ask("GET", "StorageCenter/ScVolume/64702.1/MappingProfileList").json()[0]
        assert cinder.ask("DELETE", f"StorageCenter/ScMappingProfile/{whole['instanceId']}").json() is True
        assert cinder.ask("GET", "StorageCenter/ScVolume/64702.1").json()["mapped"] is False
        assert cinder.ask("POST", "StorageCenter/ScVolume/64702.2/Unmap", {}).json() is True
        assert cinder.find("ScMappingProfile") == []


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


def test_a_task_can_never_end_and_then_nothing_has_changed(serve: Any) -> None:
    clock = Clock()
    with serve(dataclasses.replace(DESCRIPTION, task_seconds=NEVER), clock=clock) as (cinder, server):
        path, change = "StorageCenter/ScVolumeConfiguration/64702.1", {"volumeQosProfile": "64702.1"}
        task = cinder.ask("PUT", path, change, wait=True)
        clock.seconds += 1000
        assert cinder.follow(task).json()["state"] == "Running"
        assert cinder.profiles() == ("Bronze", "Tenant")
        server.task_seconds = 0.0
        assert cinder.follow(cinder.ask("PUT", path, change, wait=True)).json()["objectType"] == "ScVolumeConfiguration"


def test_a_write_can_be_accepted_and_ignored(serve: Any) -> None:
    with serve() as (cinder, server):
        server.ignored.add("PUT ScVolumeConfiguration")
        answer = cinder.ask("PUT", "StorageCenter/ScVolumeConfiguration/64702.1", {"volumeQosProfile": "64702.1"})
        assert answer.status_code == 200
        assert cinder.profiles() == ("Bronze", "Tenant")


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
