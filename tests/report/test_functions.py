"""What a pool's disks work for, drawn: sure parts and possible ones apart, nothing where nobody counted, and words that say the same."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from auditor.facts.catalog import view_columns
from auditor.impact.functions import VIEW, Function, Functions, functions_of
from auditor.model import Finding, Resource
from auditor.report.html import report as html_report
from auditor.report.html.function_bars import function_bars
from auditor.report.html.worst_paths import WorstPaths
from auditor.report.terminal.console import write_parts
from auditor.report.terminal.explanation import write_explanation
from auditor.report.terminal.function_text import function_parts
from tests.report import samples
from tests.report.test_explanation import EXPLAINED
from tests.report.test_html_report import rendered

SVG = "{*}"
POOL = Functions(
    "aggr <1>",
    (
        Function("clients", 1000.0, 1000.0, "measured", "they send 1000 operations a second by NFS"),
        Function("SnapMirror", 0.0, 3000.0, "estimate", "6 transfers"),
        Function("deduplication", 0.0, 0.0, "bound", "it runs on no volume"),
        Function("other", 2.0, 3002.0, "estimate", "the rest"),
    ),
    4002.0,
    (6000.0, 8000.0),
)


def of_pool() -> Finding:
    return replace(samples.pe_finding(), resource=Resource("array_pool", "uuid-1", "aggr_1", "netapp", None, None))


def row(function: str, low: float, high: float, **known: object) -> dict[str, Any]:
    figures = {"low_per_second": low, "high_per_second": high, "basis": "bound", "why": "w", "transfers_per_second": 100.0}
    row = dict.fromkeys(view_columns()[VIEW]) | {"function": function, "pool": "aggr_1"} | figures | known
    assert row.keys() == view_columns()[VIEW].keys()
    return row


def found(*rows: dict[str, Any], finding: Finding | None = None) -> Functions | None:
    def ask(view: str, wanted: Mapping[str, object]) -> list[dict[str, Any]]:
        assert (view, dict(wanted)) == ("pool_function", {"endpoint": "netapp", "pool_id": "uuid-1"})
        return list(rows)

    return functions_of(ask, finding or of_pool())


def test_functions_stand_in_the_order_of_the_field_by_its_names() -> None:
    functions = found(row("other", 5, 9), row("replication", 0, 4), row("clients", 91, 91))
    assert functions is not None
    assert [(one.name, one.low, one.high) for one in functions.functions] == [("clients", 91, 91), ("SnapMirror", 0, 4), ("other", 5, 9)]
    assert (functions.pool, functions.total, functions.knee, functions.most) == ("aggr_1", 100.0, None, 100.0)
    limited = found(row("clients", 1, 1, limit_low_per_second=120.0, limit_high_per_second=150.0))
    assert limited is not None
    assert (limited.knee, limited.most) == ((120.0, 150.0), 150.0)


def test_where_nobody_counted_there_are_none_and_a_finding_of_no_pool_asks_nothing() -> None:
    assert found() is None
    assert found(row("clients", 1, 1), finding=samples.pe_finding()) is None


def test_a_bar_is_sure_as_far_as_it_is_and_pale_beyond() -> None:
    drawn = ET.fromstring(function_bars(POOL, "f"))
    boxes = [(one.attrib["class"], float(one.attrib["x"]), float(one.attrib["width"])) for one in drawn.iterfind(f"{SVG}rect")]
    assert boxes == [
        ("sure", 0.0, 45.0),  # clients: 1,000 of 8,000, of 360
        ("sure may", 0.0, 135.0),  # SnapMirror: all of it only may be; deduplication, which is known not to run, has no box
        ("sure", 0.0, 1.5),  # other: the least that is seen
        ("sure may", 0.1, 135.0),
        ("sure", 0.0, 180.1),  # all
        ("knee", 270.0, 90.0),
    ]


def test_the_picture_has_words_that_say_the_same_and_escapes_what_was_read() -> None:
    drawn = ET.fromstring(function_bars(POOL, "f"))
    title, described = drawn.find(f"{SVG}title"), drawn.find(f"{SVG}desc")
    assert title is not None
    assert described is not None
    assert title.text == "What the disks of aggr <1> worked for when they were read: transfers a second"
    assert described.text == (
        "clients: 1,000 (25 %), measured; SnapMirror: 0 to 3,000 (0 to 75 %), estimate; deduplication: 0 (0 %), bound; "
        "other: 2 to 3,002 (0 to 75 %), estimate; all: 4,002; data disks slow down between 6,000 and 8,000"
    )
    assert drawn.attrib["aria-labelledby"].split() == [title.attrib["id"], described.attrib["id"]]
    unknown = ET.fromstring(function_bars(replace(POOL, knee=None), "f"))
    assert "slow down" not in "".join(unknown.itertext())
    assert not [one for one in unknown.iterfind(f"{SVG}rect") if one.attrib["class"] == "knee"]


def test_a_terminal_has_a_bar_of_marks_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "110")
    out = io.StringIO()
    write_parts(lambda _: function_parts(POOL), out)
    assert out.getvalue().splitlines() == [
        "   Transfers a second of the disks of aggr <1>, when they were read: # surely for it, + perhaps.",
        "  clients            ###--------------------- 1,000 (25 %), measured: they send 1000 operations a second by",
        "                     NFS",
        "  SnapMirror         +++++++++--------------- 0 to 3,000 (0 to 75 %), estimate: 6 transfers",
        "  deduplication      ------------------------ 0 (0 %), bound: it runs on no volume",
        "  other              #++++++++--------------- 2 to 3,002 (0 to 75 %), estimate: the rest",
        "  all                ############------------ 4,002; data disks slow down between 6,000 and 8,000",
    ]


def test_an_explanation_and_a_page_have_them_where_they_were_read_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = []
    for functions in (POOL, None):
        out = io.StringIO()
        write_explanation(replace(EXPLAINED, functions=functions), out)
        monkeypatch.setattr(html_report, "worst_paths", lambda *_, of_it=functions: WorstPaths(functions=(of_it,)))
        texts.append((out.getvalue(), rendered(samples.report_of([of_pool()]))))
    assert [("WHAT ITS DISKS WORK FOR" in text, 'class="bars functions"' in page) for text, page in texts] == [(True, True), (False, False)]
