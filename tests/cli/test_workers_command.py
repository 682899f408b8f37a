"""`auditor workers`: what its commands print, and how they end where they cannot begin."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.cli import run
from auditor.workers.certificates import ROLES, files_of


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("AUDITOR_WORKERS_CERTIFICATES", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def test_certificates_are_made_and_it_is_said_which_file_goes_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["workers", "certificates", "--out", str(tmp_path / "c"), "--name", "scheduler.example.net", "--days", "90"]) == 0
    out = capsys.readouterr().out
    assert all(", ".join(files_of(role)) in out for role in ROLES)
    assert "valid until" in out
    assert run(["workers", "certificates", "--out", str(tmp_path / "c")]) == 3
    assert "is there already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["scheduler"], "scheduler.pem is not there"),
        (["start", "--scheduler", "scheduler.example.net"], "worker.pem is not there"),
        (["list", "--workers", "scheduler.example.net"], "client.pem is not there"),
        (["scheduler", "--listen", "tcp://0.0.0.0:8786"], "--listen: tcp:// is for loopback alone"),
        (["start", "--scheduler", "tcp://scheduler.example.net"], "--scheduler: tcp:// is for loopback alone"),
        (["list", "--workers", "tcp://scheduler.example.net"], "--workers: tcp:// is for loopback alone"),
        (["start", "--scheduler", "tcp://127.0.0.1:1", "--site", "a b"], '"a b" is not a name that a site can have'),
        (["start", "--scheduler", "tcp://127.0.0.1:1", "--memory-limit", "lots"], '--memory-limit "lots" is not a size'),
        (["scheduler", "--listen", "tcp://127.0.0.1:0", "--metrics", "here"], '--metrics "here" is not an IPv4 address'),
        (["list", "--workers", "tcp://127.0.0.1:1", "--fleet", "missing.yaml"], "missing.yaml"),
    ],
)
def test_what_cannot_begin_ends_with_3_and_says_why(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["workers", *words]) == 3
    err = capsys.readouterr().err
    assert says in err
    assert "Traceback" not in err
    assert "\n  do:  " in err


def test_the_folder_of_certificates_is_known_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AUDITOR_WORKERS_CERTIFICATES", str(tmp_path / "elsewhere"))
    assert run(["workers", "list", "--workers", "192.0.2.1"]) == 3
    assert str(tmp_path / "elsewhere" / "client.pem") in capsys.readouterr().err
