"""Reads of single hosts in threads, while the collector goes on."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from auditor.endpoints.vcenter.collect.rows import Facts

SPARE_TASKS = 4
"""Hosts asked beyond the requests allowed in flight: while some answers are understood, others take their places on the wire."""


class TaskPool:
    """Runs reads in threads and yields their facts.

    More threads than requests are allowed in flight keep all of those in use; the client's pace bounds the requests.

    Leaving it early drops what has not begun and waits for what has; each request has its own timeout.
    """

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="collect")
        self._under_way = 0
        self._ended: SimpleQueue[Future[list[Facts]]] = (
            SimpleQueue()
        )  # not asked one by one whether it has: of a large fleet thousands are open

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def send(self, task: Callable[[], list[Facts]]) -> None:
        """Begin `task` as soon as a thread is free."""
        self._under_way += 1
        self._pool.submit(task).add_done_callback(self._ended.put)

    def finished(self) -> Iterator[Facts]:
        """Yield what was read since the last call, without waiting."""
        while not self._ended.empty():
            yield from self._next()

    def fewer_than(self, most: int) -> Iterator[Facts]:
        """Yield the facts of tasks, as they end, until fewer than `most` are under way: what tasks bring is not held for longer."""
        while self._under_way >= max(1, most):
            yield from self._next()

    def rest(self) -> Iterator[Facts]:
        """Yield the facts of every task still under way, as it ends."""
        while self._under_way:
            yield from self._next()

    def _next(self) -> Iterator[Facts]:
        future = self._ended.get()
        self._under_way -= 1
        yield from future.result()
