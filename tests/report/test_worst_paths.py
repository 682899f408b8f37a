"""A report draws the paths of its worst findings, each once, a bounded number of them, and is complete without any."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.errors import SnapshotError
from auditor.impact import saved_rows
from auditor.model import Report, Resource
from auditor.report.digest import digest
from auditor.report.html import worst_paths
from auditor.report.html.report import write_html
from auditor.report.html.worst_paths import MOST_DRAWINGS, MOST_HOSTS, WorstPaths
from tests.impact.asked import DEVICE, HOST, VCENTER, Asked, device, queue, s0
from tests.report import samples

HERE = Path("snapshot")


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Asked]:
    """What a snapshot answers: the last of the list."""
    answered = [s0()]

    @contextmanager
    def asked(_snapshot: Path, _views: object) -> Iterator[Asked]:
        yield answered[-1]

    monkeypatch.setattr(saved_rows, "opened_views", asked)
    return answered


def report_on(*devices: str, rules: int = 1, hosts: int = 4) -> Report:
    """A failure of each rule on each of these devices of HOST."""
    findings = [
        replace(
            samples.pe_finding(HOST),
            rule=f"queue/rule-{number}",
            resource=Resource("protocol_endpoint", f"host-1/{name}", name, VCENTER, "gold", HOST),
            evidence={},
        )
        for number in range(rules)
        for name in devices
    ]
    report = samples.report_of(findings, run_=samples.run(hosts=hosts))
    return replace(report, snapshot=HERE)


def drawn(report: Report) -> WorstPaths:
    return worst_paths.worst_paths(report, digest(report, 10))


def page(report: Report) -> str:
    out = io.StringIO()
    write_html(report, out)
    return out.getvalue()


def test_findings_of_one_path_share_its_drawing(answers: list[Asked]) -> None:
    [(path, felt)] = drawn(report_on(DEVICE, rules=3)).drawn
    assert path.device == DEVICE
    assert [finding.rule for finding in felt] == ["queue/rule-0", "queue/rule-1", "queue/rule-2"]


def test_there_are_never_more_than_twenty(answers: list[Asked]) -> None:
    names = [f"naa.{number:04}" for number in range(MOST_DRAWINGS + 10)]
    answers.append(Asked(device=[device(device=name) for name in names], device_queue=[queue(device=name, kavg_ms=1.0) for name in names]))
    report = samples.report_of([])
    findings = [one for name in names for one in report_on(name).findings()]
    findings = [replace(one, rule=f"queue/rule-{place:02}") for place, one in enumerate(findings)]
    assert len(drawn(replace(samples.report_of(findings), snapshot=HERE)).drawn) == MOST_DRAWINGS
    assert not drawn(report).drawn


def test_a_path_on_which_nothing_goes_on_is_not_drawn(answers: list[Asked]) -> None:
    answers.append(Asked(device=[device()], device_queue=[queue(kavg_ms=0.0, active=0.0)]))
    assert drawn(report_on(DEVICE)) == WorstPaths()


def test_a_large_fleet_has_none_and_says_how_to_draw_one(answers: list[Asked]) -> None:
    report = report_on(DEVICE, hosts=MOST_HOSTS + 1)
    assert not drawn(report).drawn
    assert "auditor explain ID --svg FILE" in page(report)
    assert drawn(report_on(DEVICE, hosts=MOST_HOSTS)).drawn


def test_a_snapshot_that_is_gone_leaves_the_page_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(_snapshot: Path, _views: object) -> None:
        raise SnapshotError("snapshot: there is no <such> folder", why="w", do="d")

    monkeypatch.setattr(saved_rows, "opened_views", gone)
    text = page(report_on(DEVICE))
    assert "Paths are not drawn: snapshot: there is no &lt;such&gt; folder." in text
    assert text.rstrip().endswith("</html>")


def test_a_report_without_a_snapshot_has_no_such_section() -> None:
    assert 'id="paths"' not in page(replace(report_on(DEVICE), snapshot=None))


def test_the_page_shows_the_drawing_with_the_ids_of_its_findings(answers: list[Asked]) -> None:
    text = page(report_on(DEVICE, rules=2))
    section = text[text.index('<section id="paths"') :].partition("</section>")[0]
    assert section.count("<svg ") == 1
    assert len(re.findall(r"<code>[0-9a-f]{12}</code>", section)) == 2
    assert "noisy Hard disk 1" in section
    assert not re.search(r' style=|<style|<script|on\w+="', section)  # the page's policy forbids them


@pytest.mark.parametrize(("kind", "is_made"), [("array_pool", True), ("device", False)])
def test_what_pools_work_for_is_asked_where_a_cause_is_about_one(monkeypatch: pytest.MonkeyPatch, kind: str, *, is_made: bool) -> None:
    made: list[str] = []

    @contextmanager
    def asked(_snapshot: Path, views: Iterable[str]) -> Iterator[Asked]:
        made.extend(views)
        yield s0()

    monkeypatch.setattr(saved_rows, "opened_views", asked)
    cause = replace(samples.pe_finding(HOST), resource=Resource(kind, "pool-1", "aggr_1", "netapp", None, None))
    found = worst_paths.worst_paths(report_on(DEVICE), digest(report_on(DEVICE), 10), [cause])
    assert ("pool_function" in made) is is_made
    assert found.functions == (None,), "nobody counted"
