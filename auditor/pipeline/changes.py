"""The half of the walk that writes: make the changes of a plan, put back those of a run, go on with a run that was cut off.

Every one is a run: its plan lies in its directory before the first write, each write is journalled, and it can be undone itself.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.apply import Limits, limits_of, recover, undo_plan
from auditor.apply.interrupted import recover_interrupted
from auditor.apply.orders import MADE, UNDONE, Orders
from auditor.apply.recovery import what_is_left
from auditor.apply.undoing import narrowed
from auditor.apply.unfinished import unfinished
from auditor.errors import ConfigurationError
from auditor.facts.snapshots.snapshot import load_snapshot, snapshot_digest
from auditor.fleet.loading import Fleet, load_fleet
from auditor.history.baseline import load_about
from auditor.history.confirming import mark_undone
from auditor.history.families import family_of
from auditor.history.folders import JOURNAL_FOLDER, RUNS_FOLDER, SNAPSHOT_FOLDER
from auditor.history.plan_basis import basis_of, check_basis
from auditor.history.plan_file import Basis, PlanFile, read_plan_file
from auditor.history.runs import new_run_id
from auditor.history.state import state_directory
from auditor.history.writing_runs import Writes, check_journal, load_writes
from auditor.journal import history
from auditor.model import FixClass, Outcome, Plan, Receipt
from auditor.pipeline.files_of_hosts import refuse_files
from auditor.pipeline.policy import load_policy
from auditor.pipeline.request import ApplyRequest, FixLimits, ResumeRequest, UndoRequest
from auditor.pipeline.unmatched import refuse_unmatched
from auditor.pipeline.writing import Confirm, Task, Written, rehearse_changes, write_run
from auditor.system.shell import quoted

if TYPE_CHECKING:
    from auditor.endpoints.common.sessions import Sessions
    from auditor.facts.snapshots.snapshot import Snapshot
    from auditor.journal import Journal

_EVERY = tuple(FixClass)
_NOT_UNDONE = frozenset({Outcome.REFUSED, Outcome.UNVERIFIED, Outcome.PROPOSED})


def apply_plan(request: ApplyRequest, *, confirm: Confirm, dry_run: bool = False) -> Written:
    """Make exactly the changes of a plan file, where the fleet is still as the plan saw it; with `dry_run` only tell what would come of it.

    A change is STALE where its setting is not what the plan saw, and REFUSED where another endpoint answers under the name.

    Raises:
        ConfigurationError: the file is no plan, or names an endpoint that is not in fleet.yaml; nothing was written.
        GuardError: the file was changed, or rules, params, waivers or the baseline were since; nothing was written.
        JournalError: a journal of an earlier run is damaged.
    """
    fleet, state = _fleet(request.fleet), state_directory(request.state, to_change=not dry_run, to_read=dry_run)
    file = checked_plan(request, fleet, state)
    if not request.limits.allow_unmatched_protection:
        refuse_unmatched(fleet, snapshot_of(state, file), "--allow-unmatched-protection")
    run_id = f"{new_run_id(datetime.now(UTC))}-apply"
    notices = () if dry_run else recover_interrupted(fleet.endpoints, state / JOURNAL_FOLDER, run_id)
    radius, noted = limits_of(request.limits.max_hosts, request.limits.max_changes, file.hosts, file.hosts_by_cluster)
    task = Task(
        kind="apply",
        of=file.run,
        run_id=run_id,
        state=state,
        fleet=fleet,
        limits=request.limits,
        orders=Orders(limits=radius),
        progress=request.progress,
    )
    if dry_run:
        return rehearse_changes(task, file)
    return write_run(task, file, confirm, (*notices, *noted))


def checked_plan(request: ApplyRequest, fleet: Fleet, state: Path) -> PlanFile:
    """The plan of the file, which follows from the rules as they are now.

    Raises:
        ConfigurationError: the file is no plan.
        GuardError: it was changed, or what it follows from was.
    """
    file = read_plan_file(request.plan)
    if file.undoes is not None or file.basis is None:
        raise ConfigurationError(
            f"{request.plan} is the plan of an undo of run {file.undoes}",
            why="it belongs to that run; nothing was written.",
            do=f"auditor undo {file.undoes} --fleet {quoted(str(fleet.path))}",
        )
    check_basis(str(request.plan), file.basis, _basis_now(file.basis, fleet, state, request.waivers))
    return file


def snapshot_of(state: Path, file: PlanFile) -> Snapshot | None:
    """The fleet as the audit saw it that made the plan; None where its run is not kept here any more."""
    directory = state / RUNS_FOLDER / file.run / SNAPSHOT_FOLDER
    if file.snapshot is None or snapshot_digest(directory) != file.snapshot:
        return None
    return load_snapshot(directory)


def plan_undo(request: UndoRequest) -> Plan:
    """The changes that `undo` would make, last change first: of the run, of its resumes, and of what it made possible.

    Raises:
        ConfigurationError: no journal names such a run, or `only` names nothing of it.
        JournalError: a journal is damaged.
    """
    state = state_directory(request.state, to_change=True)
    for one in family_of(state, request.run):
        check_journal(state, one)
    continued = {run: load_writes(state, run)[0].kind != "resume" for run in family_of(state, request.run)[1:]}
    return narrowed(undo_plan(state / JOURNAL_FOLDER, request.run, continued), request.only)


def undo(request: UndoRequest, *, confirm: Confirm) -> tuple[Receipt, ...]:
    """As `undo_run`; only the receipts, and what stopped it is raised.

    Raises:
        GuardError: too many resources, not confirmed, or another run is writing; nothing was written.
        ConfigurationError, JournalError: nothing, or nothing more, is written.
    """
    written = undo_run(request, confirm=confirm)
    if written.stopped is not None:
        raise written.stopped
    return written.receipts


def undo_run(request: UndoRequest, *, confirm: Confirm, dry_run: bool = False) -> Written:
    """Put back what a run changed, where nobody has changed it since. It is a run of its own, and can be undone itself.

    With `dry_run` it is only told what would come of it.

    Nothing is written to an endpoint that is not the one the run wrote to, whatever fleet.yaml calls it: its receipts are REFUSED.

    Raises:
        ConfigurationError: there is no such run, or `only` names nothing of it.
        JournalError: a journal is damaged.
    """
    fleet, state = _fleet(request.fleet), state_directory(request.state, to_change=not dry_run, to_read=dry_run)
    plan = plan_undo(request)

    def prepare(journal: Journal, sessions: Sessions) -> Plan:
        if request.trust_names:
            for one in family_of(state, request.run):
                recover(journal, sessions, trusted=one)
        return plan_undo(request)

    started = datetime.now(UTC)
    run_id = f"{new_run_id(started)}-undo"
    task = Task(
        kind="undo",
        of=request.run,
        run_id=run_id,
        state=state,
        fleet=fleet,
        limits=FixLimits(allow=_EVERY, reboot=request.reboot),  # the run to undo had its classes allowed
        orders=Orders(
            limits=_given(request.max_hosts, request.max_changes, len({change.resource.host for change in plan.changes})),
            good_outcomes=UNDONE,
            trust_names=request.trust_names,
            left_by=() if request.only else _with_followers(state, request.run),
        ),
        progress=request.progress,
        prepare=prepare,
    )
    file = PlanFile(run_id, started, str(fleet.path), plan, undoes=request.run)
    if dry_run:
        return rehearse_changes(task, file)
    written = write_run(task, file, confirm)
    if written.stopped is None and not request.only and not {receipt.outcome for receipt in written.receipts} & _NOT_UNDONE:
        for one in family_of(state, request.run):
            mark_undone(state, one, run_id)
    return written


def resume(request: ResumeRequest, *, confirm: Confirm) -> Written:
    """Go on with a run that was stopped or killed: find out what became of its last write, then make what it did not attempt.

    What it wrote, was refused by an endpoint, or is not known to have arrived is not attempted again; a write that is known not to have
    arrived is. `run` of the answer is empty where nothing was left.

    Raises:
        ConfigurationError: there is no such run, or its plan was not kept.
        GuardError: the plan, or what it follows from, is not as it was.
        JournalError: a journal is damaged.
    """
    fleet, state = _fleet(request.fleet), state_directory(request.state, to_change=True)
    root, writes, file = _begun(state, request.run)
    if file.basis is not None:
        check_basis(f"the plan of run {root}", file.basis, _basis_now(file.basis, fleet, state, request.waivers))
    run_id = f"{new_run_id(datetime.now(UTC))}-resume"
    notices = recover_interrupted(fleet.endpoints, state / JOURNAL_FOLDER, run_id)
    journals, runs = state / JOURNAL_FOLDER, _continued(state, root)
    for one in runs:
        check_journal(state, one)
    entries = [entry for run in runs for entry in history(journals).of_run(run)]
    in_maintenance = [entry.intent for entry in unfinished(journals).left_out.values() if entry.intent.run in runs]
    finish = {run: tuple(intent.change for intent in in_maintenance if intent.run == run) for run in {one.run for one in in_maintenance}}
    left, earlier = what_is_left(file.plan, entries)
    limits = FixLimits(
        allow=tuple(map(FixClass, writes.allow)) if request.allow is None else request.allow,
        settle_seconds=request.settle_seconds,
        reboot=writes.reboot,
        after_failed_gate=request.after_failed_gate,
        accept_health=request.accept_health,
        allow_unusual=True,  # the run passed this guard before its first write
    )
    if not finish and not any(set(change.classes) <= set(limits.allow) for change in left):
        return Written("", "resume", (), None, notices)
    task = Task(
        kind="resume",
        of=root,
        run_id=run_id,
        state=state,
        fleet=fleet,
        limits=limits,
        orders=Orders(
            limits=_given(request.max_hosts, request.max_changes, file.hosts),
            good_outcomes=MADE if file.undoes is None else UNDONE,
            earlier=earlier,
            unfinished_hosts=finish,
            trust_names=writes.trust_names,
        ),
        progress=request.progress,
    )
    return write_run(task, replace(file, plan=replace(file.plan, changes=left)), confirm, notices)


def _given(max_hosts: str | None, max_changes: str | None, hosts: int) -> Limits:
    """The limits that were given; none where none were: the run was limited when it began."""
    given, _ = limits_of(max_hosts, max_changes, hosts)
    return replace(given, is_default=False)


def _begun(state: Path, run_id: str) -> tuple[str, Writes, PlanFile]:
    """The run that `run_id` goes on with, or itself; what it was to write, and its whole plan."""
    writes, file = load_writes(state, run_id)
    while writes.kind == "resume":
        run_id = writes.of
        writes, file = load_writes(state, run_id)
    return run_id, writes, file


def _continued(state: Path, root: str) -> list[str]:
    """A run, and the runs that went on with it, oldest first."""
    from auditor.history.writing_runs import list_all_runs

    resumed = [run.id for run in list_all_runs(state) if run.kind == "resume" and run.of == root]
    return [root, *sorted(resumed)]


def _with_followers(state: Path, run: str) -> frozenset[str]:
    """A run, and those that resumed or undid it, or one of these."""
    from auditor.history.writing_runs import list_all_runs

    found = {run}
    for listed in sorted(list_all_runs(state), key=lambda one: one.started):
        if listed.of in found:
            found.add(listed.id)
    return frozenset(found)


def _basis_now(planned: Basis, fleet: Fleet, state: Path, waivers: Path | None) -> Basis:
    """What a plan would follow from now, by the choice of rules that `planned` was made with."""
    own = tuple(Path(one) for one in planned.own)
    about = load_about(state)
    policy = load_policy(fleet, own, planned.only, planned.tags, tuple(about.counts) if about is not None else ())
    return basis_of(policy.rules, policy.overrides, fleet, state, waivers=waivers, rule_folders=own, only=planned.only, tags=planned.tags)


def _fleet(fleet: Fleet | Path) -> Fleet:
    """The fleet that is written to.

    Raises:
        ConfigurationError: it has a mistake, or its hosts were read from files.
    """
    loaded = fleet if isinstance(fleet, Fleet) else load_fleet(fleet)
    refuse_files(loaded)
    return loaded
