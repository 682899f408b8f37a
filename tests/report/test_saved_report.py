"""A saved run with its verdicts in columns is shown again unchanged."""

import io
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from auditor.engine import verdict_reader
from auditor.engine.evaluate import Evaluation, evaluate
from auditor.errors import SnapshotError
from auditor.history.folders import FINDINGS_FILE, KEPT_FILE
from auditor.history.runs import begin_run, keep_run, load_run, report_of_run
from auditor.model import Fix, FixClass, Outcome, Report, Verdict
from auditor.report.json.report import write_full_json
from auditor.report.json.saved_report import FindingKey, key_of, with_fixes
from auditor.report.verdict_counts import LISTED
from tests.engine.bench import SOUND, fleet, pe, rule_text, rules_from
from tests.report import samples

RUN = "20261121T010000Z-0000"


def rendered(report: Report) -> str:
    out = io.StringIO()
    write_full_json(report, out)
    return out.getvalue()


@pytest.fixture
def judged(tmp_path: Path) -> tuple[Path, Evaluation]:
    """A run's directory and what was judged in it: every verdict, on two endpoints and on one without a name."""
    directory = begin_run(tmp_path, RUN)
    rows = [pe(number, dsnro=dsnro, endpoint=endpoint) for number, (dsnro, endpoint) in enumerate(
        [(32, "vc-b"), (256, "vc-a"), (None, "vc-a"), (32, "vc-a"), (256, None), (256, "vc-b"), (256, "vc-a")]
    )]  # fmt: skip
    rules = rules_from(tmp_path / "rules", SOUND, rule_text("local/deep", severity="low", holds="queue_depth > 1000", by_hand="by hand"))
    evaluation = evaluate(fleet(rows, folder=directory), rules)
    evaluation.save(directory / FINDINGS_FILE)
    return directory, evaluation


def report_of(evaluation: Evaluation, fixes: dict[FindingKey, Fix]) -> Report:
    return replace(samples.bad_night(), summary=evaluation.summary(), findings=partial(with_fixes, evaluation.findings, fixes))


@pytest.mark.long
def test_a_saved_run_is_shown_again_with_the_results_of_its_fixes(tmp_path: Path, judged: tuple[Path, Evaluation]) -> None:
    directory, evaluation = judged
    failed = next(finding for finding in evaluation.findings({Verdict.FAIL}) if finding.fix is not None and finding.fix.remediator)
    fix = Fix("device.dsnro", FixClass.ONLINE_CAUTION, 32, 256, Outcome.UNVERIFIED, "it reads 32 still", target=(("device", "naa.1"),))
    report = report_of(evaluation, {key_of(failed): fix})
    keep_run(directory, report, {key_of(failed): fix})
    again = report_of_run(load_run(tmp_path, RUN))
    assert rendered(again) == rendered(report)
    assert [finding.fix for finding in again.findings() if finding.fix and finding.fix.outcome is Outcome.UNVERIFIED] == [fix]
    assert list(again.findings()) == list(again.findings()), "a second pass differs"
    assert not (directory / "report.json").exists()
    assert (directory / KEPT_FILE).stat().st_mode & 0o777 == 0o600


@pytest.mark.long
def test_what_is_counted_and_listed_is_what_the_findings_are(tmp_path: Path, judged: tuple[Path, Evaluation]) -> None:
    directory, evaluation = judged
    failed = next(finding for finding in evaluation.findings({Verdict.FAIL}) if finding.fix is not None and finding.fix.remediator)
    fix = Fix("device.dsnro", FixClass.ONLINE_CAUTION, 32, 256, Outcome.UNVERIFIED, "it reads 32 still", target=(("device", "naa.1"),))
    keep_run(directory, report_of(evaluation, {key_of(failed): fix}), {key_of(failed): fix})
    kept = report_of_run(load_run(tmp_path, RUN))
    counted = Counter((finding.rule, finding.severity, finding.verdict) for finding in evaluation.findings())
    assert {key[2] for key in counted} >= {Verdict.FAIL, Verdict.UNKNOWN, Verdict.PASS}
    assert kept.counts is not None
    assert kept.listed is not None
    assert {key: number for key, number in evaluation.counts().items() if number} == counted
    assert kept.counts() == counted
    assert list(kept.listed()) == [finding for finding in kept.findings() if finding.verdict in LISTED]
    assert fix in [finding.fix for finding in kept.listed()]


def test_a_run_that_was_saved_with_its_findings_is_still_shown(tmp_path: Path) -> None:
    keep_run(begin_run(tmp_path, RUN), samples.bad_night())
    assert rendered(report_of_run(load_run(tmp_path, RUN))) == rendered(samples.bad_night())


def test_findings_sorted_an_endpoint_at_a_time_come_in_the_same_order(
    monkeypatch: pytest.MonkeyPatch, judged: tuple[Path, Evaluation], tmp_path: Path
) -> None:
    directory, evaluation = judged
    keep_run(directory, report_of(evaluation, {}), {})
    at_once = list(evaluation.findings())
    assert {finding.resource.endpoint for finding in at_once} == {"vc-a", "vc-b", None}
    monkeypatch.setattr(verdict_reader, "SORTED_AT_ONCE", 1)
    assert list(evaluation.findings()) == at_once
    assert list(report_of_run(load_run(tmp_path, RUN)).findings()) == at_once


@pytest.mark.parametrize(
    ("file", "spoil", "why"),
    [
        pytest.param(KEPT_FILE, lambda content: content[:-40], "incomplete", id="a torn report"),
        pytest.param(
            KEPT_FILE, lambda content: content.replace(b'"schema_version": 1', b'"schema_version": 9'), "version 9", id="a later one"
        ),
        pytest.param(FINDINGS_FILE, lambda content: content[:-40], "does not hold the verdicts", id="torn verdicts"),
    ],
)
def test_a_run_that_is_damaged_says_so(
    tmp_path: Path, judged: tuple[Path, Evaluation], file: str, spoil: Callable[[bytes], bytes], why: str
) -> None:
    directory, evaluation = judged
    keep_run(directory, report_of(evaluation, {}), {})
    (directory / file).write_bytes(spoil((directory / file).read_bytes()))
    with pytest.raises(SnapshotError, match=why):
        report_of_run(load_run(tmp_path, RUN))


def test_verdicts_that_disappear_while_they_are_shown_are_no_traceback(tmp_path: Path, judged: tuple[Path, Evaluation]) -> None:
    directory, evaluation = judged
    keep_run(directory, report_of(evaluation, {}), {})
    report = report_of_run(load_run(tmp_path, RUN))
    (directory / FINDINGS_FILE).unlink()
    with pytest.raises(SnapshotError, match="the verdicts cannot be read"):
        list(report.findings())
