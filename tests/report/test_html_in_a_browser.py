"""What a browser makes of the page: it asks for nothing, complains of nothing, and its filters filter."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.model import ReadTime, Report
from auditor.report import Destination, write_report
from tests.report import samples
from tests.report.chromium import Page

COUNT = "document.getElementById('count').textContent"
ROWS = "document.querySelectorAll('#rows tbody tr:not(.detail)').length"


def written(report: Report, folder: Path) -> Path:
    path = folder / "report.html"
    with path.with_suffix(".out").open("w") as stdout:
        write_report(report, Destination("html", path), stdout)
    return path


def choose(page: Page, field: str, text: str) -> None:
    page.value(
        f"(() => {{ const field = document.getElementById('{field}');"
        f" field.value = [...field.options].find(option => option.textContent === '{text}').value;"
        " field.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )


def click(page: Page, selector: str) -> None:
    page.value(f"document.querySelector(`{selector}`).click()")


@pytest.mark.parametrize(
    "report", [samples.bad_night, samples.clean, samples.blind, samples.hostile], ids=["drift", "clean", "unread fleet", "hostile names"]
)
def test_the_page_asks_for_nothing_and_complains_of_nothing(page: Page, tmp_path: Path, report: Callable[[], Report]) -> None:
    path = written(report(), tmp_path)
    page.open(path)
    for button in range(int(page.value("document.querySelectorAll('#rows .open').length"))):
        page.value(f"document.querySelectorAll('#rows .open')[{button}].click()")
    assert [url for url in page.requests if not url.startswith("data:,")] == [path.as_uri()]
    assert page.complaints == []


def test_a_script_in_the_page_that_is_not_ours_is_refused(page: Page, tmp_path: Path) -> None:
    path = written(samples.bad_night(), tmp_path)
    path.write_text(path.read_text().replace("</body>", "<script>window.pwned = 1</script><img src='http://127.0.0.1:9/x.png'></body>"))
    page.open(path)
    page.until("document.images.length === 1 && document.images[0].complete")
    assert page.value("window.pwned === undefined")
    assert any("Content Security Policy" in complaint for complaint in page.complaints), "the test would not see a violation"


def test_names_of_the_fleet_stay_text(page: Page, tmp_path: Path) -> None:
    page.open(written(samples.hostile(), tmp_path))
    page.value("document.querySelectorAll('#rows .open').forEach(button => button.click())")
    assert page.value("window.pwned === undefined && document.images.length === 0")
    assert page.value(ROWS) == 3 * len(samples.HOSTILE_NAMES), "failed, unknown and waived"
    shown = page.value("document.body.innerText")
    assert "<script>window.pwned=1</script>" in shown
    assert "مضيف-01" in shown
    assert r"txt.\u202eexe" in shown
    assert not set(shown) & set("\x1b\x07\u202e\u2066\u2028")
    assert page.value("[...document.querySelectorAll('a')].every(link => !link.protocol.startsWith('javascript'))")
    assert page.value("document.documentElement.scrollWidth <= innerWidth"), "a long name makes the page scroll sideways"


@pytest.mark.parametrize(
    ("field", "text", "count"),
    [
        pytest.param("rule", "sioc/overlap-array-qos", "1 to 1 of 1 matching findings, 5 in all", id="rule"),
        pytest.param("cluster", "silver", "1 to 1 of 1 matching findings, 5 in all", id="cluster"),
    ],
)
def test_choosing_a_rule_or_cluster_leaves_its_findings(page: Page, tmp_path: Path, field: str, text: str, count: str) -> None:
    findings = [
        samples.sioc_finding(),
        samples.pe_finding("esx-01"),
        samples.pe_finding("esx-02", cluster="silver"),
        samples.pe_finding("esx-03"),
        samples.pe_finding("esx-04"),
    ]
    page.open(written(samples.report_of(findings), tmp_path))
    assert page.value(COUNT) == "1 to 5 of 5 matching findings, 5 in all"
    choose(page, field, text)
    assert page.value(COUNT) == count
    assert page.value(ROWS) == 1
    click(page, "#reset")
    assert page.value(ROWS) == 5


@pytest.mark.parametrize(
    ("box", "left"),
    [
        pytest.param("#severity input[value='0']", 4, id="without critical"),
        pytest.param("#severity input[value='1']", 1, id="without high"),
        pytest.param("#verdict input[value='0']", 2, id="without failures"),
        pytest.param("#verdict input[value='1']", 4, id="without unknown"),
        pytest.param("#verdict input[value='2']", 4, id="without waived"),
    ],
)
def test_unticking_a_box_hides_its_findings(page: Page, tmp_path: Path, box: str, left: int) -> None:
    page.open(written(samples.bad_night(), tmp_path))
    assert page.value(ROWS) == 5
    click(page, box)
    assert page.value(ROWS) == left


def test_typing_searches_and_the_address_keeps_the_view(page: Page, tmp_path: Path) -> None:
    path = written(samples.bad_night(), tmp_path)
    page.open(path)
    page.value(
        "(() => { const field = document.getElementById('search'); field.value = 'ESX-02 naa';"
        " field.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    page.until(f"{ROWS} === 1")
    assert page.value("location.hash") == "#search=ESX-02+naa"
    page.reload()
    assert page.value(ROWS) == 1


def test_evidence_and_lesson_open_from_a_row(page: Page, tmp_path: Path) -> None:
    page.open(written(samples.bad_night(), tmp_path))
    click(page, "#rows tbody tr:nth-child(2) .open")
    text = page.value("document.querySelector('#rows .detail').innerText")
    assert "deepest_disk_queue\n64" in text.replace("\n\n", "\n")
    assert "32 → 256" in text
    assert page.value("document.querySelector('#rows tbody tr:nth-child(2) .open').getAttribute('aria-expanded')") == "true"
    click(page, "#rows .detail a")
    assert page.value("[...document.querySelectorAll('details[open] .lesson')].map(text => text.textContent).join()").startswith(
        "All virtual volumes"
    )


def test_a_row_says_what_is_wrong_and_is_found_by_it(page: Page, tmp_path: Path) -> None:
    failure = samples.pe_finding("esx-01")
    message = f"{failure.resource.name} on esx-01: the queue holds 32 commands"
    page.open(written(samples.report_of([replace(failure, message=message), samples.pe_finding("esx-02")]), tmp_path))
    cells = "[...document.querySelectorAll('#rows tbody tr td:nth-child(4)')].map(cell => cell.innerText).join('|')"
    title = "One throttled disk cannot fill a protocol endpoint's queue"
    assert page.value(cells) == f"the queue holds 32 commands\n{failure.rule}|{title}\n{failure.rule}: 32 → 256"
    click(page, "#rows tbody tr .open")
    assert f"wanted\n{title}" in page.value("document.querySelector('#rows .detail').innerText").replace("\n\n", "\n")
    page.value(
        "(() => { const field = document.getElementById('search'); field.value = 'queue holds 32';"
        " field.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    page.until(f"{ROWS} === 1")


def test_headings_sort_and_say_so(page: Page, tmp_path: Path) -> None:
    page.open(written(samples.huge(250), tmp_path))
    click(page, "th[data-sort=name] button")
    click(page, "th[data-sort=name] button")
    assert page.value("document.querySelector('th[data-sort=name]').getAttribute('aria-sort')") == "descending"
    assert page.value("document.querySelector('#rows tbody tr td:nth-child(5)').textContent") == f"naa.6f47acc1{249:024x}"
    click(page, ".page-step[data-step='1']")
    assert page.value(COUNT) == "101 to 200 of 250 matching findings, 250 in all"


def test_every_control_has_a_name_for_a_screen_reader(page: Page, tmp_path: Path) -> None:
    page.open(written(samples.bad_night(), tmp_path))
    page.ask("Accessibility.enable")
    controls = [
        (node["role"]["value"], node["name"]["value"])
        for node in page.ask("Accessibility.getFullAXTree")["nodes"]
        if node.get("role", {}).get("value") in {"button", "checkbox", "combobox", "searchbox", "spinbutton", "link", "progressbar"}
    ]
    assert len(controls) > 20
    assert [control for control in controls if not re.search(r"[a-z]{3}", control[1])] == []
    assert {name for role, name in controls if role == "searchbox"} == {"Search"}
    assert {name for role, name in controls if role == "combobox"} == {"Rule", "Cluster"}
    assert ("button", "Evidence for naa.6f47acc100000000612e3f4d00000001 esx-01.example.net") in controls
    assert page.value("document.querySelector('#count').getAttribute('aria-live')") == "polite"


def test_print_shows_the_lessons_of_failing_rules_and_closes_them_again(page: Page, tmp_path: Path) -> None:
    page.open(written(samples.bad_night(), tmp_path))
    page.value("dispatchEvent(new Event('beforeprint'))")
    assert page.value("document.querySelectorAll('details[open]').length") == 2
    page.value("dispatchEvent(new Event('afterprint'))")
    assert page.value("document.querySelectorAll('details[open]').length") == 0


def test_without_scripts_the_findings_are_plain_tables(page: Page, tmp_path: Path) -> None:
    page.ask("Emulation.setScriptExecutionDisabled", value=True)
    page.open(written(samples.bad_night(), tmp_path))
    document = page.ask("DOM.getDocument")["root"]["nodeId"]
    held = page.ask("DOM.querySelector", nodeId=document, selector=".without-script")["nodeId"]
    assert page.ask("DOM.getBoxModel", nodeId=held)["model"]["height"] > 100


def test_a_row_shows_where_and_when_its_evidence_was_read(page: Page, tmp_path: Path) -> None:
    report = samples.bad_night()
    times = tuple(ReadTime("vc-east", topic, None, samples.STARTED, samples.FINISHED) for topic in ("devices", "device_scheduling"))
    page.open(written(replace(report, run=replace(report.run, read=times)), tmp_path))
    page.value("document.querySelectorAll('#rows .open').forEach(button => button.click())")
    text = page.value("document.querySelector('#rows').innerText").replace("\n\n", "\n")
    assert "vc-east, 2026-11-21 06:55:00 to 06:57:05 UTC\n" in text


def test_the_columns_that_came_from_an_endpoint_have_the_width_of_their_part(page: Page, tmp_path: Path) -> None:
    report = samples.bad_night()
    times = tuple(ReadTime("vc-east", topic, None, samples.STARTED, samples.FINISHED) for topic in ("devices", "device_scheduling"))
    page.open(written(replace(report, run=replace(report.run, read=times)), tmp_path))
    page.value("document.querySelectorAll('#rows .open').forEach(button => button.click())")
    part = "[...document.querySelectorAll('.detail .parts > div')].find(part => part.firstChild.textContent === 'Read from')"
    assert page.value(f"{part}.querySelector('dd').offsetWidth > {part}.offsetWidth / 2"), "a letter a line"
