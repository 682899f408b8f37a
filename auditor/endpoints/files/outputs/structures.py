"""Reads the list form: a heading, and below it lines of "Key: value" that are indented; a single structure has no heading.

Source: shared captures of outputs, 5.0 to 9.0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from auditor.endpoints.files.outputs.known import Known
from auditor.endpoints.files.outputs.output import Found, shown
from auditor.endpoints.vcenter.esxcli_records import plain_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.endpoints.vcenter.esxcli_records import Cell

_NAMED = re.compile(r"[A-Za-z0-9]+\.\S+")
_DEVICE = re.compile(
    r"(?:(?:naa|eui|t10|mpx|vml|uuid|nqn|iqn|fc|fcoe|iscsi|iqn|sas|sata|tcp|rdma|rdmarc|pscsi|ide|usb|block|pcie|unknown)\.\S+|vm(?:hba|k|nic)[0-9]+(?:[,:]\S*)?)"
)
_SHALLOW = 3
_HEADING = "Heading"


@dataclass(frozen=True, slots=True)
class _Line:
    indent: int
    body: str
    after_blank: bool

    def pair(self) -> tuple[str, str] | None:
        """Key and value; None for a line that has none."""
        key, colon, value = self.body.partition(": ")
        if colon:
            return key.strip(), value.strip()
        return (self.body[:-1].strip(), "") if self.body.endswith(":") and len(self.body) > 1 else None


def structures_in(lines: Sequence[str], known: Known) -> Found:
    """The records of a text in list form."""
    found = Found()
    its = _lines(lines)
    if its:
        headings = _headings(its)
        _Reader(found, known, headed=bool(headings)).read(its, headings)
    return found


def _lines(lines: Sequence[str]) -> list[_Line]:
    """The lines that are not blank. Where an editor put a blank line behind each, these mean nothing."""
    spaced = _double_spaced(lines)
    its: list[_Line] = []
    blank = 0
    for line in lines:
        body = line.strip()
        if not body:
            blank += 1
            continue
        indent = len(line) - len(line.lstrip())
        if "\t" in line[:indent]:
            indent = len(line[:indent].expandtabs(8))
        its.append(_Line(indent, body, blank > spaced or not its))
        blank = 0
    return its


def _double_spaced(lines: Sequence[str]) -> bool:
    filled = [at for at, line in enumerate(lines) if line.strip()]
    return len(filled) > 4 and all(later - earlier > 1 for earlier, later in pairwise(filled))


def _headings(lines: Sequence[_Line]) -> set[int]:
    """The places of the lines that are headings; none for structures that have no heading."""
    base = min(line.indent for line in lines)
    over = {
        at
        for at, line in enumerate(lines)
        if line.indent == base and at + 1 < len(lines) and lines[at + 1].indent > base and not lines[at + 1].after_blank
    }
    plain = [line for at, line in enumerate(lines) if line.indent == base and at not in over]
    pairs = sum(line.pair() is not None for line in plain)
    if over and not (pairs > len(over) and base >= _SHALLOW) and not _lost(lines, base):
        return over
    names = {at for at, line in enumerate(lines) if _DEVICE.fullmatch(line.body.rstrip(":")) and ": " not in line.body}
    if names or over:
        return names
    return {
        at
        for at, line in enumerate(lines[:-1])
        if line.after_blank and line.pair() is None and lines[at + 1].pair() is not None and not lines[at + 1].after_blank
    }


def _lost(lines: Sequence[_Line], base: int) -> bool:
    """Whether most fields stand where headings stand: an editor took the blanks of some."""
    fields = sum(line.indent == base and line.pair() is not None and bool(line.pair()[1]) for line in lines)  # type: ignore[index]
    return fields * 2 > len(lines)


class _Reader:
    def __init__(self, found: Found, known: Known, *, headed: bool) -> None:
        self._found = found
        self._known = known
        self._headed = headed
        self._first: str | None = None
        self._record: dict[str, Cell] | None = None
        self._indent = 0
        self._parent = ""
        self._plain: set[str] = set()

    def read(self, lines: Sequence[_Line], headings: set[int]) -> None:
        """Read all lines, each as a heading, a field, or neither."""
        for at, line in enumerate(lines):
            if at in headings and self._accepts(line, lines[at + 1] if at + 1 < len(lines) else None):
                self._begin(line)
            elif at in headings or (self._headed and self._found.records and self._record is None):
                self._record = None
                self._found.doubt(f"A line was not understood: {shown(line.body)}.")
            else:
                self._field(line)

    def _accepts(self, line: _Line, following: _Line | None) -> bool:
        """Whether a line that stands like a heading is one: what comes below it begins as the first record does."""
        pair = None if following is None else following.pair()
        if self._known.named and not _NAMED.fullmatch(line.body.rstrip(":")):
            return False
        return pair is not None and (self._first is None or pair[0] == self._first)

    def _begin(self, line: _Line) -> None:
        self._new({self._known.heading or _HEADING: line.body.removesuffix(":").strip()})

    def _new(self, record: dict[str, Cell]) -> None:
        self._record = record
        self._found.records.append(record)
        self._plain = set()
        self._indent = -1
        self._parent = ""

    def _field(self, line: _Line) -> None:
        pair = line.pair()
        if pair is None:
            self._stray(line)
            return
        if not self._headed and pair[0] == self._first and line.indent <= self._indent:
            self._record = None
        if self._record is None:
            self._new({})
        if self._indent < 0:
            self._indent = line.indent
            self._first = self._first or pair[0]
        self._put(line, *pair)

    def _stray(self, line: _Line) -> None:
        """A line that is no field: before the records it says nothing of them."""
        problem = f"A line was not understood: {shown(line.body)}."
        if self._found.records:
            self._found.doubt(problem)
        else:
            self._found.note(problem)

    def _put(self, line: _Line, key: str, value: str) -> None:
        record = self._record
        assert record is not None  # noqa: S101  `_field` made one
        if line.indent > self._indent and self._parent:
            name = f"{self._parent} {key}"
            had = record.get(name)
            record[name] = value if had is None else (*had, value) if isinstance(had, tuple) else (had, value)
            return
        self._parent = key if not value else ""
        plain = plain_name(key)
        if plain in self._plain:
            if record.get(key) != value:
                record[key] = None
                self._found.doubt(f"A record has the field {shown(key)} twice.")
            return
        self._plain.add(plain)
        heading = self._known.heading or _HEADING
        if plain == plain_name(heading) and heading in record:
            if record[heading] != value:
                self._found.doubt(f"The record {shown(str(record[heading]))} says that it is {shown(value)}.")
            del record[heading]
        record[key] = value
