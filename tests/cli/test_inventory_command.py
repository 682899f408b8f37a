"""`auditor inventory`: what it writes, from what, and what it refuses."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import openpyxl
import pytest

from auditor.bounds import extras
from auditor.cli import run
from auditor.errors import CRASHED
from auditor.facts.needs import Needs
from auditor.facts.snapshots.snapshot import Snapshot
from auditor.model import EndpointReading, Gap
from auditor.pipeline.request import AuditRequest
from tests.facts.fleets import hosts, snapshot

pytestmark = pytest.mark.long

NOW = datetime(2026, 11, 29, tzinfo=UTC)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved") / "snapshot"
    snapshot(hosts(2)).save(folder)
    return folder


def test_the_name_says_the_form(saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("fleet.xlsx", "fleet.json", "sheets"):
        assert run(["inventory", "--from", str(saved), "--out", str(tmp_path / name)]) == 0
    assert openpyxl.load_workbook(tmp_path / "fleet.xlsx")["Hosts"]["C3"].value == "esx-2"
    assert '"host": "esx-2"' in (tmp_path / "fleet.json").read_text(encoding="utf-8")
    assert "esx-2" in (tmp_path / "sheets" / "hosts.csv").read_text(encoding="utf-8")
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []
    assert f"wrote {tmp_path / 'sheets'}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["--run", "last", "--fleet", "f.yaml"], "--run cannot go with --fleet", id="two moments"),
        pytest.param(["--from", "{saved}", "--fleet", "f.yaml"], "--from a snapshot cannot go with --fleet", id="a snapshot and a fleet"),
        pytest.param(["--from", "{saved}", "--endpoint", "vc"], "go with --fleet", id="nothing to read"),
    ],
)
def test_what_does_not_go_together_is_refused(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    given = [word.format(saved=saved) for word in arguments]
    assert run(["inventory", *given, "--out", str(tmp_path / "fleet.json")]) == 3
    assert words in capsys.readouterr().err
    assert not (tmp_path / "fleet.json").exists()


def test_a_fleet_is_read_now_and_gaps_and_a_crash_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[AuditRequest, Needs]] = []

    def collect(request: AuditRequest, place: Path, needed: Needs) -> Snapshot:
        asked.append((request, needed))
        found = snapshot(hosts(2))
        found.save(place)
        one = EndpointReading("vc", "vcenter", "192.0.2.1", None, "verified", NOW, NOW, complete=False, bug="Traceback")
        return replace(found, readings=(one,), gaps=(Gap("vc", "a host", "it did not answer"),))

    monkeypatch.setattr("auditor.audit.collect", collect)
    out, fleet = tmp_path / "fleet.json", tmp_path / "fleet.yaml"
    assert run(["inventory", "--fleet", str(fleet), "--endpoint", "v*", "--workers", "dask:8786", "--out", str(out)]) == CRASHED
    assert '"host": "esx-2"' in out.read_text(encoding="utf-8")
    [(request, needed)] = asked
    assert (request.fleet, request.endpoints, request.workers) == (fleet, ["v*"], "dask:8786")
    assert "devices" in needed.topics
    assert "load_history" not in needed.topics, "no sheet shows it"
    assert "note: 1 thing could not be read: the sheet Gaps" in capsys.readouterr().err


def test_a_workbook_without_its_extra_says_what_to_install(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _name: None)
    assert run(["inventory", "--from", str(saved), "--out", str(tmp_path / "fleet.xlsx")]) == 3
    assert "needs the extra inventory of auditor" in capsys.readouterr().err
    assert run(["inventory", "--from", str(saved), "--out", str(tmp_path / "fleet.json")]) == 0
