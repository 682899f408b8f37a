"""Describes a plan for people: the changes, the reason and place of each, and what is left out."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from auditor.model import FixClass
from auditor.report.fix_outcomes import clash_place, wish_texts
from auditor.report.setting_values import from_to_text
from auditor.report.terminal.console import hanging, write_parts
from auditor.report.wording import allowing, neutral, object_text, place_texts, setting_text, value_text, waiver_text
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from auditor.model import Change, Plan, Receipt, Unmet

_MOST_PLACES = 50
_MOST_UNMET = 5

Group = tuple[tuple[FixClass, ...], str, str, str]
"""What the changes of one group share: (classes, setting, from -> to, reason)."""


def write_plan(plan: Plan, allow: Collection[FixClass], out: TextIO, held: Sequence[Receipt] = ()) -> None:
    """Write the changes whose class is in `allow`, grouped; then the other changes, those covered by waivers, and contradictions.

    `held` are receipts of those that fleet.yaml holds back: they are shown by themselves, with the reason.
    """
    write_parts(lambda width: _parts(plan, allow, held, width), out)


def _parts(plan: Plan, allow: Collection[FixClass], held: Sequence[Receipt], width: int) -> Iterator[RenderableType]:
    from rich.text import Text

    kept = {(one.change.remediator, one.change.target) for one in held}
    allowed = [one for one in plan.changes if set(one.classes) <= set(allow) and (one.remediator, one.target) not in kept]
    yield f"Plan: {count_of(len(allowed), 'change')}." if allowed else "Plan: nothing to change."
    for group, changes in _groups(allowed).items():
        yield from _group_parts(group, changes, width)
    yield from _held_parts(held, allow)
    not_allowed = _groups([change for change in plan.changes if not set(change.classes) <= set(allow)])
    if not_allowed:
        yield "\nNot made without more --allow:"
    for (classes, setting, values, _), changes in not_allowed.items():
        yield hanging(f"  {len(changes):>4} x", Text(f"{setting} {values} ({allowing(classes)})"))
    yield from _unusual(plan)
    if plan.left_alone:
        yield "\nNot changed, because a waiver covers it:"
    for waived in plan.left_alone:
        yield hanging("  -", Text(f"{waived.rule}: {waiver_text(waived.waiver, waived.count)}"))
    for one in plan.held:
        place = " ".join(value for _, value in one.target.keys)
        wanted = f"wanted by {', '.join(one.wanted_by)}, and {one.waived} is waived there"
        yield f"\nNot changed: {one.remediator} on {neutral(place)}: {wanted} ({waiver_text(one.waiver, 1)})"
    yield from _unmet_parts(plan.unmet)
    for clash in plan.contradictions:
        yield f"\nContradiction, not changed: {clash_place(clash)}: {neutral(', '.join(wish_texts(clash)))}"


def _held_parts(held: Sequence[Receipt], allow: Collection[FixClass]) -> Iterator[RenderableType]:
    """What fleet.yaml holds back of the changes that are allowed: a line for each setting and reason."""
    from rich.text import Text

    groups = Counter((setting_text(one.change), one.why) for one in held if set(one.change.classes) <= set(allow))
    if groups:
        yield "\nHeld back by fleet.yaml now:"
    for (setting, why), count in groups.items():
        yield hanging(f"  {count:>4} x", Text(f"{setting}: {neutral(why)}"))


def _unusual(plan: Plan) -> Iterator[str]:
    """The changes to values that are nowhere in the fleet."""
    for one in plan.unusual:
        words = " ".join((one.remediator, *(value for _, value in one.setting)))
        places = f"{count_of(len(one.numbers), 'place')}; the fleet has {neutral(one.seen)}"
        yield f"\nUnusual, needs --allow-unusual: {words} {value_text(one.wanted)} in {places} ({one.rule})"


def _unmet_parts(unmet: Sequence[Unmet]) -> Iterator[RenderableType]:
    """What is left to a person, as another change comes first or it was put back: a paragraph for each reason, with its places."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in unmet:
        reasons.setdefault((setting_text(one.change), one.why), []).append(object_text(one.change))
    for (setting, why), objects in reasons.items():
        more = f" and {len(objects) - _MOST_UNMET} more" if len(objects) > _MOST_UNMET else ""
        yield f"\nLeft to a person: {setting} of {', '.join(objects[:_MOST_UNMET])}{more}: {neutral(' '.join(why.split()))}"


def _groups(changes: Sequence[Change]) -> dict[Group, list[Change]]:
    groups: dict[Group, list[Change]] = {}
    for change in changes:
        groups.setdefault((change.classes, setting_text(change), from_to_text(change), change.reason), []).append(change)
    return groups


def _group_parts(group: Group, changes: Sequence[Change], width: int) -> Iterator[RenderableType]:
    from rich.text import Text

    classes, setting, values, reason = group
    yield Text(f"\n{setting}  {values}  ({', '.join(classes)}, {count_of(len(changes), 'place')})", style="bold")
    yield textwrap.indent(textwrap.fill(neutral(reason), width - 2), "  ")
    places = [(*place_texts(change), change) for change in changes[:_MOST_PLACES]]
    widest = max(len(where) for where, _, _ in places)
    digits = max(len(str(change.number)) for _, _, change in places)
    for where, what, change in places:
        number = f"  {change.number:>{digits}} " if change.number else " "
        collateral = f"  (touches as well: {neutral(change.collateral)})" if change.collateral else ""
        waits = f"  (after {', '.join(map(str, change.waits_for))})" if change.waits_for else ""
        yield hanging(number, Text(f"{where:<{widest}}  {what}".rstrip() + waits + collateral))
    if len(changes) > _MOST_PLACES:
        yield f"  ... and {len(changes) - _MOST_PLACES} more"
