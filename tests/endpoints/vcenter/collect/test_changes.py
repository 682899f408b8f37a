"""Who changed what is known by vCenter's own log, newest first; what of it could not be read is a gap."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyVmomi import vim

from auditor.endpoints.settings import remediator_for
from auditor.endpoints.vcenter.collect import changes as vcenter_changes
from auditor.endpoints.vcenter.collect import events as vcenter_events
from auditor.endpoints.vcenter.collect.topics import collect_vcenter
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.facts.needs import EVERYTHING, Needs, needs
from auditor.facts.schema import Batch
from auditor.model import BulkTransport, Endpoint, Gap, Target
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.wire import Fault

CHANGES = needs([("change_event", "what")])
US = "audit@vsphere.local"
Serve = Callable[..., tuple[VCenterServer, Endpoint]]
Row = tuple[str, str, str | None, str]
"""entity_kind, entity_id, user_name, what."""


def read(
    endpoint: Endpoint, wanted: Needs = CHANGES, notes: list[str] | None = None
) -> tuple[list[Row], list[datetime], list[bool], list[Gap]]:
    """The rows as they came, when each happened, what `reading` says of topic "events", and the gaps; `notes` takes the session's."""
    rows: list[Row] = []
    times: list[datetime] = []
    whole: list[bool] = []
    gaps: list[Gap] = []
    with open_vcenter(endpoint) as vcenter:
        for item in collect_vcenter(vcenter, endpoint, wanted):
            if isinstance(item, Gap):
                gaps.append(item)
            elif item.table == "change_event":
                rows += list(zip(*(item.columns[name] for name in ("entity_kind", "entity_id", "user_name", "what")), strict=True))
                times += item.columns["happened_at"]
            elif isinstance(item, Batch) and item.table == "reading":
                reported = zip(item.columns["topic"], item.columns["complete"], strict=True)
                whole += [complete for topic, complete in reported if topic == "events"]
        if notes is not None:
            notes += vcenter.notes
    return rows, times, whole, gaps


def option(endpoint: Endpoint, *values: int) -> None:
    """Set an option of the first host, by the call that the API documents."""
    with open_vcenter(endpoint) as vcenter:
        for value in values:
            target = Target("vc-test", (("host_id", "host-11"), ("option", "ISCSI.MaxIoSizeKB")))
            remediator_for("host.option").write(vcenter, target, value)


def logged(server: VCenterServer, *events: Any, by: str = US) -> None:
    """Let vCenter log what nothing of the lab leaves."""
    with server.state.lock, server.state.events.acting_as(by):
        for event in events:
            server.state.events.post(event)


def task(what: str, entity: Any, **place: Any) -> Any:
    info = vim.TaskInfo(
        key="task-9",
        task=vim.Task("task-9"),
        descriptionId=what,
        entity=entity,
        state="success",
        cancelled=False,
        cancelable=False,
        reason=vim.TaskReasonUser(userName=US),
        queueTime=datetime.now(UTC),
        eventChainId=1,
    )
    return vim.event.TaskEvent(info=info, **place)


def host(moid: str = "host-12") -> Any:
    return vim.event.HostEventArgument(name="esx", host=vim.HostSystem(moid))


PROFILE = vim.event.ProfileEventArgument(name="p", profile=vim.profile.Profile("p-1"))
WRITES: tuple[tuple[str, dict[str, str], Any], ...] = (
    ("host.option", {"host_id": "host-11", "option": "ISCSI.MaxIoSizeKB"}, 512),
    ("host.module_option", {"host_id": "host-12", "module": "iscsi_vmk", "parameter": "iscsivmk_LunQDepth"}, 128),
    (
        "iscsi.target_option",
        {
            "host_id": "host-12",
            "hba": "vmhba64",
            "target_kind": "static",
            "address": "198.51.100.2",
            "port": "3260",
            "iqn": "iqn.2010-06.com.purestorage:x",
            "option": "DelayedAck",
        },
        True,
    ),
    ("datastore.sioc", {"datastore_id": "datastore-101"}, False),
    ("device.dsnro", {"host_id": "host-11", "device": "naa.624a9370aaaa"}, 32),
)


@pytest.fixture
def changed(serve_vcenter: Serve) -> tuple[VCenterServer, Endpoint]:
    """A vCenter after one write of every kind that there is."""
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        for name, keys, value in WRITES:
            remediator_for(name).write(vcenter, Target("vc-test", tuple(sorted(keys.items()))), value)
        system: Any = vim.host.StorageSystem("storageSystem-11", vcenter.stub)
        policy = vim.host.MultipathInfo.LogicalUnitPolicy(policy="VMW_PSP_RR")
        system.SetMultipathLunPolicy(system.storageDeviceInfo.multipathInfo.lun[0].id, policy)
    return server, endpoint


@pytest.mark.parametrize("lane", list(BulkTransport))
def test_every_write_by_the_api_is_told_with_who_made_it_and_to_what(changed: tuple[VCenterServer, Endpoint], lane: BulkTransport) -> None:
    _, endpoint = changed
    before = datetime.now(UTC)
    rows, times, whole, gaps = read(replace(endpoint, lane=lane))
    assert set(rows) == {
        ("host", "host-11", US, "option.OptionManager.updateValues"),
        ("host", "host-12", US, "host.KernelModuleSystem.updateModuleOptionString"),
        ("host", "host-12", US, "host.StorageSystem.updateInternetScsiAdvancedOptions"),
        ("host", "host-11", US, "host.StorageSystem.setMultipathLunPolicy"),
        ("datastore", "datastore-101", US, "StorageResourceManager.ConfigureDatastoreIORM"),
        ("datastore", "datastore-101", US, "DatastoreIORMReconfiguredEvent"),
    }  # and nothing of DSNRO: esxcli leaves no event
    assert len(rows) == 6
    assert all(before - timedelta(minutes=1) < time <= before for time in times)
    assert (whole, gaps) == ([True], [])


@pytest.mark.long
def test_changes_are_no_part_of_a_whole_reading(changed: tuple[VCenterServer, Endpoint]) -> None:
    server, endpoint = changed
    assert read(endpoint, EVERYTHING)[0] == []
    assert server.requests.count("CreateCollectorForEvents") == 2, "those of storage events: trouble, and what else went on"


def test_what_vcenter_did_by_itself_names_nobody(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with server.state.lock:
        server.state.datastores["datastore-101"].sioc_enabled = False
    assert read(endpoint)[0] == [("datastore", "datastore-101", None, "DatastoreIORMReconfiguredEvent")]


@pytest.mark.parametrize(
    ("event", "row"),
    [
        pytest.param(
            task("VirtualMachine.reconfigure", vim.VirtualMachine("vm-1001")),
            ("vm", "vm-1001", US, "VirtualMachine.reconfigure"),
            id="a machine is reconfigured",
        ),
        pytest.param(
            vim.event.HostProfileAppliedEvent(profile=PROFILE, host=host()),
            ("host", "host-12", US, "HostProfileAppliedEvent"),
            id="a host profile is applied",
        ),
        pytest.param(
            vim.event.HostConfigAppliedEvent(host=host()),
            ("host", "host-12", US, "HostConfigAppliedEvent"),
            id="a configuration is applied",
        ),
        pytest.param(
            task("storageResourceManager.configureDatastoreIORM", vim.Datastore("datastore-101")),
            ("datastore", "datastore-101", US, "storageResourceManager.configureDatastoreIORM"),
            id="a name in other capitals",
        ),
        pytest.param(
            task("option.OptionManager.updateValues", None, host=host()),
            ("host", "host-12", US, "option.OptionManager.updateValues"),
            id="a task that names its host beside it",
        ),
        pytest.param(task("option.OptionManager.updateValues", vim.Folder("group-d1")), None, id="vCenter's own options"),
        pytest.param(task("VirtualMachine.powerOn", vim.VirtualMachine("vm-1001")), None, id="a task that sets nothing"),
        pytest.param(vim.event.HostShutdownEvent(reason="reboot", host=host()), None, id="an event that sets nothing"),
    ],
)
def test_an_event_is_told_of_what_it_is_about_where_it_may_have_set_something(serve_vcenter: Serve, event: Any, row: Row | None) -> None:
    server, endpoint = serve_vcenter()
    logged(server, event)
    rows, _, whole, gaps = read(endpoint)
    assert rows == ([row] if row else [])
    assert (whole, gaps) == ([True], [])


def test_events_of_more_than_thirty_days_ago_by_vcenters_clock_are_not_read(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    option(endpoint, 256, 512)
    with server.state.lock:
        tasks = [one for one in server.state.events.events if isinstance(one, vim.event.TaskEvent)]
        for one, days in zip(tasks, (31, 29), strict=True):
            one.createdTime -= timedelta(days=days)
    rows, times, whole, _ = read(endpoint)
    assert len(rows) == 1
    assert datetime.now(UTC) - times[0] < timedelta(days=30)
    assert whole == [True]


@pytest.mark.long
def test_of_too_many_events_the_newest_are_told_and_a_gap_says_since_when(serve_vcenter: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server, endpoint = serve_vcenter()
    option(endpoint, 256, 512, 256, 512, 256)
    with server.state.lock:
        tasks = [one for one in server.state.events.events if isinstance(one, vim.event.TaskEvent)]
        for one, minutes in zip(tasks, (50, 40, 30, 20, 10), strict=True):
            one.createdTime -= timedelta(minutes=minutes)
        server.state.datastores["datastore-101"].sioc_enabled = False
    monkeypatch.setattr(vcenter_events, "_PAGE", 2)
    monkeypatch.setattr(vcenter_changes, "MOST_CHANGES", 4)
    notes: list[str] = []
    rows, times, whole, gaps = read(endpoint, notes=notes)
    assert sorted(times[:4], reverse=True) == [one.createdTime for one in tasks[:0:-1]]
    assert rows[4:] == [("datastore", "datastore-101", None, "DatastoreIORMReconfiguredEvent")]  # no task pushes it out
    assert (whole, gaps) == ([False], [])
    since = f"{tasks[1].createdTime:%Y-%m-%d %H:%M} UTC"
    assert notes == [f"{endpoint.name}: who changed what is known since {since} only: there are more than 4 tasks in 30 days."]


def test_as_many_events_as_may_be_read_are_no_gap(serve_vcenter: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    _, endpoint = serve_vcenter()
    option(endpoint, 256, 512, 256, 512)
    monkeypatch.setattr(vcenter_events, "_PAGE", 2)
    monkeypatch.setattr(vcenter_changes, "MOST_CHANGES", 4)
    rows, _, whole, gaps = read(endpoint)
    assert (len(rows), whole, gaps) == (4, [True], [])


@pytest.mark.parametrize(
    ("fault", "kept", "why"),
    [
        pytest.param(Fault("permission", "CreateCollectorForEvents", privilege="System.View"), 0, "NoPermission", id="no permission"),
        pytest.param(Fault("drop", "ReadPreviousEvents"), 2, "ReadPreviousEvents: ", id="an answer lost on the way"),
        pytest.param(
            Fault("status", "DestroyCollector"), 3, "DestroyCollector was answered 503", id="a collector that cannot be given back"
        ),
    ],
)
def test_what_cannot_be_read_of_the_log_is_a_gap_and_what_was_read_is_kept(
    serve_vcenter: Serve, monkeypatch: pytest.MonkeyPatch, fault: Fault, kept: int, why: str
) -> None:
    server, endpoint = serve_vcenter()
    option(endpoint, 256, 512, 256)
    monkeypatch.setattr(vcenter_events, "_PAGE", 2)
    server.faults.active.append(fault)
    rows, _, whole, gaps = read(endpoint)
    assert (len(rows), whole) == (kept, [False])
    (gap,) = gaps
    assert gap.what == "who changed what"
    assert why in gap.why


@pytest.mark.long
@pytest.mark.parametrize("page", [pytest.param(2, id="page by page"), pytest.param(10, id="a page that holds them all")])
def test_vcsim_which_repeats_the_latest_page_tells_the_same(
    start_vcsim: Callable[..., Endpoint], monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    endpoint = start_vcsim()
    monkeypatch.setattr(vcenter_events, "_PAGE", page)
    monkeypatch.setattr(vcenter_changes, "MOST_CHANGES", 5)
    store = vim.event.DatastoreEventArgument(name="one", datastore=vim.Datastore("datastore-7"))
    with open_vcenter(endpoint) as vcenter:
        for moid in ("host-1", "host-2", "host-3", "host-4", "host-5"):
            event = task("option.OptionManager.updateValues", vim.HostSystem(moid))
            event.key = event.chainId = 0
            event.createdTime, event.userName = datetime.now(UTC), ""
            vcenter.content.eventManager.PostEvent(event)
        event = vim.event.DatastoreIORMReconfiguredEvent(
            datastore=store, ds=store, key=0, chainId=0, createdTime=datetime.now(UTC), userName=""
        )
        vcenter.content.eventManager.PostEvent(event)
    rows, _, whole, gaps = read(endpoint)
    assert set(rows) == {
        *(("host", f"host-{number}", endpoint.username, "option.OptionManager.updateValues") for number in range(1, 6)),
        ("datastore", "datastore-7", endpoint.username, "DatastoreIORMReconfiguredEvent"),
    }
    assert len(rows) == 6
    assert (whole, gaps) == ([True], [])


def test_events_that_come_again_without_end_are_given_up(changed: tuple[VCenterServer, Endpoint], monkeypatch: pytest.MonkeyPatch) -> None:
    _, endpoint = changed
    pages = vcenter_events.newest_pages

    def again(*about: Any) -> Iterator[Any]:
        return itertools.repeat(next(pages(*about)))

    monkeypatch.setattr(vcenter_events, "closing", nullcontext)
    monkeypatch.setattr(vcenter_events, "newest_pages", again)
    rows, _, whole, gaps = read(endpoint)
    assert rows, "what was told is kept"
    assert whole == [False]
    assert any("have no end" in gap.why for gap in gaps)
