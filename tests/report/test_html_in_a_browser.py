"""What a browser makes of the page: it asks for nothing, complains of nothing, and its filters filter."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from auditor.model import Fix, FixClass, Outcome, ReadTime, Report, Verdict
from auditor.report import Destination, write_report
from auditor.report.finding_ids import FindingIds
from auditor.report.html import report as html_report
from auditor.report.html.worst_paths import WorstPaths
from tests.report import samples
from tests.report.chromium import Page
from tests.report.test_path_drawing import s0_path

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
    click(page, "#clear")
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
    assert "32 commands → 256 commands" in text
    assert page.value("document.querySelector('#rows tbody tr:nth-child(2) .open').getAttribute('aria-expanded')") == "true"
    click(page, "#rows .detail a")
    assert page.value("[...document.querySelectorAll('details[open] .lesson')].map(text => text.textContent).join()").startswith(
        "All virtual volumes"
    )


@pytest.mark.parametrize(
    ("observed", "desired", "values"),
    [(None, 256, ": not known → 256"), (32, None, ": 32 → not known"), (None, None, ": not read"), (32, 256, ": 32 → 256")],
)
def test_what_is_missing_of_an_unknown_finding_is_not_told_as_none(
    page: Page, tmp_path: Path, observed: int | None, desired: int | None, values: str
) -> None:
    unknown = replace(samples.pe_finding("esx-01", Verdict.UNKNOWN), observed=observed, desired=desired)
    page.open(written(samples.report_of([unknown]), tmp_path))
    shown = page.value("document.querySelector('#rows tbody tr .c-rule .sub').innerText")
    assert shown == f"{unknown.rule}{values}"
    click(page, "#rows tbody tr .open")
    detail = page.value("document.querySelector('#rows .detail').innerText").replace("\n\n", "\n")
    assert f"observed\n{observed or 'not known'}\ndesired\n{desired or 'not known'}" in detail


def test_a_row_says_what_is_wrong_and_is_found_by_it(page: Page, tmp_path: Path) -> None:
    failure = samples.pe_finding("esx-01")
    message = f"{failure.resource.name} on esx-01: the queue holds 32 commands"
    page.open(written(samples.report_of([replace(failure, message=message), samples.pe_finding("esx-02")]), tmp_path))
    cells = "[...document.querySelectorAll('#rows tbody tr .c-rule')].map(cell => cell.innerText).join('|')"
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
    assert page.value("document.querySelector('#rows tbody tr .c-name').textContent") == f"naa.6f47acc1{249:024x}"
    click(page, ".page-step[data-step='1']")
    assert page.value(COUNT) == "101 to 200 of 250 matching findings, 250 in all"


def test_every_control_has_a_name_for_a_screen_reader(page: Page, tmp_path: Path) -> None:
    page.open(written(samples.bad_night(), tmp_path))
    page.value("document.getElementById('filter-box').open = true")
    page.ask("Accessibility.enable")
    controls = [
        (node["role"]["value"], node["name"]["value"])
        for node in page.ask("Accessibility.getFullAXTree")["nodes"]
        if node.get("role", {}).get("value") in {"button", "checkbox", "combobox", "searchbox", "spinbutton", "link", "progressbar"}
    ]
    assert len(controls) > 20
    assert [control for control in controls if not re.search(r"[A-Za-z]{3}", control[1])] == []
    assert {name for role, name in controls if role == "searchbox"} == {"Search"}
    assert {name for role, name in controls if role == "combobox"} == {
        "Rule",
        "Topic",
        "Host",
        "Cluster",
        "Array or vCenter",
        "Fix",
        "Group by",
        "Sort by",
    }
    assert ("button", "Show evidence for naa.6f47acc100000000612e3f4d00000001 esx-01.example.net") in controls
    assert page.value("document.querySelector('#count').getAttribute('aria-live')") == "polite"


def test_paper_has_what_is_open_and_each_rule_once(page: Page, tmp_path: Path) -> None:
    page.open(written(samples.bad_night(), tmp_path))
    page.value("document.getElementById('rule-0').open = true")
    page.ask("Emulation.setEmulatedMedia", media="print")
    page.value("dispatchEvent(new Event('beforeprint'))")
    heads = page.value("[...document.querySelectorAll('tr.group')].map(row => row.innerText.trim()).join('|')")
    assert re.sub(r"\s+", " ", heads) == (
        f"CRITICAL fail {samples.SIOC.title} sioc/overlap-array-qos, 1|HIGH fail {samples.DSNRO.title} vvol/pe-dsnro-headroom, 2|"
        f"HIGH unknown {samples.DSNRO.title} vvol/pe-dsnro-headroom, 1|HIGH waived {samples.DSNRO.title} vvol/pe-dsnro-headroom, 1"
    )
    shown = page.value("document.body.innerText")
    assert samples.SIOC.lesson in shown
    assert samples.DSNRO.fix_text not in shown, "a lesson that nobody opened"
    assert "Search" not in shown
    page.value("dispatchEvent(new Event('afterprint'))")
    assert page.value("document.querySelectorAll('tr.group').length") == 0


def test_a_finding_is_visible_on_the_first_screen(page: Page, tmp_path: Path) -> None:
    page.open(written(samples.large_audit(), tmp_path))
    edges = page.value(
        "(() => { const row = document.querySelector('#rows tbody tr').getBoundingClientRect(); return [row.top, row.bottom]; })()"
    )
    assert 0 < edges[0] < edges[1] <= 900, "of 1280 x 900"
    above = page.value("[...document.querySelectorAll('.overview, .tiles, .banner')].map(part => part.innerText).join('\\n')")
    assert "9 new, 1 fixed since 2026-11-20 06:55 UTC" in above
    assert "280 failures on 2026-10-22, 250 now (31 runs)" in above
    assert "Worst 5 of" in above
    assert "--" not in above, "a command line"


def test_on_paper_each_answer_of_a_cause_has_its_name_before_it_and_a_step_is_a_sentence(page: Page, tmp_path: Path) -> None:
    page.open(written(samples.large_audit(20, 4), tmp_path))
    page.ask("Emulation.setEmulatedMedia", media="print")
    after = page.value("[...document.querySelectorAll('.answers dt')].map(name => getComputedStyle(name, '::after').content)")
    page.ask("Emulation.setEmulatedMedia", media="")
    assert set(after) == {'": "'}
    steps = page.value("[...document.querySelectorAll('.steps li')].map(step => step.textContent)")
    assert "Preview 20 online-caution fixes: audit again with --fix --dry-run --allow online-caution" in steps


def test_250_findings_take_at_most_12_pages_of_paper(page: Page, tmp_path: Path) -> None:
    """Issue 16."""
    page.open(written(samples.large_audit(250), tmp_path))
    assert 3 < page.pages_on_paper() <= 12


@pytest.mark.parametrize("report", [samples.bad_night, samples.hostile], ids=["drift", "hostile names"])
def test_nothing_is_wider_than_a_phone(page: Page, tmp_path: Path, report: Callable[[], Report]) -> None:
    page.resize(360, 740)
    page.open(written(report(), tmp_path))
    page.value("document.querySelectorAll('#rows .open').forEach(button => button.click())")
    page.value("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert page.value("document.documentElement.scrollWidth") <= 360
    hidden = ".hidden, .cards thead, .cards thead *"  # a screen reader has them
    shown = f"[...document.querySelectorAll('main *:not({hidden})')]"
    wide = f"{shown}.filter(one => one.scrollWidth > 361).map(one => one.outerHTML)"
    assert page.value(f"{wide}.join()") == ""
    assert page.value("getComputedStyle(document.querySelector('#rows tr.finding')).display") == "flex", "a card, not a line of a table"


def test_cards_stay_a_table_for_a_screen_reader(page: Page, tmp_path: Path) -> None:
    page.resize(360, 740)
    page.open(written(samples.bad_night(), tmp_path))
    nodes = page.accessible()
    roles = [role for role, _, _ in nodes]
    first = roles.index("table")
    assert roles[first : first + 200].count("row") >= 6
    assert {"Severity", "What is wrong", "Resource", "Host", "Cluster", "Fix", "Evidence"} <= {
        name for role, name, _ in nodes if role == "columnheader"
    }


def test_a_screen_reader_meets_the_result_first_and_no_level_of_headings_is_left_out(page: Page, tmp_path: Path) -> None:
    page.open(written(samples.large_audit(20, 4), tmp_path))
    page.value("document.querySelector('#rows .open').click()")
    nodes = page.accessible()
    headings = [(level, name) for role, name, level in nodes if role == "heading"]
    assert headings[0] == (1, "Drift")
    levels = [level or 0 for level, _ in headings]
    assert levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels)), headings
    names = [name for _, name in headings]
    wanted = [
        "Worst 5 of 5 causes",
        "What changed",
        "Failures by what their fix takes",
        "Findings",
        "Evidence",
        "What to do next",
        "This run",
    ]
    assert [name for name in names if name in wanted] == [name for name in wanted if name in names]
    assert {"What changed", "Findings", "Evidence", "This run"} <= set(names)
    assert [name for role, name, _ in nodes if role == "status"], "what a filter leaves is announced"


def test_the_keyboard_reaches_everything_and_shows_where_it_is(page: Page, tmp_path: Path) -> None:
    page.open(written(samples.bad_night(), tmp_path))
    met = []
    for _ in range(60):
        page.press("Tab")
        met.append(
            page.value(
                "(at => [at.tagName === 'BODY' ? 'BODY' : at.id || at.textContent.trim().slice(0, 30) || at.tagName,"
                " getComputedStyle(at).outlineStyle !== 'none'])(document.activeElement)"
            )
        )
    names = [name for name, _ in met]
    assert names[0] == "Skip to the findings"
    assert {"search", "clear", "Filter and sort", "Severity", "Show"} <= set(names)
    assert [name for name, is_outlined in met if not is_outlined and name != "BODY"] == []


def test_the_fix_and_the_change_can_be_filtered(page: Page, tmp_path: Path) -> None:
    by_hand = replace(samples.sioc_finding(), fix=None)
    report = replace(samples.large_audit(20, 4), findings=lambda: iter([by_hand, *samples.large_audit(20, 4).findings()]))
    page.open(written(report, tmp_path))
    choose(page, "fix", "by hand")
    assert page.value(COUNT) == "1 to 1 of 1 matching findings, 21 in all"
    choose(page, "fix", "any or none")
    choose(page, "change", "new")
    assert page.value(COUNT) == "1 to 9 of 9 matching findings, 21 in all"
    assert page.value("location.hash") == "#change=new"
    page.reload()
    assert page.value(ROWS) == 9
    assert page.value("document.getElementById('filter-box').open"), "a filter that is on is shown"


def test_a_finding_leads_to_its_io_path(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finding = samples.pe_finding("esx-01")
    drawn = WorstPaths(((s0_path(), (samples.pe_finding("esx-02"),)), (s0_path(), (finding,))))
    monkeypatch.setattr(html_report, "worst_paths", lambda *_: drawn)
    page.open(written(samples.report_of([finding]), tmp_path))
    assert page.value("[...document.querySelectorAll('.paths details')].map(one => one.open).join()") == "true,false"
    click(page, "#rows .open")
    page.value("[...document.querySelectorAll('.links a')].find(link => link.textContent.startsWith('Its I/O path')).click()")
    assert page.value("document.querySelector('.paths details:nth-child(2)').open")
    assert page.value("location.hash") == "#path-1-drawn"


def test_a_page_without_findings_offers_nothing_to_filter(page: Page, tmp_path: Path) -> None:
    page.open(written(samples.clean(), tmp_path))
    shown = "[...document.querySelectorAll('#findings *')].filter(one => one.offsetHeight).map(one => one.id || one.tagName)"
    assert not {"search", "clear", "filter-box", "rows"} & set(page.value(shown))
    assert page.value(COUNT) == "There is no failure, unknown or waived verdict to list"


def test_the_evidence_names_the_setting_what_it_reaches_and_the_command_that_explains(page: Page, tmp_path: Path) -> None:
    target = (("host_id", "host-1"), ("option", "VMFS3.HardwareAcceleratedLocking"))
    fix = Fix("host.option", FixClass.RETUNE, 0, 1, Outcome.PROPOSED, target=target, takes=FixClass.ONLINE_CAUTION, collateral="two filers")
    finding = samples.pe_finding("esx-01", fix=fix)
    page.open(written(samples.report_of([finding]), tmp_path))
    click(page, "#rows .open")
    text = page.value("document.querySelector('#rows .detail').innerText").replace("\n\n", "\n")
    for part in (
        "setting\nhost.option VMFS3.HardwareAcceleratedLocking\n",
        "class\nretune and online-caution\n",
        "reaches besides\ntwo filers\n",
        f"auditor explain {FindingIds(samples.run()).of(finding)[:8]}",
    ):
        assert part in text


def test_notices_are_short_until_somebody_asks(page: Page, tmp_path: Path) -> None:
    unverified = samples.run(samples.reading(), samples.reading("sf-01", "element", "NOT VERIFIED"))
    page.open(written(replace(samples.large_audit(20, 4), run=unverified), tmp_path))
    shown = "[...document.querySelectorAll('#notices li')].filter(one => one.offsetHeight).map(one => one.innerText)"
    [first] = page.value(shown)
    assert "TLS of sf-01 was NOT VERIFIED" in first
    click(page, "#more-notices")
    assert len(page.value(shown)) == 4
    assert page.value("document.getElementById('more-notices').getAttribute('aria-expanded')") == "true"


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


def test_a_cell_of_the_map_leads_to_its_findings(page: Page, tmp_path: Path) -> None:
    findings = [samples.pe_finding("esx-01"), samples.pe_finding("esx-02"), samples.sioc_finding()]
    page.open(written(samples.report_of(findings), tmp_path))
    assert page.value("document.querySelector('#map details').open") is False, "on a screen that is not tall a finding comes first"
    for name, left in (("esx-02", "esx-02"), (f"{findings[2].resource.cluster}, no single host", findings[2].resource.name)):
        row = f"[...document.querySelectorAll('#heat tbody tr')].find(row => row.cells[0].textContent === '{name}')"
        page.value(f"{row}.querySelector('a').click()")
        page.until(f"{ROWS} === 1")
        assert left in page.value("document.querySelector('#rows tbody').innerText")
        assert "topic=" in page.value("location.hash"), "the view can be sent to somebody"


def test_findings_are_grouped_with_counts_at_every_level(page: Page, tmp_path: Path) -> None:
    page.open(written(samples.bad_night(), tmp_path))
    choose(page, "group", "rule")
    tallies = "[...document.querySelectorAll('#groups > .group > summary .tally')].map(one => one.textContent.replace(/ +/g, ' ').trim())"
    assert page.value(tallies) == ["C 1 critical", "H 2 high ? 1 unknown \u2013 1 waived"]
    page.value("document.querySelectorAll('#groups > .group')[1].open = true")
    page.until("document.querySelectorAll('#groups .group .group').length > 0")
    below = page.value("[...document.querySelectorAll('#groups .group .group .key')].map(one => Number(one.textContent.split(' ')[1]))")
    assert sum(below) == 4, "the counts of a level are those of the one above"
    page.value("document.querySelector('#groups .group .group button').click()")
    assert page.value(ROWS) == below[0]
    assert "rule=" in page.value("location.hash")
    assert "host=" in page.value("location.hash")


@pytest.mark.parametrize("by", ["cause", "host", "cluster", "array or vCenter"])
def test_every_grouping_counts_every_finding(page: Page, tmp_path: Path, by: str) -> None:
    page.open(written(samples.bad_night(), tmp_path))
    choose(page, "group", by)
    counts = "[...document.querySelectorAll('#groups > .group > summary .key')].map(one => Number(one.textContent.split(' ')[1]))"
    assert sum(page.value(counts)) == 5


def test_a_finding_answers_in_order_and_can_be_copied_as_a_ticket(page: Page, tmp_path: Path) -> None:
    finding = replace(samples.pe_finding("esx-01"), impact=samples.IMPACT)
    page.open(written(samples.report_of([finding]), tmp_path))
    click(page, "#rows .open")
    parts = page.value("[...document.querySelectorAll('#rows .detail dl.answers dt, #rows .detail h3')].map(one => one.textContent)")
    assert parts[:4] == ["What is wrong here", "What it costs", "What to do", "Evidence"]
    page.value("Object.defineProperty(navigator, 'clipboard', {value: {writeText: async text => { window.copied = text; }}})")
    page.value("[...document.querySelectorAll('#rows .copy')].find(one => one.textContent === 'Copy ticket text').click()")
    page.until("window.copied !== undefined")
    copied = page.value("window.copied")
    assert "What it costs: vm-2 Hard disk 1 and 1 more take 267 to 383 ms" in copied
    assert f"finding {FindingIds(samples.run()).of(finding)} of run {samples.run().id}" in copied
    assert "- deepest_disk_queue: 64" in copied


def test_an_unknown_verdict_is_no_pass_among_the_answers(page: Page, tmp_path: Path) -> None:
    page.open(written(samples.report_of([samples.pe_finding("esx-01", Verdict.UNKNOWN)]), tmp_path))
    click(page, "#rows .open")
    said = page.value("document.querySelector('#rows .detail dl.answers').innerText")
    assert "Not known:" in said
    assert "what is unknown has not passed" in said
