"""Failures and unknown verdicts by topic and severity, as a small table; a rule's topic is the first part of its id."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from auditor.model import Severity, Verdict
from auditor.report.verdict_counts import counts_of
from auditor.report.wording import neutral

if TYPE_CHECKING:
    from auditor.model import Report

UNKNOWN = "unknown"
_GAP = 2
_OTHERS = "others"


def topic_counts(report: Report) -> dict[str, Counter[str]]:
    """By topic, worst first: failures by severity, and unknown verdicts under UNKNOWN. Topics without either are left out."""
    topics: dict[str, Counter[str]] = {}
    for (rule, severity, verdict), number in counts_of(report).items():
        if verdict in {Verdict.FAIL, Verdict.UNKNOWN} and number:
            name = severity.value if verdict is Verdict.FAIL else UNKNOWN
            topics.setdefault(rule.partition("/")[0], Counter())[name] += number
    return dict(sorted(topics.items(), key=lambda item: ([-item[1][name] for name in _names()], item[0])))


def topic_lines(report: Report, width: int) -> list[str]:
    """A column for each topic, worst first, and a line for each severity; topics that `width` has no room for are counted as others.

    Args:
        report: its failures and unknown verdicts are counted.
        width: of the lines, in characters.
    """
    topics = topic_counts(report)
    if not topics:
        return []
    total: Counter[str] = sum(topics.values(), Counter())
    rows = [name for name in _names() if total[name]]
    columns = _fitting([*topics.items()], total, rows, width)
    lines = [_line("failures", [heading for heading, _ in columns], columns)]
    return lines + [_line(name, [f"{counts[name]:,}" if counts[name] else "-" for _, counts in columns], columns) for name in rows]


def _fitting(topics: list[tuple[str, Counter[str]]], total: Counter[str], rows: list[str], width: int) -> list[tuple[str, Counter[str]]]:
    """The columns to show: as many topics as there is room for, what is left of them, and all."""
    for shown in range(len(topics), 0, -1):
        others: Counter[str] = sum((counts for _, counts in topics[shown:]), Counter())
        columns = [(neutral(name), counts) for name, counts in topics[:shown]]
        columns += [*([(_OTHERS, others)] if shown < len(topics) else []), ("all", total)]
        if len(_line(rows[0], [heading for heading, _ in columns], columns)) <= width:
            return columns
    return [("all", total)]


def _line(name: str, cells: list[str], columns: list[tuple[str, Counter[str]]]) -> str:
    widths = [max(len(heading), len(f"{max(counts.values(), default=0):,}")) for heading, counts in columns]
    texts = (f"{cell:>{room + _GAP}}" for cell, room in zip(cells, widths, strict=True))
    return f"  {name:<8}{''.join(texts)}"


def _names() -> list[str]:
    return [*(severity.value for severity in Severity), UNKNOWN]
