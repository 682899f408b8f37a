"""`auditor resume`: go on with a run that was stopped or killed."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options
from auditor.cli.terminal import always, ask, progress, show_changes, warn
from auditor.model import FixClass


def resume(
    run: Annotated[str, options.run_argument("The run to resume; `auditor runs list` names them.")],
    fleet: options.RequiredFleet,
    allow: Annotated[
        list[FixClass] | None,
        typer.Option("--allow", metavar="CLASS", help="A class of change that may be made. Repeatable. [default: those of the run]"),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    max_hosts: options.MaxHostsOfRun = None,
    max_changes: options.MaxChanges = None,
    settle: options.Settle = None,
    after_failed_gate: options.AfterFailedGate = False,
    accept_health: options.AcceptHealth = False,
    waivers: options.Waivers = None,
    state_dir: options.LocalStateDir = None,
) -> int:
    """Find out how the last write of an interrupted run ended, then make the changes that the run did not attempt.

    Runs that nobody confirmed in time (--confirm-within) are put back first; such a run cannot be resumed.

    Example: auditor resume 20261121T065500Z-1a2b --fleet fleet.yaml

    Exit codes: 0 all is as planned, 1 something was left as it was, 3 usage, 4 a change failed, 5 a guard stopped it.
    """
    from auditor.audit import resume as run_resume
    from auditor.cli.write_output import show_written
    from auditor.fleet.loading import load_fleet
    from auditor.history.confirming import refuse_undone
    from auditor.history.state import state_directory
    from auditor.history.writing_runs import WRITES_FILE, writing_run_named
    from auditor.pipeline.confirmation import undo_overdue
    from auditor.pipeline.request import SETTLE_SECONDS, ResumeRequest

    loaded = load_fleet(fleet)
    run = writing_run_named(state_directory(state_dir, to_read=True), run, WRITES_FILE)
    with progress() as shown:
        request = ResumeRequest(
            run=run,
            fleet=loaded,
            allow=None if allow is None else tuple(allow),
            max_hosts=max_hosts,
            max_changes=max_changes,
            settle_seconds=SETTLE_SECONDS if settle is None else settle,
            after_failed_gate=after_failed_gate,
            accept_health=accept_health,
            waivers=waivers,
            state=state_dir,
            progress=shown,
        )
        for sentence in undo_overdue(loaded, state_dir):
            warn(sentence)
        refuse_undone(state_directory(state_dir), run)
        written = run_resume(request, confirm=show_changes(always if yes else ask))
    if not written.run:
        print(f"Nothing is left to do of run {run}.")
    return show_written(written, fleet, state_dir)
