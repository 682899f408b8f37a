"""An I/O path as a row of boxes, from the guest to the array: what is there, and what was read of it; also where no load was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.impact.path import slowest
from auditor.impact.stations import Place
from auditor.report.path_words import details, queue_text
from auditor.report.wording import neutral, shortened

if TYPE_CHECKING:
    from auditor.impact.path import Path
    from auditor.impact.stations import Station

_NAME_LETTERS = 40
_FIGURES = 2
_SAID: frozenset[Place] = frozenset({Place.WORLDS})
"""Places that are no box: how many disks send stands with the first of them."""


@dataclass(frozen=True, slots=True)
class Link:
    """One box.

    Attributes:
        place: what it is.
        name: which one.
        text: what was read of it, or that nothing was.
        state: "full", "unread" (nothing of it was read) or "".
        mark: "FULL", "longest wait", or "".
    """

    place: str
    name: str
    text: str = ""
    state: str = ""
    mark: str = ""


def chain_of(path: Path) -> tuple[Link, ...]:
    """The boxes of a path; the texts are safe for a page."""
    more = len(path.disks) - 1 + path.more_disks
    disks = [_link(disk, longest=None) for disk in path.disks[:1]]
    if disks and more:
        disks = [Link(disks[0].place, f"{disks[0].name} and {more} more", disks[0].text, disks[0].state, disks[0].mark)]
    host = Link("host", neutral(path.host), f"cluster {neutral(path.cluster)}" if path.cluster else "")
    longest = slowest(path)
    return (*disks, host, *(_link(one, longest) for one in path.stations if one.place not in _SAID))


def _link(station: Station, longest: Station | None) -> Link:
    queue = queue_text(station)
    texts = [*([queue] if queue else []), *details(station, with_unread=False)[:_FIGURES]]
    unread = _is_unread(station)
    marks = [*(["FULL"] if station.is_full else []), *(["longest wait"] if station is longest and _waits(station) else [])]
    return Link(
        place=str(station.place),
        name=shortened(neutral(station.name), _NAME_LETTERS),
        text=neutral("nothing of it was read" if unread else "; ".join(texts)),
        state="full" if station.is_full else "unread" if unread else "",
        mark=", ".join(marks),
    )


def _is_unread(station: Station) -> bool:
    """Whether it has figures, and none of them was read."""
    figures = [one for one in (station.depth, station.in_flight, station.waiting, station.wait_ms, *station.figures) if one is not None]
    return bool(figures) and all(one.value is None for one in figures)


def _waits(station: Station) -> bool:
    return station.wait_ms is not None and bool(station.wait_ms.value)
