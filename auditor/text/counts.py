"""Progress of long work: a text for a person, with the counts that it is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

_LEAST_SHARE = 0.02
"""Of all steps, before which a pace says nothing: the first ones wait for connections and lists."""


class Counts(NamedTuple):
    """Counts of one part of a work.

    Attributes:
        part: which of the parts that one endpoint is read in, from 0.
        hosts: looked at to their end, also those that did not answer.
        of_hosts: known so far; 0: not known.
        devices: of all hosts, as read so far; a device counts once for each host.
        steps: done, in whatever the work is divided into.
        of_steps: all of them; 0: not known, so the time left is not known either.
        rows: judged.
    """

    part: int = 0
    hosts: int = 0
    of_hosts: int = 0
    devices: int = 0
    steps: int = 0
    of_steps: int = 0
    rows: int = 0


class Counted(str):
    """What is being done, and how much of it; text of a progress that says it again and again."""

    __slots__ = ("counts",)
    counts: Counts

    def __new__(cls, text: str, counts: Counts) -> Self:
        """`text` says what is done without its counts."""
        made = super().__new__(cls, text)
        made.counts = counts
        return made


ShowText = Callable[[str], None]
"""Called with what is being done."""


def show_nothing(_text: str) -> None:
    """Show nothing."""


def counts_text(counts: Sequence[Counts]) -> str:
    """The counts of all parts of one work in words; empty where nothing was counted yet."""
    hosts, known, devices, rows = (sum(one[place] for one in counts) for place in (1, 2, 3, 6))
    texts = []
    if known or hosts:
        texts.append(f"hosts {hosts:,} of {known:,}" if known else f"hosts {hosts:,}")
    if devices:
        texts.append(f"devices {devices:,}")
    if rows:
        texts.append(f"rows judged {rows:,}")
    return ", ".join(texts)


def seconds_left(counts: Sequence[Counts], elapsed_seconds: float) -> float | None:
    """How long the rest takes at the pace so far; None where it is not known how much there is, or too little is done to tell."""
    steps, known = sum(one.steps for one in counts), sum(one.of_steps for one in counts)
    return elapsed_seconds * (known - steps) / steps if _LEAST_SHARE * known < steps <= known else None
