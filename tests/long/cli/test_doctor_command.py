"""`auditor doctor` as a user runs it: its exit codes, its help, its two forms."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from auditor.cli import run
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import Lab, serve
from auditor_lab.vcenter.soap.privileges import ALL
from auditor_lab.wire import Fault


@dataclass(frozen=True)
class Told:
    """What one command line left behind."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Place:
    """A served lab and its fleet.yaml."""

    lab: Lab
    fleet: Path
    capsys: pytest.CaptureFixture[str]

    def doctor(self, *arguments: str, fleet: Path | None = None) -> Told:
        code = run(["doctor", "--fleet", str(fleet or self.fleet), *arguments])
        said = self.capsys.readouterr()
        return Told(code, said.out, said.err)

    def rewritten(self, old: str, new: str) -> Path:
        """The fleet file with one thing different."""
        text = self.fleet.read_text(encoding="utf-8")
        assert old in text
        path = self.fleet.with_name("other.yaml")
        path.write_text(text.replace(old, new), encoding="utf-8")
        return path


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, Path]]:
    path = tmp_path_factory.mktemp("doctor") / "fleet.yaml"
    fleet = load_scenario("solidfire-vvols")
    with serve(replace(fleet, element=fleet.element[:1])) as lab:
        lab.write_fleet(path)
        yield lab, path


@pytest.fixture
def place(served: tuple[Lab, Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.setenv("COLUMNS", "100")
    lab, path = served
    yield Place(lab, path, capsys)
    for server in lab.vcenters.values():
        server.privileges = ALL
        server.faults.active.clear()


def test_the_help_has_an_example_and_every_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Example: auditor doctor --fleet fleet.yaml" in said
    assert all(f" {code} " in said for code in (0, 2, 3))


def test_a_fleet_that_can_be_audited_ends_with_0(place: Place) -> None:
    diagnosis = place.doctor()
    assert diagnosis.code == 0
    assert diagnosis.out.startswith(" READY  All 2 endpoints can be audited")
    assert "2 endpoints: 2 looked at" in diagnosis.err
    assert place.lab.password not in diagnosis.out + diagnosis.err


def test_what_is_well_is_counted_and_shown_on_request_only(place: Place) -> None:
    place.lab.vcenters["vc-solidfire"].privileges = ALL - {"Host.Config.Settings"}
    shown = place.doctor("--endpoint", "vc-solidfire").out
    everything = place.doctor("--endpoint", "vc-solidfire", "--all").out
    well = [line for line in everything.splitlines() if line.startswith("  ok ")]
    assert well
    assert not [line for line in shown.splitlines() if line.startswith("  ok ")]
    assert "Host.Config.Settings" in shown
    assert "not shown: --all shows them." in shown
    assert "--all" not in everything


def test_the_audit_agrees_that_it_can(place: Place, tmp_path: Path) -> None:
    assert run(["audit", "--fleet", str(place.fleet), "--state-dir", str(tmp_path), "--min-coverage", "0"]) == 1


def test_what_would_not_be_audited_ends_with_2(place: Place) -> None:
    place.lab.vcenters["vc-solidfire"].privileges = ALL - {"Host.Config.Settings"}
    diagnosis = place.doctor()
    assert diagnosis.code == 2
    assert diagnosis.out.startswith(" NOT READY  1 of 2 endpoints would not be audited completely: vc-solidfire.")
    assert "a role that has Host.Config.Settings, propagated from the root folder" in " ".join(diagnosis.out.split())


def test_what_could_not_be_asked_ends_with_2_and_keeps_the_audit_from_passing_too(place: Place, tmp_path: Path) -> None:
    place.lab.vcenters["vc-solidfire"].faults.active.append(Fault("drop", "RetrieveServiceContent"))
    assert place.doctor().code == 2
    assert run(["audit", "--fleet", str(place.fleet), "--state-dir", str(tmp_path), "--only", "vvol/pe-count"]) == 2


def test_an_account_that_may_only_read_ends_with_0(place: Place) -> None:
    place.lab.vcenters["vc-solidfire"].privileges = ALL - {"Host.Config.Storage"}
    diagnosis = place.doctor("--endpoint", "vc-solidfire")
    assert diagnosis.code == 0
    assert diagnosis.out.startswith(" READY  The endpoint can be audited, with 1 warning.")


def test_json_is_for_programs_and_stands_alone_on_standard_output(place: Place) -> None:
    diagnosis = place.doctor("--json", "--endpoint", "sf-prod")
    found: dict[str, Any] = json.loads(diagnosis.out)
    schema = json.loads((resources.files("auditor.report") / "doctor.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(found, schema)
    assert diagnosis.code == 0
    assert [endpoint["name"] for endpoint in found["endpoints"]] == ["sf-prod"]
    assert found["fleet"] == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        pytest.param("kind: vcenter", "kind: vcentre", 'did you mean "vcenter"', id="a kind that is not known"),
        pytest.param("endpoints:", "params: {vvol/pe-dsnro-headrom: {headroom: 4}}\nendpoints:", "pe-dsnro-headroom", id="a misspelt rule"),
    ],
)
def test_a_mistake_in_fleet_yaml_ends_with_3_and_nothing_is_asked(place: Place, old: str, new: str, says: str) -> None:
    server = place.lab.vcenters["vc-solidfire"]
    server.requests.clear()
    diagnosis = place.doctor(fleet=place.rewritten(old, new))
    assert (diagnosis.code, diagnosis.out, server.requests) == (3, "", [])
    assert says in diagnosis.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(["--endpoint", "vc-east"], "--endpoint takes one of: vc-solidfire, sf-prod", id="no such endpoint"),
        pytest.param(["--rules", "/nowhere"], "/nowhere", id="no such rules"),
        pytest.param(["--jsn"], "No such option", id="misspelt option"),
    ],
)
def test_a_mistake_on_the_command_line_ends_with_3(place: Place, arguments: list[str], says: str) -> None:
    diagnosis = place.doctor(*arguments)
    assert (diagnosis.code, diagnosis.out) == (3, "")
    assert says in diagnosis.err
    assert "\n  do:  " in diagnosis.err


def test_without_a_fleet_there_is_nothing_to_look_at(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor"]) == 3
    assert "--fleet" in capsys.readouterr().err
