"""The pages of the job in a browser: the index with its calendar and trend, and what changed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from auditor.job.site.publishing import publish_index
from auditor.model import Verdict
from auditor.model.comparison import ChangeKind
from tests.job.nights import change, night, publish, site_in
from tests.report.chromium import Page


def test_the_pages_hold_up_in_a_browser(tmp_path: Path, page: Page) -> None:
    site = site_in(tmp_path)
    publish(site, night(1))
    run = publish(site, night(2), [change(ChangeKind.NEW)], problems=["Notices are not delivered: chat is away."])
    for due, hidden in ((datetime.now(UTC) + timedelta(hours=1), True), (datetime.now(UTC) - timedelta(hours=2), False)):
        publish_index(site, None, now=run.finished, next_due=due, problems=["Notices are not delivered: chat is away."])
        page.open(site.folder / "index.html")
        assert page.value("document.getElementById('overdue').hidden") is hidden
    assert "chat is away" in page.value("document.body.innerText")
    page.open(site.folder / (run.changes_page or ""))
    assert page.value("document.querySelectorAll('.cards li').length") == 1
    assert page.complaints == []


def test_runs_are_searched_for_a_rule_or_cluster(tmp_path: Path, page: Page) -> None:
    site = site_in(tmp_path)
    publish(site, night(1))
    publish(site, night(2, Verdict.PASS))
    page.open(site.folder / "index.html")
    shown = "[...document.querySelectorAll('#runs tbody tr')].filter(row => !row.hidden).length"
    for typed, left in (("pe-dsnro", 1), ("gold", 1), ("nothing of this", 0), ("", 2)):
        typing = f"box.value = '{typed}'; box.dispatchEvent(new Event('input'));"
        page.value(f"(() => {{ const box = document.getElementById('search'); {typing} }})()")
        assert page.value(shown) == left
    assert page.complaints == []
