"""Reads the table form: a header, a line of dashes in groups, and rows below them.

A row is cut under the groups of dashes, where its cells stand there. A row that was moved is cut where two blanks are, if each piece is
nearest to its own column; one whose blanks were joined is cut so that every cell fits its column, if there is one way to do so.

Source: shared captures of outputs, 5.0 to 9.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.endpoints.files.outputs.columns import PIECE, groups_of, is_dashes, names_of, plausible
from auditor.endpoints.files.outputs.known import Known
from auditor.endpoints.files.outputs.output import Found, shown
from auditor.endpoints.files.outputs.rows import cells_of
from auditor.endpoints.files.outputs.wrapped import is_wrapped, unwrapped
from auditor.endpoints.vcenter.esxcli_records import plain_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.endpoints.files.outputs.columns import Groups, Row
    from auditor.endpoints.vcenter.esxcli_records import Cell


@dataclass(slots=True)
class _Part:
    """One header with its rows; a row that could not be cut is None."""

    names: Sequence[str]
    rows: list[dict[str, Cell] | None]


def tables_in(lines: Sequence[str], known: Known) -> Found:
    """The rows of a text in table form, which may be broken into several tables of some columns each."""
    found = Found()
    parts = []
    if is_wrapped(lines):
        together = unwrapped(lines, known)
        if together is None:
            found.doubt("The table was broken at the width of a terminal, and it is not certain what belongs together.")
            return found
        lines = together
    places = [at for at, line in enumerate(lines) if is_dashes(line) and at and lines[at - 1].strip()]
    for number, at in enumerate(places):
        end = places[number + 1] - 1 if number + 1 < len(places) else len(lines)
        part = _part(lines[at - 1], lines[at], lines[at + 1 : end], known, found)
        if part is not None:
            parts.append(part)
    for line in lines[: places[0] - 1] if places else lines:
        if line.strip():
            found.note(f"A line before the table was not understood: {shown(line)}.")
    _join(parts, found)
    return found


def _join(parts: Sequence[_Part], found: Found) -> None:
    """One table of several that have other columns and as many rows: a wide table that was broken when it was pasted."""
    if not parts:
        found.doubt("The table has no header that was understood.")
        return
    found.names = parts[0].names
    rows: list[dict[str, Cell] | None] = list(parts[0].rows)
    if len(parts) > 1:
        names = [plain_name(name) for part in parts for name in part.names]
        if len(set(names)) < len(names) or any(len(part.rows) != len(rows) for part in parts):
            found.doubt("There are several tables that do not fit beside each other; only the first was used.")
        else:
            found.names = [name for part in parts for name in part.names]
            rows = [_beside(several) for several in zip(*(part.rows for part in parts), strict=True)]
    found.records = [row for row in rows if row is not None]
    if not rows:
        found.doubt("The table has a header and no rows.")


def _beside(rows: Sequence[dict[str, Cell] | None]) -> dict[str, Cell] | None:
    joined: dict[str, Cell] = {}
    for row in rows:
        if row is None:
            return None
        joined |= row
    return joined


def _part(header: str, dashes: str, lines: Sequence[str], known: Known, found: Found) -> _Part | None:
    groups = groups_of(dashes)
    if "\t" in dashes.strip():
        names: Sequence[str] | None = [cell.strip() for cell in header.strip("\n").split("\t")]
        names = names if names and len(names) == len(groups) else None
    else:
        names = names_of(header.expandtabs(8), groups, known)
    if names is None or not all(names) or len(set(map(plain_name, names))) < len(names):
        found.doubt(f"The header of a table was not understood: {shown(header)}.")
        return None
    plain = [plain_name(name) for name in names]
    rows: list[dict[str, Cell] | None] = []
    for line in lines:
        if line.strip():
            cells = _tabbed(line, groups) if "\t" in dashes.strip() else cells_of(line.expandtabs(8), groups, plain)
            if cells is not None and (not plausible(cells, plain, known) or _is_header(line, plain, known, cut=line is lines[-1])):
                cells = None
            row = None if cells is None else dict(zip(names, cells, strict=True))
            rows.append(row)  # type: ignore[arg-type]
            if row is None:
                found.doubt(f"A row does not fit its columns: {shown(line)}.")
    return _Part(names, rows)


def _tabbed(line: str, groups: Groups) -> Row | None:
    cells = tuple(cell.strip() for cell in line.split("\t"))
    return cells if len(cells) == len(groups) else None


def _is_header(line: str, plain: Sequence[str], known: Known, *, cut: bool) -> bool:
    """Whether a line is made of titles: the next header of a broken table that lost its dashes. `cut`: the last may be incomplete."""
    titles = {*plain, *known.titles}
    *pieces, last = [plain_name(match[0]) for match in PIECE.finditer(line)]
    return titles.issuperset(pieces) and (last in titles or (cut and any(title.startswith(last) for title in titles)))
