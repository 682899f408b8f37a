"""vCenter's events of the last day: storage that was lost or slow, machines that vSphere HA restarted, and other work.

Source of the types: lists of all events of vCenter 6.7 to 8.0 U3 (github.com/lamw/vcenter-event-mapping). Of the arguments of ESXi's own
events no document is known: a device is taken from the argument that looks like a device's name, a VMFS volume from one that looks like its
UUID (docs/domain/facts.md#9-5).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from auditor.endpoints.vcenter.collect.events import Cut, clock_of, newest_events
from auditor.endpoints.vcenter.collect.rows import Facts, Rows, gap, readings
from auditor.endpoints.vcenter.collect.storage import lower_hex_name
from auditor.endpoints.vcenter.collect.storage_activity import ACTIVITY, ends_of_move
from auditor.errors import EndpointError
from auditor.text.names import as_shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.endpoints.common.circuit import Circuit
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Endpoint

LOST, SLOW, RESTARTED, OVER = "lost", "slow", "restarted", "over"

_APD, _DISCONNECTED, _GONE = "all paths down", "no path left", "permanently lost"
_HEARTBEAT, _NFS, _LATENCY, _NFS_LATENCY = "VMFS heartbeat late", "NFS server lost", "latency rose", "latency of NFS rose"
_VOLUME, _EXTENT, _BOOT, _TARGET = (
    "VMFS volume lost",
    "part of a VMFS volume lost",
    "boot device without paths",
    "iSCSI target gone for good",
)
_REDUNDANCY, _FLAPPING = "paths lost", "paths go up and down"
_HA, _RESET, _TERMINATED = "restarted by vSphere HA", "reset for lost heartbeats", "terminated for lost storage"

EVENTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "esx.problem.storage.apd.start": (LOST, _APD),
        "esx.problem.storage.connectivity.lost": (LOST, _DISCONNECTED),
        "esx.problem.scsi.device.state.permanentloss": (LOST, _GONE),
        "esx.problem.scsi.device.state.permanentloss.withreservationheld": (LOST, _GONE),
        "esx.problem.psastor.device.state.permanentloss": (LOST, _GONE),
        "esx.problem.psastor.device.state.permanentloss.withreservationheld": (LOST, _GONE),
        "esx.problem.vmfs.heartbeat.timedout": (LOST, _HEARTBEAT),
        "esx.problem.vmfs.heartbeat.unrecoverable": (LOST, _VOLUME),  # .recovered ends it, as it does a late heartbeat (storage_event.sql)
        "esx.problem.vmfs.extent.offline": (LOST, _EXTENT),
        "esx.problem.bootdevice.apd.start": (LOST, _BOOT),  # from 9.0 on, of boot devices outside of the host: Broadcom KB 380716
        "esx.problem.storage.iscsi.target.permanently.lost": (LOST, _TARGET),
        "esx.problem.vmfs.nfs.server.disconnect": (LOST, _NFS),
        "esx.clear.storage.apd.exit": (OVER, _APD),
        "esx.clear.storage.connectivity.restored": (OVER, _DISCONNECTED),
        "esx.clear.scsi.device.state.permanentloss.deviceonline": (OVER, _GONE),
        "esx.clear.psastor.device.state.permanentloss.deviceonline": (OVER, _GONE),
        "esx.problem.vmfs.heartbeat.recovered": (OVER, _HEARTBEAT),
        "esx.problem.vmfs.extent.online": (OVER, _EXTENT),
        "esx.clear.bootdevice.apd.exit": (OVER, _BOOT),
        "esx.clear.vmfs.nfs.server.restored": (OVER, _NFS),
        "esx.problem.scsi.device.io.latency.high": (SLOW, _LATENCY),
        "esx.problem.psastor.device.io.latency.high": (SLOW, _LATENCY),
        "esx.problem.vmfs.nfs.volume.io.latency.high": (SLOW, _NFS_LATENCY),
        "esx.problem.vmfs.nfs.volume.io.latency.high.exceed.threshold": (SLOW, _NFS_LATENCY),
        "esx.problem.storage.redundancy.lost": (SLOW, _REDUNDANCY),
        "esx.problem.storage.redundancy.degraded": (SLOW, _REDUNDANCY),
        "esx.problem.storage.connectivity.pathstatechanges": (SLOW, _FLAPPING),
        "com.vmware.vc.ha.VmRestartedByHAEvent": (RESTARTED, _HA),
        "VmDasBeingResetEvent": (RESTARTED, _RESET),  # its subtype VmDasBeingResetWithScreenshotEvent comes with it
        "com.vmware.vc.HA.VmcpTerminatingVm": (RESTARTED, _TERMINATED),
    }
)
"""Type of the event -> which kind of trouble it is, and what happened. Those of `OVER` end what they name."""

PERIOD = timedelta(days=1)
MOST_EVENTS = 20_000
"""Of trouble, and of the rest, read at most, newest first; some 10 ms a page of 100 in pyVmomi."""

_DEVICE = re.compile(r"(nqn\.\S+|(?:naa|eui|t10|mpx|uuid)\.\S+?)(?::\d+)?")  # an extent may be named by its partition, as in naa.6...:1
_VMFS_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12}")
_NUMBERS_OF_LATENCY = 2  # "increased from average value of 1343 microseconds to 28022 microseconds"


def collect_storage_events(vcenter: VCenter, endpoint: Endpoint, circuit: Circuit, _paths: Sequence[str]) -> Iterator[Facts]:
    """Yield storage_event, newest first, and the reading of topic "storage_events".

    All that the account may see of the last day, by vCenter's clock, is the whole. Where there are more than `MOST_EVENTS`, the rest is a
    gap. A vCenter whose clock does not answer is not asked: a day of its log would have no end.

    What went on besides trouble is read apart, so that a crowd of moves cannot push trouble out. No verdict rests on it, and a large
    vCenter may have as many moves in a day: where there are more, a note of the session says since when all are known.
    """
    rows = Rows("storage_event", endpoint=endpoint.name)
    what = "what happened to storage in the last day"
    complete = True
    try:
        circuit.check()
        now = clock_of(vcenter)
        if now is None:
            complete = False
            yield gap(endpoint, what, "vCenter does not say what time it is")
        else:
            with closing(newest_events(vcenter, endpoint, list(EVENTS), now - PERIOD, MOST_EVENTS)) as events:
                for event in events:
                    if isinstance(event, Cut):
                        complete = False
                        yield gap(endpoint, f"{what}, before {event.oldest:%H:%M} UTC", f"there are more than {MOST_EVENTS:,} such events")
                    else:
                        _add(rows, event, EVENTS)
            with closing(newest_events(vcenter, endpoint, list(ACTIVITY), now - PERIOD, MOST_EVENTS)) as events:
                for event in events:
                    if isinstance(event, Cut):
                        complete = False
                        known = f"{endpoint.name}: moves, Storage DRS and restarts of hosts are known since {event.oldest:%H:%M} UTC only"
                        vcenter.add_note(f"{known}: there are more than {MOST_EVENTS:,} such events in a day.")
                    else:
                        _add(rows, event, ACTIVITY)
    except EndpointError as error:
        # Not reported to the circuit: what is read beside it may still be answered.
        complete = False
        yield gap(endpoint, what, error)
    yield from rows.batch()
    yield readings(endpoint, "", {"storage_events": complete})


def _add(rows: Rows, event: Any, known: Mapping[str, tuple[str, str]]) -> None:
    named = _type(event, known)
    if named is None:
        return  # vCenter's filter let through what was not asked for
    type_id, (kind, what) = named
    texts = [str(one.value) for one in getattr(event, "arguments", None) or () if one.value is not None]
    numbers = [int(text) for text in texts if text.isdecimal()]
    device = next((found[1] for text in texts if (found := _DEVICE.fullmatch(text))), None)
    moved_from, moved_to = ends_of_move(event) if known is ACTIVITY else (None, None)
    rows.add(
        event_key=event.key,
        happened_at=event.createdTime.astimezone(UTC),
        type_id=type_id,
        kind=kind,
        what=what,
        host_id=_id(event.host, "host"),
        vm_id=_id(event.vm, "vm"),
        datastore_id=_id(event.ds, "datastore"),
        from_datastore_id=moved_from,
        to_datastore_id=moved_to,
        user_name=event.userName or None,
        device=None if device is None else lower_hex_name(device),
        vmfs_uuid=next((text for text in texts if _VMFS_UUID.fullmatch(text)), None),
        said=as_shown(", ".join(text for text in texts if not text.isdecimal()))[:200] or None,
        latency_us=numbers[-1] if what == _LATENCY and len(numbers) == _NUMBERS_OF_LATENCY else None,
    )


def _type(event: Any, known: Mapping[str, tuple[str, str]]) -> tuple[str, tuple[str, str]] | None:
    """The type of `known` that an event is of, itself or above it."""
    from pyVmomi import VmomiSupport, vim

    if isinstance(event, vim.event.EventEx):
        names = [str(event.eventTypeId)]
    else:
        names = [VmomiSupport.GetWsdlName(kind) for kind in type(event).__mro__ if issubclass(kind, vim.event.Event)]
    return next(((name, known[name]) for name in names if name in known), None)


def _id(argument: Any, name: str) -> str | None:
    """The managed object id in an event's argument; None where the event names no such object."""
    reference = None if argument is None else getattr(argument, name)
    return None if reference is None else str(reference._GetMoId())  # noqa: SLF001  pyVmomi's accessor
