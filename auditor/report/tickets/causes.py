"""The tickets of a report: one for each cause, and one for what could not be judged. A later run has the same ids for the same things."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

from auditor.model import EndpointKind, FixClass, Severity, Verdict
from auditor.report.causes import causes_of
from auditor.report.digest import digest
from auditor.report.finding_ids import SHOWN, FindingIds, identities_of
from auditor.report.formats.listed import path_of, sentence_of
from auditor.report.impacts import impact_text
from auditor.report.messages import message_beside_name
from auditor.report.terminal.by_hand import steps_of
from auditor.report.terminal.gap_lines import why_text
from auditor.report.terminal.totals import Commands
from auditor.report.tickets.texts import TicketText, section
from auditor.report.verdict_counts import hosts_text
from auditor.report.wording import allowing, moment, notices_of, value_text
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.model import Finding, Report
    from auditor.report.causes import Cause
    from auditor.report.digest import Digest

FINDINGS = 20
"""Findings of a rule, and gaps, that a ticket names; the others are counted."""
_UNREAD = "not judged"
"""Stands for a rule in the id of the ticket about what could not be judged."""


def tickets_of(report: Report) -> Iterator[TicketText]:
    """The tickets of `report`, worst first; none where everything was judged and nothing fails."""
    summary = digest(report, FINDINGS)
    ids = FindingIds(report.run)
    yield from (_of_cause(report, cause, ids) for cause in causes_of(summary))
    if report.summary.unknown > report.summary.accepted_unknown or report.open_gaps:
        yield _of_unread(report, summary)


def correlation_id(report: Report, what: str) -> str:
    """The id of the ticket about `what` in audits of this fleet that are narrowed alike."""
    endpoints = identities_of((one.name, one.identity) for one in report.run.endpoints)
    fleet = report.scope.key if report.scope is not None else " ".join(sorted(endpoints.values()))
    digits = hashlib.sha256(f"{fleet}\n{what}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"auditor-{digits[:16]}"


def _of_cause(report: Report, cause: Cause, ids: FindingIds) -> TicketText:
    # The load decides which rule costs most, and so which is the worst today: the id must not follow it.
    named = min(cause.rules, key=lambda rule: (rule.text.severity.rank if rule.text else rule.severity.rank, rule.rule))
    worst, costliest = cause.worst, cause.costliest
    hosts = f" on {count_of(cause.hosts, 'host')}" if cause.hosts else ""
    counted = f"{count_of(cause.failures, 'failure')}{hosts}"
    findings = [
        f"{ids.of(one)[:SHOWN]} {path_of(one.resource)}: {_wrong(one)}" for rule in cause.rules for one in rule.samples[Verdict.FAIL]
    ]
    more = cause.failures - len(findings)
    sections = (
        *section("What is wrong", [f"{worst.heading}: {counted}.", sentence_of(costliest)]),
        *section("What it costs", [impact_text(costliest.impact)]),
        *section("What to do", _to_do(report, cause, ids.of(costliest)[:SHOWN])),
        *section("Seen by", _seen_by(report)),
        *section("Rules", [f"{rule.rule} ({rule.severity}): {rule.title}" for rule in cause.rules]),
        *section("Findings", [*findings, *([f"{count_of(more, 'more finding')}: the report has them."] if more else [])]),
    )
    title = f"{worst.heading}: {counted} ({worst.rule}, {worst.severity})"
    return TicketText(correlation_id(report, named.rule), title, worst.severity, sections)


def _wrong(finding: Finding) -> str:
    own = message_beside_name(finding)
    return own or f"observed {value_text(finding.observed)}, desired {value_text(finding.desired)}"


def _to_do(report: Report, cause: Cause, finding: str) -> Iterator[str]:
    """The steps of the rule, and what auditor can do of it."""
    yield from steps_of(cause.worst.text, cause.costliest.fix)
    fixes = Counter[tuple[FixClass, ...]]()
    for rule in cause.rules:
        fixes.update(rule.fix_classes)
    is_of_files = any(one.kind == EndpointKind.FILES for one in report.run.endpoints)  # which cannot be written to
    for kinds, number in fixes.items():
        command = (
            "auditor plan --from PATH --as esxcli" if is_of_files else f"{Commands.of(report).audit} --fix --dry-run {allowing(kinds)}"
        )
        yield f"Of {count_of(number, 'failure')} auditor knows the fix ({kinds[0]}); to see it: {command}"
    yield f"Why, queue by queue: auditor explain {finding}"


def _seen_by(report: Report) -> Iterator[str]:
    run, scope = report.run, report.scope
    yield f"auditor run {run.id}, {moment(run.started)}: {hosts_text(report)}, {count_of(len(run.endpoints), 'endpoint')}"
    if scope is not None and scope.is_narrow:
        yield f"It was narrow: {scope.sentence()}"
    yield from notices_of(report)


def _of_unread(report: Report, summary: Digest) -> TicketText:
    unknown, gaps = report.summary.unknown - report.summary.accepted_unknown, report.open_gaps
    counts = [
        count_of(unknown, "verdict is unknown", "verdicts are unknown"),
        count_of(len(gaps), "gap was left in the reading", "gaps were left in the reading"),
    ]
    counted = " and ".join(text for text, number in zip(counts, (unknown, len(gaps)), strict=True) if number)
    lines = [f"{gap.endpoint}: {gap.what}: {why_text(gap)}" for gap in gaps[:FINDINGS]]
    more = len(gaps) - FINDINGS
    sections = (
        *section("What is wrong", [f"{counted}. What is unknown has not passed: another ticket may be missing because of it."]),
        *section("What to do", ["See what is missing, and what to do about it: auditor doctor"]),
        *section("Seen by", _seen_by(report)),
        *section("Not read", [*lines, *([f"{count_of(more, 'more gap')}: the report has them."] if more > 0 else [])]),
        *section("Unknown", [f"{rule.rule}: {rule.counts[Verdict.UNKNOWN]:,}" for rule in summary.unknown]),
    )
    return TicketText(correlation_id(report, _UNREAD), f"Not everything was judged: {counted}", Severity.MEDIUM, sections)
