"""What one SELECT of somebody else's names and calls: a query that a person typed, or a view that a plugin brings.

Everything that is not known to be harmless is refused. Behind this stands `facts.views.seal`: DuckDB itself reads no other file and no
network then.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb

_QUERIES = frozenset(("SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"))
_TABLE_FUNCTIONS = frozenset(("range", "generate_series", "unnest"))
# Others that DuckDB calls volatile draw a number or make an id.
_REFUSED = frozenset(
    (
        *("current_setting", "getvariable", "getenv", "in_search_path", "txid_current", "current_query", "current_query_id"),
        *("current_connection_id", "current_transaction_id", "currval", "nextval", "setval", "setseed", "sleep_ms", "write_log", "error"),
        *("stats", "vector_type", "json_serialize_plan"),
    )
)


class RefusedSelectError(Exception):
    """A statement is not one SELECT, or reaches for more than rows.

    Attributes:
        what: in words that follow "the query" or "the view".
        unknown: the name of a table, view or function that is not there; None: it is refused for something else.
        is_of_facts: whether the unknown name was looked for among the fact tables.
        reads: whether it is about what is read, where a list of the views helps.
    """

    def __init__(self, what: str, *, unknown: str | None = None, is_of_facts: bool = False, reads: bool = False) -> None:
        super().__init__(what)
        self.what, self.unknown, self.is_of_facts, self.reads = what, unknown, is_of_facts, reads


@dataclass(frozen=True)
class CheckedSelect:
    """A SELECT that reads rows and nothing else.

    Attributes:
        tree: as DuckDB parses it.
        views: what it names without a schema, or in `main`, and is none of its own CTEs; in lower case.
        tables: what it names in the schema `fact`; in lower case.
        functions: what it calls, aggregates included.
    """

    tree: Any
    views: frozenset[str]
    tables: frozenset[str]
    functions: frozenset[str]

    @cached_property
    def nodes(self) -> tuple[Mapping[str, Any], ...]:
        """Every node of its tree."""
        return tuple(_nodes(self.tree))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of a reference to a column, in lower case; those of USING too."""
        words = {word.lower() for node in self.nodes if node.get("class") == "COLUMN_REF" for word in node["column_names"]}
        return frozenset(words | {word.lower() for node in self.nodes for word in node.get("using_columns") or ()})

    @cached_property
    def has_star(self) -> bool:
        """Whether it takes columns without naming them: by a star."""
        return any(node.get("class") == "STAR" for node in self.nodes)

    def columns_of(self, columns: Collection[str]) -> tuple[str, ...]:
        """Those of `columns` that it may name: by their word alone, or all where there is a star."""
        return tuple(columns) if self.has_star else tuple(column for column in columns if column.lower() in self.words)


def checked_select(connection: duckdb.DuckDBPyConnection, text: str, *, views: Collection[str], tables: Collection[str]) -> CheckedSelect:
    """Check one statement; nothing of it is run.

    Args:
        connection: any; it parses.
        text: SQL.
        views: the names that it may read, in lower case.
        tables: likewise those in the schema `fact`.

    Raises:
        RefusedSelectError: it is not one SELECT, names a table that is not there, or calls what reaches beyond the rows.
    """
    tree = _parsed(connection, text)
    own = {entry["key"].lower() for node in _nodes(tree) if "cte_map" in node for entry in node["cte_map"]["map"]}
    named: set[tuple[str, str]] = set()
    functions: set[str] = set()
    for node in _nodes(tree):
        kind = node.get("type", "")
        if not isinstance(kind, str):  # of a value, or of a sample size: a type of its own
            continue
        if kind.endswith("_NODE") and kind not in _QUERIES:
            raise RefusedSelectError("writes; a query only reads rows")
        if kind == "SHOW_REF":
            raise RefusedSelectError("asks for SHOW, DESCRIBE or SUMMARIZE", reads=True)
        if kind == "TABLE_FUNCTION" and node["function"]["function_name"] not in _TABLE_FUNCTIONS:
            raise RefusedSelectError(f"reads from {node['function']['function_name']}(), which is not a view", reads=True)
        if kind == "BASE_TABLE":
            named.add(_table(node, own, views, tables))
        if node.get("class") == "FUNCTION" and kind != "TABLE_FUNCTION":
            functions.add(_function(node["function_name"]))
        if node.get("class") == "PARAMETER":
            raise RefusedSelectError("holds a parameter; write the value itself")
    by_schema = {schema: frozenset(name for of, name in named if of == schema) for schema in ("main", "fact")}
    return CheckedSelect(tree, by_schema["main"], by_schema["fact"], frozenset(functions))


def _parsed(connection: duckdb.DuckDBPyConnection, text: str) -> Any:
    row = connection.execute("SELECT json_serialize_sql(?)", [text]).fetchone()
    answer: dict[str, Any] = json.loads(row[0]) if row else {"error": True}
    if answer["error"]:
        what = str(answer.get("error_message", "no statement")).splitlines()[0]
        if "Only SELECT" in what:
            raise RefusedSelectError("is not a SELECT; the answer is read from what was collected, and nothing can be changed")
        raise RefusedSelectError(f"cannot be read: {what}")
    if len(answer["statements"]) != 1:
        raise RefusedSelectError(f"holds {len(answer['statements'])} statements; ask one")
    return answer["statements"][0]["node"]


def _nodes(tree: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(tree, dict):
        yield tree
        for child in tree.values():
            yield from _nodes(child)
    elif isinstance(tree, list):
        for child in tree:
            yield from _nodes(child)


def _table(node: Mapping[str, Any], cte_names: Collection[str], views: Collection[str], tables: Collection[str]) -> tuple[str, str]:
    """The schema and the name of what a table reference names; of a CTE "" and its name."""
    schema, name = node.get("schema_name", "").lower(), node["table_name"].lower()
    if node.get("catalog_name") or node.get("at_clause"):
        raise RefusedSelectError(f'names "{node["table_name"]}" behind a catalog or at a time', reads=True)
    if schema == "fact":
        if name not in tables:
            raise RefusedSelectError(f'names table "fact.{name}", which is not there', unknown=name, is_of_facts=True, reads=True)
        return "fact", name
    if schema in ("", "main") and name in views:
        return "main", name
    if not schema and name in cte_names:
        return "", name
    raise RefusedSelectError(f'names view "{node["table_name"]}", which is not there', unknown=name, reads=True)


def _function(name: str) -> str:
    if name in _REFUSED:
        raise RefusedSelectError(f"calls {name}(), which asks for more than the rows, or changes something")
    return name
