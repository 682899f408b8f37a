"""Makes facts/catalog.json: what the views' SQL determines, worked out once for all audits.

Run `make catalog` when a view, a fact table or the place where a fact is read changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from auditor.authoring.lineage import Rests, plain_fact, rests_on
from auditor.authoring.selects import Relation, aggregates, scope_of
from auditor.authoring.view_files import view_files
from auditor.authoring.view_queries import dependencies, parsed_views, qualified_views
from auditor.facts.catalog import BASELINE_TOPIC, FILE, FLEET_FILE_TOPIC, Catalog, CatalogColumn, CatalogView
from auditor.facts.column_texts import no_limit_where
from auditor.facts.macros import create_macros
from auditor.facts.needs import IDENTITIES, SOURCES
from auditor.facts.schema import create_tables
from auditor.facts.table import Fact

if TYPE_CHECKING:
    import duckdb

_TOPIC_OF_TABLE = {"declared": FLEET_FILE_TOPIC, "declared_setting": FLEET_FILE_TOPIC, "baseline": BASELINE_TOPIC} | {
    table: source.topic for table, source in SOURCES.items()
}


def main() -> None:
    """Write the file."""
    Path(str(resources.files("auditor.facts") / FILE)).write_text(as_text(make_catalog()), encoding="utf-8")


def make_catalog() -> Catalog:
    """The catalogue of the views as their files are now.

    Raises:
        NotImplementedError: a view is written in a form that lineage.py does not follow.
    """
    import duckdb

    with duckdb.connect() as connection:
        create_tables(connection)
        create_macros(connection)
        views = {name: _view(connection, name) for name in parsed_views()}
    return Catalog(digest_of_views(), views)


def digest_of_views() -> str:
    """The digest of the view files; lines of comment do not count."""
    plain = {
        name: [file.materialize, file.row, *(line for line in file.sql.splitlines() if not line.lstrip().startswith("--"))]
        for name, file in view_files().items()
    }
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()


def as_text(catalog: Catalog) -> str:
    """The catalogue as JSON, a line for each column, so that a difference can be read."""
    whole = msgspec.to_builtins(catalog)
    lines = ["{", f' "made_of": {json.dumps(whole["made_of"])},', ' "views": {']
    for place, (name, view) in enumerate(whole["views"].items()):
        columns = view.pop("columns", {})
        about = json.dumps(view).removesuffix("}")
        lines.append(f"  {json.dumps(name)}: {about}{', ' if columns else '}'}" + ('"columns": {' if columns else ""))
        lines += [f"   {json.dumps(column)}: {json.dumps(columns[column])}," for column in columns]
        if columns:
            lines[-1] = lines[-1].removesuffix(",")
            lines.append("  }}")
        lines[-1] += "," if place < len(whole["views"]) - 1 else ""
    return "\n".join([*lines, " }", "}"]) + "\n"


def _view(connection: duckdb.DuckDBPyConnection, name: str) -> CatalogView:
    file = view_files()[name]
    # Tables without rows: a view is planned anew, with all below it, by each statement that names it.
    connection.execute(f'CREATE TABLE "{name}" AS\n{file.sql.strip().removesuffix(";")}\nWITH NO DATA')
    below = tuple(sorted(dependencies(name)))
    if name.startswith("step_"):
        return CatalogView(file.domain, file.what, file.materialize, below)
    types = {row[0]: row[1] for row in connection.execute(f'DESCRIBE "{name}"').fetchall()}
    rows = rests_on([(name, [])])
    columns = {column: _column(name, column, types, rows) for column in types}
    return CatalogView(
        file.domain,
        file.what,
        file.materialize,
        below,
        _by_table(rows.columns),
        tuple(sorted(rows.topics)),
        tuple(sorted(required_facts(name))),
        columns,
        file.row,
    )


def _column(view: str, name: str, types: Mapping[str, str], rows: Rests) -> CatalogColumn:
    rests = rests_on([(view, [name])])
    plain = plain_fact(view, name)
    return CatalogColumn(
        types[name],
        tuple(sorted(_topics(_own_facts(rests, rows)) or _topics(_named(rows.columns)))),
        _by_table(rests.columns - rows.columns),
        tuple(sorted(rests.topics - rows.topics)),
        ".".join(plain) if plain else None,
        tuple(flag for flag in no_limit_where(name) if flag in types),
    )


def _own_facts(rests: Rests, rows: Rests) -> set[Fact]:
    """The facts a column is made of; what only joins tables, or decides which rows there are, is left out where more is known."""
    facts = {(table, column) for table, column in rests.columns - rows.columns if column}
    return {(table, column) for table, column in facts if column not in IDENTITIES.get(table, ())} or facts


def _named(facts: frozenset[Fact]) -> Collection[Fact]:
    return {(table, column) for table, column in facts if column} or facts


def _topics(facts: Iterable[Fact]) -> set[str]:
    return {_TOPIC_OF_TABLE[table] for table, _ in facts if table in _TOPIC_OF_TABLE}


def _by_table(facts: Iterable[Fact]) -> dict[str, tuple[str, ...]]:
    by_table: dict[str, list[str]] = {}
    for table, column in sorted(facts):
        by_table.setdefault(table, []).append(column)
    return {table: tuple(columns) for table, columns in by_table.items()}


def required_facts(view: str) -> frozenset[str]:
    """The fact tables without whose rows a view has none. It may name too few, and never one too many."""
    return required_by(qualified_views()[view])


def required_by(relation: Relation) -> frozenset[str]:
    """The same of a qualified query, or of a fact table by its name."""
    from sqlglot import exp

    if isinstance(relation, str):
        return frozenset({relation})
    if isinstance(relation, exp.Union):
        return _required_by_side(relation.left) & _required_by_side(relation.right)
    if not isinstance(relation, exp.Select):
        return frozenset()
    group = relation.args.get("group")
    if group is None and any(aggregates(projection.unalias()) for projection in relation.expressions):
        return frozenset()  # one row in all, whatever there is
    if group is not None and group.find(exp.Rollup, exp.Cube, exp.GroupingSets) is not None:
        return frozenset()  # a grand total has a row, whatever there is
    scope = scope_of(relation)
    return frozenset[str]().union(*(required_by(source) for alias, source in scope.sources.items() if not scope.is_left_joined(alias)))


def _required_by_side(side: object) -> frozenset[str]:
    from sqlglot import exp

    query = side.unnest() if isinstance(side, exp.Query) else None
    return required_by(query) if isinstance(query, exp.Query) else frozenset()


if __name__ == "__main__":
    main()
