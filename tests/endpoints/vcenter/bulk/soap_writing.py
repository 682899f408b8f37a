"""Answers of the PropertyCollector written from shapes, as vCenter writes them or in any other way XML allows; and shapes to write.

The order of elements is pyVmomi's own, which is the API's, and elements that no shape has a field for stand between them.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol, get_args, get_origin
from xml.sax.saxutils import escape

import msgspec
from hypothesis import strategies as st
from pyVmomi import VmomiSupport

from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import (
    Boxed,
    Capacity,
    LogicalUnit,
    MultipathInfo,
    OptionValue,
    Path,
    Policy,
    Ref,
    ScsiLun,
    Shape,
    Transport,
)

SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
XSD = "http://www.w3.org/2001/XMLSchema"

# The subtypes vCenter sends, and the API's own type where the element names none.
TYPES: Mapping[type[Shape], Sequence[str]] = {
    ScsiLun: ("HostScsiDisk", "ScsiLun"),
    MultipathInfo: ("HostMultipathInfo",),
    LogicalUnit: ("",),
    Path: ("",),
    Policy: ("", "HostMultipathInfoFixedLogicalUnitPolicy"),
    Transport: ("HostInternetScsiTargetTransport", "HostFibreChannelTargetTransport"),
    Capacity: ("",),
    OptionValue: ("", "OptionValue"),
}
DECLARED = {
    ScsiLun: "HostScsiDisk",
    MultipathInfo: "HostMultipathInfo",
    LogicalUnit: "HostMultipathInfoLogicalUnit",
    Path: "HostMultipathInfoPath",
    Policy: "HostMultipathInfoFixedLogicalUnitPolicy",
    Transport: "HostInternetScsiTargetTransport",
    Capacity: "HostDiskDimensionsLba",
    OptionValue: "OptionValue",
}
# What the API has besides, as hosts send it; nobody reads it.
UNREAD = {
    "key": "<key>key-vim.host.MultipathInfo.Path-x</key>",
    "lun": "<lun>key-vim.host.ScsiDisk-02</lun>",
    "deviceType": "<deviceType>disk</deviceType>",
    "uuid": "<uuid>02000000&amp;6001</uuid>",
    "descriptor": "<descriptor><quality>highQuality</quality><id>vml.02</id></descriptor>" * 2,
    "scsiLevel": "<scsiLevel>6</scsiLevel>",
    "serialNumber": "<serialNumber>unavailable</serialNumber>",
    "durableName": "<durableName><namespace>VPD</namespace><namespaceId>5</namespaceId><data>0</data><data>-78</data></durableName>",
    "alternateName": "<alternateName><namespaceId>5</namespaceId><data>1</data></alternateName>" * 2,
    "standardInquiry": "<standardInquiry>0</standardInquiry><standardInquiry>-1</standardInquiry>",
    "capabilities": "<capabilities><updateDisplayNameSupported>true</updateDisplayNameSupported></capabilities>",
    "perenniallyReserved": "<perenniallyReserved>false</perenniallyReserved>",
    "applicationProtocol": "<applicationProtocol>SCSI</applicationProtocol>",
    "devicePath": "<devicePath>/vmfs/devices/disks/naa.6</devicePath>",
    "vsanDiskInfo": "<vsanDiskInfo><vsanUuid>52</vsanUuid><formatVersion>19</formatVersion></vsanDiskInfo>",
    "scsiDiskType": "<scsiDiskType>native512</scsiDiskType>",
    "iScsiAlias": "<iScsiAlias></iScsiAlias>",
    "address": "<address>198.51.100.10:3260</address>",
    "nodeWorldWideName": "<nodeWorldWideName>-1</nodeWorldWideName>",
    "prefer": "<prefer>vmhba1:C0:T0:L0</prefer>",
}
NEWER = '<fromANewerApi xsi:type="NobodyKnows"><key>1</key><vendor>x</vendor></fromANewerApi><andAnother></andAnother>'


class Spelling(Protocol):
    """How text, tags and what stands between them are written."""

    def text(self, text: str) -> str:
        """The content of an element."""

    def element(self, name: str, attributes: Mapping[str, str], content: str) -> str:
        """An element of urn:vim25."""

    def between(self) -> str:
        """What may stand between two elements."""


class AsVCenter:
    """No more than is needed."""

    def text(self, text: str) -> str:
        """See `Spelling`."""
        return escape(text, {"\r": "&#xD;", '"': "&#34;", "'": "&apos;"})

    def element(self, name: str, attributes: Mapping[str, str], content: str) -> str:
        """See `Spelling`."""
        marks = "".join(f' {key}="{value}"' for key, value in attributes.items())
        return f"<{name}{marks}>{content}</{name}>"

    def between(self) -> str:
        """See `Spelling`."""
        return ""


class AnyWay:
    """Whatever XML allows; `draw` is hypothesis's."""

    def __init__(self, draw: Any) -> None:
        self._draw = draw

    def _one(self, *choices: str) -> str:
        return str(self._draw(st.sampled_from(choices)))

    def text(self, text: str) -> str:
        """See `Spelling`."""
        numbered = "".join(f"&#{ord(mark)};" for mark in text)
        sections = "" if "\r" in text else f"<![CDATA[{text.replace(']]>', ']]]]><![CDATA[>')}]]>"
        cut = len(text) // 2
        halves = f"{AsVCenter().text(text[:cut])}<!-- a > b -->{AsVCenter().text(text[cut:])}"
        return self._one(AsVCenter().text(text), numbered, sections or numbered, halves)

    def element(self, name: str, attributes: Mapping[str, str], content: str) -> str:
        """See `Spelling`."""
        pairs = list(attributes.items())
        if self._draw(st.booleans()):
            pairs.reverse()
        tag = self._one("", "v:") + name
        quote = self._one('"', "'")
        marks = "".join(f"{self._one(' ', chr(10))}{key} = {quote}{value}{quote}" for key, value in pairs)
        if not content and self._draw(st.booleans()):
            return f"<{tag}{marks}/>"
        return f"<{tag}{marks} >{content}</{tag} >"

    def between(self) -> str:
        """See `Spelling`."""
        return self._one("", "", " \n\t", "<!-- <val>no</val> -->", "<?ignore me?>")


def answer(found: Sequence[ObjectProperties], token: str | None, spelling: Spelling, *, declared: Mapping[str, Any], extras: bool) -> bytes:
    """A RetrievePropertiesExResponse; `declared` has the shape of each property."""
    objects = [] if token is None else [spelling.element("token", {}, spelling.text(token))]
    for one in found:
        parts = [written("obj", one.ref, Ref, spelling, extras=extras)]
        for path, value in one.values.items():
            reported = (
                spelling.element("name", {}, spelling.text(path)) + spelling.between() + _val(value, declared[path], spelling, extras)
            )
            parts.append(spelling.element("propSet", {}, spelling.between() + reported + spelling.between()))
        for path, why in one.missing.items():
            fault = spelling.element("fault", {"xsi:type": why}, spelling.element("privilegeId", {}, "System.Read"))
            fault = spelling.element("fault", {}, fault + spelling.element("localizedMessage", {}, spelling.text("Not allowed.")))
            parts.append(spelling.element("missingSet", {}, spelling.element("path", {}, spelling.text(path)) + fault))
        objects.append(spelling.element("objects", {}, spelling.between().join(["", *parts, ""])))
    result = spelling.element("returnval", {}, spelling.between().join(["", *objects, ""]))
    result = spelling.element("RetrievePropertiesExResponse", {"xmlns": "urn:vim25"}, result)
    known = {"soapenv": SOAP, "xsd": XSD, "xsi": XSI} | ({"v": "urn:vim25"} if isinstance(spelling, AnyWay) else {})
    spaces = "".join(f' xmlns:{prefix}="{space}"' for prefix, space in known.items())
    body = f"<soapenv:Body>\n{result}\n</soapenv:Body>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<soapenv:Envelope{spaces}>\n{body}\n</soapenv:Envelope>'.encode()


def _val(value: Any, shape: Any, spelling: Spelling, extras: bool) -> str:
    if get_origin(shape) is list:
        item = get_args(shape)[0]
        kind = "ManagedObjectReference" if item is Ref else DECLARED.get(item, item.__name__)
        kind = "ScsiLun" if item is ScsiLun else kind
        items = [written(kind, one, item, spelling, extras=extras) for one in value]
        return spelling.element("val", {"xsi:type": f"ArrayOf{kind}"}, "".join(items))
    if shape in _PRIMITIVES:
        return spelling.element("val", {"xsi:type": _PRIMITIVES[shape]}, spelling.text(_plain(value)))
    return written("val", value, shape, spelling, extras=extras, always_typed=True)


_PRIMITIVES = {str: "xsd:string", bool: "xsd:boolean", int: "xsd:long", datetime: "xsd:dateTime"}


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, datetime) else str(value)


def written(name: str, value: Any, shape: Any, spelling: Spelling, *, extras: bool, always_typed: bool = False) -> str:
    """One element."""
    if isinstance(value, Ref):
        typed = {"xsi:type": "ManagedObjectReference"} if always_typed else {}
        return spelling.element(name, {"type": value.type, **typed}, spelling.text(value.value))
    if not isinstance(value, Shape):
        free = isinstance(shape, types.UnionType) and Boxed in get_args(shape)
        kinds = {bool: "boolean", int: "long", float: "double", str: "string"}
        return spelling.element(name, {"xsi:type": f"xsd:{kinds[type(value)]}"} if free else {}, spelling.text(_plain(value)))
    typed = {"xsi:type": value.type_name} if value.type_name else {}
    parts = []
    for member, child in _members(type(value)):
        if child is None:
            parts.append(UNREAD.get(member, "") if extras else "")
            continue
        held = getattr(value, child.name)
        several = get_origin(child.type) is list
        item = get_args(child.type)[0] if several else child.type
        parts += [written(member, one, item, spelling, extras=extras) for one in (held if several else [] if held is None else [held])]
    parts.append(NEWER if extras and type(value) not in (OptionValue, Capacity, MultipathInfo) else "")
    parts = [part for part in parts if part]
    return spelling.element(name, typed, spelling.between().join(["", *parts, ""]))


def _members(shape: type[Shape]) -> list[tuple[str, msgspec.structs.FieldInfo | None]]:
    """The API's elements in its order, with the field that holds each; a shape the API's order matters not for, in its own."""
    fields = {one.encode_name: one for one in msgspec.structs.fields(shape) if one.encode_name != "_typeName"}
    if shape not in DECLARED:
        return list(fields.items())
    listed = VmomiSupport.GetWsdlType("urn:vim25", DECLARED[shape])._GetPropertyList()
    names = [info.name for info in listed]
    return [(name, fields.pop(name, None)) for name in names] + list(fields.items())


_MARKS = st.sampled_from("&<>\"'] \t\n\r")
_TEXTS = st.text(_MARKS | st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=8)
_INTEGERS = st.integers(-(2**63), 2**63 - 1)
_TIMES = st.datetimes(timezones=st.just(UTC))


def values_of(shape: Any, *, plain: bool) -> st.SearchStrategy[Any]:
    """Any value of a shape; `plain` leaves out what host options never hold: nothing, and numbers with a fraction."""
    if get_origin(shape) is list:
        return st.lists(values_of(get_args(shape)[0], plain=plain), max_size=3)
    if isinstance(shape, types.UnionType):
        if Boxed in get_args(shape):
            usual = st.booleans() | _INTEGERS | _TEXTS
            return usual if plain else usual | st.floats(allow_nan=False) | st.none()
        return st.none() | values_of(get_args(shape)[0], plain=plain)
    if shape is Ref:
        return st.builds(Ref, st.sampled_from(["HostSystem", "ComputeResource"]), _TEXTS)
    if isinstance(shape, type) and issubclass(shape, Shape):
        fields = {one.name: values_of(one.type, plain=plain) for one in msgspec.structs.fields(shape) if one.name != "type_name"}
        if plain and shape is OptionValue:
            fields["is_inherited"] = st.none()
        return st.builds(shape, type_name=st.sampled_from(TYPES.get(shape, ("", f"Sub{shape.__name__}"))), **fields)
    return {str: _TEXTS, bool: st.booleans(), int: _INTEGERS, datetime: _TIMES}[shape]
