"""The commands whose outputs are known: their fields, and what tells that a record is whole.

Fields that were seen: shared captures of real hosts; others are from vendor documents and public outputs, and are used only to recognise
a command. A field that is not listed is read all the same. Commands whose facts nobody uses are here where a real output was seen, or where
their fields could be taken for those of another command.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from auditor.endpoints.vcenter.esxcli_records import plain_name


@dataclass(frozen=True, slots=True)
class Known:
    """A command.

    Attributes:
        command: without the program.
        titles: of its fields, by their plain names.
        tells: plain names that together tell that it was this command; empty where fields do not tell.
        ends: plain names that every release prints, the last ones among them: a record without one was cut or filtered.
        filled: plain names of cells that are never empty: a row of a table without one is none.
        heading: the field that the live answer has for what is the heading of a record in a text; "" where text has no heading.
        named: a heading is the name of a device or path, which has a dot and no blank.
        value: what it prints where it prints a bare word; "" for others.
        options: names of options by their letters.
        flags: names of options that have no value.
        aliases: what it was called before 5.0.
    """

    command: str
    titles: Mapping[str, str]
    tells: frozenset[str] = frozenset()
    ends: frozenset[str] = frozenset()
    filled: frozenset[str] = frozenset()
    heading: str = ""
    named: bool = False
    value: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    flags: frozenset[str] = frozenset()
    aliases: tuple[str, ...] = ()


_OPTIONS = MappingProxyType({"d": "device", "m": "module", "A": "adapter", "o": "option", "p": "path", "n": "name", "s": "satp"})
_CONFIGURED = MappingProxyType({"d": "delta", "o": "option", "t": "tree"})


def known_of(
    command: str,
    fields: str = "",
    *,
    tells: str = "",
    ends: str = "",
    filled: str = "",
    heading: str = "",
    value: str = "",
    options: Mapping[str, str] = _OPTIONS,
    flags: str = "",
    aliases: tuple[str, ...] = (),
) -> Known:
    """A command, by the titles of its fields with commas between them."""
    return Known(
        command,
        {plain_name(title): title for title in _split(fields)},
        _plain(tells),
        _plain(ends),
        _plain(filled),
        heading,
        heading in ("Device", "UID"),
        value,
        options,
        frozenset(flags.split()),
        aliases,
    )


def _split(fields: str) -> list[str]:
    return [title.strip() for title in fields.split(",") if title.strip()]


def _plain(fields: str) -> frozenset[str]:
    return frozenset(map(plain_name, _split(fields)))


_DEVICE = (
    "Device, Display Name, Has Settable Display Name, Size, "
    "Device Type, Multipath Plugin, Devfs Path, Vendor, Model, Revision, SCSI Level, "
    "Is Pseudo, Status, Is RDM Capable, Is Local, Is Removable, Is SSD, Is VVOL PE, Is Offline, "
    "Is Perennially Reserved, Queue Full Sample Size, "
    "Queue Full Threshold, Thin Provisioning Status, Attached Filters, VAAI Status, Other UIDs, Is Shared Clusterwide, "
    "Is Local SAS Device, Is SAS, Is USB, Is Boot USB Device, Is Boot Device, Device Max Queue Depth, "
    "No of outstanding IOs with competing worlds, Drive Type, RAID Level, Number of Physical Drives, Protection Enabled, PI Activated, "
    "PI Type, PI Protection Mask, Supported Guard Types, DIX Enabled, DIX Guard Type, Emulated DIX/DIF Enabled"
)
_PARAM = "Name, Current, Default, Min, Max, Settable, Inherit"

COMMANDS: tuple[Known, ...] = (
    known_of(
        "storage core device list",
        _DEVICE,
        tells="Display Name, Has Settable Display Name, Size",
        ends="Devfs Path, VAAI Status, Other UIDs",
        heading="Device",
        flags="pe-only exclude-offline",
        aliases=("corestorage device list",),
    ),
    known_of(
        "storage core device vaai status get",
        "Device, VAAI Plugin Name, ATS Status, Clone Status, Zero Status, Delete Status",
        tells="VAAI Plugin Name, ATS Status",
        ends="VAAI Plugin Name, ATS Status, Clone Status, Zero Status",
        heading="Device",
    ),
    known_of(
        "storage core device stats get",
        "Device, Successful Commands, Blocks Read, Blocks Written, Read Operations, Write Operations, Reserve Operations, "
        "Reservation Conflicts, Failed Commands, Failed Blocks Read, Failed Blocks Written, Failed Read Operations, "
        "Failed Write Operations, Failed Reserve Operations",
        tells="Successful Commands, Reservation Conflicts",
        ends="Successful Commands, Failed Reserve Operations",
        heading="Device",
    ),
    known_of(
        "storage nmp device list",
        "Device, Device Display Name, Storage Array Type, Storage Array Type Device Config, Path Selection Policy, "
        "Path Selection Policy Device Config, Path Selection Policy Device Custom Config, Working Paths, Is USB, "
        "Is Local SAS Device, Is Boot USB Device",
        tells="Storage Array Type, Path Selection Policy",
        ends="Device Display Name, Storage Array Type, Path Selection Policy, Working Paths",
        heading="Device",
        aliases=("nmp device list",),
    ),
    known_of(
        "storage nmp path list",
        "UID, Runtime Name, Device, Device Display Name, Group State, Array Priority, Storage Array Type Path Config, "
        "Path Selection Policy Path Config",
        tells="Group State, Storage Array Type Path Config",
        ends="Runtime Name, Device, Group State, Path Selection Policy Path Config",
        heading="UID",
        aliases=("nmp path list",),
    ),
    known_of(
        "storage nmp satp rule list",
        "Name, Device, Vendor, Model, Driver, Transport, Options, Rule Group, Claim Options, Default PSP, PSP Options, Description",
        tells="Rule Group, Claim Options, Default PSP",
        ends="Name, Rule Group, Description",
        filled="Name, Rule Group",
        aliases=("nmp satp listrules",),
    ),
    known_of(
        "storage nmp satp list", "Name, Default PSP, Description", tells="Name, Default PSP, Description", ends="Description", filled="Name"
    ),
    known_of(
        "storage nmp psp roundrobin deviceconfig get",
        "Byte Limit, Device, IOOperation Limit, Latency Evaluation Interval, Limit Type, Number Of Sampling IOs Per Path, "
        "Use Active Unoptimized Paths",
        tells="IOOperation Limit, Limit Type",
        ends="Device, Limit Type, Use Active Unoptimized Paths",
    ),
    known_of(
        "storage hpp device list",
        "Device, Device Display Name, Path Selection Scheme, Path Selection Scheme Config, Current Path, Working Path Set, Is SSD, "
        "Is Local, Paths, Use ANO",
        tells="Path Selection Scheme",
        ends="Device Display Name, Path Selection Scheme, Use ANO",
        heading="Device",
    ),
    known_of(
        "storage hpp path list",
        "UID, Runtime Name, Device, Device Display Name, Path State, Path Config",
        tells="Path State, Path Config, Device Display Name",
        ends="Runtime Name, Device, Path State, Path Config",
        heading="UID",
    ),
    known_of(
        "storage core path list",
        "UID, Runtime Name, Device, Device Display Name, Adapter, Channel, Target, LUN, Plugin, State, Transport, Adapter Identifier, "
        "Target Identifier, Adapter Transport Details, Target Transport Details, Maximum IO Size",
        tells="Runtime Name, Adapter Identifier, Target Identifier",
        ends="Runtime Name, Device, State, Target Transport Details",
        heading="UID",
        aliases=("corestorage path list",),
    ),
    known_of(
        "storage core claimrule list",
        "Rule Class, Rule, Class, Type, Plugin, Matches, XCOPY Use Array Reported Values, XCOPY Use Multiple Segments, "
        "XCOPY Max Transfer Size KiB, XCOPY Max Transfer Size, Config String",
        tells="Rule Class, Rule, Class, Plugin, Matches",
        ends="Rule Class, Rule, Class, Type, Plugin, Matches",
        filled="Rule Class, Rule, Class",
        options=MappingProxyType({"c": "claimrule-class"}),
        aliases=("corestorage claimrule list",),
    ),
    known_of(
        "storage core adapter list",
        "HBA Name, Driver, Link State, UID, Capabilities, Description",
        tells="HBA Name, Driver, Link State",
        ends="HBA Name, Driver, Link State, UID, Description",
        filled="HBA Name, Driver, Link State, UID",
    ),
    known_of(
        "storage core plugin registration list",
        "Module Name, Plugin Name, Plugin Class, Dependencies, Full Path",
        tells="Module Name, Plugin Name, Plugin Class",
        ends="Module Name, Full Path",
        filled="Module Name, Plugin Name, Plugin Class",
    ),
    known_of(
        "nvme controller list",
        "Name, Controller Number, Adapter, Transport Type, Is Online, Is VVOL",
        tells="Controller Number, Adapter, Is Online",
        ends="Name, Controller Number, Adapter, Is Online",
        filled="Name, Controller Number, Adapter, Is Online",
        options=MappingProxyType({"a": "adapter"}),
    ),
    known_of(
        "nvme namespace list",
        "Name, Controller Number, Namespace ID, Block Size, Capacity in MB",
        tells="Controller Number, Namespace ID, Block Size",
        ends="Name, Controller Number, Namespace ID, Capacity in MB",
        filled="Name, Controller Number, Namespace ID",
    ),
    known_of(
        "nvme adapter list",
        "Adapter, Adapter Qualified Name, Transport Type, Driver, Associated Devices",
        tells="Adapter, Adapter Qualified Name",
        ends="Adapter, Adapter Qualified Name, Transport Type, Driver, Associated Devices",
        filled="Adapter, Adapter Qualified Name, Transport Type, Driver",
    ),
    known_of(
        "iscsi adapter list",
        "Adapter, Driver, State, UID, Description",
        tells="Adapter, Driver, State, UID, Description",
        ends="Adapter, Driver, State, UID, Description",
        filled="Adapter, Driver, State",
    ),
    known_of(
        "iscsi adapter get",
        "Adapter, Name, Alias, Vendor, Model, Description, Serial Number, Hardware Version, Asic Version, Firmware Version, "
        "Option Rom Version, Driver Name, Driver Version, TCP Protocol Supported, Bidirectional Transfers Supported, "
        "Maximum Cdb Length, Can Be NIC, Is NIC, Is Initiator, Is Target, Using TCP Offload Engine, Using ISCSI Offload Engine",
        tells="Alias, Can Be NIC, Using TCP Offload Engine",
        ends="Name, Using ISCSI Offload Engine",
        heading="Adapter",
    ),
    known_of(
        "storage san fc list",
        "Adapter, Port ID, Node Name, Port Name, Speed, Port Type, Port State, Model Description, Hardware Version, OptionROM Version, "
        "Firmware Version, Driver Name, DriverVersion",
        tells="Adapter, Port ID, Node Name, Port Type",
        ends="Adapter, Port State",
        filled="Adapter",
    ),
    known_of("iscsi adapter param get", _PARAM, ends=_PARAM, filled="Name, Current"),
    known_of("iscsi adapter target portal param get", _PARAM, ends=_PARAM, filled="Name, Current"),
    known_of("iscsi adapter discovery sendtarget param get", _PARAM, ends=_PARAM, filled="Name, Current"),
    known_of("iscsi adapter target param get", _PARAM, ends=_PARAM, filled="Name, Current"),
    known_of(
        "iscsi adapter target portal list",
        "Adapter, Target, IP, Port, Tpgt",
        tells="Adapter, Target, IP, Port, Tpgt",
        ends="Adapter, Target, IP, Port, Tpgt",
        filled="Adapter, Target, IP, Port",
    ),
    known_of(
        "iscsi adapter target list",
        "Adapter, Target, Alias, Max Cons, Discovery Method, Last Error",
        tells="Adapter, Target, Discovery Method, Last Error",
        ends="Adapter, Target, Discovery Method, Last Error",
        filled="Adapter, Target, Discovery Method",
    ),
    known_of(
        "iscsi adapter discovery sendtarget list",
        "Adapter, Sendtarget",
        tells="Adapter, Sendtarget",
        ends="Adapter, Sendtarget",
        filled="Adapter, Sendtarget",
    ),
    known_of(
        "iscsi adapter discovery statictarget list",
        "Adapter, Target Address, Target Name",
        tells="Adapter, Target Address, Target Name",
        ends="Adapter, Target Address, Target Name",
        filled="Adapter, Target Address, Target Name",
    ),
    known_of(
        "iscsi networkportal list",
        "Adapter, Vmknic, MAC Address, MAC Address Valid, IPv4, IPv4 Subnet Mask, IPv6, MTU, Vlan Supported, Vlan ID, Reserved Ports, "
        "TOE, TSO, TCP Checksum, Link Up, Current Speed, Rx Packets, Tx Packets, NIC Driver, NIC Driver Version, NIC Firmware Version, "
        "Compliant Status, NonCompliant Message, NonCompliant Remedy, Vswitch, PortGroup, VswitchUuid, PortGroupKey, PortKey, Duplex, "
        "Path Status",
        tells="Adapter, Vmknic, IPv4 Subnet Mask, Compliant Status",
        ends="Adapter, Vmknic, IPv4, Compliant Status, Path Status",
        heading="Adapter",
        aliases=("swiscsi nic list",),
    ),
    known_of(
        "iscsi logicalnetworkportal list",
        "Adapter, Vmknic, MAC Address, MAC Address Valid, Compliant",
        tells="Adapter, Vmknic, MAC Address Valid, Compliant",
        ends="Adapter, Vmknic, MAC Address, MAC Address Valid, Compliant",
        filled="Adapter, Vmknic",
        aliases=("swiscsi vmknic list",),
    ),
    known_of(
        "iscsi physicalnetworkportal list",
        "Adapter, Vmnic, MAC Address, MAC Address Valid, Current Speed, Max Speed, Max Frame Size",
        tells="Adapter, Vmnic, MAC Address Valid",
        ends="Adapter, Vmnic, MAC Address, MAC Address Valid, Max Frame Size",
        filled="Adapter, Vmnic",
        aliases=("swiscsi vmnic list",),
    ),
    known_of(
        "iscsi session list",
        "Adapter, Target, ISID, Target Portal Group Tag, Authentication Method, Data Pdu In Order, Data Sequence In Order, "
        "Default Time2Retain, Default Time2Wait, Error Recovery Level, First Burst Length, Immediate Data, Initial R2T, "
        "Max Burst Length, Max Connections, Max Outstanding R2T, TSIH",
        tells="Adapter, ISID, Authentication Method",
        ends="Adapter, Target, ISID, TSIH",
        heading="Session",
        aliases=("swiscsi session list",),
    ),
    known_of(
        "iscsi session connection list",
        "Adapter, Target, ISID, CID, DataDigest, HeaderDigest, IFMarker, IFMarkerInterval, MaxRecvDataSegmentLength, "
        "MaxTransmitDataSegmentLength, OFMarker, OFMarkerInterval, ConnectionAddress, RemoteAddress, LocalAddress, SessionCreateTime, "
        "ConnectionCreateTime, ConnectionStartTime, State",
        tells="Adapter, ISID, CID, ConnectionAddress",
        ends="Adapter, Target, ISID, CID, State",
        heading="Connection",
    ),
    known_of("iscsi software get", value="true|false"),
    known_of(
        "system module list",
        "Name, Is Loaded, Is Enabled",
        tells="Name, Is Loaded, Is Enabled",
        ends="Name, Is Loaded, Is Enabled",
        filled="Name, Is Loaded, Is Enabled",
    ),
    known_of(
        "system module parameters list",
        "Name, Type, Value, Description",
        tells="Name, Type, Value, Description",
        ends="Name, Type, Value, Description",
        filled="Name, Type",
    ),
    known_of(
        "system module get",
        "Module, Module File, License, Version, Build Type, Provided Namespaces, Required Namespaces, Containing VIB, VIB Acceptance Level",
        tells="Module, Module File, License",
        ends="Module, Module File, Containing VIB",
    ),
    known_of(
        "system settings advanced list",
        "Path, Type, Int Value, Default Int Value, Min Value, Max Value, String Value, Default String Value, Valid Characters, "
        "Description, Host Specific, Impact",
        tells="Path, Type, Int Value, Default Int Value",
        ends="Path, Type, Int Value, Default Int Value, String Value, Default String Value, Description",
        options=_CONFIGURED,
        flags="delta d",
    ),
    known_of(
        "system settings kernel list",
        "Name, Type, Configured, Runtime, Default, Description",
        tells="Name, Type, Configured, Runtime, Default",
        ends="Name, Type, Configured, Runtime, Default, Description",
        filled="Name, Type",
        options=_CONFIGURED,
        flags="delta d",
    ),
    known_of(
        "storage vmfs lockmode list",
        "Volume Name, UUID, Type, Locking Mode, ATS Compatible, ATS Upgrade Modes, ATS Incompatibility Reason",
        tells="Volume Name, Locking Mode",
        ends="Volume Name, UUID, Type, Locking Mode, ATS Compatible, ATS Upgrade Modes",
        filled="UUID, Locking Mode",
        options=MappingProxyType({"i": "ignore-errors", "l": "volume-label", "u": "volume-uuid"}),
        flags="ignore-errors i",
    ),
    known_of(
        "storage vmfs extent list",
        "Volume Name, VMFS UUID, Extent Number, Device Name, Partition",
        tells="VMFS UUID, Extent Number, Device Name",
        ends="Volume Name, VMFS UUID, Extent Number, Device Name, Partition",
        filled="VMFS UUID, Extent Number, Device Name, Partition",
        options=MappingProxyType({"i": "ignore-errors"}),
        flags="ignore-errors i",
    ),
    known_of(
        "storage vmfs reclaim config get",
        "Reclaim Granularity, Reclaim Priority, Reclaim Method, Reclaim Bandwidth",
        tells="Reclaim Granularity, Reclaim Priority",
        ends="Reclaim Granularity, Reclaim Priority",
        options=MappingProxyType({"l": "volume-label", "u": "volume-uuid"}),
    ),
    known_of(
        "storage filesystem list",
        "Mount Point, Volume Name, UUID, Mounted, Type, Size, Free",
        tells="Mount Point, UUID, Mounted, Free",
        ends="Mount Point, Volume Name, UUID, Mounted, Type, Size, Free",
        filled="UUID, Mounted, Type, Size, Free",
        options=MappingProxyType({"i": "ignore-errors"}),
        flags="ignore-errors i",
    ),
    known_of(
        "storage nfs list",
        "Volume Name, Host, Share, vmknic, Accessible, Mounted, Read-Only, isPE, Hardware Acceleration",
        tells="Volume Name, Host, Share, Accessible",
        ends="Volume Name, Host, Share, Accessible, Mounted, Hardware Acceleration",
        filled="Volume Name, Host, Share, Accessible, Mounted",
        flags="pe-only",
    ),
    known_of(
        "storage nfs41 list",
        "Volume Name, Host(s), Share, Vmknic, Vmknics, Accessible, Mounted, Read-Only, Security, isPE, Hardware Acceleration",
        tells="Volume Name, Host(s), Share, Security",
        ends="Volume Name, Host(s), Share, Accessible, Mounted, Hardware Acceleration",
        filled="Volume Name, Host(s), Share, Accessible, Mounted",
        flags="pe-only",
    ),
    known_of(
        "storage nfs param get",
        "Volume Name, MaxQueueDepth, MaxReadTransferSize, MaxWriteTransferSize, Vmknic, Connections",
        tells="Volume Name, MaxQueueDepth",
        ends="Volume Name, MaxQueueDepth",
        filled="Volume Name",
        options=MappingProxyType({"n": "volume-name", "v": "volume-name"}),
    ),
    known_of(
        "storage vvol protocolendpoint list",
        "Host Id, Array Id, Type, Accessible, Configured, Lun Id, Remote Host, Remote Share, NFS4x Transport IPs, Server Scope, "
        "Server Major, Auth, User, Storage Containers, Transport",
        tells="Host Id, Array Id, Accessible, Lun Id",
        ends="Array Id, Type, Accessible",
        heading="Protocol Endpoint",
        options=MappingProxyType({"p": "pe"}),
    ),
    known_of(
        "storage vvol storagecontainer list",
        "StorageContainer Name, UUID, Array, Size(MB), Free(MB), Accessible, Default Policy",
        tells="UUID, Array, Size(MB), Accessible, Default Policy",
        ends="UUID, Array, Accessible",
        heading="Storage Container",
    ),
    known_of(
        "system version get",
        "Product, Version, Build, Update, Maintenance, Patch",
        tells="Product, Version, Build",
        ends="Product, Version, Build, Update",
    ),
    known_of(
        "system hostname get",
        "Domain Name, Fully Qualified Domain Name, Host Name",
        tells="Fully Qualified Domain Name, Host Name",
        ends="Domain Name, Fully Qualified Domain Name, Host Name",
    ),
    known_of("system uuid get", value=r"[0-9a-fA-F]{8}-[0-9a-fA-F-]{8,27}"),
    known_of("system stats uptime get", value=r"[0-9]{1,20}"),
    known_of("system maintenanceMode get", value="Enabled|Disabled"),
    known_of(
        "network ip interface list",
        "Name, MAC Address, Enabled, Portset, Portgroup, Netstack Instance, VDS Name, VDS UUID, VDS Port, VDS Connection, "
        "Opaque Network ID, Opaque Network Type, External ID, MTU, TSO MSS, RXDispQueue Size, Port ID",
        tells="Name, Portset, Portgroup, MTU, TSO MSS",
        ends="Name, MTU, TSO MSS, Port ID",
        heading="Name",
    ),
    known_of(
        "network ip interface ipv4 get",
        "Name, IPv4 Address, IPv4 Netmask, IPv4 Broadcast, Address Type, Gateway, DHCP DNS",
        tells="Name, IPv4 Address, IPv4 Netmask",
        ends="Name, IPv4 Address, IPv4 Netmask, Address Type",
        filled="Name",
        options=MappingProxyType({"i": "interface-name", "N": "netstack"}),
    ),
    known_of(
        "network vswitch standard list",
        "Name, Class, Num Ports, Used Ports, Configured Ports, MTU, CDP Status, Beacon Enabled, Beacon Interval, Beacon Threshold, "
        "Beacon Required By, Uplinks, Portgroups",
        tells="Name, Num Ports, CDP Status, Portgroups",
        ends="Name, MTU, Uplinks, Portgroups",
        heading="Name",
        options=MappingProxyType({"v": "vswitch-name"}),
    ),
    known_of(
        "network vswitch dvs vmware list",
        "Name, VDS ID, Class, Num Ports, Used Ports, Configured Ports, MTU, CDP Status, Beacon Timeout, Uplinks, VMware Branded, DVPort, "
        "Client, DVPortgroup ID, In Use, Port ID",
        tells="Name, VDS ID, VMware Branded",
        ends="Name, VDS ID, MTU, Uplinks, VMware Branded",
        heading="Name",
        options=MappingProxyType({"v": "vds-name"}),
    ),
    known_of(
        "network nic list",
        "Name, PCI Device, Driver, Admin Status, Link Status, Speed, Duplex, MAC Address, MTU, Description, Link, DPU Id",
        tells="Name, PCI Device, Driver, Duplex",
        ends="Name, Driver, MTU, Description",
        filled="Name, Driver",
    ),
    known_of(
        "software profile get",
        "Name, Vendor, Creation Time, Modification Time, Stateless Ready, Description, VIBs",
        tells="Creation Time, Modification Time, Stateless Ready",
        ends="Name, Vendor, Creation Time",
    ),
)
"""Each once; the order says nothing."""

LISTS = _plain(
    "Other UIDs, Attached Filters, Working Paths, Working Path Set, Paths, Capabilities, Associated Devices, Host(s), Uplinks, Portgroups, "
    "VIBs, Provided Namespaces, Required Namespaces, Storage Containers, Beacon Required By, NFS4x Transport IPs, Vmknics"
)
"""Fields that may have several values, by their plain names."""

BOOLEANS = _plain(
    "Accessible, Mounted, Read-Only, isPE, MAC Address Valid, Compliant, Is Online, Is Loaded, Is Enabled, Settable, Inherit, "
    "XCOPY Use Array Reported Values, XCOPY Use Multiple Segments"
)
"""Fields whose cells are "true" or "false", by their plain names."""

BY_NAME: Mapping[str, Known] = MappingProxyType({name: known for known in COMMANDS for name in (known.command, *known.aliases)})
BY_PLAIN_NAME: Mapping[str, Known] = MappingProxyType({plain_name(name): known for name, known in BY_NAME.items()})
UNKNOWN = Known("", MappingProxyType({}), options=_OPTIONS)


def by_fields(names: frozenset[str]) -> Known:
    """The command that these fields tell, by their plain names; UNKNOWN where they tell none, or several."""
    told = [known for known in COMMANDS if known.tells and known.tells <= names]
    most = max((_agreement(known, names) for known in told), default=None)
    best = [known for known in told if _agreement(known, names) == most]
    return best[0] if len(best) == 1 else UNKNOWN


def _agreement(known: Known, names: frozenset[str]) -> tuple[int, int]:
    return -len(names - known.titles.keys()), len(known.tells)
