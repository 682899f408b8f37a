"""Changes that wait for others: stages in which nothing waits, and why a change whose predecessor did not end well is not attempted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.model import Change, Outcome, Receipt

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence


def stages(changes: Iterable[Change]) -> list[list[Change]]:
    """`changes` in stages: each waits for changes of earlier stages only, and keeps its place among those of its own.

    What is not among `changes` puts nothing off. Changes that wait for each other make the last stage.
    """
    left, done = list(changes), set[int]()
    made = list[list[Change]]()
    while left:
        open_numbers = {change.number for change in left}
        stage = [change for change in left if not open_numbers & (set(change.waits_for) - done)]
        made.append(stage or left)
        done |= {change.number for change in made[-1]}
        left = [change for change in left if change.number not in done] if stage else []
    return made


def hold_up(change: Change, ended: Mapping[int, Receipt], good_outcomes: Collection[Outcome]) -> str:
    """Why `change` is not attempted: the first of the changes it waits for that did not end well, or is not in force; "" where all did.

    Args:
        change: of a plan, with the numbers that it waits for.
        ended: by number: the receipts of that plan's changes, also of those not attempted.
        good_outcomes: the outcomes after which others may follow.
    """
    for number in change.waits_for:
        receipt = ended.get(number)
        if receipt is None:
            return f"not attempted: it waits for change {number} of the plan, which was not made"
        if receipt.outcome not in good_outcomes:
            what = f"change {number} ({receipt.change.remediator} on {receipt.change.resource.name})"
            return f"not attempted: it waits for {what}, which ended {receipt.outcome}{': ' if receipt.why else ''}{receipt.why}"
        if receipt.pending is not None:
            what = f"change {number} ({receipt.change.remediator} on {receipt.change.resource.name})"
            return f"not attempted: it waits for {what}, which is not in force before a {receipt.pending}"
    return ""


def reversed_waits(changes: Sequence[Change]) -> dict[int, tuple[int, ...]]:
    """By number of a change: the numbers of those that waited for it, which an undo has to put back before it."""
    numbers = {change.number for change in changes}
    waiting: dict[int, list[int]] = {number: [] for number in numbers}
    for change in changes:
        for number in set(change.waits_for) & numbers:
            waiting[number].append(change.number)
    return {number: tuple(sorted(ones)) for number, ones in waiting.items()}
