"""A vCenter that several workers read side by side: each gets a share of the hosts, and one reading is made of theirs."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from auditor.identity import is_same
from auditor.model import Endpoint, EndpointReading, Gap, Share

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


def whole_reading(readings: Sequence[EndpointReading]) -> tuple[EndpointReading, tuple[Gap, ...]]:
    """One reading of an endpoint, made of those of its readers; and a gap where they did not all reach the same vCenter.

    Its clock is the earliest of theirs, as what happened since may be missing in one of the shares; None where one of them has none.
    """
    first = next((one for one in readings if one.version is not None), readings[0])
    strange = sorted({one.identity for one in readings if one.identity and first.identity and not is_same(one.identity, first.identity)})
    why = f"one of its readers reached {first.identity}, another one {' and '.join(strange)}: one address leads to several vCenters"
    gaps = (Gap(first.name, "who it is", why),) if strange else ()
    whole = replace(
        first,
        started=min(one.started for one in readings),
        finished=max(one.finished for one in readings),
        complete=not strange and all(one.complete for one in readings),
        notes=tuple(dict.fromkeys(note for one in readings for note in one.notes)),
        clock=_earliest(one.clock for one in readings),
        bug=next((one.bug for one in readings if one.bug is not None), None),
    )
    return whole, gaps


def _earliest(clocks: Iterable[str | None]) -> str | None:
    known = list(clocks)
    return min((one for one in known if one is not None), key=datetime.fromisoformat) if None not in known else None
