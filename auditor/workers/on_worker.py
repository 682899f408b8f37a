"""Runs a task on a worker: reads one endpoint, which no other worker reads then, and sends back its rows. Runs in processes of Dask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from auditor.endpoints.bugs import bug_gap, bug_report
from auditor.endpoints.collect import unread_part
from auditor.endpoints.read_task import ReadTask, UnwantedError, read_part
from auditor.text.counts import Counted
from auditor.workers.part_form import part_bytes
from auditor.workers.versions import Versions, versions

if TYPE_CHECKING:
    from distributed import Worker

    from auditor.facts.snapshots.parts import Part
    from auditor.model import Endpoint

LEASE_SECONDS = 1800.0
"""How long a task waits for another one that reads the same endpoint."""
_SOON_SECONDS = 1.0  # before it is shown that a task waits

WANTED = frozenset({"executing", "long-running"})
"""States in which a worker has a task that somebody waits for. Source: distributed 2026.8, worker_state_machine.TaskStateState"""


@dataclass(frozen=True, slots=True)
class Order:
    """What all tasks of one audit have in common.

    Attributes:
        topic: of Dask's events, where the progress of this audit is shown.
        versions: of the client.
    """

    topic: str
    versions: Versions


class UnreadHereError(Exception):
    """This worker could not do a task, and another one may. Its text holds no value of the endpoint or of the task."""


def read_on_worker(task: ReadTask, order: Order) -> Part | None:
    """Read the endpoint of `task`; None where nobody wants it any more. A bug is a gap of this endpoint.

    Raises:
        UnreadHereError: another worker may be able to.
    """
    from distributed import get_worker

    if versions() != order.versions:
        raise UnreadHereError(f"the worker has {versions()}, and the audit was begun by {order.versions}")
    worker = get_worker()
    started = datetime.now(UTC)

    def progress(name: str, text: str) -> None:
        counts = {"counts": list(text.counts)} if isinstance(text, Counted) else {}
        worker.log_event(order.topic, {"endpoint": name, "text": str(text), **counts})

    with _alone(task.endpoint, worker, progress) as is_alone:
        if not is_alone:
            why = f"another audit has been reading it by these workers for {LEASE_SECONDS / 60:g} minutes; audit again when it has ended"
            return unread_part(task.endpoint, why, started)
        return read_part_here(task, progress, _is_wanted(worker), started)


def answer_on_worker(task: ReadTask, order: Order) -> bytes | None:
    """What `read_on_worker` gives, as bytes: a client takes no objects.

    Raises:
        UnreadHereError: another worker may be able to.
    """
    part = read_on_worker(task, order)
    return None if part is None else part_bytes(part)


def read_part_here(task: ReadTask, progress: Callable[[str, str], None], is_wanted: Callable[[], bool], started: datetime) -> Part | None:
    """What this machine reads; None where nobody wants it any more, a bug as a gap.

    Raises:
        UnreadHereError: it has no room for what it read.
    """
    import duckdb

    try:
        return read_part(task, progress, is_wanted)
    except UnwantedError:
        return None
    except (MemoryError, OSError, duckdb.IOException, duckdb.OutOfMemoryException) as error:
        reason = type(error).__name__
    except Exception as error:  # noqa: BLE001  a bug of ours costs one endpoint, as with threads; Dask would log its message, with values
        part = unread_part(task.endpoint, "", started)
        return part.with_bug(bug_gap(task.endpoint, part.gaps[0].what, error), bug_report(task.endpoint, error))
    # Outside the handler: the text of that error may hold what the endpoint answered.
    raise UnreadHereError(f"the worker has no room for what it read ({reason})")


@contextmanager
def _alone(endpoint: Endpoint, worker: Worker, progress: Callable[[str, str], None]) -> Iterator[bool]:
    """Whether the block is the only one that reads `endpoint`, or this share of it, on this scheduler, for as long as it lasts.

    The lease of a worker that died ends by itself: Dask takes it back where it is not renewed.

    Source: https://distributed.dask.org/en/stable/api.html#distributed.Semaphore
    """
    from distributed import Semaphore

    share = endpoint.share
    which = f"-{share.number + 1}-of-{share.of}" if share.of > 1 else ""
    lease = Semaphore(max_leases=1, name=f"auditor-reads-{endpoint.address}:{endpoint.port}{which}")
    try:
        is_alone = lease.acquire(timeout=_SOON_SECONDS)
        if not is_alone:
            progress(endpoint.name, "waiting: another audit reads it, or a worker did that is lost")
            is_alone = lease.acquire(timeout=LEASE_SECONDS)
        try:
            yield bool(is_alone)
        finally:
            if is_alone:
                lease.release()
    finally:
        worker.loop.add_callback(lease.refresh_callback.stop)  # nothing else ends it: each task would leave one behind


def _is_wanted(worker: Worker) -> Callable[[], bool]:
    """Says whether somebody still waits for the task that runs in this thread: its client may be gone, or have cancelled it."""
    key = worker.get_current_task()

    def is_wanted() -> bool:
        state = worker.state.tasks.get(key)
        return state is not None and state.state in WANTED

    return is_wanted
