"""The commands by which a person takes the files of a host take all that is read: no gap asks for another output."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from auditor.audit import AuditRequest, collect
from auditor.fleet.evidence import fleet_with_files
from auditor_lab.evidence.outputs import write_outputs
from auditor_lab.scenario import load_scenario

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "audit-a-support-bundle.md"
PROGRAMS = {
    "esxcli": """case "$1" in --formatter=json) shift; form=json; begin=_formatter-json;; *) form=txt; begin=;; esac
cat "$EVIDENCE/$form/$HOST/esxcli${begin}_$(echo "$*" | tr ' /' '--').$form"
""",
    "esxcfg-module": 'cat "$EVIDENCE/txt/$HOST/esxcfg-module_-g_$2.txt"\n',
    "esxtop": ":\n",
}
"""What the programs of a host print here: the answers of a host of the lab."""


@pytest.fixture
def taken(tmp_path: Path) -> Callable[[str, str], Path]:
    """Runs the commands of the page on a host of a scenario; the folder with what they left."""

    def take(scenario: str, host: str) -> Path:
        described = load_scenario(scenario)
        write_outputs(described, tmp_path / "evidence" / "txt")
        write_outputs(described, tmp_path / "evidence" / "json", formatter="json")
        programs = tmp_path / "bin"
        programs.mkdir()
        for name, text in PROGRAMS.items():
            (programs / name).write_text(f"#!/bin/sh\n{text}", encoding="utf-8")
            (programs / name).chmod(0o755)
        [script] = re.findall(r"```text\n(mkdir .*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
        environment = {"PATH": f"{programs}:{os.environ['PATH']}", "EVIDENCE": str(tmp_path / "evidence"), "HOST": host}
        subprocess.run(["sh", "-c", script.replace("/tmp/esx-01", str(tmp_path / "esx-01"))], check=True, env=environment)
        return tmp_path / "esx-01"

    return take


@pytest.mark.parametrize(
    ("scenario", "host"), [("sioc-vs-array-qos", "esx-sc-1.lab.example"), ("solidfire-vvols", "esx-vvol-1.lab.example")]
)
def test_no_output_of_the_page_is_missing(taken: Callable[[str, str], Path], tmp_path: Path, scenario: str, host: str) -> None:
    files = taken(scenario, host)
    snapshot = collect(AuditRequest(fleet=fleet_with_files(None, [files])), tmp_path / "snapshot")
    gaps = [gap.what for gap in snapshot.gaps if host in gap.what]
    assert gaps == [f"load of {host}"], "the lab has no esxtop"
