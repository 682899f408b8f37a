"""A disk that takes no more data is no bug: exit 3 and a sentence, wherever the command was."""

import errno
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from auditor.errors import no_room


@pytest.mark.parametrize("kib", [1, 8, 40])
def test_a_full_disk_ends_an_audit_with_3_and_a_sentence(kib: int, tmp_path: Path) -> None:
    # No file may become larger: writing ends in the midst of the snapshot, of the findings or of the run, each time somewhere else.
    command = [sys.executable, "-m", "auditor", "demo", "--scenario", "solidfire-vvols", "--only", "vvol/pe-dsnro-headroom"]
    limited = ["sh", "-c", f'ulimit -f {kib * 2}; exec "$@"', "sh", *command, "--state-dir", str(tmp_path / "state")]
    done = subprocess.run(limited, capture_output=True, text=True, timeout=120, check=False)
    shown = done.stderr
    if done.returncode not in (0, 1, 2):
        assert done.returncode == 3, shown
        assert "\n  why: " in shown
        assert "\n  do:  " in shown
    assert "Traceback" not in shown
    assert "a bug in auditor" not in shown + done.stdout
    assert kib > 1 or done.returncode == 3


def test_a_full_disk_is_known_through_errors_that_came_of_it() -> None:
    full = OSError(errno.ENOSPC, "No space left on device", "state/run.json")
    wrapped = RuntimeError("later")
    wrapped.__cause__ = full
    assert no_room(wrapped) == "the disk took no more data: cannot write state/run.json: No space left on device"
    assert no_room(duckdb.IOException("Could not write all bytes: No space left on device")) is not None
    assert no_room(OSError(errno.EDQUOT, "Disk quota exceeded")) is not None


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOENT, "no such file"), ValueError("No space left on device"), duckdb.IOException("no file")]
)
def test_other_errors_are_no_full_disk(error: Exception) -> None:
    assert no_room(error) is None
