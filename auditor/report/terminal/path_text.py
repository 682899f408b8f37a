"""An I/O path as text for a terminal, queue by queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.impact.path import slowest
from auditor.impact.stations import Place
from auditor.report.path_words import NOT_READ, details, disk_text, heading, queue_text, state_text, value_of, wait_text
from auditor.report.terminal.console import hanging
from auditor.report.wording import neutral
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from auditor.impact.path import Path
    from auditor.impact.stations import Station

_BAR = 12
_MARK = "     "


def path_parts(path: Path) -> Iterator[RenderableType]:
    """The stations one below the other, with a bar where it is known how full a queue is."""
    from rich.text import Text

    yield Text(heading(path), style="bold")
    yield Text("  guest disks that send" if path.disks else "  no disk that sends to it is known", style="cyan")
    for disk in path.disks:
        yield hanging(_MARK, Text.assemble((neutral(disk.name), "bold"), "  ", bar(disk), disk_text(disk)))
        for note in disk.notes:
            yield hanging(_MARK, Text(neutral(note)))
    if path.more_disks:
        yield Text(f"{_MARK}+{count_of(path.more_disks, 'more disk')}")
    longest = slowest(path)
    for station in path.stations:
        yield Text("    |", style="dim")
        yield from _station_parts(station, is_slowest=station is longest)
    if path.unread:
        yield ""
        yield hanging("  ", Text(f"Not read: {neutral('; '.join(path.unread))}.", style="yellow"))


def _station_parts(station: Station, *, is_slowest: bool) -> Iterator[RenderableType]:
    from rich.text import Text

    full = state_text(station)
    longest = "  <- the longest wait" if is_slowest and _waits(station) else ""
    name = "" if station.place is Place.WORLDS else f" {neutral(station.name)}"
    yield hanging("  ", Text.assemble((str(station.place), "cyan"), (name, "bold"), f"  {full}" if full else "", (longest, "bold red")))
    queue = ", ".join(part for part in (queue_text(station), wait_text(station)) if part)
    if queue:
        yield hanging(_MARK, Text(f"{bar(station)}{queue}"))
    if rest := details(station, with_unread=False):
        yield hanging(_MARK, Text(", ".join(rest), style="dim"))
    for note in station.notes:
        yield hanging(_MARK, Text(neutral(note)))


def _waits(station: Station) -> bool:
    if station.wait_ms is None:
        return False
    return value_of(station.wait_ms) not in (NOT_READ, "0 ms") or (station.place is Place.VOLUME and station.is_full is True)


def bar(station: Station) -> str:
    """How full it is, as "[######------] "; "" where that is not known."""
    if station.fill is None:
        return ""
    marks = min(_BAR, round(station.fill * _BAR))
    return f"[{'#' * marks}{'-' * (_BAR - marks)}] "
