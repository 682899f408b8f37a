"""What is lost when a worker, a scheduler or a client dies while a fleet is read, and who else may read meanwhile."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from distributed import Client

from auditor.endpoints.collect import collect_fleet
from auditor.facts.snapshots.parts import Part
from auditor.facts.snapshots.snapshot import Snapshot
from auditor.workers import dispatcher
from auditor.workers.client import connected, workers_of
from tests.content import content_digest
from tests.waiting import PATIENCE_SECONDS, until

from .places import FEW, HELD, ONLY_THERE, VCENTER, Hold, Place, beside, has_begun, whys


def test_a_worker_that_is_killed_costs_a_try_and_nothing_else(place: Place, hold: Hold, few: str) -> None:
    pids = place.pids()
    with beside(place.read) as read:
        assert hold.begun.wait(PATIENCE_SECONDS)
        os.kill(pids[place.reader()], signal.SIGKILL)
        hold.release()
        snapshot = read.result(PATIENCE_SECONDS)
    assert content_digest(snapshot.connection) == few


def test_what_kills_its_workers_is_a_gap_and_the_others_are_read(place: Place, hold: Hold, monkeypatch: pytest.MonkeyPatch) -> None:
    until(lambda: len(place.cluster.scheduler.workers) == 2, "the killed worker is back")
    monkeypatch.setattr(place.cluster.scheduler, "allowed_failures", 0)
    pids = place.pids()
    with beside(place.read) as read:
        assert hold.begun.wait(PATIENCE_SECONDS)
        until(lambda: sum(len(one.processing) for one in place.cluster.scheduler.workers.values()) == 1, "the others are read")
        os.kill(pids[place.reader()], signal.SIGKILL)
        snapshot = read.result(PATIENCE_SECONDS)
    (why,) = whys(snapshot, VCENTER)
    assert why.startswith("1 worker died while reading it; the last was tls://127.0.0.1:")
    assert [(one.name, one.complete) for one in snapshot.readings] == [(one.name, one.name != VCENTER) for one in place.fleet.endpoints]


def wanted(there: Client) -> int:
    """How many tasks somebody waits for, as the workers know it."""

    def of_worker(dask_worker: Any) -> int:
        from auditor.workers.on_worker import WANTED

        return sum(task.state in WANTED for task in dask_worker.state.tasks.values())

    return sum(there.run(of_worker).values())


def test_two_audits_do_not_read_an_endpoint_at_once_and_one_that_ends_frees_it(place: Place, hold: Hold) -> None:
    shown: list[str] = []
    waits = threading.Event()

    def progress(name: str, text: str) -> None:
        if name == VCENTER:
            shown.append(text)
        if text.startswith("waiting: another audit reads it"):
            waits.set()

    with connected(place.cluster.scheduler_address, place.certificates) as there:
        hands = dispatcher.Dispatcher(there, place.fleet.site_of)
        first = hands(place.fleet.endpoints, FEW, lambda *_: None)
        arrived = [next(first), next(first)]
        assert VCENTER not in {part.reading.name for part in arrived}
        assert hold.begun.wait(PATIENCE_SECONDS)
        place.lab.vcenters[VCENTER].requests.clear()
        with beside(lambda: place.read(progress=progress)) as second:
            assert waits.wait(PATIENCE_SECONDS)
            first.close()  # as Ctrl-C does
            until(lambda: wanted(there) == 1, "the worker knows that nobody waits for the first task")
            hold.release()
            snapshot = second.result(PATIENCE_SECONDS)
    requests = place.lab.vcenters[VCENTER].requests
    begins = requests.index("RetrieveServiceContent")  # what every session begins with
    left_off, whole = requests[:begins], requests[begins:]
    assert left_off.count(HELD) < whole.count(HELD) - 1, "what nobody wants any more was read on"
    assert not whys(snapshot, VCENTER)
    assert shown[0].startswith("waiting: another audit")


def test_a_vcenter_that_three_readers_read_gives_the_same_although_one_dies(place: Place, hold: Hold, few: str) -> None:
    """Each is a task, so a worker that dies costs its share another try."""
    pids = place.pids()
    endpoints = tuple(replace(one, limits=replace(one.limits, readers=3)) if one.name == VCENTER else one for one in place.fleet.endpoints)
    place.lab.vcenters[VCENTER].requests.clear()
    shown: list[str] = []

    def progress(name: str, text: str) -> None:
        if name == VCENTER:
            shown.append(text)

    with beside(lambda: place.read(replace(place.fleet, endpoints=endpoints), progress=progress)) as read:
        assert hold.begun.wait(PATIENCE_SECONDS)
        os.kill(pids[place.reader()], signal.SIGKILL)
        hold.release()
        snapshot = read.result(PATIENCE_SECONDS)
    assert content_digest(snapshot.connection) == few
    assert [one.name for one in snapshot.readings] == [one.name for one in place.fleet.endpoints]
    assert not whys(snapshot, VCENTER)
    assert place.lab.vcenters[VCENTER].requests.count("RetrieveServiceContent") >= 3, "what every session begins with"
    assert shown.count("read") == 1
    assert shown[-1] == "read"


@contextmanager
def killable(folder: Path, password: str) -> Iterator[subprocess.Popen[bytes]]:
    """A scheduler and a worker, each a process of its own; the address of the scheduler is in the file `scheduler.json` of `folder`."""
    file = folder / "scheduler.json"
    common = ("--scheduler-file", str(file), "--host", "127.0.0.1", "--no-dashboard")
    with ExitStack() as processes:
        scheduler = processes.enter_context(dask_program("scheduler", *common, "--port", "0"))
        until(lambda: has_begun(file), "the scheduler has begun")
        processes.enter_context(dask_program("worker", *common, "--no-nanny", "--nthreads", "4", **{ONLY_THERE: password}))
        yield scheduler


@contextmanager
def dask_program(name: str, *arguments: str, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", f"distributed.cli.dask_{name}", *arguments]
    with subprocess.Popen(command, env={**os.environ, **more}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()  # also where the test fails: Popen waits for its process, and would wait for good


def test_a_scheduler_that_is_killed_costs_what_had_not_arrived(place: Place, hold: Hold, tmp_path: Path) -> None:
    with killable(tmp_path, place.lab.password) as scheduler:
        address = json.loads((tmp_path / "scheduler.json").read_text(encoding="utf-8"))["address"]
        fleet, shown, arrived = replace(place.fleet, sites=()), list[str](), set[str]()

        def read() -> Snapshot:
            with workers_of(address, None, fleet) as workers:
                assert workers is not None

                def watched(*request: Any) -> Iterator[Part]:
                    for part in workers(*request):
                        yield part
                        arrived.add(part.reading.name)

                return collect_fleet(fleet, lambda name, text: shown.append(f"{name} {text}"), FEW, remote_reader=watched)

        with beside(read) as reading:
            assert hold.begun.wait(PATIENCE_SECONDS)
            until(lambda: {"sf-prod", "sf-twin"} <= arrived, "the arrays are kept")
            scheduler.kill()
            snapshot = reading.result(PATIENCE_SECONDS)
    (why,) = whys(snapshot, VCENTER)
    assert why.startswith("the scheduler was lost before all of it had arrived (")
    assert {one.name: one.complete for one in snapshot.readings} == {"sf-prod": True, "sf-twin": True, VCENTER: False}
    assert shown[-1] == f"{VCENTER} not read"
