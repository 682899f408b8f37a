"""Checks a query of a person: one SELECT over the views, the facts and the findings, and nothing that reaches further."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from auditor.bounds.process import too_large
from auditor.engine.sandbox import sandbox
from auditor.engine.verdicts import STORED
from auditor.errors import ConfigurationError
from auditor.facts.catalog import all_view_columns
from auditor.facts.schema import TABLES
from auditor.sql.select_guard import RefusedSelectError, checked_select
from auditor.yaml.reading import did_you_mean

if TYPE_CHECKING:
    import duckdb

FINDING = "finding"
"""The table of a run's findings."""
_WHY = "the query was not run."
_DO = "`auditor rules schema` lists the views, `auditor rules schema VIEW` their columns."
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
    known = {**dict.fromkeys(all_view_columns()), **({FINDING: None} if findings else {})}
    try:
        with sandbox() as connection:
            checked = checked_select(connection, text, views=known, tables=TABLES)
    except RefusedSelectError as refused:
        raise _refused(refused.what + _hint(refused, known), **({"do": _DO} if refused.reads else {})) from None
    for name in sorted(checked.functions - _functions()):
        raise _refused(f"calls {name}(), which DuckDB does not have{did_you_mean(name, _functions())}")
    views = {view: checked.columns_of(all_view_columns()[view]) for view in sorted(checked.views - {FINDING})}
    return Question(text, views, findings)


def _hint(refused: RefusedSelectError, known: Collection[str]) -> str:
    """What somebody may have meant by a name that is not there."""
    if refused.unknown is None:
        return ""
    if refused.is_of_facts:
        return did_you_mean(refused.unknown, TABLES)
    return f"; did you mean fact.{refused.unknown}?" if refused.unknown in TABLES else did_you_mean(refused.unknown, known)


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
    named = {name for view in checked.views for name in all_view_columns()[view]} | (set(STORED) if checked.findings else set())
    views = ", ".join(checked.views)
    return _refused(
        f'names column "{column}", which is not there{did_you_mean(column, named)}',
        do=f"`auditor rules schema {next(iter(checked.views))}` lists the columns of {views}." if views else _DO,
    )


def _reason(text: str) -> str:
    """The first line of what DuckDB says, without the kind of error."""
    first = text.splitlines()[0].partition("Error: ")
    return first[2] or first[0]


@cache
def _functions() -> frozenset[str]:
    with sandbox() as connection:
        wanted = "function_type IN ('scalar', 'aggregate', 'macro')"
        rows = connection.execute(f"SELECT DISTINCT function_name FROM duckdb_functions() WHERE {wanted}").fetchall()  # noqa: S608  words of this module
    # These are written as functions and known to the parser alone.
    return frozenset(row[0] for row in rows) | {"unnest", "row", "grouping", "struct_pack", "count_star"}


def _refused(what: str, do: str = "correct the query.") -> ConfigurationError:
    return ConfigurationError(f"the query {what}", why=_WHY, do=do)
