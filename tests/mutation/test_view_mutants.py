"""The mistakes that are made in views on purpose are those that authors make, each once."""

import duckdb
import pytest

from auditor.authoring.view_files import view_files
from auditor.facts.macros import create_macros
from auditor.facts.schema import create_tables
from tests.mutation.view_mutants import as_written, mutants_of_view


def mistakes(sql: str) -> list[str]:
    return [mutant.sql for mutant in mutants_of_view(sql)]


@pytest.mark.parametrize(
    ("sql", "mistake"),
    [
        pytest.param("SELECT max(depth) AS d FROM t", "SELECT MIN(depth) AS d FROM t", id="the other end of depths"),
        pytest.param("SELECT bool_or(capped) AS c FROM t", "SELECT BOOL_AND(CAST(capped AS BOOLEAN)) AS c FROM t", id="all instead of any"),
        pytest.param("SELECT a FROM t WHERE qos_read", "SELECT a FROM t", id="a guard that is a whole filter"),
        pytest.param("SELECT a FROM t WHERE x AND NOT is_virtual", "SELECT a FROM t WHERE x", id="a guard among others"),
        pytest.param("SELECT a FROM t WHERE NOT is_template", "SELECT a FROM t WHERE is_template", id="a filter turned round"),
        pytest.param("SELECT t.a FROM t JOIN u USING (e, domain_id)", "SELECT t.a FROM t JOIN u USING (e)", id="a key left out of USING"),
        pytest.param(
            "SELECT t.a FROM t JOIN u ON t.e = u.e AND t.h = u.h", "SELECT t.a FROM t JOIN u ON t.e = u.e", id="a key left out of ON"
        ),
        pytest.param("SELECT t.a FROM t LEFT JOIN u USING (e)", "SELECT t.a FROM t JOIN u USING (e)", id="rows without a match lost"),
        pytest.param("SELECT coalesce(a, b) AS c FROM t", "SELECT a AS c FROM t", id="a default left out"),
        pytest.param("SELECT count(*) FILTER (WHERE a) AS c FROM t", "SELECT COUNT(*) AS c FROM t", id="a count without its filter"),
        pytest.param("SELECT count(a) AS c FROM t", "SELECT COUNT(*) AS c FROM t", id="NULLs counted"),
        pytest.param("SELECT a < 4 AS c FROM t", "SELECT a <= 4 AS c FROM t", id="a boundary on the wrong side"),
        pytest.param("SELECT a * 1e3 AS c FROM t", "SELECT a * 1100.0 AS c FROM t", id="another number, written with an exponent"),
        pytest.param("SELECT CASE WHEN a THEN 1 ELSE 2 END AS c FROM t", "SELECT CASE WHEN a THEN 1 END AS c FROM t", id="ELSE left out"),
        pytest.param(
            "SELECT CASE WHEN a THEN 1 WHEN b THEN 2 END AS c FROM t", "SELECT CASE WHEN b THEN 2 END AS c FROM t", id="a branch left out"
        ),
        pytest.param("SELECT CASE WHEN qos_read THEN n END AS c FROM t", "SELECT n AS c FROM t", id="what was not read is taken as it is"),
        pytest.param("SELECT a FROM t UNION ALL SELECT a FROM u", "SELECT a FROM t", id="a part of a union left out"),
    ],
)
def test_a_mistake_that_authors_make_is_tried(sql: str, mistake: str) -> None:
    assert mistake in mistakes(sql)


@pytest.mark.long
def test_every_mistake_of_a_view_has_a_text_and_a_name_of_its_own() -> None:
    for name in ("protocol_endpoint", "step_endpoint_reading"):
        mutants = mutants_of_view(view_files()[name].sql)
        assert len({mutant.sql for mutant in mutants}) == len({mutant.what for mutant in mutants}) == len(mutants) > 50
        assert as_written(view_files()[name].sql) not in {mutant.sql for mutant in mutants}


def test_a_view_is_the_same_with_another_comment_and_layout() -> None:
    older = "-- materialize: table\n-- One row.\nSELECT a, -- the first\n  b FROM t /* x */ WHERE a = 1"
    newer = "-- Two rows, once.\nselect a,b from t\nwhere a=1"
    assert as_written(older) == as_written(newer)
    assert {mutant.what for mutant in mutants_of_view(older)} == {mutant.what for mutant in mutants_of_view(newer)}
    assert as_written(older) != as_written(newer.replace("1", "2"))


def test_views_mean_the_same_as_they_are_written_without_a_mistake() -> None:
    with duckdb.connect() as connection:
        create_tables(connection)
        create_macros(connection)
        for name in ("step_family", "step_option", "step_host_reading"):
            columns = [
                connection.execute(f"DESCRIBE {text.strip().removesuffix(';')}").fetchall()
                for text in (view_files()[name].sql, as_written(view_files()[name].sql))
            ]
            assert columns[0] == columns[1]
