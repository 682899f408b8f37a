"""Who may have changed a host, a datastore or a machine, and when, as vCenter's own log reports it.

Known and read here: tasks by the names of `TASKS`, and the events of `EVENTS`. A task that began may have failed, or may have
changed nothing: what is reported is who may have been it, never that it was he.

Not known to be reported by any event of vCenter, and so by no row: which value a setting had or has; whatever esxcli, a host's own shell or
its own client does (DSNRO, queue depths, claim rules, locking modes, module parameters); what a vSphere configuration profile remediates,
other than by the tasks and events below. vCenter's list of events has none for advanced options, kernel modules or path policies, but
TaskEvent.

Source: lists of all events of vCenter 6.7 to 8.0 U3 (github.com/lamw/vcenter-event-mapping).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from auditor.endpoints.vcenter.collect.events import Cut, clock_of, newest_events
from auditor.endpoints.vcenter.collect.rows import Facts, Rows, gap, readings
from auditor.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from auditor.endpoints.common.circuit import Circuit
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Endpoint

HOST, DATASTORE, VM = "host", "datastore", "vm"

TASKS: Mapping[str, str] = MappingProxyType(
    {
        "option.OptionManager.updateValues": HOST,  # advanced options
        "host.KernelModuleSystem.updateModuleOptionString": HOST,
        "host.StorageSystem.setMultipathLunPolicy": HOST,
        "host.StorageSystem.updateInternetScsiAdvancedOptions": HOST,
        "profile.host.ProfileManager.applyHostConfiguration": HOST,
        "profile.host.ProfileManager.applyEntitiesConfiguration": HOST,
        "StorageResourceManager.ConfigureDatastoreIORM": DATASTORE,
        "VirtualMachine.reconfigure": VM,
    }
)
"""TaskInfo.descriptionId of tasks that change settings -> what they work on. VmReconfiguredEvent repeats a machine's whole specification,
and who reconfigures one leaves a task, so it is not read.

Source: TaskManager.description.methodInfo of a vCenter, as captured in govmomi, simulator/vpx/task_manager.go; the vSphere API reference,
TaskEvent: "records the creation of a Task". Not verified against a real vCenter: that methods which return no Task (the first four) leave
a TaskEvent too; where they do not, nobody is named.
"""

_TASKS = {name.casefold(): kind for name, kind in TASKS.items()}  # whether every vCenter spells them with these capitals is not verified

EVENTS: Mapping[str, str] = MappingProxyType(
    {
        "DatastoreIORMReconfiguredEvent": DATASTORE,
        "HostProfileAppliedEvent": HOST,
        "HostConfigAppliedEvent": HOST,
    }
)
"""Types of events that report a change of settings -> what they are about. Source: vSphere API reference, each under its name."""

LONGEST = timedelta(days=30)
"""How far back is looked. Source: vCenter keeps events for 30 days by default (event.maxAge)."""

MOST_CHANGES = 20_000
"""Events of either sort that are read at most, newest first; some 10 ms a page of 100 in pyVmomi."""


def collect_changes(vcenter: VCenter, endpoint: Endpoint, circuit: Circuit, _paths: Sequence[str]) -> Iterator[Facts]:
    """Yield change_event, newest first, and the reading of topic "events".

    All that the account may see of the last `LONGEST` is the whole here, as far as vCenter still has it. Tasks and the rarer events are
    read apart, so that a crowd of tasks cannot push these out. Where there are more than `MOST_CHANGES`, a note of the session says since
    when all are known.
    """
    rows = Rows("change_event", endpoint=endpoint.name)
    complete = True
    try:
        circuit.check()
        now = clock_of(vcenter)
        since = None if now is None else now - LONGEST
        for sort, types in (("tasks", ["TaskEvent"]), ("events of changed settings", list(EVENTS))):
            oldest = _read(vcenter, endpoint, types, since, rows)
            if oldest is not None:
                # No verdict rests on who it was, and a vCenter whose machines are backed up has as many tasks in a day: no gap.
                complete = False
                known = f"{endpoint.name}: who changed what is known since {oldest:%Y-%m-%d %H:%M} UTC only"
                vcenter.add_note(f"{known}: there are more than {MOST_CHANGES:,} {sort} in {LONGEST.days} days.")
    except EndpointError as error:
        # Not reported to the circuit: what is read beside it may still be answered.
        complete = False
        yield gap(endpoint, "who changed what", error)
    yield from rows.batch()
    yield readings(endpoint, "", {"events": complete})


def _read(vcenter: VCenter, endpoint: Endpoint, types: list[str], since: datetime | None, rows: Rows) -> datetime | None:
    """Add what the newest events of `types` show to `rows`; when the oldest of these was, in UTC, if there are too many, else None.

    Raises:
        EndpointError: they could not be read, or not all of them; what was read by then is in `rows`.
    """
    with closing(newest_events(vcenter, endpoint, types, since, MOST_CHANGES)) as events:
        for event in events:
            if isinstance(event, Cut):
                return event.oldest
            change = change_of(event)
            if change is not None:
                kind, moid, what = change
                happened_at = event.createdTime.astimezone(UTC)
                rows.add(entity_kind=kind, entity_id=moid, happened_at=happened_at, user_name=event.userName or None, what=what)
    return None


def change_of(event: Any) -> tuple[str, str, str] | None:
    """What an event may have changed: kind, managed object id, and the event's own word for it; None for an event of another sort."""
    from pyVmomi import VmomiSupport, vim

    types = {HOST: vim.HostSystem, DATASTORE: vim.Datastore, VM: vim.VirtualMachine}
    if isinstance(event, vim.event.TaskEvent):
        what = str(event.info.descriptionId)
        kind = _TASKS.get(what.casefold())
        entity = event.info.entity
    else:
        what = str(VmomiSupport.GetWsdlName(type(event)))
        kind, entity = EVENTS.get(what), None
    if kind is None:
        return None
    if not isinstance(entity, types[kind]):
        entity = _subject(event, kind)
    return None if entity is None else (kind, str(entity._GetMoId()), what)  # noqa: SLF001  pyVmomi's accessor


def _subject(event: Any, kind: str) -> Any:
    """What an event of this kind is about by its own arguments; None when it does not say."""
    argument, name = {HOST: (event.host, "host"), DATASTORE: (event.ds, "datastore"), VM: (event.vm, "vm")}[kind]
    return None if argument is None else getattr(argument, name)
