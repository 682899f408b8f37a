"""The verdicts of a report that somebody has to read, and the counts of all: passes, which are most, are read only where they must be."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from auditor.model import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditor.model import Finding, Report, Severity

LISTED = (Verdict.FAIL, Verdict.UNKNOWN, Verdict.WAIVED)
"""The verdicts that somebody has to read; only their findings say when each value was read, for the millions of others `run.read` does."""


def listed_of(report: Report) -> Iterator[Finding]:
    """The findings of LISTED, worst first, one at a time."""
    if report.listed is not None:
        return report.listed()
    return (finding for finding in report.findings() if finding.verdict in LISTED)


def counts_of(report: Report) -> Mapping[tuple[str, Severity, Verdict], int]:
    """How many verdicts there are, by rule, severity and verdict."""
    if report.counts is not None:
        return report.counts()
    return Counter((finding.rule, finding.severity, finding.verdict) for finding in report.findings())


def by_rule(report: Report) -> dict[str, Counter[Verdict]]:
    """How many verdicts of each kind every rule has, those without any too."""
    counts: dict[str, Counter[Verdict]] = {rule.id: Counter() for rule in report.rules}
    for (rule_id, _, verdict), number in counts_of(report).items():
        counts.setdefault(rule_id, Counter())[verdict] += number
    return counts
