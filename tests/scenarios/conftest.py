"""An audit of the lab's scenarios by every rule; what is expected of it stands in expected/."""

import fcntl
import json
import os
from pathlib import Path

import pytest

from auditor.cli import run
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import serve
from tests.audits import Audit


@pytest.fixture(scope="session")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """The audit of `lab up --scenario all`."""
    return audit_of("all", tmp_path_factory)


@pytest.fixture(scope="session")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """The audit of mixed-estate alone: what does not answer there would leave other scenarios open too."""
    return audit_of("mixed-estate", tmp_path_factory)


@pytest.fixture(scope="session")
def mixed_twin(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """The audit of its healthy twin alone: that is what ends with 0."""
    return audit_of("mixed-estate-twin", tmp_path_factory)


def audit_of(scenario: str, tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """The audit of one scenario, made once even where several processes share the tests."""
    folder = tmp_path_factory.mktemp(scenario)
    run_of_tests = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    kept = (tmp_path_factory.getbasetemp().parent if run_of_tests else folder) / f"scenarios-{scenario}-{run_of_tests}.json"
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            _audit(scenario, folder, kept)
    made = json.loads(kept.read_text(encoding="utf-8"))
    return Audit(made["code"], made["report"], "")


def _audit(scenario: str, folder: Path, kept: Path) -> None:
    report = folder / "report.json"
    with serve(load_scenario(scenario)) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        asked = ["audit", "--fleet", str(folder / "fleet.yaml"), "--state-dir", str(folder / "state")]
        code = run([*asked, "--reporter", f"json-full:{report}"])
    kept.write_text(json.dumps({"code": code, "report": json.loads(report.read_text(encoding="utf-8"))}), encoding="utf-8")
