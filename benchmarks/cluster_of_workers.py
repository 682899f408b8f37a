"""Dask's scheduler and workers on this machine, each a process of its own, and what they took."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from distributed import LocalCluster


class Workers:
    """A local cluster until the block ends.

    Args:
        number: of worker processes.
        threads: of each.

    Attributes:
        address: of the scheduler, on loopback and without TLS.
    """

    def __init__(self, number: int, threads: int) -> None:
        self._number = number
        self._threads = threads
        self.address = ""

    def __enter__(self) -> Self:
        import dask
        from distributed import LocalCluster

        from auditor.workers.worker import SETTINGS

        dask.config.set(SETTINGS)
        self._cluster: LocalCluster = LocalCluster(
            n_workers=self._number,
            threads_per_worker=self._threads,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        )
        self.address = self._cluster.scheduler_address
        self._cpu_at_start = self._cpu_seconds()
        return self

    def __exit__(self, *_raised: object) -> None:
        self._cluster.close()

    def used(self) -> dict[str, Any]:
        """Processor seconds of all workers since they were ready, and the peak of the largest."""
        return {
            "workers_cpu_seconds": self._cpu_seconds() - self._cpu_at_start,
            "workers_start_cpu_seconds": self._cpu_at_start,
            "workers_peak_mib": max(map(_peak_mib, self._pids)),
        }

    @property
    def _pids(self) -> list[int]:
        return [nanny.pid for nanny in self._cluster.workers.values()]

    def _cpu_seconds(self) -> float:
        import psutil

        times = [psutil.Process(pid).cpu_times() for pid in self._pids]
        return sum(one.user + one.system for one in times)


def _peak_mib(pid: int) -> float:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024
