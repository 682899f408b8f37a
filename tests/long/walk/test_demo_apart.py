"""A demo keeps its runs apart, "last" is the last run of one's own fleet, and a baseline says whose hosts it takes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from auditor.cli import run
from auditor.history.kept_run import list_runs
from auditor.history.runs import load_run
from tests.audits import Place, only

RULE = "vvol/pe-dsnro-headroom"


def demo(state: Path) -> None:
    assert run(["demo", "--scenario", "eternus-vaai", "--tag", "vaai", "--state-dir", str(state)]) in (1, 2)


def test_after_a_demo_everything_is_still_of_the_real_fleet(vvols: Place) -> None:
    vvols.audit(*only(RULE))
    [real] = [one.id for one in list_runs(vvols.state)]
    demo(vvols.state)
    where = ["--state-dir", str(vvols.state)]
    assert load_run(vvols.state, "last").id == real
    demos = [one for one in list_runs(vvols.state) if one.along.is_demo]
    assert [one.compared for one in demos] == [None], "a demo is compared with demos alone"
    vvols.capsys.readouterr()
    assert run(["runs", "show", "last", *where]) == 0
    shown = vvols.capsys.readouterr().out
    finding = re.findall(r"\b[0-9a-f]{8}\b", shown)[0]
    assert run(["explain", finding, *where]) == 0, "a finding of the real fleet is found behind the demo's run"
    assert run(["runs", "show", demos[0].id, *where]) == 0
    of_demo = next(word for word in re.findall(r"\b[0-9a-f]{8}\b", vvols.capsys.readouterr().out) if word not in shown)
    assert run(["explain", of_demo, *where]) == 0, "and one of the demo as well"
    assert run(["baseline", "set", demos[0].id, *where]) == 3
    assert "is of the demo" in vvols.capsys.readouterr().err
    assert run(["baseline", "set", "last", *where]) == 0
    assert f"Taken from run {real}: 8 hosts of vc-solidfire, sf-prod, sf-twin, of fleet.yaml." in vvols.capsys.readouterr().out


def test_a_baseline_of_another_fleet_is_not_replaced_unasked(everything: Place, vvols: Place, capsys: pytest.CaptureFixture[str]) -> None:
    vvols.audit(*only(RULE))
    [first] = [one.id for one in list_runs(vvols.state)]
    where = ["--state-dir", str(vvols.state)]
    assert run(["baseline", "set", first, *where]) == 0
    said = yaml.safe_load(everything.fleet.read_text(encoding="utf-8"))
    said["endpoints"] = [one for one in said["endpoints"] if "solidfire" not in one["name"] and not one["name"].startswith("sf-")]
    fleet = everything.folder / "other.yaml"  # beside the files of its passwords
    fleet.write_text(yaml.safe_dump({"endpoints": said["endpoints"]}), encoding="utf-8")
    fleet.chmod(0o600)
    run(["audit", "--fleet", str(fleet), *only("vaai/enabled"), *where])
    second = load_run(vvols.state).id
    assert second != first
    capsys.readouterr()
    assert run(["baseline", "set", second, *where]) == 3
    assert "is of another fleet" in capsys.readouterr().err
    assert run(["baseline", "set", second, "--yes", *where]) == 0


def test_where_only_a_demo_is_kept_it_may_be_shown_and_is_no_baseline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    demo(tmp_path)
    assert run(["runs", "show", "last", "--state-dir", str(tmp_path)]) == 0
    finding = re.findall(r"auditor explain ([0-9a-f]{8}) ", capsys.readouterr().out)[0]
    assert run(["explain", finding, "--state-dir", str(tmp_path)]) == 0
    command = re.findall(r"^ +(auditor .* --fix --dry-run .*)$", capsys.readouterr().out, re.MULTILINE)[0]
    assert command.startswith("auditor demo --scenario eternus-vaai --only "), "the demo's fleet is gone, and comes again with a demo"
    assert run(shlex.split(command)[1:]) in (1, 2)
    assert "Nothing was written." in capsys.readouterr().out
    assert run(["baseline", "set", "last", "--state-dir", str(tmp_path)]) == 3
    assert "is of the demo" in capsys.readouterr().err


def test_since_last_rests_on_a_run_of_this_fleet(vvols: Place) -> None:
    vvols.audit(*only(RULE))
    demo(vvols.state)
    again = vvols.audit(*only(RULE), "--since", "last")
    assert not [notice for notice in again.report["notices"] if "Every host was asked" in notice]
