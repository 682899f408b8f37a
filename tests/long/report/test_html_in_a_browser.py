"""What a browser makes of a page with very many findings."""

from __future__ import annotations

from pathlib import Path

from tests.report import samples
from tests.report.chromium import Page
from tests.report.test_html_in_a_browser import COUNT, ROWS, choose, written


def test_a_hundred_thousand_findings_in_ten_thousand_clusters_stay_usable(page: Page, tmp_path: Path) -> None:
    page.open(written(samples.huge(100_000, clusters=10_000), tmp_path))
    assert page.value(COUNT) == "1 to 100 of 100,000 matching findings, 100,000 in all"
    assert page.value(ROWS) == 100
    assert page.value("document.getElementById('cluster').options.length") == 10_001
    choose(page, "cluster", "cluster-09999")
    assert page.value(COUNT) == "1 to 10 of 10 matching findings, 100,000 in all"
    page.ask("Page.printToPDF")
    assert page.complaints == []
