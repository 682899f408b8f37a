"""Loads the verdicts that a report lists, and counts of all; passes are most of them and are loaded only where needed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from auditor.model import Verdict
from auditor.text.numbers import count_of

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


def hosts_judged(report: Report) -> int:
    """How many hosts have a verdict that was reached; of a thing that belongs to no single host nothing is counted."""
    if report.hosts_judged is not None:
        return report.hosts_judged()
    hosts: set[tuple[str, str]] = set()
    for finding in report.findings():
        host = finding.resource.host
        if host is not None and _is_reached(finding):
            hosts.add((finding.resource.endpoint, host))
            if len(hosts) >= report.run.hosts:
                break
    return len(hosts)


def _is_reached(finding: Finding) -> bool:
    if finding.verdict is Verdict.WAIVED:
        return (finding.waiver or {}).get("verdict") != Verdict.UNKNOWN
    return finding.verdict in {Verdict.PASS, Verdict.FAIL}


def hosts_text(report: Report) -> str:
    """How many hosts were judged: "8 hosts", or "4 of 8 hosts" where of the others no verdict was reached."""
    judged = None if report.hosts_judged is None else hosts_judged(report)
    if judged is None or judged >= report.run.hosts:
        return count_of(report.run.hosts, "host")
    return f"{judged:,} of {count_of(report.run.hosts, 'host')}"


def fails_by_cluster(report: Report) -> Counter[str]:
    """Failures by cluster, "gold (vc-1)"; those of no cluster are not among them."""
    if report.by_place is None:
        return Counter(
            f"{one.resource.cluster} ({one.resource.endpoint})"
            for one in listed_of(report)
            if one.verdict is Verdict.FAIL and one.resource.cluster
        )
    fails: Counter[str] = Counter()
    for place in report.by_place(False):  # noqa: FBT003  by cluster
        if place.verdict is Verdict.FAIL and place.cluster:
            fails[f"{place.cluster} ({place.endpoint})"] += place.number
    return fails


def by_rule(report: Report) -> dict[str, Counter[Verdict]]:
    """How many verdicts of each kind every rule has, those without any too."""
    counts: dict[str, Counter[Verdict]] = {rule.id: Counter() for rule in report.rules}
    for (rule_id, _, verdict), number in counts_of(report).items():
        counts.setdefault(rule_id, Counter())[verdict] += number
    return counts
