"""Plans of several moves: read from CSV, put into the order smallest first, and kept apart where two share a datastore or a pool."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError
from auditor.moves.time import size_of

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.moves.check import MoveCheck
    from auditor.moves.ends import Move

MOST_MOVES = 1_000
"""Moves of one plan. Policy: each is looked up by itself."""
_MOST_BYTES = 1 << 20
_COLUMNS = ("vm", "datastore")


@dataclass(frozen=True, slots=True)
class AskedMove:
    """A move as a person named it; `line` is that of the plan, None where there is no plan."""

    vm: str
    datastore: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class PlannedMove:
    """A move of a plan, checked.

    Attributes:
        step: moves of one step may run at the same time, as far as datastores and pools go; steps come one after the other, from 1.
        not_with: machines of the plan that share a datastore or a pool with it, each with what they share.
    """

    check: MoveCheck
    step: int
    not_with: tuple[tuple[str, str], ...]


def read_plan(path: Path) -> tuple[AskedMove, ...]:
    """The moves of a CSV file with the columns vm and datastore; other columns are left alone.

    Raises:
        ConfigurationError: the file cannot be read, is no such CSV, has a line without one of the two, or names a machine twice.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        text = content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise _wrong(path, f"cannot be read: {error}") from error
    if len(content) > _MOST_BYTES:
        raise _wrong(path, f"is larger than {_MOST_BYTES >> 20} MiB")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";" if ";" in text.partition("\n")[0] else ",")
    try:
        lines = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise _wrong(f"{path}:{reader.line_num}", f"is no CSV: {error}") from error
    return _asked(path, lines)


def _asked(path: Path, lines: Sequence[tuple[int, Sequence[str]]]) -> tuple[AskedMove, ...]:
    header = [name.strip().casefold() for name in (lines[0][1] if lines else ())]
    if any(header.count(name) != 1 for name in _COLUMNS):
        raise _wrong(path, "has not one column vm and one column datastore in its first line")
    places = [header.index(name) for name in _COLUMNS]
    found: dict[str, AskedMove] = {}
    for number, row in lines[1:]:
        if not any(cell.strip() for cell in row):
            continue
        vm, datastore = (row[place].strip() if place < len(row) else "" for place in places)
        if not (vm and datastore):
            raise _wrong(f"{path}:{number}", "names no machine, or no datastore")
        if vm.casefold() in found:
            raise _wrong(f"{path}:{number}", f"moves {vm} a second time (line {found[vm.casefold()].line} does)")
        found[vm.casefold()] = AskedMove(vm, datastore, number)
        if len(found) > MOST_MOVES:
            raise _wrong(path, f"has more than {MOST_MOVES:,} moves")
    if not found:
        raise _wrong(path, "has no move")
    return tuple(found.values())


def _wrong(where: Path | str, what: str) -> ConfigurationError:
    return ConfigurationError(
        f"{where} {what}", why="no move was checked.", do="a plan is CSV: the line vm,datastore, then a line for each machine."
    )


def smallest_first(moves: Sequence[Move]) -> list[Move]:
    """The moves by what they copy at most; those of unknown size last."""
    return sorted(moves, key=lambda one: (size_of(one).high, size_of(one).low, one.machine.name))


def kept_apart(moves: Sequence[Move]) -> list[tuple[int, tuple[tuple[str, str], ...]]]:
    """Of each move the step, and with which others it shares what; the first step is 1, and a move comes as early as it can."""
    used = [_used(one) for one in moves]
    steps: list[int] = []
    answer = []
    for place, own in enumerate(used):
        shared = [own.keys() & other.keys() for other in used]
        clashing = [other for other, keys in enumerate(shared) if keys and other != place]
        taken = {steps[other] for other in clashing if other < place}
        steps.append(next(step for step in range(1, len(moves) + 1) if step not in taken))
        answer.append((steps[-1], tuple((moves[other].machine.name, own[min(shared[other])]) for other in clashing)))
    return answer


def _used(move: Move) -> Mapping[str, str]:
    """What a move loads, by a name that is its alone, with words for people. Datastores come before pools."""
    stores = (*move.sources, move.target)
    named = {f"datastore {store.endpoint}/{store.datastore_id}": store.name for store in stores}
    pools = {f"pool {store.pool.endpoint}/{store.pool.name}": f"pool {store.pool.name}" for store in stores if store.pool is not None}
    return named | pools
