"""Writes to the lab's Storage Manager stick, are refused without a change, and map volumes as cinder does it."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from auditor_lab.arrays.dell_sc import qos
from tests.lab.dell_sc.dell_sc_client import DESCRIPTION, Clock

NEVER = None


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
