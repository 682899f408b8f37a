"""What apply, undo and resume print when they end: the receipts, the run, and how to put it back."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from auditor.cli.terminal import warn
from auditor.system.shell import quoted

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.pipeline.writing import Written


def show_written(written: Written, fleet: Path, state_dir: Path | None) -> int:
    """Print what a run did; its exit code.

    Raises:
        AuditorError: what stopped the run, after its receipts were printed.
    """
    from auditor.history.folders import JOURNAL_FOLDER
    from auditor.history.state import state_directory
    from auditor.journal.records import SUFFIX
    from auditor.report.terminal.receipts import write_receipts

    for notice in written.notices:
        warn(notice)
    write_receipts(written.receipts, sys.stdout)
    state = "" if state_dir is None else f" --state-dir {quoted(str(state_dir))}"
    if written.wrote:
        print(f"\nRun {written.run}. To put it back: auditor undo {written.run} --fleet {quoted(str(fleet))}{state}")
    journal = state_directory(state_dir) / JOURNAL_FOLDER / f"{written.run}{SUFFIX}"
    if written.wrote and journal.exists():
        print(f"Files written: {journal}")
    if written.stopped is not None:
        if written.wrote:
            print(f"To go on with it: auditor resume {written.run} --fleet {quoted(str(fleet))}{state}")
        raise written.stopped
    return written.exit_code
