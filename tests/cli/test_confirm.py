"""`auditor confirm`, and what a command does that waits for it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from auditor import stopping
from auditor.cli import run
from auditor.cli.confirm import await_confirmed
from auditor.cli.durations import seconds_of
from auditor.errors import ConfigurationError, GuardError
from auditor.fleet.loading import Fleet
from auditor.history.confirming import Deadline, deadline_of, keep_deadline
from auditor.history.folders import RUNS_FOLDER
from auditor.pipeline.writing import Written

RUN = "20181104T120000Z-0001"
FLEET = Fleet(Path("fleet.yaml"), ())


@pytest.fixture
def state(tmp_path: Path) -> Path:
    (tmp_path / RUNS_FOLDER / RUN).mkdir(parents=True)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        pytest.param(None, None, id="none"),
        pytest.param("90s", 90, id="s"),
        pytest.param("15m", 900, id="m"),
        pytest.param("2h", 7200, id="h"),
    ],
)
def test_a_time_is_read_as_people_write_it(text: str | None, seconds: float | None) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "15", "0m", "m", "1.5h", "15 minutes"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="--confirm-within"):
        seconds_of(text)


def test_a_run_is_confirmed_by_its_id(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep_deadline(state, Deadline(RUN, datetime.now(UTC) + timedelta(hours=1)))
    assert run(["confirm", RUN, "--state-dir", str(state)]) == 0
    assert capsys.readouterr().out == f"Run {RUN} stays.\n"
    kept = deadline_of(state, RUN)
    assert kept is not None
    assert kept.confirmed is not None
    await_confirmed(RUN, FLEET, state)


def test_a_run_without_a_deadline_is_nothing_to_confirm_and_too_late_is_too_late(state: Path) -> None:
    assert run(["confirm", RUN, "--state-dir", str(state)]) == 3
    keep_deadline(state, Deadline(RUN, datetime.now(UTC) - timedelta(hours=1)))
    assert run(["confirm", RUN, "--state-dir", str(state)]) == 5


def test_a_command_that_waits_says_how_to_confirm_and_ends_with_what_it_put_back(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    keep_deadline(state, Deadline(RUN, datetime.now(UTC) - timedelta(seconds=1)))

    def undo_run(request: Any, *, confirm: Any) -> Written:
        assert (request.run, confirm(())) == (RUN, True)
        return Written("undo-1", "undo", ())

    monkeypatch.setattr("auditor.pipeline.confirmation.undo_run", undo_run)
    with pytest.raises(GuardError, match=f"run {RUN} was not confirmed in time, and run undo-1 put it back"):
        await_confirmed(RUN, FLEET, state)
    assert f"auditor confirm {RUN} --state-dir {state}" in capsys.readouterr().err


def test_a_command_that_is_stopped_while_it_waits_says_that_its_run_is_not_confirmed(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_deadline(state, Deadline(RUN, datetime(2100, 1, 1, 7, 28, 30, tzinfo=UTC)))

    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("auditor.pipeline.confirmation.await_confirmation", stopped)
    stopping.last_words()  # those of other tests of this process
    with pytest.raises(KeyboardInterrupt):
        await_confirmed(RUN, FLEET, state)
    (words,) = stopping.last_words()
    assert f"run {RUN} is not confirmed, and this command does not wait for it any more." in words
    assert "until the next `auditor resume`, or the schedule, after 07:28:30 UTC." in words
    assert f"auditor confirm {RUN} --state-dir {state} lets it stay; auditor undo {RUN} --fleet fleet.yaml" in words
