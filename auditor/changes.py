"""The half of the walk that writes: make the changes of a plan, put back those of a run, go on with a run that was cut off.

Every one is a run: its plan lies in its directory before the first write, each write is journalled, and it can be undone itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.apply import Pace, apply, blast_radius, last_receipts, recover, undo_plan
from auditor.apply.guards import BlastRadius
from auditor.apply.interrupted import recover_interrupted
from auditor.apply.recovery import UNDONE_WELL, narrowed, what_is_left
from auditor.apply.restrictions import restrictions_of
from auditor.apply.unfinished import unfinished
from auditor.apply.waves import MADE_WELL
from auditor.endpoints.common.sessions import Sessions
from auditor.errors import AuditorError, ConfigurationError
from auditor.fleet import Fleet, load_fleet
from auditor.history.baseline import load_about
from auditor.history.confirming import Deadline, deadline_of, forget_deadline, keep_deadline, mark_undone
from auditor.history.folders import JOURNAL_FOLDER
from auditor.history.plan_basis import basis_of, check_basis
from auditor.history.plan_file import Basis, PlanFile, read_plan_file
from auditor.history.runs import new_run_id
from auditor.history.state import state_directory
from auditor.history.writing_runs import Writes, begin_writes, finish_writes, forget_writes, load_writes, writing_directory
from auditor.journal import history, open_journal
from auditor.journal.records import SUFFIX
from auditor.model import Change, FixClass, Outcome, Plan, Receipt
from auditor.policy import load_policy
from auditor.request import ApplyRequest, FixLimits, Progress, ResumeRequest, UndoRequest

if TYPE_CHECKING:
    from auditor.journal import Journal

Confirm = Callable[[Sequence[Change]], bool]
"""Called with the changes that are about to be made; they are made only when it returns true."""

_FAILED = frozenset({Outcome.UNVERIFIED, Outcome.REFUSED, Outcome.REVERTED})
_EVERY = tuple(FixClass)
_NOT_UNDONE = frozenset({Outcome.REFUSED, Outcome.UNVERIFIED, Outcome.PROPOSED})


@dataclass(frozen=True, slots=True)
class Task:
    """What one run is to write, and how far it may go.

    Attributes:
        kind: "fix", "apply", "undo" or "resume".
        of: the run whose plan it is, or that it undoes or resumes.
        radius: how many resources it may touch.
        well: the outcomes after which other changes may follow.
        earlier: by number: what an earlier run did of the plan.
        finish: by run: the hosts that it left in maintenance mode, as the changes that took them there.
        leave: runs whose hosts are taken out of maintenance mode at the end, where they left them in it.
        trust_names: names of endpoints are enough where the plan does not say who they were.
        just_read: the plan follows from what this run itself read: whoever changes settings meanwhile writes at the same time.
        prepare: makes the plan once nobody else can write; None: it is the one of the file.
        warn: called before the first write with what somebody should know; None: it is a notice.
    """

    kind: str
    of: str
    run_id: str
    state: Path
    fleet: Fleet
    limits: FixLimits
    radius: BlastRadius
    progress: Progress
    well: Collection[Outcome] = MADE_WELL
    earlier: Mapping[int, Receipt] = field(default_factory=dict)
    finish: Mapping[str, Sequence[Change]] = field(default_factory=dict)
    leave: Collection[str] = ()
    trust_names: bool = False
    just_read: bool = False
    prepare: Callable[[Journal, Sessions], Plan] | None = None
    warn: Callable[[str], None] | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """What a run did.

    Attributes:
        run: its id; empty where there was nothing to do, and there is no such run.
        stopped: what ended it before its plan was done; None: nothing did.
        notices: sentences that every reader has to know.
        wrote: it has a journal, so it can be undone.
    """

    run: str
    kind: str
    receipts: tuple[Receipt, ...]
    stopped: AuditorError | None = None
    notices: tuple[str, ...] = ()
    wrote: bool = False

    @property
    def exit_code(self) -> int:
        """0: everything is as the plan wants it; 1: something was left as it was; 4: something failed, or was not read back as wanted."""
        outcomes = {receipt.outcome for receipt in self.receipts}
        if outcomes & _FAILED:
            return 4
        return 1 if outcomes & {Outcome.STALE, Outcome.PROPOSED} else 0


def make_changes(task: Task, file: PlanFile, confirm: Confirm) -> tuple[tuple[Receipt, ...], AuditorError | None, tuple[str, ...]]:
    """Make the changes of `file`; the receipts, what stopped them before the end, and what the reader has to know.

    An undo puts back what was there: it does not wait between its changes, and reboots hosts only on request.

    The plan is kept in the run's directory before the first write, so that `resume` finds it. A run of its own that was stopped before it
    wrote anything is forgotten; a fix is an audit as well, and stays.
    """
    directory, journals = writing_directory(task.state, task.run_id), task.state / JOURNAL_FOLDER
    allow = tuple(map(str, task.limits.allow))
    writes = Writes(task.kind, task.of, datetime.now(UTC), allow, task.trust_names, task.limits.reboot)
    receipts: list[Receipt] = []
    notices: list[str] = []
    stopped: AuditorError | None = None
    is_undo = file.undoes is not None
    pace = Pace() if is_undo else Pace(task.limits.settle_seconds, ask_health=True, notice=notices.append, just_read=task.just_read)
    try:
        with _sessions(task.fleet) as sessions, open_journal(journals, task.run_id) as journal:
            plan = file.plan if task.prepare is None else task.prepare(journal, sessions)
            begin_writes(directory, writes, replace(file, plan=plan))
            if task.limits.confirm_within_seconds is not None:
                _set_deadline(task)
            made = apply(
                plan,
                sessions,
                journal,
                allow=task.limits.allow,
                confirm=confirm,
                limits=task.radius,
                progress=_change_progress(task.progress),
                well=task.well,
                trust_names=task.trust_names,
                earlier=task.earlier,
                reboots=task.fleet.reboot if task.limits.reboot else None,
                pace=pace,
                finish=task.finish,
                leave=task.leave,
                allow_unusual=task.limits.allow_unusual,
                restrictions=restrictions_of(task.fleet, task.warn or notices.append),
            )
            for receipt in made:
                receipts.append(receipt)  # noqa: PERF402  one by one: those before an error must not be lost
    except AuditorError as error:
        stopped = error
    if task.limits.confirm_within_seconds is not None and directory.is_dir():
        # Counted from its end: until then nobody can say whether it did well. A run that is killed has the deadline of its beginning.
        if (journals / f"{task.run_id}{SUFFIX}").exists():
            _set_deadline(task)
        else:
            forget_deadline(task.state, task.run_id)
    if stopped is not None and task.kind != "fix" and not (journals / f"{task.run_id}{SUFFIX}").exists():
        forget_writes(directory)
    elif directory.is_dir():
        outcomes = dict(Counter(str(receipt.outcome) for receipt in last_receipts(receipts)))
        if stopped is None:
            finish_writes(directory, writes, datetime.now(UTC), outcomes)
    return last_receipts(receipts), stopped, tuple(notices)


def _set_deadline(task: Task) -> None:
    """Keep until when the run has to be confirmed, counted from now; one that was confirmed while it went on stays so."""
    within = timedelta(seconds=task.limits.confirm_within_seconds or 0.0)
    earlier = deadline_of(task.state, task.run_id)
    if earlier is None or earlier.is_open:
        keep_deadline(task.state, Deadline(task.run_id, datetime.now(UTC) + within))


def apply_plan(request: ApplyRequest, *, confirm: Confirm) -> Written:
    """Make exactly the changes of a plan file, where the fleet is still as the plan saw it.

    A change is STALE where its setting is not what the plan saw, and REFUSED where another endpoint answers under the name.

    Raises:
        ConfigurationError: the file is no plan, or names an endpoint that is not in fleet.yaml; nothing was written.
        GuardError: the file was changed, or rules, params, waivers or the baseline were since; nothing was written.
        JournalError: a journal of an earlier run is damaged.
    """
    fleet, state = _fleet(request.fleet), state_directory(request.state)
    file = checked_plan(request, fleet, state)
    run_id = f"{new_run_id(datetime.now(UTC))}-apply"
    notices = recover_interrupted(fleet.endpoints, state / JOURNAL_FOLDER, run_id)
    task = Task(
        kind="apply",
        of=file.run,
        run_id=run_id,
        state=state,
        fleet=fleet,
        limits=request.limits,
        radius=blast_radius(request.limits.max_changes, file.hosts, file.hosts_by_cluster),
        progress=request.progress,
    )
    return _written(task, file, confirm, notices)


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
            do=f"auditor undo {file.undoes} --fleet {fleet.path}",
        )
    check_basis(str(request.plan), file.basis, _basis_now(file.basis, fleet, state, request.waivers))
    return file


def plan_undo(request: UndoRequest) -> Plan:
    """The changes that `undo` would make, last change of the run first.

    Raises:
        ConfigurationError: no journal names such a run, or `only` names nothing of it.
        JournalError: a journal is damaged.
    """
    return narrowed(undo_plan(state_directory(request.state) / JOURNAL_FOLDER, request.run), request.only)


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


def undo_run(request: UndoRequest, *, confirm: Confirm) -> Written:
    """Put back what a run changed, where nobody has changed it since. It is a run of its own, and can be undone itself.

    Nothing is written to an endpoint that is not the one the run wrote to, whatever fleet.yaml calls it: its receipts are REFUSED.

    Raises:
        ConfigurationError: there is no such run, or `only` names nothing of it.
        JournalError: a journal is damaged.
    """
    fleet, state = _fleet(request.fleet), state_directory(request.state)
    plan = plan_undo(request)

    def prepare(journal: Journal, sessions: Sessions) -> Plan:
        if request.trust_names:
            recover(journal, sessions, trusted=request.run)
        return plan_undo(request)

    started = datetime.now(UTC)
    run_id = f"{new_run_id(started)}-undo"
    task = Task(
        kind="undo",
        of=request.run,
        run_id=run_id,
        state=state,
        fleet=fleet,
        limits=FixLimits(allow=_EVERY, max_changes=request.max_changes, reboot=request.reboot),  # the run to undo had its classes allowed
        radius=blast_radius(request.max_changes, len(plan.changes)),
        progress=request.progress,
        well=UNDONE_WELL,
        trust_names=request.trust_names,
        prepare=prepare,
        leave=() if request.only else _with_followers(state, request.run),
    )
    written = _written(task, PlanFile(run_id, started, str(fleet.path), plan, undoes=request.run), confirm)
    if written.stopped is None and not request.only and not {receipt.outcome for receipt in written.receipts} & _NOT_UNDONE:
        mark_undone(state, request.run, run_id)
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
    fleet, state = _fleet(request.fleet), state_directory(request.state)
    root, writes, file = _begun(state, request.run)
    if file.basis is not None:
        check_basis(f"the plan of run {root}", file.basis, _basis_now(file.basis, fleet, state, request.waivers))
    run_id = f"{new_run_id(datetime.now(UTC))}-resume"
    notices = recover_interrupted(fleet.endpoints, state / JOURNAL_FOLDER, run_id)
    journals, runs = state / JOURNAL_FOLDER, _continued(state, root)
    entries = [entry for run in runs for entry in history(journals).of_run(run)]
    in_maintenance = [entry.intent for entry in unfinished(journals).left_out.values() if entry.intent.run in runs]
    finish = {run: tuple(intent.change for intent in in_maintenance if intent.run == run) for run in {one.run for one in in_maintenance}}
    left, earlier = what_is_left(file.plan, entries)
    limits = FixLimits(
        allow=tuple(map(FixClass, writes.allow)) if request.allow is None else request.allow,
        max_changes=request.max_changes or str(len(left)),
        settle_seconds=request.settle_seconds,
        reboot=writes.reboot,
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
        radius=blast_radius(limits.max_changes, file.hosts or len(left), file.hosts_by_cluster),
        progress=request.progress,
        well=MADE_WELL if file.undoes is None else UNDONE_WELL,
        earlier=earlier,
        finish=finish,
        trust_names=writes.trust_names,
    )
    return _written(task, replace(file, plan=replace(file.plan, changes=left)), confirm, notices)


def _written(task: Task, file: PlanFile, confirm: Confirm, notices: tuple[str, ...] = ()) -> Written:
    receipts, stopped, more = make_changes(task, file, confirm)
    wrote = (task.state / JOURNAL_FOLDER / f"{task.run_id}{SUFFIX}").exists()
    return Written(task.run_id, task.kind, receipts, stopped, notices + more, wrote)


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
    return basis_of(policy.rules, policy.overrides, fleet, state, waivers=waivers, own=own, only=planned.only, tags=planned.tags)


def _fleet(fleet: Fleet | Path) -> Fleet:
    return fleet if isinstance(fleet, Fleet) else load_fleet(fleet)


def _sessions(fleet: Fleet) -> Sessions:
    return Sessions({endpoint.name: endpoint for endpoint in fleet.endpoints})


def _change_progress(progress: Progress) -> Callable[[Change, int, int], None]:
    def show(change: Change, number: int, of: int) -> None:
        progress(change.target.endpoint, f"change {number} of {of}: {change.remediator} on {change.resource.name}")

    return show
