"""Parses any legal SOAP answer into the shapes, by their annotations: slower than the scanner, and right for every spelling of XML.

Prefixes, CDATA, comments, entities, attributes in any order and white space between elements are the parser's business here, not ours.
Imports pyVmomi (for the faults of missingSet).
"""

from __future__ import annotations

import re
import types
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, get_args, get_origin
from xml.etree import ElementTree

import msgspec

from auditor.endpoints.vcenter.bulk.faults import fault_of, reason
from auditor.endpoints.vcenter.bulk.reading import Answer, ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import PROPERTIES, Boxed, Ref, Shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from xml.etree.ElementTree import Element

VIM = "urn:vim25"
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
XSD = "http://www.w3.org/2001/XMLSchema"

_TYPE = f"{{{XSI}}}type"
_NIL = f"{{{XSI}}}nil"
_INTEGERS = frozenset({"byte", "short", "int", "long", "integer", "unsignedByte", "unsignedShort", "unsignedInt", "unsignedLong"})
_FLOATS = frozenset({"float", "double", "decimal"})
_INTEGER = re.compile(r"[+-]?[0-9]{1,20}")
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


class NonsenseError(Exception):
    """The text is no answer to what was asked: torn, not well-formed, or something else; the message says what."""


class UnfamiliarError(NonsenseError):
    """A whole answer to what was asked, with something in it that is not as the shapes say."""


def parsed(body: bytes, operation: str, kind: str) -> Answer:
    """The answer to `operation`, which asked for properties of `kind`.

    Raises:
        NonsenseError: it is not well-formed, or not that answer.
        UnfamiliarError: it is, and a value is not what its shape says.
    """
    response = _response(body, f"{operation}Response")
    result = response.find(f"{{{VIM}}}returnval")
    if result is None:
        return Answer((), None, len(body))
    token = result.find(f"{{{VIM}}}token")
    objects = [_properties_of(kind, content) for content in result.iterfind(f"{{{VIM}}}objects")]
    return Answer(objects, None if token is None or _is_nil(token) else _text(token) or None, len(body))


def fault_of_soap(body: bytes) -> Any:
    """The fault that a whole SOAP answer holds, as pyVmomi's exception; None where it holds none.

    One of a type that pyVmomi does not know becomes a plain MethodFault with its name and message, as one in JSON does.
    """
    try:
        fault = None if b"<!DOCTYPE" in body else _tree(body).find(f"{{{SOAP}}}Body/{{{SOAP}}}Fault")
        if fault is None:
            return None
        message, detail = fault.find("faultstring"), fault.find("detail")
        members = dict(_members(detail[0])) if detail is not None and len(detail) else {}
        return fault_of(members, _text(message) if message is not None else "")
    except NonsenseError:
        return None


def value_of(text: str, shape: Any) -> Any:
    """One value, `text` being a whole element that declares every namespace it uses.

    Raises:
        NonsenseError: see `parsed`.
    """
    return reader(shape)(_tree(text))


def missing_of(text: str) -> tuple[str, str]:
    """Path and reason of one missingSet; see `value_of`."""
    return _missing(_tree(text))


def _tree(text: str | bytes) -> Element:
    try:
        return ElementTree.fromstring(text)  # noqa: S314  a document type, the way to such attacks, is refused below; a slice has none
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise NonsenseError(f"{type(error).__name__}: {error}") from None


def _response(body: bytes, name: str) -> Element:
    if b"<!DOCTYPE" in body:
        raise NonsenseError("a document type, which SOAP forbids")  # SOAP 1.1, section 3; it is also how entities are made to explode
    response = _tree(body).find(f"{{{SOAP}}}Body/{{{VIM}}}{name}")
    if response is None:
        raise NonsenseError(f"there is no {name} in it")
    return response


def _properties_of(kind: str, content: Element) -> ObjectProperties:
    obj = content.find(f"{{{VIM}}}obj")
    if obj is None:
        raise UnfamiliarError("properties of nothing")
    values = {}
    for entry in content.iterfind(f"{{{VIM}}}propSet"):
        name, value = entry.find(f"{{{VIM}}}name"), entry.find(f"{{{VIM}}}val")
        if name is None or value is None:
            raise UnfamiliarError("a property without a name or a value")
        if not _is_nil(value):
            values[_text(name)] = reader(shape_of(kind, _text(name)))(value)
    return ObjectProperties(_ref(obj), values, dict(_missing(entry) for entry in content.iterfind(f"{{{VIM}}}missingSet")))


def shape_of(kind: str, path: str) -> Any:
    """The shape of a property.

    Raises:
        UnfamiliarError: nobody asked for it.
    """
    shape = PROPERTIES[kind].get(path)
    if shape is None:
        raise UnfamiliarError(f"{path} of {kind}, which was not asked for")
    return shape


def _missing(entry: Element) -> tuple[str, str]:
    path, fault_element = entry.find(f"{{{VIM}}}path"), entry.find(f"{{{VIM}}}fault")
    if path is None or fault_element is None:
        raise UnfamiliarError("a missing property without a name or a fault")
    fault, message = fault_element.find(f"{{{VIM}}}fault"), fault_element.find(f"{{{VIM}}}localizedMessage")
    members = {} if fault is None else dict(_members(fault))
    return _text(path), reason({"fault": members, "localizedMessage": "" if message is None else _text(message)})


def _members(fault: Element) -> Iterator[tuple[str, Any]]:
    """A fault as VI/JSON writes it, which is the form `faults` understands; parts that are data objects are left out."""
    yield "_typeName", type_of(fault)
    for child in fault:
        if len(child) or _is_nil(child):
            continue
        ref = child.get("type")
        yield _local(child.tag), child.text if ref is None else {"type": ref, "value": child.text}


def type_of(element: Element) -> str:
    """The name in xsi:type, without prefix; empty where there is none."""
    return element.get(_TYPE, "").strip().rpartition(":")[2]


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _is_nil(element: Element) -> bool:
    return _BOOLEANS.get(element.get(_NIL, "").strip(), False)


@cache
def reader(shape: Any) -> Callable[[Element], Any]:
    """What reads an element of this shape."""
    if get_origin(shape) is list:
        item = reader(get_args(shape)[0])
        return lambda element: [item(child) for child in element]
    if isinstance(shape, types.UnionType):
        return _anything if Boxed in get_args(shape) else reader(get_args(shape)[0])
    if isinstance(shape, type) and issubclass(shape, Shape):
        return _struct(shape)
    return _SCALARS[shape]


def _struct(shape: type[Shape]) -> Callable[[Element], Any]:
    members: dict[str, tuple[str, bool, Callable[[Element], Any]]] = {}
    for one in msgspec.structs.fields(shape):
        repeated = get_origin(one.type) is list
        members[one.encode_name] = one.name, repeated, reader(get_args(one.type)[0] if repeated else one.type)
    del members["_typeName"]

    def made(element: Element) -> Any:
        fields: dict[str, Any] = {}
        for child in element:
            member = members.get(_local(child.tag))
            if member is None or _is_nil(child):
                continue
            name, repeated, read = member
            if repeated:
                fields.setdefault(name, []).append(read(child))
            else:
                fields[name] = read(child)
        return shape(type_name=type_of(element), **fields)

    return made


def _text(element: Element) -> str:
    if len(element):
        raise UnfamiliarError(f"{_local(element.tag)} has parts where a plain value was expected")
    return element.text or ""


def _integer(element: Element) -> int:
    text = _text(element).strip()
    if not _INTEGER.fullmatch(text):
        raise UnfamiliarError(f"{_local(element.tag)} is no whole number")
    return int(text)


def _float(element: Element) -> float:
    try:
        return float(_text(element))
    except ValueError:
        raise UnfamiliarError(f"{_local(element.tag)} is no number") from None


def _boolean(element: Element) -> bool:
    value = _BOOLEANS.get(_text(element).strip())
    if value is None:
        raise UnfamiliarError(f"{_local(element.tag)} is neither true nor false")
    return value


def _time(element: Element) -> datetime:
    try:
        return datetime.fromisoformat(_text(element).strip())  # cuts off what is finer than microseconds, as pyVmomi does
    except ValueError:
        raise UnfamiliarError(f"{_local(element.tag)} is no time") from None


def _ref(element: Element) -> Ref:
    kind = element.get("type")
    if not kind:
        raise UnfamiliarError(f"{_local(element.tag)} is a reference without a type")
    return Ref(kind.strip().rpartition(":")[2], _text(element))


def _anything(element: Element) -> bool | int | float | str:
    """A value that says its own type, without the box it has in JSON."""
    kind = type_of(element)
    if kind in _INTEGERS:
        return _integer(element)
    if kind in _FLOATS:
        return _float(element)
    return _boolean(element) if kind == "boolean" else _text(element)


_SCALARS: dict[Any, Callable[[Element], Any]] = {str: _text, int: _integer, float: _float, bool: _boolean, datetime: _time, Ref: _ref}
