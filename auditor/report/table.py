"""The report for a person at a terminal: the most important first, long lists cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from auditor.model import Verdict
from auditor.report.console import ROWS_A_LIST, hanging, write_parts
from auditor.report.digest import coverage_line, digest, headline, next_steps
from auditor.report.failure_table import failure_parts
from auditor.report.finding_ids import FindingIds
from auditor.report.receipts import receipt_parts
from auditor.report.wording import (
    ENDPOINTS_NAMED,
    certificate_text,
    count_of,
    lasted,
    moment,
    neutral,
    neutral_prose,
    notices_of,
    place_of,
    waiver_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from auditor.model import Gap, Report
    from auditor.report.digest import Digest

ROWS_A_RULE = 10
"""Findings shown of one rule; the others are counted."""
_STATE_STYLES = {"drift": "bold white on red", "incomplete": "bold black on yellow", "clean": "bold white on green"}


def write_table(report: Report, out: TextIO) -> None:
    """Write `report` for people: as wide as the terminal, with colour where the terminal allows it, as plain text elsewhere."""
    write_parts(lambda width: _parts(report, width), out)


def _parts(report: Report, width: int) -> Iterator[RenderableType]:
    from rich.text import Text

    summary = digest(report, ROWS_A_RULE)
    yield from _head(report, summary)
    ids = FindingIds(report.run)
    several_vcenters = sum(reading.kind == "vcenter" for reading in report.run.endpoints) > 1
    for rule in summary.failing:
        yield from failure_parts(rule, width, ids, several_vcenters=several_vcenters)
    yield from _waived(summary)
    yield from _unknowns(summary)
    yield from _gaps(report.gaps)
    yield from receipt_parts(report.receipts)
    if report.certificate is not None:
        yield hanging(" ", Text(certificate_text(report.certificate)))
    yield ""
    yield Text.assemble(("Coverage: ", "bold"), coverage_line(report))
    if steps := next_steps(report, summary):
        yield Text("Next:", style="bold")
    for step in steps:
        yield hanging("  -", Text(step))


def _head(report: Report, summary: Digest) -> Iterator[RenderableType]:
    from rich.text import Text

    result = headline(report, len(summary.failing), summary.failing_hosts)
    yield Text.assemble((f" {result.word} ", _STATE_STYLES[result.state]), " ", result.sentence)
    run = report.run
    yield Text(
        f"Run {neutral(run.id)}, {moment(run.started)}, took {lasted(run.started, run.finished)}: "
        f"{count_of(run.hosts, 'host')}, {count_of(len(run.endpoints), 'endpoint')}.",
        style="dim",
    )
    for notice in notices_of(report):
        yield hanging("!", Text(notice), "bold yellow")


def _unknowns(summary: Digest) -> Iterator[RenderableType]:
    """Each rule with unknown verdicts: how many, which columns were not read, and what to do."""
    from rich.text import Text

    if not summary.unknown:
        return
    yield ""
    yield Text("UNKNOWN: a fact was not read, so these are neither passes nor failures", style="bold yellow")
    for rule in summary.unknown:
        example = place_of(rule.samples[Verdict.UNKNOWN][0].resource)
        number = rule.counts[Verdict.UNKNOWN]
        columns = [neutral(column) for column, _ in rule.missing.most_common(6)]
        more = f" and {len(rule.missing) - 6} more" if len(rule.missing) > 6 else ""
        missing = f"not read: {', '.join(columns)}{more}" if columns else "what was read does not settle it"
        where = f"on {example}" if number == 1 else f"for example on {example}"
        yield hanging("  -", Text.assemble((neutral(rule.rule), "bold"), f"  {number:,} unknown, {missing} ({where})"))
        if rule.text and rule.text.unknown_text:
            yield hanging("   ", Text(neutral_prose(rule.text.unknown_text), style="dim"))


def _waived(summary: Digest) -> Iterator[RenderableType]:
    """Each waiver with its owner, reason and expiry; the one that covers most comes first."""
    from rich.text import Text

    if not summary.waived:
        return
    yield ""
    yield Text("WAIVED: a waiver covers these, and no fix changes them", style="bold")
    for rule in summary.waived:
        for waiver, number in rule.waivers.most_common(ROWS_A_LIST):
            yield hanging("  -", Text.assemble((neutral(rule.rule), "bold"), f"  {waiver_text(dict(waiver), number)}"))
        if len(rule.waivers) > ROWS_A_LIST:
            yield Text(f"  +{len(rule.waivers) - ROWS_A_LIST:,} more waivers, see --reporter json:PATH", style="italic")


def _gaps(gaps: Sequence[Gap]) -> Iterator[RenderableType]:
    """What could not be read and why; endpoints with the same gap share a line."""
    from rich.text import Text

    if not gaps:
        return
    yield ""
    yield Text(f"GAPS: {count_of(len(gaps), 'thing')} could not be read", style="bold yellow")
    alike: dict[tuple[str, str], list[str]] = {}
    for gap in gaps:
        alike.setdefault((gap.what, gap.why.removeprefix(f"endpoint {gap.endpoint}: ")), []).append(gap.endpoint)
    shown = list(alike.items())[:ROWS_A_LIST]
    for (what, why), endpoints in shown:
        names = sorted(set(endpoints))
        more = f" and {len(names) - ENDPOINTS_NAMED:,} more" if len(names) > ENDPOINTS_NAMED else ""
        named = neutral(", ".join(names[:ENDPOINTS_NAMED])) + more
        yield hanging("  -", Text.assemble((named, "bold"), f"  {neutral(what)}: {neutral(why)}"))
    left = len(gaps) - sum(len(endpoints) for _, endpoints in shown)
    if left:
        yield Text(f"  +{left:,} more, see --reporter json:PATH or --reporter html:PATH", style="italic")
