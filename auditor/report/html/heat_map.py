"""Where a report's failures are, for its heat map: a row for each host, or for each cluster of a larger fleet, and a column for each topic.

A cell says the worst of what was judged there, and unknown beside it. It is drawn as a table: a screen reader reads it, paper has it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor.model import Severity, Verdict
from auditor.report.verdict_counts import LISTED, listed_of
from auditor.report.wording import neutral
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from auditor.model import PlaceCount, Report

MOST_HOSTS = 200
"""Hosts that have a row each; of a larger fleet clusters have. Source: issue 35, number 4."""
MOST_ROWS = 200
"""Rows that are drawn, the worst first; the map counts the others."""
_SIGNS = {Verdict.UNKNOWN: "?", Verdict.WAIVED: "\u2013", Verdict.PASS: "✓", Verdict.NOT_APPLICABLE: "n/a"}
"""What stands in a cell whose worst verdict is this; the findings table has the same signs."""
_LOOKS = {Verdict.UNKNOWN: "unknown", Verdict.WAIVED: "waived", Verdict.PASS: "pass", Verdict.NOT_APPLICABLE: "na"}


@dataclass(slots=True)
class Cell:
    """What was judged of one topic at one place."""

    counts: Counter[Verdict] = field(default_factory=Counter)
    worst: Severity = Severity.INFO  # of its failures

    def add(self, severity: Severity, verdict: Verdict, number: int) -> None:
        """Count verdicts."""
        if verdict is Verdict.FAIL and (not self.counts[Verdict.FAIL] or severity.rank < self.worst.rank):
            self.worst = severity
        self.counts[verdict] += number

    def join(self, other: Cell) -> None:
        """Count the verdicts of another cell too."""
        for verdict, number in other.counts.items():
            self.add(other.worst, verdict, number)

    @property
    def rank(self) -> tuple[int, int, int]:
        """Its place among others: by its worst failure, how many there are, and how many are unknown."""
        fails = self.counts[Verdict.FAIL]
        return self.worst.rank if fails else len(Severity), -fails, -self.counts[Verdict.UNKNOWN]

    @property
    def is_listed(self) -> bool:
        """Whether it has findings that the page lists."""
        return any(self.counts[verdict] for verdict in LISTED)

    @property
    def look(self) -> str:
        """Its class: a severity, or a verdict other than fail; "" where nothing was judged."""
        if self.counts[Verdict.FAIL]:
            return str(self.worst)
        return next((look for verdict, look in _LOOKS.items() if self.counts[verdict]), "")

    @property
    def sign(self) -> str:
        """Its text: the letter of the worst severity and how many failures, or a sign; unknown is never left out."""
        if not self.counts[Verdict.FAIL]:
            return next((sign for verdict, sign in _SIGNS.items() if self.counts[verdict]), "")
        return f"{self.worst[0].upper()} {self.counts[Verdict.FAIL]:,}{' ?' if self.counts[Verdict.UNKNOWN] else ''}"

    @property
    def words(self) -> str:
        """The same as a sentence."""
        fails = self.counts[Verdict.FAIL]
        parts = [f"{count_of(fails, 'failure')}, at worst {self.worst}"] if fails else []
        parts += [f"{self.counts[one]:,} {one}" for one in (Verdict.UNKNOWN, Verdict.WAIVED) if self.counts[one]]
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class MapRow:
    """One place.

    Attributes:
        endpoint: that it is of.
        cluster: its cluster; "" where it is in none.
        host: its host; "" where the row is about a cluster, or about what is of no single host.
        name: what the page calls it.
        cells: by topic; a topic in which nothing was judged there is left out.
    """

    endpoint: str
    cluster: str
    host: str
    name: str
    cells: Mapping[str, Cell]

    @property
    def fails(self) -> int:
        """How many failures there are at it."""
        return sum(cell.counts[Verdict.FAIL] for cell in self.cells.values())


@dataclass(frozen=True, slots=True)
class HeatMap:
    """The map.

    Attributes:
        by_host: whether a row is a host; else it is a cluster.
        topics: the columns, worst first.
        rows: worst first.
        notes: what is not drawn, as sentences.
    """

    by_host: bool
    topics: tuple[str, ...]
    rows: tuple[MapRow, ...]
    notes: tuple[str, ...]


def heat_map(report: Report) -> HeatMap:
    """The heat map of a report; without rows where nothing failed, is unknown or is waived."""
    by_host = report.run.hosts <= MOST_HOSTS
    places: dict[tuple[str, str, str], dict[str, Cell]] = {}
    for one in _counted(report, by_host=by_host):
        key = one.endpoint, "" if by_host and one.host else one.cluster or "", (one.host or "") if by_host else ""
        places.setdefault(key, {}).setdefault(one.topic, Cell()).add(one.severity, one.verdict, one.number)
    names = Counter(_name(*key, by_host=by_host) for key in places)
    rows = [MapRow(*key, _own_name(key, names, by_host=by_host), cells) for key, cells in places.items()]
    listed = sorted((row for row in rows if any(cell.is_listed for cell in row.cells.values())), key=_worst_row_first)
    topics = _topics(listed)
    quiet = sorted({topic for row in rows for topic in row.cells} - set(topics))
    return HeatMap(by_host, topics, tuple(listed[:MOST_ROWS]), tuple(_notes(len(rows) - len(listed), len(listed) - MOST_ROWS, quiet)))


def _counted(report: Report, *, by_host: bool) -> Iterable[PlaceCount]:
    from auditor.model import PlaceCount

    if report.by_place is not None:
        return report.by_place(by_host)
    findings = report.findings() if by_host else listed_of(report)
    counted = Counter(
        (one.resource.endpoint, one.resource.cluster, one.resource.host if by_host else None, _topic(one.rule), one.severity, one.verdict)
        for one in findings
    )
    return (PlaceCount(*key, number) for key, number in counted.items())


def _topic(rule: str) -> str:
    return rule.split("/", 1)[0]


def _name(endpoint: str, cluster: str, host: str, *, by_host: bool) -> str:
    """What a person calls a place."""
    if host or (cluster and not by_host):
        return neutral(host or cluster)
    return neutral(f"{cluster or endpoint}, no {'single host' if by_host else 'cluster'}")


def _own_name(key: tuple[str, str, str], names: Mapping[str, int], *, by_host: bool) -> str:
    """The same, with its endpoint where another place has that name too."""
    name = _name(*key, by_host=by_host)
    return f"{name} ({neutral(key[0])})" if names[name] > 1 else name


def _worst_row_first(row: MapRow) -> tuple[int, int, int, str]:
    ranks = [cell.worst.rank for cell in row.cells.values() if cell.counts[Verdict.FAIL]]
    unknown = sum(cell.counts[Verdict.UNKNOWN] for cell in row.cells.values())
    return min(ranks, default=9), -row.fails, -unknown, row.name


def _topics(rows: Sequence[MapRow]) -> tuple[str, ...]:
    """Those with something to report: first what fails worst, then what fails most."""
    order: dict[str, tuple[int, int]] = {}
    for row in rows:
        for topic, cell in row.cells.items():
            if cell.is_listed:
                rank, fails = order.get(topic, (9, 0))
                own = cell.worst.rank if cell.counts[Verdict.FAIL] else 9
                order[topic] = min(rank, own), fails - cell.counts[Verdict.FAIL]
    return tuple(sorted(order, key=lambda topic: (order[topic], topic)))


def _notes(quiet_rows: int, more_rows: int, quiet_topics: Sequence[str]) -> list[str]:
    notes = []
    if more_rows > 0:
        notes.append(f"The worst {MOST_ROWS} are drawn; {more_rows:,} more have findings in the table.")
    if quiet_rows:
        notes.append(f"{count_of(quiet_rows, 'place has', 'places have')} no row here: no failure, and no unknown or waived verdict.")
    if quiet_topics:
        notes.append(f"Topics without such a verdict: {neutral(', '.join(quiet_topics))}.")
    return notes
