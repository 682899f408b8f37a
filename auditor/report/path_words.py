"""Words for the stations of an I/O path, the same in the terminal and in the drawing. What was not read is said so, never shown as 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.impact.stations import Figure, Station
from auditor.report.wording import neutral
from auditor.text.numbers import number_text

if TYPE_CHECKING:
    from auditor.impact.path import Path

NOT_READ = "not read"


def value_of(figure: Figure | None) -> str:
    """The value with its unit."""
    if figure is None or figure.value is None:
        return NOT_READ
    if isinstance(figure.value, bool):
        return "yes" if figure.value else "no"
    if isinstance(figure.value, str):
        return neutral(figure.value) or "none"
    text = number_text(figure.value)
    return f"{text}{figure.unit}" if figure.unit.startswith("/") else f"{text} {figure.unit}".rstrip()


def queue_text(station: Station) -> str:
    """How full it is: "32 of 32 in flight, 31.4 wait"; "" where the station has no queue."""
    if station.depth is None:
        return ""
    taken, depth = value_of(station.in_flight), value_of(station.depth)
    if taken == depth == NOT_READ:
        text = "depth and commands in flight not read"
    elif taken == NOT_READ:
        text = f"depth {depth}, commands in flight not read"
    else:
        text = f"{taken} in flight, depth not read" if depth == NOT_READ else f"{taken} of {depth} in flight"
    if station.waiting is not None:
        text += ", how many wait was not read" if station.waiting.value is None else f", {value_of(station.waiting)} wait"
    return text


def wait_text(station: Station) -> str:
    """The wait with its name; "" where the station has none."""
    return "" if station.wait_ms is None else f"{station.wait_ms.label}: {value_of(station.wait_ms)}"


def state_text(station: Station) -> str:
    """FULL, or nothing."""
    return "FULL" if station.is_full else ""


def details(station: Station, *, with_unread: bool = True) -> list[str]:
    """Its other figures as short texts; a switch that is off is left out."""
    shown = [one for one in station.figures if one.value is not False and (with_unread or one.value is not None)]
    return [neutral(one.label if one.value is True else f"{one.label} {value_of(one)}") for one in shown]


def disk_text(station: Station) -> str:
    """A disk in one line: what it has in flight, its rate and its latency, and whether the array holds it back."""
    figures = {one.label: one for one in station.figures}
    rate, allowed = figures["commands"], figures["allowed by the array at this size"]
    parts = [
        queue_text(station),
        f"{value_of(rate)}" if rate.value is not None else "rate not read",
        f"latency {value_of(station.wait_ms)}",
    ]
    size = figures["size"]
    if size.value is not None:
        parts.append(f"commands of {value_of(size)}")
    if allowed.value is not None:
        parts.append(f"the array allows {value_of(allowed)}")
    parts += [f"{one.label} {value_of(one)}" for one in station.figures if one.label.startswith("limit of the host")]
    return ", ".join(parts) + (": AT ITS LIMIT" if figures["at its limit"].value is True else "")


def heading(path: Path) -> str:
    """What the path is of."""
    place = f"{f'cluster {neutral(path.cluster)}, ' if path.cluster else ''}{neutral(path.endpoint)}"
    what = neutral(path.device) if path.device else neutral(path.stations[0].name)
    return f"{neutral(path.host)} ({place}): {what}"
