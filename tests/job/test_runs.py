"""A run is a process of its own: what it hangs by, dies of or reports reaches the schedule, and it never outlives it."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.errors import ConfigurationError
from auditor.job import child, one_run
from auditor.job import runs as made_in_process
from auditor.job.jobs_file import Job
from auditor.job.logs import JsonLines, TextLines
from auditor.job.runs import Failed, job_record, run_in_process, site_record
from auditor.job.site.publishing import Site
from auditor.stopping import Stopped
from tests.job.nights import job, site_in
from tests.waiting import PATIENCE_SECONDS, until

ROOT = Path(__file__).parents[2]


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Job, Site, Path]:
    """A job without a fleet; the process finds the modules of this tree."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "state").mkdir()
    return job(tmp_path), site_in(tmp_path / "pages"), tmp_path / "state"


def instead(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Let the process of a run execute `script`."""
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda _command, **options: popen([sys.executable, "-c", script], **options))


@pytest.mark.long
def test_an_error_of_the_run_comes_back_as_it_was(given: tuple[Job, Site, Path]) -> None:
    one, site, state = given
    ended = run_in_process(one, site, state, None)
    assert isinstance(ended, Failed)
    assert isinstance(ended.error, ConfigurationError)
    assert str(one.fleet) in ended.error.what
    assert not ended.is_bug
    assert not (site.state / "result.json").exists()


def test_a_run_that_hangs_is_stopped_when_its_time_is_over(given: tuple[Job, Site, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    one, site, state = given
    monkeypatch.setattr(made_in_process, "GRACE_SECONDS", 0.2)
    instead(monkeypatch, "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)")
    ended = run_in_process(replace(one, timeout_seconds=0.3), site, state, None)
    assert isinstance(ended, Failed)
    assert ended.error.what == "the run did not end within 0.3 s, and was stopped"


@pytest.mark.parametrize(
    ("script", "what"),
    [
        pytest.param("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "ended by signal SIGKILL, without a result", id="killed"),
        pytest.param("raise SystemExit(7)", "ended by exit code 7, without a result", id="left"),
    ],
)
def test_a_run_that_dies_is_a_bug_that_costs_one_run(
    given: tuple[Job, Site, Path], monkeypatch: pytest.MonkeyPatch, script: str, what: str
) -> None:
    instead(monkeypatch, script)
    ended = run_in_process(*given, None)
    assert isinstance(ended, Failed)
    assert what in ended.error.what
    assert ended.is_bug


def test_a_process_that_cannot_be_started_costs_one_run(given: tuple[Job, Site, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def popen(*_command: object, **_options: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", popen)
    ended = run_in_process(*given, None)
    assert isinstance(ended, Failed)
    assert ended.error.what == "the process of the run could not be started: Resource temporarily unavailable"


def test_the_result_of_an_earlier_run_is_never_taken_for_this_one(given: tuple[Job, Site, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    one, site, state = given
    (site.state / "result.json").write_text('{"kind": "RuleError", "what": "old", "why": "", "do": "", "is_bug": false}')
    instead(monkeypatch, "pass")
    ended = run_in_process(one, site, state, None)
    assert isinstance(ended, Failed)
    assert "exit code 0, without a result" in ended.error.what


@pytest.mark.parametrize("formatter", [TextLines(), JsonLines()], ids=["text", "json"])
def test_the_log_of_a_bug_has_its_places_and_not_its_message(formatter: logging.Formatter) -> None:
    def failing() -> None:
        raise RuntimeError("https://user:k3secret@host answered \x1b[31m\n2026-01-01 INFO nothing happened")

    try:
        failing()
    except RuntimeError:
        record = logging.LogRecord("auditor", logging.ERROR, __file__, 1, "the run failed", None, sys.exc_info())
    line = formatter.format(record)
    assert "RuntimeError" in line
    assert "test_the_log_of_a_bug_has_its_places_and_not_its_message" in line
    assert not {one for one in ("k3secret", "\x1b", "nothing happened") if one in line}


ORPHAN = """
import subprocess, sys, time
from pathlib import Path
from tests.job.nights import job, site_in
from auditor.job import runs

folder = Path(sys.argv[1])
popen = subprocess.Popen

def started(command, **options):
    hang = "import auditor.job.child as child, sys, time; child.result_of = lambda order: time.sleep(3600); child.main()"
    process = popen([sys.executable, "-c", hang], **options)
    print(process.pid, flush=True)
    return process

runs.subprocess.Popen = started
(folder / "state").mkdir()
runs.run_in_process(job(folder), site_in(folder), folder / "state", None)
"""


@pytest.mark.long
def test_a_run_ends_when_its_schedule_is_killed(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", ORPHAN, str(tmp_path)], stdout=subprocess.PIPE, text=True, env=environment) as schedule:
        assert schedule.stdout is not None
        child = int(schedule.stdout.readline())
        schedule.send_signal(signal.SIGKILL)
        schedule.wait(PATIENCE_SECONDS)

    def has_gone() -> bool:
        status = Path(f"/proc/{child}/status")
        try:
            return "State:\tZ" in status.read_text()
        except (FileNotFoundError, ProcessLookupError):
            return True

    until(has_gone, "the end of the run")


def test_a_statement_that_a_signal_ended_is_no_bug(given: tuple[Job, Site, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def make_run(*_order: object) -> None:
        raise RuntimeError("Query interrupted")

    one, site, state = given
    monkeypatch.setattr(one_run, "make_run", make_run)
    order = {"job": job_record(one), "site": site_record(site), "state": str(state), "previous": None}
    assert child.result_of(order)["is_bug"]
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)  # as the process does when the signal comes
    try:
        with pytest.raises(Stopped):
            child.result_of(order)
    finally:
        signal.signal(signal.SIGTERM, before)
