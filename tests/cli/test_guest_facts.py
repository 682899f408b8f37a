"""Guests that say how their disks are set, from the printed script to the verdict."""

import json
from pathlib import Path

import pytest

from auditor.cli import run
from tests.guests import said


@pytest.mark.parametrize(("system", "first"), [("linux", "#!/bin/sh"), ("windows", "# Prints")])
def test_the_script_is_printed_as_it_is(system: str, first: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["guest-facts", system]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(first)
    assert printed.splitlines()[-1] == ('echo "end"' if system == "linux" else '"end"')


@pytest.mark.long
def test_guests_alone_are_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "db.txt").write_text(said("db01", "420e3f74-ea84-f9a2-7736-6106bb5dbf6b", timeout=30, start=63))
    assert run(["audit", "--from", str(tmp_path / "db.txt"), "--state-dir", str(tmp_path / "state"), "--reporter", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    failed = {finding["rule"]: finding["resource"]["name"] for finding in report["findings"] if finding["verdict"] == "fail"}
    assert failed == {"guest/disk-timeout": "db01 sda", "guest/partition-offset": "db01 sda"}
    assert report["gaps"] == []
