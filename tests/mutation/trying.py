"""Runs tests with mistakes in views put in, in one process: only tests whose facts give other rows by a mistake can notice it.

First every test runs once as it is, and wherever it computes a view, the view's mutants are computed over the same rows as well. Then each
mutant is put in, and the tests where its rows differed run again until one fails.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import duckdb
import pytest
from _pytest.runner import runtestprotocol

from auditor.authoring.view_mutants import ViewMutant
from auditor.facts.catalog import catalog
from auditor.facts.memory import run
from tests.mutation.bench import facts_named

MOST_TESTS = 10
"""So many tests are tried on one mistake at most."""

_CREATE = re.compile(r"CREATE (?:table|view) (\w+) AS\n", re.IGNORECASE)


class Trying:
    """A plugin of pytest that takes the place of its loop over tests.

    Attributes:
        noticed: by view and mistake, the test that fails.
    """

    def __init__(self, mutants: Mapping[str, Sequence[ViewMutant]]) -> None:
        self.noticed: dict[tuple[str, str], str] = {}
        self.unsound: list[str] = []
        self._mutants = mutants
        self._where: dict[tuple[str, str], list[pytest.Item]] = {}
        self._known: dict[tuple[str, Any], list[str]] = {}
        self._current: pytest.Item | None = None
        self._put_in: tuple[str, str] | None = None

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Look where rows differ, then see which tests mind."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("auditor.facts.views.run", self._computed)
            for item in session.items:
                self._current = item
                if not self._passes(item):
                    self.unsound.append(item.nodeid)
            self._current = None
            for view, mutant in self._in_order():
                self._put_in = view, mutant.sql
                for item in self._candidates(view, mutant):
                    if item.nodeid not in self.unsound and not self._passes(item):
                        self.noticed[view, mutant.what] = item.nodeid
                        break
        return True

    def seen_nowhere(self) -> list[tuple[str, str]]:
        """The mistakes that change the rows of no test."""
        return [(view, mutant.what) for view, mutant in self._in_order() if (view, mutant.what) not in self._where]

    def _in_order(self) -> Iterator[tuple[str, ViewMutant]]:
        yield from ((view, mutant) for view, mutants in self._mutants.items() for mutant in mutants)

    def _candidates(self, view: str, mutant: ViewMutant) -> list[pytest.Item]:
        """The tests to try, those first that noticed others of the view."""
        fruitful = [test for (of, _), test in self.noticed.items() if of == view]
        return sorted(self._where.get((view, mutant.what), ()), key=lambda item: -fruitful.count(item.nodeid))[:MOST_TESTS]

    def _passes(self, item: pytest.Item) -> bool:
        return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))

    def _computed(self, connection: duckdb.DuckDBPyConnection, sql: str, *more: Any) -> None:
        created = _CREATE.match(sql)
        if created is not None and self._put_in is not None and self._put_in[0] == created[1]:
            sql = created[0] + self._put_in[1]
        run(connection, sql, *more)
        if created is not None and self._current is not None and created[1] in self._mutants:
            self._compare(connection, created[1], self._current)

    def _compare(self, connection: duckdb.DuckDBPyConnection, view: str, item: pytest.Item) -> None:
        """Note the mutants of a view whose rows are others here."""
        below = [*catalog().views[view].rests_on, *(f"fact.{table}" for table in sorted(facts_named(view)))]
        rows = view, tuple(_digest(connection, name) for name in below)
        if rows not in self._known:
            own = _digest(connection, view)
            self._known[rows] = [mutant.what for mutant in self._mutants[view] if _digest(connection, f"({mutant.sql})") != own]
        for what in self._known[rows]:
            where = self._where.setdefault((view, what), [])
            if item not in where and len(where) < 4 * MOST_TESTS:
                where.append(item)


def _digest(connection: duckdb.DuckDBPyConnection, source: str) -> Any:
    """The rows of a source in few words; what cannot be computed has a digest of its own."""
    try:
        return connection.execute(f"SELECT count(*), sum(hash(t)) FROM {source} AS t").fetchone()
    except duckdb.Error:
        return "it cannot be computed"


TESTS = ("tests/facts",)
"""The tests that are about views."""

_LEFT_OUT = ("test_spilling", "test_snapshot", "test_snapshot_files", "test_digests", "test_column_texts", "test_absurd_values")
"""They are about files and memory, and hold whatever a view says."""


def try_tests(mutants: Mapping[str, Sequence[ViewMutant]], tests: Sequence[str] = TESTS) -> Trying:
    """Which of these mistakes make a test fail."""
    trying = Trying(mutants)
    ignored = [f"--ignore=tests/facts/{name}.py" for name in _LEFT_OUT]
    pytest.main(
        ["-q", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", "--no-summary", *ignored, *tests], plugins=[trying]
    )
    return trying
