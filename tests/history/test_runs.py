"""Kept runs: private, listed newest first, and an unfinished one never passes for the latest."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from auditor.errors import ConfigurationError, SnapshotError
from auditor.history.runs import begin_run, keep_run, list_runs, load_run, new_run_id, run_directory
from auditor.history.state import state_directory
from auditor.model import Finding
from auditor.report.json.reading import load_report
from tests.report import samples


def test_the_state_directory_is_for_this_account_only(tmp_path: Path) -> None:
    state = state_directory(tmp_path / "a" / "b")
    directory = begin_run(state, "20261121T065500Z-1a2b")
    keep_run(directory, samples.bad_night())
    for path in (state, state / "runs", directory):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()} == {0o600}


@pytest.mark.parametrize(
    ("home", "place"),
    [
        pytest.param("{home}/state", "state/auditor", id="XDG_STATE_HOME"),
        pytest.param("", ".local/state/auditor", id="not set"),
        pytest.param("relative/state", ".local/state/auditor", id="relative, which XDG says to ignore"),
    ],
)
def test_without_an_option_the_xdg_directory_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, home: str, place: str) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert state_directory(None, {"XDG_STATE_HOME": home.format(home=tmp_path)}) == tmp_path / place


def test_a_state_directory_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="Not a directory"):
        state_directory(tmp_path / "file" / "state")


def test_a_folder_that_is_only_read_is_not_made_and_a_misspelt_one_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no folder"):
        state_directory(tmp_path / "typo", to_read=True)
    assert list_runs(state_directory(None, {"XDG_STATE_HOME": str(tmp_path / "none-yet")}, to_read=True)) == ()
    assert list(tmp_path.iterdir()) == []


def test_run_ids_sort_by_time_in_any_zone_and_do_not_collide() -> None:
    now = datetime(2026, 11, 21, 6, 55, tzinfo=UTC)
    for apart in (timedelta(seconds=1), timedelta(milliseconds=4)):
        ids = [new_run_id(now + step * apart) for step in range(250)]
        assert ids == sorted(ids)
    assert new_run_id(now.astimezone(timezone(timedelta(hours=9)))).startswith("20261121T065500Z-")
    assert len({new_run_id(now) for _ in range(20)}) > 10


@pytest.mark.parametrize("run_id", ["../20261121T065500Z-1a2b", "latest", "", "20261121T065500Z-1a2b/../x", "20261121T065500Z-1a2b\n"])
def test_what_is_not_a_run_id_leads_nowhere(tmp_path: Path, run_id: str) -> None:
    with pytest.raises(ConfigurationError, match="is not the id of a run"):
        run_directory(tmp_path, run_id)


def test_a_run_is_not_begun_twice(tmp_path: Path) -> None:
    begin_run(tmp_path, "20261121T065500Z-1a2b")
    with pytest.raises(ConfigurationError, match="File exists"):
        begin_run(tmp_path, "20261121T065500Z-1a2b")


def test_runs_are_listed_newest_first_and_unfinished_ones_are_said_to_be(tmp_path: Path) -> None:
    for hour in (1, 3, 2):
        keep_run(begin_run(tmp_path, f"20261121T0{hour}0000Z-0000"), samples.bad_night())
    begin_run(tmp_path, "20261121T040000Z-0000")
    (tmp_path / "runs" / "notes").mkdir()
    runs = list_runs(tmp_path)
    assert [(run.id[9:11], run.finished is None) for run in runs] == [("04", True), ("03", False), ("02", False), ("01", False)]
    assert runs[0].started == datetime(2026, 11, 21, 4, tzinfo=UTC)
    assert (runs[1].fail, runs[1].unknown, runs[1].passed, runs[1].waived, runs[1].gaps, runs[1].hosts) == (3, 1, 5, 1, 1, 5)
    assert runs[1].coverage == 0.9


def test_the_latest_run_is_the_newest_that_finished(tmp_path: Path) -> None:
    keep_run(begin_run(tmp_path, "20261121T010000Z-0000"), samples.clean())
    begin_run(tmp_path, "20261121T020000Z-0000")
    assert load_run(tmp_path).id == "20261121T010000Z-0000"


def test_a_run_whose_report_broke_off_is_unfinished(tmp_path: Path) -> None:
    def findings() -> Iterator[Finding]:
        yield samples.pe_finding()
        raise RuntimeError("killed")

    directory = begin_run(tmp_path, "20261121T010000Z-0000")
    with pytest.raises(RuntimeError, match="killed"):
        keep_run(directory, replace(samples.bad_night(), findings=findings))
    assert [path.name for path in directory.iterdir()] == ["owner.json"]
    assert list_runs(tmp_path)[0].finished is None
    with pytest.raises(ConfigurationError, match="never finished"):
        load_run(tmp_path, "20261121T010000Z-0000")


def test_a_kept_report_reads_back(tmp_path: Path) -> None:
    keep_run(begin_run(tmp_path, "20261121T010000Z-0000"), samples.bad_night())
    assert list(load_report(load_run(tmp_path).report).findings()) == list(samples.bad_night().findings())


def test_a_run_that_is_not_there_is_told_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no finished run is kept"):
        load_run(tmp_path)
    keep_run(begin_run(tmp_path, "20261121T010000Z-0000"), samples.clean())
    with pytest.raises(ConfigurationError) as refused:
        load_run(tmp_path, "20261121T010000Z-0001")
    assert refused.value.do == "did you mean 20261121T010000Z-0000?"


def test_a_damaged_run_is_told_not_hidden(tmp_path: Path) -> None:
    directory = begin_run(tmp_path, "20261121T010000Z-0000")
    (directory / "run.json").write_text("{")
    with pytest.raises(SnapshotError, match=r"run\.json: cannot be read"):
        list_runs(tmp_path)
