"""Views that have no row because a fact table has none are made without being computed, and are the same as if they had been."""

from collections.abc import Iterator

import duckdb
import pytest

from auditor.facts.catalog import catalog
from auditor.facts.macros import create_macros
from auditor.facts.views import create_views, view_sql

from .fleets import builder, view
from .judged_fleet import facts

EMPTY_WITHOUT = {
    name: about.empty_without for name, about in catalog().views.items() if about.empty_without and about.materialize == "table"
}


@pytest.fixture(scope="module")
def of_no_facts() -> Iterator[tuple[duckdb.DuckDBPyConnection, duckdb.DuckDBPyConnection]]:
    """All views over no fact at all: as `create_views` makes them, and each by its own SQL."""
    made, computed = builder({}).so_far(), builder({}).so_far()
    create_views(made)
    create_macros(computed)
    for name, about in catalog().views.items():
        computed.execute(f"CREATE {about.materialize} {name} AS {view_sql(name)}")
    yield made, computed
    made.close()
    computed.close()


@pytest.mark.parametrize("name", EMPTY_WITHOUT)
def test_a_view_that_is_not_computed_has_the_columns_of_its_sql_and_no_row(
    of_no_facts: tuple[duckdb.DuckDBPyConnection, duckdb.DuckDBPyConnection], name: str
) -> None:
    made, computed = (connection.execute(f"DESCRIBE {name}").fetchall() for connection in of_no_facts)
    assert made == computed
    assert [connection.execute(f"SELECT count(*) FROM {name}").fetchone() for connection in of_no_facts] == [(0,), (0,)]


@pytest.mark.long
def test_only_what_no_view_with_rows_needs_is_left_out() -> None:
    """Hosts and an array without pools: views of hosts have rows, and what looks at pools has none."""
    connection = builder(facts()).so_far()
    create_views(connection)
    counts = {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone() for name in ("host", "protocol_endpoint", "array_pool")}
    assert counts == {"host": (2,), "protocol_endpoint": (4,), "array_pool": (0,)}


@pytest.mark.parametrize(
    ("table", "name"), [("host", "vmknic"), ("hba", "adapter"), ("array_volume", "array_volume"), ("vm", "virtual_disk")]
)
def test_a_view_has_no_row_without_a_table_that_it_is_empty_without(table: str, name: str) -> None:
    """By the view's own SQL, over a fleet that lacks this table alone."""
    assert table in EMPTY_WITHOUT[name]
    assert view(name, {kind: rows for kind, rows in facts().items() if kind != table}) == []
