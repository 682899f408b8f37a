"""Job files of fio, and scripts that people start. Every job is bounded in rate, time and size, and works in a file of a folder.

Source of the options: fio's manual (HOWTO), ioping(1).
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from auditor.reproduction.bounds import MOST_FILE_BYTES, MOST_READS_PER_SECOND, MOST_WRITTEN_BYTES_PER_SECOND, TEST_FILE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_KIB, _MIB, _GIB = 2**10, 2**20, 2**30

NEIGHBOUR_JOBS, NEIGHBOUR_DEPTH, NEIGHBOUR_BLOCK = 5, 8, 512 * _KIB
"""Source: docs/domain/incidents.md#s0."""
NEIGHBOUR_SECONDS = 120
STEPS = (16, 32, 64, 96)
"""Threads of the four steps; the last is the report's. Source: docs/domain/incidents.md#s2."""
STEP_SECONDS = 45
SEQUENTIAL_BLOCK, SEQUENTIAL_DEPTH = 256 * _KIB, 16
SEQUENTIAL_SECONDS = 300
DEFAULT_CAP_BYTES_PER_SECOND = 50 * _MIB
"""Where the array's cap was not read. Source: the cap of the test in docs/domain/incidents.md#s1."""
PROBE_INTERVAL_SECONDS = 0.2


def neighbour_load(folder: str, read_percent: int = 0) -> str:
    """Large random commands with a deep queue: what made neighbours wait in docs/domain/incidents.md#s0, where all were writes."""
    rate = MOST_WRITTEN_BYTES_PER_SECOND // NEIGHBOUR_BLOCK // NEIGHBOUR_JOBS
    return _job_file(
        f"Large random {commands_text(read_percent)}, 40 in flight: more than a capped disk finishes; they fill the queue all share.",
        folder,
        {"bs": "512k", "iodepth": NEIGHBOUR_DEPTH, "ioengine": "libaio", "size": "1g", "runtime": NEIGHBOUR_SECONDS},
        [("noisy", {"numjobs": NEIGHBOUR_JOBS, **_mixed("rand", rate, read_percent), "group_reporting": 1})],
    )


def queue_steps(folder: str) -> str:
    """Small random reads in four steps; the file has to be there: without it fio would write it as fast as it can."""
    rate = MOST_READS_PER_SECOND // STEPS[-1]
    shared = {"rw": "randread", "bs": "4k", "iodepth": 1, "ioengine": "psync", "thread": 1, "size": "4g", "runtime": STEP_SECONDS}
    steps = [
        (f"threads-{count}", {"stonewall": 1, "new_group": 1, "numjobs": count, "rate_iops": rate, "group_reporting": 1}) for count in STEPS
    ]
    note = "4 KiB random reads by 16, 32, 64 and 96 threads, one step after the other: where IOPS stop growing, a queue is full."
    return _job_file(note, folder, {**shared, "allow_file_create": 0}, steps)


def preparation(folder: str) -> str:
    """Writes the file that is read afterwards, at a bounded rate."""
    rate = MOST_WRITTEN_BYTES_PER_SECOND // 2 // _MIB
    seconds = MOST_FILE_BYTES // (rate * _MIB) + 60
    once = {"rw": "write", "bs": "1m", "iodepth": 4, "ioengine": "libaio", "size": "4g", "rate_iops": rate, "runtime": seconds}
    return _job_file("Writes the test file once, slowly.", folder, once, [("prepare", {})], repeats=False)


def sequential_load(folder: str, cap_bytes_per_second: float | None, read_percent: int = 0) -> str:
    """Sequential commands at a fifth above the array's cap; writes, as a Storage vMotion sends them, unless a share is to be reads.

    Source: docs/domain/incidents.md#s1.
    """
    rate = sequential_rate(cap_bytes_per_second)
    options = {"bs": "256k", "iodepth": SEQUENTIAL_DEPTH, "ioengine": "libaio", "size": "4g", "runtime": SEQUENTIAL_SECONDS}
    note = f"Sequential {commands_text(read_percent)} a fifth above the cap: enough that the array throttles, no more."
    return _job_file(note, folder, options, [("sequential", {"numjobs": 1, **_mixed("", rate, read_percent)})])


def sequential_rate(cap_bytes_per_second: float | None) -> int:
    """Commands a second of SEQUENTIAL_BLOCK, reads and writes together."""
    wanted = 1.2 * (cap_bytes_per_second or DEFAULT_CAP_BYTES_PER_SECOND)
    return max(1, ceil(min(wanted, MOST_WRITTEN_BYTES_PER_SECOND) / SEQUENTIAL_BLOCK))


def commands_text(read_percent: int) -> str:
    """The commands of a load in words."""
    if read_percent in (0, 100):
        return "reads" if read_percent else "writes"
    return f"commands ({read_percent} % reads, {100 - read_percent} % writes)"


def _mixed(order: str, rate: int, read_percent: int) -> Mapping[str, object]:
    """The options of a job that does `rate` commands a second, a share of them reads.

    fio holds reads and writes each to a rate of its own: both together do no more than `rate`, or 2 where that is 1. The file that is read
    has to be there: without it fio would write it as fast as it can.

    Source: fio's manual, `rw`, `rwmixread`, `rate_iops` (values for reads and writes, separated by a comma), `allow_file_create`.
    """
    if read_percent == 0:
        return {"rw": f"{order}write", "rate_iops": rate}
    if read_percent == 100:
        return {"rw": f"{order}read", "rate_iops": rate, "allow_file_create": 0}
    reads = min(max(1, round(rate * read_percent / 100)), max(1, rate - 1))
    rates = f"{reads},{max(1, rate - reads)}"
    return {"rw": f"{order}rw", "rwmixread": read_percent, "rate_iops": rates, "allow_file_create": 0}


def _job_file(
    note: str, folder: str, shared: Mapping[str, object], jobs: Sequence[tuple[str, Mapping[str, object]]], *, repeats: bool = True
) -> str:
    """A job file; every job is `time_based`, but for one that does not repeat."""
    options: dict[str, object] = {
        "directory": folder,
        "filename": TEST_FILE,
        "direct": 1,
        **shared,
        **({"time_based": 1} if repeats else {}),
    }
    lines = [f"; {note}", "; Made by `auditor reproduce`. Read README.md before you start it.", "[global]"]
    lines += [f"{name}={value}" for name, value in options.items()]
    for name, own in jobs:
        lines += ["", f"[{name}]", *(f"{option}={value}" for option, value in own.items())]
    return "\n".join(lines) + "\n"


def runner(folder: str, jobs: Sequence[str], seconds: int, need_bytes: int) -> str:
    """A script that checks the folder and starts the job files; a person starts it, inside the test machine."""
    starts = "\n".join(f'timeout {seconds} fio --output="{job}.txt" "$here/{job}.fio" && cat "{job}.txt"' for job in jobs)
    return f"""#!/bin/sh
# Starts the load inside the test machine. Ctrl-C ends it. Read README.md first.
set -eu
dir={folder}
here=$(cd "$(dirname "$0")" && pwd)
{_checks(need_bytes)}
{starts}
echo "done; the test file is $dir/{TEST_FILE}: remove it when you are through"
"""


def probe(folder: str, seconds: int, interval_seconds: float = PROBE_INTERVAL_SECONDS) -> str:
    """A script that reads 4 KiB now and then and prints how long each took; it puts next to no load on anything."""
    return f"""#!/bin/sh
# Measures latency inside a machine that shares the queue: one read of 4 KiB every {interval_seconds:g} s. Ctrl-C ends it.
set -eu
dir={folder}
{_checks(2 * _MIB)}
exec ioping -D -s 4k -i {interval_seconds:g} -w {seconds} "$dir"
"""


def _checks(need_bytes: int) -> str:
    return f"""[ -d "$dir" ] || {{ echo "there is no folder $dir: make it on the disk that is to be tested" >&2; exit 1; }}
real=$(readlink -f "$dir")
case "$real" in /|/dev|/dev/*|/proc|/proc/*|/sys|/sys/*) echo "$dir leads to $real: not there" >&2; exit 1;; esac
free=$(df -Pk "$real" | awk 'NR==2 {{print $4}}')
[ "$free" -ge {ceil(need_bytes / _KIB)} ] || {{ echo "$dir has too little room: {ceil(need_bytes / _MIB)} MiB are needed" >&2; exit 1; }}"""
