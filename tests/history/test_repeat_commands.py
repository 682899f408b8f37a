"""What is said of a kept run names commands that work where they are typed, whatever the run was of."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.history.kept_run import KeptAlong, KeptRun
from auditor.history.repeat_commands import RepeatCommands, fleet_of_run, repeat_commands
from auditor.history.runs import begin_run, keep_run, load_run
from auditor.model import Report
from tests.report import samples

RUN = "20261120T060000Z-aaaa"


def again(tmp_path: Path, report: Report | None = None, **along: object) -> RepeatCommands:
    """The commands for a run that was kept with `along`, as its file has it."""
    kept = keep_run_with(tmp_path, **along)
    return repeat_commands(kept, report or replace(samples.clean(), scope=samples.SCOPE))


def keep_run_with(tmp_path: Path, **along: object) -> KeptRun:
    state = Path(tempfile.mkdtemp(dir=tmp_path))
    keep_run(begin_run(state, RUN), samples.clean(), along=KeptAlong(**along))  # type: ignore[arg-type]
    return load_run(state, RUN)


def test_the_file_of_a_fleet_is_named_by_its_path_while_it_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "my fleet.yaml"
    assert again(tmp_path, fleet_file=str(file)).fix == "auditor audit --fleet fleet.yaml", "it is gone: its name alone"
    file.touch()
    assert again(tmp_path, fleet_file=str(file)).audit == f"auditor audit --fleet '{file}'"
    monkeypatch.chdir(tmp_path)
    assert again(tmp_path, fleet_file=str(file)) == RepeatCommands(
        "auditor audit --fleet 'my fleet.yaml'", "auditor audit --fleet 'my fleet.yaml'", doctor="auditor doctor --fleet 'my fleet.yaml'"
    )


def test_of_an_older_auditor_what_is_known_is_named(tmp_path: Path) -> None:
    assert again(tmp_path, replace(samples.clean(), scope=None)) == RepeatCommands(
        "auditor audit --fleet fleet.yaml", "auditor audit --fleet fleet.yaml"
    )
    assert again(tmp_path, is_demo=True) == RepeatCommands("auditor demo", "auditor demo")


def test_a_demo_is_fixed_as_a_demo_and_live_where_its_hosts_were_bundles(tmp_path: Path) -> None:
    words = ("auditor", "demo", "--scenario", "solidfire-vvols", "--bundle")
    found = again(tmp_path, is_demo=True, again=words)
    assert found == RepeatCommands("auditor demo --scenario solidfire-vvols --bundle", "auditor demo --scenario solidfire-vvols")


def test_what_was_saved_is_judged_again_and_not_fixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("auditor", "audit", "--from", str(tmp_path / "monday"), "--from", "s3://audits/b", "--cluster-of", "old=esx-*")
    audit = "auditor audit --from monday --from s3://audits/b --cluster-of 'old=esx-*'"
    assert again(tmp_path, again=words) == RepeatCommands(audit)
    files = replace(samples.clean(), run=samples.run(samples.reading("files", "files")))
    assert again(tmp_path, files, again=words).plan == f"{audit.replace('audit --from', 'plan --from')} --as esxcli"


def test_another_fleet_file_is_the_one_that_is_named(tmp_path: Path) -> None:
    kept = keep_run_with(tmp_path, is_demo=True, again=("auditor", "demo"))
    assert repeat_commands(kept, samples.clean(), Path("own.yaml")).fix == "auditor audit --fleet own.yaml"


def test_a_ticket_names_the_fleet_file_by_its_whole_path_while_it_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "my fleet.yaml"
    state = keep_run_with(tmp_path, fleet_file=str(file)).directory.parents[1]
    assert fleet_of_run(state, RUN) == "fleet.yaml"
    file.touch()
    assert fleet_of_run(state, RUN) == f"'{file}'"
    assert fleet_of_run(state, "20261120T060000Z-bbbb") == "fleet.yaml", "a run that was not kept, as an undo"
