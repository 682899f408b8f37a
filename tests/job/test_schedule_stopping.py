"""A signal ends the schedule soon, and leaves nothing torn."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from auditor import stopping
from auditor.job.jobs_file import Job, NoticeTarget
from auditor.job.notices import Notice
from auditor.job.runs import Ended
from auditor.job.site.publishing import Site
from auditor.model import Secret
from tests.job.nights import BEGIN, JumpingClock, Runs, Sent, drifted, job, scheduled
from tests.job.schedules import UNREACHABLE
from tests.waiting import PATIENCE_SECONDS, until

pytestmark = pytest.mark.long


def test_once_ends_with_the_code_of_the_signal_that_stopped_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stops(Runs):
        def __call__(self, job: Job, site: Site, state: Path, previous: str | None) -> Ended:
            os.kill(os.getpid(), signal.SIGTERM)
            return super().__call__(job, site, state, previous)

    monkeypatch.setattr(stopping._state, "number", None)
    with pytest.raises(KeyboardInterrupt):
        scheduled(tmp_path, Stops(JumpingClock()), job(tmp_path, cron=None)).once()
    assert stopping.exit_code() == 143


def test_a_signal_ends_the_schedule_while_a_target_takes_its_time(tmp_path: Path) -> None:
    clock = JumpingClock(end=BEGIN + timedelta(days=3))
    began = time.monotonic()

    class Endless(Sent):
        def __call__(self, target: NoticeTarget, notice: Notice) -> None:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(60)

    target = NoticeTarget("team", Secret("env", ("NOBODY",)), 600.0)
    runs = Runs(clock, [drifted, UNREACHABLE])
    schedule = scheduled(tmp_path, runs, job(tmp_path, notify=(target,)), sent=Endless())
    schedule.serve()
    assert time.monotonic() - began < 30
    again = scheduled(tmp_path, runs, job(tmp_path, notify=(target,)))
    assert [notice.title for notice in again.notifier.deliveries["team"].pending] == ["nightly: the audit failed"], "it still waits"


def test_signal_handlers_are_put_back(tmp_path: Path) -> None:
    before = (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT))
    scheduled(tmp_path, Runs(JumpingClock()), job(tmp_path, cron=None)).once()
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == before


SCHEDULE = """
import sys, time
from dataclasses import replace
from pathlib import Path
from auditor.job.clock import SystemClock
from tests.job.nights import Runs, JumpingClock, job, scheduled

class Stuck(Runs):
    def __call__(self, *order):
        try:
            print("began", flush=True)
            if sys.argv[2] == "stuck":
                time.sleep(3600)
            return super().__call__(*order)
        finally:
            print("sessions closed", flush=True)

folder = Path(sys.argv[1])
schedule = scheduled(folder, Stuck(JumpingClock()), job(folder))
replace(schedule, clock=SystemClock()).serve(at_start=True)
"""


@pytest.mark.parametrize("phase", ["stuck", "waiting"], ids=["while a job runs", "while it waits for the clock"])
def test_a_signal_ends_the_process_soon_and_leaves_nothing_torn(tmp_path: Path, phase: str) -> None:
    number = signal.SIGTERM if phase == "stuck" else signal.SIGINT
    root = Path(__file__).parents[2]
    run = [sys.executable, "-c", SCHEDULE, str(tmp_path), phase]
    folder = tmp_path / "www" / "nightly"
    with subprocess.Popen(run, stdout=subprocess.PIPE, text=True, cwd=root, env={**os.environ, "PYTHONPATH": str(root)}) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "began\n"
            if phase == "waiting":
                until((folder / "index.html").exists, "the page of the run")
            process.send_signal(number)
            assert process.wait(PATIENCE_SECONDS) == 0
            assert process.stdout.read() == "sessions closed\n"
        finally:
            process.kill()
    assert not list(folder.glob(".*"))
    assert (folder / "index.html").exists() is (phase == "waiting")
    for page in folder.glob("*.html"):
        assert page.read_text().rstrip().endswith("</html>")
