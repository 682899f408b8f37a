"""`auditor inventory`: what it writes, from what, and what it refuses."""

from pathlib import Path

import openpyxl
import pytest

from auditor.bounds import extras
from auditor.cli import run
from tests.facts.fleets import hosts, snapshot


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


def test_a_workbook_without_its_extra_says_what_to_install(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _name: None)
    assert run(["inventory", "--from", str(saved), "--out", str(tmp_path / "fleet.xlsx")]) == 3
    assert "needs the extra inventory of auditor" in capsys.readouterr().err
    assert run(["inventory", "--from", str(saved), "--out", str(tmp_path / "fleet.json")]) == 0
