"""OpenStack cinder's client of Seagate and Dot Hill arrays works against the lab (`make peers`): it logs in by MD5 and reads XML."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from auditor_lab.arrays.dothill.server import DotHillServer
from auditor_lab.authority import Authority
from auditor_lab.scenario import load_scenario
from tests.peers import PROJECT
from tests.required import lacking

USER, PASSWORD = "monitor", "pw-of-the-lab"
# The values stand in auditor_lab/scenarios/msa-tiering.yaml. Targets: 2, then 4 for the second controller, 7000c0ff and the serial number.
CALLS: list[tuple[list[str], Any]] = [
    (["get_firmware_version"], "VL270P005-SC"),
    (["get_serial_number"], "00C0FF446D15"),
    (["backend_exists", "A", "virtual"], True),
    (["backend_exists", "B", "virtual"], False),
    (["get_owner_info", "A", "virtual"], "A"),
    (["backend_stats", "A", "virtual"], {"total_capacity_gb": 10240, "free_capacity_gb": 5120}),
    (["get_volume_size", "tiered-01"], 1024),
    (["get_active_fc_target_ports"], ["207000c0ff446d15", "217000c0ff446d15", "247000c0ff446d15", "257000c0ff446d15"]),
    (["get_active_iscsi_target_iqns"], []),
    (["list_luns_for_host", "10000090fae00102"], [0, 1]),
    (["list_luns_for_host", "10000090fae00999"], []),
]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """What each call gave, by its place."""
    python = Path(os.environ.get("PEERS_CINDER", PROJECT / ".peers" / "cinder")) / "bin" / "python"
    if not python.is_file():
        lacking("cinder is not here: `make peers` installs it into .peers/cinder and runs these tests", "PEERS")
    folder, authority = tmp_path_factory.mktemp("cinder"), Authority()
    authority.write(folder / "ca.pem")
    (array, _) = load_scenario("msa-tiering").dothill
    server = DotHillServer(array, authority.server_context("127.0.0.1"), USER, PASSWORD, expects_md5=True)
    at = {"host": f"127.0.0.1:{server.port}", "username": USER, "password": PASSWORD, "ca": str(folder / "ca.pem")}
    try:
        asked = json.dumps({**at, "calls": [call for call, _ in CALLS]})
        program = Path(__file__).with_name("cinder_client.py")
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8"}
        ended = subprocess.run(
            [python, program, asked], capture_output=True, text=True, timeout=120, env=environment, cwd=folder, check=False
        )
    finally:
        server.stop()
    assert ended.returncode == 0, ended.stderr[-3000:]
    found: list[Any] = json.loads(ended.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("place", range(len(CALLS)), ids=[" ".join(call) for call, _ in CALLS])
def test_cinder_gets_the_answer_that_the_array_has(answers: list[Any], place: int) -> None:
    assert answers[place] == CALLS[place][1]
