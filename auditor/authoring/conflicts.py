"""Rules that want one setting different, found before any fleet is read: in the rules themselves, and in what fleet.yaml makes of them.

Two rules disagree where both fail and their fixes write different values to the same setting, or where the fix of one makes the other fail
that passed before. Whether such a row can exist is found out by trying (meeting.py), so that what is told is told with a row that shows it.
What none of the rows tried shows is not told: an audit still finds it, should a fleet have it.

Rules that go by what a fleet was before (`drift`) are left out: what they want stands in no rule and no param.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from auditor.authoring.pairwise_conflicts import Disagreement, Meeting, may_break, may_write_the_same
from auditor.engine.params import Override, ParamValues, Place, values_at
from auditor.engine.rule import DRIFT, ParamValue, Rule, RuleSet
from auditor.facts.views import seal


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
    import duckdb

    params = params or ParamValues()
    with duckdb.connect() as connection:
        seal(connection)
        for one, other in _pairs(rules):
            defaults = (values_at(one, ParamValues(), (None, None)), values_at(other, ParamValues(), (None, None)))
            tried: list[tuple[Mapping[str, ParamValue], ...]] = [defaults] if only_overridden else []
            for place in _places(one, other, params):
                values = (values_at(one, params, place), values_at(other, params, place))
                if values in tried:
                    continue
                tried.append(values)
                found = Meeting(connection, rules.views, (one, other), values).disagreement()
                if found is not None:
                    yield Conflict(found, place)
                    break


def conflict_notices(found: Iterable[Conflict], overrides: Iterable[Override]) -> tuple[str, ...]:
    """A sentence about each conflict that a fleet makes itself, for whoever reads the report.

    Args:
        found: as `conflicts` answers them.
        overrides: what the fleet sets.
    """
    told, listed = [], list(overrides)
    for conflict in found:
        lines = sorted({one.where for one in listed if one.rule in conflict.rules and _holds_in(one, conflict.place)})
        told.append(f"{', '.join(lines)}: params make two rules disagree {place_text(conflict.place)}. {conflict_text(conflict)}")
    return tuple(told)


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
    """Rules that may write one setting, and those of which one looks at what the other's fix changes; each pair once."""
    for one, other in combinations((rule for rule in rules if DRIFT not in rule.tags), 2):
        if may_write_the_same(one, other) or may_break(one, other) or may_break(other, one):
            yield one, other


def _places(one: Rule, other: Rule, params: ParamValues) -> list[Place]:
    """Where params may differ for one of them, the widest first."""
    told = {place for rule in (one, other) for place in params.overrides.get(rule.id, {})}
    return sorted({(None, None), *told}, key=lambda place: tuple((part is not None, part or "") for part in place))


def _holds_in(override: Override, place: Place) -> bool:
    return override.endpoint in (None, place[0]) and override.cluster in (None, place[1])


def place_text(place: Place) -> str:
    """A place in words."""
    endpoint, cluster = place
    if endpoint is None:
        return "everywhere"
    return f"on {endpoint}" if cluster is None else f"in cluster {cluster} of {endpoint}"
