"""Finds rules that want one setting different before any fleet is read: in the rules themselves, and with the params of fleet.yaml.

Two rules conflict where both fail and their fixes write different values to the same setting, or where the fix of one makes the other fail
that passed before. Whether such a row can exist is tried out (pairwise_conflicts.py), so that each conflict comes with a row that shows it.
A conflict that none of the tried rows shows is not reported here; an audit still finds it, should a fleet have it.

Rules tagged `drift` are left out: the value that they want is in a baseline, not in the rule or its params.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from auditor.engine.judge import judge
from auditor.engine.probing.pairwise_conflicts import Disagreement, PairwiseConflict, may_break, may_write_the_same
from auditor.engine.rules.params import Override, ParamValues, Place, values_at
from auditor.engine.rules.rule import DRIFT, ParamValue, Rule, RuleSet
from auditor.engine.sandbox import sandbox

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.facts.snapshots.snapshot import Snapshot
    from auditor.model import Contradiction


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two rules that disagree, and (endpoint, cluster) whose params make them; (None, None) is wherever neither has its own."""

    between: Disagreement
    place: Place = (None, None)

    @property
    def rules(self) -> tuple[str, str]:
        """Their ids: the one that would write, and the other."""
        return self.between.rules[0].id, self.between.rules[1].id


def conflicts(rules: RuleSet, params: ParamValues | None = None, *, only_overridden: bool = False) -> Iterator[Conflict]:
    """Every pair of rules that disagrees, each with one row and in the widest place where it does.

    Args:
        rules: what is judged by.
        params: what a fleet sets; None: nothing.
        only_overridden: leave out what the rules say by themselves.
    """
    params = params or ParamValues()
    with sandbox() as connection:
        for one, other in _pairs(rules):
            defaults = (values_at(one, ParamValues(), (None, None)), values_at(other, ParamValues(), (None, None)))
            tried: list[tuple[Mapping[str, ParamValue], ...]] = [defaults] if only_overridden else []
            for place in _places(one, other, params):
                values = (values_at(one, params, place), values_at(other, params, place))
                if values in tried:
                    continue
                tried.append(values)
                disagreement = PairwiseConflict(connection, rules.views, (one, other), values).disagreement()
                if disagreement is not None:
                    yield Conflict(disagreement, place)
                    break


def conflicts_over_facts(snapshot: Snapshot, rules: RuleSet, overrides: Sequence[Override], scratch: Path) -> tuple[Contradiction, ...]:
    """The settings of a fleet that failures want different, by a fix or by hand; `scratch` is an empty directory.

    Raises:
        ConfigurationError, RuleError, SnapshotError: as `judge` does.
    """
    return judge(snapshot, rules, overrides, None, findings=scratch / "findings.parquet", spill=scratch / "spilled").plan.contradictions


def conflict_notices(conflicts: Iterable[Conflict], overrides: Iterable[Override]) -> tuple[str, ...]:
    """A sentence about each conflict that a fleet makes itself, for the readers of the report.

    Args:
        conflicts: as the function `conflicts` answers them.
        overrides: what the fleet sets.
    """
    notices, listed = [], list(overrides)
    for conflict in conflicts:
        lines = sorted({one.where for one in listed if one.rule in conflict.rules and _holds_in(one, conflict.place)})
        notices.append(f"{', '.join(lines)}: params make two rules disagree {place_text(conflict.place)}. {conflict_text(conflict)}")
    return tuple(notices)


def conflict_text(conflict: Conflict) -> str:
    """Who wants what, and where, in one or two sentences."""
    (one, other), (mine, its) = conflict.rules, conflict.between.wants
    fix = conflict.between.rules[0].fix
    setting = fix.column if fix is not None else ""
    if conflict.between.breaks:
        what = f"{one} would set {setting} to {mine}, and {other}, which passes with {its}, would fail then"
    else:
        what = f"{one} wants {setting} to be {mine}, and {other} wants {its}"
    example = ", ".join(f"{column} {value}" for column, value in conflict.between.row.items())
    return f"{what}. Neither is planned where they meet, for example with {example}."


def _pairs(rules: RuleSet) -> Iterator[tuple[Rule, Rule]]:
    """Pairs of rules that may write one setting, or where one rule looks at what the other's fix changes; each pair once."""
    for one, other in combinations((rule for rule in rules if DRIFT not in rule.tags), 2):
        if may_write_the_same(one, other) or may_break(one, other) or may_break(other, one):
            yield one, other


def _places(one: Rule, other: Rule, params: ParamValues) -> list[Place]:
    """Where params may differ for one of them, the widest first."""
    named = {place for rule in (one, other) for place in params.overrides.get(rule.id, {})}
    return sorted({(None, None), *named}, key=lambda place: tuple((part is not None, part or "") for part in place))


def _holds_in(override: Override, place: Place) -> bool:
    return override.endpoint in (None, place[0]) and override.cluster in (None, place[1])


def place_text(place: Place) -> str:
    """A place in words."""
    endpoint, cluster = place
    if endpoint is None:
        return "everywhere"
    return f"on {endpoint}" if cluster is None else f"in cluster {cluster} of {endpoint}"
