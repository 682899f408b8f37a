"""Names come from everybody who may name a datastore or a file: what is printed of them controls no terminal and no spreadsheet."""

import csv
import io
from pathlib import Path

import pytest

from auditor.cli import run
from auditor.cli.terminal import ProgressDisplay, warn
from auditor.model import Gap
from auditor.report.terminal.query_rows import write_rows

CLEARS = "\x1b[2J\rall is well\x07"
"""Clears a terminal, and writes over the line."""


def harmless(text: str) -> bool:
    return all(letter.isprintable() or letter == "\n" for letter in text)


def test_an_error_that_names_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["collect", "--fleet", str(tmp_path / f"{CLEARS}.yaml"), "--out", str(tmp_path / "out")]) == 3
    err = capsys.readouterr().err
    assert "\\x1b[2J" in err
    assert len(err.splitlines()) == 3, "an error has three lines"
    assert harmless(err)


def test_progress_and_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    display = ProgressDisplay()
    display(f"vc{CLEARS}", f"waiting {CLEARS}")
    display.stop()
    warn(f"what {CLEARS}")
    err = capsys.readouterr().err
    assert err.count("\\x1b[2J") == 3
    assert harmless(err)


def test_a_gap_of_a_collection(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    class Collected:
        gaps = (Gap("vc", f"options of esx{CLEARS}", f"refused {CLEARS}"),)
        readings = ()
        hosts = 1

    monkeypatch.setattr("auditor.audit.collect", lambda *_: Collected())
    assert run(["collect", "--fleet", str(tmp_path / "fleet.yaml"), "--out", str(tmp_path / "out"), "--strict"]) == 2
    err = capsys.readouterr().err
    assert err.count("\\x1b[2J") == 2
    assert harmless(err)


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ('=HYPERLINK("http://example.org")', '\'=HYPERLINK("http://example.org")'),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("prod=1", "prod=1"),
        ("\tx", "\\tx"),
        (f"ds{CLEARS}", "ds\\x1b[2J\\rall is well\\x07"),
        ("", ""),
    ],
)
def test_a_name_in_csv(name: str, cell: str) -> None:
    out = io.StringIO()
    write_rows([("name", "VARCHAR"), ("least", "BIGINT")], [(name, -1)], out, form="csv", width=None)
    assert list(csv.reader(io.StringIO(out.getvalue()))) == [["name", "least"], [cell, "-1"]]
