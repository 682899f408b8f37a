"""The fixes of findings whose changes were attempted, or were refused at planning: what the report shows of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from auditor.model import Outcome, Target, Verdict
from auditor.report.saved_report import FindingKey, key_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.engine.verdicts import Evaluation
    from auditor.model import Finding, Fix, Plan, Receipt


def attempted_fixes(evaluation: Evaluation, receipts: Sequence[Receipt]) -> dict[FindingKey, Fix]:
    """The fix, with its outcome, of every failure that asked for one of the changes of `receipts`.

    `evaluation` is the one from before the fix: a finding that was fixed passes afterwards and asks for nothing.
    """
    by_change = {(receipt.change.remediator, receipt.change.target): receipt for receipt in receipts}
    fixes = {}
    for finding in evaluation.findings({Verdict.FAIL}) if by_change else ():
        receipt = by_change.get(_change_of(finding))
        if finding.fix is not None and receipt is not None:
            why = receipt.why or finding.fix.why
            fixes[key_of(finding)] = replace(finding.fix, outcome=receipt.outcome, why=why, pending=receipt.pending)
    return fixes


def refused_fixes(evaluation: Evaluation, plan: Plan) -> dict[FindingKey, Fix]:
    """The fix, refused and with the reason, of every failure whose setting another rule wants different or a waiver keeps as it is."""
    reasons = {}
    for clash in plan.contradictions:
        wants = "; ".join(f"{rule} wants {value}" for rule, value in clash.wants)
        reasons[clash.remediator, clash.target] = f"rules contradict each other: {wants}"
    for held in plan.held:
        reasons[held.remediator, held.target] = (
            f"a waiver of {held.waived} leaves this setting as it is ({held.waiver['owner']}, {held.waiver['where']})"
        )
    fixes = {}
    for finding in evaluation.findings({Verdict.FAIL}) if reasons else ():
        why = reasons.get(_change_of(finding))
        if finding.fix is not None and why is not None:
            fixes[key_of(finding)] = replace(finding.fix, outcome=Outcome.REFUSED, why=why)
    return fixes


def _change_of(finding: Finding) -> tuple[str, Target]:
    """The change that a failure asks for, as plans and receipts name it."""
    fix = finding.fix
    return (fix.remediator or "" if fix else "", Target(finding.resource.endpoint, fix.target if fix else ()))
