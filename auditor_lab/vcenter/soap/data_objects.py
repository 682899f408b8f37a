"""Completes pyVmomi data objects for its serialiser: required fields set, lists typed, numbers of the declared width."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar

from pyVmomi import VmomiSupport

T = TypeVar("T")

long: Any = VmomiSupport.GetVmodlType("long")
OPTIONAL: int = VmomiSupport.F_OPTIONAL
_EPOCH = datetime(2024, 1, 1, tzinfo=UTC)


def complete(value: T) -> T:
    """Set every required field that is unset, in `value` and everything below it, to its type's empty value; return `value`."""
    if isinstance(value, list):
        for item in value:
            complete(item)
    elif isinstance(value, VmomiSupport.DataObject):
        _complete_fields(value)
    return value


def _complete_fields(value: Any) -> None:
    kind: Any = type(value)
    for name, declared, is_optional, may_hold_objects in _fields(kind):
        held = getattr(value, name)
        if held is None and not is_optional:
            setattr(value, name, _emptiest(declared))
        elif may_hold_objects:
            complete(held)


@cache
def _fields(kind: type) -> tuple[tuple[str, Any, bool, bool], ...]:
    """Of each field of a class of data objects its name and type, whether it may be unset, and whether data objects may be in it."""
    return tuple(
        (
            *(field.name, field.type, bool(field.flags & OPTIONAL)),
            field.type is object or issubclass(field.type, (VmomiSupport.DataObject, list)),
        )
        for field in kind._GetPropertyList()  # type: ignore[attr-defined]  # noqa: SLF001  pyVmomi's only way to enumerate fields
    )


def of_type(declared: Any, value: Any) -> Any:
    """`value` as `declared`, so that it has the API's type on the wire."""
    if value is None or isinstance(value, VmomiSupport.DataObject):
        return complete(value)
    if isinstance(value, list):
        return complete(value) if isinstance(value, VmomiSupport.Array) else declared([complete(item) for item in value])
    if declared is object or isinstance(value, (declared, VmomiSupport.ManagedObject)):
        return value
    return declared(value)


def _emptiest(declared: Any) -> Any:
    if issubclass(declared, VmomiSupport.DataObject):
        return complete(declared())
    if issubclass(declared, VmomiSupport.Enum):
        return next(iter(declared.values))
    if declared is datetime:
        return _EPOCH
    if issubclass(declared, VmomiSupport.ManagedObject):
        return declared("none")
    return declared()
