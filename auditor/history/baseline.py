"""The baseline in the state directory: set from a kept run or one good host, shown, cleared, and handed to each audit."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from auditor.engine.rules.rule import DRIFT
from auditor.errors import ConfigurationError, SnapshotError
from auditor.facts.baseline import (
    KINDS,
    VIEWS,
    About,
    apart,
    counts,
    hand_on,
    not_found,
    not_listed,
    put,
    read_about,
    set_apart,
    take,
    write,
)
from auditor.history.folders import BASELINE_FILE
from auditor.history.kept_run import list_runs
from auditor.history.run_names import LAST
from auditor.history.runs import last_reading, load_run
from auditor.history.working_copy import send_baseline
from auditor.model import Gap
from auditor.model.identity import is_same
from auditor.system.files import opened, put_in_place, sync_file
from auditor.yaml.reading import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from auditor.engine.rules.rule import RuleSet
    from auditor.facts.snapshots.snapshot import Snapshot
    from auditor.history.kept_run import KeptRun

_NOTHING_SET = "no baseline was set, and the one before, if any, is as it was."


def baseline_file(state: Path) -> Path:
    """Where the baseline is kept; it need not be there."""
    return state / BASELINE_FILE


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
        StoreError: the store of a working copy refuses it; the one before stays in force there.
    """
    from auditor.facts.snapshots.snapshot import load_snapshot

    if run.snapshot is None:
        raise ConfigurationError(
            f"run {run.id} judged a saved snapshot and read nothing itself", why=_NOTHING_SET, do="name the run that read it."
        )
    snapshot = load_snapshot(run.snapshot)
    chosen, cluster = (None, None) if host is None else _host(snapshot, run, host, endpoint)
    if chosen is not None and reach == "cluster" and not cluster:
        raise ConfigurationError(f"{host} is in no cluster", why=_NOTHING_SET, do="hold every host to it: --for all.")
    taken = "itself" if chosen is None else reach
    take(snapshot, run.id, chosen, taken)
    settings = dict(counts(snapshot.connection))
    hosts = settings.pop("host", 0)
    if not settings:
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
        counts=settings,
        gaps=sum(chosen is None or gap.endpoint == chosen[0] for gap in snapshot.gaps),
        identities=snapshot.identities,
    )
    _write(snapshot, about, baseline_file(state))
    send_baseline(state)
    return about


def run_to_take(state: Path, run_id: str | None) -> KeptRun:
    """The run of that id; None or "last": the newest that read the fleet itself, instead of judging a saved snapshot.

    Raises:
        ConfigurationError: there is none.
        SnapshotError: a run's file cannot be read.
    """
    if run_id is None or run_id == LAST:
        run = last_reading(state, whole=True) or last_reading(state) or load_run(state)
    else:
        run = load_run(state, run_id)
    if run.along.is_demo:
        raise ConfigurationError(f"run {run.id} is of the demo", why=_NOTHING_SET, do="name a run of your fleet: `auditor runs list`.")
    return run


def other_fleet(state: Path, run: KeptRun) -> str | None:
    """The fleet file of the baseline that is in force, where that is of another fleet than `run`; None where it is not, or not known.

    Raises:
        SnapshotError: the baseline, or a run's file, cannot be read.
    """
    about = load_about(state)
    before = None if about is None else next((one for one in list_runs(state) if one.id == about.run), None)
    if before is None or before.scope is None or run.scope is None or before.scope.fleet == run.scope.fleet:
        return None
    names = {one.identity for one in before.listed if one.identity}
    return None if any(one.identity in names for one in run.listed if one.identity) else before.scope.fleet_name


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
    send_baseline(state)
    return True


def comparable_rules(rules: RuleSet, kinds: Collection[str], *, named: Collection[str] = ()) -> RuleSet:
    """The rules without those of drift that the baseline holds no settings for, so that nothing is read for them.

    Args:
        rules: the rules that were requested.
        kinds: kinds of settings of the baseline in force; empty: there is none.
        named: rules and tags that the user named.

    Raises:
        ConfigurationError: the user named drift rules, or only such are left, and there is nothing to compare with.
    """
    views = VIEWS - {view for kind in kinds if kind in KINDS for view in (KINDS[kind].view, *KINDS[kind].before)}
    kept = [rule.id for rule in rules if rule.over not in views]
    if len(kept) == len(rules):
        return rules
    idle = [rule.id for rule in rules if rule.over in views]
    if not kept or set(idle) & set(named) or (DRIFT in named and not kinds):
        lacking = "no baseline is set" if not kinds else f"the baseline holds nothing that {idle[0]} could compare with"
        raise ConfigurationError(
            lacking,
            why=f"nothing was judged: {', '.join(idle[:3])} would have nothing to compare with.",
            do="auditor baseline set RUN; `auditor runs list` names the runs.",
        )
    return rules.only(kept)


def put_baseline(snapshot: Snapshot, state: Path) -> Snapshot:
    """`snapshot` with the baseline in force, if any, before it is saved, so that it is always judged by this one.

    What was taken of another endpoint under a name is left out, and a gap says so.

    Raises:
        SnapshotError: it is damaged.
    """
    about = load_about(state)
    if about is None:
        return snapshot
    put(snapshot.connection, baseline_file(state))
    for name, now in snapshot.identities.items():
        then = about.identities.get(name)
        if then and now and not is_same(then, now):
            set_apart(snapshot.connection, name, then, now)
    return _with_gaps(snapshot)


def copy_baseline(before: Snapshot, snapshot: Snapshot) -> Snapshot:
    """The snapshot that was read after a fix with the baseline of the one `before` it."""
    hand_on(before.connection, snapshot.connection)
    return _with_gaps(snapshot)


def _with_gaps(snapshot: Snapshot) -> Snapshot:
    """`snapshot` with a gap for each endpoint that the baseline was not taken of, although it has that name."""
    missing = [gap for gap in map(_gap_of, apart(snapshot.connection)) if gap not in snapshot.gaps]
    for gap in missing:
        snapshot.connection.execute("INSERT INTO fact.gap (endpoint, what, why) VALUES (?, ?, ?)", [gap.endpoint, gap.what, gap.why])
    return replace(snapshot, gaps=(*snapshot.gaps, *missing))


def _gap_of(taken_apart: tuple[str, str, str]) -> Gap:
    name, then, now = taken_apart
    why = f"the baseline was taken of {then}, and {name} is {now} now; point the entry in fleet.yaml back to it, or set the baseline anew"
    return Gap(name, "drift from the baseline", why)


def baseline_kinds(snapshot: Snapshot) -> tuple[str, ...]:
    """The kinds of settings of the baseline that a saved snapshot is judged by; none when there is none."""
    return tuple(kind for kind in counts(snapshot.connection) if kind in KINDS)


def missing_notices(snapshot: Snapshot) -> tuple[str, ...]:
    """Sentences about hosts of the baseline that no vCenter has any more, and endpoints of it that the fleet does not list."""
    if not baseline_kinds(snapshot):
        return ()
    notices = []
    unlisted = not_listed(snapshot.connection)
    if unlisted:
        notices.append(
            f"The baseline holds settings of what the fleet does not list any more: {', '.join(unlisted)}. A renamed endpoint is a new one "
            "to it; set the baseline anew when that is right."
        )
    lost = not_found(snapshot.connection)
    if lost:
        names = ", ".join(f"{host} ({endpoint})" for endpoint, host in lost[:3]) + (f" and {len(lost) - 3} more" if len(lost) > 3 else "")
        count = "a host" if len(lost) == 1 else f"{len(lost)} hosts"
        notices.append(
            f"The baseline knows {count} that no vCenter has by that name any more: {names}. A renamed host is a new one to it; "
            "set the baseline anew when that is right."
        )
    return tuple(notices)


def only_drift_notice(rules: RuleSet) -> tuple[str, ...]:
    """A sentence for a fix that is judged by drift rules only; none where other rules are judged too."""
    if not len(rules) or any(rule.over not in VIEWS and DRIFT not in rule.tags for rule in rules):
        return ()
    by = "the baseline" if all(rule.over in VIEWS for rule in rules) else "what is declared"
    return (f"Judged by {by} alone: no lesson was asked whether it wants one of these settings different.",)


def _host(snapshot: Snapshot, run: KeptRun, host: str, endpoint: str | None) -> tuple[tuple[str, str], str | None]:
    """Endpoint and name of the host, and its cluster."""
    rows = snapshot.connection.execute("SELECT endpoint, name, cluster FROM fact.host ORDER BY ALL").fetchall()
    named = [row for row in rows if row[1] == host and endpoint in (None, row[0])]
    if len(named) == 1:
        return (named[0][0], host), named[0][2]
    if not named:
        where = f" of {endpoint}" if endpoint else ""
        there = [row[0] for row in rows if row[1] == host]
        nearest = f", but one of {', '.join(there)}" if there else did_you_mean(host, [row[1] for row in rows if row[1] is not None])
        do = f"--endpoint {there[0]}" if there else "name a host as vCenter does."
        raise ConfigurationError(f'run {run.id} saw no host{where} called "{host}"{nearest}', why=_NOTHING_SET, do=do)
    raise ConfigurationError(
        f"run {run.id} saw {len(named)} hosts called {host}: of {', '.join(row[0] for row in named)}",
        why=_NOTHING_SET,
        do="say which: --endpoint NAME." if len({row[0] for row in named}) > 1 else "take another host: one vCenter has two of that name.",
    )


def _write(snapshot: Snapshot, about: About, path: Path) -> None:
    import duckdb

    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        os.close(opened(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        write(snapshot.connection, about, partial)
        sync_file(partial)
        read_about(partial)  # what cannot be read again must not take the place of what can
        partial.chmod(0o600)
        put_in_place(partial, path)
    except (OSError, duckdb.Error, SnapshotError) as error:
        raise ConfigurationError(
            f"cannot write {path}: {error}", why=_NOTHING_SET, do="check the folder and the space left, then set it again."
        ) from error
    finally:
        with suppress(FileNotFoundError):
            partial.unlink()
