"""Joins lines of a table that a terminal wrapped, where only one way to join them fits.

Header and dashes are broken at the same width, and the dashes tell the columns. A terminal may leave out blanks at the end of its lines.
A row may be longer than the dashes, by its last cell, and shorter where its last cells are empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from auditor.endpoints.files.outputs.columns import groups_of, is_dashes, names_of, plausible, under
from auditor.endpoints.files.outputs.known import UNKNOWN, by_fields
from auditor.endpoints.vcenter.esxcli_records import plain_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.endpoints.files.outputs.columns import Groups
    from auditor.endpoints.files.outputs.known import Known

_LEAST_WIDTH = 40
_MOST_PARTS = 16
_MOST_LINES = 20_000


@dataclass(frozen=True, slots=True)
class _Table:
    """What header and dashes tell: how wide the terminal was, and which columns there are."""

    width: int
    groups: Groups
    plain: Sequence[str]
    known: Known

    def is_row(self, line: str) -> bool:
        """Whether all cells of a line stand under their dashes, and those that are never empty are filled."""
        cells = under(line, self.groups)
        return cells is not None and plausible(cells, self.plain, self.known)

    def goes_on(self, parts: int, part: str) -> bool:
        """Whether a row may go on behind its last part: a text within the last column fills the line, but for one blank."""
        in_last_column = parts * self.width > self.groups[-1][0]
        return len(part) >= self.width - 1 or not in_last_column


def is_wrapped(lines: Sequence[str]) -> bool:
    """Whether a line of dashes goes on in the next line."""
    return _dashes_at(lines) is not None


def _dashes_at(lines: Sequence[str]) -> int | None:
    """Where the first line of dashes is that goes on in the next line."""
    return next((at for at in range(1, len(lines) - 1) if is_dashes(lines[at]) and _is_part(lines[at + 1])), None)


def unwrapped(lines: Sequence[str], known: Known) -> list[str] | None:
    """The lines as they were printed; None where it is not certain what belongs together."""
    at = _dashes_at(lines)
    if at is None or len(lines) > _MOST_LINES:
        return None
    dashes = list(takewhile(_is_part, lines[at:]))
    before = list(takewhile(str.strip, reversed(lines[max(0, at - len(dashes)) : at])))[::-1]
    behind = lines[at + len(dashes) :]
    width = len(dashes[0])
    if width < _LEAST_WIDTH or any(len(part) != width for part in dashes[:-1]):
        return None
    if any(map(_is_part, behind)) or any(len(line) > width for line in (*before, dashes[-1], *behind)):
        return None
    header = _joined(before, width)
    table = _table(header, _joined(dashes, width), width, known)
    rows = None if table is None else _rows(behind, table)
    return None if rows is None else [*lines[: at - len(before)], header, _joined(dashes, width), *rows]


def _is_part(line: str) -> bool:
    """Whether a line is a part of a line of dashes; the last one may be a single dash."""
    return is_dashes(line) or line.strip() == "-"


def _joined(parts: Sequence[str], width: int) -> str:
    return "".join(part.ljust(width) for part in parts).rstrip()


def _table(header: str, dashes: str, width: int, known: Known) -> _Table | None:
    """The columns; None where one of them has a title that the command has not, or nothing would tell a wrong row from a right one."""
    groups = groups_of(dashes)
    plain = [plain_name(name) for name in names_of(header, groups, known) or ()]
    command = by_fields(frozenset(plain)) if known is UNKNOWN else known
    if not plain or not command.filled or not command.titles.keys() >= set(plain):
        return None
    return _Table(width, groups, plain, command)


def _rows(lines: Sequence[str], table: _Table) -> list[str] | None:
    """The rows that the lines make, if they make rows in one way only and the last of them has all of its parts."""
    ways, parts = [0] * len(lines) + [1], [0] * len(lines)
    for at in range(len(lines) - 1, -1, -1):
        if not lines[at].strip():
            ways[at] = ways[at + 1]
            continue
        for count in _counts(lines[at : at + _MOST_PARTS], table):
            ways[at] = min(2, ways[at] + ways[at + count])
            parts[at] = count if ways[at + count] else parts[at]
    if ways[0] != 1:
        return None
    rows, at, count = [], 0, 0
    while at < len(lines):
        if count := parts[at]:
            rows.append(_joined(lines[at : at + count], table.width))
        at += count or 1
    return rows if rows and _is_whole(rows[-1], table) else None


def _counts(lines: Sequence[str], table: _Table) -> list[int]:
    """Of how many lines a row may be that begins with the first."""
    counts = []
    for count, part in enumerate(lines, 1):
        if part.strip() and table.is_row(_joined(lines[:count], table.width)):
            counts.append(count)
        if not table.goes_on(count, part):
            break
    return counts


def _is_whole(row: str, table: _Table) -> bool:
    """Whether nothing can be missing of a row behind which nothing came: it reaches the last column, and ends within a line."""
    return len(row) > table.groups[-1][0] and len(row) % table.width != 0
