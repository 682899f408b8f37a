"""One audit of every scenario by every rule, those on request included; what is expected of it stands in expected/."""

import fcntl
import json
import os
from pathlib import Path

import pytest

from auditor.cli import run
from auditor.lab.scenario import load_scenario
from auditor.lab.serving import serve
from tests.walk.conftest import Audit


@pytest.fixture(scope="session")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """The audit of `lab up --scenario all`, made once even where several processes share the tests."""
    folder = tmp_path_factory.mktemp("scenarios")
    run_of_tests = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    kept = (tmp_path_factory.getbasetemp().parent if run_of_tests else folder) / f"scenarios-{run_of_tests}.json"
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            _audit(folder, kept)
    made = json.loads(kept.read_text(encoding="utf-8"))
    return Audit(made["code"], made["report"], "")


def _audit(folder: Path, kept: Path) -> None:
    report = folder / "report.json"
    with serve(load_scenario("all")) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        asked = ["audit", "--fleet", str(folder / "fleet.yaml"), "--state-dir", str(folder / "state"), "--tag", "all"]
        code = run([*asked, "--reporter", f"json:{report}"])
    kept.write_text(json.dumps({"code": code, "report": json.loads(report.read_text(encoding="utf-8"))}), encoding="utf-8")
