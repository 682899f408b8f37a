"""Writes the report as Markdown, for a ticket or a comment on a change: what is wrong, its worst causes, a bounded table of failures.

Tables are those of GitHub Flavored Markdown. Names come from everybody who may name a datastore: they stand in code spans, and other text
has its special characters escaped, so that none of it is a link, an image or HTML.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TextIO

from auditor.model import Verdict
from auditor.report.causes import CAUSES, causes_of
from auditor.report.digest import coverage_line, digest, headline, next_steps
from auditor.report.documents import document_text
from auditor.report.finding_ids import SHOWN, FindingIds
from auditor.report.formats.listed import path_of, waiver_sentence
from auditor.report.impacts import impact_text
from auditor.report.messages import message_beside_name
from auditor.report.terminal.gap_lines import why_text
from auditor.report.verdict_counts import hosts_text
from auditor.report.wording import moment, neutral, notices_of, took_text, value_text
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from auditor.model import Finding, Report
    from auditor.report.digest import Digest, RuleDigest

ROWS = 50
"""Rows of a table of findings."""
CHARACTERS = 40_000
"""What all tables of findings have in all. Source: GitHub refuses a comment of more than 65,536 characters."""
_SPECIAL = re.compile(r"[\\`*_\[\]<&|~@]|:(?=//)|(?<=www)\.")
"""What could begin something else than text within a line. Source: CommonMark 0.31.2, "Inlines"; GFM 0.29, "Autolinks (extension)"."""


def write_markdown(report: Report, out: TextIO) -> None:
    """Write `report`; it is short whatever its size."""
    out.writelines(f"{line}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    summary = digest(report, ROWS)
    result = headline(report, len(summary.failing), summary.failing_hosts)
    yield f"## auditor: {as_text(result.word)}"
    yield ""
    if report.compared is not None:
        yield f"**{as_text(report.compared.sentence())}.**"
        yield ""
    yield as_text(result.sentence)
    yield ""
    run = report.run
    yield f"- Run {_code(run.id)}, {moment(run.started)}, took {took_text(run)}"
    yield f"- {hosts_text(report)}, {count_of(len(run.endpoints), 'endpoint')}, {count_of(len(report.rules), 'rule')} judged"
    yield f"- Coverage: {as_text(coverage_line(report))}"
    yield from (f"- **Note:** {as_text(notice)}" for notice in notices_of(report))
    yield from _causes(summary)
    room = _Room(CHARACTERS)
    ids = FindingIds(report.run)
    for verdict, title, heading, cell in _TABLES:
        yield from _findings(summary, ids, verdict, (title, heading, cell), room)
    yield from _gaps(report)
    if steps := next_steps(report, summary):
        yield from ("", "### Next", "", *(f"- {as_text(step)}" for step in steps))


def _causes(summary: Digest) -> Iterator[str]:
    if not summary.failing:
        return
    yield from ("", "### Worst causes", "", "| Severity | Rule | Failures | Hosts | What is wrong | What it costs |")
    yield "| --- | --- | ---: | ---: | --- | --- |"
    causes = causes_of(summary)
    for cause in causes[:CAUSES]:
        rule = cause.worst
        others = f" and {count_of(len(cause.rules) - 1, 'more rule')}" if len(cause.rules) > 1 else ""
        hosts = f"{cause.hosts:,}" if cause.hosts else ""
        cost = impact_text(cause.costliest.impact)
        named = f"{_code(rule.rule)}{others}"
        yield f"| {rule.severity} | {named} | {cause.failures:,} | {hosts} | {as_text(rule.heading)} | {as_text(cost)} |"
    for rule in (cause.worst for cause in causes[:CAUSES]):
        documents = "; ".join(document_text(one) for one in rule.text.documents) if rule.text is not None else ""
        if documents:
            yield from ("", f"{_code(rule.rule)} answers to {as_text(documents)}.")
    if (more := len(causes) - CAUSES) > 0:
        yield from ("", f"{count_of(more, 'more cause')}.")


class _Room:
    """How many characters tables may still have."""

    def __init__(self, characters: int) -> None:
        self._left = characters

    def takes(self, line: str) -> bool:
        """Whether a line still fits; nothing fits behind one that did not."""
        self._left = self._left - len(line) if len(line) <= self._left else 0
        return self._left > 0


def _failure_cell(finding: Finding) -> str:
    own = message_beside_name(finding)
    return own or f"observed {value_text(finding.observed)}, desired {value_text(finding.desired)}"


def _unknown_cell(finding: Finding) -> str:
    return f"not read: {', '.join(finding.missing)}" if finding.missing else "what was read does not settle it"


_TABLES: Sequence[tuple[Verdict, str, str, Callable[[Finding], str]]] = (
    (Verdict.FAIL, "Failures", "What is wrong", _failure_cell),
    (Verdict.UNKNOWN, "Unknown", "Why", _unknown_cell),
    (Verdict.WAIVED, "Waived", "Waiver", waiver_sentence),
)


def _findings(
    summary: Digest, ids: FindingIds, verdict: Verdict, words: tuple[str, str, Callable[[Finding], str]], room: _Room
) -> Iterator[str]:
    """A table of one verdict, at most ROWS rows and as long as there is room; how many more there are stands below it."""
    title, heading, cell = words
    rules = [rule for rule in summary.rules if rule.counts[verdict]]
    count = sum(rule.counts[verdict] for rule in rules)
    if not count:
        return
    yield from ("", f"### {title} ({count:,})", "", f"| Id | Severity | Rule | Where | {heading} |", "| --- | --- | --- | --- | --- |")
    shown = 0
    for finding in _samples(rules, verdict):
        place = path_of(finding.resource)
        row = [_code(ids.of(finding)[:SHOWN]), finding.severity.value, _code(finding.rule), _code(place), as_text(neutral(cell(finding)))]
        line = f"| {' | '.join(row)} |"
        if not room.takes(line):
            break
        yield line
        shown += 1
    if shown < count:
        yield from ("", f"{count - shown:,} more: `--reporter json` or `--reporter html` has them all.")


def _samples(rules: Sequence[RuleDigest], verdict: Verdict) -> Iterator[Finding]:
    """The first ROWS findings, the worst rules first."""
    samples = (finding for rule in rules for finding in rule.samples[verdict])
    yield from (finding for _, finding in zip(range(ROWS), samples, strict=False))


def _gaps(report: Report) -> Iterator[str]:
    if not report.gaps:
        return
    yield from ("", f"### Not read ({len(report.gaps):,})", "", "| Endpoint | What | Why |", "| --- | --- | --- |")
    for gap in report.gaps[:ROWS]:
        yield f"| {_code(gap.endpoint)} | {as_text(neutral(gap.what))} | {as_text(neutral(why_text(gap)))} |"
    if (more := len(report.gaps) - ROWS) > 0:
        yield from ("", f"{more:,} more: `--reporter json` has them all.")


def _code(text: str) -> str:
    """`text` as a code span that also fits into a table's cell: fences longer than any within, pipes escaped."""
    shown = neutral(text)
    if not shown.strip():
        return ""
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    blank = " " if shown.startswith(("`", " ")) or shown.endswith(("`", " ")) else ""
    return f"{fence}{blank}{shown}{blank}{fence}".replace("|", r"\|")


def as_text(text: str) -> str:
    """`text` as Markdown shows it: nothing of it is a link, an image or a mark."""
    return _SPECIAL.sub(r"\\\g<0>", neutral(text))
