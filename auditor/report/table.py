"""The report for a person at a terminal: what matters first, cut where a screen ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from auditor.model import Outcome, Verdict
from auditor.report.console import write_parts
from auditor.report.digest import coverage_line, digest, headline, next_steps
from auditor.report.rows import Cell, Column, aligned, fits
from auditor.report.wording import (
    ENDPOINTS_NAMED,
    OUTCOME_WORDS,
    change_text,
    count_of,
    drift_age_text,
    first_sentence,
    fix_text,
    lasted,
    moment,
    neutral,
    neutral_prose,
    notices_of,
    outcome_text,
    place_of,
    place_texts,
    setting_text,
    value_text,
    waiver_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType
    from rich.text import Text

    from auditor.model import Finding, Gap, Receipt, Report
    from auditor.report.digest import Digest, RuleDigest

ROWS_A_RULE = 10
"""Rows of one rule before the rest is only counted."""
ROWS_A_LIST = 20
"""Gaps and receipts shown before the rest is only counted."""
_SEVERITY_STYLES = {"critical": "bold white on red", "high": "bold red", "medium": "bold yellow", "low": "cyan", "info": "blue"}
_STATE_STYLES = {"drift": "bold white on red", "holes": "bold black on yellow", "clean": "bold white on green"}
_OUTCOME_ORDER = (
    Outcome.UNVERIFIED,
    Outcome.REFUSED,
    Outcome.STALE,
    Outcome.APPLIED,
    Outcome.ALREADY,
    Outcome.PROPOSED,
    Outcome.BY_HAND,
)

_RESOURCE, _PLACE, _CLUSTER = 0, 1, 2
_DRIFTED = "Drifted"
"""Where the columns that say what a finding is about stand in `_finding_columns`."""


def write_table(report: Report, out: TextIO) -> None:
    """Write `report` for people, as wide as the terminal, in colour where that is wanted; plain text elsewhere."""
    write_parts(lambda width: _parts(report, width), out)


def write_receipts(receipts: Sequence[Receipt], out: TextIO) -> None:
    """Write what became of changes, as a report shows it."""
    write_parts(lambda _width: _receipts(receipts), out)


def _parts(report: Report, width: int) -> Iterator[RenderableType]:
    seen = digest(report, ROWS_A_RULE)
    yield from _head(report, seen)
    for rule in seen.failing:
        yield from _failures(rule, width, several=_several_vcenters(report))
    yield from _waived(seen)
    yield from _unknowns(seen)
    yield from _gaps(report.gaps)
    yield from _receipts(report.receipts)
    yield ""
    yield _labelled("Coverage", coverage_line(report))
    yield from _listed("Next", next_steps(report, seen))


def _head(report: Report, seen: Digest) -> Iterator[RenderableType]:
    from rich.text import Text

    said = headline(report, len(seen.failing), seen.failing_hosts)
    yield Text.assemble((f" {said.word} ", _STATE_STYLES[said.state]), " ", said.sentence)
    run = report.run
    yield Text(
        f"Run {neutral(run.id)}, {moment(run.started)}, took {lasted(run.started, run.finished)}: "
        f"{count_of(run.hosts, 'host')}, {count_of(len(run.endpoints), 'endpoint')}.",
        style="dim",
    )
    for notice in notices_of(report):
        yield _hanging("!", Text(notice), "bold yellow")


def _failures(rule: RuleDigest, width: int, *, several: bool) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    number = rule.counts[Verdict.FAIL]
    yield ""
    found = rule.kept[Verdict.FAIL]
    classes = {one.fix.fix_class for one in found if one.fix}
    common = next(iter(classes)) if len(classes) == 1 and rule.by_hand == 0 else None
    yield Text.assemble(
        (rule.severity.upper(), _SEVERITY_STYLES[rule.severity]),
        "  ",
        (neutral(rule.rule), "bold"),
        f"  {count_of(number, 'failure')}{f', fix: {common}' if common else ''}",
    )
    yield Text(neutral(rule.title), style="bold")
    if rule.text and (why := first_sentence(rule.text.lesson)):
        yield Text(neutral(why), style="dim")
    columns = _finding_columns(found)
    cells = [_finding_cells(one, several=several, say_class=common is None, drifts=any(each.drift_age for each in found)) for one in found]
    columns, cells, shared = _without_repetition(columns, cells, width - 2)
    if shared:
        one = "  in" if shared[0].startswith("cluster ") else "  drifted"
        yield _hanging(one if number == 1 else "  each:" if number == len(found) else "  each shown:", Text(", ".join(shared)))
    yield Padding(aligned(columns, cells, width - 2), (0, 0, 0, 2))
    if number > len(found):
        yield Text(f"  +{number - len(found):,} more, see --reporter json:PATH or --reporter html:PATH", style="italic")


def _without_repetition(columns: list[Column], rows: list[list[Cell]], width: int) -> tuple[list[Column], list[list[Cell]], list[str]]:
    """The table without what all its rows share, which is told once above it: a narrow terminal has no room to say it ten times.

    Names are kept, but a resource that is its own host is told as the host alone. Of a single row it is the cluster and since when that go,
    where there is no room for them.
    """
    if len(rows) < 2:
        if not rows or fits(columns, rows, width):
            return columns, rows, []
        gone = [place for place in range(len(columns)) if columns[place].title in ("Cluster", _DRIFTED) and rows[0][place].text]
        told = [f"cluster {rows[0][place].text}" if place == _CLUSTER else rows[0][place].text for place in gone]
        kept = [place for place in range(len(columns)) if place not in gone]
        return [columns[place] for place in kept], [[row[place] for place in kept] for row in rows], told
    dropped, shared = set(), []
    if all(row[_RESOURCE].text == row[_PLACE].text for row in rows):
        dropped.add(_RESOURCE)
    for place in range(_PLACE + 1, len(columns)):
        texts = {row[place].text for row in rows}
        if len(texts) == 1:
            dropped.add(place)
            [text] = texts
            shared += [f"cluster {text}" if columns[place].title == "Cluster" else text] if text else []
    kept = [place for place in range(len(columns)) if place not in dropped]
    return [columns[place] for place in kept], [[row[place] for place in kept] for row in rows], shared


def _finding_columns(found: Sequence[Finding]) -> list[Column]:
    hosts = {one.resource.host is not None for one in found}
    place = "Host" if hosts == {True} else "Endpoint" if hosts == {False} else "Host or endpoint"
    return [
        Column("Resource", floor=16, shorten=True),
        Column(place, floor=18, whole=True),
        Column("Cluster", floor=10, shorten=True),
        Column("Observed -> desired", floor=14),
        Column("Fix", floor=8),
        *([Column(_DRIFTED, floor=14)] if any(one.drift_age for one in found) else []),
    ]


def _finding_cells(finding: Finding, *, several: bool, say_class: bool, drifts: bool = False) -> list[Cell]:
    resource = finding.resource
    cluster = neutral(resource.cluster or "")
    if cluster and several:
        cluster = f"{neutral(resource.endpoint)}/{cluster}"
    return [
        Cell(neutral(resource.name)),
        Cell(place_of(resource)),
        Cell(cluster, "dim"),
        Cell(f"{value_text(finding.observed)} -> {value_text(finding.desired)}", "bold"),
        Cell(fix_text(finding.fix, say_class=say_class), "green" if finding.fix and finding.fix.outcome is Outcome.APPLIED else ""),
        *([Cell(_drifted(finding))] if drifts else []),
    ]


def _drifted(finding: Finding) -> str:
    """Since when, and whom vCenter names."""
    told = (drift_age_text(finding.drift_age) if finding.drift_age else "", change_text(finding.evidence))
    return ", ".join(part for part in told if part)


def _several_vcenters(report: Report) -> bool:
    return sum(reading.kind == "vcenter" for reading in report.run.endpoints) > 1


def _unknowns(seen: Digest) -> Iterator[RenderableType]:
    from rich.text import Text

    if not seen.unknown:
        return
    yield ""
    yield Text("UNKNOWN: a fact was not read, so these are neither passes nor failures", style="bold yellow")
    for rule in seen.unknown:
        example = place_of(rule.kept[Verdict.UNKNOWN][0].resource)
        number = rule.counts[Verdict.UNKNOWN]
        columns = [neutral(column) for column, _ in rule.missing.most_common(6)]
        more = f" and {len(rule.missing) - 6} more" if len(rule.missing) > 6 else ""
        missing = f"not read: {', '.join(columns)}{more}" if columns else "the reason was not kept"
        where = f"on {example}" if number == 1 else f"for example on {example}"
        yield _hanging("  -", Text.assemble((neutral(rule.rule), "bold"), f"  {number:,} unknown, {missing} ({where})"))
        if rule.text and rule.text.unknown_text:
            yield _hanging("   ", Text(neutral_prose(rule.text.unknown_text), style="dim"))


def _waived(seen: Digest) -> Iterator[RenderableType]:
    """Each waiver with who answers for it, why, and until when; the longest list first."""
    from rich.text import Text

    if not seen.waived:
        return
    yield ""
    yield Text("WAIVED: somebody answers for these, and no fix touches them", style="bold")
    for rule in seen.waived:
        for waiver, number in rule.waivers.most_common(ROWS_A_LIST):
            yield _hanging("  -", Text.assemble((neutral(rule.rule), "bold"), f"  {waiver_text(dict(waiver), number)}"))
        if len(rule.waivers) > ROWS_A_LIST:
            yield Text(f"  +{len(rule.waivers) - ROWS_A_LIST:,} more waivers, see --reporter json:PATH", style="italic")


def _gaps(gaps: Sequence[Gap]) -> Iterator[RenderableType]:
    """What could not be read; where several endpoints have the same to say, it is said once."""
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
        told = neutral(", ".join(names[:ENDPOINTS_NAMED])) + more
        yield _hanging("  -", Text.assemble((told, "bold"), f"  {neutral(what)}: {neutral(why)}"))
    left = len(gaps) - sum(len(endpoints) for _, endpoints in shown)
    if left:
        yield Text(f"  +{left:,} more, see --reporter json:PATH or --reporter html:PATH", style="italic")


def _receipts(receipts: Sequence[Receipt]) -> Iterator[RenderableType]:
    """What became of the changes, grouped by what happened; those not attempted are only counted."""
    from rich.text import Text

    if not receipts:
        return
    yield ""
    counts = ((sum(one.outcome is outcome for one in receipts), OUTCOME_WORDS[outcome]) for outcome in _OUTCOME_ORDER)
    yield Text(f"CHANGES: {', '.join(f'{number:,} {word}' for number, word in counts if number)}", style="bold")
    groups: dict[tuple[str, str, str], list[Receipt]] = {}
    for receipt in sorted(receipts, key=lambda one: _OUTCOME_ORDER.index(one.outcome)):
        groups.setdefault(_receipt_texts(receipt), []).append(receipt)
    for (setting, values, said), same in groups.items():
        good = same[0].outcome in {Outcome.APPLIED, Outcome.ALREADY}
        attempted = same[0].outcome is not Outcome.PROPOSED
        style = "green" if good else "bold red" if attempted else "dim"
        number = "" if len(same) == 1 else f" ({count_of(len(same), 'place')})"
        yield _hanging(" ", Text.assemble(f"{setting}  ", (values, "bold"), "  ", (f"{said}{number}", style)))
        yield from _places(same if attempted else [])


def _receipt_texts(receipt: Receipt) -> tuple[str, str, str]:
    change = receipt.change
    said = outcome_text(receipt.outcome, change.fix_class, receipt.pending)
    if receipt.outcome in {Outcome.UNVERIFIED, Outcome.STALE}:
        said = f"{said}; found {value_text(receipt.found, absent='absent')}"
    if receipt.why:
        said = f"{said}: {neutral(receipt.why)}"
    values = f"{value_text(change.before, absent='absent')} -> {value_text(change.after, absent='absent')}"
    return setting_text(change), values, said


def _places(receipts: Sequence[Receipt]) -> Iterator[RenderableType]:
    from rich.text import Text

    places = [place_texts(one.change) for one in receipts[:ROWS_A_LIST]]
    widest = max((len(where) for where, _ in places), default=0)
    for where, what in places:
        yield _hanging("   ", Text(f"{where:<{widest}}  {what}".rstrip()))
    if len(receipts) > ROWS_A_LIST:
        yield Text(f"    +{len(receipts) - ROWS_A_LIST:,} more, see --reporter json:PATH or --reporter html:PATH", style="italic")


def _labelled(label: str, text: str) -> Text:
    from rich.text import Text

    return Text.assemble((f"{label}: ", "bold"), text)


def _listed(label: str, lines: Sequence[str]) -> Iterator[RenderableType]:
    from rich.text import Text

    if lines:
        yield Text(f"{label}:", style="bold")
    for line in lines:
        yield _hanging("  -", Text(line))


def _hanging(mark: str, text: Text, style: str = "") -> RenderableType:
    from rich.table import Table

    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=len(mark), style=style)
    grid.add_column(overflow="fold")
    grid.add_row(mark, text)
    return grid
