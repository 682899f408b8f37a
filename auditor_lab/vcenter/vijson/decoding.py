"""Decodes VI/JSON: plain JSON values into the pyVmomi values that a method's parameters declare.

It is as strict as the known forms: a member that the type lacks, a number out of range and an Any without its box are refused, so that a
client which works with the lab does not depend on its tolerance.

Source: govmomi, vim25/types/json.go and json_test.go. Not compared with a real vCenter.
"""

from __future__ import annotations

import base64
import binascii
from datetime import datetime
from typing import Any

from pyVmomi import Iso8601, VmomiSupport, vmodl

from auditor_lab.vcenter.soap.envelope import NAMESPACE
from auditor_lab.vcenter.vijson.encoding import BOXED, TYPE_NAME

_BITS = {VmomiSupport.byte: 8, VmomiSupport.short: 16, int: 32, VmomiSupport.long: 64}
_PRIMITIVES = {
    "boolean": bool,
    "byte": VmomiSupport.byte,
    "short": VmomiSupport.short,
    "int": int,
    "long": VmomiSupport.long,
    "float": float,
    "double": VmomiSupport.double,
    "string": str,
    "binary": VmomiSupport.binary,
    "dateTime": datetime,
    "anyURI": VmomiSupport.URI,
}


class NotInApiError(Exception):
    """A value does not fit the type that the API declares; the text names the place."""


def members(given: Any, declared: Any, where: str) -> dict[str, Any]:
    """The decoded members of a JSON object; null equals a missing member, and an unset list that is required is empty.

    Args:
        given: should be a JSON object.
        declared: descriptions of its members: parameters of a method or members of a data object.
        where: the name of the object in errors.

    Raises:
        NotInApiError: it is not an object, or a member is unknown, missing or of another type.
    """
    if not isinstance(given, dict):
        raise NotInApiError(f"{where} is no object")
    known = {info.name: info for info in declared}
    if unknown := given.keys() - known.keys() - {TYPE_NAME}:
        raise NotInApiError(f"{where} has no {min(unknown)}")
    values = {}
    for name, info in known.items():
        value = given.get(name)
        if value is not None:
            values[name] = decoded(value, info.type, f"{where}.{name}")
        elif not info.flags & VmomiSupport.F_OPTIONAL:
            if not issubclass(info.type, list):
                raise NotInApiError(f"{where} needs {name}")
            values[name] = info.type()
    return values


def decoded(value: Any, declared: Any, where: str) -> Any:
    """A JSON value that is not null as the type the API declares; raises as `members`."""
    if declared is object:
        return _unboxed(value, where)
    if issubclass(declared, list):
        return _list(value, declared, where)
    if issubclass(declared, vmodl.MethodFault) and _named_type(value) == "LocalizedMethodFault":
        fault = _object(value.get("fault"), declared, where)
        fault.msg = value.get("localizedMessage")
        return fault
    if issubclass(declared, VmomiSupport.DataObject):
        return _object(value, declared, where)
    if issubclass(declared, VmomiSupport.ManagedObject):
        return _reference(value, declared, where)
    return _single(value, declared, where)


def kind_named(name: Any, base: Any) -> Any:
    """The type of the API with this name, if it is a `base`.

    Raises:
        NotInApiError: there is no such type.
    """
    try:
        kind = VmomiSupport.GetWsdlType(NAMESPACE, str(name))
    except KeyError:
        raise NotInApiError(f"the API has no type {name}") from None
    if not issubclass(kind, base):
        raise NotInApiError(f"{name} is no {VmomiSupport.GetWsdlName(base)}")
    return kind


def _named_type(value: Any) -> Any:
    return value.get(TYPE_NAME) if isinstance(value, dict) else None


def _unboxed(value: Any, where: str) -> Any:
    name = _named_type(value)
    if not isinstance(name, str):
        raise NotInApiError(f"{where} may be anything and does not say its {TYPE_NAME}")
    if name == "ManagedObjectReference":
        return _reference(value, VmomiSupport.ManagedObject, where)
    if BOXED not in value:
        return _object(value, VmomiSupport.DataObject, where)
    if name in _PRIMITIVES:
        return _single(value[BOXED], _PRIMITIVES[name], where)
    if name == "ArrayOfManagedObjectReference":
        return _list(value[BOXED], VmomiSupport.ManagedObject.Array, where)
    return decoded(value[BOXED], kind_named(name, object), where)


def _list(value: Any, declared: Any, where: str) -> Any:
    if declared.Item is VmomiSupport.byte:
        return declared(VmomiSupport.byte(one - 256 if one > 127 else one) for one in _bytes(value, where))  # signed, as xsd:byte is
    if not isinstance(value, list):
        raise NotInApiError(f"{where} is no array")
    return declared([decoded(one, declared.Item, f"{where}[{place}]") for place, one in enumerate(value)])


def _object(value: Any, declared: Any, where: str) -> Any:
    if not isinstance(value, dict):
        raise NotInApiError(f"{where} is no object")
    kind = kind_named(value[TYPE_NAME], declared) if TYPE_NAME in value else declared
    return kind(**members(value, kind._GetPropertyList(), where))  # noqa: SLF001  pyVmomi's only way to enumerate members


def _reference(value: Any, declared: Any, where: str) -> Any:
    if not isinstance(value, dict) or not isinstance(value.get("value"), str):
        raise NotInApiError(f"{where} is no reference")
    return kind_named(value.get("type"), declared)(value["value"])


def _single(value: Any, declared: Any, where: str) -> Any:
    """A value that JSON writes as text, number or boolean."""
    if declared is bool:
        if isinstance(value, bool):
            return value
    elif declared in _BITS:
        if isinstance(value, int) and not isinstance(value, bool) and -(1 << _BITS[declared] - 1) <= value < 1 << _BITS[declared] - 1:
            return declared(value)
    elif issubclass(declared, float):
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return declared(value)
    elif isinstance(value, str):
        return _text(value, declared, where)
    raise NotInApiError(f"{where} does not fit {VmomiSupport.GetWsdlName(declared)}")


def _text(value: str, declared: Any, where: str) -> Any:
    if declared is datetime:
        if moment := Iso8601.ParseISO8601(value):
            return moment
    elif declared is VmomiSupport.binary:
        return VmomiSupport.binary(_bytes(value, where))
    elif declared is type:
        return kind_named(value, object)
    elif declared is VmomiSupport.ManagedMethod:
        return _method(value, where)
    elif not issubclass(declared, VmomiSupport.Enum) or value in declared.values:
        return declared(value)
    raise NotInApiError(f"{where} does not fit {VmomiSupport.GetWsdlName(declared)}")


def _method(name: str, where: str) -> Any:
    try:
        return VmomiSupport.GetWsdlMethod(NAMESPACE, name)
    except KeyError:
        raise NotInApiError(f"{where}: the API has no method {name}") from None


def _bytes(value: Any, where: str) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, TypeError, ValueError):
        raise NotInApiError(f"{where} is not base64") from None
