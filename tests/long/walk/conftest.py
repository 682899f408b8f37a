"""A lab of two scenarios that many audits share, and one audit of it by every rule."""

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from auditor.cli import run
from auditor_lab.description import LabFleet
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import Lab, serve
from tests.audits import Audit, Place, Watch


def merged(*names: str) -> LabFleet:
    """Several scenarios as one fleet."""
    fleets = [load_scenario(name) for name in names]
    return LabFleet(**{one.name: tuple(held for fleet in fleets for held in getattr(fleet, one.name)) for one in fields(LabFleet)})


@pytest.fixture(scope="session")
def shared_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, Path]]:
    """Two scenarios with two vCenters and two arrays, for tests that change nothing they do not put back."""
    folder = tmp_path_factory.mktemp("lab")
    with serve(merged("solidfire-vvols", "eternus-vaai")) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        yield lab, folder


@pytest.fixture(scope="session")
def whole_audit(shared_lab: tuple[Lab, Path]) -> Audit:
    """One audit of these scenarios by every rule with nothing in its way."""
    lab, folder = shared_lab
    watch, report = Watch(lab), folder / "whole.json"
    code = run(["audit", "--fleet", str(folder / "fleet.yaml"), "--state-dir", str(folder / "state"), "--reporter", f"json-full:{report}"])
    return Audit(code, json.loads(report.read_text(encoding="utf-8")), "", watch.operations)


@pytest.fixture
def everything(shared_lab: tuple[Lab, Path], capsys: pytest.CaptureFixture[str]) -> Place:
    lab, folder = shared_lab
    return Place(lab, folder, capsys)


@pytest.fixture
def vvols(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Place]:
    """The scenario solidfire-vvols, fresh, to be changed."""
    with serve(load_scenario("solidfire-vvols")) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        yield Place(lab, tmp_path, capsys)
