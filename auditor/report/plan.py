"""A plan for people: what would be changed, from what to what, why, where, and what it needs."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from auditor.report.console import write_parts
from auditor.report.wording import count_of, neutral, place_texts, setting_text, value_text, waiver_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from auditor.model import Change, FixClass, Plan

_MOST_PLACES = 50

Kind = tuple[str, str, str, str]
"""(class, setting, from -> to, reason)"""


def write_plan(plan: Plan, allow: Collection[FixClass], out: TextIO) -> None:
    """Write what would be changed, grouped by kind of change; then what `allow` leaves out, and what rules disagree about."""
    write_parts(lambda width: _parts(plan, allow, width), out)


def _parts(plan: Plan, allow: Collection[FixClass], width: int) -> Iterator[RenderableType]:
    able = [change for change in plan.changes if change.fix_class in allow]
    yield f"Plan: {count_of(len(able), 'change')}." if able else "Plan: nothing to change."
    for kind, changes in _kinds(able).items():
        yield from _kind_parts(kind, changes, width)
    left = _kinds([change for change in plan.changes if change.fix_class not in allow])
    if left:
        yield "\nNot made without more --allow:"
    for (fix_class, setting, values, _), changes in left.items():
        yield f"  {len(changes):>4} x {setting} {values} (--allow {fix_class})"
    if plan.left_alone:
        yield "\nLeft alone, because somebody answers for it:"
    for waived in plan.left_alone:
        yield f"  {waived.rule}: {waiver_text(waived.waiver, waived.count)}"
    for held in plan.held:
        place = " ".join(value for _, value in held.target.keys)
        wanted = f"wanted by {', '.join(held.wanted_by)}, and {held.waived} is waived there"
        yield f"\nNot touched: {held.remediator} on {neutral(place)}: {wanted} ({waiver_text(held.waiver, 1)})"
    for clash in plan.contradictions:
        wants = ", ".join(f"{rule} wants {value_text(value)}" for rule, value in clash.wants)
        place = " ".join(value for _, value in clash.target.keys)
        yield f"\nContradiction, not touched: {clash.remediator} on {neutral(place)}: {wants}"


def _kinds(changes: Sequence[Change]) -> dict[Kind, list[Change]]:
    found: dict[Kind, list[Change]] = {}
    for change in changes:
        values = f"{value_text(change.before)} -> {value_text(change.after)}"
        found.setdefault((change.fix_class.value, setting_text(change), values, change.reason), []).append(change)
    return found


def _kind_parts(kind: Kind, changes: Sequence[Change], width: int) -> Iterator[RenderableType]:
    from rich.text import Text

    fix_class, setting, values, reason = kind
    yield Text(f"\n{setting}  {values}  ({fix_class}, {count_of(len(changes), 'place')})", style="bold")
    yield textwrap.indent(textwrap.fill(neutral(reason), width - 2), "  ")
    places = [place_texts(change) for change in changes[:_MOST_PLACES]]
    widest = max(len(where) for where, _ in places)
    for where, what in places:
        yield f"  {where:<{widest}}  {what}".rstrip()
    if len(changes) > _MOST_PLACES:
        yield f"  ... and {len(changes) - _MOST_PLACES} more"
