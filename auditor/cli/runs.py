"""`auditor runs`: earlier runs, and the reports of audits."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from auditor.cli import options

app = typer.Typer(help="Earlier runs: list them, show the report of an audit again.", no_args_is_help=True)


@app.command("list")
def list_kept(state_dir: options.StateDir = None, as_json: options.Json = False) -> int:
    """Every run, newest first: audits, and what wrote: fixes, applies, undos and resumes.

    Example: auditor runs list

    Example: auditor runs list --json
    """
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
    for line in run_lines(runs):
        print(line)
    return 0


@app.command("show")
def show_kept(
    run: Annotated[str | None, typer.Argument(metavar="RUN", help="The run's id. [default: the newest]")] = None,
    reporter: options.Reporter = None,
    state_dir: options.StateDir = None,
) -> int:
    """The report of a kept run again, in any format.

    Example: auditor runs show --reporter html:report.html
    """
    from auditor.history.runs import load_run, report_of_run
    from auditor.history.state import state_directory
    from auditor.report import parse_reporters, write_report

    destinations = parse_reporters(reporter or [])
    report = report_of_run(load_run(state_directory(state_dir, to_read=True), run))
    for destination in destinations:
        write_report(report, destination, sys.stdout)
    return 0
