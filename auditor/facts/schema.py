"""The fact tables: what collectors fill and views join.

A cell is NULL only when the fact could not be read or does not exist for that row; the column's text says which. Whether a whole topic
was read for a host or an endpoint stands in the table `reading`, so that "none found" and "not asked" stay two things.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class Column:
    """One fact of a row."""

    name: str
    type: str  # DuckDB type
    what: str  # what it is, its unit, what NULL means, and where it is read


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of one kind."""

    name: str
    what: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The column names in order."""
        return tuple(column.name for column in self.columns)


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows of one table as columns of equal length; a column left out is NULL in every row."""

    table: str
    columns: Mapping[str, Sequence[Any]]


def _table(name: str, what: str, *columns: tuple[str, str, str]) -> Table:
    return Table(name, what, tuple(Column(*column) for column in columns))


_ENDPOINT = ("endpoint", "VARCHAR", "name of the endpoint in fleet.yaml")
_HOST = ("host_id", "VARCHAR", "managed object id of the host, for example host-12")
_DEVICE = ("device", "VARCHAR", "canonical name, for example naa.6f47acc2...; ScsiLun.canonicalName")

_TABLES = (
    _table(
        "reading",
        "What was asked and whether the whole answer arrived; a topic without a row was never asked.",
        _ENDPOINT,
        ("scope", "VARCHAR", "host_id for topics of one host, '' for topics of the endpoint"),
        ("topic", "VARCHAR", "one of TOPICS"),
        ("complete", "BOOLEAN", "true when the whole topic was read"),
        ("read_at", "TIMESTAMPTZ", "when the answer arrived, UTC"),
    ),
    _table(
        "host",
        "ESXi hosts a vCenter knows, connected or not.",
        _ENDPOINT,
        _HOST,
        ("name", "VARCHAR", "HostSystem.name"),
        ("cluster_id", "VARCHAR", "managed object id of the cluster; NULL for a standalone host"),
        ("cluster", "VARCHAR", "cluster name; NULL for a standalone host"),
        ("version", "VARCHAR", "for example 8.0.2; summary.config.product.version"),
        ("build", "BIGINT", "summary.config.product.build"),
        ("connection_state", "VARCHAR", "connected | notResponding | disconnected; runtime.connectionState"),
        ("power_state", "VARCHAR", "runtime.powerState"),
        ("in_maintenance_mode", "BOOLEAN", "runtime.inMaintenanceMode"),
        ("boot_time", "TIMESTAMPTZ", "runtime.bootTime; NULL when the host does not tell"),
        ("vsan_enabled", "BOOLEAN", "config.vsanHostConfig.enabled; NULL when not readable"),
        ("software_iscsi", "BOOLEAN", "config.storageDevice.softwareInternetScsiEnabled"),
    ),
    _table(
        "host_option",
        "Advanced options of a host.",
        _ENDPOINT,
        _HOST,
        ("key", "VARCHAR", "for example DataMover.HardwareAcceleratedInit"),
        ("value", "VARCHAR", "the value as text"),
        ("value_type", "VARCHAR", "long | int | string | boolean; the wire type, which a write must repeat"),
    ),
    _table(
        "host_module",
        "Kernel modules of a host that storage adapters use.",
        _ENDPOINT,
        _HOST,
        ("module", "VARCHAR", "for example iscsi_vmk; KernelModuleInfo.name"),
        ("loaded", "BOOLEAN", "KernelModuleInfo.loaded"),
        ("option_string", "VARCHAR", "configured for the next load, '' when none; QueryConfiguredModuleOptionString"),
    ),
    _table(
        "host_module_parameter",
        "Parameters a module knows, and their configured values; esxcli system module parameters list.",
        _ENDPOINT,
        _HOST,
        ("module", "VARCHAR", "KernelModuleInfo.name"),
        ("name", "VARCHAR", "for example iscsivmk_LunQDepth"),
        ("type", "VARCHAR", "int | string | ..."),
        ("value", "VARCHAR", "configured value as text; NULL when unset"),
        ("description", "VARCHAR", "the module's own help text"),
    ),
    _table(
        "hba",
        "Storage adapters; config.storageDevice.hostBusAdapter.",
        _ENDPOINT,
        _HOST,
        ("hba", "VARCHAR", "for example vmhba64"),
        ("driver", "VARCHAR", "kernel module, for example iscsi_vmk; NULL when not told"),
        ("model", "VARCHAR", ""),
        ("kind", "VARCHAR", "iscsi | fc | fcoe | nvme | block"),
        ("status", "VARCHAR", "online | offline | unknown | ..."),
        ("is_software", "BOOLEAN", "software iSCSI adapter; NULL for others"),
        ("initiator", "VARCHAR", "IQN or WWPN, lower case; NULL when neither"),
        ("delayed_ack", "BOOLEAN", "adapter-wide DelayedAck; NULL when the adapter does not have or tell it"),
    ),
    _table(
        "iscsi_target",
        "Targets configured on an iSCSI adapter, send targets and static ones.",
        _ENDPOINT,
        _HOST,
        ("hba", "VARCHAR", ""),
        ("kind", "VARCHAR", "send | static"),
        ("address", "VARCHAR", "portal address"),
        ("port", "BIGINT", "portal port"),
        ("iqn", "VARCHAR", "target name; NULL for a send target"),
        ("delayed_ack", "BOOLEAN", "value in the target's own advancedOptions; NULL when it does not tell"),
        ("delayed_ack_inherited", "BOOLEAN", "true when the value comes from the adapter or the send target; NULL when it does not tell"),
    ),
    _table(
        "device",
        "Block devices and protocol endpoints as the VIM API tells them; config.storageDevice.scsiLun.",
        _ENDPOINT,
        _HOST,
        _DEVICE,
        ("display_name", "VARCHAR", ""),
        ("vendor", "VARCHAR", "inquiry vendor, trimmed"),
        ("model", "VARCHAR", "inquiry product, trimmed"),
        ("revision", "VARCHAR", "inquiry revision, trimmed"),
        ("device_type", "VARCHAR", "disk | cdrom | ...; ScsiLun.lunType"),
        ("is_protocol_endpoint", "BOOLEAN", "ScsiLun.protocolEndpoint; NULL when the server does not tell"),
        ("queue_depth", "BIGINT", "commands; Device Max Queue Depth, ScsiLun.queueDepth; NULL when not told"),
        ("vstorage_support", "VARCHAR", "vStorageSupported | vStorageUnsupported | vStorageUnknown"),
        ("is_local", "BOOLEAN", "ScsiDisk.localDisk; NULL when not a disk"),
        ("is_ssd", "BOOLEAN", "ScsiDisk.ssd; NULL when not a disk"),
        ("size_bytes", "BIGINT", "NULL when not a disk"),
        ("operational_state", "VARCHAR", "comma-separated ScsiLun.operationalState"),
    ),
    _table(
        "device_scheduling",
        "What only esxcli storage core device list tells.",
        _ENDPOINT,
        _HOST,
        _DEVICE,
        ("dsnro", "BIGINT", "commands; No of outstanding IOs with competing worlds"),
        ("esxcli_queue_depth", "BIGINT", "commands; Device Max Queue Depth as esxcli tells it"),
        ("is_vvol_pe", "BOOLEAN", "Is VVOL PE; NULL on builds that do not tell"),
        ("multipath_plugin", "VARCHAR", "NMP | HPP | ..."),
        ("queue_full_sample_size", "BIGINT", ""),
        ("queue_full_threshold", "BIGINT", ""),
        ("vaai_status", "VARCHAR", "supported | unsupported | unknown"),
    ),
    _table(
        "device_offload",
        "esxcli storage core device vaai status get.",
        _ENDPOINT,
        _HOST,
        _DEVICE,
        ("vaai_plugin", "VARCHAR", "VAAI Plugin Name; '' when none"),
        ("ats_status", "VARCHAR", "supported | unsupported"),
        ("clone_status", "VARCHAR", "supported | unsupported"),
        ("zero_status", "VARCHAR", "supported | unsupported"),
        ("delete_status", "VARCHAR", "supported | unsupported"),
    ),
    _table(
        "path",
        "Paths to devices; config.storageDevice.multipathInfo.",
        _ENDPOINT,
        _HOST,
        _DEVICE,
        ("hba", "VARCHAR", ""),
        ("path", "VARCHAR", "runtime or path name"),
        ("state", "VARCHAR", "active | standby | disabled | dead | unknown"),
        ("transport", "VARCHAR", "iscsi | fc | fcoe | sas | nvme | block"),
        ("target", "VARCHAR", "IQN or WWPN of the target, lower case; NULL when neither"),
        ("psp", "VARCHAR", "path selection policy of the device"),
        ("satp", "VARCHAR", "storage array type policy of the device"),
    ),
    _table(
        "vmfs_lockmode",
        "esxcli storage vmfs lockmode list.",
        _ENDPOINT,
        _HOST,
        ("volume_name", "VARCHAR", ""),
        ("vmfs_uuid", "VARCHAR", ""),
        ("locking_mode", "VARCHAR", "ATS | ATS+SCSI | ..."),
    ),
    _table(
        "datastore",
        "Datastores of a vCenter.",
        _ENDPOINT,
        ("datastore_id", "VARCHAR", "managed object id"),
        ("name", "VARCHAR", ""),
        ("type", "VARCHAR", "VMFS | NFS | NFS41 | VVOL | vsan; summary.type"),
        ("vmfs_uuid", "VARCHAR", "NULL when not VMFS"),
        ("vmfs_version", "VARCHAR", "for example 6.82; NULL when not VMFS"),
        ("vvol_container_id", "VARCHAR", "storage container id, lower case; NULL when not VVOL"),
        ("size_bytes", "BIGINT", ""),
        ("accessible", "BOOLEAN", ""),
        ("sioc_supported", "BOOLEAN", "capability.storageIORMSupported; NULL when not told"),
        ("sioc_enabled", "BOOLEAN", "iormConfiguration.enabled; NULL when not readable"),
        ("sioc_mode", "VARCHAR", "automatic | manual"),
        ("sioc_threshold_ms", "BIGINT", "milliseconds"),
        ("sioc_statistics_only", "BOOLEAN", "statsCollectionEnabled while not enabled"),
    ),
    _table(
        "datastore_extent",
        "Partitions a VMFS volume lies on.",
        _ENDPOINT,
        ("datastore_id", "VARCHAR", ""),
        _DEVICE,
        ("partition", "BIGINT", ""),
    ),
    _table(
        "datastore_mount",
        "Which host mounts which datastore.",
        _ENDPOINT,
        ("datastore_id", "VARCHAR", ""),
        _HOST,
        ("mounted", "BOOLEAN", ""),
        ("accessible", "BOOLEAN", ""),
    ),
    _table(
        "vvol_mount",
        "Protocol endpoints behind a vVol datastore on a host; VvolDatastoreInfo.vvolDS.hostPE.",
        _ENDPOINT,
        ("datastore_id", "VARCHAR", ""),
        _HOST,
        _DEVICE,
    ),
    _table(
        "vm",
        "Virtual machines.",
        _ENDPOINT,
        ("vm_id", "VARCHAR", ""),
        ("name", "VARCHAR", ""),
        _HOST,
        ("power_state", "VARCHAR", "poweredOn | poweredOff | suspended"),
        ("is_template", "BOOLEAN", ""),
        ("disks_read", "BOOLEAN", "false when config.hardware.device could not be read; the topic vms is whole all the same"),
    ),
    _table(
        "vm_disk",
        "Virtual disks of virtual machines.",
        _ENDPOINT,
        ("vm_id", "VARCHAR", ""),
        ("disk", "VARCHAR", "device label, for example Hard disk 1"),
        ("datastore_id", "VARCHAR", "NULL for a raw device mapping without a datastore"),
        ("controller", "VARCHAR", "pvscsi | lsilogic | lsilogic-sas | buslogic | nvme | sata | ide"),
        ("size_bytes", "BIGINT", ""),
        ("iops_limit", "BIGINT", "host-side limit at 32 KiB; NULL when unlimited"),
        ("backing_object_id", "VARCHAR", "vVol id; NULL when not a vVol"),
        ("file", "VARCHAR", "backing file name"),
    ),
    _table(
        "array",
        "Storage arrays that answered.",
        _ENDPOINT,
        ("family", "VARCHAR", "a name of the family table, for example solidfire"),
        ("name", "VARCHAR", "the array's own name"),
        ("array_id", "VARCHAR", "unique id as the array tells it"),
        ("version", "VARCHAR", "operating software"),
    ),
    _table(
        "array_node",
        "Storage nodes or controllers of an array.",
        _ENDPOINT,
        ("node_id", "VARCHAR", ""),
        ("name", "VARCHAR", ""),
        ("state", "VARCHAR", "active | pending | ..."),
        ("version", "VARCHAR", ""),
    ),
    _table(
        "array_volume",
        "Volumes of an array, virtual ones included.",
        _ENDPOINT,
        ("volume_id", "VARCHAR", ""),
        ("name", "VARCHAR", ""),
        ("device", "VARCHAR", "the name a host sees it by, for example naa.6f47acc1...; NULL when it has none"),
        ("is_virtual", "BOOLEAN", "a vVol"),
        ("vvol_id", "VARCHAR", "NULL when not a vVol"),
        ("status", "VARCHAR", "active | ..."),
        ("size_bytes", "BIGINT", ""),
        ("qos_policy_id", "VARCHAR", "NULL when no policy is associated"),
        ("qos_policy", "VARCHAR", "name of that policy; NULL when none"),
        ("qos_min_iops", "BIGINT", "I/O operations a second, 4 KiB-normalised on Element"),
        ("qos_max_iops", "BIGINT", "as qos_min_iops; NULL means no ceiling where qos_read is true"),
        ("qos_burst_iops", "BIGINT", "as qos_max_iops"),
        ("qos_max_bytes_per_second", "BIGINT", "NULL means no ceiling where qos_read is true"),
        ("qos_read", "BOOLEAN", "true when the volume's QoS was understood"),
        ("qos_curve", "VARCHAR", "JSON object, I/O size in bytes -> cost relative to 4096 = 100; NULL when the array has none"),
    ),
    _table(
        "array_volume_load",
        "What a volume was doing when it was read.",
        _ENDPOINT,
        ("volume_id", "VARCHAR", ""),
        ("average_io_bytes", "BIGINT", "bytes; NULL when idle (Element reports 0)"),
        ("actual_iops", "BIGINT", ""),
        ("utilization", "DOUBLE", "1.0 is the ceiling, above it is bursting"),
        ("latency_us", "BIGINT", "microseconds"),
        ("client_queue_depth", "BIGINT", "commands"),
    ),
    _table(
        "array_qos_policy",
        "QoS policies of an array.",
        _ENDPOINT,
        ("policy_id", "VARCHAR", ""),
        ("name", "VARCHAR", ""),
        ("min_iops", "BIGINT", ""),
        ("max_iops", "BIGINT", ""),
        ("burst_iops", "BIGINT", ""),
        ("curve", "VARCHAR", "JSON object as array_volume.qos_curve"),
        ("volumes", "BIGINT", "volumes that use it"),
    ),
    _table(
        "array_qos_limit",
        "What an array allows in a QoS setting; Element GetLimits.",
        _ENDPOINT,
        ("min_iops_floor", "BIGINT", ""),
        ("min_iops_ceiling", "BIGINT", ""),
        ("max_iops_floor", "BIGINT", ""),
        ("max_iops_ceiling", "BIGINT", ""),
        ("burst_iops_floor", "BIGINT", ""),
        ("burst_iops_ceiling", "BIGINT", ""),
    ),
    _table(
        "array_protocol_endpoint",
        "Protocol endpoints as the array tells them.",
        _ENDPOINT,
        ("protocol_endpoint_id", "VARCHAR", ""),
        ("device", "VARCHAR", "naa. and scsiNAADeviceID, lower case"),
        ("state", "VARCHAR", "Active | Start | Failover | Reserved"),
        ("node_id", "VARCHAR", "primary node; NULL when not told"),
    ),
    _table(
        "storage_container",
        "vVol containers of an array.",
        _ENDPOINT,
        ("container_id", "VARCHAR", "lower case"),
        ("name", "VARCHAR", ""),
        ("status", "VARCHAR", ""),
    ),
    _table(
        "vvol",
        "Virtual volumes as the array tells them.",
        _ENDPOINT,
        ("vvol_id", "VARCHAR", "virtualVolumeID"),
        ("volume_id", "VARCHAR", "the volume behind it"),
        ("container_id", "VARCHAR", "lower case"),
        ("name", "VARCHAR", "VMW_VVolName; NULL when not told"),
        ("kind", "VARCHAR", "VMW_VVolType: Data | Config | Swap | ...; NULL when not told"),
        ("vm_uuid", "VARCHAR", "VMW_VmID; NULL when not told"),
        ("status", "VARCHAR", ""),
    ),
    _table(
        "vvol_binding",
        "Which vVol is reached through which protocol endpoint.",
        _ENDPOINT,
        ("binding_id", "VARCHAR", ""),
        ("vvol_id", "VARCHAR", ""),
        ("protocol_endpoint_id", "VARCHAR", ""),
        ("array_host_id", "VARCHAR", "virtualVolumeHostID"),
        ("device", "VARCHAR", "protocolEndpointInBandID, lower case with naa."),
    ),
    _table(
        "declared",
        "What no API can tell and fleet.yaml declares.",
        ("devices", "VARCHAR", "glob over canonical device names"),
        ("model", "VARCHAR", "for example DX90"),
        ("generation", "VARCHAR", "for example S1; NULL when not declared"),
        ("firmware", "VARCHAR", "for example V10L66; NULL when not declared"),
    ),
    _table(
        "gap",
        "What could not be read, and why.",
        _ENDPOINT,
        ("what", "VARCHAR", ""),
        ("why", "VARCHAR", ""),
    ),
)

TABLES: Mapping[str, Table] = MappingProxyType({table.name: table for table in _TABLES})

HOST_TOPICS = (
    "options",
    "modules",
    "devices",
    "paths",
    "hbas",
    "device_scheduling",
    "device_offload",
    "lockmode",
)
"""Topics of `reading` whose scope is one host. Source: this project, collectors/vcenter.py fills them."""

VCENTER_TOPICS = ("hosts", "datastores", "vms")
"""Topics of `reading` whose scope is a whole vCenter."""

ARRAY_TOPICS = (
    "array",
    "nodes",
    "volumes",
    "volume_load",
    "qos_policies",
    "qos_limits",
    "protocol_endpoints",
    "containers",
    "vvols",
    "bindings",
)
"""Topics of `reading` whose scope is a whole array."""

TOPICS = frozenset(HOST_TOPICS + VCENTER_TOPICS + ARRAY_TOPICS)


def create_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """Create every fact table, empty, in the schema `fact`."""
    connection.execute("CREATE SCHEMA IF NOT EXISTS fact")
    for table in TABLES.values():
        columns = ", ".join(f'"{column.name}" {column.type}' for column in table.columns)
        connection.execute(f'CREATE TABLE fact."{table.name}" ({columns})')
