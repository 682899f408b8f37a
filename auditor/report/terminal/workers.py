"""The workers of a scheduler for people: each with its sites, version and load, and the sites that have none."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from auditor.report.shown_values import quantity_text
from auditor.report.wording import neutral
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.workers.inventory import ListedWorker

_HEADINGS = ("worker", "sites", "auditor", "reading", "memory", "cpu", "state")


def write_workers(workers: Sequence[ListedWorker], without: Sequence[str], version: str, out: TextIO) -> None:
    """Write a line for each worker under its headings, then what somebody has to look at.

    Args:
        workers: in the order to show them in.
        without: sites of fleet.yaml that have no worker.
        version: of auditor here; a worker of another one is named.
        out: where to write.
    """
    lines = [_HEADINGS, *(tuple(map(neutral, _cells(worker))) for worker in workers)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADINGS))]
    if workers:
        out.writelines("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() + "\n" for line in lines)
    others = sum(worker.version != version for worker in workers)
    threads = sum(worker.threads for worker in workers)
    out.write(f"{count_of(len(workers), 'worker')}, {count_of(threads, 'endpoint')} at once\n")
    if others:
        verb = "has" if others == 1 else "have"
        out.write(f"{count_of(others, 'worker')} {verb} another version than this machine's {version}: install the same everywhere\n")
    out.writelines(f"no worker of site {neutral(site)}: its endpoints would not be read\n" for site in without)


def _cells(worker: ListedWorker) -> tuple[str, ...]:
    state = worker.status if worker.silent_seconds < _SILENT_SECONDS else f"{worker.status}, silent for {worker.silent_seconds:.0f} s"
    used = "" if worker.memory_bytes is None else quantity_text(worker.memory_bytes, "bytes")
    limit = "" if worker.memory_limit_bytes is None else f" of {quantity_text(worker.memory_limit_bytes, 'bytes')}"
    cpu = "" if worker.cpu_percent is None else f"{worker.cpu_percent:.0f}%"
    return (
        worker.name,
        ", ".join(worker.sites) or "-",
        worker.version or "not auditor's",
        f"{worker.reading} of {worker.threads}",
        f"{used}{limit}",
        cpu,
        state,
    )


_SILENT_SECONDS = 5.0
"""Workers report each second; one that has not for so long is busy beyond measure, or lost."""
