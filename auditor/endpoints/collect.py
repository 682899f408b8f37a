"""Reads every endpoint of a fleet at once into one snapshot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from itertools import combinations
from typing import TYPE_CHECKING

from auditor.endpoint_kinds import endpoint_type
from auditor.endpoints.bugs import bug_gap, bug_report
from auditor.endpoints.common.sessions import open_session
from auditor.errors import AuditorError, ConfigurationError, EndpointError
from auditor.facts.needs import EVERYTHING
from auditor.facts.schema import Batch
from auditor.identity import is_same
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

    Raises:
        ConfigurationError: two entries of fleet.yaml turned out to be one endpoint.
    """
    from auditor.facts.snapshot import SnapshotBuilder

    started = datetime.now(UTC)
    builder = SnapshotBuilder(spill)
    readings = _read(fleet.endpoints, builder, progress, needs, earlier)
    _check_distinct(readings)
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
    for reading in again:
        then = before.identities.get(reading.name)
        if then and reading.identity and not is_same(then, reading.identity):
            what = f"what became of {then}, which was audited under this name"
            builder.add(Gap(reading.name, what, f"{reading.address} is {reading.identity} now: look at fleet.yaml, and audit again"))
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
            more = (_usable(earlier, session), builder) if kind.is_incremental else ()
            for item in kind.load(kind.collector)(session, endpoint, needs, *more):
                complete = complete and not isinstance(item, Gap)
                builder.add(item)
            _identify(session)
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
        identity=session.known_identity if session else None,
    )


def _unread(endpoint: Endpoint, release: str | None) -> str:
    """What a gap names where an endpoint could not be read to its end."""
    return f"{'all of it' if release is None else 'the rest of it'}, at {endpoint.address}:{endpoint.port}"


def _identify(session: Session) -> None:
    """Ask the endpoint who it is; one that refuses to say stays unknown."""
    with suppress(EndpointError):
        session.identity()


def _usable(earlier: Earlier | None, session: Session) -> Earlier | None:
    """The earlier run; None, and a note, where it read another endpoint under this name, or it is not known which one."""
    if earlier is None:
        return None
    name, now = session.endpoint.name, session.known_identity
    if name not in earlier.snapshot.identities:
        return earlier
    then = earlier.snapshot.identities[name]
    if then is not None and now is not None and is_same(then, now):
        return earlier
    why = f"read {then} under this name, and it is {now} now" if then and now else "cannot be shown to have read the same endpoint"
    session.add_note(f"{name}: every host was asked, as run {earlier.run} {why}.")
    return None


def _check_distinct(readings: Sequence[EndpointReading]) -> None:
    """Refuse a fleet that lists one endpoint twice: what is on it would be judged, counted and fixed twice.

    Raises:
        ConfigurationError: two readings are of one endpoint.
    """
    for one, other in combinations([reading for reading in readings if reading.identity], 2):
        if one.kind == other.kind and is_same(one.identity or "", other.identity or ""):
            raise ConfigurationError(
                f"{one.name} ({one.address}) and {other.name} ({other.address}) are one {one.kind}: {one.identity}",
                why="nothing was judged: whatever is on it would be counted, and fixed, twice.",
                do=f"remove {one.name} or {other.name} from fleet.yaml, or correct its address.",
            )


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
