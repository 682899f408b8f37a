"""Bulk reads that one bad object cannot stop; the next pages are requested while the last becomes rows."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from auditor.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future

    from auditor.endpoints.common.circuit import Circuit
    from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
    from auditor.endpoints.vcenter.bulk.shapes import Ref
    from auditor.endpoints.vcenter.session import VCenter

PAGES_AHEAD = 3
"""Pages asked for and not yet used. Source: docs/domain/peers.md#reading: two to four in flight hide the latency of a vCenter."""

PAGE_BYTES = 4 << 20
"""About how much one page may be, unpacked. With the pages ahead it bounds the memory, whatever the size of the fleet."""

FIRST_PAGE, LARGEST_PAGE = 2, 500
"""Objects. How many fit a page is known after the first, so that one goes alone."""


def read_each(
    vcenter: VCenter, kind: str, paths: Sequence[str], refs: Sequence[Ref], circuit: Circuit
) -> Iterator[ObjectProperties | tuple[Ref, EndpointError]]:
    """Every object of `refs` in their order: what was found of it, or the reference and why it could not be read.

    A page that fails is asked for again object by object, so that one answer that cannot be understood costs one object.
    """
    waiting: deque[tuple[Sequence[Ref], Future[tuple[list[ObjectProperties], int]]]] = deque()
    at, page, ahead = 0, FIRST_PAGE, 1
    with ThreadPoolExecutor(PAGES_AHEAD, thread_name_prefix="pages") as pool:
        while at < len(refs) or waiting:
            while at < len(refs) and len(waiting) < ahead and circuit.opened_by is None:
                some = refs[at : at + page]
                waiting.append((some, pool.submit(vcenter.bulk.page, kind, paths, some)))
                at += len(some)
            if not waiting:  # the circuit is open
                yield from ((ref, circuit.opened_by) for ref in refs[at:] if circuit.opened_by is not None)
                return
            some, future = waiting.popleft()
            try:
                objects, size = future.result()
            except EndpointError as error:
                circuit.failed(error)
                yield from _one_by_one(vcenter, kind, paths, some, error, circuit)
            else:
                circuit.answered()
                ahead = PAGES_AHEAD
                if size:
                    page = max(1, min(LARGEST_PAGE, PAGE_BYTES * len(some) // size))
                objects.reverse()
                while objects:
                    yield objects.pop()  # nobody holds what was used while the next page is waited for


def _one_by_one(
    vcenter: VCenter, kind: str, paths: Sequence[str], refs: Sequence[Ref], error: EndpointError, circuit: Circuit
) -> Iterator[ObjectProperties | tuple[Ref, EndpointError]]:
    if len(refs) == 1:
        yield refs[0], circuit.opened_by or error
        return
    for ref in refs:
        if circuit.opened_by is not None:
            yield ref, circuit.opened_by
            continue
        try:
            objects, _ = vcenter.bulk.page(kind, paths, [ref])
        except EndpointError as again:
            circuit.failed(again)
            yield ref, circuit.opened_by or again
        else:
            circuit.answered()
            yield from objects
