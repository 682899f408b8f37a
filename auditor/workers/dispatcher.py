"""Gives endpoints to workers and collects what they read, but does not wait for ever: what no worker can read is a gap with the reason."""

from __future__ import annotations

import re
import secrets
import time
from collections import deque
from collections.abc import Callable, Container, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from auditor.endpoints.collect import ENDS, NOT_READ, READING, unread_part
from auditor.endpoints.read_task import ReadTask, task_of
from auditor.endpoints.shares import shares_of
from auditor.errors import ConfigurationError
from auditor.facts.schema import HOST_TOPICS
from auditor.facts.snapshots.parts import Part
from auditor.text.counts import Counted, Counts
from auditor.workers.on_worker import Order, UnreadHereError, answer_on_worker
from auditor.workers.part_form import UnusablePartError, part_in
from auditor.workers.plain import RemoteError
from auditor.workers.sites import resource_of
from auditor.workers.versions import versions

if TYPE_CHECKING:
    from distributed import Client

    from auditor.endpoints.collect import Progress
    from auditor.facts.needs import Needs
    from auditor.facts.snapshots.earlier import Earlier
    from auditor.model import Endpoint

RETRIES = 2
"""How often a task is tried again that a worker could not do. A scheduler that `auditor workers scheduler` started tries one as often that
its worker died with."""

NO_WORKER_SECONDS = 60.0
"""How long endpoints wait for a worker of their site; a container takes some seconds to start again."""

SCHEDULER_SECONDS = 30.0
"""How long the scheduler may take to answer a question about its workers, before it counts as lost."""

_LOOK_SECONDS = 1.0
_LONGEST_PROGRESS = 200  # characters
_MOST_FAILURES = 1000  # more is no number of workers that died with one task

Site = str | None


class _SchedulerLostError(Exception):
    """Nothing that was not read yet will be."""


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """An `RemoteReader`: has endpoints read by the workers of `client`, each by one of its site."""

    client: Client
    site_of: Callable[[str], Site]

    def __call__(
        self, endpoints: Sequence[Endpoint], needs: Needs, progress: Progress, earlier: Earlier | None = None
    ) -> Generator[Part, None, None]:
        """Give the part of each endpoint as soon as it is there; of a vCenter with several readers the part of each.

        Hosts that an `earlier` run knows are compared all together, so there one reader reads the whole vCenter. The other readers of a
        vCenter wait until the first one was let in: several wrong passwords at once may lock the account.
        Where the scheduler is lost, all that has not arrived is a gap each; the endpoints of a site without a worker likewise.
        """
        topic = f"auditor-{secrets.token_hex(8)}"
        has_hosts = not needs.topics.isdisjoint(HOST_TOPICS)
        shares = {one.name: shares_of(one) if has_hosts and earlier is None else (one,) for one in endpoints}

        def show(name: str, text: str) -> None:
            if text.startswith(READING):
                run.opened.add(name)
            if text not in ENDS or len(shares[name]) == 1:  # the taker of the parts knows when the last one is there
                progress(name, text)

        run = _Run(self.client, Order(topic, versions()), show, partial(task_of, needs=needs, earlier=earlier))
        self.client.subscribe_topic(topic, lambda event: _show_event(event, shares, show))
        for name, (first, *others) in shares.items():
            run.waiting.setdefault(self.site_of(name), deque()).append(first)
            if others:
                run.held[name] = (self.site_of(name), others)
        try:
            yield from run.parts()
        finally:
            run.cancel()


@dataclass(slots=True)
class _Run:
    """The endpoints of one audit: those that wait for a worker, and those that one reads.

    Attributes:
        held: by name, the other readers of a vCenter whose first one has not been let in yet.
        opened: names of endpoints that let auditor in.
    """

    client: Client
    order: Order
    progress: Progress
    task_of: Callable[[Endpoint], ReadTask]
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    waiting: dict[Site, deque[Endpoint]] = field(default_factory=dict)
    held: dict[str, tuple[Site, list[Endpoint]]] = field(default_factory=dict)
    opened: set[str] = field(default_factory=set)
    open: dict[Future[Part | None], tuple[Site, Endpoint]] = field(default_factory=dict)
    _executors: dict[Site, Any] = field(default_factory=dict)
    _threads: Mapping[Site, int] = field(default_factory=dict)
    _looked: float | None = None
    _lacking: dict[Site, float] = field(default_factory=dict)  # since when a site has had no worker, time.monotonic

    def parts(self) -> Iterator[Part]:
        """The parts of all endpoints, as they come."""
        try:
            while self.open or any(self.waiting.values()):
                self._look()
                yield from self._without_worker()
                self._let_others_in()
                yield from self._submit()
                if self.open:
                    done, _ = wait(self.open, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
                    for future in done:
                        endpoint = self.open[future][1]
                        part = self._part(future)
                        yield part
                        if part.reading.version is not None:
                            self.opened.add(endpoint.name)
                            self._let_others_in()
                        elif endpoint.share.is_first:
                            yield from self._others_unread(endpoint.name, "its first reader opened no session, so the others did not try")
                else:
                    time.sleep(_LOOK_SECONDS)
        except _SchedulerLostError as error:
            yield from self._lost(str(error))

    def unread(self, endpoint: Endpoint, why: str) -> Part:
        """The part of an endpoint that nobody read, shown as such."""
        self.progress(endpoint.name, NOT_READ)
        return unread_part(endpoint, why, self.started)

    def _all_unread(self, endpoint: Endpoint, why: str) -> Iterator[Part]:
        """The part of an endpoint that nobody read; and of those of its readers that waited for it."""
        yield self.unread(endpoint, why)
        if endpoint.share.is_first:
            yield from self._others_unread(endpoint.name, why)

    def _others_unread(self, name: str, why: str) -> Iterator[Part]:
        """One part for all readers of a vCenter that still wait for the first one."""
        if name not in self.held:
            return
        _, others = self.held.pop(name)
        part = self.unread(others[0], why)
        what = f"all of it that its other readers were to read, at {others[0].address}:{others[0].port}"
        yield replace(part, gaps=(replace(part.gaps[0], what=what),))

    def _let_others_in(self) -> None:
        """Have the other readers of a vCenter wait for a worker, now that its first one was let in."""
        for name in [name for name in self.held if name in self.opened]:
            site, others = self.held.pop(name)
            self.waiting[site].extend(others)

    def cancel(self) -> None:
        """Have nobody read on what nobody waits for any more."""
        for future in self.open:
            future.cancel()

    def _look(self) -> None:
        """See which workers there are, unless that was seen a moment ago.

        Raises:
            _SchedulerLostError: the scheduler does not answer.
        """
        now = time.monotonic()
        if self._looked is not None and now - self._looked < _LOOK_SECONDS:
            return
        scheduler: Any = self.client.scheduler
        try:
            known = self.client.sync(scheduler.identity, n_workers=-1, callback_timeout=SCHEDULER_SECONDS)
        except (OSError, TimeoutError, AttributeError, RuntimeError) as error:  # the last two: of a client that has closed itself
            raise _SchedulerLostError(type(error).__name__) from None
        self._looked = time.monotonic()
        workers = [worker for worker in known["workers"].values() if worker["status"] == "running"]
        sites = {*self.waiting, *(site for site, _ in self.open.values())}
        self._threads = {site: sum(worker["nthreads"] for worker in workers if _is_of(worker, site)) for site in sites}
        self._lacking = {site: self._lacking.get(site, now) for site in sites if not self._threads[site]}

    def _without_worker(self) -> Iterator[Part]:
        """Give up the endpoints whose site has had no worker for too long."""
        for site, since in self._lacking.items():
            seconds = time.monotonic() - since
            if seconds < NO_WORKER_SECONDS:
                continue
            why = f"no worker of site {site}" if site is not None else "no worker"
            why = f"{why} for {seconds:.0f} s: start one with `auditor workers start`, and audit again"
            for future in [future for future, (of, _) in self.open.items() if of == site]:
                _, endpoint = self.open.pop(future)
                future.cancel()
                yield from self._all_unread(endpoint, why)
            while self.waiting.get(site):
                yield from self._all_unread(self.waiting[site].popleft(), why)

    def _submit(self) -> Iterator[Part]:
        """Hand out as many endpoints of each site as its workers have threads: what waits here, no dying worker takes with it.

        Gives those that cannot be handed out.
        """
        for site, endpoints in self.waiting.items():
            while endpoints and sum(of == site for of, _ in self.open.values()) < self._threads.get(site, 0):
                endpoint = endpoints.popleft()
                try:
                    task = self.task_of(endpoint)  # made now: with what an earlier run knows of it, it may be large
                except ConfigurationError as error:
                    yield from self._all_unread(endpoint, error.what)
                    continue
                self.open[self._executor(site).submit(answer_on_worker, task, self.order)] = (site, endpoint)

    def _executor(self, site: Site) -> Any:
        if site not in self._executors:
            resources = {} if site is None else {"resources": {resource_of(site): 1}}
            self._executors[site] = self.client.get_executor(retries=RETRIES, pure=False, **resources)
        return self._executors[site]

    def _part(self, future: Future[Part | None]) -> Part:
        """What a task came to.

        Raises:
            _SchedulerLostError: nobody knows, as the connection broke; the task is still open then.
        """
        endpoint = self.open[future][1]
        try:
            part = _taken(future.result(), endpoint)
        except CancelledError:
            raise _SchedulerLostError("the connection broke") from None
        except UnusablePartError as error:
            part = self.unread(endpoint, f"what a worker sent was not taken: {error}; see docs/security.md#workers")
        except RemoteError as error:
            part = self.unread(endpoint, _why_not(error))
        except Exception as error:  # noqa: BLE001  of Dask or of a worker that is set up wrongly: it costs one endpoint, and its text may hold values
            part = self.unread(endpoint, f"a worker could not do the task: {type(error).__name__}; its log says more")
        del self.open[future]
        return part or self.unread(endpoint, "the task was cancelled by somebody else")

    def _lost(self, reason: str) -> Iterator[Part]:
        """Take what has arrived, and give up the rest."""
        why = f"the scheduler was lost before all of it had arrived ({reason}): see that `auditor workers scheduler` runs, and audit again"
        for future, (_, endpoint) in self.open.items():
            part = None
            if future.done() and not future.cancelled() and not future.exception():
                with suppress(UnusablePartError):
                    part = _taken(future.result(), endpoint)
            future.cancel()
            yield part or self.unread(endpoint, why)
        for endpoint in (endpoint for endpoints in self.waiting.values() for endpoint in endpoints):
            yield self.unread(endpoint, why)
        for name in list(self.held):
            yield from self._others_unread(name, why)
        self.open.clear()
        self.waiting.clear()


def _show_event(event: object, known: Container[str], show: Callable[[str, str], None]) -> None:
    """Show how far a worker is; what is not of this form, or of no endpoint that was handed out, is not shown."""
    match event:
        case (_, {"endpoint": str(name), "text": str(text), **others}) if name in known:
            shown = "".join(one if one.isprintable() else " " for one in text[:_LONGEST_PROGRESS])
            given = others.get("counts", ())
            counts = [count for count in given if isinstance(count, int)] if isinstance(given, list | tuple) else []
            show(name, Counted(shown, Counts(*counts)) if len(counts) == len(Counts._fields) else shown)
        case _:
            pass


def _taken(result: object, endpoint: Endpoint) -> Part | None:
    """The part that a task came to; None where somebody cancelled it.

    Raises:
        UnusablePartError: it is none.
    """
    return result if result is None or type(result) is Part else part_in(result, endpoint)


def _why_not(error: RemoteError) -> str:
    """Why nobody could do a task, by what its last worker or the scheduler says of it."""
    words, numbers = error.error.words, error.error.numbers
    sentence = next((word for word in words if " " in word), "")  # the others are names of fields
    if error.name == UnreadHereError.__name__ and sentence:
        return f"no worker could read it, {RETRIES + 1} tries: {sentence}"
    if error.name == "KilledWorker":
        failures = numbers[-1] if numbers and 0 <= numbers[-1] < _MOST_FAILURES else RETRIES
        last = next((word for word in words if re.fullmatch(r"(tls|tcp)://[\w.:\[\]-]{1,200}", word, re.ASCII)), "not named")
        return f"{failures + 1} worker{'s' if failures else ''} died while reading it; the last was {last}"
    return f"a worker could not do the task: {error.name}; its log says more"


def _is_of(worker: Mapping[str, Any], site: Site) -> bool:
    return site is None or worker["resources"].get(resource_of(site), 0) >= 1
