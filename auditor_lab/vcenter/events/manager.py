"""The EventManager and its collectors: events at once, or page by page."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import VmomiSupport, vim, vmodl

from auditor_lab.vcenter.events.filter import RECORDED, selected
from auditor_lab.vcenter.events.recording import MODULE_OPTIONS_CHANGED, OPTION_CHANGED
from auditor_lab.vcenter.inventory.entities import Managed

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor_lab.vcenter.context import Context, Operation
    from auditor_lab.vcenter.inventory.objects import Inventory
    from auditor_lab.vcenter.state.vcenter import VCenterState

REFERENCE = vim.event.EventManager("EventManager")
_MOST = 1000  # most events in one answer or page. Source: EventFilterSpec.maxCount and HistoryCollector in the vSphere API
_PAGE = 10  # size of a collector's latest page before SetCollectorPageSize; as in govmomi's simulator, not verified
_COLLECTORS = 32  # most collectors that one session may have. Source: govmomi, simulator/history_collector.go
_LIST = VmomiSupport.GetVmodlType("vim.event.Event[]")


class Collector:
    """One EventHistoryCollector: a filter, a position between two events, and the size of its latest page."""

    def __init__(self, inventory: Inventory, spec: Any) -> None:
        self.spec = spec
        self.page_size = min(spec.maxCount or _PAGE, _MOST)
        self._inventory = inventory
        self._after = 0  # key of the last event before the position

    def latest_page(self) -> Any:
        """The latest page: the newest events, newest first."""
        return _LIST(selected(self._inventory, self.spec)[: -self.page_size - 1 : -1])

    def read_next(self, count: int) -> list[Any]:
        """The next events towards the newest; a new collector begins with the oldest."""
        events = [one for one in selected(self._inventory, self.spec) if one.key > self._after][:count]
        if events:
            self._after = events[-1].key
        return events

    def read_previous(self, count: int) -> list[Any]:
        """The next events towards the oldest; a new collector is already there.

        Source: vSphere API reference, HistoryCollector: before the oldest item is "the default setting".
        """
        events = [one for one in reversed(selected(self._inventory, self.spec)) if one.key <= self._after][:count]
        if events:
            self._after = events[-1].key - 1
        return events

    def rewind(self) -> None:
        """Move before the oldest event."""
        self._after = 0

    def reset(self) -> None:
        """Move behind the event before the latest page.

        Source: vSphere API reference, HistoryCollector: readPrev "retrieves all items (excluding the viewable latest page)".
        """
        before = selected(self._inventory, self.spec)[: -self.page_size]
        self._after = before[-1].key if before else 0


@dataclass(slots=True)
class _Collecting(Managed):
    """An EventHistoryCollector in the inventory."""

    collector: Collector | None = None


def event_objects(state: VCenterState) -> list[Managed]:
    """The event manager."""
    return [
        Managed(
            vim.event.EventManager,
            REFERENCE._GetMoId(),  # noqa: SLF001  pyVmomi's accessor
            {
                "latestEvent": lambda: state.events.events[-1] if state.events.events else None,
                "maxCollector": lambda: _COLLECTORS,
                "description": _description,
            },
        )
    ]


def _description() -> Any:
    detail = vim.event.EventDescription.EventDetail
    kinds = {name: getattr(vim.event, name) for name, _, _ in RECORDED}
    formats = {"formatOnDatacenter": "", "formatOnComputeResource": "", "formatOnHost": "", "formatOnVm": ""}
    return vim.event.EventDescription(
        category=[vim.ElementDescription(key=name, label=name, summary=name) for name in ("info", "warning", "error", "user")],
        eventInfo=[
            *(
                detail(key=kinds[name], description=label, category=category, fullFormat=label, **formats)
                for name, category, label in RECORDED
                if name != "EventEx"
            ),
            *(
                detail(key=vim.event.EventEx, description=label, category="info", fullFormat=f"{type_id}|{label}", **formats)
                for type_id, label in ((OPTION_CHANGED, "Advanced option changed"), (MODULE_OPTIONS_CHANGED, "Module options changed"))
            ),
        ],
    )


def _query_events(context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    """The newest events that match, oldest first; the API specifies no order."""
    spec = arguments["filter"]
    return _LIST(selected(context.inventory, spec)[-(_checked(spec.maxCount) or _MOST) :])


def _create_collector(context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    mine = [one for one in context.logged_in.views if isinstance(one, vim.event.EventHistoryCollector)]
    if len(mine) >= _COLLECTORS:
        raise vim.fault.InvalidState(msg="There are too many event collectors open.")
    spec = arguments["filter"]
    _checked(spec.maxCount)
    if spec.entity is not None:
        context.inventory.find(spec.entity.entity)
    collector = Collector(context.inventory, spec)
    moid = f"session[{context.logged_in.key}]{uuid.uuid4()}"
    properties: dict[str, Callable[[], Any]] = {
        "filter": lambda: collector.spec,
        "latestPage": collector.latest_page,
        "initialized": lambda: True,
    }
    managed = _Collecting(vim.event.EventHistoryCollector, moid, properties, collector=collector)
    reference = context.inventory.add(managed)
    context.logged_in.views.append(reference)
    return reference


def _checked(count: int | None) -> int | None:
    if count is not None and count < 0:
        raise vmodl.fault.InvalidArgument(invalidProperty="maxCount", msg="A specified parameter was not correct: maxCount")
    return count


def _collector(context: Context, this: Any) -> Collector:
    managed = context.inventory.find(this)
    if not isinstance(managed, _Collecting) or managed.collector is None:
        raise vmodl.fault.InvalidRequest(msg="That is no collector of events.")
    return managed.collector


def _read_next(context: Context, this: Any, arguments: Mapping[str, Any]) -> Any:
    return _LIST(_collector(context, this).read_next(_positive(arguments)))


def _read_previous(context: Context, this: Any, arguments: Mapping[str, Any]) -> Any:
    return _LIST(_collector(context, this).read_previous(_positive(arguments)))


def _positive(arguments: Mapping[str, Any]) -> int:
    count: int = arguments["maxCount"]
    if not 1 <= count <= _MOST:
        raise vmodl.fault.InvalidArgument(invalidProperty="maxCount", msg="A specified parameter was not correct: maxCount")
    return count


def _set_page_size(context: Context, this: Any, arguments: Mapping[str, Any]) -> None:
    _collector(context, this).page_size = _positive(arguments)
    context.state.changed()


def _rewind(context: Context, this: Any, _arguments: Mapping[str, Any]) -> None:
    _collector(context, this).rewind()


def _reset(context: Context, this: Any, _arguments: Mapping[str, Any]) -> None:
    _collector(context, this).reset()


def _destroy(context: Context, this: Any, _arguments: Mapping[str, Any]) -> None:
    context.inventory.remove(this)
    gone = this._GetMoId()  # noqa: SLF001  as above
    context.logged_in.views[:] = [one for one in context.logged_in.views if one._GetMoId() != gone]  # noqa: SLF001  as above


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "QueryEvents": _query_events,
        "CreateCollectorForEvents": _create_collector,
        "ReadNextEvents": _read_next,
        "ReadPreviousEvents": _read_previous,
        "SetCollectorPageSize": _set_page_size,
        "RewindCollector": _rewind,
        "ResetCollector": _reset,
        "DestroyCollector": _destroy,
    }
)
