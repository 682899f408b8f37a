"""Which hosts of one vCenter need not be asked again, because everything that would show a change shows none.

Every mark must speak for a host. Where one cannot be read, or has no counterpart in the earlier run, the host is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from auditor.errors import EndpointError
from auditor.facts.digests import NO_ROWS, Digest, digest_of, digests_by_host, text_hashes, texts_by_host
from auditor.facts.earlier import HOST_MARKS, MOUNT_TABLE, STORAGE_TABLES, STORAGE_TOPICS, lacking, live_topics
from auditor.facts.schema import Batch

if TYPE_CHECKING:
    import duckdb

    from auditor.clients.bulk.reading import Found
    from auditor.clients.vcenter import VCenter
    from auditor.collectors.vcenter_events import Happened
    from auditor.collectors.vcenter_rows import Facts, HostSeen
    from auditor.facts.earlier import Earlier
    from auditor.facts.needs import Needs
    from auditor.model import Endpoint, EndpointReading

OPTIONS = "config.option"
"""vCenter's copy of a host's options: good enough to show a change, not to be taken for the host's own answer."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Before:
    """What the earlier run knows of the hosts of this vCenter whose answers were whole and are young enough."""

    hosts: Mapping[str, tuple[Any, ...]]  # host id -> HOST_MARKS
    read_at: Mapping[str, datetime]  # of the oldest answer
    storage: Mapping[str, Mapping[str, Digest]]  # table -> host id
    mounts: Mapping[str, Digest] | None  # None: not compared
    options: Mapping[str, Any] | None  # host id -> hashes of (key, value); None: not compared


@dataclass(slots=True)
class Since:
    """Compares the hosts of one vCenter with an earlier run while they are read; made by `since`.

    Attributes:
        topics: what a host that is not asked would have been asked.
        taken: ids of the hosts whose answers the earlier run has to give.
    """

    run: str
    topics: frozenset[str]
    before: _Before
    happened: Happened
    scratch: duckdb.DuckDBPyConnection
    taken: dict[str, datetime] = field(default_factory=dict)
    connected: int = 0
    _same: set[str] = field(default_factory=set)
    _mounts: dict[str, Digest] | None = None
    _of_host: list[Batch] = field(default_factory=list)
    _seen_mounts: list[Batch] = field(default_factory=list)

    @property
    def paths(self) -> tuple[str, ...]:
        """Properties of hosts that are read only to be compared."""
        return (OPTIONS,) if self.before.options is not None else ()

    def saw_hosts(self, item: Facts) -> None:
        """Look at what the list of hosts tells."""
        if not isinstance(item, Batch) or item.table != "host":
            return
        for row in zip(*(item.columns[name] for name in ("host_id", "cluster_id", "connection_state", *HOST_MARKS)), strict=True):
            host, cluster, state, *marks = row
            self.connected += state == "connected"
            eventless = host not in self.happened.hosts and cluster not in self.happened.clusters
            if state == "connected" and eventless and self.before.hosts.get(host) == _comparable(marks):
                self._same.add(host)

    def saw_datastores(self, item: Facts) -> None:
        """Look at which host mounts what; once its reading is seen, that was all."""
        if not isinstance(item, Batch):
            return
        if item.table == MOUNT_TABLE:
            self._seen_mounts.append(item)
        elif item.table == "reading" and all(item.columns["complete"]):
            self._mounts = self._digests(self._seen_mounts)
            self._seen_mounts.clear()

    def saw_storage(self, item: Facts) -> None:
        """Look at what is told of one host's storage, until `takes` is asked of that host."""
        if isinstance(item, Batch):
            self._of_host.append(item)

    def takes(self, host: HostSeen, found: Found | EndpointError | None) -> bool:
        """Whether this host need not be asked; `found` is what its storage was read from."""
        told, self._of_host = self._of_host, []
        if isinstance(found, EndpointError) or found is None or host.id not in self._same:
            return False
        taken = self._same_mounts(host.id) and self._same_storage(host.id, told) and self._same_options(host.id, found)
        if taken:
            self.taken[host.id] = self.before.read_at[host.id]
        return taken

    def note(self) -> str:
        """What has to be said of all this, in sentences."""
        if not self.taken:
            return f"Every host was asked again: none is known to be as run {self.run} found it."
        oldest = min(self.taken.values()).astimezone(UTC)
        return (
            f"What {len(self.taken)} of {self.connected} hosts say of themselves was taken over from run {self.run}; "
            f"the oldest answer is of {oldest:%Y-%m-%d %H:%M:%S} UTC. Nothing in vCenter shows that they changed since, and nothing in "
            "vCenter would show a setting that was changed on a host's own shell or through esxcli: an audit without --since sees that."
        )

    def _same_mounts(self, host: str) -> bool:
        if self.before.mounts is None:
            return True
        return self._mounts is not None and self._mounts.get(host, NO_ROWS) == self.before.mounts.get(host, NO_ROWS)

    def _same_storage(self, host: str, told: list[Batch]) -> bool:
        complete = {
            topic: whole
            for batch in told
            if batch.table == "reading"
            for topic, whole in zip(batch.columns["topic"], batch.columns["complete"], strict=True)
        }
        return all(complete.get(topic, False) for topic in STORAGE_TOPICS) and all(
            digest_of(self.scratch, table, (batch for batch in told if batch.table == table))
            == self.before.storage[table].get(host, NO_ROWS)
            for table in STORAGE_TABLES
        )

    def _same_options(self, host: str, found: Found) -> bool:
        """Whether every option of vCenter's copy has the value that the host itself told then; it tells some that the copy lacks."""
        import numpy

        from auditor.clients.host_answers import option_text

        if self.before.options is None:
            return True
        before, told = self.before.options.get(host), found.values.get(OPTIONS)
        if before is None or not told:
            return False
        now = text_hashes(self.scratch, [(option.key, option_text(option.plain)) for option in told])
        return bool(numpy.isin(now, before).all())

    def _digests(self, batches: list[Batch]) -> dict[str, Digest]:
        by_host: dict[str, dict[str, list[Any]]] = {}
        for batch in batches:
            for row in zip(*batch.columns.values(), strict=True):
                cells = dict(zip(batch.columns, row, strict=True))
                columns = by_host.setdefault(cells["host_id"], {name: [] for name in batch.columns})
                for name, value in cells.items():
                    columns[name].append(value)
        return {host: digest_of(self.scratch, MOUNT_TABLE, [Batch(MOUNT_TABLE, columns)]) for host, columns in by_host.items()}


def since(vcenter: VCenter, endpoint: Endpoint, earlier: Earlier, needed: Needs, clock: datetime | None) -> Since | str:
    """A comparison of this vCenter with `earlier`; or, in a sentence, why everything has to be read again.

    `clock` is what vCenter's own clock says now; None when it does not tell.
    """
    import duckdb

    from auditor.collectors.vcenter_events import happened_since

    known = next((reading for reading in earlier.snapshot.readings if reading.name == endpoint.name), None)
    why = _incomparable(vcenter, endpoint, known, earlier, needed)
    if clock is None:
        why = "vCenter does not tell what its clock says"
    elif why is None and known is not None and known.clock is not None:
        try:
            happened = happened_since(vcenter, endpoint, _begun(known, datetime.fromisoformat(known.clock), clock))
        except EndpointError as error:
            why = f"which hosts changed cannot be told ({error.what.removeprefix(f'endpoint {endpoint.name}: ')})"
        else:
            if happened.events:
                topics = live_topics(needed)
                return Since(earlier.run, topics, _before(earlier, endpoint.name, topics), happened, duckdb.connect())
            # At least the login of this very session is one.
            why = "the account is shown no events, so which hosts changed cannot be told"
    return f"Every host was asked again, although --since names run {earlier.run}: {why}."


def watched(facts: Generator[Facts, None, T], saw: Callable[[Facts], None] | None) -> Generator[Facts, None, T]:
    """Yield and return what `facts` does, and show each item to `saw`."""
    if saw is None:
        return (yield from facts)
    while True:
        try:
            item = next(facts)
        except StopIteration as end:
            result: T = end.value
            return result
        saw(item)
        yield item


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
    wanted = sorted(topics | set(STORAGE_TOPICS))
    whole = connection.execute(
        # The oldest answer counts, of those that could be taken over; one topic that is missing or not whole is enough to ask again.
        "SELECT scope, min(epoch_us(read_at)) FILTER (list_contains($live, topic)), max(epoch_us(read_at)) FROM fact.reading "
        "WHERE endpoint = $endpoint AND scope <> '' AND list_contains($wanted, topic) "
        "GROUP BY scope HAVING bool_and(complete) AND count(DISTINCT topic) = len($wanted)",
        {"live": sorted(topics), "wanted": wanted, "endpoint": endpoint},
    ).fetchall()
    earliest, latest = _microseconds(earlier.not_before), _microseconds(earlier.not_after)
    fit = {host: oldest for host, oldest, newest in whole if oldest > earliest and newest <= latest}
    rows = connection.execute(
        "SELECT host_id, version, build, epoch_us(boot_time), software_iscsi FROM fact.host "
        "WHERE endpoint = ? AND connection_state = 'connected' AND boot_time IS NOT NULL",
        [endpoint],
    ).fetchall()
    mounts = "lockmode" in topics
    if mounts and not _datastores_whole(connection, endpoint):
        fit = {}
    hosts = {host: tuple(marks) for host, *marks in rows if host in fit and (endpoint, host) not in earlier.touched}
    return _Before(
        hosts=hosts,
        read_at={host: _EPOCH + timedelta(microseconds=fit[host]) for host in hosts},
        storage={table: digests_by_host(connection, table, endpoint) for table in STORAGE_TABLES},
        mounts=digests_by_host(connection, MOUNT_TABLE, endpoint) if mounts else None,
        options=texts_by_host(connection, "host_option", ("key", "value"), endpoint) if "options" in topics else None,
    )


def _datastores_whole(connection: duckdb.DuckDBPyConnection, endpoint: str) -> bool:
    query = "SELECT bool_and(complete) FROM fact.reading WHERE endpoint = ? AND scope = '' AND topic = 'datastores'"
    found = connection.execute(query, [endpoint]).fetchone()
    return bool(found and found[0])


def _comparable(marks: list[Any]) -> tuple[Any, ...]:
    """HOST_MARKS as DuckDB gives them back."""
    return tuple(_microseconds(mark) if isinstance(mark, datetime) else mark for mark in marks)


def _microseconds(time: datetime) -> int:
    return (time - _EPOCH) // timedelta(microseconds=1)
