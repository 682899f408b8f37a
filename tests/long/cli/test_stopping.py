"""Signals end real commands at once, though an endpoint never answers; but the write in hand is finished."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from auditor.cli import run
from auditor_lab.faults import Fault, Faults
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import Lab, serve
from tests.waiting import PATIENCE_SECONDS, until

RULE = "vvol/pe-dsnro-headroom"
WRITE = "storage.core.device.set"


class Held:
    """Has requests of one operation wait until they are released."""

    def __init__(self, operation: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached, self.released = threading.Event(), threading.Event()
        take = Faults.take

        def held(faults: Faults, requested: str, body: bytes = b"") -> list[Fault]:
            if requested == operation:
                self.reached.set()
                assert self.released.wait(PATIENCE_SECONDS)
            return take(faults, requested, body)

        monkeypatch.setattr(Faults, "take", held)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, Path]]:
    folder = tmp_path_factory.mktemp("stopped")
    with serve(load_scenario("solidfire-vvols")) as served:
        served.write_fleet(folder / "fleet.yaml")
        yield served, folder


# A process begins by ignoring what its parent ignores: under nohup, or in the background of a shell, no signal would come.
HEARING = """
import signal
from auditor.cli import main
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
main()
"""


def started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HEARING, *arguments, "--fleet", "fleet.yaml"]
    return subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize(
    ("arguments", "number", "code", "text"),
    [
        pytest.param(["audit", "--only", RULE, "--state-dir", "state"], signal.SIGTERM, 143, "the fleet was being read", id="an audit"),
        pytest.param(["collect", "--out", "snapshot"], signal.SIGHUP, 129, "nothing was kept in snapshot", id="a collection"),
    ],
)
def test_a_command_ends_though_an_endpoint_never_answers(
    lab: tuple[Lab, Path],
    arguments: list[str],
    number: signal.Signals,
    code: int,
    text: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, folder = lab
    held = Held("GetAPI", monkeypatch)
    try:
        with started(folder, *arguments) as process:
            assert held.reached.wait(PATIENCE_SECONDS)
            process.send_signal(number)
            _, err = process.communicate(timeout=PATIENCE_SECONDS)
        assert not held.released.is_set(), "it waited for the endpoint"
        assert process.returncode == code
        assert f"stopped by {number.name}: " in err
        assert text in err
        assert "Traceback" not in err
    finally:
        held.released.set()
    if arguments[0] == "audit":
        capsys.readouterr()
        assert run(["runs", "list", "--json", "--state-dir", str(folder / "state")]) == 0
        (listed,) = json.loads(capsys.readouterr().out)["runs"]
        assert (listed["finished"], listed["stopped"]["by"]) == (None, "SIGTERM")
        assert run(["runs", "list", "--state-dir", str(folder / "state")]) == 0
        assert "stopped by SIGTERM" in capsys.readouterr().out


def test_the_write_in_hand_is_finished_and_no_other_begins(lab: tuple[Lab, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    served, folder = lab
    server = next(iter(served.vcenters.values()))
    held = Held(WRITE, monkeypatch)
    fix = ["--fix", "--yes", "--allow", "online", "--allow", "online-caution", "--max-changes", "500", "--settle", "0"]
    try:
        with started(folder, "audit", "--only", RULE, *fix, "--state-dir", "fixed") as process:
            assert held.reached.wait(PATIENCE_SECONDS)
            process.send_signal(signal.SIGINT)
            err = process.stderr
            assert err is not None
            until(lambda: "finishing the write in hand" in err.readline(), "the signal was noticed")
            held.released.set()
            _, rest = process.communicate(timeout=PATIENCE_SECONDS)
    finally:
        held.released.set()
    assert process.returncode == 130
    assert server.requests.count(WRITE) == 1
    assert "interrupted: run " in rest
    assert "1 of " in rest
    assert "planned changes were made and read back" in rest
    (journal,) = (folder / "fixed" / "journal").glob("*.jsonl")
    kinds = [json.loads(line)["record"] for line in journal.read_text().splitlines()]
    assert (kinds.count("intent"), kinds.count("receipt")) == (1, 1)
