"""The columns of a table: where its groups of dashes stand, what they are called, and what stands under them in a row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from auditor.endpoints.files.outputs.known import BOOLEANS, Known
from auditor.endpoints.vcenter.esxcli_records import plain_name

if TYPE_CHECKING:
    from collections.abc import Iterator

Groups = Sequence[tuple[int, int]]
"""Where each group of dashes begins and ends, from left to right."""
Row = tuple[str, ...]

PIECE = re.compile(r"\S+(?: \S+)*")
"""What stands between two blanks or more."""
_DASHES = re.compile(r"\s*-{2,}(?:\s+-+)*\s*")
_GROUP = re.compile("-+")
MOST_WORDS = 64
MOST_WAYS = 2


def is_dashes(line: str) -> bool:
    """Whether a line is one of dashes in groups."""
    return "--" in line and not line.strip("- \t") and _DASHES.fullmatch(line) is not None


def groups_of(dashes: str) -> Groups:
    """The groups in a line of dashes."""
    return [match.span() for match in _GROUP.finditer(dashes)]


def names_of(header: str, groups: Groups, known: Known) -> Sequence[str] | None:
    """The title of each column; None where it is not certain which they are."""
    cells = under(header, groups)
    if cells is not None and all(cells):
        return cells
    pieces = [match[0] for match in PIECE.finditer(header)]
    if len(pieces) == len(groups):
        return pieces
    words = header.split()
    if len(words) == len(groups):
        return words
    ways = list(_titles(words, len(groups), known))
    return ways[0] if len(ways) == 1 else None


def _titles(words: Sequence[str], count: int, known: Known) -> Iterator[list[str]]:
    """The ways to make `count` titles of the command out of words, at most two of them."""
    if not known.titles or len(words) > MOST_WORDS:
        return
    ways: dict[tuple[int, int], list[list[str]]] = {(0, 0): [[]]}
    for start in range(len(words)):
        for made in range(count):
            for way in ways.get((start, made), ()):
                for end in range(start + 1, len(words) + 1):
                    if plain_name("".join(words[start:end])) in known.titles:
                        kept = ways.setdefault((end, made + 1), [])
                        if len(kept) < MOST_WAYS:
                            kept.append([*way, " ".join(words[start:end])])
    yield from ways.get((len(words), count), ())


def under(line: str, groups: Groups) -> Row | None:
    """The cell under each group of dashes; None where the line does not stand under them.

    All text must be under a group: only the last cell may be longer than its own. Each cell begins at the left end of its group, as texts
    do, or ends at the right one, as numbers do.
    """
    line = line.rstrip()
    ends = [end for _, end in groups[:-1]] + [len(line)]
    gaps = zip([0, *ends], [start for start, _ in groups], strict=False)
    if any(line[end:start].strip() for end, start in gaps):
        return None
    for (start, right), end in zip(groups, ends, strict=True):
        if line[start:end].strip() and not _begins_at(line, start) and not _ends_at(line, start, right):
            return None
    return tuple(line[start:end].strip() for (start, _), end in zip(groups, ends, strict=True))


def _begins_at(line: str, start: int) -> bool:
    return line[start] != " "


def _ends_at(line: str, start: int, end: int) -> bool:
    """Whether a cell reaches the right end of its group and goes no further."""
    return len(line[start:end]) == end - start and line[end - 1] != " " and line[end : end + 1] in ("", " ")


def plausible(cells: Row, plain: Sequence[str], known: Known) -> bool:
    """Whether no cell is empty that never is, and those of booleans are such; `plain` are the plain names of the columns."""
    return all(
        cell if name in known.filled else not cell or name not in BOOLEANS or cell.lower() in ("true", "false")
        for cell, name in zip(cells, plain, strict=True)
    )
