"""Without which fact tables a view has no row."""

import pytest
import sqlglot
from sqlglot import exp

from auditor.authoring.catalog import required_by


@pytest.mark.parametrize(
    ("query", "tables"),
    [
        pytest.param("SELECT h.name AS name FROM fact.host AS h", {"host"}, id="one table"),
        pytest.param("SELECT h.name AS name FROM fact.host AS h JOIN fact.hba AS a ON a.host_id = h.host_id", {"host", "hba"}, id="a join"),
        pytest.param(
            "SELECT h.name AS name FROM fact.host AS h LEFT JOIN fact.hba AS a ON a.host_id = h.host_id", {"host"}, id="a left join"
        ),
        pytest.param("SELECT q.n AS n FROM (SELECT h.name AS n FROM fact.host AS h) AS q", {"host"}, id="a query within"),
        pytest.param("SELECT h.name AS n FROM fact.host AS h UNION ALL SELECT a.name AS n FROM fact.hba AS a", set(), id="either of two"),
        pytest.param("SELECT h.name AS n FROM fact.host AS h UNION ALL SELECT g.name AS n FROM fact.host AS g", {"host"}, id="both of one"),
        pytest.param("SELECT count(h.name) AS n FROM fact.host AS h", set(), id="a count has a row of its own"),
        pytest.param("SELECT h.name AS name, count(*) AS n FROM fact.host AS h GROUP BY h.name", {"host"}, id="a count for each group"),
        pytest.param("SELECT h.name AS name, count(*) AS n FROM fact.host AS h GROUP BY ROLLUP (h.name)", set(), id="a grand total"),
        pytest.param("SELECT 1 AS n", set(), id="no table"),
    ],
)
def test_a_table_is_required_only_where_no_row_can_be_without_it(query: str, tables: set[str]) -> None:
    parsed = sqlglot.parse_one(query, dialect="duckdb")
    assert isinstance(parsed, exp.Query)
    assert required_by(parsed) == tables
