"""Finds the columns and params that an expression names, with sqlglot."""

from __future__ import annotations

from dataclasses import dataclass


class ExpressionError(Exception):
    """What is wrong with an expression, in words that follow the name of its key."""


@dataclass(frozen=True, slots=True)
class Names:
    """What an expression names, each once and in the order of first mention."""

    columns: tuple[str, ...]  # lower case: DSNRO and dsnro are one column for DuckDB
    params: tuple[str, ...]


def names_in(text: str) -> Names:
    """Read one scalar expression.

    Raises:
        ExpressionError: it does not parse, or holds a statement, a subquery, an aggregate, a window, a star, a lambda or a name with dots.
    """
    import sqlglot
    from sqlglot import expressions as sql
    from sqlglot.errors import SqlglotError

    refused = (
        ((sql.Subquery, sql.Query), "holds a subquery; compute it in a view and name its column here"),
        ((sql.AggFunc, sql.Window, sql.Filter), "holds an aggregate or a window; compute it in a view and name its column here"),
        ((sql.Star, sql.Columns), "holds a star; name the columns"),
        ((sql.Lambda, sql.Comprehension), "holds a lambda; compute it in a view and name its column here"),
        ((sql.Alias,), "holds two expressions side by side, or gives one a name; an expression is wanted"),
    )
    try:
        # Behind SELECT, a column called `load` is not the beginning of a statement.
        statements = sqlglot.parse(f"SELECT {text}\n", dialect="duckdb")
    except SqlglotError as failure:
        raise ExpressionError(f"does not parse: {_first_line(failure)}") from failure
    select = statements[0] if len(statements) == 1 else None
    if not isinstance(select, sql.Select) or [name for name, value in select.args.items() if value] != ["expressions"]:
        raise ExpressionError("holds a statement; an expression is wanted")
    if len(select.expressions) != 1:
        raise ExpressionError("holds several expressions; one is wanted")
    tree = select.expressions[0]
    for kinds, complaint in refused:
        if tree.find(*kinds):
            raise ExpressionError(complaint)
    columns, params = [], []
    for node in tree.find_all(sql.Column, sql.Placeholder, sql.Parameter, bfs=False):
        if isinstance(node, sql.Column):
            if node.table:
                raise ExpressionError(f'names "{node.sql(dialect="duckdb")}" with a dot; a row has plain columns only')
            columns.append(node.name.lower())
        else:
            params.append(_param_name(node.name))
    return Names(tuple(dict.fromkeys(columns)), tuple(dict.fromkeys(params)))


def _param_name(name: str) -> str:
    if not name or name.isdigit():
        raise ExpressionError("holds a placeholder without a name; write $name and list it under params")
    return name


def _first_line(failure: Exception) -> str:
    return str(failure).splitlines()[0].rstrip(".")
