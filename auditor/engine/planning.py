"""Failures to changes: what could be set, what a person has to do, and where two rules disagree; pure, and before anything is touched.

Whether a change would settle its failure was found out while judging (sql.py puts the wanted value into the row and judges it again).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditor.engine.rule import RuleSet
from auditor.engine.verdicts import Evaluation, JudgedRule, decoded, resource_of
from auditor.engine.waived_verdicts import left_alone, protected_settings
from auditor.model import ByHand, Change, Contradiction, FixClass, Held, Plan, Resource, Scalar, Target, Verdict


@dataclass(frozen=True, slots=True)
class _Want:
    """One failure's wish for one setting."""

    rule: str
    before: Scalar
    after: Scalar
    fix_class: FixClass
    retunes: bool  # it reverts what somebody tuned
    reason: str
    resource: Resource
    breaks: str | None  # a rule that passes now and would fail then


def plan(evaluation: Evaluation, rules: RuleSet | None = None) -> Plan:
    """What the failures of an evaluation ask for, in the order it would be done: by endpoint, cluster, host and resource.

    Failures of rules that are not among `rules` ask for nothing; None: all of them count.

    One setting that several rules change is one change. Rules that want it different, or a rule that passes now and would not after the
    change, make a contradiction: none of them is planned. A setting that a waived failure is about stays as it is, whoever else wants it
    changed: whoever answers for the waiver answers for the setting.
    """
    protected = protected_settings(evaluation)
    wanted: dict[tuple[str, Target], list[_Want]] = {}
    by_hand: list[ByHand] = []
    for row in evaluation.rows({Verdict.FAIL}):
        if rules is not None and row["rule"] not in rules.rules:
            continue
        rule = evaluation.rules[row["rule"]]
        if rule.remediator is None:
            by_hand.append(ByHand(row["rule"], resource_of(row, rule), rule.by_hand))
        elif row["obstacle"] is not None and row["breaks"] is None:
            by_hand.append(ByHand(row["rule"], resource_of(row, rule), rule.obstacles[row["obstacle"]], FixClass(rule.fix_class)))
        else:
            keys = tuple(sorted(decoded(row["target"]).items()))
            wanted.setdefault((rule.remediator, Target(row["endpoint"], keys)), []).append(_want(row, rule))
    changes: list[Change] = []
    contradictions: list[Contradiction] = []
    held: list[Held] = []
    for (remediator, target), wants in wanted.items():
        disagreement = _disagreement(wants)
        if (remediator, target) in protected:
            waived, waiver = protected[remediator, target]
            held.append(Held(remediator, target, tuple(sorted({want.rule for want in wants})), waived, waiver))
        elif disagreement:
            contradictions.append(Contradiction(remediator, target, disagreement))
        elif len({_typed(want.before) for want in wants}) > 1:
            by_hand += [
                ByHand(w.rule, w.resource, "the rules read the setting differently, so its value is not certain", w.fix_class)
                for w in wants
            ]
        else:
            changes.append(_change(remediator, target, wants))
    return Plan(
        tuple(sorted(changes, key=lambda change: (*_place(change.resource), change.remediator, change.target.keys))),
        tuple(sorted(by_hand, key=lambda hand: (*_place(hand.resource), hand.rule))),
        tuple(sorted(contradictions, key=lambda one: (one.target.endpoint, one.remediator, one.target.keys))),
        left_alone(evaluation),
        tuple(sorted(held, key=lambda one: (one.target.endpoint, one.remediator, one.target.keys))),
    )


def _want(row: Mapping[str, Any], rule: JudgedRule) -> _Want:
    return _Want(
        rule=row["rule"],
        before=decoded(row["before"]),
        after=decoded(row["after"]),
        fix_class=FixClass(rule.fix_class),
        retunes=bool(row["retunes"]),
        reason=rule.reason,
        resource=resource_of(row, rule),
        breaks=row["breaks"],
    )


def _disagreement(wants: Sequence[_Want]) -> tuple[tuple[str, Scalar], ...]:
    """Who wants what, when not all want the same; a passing rule that a change would break wants the setting as it is."""
    wishes = {(want.rule, _typed(want.after)): want.after for want in wants}
    wishes |= {(want.breaks, _typed(want.before)): want.before for want in wants if want.breaks is not None}
    if len({value for _, value in wishes}) < 2:
        return ()
    return tuple((rule, wishes[rule, value]) for rule, value in sorted(wishes, key=str))


def _change(remediator: str, target: Target, wants: Sequence[_Want]) -> Change:
    first = min(wants, key=lambda want: (*_place(want.resource), want.rule))
    # The costliest class any of them names: who allows `online` must not get a reboot by way of another rule; nor a retune.
    costliest = max((want.fix_class for want in wants), key=list(FixClass).index)
    retunes = any(want.retunes for want in wants)
    return Change(
        remediator=remediator,
        fix_class=FixClass.RETUNE if retunes else costliest,
        target=target,
        before=first.before,
        after=first.after,
        rules=tuple(sorted({want.rule for want in wants})),
        resource=first.resource,
        reason="; ".join(dict.fromkeys(want.reason for want in sorted(wants, key=lambda want: want.rule))),
        takes=costliest if retunes else None,
    )


def _typed(value: Scalar) -> tuple[str, str]:
    """1, true and "1" are three values."""
    return type(value).__name__, repr(value)


def _place(resource: Resource) -> tuple[str, str, str, str, str]:
    return resource.endpoint, resource.cluster or "", resource.host or "", resource.name, resource.id
