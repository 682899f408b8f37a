"""A signal ends what can be ended, finishes the write in hand, closes runs once, and waits for no thread."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path

import pytest

from auditor import stopping
from auditor.history.folders import RUN_FILE
from auditor.history.run_list import run_lines
from auditor.history.runs import begin_run
from auditor.history.stopped_runs import close_audit, close_writes
from auditor.history.writing_runs import list_all_runs
from auditor.journal import open_journal
from auditor.model import Outcome, Receipt
from auditor.stopping import Stopped, closing, finishing, pool
from tests.report import samples
from tests.waiting import PATIENCE_SECONDS

RUN = "20261121T010000Z-0000"


@pytest.fixture(autouse=True)
def handled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """SIGTERM handled as in a program of its own, without the thread that ends the process."""
    monkeypatch.setattr(stopping, "_state", stopping._State())
    before = signal.signal(signal.SIGTERM, stopping._handle)
    yield
    signal.signal(signal.SIGTERM, before)


def test_a_signal_is_an_interruption_with_its_own_exit_code() -> None:
    assert (stopping.signal_name(), stopping.exit_code()) == (None, 130)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
    assert (stopping.signal_name(), stopping.exit_code()) == ("SIGTERM", 143)


def test_a_write_in_hand_is_finished_before_the_command_ends() -> None:
    done: list[str] = []

    def two_writes() -> None:
        for number in ("first", "second"):
            with finishing(), finishing():
                signal.raise_signal(signal.SIGTERM)
                done.append(number)

    with pytest.raises(Stopped):
        two_writes()
    assert done == ["first"]


def test_a_write_in_hand_is_finished_though_nobody_reads_standard_error_any_more() -> None:
    done: list[str] = []
    reader, writer = os.pipe()
    os.close(reader)
    kept = os.dup(2)

    def write() -> None:
        with finishing():
            signal.raise_signal(signal.SIGTERM)
            done.append("written")

    try:
        os.dup2(writer, 2)
        with pytest.raises(Stopped):
            write()
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(writer)
    assert done == ["written"]


def test_the_same_signal_once_more_breaks_a_write_off() -> None:
    done: list[str] = []

    def write() -> None:
        with finishing():
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGTERM)
            done.append("written")

    with pytest.raises(Stopped):
        write()
    assert done == []


@pytest.mark.parametrize(
    ("raised", "signalled", "closed"),
    [
        pytest.param(KeyboardInterrupt(), False, True, id="stopped"),
        pytest.param(SystemExit(143), False, True, id="by a program of somebody's own"),
        pytest.param(RuntimeError("Query interrupted"), True, True, id="while DuckDB runs a statement"),
        pytest.param(RuntimeError("a bug"), False, False, id="an error is none"),
        pytest.param(None, False, False, id="done"),
    ],
)
def test_what_is_stopped_is_closed_once_and_says_so(raised: BaseException | None, signalled: bool, closed: bool) -> None:
    def outer() -> str:
        return "outer"

    def inner() -> str:
        return "inner"

    if signalled:
        stopping._state.number = signal.SIGTERM

    def work() -> None:
        if raised is not None:
            raise raised

    with suppress(RuntimeError, KeyboardInterrupt, SystemExit), closing(outer), closing(inner):
        work()
    assert stopping._state.texts == (["inner", "outer"] if closed else [])
    what = "stopped by SIGTERM" if signalled else "interrupted"
    assert stopping.last_words()[:2] == ([f"{what}: inner", f"{what}: outer"] if closed else stopping.last_words())
    assert stopping._state.texts == []


def test_threads_that_wait_for_an_endpoint_are_not_waited_for() -> None:
    waiting, answered = threading.Event(), threading.Event()
    late: list[int] = []

    def read(number: int) -> None:
        waiting.set()
        assert answered.wait(PATIENCE_SECONDS)
        late.append(number)

    def stopped() -> list[Future[None]]:
        found: list[Future[None]] = []
        with suppress(Stopped), pool(1, "test") as threads:
            found += [threads.submit(read, number) for number in range(2)]
            assert waiting.wait(PATIENCE_SECONDS)
            raise Stopped
        return found

    try:
        found = stopped()
        assert late == []
        assert found[1].cancelled()
    finally:
        answered.set()
    assert found[0].result(PATIENCE_SECONDS) is None
    with pool(1, "test") as threads:
        threads.submit(read, 7)
    assert late == [0, 7], "a block that ends by itself waits"


def test_nobody_listens_for_signals_unless_a_program_installs_it() -> None:
    assert signal.getsignal(signal.SIGINT) is not stopping._handle


def test_a_stopped_audit_is_listed_as_stopped_and_one_that_is_done_stays_as_it_is(tmp_path: Path) -> None:
    directory = begin_run(tmp_path, RUN)
    assert "the fleet was being read, and nothing of it is kept" in close_audit(directory)
    (run,) = list_all_runs(tmp_path)
    assert run.finished is None
    assert run.stopped is not None
    assert run.stopped.by == "stop"
    assert "stopped by stop" in list(run_lines([run]))[1]
    (directory / "snapshot").mkdir()
    (directory / "snapshot" / "snapshot.json").write_text("{}")
    assert f"auditor audit --from {directory / 'snapshot'}" in close_audit(directory)
    (directory / RUN_FILE).write_text("{}")
    assert close_audit(directory) == ""
    assert close_audit(tmp_path / "never-begun") == ""


def test_a_stopped_run_that_writes_says_what_was_made_and_what_was_not(tmp_path: Path) -> None:
    run = f"{RUN}-apply"
    directory = tmp_path / "runs" / run
    directory.mkdir(parents=True)
    assert "nothing was written" in close_writes(tmp_path, run, 12, is_audit=False)
    assert not directory.exists(), "it wrote nothing, so there is nothing to resume"
    directory.mkdir()
    change = samples.receipt().change
    with open_journal(tmp_path / "journal", run) as journal:
        journal.receipt(journal.intend(change, None), Receipt(change, Outcome.APPLIED, 256), settled=True)
        journal.intend(change, None)
    text = close_writes(tmp_path, run, 12, is_audit=False)
    assert "1 of 12 planned changes were made and read back, 10 were not attempted. Of 1 it is not known whether they arrived." in text
    assert f"auditor resume {run}" in text
    assert (directory / "stopped.json").is_file()


def test_a_stopped_run_does_not_count_what_it_found_out_of_an_earlier_one(tmp_path: Path) -> None:
    change, run = samples.receipt().change, f"{RUN}-apply"
    with open_journal(tmp_path / "journal", "20261120T010000Z-0000") as journal:
        earlier = [journal.intend(change, None) for _ in range(2)]
    directory = tmp_path / "runs" / run
    directory.mkdir(parents=True)
    with open_journal(tmp_path / "journal", run) as journal:
        for intent in earlier:
            journal.receipt(intent, Receipt(change, Outcome.APPLIED, 256), settled=True)
        assert "nothing was written" in close_writes(tmp_path, run, 12, is_audit=False)
        assert (directory / "stopped.json").is_file(), "it has a journal, so it is listed"
        journal.intend(change, None)
        journal.receipt(journal.intend(change, None), Receipt(change, Outcome.UNVERIFIED, None), settled=False)
    text = close_writes(tmp_path, run, 12, is_audit=False)
    assert "0 of 12 planned changes were made and read back, 10 were not attempted. Of 2 it is not known whether they arrived." in text


STUCK = """
import signal, time
from auditor import stopping
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whatever the parent of the tests ignores
stopping.install()
assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN, "what nohup or a shell ignores stays ignored"
with stopping.closing(lambda: "run x: closed."):
    try:
        print("ready", flush=True)
        time.sleep(3600)
    finally:
        time.sleep(3600)  # as a logout that is not answered
"""


def test_what_does_not_come_back_is_closed_and_ended_all_the_same() -> None:
    command = [sys.executable, "-c", STUCK]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGHUP)
        _, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 129
    assert err.split("\n") == ["", "stopped by SIGHUP: run x: closed.", ""]
