"""Endpoints wait at the client, and not for ever; Dask is a double here that does what a test says."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from concurrent.futures import wait as waited
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from auditor import cli, stopping
from auditor.endpoints.collect import unread_part
from auditor.endpoints.read_task import ReadTask
from auditor.facts.needs import EVERYTHING, needs
from auditor.facts.snapshots.parts import Part
from auditor.model import Endpoint, EndpointKind, Limits, Secret, Share
from auditor.workers import client, dispatcher
from auditor.workers.dispatcher import Dispatcher

WHEN = datetime(2026, 11, 21, 6, 55, tzinfo=UTC)
ENDPOINTS = tuple(
    Endpoint(f"sf-{number}", EndpointKind.ELEMENT, "sf.example.net", 443, "auditor", Secret("env", ("SF_PASSWORD",))) for number in range(5)
)
RUNNING = {"status": "running", "nthreads": 2, "resources": {}}
PAUSED = {"status": "paused", "nthreads": 8, "resources": {}}


def read(endpoint: Endpoint) -> Part:
    """What a worker reads."""
    return unread_part(endpoint, "read", WHEN)


@dataclass
class Dask:
    """A client whose workers read when `work` is called, and whose scheduler answers until `is_lost`."""

    workers: list[dict[str, Any]]
    is_lost: bool = False
    tasks: list[tuple[Future[Part], Endpoint]] = field(default_factory=list)
    executors: list[dict[str, object]] = field(default_factory=list)
    most_at_once: int = 0
    show: Callable[[str, str], None] = lambda _endpoint, _text: None  # as a worker says how far it is
    scheduler: Any = field(default_factory=lambda: SimpleNamespace(identity=None))

    def subscribe_topic(self, _topic: str, handler: Callable[..., None]) -> None:
        self.show = lambda endpoint, text: handler((0.0, {"endpoint": endpoint, "text": text}))

    def sync(self, *_: object, **__: object) -> dict[str, Any]:
        if self.is_lost:
            raise TimeoutError
        return {"workers": dict(enumerate(self.workers))}

    def get_executor(self, **options: object) -> "Dask":
        self.executors.append(options)
        return self

    def submit(self, _read: object, task: Any, _order: object) -> Future[Part]:
        future = Future[Part]()
        self.tasks.append((future, task.endpoint))
        self.most_at_once = max(self.most_at_once, sum(not one.done() for one, _ in self.tasks))
        return future

    def work(self, *numbers: int) -> None:
        """Have some tasks be read."""
        for number in numbers:
            future, endpoint = self.tasks[number]
            future.set_result(read(endpoint))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "_LOOK_SECONDS", 0.0)


def parts_of(dask: Dask) -> Iterator[Part]:
    return Dispatcher(dask, lambda _name: None)(ENDPOINTS, EVERYTHING, lambda *_: None)  # type: ignore[arg-type]


def test_no_more_is_handed_out_than_workers_that_may_read_have_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    dask = Dask([RUNNING, PAUSED])

    def wait(futures: Any, **options: Any) -> Any:
        dask.work(next(number for number, (future, _) in enumerate(dask.tasks) if not future.done()))
        return waited(futures, **options)

    monkeypatch.setattr(dispatcher, "wait", wait)
    assert {part.reading.name for part in parts_of(dask)} == {one.name for one in ENDPOINTS}
    assert dask.most_at_once == 2


def test_a_scheduler_that_does_not_answer_costs_only_what_had_not_arrived(monkeypatch: pytest.MonkeyPatch) -> None:
    dask = Dask([RUNNING])

    def wait(futures: Any, **_: object) -> tuple[set[Any], set[Any]]:
        dask.work(0)  # it arrives while nobody looks
        dask.is_lost = True
        return set(), set(futures)

    monkeypatch.setattr(dispatcher, "wait", wait)
    whys = {part.reading.name: part.gaps[0].why for part in parts_of(dask)}
    assert whys.pop("sf-0") == "read"
    assert whys.keys() == {"sf-1", "sf-2", "sf-3", "sf-4"}
    assert all(why.startswith("the scheduler was lost before all of it had arrived (TimeoutError)") for why in whys.values())
    assert dask.tasks[1][0].cancelled()


def vcenter(readers: int) -> Endpoint:
    """A vCenter that so many workers are to read side by side."""
    return Endpoint("vc", EndpointKind.VCENTER, "vc.example.net", 443, "audit", Secret("env", ("X",)), limits=Limits(readers=readers))


def handed_out(dask: Dask, endpoint: Endpoint, shown: list[str], *, let_in: bool = True, earlier: Any = None) -> Iterator[Part]:
    """The parts of one endpoint, whose tasks are done one after the other."""

    def wait(futures: Any, **options: Any) -> Any:
        number = next(number for number, (future, _) in enumerate(dask.tasks) if not future.done())
        future, of = dask.tasks[number]
        part = read(of)
        future.set_result(replace(part, reading=replace(part.reading, version="8.0.3")) if let_in else part)
        return waited(futures, **options)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(dispatcher, "wait", wait)
        # What an earlier run knows of the vCenter is not what this is about.
        patched.setattr(dispatcher, "task_of", lambda endpoint, needs, earlier: ReadTask(endpoint, needs))
        hands = Dispatcher(dask, lambda _name: None)  # type: ignore[arg-type]
        yield from hands([endpoint], EVERYTHING, lambda _, text: shown.append(text), earlier)


def whats(parts: Iterable[Part]) -> list[str]:
    """What of the endpoint is missing."""
    return [gap.what.removesuffix(", at vc.example.net:443") for part in parts for gap in part.gaps]


def test_a_vcenter_with_several_readers_is_a_task_for_each_once_the_first_was_let_in() -> None:
    dask, shown = Dask([{**RUNNING, "nthreads": 3}]), list[str]()
    parts = handed_out(dask, vcenter(3), shown)
    next(parts)
    assert [endpoint.share for _, endpoint in dask.tasks] == [Share(0, 3)], "nobody has said that it was let in before it was read"
    assert len(list(parts)) == 2
    assert [endpoint.share for _, endpoint in dask.tasks] == [Share(0, 3), Share(1, 3), Share(2, 3)]
    dask.show("vc", "read")
    assert shown == [], "that a share is read is not that the vCenter is"


def test_a_vcenter_of_whose_hosts_nothing_is_needed_has_one_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "NO_WORKER_SECONDS", 0.0)
    hands = Dispatcher(Dask([PAUSED]), lambda _name: None)  # type: ignore[arg-type]
    parts = hands([vcenter(3)], needs([("tagged", "tag")]), lambda *_: None)
    assert whats(parts) == ["all of it"]


def test_the_others_begin_while_the_first_one_reads() -> None:
    turns = count()
    dask, shown = Dask([{**RUNNING, "nthreads": 3}]), list[str]()

    def wait(_futures: Any, **_: object) -> tuple[set[Any], set[Any]]:
        dask.show("vc", "reading VMware vCenter Server 8.0.3")
        dask.is_lost = len(dask.tasks) == 3 or next(turns) == 9
        return set(), set()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(dispatcher, "wait", wait)
        hands = Dispatcher(dask, lambda _name: None)  # type: ignore[arg-type]
        parts = list(hands([vcenter(3)], EVERYTHING, lambda _, text: shown.append(text)))
    assert dask.most_at_once == 3
    assert whats(parts) == [f"all of it that reader {number} of 3 was to read" for number in (1, 2, 3)]
    assert shown[0] == "reading VMware vCenter Server 8.0.3"


def test_where_the_first_reader_is_not_let_in_no_other_one_tries() -> None:
    """Each try with a wrong password counts, and a few of them lock the account."""
    dask, shown = Dask([RUNNING]), list[str]()
    parts = list(handed_out(dask, vcenter(4), shown, let_in=False))
    assert len(dask.tasks) == 1
    assert whats(parts) == ["all of it that reader 1 of 4 was to read", "all of it that its other readers were to read"]
    assert parts[1].gaps[0].why == "its first reader opened no session, so the others did not try"


@pytest.mark.parametrize("lost", ["its workers", "its scheduler"])
def test_readers_that_wait_for_the_first_one_do_not_wait_for_ever(lost: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "NO_WORKER_SECONDS", 0.0)
    dask = Dask([PAUSED], is_lost=lost == "its scheduler")
    parts = list(handed_out(dask, vcenter(3), []))
    assert whats(parts) == ["all of it that reader 1 of 3 was to read", "all of it that its other readers were to read"]
    assert len({part.gaps[0].why for part in parts}) == 1
    assert not dask.tasks


def test_hosts_that_an_earlier_run_knows_are_compared_by_one_reader() -> None:
    dask, shown = Dask([RUNNING]), list[str]()
    assert len(list(handed_out(dask, vcenter(3), shown, earlier="a run"))) == 1
    assert [endpoint.share for _, endpoint in dask.tasks] == [Share()]
    dask.show("vc", "read")
    assert shown == ["read"]


def test_endpoints_without_any_worker_do_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "NO_WORKER_SECONDS", 0.0)
    whys = [part.gaps[0].why for part in parts_of(Dask([PAUSED]))]
    assert [why.partition(" for ")[0] for why in whys] == ["no worker"] * len(ENDPOINTS)


def test_an_endpoint_of_a_site_is_handed_to_workers_of_that_site_alone() -> None:
    dask = Dask([{**RUNNING, "resources": {"site-vienna": 1000}}])
    parts = Dispatcher(dask, lambda _name: "vienna")(ENDPOINTS[:1], EVERYTHING, lambda *_: None)  # type: ignore[arg-type]

    def arrive(futures: Any, **_: object) -> tuple[set[Any], set[Any]]:
        dask.work(0)
        return set(futures), set()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(dispatcher, "wait", arrive)
        next(parts)
    assert dask.executors == [{"resources": {"site-vienna": 1}, "retries": 2, "pure": False}]


def test_who_leaves_early_has_nobody_read_on() -> None:
    dask = Dask([RUNNING])
    parts = parts_of(dask)

    def arrive(futures: Any, **_: object) -> tuple[set[Any], set[Any]]:
        dask.work(0)
        return {dask.tasks[0][0]}, set(futures)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(dispatcher, "wait", arrive)
        next(parts)
    parts.close()  # type: ignore[attr-defined]
    assert dask.tasks[1][0].cancelled()


def test_a_command_ends_although_dask_still_waits_for_its_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    class EndedError(Exception):
        pass

    def end(code: int) -> None:
        raise EndedError(code)

    begun = Event()
    monkeypatch.setattr(client, "_begun", begun)
    monkeypatch.setattr(stopping, "end", end)
    with pytest.raises(SystemExit):
        cli._end(2)
    begun.set()
    with pytest.raises(EndedError, match="2"):
        cli._end(2)
