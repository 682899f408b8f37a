"""The fixes of findings whose changes were attempted, or were refused at planning: what the report shows of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from auditor.model import Outcome, Target, Verdict
from auditor.model.changes import WHO_PUTS_BACK
from auditor.report.json.saved_report import FindingKey, key_of
from auditor.report.rule_words import flat
from auditor.report.wording import neutral, value_text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from auditor.engine.verdicts import Evaluation
    from auditor.model import Change, Contradiction, Finding, Fix, FixClass, Plan, Receipt


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


_CONTRADICTED, _WAIVED = "rules contradict each other: ", "a waiver of "


def is_held_back(fix: Fix) -> bool:
    """Whether another rule, or a waiver, keeps a fix from being planned, which an audit that is narrowed would not see."""
    return fix.outcome is Outcome.REFUSED and fix.why.startswith((_CONTRADICTED, _WAIVED))


def refused_fixes(evaluation: Evaluation, plan: Plan) -> dict[FindingKey, Fix]:
    """The fix, with the reason, of every failure whose change is not planned.

    It is refused where another rule wants the setting different or a waiver keeps it as it is; it is by hand where another change would
    have to come first, and cannot be planned.
    """
    reasons = {}
    for clash in plan.contradictions:
        reasons[clash.remediator, clash.target] = f"{_CONTRADICTED}{'; '.join(wish_texts(clash))}"
    for held in plan.held:
        reasons[held.remediator, held.target] = (
            f"{_WAIVED}{held.waived} leaves this setting as it is ({held.waiver['owner']}, {held.waiver['where']})"
        )
    first = {(one.change.remediator, one.change.target): one.why for one in plan.unmet}
    fixes = {}
    for finding in evaluation.findings({Verdict.FAIL}) if reasons or first else ():
        why, unmet = reasons.get(_change_of(finding)), first.get(_change_of(finding))
        if finding.fix is not None and why is not None:
            fixes[key_of(finding)] = replace(finding.fix, outcome=Outcome.REFUSED, why=why)
        elif finding.fix is not None and finding.fix.outcome is Outcome.PROPOSED and unmet is not None:
            changed_by = finding.evidence.get("changed_by")
            sentence = unmet.replace(WHO_PUTS_BACK, f"settle it with {changed_by}") if changed_by else unmet
            fixes[key_of(finding)] = replace(finding.fix, outcome=Outcome.BY_HAND, why=sentence)
    return fixes


def possible_now(plan: Plan, receipts: Sequence[Receipt], allow: Collection[FixClass]) -> tuple[Change, ...]:
    """The allowed changes that only became possible by a fix.

    Args:
        plan: made of the fleet as it is after the fix.
        receipts: of the fix.
        allow: the classes of changes that were allowed.
    """
    attempted = {(receipt.change.remediator, receipt.change.target) for receipt in receipts}
    return tuple(one for one in plan.changes if (one.remediator, one.target) not in attempted and set(one.classes) <= set(allow))


def possible_now_notice(changes: Sequence[Change]) -> tuple[str, ...]:
    """A sentence about changes that became possible and were not made; none where there are none."""
    if not changes:
        return ()
    names = ", ".join(sorted({one.remediator for one in changes}))
    return (
        f"{len(changes)} further changes of {names} became possible by this fix, and were not made: run it again to see and make them.",
    )


def contradiction_notices(contradictions: Sequence[Contradiction]) -> tuple[str, ...]:
    """A sentence for each contradiction, those about which the same rules disagree in the same way together."""
    alike: dict[tuple[str, tuple[str, ...]], list[Contradiction]] = {}
    for clash in contradictions:
        alike.setdefault((clash.remediator, tuple(wish_texts(clash))), []).append(clash)
    notices = []
    for (_, wishes), clashes in alike.items():
        more = f" and {len(clashes) - 1} more" if len(clashes) > 1 else ""
        notices.append(
            f"{clashes[0].target.endpoint}: rules contradict each other about {clash_place(clashes[0])}{more}: {'; '.join(wishes)}. "
            f"Nothing is planned for it: decide which of them counts, and waive the other or set its params."
        )
    return tuple(notices)


def clash_place(clash: Contradiction) -> str:
    """The setting that rules contradict each other about, and the host it is on where that has a name."""
    where = clash.resource
    host = f" of {where.host}" if where is not None and where.host is not None else ""
    keys = " ".join(value for key, value in clash.target.keys if key != "host_id" or not host)
    return neutral(f"{clash.remediator} {keys}{host}")


def wish_texts(clash: Contradiction) -> list[str]:
    """What each rule of a contradiction wants, and why."""
    reasons = [f" ({flat(reason)})" for reason in clash.reasons] or [""] * len(clash.wants)
    return [f"{rule} wants {value_text(value)}{why}" for (rule, value), why in zip(clash.wants, reasons, strict=True)]


def _change_of(finding: Finding) -> tuple[str, Target]:
    """The change that a failure asks for, as plans and receipts name it."""
    fix = finding.fix
    return (fix.remediator or "" if fix else "", Target(finding.resource.endpoint, fix.target if fix else ()))
