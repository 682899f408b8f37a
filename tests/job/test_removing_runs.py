"""A job removes kept runs beyond its limits after each run, and never fails by it."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from auditor.history.kept_run import list_runs
from auditor.job.jobs_file import Job
from auditor.job.one_run import remove_old_runs
from tests.history.test_retention import audited, left


def job(*limits: str) -> Job:
    return Job(name="nightly", fleet=Path("fleet.yaml"), publish=Path("site"), keep_runs=limits)


def test_runs_beyond_the_limits_of_a_job_are_removed_and_the_log_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    for day in (1, 2, 3):
        audited(tmp_path, day)
    remove_old_runs(job(), tmp_path)
    assert left(tmp_path) == [1, 2, 3]
    remove_old_runs(job("2", "9999d"), tmp_path)
    assert left(tmp_path) == [2, 3]
    assert "nightly: 1 run removed" in caplog.text


def test_a_run_that_cannot_be_removed_is_a_line_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for day in (1, 2):
        audited(tmp_path, day)
    damaged = list_runs(tmp_path)[0].directory / "run.json"
    damaged.write_text("{}", encoding="utf-8")
    remove_old_runs(job("1"), tmp_path)
    assert "nightly: kept runs could not be removed" in caplog.text
