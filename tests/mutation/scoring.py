"""The scores of views: of the mistakes that are tried, how many something notices; kept so that only views that changed are tried again."""

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random

import duckdb

from auditor.authoring.view_files import view_files
from tests.mutation.incidents import incident_views
from tests.mutation.noticing import Noticing
from tests.mutation.one_file import add, reasons, values
from tests.mutation.python.scoring import section as python_section
from tests.mutation.trying import TESTS, try_tests
from tests.mutation.view_mutants import ViewMutant, as_written, mutants_of_view

KEPT = Path(__file__).with_name("scores.json")
"""The scores, by view."""

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "mutation-scores.md"
ALIKE = Path(__file__).with_name("alike.json")
"""By view and mistake: why it makes no difference to any row that there can be."""

FEW_FILES = 3
"""So many files of tests are run for each view where few are to be run."""

OF_INCIDENTS, OF_ANY = 90, 80
"""The percentages that a view that judges an incident, and any other, is to reach."""


@dataclass(frozen=True)
class Score:
    """What became of the mistakes that were tried in one view.

    Attributes:
        digest: of its text without comment and layout.
        mistakes: how many can be made in it.
        tried: how many of these were, chosen at random; those that no SQL can be, or that are known to make no difference, are left out.
        by_tests: how many a test noticed.
        by_laws: how many more the expected findings of a scenario, or a law, noticed.
        missed: the others.
        files: where the tests that noticed are, those first that noticed most; these are run again when the view changes.
    """

    digest: str
    mistakes: int
    tried: int
    by_tests: int
    by_laws: int
    missed: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    @property
    def percent(self) -> float:
        """Of those tried; 100 where there are none."""
        return 100.0 * (self.by_tests + self.by_laws) / self.tried if self.tried else 100.0


def digest(view: str) -> str:
    """The digest of a view's text, comment and layout left out."""
    return hashlib.sha256(as_written(view_files()[view].sql).encode()).hexdigest()[:16]


def kept() -> dict[str, Score]:
    """The scores as they were written last."""
    return {view: Score(**score) for view, score in values(KEPT).items()}


def changed() -> list[str]:
    """The views whose text has no score."""
    known = kept()
    return [view for view in view_files() if view not in known or known[view].digest != digest(view)]


def tests_of(views: Collection[str]) -> Sequence[str]:
    """The files of tests that noticed most mistakes in each of these views before, as far as they are still there."""
    known = kept()
    return sorted({file for view in views if view in known for file in known[view].files[:FEW_FILES] if (ROOT / file).exists()})


def sample(view: str, most: int) -> tuple[list[ViewMutant], int]:
    """So many mistakes at most, always the same of a text; and how many there are."""
    alike = reasons(ALIKE).get(view, {})
    every = [mutant for mutant in mutants_of_view(view_files()[view].sql) if mutant.what not in alike]
    return (Random(view).sample(every, most) if 0 < most < len(every) else every), len(every)


def score(views: Collection[str], most: int, tests: Sequence[str] = TESTS, *, laws: bool = True) -> dict[str, Score]:
    """Try up to `most` mistakes in each of these views on these tests, and what they do not notice on the laws; 0: all."""
    chosen = {view: sample(view, most) for view in views}
    usable = {view: [mutant for mutant in mutants if can_be_computed(view, mutant)] for view, (mutants, _) in chosen.items()}
    by_tests = try_tests(usable, tests).noticed
    left = {view: [mutant for mutant in mutants if (view, mutant.what) not in by_tests] for view, mutants in usable.items()}
    missed = by_laws(left) if laws else {view: [mutant.what for mutant in mutants] for view, mutants in left.items()}
    return {
        view: Score(
            digest(view),
            chosen[view][1],
            len(usable[view]),
            len(usable[view]) - len(left[view]),
            len(left[view]) - len(missed[view]),
            missed[view],
            [file for file, _ in Counter(test.partition("::")[0] for (of, _), test in by_tests.items() if of == view).most_common()],
        )
        for view in views
    }


def by_laws(mutants: Mapping[str, Sequence[ViewMutant]]) -> dict[str, list[str]]:
    """Of each view, the mistakes that neither an expected finding nor a law notices."""
    noticing = Noticing()
    return {view: [mutant.what for mutant in several if noticing.notices(view, mutant.sql) is None] for view, several in mutants.items()}


def can_be_computed(view: str, mutant: ViewMutant) -> bool:
    """Whether it is SQL over the tables that there are: any other mistake is noticed by the person who makes it."""
    try:
        _empty().execute(f'EXPLAIN CREATE OR REPLACE TABLE "{view}" AS\n{mutant.sql}')
    except duckdb.Error:
        return False
    return True


_EMPTY: list[duckdb.DuckDBPyConnection] = []


def _empty() -> duckdb.DuckDBPyConnection:
    """All views over facts without rows."""
    if not _EMPTY:
        from auditor.facts.catalog import catalog
        from auditor.facts.macros import create_macros
        from auditor.facts.schema import create_tables
        from auditor.facts.views import view_sql

        connection = duckdb.connect()
        connection.execute("PRAGMA disable_optimizer")
        create_tables(connection)
        create_macros(connection)
        for name in catalog().views:
            connection.execute(f'CREATE TABLE "{name}" AS\n{view_sql(name).strip().removesuffix(";")}\nWITH NO DATA')
        _EMPTY.append(connection)
    return _EMPTY[0]


def keep(scores: Mapping[str, Score]) -> None:
    """Write the scores, and the page of all; those of views that are gone are dropped."""
    add(KEPT, {view: asdict(score) for view, score in scores.items()}, view_files())
    write_page()


def write_page() -> None:
    """Write the page of the scores that are kept."""
    PAGE.write_text(page(kept()), encoding="utf-8")


def wanted(view: str) -> int:
    """The percentage that a view is to reach."""
    return OF_INCIDENTS if view in incident_views() else OF_ANY


def table(scores: Mapping[str, Score]) -> list[str]:
    """A line for each view."""
    rows = ["| view | mistakes | tried | noticed by tests | by scenarios and laws | score | wanted |", "|---|---|---|---|---|---|---|"]
    for view, one in sorted(scores.items(), key=lambda item: (-wanted(item[0]), item[0])):
        figures = f"{one.mistakes} | {one.tried} | {one.by_tests} | {one.by_laws} | {one.percent:.0f} % | {wanted(view)} %"
        older = "" if view not in view_files() or one.digest == digest(view) else ", as it was before it changed"
        rows.append(f"| `{view}`{older} | {figures} |")
    return rows


def page(scores: Mapping[str, Score]) -> str:
    """The page of the scores."""
    short = {view: one for view, one in scores.items() if one.percent < wanted(view)}
    text = [
        "# Which mistakes are noticed",
        "",
        "## Mistakes in views",
        "",
        "`make mutation-scores` makes one mistake at a time in the SQL of a view (a key of a join left out, a guard dropped, another",
        "aggregate) and sees whether a test of `tests/facts` or `tests/long/facts`, the expected findings of a scenario, or a law",
        "notices. Where fewer were tried than can be made, they were chosen at random: the score is an estimate. Views that judge",
        "an incident are to reach 90 %, others 80 %; how it is done, and why so: [design](design/mistakes-in-views.md). All scores",
        "are kept in `tests/mutation/scores.json`; this page, made by `make mutation-scores`, lists those below what is wanted.",
        "",
        f"{len(scores)} views have a score; {len(short)} are below what is wanted. {len(view_files()) - len(scores)} views have none yet.",
        "",
        *([*table(short), ""] if short else []),
        *python_section(),
    ]
    return "\n".join(text) + "\n"
