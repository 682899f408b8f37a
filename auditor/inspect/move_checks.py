"""Checks moves of machines by what a saved snapshot holds: one move, or a plan of several. Asks no endpoint and writes to none."""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from auditor.errors import ConfigurationError
from auditor.facts.snapshots.snapshot import load_snapshot
from auditor.facts.snapshots.unread import with_unread_gaps
from auditor.facts.views import create_views, seal
from auditor.moves.check import check_move
from auditor.moves.hindrances import NOTHING
from auditor.moves.plan import PlannedMove, kept_apart, smallest_first
from auditor.moves.reading import STEPS, VIEWS, Facts, needed
from auditor.moves.time import measured_rate, size_of
from auditor.report.wording import neutral
from auditor.text.names import is_called

if TYPE_CHECKING:
    from datetime import datetime

    from auditor.facts.snapshots.snapshot import Snapshot
    from auditor.history.kept_run import KeptRun
    from auditor.impact.interval import Interval
    from auditor.moves.ends import Move
    from auditor.moves.plan import AskedMove

Progress: TypeAlias = "Mapping[tuple[str, str, datetime | None], tuple[int, datetime]]"
"""Of tasks, by endpoint, id and begin: how far they were, and when that was read. A vCenter made anew begins to count anew."""
_PROGRESS = """
SELECT t.endpoint, t.task_id, t.started_at, t.progress_percent, r.read_at
FROM fact.running_task AS t
JOIN fact.reading AS r ON r.endpoint = t.endpoint AND r.scope = '' AND r.topic = 'tasks'
WHERE t.progress_percent IS NOT NULL
"""
_CANDIDATES = 6
_EARLIER_RUNS = 3


def checked(snapshot: Path, asked: Sequence[AskedMove], progress: Callable[[datetime], Progress] | None = None) -> tuple[PlannedMove, ...]:
    """The checks of moves, smallest first.

    Args:
        snapshot: the folder of a saved snapshot.
        asked: the moves, one at least.
        progress: tells of tasks how far they were before a time; asked where a machine is being moved.

    Raises:
        ConfigurationError: nothing is called so, or several things are.
        SnapshotError: the snapshot cannot be read.
    """
    with _opened(snapshot) as opened, tempfile.TemporaryDirectory(prefix="auditor-moves-", ignore_cleanup_errors=True) as spill:
        facts = Facts(opened.connection)
        machines, stores = facts.machines(), facts.stores()
        named = [_named(one, machines, stores) for one in asked]  # before the views are made, which takes its time
        _refuse_twice(asked, named)
        earlier = progress(opened.started) if progress is not None and facts.has_moves() else {}
        create_views(opened.connection, Path(spill) / "spilled", {*VIEWS, *STEPS})
        seal(opened.connection)
        moves = smallest_first([_with_earlier(facts.move(*one), earlier) for one in named])
        promised: dict[tuple[str, str], Interval] = {}
        found = []
        for move, (step, not_with) in zip(moves, kept_apart(moves), strict=True):
            key = (move.target.endpoint, move.target.datastore_id)
            others = _measured(facts, move, earlier)
            found.append(PlannedMove(check_move(move, others=others, promised=promised.get(key, NOTHING)), step, not_with))
            promised[key] = promised.get(key, NOTHING) + size_of(move)
    return tuple(found)


def progress_before(runs: Sequence[KeptRun], before: datetime) -> Progress:
    """How far tasks were in the newest kept runs that began before `before`; of each task the newest reading.

    Raises:
        SnapshotError: the snapshot of one of them is damaged.
    """
    found: dict[tuple[str, str, datetime | None], tuple[int, datetime]] = {}
    older = sorted((run for run in runs if run.finished is not None and run.started < before), key=lambda one: one.started, reverse=True)
    for place in [run.snapshot for run in older if run.snapshot is not None][:_EARLIER_RUNS]:
        opened = load_snapshot(place, ("reading", "running_task"))
        try:
            rows = opened.connection.execute(_PROGRESS).fetchall()
        finally:
            opened.connection.close()
        for endpoint, task, begun, percent, at in rows:
            found.setdefault((endpoint, task, begun), (percent, at))
    return found


@contextmanager
def _opened(snapshot: Path) -> Iterator[Snapshot]:
    opened = with_unread_gaps(load_snapshot(snapshot), needed())
    try:
        yield opened
    finally:
        opened.connection.close()


def _with_earlier(move: Move, earlier: Progress) -> Move:
    machine = move.machine
    tasks = tuple(replace(task, earlier=earlier.get((machine.endpoint, task.task_id, task.started_at))) for task in machine.tasks)
    return replace(move, machine=replace(machine, tasks=tasks))


def _measured(facts: Facts, move: Move, earlier: Progress) -> tuple[tuple[float, str], ...]:
    """Rates of other moves that run to the same target."""
    found = []
    for vm_id in facts.moves_to(move.target.endpoint, move.target.datastore_id):
        if vm_id == move.machine.vm_id:
            continue
        other = _with_earlier(facts.move(move.target.endpoint, vm_id, move.target.datastore_id), earlier)
        rate = measured_rate(other.running, size_of(other)) if other.running is not None else None
        if rate is not None:
            found.append((rate, other.machine.name))
    return tuple(found)


_Thing: TypeAlias = tuple[str, str, str]


def _named(asked: AskedMove, machines: Sequence[_Thing], stores: Sequence[_Thing]) -> _Thing:
    """The endpoint, and the ids of the machine and of the datastore there.

    Raises:
        ConfigurationError: nothing is called so, or several things are.
    """
    of_machine, of_store = _called(asked.vm, machines), _called(asked.datastore, stores)
    where = "" if asked.line is None else f" (line {asked.line})"
    if not of_machine:
        raise _nothing("machine", asked.vm, where, machines)
    if not of_store:
        raise _nothing("datastore", asked.datastore, where, stores)
    pairs = [(one[0], one[1], other[1]) for one in of_machine for other in of_store if one[0] == other[0]]
    if len(pairs) == 1:
        return pairs[0]
    both = [("machines", asked.vm, of_machine), ("datastores", asked.datastore, of_store)]
    if not pairs:
        places = "; ".join(f"{kind} {neutral(word)} in {', '.join(sorted({one[0] for one in found}))}" for kind, word, found in both)
        raise ConfigurationError(
            f"no vCenter has both{where}: {places}",
            why="no move was checked.",
            do="move the machine within its own vCenter, or name another datastore.",
        )
    kind, word, several = next(one for one in both if len(one[2]) > 1)
    raise ConfigurationError(
        f'several {kind} are called "{neutral(word)}"{where}',
        why="no move was checked: it may be any of them.",
        do=f"name one by its vCenter and id: {_listed(f'{one[0]}/{one[1]}' for one in several)}",
    )


def _refuse_twice(asked: Sequence[AskedMove], named: Sequence[_Thing]) -> None:
    """A machine may stand in a plan by its name, and by its id."""
    first: dict[tuple[str, str], AskedMove] = {}
    for one, (endpoint, vm_id, _) in zip(asked, named, strict=True):
        other = first.setdefault((endpoint, vm_id), one)
        if other is not one:
            raise ConfigurationError(
                f"line {one.line} of the plan moves {neutral(one.vm)} a second time (line {other.line} does, as {neutral(other.vm)})",
                why="no move was checked.",
                do="leave one of the two lines.",
            )


def _called(word: str, things: Sequence[_Thing]) -> list[_Thing]:
    """Those of that name, else of that id, or ENDPOINT/NAME or ENDPOINT/ID."""
    named = [one for one in things if is_called(one[2], word)]
    endpoint, _, rest = word.partition("/")
    return named or [one for one in things if one[1] == word or (one[0] == endpoint and (one[1] == rest or is_called(one[2], rest)))]


def _nothing(kind: str, word: str, where: str, things: Sequence[_Thing]) -> ConfigurationError:
    names = sorted({one[2] for one in things if one[2]})
    folded = {name.casefold(): name for name in names}
    near = [folded[one] for one in difflib.get_close_matches(word.casefold(), list(folded), _CANDIDATES, 0.6)]
    near += [name for name in names if word.casefold() in name.casefold() and name not in near]
    do = f"did you mean {_listed(near)}?" if near else f"`auditor query` lists what was read; of {kind}s {len(names):,} were."
    return ConfigurationError(f'no {kind} is called "{neutral(word)}"{where}', why="no move was checked.", do=do)


def _listed(names: Iterator[str] | Sequence[str]) -> str:
    every = [neutral(one) for one in names]
    more = f" and {len(every) - _CANDIDATES} more" if len(every) > _CANDIDATES else ""
    return ", ".join(every[:_CANDIDATES]) + more
