"""The benchmark of many vCenters, run small: so that it still runs when somebody needs its figures."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.deep
_SCRIPT = Path(__file__).parents[3] / "benchmarks" / "scale.py"
_VCENTERS, _HOSTS, _LUNS = 2, 3, 6


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The figures of one audit of two vCenters, which were recorded as one."""
    out = tmp_path_factory.mktemp("scale") / "figures.json"
    size = ("--vcenters", str(_VCENTERS), "--also", "--hosts", str(_HOSTS), "--luns", str(_LUNS), "--paths", "2")
    ended = subprocess.run([sys.executable, str(_SCRIPT), *size, "--json", str(out)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    [found] = json.loads(out.read_text(encoding="utf-8"))["results"]
    assert isinstance(found, dict)
    return found


def test_one_recorded_vcenter_is_read_as_two_that_share_nothing(measured: dict[str, Any]) -> None:
    assert measured["hosts_read"] == _VCENTERS * _HOSTS
    assert measured["devices_read"] == _VCENTERS * _LUNS
    assert measured["targets_read"] == _VCENTERS  # both adapters of a host see one port of the array


def test_every_request_of_an_audit_is_answered_and_leaves_no_gap_of_its_own(measured: dict[str, Any]) -> None:
    assert measured["unheard"] == 0
    assert measured["other_gaps"] == 0
    assert measured["requests"] > 10 * _VCENTERS


def test_the_client_and_the_servers_are_measured_apart(measured: dict[str, Any]) -> None:
    assert measured["cpu_seconds"] > 10 * measured["server_cpu_seconds"] > 0
    assert measured["judge_cpu_seconds"] < measured["cpu_seconds"]
