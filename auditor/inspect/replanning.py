"""What has to come before the fix of a finding, by planning anew over what its run read; the run may not have judged by those rules.

Asks no endpoint. What the run read decides: a fix is said to be planned only where it was planned here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.engine.fixes.order import is_narrowed
from auditor.model import FixClass, Outcome, Target, Verdict
from auditor.report.fix_outcomes import is_held_back

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor.engine.rules.rule import RuleSet
    from auditor.engine.verdicts import Evaluation
    from auditor.facts.snapshots.snapshot import Snapshot
    from auditor.fleet.loading import Fleet
    from auditor.history.kept_run import KeptRun
    from auditor.model import Change, Finding, Plan


@dataclass(frozen=True, slots=True)
class FirstChanges:
    """What comes before a fix.

    Attributes:
        rules: the ids of the rules whose changes come first, in the order in which they are made; each with what has to be allowed.
        why_not: why auditor plans no such fix, as a sentence; "" where it plans it.
        to_judge: rules that have to be judged before anybody knows whether it can be planned; () where that is known.
    """

    rules: Mapping[str, tuple[FixClass, ...]] = field(default_factory=dict)
    why_not: str = ""
    to_judge: tuple[str, ...] = ()


def first_changes(kept: KeptRun, finding: Finding, rules: RuleSet, fleet: Fleet | None) -> FirstChanges:
    """What comes before the fix of `finding`, whatever its run judged by.

    Args:
        kept: the run that found it.
        finding: a failure that auditor has a fix for.
        rules: all that there are.
        fleet: whose params are in force; None: the rules' defaults.

    Raises:
        SnapshotError: a file of the run is damaged.
    """
    fix = finding.fix
    if fix is None or fix.remediator is None:
        return FirstChanges()
    narrowed = is_narrowed(fix.why)
    if is_held_back(fix) or (fix.outcome is Outcome.BY_HAND and not narrowed):
        return FirstChanges(why_not="auditor plans no change for this one: a person decides.")
    before = rules_before(rules, finding.rule)
    if not before:
        return FirstChanges()
    if kept.snapshot is None:
        return FirstChanges(to_judge=before) if narrowed else FirstChanges()
    return _replanned(kept.snapshot, finding, before, rules.only([*before, finding.rule]), fleet)


def rules_before(rules: RuleSet, rule: str) -> tuple[str, ...]:
    """The rules whose changes may have to come before those of `rule`, and before theirs in turn; itself is none of them."""
    found: dict[str, None] = {}
    open_ones = [rule]
    while open_ones:
        fix = rules.rules[one].fix if (one := open_ones.pop()) in rules.rules else None
        for after in fix.after if fix is not None else ():
            by_remediator = [other.id for other in rules if other.fix is not None and other.fix.remediator == after.change]
            for other in [after.change] if "/" in after.change else by_remediator if after.required else []:
                if other not in found and other != rule and other in rules.rules:
                    found[other] = None
                    open_ones.append(other)
    return tuple(found)


def _replanned(directory: Path, finding: Finding, before: tuple[str, ...], rules: RuleSet, fleet: Fleet | None) -> FirstChanges:
    """What a plan by `rules` over the snapshot in `directory` says of the fix."""
    import tempfile

    from auditor.facts.snapshots.snapshot import load_snapshot

    snapshot = load_snapshot(directory)
    try:
        with tempfile.TemporaryDirectory(prefix="auditor-plan-") as folder:
            evaluation, plan = _plan(snapshot, Path(folder), rules, fleet)
            change = _change_of(plan.changes, finding)
            if change is not None:
                return FirstChanges(_in_order(plan, change, finding.rule, before))
            unknown = {one.rule for one in evaluation.findings({Verdict.UNKNOWN}) if one.resource.endpoint == finding.resource.endpoint}
            evaluation.close()
    finally:
        snapshot.connection.close()
    if to_judge := tuple(rule for rule in before if rule in unknown):
        return FirstChanges(to_judge=to_judge)
    unmet = _change_of((one.change for one in plan.unmet), finding)
    why = next((one.why for one in plan.unmet if one.change is unmet), "")
    return FirstChanges(why_not=f"auditor plans no change for this one: {why}." if why else "auditor plans no change for this one.")


def _plan(snapshot: Snapshot, folder: Path, rules: RuleSet, fleet: Fleet | None) -> tuple[Evaluation, Plan]:
    from auditor.engine.judge import judge
    from auditor.pipeline.policy import param_overrides

    overrides = [one for one in param_overrides(fleet, rules) if one.rule in rules.rules]
    judged = judge(snapshot, rules, overrides, None, findings=folder / "findings.parquet", spill=folder / "spilled")
    return judged.evaluation, judged.plan


def _change_of(changes: Iterable[Change], finding: Finding) -> Change | None:
    """The change that is the fix of `finding`."""
    fix = finding.fix
    if fix is None:
        return None
    target = Target(finding.resource.endpoint, tuple(sorted(fix.target)))
    return next((one for one in changes if one.remediator == fix.remediator and one.target == target), None)


def _in_order(plan: Plan, change: Change, rule: str, before: tuple[str, ...]) -> Mapping[str, tuple[FixClass, ...]]:
    """The rules of what `change` waits for, and of what that waits for, in the order of the plan; each with what has to be allowed."""
    numbered = {one.number: one for one in plan.changes}
    numbers, open_ones = set[int](), list(change.waits_for)
    while open_ones:
        number = open_ones.pop()
        if number not in numbers:
            numbers.add(number)
            open_ones += numbered[number].waits_for
    found: dict[str, dict[FixClass, None]] = {}
    for number in sorted(numbers):
        for other in numbered[number].rules:
            if other in before and other != rule:
                found.setdefault(other, {}).update(dict.fromkeys(numbered[number].classes))
    return {other: tuple(classes) for other, classes in found.items()}
