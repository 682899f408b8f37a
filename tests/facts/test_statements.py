"""Statements are parsed once in a process, and are the same each time that they run."""

from collections.abc import Iterator

import duckdb
import pytest

from auditor.sql import statements as memory


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


def test_a_statement_that_was_parsed_for_another_database_answers_for_this_one(connection: duckdb.DuckDBPyConnection) -> None:
    text = "SELECT n + $more FROM given -- of a test"
    with duckdb.connect() as other:
        other.execute("CREATE TABLE given AS SELECT 'text' AS word, CAST(1.5 AS DOUBLE) AS n")
        assert memory.execute(other, text, {"more": 1}).fetchall() == [(2.5,)]
    connection.execute("CREATE TABLE given AS SELECT CAST(7 AS BIGINT) AS n")
    assert memory.execute(connection, text, {"more": 2}).fetchall() == [(9,)]
    assert memory.execute(connection, text, {"more": 0.5}).fetchall() == [(7.5,)]
    assert memory.parsed(connection, text) is memory.parsed(connection, text)


def test_text_that_is_no_sql_is_refused_each_time(connection: duckdb.DuckDBPyConnection) -> None:
    for _ in range(2):
        with pytest.raises(duckdb.ParserException):
            memory.execute(connection, "SELECT FROM WHERE")


def test_only_the_statements_that_were_used_last_are_kept(connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_statements", {})
    monkeypatch.setattr(memory, "_KEPT_STATEMENTS", 2)
    kept = memory.parsed(connection, "SELECT 1")
    memory.parsed(connection, "SELECT 2")
    assert memory.parsed(connection, "SELECT 1") is kept
    memory.parsed(connection, "SELECT 3")
    assert memory.parsed(connection, "SELECT 1") is kept, "SELECT 2 was used longer ago"
    assert len(memory._statements) == 2
