"""Turns failures into changes: what could be set, what a person has to do, and where two rules disagree. Pure: nothing is touched.

Whether a change would settle its failure was found out while judging (sql.py puts the wanted value into the row and judges it again).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from auditor.engine.fixes.order import Wait, in_order, waits_of
from auditor.engine.rules.rule import RuleSet
from auditor.engine.verdict_rows import JudgedRule, class_of, decoded, resource_of
from auditor.engine.verdicts import Evaluation, disputable_targets
from auditor.engine.waivers.waived import left_alone, protected_settings
from auditor.model import ByHand, Change, Contradiction, FixClass, Held, Plan, Resource, Scalar, Target, Verdict


@dataclass(frozen=True, slots=True)
class _Want:
    """One failure's wish for one setting."""

    rule: str
    before: Scalar
    after: Scalar
    fix_class: FixClass
    touches: str  # what else it reaches
    retunes: bool  # it reverts what somebody tuned
    reason: str
    resource: Resource
    breaks: str | None = None  # a rule that passes now and would fail then
    by_hand: ByHand | None = None  # of a wish that only a person can fulfil
    waits: tuple[Wait, ...] = ()  # what has to come before it
    message: str = ""  # of its failure
    is_exact: bool = True  # False: of such a wish the direction is known, and `after` is about where it ends


def plan(evaluation: Evaluation, rules: RuleSet | None = None) -> Plan:
    """What the failures of an evaluation ask for, in the order it would be done: by endpoint, cluster, host and resource.

    Failures of rules that are not among `rules` ask for nothing; None: all of them count.

    One setting that several rules change is one change. Rules that want it different, or a rule that passes now and would not after the
    change, make a contradiction: none of them is planned. What a person is advised to do counts like what could be written. A setting that
    a waived failure is about stays as it is, no matter what else wants it changed: the owner of the waiver answers for the setting. A
    change that has to wait for another one comes after it; where it requires one that cannot be planned, it is left to a person.
    """
    protected = protected_settings(evaluation)
    disputable = disputable_targets(evaluation)
    wanted: dict[tuple[str, Target], list[_Want]] = {}
    by_hand: list[ByHand] = []
    for row in evaluation.rows({Verdict.FAIL}):
        if rules is not None and row["rule"] not in rules.rules:
            continue
        rule = evaluation.rules[row["rule"]]
        hand = _by_hand(row, rule)
        want = _want(row, rule) if hand is None else _advice(row, rule, hand, disputable)
        if want is not None:
            keys = tuple(sorted(decoded(row["target"]).items()))
            wanted.setdefault((rule.remediator or "", Target(row["endpoint"], keys)), []).append(want)
        elif hand is not None:
            by_hand.append(hand)
    changes: list[tuple[Change, tuple[Wait, ...]]] = []
    contradictions: list[Contradiction] = []
    held: list[Held] = []
    for (remediator, target), wants in wanted.items():
        to_plan = [want for want in wants if want.by_hand is None]
        contradiction = _contradiction(remediator, target, wants)
        if (remediator, target) in protected and to_plan:
            waived, waiver = protected[remediator, target]
            held.append(Held(remediator, target, tuple(sorted({want.rule for want in to_plan})), waived, waiver))
        elif contradiction is not None:
            contradictions.append(contradiction)
            continue  # the contradiction is all there is to do by hand
        elif len({_typed(want.before) for want in to_plan}) > 1:
            why = "the rules read the setting differently, so its value is not certain"
            by_hand += [ByHand(want.rule, want.resource, why, want.fix_class) for want in to_plan]
        elif to_plan:
            changes.append((_change(remediator, target, to_plan), tuple({wait: None for want in to_plan for wait in want.waits})))
        by_hand += [want.by_hand for want in wants if want.by_hand is not None]
    left_out = () if rules is None else rules.left_out
    by_place = sorted(changes, key=lambda one: (*_place(one[0].resource), one[0].remediator, one[0].target.keys))
    ordered, unmet = in_order(by_place, left_out)
    unmet = tuple(replace(one, why=f"{one.why}. {evaluation.rules[one.change.rules[0]].by_hand}") for one in unmet)
    by_hand += [ByHand(rule, one.change.resource, one.why, one.change.classes[-1]) for one in unmet for rule in one.change.rules]
    return Plan(
        ordered,
        tuple(sorted(by_hand, key=lambda hand: (*_place(hand.resource), hand.rule))),
        tuple(sorted(contradictions, key=lambda one: (one.target.endpoint, one.remediator, one.target.keys))),
        left_alone(evaluation),
        tuple(sorted(held, key=lambda one: (one.target.endpoint, one.remediator, one.target.keys))),
        unmet=unmet,
    )


def _by_hand(row: Mapping[str, Any], rule: JudgedRule) -> ByHand | None:
    """What a person has to do about a failure; None where its change can be planned, or another rule forbids it."""
    if rule.remediator is None:
        return ByHand(row["rule"], resource_of(row, rule), rule.by_hand)
    if row["obstacle"] is not None and row["breaks"] is None:
        return ByHand(row["rule"], resource_of(row, rule), rule.obstacles[row["obstacle"]], FixClass(rule.fix_class))
    return None


def _want(row: Mapping[str, Any], rule: JudgedRule) -> _Want:
    return _Want(
        rule=row["rule"],
        before=decoded(row["before"]),
        after=decoded(row["after"]),
        fix_class=class_of(row, rule),
        touches=row["touches"] or "",
        retunes=bool(row["retunes"]),
        waits=waits_of(row["waits"]),
        reason=rule.reason,
        resource=resource_of(row, rule),
        breaks=row["breaks"],
        message=row["message"] or "",
    )


def _advice(row: Mapping[str, Any], rule: JudgedRule, hand: ByHand, disputable: Collection[tuple[str, str]]) -> _Want | None:
    """The wish of a failure that is left to a person: the value that its finding shows as desired.

    None where nobody else wishes anything of the setting, or `desired` is no value of the setting ("one of them").
    """
    fixed, desired = _want(row, rule), decoded(row["desired"])
    if (row["endpoint"], row["target"]) not in disputable or fixed.after is None:
        return None
    if _typed(desired) == _typed(fixed.after):
        return replace(fixed, by_hand=hand)
    advice = replace(fixed, after=desired, by_hand=hand, is_exact=False)
    return advice if _direction(advice) == _direction(fixed) != 0 else None


def _contradiction(remediator: str, target: Target, wants: Sequence[_Want]) -> Contradiction | None:
    """Who wants what, and why, when not all want the same; a passing rule that a change would break wants the setting as it is."""
    wishes = {(want.rule, _typed(want.after)): (want.after, want.reason) for want in wants}
    wishes |= {(want.breaks, _typed(want.before)): (want.before, "passes with it") for want in wants if want.breaks is not None}
    if all(_agree(one, other) for one, other in combinations(wants, 2)) and not any(want.breaks for want in wants):
        return None
    listed = sorted(wishes, key=str)
    return Contradiction(
        remediator,
        target,
        wants=tuple((rule, wishes[rule, value][0]) for rule, value in listed),
        reasons=tuple(wishes[one][1] for one in listed),
        resource=min(wants, key=lambda want: (*_place(want.resource), want.rule)).resource,
    )


def _agree(one: _Want, other: _Want) -> bool:
    """Whether two wishes are for one value; or go one way, where advice is inexact or reads the setting elsewhere (as in effect)."""
    if _typed(one.after) == _typed(other.after):
        return True
    alike = one.is_exact and other.is_exact and _typed(one.before) == _typed(other.before)
    if alike or (one.by_hand is None and other.by_hand is None):
        return False
    return _direction(one) == _direction(other) != 0


def _direction(want: _Want) -> int:
    """1: it raises a number; -1: it lowers one; 0: neither is known."""
    if isinstance(want.before, bool | str | None) or isinstance(want.after, bool | str | None):
        return 0
    return (want.after > want.before) - (want.after < want.before)


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
        collateral="; ".join(sorted({want.touches for want in wants if want.touches})),
        messages=tuple(dict.fromkeys(want.message for want in sorted(wants, key=lambda want: want.rule) if want.message)),
    )


def _typed(value: Scalar) -> tuple[str, str]:
    """1, true and "1" are three values."""
    return type(value).__name__, repr(value)


def _place(resource: Resource) -> tuple[str, str, str, str, str]:
    return resource.endpoint, resource.cluster or "", resource.host or "", resource.name, resource.id
