"""axe finds nothing in the page at any width, in light and dark colours, with evidence, filters, lessons and drawings open."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest

from auditor.report.html import report as html_report
from auditor.report.html.worst_paths import WorstPaths
from tests.report import samples
from tests.report.chromium import Page
from tests.report.test_html_in_a_browser import written
from tests.report.test_path_drawing import s0_path

AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
TEXTS = "found => found.violations.map(one => one.id + ': ' + one.nodes.map(node => node.html.slice(0, 120)).join(' | '))"


def violations(page: Page, options: str = "{}") -> list[str]:
    page.ask("Runtime.evaluate", expression=AXE)
    found: list[str] = page.value(f"axe.run({options}).then({TEXTS})")
    return found


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page that has every section."""
    report, many = samples.bad_night(), samples.large_audit(20, 4)
    report = replace(report, compared=many.compared, notices=many.notices)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(html_report, "worst_paths", lambda *_: WorstPaths(((s0_path(), (samples.sioc_finding(),)),)))
        return written(report, tmp_path_factory.mktemp("accessible"))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_axe_finds_no_violation(page: Page, path: Path, width: int, *, dark: bool) -> None:
    page.resize(width, 900, dark=dark)
    page.open(path)
    page.value("document.querySelectorAll('#rows .open').forEach(button => button.click())")
    page.value("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert violations(page) == []


def test_axe_would_see_a_violation(page: Page, path: Path) -> None:
    page.open(path)
    page.value("document.getElementById('clear').textContent = ''")
    assert [one for one in violations(page, "{runOnly: ['button-name']}") if one.startswith("button-name")]
