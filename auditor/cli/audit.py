"""`auditor audit` and `auditor demo`: read a fleet, judge it, report; with --fix, fix it."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import completions, options, waiting
from auditor.cli.audit_output import Shown, show_dry_run, show_fixed, typed, write_reports
from auditor.cli.confirm import await_confirmed
from auditor.cli.evidence import files_of, with_files
from auditor.cli.option_groups import ExitOptions, FixOptions, HistoryOptions, IncrementalOptions, RuleOptions, WorkersOptions, with_groups
from auditor.cli.terminal import always, ask, ask_unmatched, progress, show_changes, show_plan, warn
from auditor.errors import AuditorError, ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from auditor.fleet.loading import Fleet
    from auditor.history.retention import Keep
    from auditor.pipeline.request import AuditRequest
    from auditor.pipeline.result import AuditResult
    from auditor.store.address import Place
    from auditor_lab.description import LabFleet


@with_groups
def audit(
    *,
    fleet: options.Fleet = None,
    snapshot: options.Snapshots = None,
    cluster_of: options.ClusterOf = None,
    rule_options: RuleOptions,
    reporter: options.Reporter = None,
    details: options.Details = None,
    exit_options: ExitOptions,
    fix_options: FixOptions,
    transport: options.Transport = None,
    incremental_options: IncrementalOptions,
    history_options: HistoryOptions,
    workers_options: WorkersOptions,
    compare: options.Compare = None,
    waivers: options.Waivers = None,
    state_dir: options.StateDir = None,
    keep: options.KeepRuns = None,
) -> int:
    """Read a fleet, judge it, report; with --fix, fix what fails.

    Example: auditor audit --fleet fleet.yaml --reporter table --reporter html:report.html

    Example: auditor audit --fleet fleet.yaml --since last --max-age 12h

    Example: auditor audit --fleet fleet.yaml --compare 20261121T065500Z-1a2b

    Example: auditor audit --fleet fleet.yaml --history 48h --at "2026-11-25 02:00"

    Example: auditor audit --fleet fleet.yaml --tag vvol --tag qos

    Example: auditor audit --fleet fleet.yaml --workers scheduler.example.net:8786

    Example: auditor audit --fleet fleet.yaml --cluster 'prod-*' --severity high --exclude 'baseline/*'

    Example: auditor audit --from s3://audits/site-a/monday --from s3://audits/site-b/monday

    Example: auditor audit --from esx-01.tgz --from esx-02.tgz

    Example: auditor audit --from bundles --cluster-of 'prod-01=esx-prod-*' --fleet arrays.yaml

    Exit codes: 0 all holds, 1 drift, 2 not everything could be judged, 3 usage or rule error, 4 a fix failed, 5 a guard stopped it.
    """
    from auditor.history.retention import parse_keep
    from auditor.pipeline.request import AuditRequest
    from auditor.store.address import Address, without_journals

    files = files_of(snapshot or ())
    incremental, limits = incremental_options.incremental(of_files=bool(files)), parse_keep(keep or ())
    if not files and (fleet is None) != bool(snapshot):
        raise ConfigurationError(
            "audit needs either --fleet PATH or --from PATH",
            why="nothing was read.",
            do="auditor audit --fleet fleet.yaml, or `auditor demo` to see it work without a fleet.",
        )
    if fix_options.fix and isinstance(state_dir, Address):
        raise without_journals(state_dir)
    if snapshot:
        of_a_fleet = {"--transport (--lane)": transport, "--since": incremental, "--workers": workers_options.workers}
        _refuse_with_saved("--from", {**of_a_fleet, "--history": history_options.span(), "--fix": fix_options.fix})
    request = AuditRequest(
        fleet=with_files(fleet, files, incremental_options.max_age, cluster_of),
        snapshot=None if files else snapshot or None,
        **rule_options.arguments(),
        waivers=waivers,
        compare=compare,
        incremental=incremental,
        history=history_options.span(),
        transport=transport,
        workers=workers_options.workers,
        workers_certificates=workers_options.workers_certificates,
        state=state_dir,
        fix=fix_options.requested(),
        again=_again(snapshot or (), cluster_of or (), fleet) if snapshot else (),
    )
    command = typed(
        "auditor audit",
        ("--from", snapshot),
        ("--cluster-of", cluster_of),
        ("--fleet", fleet),
        ("--rules", rule_options.rules),
        ("--waivers", waivers),
        # The command is shown with --fix, which wants a state directory of this machine.
        ("--state-dir", None if isinstance(state_dir, Address) else state_dir),
    )
    shown = Shown(reporter or (), command, details=not sys.stdout.isatty() if details is None else details)
    code = _run(request, shown, exit_options, fix_options)
    if keep:
        _prune(limits, state_dir)
    return code


def _again(snapshot: Sequence[Place], cluster_of: Sequence[str], fleet: Path | None) -> tuple[str, ...]:
    """The words of an audit of what is saved, as they work in any folder."""
    places = (word for one in snapshot for word in ("--from", str(one.absolute() if isinstance(one, Path) else one)))
    clusters = (word for one in cluster_of for word in ("--cluster-of", one))
    return ("auditor", "audit", *places, *clusters, *(("--fleet", str(fleet.absolute())) if fleet is not None else ()))


def _demo_again(scenario: str | None, *, bundle: bool) -> tuple[str, ...]:
    """The words of a demo, as they work in any folder."""
    named = str(Path(scenario).absolute()) if scenario is not None and Path(scenario).is_file() else scenario
    return ("auditor", "demo", *(("--scenario", named) if named is not None else ()), *(("--bundle",) if bundle else ()))


def _prune(limits: Keep, state_dir: Place | None) -> None:
    """Remove kept runs that are beyond the limits; that it failed is said, and changes nothing of how the audit ended."""
    from auditor.history.retention import prune, pruned_text
    from auditor.history.state import state_directory

    try:
        warn(pruned_text(prune(state_directory(state_dir), limits, datetime.now(UTC))))
    except AuditorError as error:
        warn(f"kept runs could not be removed: {error.what}")


@with_groups
def demo(
    *,
    scenario: Annotated[
        str | None,
        typer.Option(
            "--scenario",
            metavar="NAME|FILE",
            autocompletion=completions.scenario_names,
            help="A scenario of the lab, or of a YAML file. [default: the five incidents]",
        ),
    ] = None,
    bundle: Annotated[bool, typer.Option("--bundle", help="Read the hosts from support bundles, and the arrays live.")] = False,
    rule_options: RuleOptions,
    reporter: options.Reporter = None,
    details: Annotated[bool, typer.Option("--details", help="Every finding, not only the most important on one screen.")] = False,
    exit_options: ExitOptions,
    fix_options: FixOptions,
    transport: options.Transport = None,
    history_options: HistoryOptions,
    state_dir: options.StateDir = None,
) -> int:
    """Audit a simulated fleet, in this process and on loopback only: no vCenter needed.

    Example: auditor demo --scenario solidfire-vvols --fix --yes --allow online --allow online-caution --max-hosts 100%

    Example: auditor demo --scenario solidfire-vvols --bundle
    """
    from auditor.engine.waivers.file import FILE_NAME
    from auditor.pipeline.request import AuditRequest
    from auditor_lab.demo_waivers import demo_waivers
    from auditor_lab.plugin_arrays import plugin_arrays
    from auditor_lab.scenario import described, load_incidents
    from auditor_lab.serving import serve

    if bundle:
        asked = {"--transport (--lane)": transport, "--history": history_options.span(), "--fix": fix_options.fix}
        _refuse_with_saved("--bundle", asked)
    # Nothing settles in a simulation.
    limits = replace(fix_options, settle=fix_options.settle or 0.0).requested()
    simulated = described(scenario) if scenario else load_incidents()
    # A fleet that is fixed is a site of its own: the next demo has it unfixed, and would say that somebody put everything back.
    with (
        tempfile.TemporaryDirectory(prefix="auditor-demo-") as folder,
        serve(simulated, "" if limits is None or fix_options.dry_run else folder, {} if scenario else plugin_arrays()) as lab,
    ):
        fleet = Path(folder) / "fleet.yaml"
        lab.write_fleet(fleet)
        waivers = demo_waivers(simulated, datetime.now(UTC))
        if waivers is not None:
            fleet.with_name(FILE_NAME).write_text(waivers, encoding="utf-8")
        request = AuditRequest(
            fleet=_of_bundles(simulated, fleet) if bundle else fleet,
            **rule_options.arguments(),
            transport=transport,
            history=history_options.span(),
            state=state_dir,
            fix=limits,
            is_demo=True,
            again=_demo_again(scenario, bundle=bundle),
        )
        command = typed("auditor demo", ("--scenario", scenario), ("--rules", rule_options.rules), ("--state-dir", state_dir))
        return _run(request, Shown(reporter or (), command, details=details, fleet_stays=False), exit_options, fix_options)


def _of_bundles(simulated: LabFleet, path: Path) -> Fleet:
    """The arrays of a simulated fleet, whose file is at `path`, and its hosts as support bundles, which are written beside it."""
    from auditor.fleet.evidence import fleet_with_files
    from auditor.fleet.loading import load_fleet
    from auditor.model.endpoint_kinds import is_array
    from auditor_lab.evidence.bundle import write_bundles

    bundles = path.with_name("bundles")
    write_bundles(simulated, bundles)
    loaded = load_fleet(path)
    arrays = replace(loaded, endpoints=tuple(one for one in loaded.endpoints if is_array(one.kind)))
    return fleet_with_files(arrays, [bundles])


_OF_A_FLEET_ALONE = {
    "--history": (
        "what was saved is judged with the history that it holds; nothing is asked again.",
        "leave --history out, or collect a snapshot with it.",
    ),
    "--workers": ("a saved snapshot is judged as it is; nothing is read.", "leave --workers out."),
    "--transport (--lane)": ("a saved snapshot is not read from a vCenter.", "leave it out."),
    "--since": ("what was saved is judged as it is; nothing is asked again.", "leave --since out."),
    "--fix": ("what was saved cannot be changed, and the fleet may have moved on since.", "auditor audit --fleet fleet.yaml --fix"),
}
"""Options that only an audit of a fleet has: why, and what to do instead."""


def _refuse_with_saved(saved: str, asked: Mapping[str, object]) -> None:
    """Refuse those options of `_OF_A_FLEET_ALONE` that were given beside the option `saved`; None and False are none."""
    for option, (why, do) in _OF_A_FLEET_ALONE.items():
        if asked.get(option) not in (None, False):
            raise ConfigurationError(f"{option} cannot go with {saved}", why=why, do=do)


def _run(request: AuditRequest, shown: Shown, exits: ExitOptions, fixing: FixOptions) -> int:
    """Audit, fix where that was requested, write the reports; the exit code."""
    from auditor.apply.held_back import held_back
    from auditor.audit import audit as run_audit
    from auditor.audit import fix, rehearse
    from auditor.cli.exit_codes import FAILED_FIX, exit_code_of
    from auditor.history.runs import keep_exit_code
    from auditor.report import parse_reporters

    destinations = parse_reporters(shown.reporters)
    rehearsed = None
    with progress() as display:
        audited = run_audit(replace(request, progress=display, warn=warn, began=next(iter(waiting), None)))
        display.stop()
        if fixing.dry_run:
            audited, rehearsed = rehearse(audited)
        elif request.fix is not None:
            show_plan(audited.plan, fixing.allowed, held_back(audited.fleet, audited.plan.changes) if audited.fleet is not None else ())
            confirm = always if fixing.yes else ask
            audited = audited if fixing.yes else _without_unmatched(audited)
            audited = fix(audited, confirm=confirm, again=show_changes(confirm))
    write_reports(audited, destinations, shown)
    if rehearsed is not None:
        show_dry_run(audited, destinations, shown, fixing, rehearsed)
    elif request.fix is not None:
        show_fixed(audited, destinations, shown)
    if rehearsed is None and request.fix is not None and request.fix.confirm_within_seconds is not None and audited.fleet is not None:
        await_confirmed(audited.run_id, audited.fleet, audited.state)
    stopped = audited.stopped if rehearsed is None else rehearsed.stopped
    code = audited.exit_code(exits.fail_on, exits.min_coverage) if stopped is None else exit_code_of(stopped)
    code = code if rehearsed is None or rehearsed.exit_code != FAILED_FIX else FAILED_FIX
    keep_exit_code(audited.directory, code)
    if stopped is not None:
        raise stopped  # after the report: what was found and done is worth reading all the same
    names = [reading.name for reading in audited.snapshot.readings if reading.bug is not None]
    if names:
        warn(f"a bug in auditor ended the reading of {', '.join(names)}; please report it with {_bugs_file(audited)}")
    return code


def _without_unmatched(audited: AuditResult) -> AuditResult:
    """The audit, allowed to be fixed although an entry of `protect:` fits nothing, where somebody at a terminal says so."""
    from auditor.pipeline.unmatched import unmatched_protection

    fleet, limits = audited.fleet, audited.request.fix
    if fleet is None or limits is None or limits.allow_unmatched_protection:
        return audited
    if not ask_unmatched(unmatched_protection(fleet, audited.snapshot)):
        return audited
    return replace(audited, request=replace(audited.request, fix=replace(limits, allow_unmatched_protection=True)))


def _bugs_file(audited: AuditResult) -> Path:
    """The file of the snapshot that was judged which says where readings ended in a bug."""
    from auditor.facts.snapshots.snapshot import BUGS_FILE
    from auditor.history.folders import AFTER_FOLDER, SNAPSHOT_FOLDER

    folders = (audited.request.directory, audited.directory / AFTER_FOLDER, audited.directory / SNAPSHOT_FOLDER)
    files = [folder / BUGS_FILE for folder in folders if folder is not None]
    return next((file for file in files if file.exists()), files[-1])
