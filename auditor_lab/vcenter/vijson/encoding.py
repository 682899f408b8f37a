"""Encodes VI/JSON: pyVmomi values as plain JSON structures.

Every data object and reference names its type (`_typeName`). A value where the API declares Any is in a box that names the type too,
`{"_typeName": "long", "_value": 5}`; an array of bytes is one base64 text. Unset members and empty optional arrays are left out, as in
SOAP.

Source: govmomi, vim25/types/json.go, json_test.go and testdata. Not compared with a real vCenter.
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
# pyVmomi's own members, which the API's data objects lack; a fault's message is not a member either.
_NO_MEMBERS = frozenset({"dynamicType", "dynamicProperty"})
_TEXTS = (type, VmomiSupport.ManagedMethod, VmomiSupport.PropertyPath)  # types that JSON encodes only as strings


@dataclass(frozen=True, slots=True)
class _Member:
    """One member of a data object."""

    name: str
    declared: Any
    empty_is_unset: bool
    link: bool  # only the key of the referenced object is sent


def body(value: Any, declared: Any, version: str) -> bytes:
    """The JSON of `value` where the API declares `declared`; empty for None."""
    return b"" if value is None else _text(encoded(value, declared, version))


def fault_body(error: Any, version: str) -> bytes:
    """The JSON of a MethodFault: its own members, and its message as `faultstring`."""
    return _text(_object(error, version) | {"faultstring": error.msg or ""})


def encoded(value: Any, declared: Any, version: str) -> Any:
    """`value` as plain JSON values, in a box where `declared` is Any and the value does not name its type itself.

    Args:
        value: not None.
        declared: the pyVmomi type of the parameter, member or result.
        version: pyVmomi's name of the API's version; newer members are left out.
    """
    if isinstance(value, vmodl.MethodFault):
        members = {TYPE_NAME: "LocalizedMethodFault", "fault": _object(value, version)}
        return members | ({"localizedMessage": value.msg} if value.msg else {})
    if isinstance(value, VmomiSupport.DataObject):
        return _object(value, version)
    if isinstance(value, VmomiSupport.ManagedObject):
        return _reference(value)
    if declared is object:
        return {TYPE_NAME: _box_name(type(value), value), BOXED: _plain(value, type(value), version)}
    return _plain(value, declared, version)


def _plain(value: Any, declared: Any, version: str) -> Any:
    """A list or a single value that is not an object."""
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
    structure: dict[str, Any] = {TYPE_NAME: name}
    for member in members:
        held = getattr(value, member.name)
        if held is None or (member.empty_is_unset and isinstance(held, list) and not held):
            continue
        if member.link and isinstance(held, VmomiSupport.DataObject):
            held = held.key
        structure[member.name] = encoded(held, member.declared, version)
    return structure


def _reference(value: Any) -> dict[str, Any]:
    members = {TYPE_NAME: "ManagedObjectReference", "type": _name(type(value)), "value": value._GetMoId()}  # noqa: SLF001  pyVmomi's accessor
    guid = value._GetServerGuid()  # noqa: SLF001  as above
    return members if guid is None else members | {"serverGuid": guid}


@cache
def _members(kind: Any, version: str) -> tuple[str, tuple[_Member, ...]]:
    """The name of a data object's type in this version, and the members that it then has."""
    hidden = _NO_MEMBERS | ({"msg"} if issubclass(kind, vmodl.MethodFault) else set())
    members = tuple(
        _Member(info.name, info.type, info.type is not object and bool(info.flags & VmomiSupport.F_OPTIONAL), bool(info.flags & _LINK))
        for info in kind._GetPropertyList()  # noqa: SLF001  pyVmomi's only way to enumerate members
        if info.name not in hidden and VmomiSupport.IsChildVersion(version, info.version)
    )
    return VmomiSupport.GetWsdlName(VmomiSupport.GetCompatibleType(kind, version)), members


def _box_name(kind: Any, value: Any) -> str:
    """The type name in the box around a value, for example long, ManagedEntityStatus, ArrayOfString."""
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
