"""`auditor undo`: put back what a run changed."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from auditor.cli import options
from auditor.cli.terminal import confirmed, progress
from auditor.model import FixClass, Outcome


def undo(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The run whose changes are put back; `auditor runs list` names them.")],
    fleet: options.RequiredFleet,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    max_changes: options.MaxChanges = "500",
    state_dir: options.StateDir = None,
) -> int:
    """Put back what a run changed, last change first; what somebody changed since is left alone.

    Example: auditor undo 20261121T065500Z-1a2b --fleet fleet.yaml
    """
    from auditor import audit as auditing
    from auditor.apply import blast_radius
    from auditor.fleet import load_fleet
    from auditor.history.runs import state_directory
    from auditor.report.plan import write_plan
    from auditor.report.receipts import write_receipts

    loaded, state = load_fleet(fleet), state_directory(state_dir)
    plan = auditing.plan_of_undo(state, run)
    write_plan(plan, frozenset(FixClass), sys.stderr)
    limits = blast_radius(max_changes, len(plan.changes))
    with progress() as said:
        made = auditing.take_back(run, loaded, state, confirm=(lambda _: True) if yes else confirmed, limits=limits, progress=said)
        receipts = list(made)
    write_receipts(receipts, sys.stdout)
    outcomes = {receipt.outcome for receipt in receipts}
    if outcomes & {Outcome.UNVERIFIED, Outcome.REFUSED}:
        return 4
    return 1 if outcomes & {Outcome.STALE, Outcome.PROPOSED} else 0
