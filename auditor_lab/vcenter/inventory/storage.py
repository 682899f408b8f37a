"""SCSI devices and their multipath information as pyVmomi objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pyVmomi import VmomiSupport, vim

from auditor_lab.vcenter.soap.data_objects import long
from auditor_lab.vcenter.state.path_policy import FIXED, MOST_RECENTLY_USED
from auditor_lab.vcenter.state.storage_paths import hba_key, initiator

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor_lab.vcenter.description.devices import DeviceDescription
    from auditor_lab.vcenter.state.hosts import HostState

_byte: Any = VmomiSupport.GetVmodlType("byte")


def lun_key(device: DeviceDescription) -> str:
    """ScsiLun.key."""
    return f"key-vim.host.ScsiDisk-{lun_uuid(device)}"


def lun_uuid(device: DeviceDescription) -> str:
    """ScsiLun.uuid: the hexadecimal name between a type prefix and the product's letters, as ESXi builds it (known)."""
    return f"0200000000{device.name.partition('.')[2]}{device.model[:6].encode().hex()}"


def display_name(device: DeviceDescription) -> str:
    """The name that the vSphere client shows."""
    if device.local:
        return f"Local {device.vendor} Disk ({device.name})"
    return f"{device.vendor} {_TRANSPORTS[device.transport]} Disk ({device.name})"


_TRANSPORTS = {"iscsi": "iSCSI", "fc": "Fibre Channel", "sas": "Serial Attached SCSI", "tcp": "TCP", "pcie": "PCIe", "block": "Block"}


def scsi_lun(device: DeviceDescription, queue_depth: int, *, perennially_reserved: bool) -> Any:
    """HostScsiDisk; the inquiry strings are padded with blanks, as a device answers them."""
    blocks = device.size_bytes // 512
    return vim.host.ScsiDisk(
        canonicalName=device.name,
        displayName=display_name(device),
        key=lun_key(device),
        uuid=lun_uuid(device),
        lunType="disk",
        deviceName=f"/vmfs/devices/disks/{device.name}",
        devicePath=f"/vmfs/devices/disks/{device.name}",
        deviceType="disk",
        vendor=f"{device.vendor:8}",
        model=f"{device.model:16}",
        revision=f"{device.revision:4}",
        scsiLevel=6,
        serialNumber="unavailable",
        durableName=_durable_name(device),
        alternateName=[_durable_name(device)],
        queueDepth=queue_depth,
        operationalState=list(device.operational_state),
        vStorageSupport=vstorage_support(device),
        protocolEndpoint=device.protocol_endpoint,
        perenniallyReserved=perennially_reserved,
        applicationProtocol="SCSI" if device.protocol == "scsi" else "NVMe",
        capacity=vim.host.DiskDimensions.Lba(blockSize=512, block=long(blocks)),
        ssd=device.ssd,
        localDisk=device.local,
    )


def vstorage_support(device: DeviceDescription) -> str:
    """ScsiLun.vStorageSupport; unknown where a device supports only some primitives. Source: docs/domain/facts.md#3-4."""
    answers = {device.vaai.ats, device.vaai.clone, device.vaai.zero}
    if answers == {True}:
        return "vStorageSupported"
    return "vStorageUnsupported" if answers == {False} else "vStorageUnknown"


class Port(NamedTuple):
    """An adapter as it appears in path names."""

    key: str  # HostHostBusAdapter.key
    initiator: str
    is_up: bool = True


class Unit(NamedTuple):
    """The inputs of a HostMultipathInfoLogicalUnit: plain and hashable, so that equal ones are serialised only once.

    Attributes:
        ports: the adapters that reach the device.
        policy: name of the path selection policy.
        preferred: name of the path that a fixed policy prefers; empty for none.
        lost: the targets to which its paths are dead.
    """

    device: DeviceDescription
    ports: tuple[Port, ...]
    policy: str
    preferred: str
    lost: frozenset[str] = frozenset()


def ports(host: HostState, device: DeviceDescription) -> tuple[Port, ...]:
    """The adapters that reach a device."""
    return tuple(
        Port(hba_key(hba), initiator(host, hba), hba.status not in ("offline", "unbound"))
        for hba in host.hbas.values()
        if hba.reaches(device)
    )


def logical_unit(unit: Unit) -> Any:
    """HostMultipathInfoLogicalUnit with every path and the policies; whatever else it may depend on belongs into `Unit`."""
    device, built, working = unit.device, [], working_paths(unit)
    policy = vim.host.MultipathInfo.LogicalUnitPolicy(policy=unit.policy)
    if unit.preferred:
        policy = vim.host.MultipathInfo.FixedLogicalUnitPolicy(policy=unit.policy, prefer=unit.preferred)
    for port, target in ((port, target) for port in unit.ports for target in device.targets):
        name = _path_name(unit, port, target)
        built.append(
            vim.host.MultipathInfo.Path(
                key=f"key-vim.host.MultipathInfo.Path-{name}",
                name=name,
                pathState=_path_state(unit, port, target),
                state=_path_state(unit, port, target),
                isWorkingPath=name in working,
                adapter=port.key,
                lun=lun_key(device),
                transport=transport(device, target),
            )
        )
    return vim.host.MultipathInfo.LogicalUnit(
        key=f"key-vim.host.MultipathInfo.LogicalUnit-{lun_uuid(device)}",
        id=lun_uuid(device),
        lun=lun_key(device),
        path=built,
        policy=policy,
        storageArrayTypePolicy=(
            vim.host.MultipathInfo.LogicalUnitStorageArrayTypePolicy(policy=device.satp) if device.by_native_plugin else None
        ),
    )


def working_paths(unit: Unit) -> tuple[str, ...]:
    """Names of the paths that the policy sends I/O by: one of a policy that keeps to a path, else all that are active.

    Source: vSphere API reference, HostMultipathInfoPath.isWorkingPath; `nmp device list` of public outputs shows one working path under
    VMW_PSP_FIXED and the optimized ones under VMW_PSP_RR. The lab's arrays have no paths that are not optimized.
    """
    alive = [
        _path_name(unit, port, target)
        for port in unit.ports
        for target in unit.device.targets
        if _path_state(unit, port, target) == "active"
    ]
    if unit.policy not in (FIXED, MOST_RECENTLY_USED):
        return tuple(alive)
    return (unit.preferred,) if unit.preferred in alive else tuple(alive[:1])


def _path_name(unit: Unit, port: Port, target: str) -> str:
    return f"{port.initiator}-{target}-{unit.device.name}"


def _path_state(unit: Unit, port: Port, target: str) -> str:
    if target in unit.device.disabled_targets:
        return "disabled"
    return "active" if port.is_up and target not in unit.lost else "dead"


def path_states(units: Iterable[Unit]) -> list[Any]:
    """HostMultipathStateInfoPath of every path: the states of HostMultipathInfo alone. Source: vSphere API reference."""
    state = vim.host.MultipathStateInfo.Path
    return [
        state(name=_path_name(unit, port, target), pathState=_path_state(unit, port, target))
        for unit in units
        for port in unit.ports
        for target in unit.device.targets
    ]


_WITHOUT_TARGET = {
    "sas": vim.host.SerialAttachedTargetTransport,
    "tcp": vim.host.TcpTargetTransport,
    "pcie": vim.host.PcieTargetTransport,
    "block": vim.host.BlockAdapterTargetTransport,
}
"""The transports for which the API has no field for the target."""


def transport(device: DeviceDescription, target: str) -> Any:
    """HostTargetTransport of a device's target."""
    if device.transport == "iscsi":
        return vim.host.InternetScsiTargetTransport(iScsiName=target, address=["198.51.100.10:3260"])
    if device.transport in _WITHOUT_TARGET:
        return _WITHOUT_TARGET[device.transport]()
    port = int(target, 16)
    return vim.host.FibreChannelTargetTransport(portWorldWideName=long(port), nodeWorldWideName=long(port))


def _durable_name(device: DeviceDescription) -> Any:
    raw = device.name.partition(".")[2].encode()
    return vim.host.ScsiLun.DurableName(namespace="GENERIC_VPD", namespaceId=_byte(5), data=[_byte(value) for value in raw])
