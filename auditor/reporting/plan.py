"""A plan for people: what would be changed, from what to what, why, and what it needs."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, TextIO

from auditor.reporting.rows import Cell, Column, aligned
from auditor.reporting.wording import count_of, neutral, value_text

if TYPE_CHECKING:
    from auditor.model import Change, FixClass

_COLUMNS = (
    Column("where", 12, shorten=True),
    Column("setting", 14, shorten=True),
    Column("change", 9),
    Column("class", 8),
    Column("why", 12),
)
_MOST_SHOWN = 200


def write_plan(changes: Sequence[Change], allow: Collection[FixClass], out: TextIO) -> None:
    """Write `changes`, those that `allow` does not cover marked as such; at most 200 rows, the rest counted."""
    from rich.console import Console

    width = shutil.get_terminal_size((80, 24)).columns
    console = Console(file=out, width=width, highlight=False)
    if not changes:
        console.print("Plan: nothing to change.")
        return
    able = sum(change.fix_class in allow for change in changes)
    console.print(f"Plan: {count_of(len(changes), 'change')}, {able} of a class that is allowed.")
    rows = [_cells(change, allow) for change in changes[:_MOST_SHOWN]]
    console.print(aligned(_COLUMNS, rows, width))
    if len(changes) > _MOST_SHOWN:
        console.print(f"... and {len(changes) - _MOST_SHOWN} more; --reporter json tells all.")


def _cells(change: Change, allow: Collection[FixClass]) -> tuple[Cell, ...]:
    keys = dict(change.target.keys)
    place = " ".join(part for part in (change.resource.host or change.target.endpoint, keys.get("device") or change.resource.name) if part)
    setting = keys.get("option") or keys.get("parameter") or keys.get("field") or change.remediator
    allowed = change.fix_class in allow
    return (
        Cell(neutral(place)),
        Cell(neutral(setting)),
        Cell(f"{value_text(change.before)} -> {value_text(change.after)}", "bold" if allowed else "dim"),
        Cell(change.fix_class if allowed else f"{change.fix_class} (not allowed)", "" if allowed else "dim"),
        Cell(neutral(change.reason)),
    )
