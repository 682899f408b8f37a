"""A reason for or against a move, and the order of several."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Sort(StrEnum):
    """What a reason is."""

    AGAINST = "against"
    UNREAD = "unread"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing about a move.

    Attributes:
        code: a word for programs.
        sort: against, unread or note.
        title: a few words, for the line with the verdict.
        text: what was found, a sentence.
        do: what to do, a sentence.
        source: of the claim, a page of the documentation.
    """

    code: str
    sort: Sort
    title: str
    text: str
    do: str
    source: str = ""


def in_order(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """What stands against it first, then what was not read, then the rest; each as it came."""
    ranks = list(Sort)
    return tuple(sorted(reasons, key=lambda one: ranks.index(one.sort)))
