"""What a run says of the documents that its rules answer to: of each control whether it is open, and of each document its score.

A rule judges a part of what a control asks for, so that "no finding" is said of these rules, and not of the document.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from auditor.model import DocumentKind, Verdict
from auditor.report.formats.listed import is_unknown
from auditor.report.verdict_counts import by_rule, listed_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor.model import Document, Finding, Report, RuleText

_NAMED = 20
"""Resources of a control that are named; the others are counted."""


class Status(StrEnum):
    """Of a control, in the words of a STIG checklist."""

    OPEN = "Open"
    NOT_REVIEWED = "Not_Reviewed"
    NO_FINDING = "NotAFinding"
    NOT_APPLICABLE = "Not_Applicable"


@dataclass(slots=True)
class Control:
    """One control of a document, and what the rules that answer to it found."""

    number: str  # its id or number; "" where the rules name the document alone
    section: str
    rules: list[RuleText] = field(default_factory=list)
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    waived_failures: int = 0
    failing: list[Finding] = field(default_factory=list)  # the first of them, waived ones among them
    unread: int = 0  # endpoints of the fleet that never answered, and may have what the rules judge

    @property
    def status(self) -> Status:
        """Open where anything fails, waived or not; not reviewed where anything is unknown or was never read, or nothing was judged."""
        if self.verdicts[Verdict.FAIL] or self.waived_failures:
            return Status.OPEN
        if self.verdicts[Verdict.UNKNOWN] or self.verdicts[Verdict.WAIVED] or self.unread:
            return Status.NOT_REVIEWED
        if self.verdicts[Verdict.PASS]:
            return Status.NO_FINDING
        return Status.NOT_APPLICABLE if self.verdicts[Verdict.NOT_APPLICABLE] else Status.NOT_REVIEWED


@dataclass(slots=True)
class Framework:
    """A document that rules answer to."""

    kind: DocumentKind
    title: str
    controls: dict[tuple[str, str], Control] = field(default_factory=dict)  # by number and section

    @property
    def counts(self) -> Counter[Status]:
        """How many controls are how."""
        return Counter(control.status for control in self.controls.values())

    @property
    def score(self) -> float | None:
        """The share, 0 to 1, of the controls that could have a finding that have none; None where none could.

        A control that was not reviewed counts against it.
        """
        counts = self.counts
        judged = counts.total() - counts[Status.NOT_APPLICABLE]
        return counts[Status.NO_FINDING] / judged if judged else None


def frameworks_of(report: Report, kinds: Iterable[DocumentKind] = tuple(DocumentKind)) -> tuple[Framework, ...]:
    """The documents of `kinds` that the rules of `report` answer to, by kind and title; their controls by number and section."""
    wanted, found = set(kinds), dict[tuple[DocumentKind, str], Framework]()
    by_id: dict[str, list[Control]] = {}
    counts = by_rule(report)
    unread = sum(one.version is None and not one.complete and not one.left_out for one in report.run.endpoints)
    for rule in report.rules:
        for document in rule.documents:
            if document.kind in wanted:
                control = _control(found, document)
                control.unread = unread
                if rule not in control.rules:
                    control.rules.append(rule)
                    control.verdicts.update(counts[rule.id])
                    by_id.setdefault(rule.id, []).append(control)
    for finding in listed_of(report) if by_id else ():
        if not is_unknown(finding):
            for control in by_id.get(finding.rule, ()):
                control.waived_failures += finding.verdict is Verdict.WAIVED
                if len(control.failing) < _NAMED:
                    control.failing.append(finding)
    for framework in found.values():
        framework.controls = dict(sorted(framework.controls.items()))
    return tuple(found[key] for key in sorted(found))


def _control(found: dict[tuple[DocumentKind, str], Framework], document: Document) -> Control:
    framework = found.setdefault((document.kind, document.title), Framework(document.kind, document.title))
    key = (document.number or "", document.section or "")
    return framework.controls.setdefault(key, Control(*key))
