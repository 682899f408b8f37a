"""`auditor undo`: put back what a run changed."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from auditor.cli import options
from auditor.cli.audit_output import end_dry_run
from auditor.cli.terminal import always, ask, progress, show_plan, warn
from auditor.model import FixClass
from auditor.system.shell import quoted


def undo(
    run: Annotated[str, options.run_argument("The run whose changes are put back; `auditor runs list` names them.")],
    fleet: options.RequiredFleet,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    trust_names: Annotated[
        bool,
        typer.Option("--trust-names", help="Trust names in fleet.yaml if an older auditor did not record which endpoints it wrote to."),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be put back, with numbers; write nothing.")] = False,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="RULE|HOST|CHANGE", help="Only changes of this rule, on this host, or of this number. Repeatable."),
    ] = None,
    reboot: Annotated[
        bool,
        typer.Option("--reboot", help="Reboot, one after another, hosts whose values take effect at a boot. [default: you reboot them]"),
    ] = False,
    max_hosts: options.MaxHostsOfRun = None,
    max_changes: options.MaxChanges = None,
    state_dir: options.LocalStateDir = None,
) -> int:
    """Put back what a run changed, last change first; what somebody changed since is left alone.

    It is a run of its own: `auditor runs list` names it, and it can be undone.

    Example: auditor undo last --fleet fleet.yaml --dry-run

    Example: auditor undo 20261121T065500Z-1a2b --fleet fleet.yaml --only esx-01 --only sioc/overlap-array-qos

    Exit codes: 0 all is as before that run, 1 something was left as it is, 3 usage, 4 a change failed, 5 a guard stopped it.
    """
    from auditor.audit import plan_undo, undo_run
    from auditor.cli.write_output import show_written
    from auditor.fleet.loading import load_fleet
    from auditor.history.families import begun_by
    from auditor.history.state import state_directory
    from auditor.history.writing_runs import writing_run_named
    from auditor.pipeline.request import UndoRequest
    from auditor.report.terminal.plan import write_plan

    named = writing_run_named(state_directory(state_dir, to_read=True), run)
    if (first := begun_by(state_directory(state_dir, to_read=True), named)) is not None:
        warn(f"run {named} went on with run {first}; `auditor undo {first} --fleet {quoted(str(fleet))}` puts back all of it.")
    with progress() as shown:
        request = UndoRequest(
            run=named,
            fleet=load_fleet(fleet),
            state=state_dir,
            max_hosts=max_hosts,
            max_changes=max_changes,
            progress=shown,
            trust_names=trust_names,
            only=tuple(only or ()),
            reboot=reboot,
        )
        plan = plan_undo(request)
        if dry_run:
            write_plan(plan, tuple(FixClass), sys.stdout)
            return end_dry_run(undo_run(request, confirm=always, dry_run=True))
        show_plan(plan, tuple(FixClass))
        written = undo_run(request, confirm=always if yes else ask)
    return show_written(written, fleet, state_dir)
