"""`auditor check-move`: incident S1's move, asked before it began, and moves that nothing stands against."""

import io
import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import yaml

from auditor.audit import collect
from auditor.cli import run
from auditor.cli.check_move import fleet_of
from auditor.cli.moment import MomentOptions
from auditor.history.kept_run import KeptAlong
from auditor.history.runs import begin_run, keep_run
from auditor.moves.check import check_move
from auditor.moves.reading import needed
from auditor.pipeline.request import AuditRequest
from auditor.report.terminal.move_checks import write_move
from auditor_lab.scenario import load_scenario, parse_scenario
from auditor_lab.serving import serve
from tests.cli.test_lists_as_json import validated
from tests.moves.samples import between_arrays
from tests.report import samples


def before_the_move() -> str:
    """The scenario of S1 as it was before anybody moved the file server: the target is quick."""
    scenario = yaml.safe_load((resources.files("auditor_lab") / "scenarios/sioc-vs-array-qos.yaml").read_text(encoding="utf-8"))
    [vcenter] = scenario["vcenters"]
    del vcenter["relocations"], vcenter["events"]
    for store in vcenter["datastores"]:
        if store["name"] == "sc-prod-01":
            store["load"] = {"iops": 200, "device_ms": 4}
    for volume in scenario["dell_sc"][0]["volumes"]:
        volume.pop("load", None)
    return json.dumps(scenario)  # YAML as well, with each text in quotes


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Snapshots: of S1 before its move, and of the source's side while it runs, with healthy twins."""
    folder = tmp_path_factory.mktemp("moves")
    scenarios = {"before": parse_scenario(before_the_move(), "before"), "running": load_scenario("migration-from-md3420")}
    for name, scenario in scenarios.items():
        with serve(scenario) as lab:
            lab.write_fleet(folder / f"{name}.yaml")
            collect(AuditRequest(fleet=folder / f"{name}.yaml"), folder / name, needed())
    return {name: folder / name for name in scenarios}


def checked(capsys: pytest.CaptureFixture[str], code: int, *arguments: str) -> Any:
    """What the command says for programs; it ends with `code`."""
    assert run(["check-move", *arguments, "--reporter", "json"]) == code
    return validated(capsys.readouterr().out, "move_checks.schema.json")["moves"]


@pytest.mark.long
def test_the_move_of_incident_s1_is_refused_in_advance(read: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    [move] = checked(capsys, 1, "fileserver", "sc-prod-01", "--from", str(read["before"]))
    against = {one["code"]: one["text"] for one in move["reasons"] if one["sort"] == "against"}
    assert {"sioc", "cap-target", "long"} <= against.keys()
    assert "blocks between 2 tiers" in against["sioc"], "Data Progression"
    assert "the I/O metric of sc-prod-pod" in next(one["do"] for one in move["reasons"] if one["code"] == "sioc")
    assert "50 MiB/s" in against["cap-target"]
    offload = {one["name"]: one["holds"] for one in move["offload"]["conditions"]}
    assert move["offload"]["is_certain"] is False
    assert [name for name, holds in offload.items() if holds is False] == ["one-array"], "from the MD3420 to the SCv3020"
    # 1.5 TiB at 50 MiB/s: 8 h 44 min. A thin disk may hold less.
    assert move["seconds"][1] == pytest.approx(1649267441664 / (50 << 20), rel=0.01)
    target = next(one for one in move["ends"] if one["end"] == "target")
    assert (target["datastore_cluster"], target["sdrs_behavior"], target["io_metric_in_force"]) == ("sc-prod-pod", "manual", True)
    source = next(one for one in move["loads"] if one["end"] == "source")
    # 24 disks of 10,000 rpm: docs/queue-model.md#move has 21.6 ms by hand.
    assert source["while_copied_ms"][1] == pytest.approx(21.6, abs=0.3)


@pytest.mark.long
def test_on_a_terminal_the_verdict_is_the_first_line(
    read: dict[str, Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["check-move", "FILESERVER", "sc-prod-01", "--from", str(read["before"])]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Do not start this move yet: Storage I/O Control on an auto-tiered target,")
    assert max(len(line) for line in lines if "auditor watch esx-sc-1" not in line) <= 80, "a command is never divided"
    assert len(lines) <= 50
    assert run(["check-move", "sctwin-app-1", "sc-twin-02", "--from", str(read["before"])]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "Nothing stands against it."


@pytest.mark.parametrize(("is_demo", "fleet"), [(False, "fleet.yaml"), (True, "")])
def test_to_watch_a_move_names_a_fleet_and_none_where_the_fleet_was_a_demonstration(tmp_path: Path, *, is_demo: bool, fleet: str) -> None:
    keep_run(begin_run(tmp_path, "20261120T060000Z-aaaa"), samples.clean(), along=KeptAlong(is_demo=is_demo))
    assert fleet_of(MomentOptions(state_dir=tmp_path)) == fleet
    assert fleet_of(MomentOptions(state_dir=tmp_path, fleet=Path("my fleet.yaml"))) == "'my fleet.yaml'"


@pytest.mark.parametrize(("fleet", "ends"), [("lab.yaml", ["--fleet lab.yaml"]), ("", [])])
def test_the_command_to_watch_both_ends_is_whole_or_not_there(fleet: str, ends: list[str]) -> None:
    out = io.StringIO()
    write_move(check_move(between_arrays(devices=("naa.6000d31000fcbe0001",))), out, fleet)
    commands = [line for line in out.getvalue().splitlines() if "auditor watch " in line]
    assert [line[-len(end) :] for line, end in zip(commands, ends, strict=True)] == ends


@pytest.mark.long
def test_a_machine_that_the_array_copies_is_clear(read: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    [move] = checked(capsys, 0, "md3twin-app-2", "md3twin-vmfs-02", "--from", str(read["running"]))
    assert (move["verdict"], move["reasons"], move["offload"]["is_certain"]) == ("clear", [], True)
    assert (move["seconds"], move["size_bytes"][1], move["target"]["free_bytes"]) == (None, 40 << 30, 1 << 41)


@pytest.mark.long
def test_of_a_move_that_runs_the_rate_is_its_own(read: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    [move] = checked(capsys, 1, "fileserver-md3", "es-vmfs-01", "--from", str(read["running"]))
    # 40 % of 1.5 TiB in 30 minutes.
    assert move["basis"] == "measured"
    assert move["rate_bytes_per_second"][0] == pytest.approx(0.4 * 1649267441664 / 1800, rel=0.05)
    [beside] = checked(capsys, 0, "md3-mail", "es-vmfs-01", "--from", str(read["running"]))
    assert beside["rate_bytes_per_second"][0] == pytest.approx(move["rate_bytes_per_second"][0])
    assert "the move of fileserver-md3" in beside["rate_from"], "it goes the same way"


@pytest.mark.long
def test_a_plan_is_checked_smallest_first_and_kept_apart(
    read: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = tmp_path / "moves.csv"
    plan.write_text("vm,datastore\nfileserver,sc-auto-01\narchive,sc-auto-01\nsctwin-app-1,sc-twin-02\n", encoding="utf-8")
    moves = checked(capsys, 1, "--plan", str(plan), "--from", str(read["before"]))
    assert [(one["vm"]["name"], one["step"]) for one in moves] == [("archive", 1), ("sctwin-app-1", 1), ("fileserver", 2)]
    assert [[other["vm"] for other in one["not_with"]] for one in moves] == [["fileserver"], [], ["archive"]]
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["check-move", "--plan", str(plan), "--from", str(read["before"])]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Do not start 2 of 3 moves yet."
    assert max(map(len, lines)) <= 80
    assert any("Not together with fileserver (sc-auto-01)" in line for line in lines)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["fileservr", "sc-prod-01"], "did you mean fileserver?", id="a machine with a slip"),
        pytest.param(["fileserver", "sc-prod"], "did you mean sc-prod-0", id="half a datastore"),
        pytest.param(["fileserver"], "takes a machine and a datastore", id="one word"),
        pytest.param(["fileserver", "sc-prod-01", "--plan", "moves.csv"], "takes a machine and a datastore, or --plan", id="both"),
        pytest.param(["fileserver", "sc-prod-01", "--endpoint", "vc"], "go with --fleet", id="nothing to read"),
        pytest.param(["fileserver", "sc-prod-01", "--fleet", "f.yaml"], "cannot go with --fleet", id="two moments"),
    ],
)
def test_what_is_not_understood_checks_nothing(
    read: dict[str, Path], capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert run(["check-move", *arguments, "--from", str(read["before"])]) == 3
    said = capsys.readouterr()
    assert words in said.err
    assert said.out == ""
