"""The commands that read a fleet: demo, audit, collect, schedule."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import options
from auditor.cli.terminal import confirmed, progress, show_plan
from auditor.errors import ConfigurationError
from auditor.model import BulkTransport, FixClass, Severity

if TYPE_CHECKING:
    from auditor.audit import Audited
    from auditor.fleet import Fleet
    from auditor.history.incremental import Asked
    from auditor.model import Report


@dataclass(frozen=True, slots=True)
class Wanted:
    """What `audit` and `demo` were asked for, besides where to read."""

    rules: Sequence[Path]
    only: Sequence[str]
    tags: Sequence[str]
    reporters: Sequence[str]
    fail_on: Severity
    min_coverage: float | None
    fix: bool
    dry_run: bool
    yes: bool
    allow: Sequence[FixClass]
    max_changes: str
    lane: BulkTransport | None
    state_dir: Path | None
    since: Asked | None = None
    waivers: Path | None = None


def audit(
    fleet: options.Fleet = None,
    snapshot: Annotated[
        Path | None, typer.Option("--from", metavar="DIR", help="Judge a saved snapshot instead of reading the fleet.")
    ] = None,
    rules: options.Rules = None,
    only: options.Only = None,
    tag: options.Tags = None,
    reporter: options.Reporter = None,
    fail_on: options.FailOn = Severity.INFO,
    min_coverage: options.MinCoverage = None,
    fix: options.Fix = False,
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
    allow: options.Allow = None,
    max_changes: options.MaxChanges = "500",
    lane: options.ByLane = None,
    since: options.Since = None,
    max_age: options.MaxAge = None,
    waivers: options.Waivers = None,
    state_dir: options.StateDir = None,
) -> int:
    """Read a fleet, judge it, report; with --fix, put it right.

    Example: auditor audit --fleet fleet.yaml --reporter table --reporter html:report.html

    Example: auditor audit --fleet fleet.yaml --since last --max-age 12h

    Example: auditor audit --fleet fleet.yaml --tag vvol --tag qos

    Exit codes: 0 all holds, 1 drift, 2 not everything could be judged, 3 usage or rule error, 4 a fix failed, 5 a guard stopped it.
    """
    wanted = Wanted(
        rules or [],
        only or [],
        tag or [],
        reporter or [],
        fail_on,
        min_coverage,
        fix,
        dry_run,
        yes,
        allow or [FixClass.ONLINE],
        max_changes,
        lane,
        state_dir,
        _since(since, max_age),
        waivers,
    )
    if (fleet is None) == (snapshot is None):
        raise ConfigurationError(
            "audit needs either --fleet PATH or --from DIR",
            why="nothing was read.",
            do="auditor audit --fleet fleet.yaml, or `auditor demo` to see it work without a fleet.",
        )
    if snapshot is not None and lane is not None:
        raise ConfigurationError("--lane cannot go with --from", why="a saved snapshot is not read from a vCenter.", do="leave --lane out.")
    if snapshot is not None and since is not None:
        raise ConfigurationError(
            "--since cannot go with --from", why="a saved snapshot is judged as it is; nothing is read.", do="leave --since out."
        )
    if snapshot is not None and fix:
        raise ConfigurationError(
            "--fix cannot go with --from",
            why="a saved snapshot cannot be changed, and the fleet may have moved on since.",
            do="auditor audit --fleet fleet.yaml --fix",
        )
    _refuse_without_fix(fix=fix, asked=dry_run or yes or bool(allow))
    return _audit(fleet, snapshot, wanted)


def _since(run: str | None, max_age: str | None) -> Asked | None:
    from auditor.history.incremental import MAX_AGE, asked

    if run is None and max_age is not None:
        raise ConfigurationError("--max-age goes with --since", why="without it every host is asked anyway.", do="add --since last.")
    return asked(run, max_age or MAX_AGE) if run is not None else None


def _refuse_without_fix(*, fix: bool, asked: bool) -> None:
    """Refuse options that only a fix has, so that nobody believes one was made."""
    if asked and not fix:
        raise ConfigurationError(
            "--dry-run, --yes and --allow go with --fix", why="without it nothing is ever changed.", do="add --fix, or leave them out."
        )


def demo(
    scenario: Annotated[
        str | None,
        typer.Option("--scenario", metavar="NAME", help="One scenario of the lab; all is every one. [default: the five incidents]"),
    ] = None,
    rules: options.Rules = None,
    only: options.Only = None,
    tag: options.Tags = None,
    reporter: options.Reporter = None,
    fail_on: options.FailOn = Severity.INFO,
    min_coverage: options.MinCoverage = None,
    fix: options.Fix = False,
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
    allow: options.Allow = None,
    max_changes: options.MaxChanges = "500",
    lane: options.ByLane = None,
    state_dir: options.StateDir = None,
) -> int:
    """Audit a simulated fleet, in this process and on loopback only: no vCenter needed.

    Example: auditor demo --scenario solidfire-vvols --fix --yes --allow online --allow online-caution
    """
    import tempfile

    from auditor.audit import now
    from auditor.engine.waivers import FILE_NAME
    from auditor.lab.demo_waivers import demo_waivers
    from auditor.lab.scenario import load_incidents, load_scenario
    from auditor.lab.serving import serve

    _refuse_without_fix(fix=fix, asked=dry_run or yes or bool(allow))
    wanted = Wanted(
        rules or [],
        only or [],
        tag or [],
        reporter or [],
        fail_on,
        min_coverage,
        fix,
        dry_run,
        yes,
        allow or [FixClass.ONLINE],
        max_changes,
        lane,
        state_dir,
    )
    simulated = load_scenario(scenario) if scenario else load_incidents()
    with tempfile.TemporaryDirectory(prefix="auditor-demo-") as folder, serve(simulated) as lab:
        path = Path(folder) / "fleet.yaml"
        lab.write_fleet(path)
        waivers = demo_waivers(simulated, now())
        if waivers is not None:
            path.with_name(FILE_NAME).write_text(waivers, encoding="utf-8")
        return _audit(path, None, wanted)


def collect(
    fleet: options.RequiredFleet,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the snapshot goes; must not hold one already.")],
    lane: options.ByLane = None,
) -> int:
    """Read a fleet into a snapshot and judge nothing.

    Example: auditor collect --fleet fleet.yaml --out snapshot-monday
    """
    from auditor.endpoints.collect import collect_fleet
    from auditor.fleet import load_fleet, with_lane

    loaded = with_lane(load_fleet(fleet), lane)
    if (out / "snapshot.json").exists():
        raise ConfigurationError(
            f"{out} already holds a snapshot", why="nothing was read: two moments would be mixed.", do="name another directory."
        )
    with progress() as said:
        snapshot = collect_fleet(loaded, said)
    snapshot.save(out)
    for gap in snapshot.gaps:
        print(f"gap: {gap.endpoint}: {gap.what}: {gap.why}", file=sys.stderr)
    print(f"{out}: {snapshot.hosts} hosts, {len(snapshot.readings)} endpoints, {len(snapshot.gaps)} gaps")
    return 2 if snapshot.gaps else 0


def schedule(
    fleet: options.RequiredFleet,
    publish: Annotated[Path, typer.Option("--publish", metavar="DIR", help="Where index.html, latest.html and a page a run go.")],
    cron: Annotated[str | None, typer.Option("--cron", metavar="EXPR", help='When to run, as in crontab, for example "0 6 * * *".')] = None,
    once: Annotated[bool, typer.Option("--once", help="Run now, publish, end with the audit's exit code.")] = False,
    timezone: Annotated[str, typer.Option("--timezone", metavar="NAME", help="Of --cron, for example Europe/Vienna.")] = "UTC",
    keep: Annotated[int, typer.Option("--keep", metavar="N", min=1, help="How many runs stay published.")] = 30,
    since: options.Since = None,
    max_age: options.MaxAge = None,
    waivers: options.Waivers = None,
    rules: options.Rules = None,
    only: options.Only = None,
    tag: options.Tags = None,
    fail_on: options.FailOn = Severity.INFO,
    min_coverage: options.MinCoverage = None,
    state_dir: options.StateDir = None,
) -> int:
    """The compliance job: audits on schedule and publishes HTML; it never changes anything on the fleet.

    Example: auditor schedule --cron "0 6 * * *" --fleet fleet.yaml --publish /var/www/audits
    """
    if (cron is None) == (not once):
        raise ConfigurationError("schedule needs either --cron EXPR or --once", why="nothing was run.", do='--cron "0 6 * * *", or --once')
    from auditor.audit import exit_code, now
    from auditor.audit import keep as keep_run
    from auditor.engine.waivers import load_waivers
    from auditor.fleet import load_fleet
    from auditor.history.runs import state_directory
    from auditor.history.schedule import run_schedule

    wanted_since = _since(since, max_age)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    logging.getLogger("apscheduler").setLevel(logging.WARNING)  # it would repeat what we say
    load_fleet(fleet)  # a mistake in it is told now, not at six in the morning
    if waivers is not None:
        load_waivers(waivers, now(), asked_for=True)  # likewise
    state = state_directory(state_dir)
    codes: list[int] = []

    def job() -> Report:
        audited = _read_and_judge(
            load_fleet(fleet), None, rules or [], only or [], state, tags=tag or [], since=wanted_since, waivers=waivers
        )
        keep_run(audited)
        codes.append(exit_code(audited, fail_on=fail_on.rank, min_coverage=min_coverage))
        return audited.report

    run_schedule(cron, job, publish, timezone=timezone, keep=keep)
    return codes[-1] if once else 0


def _audit(fleet_path: Path | None, snapshot_path: Path | None, wanted: Wanted) -> int:
    from auditor import audit as auditing
    from auditor.apply.guards import blast_radius
    from auditor.fleet import load_fleet, with_lane
    from auditor.history.runs import state_directory
    from auditor.report import parse_reporters, write_report

    destinations = parse_reporters(wanted.reporters)
    fleet = with_lane(load_fleet(fleet_path), wanted.lane) if fleet_path else None
    blast_radius(wanted.max_changes, 0)  # a mistake in it is told before the fleet is read
    state = state_directory(wanted.state_dir)
    counted = wanted.fix and "%" in wanted.max_changes  # of how many hosts it is a share has to be known
    audited = _read_and_judge(
        fleet,
        snapshot_path,
        wanted.rules,
        wanted.only,
        state,
        tags=wanted.tags,
        hosts=counted,
        since=wanted.since,
        waivers=wanted.waivers,
        fixing=wanted.fix and not wanted.dry_run,
    )
    if wanted.fix and fleet is not None:
        show_plan(audited.plan, wanted.allow)
        if not wanted.dry_run:
            audited = _fixed(audited, fleet, state, wanted)
    auditing.keep(audited)
    for destination in destinations:
        write_report(audited.report, destination, sys.stdout)
    if audited.stopped is not None:
        raise audited.stopped  # after the report: what was found and done is worth reading all the same
    return auditing.exit_code(audited, fail_on=wanted.fail_on.rank, min_coverage=wanted.min_coverage)


def _read_and_judge(
    fleet: Fleet | None,
    snapshot_path: Path | None,
    rules: Sequence[Path],
    only: Sequence[str],
    state: Path,
    *,
    tags: Sequence[str] = (),
    hosts: bool = False,
    since: Asked | None = None,
    waivers: Path | None = None,
    fixing: bool = False,
) -> Audited:
    """Read of `fleet` what the rules need, or load the snapshot, and judge it as a new run.

    `hosts`: read who there is in any case; `since`: rest on an earlier run for what has not changed; `waivers`: a file that was named;
    `fixing`: it will be written to.
    """
    from auditor import audit as auditing
    from auditor.facts.snapshot import load_snapshot
    from auditor.history.baseline import drift_alone, judged_with, kinds_of, load_about
    from auditor.history.incremental import earlier_run
    from auditor.history.runs import begin_run, new_run_id

    rule_set, left_out = auditing.asked_for(auditing.load_rule_set(rules, only, tags), everything=bool(only or tags))
    kept = load_snapshot(snapshot_path or Path()) if fleet is None else None
    # A saved snapshot has the baseline it was judged by within itself; another one is not held against it.
    about = load_about(state) if kept is None else None
    held = kinds_of(kept) if kept is not None else tuple(about.counts) if about is not None else ()
    rule_set = judged_with(rule_set, held, asked={*only, *tags})
    overrides = auditing.checked_overrides(fleet, rule_set)
    rule_set, own_weights = auditing.weighed(fleet, rule_set)
    disagreeing = auditing.conflicts_of(rule_set, overrides)
    for told in disagreeing:
        print(f"warning: {told}", file=sys.stderr)  # before an hour is spent on reading
    left_out = disagreeing + own_weights + left_out
    left_out += drift_alone(rule_set) if fixing else ()
    started = auditing.now()
    run_id = new_run_id(started)
    # Even of a snapshot of last month: what is waived is asked of the day on which it is judged.
    waived = auditing.waivers_for(waivers, fleet, rule_set, started, fixing=fixing)
    if fleet is None or kept is not None:
        snapshot = kept or load_snapshot(snapshot_path or Path())
        directory = begin_run(state, run_id)
        return auditing.audit(
            snapshot, rule_set, overrides, run_id=run_id, directory=directory, started=snapshot.started, notices=left_out, waivers=waived
        )
    earlier, why = earlier_run(state, since, started) if since is not None else (None, ())
    directory = begin_run(state, run_id)
    notices = why + auditing.recover_earlier(fleet, state, run_id)
    with progress() as said:
        snapshot = auditing.collect_for(fleet, directory, said, auditing.needs_for(rule_set, hosts=hosts, waivers=waived), earlier, state)
    notices += auditing.unmatched(fleet, snapshot) + left_out
    return auditing.audit(
        snapshot, rule_set, overrides, run_id=run_id, directory=directory, started=started, notices=notices, waivers=waived
    )


def _fixed(audited: Audited, fleet: Fleet, state: Path, wanted: Wanted) -> Audited:
    from auditor import audit as auditing
    from auditor.apply.guards import blast_radius

    with progress() as said:
        return auditing.put_right(
            audited,
            fleet,
            state,
            allow=wanted.allow,
            confirm=(lambda _: True) if wanted.yes else confirmed,
            limits=blast_radius(wanted.max_changes, audited.snapshot.hosts),
            progress=said,
        )
