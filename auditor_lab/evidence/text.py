"""The text formatter: records with headings, and tables with dashes, as esxcli and localcli print them.

localcli ends the heading of a record with ":", and heads a record that has no name of its own with the kind of the structure. Both are
public outputs' ("naa...:", "iScsiDevice:"); that it does the same for every kind is not verified.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from auditor_lab.evidence.forms import Form, Layout, Record, Release, Value, release_of

if TYPE_CHECKING:
    from auditor_lab.evidence.forms import Output

LOCALCLI = "localcli"
_INDENT = "   "
_SHORT_DASHES = (7, 0)


def text_of(output: Output, program: str = "esxcli") -> str:
    """What the program prints; nothing for a list without records."""
    form, records = output.form, output.records
    if form.layout is Layout.SCALAR:
        return "".join(f"{_word(value)}\n" for record in records for value in record.values())
    if form.layout is Layout.TABLE:
        return _table(records, release_of(output.version))
    return "\n".join("".join(f"{line}\n" for line in _lines(form, record, program)) for record in records)


def _lines(form: Form, record: Record, program: str) -> Iterator[str]:
    heading = str(record[form.heading]) if form.heading else form.fixed_heading
    if program == LOCALCLI:
        heading = f"{heading or form.kind}:"
    if heading:
        yield heading
    for title, value in record.items():
        if title != form.only_in_heading:
            yield from _field(title, value, form.units.get(title, ""))


def _field(title: str, value: Value, unit: str) -> Iterator[str]:
    nested = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    for place, inner in enumerate(nested):
        yield _INDENT * 2 if place else f"{_INDENT}{title}: "
        yield from (f"{_INDENT * 3}{name}: {_word(one)}" for name, one in inner.items())
    if not nested:
        yield f"{_INDENT}{title}: {_word(value)}{' ' + unit if unit else ''}"


def _word(value: Value) -> str:
    if isinstance(value, list):
        return ", ".join(_word(one) for one in value if not isinstance(one, dict))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _table(records: list[Record], release: Release) -> str:
    """Columns two blanks apart; numbers and booleans, and their titles, stand at the right.

    From 7.0 on the dashes of a last column of texts are as long as its title, before as its widest cell: recorded outputs of 5.5 to 9.0.
    """
    if not records:
        return ""
    titles = list(records[0])
    right = {title for title in titles if isinstance(records[0][title], int)}
    widths = {title: max(len(title), *(len(_word(record[title])) for record in records)) for title in titles}

    def line(cells: Mapping[str, str]) -> str:
        padded = [cells[title].rjust(widths[title]) if title in right else cells[title].ljust(widths[title]) for title in titles]
        return "  ".join(padded).rstrip() + "\n"

    head = line({title: title for title in titles})
    if release >= _SHORT_DASHES and titles[-1] not in right:
        widths[titles[-1]] = len(titles[-1])
    dashes = line({title: "-" * widths[title] for title in titles})
    return head + dashes + "".join(line({title: _word(record[title]) for title in titles}) for record in records)
