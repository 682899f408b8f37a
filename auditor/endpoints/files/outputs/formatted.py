"""Reads what --formatter makes: xml, json, csv and keyvalue.

Names of fields have no blanks there, and values keep their padding, which is taken off.

Source: shared captures of outputs of 5.5, 7.0 and 8.0.
"""

from __future__ import annotations

import csv
import json
import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from auditor.bounds.limits import JSON_CONTAINERS, JSON_VALUES
from auditor.endpoints.files.outputs.known import LISTS, Known
from auditor.endpoints.files.outputs.output import Found, cell_of, shown
from auditor.endpoints.vcenter.esxcli_records import local_name, plain_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from auditor.endpoints.vcenter.esxcli_records import Cell

_VALUE = "value"
_LOOKED_AT = 100
"""Lines before the data in which somebody complains; readers of bundles skip as many."""
_DEEPEST = 64
_PAIR = re.compile(r"(?P<path>[A-Za-z_][\w.]*+(?:\[[0-9]{1,9}\][\w.]*+)*+)=(?P<value>.*)")
_KIND = re.compile(r"(?:string|integer|boolean|int|long|bool|double|float|unsigned|size|date|ip|array)(?:\[[0-9]+\])?")
_STRUCTURE = re.compile(r"structure\[([0-9]{1,9})\]")
_JSON = re.compile(r"\s*(?:\[\s*(?:$|[\[{\"\]])|\{\s*(?:$|[\"}]))")
_FIELD = re.compile(r"   [^\s\"{\[\]}][^:]*:")
"""A line of the text formatter, below a heading."""
_CSV_NAME = re.compile(r"[A-Za-z][A-Za-z0-9 /()_-]{0,99}")


def begins_with(lines: Sequence[str], *starts: str) -> int | None:
    """The first of the first lines that begins so; None where none does."""
    for at, line in enumerate(lines[: _LOOKED_AT + 1]):
        if line.lstrip().startswith(starts):
            return at
    return None


def json_begins(lines: Sequence[str]) -> int | None:
    """The first of the first lines that goes on as JSON does; None for "[prod] data" and a heading "{}", which are names."""
    for at, line in enumerate(lines[: _LOOKED_AT + 1]):
        if _JSON.match(line) and not (at + 1 < len(lines) and _FIELD.match(lines[at + 1])):
            return at
    return None


def xml_in(lines: Sequence[str], at: int) -> Found:
    """The structures of xml, which begins in line `at`. It has no document type: that is how entities are made to explode."""
    found = Found()
    _before(lines[:at], found)
    text = "\n".join(lines[at:]).strip()
    end = text.rfind(">") + 1
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        found.doubt("It is XML with a document type, which is not read.")
        return found
    if text[end:].strip():
        found.doubt(f"Behind the XML is a line that was not understood: {shown(text[end:])}.")
    parser: Any = ElementTree.XMLPullParser(("start", "end"))
    deep = 0
    try:
        for start in range(0, end, 1 << 16):
            parser.feed(text[start : min(end, start + (1 << 16))])
            for event, element in parser.read_events():
                deep += 1 if event == "start" else -1
                if deep > _DEEPEST:
                    found.doubt("It is XML that is nested too deeply.")
                    return found
                if event == "end" and local_name(element.tag) == "root":
                    _root(element, found)
        parser.close()
    except ElementTree.ParseError as error:
        found.records.clear()
        found.doubt(f"It is not XML to the end: {error}.")
    return found


def _root(root: ElementTree.Element, found: Found) -> None:
    for child in root:
        kind = local_name(child.tag)
        if kind == "structure":
            found.records.append(_structure(child))
        elif kind == "list":
            for entry in child:
                found.records.append(_structure(entry) if local_name(entry.tag) == "structure" else {_VALUE: (entry.text or "").strip()})
        else:
            found.records.append({_VALUE: (child.text or "").strip()})


def _structure(structure: ElementTree.Element) -> dict[str, Cell]:
    record: dict[str, Cell] = {}
    for field in structure:
        name = field.get("name", "")
        if not name:
            continue
        value = field[0] if len(field) else None
        if value is None:
            record[name] = (field.text or "").strip()
        elif local_name(value.tag) in ("list", "structure"):
            inner = [entry for entry in value.iter() if local_name(entry.tag) == "field"]
            if inner:
                record.update(_nested(name, [(one.get("name", ""), (one[0].text or "") if len(one) else "") for one in inner]))
            else:
                record[name] = cell_of(entry.text or "" for entry in value)
        else:
            record[name] = (value.text or "").strip()
    return record


def _nested(name: str, fields: Sequence[tuple[str, str]]) -> dict[str, Cell]:
    """The fields of structures within a field, each with all its values."""
    values: dict[str, list[str]] = {}
    for inner, value in fields:
        values.setdefault(f"{name} {inner}", []).append(value)
    return {key: cell_of(several) for key, several in values.items()}


def json_in(lines: Sequence[str], at: int) -> Found:
    """The objects of JSON, which begins in line `at`."""
    found = Found()
    _before(lines[:at], found)
    text = "\n".join(lines[at:]).strip()
    if text.count("{") + text.count("[") > JSON_CONTAINERS or text.count(",") > JSON_VALUES:
        found.doubt("It is JSON that holds too much.")
        return found
    decoder = json.JSONDecoder(object_pairs_hook=_object, parse_int=str, parse_float=str, parse_constant=str)
    try:
        value, end = decoder.raw_decode(text)
    except (ValueError, RecursionError) as error:
        found.doubt(
            "It is JSON that is nested too deeply." if isinstance(error, RecursionError) else f"It is not JSON to the end: {error}."
        )
        return found
    if text[end:].strip():
        found.doubt(f"Behind the JSON is a line that was not understood: {shown(text[end : end + 400])}.")
    for record in value if isinstance(value, list) else [value]:
        found.records.append(_fields(record) if isinstance(record, dict) else {_VALUE: _text(record)})
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("an object names a field twice")
    return made


def _fields(record: Mapping[str, Any]) -> dict[str, Cell]:
    fields: dict[str, Cell] = {}
    for name, value in record.items():
        structures = (
            [value] if isinstance(value, dict) else [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
        )
        if structures:
            fields.update(_nested(name, [(inner, _text(text)) for one in structures for inner, text in one.items()]))
        else:
            fields[name] = None if value is None else cell_of(map(_text, value)) if isinstance(value, list) else _text(value)
    return fields


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.strip() if isinstance(value, str) else "" if value is None else json.dumps(value)


def is_keyvalue(line: str) -> bool:
    """Whether a line is one of keyvalue: a path that ends with the kind of its value."""
    match = _PAIR.fullmatch(line.strip())
    return match is not None and "." in match["path"] and _KIND.fullmatch(match["path"].rpartition(".")[2]) is not None


def keyvalue_in(lines: Sequence[str]) -> Found:
    """The structures of keyvalue: a value a line, behind its path."""
    found = Found(omits_empty_lists=True)
    records: dict[str, dict[str, list[str]]] = {}
    seen: set[str] = set()
    for line in lines:
        if not line.strip():
            continue
        match = _PAIR.fullmatch(line.strip())
        place = None if match is None else _place(match["path"])
        if match is None or place is None:
            (found.doubt if records else found.note)(f"A line was not understood: {shown(line)}.")
            continue
        if match["path"] in seen:
            found.doubt(f"A value comes twice: {shown(match['path'])}.")
            continue
        seen.add(match["path"])
        number, name = place
        records.setdefault(number, {}).setdefault(name, []).append(match["value"].strip())
    found.records = [{name: cell_of(texts) for name, texts in record.items()} for record in records.values()]
    numbers = [int(number) for number in records if number]
    if numbers and numbers != list(range(len(numbers))):
        found.doubt("Some of the structures are missing.")
    return found


def _place(path: str) -> tuple[str, str] | None:
    """The number of the structure that a path is in, and the name of the field."""
    parts = path.split(".")
    structure = _STRUCTURE.fullmatch(parts[0])
    inner = [part for part in parts[(2 if structure else 1) : -1] if not _STRUCTURE.fullmatch(part)]
    if len(parts) < 3 or not _KIND.fullmatch(parts[-1]) or not inner:
        return None
    return structure[1] if structure else "", inner[0] if len(inner) == 1 else f"{inner[0]} {inner[-1]}"


def csv_header(line: str) -> list[str] | None:
    """The names in a header of csv; None for a line that is not a header. Each line ends with a comma."""
    if "," not in line or ": " in line:
        return None
    names = line.strip().split(",")
    names = names[:-1] if names[-1] == "" else names
    if not all(_CSV_NAME.fullmatch(name) for name in names):
        return None
    return names if line.strip().endswith(",") or len(names) > 2 else None


def csv_in(lines: Sequence[str], at: int, known: Known) -> Found:
    """The rows of csv, whose header is line `at`. The name of a device comes from its path, since csv has no heading."""
    found = Found()
    _before(lines[:at], found)
    names = csv_header(lines[at]) or []
    ends_with_comma = lines[at].strip().endswith(",")
    found.names = names
    for line in lines[at + 1 :]:
        if line.strip():
            cells = _csv_cells(line, len(names), ends_with_comma=ends_with_comma)
            if cells is None:
                found.doubt(f"A row does not fit its columns: {shown(line)}.")
            else:
                found.records.append({name: _csv_cell(name, cell, known) for name, cell in zip(names, cells, strict=True)})
    if not found.records:
        found.doubt("The table has a header and no rows.")
    return found


def _csv_cells(line: str, count: int, *, ends_with_comma: bool) -> list[str] | None:
    try:
        rows = list(csv.reader([line], strict=True))
    except csv.Error:
        return None
    cells = rows[0] if len(rows) == 1 else []
    if ends_with_comma:
        return cells[:-1] if len(cells) == count + 1 and cells[-1].strip() == "" else None
    return cells if len(cells) == count else None


def _csv_cell(name: str, cell: str, known: Known) -> Cell:
    plain = plain_name(name)
    if cell.endswith(",") and (plain in LISTS or plain not in known.titles):
        return cell_of(cell[:-1].split(","))
    return cell.strip()


def _before(lines: Sequence[str], found: Found) -> None:
    for line in _filled(lines):
        found.note(f"A line before the data was not understood: {shown(line)}.")


def _filled(lines: Sequence[str]) -> Iterator[str]:
    return (line for line in lines if line.strip())
