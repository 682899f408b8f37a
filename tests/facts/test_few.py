"""Few facts are joined as the views are written, and some more by one thread; many are left to DuckDB's own plans."""

import duckdb
import pytest

from auditor.facts.catalog import catalog, with_dependencies
from auditor.facts.schema import create_tables
from auditor.facts.views import create_views
from auditor.sql.query_planning import FEW_ROWS, ONE_THREAD_ROWS, plan_for_few_facts


@pytest.mark.parametrize(
    ("devices", "paths", "few", "threads"),
    [
        pytest.param(0, 0, True, 1, id="nothing"),
        pytest.param(FEW_ROWS // 2, FEW_ROWS // 2, True, 1, id="as many as are few"),
        pytest.param(FEW_ROWS // 2, FEW_ROWS // 2 + 1, False, 1, id="one more"),
        pytest.param(FEW_ROWS, ONE_THREAD_ROWS - FEW_ROWS, False, 1, id="as many as one thread joins"),
        pytest.param(FEW_ROWS + 1, ONE_THREAD_ROWS - FEW_ROWS, False, 2, id="one more than that"),
    ],
)
def test_only_few_facts_change_how_duckdb_plans_and_runs(devices: int, paths: int, few: bool, threads: int) -> None:
    with duckdb.connect() as connection:
        create_tables(connection)
        connection.execute("SET threads = 2")
        for table, rows in (("device", devices), ("path", paths)):
            connection.execute(f"INSERT INTO fact.{table} (device) SELECT 'naa.1' FROM range({rows})")
        assert plan_for_few_facts(connection) is few
        [(off,)] = connection.execute("SELECT current_setting('disabled_optimizers')").fetchall()
        assert ("join_order" in off.split(",")) is few
        assert bool(off) is few
        assert connection.execute("SELECT current_setting('threads')").fetchone() == (threads,)


def test_two_lists_with_a_condition_are_joined_and_not_multiplied() -> None:
    """As somebody's query over a small fleet may have them: 5,000 devices twice are 25 million pairs."""
    with duckdb.connect() as connection:
        create_tables(connection)
        plan_for_few_facts(connection)
        joined = "SELECT 1 FROM fact.device AS one, fact.path AS two WHERE one.device = two.device"
        [(_, plan)] = connection.execute(f"EXPLAIN {joined}").fetchall()
        assert "Hash Join" in plan


@pytest.mark.long
@pytest.mark.parametrize("few", [pytest.param(True, id="few"), pytest.param(False, id="many")])
def test_a_view_of_few_facts_is_a_table_and_of_many_what_its_file_says(few: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not few:
        monkeypatch.setattr("auditor.sql.query_planning.FEW_ROWS", -1)
    wanted = {"path_policy", "baseline_option"}
    with duckdb.connect() as connection:
        create_tables(connection)
        create_views(connection, views=wanted)
        views = {name for (name,) in connection.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()}
    assert views == (set() if few else {name for name in with_dependencies(wanted) if catalog().views[name].materialize == "view"})
    assert few or wanted <= views
