"""Bounds of a rule's param: a range, a list of words, or none; each with its source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from auditor.engine.rules.shape import BoundsShape

Word: TypeAlias = bool | int | float | str

FAMILY_WORDS = "families"
"""As a choice, or instead of a list of them: every family of arrays that auditor knows, and "other"."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a value may be. A list is as it has to be when each of its items is, and a text when each part between "|" is.

    Attributes:
        least: the smallest number; None: there is none.
        most: the largest number, likewise.
        choices: the words that may be chosen; empty where a range bounds it, or nothing.
        source: who says so; where nothing bounds it, why not.
    """

    source: str
    least: int | float | None = None
    most: int | float | None = None
    choices: tuple[Word, ...] = ()

    @property
    def text(self) -> str:
        """The bounds in words, for example "8 to 256"; "anything" where nothing bounds it."""
        if self.choices:
            return f"one of {', '.join(map(str, self.choices))}"
        if self.least is None and self.most is None:
            return "anything"
        if self.most is None:
            return f"{self.least} or more"
        return f"at most {self.most}" if self.least is None else f"{self.least} to {self.most}"

    def fault(self, value: Any) -> str:
        """What is wrong with `value`, in words that follow its name; "" where it is within."""
        for one in _parts(value, split=bool(self.choices)):
            outside = one not in self.choices if self.choices else not self._in_range(one)
            if outside:
                return f"is {one!r}, and may be {self.text} ({self.source})"
        return ""

    def _in_range(self, value: Any) -> bool:
        if self.least is None and self.most is None:
            return True
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)


def bounds_of(shape: BoundsShape | None) -> Bounds | None:
    """What a rule file says; None where it says nothing."""
    from auditor.facts.families import all_families

    if shape is None:
        return None
    chosen = (shape.choices,) if isinstance(shape.choices, str) else shape.choices or ()
    families = sorted({*(family.name for family in all_families()), "other"}) if FAMILY_WORDS in chosen else []
    choices = (*(one for one in chosen if one != FAMILY_WORDS), *families)
    return Bounds((shape.source or shape.open or "").strip(), shape.least, shape.most, choices)


def bounds_mistake(shape: BoundsShape, default: Any) -> str:
    """What is wrong with bounds for a param of that default; "" where nothing is."""
    is_range = shape.least is not None or shape.most is not None
    if is_range + (shape.choices is not None) + (shape.open is not None) != 1:
        return "the bounds of a param are a range (least, most), choices, or the reason why they are open"
    if shape.open is None and not (shape.source or "").strip():
        return "bounds without a source are a rumour: say who says so, or that it is policy"
    if isinstance(shape.choices, str) and shape.choices != FAMILY_WORDS:
        return f'choices are a list, or the word "{FAMILY_WORDS}"'
    if is_range and any(isinstance(one, bool) or not isinstance(one, int | float) for one in _parts(default, split=False)):
        return "a range bounds numbers; give choices"
    if shape.least is not None and shape.most is not None and shape.least > shape.most:
        return f"no number is {shape.least} or more and at most {shape.most}"
    return ""


def _parts(value: Any, *, split: bool) -> Iterator[Any]:
    for one in value if isinstance(value, list | tuple) else (value,):
        if split and isinstance(one, str):
            yield from (part for part in one.split("|") if part)
        else:
            yield one
