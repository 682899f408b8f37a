"""A bundle of 200 MB is read in seconds, and its logs are never held."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

SECONDS = 10
MOST_MIB = 512
READING = """
import resource, sys, time
from pathlib import Path
from auditor.endpoints.files.archives import Member, members
began = time.process_time()
found = [one for one in members([Path(sys.argv[1])], lambda name: "/commands/" in name)]
assert all(isinstance(one, Member) for one in found), found
status = Path("/proc/self/status")
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
if status.exists():
    peak = int(next(line for line in status.read_text().splitlines() if line.startswith("VmHWM")).split()[1])
print(len(found), time.process_time() - began, peak >> 10)
"""
"""The peak is read from /proc: ru_maxrss of a new program begins with what its parent had when it forked, here all of a test run."""
WORDS = [
    f"2026-01-01T10:{minute:02d}:{second:02d}Z cpu{second % 7}:{minute * 7919}) ScsiDeviceIO: cmd 0x{second * 31:x}, "
    for minute in range(60)
    for second in range(60)
]


def log_of(size_bytes: int, seed: int) -> bytes:
    """Lines of a log, which shrink to a tenth or so."""
    lines = "".join(f"{WORDS[(number * 7919 + seed) % 3600]}CmdSN {number * 48271 % 2147483647:x}\n" for number in range(20_000)).encode()
    return (lines * (size_bytes // len(lines) + 1))[:size_bytes]


def bundle(path: Path, unpacked_bytes: int) -> int:
    """Write a bundle of logs with 300 small files among them; returns its size in bytes."""
    logs = [log_of(unpacked_bytes // 300, seed) for seed in range(10)]
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for number in range(300):
            for name, data in (
                (f"commands/c{number}.txt", b"Key: value\n" * 500),
                (f"var/run/log/l{number}.log", logs[number % len(logs)]),
            ):
                info = tarfile.TarInfo(f"esx-h1-2026-01-01--10.10-123/{name}")
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    return path.stat().st_size


@pytest.mark.parametrize(
    "megabytes", [pytest.param(200, id="200 MB of logs"), pytest.param(950, id="some 200 MB on disk", marks=pytest.mark.deep)]
)
def test_a_large_bundle_is_read_in_time_and_within_memory(megabytes: int, tmp_path: Path) -> None:
    size = bundle(tmp_path / "esx.tgz", megabytes * 1_000_000)
    assert size > (150_000_000 if megabytes > 200 else 30_000_000)
    read = subprocess.run([sys.executable, "-c", READING, str(tmp_path / "esx.tgz")], capture_output=True, text=True, check=True)
    count, seconds, mib = read.stdout.split()
    assert int(count) == 300
    assert float(seconds) < SECONDS
    assert int(mib) < MOST_MIB
