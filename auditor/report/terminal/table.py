"""The report for a person with every finding: the worst first, each rule with all its failures, and the totals at the end."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, TextIO

from auditor.model import Verdict
from auditor.model.endpoint_kinds import is_array
from auditor.report.digest import coverage_line, digest
from auditor.report.finding_ids import FindingIds
from auditor.report.rule_words import flat
from auditor.report.terminal.console import ROWS_A_LIST, hanging, write_parts
from auditor.report.terminal.failure_table import failure_parts, heading_parts
from auditor.report.terminal.first_screen import head_parts, next_parts, result_part
from auditor.report.terminal.gap_lines import gaps_alike
from auditor.report.terminal.receipts import receipt_parts
from auditor.report.terminal.totals import Commands, totals_parts
from auditor.report.verdict_counts import counts_of, listed_of
from auditor.report.wording import neutral, neutral_prose, place_of, waiver_text
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from auditor.model import Gap, Report
    from auditor.report.digest import Digest


def write_table(report: Report, out: TextIO, commands: Commands | None = None) -> None:
    """Write every finding of `report` for people: as wide as the terminal, with colour where it allows it, as plain text elsewhere.

    Findings are written as they are read, so that memory does not grow with their number.
    """
    write_parts(lambda width: _parts(report, width, commands or Commands.of(report)), out)


def _parts(report: Report, width: int, commands: Commands) -> Iterator[RenderableType]:
    from rich.text import Text

    summary = digest(report, 1)
    yield from head_parts(report, summary, width)
    yield from _failures(report, summary, width)
    yield from _waived(summary)
    yield from _unknowns(summary)
    yield from _gaps(report.gaps)
    yield from receipt_parts(report.receipts)
    yield from totals_parts(report, summary, width, commands, brief=True)
    yield from next_parts(report, summary, commands)
    yield ""
    if kinds := Counter(reading.kind for reading in report.run.endpoints):
        yield Text.assemble(("Endpoints: ", "bold"), ", ".join(f"{neutral(kind)} {number:,}" for kind, number in sorted(kinds.items())))
    yield Text.assemble(("Coverage: ", "bold"), coverage_line(report))
    yield result_part(report, summary)


def _failures(report: Report, summary: Digest, width: int) -> Iterator[RenderableType]:
    """Each rule with all its failures; the worst rule comes first, and of each the costliest failure."""
    ids = FindingIds(report.run)
    several_vcenters = sum(not is_array(reading.kind) for reading in report.run.endpoints) > 1
    rules = {rule.rule: rule for rule in summary.failing}
    counts = counts_of(report)
    failures = (finding for finding in listed_of(report) if finding.verdict is Verdict.FAIL)
    for (rule, severity), same in groupby(failures, key=lambda finding: (finding.rule, finding.severity)):
        show_class = yield from heading_parts(rules[rule], severity, counts[rule, severity, Verdict.FAIL])
        yield from failure_parts(same, rules[rule], width, ids, several_vcenters=several_vcenters, show_class=show_class)


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
            yield hanging("   ", Text(flat(neutral_prose(rule.text.unknown_text)), style="dim"))


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
    """What could not be read, why, and what to do; endpoints with the same gap share a line."""
    from rich.text import Text

    if not gaps:
        return
    yield ""
    accepted = sum(gap.accepted is not None for gap in gaps)
    of_them = f", {accepted:,} of them accepted" if accepted else ""
    yield Text(f"GAPS: {count_of(len(gaps), 'thing')} could not be read{of_them}", style="bold yellow")
    for line in gaps_alike(gaps):
        yield hanging("  -", Text.assemble((line.named(), "bold"), f"  {line.text}; to do: {line.remedy}"))
