"""All views over some facts, computed once: a view or a fact is exchanged, and only what rests on it is computed and judged again."""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

from auditor.engine.rules.params import bindings
from auditor.engine.rules.rule import Rule
from auditor.engine.verdict_sql import verdict_sql
from auditor.facts.catalog import catalog, with_dependencies
from auditor.facts.macros import create_macros
from auditor.facts.schema import TABLES, create_tables
from auditor.facts.views import view_sql
from auditor.sql.query_planning import plan_for_few_facts
from auditor.sql.statements import parsed
from tests.engine.test_shipped_rules import shipped

Key = tuple[str, str, str]
"""A rule, an endpoint and a resource's id."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict, and the resource it is on."""

    verdict: str
    name: str
    cluster: str | None
    host: str | None


Verdicts = Mapping[Key, Judged]


def loaded(folder: Path) -> duckdb.DuckDBPyConnection:
    """The facts of a saved snapshot, in memory."""
    connection = duckdb.connect()
    create_tables(connection)
    for name, table in TABLES.items():
        file = folder / f"{name}.parquet"
        if file.exists():
            listed = ", ".join(f'"{column}"' for column in table.names)
            connection.execute(f"INSERT INTO fact.\"{name}\" SELECT {listed} FROM read_parquet('{file}')")
    plan_for_few_facts(connection)
    return connection


class Bench:
    """The views of one fleet as tables, and what every rule makes of them."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection
        connection.execute("PRAGMA disable_optimizer")  # planning takes longer than a few rows do
        create_macros(connection)
        self._digests: dict[str, Any] = {}
        for name in catalog().views:
            self._create(name, view_sql(name))
            self._digests[name] = self._digest(name)
        self.verdicts = self.judged(set(catalog().views))

    @contextmanager
    def exchanged(self, view: str, sql: str) -> Iterator[set[str]]:
        """With another text of one view: the views whose rows are different from before.

        Raises:
            duckdb.Error: a view cannot be computed.
        """
        self.connection.execute("BEGIN")
        try:
            yield self._again({view}, {view: sql})
        finally:
            self.connection.execute("ROLLBACK")

    @contextmanager
    def altered(self, *statements: str, only: str | None = None) -> Iterator[set[str]]:
        """After statements that change facts: the views whose rows are different from before. All is as it was afterwards.

        Args:
            statements: they name each table that they change as `fact.TABLE`.
            only: the view to compute again with all it rests on; None: every view.

        Raises:
            duckdb.Error: a statement is wrong, or a view cannot be computed.
        """
        self.connection.execute("BEGIN")
        try:
            tables = {table for statement in statements for table in re.findall(r"fact\.\"?(\w+)", statement)}
            for statement in statements:
                self.connection.execute(statement)
            wanted = catalog().views.keys() if only is None else with_dependencies([only])
            yield self._again({view for view in wanted if tables & facts_named(view)}, {}, wanted)
        finally:
            self.connection.execute("ROLLBACK")

    def judged(self, views: Collection[str]) -> dict[Key, Judged]:
        """The verdicts of every rule over one of these views, as they are now."""
        found = {}
        for rule in shipped():
            if rule.over in views:
                select = f'SELECT endpoint, resource_id, {verdict_sql(rule)}, resource_name, cluster, host FROM "{rule.over}"'
                [statement] = parsed(self.connection, select)
                for endpoint, resource, *rest in self.connection.execute(statement, bound(rule, select)).fetchall():
                    found[rule.id, endpoint, resource] = Judged(*rest)
        return found

    def before(self, views: Collection[str]) -> dict[Key, Judged]:
        """The verdicts of the same rules over the facts and views as they came."""
        rules = {rule.id for rule in shipped() if rule.over in views}
        return {key: judged for key, judged in self.verdicts.items() if key[0] in rules}

    def _again(self, first: Collection[str], texts: Mapping[str, str], wanted: Collection[str] | None = None) -> set[str]:
        changed = set[str]()
        for name in catalog().views if wanted is None else wanted:
            if name in first or changed.intersection(catalog().views[name].rests_on):
                self._create(name, texts.get(name) or view_sql(name))
                if self._digest(name) != self._digests[name]:
                    changed.add(name)
        return changed

    def _create(self, name: str, sql: str) -> None:
        [statement] = parsed(self.connection, f'CREATE OR REPLACE TABLE "{name}" AS\n{sql}')
        self.connection.execute(statement)

    def _digest(self, name: str) -> Any:
        [statement] = parsed(self.connection, f'SELECT count(*), sum(hash(t)) FROM "{name}" AS t')
        return self.connection.execute(statement).fetchone()


@cache
def facts_named(view: str) -> frozenset[str]:
    """The fact tables that the text of a view names."""
    return frozenset(re.findall(r"\bfact\.(\w+)", view_sql(view)))


def bound(rule: Rule, select: str) -> dict[str, Any]:
    """DuckDB refuses a value that the statement does not name."""
    values = bindings({name: param.default for name, param in rule.params.items()})
    return {name: value for name, value in values.items() if re.search(rf"\${name}\b", select)}
