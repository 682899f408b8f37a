"""The verdict of a checked move in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.moves.check import MoveVerdict
from auditor.moves.reasons import Sort
from auditor.report.wording import neutral
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from auditor.moves.check import MoveCheck

_TITLES = 3


def verdict_line(check: MoveCheck) -> str:
    """The verdict in one sentence, with the weightiest reasons."""
    titles = [one.title for one in check.of(Sort.AGAINST if check.verdict is MoveVerdict.AGAINST else Sort.UNREAD)]
    more = f", and {count_of(len(titles) - _TITLES, 'more thing')}" if len(titles) > _TITLES else ""
    shown = neutral(", ".join(titles[:_TITLES]) + more)
    if check.verdict is MoveVerdict.AGAINST:
        start = "This move runs, and much is against it" if check.move.running is not None else "Do not start this move yet"
        return f"{start}: {shown}."
    if check.verdict is MoveVerdict.UNKNOWN:
        return f"Nothing that was read stands against it, but not all was read: {shown}."
    return "Nothing stands against it."
