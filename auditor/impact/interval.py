"""Figures that are known to lie between two ends."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure that is not below `low` and not above `high`; a bound that is never met is infinite.

    Raises:
        ValueError: the ends are not two numbers of at least 0, the lower one first.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.high:
            raise ValueError(f"{self.low} to {self.high} is no interval of figures of at least 0")

    @classmethod
    def exactly(cls, value: float) -> Interval:
        """The interval of one figure."""
        return cls(value, value)

    @classmethod
    def around(cls, *values: float) -> Interval:
        """The smallest interval that holds all `values`."""
        return cls(min(values), max(values))

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def times(self, factor: float) -> Interval:
        """Both ends multiplied, for a change of unit."""
        return Interval(self.low * factor, self.high * factor)

    def at_most(self, bound: Interval) -> Interval:
        """The lesser of this figure and another."""
        return Interval(min(self.low, bound.low), min(self.high, bound.high))

    def holds(self, value: float) -> bool:
        """Whether `value` lies in it."""
        return self.low <= value <= self.high
