"""What vCenter's log has of the last day about lost and slow storage and restarted machines; what of it was not read is a gap."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyVmomi import vim, vmodl

from auditor.endpoints.vcenter.collect import storage_events
from auditor.endpoints.vcenter.collect.events import newest_events
from auditor.endpoints.vcenter.collect.topics import collect_vcenter
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.facts.needs import needs
from auditor.model import Endpoint, Gap
from auditor_lab.faults import Fault
from auditor_lab.vcenter.server import VCenterServer

EVENTS = needs([("storage_event", "what")])
NAA = "naa.624a9370aaaa"
HOST = {"host": vim.event.HostEventArgument(name="esx", host=vim.HostSystem("host-12"))}
MACHINE = {"vm": vim.event.VmEventArgument(name="web", vm=vim.VirtualMachine("vm-1001"))}
Serve = Callable[..., tuple[VCenterServer, Endpoint]]


def extended(type_id: str, *values: object, **place: Any) -> Any:
    arguments = [vmodl.KeyAnyValue(key=str(number), value=value) for number, value in enumerate(values, 1)]
    return vim.event.EventEx(eventTypeId=type_id, arguments=arguments, **(place or HOST))


def logged(server: VCenterServer, *events: Any, ago: timedelta = timedelta(hours=2)) -> None:
    with server.state.lock:
        for event in events:
            server.state.events.post(event)
            event.createdTime = datetime.now(UTC) - ago


def read(endpoint: Endpoint) -> tuple[list[dict[str, Any]], list[bool], list[Gap]]:
    """The rows, newest first, what `reading` says of the topic, and the gaps."""
    rows: list[dict[str, Any]] = []
    whole: list[bool] = []
    gaps: list[Gap] = []
    with open_vcenter(endpoint) as vcenter:
        for item in collect_vcenter(vcenter, endpoint, EVENTS):
            if isinstance(item, Gap):
                gaps.append(item)
            elif item.table == "storage_event":
                rows += [dict(zip(item.columns, row, strict=True)) for row in zip(*item.columns.values(), strict=True)]
            elif item.table == "reading":
                reported = zip(item.columns["topic"], item.columns["complete"], strict=True)
                whole += [complete for topic, complete in reported if topic == "storage_events"]
    return sorted(rows, key=lambda row: -row["event_key"]), whole, gaps


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        pytest.param(
            extended("esx.problem.storage.apd.start", NAA.upper().replace("NAA", "naa")),
            {"kind": "lost", "what": "all paths down", "host_id": "host-12", "device": NAA, "latency_us": None},
            id="a name in capitals is the same device",
        ),
        pytest.param(
            extended("esx.clear.storage.apd.exit", NAA), {"kind": "over", "what": "all paths down", "device": NAA}, id="and over again"
        ),
        pytest.param(
            extended("esx.problem.scsi.device.io.latency.high", NAA, "1343", "28022"),
            {"kind": "slow", "what": "latency rose", "device": NAA, "latency_us": 28022, "said": NAA},
            id="texts",
        ),
        pytest.param(
            extended("esx.problem.psastor.device.io.latency.high", NAA, 1343, 28022), {"kind": "slow", "latency_us": 28022}, id="numbers"
        ),
        pytest.param(
            extended("esx.problem.scsi.device.io.latency.high", NAA, "28022"),
            {"kind": "slow", "latency_us": None},
            id="one number may be either",
        ),
        pytest.param(
            extended("esx.problem.storage.redundancy.degraded", NAA, "vmhba2:C0:T0:L1", "30"),
            {"kind": "slow", "what": "paths lost", "latency_us": None},
            id="numbers of another event are no latency",
        ),
        pytest.param(
            extended("esx.problem.vmfs.heartbeat.timedout", "64c1b2a0-1a2b3c4d-5e6f-001122334455", "gold-01"),
            {"kind": "lost", "what": "VMFS heartbeat late", "vmfs_uuid": "64c1b2a0-1a2b3c4d-5e6f-001122334455", "device": None},
            id="a volume",
        ),
        pytest.param(
            extended("esx.problem.vmfs.heartbeat.unrecoverable", "64c1b2a0-1a2b3c4d-5e6f-001122334455", "gold-01"),
            {"kind": "lost", "what": "VMFS volume lost", "vmfs_uuid": "64c1b2a0-1a2b3c4d-5e6f-001122334455"},
            id="a volume that does not come back, as vCheck asks for beside late heartbeats",
        ),
        pytest.param(
            extended("esx.problem.vmfs.extent.offline", NAA, "64c1b2a0-1a2b3c4d-5e6f-001122334455"),
            {"kind": "lost", "what": "part of a VMFS volume lost", "device": NAA},
            id="an extent",
        ),
        pytest.param(extended("esx.problem.vmfs.extent.offline", f"{NAA}:1", "gold-01"), {"device": NAA}, id="an extent by its partition"),
        pytest.param(
            extended("esx.problem.vmfs.extent.offline", "mpx.vmhba0:C0:T1:L0:3", "gold-01"),
            {"device": "mpx.vmhba0:C0:T1:L0"},
            id="a partition of a device that is named by its path",
        ),
        pytest.param(
            extended("esx.problem.storage.apd.start", "nqn.2014-08.org.example:nvme:1"),
            {"device": "nqn.2014-08.org.example:nvme:1"},
            id="a number that is part of a name",
        ),
        pytest.param(
            extended("esx.problem.vmfs.extent.online", NAA), {"kind": "over", "what": "part of a VMFS volume lost"}, id="and back again"
        ),
        pytest.param(
            extended("esx.problem.bootdevice.apd.start", "eui.00a0504658335330"),
            {"kind": "lost", "what": "boot device without paths", "device": "eui.00a0504658335330"},
            id="a boot device on an array, as Broadcom KB 380716 has it",
        ),
        pytest.param(
            extended("esx.clear.bootdevice.apd.exit", "eui.00a0504658335330"),
            {"kind": "over", "what": "boot device without paths"},
            id="its end",
        ),
        pytest.param(
            extended("esx.problem.storage.iscsi.target.permanently.lost", "iqn.2010-01.com.example:one", "vmhba64"),
            {"kind": "lost", "what": "iSCSI target gone for good", "said": "iqn.2010-01.com.example:one, vmhba64"},
            id="an iSCSI target",
        ),
        pytest.param(
            extended("esx.problem.vmfs.nfs.volume.io.latency.high", "192.0.2.7/vol", "share-1", "20", 512),
            {"kind": "slow", "what": "latency of NFS rose", "said": "192.0.2.7/vol, share-1", "latency_us": None},
            id="numbers differ each time and name nothing",
        ),
        pytest.param(
            extended("com.vmware.vc.ha.VmRestartedByHAEvent", **HOST, **MACHINE),
            {"kind": "restarted", "what": "restarted by vSphere HA", "vm_id": "vm-1001", "host_id": "host-12", "said": None},
            id="a machine",
        ),
        pytest.param(
            vim.event.VmDasBeingResetWithScreenshotEvent(reason="x", screenshotFilePath="[x] y.png", **MACHINE),
            {"kind": "restarted", "what": "reset for lost heartbeats", "type_id": "VmDasBeingResetEvent", "vm_id": "vm-1001"},
            id="a subtype",
        ),
        pytest.param(
            vim.event.VmDasBeingResetEvent(
                reason="x", ds=vim.event.DatastoreEventArgument(name="d", datastore=vim.Datastore("datastore-9"))
            ),
            {"datastore_id": "datastore-9", "vm_id": None, "host_id": None},
            id="a datastore",
        ),
    ],
)
def test_an_event_says_what_happened_to_what(serve_vcenter: Serve, event: Any, expected: dict[str, Any]) -> None:
    server, endpoint = serve_vcenter()
    logged(server, event)
    rows, whole, gaps = read(endpoint)
    assert [{name: row[name] for name in expected} for row in rows] == [expected]
    assert (whole, gaps) == ([True], [])
    assert abs(datetime.now(UTC) - timedelta(hours=2) - rows[0]["happened_at"]) < timedelta(minutes=1)


def _on(moid: str) -> Any:
    return vim.event.DatastoreEventArgument(name=moid, datastore=vim.Datastore(moid))


DISKS = {"ds": _on("datastore-1"), **HOST, **MACHINE}
TO = {"destHost": HOST["host"], "destDatastore": _on("datastore-2")}
FROM = {"sourceHost": HOST["host"], "sourceDatastore": _on("datastore-0")}


@pytest.mark.parametrize(
    ("event", "kind", "what", "moved"),
    [
        (vim.event.VmBeingHotMigratedEvent(**DISKS, **TO), "moving", "move of a machine", ("datastore-1", "datastore-2")),
        (vim.event.VmBeingRelocatedEvent(**DISKS, **TO), "moving", "relocation of a machine", ("datastore-1", "datastore-2")),
        (vim.event.VmRelocatedEvent(**DISKS, **FROM), "moved", "relocation of a machine", ("datastore-0", "datastore-1")),
        (vim.event.DrsVmMigratedEvent(**DISKS, **FROM), "moved", "move of a machine", ("datastore-0", "datastore-1")),
        (
            vim.event.VmRelocateFailedEvent(**DISKS, **TO, reason=vmodl.MethodFault()),
            "not moved",
            "relocation of a machine",
            ("datastore-1", "datastore-2"),
        ),
        (
            vim.event.DatastoreIORMReconfiguredEvent(datastore=_on("datastore-1"), ds=_on("datastore-1")),
            "changed",
            "Storage I/O Control reconfigured",
            (None, None),
        ),
        (extended("com.vmware.vc.sdrs.StorageDrsStorageMigrationEvent", **MACHINE), "decided", "Storage DRS moved disks", (None, None)),
        (extended("esx.audit.host.boot", **HOST), "host", "booted", (None, None)),
        (vim.event.HostDisconnectedEvent(**HOST), "host", "disconnected", (None, None)),
        (extended("esx.audit.esximage.vib.install.successful", 2, **HOST), "software", "VIBs installed", (None, None)),
    ],
    ids=lambda one: type(one).__name__.rpartition(".")[2] if isinstance(one, vim.event.Event) else None,
)
def test_what_went_on_besides_trouble_is_read_with_who_did_it(
    serve_vcenter: Serve, event: Any, kind: str, what: str, moved: tuple[str | None, str | None]
) -> None:
    server, endpoint = serve_vcenter()
    logged(server, event)
    event.userName = "LAB\\ann"
    (row,), whole, gaps = read(endpoint)
    assert (row["kind"], row["what"], (row["from_datastore_id"], row["to_datastore_id"])) == (kind, what, moved)
    assert (row["user_name"], whole, gaps) == (event.userName, [True], [])


@pytest.mark.long
def test_a_crowd_of_moves_pushes_no_trouble_out_and_is_a_note(serve_vcenter: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server, endpoint = serve_vcenter()
    logged(server, extended("esx.problem.storage.apd.start", NAA))
    logged(server, *(vim.event.VmMigratedEvent(**DISKS, **FROM) for _ in range(1002)))
    monkeypatch.setattr(storage_events, "MOST_EVENTS", 1000)
    rows, whole, gaps = read(endpoint)
    assert [row["what"] for row in rows if row["kind"] == "lost"] == ["all paths down"]
    assert (whole, gaps) == ([False], [])


def test_what_is_older_than_a_day_or_about_something_else_is_left_out(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    logged(server, extended("esx.problem.storage.apd.start", NAA), ago=timedelta(hours=25))
    logged(server, extended("esx.problem.net.vmnic.linkstate.down", "vmnic0"), vim.event.VmPoweredOffEvent(template=False, **MACHINE))
    assert read(endpoint) == ([], [True], [])


def test_a_filter_that_lets_other_events_through_leaves_them_out(serve_vcenter: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server, endpoint = serve_vcenter()
    logged(server, extended("esx.problem.net.vmnic.linkstate.down", "vmnic0"), extended("esx.problem.storage.apd.start", NAA))
    monkeypatch.setattr(storage_events, "newest_events", lambda vcenter, about, _, *rest: newest_events(vcenter, about, ["EventEx"], *rest))
    rows, whole, _ = read(endpoint)
    assert [row["what"] for row in rows] == ["all paths down"]
    assert whole == [True]


@pytest.mark.long
def test_more_than_are_read_are_a_gap_and_the_newest_are_kept(serve_vcenter: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server, endpoint = serve_vcenter()
    logged(server, *(extended("esx.problem.storage.apd.start", f"{NAA}{number:04}") for number in range(1002)))
    monkeypatch.setattr(storage_events, "MOST_EVENTS", 1000)
    rows, whole, gaps = read(endpoint)
    assert [row["device"] for row in rows[:2]] == [f"{NAA}1001", f"{NAA}1000"]
    assert whole == [False]
    assert ["there are more than 1,000 such events" in gap.why for gap in gaps] == [True]


@pytest.mark.parametrize("method", ["CurrentTime", "CreateCollectorForEvents", "ReadPreviousEvents"])
def test_a_log_that_is_not_read_is_a_gap(serve_vcenter: Serve, method: str) -> None:
    server, endpoint = serve_vcenter()
    logged(server, extended("esx.problem.storage.apd.start", NAA))
    server.faults.replace([Fault("status", method, status=500)])
    _, whole, gaps = read(endpoint)
    assert whole == [False]
    assert ["storage in the last day" in gap.what for gap in gaps] == [True]
