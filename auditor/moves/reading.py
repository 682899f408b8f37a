"""Machines, datastores and their load from the views of a snapshot, for one move at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from auditor.facts.catalog import needs_of_columns
from auditor.facts.needs import needs
from auditor.impact.move import READS_OF_A_COPY, End, Load
from auditor.impact.moves import LATENCY_MS
from auditor.moves.ends import Disk, Machine, Move, Store, Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from auditor.facts.needs import Needs

_COLUMNS = {
    "datastore": ("arrays", "families", "has_array_qos", "qos", "qos_max_bytes_per_second", "qos_max_iops", "tiers"),
    "datastore_load": ("latency_ms", "sioc_active_percent"),
    "datastore_throttle": ("latency_threshold_ms",),
    "device_queue": ("dsnro", "queue_depth", "sioc_enabled"),
    "storage_pod": ("default_behavior", "io_metric_in_force", "moves_by_itself"),
}
VIEWS = tuple(_COLUMNS)
"""The judged views that are asked."""
STEPS = ("step_datastore_place", "step_datastore_volume", "step_endpoint_reading", "step_volume_qos")
_FACTS = {
    "array": ("array_id", "family"),
    "array_pool": ("disks", "media", "name", "rpm"),
    "array_pool_load": ("disk_iops",),
    "array_volume": ("pool_id", "qos_curve", "qos_priority"),
    "array_volume_load": ("actual_iops", "bytes_per_second", "latency_us"),
    "datastore": ("block_size_kib", "free_bytes", "maintenance_mode", "name", "pod_id", "sioc_enabled", "sioc_supported", "type"),
    "datastore_extent": ("device",),
    "datastore_mount": ("accessible", "mounted"),
    "device_offload": ("clone_status",),
    "host": ("name",),
    "host_option": ("value",),
    "running_task": ("description_id", "entity_id", "progress_percent", "started_at", "target_datastore_id"),
    "vm": ("disks_read", "host_id", "name", "power_state"),
    "vm_disk": ("bus_sharing", "controller", "datastore_id", "disk", "disk_key", "file", "is_thin", "rdm_mode", "size_bytes"),
}
"""The facts that are asked, and no others: what nobody asked for and was not read would count as a hole in what is."""
_OPTION = "DataMover.HardwareAcceleratedMove"

_MACHINE = """
SELECT v.endpoint, v.vm_id, v.name, v.host_id, h.name AS host, coalesce(v.disks_read, false) AS disks_read,
    coalesce(e.tasks_read, false) AS tasks_read, TRY_CAST(o.value AS BIGINT) AS option
FROM fact.vm AS v
LEFT JOIN fact.host AS h ON h.endpoint = v.endpoint AND h.host_id = v.host_id
LEFT JOIN fact.host_option AS o ON o.endpoint = v.endpoint AND o.host_id = v.host_id AND o.key = ?
LEFT JOIN step_endpoint_reading AS e ON e.endpoint = v.endpoint
WHERE v.endpoint = ? AND v.vm_id = ?
"""
_DISKS = """
SELECT disk, datastore_id, size_bytes, is_thin, file, rdm_mode,
    CASE
        WHEN bus_sharing IN ('physicalSharing', 'virtualSharing') THEN true
        WHEN bus_sharing = 'noSharing' OR controller IN ('ide', 'sata', 'nvme') THEN false
    END AS shares_bus
FROM fact.vm_disk
WHERE endpoint = ? AND vm_id = ?
ORDER BY disk_key, disk
"""
# IDE and SATA share no bus; nor does NVMe on a release that does not report it, before vSphere 8.0 U2. Source: docs/domain/facts.md#3-13.
_TASKS = """
SELECT t.task_id, t.description_id, t.description_id ILIKE '%relocate%' OR t.description_id ILIKE '%storagevmotion%', t.progress_percent,
    t.started_at, t.target_datastore_id, r.read_at
FROM fact.running_task AS t
LEFT JOIN fact.reading AS r ON r.endpoint = t.endpoint AND r.scope = '' AND r.topic = 'tasks'
WHERE t.endpoint = ? AND t.entity_id = ?
ORDER BY t.task_id
"""
_STORE = """
SELECT f.datastore_id, f.name, f.type, f.block_size_kib, f.free_bytes, f.maintenance_mode, p.array_key,
    coalesce(p.arrays, d.arrays) AS arrays,
    coalesce(p.family, CASE WHEN d.families NOT LIKE '%,%' THEN d.families END) AS family, d.tiers, d.qos, d.has_array_qos,
    d.qos_max_bytes_per_second AS max_bytes_per_second, d.qos_max_iops AS max_iops, t.latency_threshold_ms,
    coalesce(f.sioc_enabled, CASE WHEN NOT f.sioc_supported OR f.type NOT IN ('VMFS', 'NFS') THEN false END) AS sioc_enabled,
    CASE WHEN f.pod_id IS NOT NULL THEN true WHEN e.datastores_read AND e.pods_read THEN false END AS is_in_pod,
    s.resource_name AS pod, s.io_metric_in_force, s.moves_by_itself, s.default_behavior AS behavior
FROM fact.datastore AS f
JOIN datastore AS d USING (endpoint, datastore_id)
LEFT JOIN step_endpoint_reading AS e ON e.endpoint = f.endpoint
LEFT JOIN step_datastore_place AS p ON p.endpoint = f.endpoint AND p.datastore_id = f.datastore_id
LEFT JOIN datastore_throttle AS t ON t.endpoint = f.endpoint AND t.datastore_id = f.datastore_id
LEFT JOIN storage_pod AS s ON s.endpoint = f.endpoint AND s.pod_id = f.pod_id
WHERE f.endpoint = ? AND f.datastore_id = ?
"""
_SEEN = """
SELECT m.mounted, m.accessible, h.latency_ms
FROM fact.datastore_mount AS m
LEFT JOIN datastore_load AS h ON h.endpoint = m.endpoint AND h.datastore_id = m.datastore_id AND h.host_id = m.host_id
WHERE m.endpoint = ? AND m.datastore_id = ? AND m.host_id = ?
"""
_ACTIVE = "SELECT max(sioc_active_percent) FROM datastore_load WHERE endpoint = ? AND datastore_id = ?"
_DEVICES = """
SELECT x.device, o.clone_status, CASE WHEN q.sioc_enabled OR q.dsnro IS NULL THEN q.queue_depth ELSE least(q.queue_depth, q.dsnro) END
FROM fact.datastore_extent AS x
LEFT JOIN fact.device_offload AS o ON o.endpoint = x.endpoint AND o.host_id = ? AND o.device = x.device
LEFT JOIN device_queue AS q ON q.endpoint = x.endpoint AND q.host_id = ? AND q.device = x.device
WHERE x.endpoint = ? AND x.datastore_id = ?
"""
_VOLUMES = f"""
SELECT b.array_endpoint, b.volume_id, b.volume, v.pool_id, q.qos_priority, q.volume_id IS NOT NULL AND q.is_whole AS is_whole,
    TRY(TRY_CAST(json_extract_string(v.qos_curve, '$."65536"') AS DOUBLE)) / 100, l.bytes_per_second, l.actual_iops, {LATENCY_MS}
FROM step_datastore_volume AS b
LEFT JOIN fact.array_volume AS v ON v.endpoint = b.array_endpoint AND v.volume_id = b.volume_id
LEFT JOIN step_volume_qos AS q ON q.endpoint = b.array_endpoint AND q.volume_id = b.volume_id
LEFT JOIN fact.array_volume_load AS l ON l.endpoint = b.array_endpoint AND l.volume_id = b.volume_id
WHERE b.endpoint = ? AND b.datastore_id = ?
ORDER BY b.volume
"""  # noqa: S608  what is put in is this program's own
_POOL = """
SELECT p.name, CASE WHEN p.media = 'hdd' THEN p.rpm END, p.disks, l.disk_iops
FROM fact.array_pool AS p
LEFT JOIN fact.array_pool_load AS l ON l.endpoint = p.endpoint AND l.pool_id = p.pool_id
WHERE p.endpoint = ? AND p.pool_id = ?
"""
_POOL_LOADS = f"""
SELECT l.actual_iops, {LATENCY_MS}
FROM fact.array_volume AS v
LEFT JOIN fact.array_volume_load AS l ON l.endpoint = v.endpoint AND l.volume_id = v.volume_id
WHERE v.endpoint = ? AND v.pool_id = ?
"""  # noqa: S608  likewise
_NEIGHBOURS = """
SELECT list(DISTINCT v.name ORDER BY v.name)[:5], count(DISTINCT v.vm_id)
FROM fact.vm_disk AS d
JOIN fact.vm AS v USING (endpoint, vm_id)
WHERE d.endpoint = ? AND d.datastore_id = ? AND d.vm_id <> ? AND v.power_state = 'poweredOn'
"""


def needed() -> Needs:
    """What has to be read of a fleet for a check."""
    return needs_of_columns(_COLUMNS.items()) | needs((table, column) for table, columns in _FACTS.items() for column in columns)


class Facts:
    """What a connection says of moves; `move` asks `VIEWS` and `STEPS` as well, the others facts alone."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def machines(self) -> list[tuple[str, str, str]]:
        """Endpoint, id and name of every machine."""
        return self._rows("SELECT endpoint, vm_id, name FROM fact.vm ORDER BY ALL")

    def stores(self) -> list[tuple[str, str, str]]:
        """Endpoint, id and name of every datastore."""
        return self._rows("SELECT endpoint, datastore_id, name FROM fact.datastore ORDER BY ALL")

    def move(self, endpoint: str, vm_id: str, datastore_id: str) -> Move:
        """All that is known of the move of a machine of a vCenter to a datastore there."""
        machine = self._machine(endpoint, vm_id)
        named = {disk.datastore_id for disk in machine.copied if disk.datastore_id is not None and disk.datastore_id != datastore_id}
        stores = {one: store for one in sorted(named) if (store := self._store(machine, one, is_target=False)) is not None}
        target = self._store(machine, datastore_id, is_target=True)
        return Move(machine, stores, target or Store(endpoint, datastore_id, datastore_id))

    def has_moves(self) -> bool:
        """Whether a task runs, or is queued: of moves that advance two readings are compared."""
        return bool(self._rows("SELECT 1 FROM fact.running_task LIMIT 1"))

    def moves_to(self, endpoint: str, datastore_id: str) -> list[str]:
        """The machines that are being moved to a datastore."""
        rows = self._rows(
            "SELECT DISTINCT entity_id FROM fact.running_task WHERE endpoint = ? AND target_datastore_id = ? AND entity_id IS NOT NULL",
            endpoint,
            datastore_id,
        )
        return sorted(row[0] for row in rows)

    def _machine(self, endpoint: str, vm_id: str) -> Machine:
        [row] = self._named(_MACHINE, _OPTION, endpoint, vm_id)
        option = row.pop("option")
        return Machine(
            **row,
            disks=tuple(Disk(*one) for one in self._rows(_DISKS, endpoint, vm_id)),
            tasks=tuple(Task(*one) for one in self._rows(_TASKS, endpoint, vm_id)),
            uses_offload=None if option is None else option == 1,
        )

    def _store(self, machine: Machine, datastore_id: str, *, is_target: bool) -> Store | None:
        key = (machine.endpoint, datastore_id)
        found = self._named(_STORE, *key)
        if not found:
            return None
        seen = self._rows(_SEEN, *key, machine.host_id)
        mounted, accessible, latency = seen[0] if seen else (None, None, None)
        is_mounted = None if mounted is None and accessible is None else mounted is not False and accessible is not False
        if (
            not seen
            and machine.host_id is not None
            and self._rows("SELECT datastores_read FROM step_endpoint_reading WHERE endpoint = ?", key[0]) == [(True,)]
        ):
            is_mounted = False
        devices = self._rows(_DEVICES, machine.host_id, machine.host_id, *key)
        clones = [None if status is None else status == "supported" for _, status, _ in devices]
        slots = min((depth for *_, depth in devices if depth is not None), default=None)
        volumes = self._rows(_VOLUMES, *key)
        waits = [one for one in (latency, *(row[9] for row in volumes)) if one is not None]
        rates = [row[7] for row in volumes]
        priorities = {row[4] for row in volumes if row[4] is not None}
        names, count = self._rows(_NEIGHBOURS, *key, machine.vm_id)[0]
        reads = self._rows("SELECT vms_read FROM step_endpoint_reading WHERE endpoint = ?", key[0]) == [(True,)]
        is_element, costs = found[0]["family"] == "solidfire", [row[6] for row in volumes]
        store = Store(
            endpoint=machine.endpoint,
            **found[0],
            is_mounted=is_mounted,
            can_clone=False if False in clones else True if clones and None not in clones else None,
            command_cost=1.0 if not is_element else None if None in costs or not costs else max(costs),
            priority=", ".join(sorted(priorities)) if priorities or all(row[5] for row in volumes) else None,
            sioc_active_percent=self._rows(_ACTIVE, *key)[0][0],
            latency_ms=float(max(waits)) if waits else None,
            bytes_per_second=None if None in rates or not rates else float(sum(rates)),
            slots=slots,
            devices=tuple(sorted({device for device, *_ in devices if device is not None})),
            neighbours=tuple(names or ()),
            neighbour_count=count if reads else None,
        )
        is_running = any(task.is_move for task in machine.tasks)
        return replace(store, pool=self._pool(store, volumes, is_target=is_target, is_running=is_running))

    def _pool(self, store: Store, volumes: Sequence[tuple[Any, ...]], *, is_target: bool, is_running: bool) -> End | None:
        """What shares the disks of a datastore: its pool, or, where no pool is known, its own volumes."""
        if not volumes or any(row[1] is None for row in volumes):
            return None
        array, pool_id = volumes[0][0], volumes[0][3]
        reads = min(READS_OF_A_COPY, store.slots or READS_OF_A_COPY)
        if pool_id is None or any(row[3] != pool_id for row in volumes):
            loads = tuple(Load(row[8], None if row[9] is None else float(row[9])) for row in volumes)
            return End(array, store.name, is_running, float(reads), store.slots, loads, is_target=is_target)
        [about] = self._rows(_POOL, array, pool_id) or [(pool_id, None, None, None)]
        loads = tuple(Load(rate, None if wait is None else float(wait)) for rate, wait in self._rows(_POOL_LOADS, array, pool_id))
        name, rpm, disks, disk_iops = about
        return End(array, name, is_running, float(reads), store.slots, loads, rpm, disks, disk_iops, is_target)

    def _rows(self, text: str, *bound: object) -> list[tuple[Any, ...]]:
        return self._connection.execute(text, bound).fetchall()

    def _named(self, text: str, *bound: object) -> list[dict[str, Any]]:
        answer = self._connection.execute(text, bound)
        names = [column[0] for column in answer.description or ()]
        return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]
