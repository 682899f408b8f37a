"""How much of a search the tests go through: `make check` some of it, `make deep` all.

Both hold each law. What differs is over how many random fleets, rows, changes or pairs: where one more tells little that the others do not.
"""

from __future__ import annotations

import os
from itertools import product
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

One = TypeVar("One")
Other = TypeVar("Other")

DEEP = os.environ.get("AUDITOR_DEEP_TESTS") == "1"


def depth(some: int, deep: int) -> int:
    """How many examples are tried."""
    return deep if DEEP else some


def thinned(cases: Sequence[One], every: int) -> Sequence[One]:
    """One of so many cases, the first among them; all in `make deep`."""
    return cases if DEEP else cases[::every]


def thinned_pairs(ones: Iterable[One], others: Iterable[Other], every: int) -> list[tuple[One, Other]]:
    """One of so many pairs, in turns: each of either is in some, where there are as many of the other; all pairs in `make deep`."""
    pairs = product(enumerate(ones), enumerate(others))
    return [(one, other) for (first, one), (second, other) in pairs if DEEP or (first + second) % every == 0]
