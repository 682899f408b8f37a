"""Maps volumes to devices, devices to datastores, and datastores to hosts, by the names that both sides report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb

Pair = tuple[str, str]
"""(endpoint, id) of a datastore or volume."""

HostPlace = tuple[str, "str | None", str]
"""(endpoint, cluster, name) of a host."""


class StorageMap:
    """The joins of one snapshot; what is small is asked once for all changes."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._ask = connection
        self.datastores = {(one, two): name for one, two, name in self._rows("SELECT endpoint, datastore_id, name FROM fact.datastore")}
        extents = self._rows("SELECT DISTINCT endpoint, datastore_id, device FROM fact.datastore_extent WHERE device IS NOT NULL")
        self.devices_of = _grouped(((one, two), device) for one, two, device in extents)
        self.datastores_on = _grouped((device, (one, two)) for one, two, device in extents)
        self.pods = _grouped(
            ((one, pod), (one, two))
            for one, two, pod in self._rows("SELECT endpoint, datastore_id, pod_id FROM fact.datastore WHERE pod_id IS NOT NULL")
        )
        volumes = self._rows("SELECT endpoint, volume_id, name, device, coalesce(is_virtual, false) FROM fact.array_volume")
        self.volumes = {(one, two): (name, device, virtual) for one, two, name, device, virtual in volumes}
        self.volumes_of = _grouped((device, (one, two)) for one, two, _, device, _ in volumes if device is not None)

    def volumes_under(self, endpoint: str, policy: str) -> set[Pair]:
        """The volumes of an array under a policy of that id."""
        select = """SELECT volume_id FROM fact.array_volume WHERE endpoint = $endpoint AND $policy IN
            (qos_policy_id, qos_reads_policy_id, qos_writes_policy_id, qos_group_id)"""
        return {(endpoint, volume) for (volume,) in self._rows(select, {"endpoint": endpoint, "policy": policy})}

    def uses_of(self, endpoint: str, policy: str, seen: int) -> int:
        """How many volumes the array says are under a policy; where it says nothing: those that were seen, or one at least."""
        select = "SELECT max(volumes) FROM fact.array_qos_policy WHERE endpoint = $endpoint AND policy_id = $policy"
        [(volumes,)] = self._rows(select, {"endpoint": endpoint, "policy": policy})
        return max(seen, 1) if volumes is None else int(volumes)

    def group_of(self, volumes: Iterable[Pair]) -> set[Pair]:
        """Those volumes, and all that share a group's limit with one of them."""
        found = set(volumes)
        for endpoint, volume in list(found):
            select = """SELECT other.volume_id FROM fact.array_volume AS one JOIN fact.array_volume AS other USING (endpoint)
                WHERE one.endpoint = $endpoint AND one.volume_id = $volume
                AND (other.qos_group_id = one.qos_group_id OR other.qos_group = one.qos_group)"""
            found |= {(endpoint, other) for (other,) in self._rows(select, {"endpoint": endpoint, "volume": volume})}
        return found

    def protocol_endpoints(self, endpoint: str) -> set[str]:
        """The devices of an array by which hosts reach virtual volumes."""
        select = "SELECT DISTINCT device FROM fact.array_protocol_endpoint WHERE endpoint = $endpoint AND device IS NOT NULL"
        return {device for (device,) in self._rows(select, {"endpoint": endpoint})}

    def disks_of(self, endpoint: str, machine: str) -> set[Pair]:
        """The datastores that the disks of a machine lie on."""
        select = (
            "SELECT DISTINCT datastore_id FROM fact.vm_disk WHERE endpoint = $endpoint AND vm_id = $machine AND datastore_id IS NOT NULL"
        )
        return {(endpoint, one) for (one,) in self._rows(select, {"endpoint": endpoint, "machine": machine})}

    def named(self, host: str) -> set[HostPlace]:
        """The hosts of that name, which an array calls as their vCenter does."""
        return set(self._rows("SELECT endpoint, cluster, name FROM fact.host WHERE name = $name", {"name": host}))

    def seeing(self, devices: Iterable[str]) -> set[HostPlace]:
        """(endpoint, cluster, name) of the hosts that see any of these devices."""
        select = """SELECT DISTINCT h.endpoint, h.cluster, coalesce(h.name, h.host_id) FROM fact.device AS d
            JOIN fact.host AS h USING (endpoint, host_id) WHERE d.device IN (SELECT unnest($devices))"""
        return set(self._rows(select, {"devices": sorted(devices)}))

    def mounting(self, datastores: Iterable[Pair]) -> set[HostPlace]:
        """(endpoint, cluster, name) of the hosts that mount any of these datastores."""
        found: set[HostPlace] = set()
        select = """SELECT DISTINCT h.endpoint, h.cluster, coalesce(h.name, h.host_id) FROM fact.datastore_mount AS m
            JOIN fact.host AS h USING (endpoint, host_id) WHERE m.endpoint = $endpoint AND m.datastore_id IN (SELECT unnest($ids))"""
        for endpoint, ids in _grouped(datastores).items():
            found |= set(self._rows(select, {"endpoint": endpoint, "ids": sorted(ids)}))
        return found

    def _rows(self, select: str, bound: dict[str, Any] | None = None) -> list[Any]:
        return self._ask.execute(select, bound or {}).fetchall()


def _grouped(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, set[Any]]:
    groups: dict[Any, set[Any]] = {}
    for key, value in pairs:
        groups.setdefault(key, set()).add(value)
    return groups
