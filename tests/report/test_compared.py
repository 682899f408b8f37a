"""What changed since the run before stands in every format, and is read back with a kept run."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from auditor.history.runs import begin_run, keep_run, load_run, report_of_run
from auditor.model import Report
from auditor.model.comparison import ChangeKind, Comparison
from auditor.report import writer_of
from auditor.report.json.report import compared_object
from tests.report import samples
from tests.report.test_json_report import VALIDATOR

EARLIER = "20261120T060000Z-a1b2"
COUNTS = {ChangeKind.NEW: 3, ChangeKind.FIXED: 2, ChangeKind.CAME_BACK: 1}
COMPARED = Comparison(
    EARLIER, datetime(2026, 11, 20, 6, tzinfo=UTC), COUNTS, same_scope=True, listed=lambda: iter(()), notes=("One rule more.",)
)
SENTENCE = f"3 new, 1 came back, 2 fixed since 2026-11-20 06:00 UTC (run {EARLIER})"


def compared(comparison: Comparison | None = COMPARED) -> Report:
    return replace(samples.bad_night(), compared=comparison)


def written(report: Report, reporter: str) -> str:
    out = io.StringIO()
    writer_of(reporter)(report, out)
    return out.getvalue()


@pytest.mark.parametrize("reporter", ["json", "json-full", "sarif", "junit", "markdown"])
def test_a_format_says_what_changed(reporter: str) -> None:
    words = written(compared(), reporter).replace("\\", "")
    assert words.count(SENTENCE) == 1
    assert "since 2026-11-20" not in written(compared(None), reporter)


NARROW = "Only this was looked at: 1 of 116 rules, 1 of 2 endpoints: --endpoint vc-* --only vvol/pe-dsnro-headroom."


@pytest.mark.parametrize("reporter", ["csv", "sarif", "junit", "markdown", "html"])
def test_a_format_says_what_a_narrow_audit_looked_at(reporter: str) -> None:
    options = ("--endpoint vc-*", "--only vvol/pe-dsnro-headroom")
    narrow = replace(samples.clean(), scope=replace(samples.SCOPE, endpoints=("vc-east",), rules=1, options=options))
    assert NARROW in written(narrow, reporter).replace("\\", "")
    for scope in (replace(samples.SCOPE, options=()), None):
        assert "Only this" not in written(replace(narrow, scope=scope), reporter)


def test_metrics_say_whether_an_audit_was_narrow() -> None:
    for options, value in (((), "0.0"), (("--host esx-1",), "1.0")):
        report = replace(samples.clean(), scope=replace(samples.SCOPE, options=options))
        assert f"auditor_narrowed {value}" in written(report, "openmetrics").splitlines()
    assert "auditor_narrowed" not in written(replace(samples.clean(), scope=None), "openmetrics")


def test_markdown_says_it_before_all_else() -> None:
    assert written(compared(), "markdown").splitlines()[2].replace("\\", "") == f"**{SENTENCE}.**"


def test_metrics_count_what_changed_by_kind_and_zero_too() -> None:
    lines = written(compared(), "openmetrics").splitlines()
    assert 'auditor_changed_findings{kind="new"} 3' in lines
    assert 'auditor_changed_findings{kind="gone"} 0' in lines
    assert "changed_findings" not in written(compared(None), "openmetrics")


def test_json_has_every_kind_and_obeys_the_schema() -> None:
    report = json.loads(written(compared(), "json"))
    VALIDATOR.validate(report)
    counts = dict.fromkeys(map(str, ChangeKind), 0) | {"new": 3, "fixed": 2, "came-back": 1}
    assert report["compared"] == {
        "run": EARLIER,
        "started": "2026-11-20T06:00:00Z",
        "same_scope": True,
        "sentence": SENTENCE,
        "counts": counts,
        "notes": ["One rule more."],
        "fixed_by": {},
    }


def test_a_kept_run_shows_it_again_while_the_run_before_is_kept(tmp_path: Path) -> None:
    before = begin_run(tmp_path, EARLIER)
    keep_run(before, samples.clean())
    keep_run(begin_run(tmp_path, "20261121T060000Z-0000"), compared())
    shown = report_of_run(load_run(tmp_path)).compared
    assert shown is not None
    assert compared_object(shown) == compared_object(COMPARED)
    (before / "run.json").rename(tmp_path / "gone.json")
    before_report = next(before.iterdir())
    before_report.unlink()
    before.rmdir()
    assert report_of_run(load_run(tmp_path)).compared is None
