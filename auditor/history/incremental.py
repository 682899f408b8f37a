"""`--since`: which kept run the next audit may rest on, and how old its answers may be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError, SnapshotError

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.facts.earlier import Earlier
    from auditor.history.runs import KeptRun

LAST = "last"
"""The word for the newest run that can be rested on."""

MAX_AGE = "24h"

WRITE_TAKES = timedelta(minutes=15)
"""A write that was announced this long before a run began may have been made while it read; longer than any write is waited for."""

_AGE = re.compile(r"(\d{1,5})([dhm])|0")
_UNITS = {"d": "days", "h": "hours", "m": "minutes"}


@dataclass(frozen=True, slots=True)
class Asked:
    """What `--since` and `--max-age` say."""

    run: str  # its id, or LAST
    max_age: timedelta  # zero: nothing is taken over


def asked(run: str, max_age: str) -> Asked:
    """The two options, checked.

    Raises:
        ConfigurationError: `max_age` is no age.
    """
    found = _AGE.fullmatch(max_age)
    if found is None:
        raise ConfigurationError(
            f'--max-age: "{max_age}" is not an age', why="nothing was read.", do="give a number with d, h or m, for example 24h; or 0."
        )
    return Asked(run, timedelta(**{_UNITS[found[2]]: int(found[1])}) if found[2] else timedelta(0))


def earlier_run(state: Path, wanted: Asked, now: datetime) -> tuple[Earlier | None, tuple[str, ...]]:
    """The run to rest on; None, and why in sentences, when everything has to be read.

    Raises:
        ConfigurationError: there is no such run, or it never finished.
        JournalError: a journal is damaged, so what auditor wrote since is not known.
    """
    from auditor.facts.earlier import RESTED_ON, Earlier
    from auditor.facts.snapshot import load_snapshot

    run = _last(state) if wanted.run == LAST else _named(state, wanted.run)
    if run is None:
        return None, ("Every host was asked: no finished run that read a fleet is kept, so there is none to rest on.",)
    directory = _snapshot_of(run)
    if directory is None:
        return None, (f"Every host was asked, although --since names run {run.id}: that run judged a saved snapshot and read no fleet.",)
    try:
        snapshot = load_snapshot(directory, RESTED_ON)
    except SnapshotError as error:
        return None, (f"Every host was asked, although --since names run {run.id}: {error.what}.",)
    return Earlier(run.id, directory, snapshot, now - wanted.max_age, now, _touched(state, run.started)), ()


def _named(state: Path, run: str) -> KeptRun:
    from auditor.history.runs import load_run

    return load_run(state, run)


def _last(state: Path) -> KeptRun | None:
    from auditor.history.runs import list_runs

    return next((run for run in list_runs(state) if run.finished is not None and _snapshot_of(run) is not None), None)


def _snapshot_of(run: KeptRun) -> Path | None:
    """The last state the run read: after its fix, where it made one."""
    from auditor.history.folders import AFTER_FOLDER, SNAPSHOT_FOLDER

    found = (run.directory / folder for folder in (AFTER_FOLDER, SNAPSHOT_FOLDER))
    return next((folder for folder in found if (folder / "snapshot.json").is_file()), None)


def _touched(state: Path, started: datetime) -> frozenset[tuple[str, str]]:
    """Hosts that a journal names since the run began, or whose last write nobody has accounted for."""
    from auditor.history.folders import JOURNAL_FOLDER
    from auditor.journal import history

    found = set()
    for entry in history(state / JOURNAL_FOLDER).entries:
        target = entry.intent.change.target
        host = dict(target.keys).get("host_id")
        if host is not None and (entry.intent.time >= started - WRITE_TAKES or not entry.settled):
            found.add((target.endpoint, host))
    return frozenset(found)
