"""A reader that leaves, as in `auditor audit | head`, changes no exit code and is no traceback; a full disk is no traceback either."""

from __future__ import annotations

import fcntl
import os
import select
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.waiting import PATIENCE_SECONDS, completed

AUDITOR = [sys.executable, "-m", "auditor"]
DRIFT_AND_UNKNOWN = 2
RULE = "vaai/eternus-dx-s1-firmware"


def read_a_line(*arguments: str, gone: bool = False, both: bool = False, unbuffered: str = "") -> tuple[int, bytes, str]:
    """Exit code, first line of standard output and all of standard error of a command whose reader leaves after that line.

    `gone`: the reader leaves before the first word; `both`: so does the reader of standard error.
    """
    reading, writing = os.pipe()
    with (
        os.fdopen(reading, "rb", buffering=0) as reader,
        os.fdopen(writing, "wb") as out,
        subprocess.Popen(
            [*AUDITOR, *arguments],
            stdout=out,
            stderr=out if both else subprocess.PIPE,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
        ) as command,
    ):
        out.close()
        line = b"" if gone or both else reader.read(40).partition(b"\n")[0]
        reader.close()
        try:
            _, reported = command.communicate(timeout=PATIENCE_SECONDS)
        finally:
            command.kill()
        return command.returncode, line, (reported or b"").decode()


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state directory after one audit whose every word was for a reader that had gone."""
    folder = tmp_path_factory.mktemp("state")
    code, _, _ = read_a_line("demo", "--scenario", "eternus-vaai", "--only", RULE, "--state-dir", str(folder), both=True)
    assert code == DRIFT_AND_UNKNOWN
    return folder


def test_an_audit_that_nobody_reads_is_kept_whole_and_ends_with_its_verdict(state: Path) -> None:
    shown = subprocess.run(
        [*AUDITOR, "runs", "show", "--state-dir", str(state)], capture_output=True, timeout=PATIENCE_SECONDS, check=True
    ).stdout
    assert b"UNKNOWN: a fact was not read" in shown
    code, _, reported = read_a_line("runs", "show", "--state-dir", str(state), gone=True)
    assert (code, reported) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "unbuffered"),
    [
        pytest.param(["rules", "show", RULE], "", id="a text"),
        pytest.param(["rules", "show", RULE], "1", id="a text line by line"),
        pytest.param(["--help"], "", id="help, which typer prints"),
    ],
)
def test_a_command_whose_reader_has_gone_ends_well(arguments: list[str], unbuffered: str) -> None:
    code, _, reported = read_a_line(*arguments, gone=True, unbuffered=unbuffered)
    assert (code, reported) == (0, "")


def test_a_command_that_found_something_wrong_says_so_by_its_code_to_every_reader(tmp_path: Path) -> None:
    rule = tmp_path / "own" / "reboot.yaml"
    rule.parent.mkdir()
    text = (Path(__file__).parents[3] / "rules/queue/pending-reboot.yaml").read_text(encoding="utf-8")
    rule.write_text(
        text.replace("id: queue/pending-reboot", "id: own/reboot").replace(" = configured_depth", " <= configured_depth"), encoding="utf-8"
    )
    assert read_a_line("rules", "test", str(rule), both=True)[0] == 3


def test_a_question_with_more_rows_than_anybody_could_read_ends_with_its_reader(state: Path) -> None:
    ask = "SELECT a.value FROM fact.host_option AS a, fact.host_option AS b, fact.host_option AS c, fact.host_option AS d"
    code, line, _ = read_a_line("query", ask, "--format", "csv", "--state-dir", str(state))
    assert (code, line) == (0, b"value")


def test_a_report_into_a_named_pipe_that_is_not_read_to_its_end_is_told_and_is_no_verdict(state: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    if hasattr(fcntl, "F_SETPIPE_SZ"):  # not on macOS
        fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4096)  # the report is longer: its writer is still at it when the reader leaves

    def leave() -> None:
        select.select([reader], [], [], PATIENCE_SECONDS)
        os.close(reader)

    leaving = threading.Thread(target=leave, daemon=True)
    leaving.start()
    command = [*AUDITOR, "runs", "show", "--reporter", f"json-full:{pipe}", "--state-dir", str(state)]
    done = completed(command, check=False)
    leaving.join(PATIENCE_SECONDS)
    assert done.returncode == 141
    assert done.stderr.startswith("error: the reader of the named pipe")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["told at the end", "told at the first line"])
def test_a_disk_that_is_full_is_told_and_is_no_verdict(unbuffered: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*AUDITOR, "rules", "show", RULE],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
        )
    assert done.returncode == 3
    assert done.stderr.splitlines()[0] == "error: standard output took no more: No space left on device"
    assert len(done.stderr.splitlines()) == 3


def test_a_command_without_a_standard_output_does_what_it_does() -> None:
    command = f"exec {' '.join(AUDITOR)} rules list >&-"
    done = completed(["sh", "-c", command], check=False)
    assert (done.returncode, done.stderr) == (0, "")
