"""Reads every endpoint of a fleet at once into one snapshot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from auditor.endpoint_kinds import endpoint_type
from auditor.endpoints.bugs import bug_gap, bug_report
from auditor.endpoints.common.sessions import open_session
from auditor.errors import AuditorError, ConfigurationError, EndpointError
from auditor.facts.needs import EVERYTHING
from auditor.facts.schema import Batch
from auditor.model import Endpoint, EndpointReading, Gap

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.endpoints.common.sessions import Session
    from auditor.facts.earlier import Earlier
    from auditor.facts.needs import Needs
    from auditor.facts.snapshot import Snapshot, SnapshotBuilder
    from auditor.fleet import Fleet

Progress = Callable[[str, str], None]  # endpoint name, what just happened there
_MOST_ENDPOINTS_AT_ONCE = 32


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
    _declare(fleet, builder)
    return builder.finish(readings, started=started, finished=datetime.now(UTC), asked=needs)


def collect_again(fleet: Fleet, before: Snapshot, endpoints: Sequence[str], progress: Progress) -> Snapshot:
    """Read only `endpoints` again, for what they were asked before; what `before` knows of the others is taken over."""
    from auditor.facts.snapshot import SnapshotBuilder

    started = datetime.now(UTC)
    builder = SnapshotBuilder()
    kept = tuple(reading for reading in before.readings if reading.name not in endpoints)
    builder.take_over(before, [reading.name for reading in kept])
    again = _read(tuple(e for e in fleet.endpoints if e.name in endpoints), builder, progress, before.asked)
    _declare(fleet, builder)
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
    import duckdb

    started = datetime.now(UTC)
    if not needs.topics_of(endpoint.kind):
        return _not_needed(endpoint, started)
    kind = endpoint_type(endpoint.kind)
    release: str | None = None
    session: Session | None = None
    transport: str | None = None
    notes: tuple[str, ...] = ()
    complete = True
    bug: str | None = None
    progress(endpoint.name, "connecting")
    try:
        with open_session(endpoint) as session:
            release = session.release
            progress(endpoint.name, f"reading {release}")
            more = (earlier, builder) if kind.is_incremental else ()
            for item in kind.load(kind.collector)(session, endpoint, needs, *more):
                complete = complete and not isinstance(item, Gap)
                builder.add(item)
            transport, notes = session.transport, session.notes
    except (EndpointError, ConfigurationError) as error:
        complete = False
        builder.add(Gap(endpoint.name, _unread(endpoint, release), error.what))
    except (AuditorError, MemoryError, duckdb.IOException, duckdb.OutOfMemoryException):
        raise  # of this machine, or of what is kept on it: no endpoint could be read
    except Exception as error:  # noqa: BLE001  one endpoint that ours cannot cope with is one gap; the exit code says that it was a bug
        complete, bug = False, bug_report(endpoint, error)
        builder.add(bug_gap(endpoint, _unread(endpoint, release), error))
    progress(endpoint.name, "read" if complete else "read with gaps" if release else "not read")
    return EndpointReading(
        name=endpoint.name,
        kind=endpoint.kind.value,
        address=f"{endpoint.address}:{endpoint.port}",
        version=release,
        tls=endpoint.trust,
        started=started,
        finished=datetime.now(UTC),
        complete=complete,
        lane=transport,
        notes=notes,
        clock=session.clock_at_start if session else None,
        bug=bug,
    )


def _unread(endpoint: Endpoint, release: str | None) -> str:
    """What a gap names where an endpoint could not be read to its end."""
    return f"{'all of it' if release is None else 'the rest of it'}, at {endpoint.address}:{endpoint.port}"


def _not_needed(endpoint: Endpoint, now: datetime) -> EndpointReading:
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


def _declare(fleet: Fleet, builder: SnapshotBuilder) -> None:
    declared, servers = fleet.declared, fleet.nfs_servers
    columns = {name: [getattr(each, name) for each in servers] for name in ("server", "address", "family")}
    builder.add(Batch("declared_nfs_server", columns))
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
