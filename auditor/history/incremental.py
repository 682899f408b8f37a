"""Incremental audits (`--since`): the kept run whose answers the next audit reuses, and how old these may be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError, SnapshotError
from auditor.history.folders import JOURNAL_FOLDER
from auditor.history.run_names import LAST
from auditor.history.runs import last_reading, load_run

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.facts.snapshots.earlier import Earlier

MAX_AGE = timedelta(hours=24)

WRITE_TAKES = timedelta(minutes=15)
"""A write that was announced this long before a run began may have been made while it read; longer than any write is waited for."""

_AGE = re.compile(r"(\d{1,5})([dhm])|0")
_UNITS = {"d": "days", "h": "hours", "m": "minutes"}


@dataclass(frozen=True, slots=True)
class Incremental:
    """Which answers of an earlier run are reused instead of being read again."""

    run: str = LAST  # the id of a kept run, or LAST
    max_age: timedelta = MAX_AGE  # older answers are read again; zero: none is reused


def parse_max_age(text: str) -> timedelta:
    """The age that `--max-age` gives, for example 12h, 2d, 30m or 0.

    Raises:
        ConfigurationError: it is no age.
    """
    parsed = _AGE.fullmatch(text)
    if parsed is None:
        raise ConfigurationError(
            f'--max-age: "{text}" is not an age', why="nothing was read.", do="give a number with d, h or m, for example 24h; or 0."
        )
    return timedelta(**{_UNITS[parsed[2]]: int(parsed[1])}) if parsed[2] else timedelta(0)


def earlier_run(state: Path, incremental: Incremental, now: datetime, fleet: str | None = None) -> tuple[Earlier | None, tuple[str, ...]]:
    """The run whose answers are reused; None, and why in sentences, when everything has to be read. "last" is the last one of `fleet`.

    Raises:
        ConfigurationError: there is no such run, or it never finished.
        JournalError: a journal is damaged, so what auditor wrote since is not known.
    """
    from auditor.facts.snapshots.earlier import RESTED_ON, Earlier
    from auditor.facts.snapshots.snapshot import load_snapshot

    run = last_reading(state, fleet) if incremental.run == LAST else load_run(state, incremental.run)
    if run is None:
        return None, ("Every host was asked: no finished run that read a fleet is kept, so there is none to rest on.",)
    directory = run.snapshot
    if directory is None:
        return None, (f"Every host was asked, although --since names run {run.id}: that run judged a saved snapshot and read no fleet.",)
    try:
        snapshot = load_snapshot(directory, RESTED_ON)
    except SnapshotError as error:
        return None, (f"Every host was asked, although --since names run {run.id}: {error.what}.",)
    return Earlier(run.id, directory, snapshot, now - incremental.max_age, now, _written_hosts(state, run.started)), ()


def _written_hosts(state: Path, started: datetime) -> frozenset[tuple[str, str]]:
    """Hosts, as (endpoint, host id), that a journal names since the run began, or whose last write has no receipt."""
    from auditor.journal import history

    hosts = set()
    for entry in history(state / JOURNAL_FOLDER).entries:
        target = entry.intent.change.target
        host = dict(target.keys).get("host_id")
        if host is not None and (entry.intent.time >= started - WRITE_TAKES or not entry.settled):
            hosts.add((target.endpoint, host))
    return frozenset(hosts)
