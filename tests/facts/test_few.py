"""Few facts are joined by one thread in the order that views are written in; many are left to DuckDB's own plans."""

import duckdb
import pytest

from auditor.facts.few import FEW_ROWS, plan_for_few_facts
from auditor.facts.schema import create_tables


@pytest.mark.parametrize(
    ("devices", "paths", "optimizers_off"),
    [
        pytest.param(0, 0, "join_order", id="nothing"),
        pytest.param(FEW_ROWS // 2, FEW_ROWS // 2, "join_order", id="as many as are few"),
        pytest.param(FEW_ROWS // 2, FEW_ROWS // 2 + 1, "", id="one more"),
    ],
)
def test_only_few_facts_change_how_duckdb_plans(devices: int, paths: int, optimizers_off: str) -> None:
    with duckdb.connect() as connection:
        create_tables(connection)
        before = connection.execute("SELECT current_setting('threads')").fetchone()
        for table, rows in (("device", devices), ("path", paths)):
            connection.execute(f"INSERT INTO fact.{table} (device) SELECT 'naa.1' FROM range({rows})")
        plan_for_few_facts(connection)
        assert connection.execute("SELECT current_setting('disabled_optimizers')").fetchone() == (optimizers_off,)
        assert connection.execute("SELECT current_setting('threads')").fetchone() == ((1,) if optimizers_off else before)
