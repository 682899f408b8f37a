"""Which kept runs are removed when somebody asks for it, and which never are (docs/design/what-changed.md)."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError
from auditor.history.baseline import load_about
from auditor.history.confirming import deadline_of
from auditor.history.folders import JOURNAL_FOLDER, RUNS_FOLDER
from auditor.history.plan_file import PLAN_FILE
from auditor.history.running import may_be_running
from auditor.history.working_copy import check_prunable, remove_from_store, remove_torn, run_sizes
from auditor.history.writing_runs import list_all_runs
from auditor.journal import history
from auditor.model import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.history.writing_runs import ListedRun

WRITES_KEPT = timedelta(days=90)
"""A run that changed the fleet, or that made a plan, is kept for this long whatever a count or a size says. Source: this project."""
_REMOVED = ".removed-"
_KEEP = re.compile(r"([1-9][0-9]{0,8})\s*(d|w|KiB|MiB|GiB|TiB)?")
_DAYS = {"d": 1, "w": 7}
_BYTES = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_UNDOABLE = frozenset({Outcome.APPLIED, Outcome.UNVERIFIED, Outcome.REVERTED})


@dataclass(frozen=True, slots=True)
class Keep:
    """How long runs are kept, how many of them, or how large all may be; what is None does not limit."""

    age: timedelta | None = None
    count: int | None = None
    size_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """A run that a limit would remove and that stays."""

    id: str
    why: str


@dataclass(frozen=True, slots=True)
class Pruning:
    """What goes, oldest first, with its size on disk in bytes; what stays although a limit would remove it; and how many stay in all."""

    removed: tuple[tuple[str, int], ...]
    spared: tuple[Kept, ...]
    left: int

    @property
    def freed_bytes(self) -> int:
        """What the removed runs take on disk."""
        return sum(size for _, size in self.removed)


def parse_keep(texts: Sequence[str]) -> Keep:
    """The limits that ``--keep`` gives: 90d or 12w, 500 runs, 20GiB; all given ones hold.

    Raises:
        ConfigurationError: one is not understood, or two are of one sort.
    """
    found: dict[str, Keep] = {}
    for text in texts:
        parsed = _KEEP.fullmatch(text.strip())
        if parsed is None:
            raise _refused(text, "it is neither an age, nor a number of runs, nor a size")
        number, unit = int(parsed[1]), parsed[2]
        sort = "count" if unit is None else "age" if unit in _DAYS else "size"
        if sort in found:
            raise _refused(text, f"another {sort} was given before")
        if sort == "age" and number > timedelta.max.days // _DAYS[unit]:
            raise _refused(text, "nothing is that old")
        found[sort] = (
            Keep(count=number)
            if unit is None
            else Keep(age=timedelta(days=number * _DAYS[unit]))
            if sort == "age"
            else Keep(size_bytes=number * _BYTES[unit])
        )
    one = {sort: found.get(sort, Keep()) for sort in ("age", "count", "size")}
    return Keep(one["age"].age, one["count"].count, one["size"].size_bytes)


def _refused(text: str, what: str) -> ConfigurationError:
    return ConfigurationError(
        f'--keep "{text}": {what}', why="no run was removed.", do="give --keep 90d, --keep 500 or --keep 20GiB; several limits all hold."
    )


def prune(state: Path, keep: Keep, now: datetime, *, dry_run: bool = False) -> Pruning:
    """Remove the runs that are beyond a limit; journals stay, as each holds the digest of the one before it.

    A run is renamed before it is removed, so that none is ever there in part. What an earlier removal left is removed as well.

    Args:
        state: the state directory.
        keep: the limits.
        now: aware.
        dry_run: only say what would go.

    Raises:
        ConfigurationError: a run cannot be removed.
        JournalError: a journal is damaged, so what could be undone is not known.
        SnapshotError: a run's file, or the baseline, is there and cannot be read.
        StoreError: the store of a working copy refuses it.
    """
    folder = state / RUNS_FOLDER
    check_prunable(state)
    runs = [run for run in list_all_runs(state) if (folder / run.id).is_dir() and not (folder / run.id).is_symlink()]
    elsewhere = run_sizes(state)
    sizes = {run.id: elsewhere.get(run.id) or _size(folder / run.id) for run in runs} if keep.size_bytes is not None else elsewhere
    beyond = [run for place, run in enumerate(runs) if _is_beyond(run, place, keep, now)]
    if keep.size_bytes is not None:
        beyond = _beyond_size(runs, beyond, sizes, keep.size_bytes)
    reasons = _reasons(state, runs, keep, now) if beyond else {}
    removed = [run for run in reversed(beyond) if run.id not in reasons]
    answer = Pruning(
        tuple((run.id, sizes[run.id] if run.id in sizes else _size(folder / run.id)) for run in removed),
        tuple(Kept(run.id, reasons[run.id]) for run in reversed(beyond) if run.id in reasons),
        len(runs) - len(removed),
    )
    if not dry_run:
        for run in removed:
            remove_from_store(state, run.id)
            _remove(folder, run.id)
        remove_torn(state, now)
        for left in folder.glob(f"{_REMOVED}*"):
            shutil.rmtree(left, ignore_errors=True)
    return answer


def _is_beyond(run: ListedRun, place: int, keep: Keep, now: datetime) -> bool:
    """Whether a run is too old, or too many are newer."""
    too_old = keep.age is not None and now - (run.finished or run.started) > keep.age
    return too_old or (keep.count is not None and place >= keep.count)


def _beyond_size(runs: Sequence[ListedRun], beyond: Sequence[ListedRun], sizes: Mapping[str, int], most: int) -> list[ListedRun]:
    """`beyond`, and besides them the oldest runs with which all others would be larger than `most` bytes."""
    gone = {run.id for run in beyond}
    total = 0
    for run in runs:  # newest first
        if run.id not in gone:
            total += sizes[run.id]
            if total > most:
                gone.add(run.id)
    return [run for run in runs if run.id in gone]


def _reasons(state: Path, runs: Sequence[ListedRun], keep: Keep, now: datetime) -> dict[str, str]:
    """Why a run must not be removed, by its id."""
    reasons: dict[str, str] = {}
    for id_, why in (
        *_newest_of_scopes(runs, now),
        *_named(state),
        *_undoable(state, runs, keep, now),
        *_plans(state, runs, keep, now),
        *((run.id, "it waits to be confirmed") for run in runs if (until := deadline_of(state, run.id)) is not None and until.is_open),
        *((run.id, "it is going on") for run in runs if _is_open(run) and may_be_running(state / RUNS_FOLDER / run.id)),
    ):
        reasons.setdefault(id_, why)
    return reasons


def _newest_of_scopes(runs: Sequence[ListedRun], now: datetime) -> Iterator[tuple[str, str]]:
    """The newest finished audit of each scope, with which the next one is compared and on which `--since last` rests.

    One that a clock dates after now is not taken for the newest: it would be so for years, and every other one would go.
    """
    seen: set[str | None] = set()
    for run in runs:
        if run.kept is None or run.kept.finished is None or run.started > now:
            continue
        key = None if run.kept.scope is None else run.kept.scope.key
        if key not in seen:
            seen.add(key)
            yield run.id, "it is the newest of its scope"


def _named(state: Path) -> Iterator[tuple[str, str]]:
    about = load_about(state)
    if about is not None:
        yield about.run, "the baseline was made from it"


def _is_open(run: ListedRun) -> bool:
    """Whether nothing says that a run ended."""
    return run.finished is None and run.stopped is None


def _young(run: ListedRun, keep: Keep, now: datetime) -> bool:
    """Whether what a run wrote may still have to be put back: it is younger than the retention."""
    return now - (run.finished or run.started) <= (keep.age or WRITES_KEPT)


def _plans(state: Path, runs: Sequence[ListedRun], keep: Keep, now: datetime) -> Iterator[tuple[str, str]]:
    """Runs that made a plan that may still be applied, or that were to write and could be resumed."""
    for run in runs:
        if _young(run, keep, now) and (state / RUNS_FOLDER / run.id / PLAN_FILE).exists():
            yield run.id, "its plan may still be made"
            if run.kind == "resume" and run.of is not None:  # which has the whole plan, however old it is
                yield run.of, "a run that goes on with it may still be resumed"


def _undoable(state: Path, runs: Sequence[ListedRun], keep: Keep, now: datetime) -> Iterator[tuple[str, str]]:
    """Runs whose changes could be undone."""
    young = {run.id for run in runs if _young(run, keep, now)}
    for entry in history(state / JOURNAL_FOLDER).entries:
        if entry.intent.run in young and (entry.receipt is None or entry.receipt.outcome in _UNDOABLE):
            yield entry.intent.run, "what it changed could be undone"


def _remove(folder: Path, run_id: str) -> None:
    gone = folder / f"{_REMOVED}{run_id}-{secrets.token_hex(2)}"
    try:
        (folder / run_id).rename(gone)
    except FileNotFoundError:
        return  # another process removed it
    except OSError as error:
        raise ConfigurationError(
            f"cannot remove {folder / run_id}: {error.strerror or error}",
            why="it and the runs after it stay.",
            do="let this account write to the state directory.",
        ) from error
    shutil.rmtree(gone, ignore_errors=True)


def _size(directory: Path) -> int:
    """The bytes of all files of a directory; those that go away meanwhile are left out."""
    total = 0
    for place, _, names in os.walk(directory):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118  a hundred thousand files
            except FileNotFoundError:
                continue
    return total


def size_text(size_bytes: int) -> str:
    """A size for people: 512 KiB, 1.2 GiB."""
    for unit, number in reversed(_BYTES.items()):
        if size_bytes >= number:
            return f"{size_bytes / number:.1f} {unit}".replace(".0 ", " ")
    return f"{size_bytes} bytes"


def pruned_text(pruning: Pruning, *, dry_run: bool = False) -> str:
    """What was removed, in a sentence."""
    number = len(pruning.removed)
    runs = "1 run" if number == 1 else f"{number:,} runs"
    verb, frees = ("would be removed", "would free") if dry_run else ("removed", "freed")
    stay = "1 stays" if pruning.left == 1 else f"{pruning.left:,} stay"
    if not number:
        return f"no run {'would be ' if dry_run else 'was '}removed; {stay}"
    return f"{runs} {verb}, which {frees} {size_text(pruning.freed_bytes)}; {stay}"
