"""Reads the table form: a header, a line of dashes in groups, and rows below them.

A row is cut under the groups of dashes, where its cells stand there. A row that was moved is cut where two blanks are, if each piece is
nearest to its own column; one whose blanks were joined is cut so that every cell fits its column, if there is one way to do so.

Source: shared captures of outputs, 5.0 to 9.0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.endpoints.files.outputs.known import BOOLEANS, Known
from auditor.endpoints.files.outputs.output import Found, shown
from auditor.endpoints.vcenter.esxcli_records import plain_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.endpoints.vcenter.esxcli_records import Cell

_DASHES = re.compile(r"\s*-{2,}(?:\s+-+)*\s*")
_GROUP = re.compile("-+")
_PIECE = re.compile(r"\S+(?: \S+)*")
_MOST_WORDS = 64
_MOST_WAYS = 2

Row = tuple[str, ...]


@dataclass(slots=True)
class _Part:
    """One header with its rows; a row that could not be cut is None."""

    names: Sequence[str]
    rows: list[dict[str, Cell] | None]


def is_dashes(line: str) -> bool:
    """Whether a line is one of dashes in groups."""
    return "--" in line and not line.strip("- \t") and _DASHES.fullmatch(line) is not None


def tables_in(lines: Sequence[str], known: Known) -> Found:
    """The rows of a text in table form, which may be broken into several tables of some columns each."""
    found = Found()
    parts = []
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
    groups = [match.span() for match in _GROUP.finditer(dashes)]
    if "\t" in dashes.strip():
        names: Sequence[str] | None = [cell.strip() for cell in header.strip("\n").split("\t")]
        names = names if names and len(names) == len(groups) else None
    else:
        names = _names(header.expandtabs(8), groups, known)
    if names is None or not all(names) or len(set(map(plain_name, names))) < len(names):
        found.doubt(f"The header of a table was not understood: {shown(header)}.")
        return None
    plain = [plain_name(name) for name in names]
    rows: list[dict[str, Cell] | None] = []
    for line in lines:
        if line.strip():
            cells = _tabbed(line, groups) if "\t" in dashes.strip() else _cells(line.expandtabs(8), groups, plain)
            if cells is not None and (not _plausible(cells, plain, known) or _is_header(line, plain, known, cut=line is lines[-1])):
                cells = None
            row = None if cells is None else dict(zip(names, cells, strict=True))
            rows.append(row)  # type: ignore[arg-type]
            if row is None:
                found.doubt(f"A row does not fit its columns: {shown(line)}.")
    return _Part(names, rows)


def _tabbed(line: str, groups: Sequence[tuple[int, int]]) -> Row | None:
    cells = tuple(cell.strip() for cell in line.split("\t"))
    return cells if len(cells) == len(groups) else None


def _names(header: str, groups: Sequence[tuple[int, int]], known: Known) -> Sequence[str] | None:
    under = _under(header, groups)
    if under is not None and all(under):
        return under
    pieces = [match[0] for match in _PIECE.finditer(header)]
    if len(pieces) == len(groups):
        return pieces
    words = header.split()
    if len(words) == len(groups):
        return words
    ways = list(_titles(words, len(groups), known))
    return ways[0] if len(ways) == 1 else None


def _titles(words: Sequence[str], count: int, known: Known) -> Iterator[list[str]]:
    """The ways to make `count` titles of the command out of words, at most two of them."""
    if not known.titles or len(words) > _MOST_WORDS:
        return
    ways: dict[tuple[int, int], list[list[str]]] = {(0, 0): [[]]}
    for start in range(len(words)):
        for made in range(count):
            for way in ways.get((start, made), ()):
                for end in range(start + 1, len(words) + 1):
                    if plain_name("".join(words[start:end])) in known.titles:
                        kept = ways.setdefault((end, made + 1), [])
                        if len(kept) < _MOST_WAYS:
                            kept.append([*way, " ".join(words[start:end])])
    yield from ways.get((len(words), count), ())


def _plausible(cells: Row, plain: Sequence[str], known: Known) -> bool:
    return all(
        cell if name in known.filled else not cell or name not in BOOLEANS or cell.lower() in ("true", "false")
        for cell, name in zip(cells, plain, strict=True)
    )


def _is_header(line: str, plain: Sequence[str], known: Known, *, cut: bool) -> bool:
    """Whether a line is made of titles: the next header of a broken table that lost its dashes. `cut`: the last may be incomplete."""
    titles = {*plain, *known.titles}
    *pieces, last = [plain_name(match[0]) for match in _PIECE.finditer(line)]
    return titles.issuperset(pieces) and (last in titles or (cut and any(title.startswith(last) for title in titles)))


def _cells(line: str, groups: Sequence[tuple[int, int]], plain: Sequence[str]) -> Row | None:
    """The cells of a row; None where it is not certain which they are."""
    moved = len(line) - len(line.lstrip()) - groups[0][0]
    for shift in dict.fromkeys((0, moved)):
        cut = _under(line[shift:] if shift >= 0 else " " * -shift + line, groups)
        if cut is not None:
            return cut
    pieces = list(_PIECE.finditer(line))
    if len(pieces) == len(groups):
        return tuple(match[0] for match in pieces) if _nearest(pieces, groups) or _narrow(pieces, groups) else None
    return _joined(line.split(), groups, plain) if len(pieces) == 1 else None


def _under(line: str, groups: Sequence[tuple[int, int]]) -> Row | None:
    """What stands under each group of dashes, where all does and touches the left or right end of its group."""
    line = line.rstrip()
    cells, before = [], 0
    for number, (start, end) in enumerate(groups):
        last = number == len(groups) - 1
        cell = line[start:] if last else line[start:end]
        if line[before:start].strip() or (
            cell.strip()
            and cell[0] == " "
            and not (line[: end + 1].rstrip() == line[:end] and cell[-1] != " " and len(line[start:end]) == end - start)
        ):
            return None
        cells.append(cell.strip())
        before = len(line) if last else end
    return tuple(cells)


def _nearest(pieces: Sequence[re.Match[str]], groups: Sequence[tuple[int, int]]) -> bool:
    """Whether each piece is nearer to its own column than to any other."""
    return all(
        min(range(len(groups)), key=lambda column: (_distance(piece, groups[column]), abs(column - own))) == own
        for own, piece in enumerate(pieces)
    )


def _distance(piece: re.Match[str], group: tuple[int, int]) -> int:
    return min(abs(piece.start() - group[0]), abs(piece.end() - group[1]))


def _narrow(pieces: Sequence[re.Match[str]], groups: Sequence[tuple[int, int]]) -> bool:
    """Whether the table was spaced anew: no piece is wider than its column, and none has a place that says it is another's."""
    return all(
        len(piece[0]) <= end - start and abs(piece.start() - start) <= 2 * own + 2
        for own, (piece, (start, end)) in enumerate(zip(pieces, groups, strict=True))
    )


def _joined(words: Sequence[str], groups: Sequence[tuple[int, int]], plain: Sequence[str]) -> Row | None:
    """Cells out of words between which one blank was left: the one way in which each column has a cell that fits it."""
    if not len(groups) <= len(words) <= _MOST_WORDS:
        return None
    ways: dict[int, list[Row]] = {0: [()]}
    for (start, end), name in zip(groups, plain, strict=True):
        following: dict[int, list[Row]] = {}
        for at, kept in ways.items():
            for stop in range(at + 1, len(words) + 1):
                cell = " ".join(words[at:stop])
                if len(cell) > end - start:
                    break
                if name not in BOOLEANS or cell in ("true", "false"):
                    following.setdefault(stop, []).extend((*way, cell) for way in kept)
        ways = {at: kept[:_MOST_WAYS] for at, kept in following.items()}
    whole = ways.get(len(words), [])
    return whole[0] if len(whole) == 1 else None
