"""Every report shows the message of a failure; where a rule has none, a sentence that is made of its title and values."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.model import Finding, Report, Verdict
from auditor.report.html.report import write_html
from auditor.report.json.reading import load_report
from auditor.report.json.report import write_full_json
from auditor.report.messages import message_beside_name, message_of
from auditor.report.terminal.table import write_table
from tests.report import samples

PE = samples.pe_finding()
SENTENCE = "takes 32 commands, wanted 256"
NAMED = replace(PE, message=f"{PE.resource.name} on {PE.resource.host}: {SENTENCE}")


@pytest.mark.parametrize(
    ("finding", "expected"),
    [
        pytest.param(NAMED, NAMED.message, id="a failure"),
        pytest.param(replace(NAMED, verdict=Verdict.WAIVED, waiver={"verdict": "fail"}), NAMED.message, id="a waived failure"),
        pytest.param(replace(PE, verdict=Verdict.WAIVED, waiver={"verdict": "unknown"}), "", id="an unknown verdict that is waived"),
        pytest.param(replace(PE, verdict=Verdict.UNKNOWN), "", id="an unknown verdict"),
        pytest.param(replace(PE, verdict=Verdict.PASS), "", id="a pass"),
        pytest.param(PE, f"{PE.resource.name}: observed 32, desired 256. Wanted: {PE.title}", id="a rule without a message"),
    ],
)
def test_only_a_failure_says_what_is_wrong(finding: Finding, expected: str) -> None:
    assert message_of(finding) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        pytest.param(NAMED.message, SENTENCE, id="named with its host"),
        pytest.param(f"{PE.resource.name}: {SENTENCE}", SENTENCE, id="named"),
        pytest.param(f"driver x: {SENTENCE}", f"driver x: {SENTENCE}", id="another subject"),
        pytest.param(f"{PE.resource.name}: a\x1b[2J\u202eb", r"a\x1b[2J\u202eb", id="what would control a terminal"),
        pytest.param("", "", id="none"),
    ],
)
def test_beside_its_name_a_message_does_not_name_the_resource_again(message: str, expected: str) -> None:
    assert message_beside_name(replace(PE, message=message)) == expected


def test_table_json_and_html_have_the_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    report = samples.report_of([NAMED])
    table, document, page = (rendered(write, report) for write in (write_table, write_full_json, write_html))
    assert f"  {SENTENCE}" in table
    assert "32 -> 256" not in table
    assert json.loads(document)["findings"][0]["message"] == NAMED.message
    assert page.count(SENTENCE) == 3  # for the script, for who has none, and in the picture of its cause
    (tmp_path / "report.json").write_text(document, encoding="utf-8")
    assert next(iter(load_report(tmp_path / "report.json").findings())) == NAMED


def test_a_sentence_that_a_report_made_is_no_message_of_the_rule_when_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text(rendered(write_full_json, samples.report_of([PE])), encoding="utf-8")
    assert next(iter(load_report(tmp_path / "report.json").findings())) == PE


def rendered(write: object, report: Report) -> str:
    assert callable(write)
    out = io.StringIO()
    write(report, out)
    return out.getvalue()
