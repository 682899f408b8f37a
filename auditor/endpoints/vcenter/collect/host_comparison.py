"""Finds the hosts of one vCenter that need not be asked again: nothing that would show a change shows one.

Every mark must speak for a host. Where one cannot be read, or has no counterpart in the earlier run, the host is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from auditor.errors import EndpointError
from auditor.facts.snapshots.digests import NO_ROWS, digests_by_host, text_hashes, texts_by_host
from auditor.facts.snapshots.earlier import HOST_MARKS, MOUNT_TABLE, STORAGE_TABLES, STORAGE_TOPICS, lacking, live_topics

if TYPE_CHECKING:
    import duckdb

    from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
    from auditor.endpoints.vcenter.collect.events import Happened
    from auditor.endpoints.vcenter.collect.rows import HostSeen
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.facts.needs import Needs
    from auditor.facts.snapshots.digests import Hashes
    from auditor.facts.snapshots.earlier import Earlier
    from auditor.model import Endpoint, EndpointReading

OPTIONS = "config.option"
"""vCenter's copy of a host's options: good enough to show a change, not to be taken for the host's own answer."""

OPTIONS_A_LOOK = 20_000
"""Options that wait to be compared at once; a comparison takes as long for one host's as for twenty hosts'."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_BOOT_TIME = HOST_MARKS.index("boot_time")

SoFar = Callable[[], "duckdb.DuckDBPyConnection"]


@dataclass(frozen=True, slots=True)
class _Before:
    """What the earlier run knows of the hosts of this vCenter whose answers were whole and are young enough."""

    connection: duckdb.DuckDBPyConnection
    hosts: Mapping[str, tuple[Any, ...]]  # host id -> HOST_MARKS
    read_at: Mapping[str, datetime]  # of the oldest answer
    mounts: bool  # whether these are compared
    options: Mapping[str, Hashes] | None  # host id -> hashes of (key, value); None: not compared


@dataclass(slots=True)
class HostComparison:
    """Compares the hosts of one vCenter with an earlier run while they are read; made by `compare_hosts`.

    Attributes:
        topics: what a host that is not asked would have been asked.
        so_far: the fact tables with all that was reported by now.
        taken: ids of the hosts whose answers the earlier run has to give, and the time of the oldest of these; filled by `settle`.
    """

    run: str
    topics: frozenset[str]
    endpoint: str
    before: _Before
    happened: Happened
    so_far: SoFar
    scratch: duckdb.DuckDBPyConnection
    taken: dict[str, datetime] = field(default_factory=dict)
    connected: int = 0
    _same: set[str] = field(default_factory=set)
    _options: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)  # of the hosts whose options are not compared yet

    @property
    def paths(self) -> tuple[str, ...]:
        """Properties of hosts that are read only to be compared."""
        return (OPTIONS,) if self.before.options is not None else ()

    def look_at_hosts(self) -> None:
        """Compare the list of hosts, which was read by now."""
        seen = _marks(self.so_far(), self.endpoint)
        self.connected = len(seen)
        for host, (cluster, *marks) in seen.items():
            eventless = host not in self.happened.hosts and cluster not in self.happened.clusters
            if eventless and self.before.hosts.get(host) == tuple(marks):
                self._same.add(host)

    def may_take(self, host: HostSeen, properties: ObjectProperties | EndpointError | None) -> bool:
        """Whether `settle` has to say if this host need be asked; if not, it has to be. `properties` is what its storage was read from."""
        if host.id not in self._same:
            return False
        if properties is None or isinstance(properties, EndpointError) or not self._notes_options(host.id, properties):
            self._same.discard(host.id)  # it is asked, so `settle` must not give what it said then as well
        return host.id in self._same

    def settle(self) -> None:
        """Compare the hosts that may be taken, all of whose storage was read by now, with what the earlier run knows of them."""
        self._compare_options()
        if not self._same:
            return
        now, endpoint = self.so_far(), self.endpoint
        self._same &= _whole(now, endpoint, STORAGE_TOPICS, STORAGE_TOPICS).keys()
        if self.before.mounts and not _datastores_whole(now, endpoint):
            self._same.clear()
        for table in (*STORAGE_TABLES, *([MOUNT_TABLE] if self.before.mounts else [])):
            then, now_there = digests_by_host(self.before.connection, table, endpoint), digests_by_host(now, table, endpoint)
            self._same = {host for host in self._same if then.get(host, NO_ROWS) == now_there.get(host, NO_ROWS)}
        self.taken = {host: self.before.read_at[host] for host in self._same}

    def note(self) -> str:
        """The note on this comparison for reports, in sentences."""
        if not self.taken:
            return f"Every host was asked again: none is known to be as run {self.run} found it."
        oldest = min(self.taken.values()).astimezone(UTC)
        return (
            f"What {len(self.taken)} of {self.connected} hosts say of themselves was taken over from run {self.run}; "
            f"the oldest answer is of {oldest:%Y-%m-%d %H:%M:%S} UTC. Nothing in vCenter shows that they changed since, and nothing in "
            "vCenter would show a setting that was changed on a host's own shell or through esxcli: an audit without --since sees that."
        )

    def _notes_options(self, host: str, properties: ObjectProperties) -> bool:
        """Whether there are options to compare, or none is to be; these wait for those of other hosts."""
        from auditor.endpoints.vcenter.host_answers import option_text

        if self.before.options is None:
            return True
        options = properties.values.get(OPTIONS)
        if not options:
            return False
        self._options[host] = [(option.key, option_text(option.plain)) for option in options]
        if sum(map(len, self._options.values())) >= OPTIONS_A_LOOK:
            self._compare_options()
        return True

    def _compare_options(self) -> None:
        """Keep the hosts of whose options, in vCenter's copy, each has the value that the host itself reported then.

        The host reports some that the copy lacks.
        """
        import numpy

        if not self._options:
            return
        hosts, self._options = self._options, {}
        hashes = text_hashes(self.scratch, [row for rows in hosts.values() for row in rows])
        at = 0
        for host, rows in hosts.items():
            before = (self.before.options or {}).get(host)
            if before is None or not numpy.isin(hashes[at : at + len(rows)], before).all():
                self._same.discard(host)
            at += len(rows)


def compare_hosts(
    vcenter: VCenter, endpoint: Endpoint, earlier: Earlier, needed: Needs, clock: datetime | None, so_far: SoFar
) -> HostComparison | str:
    """A comparison of this vCenter with `earlier`; or, in a sentence, why everything has to be read again.

    `clock` is what vCenter's own clock says now; None when it does not report it. `so_far` gives the fact tables as filled by then.
    """
    import duckdb

    from auditor.endpoints.vcenter.collect.events import happened_since

    known = next((reading for reading in earlier.snapshot.readings if reading.name == endpoint.name), None)
    why = _incomparable(vcenter, endpoint, known, earlier, needed)
    if clock is None:
        why = "vCenter does not report what its clock says"
    elif why is None and known is not None and known.clock is not None:
        try:
            happened = happened_since(vcenter, endpoint, _begun(known, datetime.fromisoformat(known.clock), clock))
        except EndpointError as error:
            why = f"which hosts changed cannot be told ({error.what.removeprefix(f'endpoint {endpoint.name}: ')})"
        else:
            if happened.events:
                topics = live_topics(needed)
                before = _before(earlier, endpoint.name, topics)
                return HostComparison(earlier.run, topics, endpoint.name, before, happened, so_far, duckdb.connect())
            # At least the login of this very session is one.
            why = "the account is shown no events, so which hosts changed cannot be told"
    return f"Every host was asked again, although --since names run {earlier.run}: {why}."


def _begun(known: EndpointReading, then: datetime, now: datetime) -> datetime:
    """When the earlier run began, as vCenter's clock goes now: one that was set back since gives events earlier times."""
    set_back = (then - known.started) - (now - datetime.now(UTC))
    return then - max(set_back, timedelta(0))


def _incomparable(vcenter: VCenter, endpoint: Endpoint, known: EndpointReading | None, earlier: Earlier, needed: Needs) -> str | None:
    if known is None:
        return f"that run did not read {endpoint.name}"
    if (known.kind, known.address) != (endpoint.kind.value, f"{endpoint.address}:{endpoint.port}"):
        return f"that run read {endpoint.name} at another address"
    if known.version != str(vcenter.about.fullName):
        return f"{endpoint.name} was {known.version or 'not read'} then and is {vcenter.about.fullName} now"
    if known.clock is None:
        return "that run did not note what vCenter's clock said"
    narrower = lacking(earlier.snapshot.asked, needed)
    if narrower:
        return f"that run asked for less ({', '.join(sorted(narrower))})"
    return None


def _before(earlier: Earlier, endpoint: str, topics: frozenset[str]) -> _Before:
    connection = earlier.snapshot.connection.cursor()  # other endpoints ask the same snapshot just now
    earliest, latest = _microseconds(earlier.not_before), _microseconds(earlier.not_after)
    whole = _whole(connection, endpoint, topics | set(STORAGE_TOPICS), topics)
    fit = {host: oldest for host, (oldest, newest) in whole.items() if oldest > earliest and newest <= latest}
    mounts = "lockmode" in topics
    if mounts and not _datastores_whole(connection, endpoint):
        fit = {}
    known = _marks(connection, endpoint).items() if fit else ()
    hosts = {
        host: tuple(marks)
        for host, (_, *marks) in known
        if host in fit and marks[_BOOT_TIME] is not None and (endpoint, host) not in earlier.touched
    }
    compares_options = "options" in topics
    return _Before(
        connection=connection,
        hosts=hosts,
        read_at={host: _EPOCH + timedelta(microseconds=fit[host]) for host in hosts},
        mounts=mounts,
        options=(texts_by_host(connection, "host_option", ("key", "value"), endpoint) if hosts else {}) if compares_options else None,
    )


def _marks(connection: duckdb.DuckDBPyConnection, endpoint: str) -> Mapping[str, tuple[Any, ...]]:
    """Each connected host's cluster and HOST_MARKS, times in microseconds."""
    marks = ", ".join("epoch_us(boot_time)" if mark == "boot_time" else mark for mark in HOST_MARKS)
    query = f"SELECT host_id, cluster_id, {marks} FROM fact.host WHERE endpoint = ? AND connection_state = 'connected'"  # noqa: S608  names are earlier.py's
    return {host: tuple(marks_then) for host, *marks_then in connection.execute(query, [endpoint]).fetchall()}


def _whole(
    connection: duckdb.DuckDBPyConnection, endpoint: str, topics: Collection[str], aging: Collection[str]
) -> Mapping[str, tuple[int, int]]:
    """The hosts that reported all `topics` whole: when the oldest answer to those `aging` came, and the newest of all, in microseconds.

    One topic that is missing or not whole is enough to leave a host out.
    """
    fetched = connection.execute(
        "SELECT scope, min(epoch_us(read_at)) FILTER (list_contains($aging, topic)), max(epoch_us(read_at)) FROM fact.reading "
        "WHERE endpoint = $endpoint AND scope <> '' AND list_contains($topics, topic) "
        "GROUP BY scope HAVING bool_and(complete) AND count(DISTINCT topic) = len($topics)",
        {"aging": sorted(aging), "topics": sorted(topics), "endpoint": endpoint},
    ).fetchall()
    return {host: (oldest, newest) for host, oldest, newest in fetched}


def _datastores_whole(connection: duckdb.DuckDBPyConnection, endpoint: str) -> bool:
    query = "SELECT bool_and(complete) FROM fact.reading WHERE endpoint = ? AND scope = '' AND topic = 'datastores'"
    fetched = connection.execute(query, [endpoint]).fetchone()
    return bool(fetched and fetched[0])


def _microseconds(time: datetime) -> int:
    return (time - _EPOCH) // timedelta(microseconds=1)
