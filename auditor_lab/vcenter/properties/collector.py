"""The property collector: selects objects by a filter, and reads their properties."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

from pyVmomi import VmomiSupport, vmodl

from auditor_lab.vcenter.inventory.host_parts import InParts
from auditor_lab.vcenter.soap.data_objects import of_type
from auditor_lab.vcenter.soap.privileges import needed_for_property, no_permission

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor_lab.vcenter.inventory.entities import Managed
    from auditor_lab.vcenter.inventory.objects import Inventory
    from auditor_lab.vcenter.soap.envelope import Written

_STEP = re.compile(r'([A-Za-z_]\w*)(?:\["((?:[^"\\]|\\.)*)"\])?(?:\.|$)')


Selected: TypeAlias = tuple[Any, list[Any]]
"""A reference, and the PropertySpecs that apply to it."""


def collect(inventory: Inventory, spec_set: list[Any], privileges: frozenset[str]) -> list[Any]:
    """ObjectContent of every object that the filters select, in the order in which they are reached.

    Raises:
        vmodl.query.InvalidProperty: a path names a property that the type does not have.
        vmodl.fault.ManagedObjectNotFound: a filter starts at an object that does not exist.
    """
    return contents(inventory, select(inventory, spec_set), privileges)


def select(inventory: Inventory, spec_set: list[Any]) -> list[Selected]:
    """The objects that the filters select, in the order in which they are reached; no property is read yet.

    Raises:
        vmodl.fault.ManagedObjectNotFound: a filter starts at an object that does not exist.
    """
    selected = []
    for spec in spec_set:
        for reference in _selected(inventory, spec):
            wanted = [one for one in spec.propSet if issubclass(type(reference), one.type)]
            if wanted:
                selected.append((reference, wanted))
    return selected


def contents(inventory: Inventory, selected: list[Selected], privileges: frozenset[str], written: Written | None = None) -> list[Any]:
    """ObjectContent of the selected objects; one that no longer exists is left out.

    Args:
        inventory: where to read.
        selected: see `select`.
        privileges: of the account that sends the request.
        written: collects properties that are serialised without being built; None: every one is built.

    Raises:
        vmodl.query.InvalidProperty: a path names a property that the type does not have.
    """
    built = []
    for reference, wanted in selected:
        try:
            managed = inventory.find(reference)
        except vmodl.fault.ManagedObjectNotFound:
            continue
        built.append(_content(inventory, managed, wanted, privileges, written))
    return built


def _selected(inventory: Inventory, spec: Any) -> list[Any]:
    """The references in the order in which they are reached, each once."""
    named: dict[str, Any] = {}
    for start in spec.objectSet:
        _remember(start.selectSet, named)
    references: dict[tuple[str, str], Any] = {}
    for start in spec.objectSet:
        try:
            inventory.find(start.obj)
        except vmodl.fault.ManagedObjectNotFound:
            if spec.reportMissingObjectsInResults:
                continue
            raise
        _walk(inventory, start.obj, start.selectSet, bool(start.skip), named, references, set())
    return list(references.values())


def _remember(selections: list[Any], named: dict[str, Any]) -> None:
    for selection in selections or []:
        if isinstance(selection, vmodl.query.PropertyCollector.TraversalSpec):
            if selection.name:
                named[selection.name] = selection
            _remember(selection.selectSet, named)


def _walk(
    inventory: Inventory,
    reference: Any,
    selections: list[Any],
    skip: bool,
    named: dict[str, Any],
    references: dict[tuple[str, str], Any],
    walked: set[tuple[str, str, int]],
) -> None:
    key = (VmomiSupport.GetWsdlName(type(reference)), reference._GetMoId())  # noqa: SLF001  pyVmomi's accessor
    if not skip:
        references.setdefault(key, reference)
    managed = inventory.find(reference)
    for selection in selections or []:
        traversal = selection if isinstance(selection, vmodl.query.PropertyCollector.TraversalSpec) else named.get(selection.name)
        if traversal is None or not issubclass(managed.kind, traversal.type) or (*key, id(traversal)) in walked:
            continue
        walked.add((*key, id(traversal)))
        value = inventory.read(managed, traversal.path)
        for child in value if isinstance(value, list) else [value] if value is not None else []:
            _walk(inventory, child, traversal.selectSet, bool(traversal.skip), named, references, walked)


def _content(inventory: Inventory, managed: Managed, wanted: list[Any], privileges: frozenset[str], written: Written | None) -> Any:
    collector = vmodl.query.PropertyCollector
    content = collector.ObjectContent(obj=managed.reference)
    for path in dict.fromkeys(path for one in wanted for path in _paths(managed, one)):
        try:
            privilege = needed_for_property(managed.kind, _STEP.match(path).group(1))  # type: ignore[union-attr]
        except AttributeError:
            raise vmodl.query.InvalidProperty(name=path, msg="") from None
        if privilege not in privileges:
            denied = no_permission(managed.reference, privilege)
            content.missingSet.append(collector.MissingProperty(path=path, fault=denied))
            continue
        value = _written(managed, path, written) if written is not None else None
        if value is None:
            value = read_path(inventory, managed, path)
        if value is not None:
            content.propSet.append(vmodl.DynamicProperty(name=path, val=value))
    return content


def _written(managed: Managed, path: str, written: Written) -> str | None:
    """The placeholder of a property that is serialised directly; None when it must be built, or is unset."""
    first, _, rest = path.partition(".")
    held = managed.properties.get(first)
    write = held.written.get(rest) if isinstance(held, InParts) else None
    text = write(written.version) if write is not None else None
    return None if text is None else written.take(text)


def _part(managed: Managed, path: str) -> tuple[Any, int]:
    """The value of the longest prefix of `path` that can be built by itself, and the length of the prefix; 0 when there is none."""
    first, dot, _ = path.partition(".")
    held = managed.properties.get(first)
    if not dot or not isinstance(held, InParts):
        return None, 0
    at = len(path)
    while at > len(first):
        build = held.parts.get(path[len(first) + 1 : at])
        if build is not None:
            return of_type(_declared(managed.kind, path[:at]), build()), at + 1
        at = path.rfind(".", 0, at)
    return None, 0


def _declared(kind: Any, path: str) -> Any:
    """The type of the property at `path`."""
    for name in path.split("."):
        kind = kind._GetPropertyInfo(name).type  # noqa: SLF001  pyVmomi's accessor
    return kind


def _paths(managed: Managed, wanted: Any) -> Iterator[str]:
    if wanted.all:
        yield from managed.properties
    else:
        yield from wanted.pathSet or []


def read_path(inventory: Inventory, managed: Managed, path: str) -> Any:
    """The value at a path such as `config.storageDevice.scsiLun` or `config.option["Disk.MaxLUN"]`; None when any part is unset.

    Raises:
        vmodl.query.InvalidProperty: the path does not fit the types.
    """
    value, at = _part(managed, path)
    if at and value is None:
        return None
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            raise vmodl.query.InvalidProperty(name=path, msg="")
        name, key = step.groups()
        try:
            value = inventory.read(managed, name) if at == 0 else _field(value, name)
        except AttributeError:
            raise vmodl.query.InvalidProperty(name=path, msg="") from None
        if key is not None and value is not None:
            value = next((item for item in value if getattr(item, "key", None) == key), None)
        if value is None:
            return None
        at = step.end()
    return value


def _field(value: Any, name: str) -> Any:
    if not isinstance(value, VmomiSupport.DataObject):
        raise AttributeError(name)  # noqa: TRY004  as for any other name it does not have: an array needs a key, a number has no fields
    info = value._GetPropertyInfo(name)  # noqa: SLF001  pyVmomi's accessor
    return of_type(info.type, getattr(value, info.name))
