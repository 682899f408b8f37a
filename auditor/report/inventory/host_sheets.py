"""The sheets of hosts, their adapters, devices and paths."""

from __future__ import annotations

from auditor.report.inventory.sheet import NOT_REPORTED, Column, Sheet

_READ = (
    "LEFT JOIN host_read AS hr ON hr.endpoint = h.endpoint AND hr.host_id = h.host_id "
    "LEFT JOIN endpoint_read AS er ON er.endpoint = h.endpoint"
)
_HOST = (
    Column("vcenter", "vCenter", "h.endpoint"),
    Column("cluster", "Cluster", "h.cluster", "hosts", (("h.cluster_id IS NULL", "in none"),)),
    Column("host", "Host", "h.name", "", NOT_REPORTED),
)
_OF_HOST = "JOIN fact.host AS h ON h.endpoint = x.endpoint AND h.host_id = x.host_id"


def gib(column: str) -> str:
    """The SQL of a size in GiB, to three places."""
    return f"round({column} / 1073741824.0, 3)"


def _count(of: str, topic: str, where: str = "") -> str:
    """The SQL of a number of rows of a host: 0 only where the topic was read whole."""
    counted = f"(SELECT endpoint, host_id, count(*){where} AS n FROM fact.{of} GROUP BY endpoint, host_id)"
    return f"LEFT JOIN {counted} AS {topic} ON {topic}.endpoint = h.endpoint AND {topic}.host_id = h.host_id"


def _counted(name: str, topic: str) -> str:
    return f"CASE WHEN hr.{topic} THEN coalesce({name}.n, 0) END"


HOSTS = Sheet(
    "Hosts",
    "One row per ESXi host, connected or not.",
    "FROM fact.host AS h "
    f"{_READ} {_count('hba', 'n_hbas')} {_count('device', 'n_devices')} {_count('path', 'n_paths')} "
    + _count("path", "n_dead", " FILTER (WHERE state = 'dead')"),
    "c0, c1 NULLS FIRST, c2",
    (
        *_HOST,
        Column("version", "ESXi version", "h.version", "", NOT_REPORTED),
        Column("build", "ESXi build", "h.build", "", NOT_REPORTED),
        Column("connection", "Connection", "h.connection_state", "", NOT_REPORTED),
        Column("is_in_maintenance_mode", "In maintenance mode", "h.in_maintenance_mode", "", NOT_REPORTED),
        Column("booted_at", "Booted (UTC)", "h.boot_time", "", NOT_REPORTED),
        Column("is_vsan_enabled", "vSAN", "h.vsan_enabled", "", NOT_REPORTED),
        Column("is_software_iscsi_enabled", "Software iSCSI", "h.software_iscsi", "", NOT_REPORTED),
        Column("adapters", "Storage adapters (count)", _counted("n_hbas", "hbas"), "hbas"),
        Column("devices", "Devices (count)", _counted("n_devices", "devices"), "devices"),
        Column("paths", "Paths (count)", _counted("n_paths", "paths"), "paths"),
        Column("dead_paths", "Dead paths (count)", _counted("n_dead", "paths"), "paths"),
        Column("read_at", "Read at (UTC)", "hr.read_at", "", NOT_REPORTED),
    ),
    ("host", "hba", "device", "path"),
)

FIRMWARE = (
    ("x.kind = 'fc'", "not asked: esxcli storage san fc list on the host says it"),
    ("x.kind = 'iscsi' AND NOT x.is_software", "not asked: esxcli iscsi adapter get on the host says it"),
    ("x.is_software", "none: it is software"),
    ("true", "not asked: the vSphere API has it of no adapter"),
)
"""Why the firmware of an adapter is not known: no property of HostHostBusAdapter has it, and a question to each host would be one more.

Source: vSphere Web Services API, HostHostBusAdapter and its subtypes; the field Firmware Version of those two commands, by which public
scripts list adapters (`$esxcli.storage.san.fc.list()`).
"""

ADAPTERS = Sheet(
    "Adapters",
    "One row per storage adapter of a host, with its driver.",
    f"FROM fact.hba AS x {_OF_HOST} {_READ} "
    "LEFT JOIN fact.host_module AS m ON m.endpoint = x.endpoint AND m.host_id = x.host_id AND m.module = x.driver",
    "c0, c1 NULLS FIRST, c2, c3",
    (
        *_HOST,
        Column("adapter", "Adapter", "x.hba"),
        Column("kind", "Kind", "x.kind", "hbas", NOT_REPORTED),
        Column("model", "Model", "x.model", "hbas", NOT_REPORTED),
        Column("driver", "Driver", "x.driver", "hbas", NOT_REPORTED),
        Column("driver_version", "Driver version", "m.version", "modules", NOT_REPORTED),
        Column("firmware", "Firmware", "x.firmware", "hbas", FIRMWARE),
        Column("status", "Status", "x.status", "hbas", NOT_REPORTED),
        Column("initiator", "WWPN or IQN", "x.initiator", "hbas", NOT_REPORTED, "x.kind IN ('fc', 'fcoe', 'iscsi')"),
        Column(
            "module_options",
            "Module options (at the next boot)",
            "nullif(m.option_string, '')",
            "modules",
            (("m.option_string = ''", "none set"), ("true", "not reported")),
        ),
    ),
    ("host", "hba", "host_module"),
)

_PATHS_OF_DEVICE = (
    "LEFT JOIN (SELECT endpoint, host_id, device, count(*) AS paths, count(*) FILTER (WHERE state = 'dead') AS dead, "
    "CASE WHEN count(DISTINCT psp) = 1 THEN min(psp) END AS psp, "
    "CASE WHEN count(DISTINCT satp) = 1 THEN min(satp) END AS satp FROM fact.path GROUP BY endpoint, host_id, device) AS p "
    "ON p.endpoint = x.endpoint AND p.host_id = x.host_id AND p.device = x.device"
)
ARRAY_OF_DEVICE = (
    "(SELECT device, string_agg(DISTINCT endpoint, ', ' ORDER BY endpoint) AS arrays, "
    "string_agg(DISTINCT name, ', ' ORDER BY name) AS volumes "
    "FROM (SELECT endpoint, device, name FROM fact.array_volume UNION ALL "
    "SELECT endpoint, device, 'protocol endpoint' FROM fact.array_protocol_endpoint) WHERE device IS NOT NULL GROUP BY device)"
)
OFF_ARRAY = (("true", "no volume of an array that was read"),)

DEVICES = Sheet(
    "Devices",
    "One row per block device or protocol endpoint on a host, with both queues, and its path policy.",
    f"FROM fact.device AS x {_OF_HOST} {_READ} "
    "LEFT JOIN fact.device_scheduling AS s ON s.endpoint = x.endpoint AND s.host_id = x.host_id AND s.device = x.device "
    "LEFT JOIN fact.device_policy AS n ON n.endpoint = x.endpoint AND n.host_id = x.host_id AND n.device = x.device "
    f"{_PATHS_OF_DEVICE} LEFT JOIN {ARRAY_OF_DEVICE} AS v ON v.device = x.device",
    "c0, c1 NULLS FIRST, c2, c3",
    (
        *_HOST,
        Column("device", "Device", "x.device"),
        Column("display_name", "Display name", "nullif(x.display_name, '')", "devices", NOT_REPORTED),
        Column("vendor", "Vendor", "nullif(x.vendor, '')", "devices", NOT_REPORTED),
        Column("model", "Model", "nullif(x.model, '')", "devices", NOT_REPORTED),
        Column("revision", "Revision", "nullif(x.revision, '')", "devices", NOT_REPORTED),
        Column("type", "Type", "x.device_type", "devices", NOT_REPORTED),
        Column("is_protocol_endpoint", "Protocol endpoint", "coalesce(x.is_protocol_endpoint, s.is_vvol_pe)", "devices", NOT_REPORTED),
        Column("size_gib", "Size (GiB)", gib("x.size_bytes"), "devices", NOT_REPORTED, "x.device_type = 'disk'"),
        Column("is_local", "Local", "x.is_local", "devices", NOT_REPORTED, "x.device_type = 'disk'"),
        Column("is_ssd", "SSD", "x.is_ssd", "devices", NOT_REPORTED, "x.device_type = 'disk'"),
        Column("state", "State", "nullif(x.operational_state, '')", "devices", NOT_REPORTED),
        Column("queue_depth", "Queue depth (commands)", "coalesce(x.queue_depth, s.esxcli_queue_depth)", "devices", NOT_REPORTED),
        Column("dsnro", "DSNRO (commands)", "s.dsnro", "device_scheduling", NOT_REPORTED),
        Column("multipath_plugin", "Multipath plugin", "nullif(s.multipath_plugin, '')", "device_scheduling", NOT_REPORTED),
        Column("psp", "PSP", "nullif(coalesce(n.psp, p.psp), '')", "paths", NOT_REPORTED),
        Column("satp", "SATP", "nullif(coalesce(n.satp, p.satp), '')", "paths", NOT_REPORTED),
        Column("rr_iops", "Round robin (I/Os a path)", "n.rr_iops", "multipathing", NOT_REPORTED, "n.rr_policy IN ('rr', 'iops')"),
        Column("rr_bytes", "Round robin (bytes a path)", "n.rr_bytes", "multipathing", NOT_REPORTED, "n.rr_policy = 'bytes'"),
        Column("paths", "Paths (count)", "CASE WHEN hr.paths THEN coalesce(p.paths, 0) END", "paths"),
        Column("dead_paths", "Dead paths (count)", "CASE WHEN hr.paths THEN coalesce(p.dead, 0) END", "paths"),
        Column("array", "Array", "v.arrays", "", OFF_ARRAY, "NOT coalesce(x.is_local, false)"),
        Column("volume", "Array volume", "v.volumes", "", OFF_ARRAY, "NOT coalesce(x.is_local, false)"),
    ),
    ("host", "device", "device_scheduling", "device_policy", "path", "array_volume", "array_protocol_endpoint"),
)

PATHS = Sheet(
    "Paths",
    "One row per path of a device on a host.",
    f"FROM fact.path AS x {_OF_HOST} {_READ}",
    "c0, c1 NULLS FIRST, c2, c3, c4, c5",
    (
        *_HOST,
        Column("device", "Device", "x.device"),
        Column("adapter", "Adapter", "x.hba"),
        Column("path", "Path", "x.path", "paths", NOT_REPORTED),
        Column("state", "State", "x.state", "paths", NOT_REPORTED),
        Column("is_working", "In use", "x.is_working", "paths", NOT_REPORTED),
        Column("transport", "Transport", "x.transport", "paths", NOT_REPORTED),
        Column("target", "Target (WWPN or IQN)", "x.target", "paths", NOT_REPORTED, "x.transport IN ('fc', 'fcoe', 'iscsi')"),
    ),
    ("host", "path"),
)
