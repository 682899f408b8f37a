"""Workers in others' hands, over real TLS: whatever they send, no program of theirs runs in the client's process."""

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from auditor.endpoints.collect import collect_fleet
from auditor.endpoints.common.time_limits import within
from auditor.errors import ConfigurationError
from auditor.facts.snapshots.snapshot import Snapshot
from auditor.fleet.loading import Fleet, load_fleet
from auditor.workers import client as client_module
from auditor.workers import dispatcher
from auditor.workers.certificates import files_of, make_certificates
from auditor.workers.client import connected, workers_of
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import serve
from tests.waiting import until

from .places import FEW, has_begun, whys


@dataclass(frozen=True)
class Stolen:
    """A fleet, and a scheduler with one worker, each a process of its own with its own certificate."""

    fleet: Fleet
    scheduler: str
    certificates: Path

    def read(self, progress: Callable[[str, str], None] = lambda *_: None) -> Snapshot:
        with workers_of(self.scheduler, self.certificates, self.fleet) as workers:
            return collect_fleet(self.fleet, progress, FEW, remote_reader=workers)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stolen]:
    folder = tmp_path_factory.mktemp("stolen")
    certificates, file = folder / "certificates", folder / "scheduler.json"
    make_certificates(certificates)
    common = ("--scheduler-file", str(file), "--host", "127.0.0.1", "--protocol", "tls", "--no-dashboard")
    with serve(load_scenario("solidfire-vvols")) as lab, ExitStack() as processes:
        lab.write_fleet(folder / "fleet.yaml")
        processes.enter_context(program("scheduler", certificates, *common, "--port", "0"))
        until(lambda: has_begun(file), "the scheduler has begun")
        processes.enter_context(program("worker", certificates, *common, "--no-nanny", "--nthreads", "4"))
        address = json.loads(file.read_text(encoding="utf-8"))["address"]
        with connected(address, certificates) as there:
            there.wait_for_workers(1, timeout=60)
        yield Stolen(load_fleet(folder / "fleet.yaml"), address, certificates)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that ends is not waited for."""
    monkeypatch.setattr(dispatcher, "NO_WORKER_SECONDS", 5.0)


@contextmanager
def program(role: str, certificates: Path, *arguments: str) -> Iterator[None]:
    authority, certificate, key = (str(certificates / name) for name in files_of(role))
    tls = ("--tls-ca-file", authority, "--tls-cert", certificate, "--tls-key", key)
    command = [sys.executable, "-m", f"distributed.cli.dask_{role}", *arguments, *tls]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.kill()


_SWAPPED: list[tuple[object, str, object]] = []


def swap(owner: object, name: str, value: object) -> None:
    """Put something else in the place of a part of a worker's process."""
    _SWAPPED.append((owner, name, getattr(owner, name)))
    setattr(owner, name, value)


def give_back() -> None:
    """The process as it was."""
    while _SWAPPED:
        owner, name, value = _SWAPPED.pop()
        setattr(owner, name, value)


class Program:
    """An object whose pickle writes down which process loaded it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[object, ...]:
        return exec, (f"import os, pathlib; pathlib.Path({self.folder!r}, str(os.getpid())).touch()",)


def as_result(folder: str) -> None:
    """Results are the program."""
    from auditor.workers import on_worker

    swap(on_worker, "part_bytes", lambda _part: Program(folder))


def as_class_of_bytes(folder: str) -> None:
    """Results are bytes, and the class that Dask would make of them is the program; whatever form was asked for."""
    import distributed.worker as module
    from distributed.protocol.serialize import Serialized

    header = {"serializer": "dask", "type-serialized": pickle.dumps(Program(folder))}
    swap(module, "to_serialize", lambda _value: Serialized(dict(header), [b"bytes"]))


def as_pickle(folder: str) -> None:
    """Results say that they are pickles; whatever form was asked for."""
    import distributed.worker as module
    from distributed.protocol.serialize import Serialized

    frames = [pickle.dumps(Program(folder))]
    swap(module, "to_serialize", lambda _value: Serialized({"serializer": "pickle", "pickle-writeable": ()}, list(frames)))


def as_exception(folder: str) -> None:
    """Tasks fail with an error that is the program."""
    from auditor.workers import on_worker

    class StolenError(Exception):
        def __reduce__(self) -> tuple[object, ...]:
            return Program(folder).__reduce__()

    def fail(_part: object) -> bytes:
        raise StolenError

    swap(on_worker, "part_bytes", fail)


def as_progress(folder: str) -> None:
    """Progress is the program."""
    from distributed.protocol.serialize import to_serialize
    from distributed.worker import Worker

    plain = Worker.log_event

    def log_event(self: Worker, topic: str, _message: object) -> None:
        plain(self, topic, {"endpoint": to_serialize(Program(folder)), "text": to_serialize(Program(folder))})
        for of_dask in ("print", "warn"):  # Dask's client loads their texts
            plain(self, of_dask, {"args": (pickle.dumps(Program(folder)),), "message": pickle.dumps(Program(folder))})

    swap(Worker, "log_event", log_event)


@contextmanager
def stolen(place: Stolen, steal: Callable[..., None], *arguments: object) -> Iterator[None]:
    """Has every worker be one that `steal` changed, for as long as the block lasts."""
    with connected(place.scheduler, place.certificates) as there:
        within(60, lambda: there.run(steal, *arguments))  # Dask waits for good where the scheduler is gone
        try:
            yield
        finally:
            within(60, lambda: there.run(give_back))


def ran(folder: Path) -> bool:
    """Whether the program ran in this process."""
    return (folder / str(os.getpid())).exists()


@pytest.mark.parametrize("steal", [as_result, as_class_of_bytes, as_pickle, as_exception], ids=lambda steal: steal.__name__)
def test_no_program_in_what_a_worker_answers_runs_here(
    place: Stolen, steal: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "_check_versions", lambda _client: None)  # it would refuse some of them already
    with stolen(place, steal, str(tmp_path)):
        snapshot = place.read()
    assert not ran(tmp_path)
    assert [one.name for one in snapshot.readings if one.complete] == []
    for endpoint in place.fleet.endpoints:
        assert whys(snapshot, endpoint.name), endpoint.name


def test_no_program_in_progress_runs_here_and_the_fleet_is_read(place: Stolen, tmp_path: Path) -> None:
    shown: list[tuple[object, object]] = []
    with stolen(place, as_progress, str(tmp_path)):
        snapshot = place.read(progress=lambda name, text: shown.append((name, text)))
    assert not ran(tmp_path)
    assert all(one.complete for one in snapshot.readings)
    assert all(isinstance(name, str) and isinstance(text, str) for name, text in shown)


def as_version(folder: str, form: str, dask_worker: object = None) -> None:
    """The version is the program: as what is returned, as an error, or as bytes in place of a reply."""
    from auditor.workers import versions

    class StolenError(Exception):
        def __reduce__(self) -> tuple[object, ...]:
            return Program(folder).__reduce__()

    def answer() -> object:
        if form == "error":
            raise StolenError
        return Program(folder)

    swap(versions, "full_version_text", answer)
    if form != "bytes":
        return
    plain = dask_worker.handlers["run"]  # type: ignore[attr-defined]

    def run(comm: object, function: bytes, **others: object) -> object:
        # Dask's client takes bytes for an error of its scheduler, and loads them.
        asked = b"full_version_text" in function
        return pickle.dumps(Program(folder)) if asked else plain(comm, function=function, **others)

    swap(dask_worker, "handlers", {**dask_worker.handlers, "run": run})  # type: ignore[attr-defined]


@pytest.mark.parametrize("form", ["object", "bytes", "error"])
def test_no_program_in_versions_runs_here(place: Stolen, form: str, tmp_path: Path) -> None:
    with stolen(place, as_version, str(tmp_path), form), pytest.raises(ConfigurationError, match="1 of 1 workers are not of this version"):
        place.read()
    assert not ran(tmp_path)
