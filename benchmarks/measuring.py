"""What the benchmarks share: peak memory, processes, growth, tables."""

from __future__ import annotations

import math
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

_UNIT = 1 << 20 if sys.platform == "darwin" else 1 << 10  # macOS counts bytes, Linux KiB


def peak_mib() -> float:
    """The most memory this process ever had, in MiB.

    On Linux from /proc: `ru_maxrss` of a new program starts with what its parent had when it forked.
    """
    status = Path("/proc/self/status")
    if status.exists():
        peak_line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(peak_line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _UNIT


def peak_of_child_mib(usage: resource.struct_rusage) -> float:
    """The same of a program that has ended; at least what its parent had when it started it."""
    return usage.ru_maxrss / _UNIT


def watched(command: Sequence[str], good: Container[int] = (0,), **options: Any) -> dict[str, float]:
    """Run a command to its end: `seconds`, `cpu_seconds` of all its threads, `peak_mib` and `exit_code`.

    Raises:
        subprocess.CalledProcessError: it ended with a code that is not among `good`.
    """
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, **options) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - began
    if process.returncode not in good:
        raise subprocess.CalledProcessError(process.returncode, command)
    return {
        "seconds": seconds,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_mib": peak_of_child_mib(usage),
        "exit_code": process.returncode,
    }


def exponent(small: tuple[float, float], large: tuple[float, float]) -> float:
    """How `seconds` grow with size: 1 is linear. Each argument is (size, seconds)."""
    return math.log(large[1] / small[1]) / math.log(large[0] / small[0])


def print_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print the first column to the left, the others to the right."""
    lines = [header, *([_cell(cell) for cell in row] for row in rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(header))]
    for line in lines:
        print("  ".join(cell.rjust(width) if at else cell.ljust(width) for at, (cell, width) in enumerate(zip(line, widths, strict=True))))


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3g}" if isinstance(value, float) and abs(value) < 10 else f"{value:.0f}" if isinstance(value, float) else str(value)
