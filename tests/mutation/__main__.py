"""Scores views by the mistakes in them that are noticed: `python -m tests.mutation --help`."""
# ruff: noqa: T201  people run it and read what it prints

import argparse
import sys
from collections.abc import Mapping

from auditor.authoring.view_files import view_files
from tests.mutation.incidents import incident_views
from tests.mutation.scoring import Score, changed, keep, kept, score, table, tests_of, wanted, write_page
from tests.mutation.trying import TESTS


def main() -> int:
    """Score, print, keep. 1 where too few mistakes are noticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("views", nargs="*", help="views to try; none: those that changed since they were scored")
    parser.add_argument("--every", action="store_true", help="try every view")
    parser.add_argument("--incidents", action="store_true", help="try the views that judge an incident")
    parser.add_argument("--most", type=int, default=20, help="so many mistakes in each view, chosen at random (0: all; 20)")
    parser.add_argument("--most-views", type=int, default=0, help="so many views at most (0: all)")
    parser.add_argument("--keep", action="store_true", help="write the scores to tests/mutation/scores.json and docs/mutation-scores.md")
    parser.add_argument("--page", action="store_true", help="only write docs/mutation-scores.md from the scores that are kept")
    parser.add_argument("--tests", nargs="+", default=TESTS, help="files of tests to run; without it, all tests of views")
    parser.add_argument("--no-laws", action="store_true", help="tests only: neither the scenarios' expected findings nor laws")
    parser.add_argument(
        "--few-tests", action="store_true", help="only views that have a score, and the files of tests that noticed mistakes in them before"
    )
    options = parser.parse_args()
    if options.page:
        write_page()
        return 0
    views = _views(options)
    if not views:
        print("no view changed since it was scored")
        return 0
    before = kept()
    scores = score(views, options.most, tests_of(views) if options.few_tests else options.tests, laws=not options.no_laws)
    print(*table(scores), sep="\n")
    for view, one in scores.items():
        print(*(f"{view}: not noticed: {what}" for what in one.missed), sep="\n")
    if options.keep:
        keep(scores)
    return _verdict(scores, before, few=options.few_tests)


def _views(options: argparse.Namespace) -> list[str]:
    """The views to try."""
    views = options.views or (list(view_files()) if options.every else sorted(incident_views()) if options.incidents else changed())
    if options.few_tests:
        unscored = [view for view in views if not tests_of([view])]
        views = [view for view in views if view not in unscored]
        print(f"{len(unscored)} views have no score yet, or no tests: make mutation-scores MUTATION=VIEW")
    return views[: options.most_views] if options.most_views else views


def _verdict(scores: Mapping[str, Score], before: Mapping[str, Score], *, few: bool) -> int:
    """1 where a view is below what is wanted, and well below what it was; of a few mistakes, where less than half are noticed."""
    if few:
        worse = [view for view, one in scores.items() if one.percent < FEW_PERCENT]
        print(
            *(f"{view}: most mistakes in it are not noticed: add tests, then make mutation-scores MUTATION={view}" for view in worse),
            sep="\n",
        )
    else:
        worse = [
            view for view, one in scores.items() if one.percent < min(wanted(view), before[view].percent - 10 if view in before else 0)
        ]
        print(*(f"{view}: fewer mistakes are noticed than before, and than is wanted" for view in worse), sep="\n")
    return 1 if worse else 0


FEW_PERCENT = 50
"""Six mistakes are a small sample: of a view where nine of ten are noticed, one in a thousand samples has four that are not."""


if __name__ == "__main__":
    sys.exit(main())
