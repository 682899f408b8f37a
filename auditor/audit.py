"""The walk from end to end, for the command line, the schedule and other people's Python: collect, judge, plan, fix, verify.

`audit` reads and judges, `fix` makes the planned changes and audits again. What is done with a plan that was kept, or with a run, is in
changes.py: `apply_plan`, `undo`, `resume`. Nothing is printed here.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.apply import limits_of
from auditor.apply.interrupted import recover_interrupted
from auditor.apply.privileges import roles_for
from auditor.endpoints.collect import collect_fleet
from auditor.engine.chosen_places import check_fits, fits
from auditor.errors import ConfigurationError
from auditor.facts.baseline import declared_kinds
from auditor.facts.needs import EVERYTHING, Needs
from auditor.facts.needs import needs as facts_needed
from auditor.facts.snapshots.earlier import with_host_marks, with_marks
from auditor.facts.snapshots.snapshot import Snapshot, load_snapshot
from auditor.facts.tables.history import TOPIC as HISTORY
from auditor.fleet.loading import Fleet, load_fleet, with_history, with_transport
from auditor.history.baseline import baseline_kinds, load_about, put_baseline
from auditor.history.folders import JOURNAL_FOLDER, SNAPSHOT_FOLDER, SPILL_FOLDER
from auditor.history.incremental import Incremental, earlier_run
from auditor.history.known_identities import endpoint_identities
from auditor.history.plan_file import PLAN_FILE, PlanFile, plan_text
from auditor.history.reused_verdicts import code_digest
from auditor.history.runs import begin_run, load_run, new_run_id, run_directory
from auditor.history.saved_snapshots import local_snapshot, save_snapshot, saves_over
from auditor.history.state import state_directory
from auditor.history.stopped_runs import close_audit
from auditor.model import FixClass
from auditor.model.scope import fleet_identity
from auditor.pipeline.changes import apply_plan, plan_undo, resume, undo, undo_run
from auditor.pipeline.files_of_hosts import origin_of_changes, refuse_files
from auditor.pipeline.fixing import fix, rehearse
from auditor.pipeline.judging import Collected, judge_collected
from auditor.pipeline.policy import (
    Policy,
    history_notices,
    load_fleet_waivers,
    load_policy,
    load_rule_set,
    needs_for,
    needs_of_history,
    needs_of_reach,
)
from auditor.pipeline.request import ApplyRequest, AuditRequest, FixLimits, ResumeRequest, UndoRequest
from auditor.pipeline.result import AuditResult
from auditor.pipeline.saving import plan_file, save_run
from auditor.pipeline.unmatched import unmatched_notices
from auditor.pipeline.writing import Written
from auditor.report.files import written_whole
from auditor.stopping import closing
from auditor.workers.client import workers_of

if TYPE_CHECKING:
    from auditor.engine.rules.rule import RuleSet
    from auditor.engine.waivers.file import Waivers
    from auditor.store.address import Place

__all__ = [
    "ApplyRequest",
    "AuditRequest",
    "AuditResult",
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
    "keep_planned",
    "load_fleet",
    "load_rule_set",
    "plan",
    "plan_roles",
    "plan_text",
    "plan_undo",
    "rehearse",
    "resume",
    "undo",
    "undo_run",
]

Audited = AuditResult
"""Its name up to 0.2."""


def audit(request: AuditRequest) -> AuditResult:
    """Read the fleet, or open the saved snapshot, judge it and plan the fixes; the run is kept in the state directory.

    Raises:
        ConfigurationError, RuleError: the fleet, a rule or the request has a mistake, no host was seen, or nothing could be judged.
        SnapshotError: a saved snapshot or the baseline is damaged.
        GuardError: a fix is to follow, and a waiver is malformed.
        JournalError: a journal of an earlier run is damaged.
    """
    if request.fix is not None:
        limits_of(request.fix.max_hosts, request.fix.max_changes, 0)  # a mistake in it is reported before the fleet is read
    request = replace(request, began=request.began or datetime.now(UTC))
    saved = local_snapshot(request.snapshots) if request.snapshots else None
    request = replace(request, snapshot=saved)
    source = _fleet(request) or load_snapshot(saved or Path())
    fleet = source if isinstance(source, Fleet) else None
    if fleet is not None:
        _to_read(request, fleet)  # likewise
    state = state_directory(request.state, to_change=request.fix is not None)
    policy = _policy(request, source, state)
    for warning in policy.warnings:
        request.warn(warning)
    compared_with = None if request.compare is None else load_run(state, request.compare)
    started = datetime.now(UTC)
    # Waivers of a snapshot of last month, too, count as of the day on which it is judged.
    waivers = load_fleet_waivers(request.waivers, fleet, policy.rules, started, to_fix=request.fix is not None)
    run_id = new_run_id(started)
    with closing(partial(close_audit, run_directory(state, run_id))):
        if isinstance(source, Fleet):
            collected = _read_fleet(request, source, policy.rules, waivers, state, started, run_id)
        else:
            collected = Collected(begin_run(state, run_id), source, source.started)
        audited = replace(judge_collected(request, fleet, state, policy, waivers, collected), compared_with=compared_with)
        return save_run(audited) if request.fix is None else audited


def plan(audited: AuditResult) -> PlanFile:
    """The plan of an audit as it is kept in a file (`plan_text`); the run is kept in the state directory, and nothing is changed.

    Raises:
        ConfigurationError: the audit was not requested with `fix`, without which waivers need not be sound, or hosts were read from files.
    """
    if audited.fleet is None or audited.request.fix is None:
        raise ConfigurationError(
            "no plan can be made from this audit", why="nothing was kept.", do="AuditRequest(fleet=..., fix=FixLimits())"
        )
    refuse_files(audited.fleet)
    file = plan_file(audited, audited.fleet)
    with written_whole(audited.directory / PLAN_FILE, mode=0o600) as out:
        out.write(plan_text(file))
    save_run(audited)
    return file


def keep_planned(audited: AuditResult) -> tuple[str, ...]:
    """Keep the run of an audit of files without a plan that could be made, and say in lines what its changes rest on.

    Its changes are `audited.plan`: for a person, who compares each with the host.
    """
    origin = tuple(origin_of_changes(audited))
    save_run(audited)
    return origin


def plan_roles(audited: AuditResult) -> dict[str, Any]:
    """The roles that the plan of an audit needs, and the read-only ones of the audit, as JSON that govc and PowerCLI take; see `roles_for`.

    Raises:
        ConfigurationError: a saved snapshot was audited, which has no accounts.
    """
    if audited.fleet is None:
        raise ConfigurationError(
            "a saved snapshot has no accounts", why="no roles can be printed.", do='AuditRequest(fleet=Path("fleet.yaml"))'
        )
    return roles_for(audited.plan.changes, {endpoint.name: endpoint for endpoint in audited.fleet.endpoints})


def collect(request: AuditRequest, place: Place, needed: Needs = EVERYTHING) -> Snapshot:
    """Read the fleet into a snapshot in `place`, a directory or an address on an object store; nothing is judged.

    `needed` is what is read: everything, unless somebody says what will do.

    Raises:
        ConfigurationError: the request has no fleet, or `place` holds a snapshot already.
        SnapshotError: the snapshot cannot be written there.
        StoreError: the store cannot be read.
    """
    fleet = _fleet(request)
    if fleet is None:
        raise ConfigurationError("there is no fleet to read", why="nothing was read.", do='AuditRequest(fleet=Path("fleet.yaml"))')
    if saves_over(place):
        raise ConfigurationError(
            f"{place} already holds a snapshot", why="nothing was read: two moments would be mixed.", do="name another directory."
        )
    with closing(lambda: f"nothing was kept in {place}.\n  why: the fleet was not read to its end.\n  do:  collect again."):
        with workers_of(request.workers, request.workers_certificates, fleet) as workers:
            needed |= needs_of_history(request.history)
            snapshot = collect_fleet(fleet, request.progress, needed, chosen=_to_read(request, fleet), remote_reader=workers)
        save_snapshot(snapshot, place)
    return snapshot


def _fleet(request: AuditRequest) -> Fleet | None:
    fleet = load_fleet(request.fleet) if isinstance(request.fleet, Path) else request.fleet
    return None if fleet is None else with_history(with_transport(fleet, request.transport), request.history)


def _to_read(request: AuditRequest, fleet: Fleet) -> frozenset[str] | None:
    """The endpoints that were requested; None: all.

    Raises:
        ConfigurationError: a glob fits none.
    """
    names = [endpoint.name for endpoint in fleet.endpoints]
    check_fits("--endpoint", request.endpoints, names, "endpoint of fleet.yaml")
    return frozenset(name for name in names if fits(name, request.endpoints)) if request.endpoints else None


def _policy(request: AuditRequest, source: Fleet | Snapshot, state: Path) -> Policy:
    """What is judged by: drift rules only as far as a baseline has settings to compare with."""
    if isinstance(source, Fleet):
        about = load_about(state)
        kinds = tuple(about.counts) if about is not None else ()
    else:  # a saved snapshot holds the baseline that it was first judged by; the one in force now is not compared with it
        kinds = baseline_kinds(source)
    declared = None if isinstance(source, Fleet) else declared_kinds(source.connection)
    fleet, own = source if isinstance(source, Fleet) else None, tuple(request.rules)
    has_history = request.history is not None if isinstance(source, Fleet) else HISTORY in source.asked.topics
    return load_policy(
        fleet,
        own,
        request.only,
        request.tags,
        kinds,
        declared_kinds=declared,
        severity=request.severity,
        exclude=request.exclude,
        has_history=has_history,
    )


def _read_fleet(
    request: AuditRequest, fleet: Fleet, rules: RuleSet, waivers: Waivers | None, state: Path, started: datetime, run_id: str
) -> Collected:
    """Read what the rules and waivers need of `fleet`, and save the snapshot in the run's directory before anything is judged."""
    # A fix is limited in hosts; names in `protect:` and `maintenance:` are compared with the hosts, so that one that fits nothing is said.
    counted = request.fix is not None or bool(fleet.protected or fleet.maintenance)
    needs = (
        needs_for(rules, hosts=counted, waivers=waivers, places=request.is_of_hosts)
        | needs_of_reach(fleet)
        | needs_of_history(request.history)
    )
    if any(one.tag is not None for one in fleet.protected):
        needs |= facts_needed([("tagged", "tag")])
    code_digest()
    identity = fleet_identity(endpoint_identities(fleet.endpoints, {}, state)) if request.incremental is not None else None
    earlier, why = earlier_run(state, request.incremental, started, identity) if request.incremental is not None else (None, ())
    with workers_of(request.workers, request.workers_certificates, fleet) as workers:
        directory = begin_run(state, run_id)
        recovered = recover_interrupted(fleet.endpoints, state / JOURNAL_FOLDER, run_id)
        needs = with_marks(needs) if earlier else with_host_marks(needs)
        chosen, spill = _to_read(request, fleet), directory / SPILL_FOLDER
        snapshot = collect_fleet(fleet, request.progress, needs, earlier, spill, chosen=chosen, remote_reader=workers)
    snapshot = put_baseline(snapshot, state)
    snapshot.save(directory / SNAPSHOT_FOLDER)
    # Judged from the files: of a large fleet the tables themselves would be most of the memory.
    snapshot = load_snapshot(directory / SNAPSHOT_FOLDER)
    rests_on = None if earlier is None else earlier.directory.parent
    notices = why + recovered + unmatched_notices(fleet, snapshot) + history_notices(request.history)
    return Collected(directory, snapshot, started, notices, rests_on)
