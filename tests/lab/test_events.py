"""Events: every change is recorded with who made it, to what and when, and filters and collectors give them back."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pyVmomi import vim, vmodl

from auditor_lab.scenario import load_scenario
from auditor_lab.vcenter.events.recording import MODULE_OPTIONS_CHANGED, OPTION_CHANGED
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.state import vcenter as state
from tests.lab.conftest import PASSWORD, USER, Client, Plain
from tests.lab.govc import govc_on
from tests.lab.test_performance import entity
from tests.waiting import Clock

Filter = vim.event.EventFilterSpec


def names(events: Any) -> list[str]:
    """Types without their module, an EventEx by its own id."""
    return [one.eventTypeId if isinstance(one, vim.event.EventEx) else type(one).__name__.rpartition(".")[2] for one in events]


def about(reference: Any, recursion: str = "self") -> Any:
    return Filter(entity=Filter.ByEntity(entity=reference, recursion=recursion))


def set_option(host: Any, key: str, value: int) -> None:
    long = type(host.configManager.advancedOption.QueryOptions(key)[0].value)
    host.configManager.advancedOption.UpdateOptions([vim.option.OptionValue(key=key, value=long(value))])


def test_an_option_change_says_who_made_it_where_and_from_what_to_what(vcenter: VCenterServer, connect: Callable[..., Client]) -> None:
    client = connect(vcenter)
    before = client.instance.CurrentTime()
    host = client.hosts()["esx-2"]
    set_option(host, "Disk.QFullSampleSize", 32)
    event, task = client.content.eventManager.QueryEvents(about(host))
    assert names([event]) == [OPTION_CHANGED]
    assert event.userName == USER
    assert before <= event.createdTime <= client.instance.CurrentTime()
    assert (event.host.name, event.host.host._GetMoId(), event.computeResource.name, event.datacenter.name) == (
        "esx-2",
        "host-12",
        "one",
        "dc-1",
    )
    assert {one.key: one.value for one in event.arguments} == {"option": "Disk.QFullSampleSize", "before": "0", "after": "32"}
    assert (task.info.descriptionId, task.info.entity._GetMoId(), task.info.state) == (
        "option.OptionManager.updateValues",
        "host-12",
        "success",
    )
    assert (task.userName, task.info.reason.userName) == (USER, USER)
    assert client.content.eventManager.latestEvent.key == task.key


def test_a_write_that_changes_nothing_is_a_task_and_one_that_is_refused_is_nothing(
    vcenter: VCenterServer, connect: Callable[..., Client]
) -> None:
    client = connect(vcenter)
    host = client.hosts()["esx-2"]
    set_option(host, "Disk.QFullSampleSize", 0)
    with pytest.raises(vmodl.fault.InvalidArgument):
        set_option(host, "Disk.QFullSampleSize", 65)
    assert names(client.content.eventManager.QueryEvents(about(host))) == ["TaskEvent"]


def test_module_options_are_recorded(vcenter: VCenterServer, connect: Callable[..., Client]) -> None:
    client = connect(vcenter)
    host = client.hosts()["esx-1"]
    host.configManager.kernelModuleSystem.UpdateModuleOptionString("iscsi_vmk", "iscsivmk_LunQDepth=64")
    task, event = client.content.eventManager.QueryEvents(about(host))
    assert names([task, event]) == ["TaskEvent", MODULE_OPTIONS_CHANGED]
    assert task.info.descriptionId == "host.KernelModuleSystem.updateModuleOptionString"
    assert {one.key: one.value for one in event.arguments} == {"module": "iscsi_vmk", "after": "iscsivmk_LunQDepth=64"}


def test_storage_io_control_is_one_event_however_much_changes(vcenter: VCenterServer, connect: Callable[..., Client]) -> None:
    client = connect(vcenter)
    store = entity(client, vim.Datastore, "fast")
    spec = vim.StorageResourceManager.IORMConfigSpec(enabled=True, congestionThreshold=20, congestionThresholdMode="manual")
    client.content.storageResourceManager.ConfigureDatastoreIORM_Task(store, spec)
    client.content.storageResourceManager.ConfigureDatastoreIORM_Task(store, spec)
    task, event, again = client.content.eventManager.QueryEvents(about(store))
    assert names([task, event, again]) == ["TaskEvent", "DatastoreIORMReconfiguredEvent", "TaskEvent"]
    assert (event.datastore.name, event.datastore.datastore._GetMoId(), event.userName) == ("fast", "datastore-101", USER)
    assert task.info.descriptionId == "StorageResourceManager.ConfigureDatastoreIORM"


def test_storage_io_control_that_comes_back_by_itself_is_an_event_of_its_own(
    vcenter: VCenterServer, connect: Callable[..., Client]
) -> None:
    client = connect(vcenter)
    store = entity(client, vim.Datastore, "fast")
    spec = vim.StorageResourceManager.IORMConfigSpec(enabled=True)
    client.content.storageResourceManager.ConfigureDatastoreIORM_Task(store, spec)
    with vcenter.state.lock:
        vcenter.state.datastores["datastore-101"].sioc_enabled = False
    events = client.content.eventManager.QueryEvents(Filter(eventTypeId=["DatastoreIORMReconfiguredEvent"]))
    assert [one.userName for one in events] == [USER, ""]


def test_maintenance_mode_and_reboot_leave_their_whole_story(vcenter: VCenterServer, connect: Callable[..., Client]) -> None:
    client = connect(vcenter)
    host = client.hosts()["esx-1"]
    vcenter.state.reboot_seconds = 0.0
    host.EnterMaintenanceMode_Task(timeout=0)
    host.RebootHost_Task(force=False)
    host.ExitMaintenanceMode_Task(timeout=0)
    events = client.content.eventManager.QueryEvents(about(host))
    assert names(events) == [
        "TaskEvent",
        "EnteringMaintenanceModeEvent",
        "EnteredMaintenanceModeEvent",
        "TaskEvent",
        "HostShutdownEvent",
        "HostConnectionLostEvent",
        "HostConnectedEvent",
        "TaskEvent",
        "ExitMaintenanceModeEvent",
    ]
    # That the host came back is nobody's doing.
    assert [one.userName for one in events] == [USER] * 6 + [""] + [USER] * 2
    assert [one.key for one in events] == sorted(one.key for one in events)


def test_what_a_task_does_later_is_still_done_by_who_began_it(
    vcenter: VCenterServer, connect: Callable[..., Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(state, "time", clock)
    vcenter.state.task_seconds = 60
    client = connect(vcenter)
    host = client.hosts()["esx-1"]
    host.EnterMaintenanceMode_Task(timeout=0)
    assert "EnteredMaintenanceModeEvent" not in names(client.content.eventManager.QueryEvents(about(host)))
    clock.now += 60
    assert names(client.content.eventManager.QueryEvents(about(host)))[-1] == "EnteredMaintenanceModeEvent"
    assert client.content.eventManager.QueryEvents(about(host))[-1].userName == USER


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        pytest.param(["notResponding", "connected"], ["HostConnectionLostEvent", "HostConnectedEvent"], id="lost and back"),
        pytest.param(["disconnected"], ["HostDisconnectedEvent"], id="disconnected"),
        pytest.param(["connected"], [], id="nothing changes"),
    ],
)
def test_a_change_of_connection_is_recorded_for_every_user_who_makes_it(
    vcenter: VCenterServer, connect: Callable[..., Client], states: list[str], expected: list[str]
) -> None:
    client = connect(vcenter)
    for one in states:
        with vcenter.state.lock:
            vcenter.state.hosts["host-11"].connection_state = one
    events = client.content.eventManager.QueryEvents(about(vim.HostSystem("host-11")))
    assert names(events) == expected
    assert {one.userName for one in events} <= {""}


def test_logins_good_and_bad_and_logouts_are_recorded(
    vcenter: VCenterServer,
    connect: Callable[..., Client],
    log_in: Callable[..., Any],
    client_context: ssl.SSLContext,
    plain: Callable[..., Plain],
) -> None:
    with log_in(vcenter.host, vcenter.port, client_context):
        pass
    assert plain(vcenter, login=False).login("wrong")[0] == 500
    events = connect(vcenter).content.eventManager.QueryEvents(Filter())
    assert names(events) == ["UserLoginSessionEvent", "UserLogoutSessionEvent", "BadUsernameSessionEvent", "UserLoginSessionEvent"]
    assert {one.userName for one in events} == {USER}
    assert PASSWORD not in str(events)
    assert "wrong" not in str(events)


@pytest.fixture
def eventful(vcenter: VCenterServer, connect: Callable[..., Client]) -> Client:
    """Two hosts of different clusters with an option changed each, one of them with a lost connection as well."""
    client = connect(vcenter)
    set_option(client.hosts()["esx-1"], "Disk.QFullSampleSize", 32)
    set_option(client.hosts()["esx-b1"], "Disk.QFullThreshold", 4)
    with vcenter.state.lock:
        vcenter.state.hosts["host-11"].connection_state = "notResponding"
    return client


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param({"eventTypeId": ["HostConnectionLostEvent"]}, ["HostConnectionLostEvent"], id="a type"),
        pytest.param({"eventTypeId": ["vim.event.HostConnectionLostEvent"]}, ["HostConnectionLostEvent"], id="a type in full"),
        pytest.param({"eventTypeId": ["HostEvent"]}, ["HostConnectionLostEvent"], id="what a type is derived from"),
        pytest.param({"eventTypeId": [OPTION_CHANGED]}, [OPTION_CHANGED] * 2, id="the id of an EventEx"),
        pytest.param({"eventTypeId": ["EventEx"]}, [OPTION_CHANGED] * 2, id="every EventEx"),
        pytest.param({"type": [vim.event.SessionEvent]}, ["UserLoginSessionEvent"], id="a type as such"),
        pytest.param({"category": ["error"]}, ["HostConnectionLostEvent"], id="a category"),
        pytest.param({"userName": Filter.ByUsername(systemUser=True)}, ["HostConnectionLostEvent"], id="nobody's"),
        pytest.param({"userName": Filter.ByUsername(systemUser=False, userList=["other"])}, [], id="somebody else's"),
        pytest.param({"eventChainId": 2}, [OPTION_CHANGED], id="a chain"),
        pytest.param({"maxCount": 2}, ["TaskEvent", "HostConnectionLostEvent"], id="the newest two"),
    ],
)
def test_filters_by_kind_user_and_number(eventful: Client, spec: dict[str, Any], expected: list[str]) -> None:
    assert names(eventful.content.eventManager.QueryEvents(Filter(**spec))) == expected


@pytest.mark.parametrize(
    ("kind", "name", "recursion", "hosts"),
    [
        pytest.param(vim.HostSystem, "esx-1", "self", ["esx-1"] * 3, id="a host"),
        pytest.param(vim.HostSystem, "esx-1", "children", [], id="below a host"),
        pytest.param(vim.ClusterComputeResource, "no-drs", "self", [], id="a cluster itself"),
        pytest.param(vim.ClusterComputeResource, "no-drs", "children", ["esx-b1"] * 2, id="below a cluster"),
        pytest.param(vim.ClusterComputeResource, "one", "all", ["esx-1"] * 3, id="a cluster and below"),
        pytest.param(vim.Datacenter, "dc-1", "all", ["esx-1", "esx-1", "esx-b1", "esx-b1", "esx-1"], id="the datacenter and below"),
    ],
)
def test_filters_by_entity(eventful: Client, kind: type, name: str, recursion: str, hosts: list[str]) -> None:
    events = eventful.content.eventManager.QueryEvents(about(entity(eventful, kind, name), recursion))
    assert [one.host.name for one in events] == hosts


def test_filters_by_time(eventful: Client) -> None:
    query = eventful.content.eventManager.QueryEvents
    every = query(Filter())
    middle = every[1].createdTime
    assert [one.key for one in query(Filter(time=Filter.ByTime(beginTime=middle)))] == [one.key for one in every[1:]]
    assert [one.key for one in query(Filter(time=Filter.ByTime(endTime=middle)))] == [one.key for one in every[:2]]
    assert list(query(Filter(time=Filter.ByTime(beginTime=every[-1].createdTime + timedelta(seconds=1))))) == []


def test_a_collector_pages_through_the_events_both_ways(eventful: Client) -> None:
    keys = [one.key for one in eventful.content.eventManager.QueryEvents(Filter())]
    collector = eventful.content.eventManager.CreateCollectorForEvents(Filter())

    def read(method: Callable[[int], Any], count: int) -> list[int]:
        return [one.key for one in method(count)]

    assert len(keys) == 6
    assert read(collector.ReadPreviousEvents, 5) == []
    assert read(collector.ReadNextEvents, 5) == keys[:5]
    assert read(collector.ReadNextEvents, 5) == keys[5:]
    assert read(collector.ReadNextEvents, 5) == []
    assert read(collector.ReadPreviousEvents, 5) == keys[:0:-1]
    assert read(collector.ReadPreviousEvents, 5) == keys[:1]
    collector.RewindCollector()
    assert read(collector.ReadPreviousEvents, 3) == []
    assert read(collector.ReadNextEvents, 1) == keys[:1]
    for count in (0, 1001):
        with pytest.raises(vmodl.fault.InvalidArgument):
            collector.ReadNextEvents(count)
    collector.DestroyCollector()
    with pytest.raises(vmodl.fault.ManagedObjectNotFound):
        collector.ReadNextEvents(1)


def test_after_a_reset_the_events_before_the_latest_page_are_read_newest_first(eventful: Client) -> None:
    keys = [one.key for one in eventful.content.eventManager.QueryEvents(Filter())]
    collector = eventful.content.eventManager.CreateCollectorForEvents(Filter())
    collector.SetCollectorPageSize(2)
    collector.ResetCollector()
    assert [one.key for one in collector.ReadPreviousEvents(3)] == keys[3:0:-1]
    assert [one.key for one in collector.ReadPreviousEvents(3)] == keys[:1]
    collector.ResetCollector()
    assert [one.key for one in collector.ReadNextEvents(3)] == keys[4:]
    collector.SetCollectorPageSize(10)
    collector.ResetCollector()
    assert list(collector.ReadPreviousEvents(3)) == []


def test_the_latest_page_holds_the_newest_and_moves_on(eventful: Client) -> None:
    collector = eventful.content.eventManager.CreateCollectorForEvents(Filter(eventTypeId=[OPTION_CHANGED]))
    collector.SetCollectorPageSize(2)
    assert [one.host.name for one in collector.latestPage] == ["esx-b1", "esx-1"]
    set_option(eventful.hosts()["esx-2"], "Disk.QFullSampleSize", 8)
    assert [one.host.name for one in collector.latestPage] == ["esx-2", "esx-b1"]


def test_a_session_has_32_collectors_at_most(vcenter: VCenterServer, connect: Callable[..., Client]) -> None:
    manager = connect(vcenter).content.eventManager
    collectors = [manager.CreateCollectorForEvents(Filter()) for _ in range(32)]
    with pytest.raises(vim.fault.InvalidState):
        manager.CreateCollectorForEvents(Filter())
    collectors[0].DestroyCollector()
    manager.CreateCollectorForEvents(Filter())


def test_govc_lists_events(govc_binary: str, tmp_path: Path) -> None:
    host = "esx-vvol-1.lab.example"
    with govc_on(govc_binary, load_scenario("solidfire-vvols"), tmp_path) as (govc, _):
        govc("host.option.set", "-host", host, "Scsi.ScsiVVolPESNRO", "256")
        govc("host.maintenance.enter", host)
        assert "has entered maintenance mode" in govc("events", "-type", "EnteredMaintenanceModeEvent")
        lines = govc("events", "-l", f"host/sf-vvol/{host}").strip().splitlines()
        assert [line.split("] [")[3].partition("]")[0] for line in lines] == [
            OPTION_CHANGED,
            "TaskEvent",
            "TaskEvent",
            "EnteringMaintenanceModeEvent",
            "EnteredMaintenanceModeEvent",
        ]
        newest = json.loads(govc("events", "-json", "-n", "1", f"host/sf-vvol/{host}"))
        assert newest["category"] == "info"
