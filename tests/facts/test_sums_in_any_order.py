"""A sum or mean of measured numbers is the same in whatever order its rows were read: two audits of the same facts say the same.

DuckDB adds DOUBLEs one after another, and the last digits depend on the order, with `fsum` too. So a view gives the order:
`sum(iops ORDER BY iops)`.
"""

import json
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from auditor.facts.catalog import catalog, with_dependencies
from auditor.facts.macros import create_macros
from auditor.facts.schema import create_tables
from auditor.facts.views import view_sql
from auditor.sql.statements import run

IN_ANY_ORDER = {"any_value", "arg_max", "arg_min", "count", "max", "median", "min", "quantile_cont"}
"""Aggregates of DOUBLEs that come to the same in any order; which value `any_value` takes is held by test_picks.py."""


def referred(part: Any) -> set[int]:
    """The columns, by their place, that an expression in a plan of DuckDB rests on."""
    if isinstance(part, list):
        return set[int]().union(*map(referred, part))
    if not isinstance(part, dict):
        return set()
    own = {part["index"]} if part.get("expression_class") == "BOUND_REF" else set()
    return own.union(*map(referred, part.values()))


def unordered(plan: Any) -> Iterator[str]:
    """Each function in a plan of DuckDB that adds up DOUBLEs, but is not told an order by all it adds. A list has its own order."""
    if isinstance(plan, dict):
        if plan.get("expression_class") in {"BOUND_AGGREGATE", "BOUND_WINDOW"}:
            name = (plan.get("qname") or {"path": ["none"]})["path"][-1]
            types = {one.get("return_type", {}).get("id") for one in plan["children"]}
            if "DOUBLE" in types and name not in IN_ANY_ORDER and not referred(plan["children"]) <= referred(plan.get("order_bys")):
                yield name
        plan = [value for name, value in plan.items() if name != "function_data"]
    if isinstance(plan, list):
        for one in plan:
            yield from unordered(one)


def in_no_order(connection: duckdb.DuckDBPyConnection, statement: str) -> set[str]:
    """The functions by which `statement` adds up DOUBLEs in the order in which it meets them."""
    [(answer,)] = connection.execute("SELECT json_serialize_plan(?)", [statement]).fetchall()
    plan = json.loads(answer)
    assert not plan["error"], plan
    return set(unordered(plan["plans"]))


@pytest.mark.long
def test_no_view_adds_up_measured_numbers_in_the_order_of_their_rows() -> None:
    connection = duckdb.connect()
    create_tables(connection)
    create_macros(connection)
    found = dict[str, set[str]]()
    for name in with_dependencies(catalog().views):
        found[name] = in_no_order(connection, view_sql(name))
        run(connection, f"CREATE TABLE {name} AS\n{view_sql(name)}")
    assert len(found) > 150
    assert {name: functions for name, functions in found.items() if functions} == {}


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("sum(x)", {"sum"}),
        ("fsum(x)", {"fsum"}),
        ("avg(x) FILTER (WHERE n > 0)", {"avg"}),
        ("sum(x) OVER (PARTITION BY n)", {"sum"}),
        ("sum(x * y ORDER BY x)", {"sum"}),
        ("sum(x * y ORDER BY x, y)", set()),
        ("sum(n)", set()),
        ("max(x)", set()),
        ("list_sum([0.1::DOUBLE, 0.2])", set()),
    ],
)
def test_what_has_no_order_is_seen(expression: str, found: set[str]) -> None:
    rows = "SELECT i * 0.5::DOUBLE AS x, i * 0.1::DOUBLE AS y, i AS n FROM range(3) AS t(i)"
    assert in_no_order(duckdb.connect(), f"SELECT {expression} FROM ({rows})") == found


def test_ordered_sums_are_the_same_in_any_order_and_others_are_not() -> None:
    percents = [12.1, 8.3, 6.7, 2.9, 0.1] * 7
    ordered, plain = set[float](), set[float]()
    for order in (percents, percents[::-1], sorted(percents), sorted(percents, reverse=True)):
        [sums] = duckdb.execute("SELECT sum(x ORDER BY x), sum(x) FROM unnest(?::DOUBLE[]) AS t(x)", [order]).fetchall()
        ordered.add(sums[0])
        plain.add(sums[1])
    assert len(ordered) == 1
    assert len(plain) > 1
