"""Records in each form that esxcli prints, written by hand as docs/domain/evidence-files.md says, without the lab's own renderers."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias
from xml.sax.saxutils import escape

from auditor.endpoints.files.outputs.known import Known

Value: TypeAlias = str | int | bool | list[str]
Record: TypeAlias = Mapping[str, Value]
"""A structure: the title of each field as the text formatter prints it, and its value."""


def word(value: Value) -> str:
    """A value as the text formatter prints it."""
    if isinstance(value, list):
        return ", ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _bare(title: str) -> str:
    return re.sub("[^A-Za-z0-9]", "", title)


def _kind(value: Value) -> str:
    return "boolean" if isinstance(value, bool) else "integer" if isinstance(value, int) else "string"


def _in_order_of_names(record: Record) -> list[tuple[str, Value]]:
    return sorted((_bare(title), value) for title, value in record.items())


def only_in_heading(known: Known) -> str:
    """The field that the text formatter shows in the heading alone; others it repeats below; "" where there is no such field."""
    return known.heading if known.named else ""


def structures(known: Known, records: Sequence[Record]) -> str:
    """Records below headings, with an empty line between two; without headings where the command prints none."""
    return "\n".join(_structure(known, record) for record in records)


def _structure(known: Known, record: Record) -> str:
    heading = f"{word(record[known.heading])}\n" if known.heading in record else ""
    return heading + "".join(f"   {title}: {word(value)}\n" for title, value in record.items() if title != only_in_heading(known))


def table(known: Known, records: Sequence[Record]) -> str:
    """Columns two blanks apart above dashes; numbers and booleans stand at the right."""
    titles = list(records[0])
    widths = [max(len(word(one)) for one in (title, *(record[title] for record in records))) for title in titles]
    rows: list[list[Value]] = [[*titles], ["-" * width for width in widths], *([*record.values()] for record in records)]
    at_right = [isinstance(value, int) for value in records[0].values()]
    return "".join(
        "  ".join(
            word(cell).rjust(width) if right else word(cell).ljust(width) for cell, width, right in zip(row, widths, at_right, strict=True)
        )
        + "\n"
        for row in rows
    )


def xml(known: Known, records: Sequence[Record]) -> str:
    """One document, indented as recorded ones are."""
    lines = ['<output xmlns="http://www.vmware.com/Products/ESX/5.0/esxcli">', "<root>", '   <list type="structure">']
    for record in records:
        lines.append('      <structure typeName="Thing">')
        for name, value in _in_order_of_names(record):
            lines += [f'         <field name="{name}">', *_xml_value(value), "         </field>"]
        lines.append("      </structure>")
    return "\n".join([*lines, "   </list>", "</root>", "</output>", ""])


def _xml_value(value: Value) -> list[str]:
    if not isinstance(value, list):
        return [f"            <{_kind(value)}>{escape(word(value))}</{_kind(value)}>"]
    items = [f"               <string>{escape(one)}</string>" for one in value]
    return ['            <list type="string">', *items, "            </list>"]


def _json_of(*, ascii_alone: bool, indent: int | None) -> Callable[[Known, Sequence[Record]], str]:
    def made(known: Known, records: Sequence[Record]) -> str:
        return json.dumps([dict(_in_order_of_names(record)) for record in records], ensure_ascii=ascii_alone, indent=indent) + "\n"

    return made


def bundle_json(known: Known, records: Sequence[Record]) -> str:
    """The JSON of a bundle, in which titles keep their blanks."""
    return json.dumps([*records], ensure_ascii=False, indent=1) + "\n"


def comma_separated(known: Known, records: Sequence[Record]) -> str:
    """Csv: each line ends with a comma, a list is one quoted cell with a comma behind each item; what only heads a record is no column."""
    text = io.StringIO()
    unseen = only_in_heading(known)
    rows = [_in_order_of_names({title: value for title, value in record.items() if title != unseen}) for record in records]
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*(name for name, _ in rows[0]), ""])
    for row in rows:
        writer.writerow([*("".join(f"{one}," for one in value) if isinstance(value, list) else word(value) for _, value in row), ""])
    return text.getvalue()


def keyvalue(known: Known, records: Sequence[Record]) -> str:
    """A line for each value, and for each item of a list."""
    lines = []
    for number, record in enumerate(records):
        for name, value in _in_order_of_names(record):
            path = f"structure[{number}].Thing.{name}"
            if isinstance(value, list):
                lines += [f"{path}.string[{place}]={one}" for place, one in enumerate(value)]
            else:
                lines.append(f"{path}.{_kind(value)}={word(value)}")
    return "".join(f"{line}\n" for line in lines)


FORMS: Mapping[str, Callable[[Known, Sequence[Record]], str]] = {
    "xml": xml,
    "json": _json_of(ascii_alone=True, indent=None),
    "json with letters as they are": _json_of(ascii_alone=False, indent=3),
    "json of a bundle": bundle_json,
    "csv": comma_separated,
    "keyvalue": keyvalue,
}
"""The forms that every command has."""


def text_form(known: Known) -> Callable[[Known, Sequence[Record]], str]:
    """What the text formatter prints of a command: a table where rows of one are known, else structures."""
    return table if known.filled else structures
