"""Data values of the vSphere Automation API, and their two wire formats: JSON-RPC with type names, and plain REST.

None is void; bool, int, str and datetime are themselves; a list, tuple or set is a list; a mapping is a map. Types that JSON cannot
distinguish have a class here.

Source: the client that VMware publishes (vmware-vapi-runtime 9.1): data/serializers/jsonrpc.py, bindings/converter.py (maps),
data/serializers/cleanjson.py (REST).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True)
class Structure:
    """A structure with its canonical name, for example com.vmware.cis.tagging.tag_model; an error is one too."""

    name: str
    fields: Mapping[str, Any]
    error: bool = False


@dataclass(frozen=True, slots=True)
class Optional:
    """A value that may be unset; then it is None."""

    value: Any = None


@dataclass(frozen=True, slots=True)
class Secret:
    """Text that clients leave out of their logs."""

    text: str


class NotAValueError(ValueError):
    """A JSON value is not a data value."""


def encoded(value: Any) -> Any:
    """The JSON-RPC form of a value."""
    if isinstance(value, Structure):
        fields = {name: encoded(one) for name, one in value.fields.items()}
        return {"ERROR" if value.error else "STRUCTURE": {value.name: fields}}
    if isinstance(value, Optional):
        return {"OPTIONAL": None if value.value is None else encoded(value.value)}
    if isinstance(value, Secret):
        return {"SECRET": value.text}
    if isinstance(value, Mapping):
        return [encoded(Structure("map-entry", {"key": key, "value": one})) for key, one in value.items()]
    if isinstance(value, (list, tuple, set, frozenset)):
        return [encoded(one) for one in _in_order(value)]
    return _text_of(value) if isinstance(value, datetime) else value


def plain(value: Any, *, legacy: bool = False) -> Any:
    """The REST form: unset fields are left out. Below /rest a map is a list of keys and values, below /api an object."""
    if isinstance(value, Structure):
        return {
            name: plain(one, legacy=legacy) for name, one in value.fields.items() if not (isinstance(one, Optional) and one.value is None)
        }
    if isinstance(value, Optional):
        return plain(value.value, legacy=legacy)
    if isinstance(value, Secret):
        return value.text
    if isinstance(value, Mapping):
        members = {key: plain(one, legacy=legacy) for key, one in value.items()}
        return [{"key": key, "value": one} for key, one in members.items()] if legacy else members
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(one, legacy=legacy) for one in _in_order(value)]
    return _text_of(value) if isinstance(value, datetime) else value


def decoded(value: Any) -> Any:
    """The content of the JSON-RPC form without its names: a structure becomes a dict, an unset value None.

    Raises:
        NotAValueError: it is not a data value.
    """
    if isinstance(value, list):
        return [decoded(one) for one in value]
    if not isinstance(value, dict):
        return value
    if len(value) != 1:
        raise NotAValueError(f"an object has one member that names its type, not {sorted(value)}")
    ((kind, held),) = value.items()
    if kind in ("STRUCTURE", "ERROR"):
        return _fields(held)
    if kind == "OPTIONAL":
        return None if held is None else decoded(held)
    if kind == "SECRET" and isinstance(held, str):
        return held
    if kind == "BINARY":
        try:
            return base64.b64decode(held, validate=True)
        except (TypeError, binascii.Error) as error:
            raise NotAValueError("BINARY does not hold base64") from error
    raise NotAValueError(f"no type is called {kind}")


def _fields(structure: Any) -> dict[str, Any]:
    if not isinstance(structure, dict) or len(structure) != 1:
        raise NotAValueError("a structure has one name")
    (fields,) = structure.values()
    if not isinstance(fields, dict):
        raise NotAValueError("a structure's fields are an object")
    return {name: decoded(one) for name, one in fields.items()}


def _in_order(values: Any) -> Any:
    return sorted(values) if isinstance(values, (set, frozenset)) else values


def _text_of(moment: datetime) -> str:
    """RFC 3339 in UTC with milliseconds, as in the reference's examples."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class ObjectId(NamedTuple):
    """An inventory object: its type as in SOAP, and its managed object id."""

    type: str
    id: str

    def value(self) -> Structure:
        """The identifier as a data value."""
        return Structure("com.vmware.vapi.std.dynamic_ID", {"type": self.type, "id": self.id})
