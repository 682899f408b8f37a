"""Watched devices: a table for a terminal that is drawn again and again, and a line each for a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.report.path_words import NOT_READ
from auditor.report.terminal.console import hanging
from auditor.report.terminal.rows import Cell, Column, aligned, fits
from auditor.report.wording import neutral
from auditor.text.numbers import number_text
from auditor.text.sizes import seconds_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from rich.console import RenderableType

    from auditor.endpoints.vcenter.device_watch import DeviceSample, WatchRow
    from auditor.endpoints.vcenter.move_watch import WatchedMove
    from auditor.report.terminal.rows import Laid

_BAR = 10
_WIDE_BARS = range(60, _BAR, -2)
"""The longest that leaves room for all else is drawn."""
_TABLE_FROM = 118
"""Characters from which on a table has room for whole figures."""


def watch_view(rows: Sequence[WatchRow], width: int) -> RenderableType:
    """What a terminal of `width` characters shows: a table, or on a narrow one a paragraph for each device."""
    from rich.console import Group
    from rich.text import Text

    if width >= _TABLE_FROM:
        return watch_table(rows, width)
    parts: list[RenderableType] = []
    for row in rows:
        old = row.unread_since is not None
        parts.append(Text(neutral(row.name), style="bold"))
        parts.append(hanging(" ", Text(row_text(row), style="yellow" if old else "red" if _is_full(row) else "")))
    return Group(*parts)


def watch_table(rows: Sequence[WatchRow], width: int) -> Laid:
    """A table of at most `width` characters."""
    columns = [
        Column("Device", floor=16, shorten=True),
        Column("Queue", floor=10),
        Column("Waiting", floor=7),
        Column("KAVG", floor=6),
        Column("worst", floor=6),
        Column("DAVG", floor=6),
        Column("Commands", floor=8),
        Column("SIOC", floor=4),
        Column("Read", floor=8),
    ]
    for bar in _WIDE_BARS:
        cells = [_cells(row, bar) for row in rows]
        if fits(columns, cells, width):
            return aligned(columns, cells, width)
    return aligned(columns, [_cells(row, _BAR) for row in rows], width)


def _cells(row: WatchRow, bar: int) -> list[Cell]:
    sample = row.sample
    read = f"not read since {_clock(row.unread_since)}: {row.why}" if row.unread_since is not None else ""
    if sample is None:
        return [Cell(neutral(row.name)), *[Cell("")] * 7, Cell(neutral(read), "bold yellow")]
    is_full = _is_full(row)
    old = "dim" if row.unread_since is not None else ""
    return [
        Cell(neutral(row.name), old),
        Cell(queue_text(row, bar), old or ("bold red" if is_full else "")),
        Cell(_number(row.waiting), old or ("bold red" if is_full else "")),
        Cell(_number(sample.kavg_ms, " ms"), old),
        Cell(_number(row.worst_kavg_ms, " ms"), old),
        Cell(_number(sample.davg_ms, " ms"), old),
        Cell(_number(sample.commands_per_second, "/s"), old),
        Cell(sioc_text(sample), old),
        Cell(neutral(read) or _clock(sample.sampled_at), "bold yellow" if read else ""),
    ]


def watch_line(row: WatchRow, now: datetime) -> str:
    """One device on one line, with the time of the look."""
    return f"{_clock(now)} {neutral(row.name)}: {row_text(row)}"


def row_text(row: WatchRow) -> str:
    """Everything of a row but its name."""
    if row.unread_since is not None:
        return f"not read since {_clock(row.unread_since)}: {neutral(row.why)}"
    if row.sample is None:
        return NOT_READ
    sample = row.sample
    parts = (
        queue_text(row),
        f"{_number(row.waiting)} wait",
        f"KAVG {_number(sample.kavg_ms, ' ms')} (worst {_number(row.worst_kavg_ms, ' ms')})",
        f"DAVG {_number(sample.davg_ms, ' ms')}",
        f"{_number(sample.commands_per_second, '/s')}",
        f"SIOC {sioc_text(sample)}",
    )
    return ", ".join(parts)


def move_text(move: WatchedMove) -> str:
    """How far a machine is moved, how fast it advances, and how long the rest takes."""
    if move.percent is None:
        return f"{neutral(move.machine)} is being moved: its progress is not reported"
    start = f"{neutral(move.machine)} is being moved: {move.percent} %"
    if move.stands_still:
        return f"{start}, and stands still for {seconds_text(move.still_seconds)}"
    if move.per_minute is None or move.left_seconds is None:
        return f"{start}, not watched for long enough to say how fast"
    return f"{start}, {number_text(move.per_minute, 2)} % a minute, {seconds_text(move.left_seconds)} left"


def sioc_text(sample: DeviceSample) -> str:
    """For how much of the time Storage I/O Control throttled."""
    return _number(sample.sioc_active_percent, " %") if sample.carries_vmfs else "no VMFS"


def queue_text(row: WatchRow, bar: int = _BAR) -> str:
    """How full the queue is, with a bar of so many characters where both figures are known."""
    depth = row.sample.depth if row.sample is not None else None
    text = f"{_number(row.active)} of {_number(depth)}"
    if row.active is None or not depth:
        return text
    marks = min(bar, round(bar * row.active / depth))
    return f"[{'#' * marks}{'-' * (bar - marks)}] {text}"


def _is_full(row: WatchRow) -> bool:
    """Commands wait in the host: one at least, on average."""
    return row.waiting is not None and row.waiting >= 1


def _number(value: float | None, unit: str = "") -> str:
    return NOT_READ if value is None else f"{number_text(value)}{unit}"


def _clock(when: datetime | None) -> str:
    return f"{when:%H:%M:%S}Z" if when is not None else ""
