"""The newest rows of a file of esxtop: kept as texts while the file is read, and numbers in the end."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import nan

KEPT_SECONDS = 330
"""How far back rows are kept: the five minutes that figures are of, and the sample that they begin with."""
_MOST_ROWS = 1000  # of that time: nobody has more, the least delay of esxtop is two seconds
_MOST_CELLS = 8_000_000  # of these rows: 1,000 devices with 4,000 paths have 50,000 columns of storage, and 165 rows
_MOST_CHARACTERS = 64 << 20
_MOST_VALUE = 1e12


@dataclass(frozen=True, slots=True)
class Sample:
    """A row of the file.

    Args:
        clock: seconds, by which samples can be told apart; None where the row's time has no seconds.
        seconds: what its rates and means are of: from the row before to this one; None for the first, which counts since nobody knows.
        cells: the numbers of the columns of storage; NaN for what is none.
    """

    clock: float | None
    seconds: float | None
    cells: Sequence[float]


class Newest:
    """The rows of the last five minutes, as texts: most of a file's rows are older, and never become numbers."""

    def __init__(self, columns: int) -> None:
        self._most_rows = max(1, min(_MOST_ROWS, _MOST_CELLS // columns))
        self._rows: deque[tuple[float | None, float | None, str]] = deque()
        self._characters = 0
        self._left_out = False

    def add(self, clock: float | None, seconds: float | None, cells: Sequence[str]) -> None:
        """Take a row, and drop those that are too old or too many; the newest one stays in any case."""
        text = "\n".join(cells)
        self._rows.append((clock, seconds, text))
        self._characters += len(text)
        while clock is not None and ((first := self._rows[0][0]) is None or first < clock - KEPT_SECONDS):
            self._drop()
        while len(self._rows) > 1 and (len(self._rows) > self._most_rows or self._characters > _MOST_CHARACTERS):
            self._drop()
            self._left_out = True

    def _drop(self) -> None:
        self._characters -= len(self._rows.popleft()[2])

    def clear(self) -> None:
        """Drop all rows."""
        self._rows.clear()
        self._characters, self._left_out = 0, False

    def samples(self, decimal: str) -> list[Sample]:
        """The rows as numbers; `decimal` is the sign within these."""
        samples = []
        while self._rows:
            clock, seconds, text = self._rows.popleft()
            samples.append(Sample(clock, seconds, array("d", [_number(cell, decimal) for cell in text.split("\n")])))
        return samples

    def problems(self) -> Iterator[str]:
        """A sentence's rest where rows of the last five minutes were left out."""
        if self._left_out:
            yield "it has more counters than are held for five minutes, so only the newest of its samples were read"


def _number(text: str, decimal: str) -> float:
    """What a cell says; NaN where that is no number that a counter may have."""
    try:
        number = float(text if decimal == "." else text.replace(decimal, "."))
    except ValueError:
        return nan
    return number if 0 <= number <= _MOST_VALUE and "_" not in text else nan
