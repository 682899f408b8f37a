"""HPE's own client of 3PAR works against the double of the plugin (`make peers`): it logs in, reads, and logs out."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from auditor.contract import PASSWORD, USER
from auditor_lab.authority import Authority
from auditor_lab.wire import WireServer
from tests.peers import PROJECT
from tests.required import lacking

# The values stand in plugins/auditor-hpe3par/auditor_hpe3par/lab.py.
CALLS: list[tuple[list[Any], Any]] = [
    (["getWsApiVersion"], {"major": 1, "minor": 6}),
    (["getStorageSystemInfo"], {"serialNumber": "CZ3123ABCD", "systemVersion": "3.3.1.648"}),
    (["getVolumes"], ["gold-01", "gold-02", "both", "idle-rule", "free"]),
    (["getVolume", "both"], {"name": "both", "sizeMiB": 1048576}),
    (["getVolumeSets"], ["gold", "slow", "off"]),
    (["getVolumeSet", "gold"], {"setmembers": ["gold-01", "gold-02", "both"]}),
    (["findVolumeSet", "idle-rule"], "off"),
    (["queryQoSRules"], ["gold", "slow", "off"]),
    (["queryQoSRule", "gold"], {"enabled": True, "ioMaxLimit": 8000, "bwMaxLimitKB": 400000, "priority": 3}),
    (["getHosts"], ["esx-1", "esx-2", None]),
    (["getHost", "esx-1"], {"persona": 8}),
    (["findHostSet", "esx-2"], "cluster-1"),
    (["getVLUN", "gold-01"], {"hostname": "esx-1", "lun": 1}),
    (["getCPGs"], ["ssd_r6", "nl_r6"]),
]


def double() -> Any:
    """The module of the plugin's double."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PROJECT / "plugins" / "auditor-hpe3par")
        return importlib.import_module("auditor_hpe3par.lab")


@pytest.fixture(scope="module")
def driven(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Any], list[str]]:
    """What each call gave, by its place, and the requests that the double got."""
    python = Path(os.environ.get("PEERS_HPE3PAR", PROJECT / ".peers" / "hpe3par")) / "bin" / "python"
    if not python.is_file():
        lacking("python-3parclient is not here: `make peers` installs it into .peers/hpe3par and runs these tests", "PEERS")
    folder, authority, array = tmp_path_factory.mktemp("hpe3par"), Authority(), double().ArrayDouble(USER, PASSWORD)
    authority.write(folder / "ca.pem")
    server = WireServer(array.answer, array.operation, authority.server_context("127.0.0.1"))
    at = {"url": f"https://127.0.0.1:{server.port}/api/v1", "username": USER, "password": PASSWORD, "ca": str(folder / "ca.pem")}
    try:
        asked = json.dumps({**at, "calls": [call for call, _ in CALLS]})
        program = Path(__file__).with_name("hpe3par_client.py")
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8"}
        ended = subprocess.run(
            [python, program, asked], capture_output=True, text=True, timeout=120, env=environment, cwd=folder, check=False
        )
    finally:
        server.stop()
    assert ended.returncode == 0, ended.stderr[-3000:]
    return json.loads(ended.stdout.splitlines()[-1]), server.requests


@pytest.mark.parametrize("place", range(len(CALLS)), ids=[" ".join(call) for call, _ in CALLS])
def test_the_client_gets_the_answer_that_the_array_has(driven: tuple[list[Any], list[str]], place: int) -> None:
    answer, wanted = driven[0][place], CALLS[place][1]
    if isinstance(wanted, list):
        answer = [one.get("name") for one in answer["members"]]
    elif isinstance(wanted, dict):
        answer = {key: answer.get(key) for key in wanted}
    assert answer == wanted


def test_the_client_begins_and_ends_its_session_as_ours_does(driven: tuple[list[Any], list[str]]) -> None:
    assert (driven[1][0], driven[1][-1]) == ("POST credentials", "DELETE credentials")
