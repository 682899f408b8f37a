"""Fixes what an audit found: makes its changes, reads what they touched again, judges it, and makes what they made possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from auditor.apply import last_receipts, limits_of
from auditor.apply.guards import select_changes
from auditor.apply.orders import Orders
from auditor.endpoints.collect import collect_again
from auditor.errors import ConfigurationError, GuardError
from auditor.facts.snapshots.snapshot import snapshot_digest
from auditor.history.baseline import copy_baseline
from auditor.history.folders import AFTER_FOLDER, JOURNAL_FOLDER, SNAPSHOT_FOLDER
from auditor.history.runs import new_run_id
from auditor.history.stopped_runs import close_audit
from auditor.journal import read_journal
from auditor.journal.records import SUFFIX
from auditor.model import Change, FixCertificate, Outcome
from auditor.pipeline.files_of_hosts import refuse_files
from auditor.pipeline.judging import judge_again
from auditor.pipeline.saving import plan_file, save_run
from auditor.pipeline.unmatched import refuse_unmatched
from auditor.pipeline.writing import Confirm, Task, Written, rehearse_changes, run_changes
from auditor.report.fix_outcomes import attempted_fixes, possible_now, possible_now_notice
from auditor.stopping import closing
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from auditor.fleet.loading import Fleet
    from auditor.pipeline.request import FixLimits
    from auditor.pipeline.result import AuditResult

_WRITTEN = frozenset({Outcome.APPLIED, Outcome.UNVERIFIED, Outcome.REVERTED})
_UNSURE = frozenset({Outcome.UNVERIFIED, Outcome.REVERTED})
_FOLLOW_UPS = 2
"""How often a fix goes on with what it made possible: once for what waits for a reboot, and once for what waits for that."""


def fix(audited: AuditResult, *, confirm: Confirm, again: Confirm | None = None) -> AuditResult:
    """Make the changes that the request of `audited` allows, read what they touched again and judge the fleet anew.

    `again` is called with changes that only became possible by these, and are made then as a run of their own: a queue cannot be deepened
    before its driver is. None: they are not made, and a notice says so. So it is where anything failed, or the fix awaits a confirmation.

    Nothing is raised for a fix that a guard, the journal or a mistake stopped: `stopped` of the result says why, beside the receipts of
    what was done by then. The run is kept in the state directory.

    Raises:
        ConfigurationError: the audit was not requested with `fix`.
    """
    fleet, limits = _requested(audited)
    task, noted = _task(audited, fleet, limits)
    try:
        if not limits.allow_unmatched_protection:
            refuse_unmatched(fleet, audited.snapshot, "--allow-unmatched-protection")
    except GuardError as error:
        return save_run(replace(audited, stopped=error))
    audited, is_kept = _as_read_here(audited, fleet, limits)
    file = plan_file(audited, fleet)
    receipts, stopped, notices = run_changes(task, file if is_kept else replace(file, snapshot=None), confirm)
    # The evaluation before the fix knows which finding asked for which change: a finding that was fixed passes afterwards.
    fixes = {**audited.fixes, **attempted_fixes(audited.evaluation, receipts)}
    audited = replace(audited, receipts=receipts, fixes=fixes, stopped=stopped, notices=(*audited.notices, *noted, *notices))
    with closing(partial(close_audit, audited.directory, "its changes are made, and the fleet was not read again")):
        return save_run(_after_changes(audited, fleet, task, again))


def rehearse(audited: AuditResult) -> tuple[AuditResult, Written]:
    """What `fix` would come to, as far as it can be known before: every guard is asked, and nothing is written. The run is kept.

    Raises:
        ConfigurationError: the audit was not requested with `fix`.
    """
    fleet, limits = _requested(audited)
    task, noted = _task(audited, fleet, limits)
    try:
        if not limits.allow_unmatched_protection:
            refuse_unmatched(fleet, audited.snapshot, "--allow-unmatched-protection")
        written = rehearse_changes(task, plan_file(audited, fleet))
    except GuardError as error:
        written = Written("", "fix", (), error)
    return save_run(audited), replace(written, notices=(*noted, *written.notices))


def _requested(audited: AuditResult) -> tuple[Fleet, FixLimits]:
    """The fleet that may be fixed, and within which limits.

    Raises:
        ConfigurationError: the audit was not requested with `fix`, or hosts were read from files.
    """
    fleet, limits = audited.fleet, audited.request.fix
    if fleet is None or limits is None:
        raise ConfigurationError(
            "this audit was not made to be fixed", why="nothing was changed.", do="AuditRequest(fleet=..., fix=FixLimits())"
        )
    refuse_files(fleet)
    return fleet, limits


def _task(audited: AuditResult, fleet: Fleet, limits: FixLimits) -> tuple[Task, tuple[str, ...]]:
    """The run that makes the changes of an audit, and what somebody has to know of its limits."""
    radius, noted = limits_of(limits.max_hosts, limits.max_changes, audited.snapshot.hosts, audited.snapshot.hosts_by_cluster)
    task = Task(
        kind="fix",
        of=audited.run_id,
        run_id=audited.run_id,
        state=audited.state,
        fleet=fleet,
        limits=limits,
        orders=Orders(limits=radius),
        progress=audited.request.progress,
        warn=audited.request.warn,
        just_read=audited.request.incremental is None,  # reused facts are older
    )
    return task, noted


def _as_read_here(audited: AuditResult, fleet: Fleet, limits: FixLimits) -> tuple[AuditResult, bool]:
    """The audit by what this machine reads of the endpoints that are to be changed, and whether that is what is kept of its facts.

    Facts of workers are as true as their machines. So of a plan that rests on them only what this machine plans as well is made.
    """
    chosen, _ = select_changes(audited.plan, limits.allow)
    if audited.request.workers is None or not chosen:
        return audited, True
    believed = {_what(change) for change in audited.plan.changes}
    audited = _read_again(audited, fleet, sorted({change.target.endpoint for change in chosen}))
    changes = tuple(change for change in audited.plan.changes if _what(change) in believed)
    lost = len({_what(change) for change in chosen} - {_what(change) for change in changes})
    audited = replace(audited, plan=replace(audited.plan, changes=changes))
    if not lost:
        return audited, False
    notice = f"{count_of(lost, 'change is', 'changes are')} not made: facts of workers asked for it, those of this machine do not."
    return replace(audited, notices=(*audited.notices, notice)), False


def _what(change: Change) -> tuple[object, ...]:
    """What a change writes where, and over which value."""
    return change.remediator, change.target, change.before, change.after


def _after_changes(audited: AuditResult, fleet: Fleet, task: Task, again: Confirm | None) -> AuditResult:
    """What a fix touched, read again and judged; and what `again` agrees to that only became possible by it."""
    limits = task.limits
    touched = sorted({receipt.change.target.endpoint for receipt in audited.receipts if receipt.outcome in _WRITTEN})
    if not touched:
        return audited
    audited = _read_again(audited, fleet, touched)
    awaits = limits.confirm_within_seconds is not None or audited.stopped is not None
    for _ in range(0 if again is None or awaits else _FOLLOW_UPS):
        further = possible_now(audited.plan, audited.receipts, limits.allow)
        unsure = audited.stopped is not None or any(receipt.outcome in _UNSURE for receipt in audited.receipts)
        if not further or again is None or unsure:
            break
        audited = _followed_up(audited, fleet, task, further, again)
    audited.snapshot.save(audited.directory / AFTER_FOLDER)
    left = possible_now_notice(possible_now(audited.plan, audited.receipts, limits.allow))
    return replace(audited, notices=(*audited.notices, *left), certificate=_certificate(audited, limits))


def _followed_up(audited: AuditResult, fleet: Fleet, task: Task, further: tuple[Change, ...], again: Confirm) -> AuditResult:
    """Make changes that a fix made possible, as a run of its own, and read what they touched again."""
    run_id = f"{new_run_id(datetime.now(UTC))}-apply"
    file = plan_file(audited, fleet)
    file = replace(file, plan=replace(file.plan, changes=further), snapshot=None)  # of facts that are not kept by themselves
    made, stopped, notices = run_changes(replace(task, kind="apply", of=audited.run_id, run_id=run_id), file, again)
    why = f"{len(further)} further changes became possible by this fix"
    if isinstance(stopped, GuardError) and not made:
        return replace(audited, notices=(*audited.notices, *notices, f"{why}, and were not made: {stopped.what}."))
    made_too = f"{why}, and were made as run {run_id}; `auditor undo {run_id}` puts them back."
    audited = replace(
        audited,
        receipts=(*audited.receipts, *made),
        fixes={**audited.fixes, **attempted_fixes(audited.evaluation, made)},
        stopped=stopped,
        notices=(*audited.notices, *notices, made_too),
    )
    touched = sorted({receipt.change.target.endpoint for receipt in made if receipt.outcome in _WRITTEN})
    return _read_again(audited, fleet, touched) if touched else audited


def _read_again(audited: AuditResult, fleet: Fleet, touched: Sequence[str]) -> AuditResult:
    """Read the endpoints that a fix touched again, and judge the fleet as it is now."""
    snapshot = collect_again(fleet, audited.snapshot, touched, audited.request.progress)
    return judge_again(audited, copy_baseline(audited.snapshot, snapshot))


def _certificate(audited: AuditResult, limits: FixLimits) -> FixCertificate | None:
    """What the fix left to do; None where a snapshot of it is not there."""
    before, after = (snapshot_digest(audited.directory / folder) for folder in (SNAPSHOT_FOLDER, AFTER_FOLDER))
    if before is None or after is None:
        return None
    journal = audited.state / JOURNAL_FOLDER / f"{audited.run_id}{SUFFIX}"
    made = sum(receipt.outcome is Outcome.APPLIED for receipt in last_receipts(audited.receipts))
    left, _ = select_changes(audited.plan, limits.allow)
    return FixCertificate(before, after, made, len(left), read_journal(journal).digests[-1] if journal.is_file() else None)
