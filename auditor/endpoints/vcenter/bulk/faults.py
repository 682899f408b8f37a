"""Turns faults that came as JSON into pyVmomi's exceptions, so that one module translates them all. Imports pyVmomi."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyVmomi import VmomiSupport, vmodl

from auditor.endpoints.vcenter.faults import described

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAMESPACE = "urn:vim25"


def fault_of(fields: Mapping[str, Any], message: str = "") -> Any:
    """The exception for a fault as VI/JSON writes it; one of a type that is not known becomes a plain MethodFault."""
    name = str(fields.get("_typeName", ""))
    try:
        kind = VmomiSupport.GetWsdlType(_NAMESPACE, name)
    except KeyError:
        kind = None
    if kind is None or not issubclass(kind, vmodl.MethodFault):
        kind, message = vmodl.MethodFault, ": ".join(part for part in (name, message) if part)
    fault = kind(msg=message)
    for info in kind._GetPropertyList():  # noqa: SLF001  pyVmomi's only way to enumerate members
        value = fields.get(info.name)
        if isinstance(value, str) and isinstance(info.type, type) and issubclass(info.type, str):
            setattr(fault, info.name, value)
        elif isinstance(value, dict) and (managed := _managed_object(value, info.type)) is not None:
            setattr(fault, info.name, managed)
    return fault


def _managed_object(value: Mapping[str, Any], kind: type) -> Any:
    """The object that a fault's member of this kind refers to; None where it refers to none, or pyVmomi knows no such kind of object."""
    try:
        referred = VmomiSupport.GetWsdlType(_NAMESPACE, str(value.get("type")))
    except KeyError:
        return None
    managed = issubclass(kind, VmomiSupport.ManagedObject) and issubclass(referred, kind)
    return referred(str(value["value"])) if managed and value.get("value") else None


def reason(fields: Mapping[str, Any]) -> str:
    """What `missing` says of a LocalizedMethodFault."""
    inner = fields.get("fault")
    return described(fault_of(inner if isinstance(inner, dict) else {}, str(fields.get("localizedMessage") or "")))
