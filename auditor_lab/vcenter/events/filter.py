"""Selects events by an EventFilterSpec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyVmomi import VmomiSupport, vim

from auditor_lab.vcenter.inventory.entities import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor_lab.vcenter.inventory.objects import Inventory

# The events that the lab records and vCenter's category of each. Source: govmomi, simulator/esx/event_manager.go, where it has them.
RECORDED: tuple[tuple[str, str, str], ...] = (
    ("UserLoginSessionEvent", "info", "User login"),
    ("UserLogoutSessionEvent", "info", "User logout"),
    ("BadUsernameSessionEvent", "error", "Invalid user name"),
    ("TaskEvent", "info", "Task event"),
    ("EventEx", "info", "Extended event"),
    ("EnteringMaintenanceModeEvent", "info", "Entering maintenance mode"),
    ("EnteredMaintenanceModeEvent", "info", "Entered maintenance mode"),
    ("ExitMaintenanceModeEvent", "info", "Exit maintenance mode"),
    ("HostShutdownEvent", "info", "Host shut down"),
    ("HostConnectedEvent", "info", "Host connected"),
    ("HostDisconnectedEvent", "info", "Host disconnected"),
    ("HostConnectionLostEvent", "error", "Host connection lost"),
    ("DatastoreIORMReconfiguredEvent", "info", "Storage I/O Control reconfigured"),
    ("VmBeingRelocatedEvent", "info", "VM relocating"),
    ("VmRelocatedEvent", "info", "VM relocated"),
)
_CATEGORIES = {name: category for name, category, _ in RECORDED}


def selected(inventory: Inventory, spec: Any) -> list[Any]:
    """The events that match a filter, oldest first. A filter by alarm, scheduled task or tag matches none: the lab has none of these."""
    if spec.alarm is not None or spec.scheduledTask is not None or spec.tag:
        return []
    return [event for event in inventory.state.events.events if _passes(inventory, event, spec)]


def _passes(inventory: Inventory, event: Any, spec: Any) -> bool:
    names = _type_names(event)
    return (
        (not spec.eventTypeId or not names.isdisjoint(one.removeprefix("vim.event.") for one in spec.eventTypeId))
        and (not spec.type or isinstance(event, tuple(spec.type)))
        and (not spec.category or _category(event) in spec.category)
        and (not spec.eventChainId or event.chainId == spec.eventChainId)
        and (spec.userName is None or _by_user(event, spec.userName))
        and (spec.time is None or _in_time(event, spec.time))
        and (spec.entity is None or _concerns(inventory, event, spec.entity))
    )


def _type_names(event: Any) -> set[str]:
    """An event's type and every base type; an EventEx has its own id."""
    if isinstance(event, vim.event.EventEx):
        return {event.eventTypeId, "EventEx"}
    return {VmomiSupport.GetWsdlName(kind) for kind in type(event).__mro__ if issubclass(kind, vim.event.Event)}


def _category(event: Any) -> str:
    return _CATEGORIES.get(VmomiSupport.GetWsdlName(type(event)), "info")


def _by_user(event: Any, wanted: Any) -> bool:
    return bool(wanted.systemUser and not event.userName) or event.userName in (wanted.userList or [])


def _in_time(event: Any, wanted: Any) -> bool:
    return (wanted.beginTime is None or event.createdTime >= wanted.beginTime) and (
        wanted.endTime is None or event.createdTime <= wanted.endTime
    )


def _concerns(inventory: Inventory, event: Any, wanted: Any) -> bool:
    """Whether an event is about the entity, about an object below it, or either, as `recursion` says."""
    own = _subject(event)
    moid = wanted.entity._GetMoId()  # noqa: SLF001  as above
    is_self = own._GetMoId() == moid  # noqa: SLF001  as above
    if wanted.recursion == "self":
        return bool(is_self)
    below = any(one == moid for one in _above(inventory, own))
    return below if wanted.recursion == "children" else is_self or below


def _subject(event: Any) -> Any:
    """The entity that an event is about; for sessions it is the root folder."""
    for argument, name in ((event.vm, "vm"), (event.host, "host"), (event.ds, "datastore"), (event.computeResource, "computeResource")):
        if argument is not None:
            return getattr(argument, name)
    return event.datacenter.datacenter if event.datacenter is not None else ROOT


def _above(inventory: Inventory, reference: Any) -> Iterable[str]:
    parent = inventory.find(reference).properties["parent"]()
    while parent is not None:
        yield parent._GetMoId()  # noqa: SLF001  as above
        parent = inventory.find(parent).properties["parent"]()
