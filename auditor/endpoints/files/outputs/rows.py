"""Cuts a row of a table into cells: by the groups of dashes, else in the only way that fits the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.files.outputs.columns import MOST_WAYS, MOST_WORDS, PIECE, under
from auditor.endpoints.files.outputs.known import BOOLEANS

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from auditor.endpoints.files.outputs.columns import Groups, Row

_MOVED = 2
"""By how many blanks a column may be wider or narrower where a table was spaced anew."""


def cells_of(line: str, groups: Groups, plain: Sequence[str]) -> Row | None:
    """The cells of a row; None where it is not certain which they are. `plain` are the plain names of the columns."""
    moved = len(line) - len(line.lstrip()) - groups[0][0]
    for shift in dict.fromkeys((0, moved)):
        cut = under(line[shift:] if shift >= 0 else " " * -shift + line, groups)
        if cut is not None:
            return cut
    pieces = list(PIECE.finditer(line))
    if len(pieces) == len(groups):
        return tuple(match[0] for match in pieces) if _nearest(pieces, groups) or _spaced_anew(pieces, groups) else None
    return _joined(line.split(), groups, plain) if len(pieces) == 1 else None


def _nearest(pieces: Sequence[re.Match[str]], groups: Groups) -> bool:
    """Whether each piece is nearer to its own column than to any other."""
    return all(
        min(range(len(groups)), key=lambda column: (_distance(piece, groups[column]), abs(column - own))) == own
        for own, piece in enumerate(pieces)
    )


def _distance(piece: re.Match[str], group: tuple[int, int]) -> int:
    return min(abs(piece.start() - group[0]), abs(piece.end() - group[1]))


def _spaced_anew(pieces: Sequence[re.Match[str]], groups: Groups) -> bool:
    """Whether each piece has room in its column, and begins no further from it than the columns up to it can have moved it."""
    for columns, (piece, (start, end)) in enumerate(zip(pieces, groups, strict=True), 1):
        has_room = len(piece[0]) <= end - start
        moved = abs(piece.start() - start)
        if not has_room or moved > _MOVED * columns:
            return False
    return True


def _joined(words: Sequence[str], groups: Groups, plain: Sequence[str]) -> Row | None:
    """Cells out of words between which one blank was left: the one way in which each column has a cell that fits it."""
    if not len(groups) <= len(words) <= MOST_WORDS:
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
        ways = {at: kept[:MOST_WAYS] for at, kept in following.items()}
    whole = ways.get(len(words), [])
    return whole[0] if len(whole) == 1 else None
