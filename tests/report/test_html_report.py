"""The HTML file: nothing in it but its own, everything from the fleet escaped, readable colours, bounded memory."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from auditor.model import Outcome, Report, Verdict
from auditor.report.html import embedding, pages
from auditor.report.html import report as html_report
from tests.report import samples
from tests.report.page_data import blocks_in, values_of


def rendered(report: Report) -> str:
    out = io.StringIO()
    html_report.write_html(report, out)
    return out.getvalue()


class _Tags(HTMLParser):
    """Every tag with its attributes, and the text outside scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self._inside = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag

    def handle_data(self, data: str) -> None:
        if self._inside not in {"script", "style"}:
            self.text.append(data)


def test_the_page_names_nothing_to_load() -> None:
    tags = _Tags(rendered(samples.bad_night())).tags
    assert [attributes for tag, attributes in tags if tag in {"img", "iframe", "object", "embed"} or "src" in attributes] == []
    assert [attributes["href"] for tag, attributes in tags if tag == "link"] == ["data:,"]
    assert "@import" not in rendered(samples.bad_night())


def test_only_our_own_script_and_style_may_run() -> None:
    page = rendered(samples.bad_night())
    policy = next(attributes["content"] or "" for _, attributes in _Tags(page).tags if "http-equiv" in attributes)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        text = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert len(text) == 1
        assert base64.b64encode(hashlib.sha256(text[0].encode()).digest()).decode() in policy


def test_no_name_becomes_a_tag_an_attribute_or_a_link() -> None:
    tags = _Tags(rendered(samples.hostile())).tags
    assert {tag for tag, _ in tags} & {"img", "b"} == set()
    assert sum(tag == "script" for tag, _ in tags) == 4  # two blocks of the findings, the vocabulary, our script
    assert [attributes for _, attributes in tags if any(name.startswith("on") for name in attributes)] == []
    assert [attributes for _, attributes in tags if (attributes.get("href") or "").startswith("javascript")] == []


def test_nothing_in_a_data_block_can_end_it_or_hide_its_end() -> None:
    page = rendered(samples.hostile())
    blocks = page[page.index("</footer>") + len("</footer>") : page.rindex('<script>"use strict"')]
    assert re.findall(r"<(?!/?script\b[^<]*>)", blocks) == [], "`<!--` and `<script` together swallow the end of the block"
    assert blocks.count("<") == 3 * 2


def test_a_page_of_hostile_names_is_sound_text() -> None:
    page = rendered(samples.hostile())
    page.encode("utf-8")
    assert not set(page) & set("\x1b\x07\u202e\u2066\u2028\ud800")


def test_embedded_rows_hold_failures_unknowns_and_waivers_and_passes_are_counts() -> None:
    page = rendered(samples.bad_night())
    assert values_of(blocks_in(page), "verdict") == [0, 0, 0, 1, 2]
    assert "1 fail, 0 unknown, 0 waived, 5 pass, 0 not applicable" in " ".join("".join(_Tags(page).text).split())


def test_a_step_by_hand_of_several_lines_stands_on_the_page_without_a_literal_line_break() -> None:
    finding = samples.pe_finding()
    assert finding.fix is not None
    by_hand = replace(finding, fix=replace(finding.fix, outcome=Outcome.BY_HAND, why="Raise the depth\nfirst.\n"))
    said = json.dumps(blocks_in(rendered(samples.report_of([by_hand]))))
    assert "Raise the depth first." in said
    assert "\\n" not in said


def test_the_first_findings_of_each_rule_are_there_without_scripts() -> None:
    page = rendered(samples.report_of([samples.pe_finding(f"esx-{number:03}") for number in range(25)]))
    static = page[page.index('class="without-script"') : page.index('id="rules"')]
    assert static.count("<bdi>esx-") == 10
    assert "25 failures, the first 10" in static


@pytest.mark.parametrize(("rules", "each"), [(30, 10), (60, 5), (120, 3)])
def test_where_many_rules_fail_each_has_fewer_findings_without_scripts(rules: int, each: int) -> None:
    page = rendered(samples.large_audit(12 * rules, rules))
    static = page[page.index('class="without-script"') :].partition("</section>")[0]
    assert static.count(f"12 failures, the first {each};") == rules
    assert static.count('data-label="Resource"') == rules * each


def test_the_page_has_lessons_sources_gaps_receipts_and_endpoints() -> None:
    text = " ".join("".join(_Tags(rendered(samples.bad_night())).text).split())
    for part in (
        "Users saw 300-400 ms where 3-4 ms was promised.",
        "SolidFire, vVols and QoS, incident report 2018",
        "Set DSNRO of the device to 256, one host at a time.",
        "Gaps: 1 thing could not be read",
        "the host took it and did nothing",
        "absent → 256",
        "applied, reboot pending",
        "VMware vCenter Server 8.0.3 build-24322831",
        "no, see the gaps",
        "NOT VERIFIED",
        "Every host of a cluster offloads alike",
    ):
        assert part in text
    assert text.index("Rules with nothing to judge") < text.index("Every host of a cluster offloads alike")


def test_a_page_with_more_findings_than_it_carries_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "FINDINGS_EMBEDDED", 60)
    page = rendered(samples.report_of([samples.pe_finding(f"esx-{number:03}") for number in range(100)]))
    assert values_of(blocks_in(page), "host") == [f"esx-{number:03}" for number in range(60)]
    assert '"left_out":40,' in page


def test_an_integer_that_a_browser_would_round_stays_exact() -> None:
    page = rendered(samples.report_of([replace(samples.pe_finding(), observed=2**63)]))
    assert '"9223372036854775808"' in page


@pytest.mark.long
def test_passes_are_counted_without_being_held() -> None:
    class Nowhere(io.StringIO):
        def write(self, text: str) -> int:
            return len(text)

    html_report.write_html(samples.clean(), Nowhere())  # imports and templates are not what is measured
    tracemalloc.start()
    try:
        html_report.write_html(samples.huge(failing=1_000, passing=10_000), Nowhere())
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 5_000_000, "half as much again, or more, when all findings are held"


def _palette(css: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z-]+):\s*(#[0-9a-f]{3,6})\b", css))


def _luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(("scheme", "block"), [("light", 0), ("dark", 1), ("print", 2)], ids=["light", "dark", "print"])
def test_text_stands_out_from_its_ground(scheme: str, block: int) -> None:
    """Source: WCAG 2.2, success criterion 1.4.3: 4.5 to 1."""
    css = (pages.template_folder() / "page.css").read_text(encoding="utf-8")
    colours = _palette(re.findall(r":root \{(.*?)\}", css, re.DOTALL)[block])
    pairs = [
        (text, ground) for text in ("text", "muted", "accent", "fail", "unknown", "waived", "pass") for ground in ("page", "card", "head")
    ]
    pairs += [("text", f"{state}-tint") for state in ("drift", "incomplete", "clean")]
    pairs += [(f"{severity}-text", severity) for severity in ("critical", "high", "medium", "low", "info")]
    for text, ground in pairs:
        light, dark = sorted((_luminance(colours[text]), _luminance(colours[ground])), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, f"{scheme}: {text} on {ground}"


@pytest.mark.parametrize(
    ("report", "heading"), [(samples.clean, "No drift"), (samples.blind, "Not all judged")], ids=["clean", "unread fleet"]
)
def test_the_heading_says_what_the_table_says(report: Callable[[], Report], heading: str) -> None:
    assert re.findall(r"<h1>(.*?)</h1>", rendered(report())) == [heading]


def test_a_finding_of_a_rule_without_text_is_shown_all_the_same() -> None:
    report = replace(samples.report_of([samples.pe_finding(), samples.pe_finding(verdict=Verdict.UNKNOWN)]), rules=())
    assert "The report has no text of this rule." in rendered(report)
