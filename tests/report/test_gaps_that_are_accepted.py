"""Every format shows an accepted gap with who answers for it, and none takes it for an error."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TextIO
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from auditor.model import Gap, Report
from auditor.report.digest import headline
from auditor.report.formats.csv_report import write_csv
from auditor.report.formats.junit import write_junit
from auditor.report.formats.markdown import write_markdown
from auditor.report.formats.openmetrics import write_openmetrics
from auditor.report.formats.sarif import write_sarif
from auditor.report.html.report import write_html
from auditor.report.json.reading import load_report
from auditor.report.json.report import write_full_json
from auditor.report.terminal.gap_lines import gaps_by_remedy
from auditor.report.terminal.table import write_table
from tests.report import samples
from tests.report.schemas import report_schema

BY = {"owner": "storage team", "reason": "it is being replaced", "ticket": "CHG-1", "expires": "2027-04-01T00:00:00Z", "where": "w.yaml:2"}


def report(*, also_open: bool = False) -> Report:
    """One verdict is unknown by a gap that is accepted; the other verdict passes."""
    blind = samples.blind()
    gaps = tuple(replace(gap, accepted=BY) for gap in blind.gaps)
    gaps += (Gap("sf-01", "volumes", "refused"),) if also_open else ()
    return replace(blind, gaps=gaps, summary=replace(blind.summary, accepted_unknown=blind.summary.unknown))


def written(write: Callable[[Report, TextIO], None], of: Report) -> str:
    out = io.StringIO()
    write(of, out)
    return out.getvalue()


@pytest.mark.parametrize("write", [write_table, write_html, write_markdown, write_csv, write_sarif, write_junit])
def test_who_answers_for_a_gap_is_shown(write: Callable[[Report, TextIO], None]) -> None:
    text = " ".join(written(write, report()).split())
    assert "storage team" in text
    assert "it is being replaced" in text


def test_json_has_it_and_is_read_back(tmp_path: Path) -> None:
    text = written(write_full_json, report(also_open=True))
    document = json.loads(text)
    jsonschema.Draft202012Validator(report_schema()).validate(document)
    assert [gap["accepted"] for gap in document["gaps"]] == [BY, None]
    assert document["summary"]["accepted_unknown"] == 1
    (tmp_path / "report.json").write_text(text)
    again = load_report(tmp_path / "report.json")
    assert (again.gaps, again.summary) == (report(also_open=True).gaps, report().summary)
    assert [gap.endpoint for gap in again.open_gaps] == ["sf-01"]
    older = text.replace(', "accepted": null', "").replace(', "accepted_unknown": 1', "")
    (tmp_path / "report.json").write_text(older)
    assert load_report(tmp_path / "report.json").summary.accepted_unknown == 0


@pytest.mark.parametrize("also_open", [False, True])
def test_pipelines_see_an_error_only_where_nobody_answers(also_open: bool) -> None:
    suite = next(one for one in ET.fromstring(written(write_junit, report(also_open=also_open))) if one.get("name") == "reading")
    counts = [int(suite.get(name, "")) for name in ("tests", "errors", "skipped")]
    assert counts == [1 + also_open, int(also_open), 1]
    assert [case[0].tag for case in suite] == ["skipped", "error"][: 1 + also_open]
    (invocation,) = json.loads(written(write_sarif, report(also_open=also_open)))["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is not also_open
    assert [one["level"] for one in invocation["toolExecutionNotifications"]][: 1 + also_open] == ["note", "error"][: 1 + also_open]
    metrics = written(write_openmetrics, report(also_open=also_open))
    assert 'auditor_accepted_gaps{endpoint="vc-east"} 1' in metrics
    assert f'auditor_gaps{{endpoint="sf-01"}} {int(also_open)}' in metrics


@pytest.mark.parametrize(
    ("also_open", "unknown", "word", "sentence"),
    [
        pytest.param(
            False, 1, "1 CHECK HOLDS BEYOND ACCEPTED GAPS", "1 gap is accepted (1 verdict is unknown because of it)", id="all accepted"
        ),
        pytest.param(True, 1, "NOT ALL JUDGED", "1 gap was left in the reading and 1 gap is accepted", id="another gap is open"),
        pytest.param(False, 0, "NOT ALL JUDGED", "1 verdict is unknown and 1 gap is accepted", id="unknown for another reason"),
    ],
)
def test_the_result_says_what_is_accepted_and_hides_nothing_else(also_open: bool, unknown: int, word: str, sentence: str) -> None:
    one = report(also_open=also_open)
    found = headline(replace(one, summary=replace(one.summary, accepted_unknown=unknown)), 0, 0)
    assert found.word == word
    assert sentence in found.sentence


def test_what_is_still_to_be_done_comes_before_what_is_accepted() -> None:
    many = (*report(also_open=True).gaps, *(Gap("vc-east", f"topic {number}", "no", BY) for number in range(5)))
    assert [line.endpoints for line in gaps_by_remedy(many)] == [("sf-01",), ("vc-east",)]


def test_an_accepted_gap_asks_nobody_to_do_anything() -> None:
    (line,) = gaps_by_remedy(report().gaps)
    assert line.remedy == "nothing, it is accepted"
    assert line.text.endswith("accepted by storage team, CHG-1 until 2027-04-01T00:00:00Z: it is being replaced")
