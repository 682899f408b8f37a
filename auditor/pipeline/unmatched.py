"""What fleet.yaml names and the fleet does not have: a slip there, which protects, opens or sets nothing.

An entry is only said to fit nothing where all was read that it could fit: what was left out, or could not be read, may be what it means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.errors import GuardError
from auditor.model.endpoint_kinds import is_array
from auditor.text.names import fits, fits_host, fits_sql, glob_for_sql, is_called

if TYPE_CHECKING:
    from auditor.facts.snapshots.snapshot import Snapshot
    from auditor.fleet.loading import Fleet
    from auditor.fleet.settings_file import DeclaredSetting
    from auditor.fleet.windows import MaintenanceWindow
    from auditor.model import Protection

Place = tuple[str, "str | None", "str | None"]
"""(endpoint, cluster, host) by name; the cluster None: in none; both None: the endpoint itself."""

_NFS_SERVER = " ".join(
    (
        "SELECT 1 FROM (SELECT unnest(string_split(nfs_host, ',')) AS server FROM fact.datastore) WHERE",
        fits_sql("server", "$glob"),
        "LIMIT 1",
    )
)
_NAMED: Mapping[str, Sequence[tuple[str, str]]] = {
    "hosts": (("host", "name"), ("host", "host_id")),
    "devices": (("device", "device"),),
    "datastores": (("datastore", "name"), ("datastore", "datastore_id")),
    "vms": (("vm", "name"), ("vm", "vm_id")),
    "volumes": (("array_volume", "name"), ("array_volume", "volume_id"), ("array_qos_policy", "name"), ("array_qos_policy", "policy_id")),
}
"""Where the objects stand that `protect: {resource: ...}` may name, by the topic that has to be read whole to know all of them."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What of a fleet was read, as far as entries of fleet.yaml are compared with it.

    Attributes:
        places: every host, and every endpoint by itself.
        endpoints: of fleet.yaml.
        unread: endpoints whose hosts are not all known.
    """

    places: Sequence[Place]
    endpoints: Sequence[str]
    unread: frozenset[str]


def unmatched_notices(fleet: Fleet, snapshot: Snapshot) -> tuple[str, ...]:
    """A sentence for each entry of fleet.yaml that fits nothing of the snapshot."""
    seen = seen_in(fleet, snapshot)
    return (
        *_params(fleet, snapshot, seen),
        *_declared(fleet, snapshot),
        *unmatched_settings(fleet, snapshot, seen),
        *(f"{sentence}, so it protects nothing." for sentence in unmatched_protection(fleet, snapshot)),
        *unmatched_windows(fleet.maintenance, seen),
    )


def unmatched_protection(fleet: Fleet, snapshot: Snapshot) -> tuple[str, ...]:
    """For each entry of `protect:` that fits nothing of the snapshot: where it stands, and what it names."""
    seen = seen_in(fleet, snapshot)
    return tuple(
        _nothing(entry)
        for entry in fleet.protected
        if not (_has_place(entry, seen) and _has_resource(entry, snapshot) and _has_tag(entry, snapshot))
    )


def unmatched_places(protected: Iterable[Protection], seen: Seen) -> tuple[str, ...]:
    """As `unmatched_protection`, where only hosts and clusters were listed: entries that name neither are left out."""
    return tuple(_nothing(entry) for entry in protected if (entry.cluster or entry.host or entry.endpoint) and not _has_place(entry, seen))


def unmatched_windows(windows: Iterable[MaintenanceWindow], seen: Seen) -> tuple[str, ...]:
    """A sentence for each maintenance window of an endpoint or cluster that is not there."""
    return tuple(
        f"{one.where}: a maintenance window is for {_texts(endpoint=one.endpoint, cluster=one.cluster)}, and nothing in the fleet is "
        "called so, so it opens for nothing."
        for one in windows
        if not _fits_any(one.endpoint, one.cluster, None, seen)
    )


def refuse_unmatched(fleet: Fleet, snapshot: Snapshot | None, again: str) -> None:
    """Refuse a fix while `protect:` has an entry that fits nothing: what it was to keep from being written would be written.

    Args:
        fleet: as fleet.yaml has it.
        snapshot: the fleet as it was read; None where that was not kept, and nothing is said.
        again: the option with which it is made all the same.

    Raises:
        GuardError: there is such an entry; nothing was written.
    """
    found = () if snapshot is None else unmatched_protection(fleet, snapshot)
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise GuardError(
            f"{found[0]}{more}",
            why="what it was to keep as it is may be what would be changed; nothing was written.",
            do=f"correct the name, or remove the entry; {again} goes on without it.",
        )


def seen_in(fleet: Fleet, snapshot: Snapshot) -> Seen:
    """What `snapshot` says of the places of `fleet`."""
    rows = snapshot.connection.cursor().execute("SELECT endpoint, cluster, name FROM fact.host").fetchall()
    names = [endpoint.name for endpoint in fleet.endpoints]
    with_hosts = {endpoint.name for endpoint in fleet.endpoints if not is_array(endpoint.kind)}
    whole = snapshot.connection.cursor().execute("SELECT endpoint FROM fact.reading WHERE topic = 'hosts' AND complete").fetchall()
    places = [(endpoint, cluster, host) for endpoint, cluster, host in rows]
    return Seen([*places, *((name, None, None) for name in names)], names, frozenset(with_hosts - {name for (name,) in whole}))


def unmatched_settings(fleet: Fleet, snapshot: Snapshot, seen: Seen) -> Iterator[str]:
    """A sentence for each entry of settings.yaml that is for no host, or no volume, of the snapshot."""
    entries: dict[tuple[str | None, str | None, str | None, str | None], DeclaredSetting] = {}
    for one in fleet.settings:
        entries.setdefault((one.endpoint, one.cluster, one.host, one.thing if one.kind == "volume_limit" else None), one)
    for (endpoint, cluster, host, volume), one in entries.items():
        named = _texts(endpoint=endpoint, cluster=cluster, host=host, volume=volume)
        is_there = _has_volume(endpoint, volume, snapshot) if volume is not None else _has_host(endpoint, cluster, host, seen)
        if named and not is_there:
            yield f"{one.place}: settings are declared for {named}, and nothing in the fleet is called so, so nothing is held to them."


def _has_host(endpoint: str | None, cluster: str | None, host: str | None, seen: Seen) -> bool:
    """Whether a host fits all of them by its whole name, or may where hosts were not read."""
    if any(endpoint is None or fits(name, endpoint) for name in seen.unread):
        return True
    return any(
        place[2] is not None
        and (endpoint is None or fits(place[0], endpoint))
        and (cluster is None or fits(place[1], cluster))
        and (host is None or fits(place[2], host))
        for place in seen.places
    )


def _has_volume(endpoint: str | None, volume: str, snapshot: Snapshot) -> bool:
    """Whether an array has a volume that fits; true where not all volumes were read."""
    cursor = snapshot.connection.cursor()
    read = cursor.execute("SELECT coalesce(bool_and(complete), false) FROM fact.reading WHERE topic = 'volumes'").fetchone()
    if read is None or not read[0] or any(reading.left_out for reading in snapshot.readings):
        return True
    conditions = [fits_sql("name", "$volume"), *([fits_sql("endpoint", "$endpoint")] if endpoint is not None else [])]
    bound = {"volume": volume} | ({"endpoint": endpoint} if endpoint is not None else {})
    statement = f"SELECT 1 FROM fact.array_volume WHERE {' AND '.join(conditions)} LIMIT 1"
    return cursor.execute(statement, bound).fetchone() is not None


def _has_place(entry: Protection, seen: Seen) -> bool:
    return _fits_any(entry.endpoint, entry.cluster, entry.host, seen)


def _fits_any(endpoint: str | None, cluster: str | None, host: str | None, seen: Seen) -> bool:
    """Whether all of them fit one place, or may fit one that was not read."""
    if (cluster or host) and any(endpoint is None or fits(name, endpoint) for name in seen.unread):
        return True
    return any(
        (endpoint is None or fits(place[0], endpoint))
        and (cluster is None or fits(place[1], cluster))
        and (host is None or fits_host(place[2], host))
        for place in seen.places
    )


def _has_resource(entry: Protection, snapshot: Snapshot) -> bool:
    """Whether the snapshot has an object that `resource` fits; true where not all objects were read."""
    if entry.resource is None:
        return True
    bound = {"glob": glob_for_sql(entry.resource)}
    for columns in _NAMED.values():
        for table, column in columns:
            statement = " ".join((f"SELECT 1 FROM fact.{table} WHERE", fits_sql(column, "$glob"), "LIMIT 1"))
            if snapshot.connection.cursor().execute(statement, bound).fetchone() is not None:
                return True
    odd = [name for name in _odd_names(snapshot) if fits(name, entry.resource)]
    return bool(odd) or not _all_objects_read(snapshot)


def _odd_names(snapshot: Snapshot) -> list[str]:
    """The names of objects that SQL does not compare: those with other characters than ASCII's."""
    parts = [f"SELECT {column} AS name FROM fact.{table}" for columns in _NAMED.values() for table, column in columns]
    statement = f"SELECT DISTINCT name FROM ({' UNION ALL '.join(parts)}) WHERE NOT regexp_full_match(name, '[ -~]*')"
    return [name for (name,) in snapshot.connection.cursor().execute(statement).fetchall()]


def _all_objects_read(snapshot: Snapshot) -> bool:
    if any(reading.left_out for reading in snapshot.readings):
        return False
    has_arrays = any(is_array(reading.kind) for reading in snapshot.readings)
    topics = set(_NAMED) - (set() if has_arrays else {"volumes"})
    unread = snapshot.connection.cursor().execute("SELECT DISTINCT topic FROM fact.reading WHERE NOT complete").fetchall()
    return topics <= set(snapshot.asked.topics) and not topics & {topic for (topic,) in unread}


def _has_tag(entry: Protection, snapshot: Snapshot) -> bool:
    """Whether an object carries the tag; true where tags were not read whole."""
    if entry.tag is None:
        return True
    cursor = snapshot.connection.cursor()
    read = cursor.execute("SELECT bool_and(complete) FROM fact.reading WHERE topic = 'tags'").fetchone()
    if read is None or not read[0] or any(reading.left_out for reading in snapshot.readings):
        return True
    rows = cursor.execute("SELECT DISTINCT category, tag FROM fact.tagged").fetchall()
    return any(fits(tag, entry.tag) or fits(f"{category}:{tag}", entry.tag) for category, tag in rows)


def _nothing(entry: Protection) -> str:
    named = _texts(resource=entry.resource, host=entry.host, cluster=entry.cluster, endpoint=entry.endpoint, tag=entry.tag)
    return f"{entry.where}: `protect:` has {named}, and nothing in the fleet is called so"


def _texts(**given: str | None) -> str:
    return ", ".join(f'{key} "{text}"' for key, text in given.items() if text is not None)


def _params(fleet: Fleet, snapshot: Snapshot, seen: Seen) -> list[str]:
    """Clusters with params of their own that are not there."""
    left_out = {reading.name for reading in snapshot.readings if reading.left_out}
    given = {(o.endpoint, o.cluster): o.where for o in fleet.params if o.cluster is not None and o.endpoint not in left_out}
    if "hosts" not in snapshot.asked.topics:
        return []
    return [
        f"{where}: no cluster {cluster} was seen on {endpoint}."
        for (endpoint, cluster), where in given.items()
        if not any(place[0] == endpoint and is_called(place[1], str(cluster)) for place in seen.places)
    ]


def _declared(fleet: Fleet, snapshot: Snapshot) -> list[str]:
    """Devices and NFS servers that are declared and that no host has."""
    topics = snapshot.asked.topics
    if any(reading.left_out and not is_array(reading.kind) for reading in snapshot.readings):
        topics = topics - {"devices", "datastores"}  # what fits may be on the one that was left out by choice
    ask = snapshot.connection.execute
    devices = [each.devices for each in fleet.declared] if "devices" in topics else []
    servers = [each.server for each in fleet.nfs_servers] if "datastores" in topics else []
    return [
        *(
            f"{fleet.path}: no device is named like {glob}, which is declared there."
            for glob in devices
            if ask("SELECT 1 FROM fact.device WHERE device GLOB ? LIMIT 1", [glob]).fetchone() is None
        ),
        *(
            f"{fleet.path}: no host mounts NFS from {glob}, which is declared there."
            for glob in servers
            if ask(_NFS_SERVER, {"glob": glob}).fetchone() is None
        ),
    ]
