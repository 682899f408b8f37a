"""Runs that undo themselves unless somebody confirms them in time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from auditor.errors import ConfigurationError, GuardError
from auditor.history.confirming import (
    Deadline,
    confirm,
    deadline_of,
    forget_deadline,
    keep_deadline,
    mark_undone,
    overdue,
    refuse_undone,
)
from auditor.history.folders import RUNS_FOLDER

RUN, OTHER = "20181104T120000Z-0001", "20181104T130000Z-0002-apply"
UNTIL = datetime(2018, 11, 4, 12, 15, tzinfo=UTC)
SOON, LATE = UNTIL - timedelta(minutes=1), UNTIL + timedelta(minutes=1)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    for run in (RUN, OTHER):
        (tmp_path / RUNS_FOLDER / run).mkdir(parents=True)
    keep_deadline(tmp_path, Deadline(RUN, UNTIL))
    return tmp_path


def test_a_run_that_is_confirmed_in_time_stays(state: Path) -> None:
    assert confirm(state, RUN, SOON).confirmed == SOON
    assert overdue(state, LATE) == ()
    assert confirm(state, RUN, LATE).confirmed == SOON, "a second time does no harm"


def test_a_run_that_nobody_confirmed_is_overdue_until_it_is_put_back(state: Path) -> None:
    assert overdue(state, SOON) == ()
    assert overdue(state, LATE) == (RUN,)
    keep_deadline(state, Deadline(OTHER, UNTIL))
    assert overdue(state, LATE) == (OTHER, RUN), "the newest first"
    mark_undone(state, RUN, "20181104T121600Z-0003-undo")
    assert overdue(state, LATE) == (OTHER,)
    with pytest.raises(GuardError, match="put back by run 20181104T121600Z-0003-undo"):
        refuse_undone(state, RUN)
    refuse_undone(state, OTHER)


def test_it_is_too_late_to_confirm_what_is_overdue_or_put_back(state: Path) -> None:
    with pytest.raises(GuardError, match="had to be confirmed until 2018-11-04 12:15:00 UTC"):
        confirm(state, RUN, LATE)
    mark_undone(state, RUN, "u")
    with pytest.raises(GuardError, match="was put back by run u"):
        confirm(state, RUN, SOON)


def test_a_run_without_a_deadline_needs_no_confirmation(state: Path) -> None:
    mark_undone(state, OTHER, "u")
    assert deadline_of(state, OTHER) is None
    with pytest.raises(ConfigurationError, match="waits for no confirmation"):
        confirm(state, OTHER, SOON)
    forget_deadline(state, RUN)
    forget_deadline(state, RUN)
    assert overdue(state, LATE) == ()


def test_a_damaged_deadline_is_no_confirmation(state: Path) -> None:
    (state / RUNS_FOLDER / RUN / "confirm.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"confirm\.json"):
        overdue(state, LATE)
