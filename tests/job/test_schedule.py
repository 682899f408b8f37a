"""The schedule makes and publishes the runs of its jobs, and goes on after whatever goes wrong in one of them."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import re
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from auditor.errors import ConfigurationError
from auditor.job.jobs_file import NoticeTarget
from auditor.job.published import job_folder, published_runs
from auditor.job.runs import Failed, Published
from auditor.model import Secret
from tests.job.nights import BEGIN, JumpingClock, Runs, Sent, drifted, job, pages, scheduled
from tests.job.schedules import UNREACHABLE


@pytest.mark.parametrize(
    ("cron", "part"),
    [
        pytest.param("61 * * * *", 'minute "61"', id="minute"),
        pytest.param("* 25 * * *", 'hour "25"', id="hour"),
        pytest.param("* * 0 * *", 'day of month "0"', id="day of month"),
        pytest.param("* * * foo *", 'month "foo"', id="month"),
        pytest.param("* * * * 8", 'day of week "8"', id="day of week"),
        pytest.param("* * * * fri-mon", "range runs backwards", id="backwards"),
        pytest.param("0 2 * *", "4 fields instead of five", id="four fields"),
        pytest.param("0 2 30 2 *", "no such day ever comes", id="30 February"),
    ],
)
def test_a_wrong_schedule_is_refused_with_its_field(tmp_path: Path, cron: str, part: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        scheduled(tmp_path, Runs(JumpingClock()), job(tmp_path, cron=cron))
    assert part in refused.value.what


def test_an_unknown_timezone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match='"Berlin" is not known'):
        scheduled(tmp_path, Runs(JumpingClock()), job(tmp_path, timezone="Berlin"))


def test_a_folder_that_cannot_be_written_is_refused_before_the_night(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="--publish"):
        scheduled(tmp_path, Runs(JumpingClock()), job(tmp_path, publish=tmp_path / "file"))


def test_every_day_is_published_and_compared_with_the_day_before(tmp_path: Path) -> None:
    runs = Runs(JumpingClock(end=BEGIN + timedelta(days=4)))
    schedule = scheduled(tmp_path, runs, job(tmp_path))
    schedule.serve()
    assert [(began.day, began.hour) for _, began, _ in runs.made] == [(1, 6), (2, 6), (3, 6), (4, 6)]
    listed = published_runs(job_folder(tmp_path / "state", "nightly", tmp_path / "www" / "nightly"))
    assert [run.started.day for run in listed] == [4, 3, 2, 1]
    assert [previous for _, _, previous in runs.made] == [None, *(run.id for run in reversed(listed[1:]))]
    assert schedule.statuses.by_job["nightly"].progress.missed == 0


def test_only_pages_lie_in_the_published_folder(tmp_path: Path) -> None:
    runs = Runs(JumpingClock(end=BEGIN + timedelta(days=3)), [drifted, UNREACHABLE, drifted])
    scheduled(tmp_path, runs, job(tmp_path), site=tmp_path / "www").serve()
    page = r"\d{8}T\d{6}Z-[0-9a-f]{4}\.(html|json|csv)|(index|latest)\.html|feed\.xml|trend\.csv"
    names = list(pages(tmp_path / "www" / "nightly"))
    assert len(names) == 4 + 3 + 1 + 3
    assert [name for name in names if not re.fullmatch(page, name)] == []
    assert list(pages(tmp_path / "www")) == ["index.html", "nightly"]


def test_what_an_older_auditor_kept_among_the_pages_is_taken_over_and_removed(tmp_path: Path) -> None:
    folder = tmp_path / "www" / "nightly"
    folder.mkdir(parents=True)
    old = '{"schema_version": 1, "runs": [{"id": "20261031T060000Z-1a2b", "started": "2026-10-31T06:00:00Z",'
    old += ' "finished": "2026-10-31T06:02:00Z", "error": null, "fail": 3, "unknown": 0, "gaps": 0, "hosts": 4, "coverage": 1.0,'
    old += ' "drift": {"new": 2, "mended": 1, "unjudged": 0}}]}'
    (folder / "runs.json").write_text(old)
    (folder / "20261031T060000Z-1a2b.html").write_text("<html>")
    for name in (".lock", ".failing"):
        (folder / name).write_text("4711")
    runs = Runs(JumpingClock(end=BEGIN + timedelta(days=1)))
    scheduled(tmp_path, runs, job(tmp_path)).serve()
    listed = published_runs(job_folder(tmp_path / "state", "nightly", folder))
    assert [run.id for run in listed][1:] == ["20261031T060000Z-1a2b"]
    assert listed[1].changes == {"new": 2, "fixed": 1, "newly-unknown": 0}
    assert not {"runs.json", ".lock", ".failing"} & set(pages(folder))
    assert "20261031T060000Z-1a2b.html" in pages(folder)


def test_the_schedule_goes_on_after_a_bad_night(tmp_path: Path) -> None:
    runs = Runs(JumpingClock(end=BEGIN + timedelta(days=3)), [drifted, UNREACHABLE, drifted])
    scheduled(tmp_path, runs, job(tmp_path)).serve()
    listed = published_runs(job_folder(tmp_path / "state", "nightly", tmp_path / "www" / "nightly"))
    assert [run.error for run in listed] == [None, "no endpoint answered", None]
    assert runs.made[2][2] == listed[2].id, "compared with the last run that reached verdicts"
    assert "The next run is due 2026-11-04 06:00:00 UTC" in (tmp_path / "www" / "nightly" / "index.html").read_text()


def test_once_ends_with_how_the_run_ended_and_needs_no_clock(tmp_path: Path) -> None:
    runs = Runs(JumpingClock(), [UNREACHABLE])
    [ended] = scheduled(tmp_path, runs, job(tmp_path, cron=None)).once()
    assert ended == UNREACHABLE
    latest = (tmp_path / "www" / "nightly" / "latest.html").read_text()
    assert "No verdict: the audit failed" in latest
    assert "look at the network" in latest
    assert "The next run is due" not in (tmp_path / "www" / "nightly" / "index.html").read_text()


def test_the_page_of_all_jobs_is_there_before_the_first_run_and_its_loss_costs_no_run(tmp_path: Path) -> None:
    site = tmp_path / "www"
    scheduled(tmp_path, Runs(JumpingClock(end=BEGIN + timedelta(hours=1))), job(tmp_path), site=site).serve()
    assert "no run yet" in (site / "index.html").read_text()
    (site / "index.html").unlink()
    (site / "index.html").symlink_to(tmp_path / "no" / "such" / "folder.html")
    schedule = scheduled(tmp_path, Runs(JumpingClock(end=BEGIN + timedelta(days=1))), job(tmp_path), site=site)
    schedule.serve()
    progress = schedule.statuses.by_job["nightly"].progress
    assert (progress.ended_well, progress.failed) == (1, 0)


def test_one_process_publishes_to_a_folder_and_other_jobs_are_run_all_the_same(tmp_path: Path) -> None:
    schedule = scheduled(tmp_path, Runs(JumpingClock()), job(tmp_path, cron=None), job(tmp_path, "gold", cron=None))
    descriptor = os.open(tmp_path / "www" / "nightly", os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    refused, made = schedule.once()
    os.close(descriptor)
    assert isinstance(refused, Failed)
    assert "another audit (process of another state directory) is publishing" in refused.error.what
    assert isinstance(made, Published)
    assert all(isinstance(one, Published) for one in schedule.once())


def test_a_run_that_cannot_be_published_is_logged_and_the_schedule_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    clock = JumpingClock(end=BEGIN + timedelta(days=2))
    schedule = scheduled(tmp_path, Runs(clock), job(tmp_path))
    descriptor = os.open(tmp_path / "www" / "nightly", os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    jump = clock.sleep

    def sleep(seconds: float) -> None:
        jump(seconds)
        if len(clock.slept) == 2:  # until the second morning
            os.close(descriptor)

    clock.sleep = sleep  # type: ignore[method-assign]
    schedule.serve()
    assert "job nightly: nothing was published" in caplog.text
    assert len(published_runs(job_folder(tmp_path / "state", "nightly", tmp_path / "www" / "nightly"))) == 1
    assert schedule.statuses.by_job["nightly"].progress.failed == 1


def test_a_full_disk_costs_the_runs_that_it_lasts_and_not_the_schedule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    clock = JumpingClock(end=BEGIN + timedelta(days=4))
    runs, target = Runs(clock), NoticeTarget("team", Secret("env", ("NOBODY",)), 600.0)
    sent = Sent()
    schedule = scheduled(tmp_path, runs, job(tmp_path, notify=(target,)), sent=sent)
    written = os.fsync

    def fsync(descriptor: int) -> None:
        if 1 < len(runs.made) < 4:  # the second and the third night
            raise OSError(errno.ENOSPC, "No space left on device")
        written(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    schedule.serve()
    assert [began.day for _, began, _ in runs.made] == [1, 2, 3, 4], "and each night is tried once"
    listed = published_runs(job_folder(tmp_path / "state", "nightly", tmp_path / "www" / "nightly"))
    assert [run.started.day for run in listed] == [4, 1]
    assert "No space left on device" in caplog.text
    titles = [notice.title for _, notice in sent.messages]
    assert titles == ["nightly: the audit was not published", "nightly: audits work again, drift"]


def test_a_folder_that_somebody_removed_is_made_anew(tmp_path: Path) -> None:
    clock = JumpingClock(end=BEGIN + timedelta(days=3))
    runs = Runs(clock)
    schedule = scheduled(tmp_path, runs, job(tmp_path))
    jump, folder = clock.sleep, tmp_path / "www" / "nightly"

    def sleep(seconds: float) -> None:
        jump(seconds)
        if len(runs.made) == 1:
            shutil.rmtree(folder, ignore_errors=True)

    clock.sleep = sleep  # type: ignore[method-assign]
    schedule.serve()
    assert len(runs.made) == 3
    assert f"{published_runs(schedule.folders()['nightly'])[0].id}.html" in pages(folder)


@pytest.mark.parametrize("place", ["state", ".", "state/jobs", "state/runs/x"])
def test_the_state_directory_is_never_published(tmp_path: Path, place: str) -> None:
    with pytest.raises(ConfigurationError, match="mixed up with the state directory"):
        scheduled(tmp_path, Runs(JumpingClock()), job(tmp_path, publish=tmp_path / place))
    with pytest.raises(ConfigurationError, match="mixed up with the state directory"):
        scheduled(tmp_path, Runs(JumpingClock()), job(tmp_path), site=tmp_path / place)
    scheduled(tmp_path, Runs(JumpingClock()), job(tmp_path, publish=tmp_path / "state" / "site"))


def test_the_log_has_one_line_for_a_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "auditor")
    scheduled(tmp_path, Runs(JumpingClock(end=BEGIN + timedelta(days=1))), job(tmp_path)).serve()
    lines = [record.getMessage() for record in caplog.records]
    assert [line.split(":")[0] for line in lines] == ["job nightly", "stopped"]
    assert "drift: 1 failure, 0 unknown, 0 gaps, coverage 100 %" in lines[0]
