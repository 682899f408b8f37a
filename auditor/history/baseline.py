"""The baseline in the state directory: set from a kept run or one good host, shown, cleared, and handed to each audit."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from auditor.engine.rule import DRIFT
from auditor.errors import ConfigurationError, SnapshotError
from auditor.facts.baseline import KINDS, VIEWS, About, counts, hand_on, not_found, not_listed, put, read_about, take, write
from auditor.yaml import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from auditor.engine.rule import RuleSet
    from auditor.facts.snapshot import Snapshot
    from auditor.history.runs import KeptRun

FILE = "baseline.parquet"
_NOTHING_SET = "no baseline was set, and the one before, if any, is as it was."


def baseline_file(state: Path) -> Path:
    """Where the baseline is kept; it need not be there."""
    return state / FILE


def load_about(state: Path) -> About | None:
    """What the baseline in force was made from; None when none is set.

    Raises:
        SnapshotError: there is one, and it is damaged.
    """
    path = baseline_file(state)
    return read_about(path) if os.path.lexists(path) else None


def set_baseline(
    state: Path, run: KeptRun, now: datetime, host: str | None = None, endpoint: str | None = None, reach: str = "cluster"
) -> About:
    """Make the state that `run` saw, at its end, the wanted one; with `host`, what it saw of that host.

    Args:
        state: the state directory.
        run: finished.
        now: aware, UTC.
        host: the name of one good host; None: all, each held to its own state.
        endpoint: the vCenter of `host`, where two have one of that name.
        reach: who is to be like `host`: its `cluster`, or `all`.

    Raises:
        ConfigurationError: there is no such host, it is in no cluster, nothing was read of it, or the file cannot be written.
        SnapshotError: the run's snapshot cannot be read.
    """
    from auditor.facts.snapshot import load_snapshot
    from auditor.history.folders import AFTER_FOLDER, SNAPSHOT_FOLDER

    after, before = run.directory / AFTER_FOLDER, run.directory / SNAPSHOT_FOLDER
    if not before.is_dir():
        raise ConfigurationError(
            f"run {run.id} judged a saved snapshot and read nothing itself", why=_NOTHING_SET, do="name the run that read it."
        )
    # After a fix the fleet was read again: that is what the run left behind.
    snapshot = load_snapshot(after if after.is_dir() else before)
    chosen, cluster = (None, None) if host is None else _host(snapshot, run, host, endpoint)
    if chosen is not None and reach == "cluster" and not cluster:
        raise ConfigurationError(f"{host} is in no cluster", why=_NOTHING_SET, do="say that every host is to be like it: --for all.")
    taken = "itself" if chosen is None else reach
    take(snapshot, run.id, chosen, taken)
    found = dict(counts(snapshot.connection))
    hosts = found.pop("host", 0)
    if not found:
        raise ConfigurationError(
            f"run {run.id} has no setting {'of any host, datastore or array' if host is None else f'of {host}'} that a baseline keeps",
            why=_NOTHING_SET,
            do="audit with all rules first: auditor audit --fleet fleet.yaml --tag all",
        )
    about = About(
        run=run.id,
        host=chosen[1] if chosen else None,
        endpoint=chosen[0] if chosen else None,
        reach=taken,
        cluster=cluster if taken == "cluster" else None,
        taken_at=snapshot.started,
        set_at=now,
        hosts=hosts,
        counts=found,
        gaps=sum(chosen is None or gap.endpoint == chosen[0] for gap in snapshot.gaps),
    )
    _write(snapshot, about, baseline_file(state))
    return about


def run_to_take(state: Path, run_id: str | None) -> KeptRun:
    """The run of that id; None or "last": the newest that read the fleet itself, instead of judging a saved snapshot.

    Raises:
        ConfigurationError: there is none.
        SnapshotError: a run's file cannot be read.
    """
    from auditor.history.folders import SNAPSHOT_FOLDER
    from auditor.history.incremental import LAST
    from auditor.history.runs import list_runs, load_run

    if run_id is None or run_id == LAST:
        read = (run for run in list_runs(state) if run.finished is not None and (run.directory / SNAPSHOT_FOLDER).is_dir())
        run_id = next((run.id for run in read), None)
    return load_run(state, run_id)


def clear(state: Path) -> bool:
    """Do without a baseline from now on; whether there was one. A damaged one goes too.

    Raises:
        ConfigurationError: the file cannot be removed.
    """
    path = baseline_file(state)
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise ConfigurationError(
            f"cannot remove {path}: {error.strerror or error}", why="it stays in force.", do="remove it by hand."
        ) from error
    return True


def judged_with(rules: RuleSet, held: Collection[str], *, asked: Collection[str] = ()) -> RuleSet:
    """The rules without those that compare with what no baseline holds, so that nothing is read for them.

    Args:
        rules: what was asked for.
        held: kinds of settings of the baseline in force; empty: there is none.
        asked: rules and tags that somebody named.

    Raises:
        ConfigurationError: somebody asked for rules of drift alone, and there is nothing to compare with.
    """
    views = VIEWS - {KINDS[kind].view for kind in held if kind in KINDS}
    kept = [rule.id for rule in rules if rule.over not in views]
    if len(kept) == len(rules):
        return rules
    idle = [rule.id for rule in rules if rule.over in views]
    if not kept or set(idle) & set(asked) or (DRIFT in asked and not held):
        lacking = "no baseline is set" if not held else f"the baseline holds nothing that {idle[0]} could compare with"
        raise ConfigurationError(
            lacking,
            why=f"nothing was judged: {', '.join(idle[:3])} would have nothing to compare with.",
            do="auditor baseline set RUN; `auditor runs list` names the runs.",
        )
    return rules.only(kept)


def put_baseline(snapshot: Snapshot, state: Path) -> None:
    """Have `snapshot` judged by the baseline in force, if any; before it is saved, so that it is judged by the same ever after.

    Raises:
        SnapshotError: it is damaged.
    """
    if os.path.lexists(baseline_file(state)):
        put(snapshot.connection, baseline_file(state))


def baseline_again(before: Snapshot, snapshot: Snapshot) -> None:
    """Have what was read after a fix judged by the baseline of the audit before it."""
    hand_on(before.connection, snapshot.connection)


def kinds_of(snapshot: Snapshot) -> tuple[str, ...]:
    """The kinds of settings of the baseline that a saved snapshot is judged by; none when there is none."""
    return tuple(kind for kind in counts(snapshot.connection) if kind in KINDS)


def gone_since(snapshot: Snapshot) -> tuple[str, ...]:
    """What readers have to be told of hosts of the baseline that are not there, and of endpoints that the fleet does not list."""
    if not kinds_of(snapshot):
        return ()
    told = []
    unlisted = not_listed(snapshot.connection)
    if unlisted:
        told.append(
            f"The baseline holds settings of what the fleet does not list any more: {', '.join(unlisted)}. A renamed endpoint is a new one "
            "to it; set the baseline anew when that is right."
        )
    lost = not_found(snapshot.connection)
    if lost:
        names = ", ".join(f"{host} ({endpoint})" for endpoint, host in lost[:3]) + (f" and {len(lost) - 3} more" if len(lost) > 3 else "")
        count = "a host" if len(lost) == 1 else f"{len(lost)} hosts"
        told.append(
            f"The baseline knows {count} that no vCenter has by that name any more: {names}. A renamed host is a new one to it; "
            "set the baseline anew when that is right."
        )
    return tuple(told)


def drift_alone(rules: RuleSet) -> tuple[str, ...]:
    """What has to be told where drift is put right and nothing but drift was asked for."""
    if not len(rules) or any(rule.over not in VIEWS for rule in rules):
        return ()
    return ("Judged by the baseline alone: no lesson was asked whether it wants one of these settings different.",)


def _host(snapshot: Snapshot, run: KeptRun, host: str, endpoint: str | None) -> tuple[tuple[str, str], str | None]:
    """Endpoint and name of the host, and its cluster."""
    rows = snapshot.connection.execute("SELECT endpoint, name, cluster FROM fact.host ORDER BY ALL").fetchall()
    found = [row for row in rows if row[1] == host and endpoint in (None, row[0])]
    if len(found) == 1:
        return (found[0][0], host), found[0][2]
    if not found:
        where = f" of {endpoint}" if endpoint else ""
        there = [row[0] for row in rows if row[1] == host]
        nearest = f", but one of {', '.join(there)}" if there else did_you_mean(host, [row[1] for row in rows if row[1] is not None])
        do = f"--endpoint {there[0]}" if there else "name a host as vCenter does."
        raise ConfigurationError(f'run {run.id} saw no host{where} called "{host}"{nearest}', why=_NOTHING_SET, do=do)
    raise ConfigurationError(
        f"run {run.id} saw {len(found)} hosts called {host}: of {', '.join(row[0] for row in found)}",
        why=_NOTHING_SET,
        do="say which: --endpoint NAME." if len({row[0] for row in found}) > 1 else "take another host: one vCenter has two of that name.",
    )


def _write(snapshot: Snapshot, about: About, path: Path) -> None:
    import duckdb

    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        write(snapshot.connection, about, partial)
        with partial.open("rb") as written:
            os.fsync(written.fileno())
        read_about(partial)  # what cannot be read again must not take the place of what can
        partial.chmod(0o600)
        partial.replace(path)
    except (OSError, duckdb.Error, SnapshotError) as error:
        raise ConfigurationError(
            f"cannot write {path}: {error}", why=_NOTHING_SET, do="check the folder and the space left, then set it again."
        ) from error
    finally:
        with suppress(FileNotFoundError):
            partial.unlink()
