"""`auditor confirm`: let a run stay that would undo itself; and waiting for that."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import options
from auditor.cli.terminal import warn
from auditor.errors import GuardError

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.fleet import Fleet


def confirm(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The run that stays; it was made with --confirm-within.")],
    state_dir: options.StateDir = None,
) -> int:
    """Let the changes of a run stay that would otherwise be put back when its time is over.

    Example: auditor confirm 20261121T065500Z-1a2b

    Exit codes: 0 confirmed, 3 no such run, 5 it is too late.
    """
    from datetime import UTC, datetime

    from auditor.history.confirming import confirm as keep
    from auditor.history.state import state_directory

    keep(state_directory(state_dir, to_read=True), run, datetime.now(UTC))
    print(f"Run {run} stays.")
    return 0


def await_confirmed(run: str, fleet: Fleet, state_dir: Path | None) -> None:
    """Wait for the confirmation of a run that needs one; return where it stays.

    Raises:
        GuardError: nobody confirmed it in time, and it was put back, or could not be.
    """
    from auditor.history.confirming import deadline_of
    from auditor.history.state import state_directory
    from auditor.report.receipts import write_receipts
    from auditor.unconfirmed import await_confirmation

    folder = state_directory(state_dir)
    deadline = deadline_of(folder, run)
    if deadline is None:
        return
    state = "" if state_dir is None else f" --state-dir {state_dir}"
    sys.stdout.flush()
    warn(f"run {run} is put back at {deadline.until:%H:%M:%S} UTC, unless you run: auditor confirm {run}{state}")
    written = await_confirmation(run, fleet, folder)
    if written is None:
        return
    write_receipts(written.receipts, sys.stdout)
    raise GuardError(
        f"run {run} was not confirmed in time, and run {written.run} put it back",
        why=written.stopped.what if written.stopped is not None else "nothing of it stays; its receipts are above.",
        do="look at the fleet, then fix it again.",
    )
