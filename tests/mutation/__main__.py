"""Scores views by the mistakes in them that are noticed: `python -m tests.mutation --help`."""
# ruff: noqa: T201  people run it and read what it prints

import argparse
import sys

from auditor.authoring.view_files import view_files
from tests.mutation.incidents import incident_views
from tests.mutation.scoring import changed, keep, kept, score, table, tests_of, wanted
from tests.mutation.trying import TESTS


def main() -> int:
    """Score, print, keep. 1 where a view is below what is wanted and well below what it was, unless few tests were run."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("views", nargs="*", help="views to try; none: those that changed since they were scored")
    parser.add_argument("--every", action="store_true", help="try every view")
    parser.add_argument("--incidents", action="store_true", help="try the views that judge an incident")
    parser.add_argument("--most", type=int, default=20, help="so many mistakes in each view, chosen at random (0: all; 20)")
    parser.add_argument("--most-views", type=int, default=0, help="so many views at most (0: all)")
    parser.add_argument("--keep", action="store_true", help="write the scores to tests/mutation/scores.json and docs/mutation-scores.md")
    parser.add_argument(
        "--few-tests", action="store_true", help="only views that have a score, and files of tests that noticed mistakes in them before"
    )
    asked = parser.parse_args()
    views = asked.views or (list(view_files()) if asked.every else sorted(incident_views()) if asked.incidents else changed())
    if asked.few_tests:
        unscored = [view for view in views if view not in kept()]
        views = [view for view in views if view in kept()]
        print(f"{len(unscored)} views have no score yet: make mutation-scores MUTATION=VIEW")
    if asked.most_views:
        views = views[: asked.most_views]
    if not views:
        print("no view changed since it was scored")
        return 0
    before = kept()
    scores = score(views, asked.most, tests_of(views) if asked.few_tests else TESTS)
    print(*table(scores), sep="\n")
    for view, one in scores.items():
        print(*(f"{view}: not noticed: {what}" for what in one.missed), sep="\n")
    if asked.keep:
        keep(scores)
    worse = [view for view, one in scores.items() if one.percent < min(wanted(view), before[view].percent - 10 if view in before else 0)]
    print(*(f"{view}: fewer mistakes are noticed than before, and than is wanted" for view in worse), sep="\n")
    # A few mistakes on a few tests are too small a sample to fail by.
    return 1 if worse and not asked.few_tests else 0


if __name__ == "__main__":
    sys.exit(main())
