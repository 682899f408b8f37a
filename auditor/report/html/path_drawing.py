"""An I/O path as a drawing: SVG that needs no script, follows the light or dark page that it is on, and fits a telephone.

Every text of the fleet goes in escaped. The colours are those of reports/templates/page.css; a file of its own carries them itself.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from auditor.impact.path import slowest
from auditor.impact.stations import Place
from auditor.report.path_words import details, disk_text, heading, queue_text, wait_text
from auditor.report.wording import neutral, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.impact.path import Path
    from auditor.impact.stations import Station

_WIDTH, _EDGE, _INSET = 360, 8, 10
_LINE, _BAR_HEIGHT, _GAP = 16, 9, 20
_LETTERS = 52
"""Letters of a line of small text: 340 units at 6.4 each, which DejaVu Sans, the widest of the fonts, takes."""
_NAME_LETTERS = 42

_COLOURS = """:root { color-scheme: light dark; --card: #ffffff; --text: #18212f; --muted: #525d6d; --line: #d5dbe4; --head: #eef1f5;
--accent: #0a58a8; --fail: #b42318; --unknown: #7a4b00; }
@media (prefers-color-scheme: dark) { :root { --card: #161d27; --text: #e7ecf2; --muted: #a5b0bf; --line: #303c4b; --head: #1e2733;
--accent: #74b8ff; --fail: #ff9b90; --unknown: #f5c163; } }
"""


@dataclass(slots=True)
class _Canvas:
    """What was drawn until now, and how far down."""

    below: int = _EDGE
    parts: list[str] = field(default_factory=list)


def drawing_file(path: Path, style: str) -> str:
    """A whole SVG file; `style` is reports/templates/drawing.css."""
    head = f"<style>{_COLOURS}{style}</style>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{drawing(path, "path", head)}\n'


def drawing(path: Path, name: str, head: str = "") -> str:
    """The SVG element.

    Args:
        path: what is drawn.
        name: begins the ids of its title and description, of its own in the page.
        head: markup that goes in first.
    """
    canvas = _Canvas()
    for disk in path.disks:
        _station(canvas, disk, disk.name, [disk_text(disk), *disk.notes])
    if not path.disks:
        _note(canvas, "no disk that sends to it is known")
    if path.more_disks:
        _note(canvas, f"and {path.more_disks} more")
    longest = slowest(path)
    for station in path.stations:
        _arrow(canvas)
        lines = [text for text in (queue_text(station), wait_text(station)) if text]
        rest = ", ".join(details(station, with_unread=False))
        _station(canvas, station, station.name, [*lines, *([rest] if rest else []), *station.notes], is_slowest=station is longest)
    height = canvas.below + _EDGE
    title, words = escape(neutral(f"I/O path of {heading(path)}")), escape(neutral(_description(path)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="path-drawing" viewBox="0 0 {_WIDTH} {height}" role="img"'
        f' aria-labelledby="{name}-title {name}-text"><title id="{name}-title">{title}</title><desc id="{name}-text">{words}</desc>{head}'
        f'<rect class="back" width="{_WIDTH}" height="{height}"/>{"".join(canvas.parts)}</svg>'
    )


def _description(path: Path) -> str:
    """The same in words, for people who hear the page."""
    parts = [f"guest disk {neutral(disk.name)}: {disk_text(disk)}" for disk in path.disks]
    for station in path.stations:
        text = ", ".join(part for part in (queue_text(station), wait_text(station), *details(station, with_unread=False)) if part)
        parts.append(f"{station.place} {neutral(station.name)}: {text}{', full' if station.is_full else ''}")
    unread = f" Not read: {neutral('; '.join(path.unread))}." if path.unread else ""
    return f"{'; '.join(parts)}.{unread}"


def _station(canvas: _Canvas, station: Station, name: str, texts: Sequence[str], *, is_slowest: bool = False) -> None:
    """A box with the place, the name, a bar and lines of text."""
    has_bar = station.depth is not None
    lines = [line for text in texts for line in textwrap.wrap(neutral(text), _LETTERS)]
    top = canvas.below
    height = 2 * _LINE + 6 + (_BAR_HEIGHT + 8 if has_bar else 0) + _LINE * len(lines) + 8
    full = " full" if station.is_full else ""
    canvas.parts.append(f'<rect class="station{full}" x="{_EDGE}" y="{top}" width="{_WIDTH - 2 * _EDGE}" height="{height}" rx="6"/>')
    left, line = _EDGE + _INSET, top + _LINE
    canvas.parts.append(f'<text class="place" x="{left}" y="{line}">{escape(str(station.place))}</text>')
    marks = [*(["FULL"] if station.is_full else []), *(["longest wait"] if is_slowest and _has_wait(station) else [])]
    if marks:
        canvas.parts.append(f'<text class="mark" x="{_WIDTH - left}" y="{line}" text-anchor="end">{", ".join(marks)}</text>')
    line += _LINE
    shown = "who competes for the device" if station.place is Place.WORLDS else shortened(neutral(name), _NAME_LETTERS)
    canvas.parts.append(f'<text class="name" x="{left}" y="{line}">{escape(shown)}</text>')
    line += 8
    if has_bar:
        _bar(canvas, station, left, line)
        line += _BAR_HEIGHT + 6
    for text in lines:
        line += _LINE
        canvas.parts.append(f'<text class="more" x="{left}" y="{line - 4}">{escape(neutral(text))}</text>')
    canvas.below = top + height + (6 if station.place is Place.DISK else 0)


def _bar(canvas: _Canvas, station: Station, left: int, top: int) -> None:
    """How full the queue is; a dashed box where that was not read."""
    width = _WIDTH - 2 * left
    box = f'x="{left}" y="{top}" width="{width}" height="{_BAR_HEIGHT}" rx="3"'
    if station.fill is None:
        canvas.parts.append(f'<rect class="unread" {box}/>')
        return
    over = " over" if station.is_full else ""
    taken = round(width * min(1.0, station.fill), 1)
    canvas.parts.append(f'<rect class="track" {box}/>')
    canvas.parts.append(f'<rect class="taken{over}" x="{left}" y="{top}" width="{taken}" height="{_BAR_HEIGHT}" rx="3"/>')


def _note(canvas: _Canvas, text: str) -> None:
    canvas.parts.append(f'<text class="more" x="{_EDGE + _INSET}" y="{canvas.below + _LINE}">{escape(text)}</text>')
    canvas.below += _LINE + 8


def _arrow(canvas: _Canvas) -> None:
    middle, top = _WIDTH // 2, canvas.below
    canvas.parts.append(f'<path class="way" d="M{middle} {top}v{_GAP - 6}"/>')
    canvas.parts.append(f'<path class="head" d="M{middle - 5} {top + _GAP - 8}h10l-5 8z"/>')
    canvas.below += _GAP


def _has_wait(station: Station) -> bool:
    return station.wait_ms is not None and bool(station.wait_ms.value)
