"""Checks a query of a person: one SELECT over the views, the facts and the findings, and nothing that reaches further.

Everything that is not known to be harmless is refused. Behind this stands `facts.views.seal`: DuckDB itself reads no other file and no
network then.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from auditor.bounds.process import too_large
from auditor.engine.sandbox import sandbox
from auditor.engine.verdicts import STORED
from auditor.errors import ConfigurationError
from auditor.facts.catalog import view_columns
from auditor.facts.schema import TABLES
from auditor.yaml.reading import did_you_mean

if TYPE_CHECKING:
    import duckdb

FINDING = "finding"
"""The table of a run's findings."""
_WHY = "the query was not run."
_DO = "`auditor rules schema` lists the views, `auditor rules schema VIEW` their columns."
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
_NO_COLUMN = re.compile(r'Referenced column "([^"]+)"|does not have a column named "([^"]+)"')


@dataclass(frozen=True, slots=True)
class Question:
    """A SELECT that may be run."""

    text: str
    views: Mapping[str, tuple[str, ...]]  # judged views it names, each with those of its columns it may name
    findings: bool = False  # it may name the table of findings


def question(text: str, *, findings: bool) -> Question:
    """Check one statement.

    Args:
        text: SQL.
        findings: there is a table of findings.

    Raises:
        ConfigurationError: it is not one SELECT, names a table that is not there, or calls what reaches beyond the rows.
    """
    tree = _parsed(text)
    own = {entry["key"].lower() for node in _nodes(tree) if "cte_map" in node for entry in node["cte_map"]["map"]}
    known = {**dict.fromkeys(view_columns()), **({FINDING: None} if findings else {})}
    names: set[str] = set()
    for node in _nodes(tree):
        kind = node.get("type", "")
        if not isinstance(kind, str):  # of a value, or of a sample size: a type of its own
            continue
        if kind.endswith("_NODE") and kind not in _QUERIES:
            raise _refused("writes; a query only reads rows")
        if kind == "SHOW_REF":
            raise _refused("asks for SHOW, DESCRIBE or SUMMARIZE", do=_DO)
        if kind == "TABLE_FUNCTION" and node["function"]["function_name"] not in _TABLE_FUNCTIONS:
            raise _refused(f"reads from {node['function']['function_name']}(), which is not a view", do=_DO)
        if kind == "BASE_TABLE":
            names |= _table(node, own, known)
        if node.get("class") == "FUNCTION" and kind != "TABLE_FUNCTION":
            _check_function(node["function_name"])
        if node.get("class") == "PARAMETER":
            raise _refused("holds a parameter; write the value itself")
    return Question(text, {view: _named_of(view, tree) for view in sorted(names)}, findings)


def about_failure(failure: duckdb.Error, checked: Question) -> ConfigurationError:
    """The error for a query that DuckDB refused or could not finish."""
    import duckdb

    text = str(failure)
    if isinstance(failure, duckdb.OutOfMemoryException):
        return too_large(_reason(text))
    match = _NO_COLUMN.search(text)
    if match is None:
        return _refused(f"is refused by DuckDB: {_reason(text)}")
    column = match[1] or match[2]
    named = {name for view in checked.views for name in view_columns()[view]} | (set(STORED) if checked.findings else set())
    views = ", ".join(checked.views)
    return _refused(
        f'names column "{column}", which is not there{did_you_mean(column, named)}',
        do=f"`auditor rules schema {next(iter(checked.views))}` lists the columns of {views}." if views else _DO,
    )


def _reason(text: str) -> str:
    """The first line of what DuckDB says, without the kind of error."""
    first = text.splitlines()[0].partition("Error: ")
    return first[2] or first[0]


def _parsed(text: str) -> Any:
    with sandbox() as connection:
        row = connection.execute("SELECT json_serialize_sql(?)", [text]).fetchone()
    answer: dict[str, Any] = json.loads(row[0]) if row else {"error": True}
    if answer["error"]:
        what = str(answer.get("error_message", "no statement")).splitlines()[0]
        if "Only SELECT" in what:
            raise _refused("is not a SELECT; the answer is read from what was collected, and nothing can be changed")
        raise _refused(f"cannot be read: {what}")
    if len(answer["statements"]) != 1:
        raise _refused(f"holds {len(answer['statements'])} statements; ask one")
    return answer["statements"][0]["node"]


def _nodes(tree: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(tree, dict):
        yield tree
        for child in tree.values():
            yield from _nodes(child)
    elif isinstance(tree, list):
        for child in tree:
            yield from _nodes(child)


def _table(node: Mapping[str, Any], own: Collection[str], known: Collection[str]) -> set[str]:
    """The judged view a table reference names, if it names one."""
    schema, name = node.get("schema_name", "").lower(), node["table_name"].lower()
    if node.get("catalog_name") or node.get("at_clause"):
        raise _refused(f'names "{node["table_name"]}" behind a catalog or at a time', do=_DO)
    if schema == "fact":
        if name not in TABLES:
            raise _refused(f'names table "fact.{name}", which is not there{did_you_mean(name, TABLES)}', do=_DO)
        return set()
    if schema in ("", "main") and name in known:
        return {name} - {FINDING}
    if not schema and name in own:
        return set()
    hint = f"; did you mean fact.{name}?" if name in TABLES else did_you_mean(name, known)
    raise _refused(f'names view "{node["table_name"]}", which is not there{hint}', do=_DO)


def _check_function(name: str) -> None:
    if name in _REFUSED:
        raise _refused(f"calls {name}(), which asks for more than the rows, or changes something")
    if name not in _functions():
        raise _refused(f"calls {name}(), which DuckDB does not have{did_you_mean(name, _functions())}")


@cache
def _functions() -> frozenset[str]:
    with sandbox() as connection:
        wanted = "function_type IN ('scalar', 'aggregate', 'macro')"
        rows = connection.execute(f"SELECT DISTINCT function_name FROM duckdb_functions() WHERE {wanted}").fetchall()  # noqa: S608  words of this module
    # These are written as functions and known to the parser alone.
    return frozenset(row[0] for row in rows) | {"unnest", "row", "grouping", "struct_pack", "count_star"}


def _named_of(view: str, tree: Any) -> tuple[str, ...]:
    """The columns of `view` that a query may name: by their word alone, or all where there is a star."""
    columns = view_columns()[view]
    if any(node.get("class") == "STAR" for node in _nodes(tree)):
        return tuple(columns)
    words = {word.lower() for node in _nodes(tree) if node.get("class") == "COLUMN_REF" for word in node["column_names"]}
    words |= {word.lower() for node in _nodes(tree) for word in node.get("using_columns") or ()}
    return tuple(column for column in columns if column in words)


def _refused(what: str, do: str = "correct the query.") -> ConfigurationError:
    return ConfigurationError(f"the query {what}", why=_WHY, do=do)
