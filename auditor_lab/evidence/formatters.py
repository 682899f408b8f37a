"""The formatters xml, json, csv and keyvalue, and the JSON of a bundle.

Names lose blanks and punctuation, and fields stand in the order of their names. The forms of a single value ("true") in csv and keyvalue
and of nested structures are not verified, nor is the indentation of json: one recorded output is on one line, another is not.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias
from xml.sax.saxutils import escape, quoteattr

from auditor_lab.evidence.forms import Layout, Record, Value, plain
from auditor_lab.evidence.text import text_of

if TYPE_CHECKING:
    from auditor_lab.evidence.forms import Output

_XMLNS = "http://www.vmware.com/Products/ESX/5.0/esxcli"
_STEP = "   "
_Named: TypeAlias = dict[str, Value]


def _named(record: Record) -> _Named:
    """The fields by plain name, in the order of their names."""
    return dict(sorted((plain(title), value) for title, value in record.items()))


def _kind(value: Value) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "integer" if isinstance(value, int) else "string"


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _scalar(output: Output) -> Value:
    return next(iter(output.records[0].values()))


def json_of(output: Output) -> str:
    """A list of objects, or one object, or a single value."""
    if output.form.layout is Layout.SCALAR:
        return json.dumps(_scalar(output)) + "\n"
    objects = [_object(record) for record in output.records]
    return json.dumps(objects[0] if output.form.layout is Layout.ONE else objects, indent=2) + "\n"


def _object(record: Record) -> dict[str, object]:
    return {name: [_item(one) for one in value] if isinstance(value, list) else value for name, value in _named(record).items()}


def _item(value: str | Record) -> object:
    return _object(value) if isinstance(value, dict) else value


def bundle_json_of(output: Output) -> str:
    """The JSON of a bundle: always a list, titles with their blanks."""
    if output.form.layout is Layout.SCALAR:
        return json.dumps(_scalar(output)) + "\n"
    return json.dumps(output.records, indent=1) + "\n"


def csv_of(output: Output) -> str:
    """A header and lines that end with a comma; the heading of a record is none of the columns."""
    if output.form.layout is Layout.SCALAR:
        value = _scalar(output)
        return f"{_kind(value).capitalize()},\n{_word(value)},\n"
    rows = [_named({title: value for title, value in one.items() if title != output.form.only_in_heading}) for one in output.records]
    names = sorted({name for row in rows for name in row})
    if not rows:
        return ""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([*names, ""])
    for row in rows:
        writer.writerow([*(_cell(row.get(name, "")) for name in names), ""])
    return written.getvalue()


def _cell(value: Value) -> str:
    if isinstance(value, list):
        return "".join(f"{_word(one) if not isinstance(one, dict) else ' '.join(_word(each) for each in one.values())}," for one in value)
    return _word(value)


def keyvalue_of(output: Output) -> str:
    """One line for each value."""
    form = output.form
    if form.layout is Layout.SCALAR:
        value = _scalar(output)
        return f"{_kind(value)}={_word(value)}\n"
    lines = []
    for place, record in enumerate(output.records):
        before = form.kind if form.layout is Layout.ONE else f"structure[{place}].{form.kind}"
        lines += [line for name, value in _named(record).items() for line in _pairs(f"{before}.{name}", value)]
    return "".join(f"{line}\n" for line in lines)


def _pairs(name: str, value: Value) -> Iterator[str]:
    if not isinstance(value, list):
        yield f"{name}.{_kind(value)}={_word(value)}"
        return
    for place, one in enumerate(value):
        if isinstance(one, dict):
            for inner, each in _named(one).items():
                yield from _pairs(f"{name}.structure[{place}].{inner}", each)
        else:
            yield f"{name}.string[{place}]={one}"


def xml_of(output: Output) -> str:
    """One document; the name space says 5.0 in every release."""
    form, lines = output.form, [f'<output xmlns="{_XMLNS}">', "<root>"]
    if form.layout is Layout.SCALAR:
        lines.append(_STEP + _leaf(_scalar(output)))
    elif form.layout is Layout.ONE:
        lines += _structure(form.kind, output.records[0], 1)
    else:
        lines.append(f'{_STEP}<list type="structure">')
        lines += [line for record in output.records for line in _structure(form.kind, record, 2)]
        lines.append(f"{_STEP}</list>")
    return "\n".join([*lines, "</root>", "</output>", ""])


def _structure(kind: str, record: Record, depth: int) -> list[str]:
    indent = _STEP * depth
    lines = [f"{indent}<structure typeName={quoteattr(kind)}>"]
    for name, value in _named(record).items():
        lines += [f"{indent}{_STEP}<field name={quoteattr(name)}>", *_content(name, value, depth + 2), f"{indent}{_STEP}</field>"]
    return [*lines, f"{indent}</structure>"]


def _content(name: str, value: Value, depth: int) -> list[str]:
    indent = _STEP * depth
    if not isinstance(value, list):
        return [indent + _leaf(value)]
    nested = bool(value) and isinstance(value[0], dict)
    lines = [f'{indent}<list type="{"structure" if nested else "string"}">']
    for one in value:
        lines += _structure(name, one, depth + 1) if isinstance(one, dict) else [f"{indent}{_STEP}{_leaf(one)}"]
    return [*lines, f"{indent}</list>"]


def _leaf(value: Value) -> str:
    return f"<{_kind(value)}>{escape(_word(value))}</{_kind(value)}>"


FORMATTERS: Mapping[str, tuple[Callable[[Output], str], str]] = MappingProxyType(
    {
        "text": (text_of, ".txt"),
        "xml": (xml_of, ".xml"),
        "json": (json_of, ".json"),
        "csv": (csv_of, ".csv"),
        "keyvalue": (keyvalue_of, ".txt"),
    }
)
"""The function of each formatter, and how the names of its files end."""
