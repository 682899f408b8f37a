"""A fleet read by workers of Dask, near real: processes of their own, TLS, secrets that only they have, and what is lost when one dies."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dask
import pytest
from distributed import Client, LocalCluster
from distributed.security import Security

from auditor import __version__
from auditor.endpoints.collect import collect_fleet
from auditor.errors import ConfigurationError
from auditor.facts.content import content_digest
from auditor.facts.earlier import RESTED_ON, Earlier, with_marks
from auditor.facts.needs import EVERYTHING, Needs, needs
from auditor.facts.parts import Part
from auditor.facts.snapshot import Snapshot, load_snapshot
from auditor.fleet import Fleet, Site, load_fleet
from auditor.lab.scenario import load_scenario
from auditor.lab.serving import Lab, serve
from auditor.lab.vcenter.performance import manager
from auditor.lab.wire import Answer, Request
from auditor.model import Secret
from auditor.workers import client, handing_out
from auditor.workers.certificates import ROLES, files_of, make_certificates
from auditor.workers.client import connected, workers_of
from auditor.workers.sites import UNITS, resource_of
from auditor.workers.worker import SETTINGS
from tests.waiting import PATIENCE_SECONDS, until

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
            return collect_fleet(fleet, progress, wanted, earlier, elsewhere=workers)

    def pids(self) -> dict[str, int]:
        """The process of each worker."""
        with connected(self.cluster.scheduler_address, self.certificates) as there:
            return dict(there.run(os.getpid))

    def reader(self) -> str:
        """The worker that reads, or is about to."""
        return until(lambda: next((one.address for one in self.cluster.scheduler.workers.values() if one.processing), ""), "a worker reads")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("workers")
    certificates = folder / "certificates"
    make_certificates(certificates)
    config = {
        "distributed.scheduler.allowed-failures": 2,
        "distributed.scheduler.locks.lease-timeout": "2s",
        "distributed.scheduler.locks.lease-validation-interval": "200ms",
        "logging": {"distributed": "critical"},
        **SETTINGS,
    }
    with pytest.MonkeyPatch.context() as frozen, serve(load_scenario("solidfire-vvols")) as lab, dask.config.set(config):
        # Counters of load are another every 20 seconds.
        frozen.setattr(manager, "time", SimpleNamespace(time=partial(float, time.time())))
        lab.write_fleet(folder / "fleet.yaml")
        fleet = load_fleet(folder / "fleet.yaml")
        fleet = replace(fleet, sites=(Site("vienna", (VCENTER,)),))
        with LocalCluster(
            n_workers=2,
            threads_per_worker=2,
            processes=True,
            protocol="tls://",
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            security=_security(certificates),
            resources={resource_of("vienna"): UNITS},
            env={ONLY_THERE: lab.password},
        ) as cluster:
            endpoints = tuple(replace(one, password=Secret("env", (ONLY_THERE,))) for one in fleet.endpoints)
            yield Place(lab, replace(fleet, endpoints=endpoints), cluster, certificates)


def _security(folder: Path) -> Security:
    """That of all roles, as a LocalCluster is all of them."""
    files: dict[str, str] = {}
    for role in ROLES:
        authority, certificate, key = (str(folder / name) for name in files_of(role))
        files |= {"tls_ca_file": authority, f"tls_{role}_cert": certificate, f"tls_{role}_key": key}
    return Security(require_encryption=True, **files)


@dataclass
class Hold:
    """Requests of one operation that are not answered until `release` is called."""

    begun: threading.Event
    over: threading.Event

    def release(self) -> None:
        self.over.set()


@pytest.fixture
def hold(place: Place) -> Iterator[Hold]:
    """Has the vCenter keep back what hosts are read by."""
    server = place.lab.vcenters[VCENTER]._wire  # nothing else can keep an answer back until a test wants it
    held, answer = Hold(threading.Event(), threading.Event()), server.answer

    def later(request: Request) -> Answer:
        if server.operation(request) == HELD and not held.over.is_set():
            held.begun.set()
            held.over.wait(PATIENCE_SECONDS)
        return answer(request)

    server.answer = later
    yield held
    held.release()
    server.answer = answer


@contextmanager
def beside(work: Callable[[], Snapshot]) -> Iterator[Future[Snapshot]]:
    """`work` in a thread of its own."""
    with ThreadPoolExecutor(1) as threads:
        yield threads.submit(work)


@pytest.fixture(scope="module")
def few(place: Place) -> str:
    """The digest of FEW, read by threads."""
    return content_digest(read_here(place, FEW).connection)


def read_here(place: Place, wanted: Needs) -> Snapshot:
    """What the threads of this process read."""
    password_file = place.fleet.path.with_name("fleet-password")
    here = tuple(replace(one, password=Secret("file", (str(password_file),))) for one in place.fleet.endpoints)
    return collect_fleet(replace(place.fleet, endpoints=here), lambda *_: None, wanted)


def whys(snapshot: Snapshot, endpoint: str) -> list[str]:
    """Why things of an endpoint were not read."""
    return [gap.why for gap in snapshot.gaps if gap.endpoint == endpoint]


def test_workers_read_the_same_as_threads_by_secrets_that_only_they_have(place: Place) -> None:
    assert ONLY_THERE not in os.environ
    shown: dict[str, list[str]] = {}
    read = place.read(wanted=EVERYTHING, progress=lambda name, text: shown.setdefault(name, []).append(text))
    here = read_here(place, EVERYTHING)
    assert content_digest(read.connection) == content_digest(here.connection)
    assert sorted(read.gaps, key=repr) == sorted(here.gaps, key=repr)
    assert [(one.name, one.version, one.identity, one.lane) for one in read.readings] == [
        (one.name, one.version, one.identity, one.lane) for one in here.readings
    ]
    assert read.hosts > 0
    assert shown.keys() == {one.name for one in place.fleet.endpoints}
    version = next(one.version for one in read.readings if one.name == VCENTER)
    assert shown[VCENTER] == ["connecting", f"reading {version}", "read"]


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


def test_hosts_that_did_not_change_are_not_asked_again_by_workers(place: Place, tmp_path: Path) -> None:
    wanted = with_marks(needs([("host", "name"), ("host_option", "value")]))
    before = place.read(wanted=wanted)
    before.save(tmp_path / "snapshot")
    now = datetime.now(UTC)
    kept = load_snapshot(tmp_path / "snapshot", RESTED_ON)
    earlier = Earlier("20261121T065500Z-1a2b", tmp_path / "snapshot", kept, now - timedelta(hours=1), now, frozenset())
    place.lab.vcenters[VCENTER].requests.clear()
    after = place.read(wanted=wanted, earlier=earlier)
    (reading,) = (one for one in after.readings if one.name == VCENTER)
    assert any("was taken over from run 20261121T065500Z-1a2b" in note for note in reading.notes), reading.notes
    assert "QueryOptions" not in place.lab.vcenters[VCENTER].requests
    assert content_digest(after.connection) == content_digest(before.connection)


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
        return sum(task.state in ("executing", "long-running") for task in dask_worker.state.tasks.values())

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
        hands = handing_out.HandingOut(there, place.fleet.site_of)
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


def test_a_site_without_a_worker_is_a_gap_that_names_it(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handing_out, "NO_WORKER_SECONDS", 0.0)
    snapshot = place.read(replace(place.fleet, sites=(Site("graz", (VCENTER,)),)))
    (why,) = whys(snapshot, VCENTER)
    assert why.startswith("no worker of site graz for ")
    assert [one.name for one in snapshot.readings if not one.complete] == [VCENTER]


@contextmanager
def workers_with(version: str, place: Place) -> Iterator[None]:
    """Workers that say they have another version of auditor."""

    def change(version: str) -> None:
        from auditor.workers import versions

        vars(versions)["__version__"] = version

    until(lambda: len(place.cluster.scheduler.workers) == 2, "killed workers are back")
    with connected(place.cluster.scheduler_address, place.certificates) as there:
        there.run(change, version)
        yield
        there.run(change, __version__)


def test_another_version_is_refused_before_anything_is_read(place: Place) -> None:
    asked = [len(server.requests) for _, _, server in place.lab.served()]
    expected = rf"2 of 2 workers are not of this version: .* has auditor 0\.0\.9 .*; here is auditor {re.escape(__version__)} "
    with workers_with("0.0.9", place), pytest.raises(ConfigurationError, match=expected):
        place.read()
    assert [len(server.requests) for _, _, server in place.lab.served()] == asked


def test_a_worker_of_another_version_that_came_later_reads_nothing(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_check_versions", lambda _client: None)
    with workers_with("0.0.9", place):
        snapshot = place.read()
    for endpoint in place.fleet.endpoints:
        (why,) = whys(snapshot, endpoint.name)
        assert why.startswith("no worker could read it, 3 tries: the worker has auditor 0.0.9 ")


@contextmanager
def killable(folder: Path, password: str) -> Iterator[subprocess.Popen[bytes]]:
    """A scheduler and a worker, each a process of its own; the address of the scheduler is in the file `scheduler.json` of `folder`."""
    file = folder / "scheduler.json"
    common = ("--scheduler-file", str(file), "--host", "127.0.0.1", "--no-dashboard")
    with ExitStack() as processes:
        scheduler = processes.enter_context(dask_program("scheduler", *common, "--port", "0"))
        until(file.exists, "the scheduler has begun")
        processes.enter_context(dask_program("worker", *common, "--no-nanny", "--nthreads", "4", **{ONLY_THERE: password}))
        yield scheduler


@contextmanager
def dask_program(name: str, *arguments: str, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", f"distributed.cli.dask_{name}", *arguments]
    with subprocess.Popen(command, env={**os.environ, **more}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        yield process
        process.kill()


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

                return collect_fleet(fleet, lambda name, text: shown.append(f"{name} {text}"), FEW, elsewhere=watched)

        with beside(read) as reading:
            assert hold.begun.wait(PATIENCE_SECONDS)
            until(lambda: {"sf-prod", "sf-twin"} <= arrived, "the arrays are kept")
            scheduler.kill()
            snapshot = reading.result(PATIENCE_SECONDS)
    (why,) = whys(snapshot, VCENTER)
    assert why.startswith("the scheduler was lost before all of it had arrived (")
    assert {one.name: one.complete for one in snapshot.readings} == {"sf-prod": True, "sf-twin": True, VCENTER: False}
    assert shown[-1] == f"{VCENTER} not read"
