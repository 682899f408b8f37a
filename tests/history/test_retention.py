"""Runs are removed when somebody asks for it, by age, number or size; and some never are."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from auditor.cli import run
from auditor.errors import ConfigurationError
from auditor.history import retention
from auditor.history.confirming import Deadline, keep_deadline
from auditor.history.kept_run import list_runs
from auditor.history.retention import Keep, parse_keep, prune, pruned_text, size_text
from auditor.history.running import OWNER_FILE, may_be_running, note_owner
from auditor.history.stopped_runs import mark_stopped
from auditor.journal import open_journal
from auditor.model import Outcome, Receipt
from tests.history.kept_runs import WHEN, run_id
from tests.report import samples

HEAD = {
    "run": {"hosts": 1, "endpoints": []},
    "summary": {"fail": 0, "unknown": 0, "pass": 1, "waived": 0},
    "coverage": {"ratio": 1.0},
    "gaps": 0,
}
SCOPE = {"fleet": "f1ee7", "fleet_name": "fleet.yaml", "endpoints": [], "endpoints_of": 0, "rules": 1, "rules_of": 1, "options": []}
NOW = WHEN + timedelta(days=100)


def audited(state: Path, day: int, *, size: int = 0, options: tuple[str, ...] = (), finished: bool = True) -> str:
    """A run of that day whose directory holds `size` bytes besides its small file."""
    folder = state / "runs" / run_id(day)
    folder.mkdir(parents=True)
    (folder / "filler").write_bytes(bytes(size))
    if finished:
        at = (WHEN + timedelta(days=day)).isoformat()
        head = {**HEAD, "run": {**HEAD["run"], "started": at, "finished": at}, "scope": {**SCOPE, "options": list(options)}}  # type: ignore[dict-item]
        (folder / "run.json").write_text(json.dumps(head), encoding="utf-8")
    return folder.name


def wrote(state: Path, day: int, outcome: Outcome = Outcome.APPLIED) -> None:
    """That run changed a setting."""
    (state / "journal").mkdir(exist_ok=True)
    change = samples.receipt().change
    with open_journal(state / "journal", run_id(day), now=lambda: WHEN + timedelta(days=day)) as journal:
        journal.receipt(journal.intend(change), Receipt(change, outcome, 256))


def left(state: Path) -> list[int]:
    """The days of the runs that are there, oldest first."""
    return [(one.started - WHEN).days for one in reversed(list_runs(state))]


@pytest.mark.parametrize(
    ("keep", "stay"),
    [
        pytest.param(["30d"], [70, 80, 90], id="not older than 30 days; 70 is as old"),
        pytest.param(["2"], [80, 90], id="the two newest"),
        pytest.param(["1MiB"], [80, 90], id="as many as fit into a size"),
        pytest.param(["90d", "2", "1TiB"], [80, 90], id="all limits hold"),
        pytest.param(["1KiB"], [90], id="the newest of a scope stays whatever its size"),
        pytest.param(["1d"], [90], id="and whatever its age"),
        pytest.param(["500"], [50, 60, 70, 80, 90], id="nothing is beyond"),
    ],
)
def test_runs_beyond_a_limit_are_removed(tmp_path: Path, keep: list[str], stay: list[int]) -> None:
    for day in (50, 60, 70, 80, 90):
        audited(tmp_path, day, size=400 << 10)
    says = prune(tmp_path, parse_keep(keep), NOW, dry_run=True)
    assert left(tmp_path) == [50, 60, 70, 80, 90], "a dry run removes nothing"
    assert prune(tmp_path, parse_keep(keep), NOW) == says
    assert left(tmp_path) == stay
    assert says.left == len(stay)
    assert [name for name, _ in says.removed] == [run_id(day) for day in (50, 60, 70, 80, 90) if day not in stay]
    assert says.freed_bytes >= len(says.removed) * (400 << 10)
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {run_id(day) for day in stay}


def test_the_newest_run_of_each_scope_stays(tmp_path: Path) -> None:
    for day, options in ((10, ("--tag vvol",)), (11, ("--tag vvol",)), (12, ()), (13, ())):
        audited(tmp_path, day, options=options)
    pruning = prune(tmp_path, Keep(age=timedelta(days=1)), NOW)
    assert left(tmp_path) == [11, 13]
    assert {one.id: one.why for one in pruning.spared} == {run_id(day): "it is the newest of its scope" for day in (11, 13)}


def test_a_run_whose_changes_could_be_undone_stays_until_it_is_older_than_the_retention(tmp_path: Path) -> None:
    for day in (5, 60, 70, 99):
        audited(tmp_path, day)
    wrote(tmp_path, 5)
    wrote(tmp_path, 60)
    wrote(tmp_path, 70, Outcome.ALREADY)
    pruning = prune(tmp_path, Keep(count=1), NOW)
    assert left(tmp_path) == [60, 99], "day 5 is more than 90 days ago, day 70 changed nothing"
    assert [(one.id, one.why) for one in pruning.spared] == [(run_id(60), "what it changed could be undone")]
    assert prune(tmp_path, Keep(age=timedelta(days=30)), NOW).spared == (), "its age is beyond what was asked for"
    assert left(tmp_path) == [99]
    assert len(list((tmp_path / "journal").glob("*.jsonl"))) == 3, "journals stay: each holds the digest of the one before it"


def test_a_run_that_waits_to_be_confirmed_or_whose_plan_could_be_made_stays(tmp_path: Path) -> None:
    for day in (10, 11, 95, 96, 99):
        audited(tmp_path, day)
    keep_deadline(tmp_path, Deadline(run_id(10), WHEN))
    keep_deadline(tmp_path, Deadline(run_id(11), WHEN, confirmed=WHEN))
    (tmp_path / "runs" / run_id(95) / "plan.json").touch()
    prune(tmp_path, Keep(count=1), NOW)
    assert left(tmp_path) == [10, 95, 99]


def test_a_run_that_another_one_goes_on_with_stays_as_long_as_that(tmp_path: Path) -> None:
    for day in (10, 11, 99):
        audited(tmp_path, day)
    resumed = tmp_path / "runs" / f"{run_id(95)}-resume"
    resumed.mkdir()
    (resumed / "plan.json").touch()
    writes = {"kind": "resume", "of": run_id(10), "started": (WHEN + timedelta(days=95)).isoformat()}
    (resumed / "writes.json").write_text(json.dumps(writes), encoding="utf-8")
    pruning = prune(tmp_path, Keep(age=timedelta(days=30), count=1), NOW)
    assert left(tmp_path) == [10, 99]
    assert resumed.is_dir()
    assert (pruning.spared[0].id, pruning.spared[0].why) == (run_id(10), "a run that goes on with it may still be resumed")


def test_a_run_that_a_wrong_clock_dates_ahead_does_not_take_the_place_of_the_newest(tmp_path: Path) -> None:
    for day in (98, 99, 900):
        audited(tmp_path, day)
    prune(tmp_path, Keep(count=1), NOW)
    assert left(tmp_path) == [99, 900]


def test_the_run_of_the_baseline_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Made:
        run = run_id(10)

    monkeypatch.setattr(retention, "load_about", lambda _: Made())
    for day in (10, 11, 12):
        audited(tmp_path, day)
    assert prune(tmp_path, Keep(count=1), NOW).spared[0].why == "the baseline was made from it"
    assert left(tmp_path) == [10, 12]


def test_an_unfinished_run_stays_while_its_process_lives(tmp_path: Path) -> None:
    for day in (10, 11, 12, 13):
        audited(tmp_path, day, finished=day == 13)
    folders = [tmp_path / "runs" / run_id(day) for day in (10, 11, 12)]
    note_owner(folders[0])
    done = subprocess.Popen([sys.executable, "-c", "pass"])
    done.wait()
    owner = json.loads((folders[0] / OWNER_FILE).read_text())
    (folders[1] / OWNER_FILE).write_text(json.dumps({**owner, "process": done.pid}))
    (folders[2] / OWNER_FILE).write_text(json.dumps({**owner, "begun": "another process had this number"}))
    assert [may_be_running(folder) for folder in folders] == [True, False, False]
    assert prune(tmp_path, Keep(count=1), NOW).spared[0].why == "it is going on"
    assert left(tmp_path) == [10, 13]
    mark_stopped(folders[0])
    assert prune(tmp_path, Keep(count=1), NOW, dry_run=True).spared == (), "a signal closed it, and the process went on"
    (folders[0] / OWNER_FILE).write_text(json.dumps({**owner, "machine": "another", "process": done.pid}))
    assert may_be_running(folders[0]), "a process of another machine cannot be seen from here"


def test_a_removal_that_was_cut_off_leaves_no_run_in_part_and_is_ended_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for day in (1, 2):
        audited(tmp_path, day)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("shutil.rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            prune(tmp_path, Keep(count=1), NOW)
    assert left(tmp_path) == [2]
    assert len(list((tmp_path / "runs").iterdir())) == 2
    prune(tmp_path, Keep(count=1), NOW)
    assert [path.name for path in (tmp_path / "runs").iterdir()] == [run_id(2)]


@pytest.mark.parametrize(
    ("texts", "keep"),
    [
        (["90d"], Keep(age=timedelta(days=90))),
        (["12w", "500"], Keep(age=timedelta(days=84), count=500)),
        (["20GiB"], Keep(size_bytes=20 << 30)),
        ([], Keep()),
    ],
)
def test_limits_are_an_age_a_number_or_a_size(texts: list[str], keep: Keep) -> None:
    assert parse_keep(texts) == keep


@pytest.mark.parametrize("texts", [["0"], ["-1d"], ["90 days"], ["20GB"], ["90d", "4w"], ["999999999w"], [""]])
def test_what_is_no_limit_is_refused(texts: list[str]) -> None:
    with pytest.raises(ConfigurationError, match="--keep"):
        parse_keep(texts)


def test_sizes_are_shown_for_people() -> None:
    assert [size_text(size) for size in (12, 512 << 10, int(1.25 * (1 << 30)))] == ["12 bytes", "512 KiB", "1.2 GiB"]


def test_the_command_says_what_goes_and_what_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for day in (-3, -2, -1):
        audited(tmp_path, day, size=1 << 20, options=("--tag a",) if day == -3 else ())
    assert run(["runs", "prune", "--keep", "1", "--dry-run", "--state-dir", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{run_id(-2)}  would go, 1 MiB"
    assert lines[1] == f"{run_id(-3)}  stays: it is the newest of its scope"
    assert lines[2] == "1 run would be removed, which would free 1 MiB; 2 stay"
    assert run(["runs", "prune", "--keep", "1", "--state-dir", str(tmp_path)]) == 0
    assert "1 run removed, which freed 1 MiB; 2 stay" in capsys.readouterr().out
    assert pruned_text(prune(tmp_path, Keep(count=9), NOW)) == "no run was removed; 2 stay"


def test_runs_are_listed_from_one_small_file_each(tmp_path: Path) -> None:
    for day in range(60):
        audited(tmp_path, day)
    (tmp_path / "runs" / run_id(3) / "findings.parquet").mkdir()  # nobody opens it
    assert len(list_runs(tmp_path)) == 60
