"""What a change reaches: the hosts that stand on what it writes, and the storage that what it writes stands on.

A QoS policy of an array is felt by every host that uses a volume under it; Storage I/O Control of a datastore by every host that mounts
it. So these are protected where one of those hosts is. The other way round a queue or a datastore stands on volumes, and is protected
where one is. Where the facts do not tell, it is not known, which counts as protected (docs/decisions/0054-protection-reaches.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from auditor.engine.fixes.storage_map import HostPlace, Pair, StorageMap
from auditor.model import EndpointKind, Reach
from auditor.model.endpoint_kinds import endpoint_type, is_array

if TYPE_CHECKING:
    import duckdb

    from auditor.facts.snapshots.snapshot import Snapshot
    from auditor.model import Change

FACTS = frozenset(
    {
        *(("host", "name"), ("host", "cluster"), ("device", ""), ("datastore", "name"), ("datastore", "pod_id")),
        *(("datastore_mount", ""), ("datastore_extent", "device"), ("vm_disk", "datastore_id")),
        *(("array_volume", "device"), ("array_protocol_endpoint", "device")),
    }
)
"""Facts, each a table and a column, that it takes to tell what changes reach."""

_CARRIERS = """
SELECT d.endpoint, d.host_id, list_sort(list(DISTINCT a.endpoint))
FROM (SELECT unnest($endpoints) AS endpoint, unnest($hosts) AS host_id) h
JOIN fact.device d USING (endpoint, host_id)
JOIN (
  SELECT endpoint, device FROM fact.array_volume WHERE device IS NOT NULL
  UNION SELECT endpoint, device FROM fact.array_protocol_endpoint WHERE device IS NOT NULL
) a ON a.device = d.device
GROUP BY ALL
"""
_OF_HOSTS = ("hosts", "devices", "datastores")
_OF_ARRAYS = ("volumes", "protocol_endpoints")


def with_reach(snapshot: Snapshot, changes: Sequence[Change]) -> tuple[Change, ...]:
    """`changes`, each with what it reaches as far as the facts tell."""
    if not changes:
        return ()
    storage = StorageMap(snapshot.connection)
    arrays = frozenset(one.name for one in snapshot.readings if is_array(one.kind))
    known = _known(snapshot)
    return tuple(replace(change, reach=_reach(change, storage, arrays, known)) for change in changes)


def carriers(connection: duckdb.DuckDBPyConnection, changes: Iterable[Change]) -> dict[tuple[str, str], tuple[str, ...]]:
    """By endpoint and host id: the endpoints of the arrays whose devices the host sees. A host without a known array is not there."""
    hosts = sorted({(one.target.endpoint, one.target["host_id"]) for one in changes if "host_id" in dict(one.target.keys)})
    if not hosts:
        return {}
    found = connection.execute(_CARRIERS, {"endpoints": [one[0] for one in hosts], "hosts": [one[1] for one in hosts]}).fetchall()
    return {(endpoint, host): tuple(names) for endpoint, host, names in found}


@dataclass(frozen=True, slots=True)
class _Known:
    """Whether all there is was read: of hosts and datastores, and of the volumes of arrays; and the hosts whose devices were not."""

    hosts: bool
    volumes: bool
    unread: frozenset[HostPlace] = frozenset()


def _reach(change: Change, storage: StorageMap, arrays: frozenset[str], known: _Known) -> Reach:
    if change.target.endpoint in arrays:
        return _of_array(change, storage, known)
    keys, endpoint = dict(change.target.keys), change.target.endpoint
    if "device" in keys:
        return Reach((), _objects(storage, {keys["device"]}, set(), known))
    if not keys.keys() & {"datastore_id", "pod_id", "vm_id"}:
        # Of a host as a whole: its own settings, and no object's.
        return Reach((), ()) if change.resource.host is not None else Reach(None, None)
    if "vm_id" in keys:
        datastores = storage.disks_of(endpoint, keys["vm_id"])
    elif "datastore_id" in keys:
        datastores = {(endpoint, keys["datastore_id"])}
    else:
        datastores = storage.pods.get((endpoint, keys["pod_id"]), set())
    devices = {device for one in datastores for device in storage.devices_of.get(one, ())}
    lies_on_devices = bool(datastores) and all(one in storage.devices_of for one in datastores)
    objects = _objects(storage, devices, datastores, known) if lies_on_devices else None
    if "vm_id" in keys and change.resource.host is not None:
        return Reach((), objects)  # it is felt on its machine's host
    return Reach(_in_order(storage.mounting(datastores)) if known.hosts and datastores else None, objects)


def _of_array(change: Change, storage: StorageMap, known: _Known) -> Reach:
    """What a change of an array reaches; which volumes are not known is not guessed."""
    endpoint, keys = change.target.endpoint, dict(change.target.keys)
    if change.resource.host is not None:  # what the array keeps of a host
        own = storage.named(change.resource.host) if known.hosts else set()
        return Reach(_in_order(own) if own else None, None)
    volumes = _volumes_of(change, storage)
    if volumes is None or not known.volumes:
        return Reach(None, None)
    devices = {device for one in volumes if (device := storage.volumes[one][1]) is not None}
    if any(storage.volumes[one][2] for one in volumes):
        devices |= storage.protocol_endpoints(endpoint)
    unplaced = [one for one in volumes if storage.volumes[one][1] is None and not storage.volumes[one][2]]
    datastores = {one for device in devices for one in storage.datastores_on.get(device, ())}
    hosts = storage.seeing(devices) | storage.mounting(datastores) | (known.unread if volumes else set())
    objects = {(endpoint, name or volume, volume) for volume, (name, _, _) in ((one[1], storage.volumes[one]) for one in volumes)}
    objects |= set(_objects(storage, devices, datastores, known) or ())
    objects |= {(endpoint, keys["name"], keys["name"])} if "name" in keys else set()
    is_known = known.hosts and not unplaced
    return Reach(_in_order(hosts), tuple(sorted(objects))) if is_known else Reach(None, None)


def _volumes_of(change: Change, storage: StorageMap) -> set[Pair] | None:
    """The volumes that feel a change of an array; None where that is not known."""
    endpoint, keys = change.target.endpoint, dict(change.target.keys)
    own = (endpoint, keys.get("volume_id", change.resource.id))
    if own in storage.volumes:
        return storage.group_of({own})
    if change.remediator.endswith(("qos_policy", "qos_policy_limit", "qos_category")):
        policy = keys.get("policy_id", change.resource.id)
        under = storage.volumes_under(endpoint, policy)
        return under if storage.uses_of(endpoint, policy, len(under)) <= len(under) else None
    return None


def _objects(storage: StorageMap, devices: set[str], datastores: set[Pair], known: _Known) -> tuple[tuple[str, str, str], ...] | None:
    """(endpoint, name, id) of these, and of what lies on and under them; None where not all was read."""
    if not known.hosts or not (known.volumes or all(device in storage.volumes_of for device in devices)):
        return None
    found = {("", device, device) for device in devices}
    on_them = datastores | {one for device in devices for one in storage.datastores_on.get(device, ())}
    found |= {(one[0], storage.datastores.get(one) or one[1], one[1]) for one in on_them}
    below = {one for device in devices for one in storage.volumes_of.get(device, ())}
    found |= {(one[0], storage.volumes[one][0] or one[1], one[1]) for one in below}
    return tuple(sorted(found))


def _known(snapshot: Snapshot) -> _Known:
    unread = """SELECT DISTINCT h.endpoint, h.cluster, coalesce(h.name, h.host_id) FROM fact.reading AS r
        JOIN fact.host AS h ON h.endpoint = r.endpoint AND h.host_id = r.scope WHERE NOT r.complete AND r.topic = 'devices'"""
    return _Known(
        _is_whole(snapshot, _OF_HOSTS, of_arrays=False),
        _is_whole(snapshot, _OF_ARRAYS, of_arrays=True),
        frozenset(snapshot.connection.execute(unread).fetchall()),
    )


def _is_whole(snapshot: Snapshot, topics: Sequence[str], *, of_arrays: bool) -> bool:
    """Whether every endpoint of the kind was read whole as far as these topics are of an endpoint."""
    for one in (one for one in snapshot.readings if is_array(one.kind) == of_arrays):
        needed = set(topics) & set(_topics_of(one.kind))
        if needed and (one.left_out or not needed <= set(snapshot.asked.topics)):
            return False
    select = "SELECT 1 FROM fact.reading WHERE NOT complete AND coalesce(scope, '') = '' AND topic IN (SELECT unnest($topics)) LIMIT 1"
    return snapshot.connection.execute(select, {"topics": list(topics)}).fetchone() is None


def _in_order(hosts: Iterable[HostPlace]) -> tuple[HostPlace, ...]:
    return tuple(sorted(hosts, key=str))


def _topics_of(kind: str) -> Iterator[str]:
    yield from endpoint_type(EndpointKind(kind)).topics
