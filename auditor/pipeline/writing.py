"""Makes the changes of one run: its plan lies in its directory before the first write, each write is journalled, and it can be undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.apply import Pace, apply, last_receipts
from auditor.apply.failed_gates import GATES_FOLDER, FailedGates
from auditor.apply.fights import put_back_since
from auditor.apply.limits import larger, never
from auditor.apply.orders import Orders
from auditor.apply.rehearsal import rehearse
from auditor.apply.restrictions import Restrictions, restrictions_of
from auditor.endpoints.common.sessions import Sessions
from auditor.errors import AuditorError
from auditor.history.confirming import Deadline, deadline_of, forget_deadline, keep_deadline
from auditor.history.folders import JOURNAL_FOLDER
from auditor.history.state import state_directory
from auditor.history.stopped_runs import close_writes
from auditor.history.writing_runs import Writes, begin_writes, finish_writes, forget_writes, writing_directory
from auditor.journal import open_journal, read_journal
from auditor.journal.records import SUFFIX
from auditor.model import Change, Outcome, Plan, Receipt
from auditor.pipeline.request import FixLimits, Progress, Result
from auditor.report.terminal.receipts import narrated
from auditor.stopping import closing
from auditor.system.shell import joined
from auditor.text.counts import Counted, Counts

if TYPE_CHECKING:
    from auditor.fleet.loading import Fleet
    from auditor.history.plan_file import PlanFile
    from auditor.journal import Journal

Confirm = Callable[[Sequence[Change]], bool]
"""Called with the changes that are about to be made; they are made only when it returns true."""

_FAILED = frozenset({Outcome.UNVERIFIED, Outcome.REFUSED, Outcome.REVERTED})


@dataclass(frozen=True, slots=True)
class Task:
    """What one run is to write, and how far it may go.

    Attributes:
        kind: "fix", "apply", "undo" or "resume".
        of: the run whose plan it is, or that it undoes or resumes.
        limits: what the person who asked for it allows.
        orders: how far it may go besides: how many resources it may touch, and what follows from the runs before it.
        just_read: the plan follows from what this run itself read: settings that change meanwhile were written by somebody else.
        prepare: makes the plan once nobody else can write; None: it is the one of the file.
        warn: called before the first write with what somebody should know; None: it is a notice.
    """

    kind: str
    of: str
    run_id: str
    state: Path
    fleet: Fleet
    limits: FixLimits
    orders: Orders
    progress: Progress
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


def run_changes(task: Task, file: PlanFile, confirm: Confirm) -> tuple[tuple[Receipt, ...], AuditorError | None, tuple[str, ...]]:
    """Make the changes of `file`; the receipts, what stopped them before the end, and what the reader has to know.

    An undo puts back what was there: it does not wait between its changes, and reboots hosts only on request.

    The plan is kept in the run's directory before the first write, so that `resume` finds it. A run of its own that was stopped before it
    wrote anything is forgotten; a fix is an audit as well, and stays.
    """
    directory, journals = writing_directory(task.state, task.run_id), task.state / JOURNAL_FOLDER
    allow = tuple(map(str, task.limits.allow))
    writes = Writes(task.kind, task.of, datetime.now(UTC), allow, task.orders.trust_names, task.limits.reboot)
    receipts: list[Receipt] = []
    notices: list[str] = []
    stopped: AuditorError | None = None
    is_undo = file.undoes is not None
    pace = Pace() if is_undo else Pace(task.limits.settle_seconds, ask_health=True, notice=notices.append, just_read=task.just_read)
    close = partial(close_writes, task.state, task.run_id, len(file.plan.changes), is_audit=task.kind == "fix")
    try:
        with closing(close), _sessions(task.fleet) as sessions, open_journal(journals, task.run_id) as journal:
            plan = file.plan if task.prepare is None else task.prepare(journal, sessions)
            begin_writes(directory, writes, replace(file, plan=plan))
            if task.limits.confirm_within_seconds is not None:
                _set_deadline(task)
            made = apply(
                plan,
                sessions,
                journal,
                replace(
                    task.orders,
                    allow=task.limits.allow,
                    limits=replace(task.orders.limits, decide=task.limits.decide, again=_goes_on(task)),
                    reboots=task.fleet.reboot if task.limits.reboot else None,
                    pace=pace,
                    allow_unusual=task.limits.allow_unusual,
                    gates=None if is_undo else _gates(task),
                    restrictions=_restrictions(task, file, plan, task.warn or notices.append),
                ),
                confirm=confirm,
                progress=_change_progress(task.progress),
            )
            for receipt in made:
                receipts.append(receipt)  # one by one: those before an error must not be lost
                if receipt.outcome not in {Outcome.PROPOSED, Outcome.BY_HAND}:
                    task.progress(receipt.change.target.endpoint, Result(narrated(receipt)))
    except AuditorError as error:
        stopped = error
    _end(task, writes, receipts, stopped)
    return last_receipts(receipts), stopped, tuple(notices)


def rehearse_changes(task: Task, file: PlanFile) -> Written:
    """What `run_changes` would come to, as far as it can be known before: every guard is asked and every setting read, nothing is written.

    Waits, health after a write, reboots and what a fix makes possible are not predicted. The journal's lock is tried, and not held.
    """
    journals, is_undo = task.state / JOURNAL_FOLDER, file.undoes is not None
    notices: list[str] = []
    receipts: tuple[Receipt, ...] = ()
    stopped: AuditorError | None = None
    try:
        if journals.is_dir():
            with open_journal(journals, task.run_id):
                pass
        with _sessions(task.fleet) as sessions:
            receipts, stopped = rehearse(
                file.plan,
                sessions,
                journals,
                task.run_id,
                replace(
                    task.orders,
                    allow=task.limits.allow,
                    limits=replace(task.orders.limits, decide=lambda _excess: True),
                    unfinished_hosts={},
                    left_by=(),
                    pace=Pace() if is_undo else Pace(ask_health=True, notice=notices.append, just_read=task.just_read),
                    allow_unusual=task.limits.allow_unusual,
                    gates=None if is_undo else _gates(task),
                    restrictions=_restrictions(task, file, file.plan, notices.append),
                ),
                confirm=lambda _changes: True,
            )
    except AuditorError as error:
        stopped = error
    if stopped is None and task.limits.decide is never:
        unmade = {Outcome.PROPOSED, Outcome.BY_HAND, Outcome.REFUSED}
        excess = task.orders.limits.excess([receipt.change for receipt in receipts if receipt.outcome not in unmade])
        stopped = None if excess is None else larger(excess)
    return Written("", task.kind, last_receipts(receipts), stopped, tuple(notices))


def _gates(task: Task) -> FailedGates:
    return FailedGates(task.state / GATES_FOLDER, task.limits.after_failed_gate, task.limits.accept_health)


def _restrictions(task: Task, file: PlanFile, plan: Plan, notice: Callable[[str], None]) -> Restrictions:
    """What keeps changes of `plan` from being written. An undo is not bound by windows, nor by what somebody put back."""
    restrictions = restrictions_of(task.fleet, notice)
    if file.undoes is not None:
        return replace(restrictions, windows=())
    if task.limits.retry_put_back:
        return restrictions
    return replace(restrictions, put_back=put_back_since(plan, task.state / JOURNAL_FOLDER, task.run_id, file.made))


def _goes_on(task: Task) -> str:
    """The command that goes on with a run."""
    words = ["auditor", "resume", task.run_id, "--fleet", str(task.fleet.path)]
    words += [] if task.state == state_directory(None, to_read=True) else ["--state-dir", str(task.state)]
    return joined([*words, "--yes"])


def _end(task: Task, writes: Writes, receipts: Sequence[Receipt], stopped: AuditorError | None) -> None:
    """Keep how the run ended, and until when it has to be confirmed."""
    directory = writing_directory(task.state, task.run_id)
    wrote = (task.state / JOURNAL_FOLDER / f"{task.run_id}{SUFFIX}").exists()
    if task.limits.confirm_within_seconds is not None and directory.is_dir():
        # Counted from its end: until then nobody can say whether it did well. A run that is killed has the deadline of its beginning.
        if wrote:
            _set_deadline(task)
        else:
            forget_deadline(task.state, task.run_id)
    if stopped is not None and task.kind != "fix" and not wrote:
        forget_writes(directory)
    elif directory.is_dir():
        outcomes = dict(Counter(str(receipt.outcome) for receipt in last_receipts(receipts)))
        if stopped is None:
            path = task.state / JOURNAL_FOLDER / f"{task.run_id}{SUFFIX}"
            finish_writes(directory, writes, datetime.now(UTC), outcomes, read_journal(path).digests[-1] if wrote else None)


def _set_deadline(task: Task) -> None:
    """Keep until when the run has to be confirmed, counted from now; one that was confirmed while it went on stays so."""
    within = timedelta(seconds=task.limits.confirm_within_seconds or 0.0)
    earlier = deadline_of(task.state, task.run_id)
    if earlier is None or earlier.is_open:
        keep_deadline(task.state, Deadline(task.run_id, datetime.now(UTC) + within))


def write_run(task: Task, file: PlanFile, confirm: Confirm, notices: tuple[str, ...] = ()) -> Written:
    """What `run_changes` came to; `notices` are known before it."""
    receipts, stopped, more = run_changes(task, file, confirm)
    wrote = (task.state / JOURNAL_FOLDER / f"{task.run_id}{SUFFIX}").exists()
    return Written(task.run_id, task.kind, receipts, stopped, notices + more, wrote)


def _sessions(fleet: Fleet) -> Sessions:
    return Sessions({endpoint.name: endpoint for endpoint in fleet.endpoints})


def _change_progress(progress: Progress) -> Callable[[Change, int, int], None]:
    def show(change: Change, number: int, of: int) -> None:
        text = f"change {number} of {of}: {change.remediator} on {change.resource.name}"
        progress(change.target.endpoint, Counted(text, Counts(steps=number - 1, of_steps=of)))

    return show
