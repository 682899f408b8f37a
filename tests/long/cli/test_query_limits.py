"""`auditor query` runs in a process of its own: its memory and its time hold whatever DuckDB and Python make of a statement."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from auditor.bounds.process import memory_mib
from auditor.cli import run
from auditor.facts.snapshots.builder import SnapshotBuilder
from tests.facts.fleets import WHEN, endpoints
from tests.waiting import PATIENCE_SECONDS, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a query has no process of its own")

ENDLESS = "SELECT sum(a.range * b.range) FROM range(10000000) AS a, range(10000000) AS b"
# A process that was started in the background ignores Ctrl-C, and its children do.
PROGRAM = "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL); from auditor.__main__ import main; main()"
# What a process is forked from counts for its peak: here that is this small one, and not the process of the tests.
MEASURING = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("limits") / "snapshot"
    SnapshotBuilder().finish(endpoints(), started=WHEN, finished=WHEN).save(directory)
    return directory


@contextmanager
def asked(text: str, snapshot: Path, temporary: Path, *options: str, before: Sequence[str] = ()) -> Iterator[subprocess.Popen[str]]:
    """The command, running; it is ended behind the block."""
    command = [*before, sys.executable, "-c", PROGRAM, "query", text, "--from", str(snapshot), *options]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            yield process
        finally:
            process.kill()


def child_at_work(process: subprocess.Popen[str], temporary: Path) -> int:
    """The process of the query, once it is at the statement."""
    until(lambda: any(temporary.iterdir()), "the folder for temporary data is made")
    time.sleep(0.3)  # from there to the statement
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split()
    assert len(children) == 1
    return int(children[0])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("SELECT sum(length(repeat('a', 2000000000)))", id="within an expression"),
        pytest.param("SELECT range(5000000) FROM range(3)", id="in what Python makes of a row"),
    ],
)
def test_a_statement_gets_no_more_memory_than_it_may_have(text: str, snapshot: Path, tmp_path: Path) -> None:
    with asked(text, snapshot, tmp_path, "--format", "json", "--timeout", "60", before=[sys.executable, "-c", MEASURING]) as process:
        _, said = process.communicate(timeout=PATIENCE_SECONDS)
    *_, peak_kib = said.split()
    assert process.returncode == 3
    assert said.startswith("error: the query needs more memory than it may have"), said
    assert "Traceback" not in said
    assert 100 < int(peak_kib) / 1024 < memory_mib() + 100
    assert list(tmp_path.iterdir()) == []


def test_a_query_that_cannot_end_itself_is_ended_when_its_time_is_up(snapshot: Path, tmp_path: Path) -> None:
    with asked(ENDLESS, snapshot, tmp_path, "--timeout", "1") as process:
        os.kill(child_at_work(process, tmp_path), signal.SIGSTOP)  # as where DuckDB or Python let no thread of ours run
        out, said = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, out) == (3, "")
    assert said.splitlines() == [
        "error: the query was not answered in 1 seconds",
        "  why: it was stopped; rows shown before this are not all.",
        "  do:  ask for less, or give it longer: --timeout SECONDS, 0 for no end.",
    ]
    assert list(tmp_path.iterdir()) == [], "what it had spilled is gone"


def test_what_a_query_of_its_own_process_prints_is_what_it_printed(
    snapshot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "SELECT name, kind FROM fact.endpoint ORDER BY name"
    code = run(["query", text, "--from", str(snapshot), "--format", "json"])
    here = capsys.readouterr()
    with asked(text, snapshot, tmp_path, "--format", "json") as process:
        out, said = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, out, said) == (code, here.out, here.err)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_command_ends_its_query(number: signal.Signals, snapshot: Path, tmp_path: Path) -> None:
    with asked(ENDLESS, snapshot, tmp_path, "--timeout", "0") as process:
        child = child_at_work(process, tmp_path)
        process.send_signal(number)
        _, said = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 128 + number
    assert said.startswith("interrupted: " if number == signal.SIGINT else "stopped by SIGTERM: "), said
    assert not Path(f"/proc/{child}").exists()
    assert list(tmp_path.iterdir()) == []


def test_no_query_outlives_a_command_that_was_killed(snapshot: Path, tmp_path: Path) -> None:
    with asked(ENDLESS, snapshot, tmp_path, "--timeout", "0") as process:
        child = child_at_work(process, tmp_path)
        process.kill()
        process.communicate(timeout=PATIENCE_SECONDS)  # to the end of what both write to
    until(lambda: not Path(f"/proc/{child}").exists() or _is_over(child), "the query's process ends")


def _is_over(process: int) -> bool:
    """Whether a process has ended, and nobody has asked for its exit code yet."""
    return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z"


def test_a_process_that_something_else_ends_is_told(snapshot: Path, tmp_path: Path) -> None:
    with asked(ENDLESS, snapshot, tmp_path, "--timeout", "0") as process:
        os.kill(child_at_work(process, tmp_path), signal.SIGKILL)
        _, said = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 3
    assert said.startswith("error: the process of the query was ended by SIGKILL\n"), said
    assert list(tmp_path.iterdir()) == []
