"""The walk from end to end, for the command line, the schedule and other people's Python: collect, judge, plan, fix, verify.

`audit` reads and judges, `fix` makes the planned changes and audits again. What is done with a plan that was kept, or with a run, is in
changes.py: `apply_plan`, `undo`, `resume`. Nothing is printed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.apply import blast_radius, last_receipts
from auditor.apply.fights import without_put_back
from auditor.apply.guards import select_changes
from auditor.apply.interrupted import recover_interrupted
from auditor.apply.privileges import roles_for
from auditor.audited import Audited
from auditor.changes import Confirm, Task, Written, apply_plan, make_changes, plan_undo, resume, undo, undo_run
from auditor.endpoints.collect import collect_again, collect_fleet
from auditor.engine.judge import Impacts, judge
from auditor.errors import ConfigurationError, GuardError
from auditor.facts.earlier import with_host_marks, with_marks
from auditor.facts.snapshot import Snapshot, holds_snapshot, load_snapshot, snapshot_digest
from auditor.facts.unread import with_unread_gaps
from auditor.fleet import Fleet, load_fleet, with_transport
from auditor.history.baseline import baseline_kinds, copy_baseline, load_about, missing_notices, only_drift_notice, put_baseline
from auditor.history.drift import drift_ages
from auditor.history.folders import AFTER_FOLDER, FINDINGS_FILE, JOURNAL_FOLDER, SNAPSHOT_FOLDER, SPILL_FOLDER
from auditor.history.incremental import Incremental, earlier_run
from auditor.history.plan_basis import basis_of
from auditor.history.plan_file import PLAN_FILE, PlanFile, plan_text
from auditor.history.runs import begin_run, keep_run, new_run_id
from auditor.history.state import state_directory
from auditor.journal import read_journal
from auditor.journal.records import SUFFIX
from auditor.model import Change, EndpointKind, FixCertificate, FixClass, Outcome, Plan
from auditor.policy import Policy, load_fleet_waivers, load_policy, load_rule_set, needs_for, unmatched_notices
from auditor.report.files import written_whole
from auditor.report.fix_outcomes import attempted_fixes, contradiction_notices, possible_now, possible_now_notice, refused_fixes
from auditor.request import ApplyRequest, AuditRequest, FixLimits, ResumeRequest, UndoRequest

if TYPE_CHECKING:
    from auditor.engine.rule import RuleSet
    from auditor.engine.waivers import Waivers

__all__ = [
    "ApplyRequest",
    "AuditRequest",
    "Audited",
    "FixClass",
    "FixLimits",
    "Incremental",
    "PlanFile",
    "ResumeRequest",
    "UndoRequest",
    "Written",
    "apply_plan",
    "audit",
    "collect",
    "fix",
    "load_fleet",
    "load_rule_set",
    "plan",
    "plan_roles",
    "plan_text",
    "plan_undo",
    "resume",
    "undo",
    "undo_run",
]

_WRITTEN = frozenset({Outcome.APPLIED, Outcome.UNVERIFIED, Outcome.REVERTED})
_UNSURE = frozenset({Outcome.UNVERIFIED, Outcome.REVERTED})
_FOLLOW_UPS = 2
"""How often a fix goes on with what it made possible: once for what waits for a reboot, and once for what waits for that."""


def audit(request: AuditRequest) -> Audited:
    """Read the fleet, or open the saved snapshot, judge it and plan the fixes; the run is kept in the state directory.

    Raises:
        ConfigurationError, RuleError: the fleet, a rule or the request has a mistake, no host was seen, or nothing could be judged.
        SnapshotError: a saved snapshot or the baseline is damaged.
        GuardError: a fix is to follow, and a waiver is malformed.
        JournalError: a journal of an earlier run is damaged.
    """
    if request.fix is not None:
        blast_radius(request.fix.max_changes, 0)  # a mistake in it is reported before the fleet is read
    source = _fleet(request) or load_snapshot(request.snapshot or Path())
    fleet = source if isinstance(source, Fleet) else None
    state = state_directory(request.state)
    policy = _policy(request, source, state)
    for warning in policy.warnings:
        request.warn(warning)
    started = datetime.now(UTC)
    # Waivers of a snapshot of last month, too, count as of the day on which it is judged.
    waivers = load_fleet_waivers(request.waivers, fleet, policy.rules, started, to_fix=request.fix is not None)
    if isinstance(source, Fleet):
        collected = _read_fleet(request, source, policy.rules, waivers, state, started)
    else:
        collected = _Collected(begin_run(state, new_run_id(started)), source, source.started)
    audited = _judge(request, fleet, state, policy, waivers, collected)
    if request.fix is None:
        _keep(audited)
    return audited


def fix(audited: Audited, *, confirm: Confirm, again: Confirm | None = None) -> Audited:
    """Make the changes that the request of `audited` allows, read what they touched again and judge the fleet anew.

    `again` is called with changes that only became possible by these, and are made then as a run of their own: a queue cannot be deepened
    before its driver is. None: they are not made, and a notice says so. So it is where anything failed, or the fix awaits a confirmation.

    Nothing is raised for a fix that a guard, the journal or a mistake stopped: `stopped` of the result says why, beside the receipts of
    what was done by then. The run is kept in the state directory.

    Raises:
        ConfigurationError: the audit was not requested with `fix`.
    """
    fleet, limits = audited.fleet, audited.request.fix
    if fleet is None or limits is None:
        raise ConfigurationError(
            "this audit was not made to be fixed", why="nothing was changed.", do="AuditRequest(fleet=..., fix=FixLimits())"
        )
    task = Task(
        kind="fix",
        of=audited.run_id,
        run_id=audited.run_id,
        state=audited.state,
        fleet=fleet,
        limits=limits,
        radius=blast_radius(limits.max_changes, audited.snapshot.hosts, audited.snapshot.hosts_by_cluster),
        progress=audited.request.progress,
        warn=audited.request.warn,
        just_read=audited.request.incremental is None,  # facts that were taken over are older
    )
    receipts, stopped, notices = make_changes(task, _plan_file(audited, fleet), confirm)
    # The evaluation before the fix knows which finding asked for which change: a finding that was fixed passes afterwards.
    fixes = {**audited.fixes, **attempted_fixes(audited.evaluation, receipts)}
    audited = replace(audited, receipts=receipts, fixes=fixes, stopped=stopped, notices=(*audited.notices, *notices))
    touched = sorted({receipt.change.target.endpoint for receipt in receipts if receipt.outcome in _WRITTEN})
    if touched:
        audited = _read_again(audited, fleet, touched)
        awaits = limits.confirm_within_seconds is not None or stopped is not None
        for _ in range(0 if again is None or awaits else _FOLLOW_UPS):
            further = possible_now(audited.plan, audited.receipts, limits.allow)
            unsure = audited.stopped is not None or any(receipt.outcome in _UNSURE for receipt in audited.receipts)
            if not further or again is None or unsure:
                break
            audited = _followed_up(audited, fleet, task, further, again)
        audited.snapshot.save(audited.directory / AFTER_FOLDER)
        left = possible_now_notice(possible_now(audited.plan, audited.receipts, limits.allow))
        audited = replace(audited, notices=(*audited.notices, *left), certificate=_certificate(audited, limits))
    _keep(audited)
    return audited


def _certificate(audited: Audited, limits: FixLimits) -> FixCertificate | None:
    """What the fix left to do; None where a snapshot of it is not there."""
    before, after = (snapshot_digest(audited.directory / folder) for folder in (SNAPSHOT_FOLDER, AFTER_FOLDER))
    if before is None or after is None:
        return None
    journal = audited.state / JOURNAL_FOLDER / f"{audited.run_id}{SUFFIX}"
    made = sum(receipt.outcome is Outcome.APPLIED for receipt in last_receipts(audited.receipts))
    left, _ = select_changes(audited.plan, limits.allow)
    return FixCertificate(before, after, made, len(left), read_journal(journal).digests[-1] if journal.is_file() else None)


def plan(audited: Audited) -> PlanFile:
    """The plan of an audit as it is kept in a file (`plan_text`); the run is kept in the state directory, and nothing is changed.

    Raises:
        ConfigurationError: the audit was not requested with `fix`, without which waivers need not be sound.
    """
    if audited.fleet is None or audited.request.fix is None:
        raise ConfigurationError(
            "this audit was not made to be planned by", why="nothing was kept.", do="AuditRequest(fleet=..., fix=FixLimits())"
        )
    file = _plan_file(audited, audited.fleet)
    with written_whole(audited.directory / PLAN_FILE, mode=0o600) as out:
        out.write(plan_text(file))
    _keep(audited)
    return file


def plan_roles(audited: Audited) -> dict[str, Any]:
    """The roles that the plan of an audit needs, and the read-only ones of the audit, as JSON that govc and PowerCLI take; see `roles_for`.

    Raises:
        ConfigurationError: a saved snapshot was audited, which has no accounts.
    """
    if audited.fleet is None:
        raise ConfigurationError(
            "a saved snapshot has no accounts", why="no roles can be said.", do='AuditRequest(fleet=Path("fleet.yaml"))'
        )
    return roles_for(audited.plan.changes, {endpoint.name: endpoint for endpoint in audited.fleet.endpoints})


def collect(request: AuditRequest, directory: Path) -> Snapshot:
    """Read everything of the fleet into a snapshot in `directory`; nothing is judged.

    Raises:
        ConfigurationError: the request has no fleet, or `directory` holds a snapshot already.
    """
    fleet = _fleet(request)
    if fleet is None:
        raise ConfigurationError("there is no fleet to read", why="nothing was read.", do='AuditRequest(fleet=Path("fleet.yaml"))')
    if holds_snapshot(directory):
        raise ConfigurationError(
            f"{directory} already holds a snapshot", why="nothing was read: two moments would be mixed.", do="name another directory."
        )
    snapshot = collect_fleet(fleet, request.progress)
    snapshot.save(directory)
    return snapshot


@dataclass(frozen=True, slots=True)
class _Collected:
    """A snapshot and the directory of the run that judges it."""

    directory: Path
    snapshot: Snapshot
    started: datetime
    notices: tuple[str, ...] = ()


def _fleet(request: AuditRequest) -> Fleet | None:
    fleet = load_fleet(request.fleet) if isinstance(request.fleet, Path) else request.fleet
    return None if fleet is None else with_transport(fleet, request.transport)


def _policy(request: AuditRequest, source: Fleet | Snapshot, state: Path) -> Policy:
    """What is judged by: drift rules only as far as a baseline has settings to compare with."""
    if isinstance(source, Fleet):
        about = load_about(state)
        kinds = tuple(about.counts) if about is not None else ()
        return load_policy(source, tuple(request.rules), request.only, request.tags, kinds)
    # A saved snapshot holds the baseline that it was first judged by; the one in force now is not compared with it.
    return load_policy(None, tuple(request.rules), request.only, request.tags, baseline_kinds(source))


def _read_fleet(request: AuditRequest, fleet: Fleet, rules: RuleSet, waivers: Waivers | None, state: Path, started: datetime) -> _Collected:
    """Read what the rules and waivers need of `fleet`, and save the snapshot in the run's directory before anything is judged."""
    needs = needs_for(rules, hosts=request.fix is not None and not (request.fix.max_changes or "").strip().isdecimal(), waivers=waivers)
    earlier, why = earlier_run(state, request.incremental, started) if request.incremental is not None else (None, ())
    run_id = new_run_id(started)
    directory = begin_run(state, run_id)
    recovered = recover_interrupted(fleet.endpoints, state / JOURNAL_FOLDER, run_id)
    needs = with_marks(needs) if earlier else with_host_marks(needs)
    snapshot = collect_fleet(fleet, request.progress, needs, earlier, directory / SPILL_FOLDER)
    snapshot = put_baseline(snapshot, state)
    snapshot.save(directory / SNAPSHOT_FOLDER)
    # Judged from the files: of a large fleet the tables themselves would be most of the memory.
    snapshot = load_snapshot(directory / SNAPSHOT_FOLDER)
    return _Collected(directory, snapshot, started, why + recovered + unmatched_notices(fleet, snapshot))


def _judge(
    request: AuditRequest, fleet: Fleet | None, state: Path, policy: Policy, waivers: Waivers | None, collected: _Collected
) -> Audited:
    """Judge the snapshot. What the rules and waivers need and its endpoints were not read for is a gap."""
    directory, rules = collected.directory, policy.rules
    snapshot = with_unread_gaps(collected.snapshot, needs_for(rules, waivers=waivers))
    _check_not_empty(snapshot)
    judgement = judge(
        snapshot,
        rules,
        policy.overrides,
        waivers,
        findings=directory / FINDINGS_FILE,
        spill=directory / SPILL_FOLDER,
        own=_own(request, rules),
        impacts=_impacts(rules),
    )
    plan, put_back = _without_put_back(request, fleet, judgement.plan, state)
    only_drift = only_drift_notice(rules) if request.fix is not None else ()
    of_readings = (note for reading in snapshot.readings for note in reading.notes)
    return Audited(
        request=request,
        fleet=fleet,
        state=state,
        directory=directory,
        started=collected.started,
        snapshot=snapshot,
        policy=policy,
        waivers=waivers,
        evaluation=judgement.evaluation,
        plan=plan,
        notices=(
            *put_back,
            *judgement.notices,
            *contradiction_notices(judgement.plan.contradictions),
            *missing_notices(snapshot),
            *collected.notices,
            *policy.notices,
            *only_drift,
            *of_readings,
        ),
        fixes=refused_fixes(judgement.evaluation, plan),
        drift_ages=drift_ages(directory, collected.started, snapshot, rules),
    )


def _impacts(rules: RuleSet) -> Impacts | None:
    """How failures get their impact; None where no rule is about what the model has an answer for."""
    from auditor.impact.finding import VIEWS
    from auditor.impact.guarded import add_impacts_guarded
    from auditor.impact.scopes import TOPICS

    return Impacts(VIEWS, add_impacts_guarded) if any(rule.id.partition("/")[0] in TOPICS for rule in rules) else None


def _own(request: AuditRequest, rules: RuleSet) -> list[str]:
    """The ids of rules that are not shipped."""
    folders = [folder.resolve() for folder in request.rules]
    return [rule.id for rule in rules if any(rule.path.resolve().is_relative_to(folder) for folder in folders)]


def _without_put_back(request: AuditRequest, fleet: Fleet | None, plan: Plan, state: Path) -> tuple[Plan, tuple[str, ...]]:
    """The plan without what something put back after an earlier run, unless it is to be tried once more; and what to know of it."""
    if fleet is None or (request.fix is not None and request.fix.retry_put_back):
        return plan, ()
    return without_put_back(plan, state / JOURNAL_FOLDER)


def _check_not_empty(snapshot: Snapshot) -> None:
    """Raise ConfigurationError where a snapshot holds nothing to judge: a report without failures would look clean."""
    if snapshot.readings and not any(snapshot.asked.topics_of(EndpointKind(reading.kind)) for reading in snapshot.readings):
        raise ConfigurationError(
            "no endpoint of this fleet can tell what these rules need",
            why="nothing was read, so nothing was judged.",
            do="add the endpoints they are about to fleet.yaml, or audit with other rules.",
        )
    if snapshot.hosts == 0 and not snapshot.gaps and "hosts" in snapshot.asked.topics:
        raise ConfigurationError(
            "no host was found",
            why="nothing was judged: a fleet without hosts has no failures, and says nothing about yours.",
            do="check that fleet.yaml names a vCenter, and that its account may see the hosts (propagated Read-only role).",
        )


def _plan_file(audited: Audited, fleet: Fleet) -> PlanFile:
    """The plan of an audit, with what it follows from."""
    request, snapshot = audited.request, audited.snapshot
    basis = basis_of(
        audited.policy.rules,
        audited.policy.overrides,
        fleet,
        audited.state,
        waivers=request.waivers,
        own=request.rules,
        only=request.only,
        tags=request.tags,
    )
    digest = snapshot_digest(audited.directory / SNAPSHOT_FOLDER)
    return PlanFile(
        run=audited.run_id,
        made=audited.started,
        fleet=str(fleet.path),
        plan=audited.plan,
        hosts=snapshot.hosts,
        hosts_by_cluster=snapshot.hosts_by_cluster,
        snapshot=digest,
        basis=basis,
    )


def _followed_up(audited: Audited, fleet: Fleet, task: Task, further: tuple[Change, ...], again: Confirm) -> Audited:
    """Make changes that a fix made possible, as a run of its own, and read what they touched again."""
    run_id = f"{new_run_id(datetime.now(UTC))}-apply"
    file = _plan_file(audited, fleet)
    file = replace(file, plan=replace(file.plan, changes=further), snapshot=None)  # of facts that are not kept by themselves
    made, stopped, notices = make_changes(replace(task, kind="apply", of=audited.run_id, run_id=run_id), file, again)
    why = f"{len(further)} further changes became possible by this fix"
    if isinstance(stopped, GuardError) and not made:
        return replace(audited, notices=(*audited.notices, *notices, f"{why}, and were not made: {stopped.what}."))
    told = f"{why}, and were made as run {run_id}; `auditor undo {run_id}` puts them back."
    audited = replace(
        audited,
        receipts=(*audited.receipts, *made),
        fixes={**audited.fixes, **attempted_fixes(audited.evaluation, made)},
        stopped=stopped,
        notices=(*audited.notices, *notices, told),
    )
    touched = sorted({receipt.change.target.endpoint for receipt in made if receipt.outcome in _WRITTEN})
    return _read_again(audited, fleet, touched) if touched else audited


def _read_again(audited: Audited, fleet: Fleet, touched: Sequence[str]) -> Audited:
    """Read the endpoints that a fix touched again, and judge the fleet as it is now."""
    snapshot = collect_again(fleet, audited.snapshot, touched, audited.request.progress)
    snapshot = copy_baseline(audited.snapshot, snapshot)
    directory, policy = audited.directory, audited.policy
    judgement = judge(
        snapshot,
        policy.rules,
        policy.overrides,
        audited.waivers,
        findings=directory / FINDINGS_FILE,
        spill=directory / SPILL_FOLDER,
        impacts=_impacts(policy.rules),
    )
    return replace(audited, snapshot=snapshot, evaluation=judgement.evaluation, plan=judgement.plan)


def _keep(audited: Audited) -> None:
    keep_run(audited.directory, audited.report, audited.fixes, audited.drift_ages)
