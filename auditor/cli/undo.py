"""`auditor undo`: put back what a run changed."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from auditor.cli import options
from auditor.cli.terminal import always, ask, progress, show_plan
from auditor.model import FixClass, Outcome


def undo(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The run whose changes are put back; `auditor runs list` names them.")],
    fleet: options.RequiredFleet,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    trust_names: Annotated[
        bool,
        typer.Option("--trust-names", help="Go by names in fleet.yaml where an older auditor did not record which endpoints it wrote to."),
    ] = False,
    max_changes: Annotated[
        str,
        typer.Option(
            "--max-changes", metavar="N|N%", help="The most resources that may be touched, a number or a share of those of the run."
        ),
    ] = "500",
    state_dir: options.StateDir = None,
) -> int:
    """Put back what a run changed, last change first; what somebody changed since is left alone.

    Example: auditor undo 20261121T065500Z-1a2b --fleet fleet.yaml
    """
    from auditor.audit import plan_undo
    from auditor.audit import undo as run_undo
    from auditor.fleet import load_fleet
    from auditor.report.receipts import write_receipts
    from auditor.request import UndoRequest

    with progress() as shown:
        request = UndoRequest(
            run=run, fleet=load_fleet(fleet), state=state_dir, max_changes=max_changes, progress=shown, trust_names=trust_names
        )
        show_plan(plan_undo(request), tuple(FixClass))
        receipts = run_undo(request, confirm=always if yes else ask)
    write_receipts(receipts, sys.stdout)
    outcomes = {receipt.outcome for receipt in receipts}
    if outcomes & {Outcome.UNVERIFIED, Outcome.REFUSED, Outcome.REVERTED}:
        return 4
    return 1 if outcomes & {Outcome.STALE, Outcome.PROPOSED} else 0
