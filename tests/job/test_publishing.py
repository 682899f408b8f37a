"""The published folder: every run has its pages, the index shows how drift moves, no failed run is hidden, and a kill leaves it whole."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from auditor.errors import SnapshotError
from auditor.job.published import PublishedRun, published_runs
from auditor.job.site.calendar import trend_points
from auditor.job.site.publishing import Site
from auditor.job.site.worse import worse_clusters
from auditor.model import Verdict
from auditor.model.comparison import ChangeKind
from tests.job.nights import BEGIN, change, failed, night, publish, site_in
from tests.report import samples
from tests.waiting import completed

NEW, FIXED = ChangeKind.NEW, ChangeKind.FIXED


def text(site: Site, name: str) -> str:
    return (site.folder / name).read_text(encoding="utf-8")


def test_the_first_run_has_nothing_to_compare_with(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    run = publish(site, night(1))
    assert run.changes is None
    assert run.changes_page is None
    assert "nothing to compare with" in text(site, "index.html")


def test_a_run_has_a_page_of_what_changed_with_what_is_wrong_as_a_sentence(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    run = publish(site, night(2), [change(NEW), change(FIXED, "esx-02.example.net")])
    assert run.changes == {"new": 1, "fixed": 1}
    assert run.changes_page is not None
    page = text(site, run.changes_page)
    assert page.index("New failures: 1") < page.index("Fixed: 1")
    assert "1 new, 1 fixed since 2026-11-01 00:00 UTC" in page
    assert "observed 32, desired 256" in page
    assert "vc-east · gold · esx-02.example.net" in page
    assert f'href="{run.changes_page}"' in text(site, "index.html")


def test_a_page_of_many_changes_says_how_many_it_leaves_out(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    run = publish(site, night(2), [change(NEW)] * 2_345)
    page = text(site, run.changes_page or "")
    assert page.count("<li>") == 2_000
    assert "345 more are left out here" in page
    assert f"auditor runs diff 20261101T060000Z-aaaa {run.id}" in page


def test_a_failed_run_takes_the_place_of_the_latest(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    good = publish(site, night(1))
    failed(site, 2)
    latest, index = text(site, "latest.html"), text(site, "index.html")
    assert "No verdict: the audit failed" in latest
    assert "vc-east: no answer within 30 s" in latest
    assert f'href="{good.page}"' in latest
    assert "Latest: no verdict" in index
    assert "The run of 2026-11-02 02:00:00 UTC reached no verdict: <bdi>vc-east: no answer within 30 s</bdi>" in index


def test_the_latest_page_is_the_newest_run(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    publish(site, night(1))
    run = publish(site, night(2, Verdict.PASS))
    assert text(site, "latest.html") == text(site, run.page)
    assert "1 check holds" in text(site, "latest.html")


def test_unknown_that_somebody_answers_for_does_not_make_a_run_incomplete() -> None:
    run = PublishedRun("20261101T020000Z-aaaa", BEGIN, BEGIN, unknown=3, accepted_unknown=3, coverage=0.9)
    assert run.state == "clean"
    assert replace(run, unknown=4).state == "incomplete"
    assert replace(run, gaps=1).state == "incomplete"


def test_a_blind_day_is_no_good_day_in_the_trend() -> None:
    runs = [PublishedRun(f"2026110{day}T020000Z-aaaa", BEGIN, BEGIN, fail=2 * (day != 2), coverage=float(day != 2)) for day in (3, 2, 1)]
    assert [point.fail for point in trend_points(runs)] == [2, 2]


def test_only_the_last_runs_stay_with_all_their_files(tmp_path: Path) -> None:
    site = site_in(tmp_path, keep=2)
    (site.folder / "notes.html").write_text("somebody else's")
    for day in range(1, 5):
        publish(site, night(day), [change(NEW)] if day > 1 else None)
    files = [f"2026110{day}T020000Z-1a2b.{end}" for day in (3, 4) for end in ("changes.html", "csv", "html", "json")]
    assert sorted(path.name for path in site.folder.iterdir()) == sorted(
        [*files, "feed.xml", "index.html", "latest.html", "notes.html", "trend.csv"]
    )
    assert [run.id for run in published_runs(site.state)] == ["20261104T020000Z-1a2b", "20261103T020000Z-1a2b"]


def test_json_and_csv_lie_beside_each_page(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    run = publish(site, night(1))
    assert json.loads(text(site, f"{run.id}.json"))["run"]["id"] == run.id
    [row] = csv.DictReader(io.StringIO(text(site, f"{run.id}.csv")))
    assert row["verdict"] == "fail"


def test_the_list_of_runs_reads_back_as_published(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    runs = [publish(site, samples.bad_night(), [change(NEW)]), failed(site, 22), publish(site, night(23))]
    assert published_runs(site.state) == runs[::-1]


@pytest.mark.parametrize("text", ["", "[]", '{"runs": [{"id": "../../etc/passwd"}]}'], ids=["empty", "not ours", "a path for an id"])
def test_a_list_that_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "published.json").write_text(text)
    with pytest.raises(SnapshotError, match=r"published\.json: cannot be read"):
        published_runs(tmp_path)


def test_a_run_named_like_a_path_removes_nothing(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    run = publish(site, night(1))
    listed = site.state / "published.json"
    listed.write_text(listed.read_text().replace(run.id, "../precious"))
    with pytest.raises(SnapshotError, match="not the name of a page"):
        published_runs(site.state)


def test_a_failure_named_by_somebody_who_means_harm_stays_text(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    failed(site, 1, "<script>alert(1)</script>\x1b[31m\u202e]]>&")
    for name in ("latest.html", "index.html", "feed.xml"):
        page = text(site, name)
        assert "<script>alert" not in page
        assert not set(page) & set("\x1b\u202e")


def test_the_feed_has_an_entry_for_each_run_with_what_changed(tmp_path: Path) -> None:
    site = site_in(tmp_path, url="https://audits.example.com/nightly")
    publish(site, night(1))
    run = publish(site, night(2), [change(NEW)])
    failed(site, 3, "no & answer")
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ElementTree.fromstring(text(site, "feed.xml"))
    entries = feed.findall(f"{atom}entry")
    assert entries[0].findtext(f"{atom}title") == "no verdict: no & answer"
    assert entries[1].findtext(f"{atom}summary", "").startswith("1 new since")
    link = entries[1].find(f"{atom}link")
    assert link is not None
    assert link.get("href") == f"https://audits.example.com/nightly/{run.changes_page}"
    assert feed.findtext(f"{atom}updated") == "2026-11-03T02:00:31Z"
    assert len({one.findtext(f"{atom}id") for one in entries}) == 3


def test_the_calendar_has_a_cell_for_each_day_with_its_worst_result_in_words(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    publish(site, night(3, Verdict.PASS))
    failed(site, 5)
    later = replace(night(5), run=samples.run(started=datetime(2026, 11, 5, 8, tzinfo=UTC)))
    publish(site, later, now=datetime(2026, 11, 6, 9, tzinfo=UTC))
    cell = r'<td( class="\w+")?><span class="day"><time datetime="([\d-]+)">[^<]*</time></span>(?:<[^>]*>)?([^<]*)'
    cells = re.findall(cell, text(site, "index.html"))
    assert [(day, state.split('"')[1] if state else "", word) for state, day, word in cells] == [
        ("2026-11-02", "", "no run"),
        ("2026-11-03", "clean", "1 check holds"),
        ("2026-11-04", "", "no run"),
        ("2026-11-05", "failed", "no verdict"),
        ("2026-11-06", "", "no run"),
        ("2026-11-07", "", ""),
        ("2026-11-08", "", ""),
    ]


def test_the_trend_is_a_line_a_sentence_and_a_table(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    publish(site, night(1, Verdict.PASS))
    failed(site, 2)
    publish(site, night(3), [change(NEW)])
    index = text(site, "index.html")
    assert "0 failures on 2026-11-01, 1 now (2 runs)." in index
    assert '<polyline points="4,36 236,4"/>' in index
    rows = list(csv.DictReader(io.StringIO(text(site, "trend.csv"))))
    assert [(row["state"], row["fail"], row["new"]) for row in rows] == [("clean", "0", ""), ("failed", "", ""), ("drift", "1", "1")]


KILLED = """
import os, shutil, signal, sys
from pathlib import Path
from auditor.model.comparison import ChangeKind
import tests.job.test_publishing as here
from tests.job.nights import change, night, publish, site_in

os.fsync = lambda _descriptor: None  # the disk is shared by others; a kill needs no disk
folder, changes = Path(sys.argv[1]), [change(ChangeKind.NEW)]
good, site = site_in(folder / "good", keep=2), site_in(folder, keep=2)
for day in (1, 2):
    publish(good, night(day), changes)

def die_at(number):
    points = iter(range(1000))
    def dying(act):
        def one(*values, **named):
            if next(points) == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return act(*values, **named)
        return one
    Path.replace, Path.unlink, os.fsync = dying(Path.replace), dying(Path.unlink), dying(os.fsync)

for number in range(200):
    for kept, one in ((good.folder, site.folder), (good.state, site.state)):
        shutil.rmtree(one)
        shutil.copytree(kept, one)
    child = os.fork()
    if child == 0:
        die_at(number)
        publish(site, night(3), changes)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    print(number, os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, here.latest_of(site), flush=True)
    if not os.WIFSIGNALED(status):
        break
"""


def latest_of(site: Site) -> str:
    """The day that the index names as the latest, once all that it leads to was found whole."""
    index = text(site, "index.html")
    ends = {"html": "</html>", "json": "}", "csv": "", "xml": "</feed>"}
    for name in ["index.html", *re.findall(r'href="([^":]+)"', index)]:
        content = text(site, name)
        assert content, name
        assert content.rstrip().endswith(ends[name.rpartition(".")[2]]), name
    [day] = re.findall(r"2026-11-(\d\d) 02:00:00 UTC: ", index)
    return str(day)


@pytest.mark.long
def test_a_kill_at_any_point_of_publishing_leaves_the_last_good_site(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    done = completed([sys.executable, "-c", KILLED, str(tmp_path)], check=False, cwd=root, env={**os.environ, "PYTHONPATH": str(root)})
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[-1][1:] == ["0", "03"]
    assert [line[1] for line in lines[:-1]] == ["9"] * (len(lines) - 1)
    days = [line[2] for line in lines]
    assert days == sorted(days), "the site of the day before until the index is in place, and the new one from then on"
    assert days.count("02") > 15
    assert days.count("03") > 5, "killed while it removed the files of the oldest run"


def run_with(day: int, clusters: dict[str, int] | None, *, scope: str = "all", coverage: float = 1.0) -> PublishedRun:
    return PublishedRun(f"2026110{day}T020000Z-aaaa", BEGIN, BEGIN, coverage=coverage, scope=scope, clusters=clusters)


def test_clusters_that_got_worse_are_named_and_none_is_called_better() -> None:
    runs = [run_with(3, {"gold (vc)": 9, "tin (vc)": 1, "new (vc)": 2}), run_with(2, {"gold (vc)": 4, "tin (vc)": 5})]
    assert [(one.name, one.before, one.now) for one in worse_clusters(runs) or []] == [("gold (vc)", 4, 9), ("new (vc)", 0, 2)]


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(run_with(2, None), id="an older auditor kept none"),
        pytest.param(run_with(2, {}, scope="one cluster"), id="another scope"),
        pytest.param(run_with(2, {}, coverage=0.0), id="nothing was judged"),
    ],
)
def test_nothing_got_worse_than_what_nobody_knows(before: PublishedRun) -> None:
    assert worse_clusters([run_with(3, {"gold (vc)": 9}), before]) is None


def test_a_cluster_beyond_those_listed_before_is_not_called_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.job.site.worse.MOST_CLUSTERS", 1)
    assert worse_clusters([run_with(3, {"a (vc)": 9, "b (vc)": 8}), run_with(2, {"a (vc)": 9})]) == []


def test_a_run_lists_its_failures_by_severity_rule_and_cluster_and_keeps_them(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    publish(site, night(1))
    kept = published_runs(site.state)[0]
    finding = samples.pe_finding()
    assert kept.by_severity == {"high": 1}
    assert kept.rules == {finding.rule: 1}
    assert kept.clusters == {f"{finding.resource.cluster} ({finding.resource.endpoint})": 1}
    assert "1 high" in text(site, "index.html")
