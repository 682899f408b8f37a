"""Properties of virtual machines, their controllers and disks as pyVmomi objects."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pyVmomi import vim

from auditor_lab.vcenter.inventory.storage import lun_uuid
from auditor_lab.vcenter.soap.data_objects import complete, long

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.vms import DiskDescription, VmDescription
    from auditor_lab.vcenter.state.vcenter import VCenterState

SHARES = {"low": 500, "normal": 1000, "high": 2000}
"""The shares of a disk by level. Source: SharesLevel in the vSphere API."""

_TOOLS_VERSION = 12352
"""VMware Tools 12.3 as vSphere numbers it (known)."""

_EPOCH = datetime(2024, 1, 1, tzinfo=UTC)

# First key of each controller family in vSphere (known): IDE 200, SCSI 1000, SATA 15000, NVMe 31000.
_FIRST_KEY = {"ide": 200, "pvscsi": 1000, "lsilogic": 1000, "lsilogic-sas": 1000, "buslogic": 1000, "sata": 15000, "nvme": 31000}


def vm_uuid(vm: VmDescription) -> str:
    """VirtualMachineConfigInfo.uuid; derived from the name where the scenario gives none."""
    return vm.uuid or str(uuid.uuid5(uuid.NAMESPACE_DNS, vm.name))


def runtime(state: VCenterState, vm: VmDescription, moid: str) -> Any:
    """VirtualMachineRuntimeInfo."""
    host = state.hosts[state.vm_host[moid]]
    return complete(
        vim.vm.RuntimeInfo(
            host=vim.HostSystem(host.moid),
            connectionState="connected" if host.reachable else "disconnected",
            powerState="poweredOn" if vm.powered_on else "poweredOff",
            toolsInstallerMounted=False,
            numMksConnections=0,
        )
    )


def config(state: VCenterState, vm: VmDescription) -> Any:
    """VirtualMachineConfigInfo with controllers and disks."""
    return complete(
        vim.vm.ConfigInfo(
            changeVersion="1",
            name=vm.name,
            guestFullName=vm.guest_name or None,
            guestId=vm.guest_id or None,
            version="vmx-20",
            uuid=vm_uuid(vm),
            instanceUuid=vm_uuid(vm),
            template=vm.template,
            latencySensitivity=vim.LatencySensitivity(level=vm.latency_sensitivity) if vm.latency_sensitivity else None,
            tools=vim.vm.ToolsConfigInfo(
                toolsVersion=_TOOLS_VERSION,
                toolsInstallType="guestToolsTypeMSI",
                toolsUpgradePolicy="manual",
                lastInstallInfo=vim.vm.ToolsConfigInfo.ToolsLastInstallInfo(counter=1),
            ),
            files=vim.vm.FileInfo(vmPathName=_path(vm, f"{vm.name}.vmx")),
            hardware=vim.vm.VirtualHardware(numCPU=4, numCoresPerSocket=1, memoryMB=16384, device=devices(state, vm)),
        )
    )


def guest(vm: VmDescription) -> Any:
    """GuestInfo; VMware Tools report nothing of a machine that is off."""
    running = (vm.running_guest_id or None) if vm.powered_on else None
    state = "running" if vm.powered_on else "notRunning"
    return complete(vim.vm.GuestInfo(toolsStatus="toolsOk", guestState=state, guestId=running))


def summary(state: VCenterState, vm: VmDescription, moid: str) -> Any:
    """VirtualMachineSummary."""
    return complete(
        vim.vm.Summary(
            vm=vim.VirtualMachine(moid),
            runtime=runtime(state, vm, moid),
            config=vim.vm.Summary.ConfigSummary(
                name=vm.name,
                template=vm.template,
                vmPathName=_path(vm, f"{vm.name}.vmx"),
                uuid=vm_uuid(vm),
                instanceUuid=vm_uuid(vm),
                guestId=vm.guest_id or None,
                numCpu=4,
                memorySizeMB=16384,
                numVirtualDisks=len(vm.disks),
            ),
            guest=vim.vm.Summary.GuestSummary(toolsStatus="toolsOk"),
            storage=vim.vm.Summary.StorageSummary(
                committed=long(sum(disk.size_bytes for disk in vm.disks) // 2), uncommitted=long(0), unshared=long(0), timestamp=_EPOCH
            ),
            quickStats=vim.vm.Summary.QuickStats(),
            overallStatus="green",
        )
    )


def devices(state: VCenterState, vm: VmDescription) -> list[Any]:
    """The controllers, then the disks that are attached to them."""
    keys = _controller_keys(vm)
    attached = {kind: [2000 + place for place, disk in enumerate(vm.disks) if disk.controller == kind] for kind in keys}
    shared = {disk.controller: disk.bus_sharing for disk in vm.disks}
    controllers = [_controller(kind, key, attached[kind], shared[kind]) for kind, key in keys.items()]
    return controllers + [_disk(state, vm, disk, place, keys[disk.controller]) for place, disk in enumerate(vm.disks)]


def datastores(state: VCenterState, vm: VmDescription) -> list[Any]:
    """The datastores that hold a machine's disks."""
    return [vim.Datastore(moid) for moid in sorted({state.datastore_id[disk.datastore] for disk in vm.disks})]


def _controller_keys(vm: VmDescription) -> dict[str, int]:
    keys: dict[str, int] = {}
    for disk in vm.disks:
        if disk.controller not in keys:
            first = _FIRST_KEY[disk.controller]
            keys[disk.controller] = first + sum(1 for kind in keys if _FIRST_KEY[kind] == first)
    return keys


def _controller(kind: str, key: int, disks: list[int], bus_sharing: str) -> Any:
    scsi: dict[str, Any] = {"scsiCtlrUnitNumber": 7, "sharedBus": bus_sharing, "hotAddRemove": True}
    device = vim.vm.device
    built, label, extra = {
        "pvscsi": (device.ParaVirtualSCSIController, "SCSI controller", scsi),
        "lsilogic": (device.VirtualLsiLogicController, "SCSI controller", scsi),
        "lsilogic-sas": (device.VirtualLsiLogicSASController, "SCSI controller", scsi),
        "buslogic": (device.VirtualBusLogicController, "SCSI controller", scsi),
        "nvme": (device.VirtualNVMEController, "NVME controller", {}),
        "sata": (device.VirtualAHCIController, "SATA controller", {}),
        "ide": (device.VirtualIDEController, "IDE", {}),
    }[kind]
    number = key - _FIRST_KEY[kind]
    return built(key=key, busNumber=number, device=disks, deviceInfo=vim.Description(label=f"{label} {number}", summary=kind), **extra)


def _disk(state: VCenterState, vm: VmDescription, disk: DiskDescription, place: int, controller: int) -> Any:
    suffix = "" if place == 0 else f"_{place}"
    name = f"[{disk.datastore}] {disk.folder or vm.name}/{vm.name}{suffix}.vmdk"
    return vim.vm.device.VirtualDisk(
        key=2000 + place,
        deviceInfo=vim.Description(label=f"Hard disk {place + 1}", summary=f"{disk.size_bytes // 1024:,} KB"),
        backing=_backing(state, vm, disk, name),
        controllerKey=controller,
        unitNumber=place,
        capacityInKB=long(disk.size_bytes // 1024),
        capacityInBytes=long(disk.size_bytes),
        storageIOAllocation=vim.StorageResourceManager.IOAllocationInfo(
            limit=long(-1 if disk.iops_limit is None else disk.iops_limit),
            shares=_shares(disk),
            reservation=disk.iops_reservation,
        ),
    )


def _backing(state: VCenterState, vm: VmDescription, disk: DiskDescription, name: str) -> Any:
    common = {"fileName": name, "datastore": vim.Datastore(state.datastore_id[disk.datastore]), "diskMode": "persistent"}
    if disk.raw_device:
        device = state.hosts[state.host_id[vm.host]].devices[disk.raw_device]
        return vim.vm.device.VirtualDisk.RawDiskMappingVer1BackingInfo(
            **common,
            lunUuid=lun_uuid(device),
            deviceName=f"vml.{lun_uuid(device)}",  # as VMware's and others' scripts read it
            compatibilityMode="physicalMode",
        )
    return vim.vm.device.VirtualDisk.FlatVer2BackingInfo(
        **common,
        backingObjectId=disk.backing_object_id or None,
        thinProvisioned=disk.provisioning == "thin",
        # It is unset for a lazily zeroed disk (known from what clients show; not verified).
        eagerlyScrub=True if disk.provisioning == "eager" else None,
    )


def _shares(disk: DiskDescription) -> Any:
    if isinstance(disk.shares, int):
        return vim.SharesInfo(shares=disk.shares, level="custom")
    return vim.SharesInfo(shares=SHARES[disk.shares], level=disk.shares)


def _path(vm: VmDescription, file: str) -> str:
    store = vm.disks[0].datastore if vm.disks else "none"
    return f"[{store}] {vm.name}/{file}"
