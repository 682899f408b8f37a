"""A state directory on an object store: what one machine keeps is there for every other one, whole or not at all."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import fsspec
import pytest

from auditor.cli import run
from auditor.errors import ConfigurationError, StoreError
from auditor.history.kept_run import KeptRun, list_runs
from auditor.history.retention import Keep, parse_keep, prune
from auditor.history.runs import keep_exit_code
from auditor.history.state import state_directory
from auditor.history.working_copy import fetch, send_baseline, sent_notice, working_copy
from auditor.store.address import Address
from auditor.store.objects import ObjectStore
from tests.history.kept_runs import WHEN, run_id
from tests.history.test_retention import NOW, audited

ADDRESS = Address("memory", "audits/state")
Machine = Callable[[str], Path]


@pytest.fixture(autouse=True)
def store() -> Iterator[dict[str, object]]:
    """The objects of an empty store, by their names."""
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    memory.pseudo_dirs[:] = [""]
    yield memory.store
    memory.store.clear()


@pytest.fixture
def on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """The working copy of a machine, as a command that only reads finds it."""

    def go(machine: str) -> Path:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / machine))
        return state_directory(ADDRESS, to_read=True)

    return go


def kept(state: Path, day: int, size: int = 3) -> Path:
    """A run of that day, finished and sent."""
    audited(state, day, size=size)
    directory = state / "runs" / run_id(day)
    keep_exit_code(directory, 1)
    return directory


def listed(state: Path) -> list[int]:
    return [(one.started - WHEN).days for one in reversed(list_runs(state))]


def refusing(monkeypatch: pytest.MonkeyPatch, name: str, after: int = 0) -> None:
    """A store that refuses this call from the number `after` on."""
    made: list[object] = []
    whole = getattr(ObjectStore, name)

    def call(self: ObjectStore, *values: object, **options: object) -> object:
        made.append(self)
        if len(made) > after:
            raise StoreError(f"cannot {name}", why="a test refuses it.", do="Wait.")
        return whole(self, *values, **options)

    monkeypatch.setattr(ObjectStore, name, call)


def test_a_run_of_one_machine_is_listed_by_another_and_its_files_come_when_they_are_wanted(on: Machine) -> None:
    directory = kept(on("here"), 10)
    (directory / "unseen").write_text("of a run that was sent", encoding="utf-8")
    [there] = list_runs(on("there"))
    assert (there.started - WHEN, there.exit_code) == (timedelta(days=10), 1)
    assert not (there.directory / "filler").exists()
    fetch(there.directory, lambda name: name == "other")
    assert not (there.directory / "filler").exists()
    fetch(there.directory)
    assert (there.directory / "filler").read_bytes() == bytes(3)
    assert not (there.directory / "unseen").exists()


def test_what_is_asked_of_a_run_fetches_that_part_of_it(on: Machine) -> None:
    state = on("here")
    audited(state, 10)
    directory = state / "runs" / run_id(10)
    for name in ("findings.parquet", "snapshot/snapshot.json", "snapshot/baseline.parquet", "snapshot/host.parquet"):
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_bytes(b"x")
    keep_exit_code(directory, 0)

    def here(run: KeptRun) -> set[str]:
        return {path.relative_to(run.directory).as_posix() for path in run.directory.rglob("*.parquet")}

    [there] = list_runs(on("there"))
    assert there.findings is not None
    assert here(there) == {"findings.parquet"}
    assert there.baseline is not None
    assert here(there) == {"findings.parquet", "snapshot/baseline.parquet"}
    assert there.snapshot == there.directory / "snapshot"
    assert here(there) == {"findings.parquet", "snapshot/baseline.parquet", "snapshot/host.parquet"}


def test_a_working_copy_is_for_this_account_and_one_store_alone(on: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(on("here"), 1)
    state = on("there")
    assert state.stat().st_mode & 0o777 == 0o700
    assert (state / "runs" / run_id(1) / "run.json").stat().st_mode & 0o077 == 0
    first = working_copy(Address("s3", "audits/state"))
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    assert working_copy(Address("s3", "audits/state")) != first


def test_a_run_that_could_not_be_sent_is_kept_and_named_and_the_next_command_sends_it(
    on: Machine, store: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    state = on("here")
    audited(state, 10)
    directory = state / "runs" / run_id(10)
    with monkeypatch.context() as patched:
        refusing(patched, "put")
        [notice] = sent_notice(directory)
        assert f"run {run_id(10)} is kept in {directory}" in notice
        with pytest.raises(StoreError, match=run_id(10)) as refused:
            keep_exit_code(directory, 1)
        assert "The next command with this --state-dir sends it" in refused.value.do
        assert listed(on("here")) == [10], "a command that reads goes on"
        with pytest.raises(StoreError, match="cannot put"):
            state_directory(ADDRESS)
    assert not store
    assert listed(on("there")) == []
    on("here")
    assert listed(on("there")) == [10]


def test_an_upload_that_was_cut_off_is_no_run_for_anybody(on: Machine, monkeypatch: pytest.MonkeyPatch, store: dict[str, object]) -> None:
    def cut_off(*_: object, **__: object) -> None:
        raise ConnectionResetError

    state = on("here")
    audited(state, 10)
    with monkeypatch.context() as patched:
        patched.setattr(type(fsspec.filesystem("memory")), "pipe_file", cut_off)
        with pytest.raises(StoreError, match="is kept in"):
            keep_exit_code(state / "runs" / run_id(10), 0)
        assert any(key.endswith("/filler") for key in store)
        patched.undo()
    assert listed(on("there")) == []


def test_an_exit_code_that_came_later_is_seen_elsewhere(on: Machine) -> None:
    state = on("here")
    audited(state, 10)
    sent_notice(state / "runs" / run_id(10))
    assert list_runs(on("there"))[0].exit_code is None
    on("here")
    keep_exit_code(state / "runs" / run_id(10), 2)
    assert list_runs(on("there"))[0].exit_code == 2


def test_pruned_runs_go_from_the_store_and_from_every_machine(on: Machine, store: dict[str, object]) -> None:
    here = on("here")
    for day in (50, 60, 70):
        kept(here, day, size=1000)
    audited(here, 80, finished=False)
    there = on("there")
    assert listed(there) == [50, 60, 70]
    pruning = prune(there, parse_keep(["1KiB"]), NOW)
    assert [run for run, _ in pruning.removed] == [run_id(50), run_id(60)]
    assert all(size > 1000 for _, size in pruning.removed), "of the objects: nothing of it was here"
    assert {key.split("/")[4] for key in store} == {run_id(70)}
    fsspec.filesystem("memory").pseudo_dirs[:] = [""]  # a store has no empty folders
    assert listed(on("here")) == [70, 80], "what is going on here stays"


def test_a_removal_that_was_cut_off_shows_no_run_in_part_and_its_rest_goes_later(
    on: Machine, store: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = on("here")
    for day in (50, 60):
        kept(here, day)
    with monkeypatch.context() as patched:
        refusing(patched, "remove", after=1)
        with pytest.raises(StoreError):
            prune(here, Keep(count=1), NOW)
    assert [key.rpartition("/")[2] for key in store if run_id(50) in key] == ["filler"]
    there = on("there")
    assert listed(there) == [60]
    prune(there, Keep(count=500), WHEN + timedelta(days=50, hours=12))
    assert any(run_id(50) in key for key in store), "it may be an upload that goes on"
    prune(there, Keep(count=500), NOW)
    assert not any(run_id(50) in key for key in store)


def test_a_run_that_goes_while_it_is_listed_is_named_when_it_is_opened(on: Machine, store: dict[str, object]) -> None:
    kept(on("here"), 50)
    [there] = list_runs(on("there"))
    del store[next(key for key in store if key.endswith("/run.json"))]
    with pytest.raises(StoreError, match=f"run {run_id(50)} is not on {ADDRESS} any more"):
        fetch(there.directory)
    assert listed(there.directory.parent.parent) == []


def test_a_store_with_journals_is_not_pruned(on: Machine) -> None:
    state = on("here")
    kept(state, 50)
    kept(state, 60)
    fsspec.filesystem("memory").pipe_file("/audits/state/journal/x.jsonl", b"{}")
    with pytest.raises(ConfigurationError, match="holds journals"):
        prune(state, Keep(count=1), NOW)


def test_a_baseline_is_in_force_on_every_machine(on: Machine) -> None:
    here = on("here")
    (here / "baseline.parquet").write_bytes(b"wanted")
    send_baseline(here)
    there = on("there")
    assert (there / "baseline.parquet").read_bytes() == b"wanted"
    (there / "baseline.parquet").unlink()
    send_baseline(there)
    assert not (on("here") / "baseline.parquet").exists()


@pytest.mark.parametrize(
    "word", ["audit --fix", "plan --out x", "apply plan.json", "undo last", "resume last", "confirm last", "journal verify"]
)
def test_what_changes_the_fleet_is_refused_on_a_store(capsys: pytest.CaptureFixture[str], word: str) -> None:
    fleet = [] if word.startswith(("confirm", "journal")) else ["--fleet", "fleet.yaml"]
    assert run([*word.split(), *fleet, "--state-dir", str(ADDRESS)]) == 3
    printed = capsys.readouterr().err
    assert f"error: {ADDRESS} cannot hold journals" in printed
    assert "--state-dir DIR" in printed


def test_not_even_the_working_copy_takes_journals(on: Machine) -> None:
    state = on("here")
    for place in (ADDRESS, state):
        with pytest.raises(ConfigurationError, match="cannot hold journals"):
            state_directory(place, to_change=True)
    assert state_directory(state) == state
