"""The sheets of datastores, virtual disks and arrays."""

from __future__ import annotations

from auditor.report.inventory.host_sheets import ARRAY_OF_DEVICE, OFF_ARRAY, gib
from auditor.report.inventory.sheet import NOT_REPORTED, Column, Sheet

_VMFS = "x.type = 'VMFS'"
_NFS = "x.type IN ('NFS', 'NFS41')"

DATASTORES = Sheet(
    "Datastores",
    "One row per datastore of a vCenter.",
    "FROM fact.datastore AS x LEFT JOIN endpoint_read AS er ON er.endpoint = x.endpoint "
    "LEFT JOIN (SELECT endpoint, pod_id, any_value(name) AS name FROM fact.storage_pod GROUP BY endpoint, pod_id) AS o "
    "ON o.endpoint = x.endpoint AND o.pod_id = x.pod_id "
    "LEFT JOIN (SELECT e.endpoint, e.datastore_id, count(*) AS extents, string_agg(e.device, ', ' ORDER BY e.device) AS devices, "
    "string_agg(DISTINCT v.arrays, ', ' ORDER BY v.arrays) AS arrays, string_agg(DISTINCT v.volumes, ', ' ORDER BY v.volumes) AS volumes "
    f"FROM fact.datastore_extent AS e LEFT JOIN {ARRAY_OF_DEVICE} AS v ON v.device = e.device GROUP BY e.endpoint, e.datastore_id) AS d "
    "ON d.endpoint = x.endpoint AND d.datastore_id = x.datastore_id "
    "LEFT JOIN (SELECT endpoint, datastore_id, count(*) AS hosts FROM fact.datastore_mount GROUP BY endpoint, datastore_id) AS m "
    "ON m.endpoint = x.endpoint AND m.datastore_id = x.datastore_id",
    "c0, c1, c2",
    (
        Column("vcenter", "vCenter", "x.endpoint"),
        Column("datastore", "Datastore", "x.name", "datastores", NOT_REPORTED),
        Column("type", "Type", "x.type", "datastores", NOT_REPORTED),
        Column("vmfs_version", "VMFS version", "x.vmfs_version", "datastores", NOT_REPORTED, _VMFS),
        Column("size_gib", "Capacity (GiB)", gib("x.size_bytes"), "datastores", NOT_REPORTED),
        Column("is_accessible", "Accessible", "x.accessible", "datastores", NOT_REPORTED),
        Column("maintenance_mode", "Maintenance mode", "x.maintenance_mode", "datastores", NOT_REPORTED),
        Column("hosts", "Hosts (count)", "CASE WHEN er.datastores THEN coalesce(m.hosts, 0) END", "datastores"),
        Column(
            "datastore_cluster",
            "Datastore cluster",
            "o.name",
            "datastores",
            (("x.pod_id IS NULL", "in none"), ("NOT coalesce(er.pods, false)", "not read"), ("true", "not reported")),
        ),
        Column("extents", "Extents (count)", "d.extents", "datastores", NOT_REPORTED, _VMFS),
        Column("devices", "Devices", "d.devices", "datastores", NOT_REPORTED, _VMFS),
        Column("array", "Array", "d.arrays", "", OFF_ARRAY, _VMFS),
        Column("volume", "Array volume", "d.volumes", "", OFF_ARRAY, _VMFS),
        Column("nfs_server", "NFS server", "x.nfs_host", "datastores", NOT_REPORTED, _NFS),
        Column("nfs_path", "NFS path", "x.nfs_path", "datastores", NOT_REPORTED, _NFS),
        Column("is_sioc_enabled", "Storage I/O Control", "x.sioc_enabled", "datastores", NOT_REPORTED),
        Column("sioc_mode", "SIOC mode", "x.sioc_mode", "datastores", NOT_REPORTED, "x.sioc_enabled"),
        Column("sioc_threshold_ms", "SIOC threshold (ms)", "x.sioc_threshold_ms", "datastores", NOT_REPORTED, "x.sioc_enabled"),
    ),
    ("datastore", "datastore_extent", "datastore_mount", "storage_pod", "array_volume", "array_protocol_endpoint"),
)

_UNREAD = ("x.vm_id IS NULL", "not read")
_OF_DISK = (_UNREAD, *NOT_REPORTED)

_OF_MACHINE = (("h.host_id IS NOT NULL AND h.cluster_id IS NULL", "in none"), ("true", "not reported"))

VIRTUAL_DISKS = Sheet(
    "Virtual disks",
    "One row per virtual disk of a machine; one without a disk for a machine whose disks could not be read.",
    "FROM fact.vm AS v LEFT JOIN fact.vm_disk AS x ON x.endpoint = v.endpoint AND x.vm_id = v.vm_id "
    "LEFT JOIN fact.host AS h ON h.endpoint = v.endpoint AND h.host_id = v.host_id "
    "LEFT JOIN fact.datastore AS d ON d.endpoint = x.endpoint AND d.datastore_id = x.datastore_id "
    "LEFT JOIN endpoint_read AS er ON er.endpoint = v.endpoint "
    "WHERE x.vm_id IS NOT NULL OR v.disks_read IS NOT TRUE",
    "c0, c3, c4, c13",
    (
        Column("vcenter", "vCenter", "v.endpoint"),
        Column(
            "cluster",
            "Cluster",
            "h.cluster",
            "vms",
            _OF_MACHINE,
        ),
        Column("host", "Host", "h.name", "vms", NOT_REPORTED),
        Column("machine", "Machine", "v.name", "vms", NOT_REPORTED),
        Column("disk", "Disk", "x.disk", "vms", _OF_DISK),
        Column("power_state", "Power state", "v.power_state", "vms", NOT_REPORTED),
        Column("datastore", "Datastore", "d.name", "vms", _OF_DISK, "x.datastore_id IS NOT NULL OR x.vm_id IS NULL"),
        Column("controller", "Controller", "x.controller", "vms", _OF_DISK),
        Column("size_gib", "Size (GiB)", gib("x.size_bytes"), "vms", _OF_DISK),
        Column("is_thin", "Thin", "x.is_thin", "vms", _OF_DISK),
        Column("iops_limit", "IOPS limit (32 KiB I/Os a second)", "x.iops_limit", "vms", (_UNREAD, ("true", "no limit"))),
        Column("shares_level", "Shares", "x.shares_level", "vms", _OF_DISK),
        Column("mapped_device", "Mapped device (RDM)", "x.rdm_device", "vms", _OF_DISK, "x.rdm_mode IS NOT NULL"),
        Column("file", "File", "nullif(x.file, '')", "vms", _OF_DISK),
    ),
    ("vm", "vm_disk", "host", "datastore"),
)

_ARRAY = (
    Column("array", "Array", "x.endpoint"),
    Column("family", "Family", "(SELECT any_value(family) FROM fact.array AS f WHERE f.endpoint = x.endpoint)", "array", NOT_REPORTED),
)
_READ = "LEFT JOIN endpoint_read AS er ON er.endpoint = x.endpoint"

ARRAYS = Sheet(
    "Arrays",
    "One row per storage array that answered.",
    f"FROM fact.array AS x {_READ} LEFT JOIN (SELECT endpoint, count(*) AS n FROM fact.array_node GROUP BY endpoint) AS c "
    "ON c.endpoint = x.endpoint",
    "c0, c2",
    (
        Column("array", "Array", "x.endpoint"),
        Column("family", "Family", "x.family", "array", NOT_REPORTED),
        Column("name", "Name on the array", "x.name", "array", NOT_REPORTED),
        Column("model", "Model", "x.model", "array", NOT_REPORTED),
        Column("generation", "Generation", "x.generation", "array", NOT_REPORTED, "x.family = 'eternus-dx'"),
        Column("version", "Version", "x.version", "array", NOT_REPORTED),
        Column("array_id", "Id on the array", "x.array_id", "array", NOT_REPORTED),
        Column("nodes", "Nodes (count)", "CASE WHEN er.nodes THEN coalesce(c.n, 0) END", "nodes"),
    ),
    ("array", "array_node"),
)

POOLS = Sheet(
    "Pools",
    "One row per pool, aggregate or RAID group of an array, with its disks.",
    f"FROM fact.array_pool AS x {_READ}",
    "c0, c2, c3",
    (
        *_ARRAY,
        Column("pool", "Pool", "x.name", "pools", NOT_REPORTED),
        Column("pool_id", "Pool id", "x.pool_id"),
        Column("node", "Node", "x.node_id", "pools", NOT_REPORTED),
        Column("media", "Media", "x.media", "pools", NOT_REPORTED),
        Column("rpm", "Speed (rpm)", "x.rpm", "pools", NOT_REPORTED, "x.media IS DISTINCT FROM 'ssd'"),
        Column("disks", "Disks (count)", "x.disks", "pools", NOT_REPORTED),
        Column("data_disks", "Data disks (count)", "x.data_disks", "pools", NOT_REPORTED),
        Column("raid_type", "RAID", "x.raid_type", "pools", NOT_REPORTED),
        Column("size_gib", "Size (GiB)", gib("x.size_bytes"), "pools", NOT_REPORTED),
    ),
    ("array", "array_pool"),
)

_UNDERSTOOD = (("x.qos_read", "none"), ("true", "not understood"))
_POLICY_NAME = (("x.qos_policy_id IS NULL AND x.qos_read", "none"), ("true", "not understood"))
_CEILING = (
    ("NOT coalesce(x.qos_read, false)", "not understood"),
    ("q.kind IN ('adaptive', 'density')", "it follows the size"),
    ("NOT x.qos_levels_read", "none of its own, and other levels were not read"),
    ("true", "no limit"),
)
_GROUP = (
    ("NOT coalesce(x.qos_read, false)", "not understood"),
    ("g.kind IN ('adaptive', 'density')", "it follows the size"),
    ("true", "no limit"),
)
_GROUPED = "x.qos_group_id IS NOT NULL OR NOT coalesce(x.qos_read, false)"
_POLICY = "(SELECT endpoint, policy_id, any_value(kind) AS kind FROM fact.array_qos_policy GROUP BY endpoint, policy_id)"

VOLUMES = Sheet(
    "Volumes",
    "One row per volume, LUN, share or virtual volume of an array, with its QoS.",
    f"FROM fact.array_volume AS x {_READ} "
    "LEFT JOIN (SELECT endpoint, pool_id, any_value(name) AS name FROM fact.array_pool GROUP BY endpoint, pool_id) AS p "
    "ON p.endpoint = x.endpoint AND p.pool_id = x.pool_id "
    f"LEFT JOIN {_POLICY} AS q ON q.endpoint = x.endpoint AND q.policy_id = x.qos_policy_id "
    f"LEFT JOIN {_POLICY} AS g ON g.endpoint = x.endpoint AND g.policy_id = x.qos_group_id",
    "c0, c2, c3",
    (
        *_ARRAY,
        Column("volume", "Volume", "x.name", "volumes", NOT_REPORTED),
        Column("volume_id", "Volume id", "x.volume_id"),
        Column("kind", "Kind", "x.kind", "volumes", NOT_REPORTED),
        Column("device", "Device", "x.device", "volumes", NOT_REPORTED, "x.kind = 'lun'"),
        Column("serial", "Serial number", "x.serial", "volumes", NOT_REPORTED),
        Column("status", "Status", "x.status", "volumes", NOT_REPORTED),
        Column("size_gib", "Size (GiB)", gib("x.size_bytes"), "volumes", NOT_REPORTED),
        Column("used_gib", "Used (GiB)", gib("x.used_bytes"), "volumes", NOT_REPORTED),
        Column("pool", "Pool", "coalesce(p.name, x.pool_id)", "volumes", NOT_REPORTED),
        Column("svm", "SVM", "x.svm", "volumes", NOT_REPORTED, "x.kind = 'share'"),
        Column(
            "qos_policy",
            "QoS policy",
            "x.qos_policy",
            "volumes",
            _POLICY_NAME,
        ),
        Column("is_qos_shared", "QoS limits are shared", "x.qos_shared", "volumes", NOT_REPORTED, "x.qos_policy_id IS NOT NULL"),
        Column("qos_min_iops", "QoS minimum (IOPS)", "x.qos_min_iops", "volumes", _UNDERSTOOD),
        Column("qos_max_iops", "QoS limit (IOPS)", "x.qos_max_iops", "volumes", _CEILING),
        Column("qos_burst_iops", "QoS burst (IOPS)", "x.qos_burst_iops", "volumes", _CEILING),
        Column("qos_max_bytes_per_second", "QoS limit (bytes a second)", "x.qos_max_bytes_per_second", "volumes", _CEILING),
        Column("qos_priority", "QoS priority", "x.qos_priority", "volumes", _UNDERSTOOD),
        Column("qos_group", "QoS group", "x.qos_group", "volumes", _UNDERSTOOD),
        Column("qos_group_max_iops", "QoS limit of the group (IOPS)", "x.qos_group_max_iops", "volumes", _GROUP, _GROUPED),
        Column(
            "qos_group_max_bytes_per_second",
            "QoS limit of the group (bytes a second)",
            "x.qos_group_max_bytes_per_second",
            "volumes",
            _GROUP,
            _GROUPED,
        ),
    ),
    ("array", "array_volume", "array_pool", "array_qos_policy"),
)

GAPS = Sheet(
    "Gaps",
    "One row per thing that could not be read.",
    "FROM fact.gap AS x",
    "c0, c1, c2",
    (Column("endpoint", "Endpoint", "x.endpoint"), Column("what", "What", "x.what"), Column("why", "Why", "x.why")),
    (),
)
