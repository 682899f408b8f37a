"""Which rules may say anything of arrays of one kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.facts.catalog import all_view_columns
from auditor.facts.families import kinds_of_families

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from auditor.engine.rules.rule import Rule
    from auditor.model import EndpointKind

_FAMILY = frozenset({"family", "families"})


def rules_that_may_apply(rules: Iterable[Rule], kind: EndpointKind) -> frozenset[str]:
    """The ids of `rules` but for those whose `applies` is false of every row of this kind of array, whatever else the row says.

    A rule that does not look at the family may apply to any.
    """
    import duckdb

    family = next((name for name, of in kinds_of_families().items() if of is kind), None)
    with duckdb.connect() as connection:
        return frozenset(rule.id for rule in rules if family is None or not _is_ruled_out(connection, rule, family))


def _is_ruled_out(connection: duckdb.DuckDBPyConnection, rule: Rule, family: str) -> bool:
    """By three-valued logic: with nothing known but the family, `applies` is false."""
    if rule.applies is None or not _FAMILY.intersection(rule.applies.columns):
        return False
    types = all_view_columns()[rule.over]
    columns = ", ".join(
        f"""CAST({f"'{family}'" if name in _FAMILY else "NULL"} AS {types[name]}) AS "{name}\"""" for name in rule.applies.columns
    )
    given = {name: rule.params[name].default for name in rule.applies.params}
    values = {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}
    found = connection.execute(f"SELECT {rule.applies.text} FROM (SELECT {columns})", values).fetchone()  # noqa: S608  a rule's own words
    return found is not None and found[0] is False
