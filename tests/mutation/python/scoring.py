"""The scores of modules of Python: of the mistakes tried, how many a test notices; kept so that only what changed is tried again."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.mutation.one_file import add, reasons, values
from tests.mutation.python.digests import digest_of

KEPT = Path(__file__).with_name("scores.json")
"""The scores, by module."""

ALIKE = Path(__file__).with_name("alike.json")
"""By module and mistake, or the name of a function for all that are in it: why it makes no difference, or none but in wording."""

ROOT = Path(__file__).parents[3]

FEW_FILES = 3
"""So many files of tests are run for each module where few are to be run."""

OF_VERDICTS, OF_ANY = 90, 80
"""The percentages that a module on the path of verdicts and writes, and any other, is to reach."""


@dataclass(frozen=True)
class Score:
    """What became of the mistakes that were tried in one module.

    Attributes:
        digest: of its text without comments, docstrings and layout.
        mistakes: how many can be made in it; those that are known to make no difference are left out.
        tried: how many of these were, chosen at random; those in functions that are called at import alone cannot be.
        noticed: how many of these a test noticed.
        missed: the others.
        files: where the tests that noticed are, those first that noticed most; these are run again when the module changes.
    """

    digest: str
    mistakes: int
    tried: int
    noticed: int
    missed: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    @property
    def percent(self) -> float:
        """Of those tried; 100 where there are none."""
        return 100.0 * self.noticed / self.tried if self.tried else 100.0


@dataclass(frozen=True, slots=True)
class Group:
    """Modules that the same tests are about, as files and folders from the root."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


@cache
def _settings() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("modules.toml").read_text(encoding="utf-8"))


@cache
def groups() -> tuple[Group, ...]:
    """The modules that mistakes are made in, with their tests: modules.toml."""
    return tuple(Group(_modules_of(group), tuple(group["tests"])) for group in _settings()["groups"])


def _modules_of(group: Mapping[str, Any]) -> tuple[str, ...]:
    names = group.get("modules") or sorted(path.stem for path in (ROOT / group["folder"]).glob("*.py") if path.stem != "__init__")
    return tuple(f"{group['folder']}/{name}.py" for name in names)


def every_module() -> list[str]:
    """The modules that mistakes are made in."""
    return [module for group in groups() for module in group.modules]


def wanted(module: str) -> int:
    """The percentage that a module is to reach."""
    return OF_VERDICTS if module.startswith(tuple(_settings()["verdicts"])) else OF_ANY


def named(module: str) -> str:
    """A module as Python names it, which its files of scores are called by as well."""
    return module.removesuffix(".py").replace("/", ".")


def kept() -> dict[str, Score]:
    """The scores as they were written last, by module."""
    known = values(KEPT)
    return {module: Score(**known[module]) for module in every_module() if module in known}


def changed() -> list[str]:
    """The modules whose text has no score."""
    known = kept()
    return [module for module in every_module() if module not in known or known[module].digest != digest_of(ROOT / module)]


def tests_of(modules: Collection[str]) -> list[str]:
    """The files of tests that noticed most mistakes in each of these modules before, as far as they are still there."""
    known = kept()
    return sorted({file for module in modules if module in known for file in known[module].files[:FEW_FILES] if (ROOT / file).exists()})


def score(modules: Collection[str], most: int, tests: Sequence[str]) -> dict[str, Score]:
    """Try up to `most` mistakes in each of these modules on these tests; 0: all."""
    from tests.mutation.python.making import mutants_of_module
    from tests.mutation.python.trying import try_tests

    digests = {module: digest_of(ROOT / module) for module in modules}  # before tests run for minutes
    made = {module: mutants_of_module(named(module), (ROOT / module).read_text(encoding="utf-8")) for module in modules}
    every = {module: [mutant for mutant in one.mutants if not _is_alike(module, mutant.what)] for module, one in made.items()}
    chosen = {module: Random(module).sample(mutants, most) if 0 < most < len(mutants) else mutants for module, mutants in every.items()}
    codes = {named(module): (ROOT / module, one.code) for module, one in made.items()}
    trial = try_tests(codes, {named(module): mutants for module, mutants in chosen.items()}, tests)
    noticed = trial.noticed
    scores = {}
    for module, several in chosen.items():
        mutants = [mutant for mutant in several if not trial.cannot_be_tried(mutant)]
        missed = [mutant.what for mutant in mutants if mutant.name not in noticed]
        by = [noticed[mutant.name] for mutant in mutants if mutant.name in noticed]
        files = [file for file, _ in Counter(test.partition("::")[0] for test in by if "::" in test).most_common()]
        scores[module] = Score(digests[module], len(every[module]), len(mutants), len(by), missed, files)
    return scores


def _is_alike(module: str, what: str) -> bool:
    return not reasons(ALIKE).get(module, {}).keys().isdisjoint((what, what.partition(": ")[0]))


def keep(scores: Mapping[str, Score]) -> None:
    """Write the scores; those of modules that are gone are dropped."""
    add(KEPT, {module: asdict(score) for module, score in scores.items()}, every_module())


def table(scores: Mapping[str, Score]) -> list[str]:
    """A line for each module."""
    rows = ["| module | mistakes | tried | noticed | score | wanted |", "|---|---|---|---|---|---|"]
    for module, one in sorted(scores.items(), key=lambda item: (-wanted(item[0]), item[0])):
        older = "" if one.digest == digest_of(ROOT / module) else ", as it was before it changed"
        rows.append(f"| `{module}`{older} | {one.mistakes} | {one.tried} | {one.noticed} | {one.percent:.0f} % | {wanted(module)} % |")
    return rows


def section() -> list[str]:
    """The part of the page of scores that is about Python."""
    scores = kept()
    short = {module: one for module, one in scores.items() if one.percent < wanted(module)}
    unscored = len(every_module()) - len(scores)
    return [
        "## Mistakes in Python",
        "",
        "`make python-mutants` makes one mistake at a time in a function (a condition turned round, an alternative left out, another",
        "boundary, another key, None in the place of a value) and sees whether a test of the module's group notices",
        "(`tests/mutation/python/modules.toml`). Where fewer were tried than can be made, they were chosen at random: the score is an",
        "estimate. Modules on the path of verdicts and writes are to reach 90 %, others 80 %. All scores are kept in",
        "`tests/mutation/python/scores.json`.",
        "",
        f"{len(scores)} modules have a score; {len(short)} are below what is wanted. {unscored} modules have none yet.",
        *(["", *table(short)] if short else []),
    ]
