"""The failures of one rule for a terminal: a table where every name fits into it, else one below the other. No name is ever cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.model import Outcome, Verdict
from auditor.report.console import hanging
from auditor.report.finding_ids import SHOWN
from auditor.report.impacts import impact_text
from auditor.report.messages import message_beside_name
from auditor.report.rows import Cell, Column, aligned, fits, fits_shrunk
from auditor.report.wording import change_text, count_of, drift_age_text, first_sentence, fix_text, neutral, place_of, value_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from auditor.model import Finding
    from auditor.report.digest import RuleDigest
    from auditor.report.finding_ids import FindingIds

SEVERITY_STYLES = {"critical": "bold white on red", "high": "bold red", "medium": "bold yellow", "low": "cyan", "info": "blue"}
_RESOURCE, _PLACE, _CLUSTER = 0, 1, 2
"""Positions of the columns in `_columns` that name the resource."""
_DRIFTED = "Drifted"
_INDENT = " "  # `hanging` adds one more
_NAMES = "Resource", "Host", "Endpoint", "Host or endpoint"
_WRONG = "What is wrong", "Observed -> desired"
_ID = Column("Id", floor=SHOWN)


def failure_parts(rule: RuleDigest, width: int, ids: FindingIds, *, several_vcenters: bool) -> Iterator[RenderableType]:
    """A heading, the reason, and the first failures of `rule`; the others are counted.

    Args:
        rule: has at least one failure.
        width: of the terminal, in characters.
        ids: of the findings of this run.
        several_vcenters: whether a cluster has to be shown with its vCenter.
    """
    from rich.padding import Padding
    from rich.text import Text

    number = rule.counts[Verdict.FAIL]
    yield ""
    failures = rule.samples[Verdict.FAIL]
    classes = {one.fix.fix_class for one in failures if one.fix}
    common = next(iter(classes)) if len(classes) == 1 and rule.by_hand == 0 else None
    yield Text.assemble(
        (rule.severity.upper(), SEVERITY_STYLES[rule.severity]),
        "  ",
        (neutral(rule.rule), "bold"),
        f"  {count_of(number, 'failure')}{f', fix: {common}' if common else ''}",
    )
    yield Text(neutral(rule.title), style="bold")
    if rule.text and (why := first_sentence(rule.text.lesson)):
        yield Text(neutral(why), style="dim")
    if failures and (cost := impact_text(failures[0].impact)):
        yield hanging("  impact:", Text(cost))
    columns = _columns(failures)
    drifts = any(one.drift_age for one in failures)
    cells = [_cells(one, several_vcenters=several_vcenters, show_class=common is None, drifts=drifts) for one in failures]
    columns, cells, shared = _without_repetition(columns, cells, width - 2)
    columns = [*columns, _ID]
    cells = [[*row, Cell(ids.of(one)[:SHOWN], "dim")] for one, row in zip(failures, cells, strict=True)]
    if shared:
        single = "  in" if shared[0].startswith("cluster ") else "  drifted"
        mark = single if number == 1 else "  each:" if number == len(failures) else "  each shown:"
        yield hanging(mark, Text(("; " if any(", " in text or "; " in text for text in shared) else ", ").join(shared)))
    if fits_shrunk(columns, cells, width - 2):
        yield Padding(aligned(columns, cells, width - 2), (0, 0, 0, 2))
    else:
        yield from _stacked(columns, cells)
    if number > len(failures):
        yield Text(f"  +{number - len(failures):,} more, see --reporter json:PATH or --reporter html:PATH", style="italic")


def _stacked(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> Iterator[RenderableType]:
    """Each row by itself: its names, what is wrong, and the rest with its headings."""
    from rich.text import Text

    for row in rows:
        cells = {column.title: cell for column, cell in zip(columns, row, strict=True) if cell.text}
        named = [cell.text for title, cell in cells.items() if title in _NAMES]
        wrong = [cell for title, cell in cells.items() if title in _WRONG]
        others = [f"{title.lower()}: {cell.text}" for title, cell in cells.items() if title not in (*_NAMES, *_WRONG)]
        yield hanging(_INDENT, Text("  ".join(named)))
        for cell in wrong:
            yield hanging(3 * _INDENT, Text(cell.text, style=cell.style))
        yield hanging(3 * _INDENT, Text("; ".join(others), style="dim"))


def _without_repetition(columns: list[Column], rows: list[list[Cell]], width: int) -> tuple[list[Column], list[list[Cell]], list[str]]:
    """The table without the values that all rows share, and those values, which are shown once above it to save room.

    Resource names stay, except where every resource is its own host. Of a single row only the cluster and the drift age move above the
    table, and only when the row does not fit into `width`.
    """
    if len(rows) < 2:
        if not rows or fits(columns, rows, width):
            return columns, rows, []
        dropped = {place for place in range(len(columns)) if columns[place].title in ("Cluster", _DRIFTED) and rows[0][place].text}
        shared = [f"cluster {rows[0][place].text}" if place == _CLUSTER else rows[0][place].text for place in sorted(dropped)]
    else:
        dropped, shared = set(), []
        if all(row[_RESOURCE].text == row[_PLACE].text for row in rows):
            dropped.add(_RESOURCE)
        for place in range(_PLACE + 1, len(columns)):
            texts = {row[place].text for row in rows}
            if len(texts) == 1:
                dropped.add(place)
                [text] = texts
                shared += [f"cluster {text}" if columns[place].title == "Cluster" else text] if text else []
    left = [place for place in range(len(columns)) if place not in dropped]
    return [columns[place] for place in left], [[row[place] for place in left] for row in rows], shared


def _columns(failures: Sequence[Finding]) -> list[Column]:
    have_host = {one.resource.host is not None for one in failures}
    place = "Host" if have_host == {True} else "Endpoint" if have_host == {False} else "Host or endpoint"
    return [
        Column("Resource", floor=16, whole=True),
        Column(place, floor=18, whole=True),
        Column("Cluster", floor=10, whole=True),
        Column("What is wrong", floor=28) if any(one.message for one in failures) else Column("Observed -> desired", floor=14),
        Column("Fix", floor=14),
        *([Column(_DRIFTED, floor=14)] if any(one.drift_age for one in failures) else []),
    ]


def _cells(finding: Finding, *, several_vcenters: bool, show_class: bool, drifts: bool) -> list[Cell]:
    resource = finding.resource
    cluster = neutral(resource.cluster or "")
    if cluster and several_vcenters:
        cluster = f"{neutral(resource.endpoint)}/{cluster}"
    return [
        Cell(neutral(resource.name)),
        Cell(place_of(resource)),
        Cell(cluster, "dim"),
        Cell(message_beside_name(finding) or f"{value_text(finding.observed)} -> {value_text(finding.desired)}", "bold"),
        Cell(fix_text(finding.fix, show_class=show_class), "green" if finding.fix and finding.fix.outcome is Outcome.APPLIED else ""),
        *([Cell(_drift_text(finding))] if drifts else []),
    ]


def _drift_text(finding: Finding) -> str:
    """How long a setting has been different, and the account that vCenter's events name for the change."""
    parts = (drift_age_text(finding.drift_age) if finding.drift_age else "", change_text(finding.evidence))
    return ", ".join(part for part in parts if part)
