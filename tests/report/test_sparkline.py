"""The trend is a line from no failure to the most there were, and a sentence that says the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest

from auditor.errors import SnapshotError
from auditor.history.runs import begin_run, keep_run
from auditor.history.trend import POINTS, points_before
from auditor.model import TrendPoint
from auditor.report.html.report import trend_points
from auditor.report.html.sparkline import severities_sentence, sparkline, trend_sentence
from tests.report import samples

BEGIN = datetime(2026, 11, 1, 6, tzinfo=UTC)


def points(*fails: int) -> list[TrendPoint]:
    return [TrendPoint(BEGIN + timedelta(days=day), fail) for day, fail in enumerate(fails)]


def test_the_line_begins_left_ends_right_and_no_failure_is_the_ground() -> None:
    drawn = ElementTree.fromstring(sparkline(points(0, 10, 5)))
    line = drawn.find("polyline")
    assert line is not None
    assert line.attrib["points"] == "4,36 120,4 236,20"
    dot = drawn.find("circle")
    assert dot is not None
    assert (dot.attrib["cx"], dot.attrib["cy"]) == ("236", "20")


@pytest.mark.parametrize(
    ("fails", "sentence"),
    [
        pytest.param((12, 3), "12 failures on 2026-11-01, 3 now (2 runs)", id="falling"),
        pytest.param((1, 1200, 3), "1 failure on 2026-11-01, at most 1,200 on 2026-11-02, 3 now (3 runs)", id="a peak between"),
        pytest.param((0, 0), "0 failures on 2026-11-01, 0 now (2 runs)", id="none at all"),
    ],
)
def test_the_sentence_has_the_first_the_most_and_the_last(fails: Sequence[int], sentence: str) -> None:
    assert trend_sentence(points(*fails)) == sentence
    assert f'aria-label="{sentence}"' in sparkline(points(*fails))


def test_runs_of_one_moment_are_drawn() -> None:
    assert 'points="4,4 4,20"' in sparkline([TrendPoint(BEGIN, 2), TrendPoint(BEGIN, 1)])


def test_the_page_has_the_trend_only_with_an_earlier_run_of_the_scope() -> None:
    report = samples.bad_night()
    assert trend_points(report) == ()
    assert trend_points(replace(report, earlier=tuple)) == ()
    earlier = points(5, 4)
    found = trend_points(replace(report, earlier=lambda: earlier))
    assert found == (*earlier, TrendPoint(report.run.started, report.summary.fail, report.summary.by_severity))


def test_runs_that_cannot_be_read_cost_the_trend_and_not_the_report() -> None:
    def torn() -> Sequence[TrendPoint]:
        raise SnapshotError("run.json is torn", why="", do="")

    assert trend_points(replace(samples.bad_night(), earlier=torn)) == ()


def test_only_finished_runs_of_the_scope_that_were_before_are_in_the_trend(tmp_path: Path) -> None:
    report = samples.bad_night()
    assert report.scope is not None
    other = replace(report.scope, options=("--tag other",))
    for day, fail, scope in ((1, 7, report.scope), (2, 8, other), (3, 6, report.scope), (5, 9, report.scope)):
        started = BEGIN + timedelta(days=day)
        run = samples.run(started=started)
        kept = replace(report, run=run, scope=scope, summary=replace(report.summary, fail=fail))
        keep_run(begin_run(tmp_path, run.id), kept)
    begin_run(tmp_path, f"{BEGIN + timedelta(days=3, hours=1):%Y%m%dT%H%M%SZ}-1a2b")  # cut off
    found = points_before(tmp_path, f"{BEGIN + timedelta(days=4):%Y%m%dT%H%M%SZ}-1a2b", report.scope)
    assert [(one.started, one.fail) for one in found] == [(BEGIN + timedelta(days=1), 7), (BEGIN + timedelta(days=3), 6)]
    assert points_before(tmp_path, "20270101T000000Z-ffff", None) == ()
    assert POINTS >= 30, "a month of nights"


def test_severities_are_bands_that_together_reach_the_line() -> None:
    both = [TrendPoint(BEGIN, 4, {"high": 1, "low": 3}), TrendPoint(BEGIN + timedelta(days=1), 2, {"high": 2})]
    bands = {band.attrib["class"]: band.attrib["points"].split() for band in ElementTree.fromstring(sparkline(both)).iter("polygon")}
    assert bands["high"] == ["4,28", "236,20", "236,36", "4,36"]
    assert bands["low"][:2] == ["4,4", "236,20"], "on top of the worse"
    assert severities_sentence(both) == "high 1 to 2, low 3 to 0"


def test_a_run_that_kept_no_severities_has_no_bands() -> None:
    mixed = [TrendPoint(BEGIN, 4), TrendPoint(BEGIN + timedelta(days=1), 2, {"high": 2})]
    assert "<polygon" not in sparkline(mixed), "the fleet would seem to have got worse from nothing"
    assert severities_sentence(mixed) == ""
