"""VI/JSON on the way out: pyVmomi values as the plain structures that JSON has.

Every data object and every reference says what it is (`_typeName`). What stands where the API declares Any is put in a box that says it
too, `{"_typeName": "long", "_value": 5}`; an array of bytes is one base64 text. Members that are unset, and optional arrays that are empty,
are left out, as in SOAP.

Source: govmomi, vim25/types/json.go, json_test.go and testdata. Not held against a real vCenter.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from pyVmomi import Iso8601, VmomiSupport, vmodl

TYPE_NAME, BOXED = "_typeName", "_value"
_LINK = VmomiSupport.F_LINK
# pyVmomi's own bookkeeping, which the API's data objects do not have; a fault's message is no member of it either.
_NO_MEMBERS = frozenset({"dynamicType", "dynamicProperty"})
_TEXTS = (type, VmomiSupport.ManagedMethod, VmomiSupport.PropertyPath)  # of which JSON tells no more than that they are strings


@dataclass(frozen=True, slots=True)
class _Member:
    """One member of a data object."""

    name: str
    declared: Any
    empty_is_unset: bool
    link: bool  # only the key of the object it holds goes over the wire


def body(value: Any, declared: Any, version: str) -> bytes:
    """The JSON of `value` where the API declares `declared`; nothing at all for None."""
    return b"" if value is None else _text(encoded(value, declared, version))


def fault_body(error: Any, version: str) -> bytes:
    """The JSON of a MethodFault: its own members, and its message as `faultstring`."""
    return _text(_object(error, version) | {"faultstring": error.msg or ""})


def encoded(value: Any, declared: Any, version: str) -> Any:
    """`value` as plain JSON values, in a box where `declared` is Any and it does not say its type itself.

    Args:
        value: no None.
        declared: the pyVmomi type of the parameter, member or result it stands for.
        version: pyVmomi's name of the API's version; what is newer is left out.
    """
    if isinstance(value, vmodl.MethodFault):
        told = {TYPE_NAME: "LocalizedMethodFault", "fault": _object(value, version)}
        return told | ({"localizedMessage": value.msg} if value.msg else {})
    if isinstance(value, VmomiSupport.DataObject):
        return _object(value, version)
    if isinstance(value, VmomiSupport.ManagedObject):
        return _reference(value)
    if declared is object:
        return {TYPE_NAME: _box_name(type(value), value), BOXED: _plain(value, type(value), version)}
    return _plain(value, declared, version)


def _plain(value: Any, declared: Any, version: str) -> Any:
    """A list or a single value that is no object."""
    if isinstance(value, list):
        item: Any = declared.Item
        if item is VmomiSupport.byte:
            return base64.b64encode(bytes(one & 0xFF for one in value)).decode()
        return [encoded(one, item, version) for one in value]
    if isinstance(value, datetime):
        return Iso8601.ISO8601Format(value)
    if isinstance(value, VmomiSupport.binary):
        return base64.b64encode(value).decode()
    if isinstance(value, type):
        return _name(value)
    return value.info.wsdlName if isinstance(value, VmomiSupport.ManagedMethod) else value


def _object(value: Any, version: str) -> dict[str, Any]:
    kind: Any = type(value)
    name, members = _members(kind, version)
    told: dict[str, Any] = {TYPE_NAME: name}
    for member in members:
        held = getattr(value, member.name)
        if held is None or (member.empty_is_unset and isinstance(held, list) and not held):
            continue
        if member.link and isinstance(held, VmomiSupport.DataObject):
            held = held.key
        told[member.name] = encoded(held, member.declared, version)
    return told


def _reference(value: Any) -> dict[str, Any]:
    told = {TYPE_NAME: "ManagedObjectReference", "type": _name(type(value)), "value": value._GetMoId()}  # noqa: SLF001  pyVmomi's accessor
    guid = value._GetServerGuid()  # noqa: SLF001  as above
    return told if guid is None else told | {"serverGuid": guid}


@cache
def _members(kind: Any, version: str) -> tuple[str, tuple[_Member, ...]]:
    """What a data object of this type calls itself in this version, and the members it then has."""
    hidden = _NO_MEMBERS | ({"msg"} if issubclass(kind, vmodl.MethodFault) else set())
    members = tuple(
        _Member(info.name, info.type, info.type is not object and bool(info.flags & VmomiSupport.F_OPTIONAL), bool(info.flags & _LINK))
        for info in kind._GetPropertyList()  # noqa: SLF001  pyVmomi's only way to enumerate members
        if info.name not in hidden and VmomiSupport.IsChildVersion(version, info.version)
    )
    return VmomiSupport.GetWsdlName(VmomiSupport.GetCompatibleType(kind, version)), members


def _box_name(kind: Any, value: Any) -> str:
    """What the box around a value calls it, for example long, ManagedEntityStatus, ArrayOfString."""
    if isinstance(value, list):
        return _array_name(kind)
    if isinstance(value, _TEXTS):
        return "string"
    name = _name(kind)
    return "binary" if name == "base64Binary" else name


def _array_name(kind: Any) -> str:
    if kind.Item in _TEXTS:
        return "ArrayOfString"
    if issubclass(kind.Item, VmomiSupport.ManagedObject):
        return "ArrayOfManagedObjectReference"
    return _name(kind)


def _name(kind: Any) -> str:
    name: str = VmomiSupport.GetWsdlName(kind)
    return name


def _text(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
