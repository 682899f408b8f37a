"""The envelope of a SOAP answer split without building a tree, and every property in it by the quickest way that is surely right.

What vCenter really writes is spelt out as regular expressions that join end to end, so what is taken is the whole document and
well-formed. Anything else gives None, and `soap_parsing` has the answer. Imports pyVmomi (for the faults of missingSet).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from auditor.endpoints.vcenter.bulk.reading import Answer, ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.endpoints.vcenter.bulk.soap_grammar import NAME, SCANNERS, TEXT, unescaped
from auditor.endpoints.vcenter.bulk.soap_parsing import SOAP, VIM, XSD, XSI, NonsenseError, missing_of, shape_of, value_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_KNOWN = {"xsi": XSI, "xsd": XSD}
_NAMESPACES = rf'(?P<{{}}>(?:\s+xmlns:{NAME}="[A-Za-z0-9:/.#_-]*+")*+)\s*+'
_OPENING = re.compile(
    r'<\?xml version="1\.0" encoding="(?:UTF|utf)-8" ?\?>\s*+'
    rf"<(?P<prefix>{NAME}):Envelope{_NAMESPACES.format('outer')}>\s*+<(?P=prefix):Body>\s*+"
    rf'<(?P<response>{NAME}) xmlns="{VIM}">\s*+<returnval(?: versionId="[0-9.]*+")?+{_NAMESPACES.format("inner")}>'
    rf"(?:<token>(?P<token>{TEXT})</token>)?+"
)
_CLOSING = re.compile(rf"</returnval>\s*+</(?P<response>{NAME})>\s*+</(?P<prefix>{NAME}):Body>\s*+</(?P=prefix):Envelope>\s*+\Z")
_NAMESPACE = re.compile(rf'xmlns:({NAME})="([^"]*)"')
_OBJECT = re.compile(rf'<objects><obj type="({NAME})"(?: serverGuid="[A-Za-z0-9-]*+")?+>({TEXT})</obj>')
_PROPERTY = re.compile(rf'<propSet><name>({TEXT})</name><val((?: (?:xsi:)?type="(?:xsd:)?{NAME}")*+)>')
_TYPE = re.compile(rf' xsi:type="({NAME})"')  # of urn:vim25: without prefix
_REF = re.compile(rf' type="({NAME})"(?: xsi:type="ManagedObjectReference")?+| xsi:type="ManagedObjectReference" type="({NAME})"')
_BOOLEANS = {"true": True, "false": False}
_UNFIT = re.compile("[\ufffe\uffff]")  # the only characters, past the control characters, that XML does not allow
_STRING = re.compile(rf"({TEXT})</val></propSet>")
_PROPERTY_END = "</val></propSet>"
_MISSING = "<missingSet>"
_MISSING_END = "</missingSet>"
_OBJECT_END = "</objects>"
_WHOLE = f' xmlns="{VIM}" xmlns:xsi="{XSI}" xmlns:xsd="{XSD}"'


def scanned(body: bytes, operation: str, kind: str) -> Answer | None:
    """The answer to `operation`, which asked for properties of `kind`; None where only the parser can find it."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    opening = _OPENING.match(text)
    if not text.isascii() and _UNFIT.search(text):
        return None
    if opening is None or opening["response"] != f"{operation}Response" or not _usual(opening):
        return None
    objects: list[ObjectProperties] = []
    at = opening.end()
    try:
        while one := _OBJECT.match(text, at):
            content = _content(text, one.end(), kind)
            if content is None:
                return None
            at, values, missing = content
            objects.append(ObjectProperties(Ref(one[1], unescaped(one[2])), values, missing))
    except NonsenseError:
        return None  # the cut may have been wrong: let the parser see the whole
    closing = _CLOSING.match(text, at)
    if closing is None or (closing["prefix"], closing["response"]) != (opening["prefix"], opening["response"]):
        return None
    return Answer(objects, unescaped(opening["token"] or "") or None, len(body))


def _usual(opening: re.Match[str]) -> bool:
    """Whether the prefixes mean what they usually do, everywhere."""
    outer, inner = (_NAMESPACE.findall(opening[group]) for group in ("outer", "inner"))
    spaces = dict(outer)
    return (
        len(spaces) == len(outer)
        and spaces.get(opening["prefix"]) == SOAP
        and len(dict(inner)) == len(inner)
        and all(_KNOWN.get(prefix) == space for prefix, space in inner)
        and all({**spaces, **dict(inner)}.get(prefix) == space for prefix, space in _KNOWN.items())
    )


def _content(text: str, at: int, kind: str) -> tuple[int, dict[str, Any], Mapping[str, str]] | None:
    """Where the object ends that `at` is in, and what it holds."""
    values = {}
    while one := _PROPERTY.match(text, at):
        path = unescaped(one[1])
        shape = shape_of(kind, path)
        start = one.end()
        if shape is str and (plain := _STRING.match(text, start)):
            values[path], at = unescaped(plain[1]), plain.end()
            continue
        end = text.find(_PROPERTY_END, start)
        if end < 0:
            return None
        value = _scanned_value(text, start, end, path, shape, one[2])
        # The attributes may be nonsense; then the parser says so.
        values[path] = value_of(f"<val{_WHOLE}{one[2]}>{text[start:end]}</val>", shape) if value is None else value
        at = end + len(_PROPERTY_END)
    missing = {}
    while text.startswith(_MISSING, at):
        end = text.find(_MISSING_END, at)
        if end < 0:
            return None
        inside = text[at + len(_MISSING) : end]
        path, why = missing_of(f"<missingSet{_WHOLE}>{inside}{_MISSING_END}")
        missing[path] = why
        at = end + len(_MISSING_END)
    return (at + len(_OBJECT_END), values, missing) if text.startswith(_OBJECT_END, at) else None


def _scanned_value(text: str, start: int, end: int, path: str, shape: Any, attributes: str) -> Any:
    if shape is bool:
        return _BOOLEANS.get(text[start:end])
    if shape is Ref:
        of = _REF.fullmatch(attributes)
        return Ref(of[1] or of[2], unescaped(match[1])) if of and (match := _STRING.match(text, start)) else None
    scan, kind = SCANNERS.get(path), _TYPE.fullmatch(attributes)
    return scan(text, start, end, kind[1]) if scan is not None and kind is not None else None
