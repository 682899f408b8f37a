"""`auditor audit` and `auditor demo`: read a fleet, judge it, report; with --fix, fix it."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import options
from auditor.cli.confirm import await_confirmed
from auditor.cli.terminal import always, ask, progress, show_changes, show_plan, warn
from auditor.errors import ConfigurationError

if TYPE_CHECKING:
    from auditor.audited import Audited
    from auditor.request import AuditRequest


@options.with_groups
def audit(
    *,
    fleet: options.Fleet = None,
    snapshot: Annotated[
        Path | None, typer.Option("--from", metavar="DIR", help="Judge a saved snapshot instead of reading the fleet.")
    ] = None,
    rule_options: options.RuleOptions,
    reporter: options.Reporter = None,
    exit_options: options.ExitOptions,
    fix_options: options.FixOptions,
    transport: options.Transport = None,
    incremental_options: options.IncrementalOptions,
    waivers: options.Waivers = None,
    state_dir: options.StateDir = None,
) -> int:
    """Read a fleet, judge it, report; with --fix, fix what fails.

    Example: auditor audit --fleet fleet.yaml --reporter table --reporter html:report.html

    Example: auditor audit --fleet fleet.yaml --since last --max-age 12h

    Example: auditor audit --fleet fleet.yaml --tag vvol --tag qos

    Exit codes: 0 all holds, 1 drift, 2 not everything could be judged, 3 usage or rule error, 4 a fix failed, 5 a guard stopped it.
    """
    from auditor.request import AuditRequest

    incremental = incremental_options.incremental()
    if (fleet is None) == (snapshot is None):
        raise ConfigurationError(
            "audit needs either --fleet PATH or --from DIR",
            why="nothing was read.",
            do="auditor audit --fleet fleet.yaml, or `auditor demo` to see it work without a fleet.",
        )
    if snapshot is not None:
        _refuse_with_snapshot(transport=transport is not None, since=incremental is not None, fix=fix_options.fix)
    request = AuditRequest(
        fleet=fleet,
        snapshot=snapshot,
        **rule_options.arguments(),
        waivers=waivers,
        incremental=incremental,
        transport=transport,
        state=state_dir,
        fix=fix_options.limits(),
    )
    return _run(request, reporter or (), exit_options, fix_options)


@options.with_groups
def demo(
    *,
    scenario: Annotated[
        str | None,
        typer.Option("--scenario", metavar="NAME|FILE", help="A scenario of the lab, or of a YAML file. [default: the five incidents]"),
    ] = None,
    rule_options: options.RuleOptions,
    reporter: options.Reporter = None,
    exit_options: options.ExitOptions,
    fix_options: options.FixOptions,
    transport: options.Transport = None,
    state_dir: options.StateDir = None,
) -> int:
    """Audit a simulated fleet, in this process and on loopback only: no vCenter needed.

    Example: auditor demo --scenario solidfire-vvols --fix --yes --allow online --allow online-caution --max-changes 50
    """
    from auditor.engine.waivers import FILE_NAME
    from auditor.lab.demo_waivers import demo_waivers
    from auditor.lab.scenario import described, load_incidents
    from auditor.lab.serving import serve
    from auditor.request import AuditRequest

    # Nothing settles in a simulation.
    limits = replace(fix_options, settle=fix_options.settle or 0.0).limits()
    simulated = described(scenario) if scenario else load_incidents()
    with tempfile.TemporaryDirectory(prefix="auditor-demo-") as folder, serve(simulated) as lab:
        fleet = Path(folder) / "fleet.yaml"
        lab.write_fleet(fleet)
        waivers = demo_waivers(simulated, datetime.now(UTC))
        if waivers is not None:
            fleet.with_name(FILE_NAME).write_text(waivers, encoding="utf-8")
        request = AuditRequest(fleet=fleet, **rule_options.arguments(), transport=transport, state=state_dir, fix=limits)
        return _run(request, reporter or (), exit_options, fix_options)


def _refuse_with_snapshot(*, transport: bool, since: bool, fix: bool) -> None:
    """Refuse options that only an audit of a fleet has."""
    if transport:
        raise ConfigurationError(
            "--transport (--lane) cannot go with --from", why="a saved snapshot is not read from a vCenter.", do="leave it out."
        )
    if since:
        raise ConfigurationError(
            "--since cannot go with --from", why="a saved snapshot is judged as it is; nothing is read.", do="leave --since out."
        )
    if fix:
        raise ConfigurationError(
            "--fix cannot go with --from",
            why="a saved snapshot cannot be changed, and the fleet may have moved on since.",
            do="auditor audit --fleet fleet.yaml --fix",
        )


def _run(request: AuditRequest, reporters: Sequence[str], exits: options.ExitOptions, fixing: options.FixOptions) -> int:
    """Audit, fix where that was requested, write the reports; the exit code."""
    from auditor.audit import audit as run_audit
    from auditor.audit import fix
    from auditor.report import parse_reporters, write_report

    destinations = parse_reporters(reporters)
    with progress() as shown:
        audited = run_audit(replace(request, progress=shown, warn=warn))
        shown.stop()
        if fixing.fix:
            show_plan(audited.plan, fixing.allowed)
        if request.fix is not None:
            confirm = always if fixing.yes else ask
            audited = fix(audited, confirm=confirm, again=show_changes(confirm))
    for destination in destinations:
        write_report(audited.report, destination, sys.stdout)
    if request.fix is not None and request.fix.confirm_within_seconds is not None and audited.fleet is not None:
        await_confirmed(audited.run_id, audited.fleet, request.state)
    if audited.stopped is not None:
        raise audited.stopped  # after the report: what was found and done is worth reading all the same
    names = [reading.name for reading in audited.snapshot.readings if reading.bug is not None]
    if names:
        warn(f"a bug in auditor ended the reading of {', '.join(names)}; please report it with {_bugs_file(audited)}")
    return audited.exit_code(exits.fail_on, exits.min_coverage)


def _bugs_file(audited: Audited) -> Path:
    """The file of the snapshot that was judged which says where readings ended in a bug."""
    from auditor.facts.snapshot import BUGS_FILE
    from auditor.history.folders import AFTER_FOLDER, SNAPSHOT_FOLDER

    folders = (audited.request.snapshot, audited.directory / AFTER_FOLDER, audited.directory / SNAPSHOT_FOLDER)
    files = [folder / BUGS_FILE for folder in folders if folder is not None]
    return next((file for file in files if file.exists()), files[-1])
