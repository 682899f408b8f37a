"""The views' SQL as parsed queries."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

from auditor.authoring.view_files import view_files
from auditor.facts.schema import TABLES

if TYPE_CHECKING:
    from sqlglot import exp


def dependencies(view: str) -> frozenset[str]:
    """The views and steps that the SQL of a view or step names."""
    return _named_in(parsed_views()[view])


@cache
def parsed_views() -> Mapping[str, exp.Expr]:
    """The query of every view and step as it is written, each after those it names."""
    import sqlglot

    queries = {name: sqlglot.parse_one(file.sql, dialect="duckdb") for name, file in view_files().items()}
    order = TopologicalSorter({name: sorted(_named_in(query)) for name, query in queries.items()})
    return {name: queries[name] for name in order.static_order()}


def _named_in(query: exp.Expr) -> frozenset[str]:
    from sqlglot import exp

    own = {part.alias.lower() for part in query.find_all(exp.CTE)}
    return frozenset(table.name.lower() for table in query.find_all(exp.Table) if not table.db and table.name.lower() not in own)


@cache
def qualified_views() -> Mapping[str, exp.Query]:
    """Every view's query with all names resolved: each column has its source, stars and USING are written out."""
    from sqlglot import exp
    from sqlglot.optimizer.qualify import qualify
    from sqlglot.schema import MappingSchema

    # Names here are in lower case, so that there is nothing to normalise.
    schema = MappingSchema(dialect="duckdb", normalize=False)
    for name, table in TABLES.items():
        schema.add_table(f'fact."{name}"', {**{column.name: column.type for column in table.columns}, "rowid": "BIGINT"})
    views: dict[str, exp.Query] = {}
    for name, query in parsed_views().items():
        found = qualify(query.copy(), schema=schema, dialect="duckdb", db="main", validate_qualify_columns=False, quote_identifiers=False)
        if not isinstance(found, exp.Query):
            raise NotImplementedError(f"view {name} is not a query")
        views[name] = found
        schema.add_table(f'main."{name}"', dict.fromkeys(views[name].named_selects, "VARCHAR"))
    return views
