"""Compares the findings of a fleet with those of its recording, whose names are replaced."""

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from auditor.recording.masking import Fate, Masker

Finding = Mapping[str, Any]
Key = tuple[str, ...]
Pair = tuple[list[str], list[str]]
"""The words of a name, and what replaces them."""

WORD = re.compile(r"[^\W_]+")
_KEY_OF_A_CLUSTER = re.compile("[0-9a-f]{8}")  # four letters in hexadecimal digits, as devices' names have them


def differences(original: Iterable[Finding], again: Iterable[Finding], masker: Masker) -> list[tuple[str, ...]]:
    """The findings of either side that the other one has not: rule, verdict, kind, endpoint and name.

    Each word of a name is the same or replaced.
    A word that stayed may look like what another one became, so names are matched all together: a finding is left over only where no
    matching has it.
    """
    before: dict[Key, list[Pair]] = defaultdict(list)
    after: dict[Key, list[list[str]]] = defaultdict(list)
    for one in original:
        name = named(one)
        key: Key = (*_key(one), masker.text(one["resource"]["endpoint"] or "", Fate.NAME), WORD.sub("", name))
        before[key].append((WORD.findall(name), WORD.findall(masked_name(name, masker))))
    for one in again:
        name = named(one)
        after[(*_key(one), one["resource"]["endpoint"] or "", WORD.sub("", name))].append(WORD.findall(name))
    found = []
    for key in before.keys() | after.keys():
        alone, new = unmatched(before[key], after[key])
        found += [("in the original alone", *key, " ".join(masked)) for _, masked in alone]
        found += [("in the recording alone", *key, " ".join(words)) for words in new]
    return sorted(found)


def masked_name(name: str, masker: Masker) -> str:
    """A name as the recording has it; what vCenter calls a disk stays."""
    return "".join(part if part.startswith("Hard disk") else masker.text(part, Fate.NAME) for part in re.split(r"(Hard disk \d+)", name))


def named(finding: Finding) -> str:
    """What a finding is about, for people."""
    return " / ".join(str(finding["resource"][part] or "") for part in ("name", "cluster", "host"))


def _key(finding: Finding) -> tuple[str, str, str]:
    return finding["rule"], finding["verdict"], finding["resource"]["kind"]


def _fits(pair: Pair, words: list[str]) -> bool:
    """Whether the words of a recorded name are what became of those of an original, each old or replaced."""
    return all(word in (old, new) or _KEY_OF_A_CLUSTER.fullmatch(old) is not None for old, new, word in zip(*pair, words, strict=True))


def unmatched(left: Sequence[Pair], right: Sequence[list[str]]) -> tuple[list[Pair], list[list[str]]]:
    """What is left over of both sides once as many as possible are matched, one to one.

    Source: C. Berge, "Two theorems in graph theory" (1957): a matching is the largest where no augmenting path is left.
    """
    matched = _Matching(left, right)
    for place in range(len(left)):
        if place not in matched.of_left:
            matched.augment(place)
    alone = [one for place, one in enumerate(left) if place not in matched.of_left]
    return alone, [one for place, one in enumerate(right) if place not in matched.of_right]


class _Matching:
    """Who is matched with whom, by their places; to begin with those whose words were all replaced."""

    def __init__(self, left: Sequence[Pair], right: Sequence[list[str]]) -> None:
        self._left, self._right = left, right
        self.of_left: dict[int, int] = {}
        self.of_right: dict[int, int] = {}
        by_words: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for other, words in enumerate(right):
            by_words[tuple(words)].append(other)
        for one, (_, masked) in enumerate(left):
            if others := by_words[tuple(masked)]:
                other = others.pop()
                self.of_left[one], self.of_right[other] = other, one

    def augment(self, start: int) -> None:
        """Match one more on the left, with others matched anew where that is needed."""
        came_from: dict[int, int] = {}
        waiting = deque([start])
        while waiting:
            one = waiting.popleft()
            for other, words in enumerate(self._right):
                if other in came_from or not _fits(self._left[one], words):
                    continue
                came_from[other] = one
                if other not in self.of_right:
                    self._turn(came_from, other)
                    return
                waiting.append(self.of_right[other])

    def _turn(self, came_from: Mapping[int, int], free: int) -> None:
        """Along the path back to the start, each on the left takes the one on the right that led on from it."""
        end: int | None = free
        while end is not None:
            one = came_from[end]
            before = self.of_left.get(one)
            self.of_left[one], self.of_right[end] = end, one
            end = before
