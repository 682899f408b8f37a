"""Every failure of one rule: a table where every name fits into it, else one below the other. No name is ever cut."""

from __future__ import annotations

from itertools import groupby, islice
from typing import TYPE_CHECKING

from auditor.model import Outcome, Verdict
from auditor.report.finding_ids import SHOWN
from auditor.report.impacts import impact_text
from auditor.report.messages import message_beside_name
from auditor.report.shown_values import shown_values
from auditor.report.terminal.console import hanging
from auditor.report.terminal.rows import Cell, Column, Laid, aligned, fits, fits_shrunk, indented
from auditor.report.wording import change_text, drift_age_text, first_sentence, fix_text, neutral, place_of, value_text
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

    from rich.console import RenderableType

    from auditor.model import Finding, RuleText, Severity
    from auditor.report.digest import RuleDigest
    from auditor.report.finding_ids import FindingIds

SEVERITY_STYLES = {"critical": "bold white on red", "high": "bold red", "medium": "bold yellow", "low": "cyan", "info": "blue"}
_RESOURCE, _PLACE, _CLUSTER = 0, 1, 2
"""Positions of the columns in `_columns` that name the resource."""
_DRIFTED = "Drifted"
_NAMES = "Resource", "Host", "Endpoint", "Host or endpoint"
_WRONG = "What is wrong", "Observed -> desired"
_ID = Column("Id", floor=SHOWN)
BLOCK = 500
"""Failures of one rule that are laid out together, so that memory does not grow with their number."""


def heading_parts(rule: RuleDigest, severity: Severity, number: int) -> Generator[RenderableType, None, bool]:
    """What a rule is about: its severity and id, how many failures follow, what is wanted and why, and what the costliest costs.

    Returns whether a fix of these failures still has to be shown with its class: the heading has it where all share it.

    Args:
        rule: has at least one failure.
        severity: of the failures that follow: an endpoint may give a rule another than others do.
        number: of the failures that follow.
    """
    from rich.text import Text

    worst = rule.samples[Verdict.FAIL][0]
    classes = {one for classes in rule.fix_classes for one in classes[:1]}
    common = next(iter(classes)) if len(classes) == 1 and sum(rule.fix_classes.values()) == rule.counts[Verdict.FAIL] else None
    yield ""
    yield Text.assemble(
        (severity.upper(), SEVERITY_STYLES[severity]),
        "  ",
        (neutral(rule.rule), "bold"),
        f"  {count_of(number, 'failure')}{f', fix: {common}' if common else ''}",
    )
    yield Text(neutral(rule.heading), style="bold")
    if rule.text and (why := first_sentence(rule.text.lesson)):
        yield Text(neutral(why), style="dim")
    if cost := impact_text(worst.impact):
        yield hanging("  impact:", Text(cost))
    return common is None


def failure_parts(
    failures: Iterable[Finding], rule: RuleDigest, width: int, ids: FindingIds, *, several_vcenters: bool, show_class: bool
) -> Iterator[RenderableType]:
    """Every one of `failures`, which are of one rule: BLOCK at a time, so that memory does not grow with their number.

    Args:
        failures: those of one device that are in one block stand together, and name it once.
        rule: which they are failures of.
        width: of the terminal, in characters.
        ids: of the findings of this run.
        several_vcenters: whether a cluster has to be shown with its vCenter.
        show_class: whether a fix is shown with its class.
    """
    rest = iter(failures)
    while block := list(islice(rest, BLOCK)):
        yield from _block(_together(block), rule.text, width, ids, several_vcenters=several_vcenters, show_class=show_class)


def _together(failures: list[Finding]) -> list[Finding]:
    """The failures with those of one device one after the other, at the place of the first of them."""
    first: dict[str, int] = {}
    for place, failure in enumerate(failures):
        first.setdefault(failure.resource.name, place)
    return sorted(failures, key=lambda failure: first[failure.resource.name])


def _block(
    failures: Sequence[Finding], text: RuleText | None, width: int, ids: FindingIds, *, several_vcenters: bool, show_class: bool
) -> Iterator[RenderableType]:
    from rich.text import Text

    columns = _columns(failures)
    drifts = any(one.drift_age for one in failures)
    cells = [_cells(one, text, several_vcenters=several_vcenters, show_class=show_class, drifts=drifts) for one in failures]
    columns, cells, shared = _without_repetition(columns, cells, width - 2)
    columns = [*columns, _ID]
    cells = [[*row, Cell(ids.of(one)[:SHOWN], "dim")] for one, row in zip(failures, cells, strict=True)]
    if shared:
        single = "  in" if shared[0].startswith("cluster ") else "  drifted"
        separator = "; " if any(", " in text or "; " in text for text in shared) else ", "
        yield hanging("  each:" if len(failures) > 1 else single, Text(separator.join(shared)))
    if fits_shrunk(columns, cells, width - 2):
        yield aligned(columns, _named_once(columns, cells), width - 2, indent="  ")
    else:
        yield Laid(list(_stacked(columns, cells, width)))


def _named_once(columns: Sequence[Column], rows: Sequence[list[Cell]]) -> list[list[Cell]]:
    """The rows with the name of a device only where it begins."""
    if columns[_RESOURCE].title != "Resource":
        return list(rows)
    before = [None, *(row[_RESOURCE].text for row in rows[:-1])]
    return [[Cell(""), *row[1:]] if row[_RESOURCE].text == name else row for row, name in zip(rows, before, strict=True)]


def _stacked(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], width: int) -> Iterator[list[Cell]]:
    """Each row by itself: its names, what is wrong, and the rest with its headings.

    The device of several rows is named above them, with what they share.
    """
    titles = [column.title for column in columns]
    for name, same in groupby(rows, key=lambda row: row[_RESOURCE].text if titles[_RESOURCE] == "Resource" else None):
        of_name = [dict(zip(titles, row, strict=True)) for row in same]
        if name is None or len(of_name) == 1:
            for row in of_name:
                yield from _one_below_the_other(row, width, "  ")
            continue
        shared = {
            title: cell for title, cell in of_name[0].items() if title not in _NAMES[1:] and len({row[title].text for row in of_name}) == 1
        }
        yield from _one_below_the_other(shared, width, "  ")
        for row in of_name:
            yield from _one_below_the_other({title: cell for title, cell in row.items() if title not in shared}, width, "    ")


def _one_below_the_other(cells: Mapping[str, Cell], width: int, indent: str) -> Iterator[list[Cell]]:
    """The names of a row, below them what is wrong, and the rest with its headings: beside the names where that is all."""
    named = "  ".join(cell.text for title, cell in cells.items() if title in _NAMES and cell.text)
    wrong = [cell for title, cell in cells.items() if title in _WRONG and cell.text]
    others = "; ".join(f"{title.lower()}: {cell.text}" for title, cell in cells.items() if title not in (*_NAMES, *_WRONG) and cell.text)
    if named and others and not wrong and len(indent) + len(named) + 2 + len(others) <= width:
        yield [Cell(f"{indent}{named}  "), Cell(others, "dim")]
        return
    if named:
        yield from indented(named, width, indent)
    for cell in wrong:
        yield from indented(cell.text, width, f"{indent}  ", cell.style)
    if others:
        yield from indented(others, width, f"{indent}  ", "dim")


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


def _cells(finding: Finding, text: RuleText | None, *, several_vcenters: bool, show_class: bool, drifts: bool) -> list[Cell]:
    resource = finding.resource
    cluster = neutral(resource.cluster or "")
    if cluster and several_vcenters:
        cluster = f"{neutral(resource.endpoint)}/{cluster}"
    return [
        Cell(neutral(resource.name)),
        Cell(place_of(resource)),
        Cell(cluster, "dim"),
        Cell(message_beside_name(finding) or _observed_desired(finding, text), "bold"),
        Cell(fix_text(finding.fix, show_class=show_class), "green" if finding.fix and finding.fix.outcome is Outcome.APPLIED else ""),
        *([Cell(_drift_text(finding))] if drifts else []),
    ]


def _observed_desired(finding: Finding, text: RuleText | None) -> str:
    """Both values with their units, where the rule has no message to say what is wrong."""
    shown = {"observed": value_text(finding.observed), "desired": value_text(finding.desired), **shown_values(finding, text)}
    return f"{neutral(shown['observed'])} -> {neutral(shown['desired'])}"


def _drift_text(finding: Finding) -> str:
    """How long a setting has been different, and the account that vCenter's events name for the change."""
    parts = (drift_age_text(finding.drift_age) if finding.drift_age else "", change_text(finding.evidence))
    return ", ".join(part for part in parts if part)
