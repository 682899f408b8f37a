"""Fourteen days of the job against the lab, with drift injected: every day is published, its trend and diffs are what was injected.

The clock is passed in, so the days take seconds. The lab is really read, judged, compared and published on each of the days.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from auditor.errors import AuditorError
from auditor.job.jobs_file import Job, NoticeTarget
from auditor.job.one_run import make_run
from auditor.job.published import PublishedRun, job_folder, published_runs
from auditor.job.runs import Ended, Failed
from auditor.job.site.publishing import Site
from auditor.model import Secret
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import Lab, serve
from tests.job.nights import BEGIN, JumpingClock, Runs, Sent, scheduled

DAYS = 14
OPTION, STOCK = "Disk.SchedQuantum", 8
DRIFTED = {2: {1, 2}, 4: {1, 2, 4}, 6: {2, 4}, 9: {2, 4}, 11: {1, 2}}
"""Day -> which of the hosts have another value from then on."""


def drifted_on(day: int) -> set[int]:
    """Which of the hosts have another value on `day`: what was injected last is still so."""
    return next((hosts for since, hosts in sorted(DRIFTED.items(), reverse=True) if since <= day), set())


AWAY = (7, 8)
"""Days on which the vCenter does not answer: nothing can be judged."""
BROKEN = 12
"""The day on which somebody left fleet.yaml with a mistake: the audit fails."""
FAILURES = {day: len(drifted_on(day)) for day in range(1, DAYS + 1)}
CHANGES = {
    2: {"new": 2},
    4: {"new": 1},
    6: {"fixed": 1},
    7: {"no-longer-read": 2},
    9: {"newly-judged": 2},
    11: {"came-back": 1, "fixed": 1},
}
"""Day -> what changed since the day before that was judged, as injected above; other days: nothing."""
NOTICES = {
    2: "nightly: drift",
    4: "nightly: drift",
    6: "nightly: drift",
    7: "nightly: not all judged",
    9: "nightly: drift",
    11: "nightly: drift",
    12: "nightly: the audit failed",
    13: "nightly: audits work again, drift",
}
CHAT = NoticeTarget("chat", Secret("env", ("NOT_ASKED",)), 60.0)


@dataclass
class LabRuns(Runs):
    """Reads the lab, as it is on the day, in this process."""

    lab: Lab | None = None
    fleet_text: str = ""

    def __call__(self, job: Job, site: Site, state: Path, previous: str | None) -> Ended:
        self._inject(job, self.clock.moment.day)
        try:
            ended: Ended = make_run(job, site, state, previous)
        except AuditorError as error:
            ended = Failed(error)
        self.clock.moment += timedelta(minutes=2)
        return ended

    def _inject(self, job: Job, day: int) -> None:
        text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:9", self.fleet_text) if day in AWAY else self.fleet_text
        job.fleet.write_text("no fleet" if day == BROKEN else text, encoding="utf-8")
        assert self.lab is not None
        [vcenter] = self.lab.vcenters.values()
        hosts = sorted(vcenter.state.hosts.values(), key=lambda host: host.description.name)
        with vcenter.state.lock:
            for number, host in enumerate(hosts):
                host.options[OPTION] = STOCK + 1 if number in drifted_on(day) else STOCK
            vcenter.state.changed()


@dataclass(frozen=True)
class Fortnight:
    runs: LabRuns
    sent: Sent
    listed: list[PublishedRun]  # oldest first
    site: Path
    missed: int

    def on(self, day: int) -> PublishedRun:
        [run] = [one for one in self.listed if one.started.day == day]
        return run


@pytest.fixture(scope="module")
def fortnight(tmp_path_factory: pytest.TempPathFactory) -> Fortnight:
    folder = tmp_path_factory.mktemp("fortnight")
    clock = JumpingClock(end=BEGIN + timedelta(days=DAYS))

    class Moments(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            assert tz is not None
            return clock.moment

    with serve(load_scenario("solidfire-vvols")) as lab, pytest.MonkeyPatch.context() as patch:
        patch.setattr("auditor.audit.datetime", Moments)
        lab.write_fleet(folder / "fleet.yaml")
        runs = LabRuns(clock, lab=lab, fleet_text=(folder / "fleet.yaml").read_text(encoding="utf-8"))
        nightly = Job(
            name="nightly",
            fleet=folder / "fleet.yaml",
            publish=folder / "www",
            cron="0 6 * * *",
            only=("queue/scheduler-defaults",),
            endpoint=("vc-*",),
            notify=(CHAT,),
            keep=60,
        )
        sent = Sent()
        schedule = scheduled(folder, runs, nightly, sent=sent, url="https://audits.example.com")
        schedule.serve()
    listed = published_runs(job_folder(folder / "state", "nightly", folder / "www"))[::-1]
    return Fortnight(runs, sent, listed, folder / "www", schedule.statuses.by_job["nightly"].progress.missed)


def test_every_day_is_published_and_none_is_missed(fortnight: Fortnight) -> None:
    assert [run.started.day for run in fortnight.listed] == list(range(1, DAYS + 1))
    assert fortnight.missed == 0
    assert all((fortnight.site / name).is_file() for run in fortnight.listed for name in run.files)


def test_the_trend_is_what_was_injected(fortnight: Fortnight) -> None:
    with (fortnight.site / "trend.csv").open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    wanted = [("drift" if FAILURES[day] else "clean", str(FAILURES[day])) for day in range(1, DAYS + 1)]
    wanted[BROKEN - 1] = ("failed", "")
    for day in AWAY:
        wanted[day - 1] = ("incomplete", "0")
    assert [(row["state"], row["fail"]) for row in rows] == wanted


def test_what_changed_is_what_was_injected(fortnight: Fortnight) -> None:
    judged = [day for day in range(2, DAYS + 1) if day != BROKEN]
    assert {day: dict(fortnight.on(day).changes or {}) for day in judged if fortnight.on(day).changes} == CHANGES
    assert all(fortnight.on(day).compared_with is not None for day in judged)
    page = (fortnight.site / (fortnight.on(11).changes_page or "")).read_text(encoding="utf-8")
    assert "Failures that came back: 1" in page
    assert "Fixed: 1" in page


def test_a_day_is_compared_with_the_last_one_that_was_judged(fortnight: Fortnight) -> None:
    assert fortnight.on(BROKEN + 1).compared_with == fortnight.on(BROKEN - 1).id
    assert f"2026-11-{BROKEN - 1}" in fortnight.on(BROKEN + 1).changed_text


def test_people_are_notified_on_days_of_change_alone(fortnight: Fortnight) -> None:
    assert [one.title for _, one in fortnight.sent.messages] == list(NOTICES.values())
    for day, (_, notice) in zip(NOTICES, fortnight.sent.messages, strict=True):
        assert f"https://audits.example.com/202611{day:02}T0600" in notice.body
    assert fortnight.sent.messages[0][1].body.count(f"new: [low] queue/scheduler-defaults: {OPTION} on ") == 2


def test_the_calendar_shows_the_days_in_words(fortnight: Fortnight) -> None:
    index = (fortnight.site / "index.html").read_text(encoding="utf-8")
    assert index.count('<td class="drift">') == 10
    assert index.count('<td class="failed">') == 1
    assert index.count('<td class="incomplete">') == len(AWAY)
    assert index.count('<td class="clean">') == 1
