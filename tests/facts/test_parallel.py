"""Several statements at once on one database: in an order that holds, at the same time where they may, and no error lost."""

import threading
from collections.abc import Callable, Iterator

import duckdb
import pytest

from auditor.facts.parallel import as_they_rest, at_once

Task = Callable[[duckdb.DuckDBPyConnection], int]


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute("SET threads = 2")
        yield opened


def table(cursor: duckdb.DuckDBPyConnection, name: str) -> None:
    """A table `n` is one more than all the tables before it that it is made from."""
    below = {"b": "a", "c": "b", "d": "c"}.get(name)
    cursor.execute(f"CREATE TABLE {name} AS " + (f"SELECT n + 1 AS n FROM {below}" if below else "SELECT 1 AS n"))


@pytest.mark.parametrize("threads", [1, 2])
def test_nothing_is_made_before_what_it_rests_on(connection: duckdb.DuckDBPyConnection, threads: int) -> None:
    connection.execute(f"SET threads = {threads}")
    as_they_rest(connection, {"d": {"c"}, "c": {"b"}, "x": set(), "b": {"a"}, "a": set()}, table, table)
    assert connection.execute("SELECT d.n, x.n FROM d, x").fetchone() == (4, 1)


def test_what_rests_on_something_unnamed_is_not_begun(connection: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(ValueError, match=r"\['b'\]"):
        as_they_rest(connection, {"a": set(), "c": {"b"}}, table, table)
    assert connection.execute("SELECT count(*) FROM duckdb_tables()").fetchone() == (0,)


def test_what_does_not_rest_on_each_other_is_made_at_once(connection: duckdb.DuckDBPyConnection) -> None:
    both = threading.Barrier(2)

    def meet(_cursor: duckdb.DuckDBPyConnection, _name: str) -> None:
        both.wait(timeout=30)

    as_they_rest(connection, {"a": set(), "b": set()}, meet, meet)
    assert not both.broken


def test_after_an_error_nothing_is_begun_that_rests_on_it_and_the_error_is_raised(connection: duckdb.DuckDBPyConnection) -> None:
    begun = []

    def make(cursor: duckdb.DuckDBPyConnection, name: str) -> None:
        begun.append(name)
        cursor.execute("SELECT no_such_column")

    with pytest.raises(duckdb.BinderException):
        as_they_rest(connection, {"a": set(), "b": {"a"}}, make, make)
    assert begun == ["a"]


def test_what_runs_out_of_memory_beside_others_is_made_by_itself_and_so_is_the_largest(connection: duckdb.DuckDBPyConnection) -> None:
    at_work: list[str] = []
    alone: list[tuple[str, list[str]]] = []

    def beside(cursor: duckdb.DuckDBPyConnection, name: str) -> None:
        if name == "wide":
            raise duckdb.OutOfMemoryException("320.0 MiB used")
        at_work.append(name)
        cursor.execute(f"CREATE TABLE {name} AS SELECT sum(n) AS n FROM range(100000) AS t (n)")
        at_work.remove(name)

    def by_itself(cursor: duckdb.DuckDBPyConnection, name: str) -> None:
        alone.append((name, list(at_work)))
        cursor.execute(f"CREATE TABLE {name} AS FROM narrow")

    rests_on = {"wide": set[str](), "huge": {"narrow"}, "narrow": set[str](), "last": {"huge", "wide"}}
    as_they_rest(connection, rests_on, beside, by_itself, largest={"huge"})
    assert sorted(alone) == [("huge", []), ("wide", [])]
    assert connection.execute("SELECT count(*) FROM duckdb_tables()").fetchone() == (4,)


def test_tasks_at_once_answer_in_their_order(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("CREATE TABLE told (n INTEGER)")
    both = threading.Barrier(2)

    def adding(n: int) -> Task:
        def add(cursor: duckdb.DuckDBPyConnection) -> int:
            both.wait(timeout=30)
            cursor.execute("INSERT INTO told SELECT unnest(range(1000))")
            return n

        return add

    assert at_once(connection, [adding(n) for n in range(6)]) == list(range(6))
    assert connection.execute("SELECT count(*) FROM told").fetchone() == (6000,)


def test_of_several_errors_the_first_tasks_is_raised(connection: duckdb.DuckDBPyConnection) -> None:
    second_failed = threading.Event()

    def first(_cursor: duckdb.DuckDBPyConnection) -> int:
        second_failed.wait(timeout=30)
        raise ValueError("first")

    def second(_cursor: duckdb.DuckDBPyConnection) -> int:
        second_failed.set()
        raise ValueError("second")

    with pytest.raises(ValueError, match="first"):
        at_once(connection, [first, second])


def test_what_takes_long_is_ended_when_another_fails(connection: duckdb.DuckDBPyConnection) -> None:
    at_work = threading.Event()
    ended: list[str] = []

    def failing(_cursor: duckdb.DuckDBPyConnection) -> int:
        at_work.wait(timeout=30)
        raise ValueError("enough")

    def long(cursor: duckdb.DuckDBPyConnection) -> int:
        at_work.set()
        threading.Event().wait(0.2)  # the other fails while this one is between two statements
        try:
            cursor.execute("SELECT sum(a.n * b.n) FROM range(60000) AS a (n), range(60000) AS b (n)").fetchall()
        except duckdb.InterruptException as interrupted:
            ended.append(str(interrupted))
            raise
        return 0

    with pytest.raises(ValueError, match="enough"):
        at_once(connection, [failing, long])
    assert len(ended) == 1
