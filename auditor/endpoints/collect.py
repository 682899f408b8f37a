"""Reads every endpoint of a fleet at once into one snapshot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from auditor.errors import ConfigurationError, EndpointError
from auditor.facts.needs import EVERYTHING
from auditor.facts.schema import Batch
from auditor.model import Endpoint, EndpointKind, EndpointReading, Gap

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.endpoints.vcenter.collect.incremental import Since
    from auditor.facts.earlier import Earlier
    from auditor.facts.needs import Needs
    from auditor.facts.snapshot import Snapshot, SnapshotBuilder
    from auditor.fleet import Declared, Fleet

Progress = Callable[[str, str], None]  # endpoint name, what just happened there
_MOST_ENDPOINTS_AT_ONCE = 32

_WAYS: Mapping[EndpointKind, tuple[str, str]] = MappingProxyType(
    {
        EndpointKind.VCENTER: (
            "auditor.endpoints.vcenter.session:open_vcenter",
            "auditor.endpoints.vcenter.collect.topics:collect_vcenter",
        ),
        EndpointKind.ELEMENT: ("auditor.endpoints.element.client:open_element", "auditor.endpoints.element.collect:collect_element"),
        EndpointKind.DELL_SC: ("auditor.endpoints.dell_sc.client:open_dell_sc", "auditor.endpoints.dell_sc.collect:collect_dell_sc"),
        EndpointKind.FLASHARRAY: (
            "auditor.endpoints.flasharray.client:open_flasharray",
            "auditor.endpoints.flasharray.collect:collect_flasharray",
        ),
        EndpointKind.ONTAP: ("auditor.endpoints.ontap.client:open_ontap", "auditor.endpoints.ontap.collect:collect_ontap"),
        EndpointKind.ETERNUS: ("auditor.endpoints.eternus.client:open_eternus", "auditor.endpoints.eternus.collect:collect_eternus"),
    }
)
"""How an endpoint of each kind is opened, and how it is read."""


def ways_of(kind: EndpointKind) -> tuple[str, str]:
    """Who opens an endpoint of this kind, and who reads it, each as "module:function"; nothing is imported."""
    return _WAYS[kind]


def collect_fleet(
    fleet: Fleet, progress: Progress, needs: Needs = EVERYTHING, earlier: Earlier | None = None, spill: Path | None = None
) -> Snapshot:
    """Read what is needed of all endpoints of `fleet`, each in a thread of its own.

    An endpoint that cannot be read leaves a gap and an incomplete reading; the others are read all the same. One of which nothing is
    needed is not even connected to. Hosts that show no sign of a change since the `earlier` run are not asked again what they said then.
    What does not fit into memory goes to the folder `spill`, for as long as the snapshot is in use.
    """
    from auditor.facts.snapshot import SnapshotBuilder

    started = datetime.now(UTC)
    builder = SnapshotBuilder(spill)
    readings = _read(fleet.endpoints, builder, progress, needs, earlier)
    _declare(fleet.declared, builder)
    return builder.finish(readings, started=started, finished=datetime.now(UTC), asked=needs)


def collect_again(fleet: Fleet, before: Snapshot, endpoints: Sequence[str], progress: Progress) -> Snapshot:
    """Read only `endpoints` again, for what they were asked before; what `before` knows of the others is taken over."""
    from auditor.facts.snapshot import SnapshotBuilder

    started = datetime.now(UTC)
    builder = SnapshotBuilder()
    kept = tuple(reading for reading in before.readings if reading.name not in endpoints)
    builder.take_over(before, [reading.name for reading in kept])
    again = _read(tuple(e for e in fleet.endpoints if e.name in endpoints), builder, progress, before.asked)
    _declare(fleet.declared, builder)
    order = [endpoint.name for endpoint in fleet.endpoints]
    readings = sorted((*kept, *again), key=lambda reading: order.index(reading.name))
    return builder.finish(tuple(readings), started=started, finished=datetime.now(UTC), asked=before.asked)


def _read(
    endpoints: Sequence[Endpoint], builder: SnapshotBuilder, progress: Progress, needs: Needs, earlier: Earlier | None = None
) -> tuple[EndpointReading, ...]:
    if not endpoints:
        return ()
    with ThreadPoolExecutor(min(len(endpoints), _MOST_ENDPOINTS_AT_ONCE), thread_name_prefix="endpoint") as pool:
        return tuple(pool.map(lambda endpoint: _read_endpoint(endpoint, builder, progress, needs, earlier), endpoints))


def _read_endpoint(
    endpoint: Endpoint, builder: SnapshotBuilder, progress: Progress, needs: Needs, earlier: Earlier | None
) -> EndpointReading:
    started = datetime.now(UTC)
    if not needs.topics_of(endpoint.kind):
        return _not_asked(endpoint, started)
    version: str | None = None
    lane: str | None = None
    clock: str | None = None
    notes: tuple[str, ...] = ()
    complete = True
    progress(endpoint.name, "connecting")
    try:
        opener, collector = _ways(endpoint.kind)
        with opener(endpoint) as session:
            version = session.release
            progress(endpoint.name, f"reading {version}")
            more: tuple[Any, ...] = ()
            since: Since | str | None = None
            if endpoint.kind is EndpointKind.VCENTER:
                clock, since = _marks(session, endpoint, earlier, needs, builder)
                more = () if since is None or isinstance(since, str) else (since,)
            for item in collector(session, endpoint, needs, *more):
                complete = complete and not isinstance(item, Gap)
                builder.add(item)
            if endpoint.kind is EndpointKind.VCENTER:
                lane, notes = session.bulk.lane, (*session.bulk.notes, *session.notes, *_told(endpoint, earlier, since, builder))
            else:
                notes = session.notes
    except (EndpointError, ConfigurationError) as error:
        complete = False
        what = "all of it" if version is None else "the rest of it"
        builder.add(Gap(endpoint.name, f"{what}, at {endpoint.address}:{endpoint.port}", error.what))
    progress(endpoint.name, "read" if complete else "read with gaps" if version else "not read")
    return EndpointReading(
        name=endpoint.name,
        kind=endpoint.kind.value,
        address=f"{endpoint.address}:{endpoint.port}",
        version=version,
        tls=endpoint.trust,
        started=started,
        finished=datetime.now(UTC),
        complete=complete,
        lane=lane,
        notes=notes,
        clock=clock,
    )


def _marks(
    session: Any, endpoint: Endpoint, earlier: Earlier | None, needs: Needs, builder: SnapshotBuilder
) -> tuple[str | None, Since | str | None]:
    """What vCenter's clock says, for the next run to begin with, and the comparison with the `earlier` one."""
    from auditor.endpoints.vcenter.collect.events import clock_of
    from auditor.endpoints.vcenter.collect.incremental import since
    from auditor.facts.earlier import live_topics

    if not live_topics(needs):
        return None, None
    now = clock_of(session)  # before anything is read: what happens from here on may not be in this run
    compared = since(session, endpoint, earlier, needs, now, builder.so_far) if earlier else None
    return now.isoformat() if now else None, compared


def _told(endpoint: Endpoint, earlier: Earlier | None, since: Since | str | None, builder: SnapshotBuilder) -> tuple[str, ...]:
    """Fill in what was not asked again, and say so."""
    if earlier is None or since is None:
        return ()
    if isinstance(since, str):
        return (f"{endpoint.name}: {since}",)
    builder.take_over_hosts(earlier.directory, endpoint.name, since.taken, since.topics)
    return (f"{endpoint.name}: {since.note()}",)


def _not_asked(endpoint: Endpoint, now: datetime) -> EndpointReading:
    return EndpointReading(
        name=endpoint.name,
        kind=endpoint.kind.value,
        address=f"{endpoint.address}:{endpoint.port}",
        version=None,
        tls=endpoint.trust,
        started=now,
        finished=now,
        complete=True,
        notes=(f"{endpoint.name}: not asked, as no rule of this audit needs anything from there.",),
    )


def _ways(
    kind: EndpointKind,
) -> tuple[Callable[[Endpoint], AbstractContextManager[Any]], Callable[..., Iterator[Batch | Gap]]]:
    """How to open and to read an endpoint of this kind; imported on first use, because these pull in pyVmomi, httpx or asyncssh."""
    from importlib import import_module

    opener, collector = (getattr(import_module(module), name) for module, name in (way.split(":") for way in _WAYS[kind]))
    return opener, collector


def _declare(declared: Sequence[Declared], builder: SnapshotBuilder) -> None:
    builder.add(
        Batch(
            "declared",
            {
                "devices": [entry.devices for entry in declared],
                "model": [entry.model for entry in declared],
                "generation": [entry.generation for entry in declared],
                "firmware": [entry.firmware for entry in declared],
            },
        )
    )
