"""Reads every endpoint of a fleet at once into one snapshot."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from auditor.endpoints.bugs import bug_gap, bug_report
from auditor.endpoints.common.secrets import ask_first
from auditor.endpoints.common.sessions import open_session
from auditor.endpoints.counting import Counting
from auditor.endpoints.plugin_rows import own_items
from auditor.endpoints.shares import known_apart, whole_reading
from auditor.errors import AuditorError, ConfigurationError, EndpointError, no_room
from auditor.facts.needs import EVERYTHING
from auditor.facts.schema import Batch
from auditor.model import Endpoint, EndpointReading, Gap
from auditor.model.endpoint_kinds import endpoint_type
from auditor.model.identity import is_same
from auditor.model.plugins import ends_the_program
from auditor.stopping import pool

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.endpoints.common.sessions import Session
    from auditor.facts.needs import Needs
    from auditor.facts.snapshots.builder import SnapshotBuilder
    from auditor.facts.snapshots.earlier import Earlier
    from auditor.facts.snapshots.parts import Part
    from auditor.facts.snapshots.snapshot import Snapshot
    from auditor.fleet.loading import Fleet

Progress = Callable[[str, str], None]  # endpoint name, what just happened there
RemoteReader = Callable[[Sequence[Endpoint], "Needs", Progress, "Earlier | None"], Iterator["Part"]]
"""Has endpoints read by other processes: gives the part of each as soon as it is there, also of one that could not be read."""

_MOST_ENDPOINTS_AT_ONCE = 32
READING = "reading "
"""How the text of an endpoint's progress begins that answered and let auditor in."""
READ, READ_WITH_GAPS, NOT_READ = ENDS = ("read", "read with gaps", "not read")
"""The last text of an endpoint's progress."""
LEFT_OUT = "all of it"
"""What the gap of an endpoint names that was left out by choice."""


def collect_fleet(
    fleet: Fleet,
    progress: Progress,
    needs: Needs = EVERYTHING,
    earlier: Earlier | None = None,
    spill: Path | None = None,
    *,
    chosen: Collection[str] | None = None,
    remote_reader: RemoteReader | None = None,
) -> Snapshot:
    """Read what is needed of all endpoints of `fleet`, each in a thread of its own; or by `remote_reader`, in other processes.

    An endpoint that cannot be read leaves a gap and an incomplete reading; the others are read all the same. An endpoint without anything
    that is needed is not even connected to. Hosts that show no sign of a change since the `earlier` run are not asked again what they said
    then. What does not fit into memory goes to the folder `spill`, for as long as the snapshot is in use. Endpoints that are not among
    `chosen` are left out: what is on them is as unknown as if they had not answered, and a gap says why; None: all are read.

    Raises:
        ConfigurationError: two entries of fleet.yaml turned out to be one endpoint.
    """
    from auditor.facts.snapshots.builder import SnapshotBuilder
    from auditor.facts.snapshots.merging import check_distinct

    started = datetime.now(UTC)
    builder = SnapshotBuilder(spill)
    to_read = [one for one in fleet.endpoints if chosen is None or one.name in chosen]
    read = {reading.name: reading for reading in _read(to_read, builder, progress, needs, earlier, remote_reader)}
    readings = tuple(read[one.name] if one.name in read else _left_out(one, builder, needs, started) for one in fleet.endpoints)
    check_distinct(readings)
    _declare(fleet, builder)
    snapshot = builder.finish(readings, started=started, finished=datetime.now(UTC), asked=needs)
    _show_final_ends(readings, snapshot, progress)
    return snapshot


def collect_again(fleet: Fleet, before: Snapshot, endpoints: Sequence[str], progress: Progress) -> Snapshot:
    """Read only `endpoints` again, for what they were asked before; what `before` knows of the others is copied."""
    from auditor.facts.snapshots.builder import SnapshotBuilder

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
    snapshot = builder.finish(tuple(readings), started=started, finished=datetime.now(UTC), asked=before.asked)
    _show_final_ends(again, snapshot, progress)
    return snapshot


def _read(
    endpoints: Sequence[Endpoint],
    builder: SnapshotBuilder,
    progress: Progress,
    needs: Needs,
    earlier: Earlier | None = None,
    remote_reader: RemoteReader | None = None,
) -> tuple[EndpointReading, ...]:
    if not endpoints:
        return ()
    if remote_reader is not None:
        return tuple(_read_remotely(remote_reader, endpoints, builder, progress, needs, earlier))
    ask_first(one for one in endpoints if needs.topics_of(one.kind))
    with pool(min(len(endpoints), _MOST_ENDPOINTS_AT_ONCE), "endpoint") as threads:
        return tuple(threads.map(lambda endpoint: read_endpoint(endpoint, builder, progress, needs, earlier), endpoints))


def _read_remotely(
    remote_reader: RemoteReader,
    endpoints: Sequence[Endpoint],
    builder: SnapshotBuilder,
    progress: Progress,
    needs: Needs,
    earlier: Earlier | None,
) -> Iterator[EndpointReading]:
    """Keep the parts in the order in which they arrive: what has arrived is kept, whatever becomes of the others."""
    needed = [one for one in endpoints if needs.topics_of(one.kind)]
    for one in endpoints:
        if one not in needed:
            yield _not_needed(one, datetime.now(UTC))
    readings: dict[str, list[EndpointReading]] = {}
    shown: dict[str, set[Gap]] = {}
    for part in remote_reader(needed, needs, progress, earlier):
        name = part.reading.name
        apart = known_apart(part.reading, readings.get(name, ()))
        if apart is not None:
            unread = replace(part.reading, complete=False, version=None, identity=None)
            part = replace(part, reading=unread, gaps=(apart,), tables={}, huge=frozenset())
        known = shown.setdefault(name, set())  # what several readers of one vCenter could not read is one gap
        builder.add_part(replace(part, gaps=tuple(gap for gap in part.gaps if gap not in known)))
        known.update(part.gaps)
        readings.setdefault(name, []).append(part.reading)
    for name, of_readers in readings.items():
        reading = whole_reading(of_readers)
        if len(of_readers) > 1:
            progress(name, _end(reading.version, is_complete=reading.complete))
        yield reading


def read_endpoint(
    endpoint: Endpoint, builder: SnapshotBuilder, progress: Progress, needs: Needs, earlier: Earlier | None
) -> EndpointReading:
    """Read what is needed of one endpoint into `builder`. What it does not answer is a gap, and so is a bug of ours.

    Raises:
        AuditorError, MemoryError, duckdb.IOException, duckdb.OutOfMemoryException: of this machine, or of what is kept on it.
    """
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
            progress(endpoint.name, f"{READING}{release}")
            more = (_usable(earlier, session), builder) if kind.is_incremental else ()
            items = kind.load(kind.collector)(session, endpoint, needs, *more)
            count = Counting(endpoint, needs, f"{READING}{release}", partial(progress, endpoint.name))
            for item in own_items(items, endpoint, kind) if kind.plugin else items:
                complete = complete and not isinstance(item, Gap)
                builder.add(item)
                count(item)
            _identify(session)
            transport, notes = session.transport, session.notes
    except (EndpointError, ConfigurationError) as error:
        complete = False
        builder.add(Gap(endpoint.name, _unread(endpoint, release), error.what))
    except (AuditorError, MemoryError, duckdb.IOException, duckdb.OutOfMemoryException):
        raise  # no endpoint could be read here
    except BaseException as error:
        if no_room(error) is not None:  # nor is that one of this endpoint's
            raise
        if not isinstance(error, Exception) and (not kind.plugin or ends_the_program(error)):
            raise
        complete, bug = False, None if kind.plugin else bug_report(endpoint, error)
        builder.add(bug_gap(endpoint, _unread(endpoint, release), error, kind.plugin))
    progress(endpoint.name, _end(release, is_complete=complete))
    return EndpointReading(
        name=endpoint.name,
        kind=endpoint.kind.value,
        address=endpoint.place,
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
        plugin=kind.plugin or None,
    )


def unread_part(endpoint: Endpoint, why: str, started: datetime) -> Part:
    """The part of an endpoint that nobody could read, and a gap that says why."""
    from auditor.facts.snapshots.parts import Part

    reading = replace(_not_needed(endpoint, started), finished=datetime.now(UTC), complete=False, notes=())
    return Part(reading, (Gap(endpoint.name, _unread(endpoint, None), why),))


def _unread(endpoint: Endpoint, release: str | None) -> str:
    """What a gap names where an endpoint could not be read to its end."""
    what = "all of it" if release is None else "the rest of it"
    share = endpoint.share
    whose = f" that reader {share.number + 1} of {share.of} was to read" if share.of > 1 else ""
    return f"{what}{whose}, at {endpoint.place}"


def _end(release: str | None, *, is_complete: bool) -> str:
    """How the reading of an endpoint ended, as progress shows it."""
    return READ if is_complete else READ_WITH_GAPS if release else NOT_READ


def _show_final_ends(read: Sequence[EndpointReading], snapshot: Snapshot, progress: Progress) -> None:
    """Show the ends of those readings that look different once all endpoints are read.

    The gap of an old entry of a host that answers under another one is none, and a number that no column holds is one.
    """
    final = {reading.name: reading for reading in snapshot.readings}
    for reading in read:
        if final[reading.name].complete != reading.complete:
            progress(reading.name, _end(reading.version, is_complete=final[reading.name].complete))


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


def _left_out(endpoint: Endpoint, builder: SnapshotBuilder, needs: Needs, now: datetime) -> EndpointReading:
    """The reading of an endpoint that was not to be read, and its gap where anything of it is needed."""
    is_needed = bool(needs.topics_of(endpoint.kind))
    if is_needed:
        builder.add(Gap(endpoint.name, LEFT_OUT, "--endpoint does not name it, so it was not read: what needs its facts is unknown"))
    return replace(_not_needed(endpoint, now), complete=not is_needed, notes=(), left_out=True)


def _not_needed(endpoint: Endpoint, now: datetime) -> EndpointReading:
    return EndpointReading(
        name=endpoint.name,
        kind=endpoint.kind.value,
        address=endpoint.place,
        version=None,
        tls=endpoint.trust,
        started=now,
        finished=now,
        complete=True,
        notes=(f"{endpoint.name}: not asked, as no rule of this audit needs anything from there.",),
        plugin=endpoint_type(endpoint.kind).plugin or None,
    )


_SETTING_COLUMNS = {
    "kind": "kind",
    "thing": "thing",
    "setting": "setting",
    "value": "value",
    "of_endpoint": "endpoint",
    "of_cluster": "cluster",
    "of_host": "host",
    "rank": "rank",
    "place": "place",
}
"""Column -> field of a `DeclaredSetting`."""


def _declare(fleet: Fleet, builder: SnapshotBuilder) -> None:
    declared, servers = fleet.declared, fleet.nfs_servers
    columns = {name: [getattr(each, name) for each in servers] for name in ("server", "address", "family")}
    builder.add(Batch("declared_nfs_server", columns))
    builder.add(Batch("declared_setting", {to: [getattr(each, of) for each in fleet.settings] for to, of in _SETTING_COLUMNS.items()}))
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
