"""`auditor confirm`: let a run stay that would undo itself; and waiting for that."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

from auditor.cli import options
from auditor.cli.terminal import warn
from auditor.errors import GuardError
from auditor.stopping import closing

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.fleet.loading import Fleet


def confirm(
    run: Annotated[str, options.run_argument("The run to keep; it was made with --confirm-within.")],
    state_dir: options.LocalStateDir = None,
) -> int:
    """Keep the changes of a run that was made with --confirm-within; else they are put back when its time is over.

    Example: auditor confirm 20261121T065500Z-1a2b

    Exit codes: 0 confirmed, 3 no such run, 5 it is too late.
    """
    from datetime import UTC, datetime

    from auditor.history.confirming import CONFIRM_FILE
    from auditor.history.confirming import confirm as keep
    from auditor.history.state import state_directory
    from auditor.history.writing_runs import writing_run_named

    state = state_directory(state_dir, to_read=True)
    run = writing_run_named(state, run, CONFIRM_FILE)
    keep(state, run, datetime.now(UTC))
    print(f"Run {run} stays.")
    return 0


def await_confirmed(run: str, fleet: Fleet, state_dir: Path | None) -> None:
    """Wait for the confirmation of a run that needs one; return where it stays.

    Raises:
        GuardError: nobody confirmed it in time, and it was put back, or could not be.
    """
    from auditor.history.confirming import deadline_of
    from auditor.history.state import state_directory
    from auditor.pipeline.confirmation import await_confirmation
    from auditor.report.terminal.receipts import write_receipts

    folder = state_directory(state_dir)
    deadline = deadline_of(folder, run)
    if deadline is None:
        return
    state = "" if state_dir is None else f" --state-dir {state_dir}"
    sys.stdout.flush()
    warn(f"run {run} is put back at {deadline.until:%H:%M:%S} UTC, unless you run: auditor confirm {run}{state}")
    with closing(partial(_left_waiting, folder, run, state)):
        written = await_confirmation(run, fleet, folder)
    if written is None:
        return
    write_receipts(written.receipts, sys.stdout)
    raise GuardError(
        f"run {run} was not confirmed in time, and run {written.run} put it back",
        why=written.stopped.what if written.stopped is not None else "nothing of it stays; its receipts are above.",
        do="look at the fleet, then fix it again.",
    )


def _left_waiting(folder: Path, run: str, state: str) -> str:
    """What becomes of a run whose confirmation nobody waits for any more; "" where it needs none."""
    from auditor.history.confirming import deadline_of

    deadline = deadline_of(folder, run)
    if deadline is None or not deadline.is_open:
        return ""
    what = f"run {run} is not confirmed, and this command does not wait for it any more."
    why = f"its changes stay until the next `auditor resume`, or the schedule, after {deadline.until:%H:%M:%S} UTC."
    do = f"auditor confirm {run}{state} lets it stay; auditor undo {run} --fleet fleet.yaml{state} puts it back now."
    return f"{what}\n  why: {why}\n  do:  {do}"
