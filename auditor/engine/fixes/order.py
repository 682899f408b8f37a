"""The order of changes: rules say what comes first (`fix.after`), and this module turns it into numbers.

Pure: wishes in, numbered changes out. loading.py holds the rules themselves against circles.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from auditor.engine.verdict_rows import decoded
from auditor.model import Change, Unmet


@dataclass(frozen=True, slots=True)
class Wait:
    """What has to come before one change: changes of a rule or remediator on some object of the same endpoint."""

    change: str  # the id of the rule, or the name of the remediator
    where: tuple[tuple[str, str | None], ...]  # (key of their target, value); None: not known, so every value counts
    required: bool  # where there is none, the change is left to a person


def waits_of(text: str | None) -> tuple[Wait, ...]:
    """The cell `waits` of a verdict (sql.VERDICT_COLUMNS)."""
    return tuple(Wait(one["change"], tuple(one["where"].items()), one["required"]) for one in decoded(text) or ())


_NARROWED = "this audit was narrowed to other rules"


def is_narrowed(why: str) -> bool:
    """Whether the reason of a change that is left to a person is that the audit was narrowed, so that nobody looked at what comes first."""
    return _NARROWED in why


def in_order(
    wanted: Sequence[tuple[Change, Collection[Wait]]], left_out: Collection[str] = ()
) -> tuple[tuple[Change, ...], tuple[Unmet, ...]]:
    """The changes in the order in which they are to be made, numbered, each with the numbers it waits for; and those left to a person.

    The order given is kept where nothing has to come first. Rules have no cycles (loading.py), but one setting that several rules want
    changed is one change, and so changes may wait for each other: these come last, and since each waits, none of them is ever made.

    Args:
        wanted: each change with what has to come before it.
        left_out: ids of rules that were not judged by, as the audit was narrowed.
    """
    wanted, unmet = _without_unmet(wanted, left_out)
    index = _index([change for change, _ in wanted], _keys_of(wanted))
    before = [
        {other for wait in waits for other in _matches(index, change.target.endpoint, wait) if other != place}
        for place, (change, waits) in enumerate(wanted)
    ]
    places = _sorted(before)
    numbers = {place: number for number, place in enumerate(places, start=1)}
    waits_for = [tuple(sorted(numbers[other] for other in others)) for others in before]
    made = tuple(replace(wanted[place][0], number=numbers[place], waits_for=waits_for[place]) for place in places)
    return made, tuple(unmet)


_Key = tuple[str, str, tuple[str, ...]]  # (rule or remediator, endpoint, names of target keys)
_Index = Mapping[_Key, Mapping[tuple[str, ...], Sequence[int]]]  # and their values -> places of changes


def _without_unmet(
    wanted: Sequence[tuple[Change, Collection[Wait]]], left_out: Collection[str]
) -> tuple[list[tuple[Change, Collection[Wait]]], list[Unmet]]:
    """Without the changes that require one that is not there; leaving one out may leave out another."""
    left, unmet = list(wanted), list[Unmet]()
    while True:
        index, kept = _index([change for change, _ in left], _keys_of(left)), []
        for change, waits in left:
            missing = next((one for one in waits if one.required and not _is_met(index, change, one)), None)
            if missing is None:
                kept.append((change, waits))
            else:
                on = " ".join(f"{name} {value or '(not known)'}" for name, value in missing.where)
                why = "no such change can be planned"
                if missing.change in left_out:
                    why = f"{_NARROWED}: judge by it as well (--only {missing.change})"
                unmet.append(Unmet(change, f"{missing.change} on {on} has to come first, and {why}"))
        if len(kept) == len(left):
            return kept, unmet
        left = kept


def _is_met(index: _Index, change: Change, wait: Wait) -> bool:
    return all(value is not None for _, value in wait.where) and bool(_matches(index, change.target.endpoint, wait))


def _keys_of(wanted: Iterable[tuple[Change, Collection[Wait]]]) -> set[tuple[str, ...]]:
    """Every combination of target keys that waits name."""
    return {_known(wait)[0] for _, waits in wanted for wait in waits}


def _known(wait: Wait) -> tuple[tuple[str, ...], tuple[str, ...]]:
    known = sorted((name, value) for name, value in wait.where if value is not None)
    return tuple(name for name, _ in known), tuple(value for _, value in known)


def _index(changes: Sequence[Change], combinations: Collection[tuple[str, ...]]) -> _Index:
    index: dict[_Key, dict[tuple[str, ...], list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, change in enumerate(changes):
        keys = dict(change.target.keys)
        for names in combinations:
            if keys.keys() >= set(names):
                for who in (change.remediator, *change.rules):
                    index[who, change.target.endpoint, names][tuple(keys[name] for name in names)].append(place)
    return index


def _matches(index: _Index, endpoint: str, wait: Wait) -> Sequence[int]:
    names, values = _known(wait)
    return index.get((wait.change, endpoint, names), {}).get(values, ())


def _sorted(before: Sequence[Collection[int]]) -> list[int]:
    """Places in an order in which each comes after those `before` it; as given otherwise. Those of a circle come last."""
    import heapq

    waiting = [len(ones) for ones in before]
    after: dict[int, list[int]] = defaultdict(list)
    for place, ones in enumerate(before):
        for one in ones:
            after[one].append(place)
    free = [place for place, count in enumerate(waiting) if count == 0]
    done = list[int]()
    while free:
        place = heapq.heappop(free)
        done.append(place)
        for other in after[place]:
            waiting[other] -= 1
            if waiting[other] == 0:
                heapq.heappush(free, other)
    return done + [place for place, count in enumerate(waiting) if count > 0]
