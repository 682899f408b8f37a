"""`auditor runs`: earlier runs, and the reports of audits."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from auditor.cli import options
from auditor.errors import ConfigurationError

app = typer.Typer(help="Earlier runs: list them, show a report again, compare two, see a trend, remove old ones.", no_args_is_help=True)


@app.command("list")
def list_kept(state_dir: options.StateDir = None, as_json: options.Json = False) -> int:
    """List every run, newest first: audits, fixes, applies, undos and resumes.

    Example: auditor runs list

    Example: auditor runs list --json
    """
    from auditor.cli.terminal import terminal_width
    from auditor.history.run_list import run_lines, write_runs_json
    from auditor.history.state import state_directory
    from auditor.history.writing_runs import list_all_runs

    runs = list_all_runs(state_directory(state_dir, to_read=True))
    if as_json:
        write_runs_json(runs, sys.stdout)
        return 0
    if not runs:
        print("no run is kept yet: `auditor audit --fleet fleet.yaml` makes one", file=sys.stderr)
        return 0
    for line in run_lines(runs, terminal_width() if sys.stdout.isatty() else None):
        print(line)
    return 0


@app.command("diff")
def diff_kept(
    earlier: Annotated[
        str | None, options.run_argument("A run: its id, the beginning of one, or last. [default: the one before LATER]", "EARLIER")
    ] = None,
    later: Annotated[str | None, options.run_argument("The run to compare with it. [default: the newest]", "LATER")] = None,
    details: Annotated[bool, typer.Option("--details", help="Every finding, not the first of each rule.")] = False,
    as_json: options.Json = False,
    state_dir: options.StateDir = None,
) -> int:
    """Show what changed between two runs, finding by finding: new, came back, fixed, gone, newly unknown or no longer read.

    Example: auditor runs diff

    Example: auditor runs diff 20261121T065500Z-1a2b last --details

    Exit codes: 0 no new failure, 1 a new failure, 3 no such run.
    """
    from auditor.history.comparison.comparing import run_before
    from auditor.history.comparison.run_diff import diff_lines, diff_of, write_diff_json
    from auditor.history.runs import load_run
    from auditor.history.state import state_directory
    from auditor.report.terminal.console import width_of

    state = state_directory(state_dir, to_read=True)
    new = load_run(state, later)
    diff = diff_of(run_before(state, new) if earlier is None else load_run(state, earlier), new)
    if as_json:
        write_diff_json(diff, sys.stdout)
    else:
        for line in diff_lines(diff, width_of(sys.stdout), every=details):
            print(line)
    return 1 if diff.comparison.worse else 0


@app.command("trend")
def trend_kept(
    run: Annotated[
        str | None, options.run_argument("A run of the scope to show: its id, the beginning of one, or last. [default: last]")
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="A row for each run, oldest first.")] = False,
    as_json: options.Json = False,
    state_dir: options.StateDir = None,
) -> int:
    """Show how many failures each run of one scope had: by severity, with unknown verdicts and coverage.

    Example: auditor runs trend

    Example: auditor runs trend --csv > trend.csv
    """
    from auditor.history.runs import load_run
    from auditor.history.state import state_directory
    from auditor.history.trend import can_draw, trend_lines, trend_of, write_trend_csv, write_trend_json
    from auditor.report.terminal.console import width_of

    if as_csv and as_json:
        raise ConfigurationError("--csv and --json do not go together", why="nothing was written.", do="leave one out.")
    state = state_directory(state_dir, to_read=True)
    trend = trend_of(state, load_run(state, run))
    if as_csv or as_json:
        (write_trend_csv if as_csv else write_trend_json)(trend, sys.stdout)
        return 0
    for line in trend_lines(trend, width_of(sys.stdout), ascii_only=not can_draw(sys.stdout)):
        print(line)
    return 0


@app.command("prune")
def prune_kept(
    keep: Annotated[
        list[str],
        typer.Option("--keep", metavar="90d|500|20GiB", help="An age, a number of runs, or a total size. Repeatable: every limit holds."),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be removed; remove nothing.")] = False,
    state_dir: options.StateDir = None,
) -> int:
    """Remove runs that are too old, too many, or too large in all. Journals stay.

    It never removes the newest run of each scope, a run that is going on or waits to be confirmed, or the run that the baseline was made
    from. A run that can still be undone, or whose plan can still be applied, stays until it reaches the age of --keep, else 90 days.

    Example: auditor runs prune --keep 90d --keep 20GiB --dry-run
    """
    from datetime import UTC, datetime

    from auditor.history.retention import parse_keep, prune, pruned_text, size_text
    from auditor.history.state import state_directory

    limits = parse_keep(keep)
    pruning = prune(state_directory(state_dir, to_read=True), limits, datetime.now(UTC), dry_run=dry_run)
    for run, size in pruning.removed:
        print(f"{run}  {'would go' if dry_run else 'removed'}, {size_text(size)}")
    for spared in pruning.spared:
        print(f"{spared.id}  stays: {spared.why}")
    print(pruned_text(pruning, dry_run=dry_run))
    return 0


@app.command("show")
def show_kept(
    run: Annotated[str | None, options.run_argument("A run: its id, the beginning of one, or last. [default: last]")] = None,
    reporter: options.Reporter = None,
    details: Annotated[
        bool, typer.Option("--details/--no-details", help="With the table: every finding, or the most important on one screen.")
    ] = True,
    state_dir: options.StateDir = None,
) -> int:
    """Show the report of a kept run again, in any format; the table has every finding.

    Example: auditor runs show --reporter html:report.html
    """
    from auditor.cli.audit_output import show_result_of_files, typed
    from auditor.history.families import with_continuations
    from auditor.history.repeat_commands import repeat_commands
    from auditor.history.runs import load_run, report_of_run
    from auditor.history.state import state_directory
    from auditor.report import parse_reporters, write_report
    from auditor.report.terminal.totals import Commands

    destinations = parse_reporters(reporter or [])
    state = state_directory(state_dir, to_read=True)
    kept = load_run(state, run)
    report = with_continuations(report_of_run(kept), state, kept.id)
    again = repeat_commands(kept, report)
    plan = again.plan if not again.fix else None
    where = typed("", ("--state-dir", state_dir))
    audit = again.fix or again.audit
    commands = Commands.of(report, f"{audit}{where}" if isinstance(state_dir, Path) else audit, where, again.doctor, plan)
    for destination in destinations:
        write_report(report, destination, sys.stdout, details=details, commands=commands)
    show_result_of_files(report, destinations)
    return 0
