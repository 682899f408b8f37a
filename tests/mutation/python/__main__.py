"""Scores modules of Python by the mistakes in them that tests notice: `python -m tests.mutation.python --help`."""
# ruff: noqa: T201  people run it and read what it prints

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

from tests.mutation.python.scoring import Score, changed, every_module, groups, keep, kept, score, table, tests_of, wanted

FEW_PERCENT = 50
"""A few mistakes are a small sample: see tests/mutation/__main__.py."""


def main() -> int:
    """Score, print, keep. 1 where too few mistakes are noticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation.python", description=__doc__)
    parser.add_argument("modules", nargs="*", help="files to try, or parts of their names; none: those that changed since they were scored")
    parser.add_argument("--every", action="store_true", help="try every module")
    parser.add_argument("--most", type=int, default=40, help="so many mistakes in each module, chosen at random (0: all; 40)")
    parser.add_argument("--most-modules", type=int, default=0, help="so many modules at most (0: all)")
    parser.add_argument(
        "--keep", action="store_true", help="write the scores to tests/mutation/python/scores.json and docs/mutation-scores.md"
    )
    parser.add_argument("--tests", nargs="+", help="files of tests to run; without it, those of the module's group in pyproject.toml")
    parser.add_argument(
        "--few-tests",
        action="store_true",
        help="only modules that have a score, and the files of tests that noticed mistakes in them before",
    )
    options = parser.parse_args()
    modules = _modules(options)
    if not modules:
        print("no module changed since it was scored")
        return 0
    before = kept()
    parts = [(modules, options.tests or tests_of(modules))] if options.tests or options.few_tests else _grouped(modules)
    if len(parts) > 1:  # a module with mistakes in it cannot be taken back: a process for each group
        return max(_again(part, options) for part, _ in parts)
    scores = score(*parts[0][:1], options.most, parts[0][1])
    print(*table(scores), sep="\n")
    for module, one in scores.items():
        print(*(f"{module}: not noticed: {what}" for what in one.missed), sep="\n")
    if options.keep:
        keep(scores)
        from tests.mutation.scoring import write_page

        write_page()
    return _verdict(scores, before, few=options.few_tests)


def _modules(options: argparse.Namespace) -> list[str]:
    """The modules to try."""
    if options.modules:
        modules = [module for module in every_module() if any(part in module for part in options.modules)]
    else:
        modules = every_module() if options.every else changed()
    if options.few_tests:
        unscored = [module for module in modules if not tests_of([module])]
        modules = [module for module in modules if module not in unscored]
        print(f"{len(unscored)} modules have no score yet, or no tests: make python-mutants MUTATION=MODULE")
    return modules[: options.most_modules] if options.most_modules else modules


def _grouped(modules: Sequence[str]) -> list[tuple[list[str], Sequence[str]]]:
    """The modules by group, with its tests."""
    parts = [([module for module in group.modules if module in modules], group.tests) for group in groups()]
    return [(several, tests) for several, tests in parts if several]


def _again(modules: Sequence[str], options: argparse.Namespace) -> int:
    """This command with the modules of one group."""
    keeping = ["--keep"] if options.keep else []
    command = [sys.executable, "-m", "tests.mutation.python", *modules, "--most", str(options.most), *keeping]
    return subprocess.run(command, check=False, env=os.environ).returncode


def _verdict(scores: Mapping[str, Score], before: Mapping[str, Score], *, few: bool) -> int:
    """1 where a module is below what is wanted, and well below what it was; of a few mistakes, where less than half are noticed."""
    if few:
        worse = [module for module, one in scores.items() if one.percent < FEW_PERCENT]
    else:
        worse = [
            module
            for module, one in scores.items()
            if one.percent < min(wanted(module), before[module].percent - 10 if module in before else 0)
        ]
    print(
        *(f"{module}: too many mistakes in it are not noticed: add tests, then make python-mutants MUTATION={module}" for module in worse),
        sep="\n",
    )
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
