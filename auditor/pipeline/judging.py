"""Judges a snapshot as an audit requests it: the one that was read for it, and the fleet as it is after a fix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.apply.fights import without_put_back
from auditor.engine.chosen_places import Places, choose, fits
from auditor.engine.fixes.rule_groups import rule_groups
from auditor.engine.judge import Impacts, judge
from auditor.engine.rules.params import param_values
from auditor.engine.waivers.accepted_gaps import with_acceptance
from auditor.engine.waivers.unknown_causes import unknown_by_accepted_gaps
from auditor.errors import ConfigurationError
from auditor.facts.snapshots.snapshot import Snapshot
from auditor.facts.snapshots.unread import with_unread_gaps
from auditor.history.baseline import missing_notices, only_drift_notice
from auditor.history.drift import drift_ages
from auditor.history.folders import FINDINGS_FILE, JOURNAL_FOLDER, SPILL_FOLDER
from auditor.history.known_identities import endpoint_identities
from auditor.history.reused_verdicts import keep_judged, unchanged_verdicts
from auditor.model import EndpointKind, Plan
from auditor.model.scope import Scope, fleet_identity
from auditor.pipeline.plugin_rules import plugin_rules
from auditor.pipeline.policy import Policy, needs_for
from auditor.pipeline.request import NO_ENDPOINT, AuditRequest
from auditor.pipeline.result import AuditResult
from auditor.report.fix_outcomes import contradiction_notices, refused_fixes

if TYPE_CHECKING:
    from auditor.engine.rules.rule import RuleSet
    from auditor.engine.waivers.file import Waivers
    from auditor.fleet.loading import Fleet


@dataclass(frozen=True, slots=True)
class Collected:
    """A snapshot and the directory of the run that judges it."""

    directory: Path
    snapshot: Snapshot
    started: datetime
    notices: tuple[str, ...] = ()
    earlier: Path | None = None  # the directory of the run that it was read since; None: it rests on none


def judge_collected(
    request: AuditRequest, fleet: Fleet | None, state: Path, policy: Policy, waivers: Waivers | None, collected: Collected
) -> AuditResult:
    """Judge the snapshot. What the rules and waivers need and its endpoints were not read for is a gap."""
    directory, rules = collected.directory, policy.rules
    snapshot = with_unread_gaps(collected.snapshot, needs_for(rules, waivers=waivers, places=request.is_of_hosts))
    is_as_saved = snapshot is collected.snapshot
    _check_not_empty(snapshot)
    chosen = choose(snapshot, _places(request))
    snapshot, of_gaps = _with_acceptance(request, snapshot, waivers)
    # What is kept as the verdicts on a snapshot are those on all of it, by facts as they were saved.
    is_whole = is_as_saved and chosen is None and fleet is not None
    groups = rule_groups(rules, param_values(policy.overrides, rules)) if is_whole else ()
    earlier = collected.earlier
    taken = unchanged_verdicts(earlier, directory, groups) if is_whole and earlier is not None else None
    try:
        judgement = judge(
            snapshot,
            rules,
            policy.overrides,
            waivers,
            findings=directory / FINDINGS_FILE,
            spill=directory / SPILL_FOLDER,
            own=_own(request, rules),
            impacts=_impacts(rules),
            chosen=chosen,
            taken=taken,
            expendable=plugin_rules().rules,
            tell=partial(request.progress, NO_ENDPOINT),
        )
    finally:
        if taken is not None:
            taken.findings.unlink(missing_ok=True)
    snapshot = replace(snapshot, gaps=(*snapshot.gaps, *judgement.gaps)) if judgement.gaps else snapshot
    if len(judgement.rules) < len(rules):
        rules = judgement.rules
        policy = replace(policy, rules=rules, overrides=tuple(one for one in policy.overrides if one.rule in rules.rules))
        groups = rule_groups(rules, param_values(policy.overrides, rules)) if is_whole else ()
    if is_whole:
        keep_judged(directory, groups)
    plan, put_back = _without_put_back(request, fleet, judgement.plan, state)
    only_drift = only_drift_notice(rules) if request.fix is not None else ()
    of_readings = (note for reading in snapshot.readings for note in reading.notes)
    return AuditResult(
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
            *of_gaps,
            *contradiction_notices(judgement.plan.contradictions),
            *missing_notices(snapshot),
            *collected.notices,
            *policy.notices,
            *only_drift,
            *of_readings,
        ),
        fixes=refused_fixes(judgement.evaluation, plan),
        drift_ages=drift_ages(directory, collected.started, snapshot, rules),
        scope=_scope(request, fleet, state, rules, snapshot),
        accepted_unknown=unknown_by_accepted_gaps(judgement.evaluation, snapshot, snapshot.gaps),
    )


def judge_again(audited: AuditResult, snapshot: Snapshot) -> AuditResult:
    """The audit with verdicts and plan by `snapshot`: its fleet, read once more after a fix."""
    snapshot, _ = _with_acceptance(audited.request, snapshot, audited.waivers)
    directory, policy = audited.directory, audited.policy
    judgement = judge(
        snapshot,
        policy.rules,
        policy.overrides,
        audited.waivers,
        findings=directory / FINDINGS_FILE,
        spill=directory / SPILL_FOLDER,
        impacts=_impacts(policy.rules),
        chosen=choose(snapshot, _places(audited.request)),
        expendable=plugin_rules().rules,
        tell=partial(audited.request.progress, NO_ENDPOINT),
    )
    snapshot = replace(snapshot, gaps=(*snapshot.gaps, *judgement.gaps)) if judgement.gaps else snapshot
    unknown = unknown_by_accepted_gaps(judgement.evaluation, snapshot, snapshot.gaps)
    # What follows a fix passes the guards that the fix passed: a setting that was put back is left to a person there as well.
    plan, _ = _without_put_back(audited.request, audited.fleet, judgement.plan, audited.state)
    policy = replace(policy, rules=judgement.rules)
    return replace(audited, snapshot=snapshot, policy=policy, evaluation=judgement.evaluation, plan=plan, accepted_unknown=unknown)


def _places(request: AuditRequest) -> Places:
    """The part of a snapshot that was requested. Of a fleet, other endpoints were not read, and have nothing to leave out."""
    endpoints = tuple(request.endpoints) if request.snapshot is not None else ()
    return Places(endpoints, tuple(request.clusters), tuple(request.hosts))


def _with_acceptance(request: AuditRequest, snapshot: Snapshot, waivers: Waivers | None) -> tuple[Snapshot, tuple[str, ...]]:
    """The snapshot with who answers for each of its gaps, and sentences about entries that accept nothing."""
    left_out = {reading.name for reading in snapshot.readings if reading.left_out}
    entries, at = ((), snapshot.finished) if waivers is None else (waivers.gaps, waivers.at)
    is_whole = not request.narrowed_by
    gaps, notices = with_acceptance(snapshot.gaps, entries, at, snapshot.identities, left_out=left_out, is_whole=is_whole)
    return replace(snapshot, gaps=gaps), notices


def _scope(request: AuditRequest, fleet: Fleet | None, state: Path, rules: RuleSet, snapshot: Snapshot) -> Scope:
    """What this audit is about."""
    there = [reading.name for reading in snapshot.readings if not reading.left_out]
    read = tuple(name for name in there if fits(name, request.endpoints))
    identity, name = None, (request.directory or Path()).resolve().name
    if fleet is not None:
        identity = fleet_identity(endpoint_identities(fleet.endpoints, snapshot.identities, state))
        name = fleet.path.name
    of = len(snapshot.readings)
    return Scope(identity, name, read, of, len(rules), len(rules) + len(rules.left_out), request.narrowed_by)


def _impacts(rules: RuleSet) -> Impacts | None:
    """How failures get their impact; None where no rule is about what the model has an answer for."""
    from auditor.impact.finding import VIEWS, add_impacts_guarded

    models = {rule.id: rule.impact for rule in rules if rule.impact is not None}
    return Impacts(VIEWS, partial(add_impacts_guarded, models=models)) if models else None


def _own(request: AuditRequest, rules: RuleSet) -> list[str]:
    """The ids of rules that are not shipped."""
    folders = [folder.resolve() for folder in request.rules]
    of_plugins = plugin_rules().rules
    return [rule.id for rule in rules if rule.id in of_plugins or any(rule.path.resolve().is_relative_to(folder) for folder in folders)]


def _without_put_back(request: AuditRequest, fleet: Fleet | None, plan: Plan, state: Path) -> tuple[Plan, tuple[str, ...]]:
    """The plan without what something put back after an earlier run, unless it is to be tried once more; and what to know of it."""
    if fleet is None or (request.fix is not None and request.fix.retry_put_back):
        return plan, ()
    return without_put_back(plan, state / JOURNAL_FOLDER)


def _check_not_empty(snapshot: Snapshot) -> None:
    """Raise ConfigurationError where a snapshot holds nothing to judge: a report without failures would look clean."""
    read = [reading for reading in snapshot.readings if not reading.left_out]
    of = "that --endpoint names" if len(read) < len(snapshot.readings) else "of this fleet"
    if snapshot.readings and not any(snapshot.asked.topics_of(EndpointKind(reading.kind)) for reading in read):
        raise ConfigurationError(
            f"no endpoint {of} can report what these rules need",
            why="nothing was read, so nothing was judged.",
            do="add the endpoints they are about to fleet.yaml or to --endpoint, or audit with other rules.",
        )
    if snapshot.hosts == 0 and snapshot.guests == 0 and not snapshot.gaps and "hosts" in snapshot.asked.topics:
        raise ConfigurationError(
            "no host was found",
            why="nothing was judged: a fleet without hosts has no failures, and says nothing about yours.",
            do="check that fleet.yaml names a vCenter, and that its account may see the hosts (propagated Read-only role).",
        )
