"""Property filters and waiting for updates, which `govc object.collect` and every library's wait-for-task use."""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import vmodl

from auditor_lab.vcenter.inventory.entities import Managed
from auditor_lab.vcenter.properties.collector import collect
from auditor_lab.vcenter.soap.envelope import serialise

if TYPE_CHECKING:
    from auditor_lab.vcenter.context import Context, Operation

_COMPARED = "vim.version.version1"  # any version serves for comparing two values


class NothingNewError(Exception):
    """Nothing has changed since the version that the client has; the wait ends after `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds


@dataclass(slots=True)
class Filter:
    """One PropertyFilter, and the values that its collector has already sent."""

    reference: Any
    collector: str
    spec: Any
    sent: dict[str, dict[str, str]] = field(default_factory=dict)  # object -> path -> the value as text
    version: int = 0


def _create_collector(context: Context, _this: Any, _arguments: Mapping[str, Any]) -> Any:
    reference = context.inventory.add(Managed(vmodl.query.PropertyCollector, f"session[{context.logged_in.key}]{uuid.uuid4()}", {}))
    context.logged_in.views.append(reference)
    return reference


def _destroy(context: Context, this: Any, _arguments: Mapping[str, Any]) -> None:
    gone = this._GetMoId()  # noqa: SLF001  pyVmomi's accessor
    for key, one in list(context.logged_in.filters.items()):
        if gone in (key, one.collector):
            context.inventory.remove(one.reference)
            del context.logged_in.filters[key]
    context.inventory.remove(this)


def _create_filter(context: Context, this: Any, arguments: Mapping[str, Any]) -> Any:
    moid = f"session[{context.logged_in.key}]{uuid.uuid4()}"
    collect(context.inventory, [arguments["spec"]], context.privileges)  # an invalid spec is refused here
    reference = context.inventory.add(Managed(vmodl.query.PropertyCollector.Filter, moid, {}))
    context.logged_in.filters[moid] = Filter(reference, this._GetMoId(), arguments["spec"])  # noqa: SLF001  as above
    context.logged_in.views.append(reference)
    return reference


def _wait(context: Context, this: Any, arguments: Mapping[str, Any]) -> Any:
    """All values when the client has no version yet, otherwise those that have changed.

    Raises:
        NothingNewError: nothing has changed.
    """
    options = arguments.get("options")
    seconds = options.maxWaitSeconds if options is not None and options.maxWaitSeconds is not None else math.inf
    mine = [one for one in context.logged_in.filters.values() if one.collector == this._GetMoId()]  # noqa: SLF001  as above
    if not arguments.get("version"):
        for one in mine:
            one.sent = {}
    collector = vmodl.query.PropertyCollector
    updates = [
        collector.FilterUpdate(filter=one.reference, objectSet=changes) for one in mine if (changes := _changes(context, one)) is not None
    ]
    if not updates:
        raise NothingNewError(seconds)
    version = str(max(one.version for one in mine))
    return collector.UpdateSet(version=version, filterSet=updates, truncated=False)


def _changes(context: Context, one: Filter) -> list[Any] | None:
    collector = vmodl.query.PropertyCollector
    contents = collect(context.inventory, [one.spec], context.privileges)
    now: dict[str, dict[str, str]] = {}
    changes = []
    for content in contents:
        key = str(content.obj)
        now[key] = {prop.name: serialise(prop.val, "val", object, _COMPARED) for prop in content.propSet}
        before = one.sent.get(key)
        changed = [prop for prop in content.propSet if before is None or before.get(prop.name) != now[key][prop.name]]
        if before is None or changed:
            kind = "enter" if before is None else "modify"
            changes.append(
                collector.ObjectUpdate(
                    kind=kind,
                    obj=content.obj,
                    changeSet=[collector.Change(name=prop.name, op="assign", val=prop.val) for prop in changed],
                    missingSet=content.missingSet,
                )
            )
    left = [key for key in one.sent if key not in now]
    if not changes and not left and one.version:
        return None
    one.sent = now
    one.version += 1
    return changes


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "CreatePropertyCollector": _create_collector,
        "DestroyPropertyCollector": _destroy,
        "CreateFilter": _create_filter,
        "DestroyPropertyFilter": _destroy,
        "WaitForUpdates": _wait,
        "WaitForUpdatesEx": _wait,
    }
)
