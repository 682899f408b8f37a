"""Which facts the rules that were loaded rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.facts.catalog import needs_of_columns
from auditor.facts.views import RESOURCE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor.engine.rules.rule import Rule
    from auditor.facts.needs import Needs


def needs_of(rules: Iterable[Rule]) -> Needs:
    """What has to be read so that each of `rules` says what it would say if everything were read.

    That is what its expressions name, fix and evidence included, and the columns that identify a row and the place of its params.
    """
    wanted: dict[str, set[str]] = {}
    for rule in rules:
        wanted.setdefault(rule.over, set(RESOURCE_COLUMNS)).update(rule.columns)
    return needs_of_columns(wanted.items())
