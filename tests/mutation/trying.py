"""Runs tests with mistakes in views put in, in one process: only tests whose facts give other rows by a mistake can notice it.

Every test runs once as it is. Wherever it computes a view, those of the view's mutants that nothing noticed so far are computed over the
same rows as well, and the test runs again with each whose rows differ.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import duckdb
import pytest
from _pytest.runner import runtestprotocol

from auditor.facts.catalog import catalog
from auditor.facts.views import view_sql
from auditor.sql.statements import run
from tests.facts import prepared, single
from tests.mutation.bench import facts_named
from tests.mutation.view_mutants import ViewMutant

MOST_TESTS = 25
"""So many tests are tried on one mistake at most, besides those in files that are named after a view."""

_CREATE = re.compile(r"CREATE (?:table|view) (\w+) AS\n", re.IGNORECASE)


class Trying:
    """A plugin of pytest that takes the place of its loop over tests.

    Attributes:
        noticed: by view and mistake, the test that fails.
        failing: the tests that fail without a mistake; nothing can be learnt from them.
    """

    def __init__(self, mutants: Mapping[str, Sequence[ViewMutant]]) -> None:
        self.noticed: dict[tuple[str, str], str] = {}
        self.failing: list[str] = []
        self._mutants = mutants
        self._tried: dict[tuple[str, str], int] = {}
        self._differing: dict[str, dict[str, ViewMutant]] = {}
        self._known: dict[tuple[str, Any], list[ViewMutant]] = {}
        self._watching = False
        self._put_in: tuple[str, str] | None = None
        self._outdated = set[str]()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Look which rows differ in a test, then see whether it minds."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("auditor.facts.views.run", self._created)
            patch.setattr(prepared, "view_sql", self._text)
            patch.setattr(prepared._Prepared, "_make", self._made(prepared._Prepared._make))
            patch.setattr(single, "view_sql", self._text)
            patch.setattr(single, "_computed", self._computed(single._computed))
            for item in sorted(session.items, key=lambda item: not self._is_about_a_view(item)):
                self._try(item)
        return True

    def _is_about_a_view(self, item: pytest.Item) -> bool:
        """Whether a file of tests is named after a view with mistakes."""
        return any(view.removeprefix("step_") in item.path.stem for view in self._mutants)

    def _try(self, item: pytest.Item) -> None:
        self._differing, self._watching = {}, True
        passes = self._passes(item)
        self._watching = False
        if not passes:
            self.failing.append(item.nodeid)
            return
        for view, mutants in self._differing.items():
            for mutant in mutants.values():
                self._put(view, mutant.sql)
                self._tried[view, mutant.what] = self._tried.get((view, mutant.what), 0) + (not self._is_about_a_view(item))
                if not self._passes(item):
                    self.noticed[view, mutant.what] = item.nodeid
            self._put(view, None)

    def _put(self, view: str, sql: str | None) -> None:
        self._put_in = None if sql is None else (view, sql)
        self._outdated |= _with_all_above(view)

    def _passes(self, item: pytest.Item) -> bool:
        return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))

    def _text(self, view: str) -> str:
        """The text of a view, or the mistaken one that is put in."""
        return self._put_in[1] if self._put_in is not None and self._put_in[0] == view else view_sql(view)

    def _created(self, connection: duckdb.DuckDBPyConnection, sql: str, *more: Any) -> None:
        """In the place of `run` of the views of an audit."""
        created = _CREATE.match(sql)
        run(connection, created[0] + self._text(created[1]) if created is not None else sql, *more)
        if created is not None:
            self._compare(connection, created[1], created[1])

    def _made(self, make: Callable[[Any, str], None]) -> Callable[[Any, str], None]:
        """In the place of `_make` of the prepared database."""

        def made(database: Any, view: str) -> None:
            if view in self._outdated:
                database._of.pop(view, None)
                self._outdated.discard(view)
            make(database, view)
            self._compare(database._connection, view, view)

        return made

    def _computed(self, compute: Callable[[duckdb.DuckDBPyConnection, str], Any]) -> Callable[[duckdb.DuckDBPyConnection, str], Any]:
        """In the place of `_computed` of a view over rows that are put in."""

        def computed(connection: duckdb.DuckDBPyConnection, view: str) -> Any:
            self._compare(connection, view, f"({view_sql(view).strip().removesuffix(';')})")
            return compute(connection, view)

        return computed

    def _compare(self, connection: duckdb.DuckDBPyConnection, view: str, source: str) -> None:
        """Note the mutants of a view whose rows are others here than its own, which `source` gives."""
        if not self._watching or view not in self._mutants:
            return
        below = [*catalog().views[view].rests_on, *(f"fact.{table}" for table in sorted(facts_named(view)))]
        rows = view, tuple(_digest(connection, name) for name in below)
        left = [mutant for mutant in self._mutants[view] if self._is_open(view, mutant)]
        if rows not in self._known:
            own = _digest(connection, source)
            self._known[rows] = [mutant for mutant in left if _digest(connection, f"({mutant.sql})") != own]
        differing = self._differing.setdefault(view, {})
        differing.update((mutant.what, mutant) for mutant in self._known[rows] if self._is_open(view, mutant))

    def _is_open(self, view: str, mutant: ViewMutant) -> bool:
        return (view, mutant.what) not in self.noticed and self._tried.get((view, mutant.what), 0) < MOST_TESTS


@cache
def _with_all_above(view: str) -> frozenset[str]:
    """A view and all that rest on it."""
    above = {view}
    for name, about in catalog().views.items():
        if above.intersection(about.rests_on):
            above.add(name)
    return frozenset(above)


def _digest(connection: duckdb.DuckDBPyConnection, source: str) -> Any:
    """The rows of a source in few words; what cannot be computed has a digest of its own."""
    try:
        return connection.execute(f"SELECT count(*), sum(hash(t)) FROM {source} AS t").fetchone()
    except duckdb.Error:
        return "it cannot be computed"


TESTS = ("tests/facts", "tests/long/facts")
"""The tests that are about views."""

_LEFT_OUT = (
    "test_absurd_values",
    "test_column_texts",
    "test_digests",
    "test_picks_of_texts",
    "test_prepared",
    "test_snapshot",
    "test_snapshot_files",
    "test_spilling",
)
"""They are about files, memory and texts, or about how the tests ask, and hold whatever a view says."""


def try_tests(mutants: Mapping[str, Sequence[ViewMutant]], tests: Sequence[str] = TESTS) -> Trying:
    """Which of these mistakes make a test fail.

    Raises:
        ValueError: a file of tests cannot be read, or a test fails without a mistake, so that nothing could be learnt from it.
    """
    trying = Trying(mutants)
    ignored = [f"--ignore={folder}/{name}.py" for folder in TESTS for name in _LEFT_OUT]
    ended = pytest.main(
        ["-q", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", "--no-summary", *ignored, *tests], plugins=[trying]
    )
    if ended not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise ValueError(f"pytest ends with {ended!r}: do the tests {' '.join(tests)} run?")
    if trying.failing:
        raise ValueError(f"these tests fail without a mistake: {' '.join(trying.failing)}")
    return trying
