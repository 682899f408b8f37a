"""`auditor apply`: make exactly the changes of a plan file."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from auditor.cli import options
from auditor.cli.audit_output import end_dry_run
from auditor.cli.confirm import await_confirmed
from auditor.cli.durations import seconds_of
from auditor.cli.terminal import always, ask, ask_hosts, ask_unmatched, progress, show_plan
from auditor.model import FixClass


def apply(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A plan of `auditor plan`.")],
    fleet: options.RequiredFleet,
    allow: Annotated[
        list[FixClass] | None,
        typer.Option("--allow", metavar="CLASS", help="A class of change that may be made. Repeatable. [default: online]"),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check the file, show what would be attempted, write nothing.")] = False,
    max_hosts: options.MaxHosts = None,
    max_changes: options.MaxChanges = None,
    settle: options.Settle = None,
    no_reboot: options.NoReboot = False,
    allow_unusual: options.AllowUnusual = False,
    allow_unmatched_protection: options.AllowUnmatchedProtection = False,
    after_failed_gate: options.AfterFailedGate = False,
    accept_health: options.AcceptHealth = False,
    confirm_within: options.ConfirmWithin = None,
    waivers: options.Waivers = None,
    state_dir: options.LocalStateDir = None,
) -> int:
    """Make exactly the changes of a plan, each only where its setting is still as the plan saw it.

    A plan is refused where its file, its rules, params, waivers or the baseline changed since it was made. Each setting is read back after
    it is written; the next `auditor audit` shows which findings are gone.

    Example: auditor apply plan.json --fleet fleet.yaml --allow online --allow online-caution

    Exit codes: 0 all is as planned, 1 something was left as it was, 3 usage, 4 a change failed, 5 a guard stopped it.
    """
    from auditor.apply.held_back import held_back
    from auditor.apply.limits import never
    from auditor.audit import apply_plan
    from auditor.cli.write_output import show_written
    from auditor.fleet.loading import load_fleet
    from auditor.history.state import state_directory
    from auditor.pipeline.changes import checked_plan, snapshot_of
    from auditor.pipeline.request import SETTLE_SECONDS, ApplyRequest, FixLimits
    from auditor.pipeline.unmatched import unmatched_protection
    from auditor.report.terminal.plan import write_plan

    allowed = tuple(allow or [FixClass.ONLINE])
    with progress() as shown:
        loaded = load_fleet(fleet)
        seconds = SETTLE_SECONDS if settle is None else settle
        limits = FixLimits(
            allow=allowed,
            max_hosts=max_hosts,
            max_changes=max_changes,
            decide=never if yes else ask_hosts,
            settle_seconds=seconds,
            reboot=not no_reboot,
            allow_unusual=allow_unusual,
            allow_unmatched_protection=allow_unmatched_protection,
            after_failed_gate=after_failed_gate,
            accept_health=accept_health,
            confirm_within_seconds=seconds_of(confirm_within),
        )
        request = ApplyRequest(plan=file, fleet=loaded, limits=limits, waivers=waivers, state=state_dir, progress=shown)
        state = state_directory(state_dir, to_read=dry_run)
        planned = checked_plan(request, loaded, state)
        plan = planned.plan
        if dry_run:
            write_plan(plan, allowed, sys.stdout)
            return end_dry_run(apply_plan(request, confirm=always, dry_run=True))
        show_plan(plan, allowed, held_back(loaded, plan.changes))
        if not (yes or allow_unmatched_protection) and (snapshot := snapshot_of(state, planned)) is not None:
            accepted = ask_unmatched(unmatched_protection(loaded, snapshot))
            request = replace(request, limits=replace(limits, allow_unmatched_protection=accepted))
        written = apply_plan(request, confirm=always if yes else ask)
    try:
        return show_written(written, fleet, state_dir)
    finally:
        if written.wrote:
            await_confirmed(written.run, loaded, state_dir)
