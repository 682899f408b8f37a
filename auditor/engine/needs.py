"""Which facts the rules that were loaded rest on."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from auditor.engine.lineage import rests_on
from auditor.facts.needs import Needs, needs
from auditor.facts.views import RESOURCE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor.engine.rule import Rule


def needs_of(rules: Iterable[Rule]) -> Needs:
    """What has to be read so that each of `rules` says what it would say if everything were read.

    That is what its expressions name, fix and evidence included, and the columns by which a row is told and a param's place is found.
    """
    wanted: dict[str, set[str]] = {}
    for rule in rules:
        wanted.setdefault(rule.over, set(RESOURCE_COLUMNS)).update(rule.columns)
    return _needs(tuple((view, tuple(sorted(columns))) for view, columns in sorted(wanted.items())))


@cache
def _needs(wanted: tuple[tuple[str, tuple[str, ...]], ...]) -> Needs:
    # Walking the views' SQL takes half a second, and one audit asks twice: before it reads, and before it judges.
    rests = rests_on(wanted)
    return needs(rests.columns, rests.topics)
