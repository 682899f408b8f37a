"""A served lab and a cluster of Dask whose workers read it, as tests of workers share them."""

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from auditor.endpoints.collect import collect_fleet
from auditor.facts.needs import Needs, needs
from auditor.facts.snapshots.earlier import Earlier
from auditor.facts.snapshots.snapshot import Snapshot
from auditor.fleet.loading import Fleet
from auditor.model import Secret
from auditor.workers.client import connected, workers_of
from auditor_lab.serving import Lab
from tests.waiting import until

VCENTER = "vc-solidfire"
ONLY_THERE = "AUDITOR_TEST_PASSWORD"
"""The variable that holds the password of every account; no process has it but the workers'."""

FEW = needs([("host", "name"), ("hba", "hba"), ("array", "name")])
"""What is read quickly; the held request is among it."""

HELD = "RetrievePropertiesEx"


@dataclass(frozen=True)
class Place:
    """A served lab and a cluster whose workers may read it."""

    lab: Lab
    fleet: Fleet
    cluster: Any
    certificates: Path

    def read(
        self,
        fleet: Fleet | None = None,
        wanted: Needs = FEW,
        progress: Callable[[str, str], None] = lambda *_: None,
        earlier: Earlier | None = None,
    ) -> Snapshot:
        """What the workers read of the fleet."""
        fleet = fleet or self.fleet
        with workers_of(self.cluster.scheduler_address, self.certificates, fleet) as workers:
            return collect_fleet(fleet, progress, wanted, earlier, remote_reader=workers)

    def pids(self) -> dict[str, int]:
        """The process of each worker."""
        with connected(self.cluster.scheduler_address, self.certificates) as there:
            return dict(there.run(os.getpid))

    def reader(self) -> str:
        """The worker that reads, or is about to."""
        return until(lambda: next((one.address for one in self.cluster.scheduler.workers.values() if one.processing), ""), "a worker reads")


@dataclass
class Hold:
    """Requests of one operation that are not answered until `release` is called."""

    begun: threading.Event
    over: threading.Event

    def release(self) -> None:
        self.over.set()


@contextmanager
def beside(work: Callable[[], Snapshot]) -> Iterator[Future[Snapshot]]:
    """`work` in a thread of its own."""
    with ThreadPoolExecutor(1) as threads:
        yield threads.submit(work)


def read_here(place: Place, wanted: Needs) -> Snapshot:
    """What the threads of this process read."""
    password_file = place.fleet.path.with_name("fleet-password")
    here = tuple(replace(one, password=Secret("file", (str(password_file),))) for one in place.fleet.endpoints)
    return collect_fleet(replace(place.fleet, endpoints=here), lambda *_: None, wanted)


def whys(snapshot: Snapshot, endpoint: str) -> list[str]:
    """Why things of an endpoint were not read."""
    return [gap.why for gap in snapshot.gaps if gap.endpoint == endpoint]


def has_begun(scheduler_file: Path) -> bool:
    """Whether a scheduler has written the file of its address, which is there before, and empty."""
    return scheduler_file.exists() and scheduler_file.read_bytes().rstrip().endswith(b"}")
