"""A signal at any moment of the start ends the program quietly, and nothing that a name holds reaches the terminal."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from auditor.cli.safe_stdout import safe_stream
from auditor.text.steering import without_steering
from tests.depth import DEEP

# A process begins by ignoring what its parent ignores; the parent sees by the first line that Python itself has begun.
_STARTED = """
import os, signal
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
from auditor.__main__ import leave_quietly, main
leave_quietly()
os.write(1, b"begun\\n")
main()
"""


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_a_signal_at_any_moment_of_the_start_ends_it_quietly(tmp_path: Path, number: signal.Signals) -> None:
    for milliseconds in range(0, 900, 30) if DEEP else (0, 60, 150, 300):
        command = [sys.executable, "-c", _STARTED, "demo", "--state-dir", str(tmp_path / "state")]
        with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"begun\n"
            time.sleep(milliseconds / 1000)
            process.send_signal(number)
            sent = time.monotonic()
            try:
                _, err = process.communicate(timeout=20)
            finally:
                process.kill()
        assert b"Traceback" not in err, milliseconds
        assert process.returncode == 128 + number, (milliseconds, err)
        assert time.monotonic() - sent < 5, milliseconds  # two seconds, on a machine that nobody else uses


def test_a_signal_in_a_callback_whose_errors_python_drops_ends_the_program_without_a_traceback() -> None:
    program = """
import os, signal, time, weakref
from auditor import stopping
stopping.install()
class Thing: pass
thing = Thing()
kept = weakref.ref(thing, lambda _: (os.kill(os.getpid(), signal.SIGTERM), time.sleep(0.1)))
del thing
time.sleep(20)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=15, check=False)
    assert (done.returncode, b"Traceback" in done.stderr, b"ignored" in done.stderr) == (143, False, False), done.stderr


@pytest.mark.parametrize("letter", ["\x7f", "\x9b", "\u202e", "\u2066", "\u2028", "\U000e0001", "\u200b", "\ufeff"])
def test_what_steers_a_terminal_is_escaped_and_stays_the_same_in_json(letter: str) -> None:
    text = without_steering(json.dumps({"name": f"a{letter}b ü \u200d"}, ensure_ascii=False))
    assert letter not in text
    assert json.loads(text) == {"name": f"a{letter}b ü \u200d"}


def test_standard_output_lets_no_such_letter_through(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w", encoding="utf-8") as file:
        stream = safe_stream(file)
        print("a\x9b2J\u202eb \x1b[1mbold\x1b[0m ü", file=stream)
        stream.flush()
    assert (tmp_path / "out").read_text(encoding="utf-8") == "a\\u009b2J\\u202eb \x1b[1mbold\x1b[0m ü\n"
    assert isinstance(stream, io.TextIOWrapper)
