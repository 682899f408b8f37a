"""A plan for people: what would be changed, from what to what, why, where, and what it needs."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, TextIO

from auditor.reporting.wording import count_of, neutral, place_texts, setting_text, value_text

if TYPE_CHECKING:
    from rich.console import Console

    from auditor.model import Change, FixClass, Plan

_MOST_PLACES = 50

Kind = tuple[str, str, str, str]
"""(class, setting, from -> to, reason)"""


def write_plan(plan: Plan, allow: Collection[FixClass], out: TextIO) -> None:
    """Write what would be changed, grouped by kind of change; then what `allow` leaves out, and what rules disagree about."""
    from rich.console import Console

    console = Console(file=out, width=shutil.get_terminal_size((80, 24)).columns, highlight=False, markup=False)
    able = [change for change in plan.changes if change.fix_class in allow]
    if not able:
        console.print("Plan: nothing to change.")
    else:
        console.print(f"Plan: {count_of(len(able), 'change')}.")
    for kind, changes in _kinds(able).items():
        _write_kind(console, kind, changes)
    left = _kinds([change for change in plan.changes if change.fix_class not in allow])
    if left:
        console.print("\nNot made without more --allow:")
    for (fix_class, setting, values, _), changes in left.items():
        console.print(f"  {len(changes):>4} x {setting} {values} (--allow {fix_class})")
    for clash in plan.contradictions:
        wants = ", ".join(f"{rule} wants {value_text(value)}" for rule, value in clash.wants)
        place = " ".join(value for _, value in clash.target.keys)
        console.print(f"\nContradiction, not touched: {clash.remediator} on {neutral(place)}: {wants}")


def _kinds(changes: Sequence[Change]) -> dict[Kind, list[Change]]:
    found: dict[Kind, list[Change]] = {}
    for change in changes:
        values = f"{value_text(change.before)} -> {value_text(change.after)}"
        found.setdefault((change.fix_class.value, setting_text(change), values, change.reason), []).append(change)
    return found


def _write_kind(console: Console, kind: Kind, changes: Sequence[Change]) -> None:
    fix_class, setting, values, reason = kind
    console.print(f"\n{setting}  {values}  ({fix_class}, {count_of(len(changes), 'place')})", style="bold")
    console.print(textwrap.indent(textwrap.fill(neutral(reason), console.width - 2), "  "))
    places = [place_texts(change) for change in changes[:_MOST_PLACES]]
    widest = max(len(where) for where, _ in places)
    for where, what in places:
        console.print(f"  {where:<{widest}}  {what}".rstrip())
    if len(changes) > _MOST_PLACES:
        console.print(f"  ... and {len(changes) - _MOST_PLACES} more")
