"""Small shapes that the vCenter collectors share: rows into batches, failures into gaps, work into threads."""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError
from auditor.facts.schema import TABLES, Batch
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType

    from auditor.endpoints.vcenter.bulk.shapes import Ref
    from auditor.model import Endpoint

Facts = Batch | Gap

OPTION_MANAGER, MODULE_SYSTEM = "configManager.advancedOption", "configManager.kernelModuleSystem"
MANAGER_PATHS = (OPTION_MANAGER, MODULE_SYSTEM)
"""Objects of a host that are asked themselves. Their ids come with the list of hosts: one call a page, not one a host."""

SPARE_ERRANDS = 4
"""Hosts asked beyond the requests allowed in flight: while some answers are understood, others take their places on the wire."""


@dataclass(frozen=True, slots=True)
class HostSeen:
    """A host on the list of a vCenter, and whether what it says can be believed to be of now."""

    ref: Ref
    name: str
    connected: bool
    software_iscsi: bool | None
    managers: Mapping[str, Ref | str] = field(default_factory=dict)  # by path: objects of its configManager, or why one is not known

    @property
    def id(self) -> str:
        """Managed object id."""
        return self.ref.value


class Rows:
    """Rows of one table, filled column by column; `fixed` values repeat in every row."""

    def __init__(self, table: str, **fixed: Any) -> None:
        self._table = table
        self._fixed = fixed
        self._columns: dict[str, list[Any]] = {name: [] for name in TABLES[table].names}

    def add(self, **values: Any) -> None:
        """One row; a column not named is NULL."""
        row = {**self._fixed, **values}
        unknown = row.keys() - self._columns.keys()
        if unknown:
            raise ValueError(f"table {self._table} has no columns {sorted(unknown)}")
        for name, column in self._columns.items():
            column.append(row.get(name))

    def batch(self) -> Iterator[Batch]:
        """The rows, or nothing when there are none."""
        if any(self._columns.values()):
            yield Batch(self._table, self._columns)


def columns(table: str, fixed: Mapping[str, Any], **told: list[Any]) -> Iterator[Batch]:
    """The rows whose columns are `told`, all of one length; `fixed` values repeat in every row. Nothing when there are none."""
    count = len(next(iter(told.values())))
    if count:
        yield Batch(table, {**{name: [value] * count for name, value in fixed.items()}, **told})


def readings(endpoint: Endpoint, scope: str, topics: Mapping[str, bool]) -> Batch:
    """One row of `reading` a topic: whether the whole of it arrived, as of now."""
    now = datetime.now(UTC)
    count = len(topics)
    return Batch(
        "reading",
        {
            "endpoint": [endpoint.name] * count,
            "scope": [scope] * count,
            "topic": list(topics),
            "complete": list(topics.values()),
            "read_at": [now] * count,
        },
    )


def gap(endpoint: Endpoint, what: str, why: EndpointError | str) -> Gap:
    """What could not be read, and why, without naming the endpoint twice."""
    text = why if isinstance(why, str) else why.what
    return Gap(endpoint.name, what, text.removeprefix(f"endpoint {endpoint.name}: "))


def holes(endpoint: Endpoint, missing: Mapping[str, str], of: str) -> Iterator[Gap]:
    """One gap for each reason that properties could not be read for; `of` names the object."""
    by_reason: dict[str, list[str]] = {}
    for path, why in missing.items():
        by_reason.setdefault(why, []).append(path)
    for why, paths in by_reason.items():
        yield gap(endpoint, f"{', '.join(paths)} of {of}", why)


class Circuit:
    """Opens when an endpoint has plainly stopped answering, so that the rest is not asked for one timeout after the other.

    Args:
        patience: how many requests in a row may fail to reach anything.
    """

    def __init__(self, patience: int) -> None:
        self._patience = patience
        self._failures = 0
        self._lock = threading.Lock()
        self.opened_by: EndpointError | None = None

    def answered(self) -> None:
        """Something was reached."""
        with self._lock:
            self._failures = 0

    def failed(self, error: EndpointError) -> None:
        """A request failed; only those that reached nobody count, and a refused login counts at once."""
        with self._lock:
            if isinstance(error, CredentialsError):
                self.opened_by = error
            elif isinstance(error, EndpointUnreachableError):
                self._failures += 1
                if self._failures >= self._patience:
                    self.opened_by = error
            else:
                self._failures = 0


class Errands:
    """Runs reads in threads while the collector goes on, and hands over what they found.

    More threads than requests are allowed in flight keep all of those in use; the client's pace bounds the requests.

    Leaving it early drops what has not begun and waits for what has; each request has its own timeout.
    """

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="collect")
        self._open: set[Future[list[Facts]]] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def send(self, errand: Callable[[], list[Facts]]) -> None:
        """Begin `errand` as soon as a thread is free."""
        self._open.add(self._pool.submit(errand))

    def finished(self) -> Iterator[Facts]:
        """What came back since the last call, without waiting."""
        yield from self._taken({future for future in self._open if future.done()})

    def rest(self) -> Iterator[Facts]:
        """Everything still under way, as it comes back."""
        while self._open:
            done, _ = wait(self._open, return_when=FIRST_COMPLETED)
            yield from self._taken(done)

    def _taken(self, done: set[Future[list[Facts]]]) -> Iterator[Facts]:
        self._open -= done
        for future in done:
            yield from future.result()


def pages(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    """`items` in slices of `size`."""
    return (items[start : start + size] for start in range(0, len(items), size))
