"""Turns rows of stored verdicts into findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from auditor.model import Finding, Fix, FixClass, Outcome, Resource, Scalar, Severity, Verdict


@dataclass(frozen=True, slots=True)
class JudgedRule:
    """The part of a rule that is saved with its verdicts, so that they can be reported whatever became of the rule since."""

    title: str
    severity: str
    kind: str  # the view it ranges over
    remediator: str | None
    fix_class: str
    by_hand: str
    reason: str
    obstacles: Mapping[str, str]  # sql.FIX_BLOCKERS in words; saved runs have it under this name
    failure_title: str = ""  # what is so where it fails; older runs have none


def decoded(text: str | None) -> Any:
    """A JSON cell; None for NULL."""
    return None if text is None else msgspec.json.decode(text)


def resource_of(row: Mapping[str, Any], rule: JudgedRule) -> Resource:
    """What a stored verdict is about."""
    return Resource(rule.kind, row["resource_id"], row["resource_name"], row["endpoint"], row["cluster"], row["host"])


def finding_of(row: Mapping[str, Any], rule: JudgedRule, waivers: Sequence[Mapping[str, Scalar]]) -> Finding:
    """The finding whose columns of STORED are `row`."""
    waiver = None if row["waiver"] is None else waivers[row["waiver"]]
    waived = row["verdict"] == Verdict.WAIVED
    return Finding(
        rule=row["rule"],
        title=rule.title,
        verdict=Verdict(row["verdict"]),
        severity=Severity(row["severity"]),
        resource=resource_of(row, rule),
        observed=decoded(row["observed"]),
        desired=decoded(row["desired"]),
        evidence=decoded(row["evidence"]) or {},
        missing=tuple(row["missing"] or ()),
        fix=_fix(row, rule) if row["verdict"] == Verdict.FAIL else None,
        waiver={"verdict": row["waived_from"], **waiver} if waiver is not None and waived else None,
        lapsed_waiver=None if waived else waiver,
        message=row["message"] or "",
        failure_title=rule.failure_title if Verdict.FAIL in (row["verdict"], row["waived_from"]) else "",
        impact=decoded(row["impact"]) or {},
    )


def _fix(row: Mapping[str, Any], rule: JudgedRule) -> Fix:
    """The fix of a failure before anything was planned: proposed, or left to a person."""
    if rule.remediator is None:
        return Fix(None, FixClass.MANUAL, None, None, Outcome.BY_HAND, rule.by_hand)
    outcome, why = Outcome.PROPOSED, rule.reason
    if row["obstacle"] is not None:
        outcome, why = Outcome.BY_HAND, rule.obstacles[row["obstacle"]]
    target = tuple(sorted(decoded(row["target"]).items())) if row["target"] is not None else ()
    fix_class, takes, touches = class_of(row, rule), None, row["touches"] or ""
    if row["retunes"]:
        fix_class, takes = FixClass.RETUNE, fix_class
    before, after = decoded(row["before"]), decoded(row["after"])
    return Fix(rule.remediator, fix_class, before, after, outcome, why, target=target, takes=takes, collateral=touches)


def class_of(row: Mapping[str, Any], rule: JudgedRule) -> FixClass:
    """What the fix of a failure takes: a change at once that reaches others as well is made with caution."""
    fix_class = FixClass(rule.fix_class)
    return FixClass.ONLINE_CAUTION if row["touches"] and fix_class is FixClass.ONLINE else fix_class
