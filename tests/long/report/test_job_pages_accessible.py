"""axe finds nothing in the pages of the job, on a phone and on a desk, in light and dark colours, and none scrolls sideways."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from auditor.model.comparison import ChangeKind
from tests.job.nights import BEGIN, JumpingClock, Runs, change, failed, job, night, publish, scheduled, site_in
from tests.long.report.test_accessible import violations
from tests.report.chromium import Page


@pytest.mark.parametrize(("width", "dark"), [pytest.param(390, True, id="phone, dark"), pytest.param(1280, False, id="desk, light")])
def test_axe_finds_nothing_and_no_page_scrolls_sideways(tmp_path: Path, page: Page, *, width: int, dark: bool) -> None:
    site = site_in(tmp_path / "one")
    publish(site, night(1))
    bad = failed(site, 2)
    run = publish(site, night(3), [change(kind, f"esx-{kind}.a-long-name.example.net") for kind in ChangeKind])
    runs = Runs(JumpingClock(end=BEGIN + timedelta(days=1)))
    scheduled(tmp_path, runs, job(tmp_path), job(tmp_path, "never", cron="0 0 1 1 *"), site=tmp_path / "www").serve()
    page.resize(width, 900, dark=dark)
    for path in (
        site.folder / "index.html",
        site.folder / (run.changes_page or ""),
        site.folder / bad.page,
        tmp_path / "www" / "index.html",
    ):
        page.open(path)
        assert violations(page) == [], path.name
        assert page.value("document.documentElement.scrollWidth <= innerWidth"), path.name
    assert page.complaints == []
