"""Masks whole documents, JSON and XML, field by field; what stands between the fields stays as it was."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from auditor.recording.fields import SECRET_FIELD, SERIAL_NUMBERS, WORLD_WIDE_NAMES, fate_of, fate_of_extension, kept_forms
from auditor.recording.masking import Fate
from auditor.recording.paths import NUMBERED, masked_path, numbered_id

if TYPE_CHECKING:
    from auditor.model import EndpointKind
    from auditor.recording.masking import Masker

Path = tuple[str, ...]

_LONG_NUMBER = re.compile(r"-?[0-9]{1,20}(?:,-?[0-9]{0,20})*|-?[0-9]+\.[0-9]+")
_REFERENCE = re.compile(r"[A-Za-z][A-Za-z0-9]{0,60}(?:-[A-Za-z]{0,20}[0-9]{0,9}){0,6}")
_FIELD = re.compile(r"[A-Za-z_@$][A-Za-z0-9_@$:. -]{0,60}|")
_NUMBER = re.compile(r"[0-9]{1,7}|[0-9]{1,2}\.[0-9]{1,2}")
_MOST_DIGITS = 4
_TASK = re.compile(r"task-\d{1,9}|(?:vm|datastore|host)-\d{1,9}:\d{1,9}")
_CAPABILITY = re.compile(
    r"spm@DATASTOREIOCONTROL|limit|reservation|shares|(?:min|max|burst)IOPS"
)  # `endpoints.vcenter.policies`; other ids may be names of tags
_SESSION = re.compile(r"session\[[^\]]*\]")
_TRANSPARENT = frozenset(("_value", "val", "value_", "returnval", "string", "anytype"))
_CLI_TYPE = "VimEsxCLI"
_RAW_BYTES = frozenset(("durablename", "alternatename", "standardinquiry"))
"""Inquiry data of a ScsiLun, byte by byte: serial numbers are in it, and nothing of the product reads it (`endpoints.vcenter.stub`)."""


def masked_json(value: Any, kind: EndpointKind, masker: Masker, path: Path = ()) -> Any:
    """A decoded JSON value with everything masked that `fields` does not keep."""
    if isinstance(value, dict):
        return _masked_object(value, kind, masker, path)
    if isinstance(value, list):
        return [masked_json(one, kind, masker, path) for one in value]
    if isinstance(value, str):
        return masked_text(value, kind, masker, path)
    own = path[-1].lower() if path else ""
    if isinstance(value, int) and not isinstance(value, bool):
        if own in WORLD_WIDE_NAMES:
            return masker.number(value, wwn=True)
        if own in SERIAL_NUMBERS:
            return masker.number(value)
    return value


def _masked_object(value: dict[str, Any], kind: EndpointKind, masker: Masker, path: Path) -> dict[str, Any]:
    forms = kept_forms(kind)
    if forms.is_soap and set(value) <= {"type", "value", "_typeName"} and isinstance(value.get("value"), str):
        return {**value, "value": reference(value["value"], masker)}
    named = next((value[key] for key in ("name", "attributeName") if isinstance(value.get(key), str)), None)
    out: dict[str, Any] = {}
    for key, inner in value.items():
        if key.lower() in _RAW_BYTES:
            continue
        below = (*path, key)
        if named is not None and key in ("val", "value"):
            # A property of a managed object is named beside its value; so is one of a row of ONTAP's counters.
            below = (*path, "val", *named.split(".")) if key == "val" else (*path, "named", "type" if named in forms.properties else "name")
        elif named is not None and key == "attributeValue":
            below = (*path, named)
        elif key in ("_value", "ManagedObjectReference"):
            below = path
        if SECRET_FIELD.search(key) and isinstance(inner, str | list | dict) and inner:
            out[_masked_key(key, masker)] = masker.secret() if isinstance(inner, str) else None
        else:
            out[_masked_key(key, masker)] = masked_json(inner, kind, masker, below)
    return out


def _masked_key(key: str, masker: Masker) -> str:
    """The name of a field is the API's. One with more than a few digits is that of an object; a number may be one of a curve."""
    is_field = _FIELD.fullmatch(key) and sum(one.isdigit() for one in key) <= _MOST_DIGITS
    if not is_field and not _NUMBER.fullmatch(key):
        return masker.text(key, Fate.NAME)
    masker.kept_words.add(key.lower())
    return key


def masked_text(text: str, kind: EndpointKind, masker: Masker, path: Path) -> str:
    """A text in a field."""
    forms = kept_forms(kind)
    if forms.is_soap and text.lstrip().startswith("<"):
        # What esxcli takes and answers is XML in XML; its arguments are several elements in a row.
        with suppress(ValueError):
            return masked_xml(f"<in>{text}</in>", kind, masker).removeprefix("<in>").removesuffix("</in>")
    own = path[-1].lower() if path else ""
    if own in WORLD_WIDE_NAMES and re.fullmatch(r"-?\d{17,20}", text):
        return str(masker.number(int(text), wwn=True))
    if own == "id" and _CAPABILITY.fullmatch(text):
        return text
    if (forms.constants and forms.constants.fullmatch(text)) or (own == "key" and _TASK.fullmatch(text)):
        return masker.kept(text)
    if forms.device_serial and forms.device_serial.fullmatch(text):
        return masker.text(f"{forms.device_prefix}{text}", Fate.NAME).removeprefix(forms.device_prefix)
    if own == "href":  # an object's own address may end in its name
        return masked_path(kind, text, masker) if "next" in path else ""
    if own in ("value", "samplecsv") and _LONG_NUMBER.fullmatch(text):
        return text
    if own in forms.numbered and (match := NUMBERED.fullmatch(text)):
        return numbered_id(match, masker)
    is_extension = own == "company" or (own == "key" and len(path) > 1 and path[-2].lower() in ("extensionlist", "extension"))
    return masker.text(text, fate_of_extension(text) if is_extension else fate_of(kind, path))


def reference(text: str, masker: Masker) -> str:
    """The id of a managed object: made by the product, unless there are names in it, as VMware's simulator has it."""
    if match := _SESSION.match(text):
        return f"session[]{masker.text(text[match.end() :], Fate.NAME)}"
    return text if _REFERENCE.fullmatch(text) else masker.text(text, Fate.NAME)


class _XmlMasker:
    """Writes a document anew while it is parsed; comments, processing instructions and document types are left out."""

    def __init__(self, kind: EndpointKind, masker: Masker) -> None:
        self.out: list[str] = []
        self._kind = kind
        self._masker = masker
        self._open: list[tuple[str, Path, bool, bool]] = []  # tag, its path, whether a reference, whether left out
        self._text: list[str] = []
        self._named: list[str] = [""]  # by depth: what the latest `name` beside said
        self._pending = False  # the start tag is not closed yet

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._flush(is_leaf=False)
        local = tag.rpartition(":")[2]
        self._masker.kept_words.add(local.lower())
        path = self._open[-1][1] if self._open else ()
        left_out = (self._open[-1][3] if self._open else False) or local.lower() in _RAW_BYTES
        types = {name.rpartition(":")[2]: value for name, value in attributes.items() if name.endswith(":type")}
        if types.get("type", "").startswith(_CLI_TYPE):
            path = (*path, types["type"])
        elif local == "val" and self._named[-1]:
            path = (*path, "val", *self._named[-1].split("."))
        elif local not in _TRANSPARENT and not local.startswith("ArrayOf"):
            path = (*path, local)
        is_reference = "type" in attributes
        self._open.append((local, path, is_reference, left_out))
        self._named.append("")
        if not left_out:
            shown = "".join(f" {name}={quoteattr(self._attribute(name, value))}" for name, value in attributes.items())
            self.out.append(f"<{tag}{shown}>")

    def text(self, text: str) -> None:
        self._text.append(text)

    def end(self, tag: str) -> None:
        local, _, _, left_out = self._open[-1]
        self._flush(is_leaf=True)
        self._open.pop()
        self._named.pop()
        if not left_out:
            self.out.append(f"</{tag}>")
        if local in ("propSet", "missingSet"):
            self._named[-1] = ""

    def _attribute(self, name: str, value: str) -> str:
        known = name.startswith("xmlns") or name in ("type", "versionId") or name.endswith((":type", ":nil"))
        return value if known else self._masker.text(value, Fate.NAME)

    def _flush(self, *, is_leaf: bool) -> None:
        text, self._text = "".join(self._text), []
        if not self._open or self._open[-1][3] or not text:
            return
        local, path, is_reference, _ = self._open[-1]
        if not is_leaf or not text.strip():
            self.out.append(escape(text) if not text.strip() else "")
            return
        if local == "name" and len(self._open) > 1 and self._open[-2][0] in ("propSet", "argument"):
            self._named[-2] = text
        if SECRET_FIELD.search(local):
            masked = self._masker.secret()
        elif is_reference:
            masked = reference(text, self._masker)
        else:
            masked = masked_text(text, self._kind, self._masker, path)
        self.out.append(escape(masked))


def masked_xml(text: str, kind: EndpointKind, masker: Masker) -> str:
    """An XML document with everything masked that `fields` does not keep.

    Raises:
        ValueError: it is no XML, or declares entities.
    """
    head = '<?xml version="1.0" encoding="UTF-8"?>\n' if text.lstrip().startswith("<?xml") else ""
    writer = _XmlMasker(kind, masker)
    parser = expat.ParserCreate("UTF-8")
    parser.ordered_attributes = False
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = writer.start, writer.end, writer.text
    parser.EntityDeclHandler = _no_entities
    try:
        parser.Parse(text.encode(), True)  # noqa: FBT003  expat takes it by its place
    except expat.ExpatError as error:
        raise ValueError(str(error)) from None
    return head + "".join(writer.out)


def _no_entities(*_arguments: Any) -> None:
    raise ValueError("a document that declares entities is not recorded")
