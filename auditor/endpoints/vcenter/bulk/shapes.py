"""vSphere's data objects as msgspec structs, with the properties that collectors use: one field each, camelCase on the wire.

Every transport fills the same structs, so a collector cannot distinguish them. A field is None, or an empty list, where the server did not
set it.
What no collector looks at has no field and is never built. A shape stands for a type and all its subtypes: `type_name` is the API's name of
the very type, for example HostScsiDisk, and empty where the server leaves it out because it is the declared one. Source: the vSphere Web
Services API reference.
"""

from __future__ import annotations

# msgspec resolves the annotations when a decoder is made, so their imports are real ones.
from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field


class Shape(Struct, gc=False, rename="camel"):
    """A data object. None can be part of a cycle, so Python's collector of cycles need not look at them."""

    type_name: str = field(default="", name="_typeName")


class Ref(Struct, gc=False, frozen=True):
    """A managed object: its type and id, for example HostSystem and host-12."""

    type: str
    value: str


class Product(Shape):
    """AboutInfo of a host."""

    version: str | None = None
    build: str | None = None


class Boxed(Shape):
    """A value whose type is not declared, with the name of its type as VI/JSON has it: long, int, string, boolean."""

    value: bool | int | float | str | None = field(default=None, name="_value")


class OptionValue(Shape):
    """An advanced option, or a parameter of an iSCSI adapter, which may be inherited."""

    key: str = ""
    value: Boxed | bool | int | float | str | None = None
    is_inherited: bool | None = None

    @property
    def plain(self) -> bool | int | float | str | None:
        """The value without its box."""
        return self.value.value if isinstance(self.value, Boxed) else self.value


class IscsiTarget(Shape):
    """A send target, or a static one, which has a name."""

    address: str | None = None
    port: int | None = None
    iscsi_name: str | None = field(default=None, name="iScsiName")
    advanced_options: list[OptionValue] = []


class HostBusAdapter(Shape):
    """HostHostBusAdapter and its subtypes; `port_world_wide_name` is a signed long, `firmware` is of saved outputs alone."""

    key: str | None = None
    device: str | None = None
    status: str | None = None
    model: str | None = None
    driver: str | None = None
    storage_protocol: str | None = None
    is_software_based: bool | None = None
    port_world_wide_name: int | None = None
    iscsi_name: str | None = field(default=None, name="iScsiName")
    advanced_options: list[OptionValue] = []
    configured_send_target: list[IscsiTarget] = []
    configured_static_target: list[IscsiTarget] = []
    firmware: str | None = None


class Capacity(Shape):
    """HostDiskDimensionsLba: blocks, and bytes of one."""

    block_size: int = 0
    block: int = 0


class ScsiLun(Shape):
    """ScsiLun, and HostScsiDisk, which alone has the last three."""

    key: str | None = None
    device_name: str | None = None
    canonical_name: str | None = None
    display_name: str | None = None
    lun_type: str | None = None
    vendor: str | None = None
    model: str | None = None
    revision: str | None = None
    queue_depth: int | None = None
    operational_state: list[str] = []
    vstorage_support: str | None = field(default=None, name="vStorageSupport")
    protocol_endpoint: bool | None = None
    perennially_reserved: bool | None = None
    capacity: Capacity | None = None
    ssd: bool | None = None
    local_disk: bool | None = None


class Transport(Shape):
    """HostTargetTransport and its subtypes."""

    iscsi_name: str | None = field(default=None, name="iScsiName")
    port_world_wide_name: int | None = None


class Path(Shape):
    """HostMultipathInfoPath."""

    name: str | None = None
    path_state: str | None = None
    state: str | None = None
    is_working_path: bool | None = None
    adapter: str | None = None
    transport: Transport | None = None


class Policy(Shape):
    """A path selection policy, or a storage array type policy."""

    policy: str | None = None


class LogicalUnit(Shape):
    """HostMultipathInfoLogicalUnit; `lun` is the key of its ScsiLun."""

    id: str | None = None
    lun: str | None = None
    path: list[Path] = []
    policy: Policy | None = None
    storage_array_type_policy: Policy | None = None


class MultipathInfo(Shape):
    """HostMultipathInfo."""

    lun: list[LogicalUnit] = []


class Extent(Shape):
    """HostScsiDiskPartition."""

    disk_name: str = ""
    partition: int | None = None


class VmfsVolume(Shape):
    """HostVmfsVolume."""

    uuid: str | None = None
    version: str | None = None
    extent: list[Extent] = []
    block_size: int | None = None
    unmap_granularity: int | None = None
    unmap_priority: str | None = None
    local: bool | None = None


class ProtocolEndpoint(Shape):
    """HostProtocolEndpoint."""

    pe_type: str | None = None
    type: str | None = None
    uuid: str | None = None
    device_id: str | None = None


class EndpointsOfHost(Shape):
    """VVolHostPE: the protocol endpoints one host sees."""

    key: Ref | None = None
    protocol_endpoint: list[ProtocolEndpoint] = []


class VvolVolume(Shape):
    """HostVvolVolume."""

    container_id: str = field(default="", name="scId")
    endpoints: list[EndpointsOfHost] = field(default_factory=list, name="hostPE")


class NasVolume(Shape):
    """HostNasVolume: an NFS server as the mount names it, and the path it exports; NFS 4.1 may have several servers of one share."""

    remote_host: str | None = None
    remote_host_names: list[str] = []
    remote_path: str | None = None


class DatastoreInfo(Shape):
    """DatastoreInfo and its subtypes."""

    vmfs: VmfsVolume | None = None
    nas: NasVolume | None = None
    vvol: VvolVolume | None = field(default=None, name="vvolDS")


class MountInfo(Shape):
    """HostMountInfo."""

    mounted: bool | None = None
    accessible: bool | None = None


class HostMount(Shape):
    """DatastoreHostMount."""

    key: Ref | None = None
    mount_info: MountInfo | None = None


class IormInfo(Shape):
    """StorageIORMInfo."""

    enabled: bool | None = None
    congestion_threshold_mode: str | None = None
    congestion_threshold: int | None = None
    stats_collection_enabled: bool | None = None


class Label(Shape):
    """Description."""

    label: str | None = None


class Backing(Shape):
    """VirtualDeviceBackingInfo and its subtypes."""

    datastore: Ref | None = None
    file_name: str | None = None
    backing_object_id: str | None = None
    thin_provisioned: bool | None = None
    eagerly_scrub: bool | None = None
    lun_uuid: str | None = None
    compatibility_mode: str | None = None


class Shares(Shape):
    """SharesInfo."""

    shares: int | None = None
    level: str | None = None


class IoAllocation(Shape):
    """StorageIOAllocationInfo; a limit of -1 is unlimited."""

    limit: int | None = None
    reservation: int | None = None
    shares: Shares | None = None


class VirtualDevice(Shape):
    """VirtualDevice and its subtypes; a controller has `bus_number`, what is attached to one `unit_number`."""

    key: int | None = None
    controller_key: int | None = None
    bus_number: int | None = None
    shared_bus: str | None = None
    unit_number: int | None = None
    device_info: Label | None = None
    backing: Backing | None = None
    capacity_in_kb: int | None = field(default=None, name="capacityInKB")
    capacity_in_bytes: int | None = None
    storage_io_allocation: IoAllocation | None = field(default=None, name="storageIOAllocation")


class IpConfig(Shape):
    """HostIpConfig; of IPv4 alone."""

    ip_address: str | None = None
    subnet_mask: str | None = None


class SwitchPort(Shape):
    """DistributedVirtualSwitchPortConnection."""

    switch_uuid: str | None = None
    portgroup_key: str | None = None


class OpaqueNetwork(Shape):
    """HostVirtualNicOpaqueNetworkSpec: a network that something else than vSphere manages."""

    opaque_network_id: str | None = None


class VirtualNicSpec(Shape):
    """HostVirtualNicSpec; it has one of a portgroup's name, a port of a distributed switch, and an opaque network."""

    ip: IpConfig | None = None
    mtu: int | None = None
    net_stack_instance_key: str | None = None
    distributed_virtual_port: SwitchPort | None = None
    opaque_network: OpaqueNetwork | None = None


class VirtualNic(Shape):
    """HostVirtualNic; `portgroup` is empty where the adapter is on no standard switch."""

    device: str | None = None
    portgroup: str | None = None
    spec: VirtualNicSpec | None = None


class PortGroupSpec(Shape):
    """HostPortGroupSpec."""

    name: str | None = None
    vswitch_name: str | None = None


class PortGroup(Shape):
    """HostPortGroup, of a standard switch."""

    spec: PortGroupSpec | None = None


class VirtualSwitch(Shape):
    """HostVirtualSwitch."""

    name: str | None = None
    mtu: int | None = None


class ProxySwitch(Shape):
    """HostProxySwitch: what a host has of a distributed switch."""

    dvs_uuid: str | None = None
    dvs_name: str | None = None
    mtu: int | None = None


class IoLoadBalance(Shape):
    """StorageDrsIoLoadBalanceConfig."""

    io_latency_threshold: int | None = None


class Automation(Shape):
    """StorageDrsAutomationConfig; what is unset goes by the cluster's own behaviour."""

    space_load_balance_automation_mode: str | None = None
    io_load_balance_automation_mode: str | None = None


class PodConfig(Shape):
    """StorageDrsPodConfigInfo."""

    enabled: bool | None = None
    io_load_balance_enabled: bool | None = None
    default_vm_behavior: str | None = None
    load_balance_interval: int | None = None
    io_load_balance_config: IoLoadBalance | None = None
    automation_overrides: Automation | None = None


class PodVmConfig(Shape):
    """StorageDrsVmConfigInfo: one machine with settings of its own."""

    vm: Ref | None = None
    enabled: bool | None = None
    behavior: str | None = None


class TaskInfo(Shape):
    """TaskInfo; `progress` is in percent."""

    description_id: str | None = None
    entity: Ref | None = None
    entity_name: str | None = None
    state: str | None = None
    progress: int | None = None
    queue_time: datetime | None = None
    start_time: datetime | None = None


class Extension(Shape):
    """Extension."""

    key: str | None = None
    version: str | None = None
    company: str | None = None


PROPERTIES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "ClusterComputeResource": {"name": str},
        "ContainerView": {"view": list[Ref]},
        "HostSystem": {
            "name": str,
            "parent": Ref,
            "runtime.connectionState": str,
            "runtime.powerState": str,
            "runtime.inMaintenanceMode": bool,
            "runtime.bootTime": datetime,
            "summary.config.product": Product,
            "summary.hardware.uuid": str,
            "config.vsanHostConfig.enabled": bool,
            "config.storageDevice.softwareInternetScsiEnabled": bool,
            "config.storageDevice.hostBusAdapter": list[HostBusAdapter],
            "config.storageDevice.scsiLun": list[ScsiLun],
            "config.storageDevice.multipathInfo": MultipathInfo,
            "config.option": list[OptionValue],
            "config.network.vnic": list[VirtualNic],
            "config.network.vswitch": list[VirtualSwitch],
            "config.network.proxySwitch": list[ProxySwitch],
            "config.network.portgroup": list[PortGroup],
            "configManager.advancedOption": Ref,
            "configManager.kernelModuleSystem": Ref,
        },
        "Datastore": {
            "name": str,
            "parent": Ref,
            "summary.type": str,
            "summary.url": str,
            "summary.capacity": int,
            "summary.freeSpace": int,
            "summary.accessible": bool,
            "summary.multipleHostAccess": bool,
            "summary.maintenanceMode": str,
            "info": DatastoreInfo,
            "host": list[HostMount],
            "capability.storageIORMSupported": bool,
            "iormConfiguration": IormInfo,
        },
        "VirtualMachine": {
            "name": str,
            "runtime.host": Ref,
            "runtime.powerState": str,
            "config.template": bool,
            "config.latencySensitivity.level": str,
            "config.hardware.device": list[VirtualDevice],
            "config.guestId": str,
            "config.uuid": str,
            "config.guestFullName": str,
            "guest.guestId": str,
        },
        "StoragePod": {
            "name": str,
            "podStorageDrsEntry.storageDrsConfig.podConfig": PodConfig,
            "podStorageDrsEntry.storageDrsConfig.vmConfig": list[PodVmConfig],
        },
        "TaskManager": {"recentTask": list[Ref]},
        "Task": {"info": TaskInfo},
        "ExtensionManager": {"extensionList": list[Extension]},
    }
)
"""What may be asked of each kind of managed object, and the shape of the answer."""
