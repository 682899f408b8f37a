"""The published folder: every run a page, the index shows how drift moves, and a failed run is never hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from auditor.errors import SnapshotError
from auditor.model import Finding, Gap, Report, Verdict
from auditor.report.publishing import Drift, PublishedRun, publish_failure, publish_report, published_runs
from tests.report import samples
from tests.report.chromium import Page


def night(day: int, findings: Sequence[Finding], *, gaps: Sequence[Gap] = ()) -> Report:
    started = datetime(2026, 11, day, 2, tzinfo=UTC)
    return samples.report_of(findings, gaps=gaps, run_=samples.run(started=started))


def publish(folder: Path, report: Report, keep: int = 30) -> PublishedRun:
    return publish_report(folder, report, keep=keep, next_due=None)


def failed(folder: Path, day: int, what: str = "vc-east: no answer within 30 s") -> PublishedRun:
    started = datetime(2026, 11, day, 2, tzinfo=UTC)
    run = PublishedRun(f"202611{day:02}T020000Z-dead", started, started + timedelta(seconds=31), error=what)
    return publish_failure(folder, run, [("what", what), ("do", "look at the network")], keep=30, next_due=None)


PASS, FAIL, UNKNOWN = Verdict.PASS, Verdict.FAIL, Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("before", "now", "gaps", "drift"),
    [
        pytest.param({"a": FAIL}, {"a": FAIL}, (), Drift(0, 0, 0), id="nothing moved"),
        pytest.param({"a": PASS}, {"a": FAIL}, (), Drift(1, 0, 0), id="a new failure"),
        pytest.param({"a": FAIL}, {"a": PASS}, (), Drift(0, 1, 0), id="fixed"),
        pytest.param({"a": FAIL}, {"a": Verdict.WAIVED}, (), Drift(0, 1, 0), id="waived"),
        pytest.param({"a": FAIL}, {"a": UNKNOWN}, (), Drift(0, 0, 1), id="unknown is not fixed"),
        pytest.param({"a": FAIL}, {"b": PASS}, (Gap("vc-east", "a", "down"),), Drift(0, 0, 1), id="not seen is not fixed"),
        pytest.param({"a": FAIL, "b": FAIL}, {"a": PASS, "b": FAIL, "c": FAIL}, (), Drift(1, 1, 0), id="some of each"),
    ],
)
def test_drift_is_counted_against_the_run_before(
    tmp_path: Path, before: dict[str, Verdict], now: dict[str, Verdict], gaps: Sequence[Gap], drift: Drift
) -> None:
    publish(tmp_path, night(1, [samples.pe_finding(host, verdict) for host, verdict in before.items()]))
    assert publish(tmp_path, night(2, [samples.pe_finding(host, verdict) for host, verdict in now.items()], gaps=gaps)).drift == drift


def test_the_first_run_has_nothing_to_compare_with(tmp_path: Path) -> None:
    assert publish(tmp_path, samples.bad_night()).drift is None
    assert "nothing to compare with" in (tmp_path / "index.html").read_text()


@pytest.mark.parametrize(
    ("blind", "gaps"),
    [
        pytest.param([samples.pe_finding("a", UNKNOWN)], (), id="unknown for a night"),
        pytest.param([samples.pe_finding("b", PASS)], (Gap("vc-east", "the endpoint", "down"),), id="its vCenter down for a night"),
    ],
)
def test_a_failure_that_comes_back_after_a_blind_night_is_not_new(tmp_path: Path, blind: Sequence[Finding], gaps: Sequence[Gap]) -> None:
    publish(tmp_path, night(1, [samples.pe_finding("a")]))
    publish(tmp_path, night(2, blind, gaps=gaps))
    assert publish(tmp_path, night(3, [samples.pe_finding("a")])).drift == Drift(0, 0, 0)


def test_a_failed_night_is_compared_over(tmp_path: Path) -> None:
    publish(tmp_path, night(1, [samples.pe_finding("a")]))
    failed(tmp_path, 2)
    assert publish(tmp_path, night(3, [samples.pe_finding("a", PASS)])).drift == Drift(0, 1, 0)


def test_a_failed_run_takes_the_place_of_the_latest(tmp_path: Path) -> None:
    good = publish(tmp_path, night(1, [samples.pe_finding("a")]))
    failed(tmp_path, 2)
    latest = (tmp_path / "latest.html").read_text()
    assert "No verdict: the audit failed" in latest
    assert "vc-east: no answer within 30 s" in latest
    assert f'href="{good.page}"' in latest
    index = (tmp_path / "index.html").read_text()
    assert "Latest: no verdict" in index
    assert index.index("no answer within 30 s") < index.index(good.page)


def test_the_latest_page_is_the_newest_run(tmp_path: Path) -> None:
    publish(tmp_path, night(1, [samples.pe_finding("a")]))
    run = publish(tmp_path, night(2, [samples.pe_finding("a", PASS)]))
    assert (tmp_path / "latest.html").read_text() == (tmp_path / run.page).read_text()
    assert "No drift" in (tmp_path / "latest.html").read_text()


def test_only_the_last_runs_stay(tmp_path: Path) -> None:
    (tmp_path / "notes.html").write_text("somebody else's")
    for day in range(1, 6):
        publish(tmp_path, night(day, [samples.pe_finding("a")]), keep=2)
    assert sorted(path.name for path in tmp_path.glob("*.html")) == [
        "20261104T020000Z-1a2b.html",
        "20261105T020000Z-1a2b.html",
        "index.html",
        "latest.html",
        "notes.html",
    ]
    assert [run.id for run in published_runs(tmp_path)] == ["20261105T020000Z-1a2b", "20261104T020000Z-1a2b"]


def test_the_list_of_runs_reads_back_as_published(tmp_path: Path) -> None:
    runs = [publish(tmp_path, samples.bad_night()), failed(tmp_path, 22), publish(tmp_path, night(23, [samples.pe_finding("a")]))]
    assert published_runs(tmp_path) == runs[::-1]


@pytest.mark.parametrize("text", ["", "[]", '{"runs": [{"id": "../../etc/passwd"}]}'], ids=["empty", "not ours", "a path for an id"])
def test_a_list_that_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "runs.json").write_text(text)
    with pytest.raises(SnapshotError, match=r"runs\.json: cannot be read"):
        published_runs(tmp_path)


def test_a_run_named_like_a_path_removes_nothing(tmp_path: Path) -> None:
    publish(tmp_path, night(1, [samples.pe_finding("a")]))
    index = (tmp_path / "runs.json").read_text()
    (tmp_path / "runs.json").write_text(index.replace("20261101T020000Z-1a2b", "../precious"))
    with pytest.raises(SnapshotError, match="not the name of a page"):
        published_runs(tmp_path)


def test_a_failure_named_by_somebody_who_means_harm_stays_text(tmp_path: Path) -> None:
    failed(tmp_path, 1, "<script>alert(1)</script>\x1b[31m\u202e")
    for name in ("latest.html", "index.html"):
        page = (tmp_path / name).read_text()
        assert "<script>alert" not in page
        assert not set(page) & set("\x1b\u202e")


def test_a_fleet_in_ruins_is_published_and_compared_twice(tmp_path: Path) -> None:
    for day, drift in ((1, None), (2, Drift(0, 0, 0))):
        report = replace(samples.huge(5_000, passing=2_000), run=samples.run(started=datetime(2026, 11, day, tzinfo=UTC)))
        assert publish(tmp_path, report).drift == drift


def test_the_index_warns_when_the_next_run_is_overdue(tmp_path: Path, page: Page) -> None:
    for due, hidden in ((datetime.now(UTC) + timedelta(hours=1), True), (datetime.now(UTC) - timedelta(hours=2), False)):
        publish_report(tmp_path, night(1 if hidden else 2, [samples.pe_finding("a")]), keep=30, next_due=due)
        page.open(tmp_path / "index.html")
        assert page.value("document.getElementById('overdue').hidden") is hidden
    assert page.complaints == []
