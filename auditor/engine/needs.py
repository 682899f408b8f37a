"""Which facts the rules that were loaded rest on."""

from __future__ import annotations

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
    rests = rests_on((rule.over, (*RESOURCE_COLUMNS, *rule.columns)) for rule in rules)
    return needs(rests.columns, rests.topics)
