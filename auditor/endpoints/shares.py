"""A vCenter that several workers read side by side: each gets a share of the hosts, and one reading is made of theirs."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from auditor.model import Endpoint, EndpointReading, Gap, Share
from auditor.model.identity import is_same

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def shares_of(endpoint: Endpoint) -> tuple[Endpoint, ...]:
    """The endpoint once for each of its readers, each with its share of the hosts and of the requests that may be in flight."""
    readers = endpoint.limits.readers
    if readers == 1:
        return (endpoint,)
    each, left = divmod(endpoint.limits.concurrency, readers)
    return tuple(
        replace(endpoint, share=Share(number, readers), limits=replace(endpoint.limits, concurrency=each + (number < left)))
        for number in range(readers)
    )


def known_apart(reading: EndpointReading, others: Sequence[EndpointReading]) -> Gap | None:
    """A gap where a reader reached another vCenter than the `others`: its facts are of other hosts, which may have the same ids."""
    known = next((one.identity for one in others if one.identity is not None), None)
    if known is None or reading.identity is None or is_same(known, reading.identity):
        return None
    what = f"all of it that one of its readers read, at {reading.address}"
    why = f"that reader reached {reading.identity}, another one {known}: one address leads to several vCenters; list each by its own"
    return Gap(reading.name, what, why)


def whole_reading(readings: Sequence[EndpointReading]) -> EndpointReading:
    """One reading of an endpoint, made of those of its readers.

    Its clock is the earliest of theirs, as what happened since may be missing in one of the shares; None where one of them has none.
    """
    first = next((one for one in readings if one.version is not None), readings[0])
    return replace(
        first,
        started=min(one.started for one in readings),
        finished=max(one.finished for one in readings),
        complete=all(one.complete for one in readings),
        notes=tuple(dict.fromkeys(note for one in readings for note in one.notes)),
        clock=_earliest(one.clock for one in readings),
        identity=next((one.identity for one in readings if one.identity is not None), None),
        bug=next((one.bug for one in readings if one.bug is not None), None),
    )


def _earliest(clocks: Iterable[str | None]) -> str | None:
    known = list(clocks)
    return min((one for one in known if one is not None), key=datetime.fromisoformat) if None not in known else None
