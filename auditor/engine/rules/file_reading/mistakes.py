"""Collects the mistakes of one rule file."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from auditor.yaml.reading import did_you_mean
from auditor.yaml.shapes import Mistake


class Mistakes:
    """The mistakes of one file, in the order in which they are found.

    Attributes:
        found: each with the keys that lead to its place.
    """

    def __init__(self, found: Iterable[Mistake]) -> None:
        self.found = [*found]

    def add(self, what: str, *at: str | int) -> None:
        """Note a mistake below these keys."""
        self.found.append(Mistake(at, what))

    def is_known(self, word: str, known: Collection[str], noun: str, *at: str | int) -> bool:
        """Whether `word` is one of `known`; one that is not is a mistake. A blank is one already."""
        if word and word not in known:
            self.add(f'there is no {noun} "{word}"{did_you_mean(word, known)}', *at)
        return word in known
