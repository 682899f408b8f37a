"""Settings that vCenter keeps, as PowerCLI: of datastores, datastore clusters and virtual disks.

The methods without `_Task` wait for the task and throw where it fails. What is set is found by its id in the vCenter that the plan is of.

Source: vSphere API reference, StorageResourceManager, HostStorageSystem.UpdateVmfsUnmapPriority, VirtualMachine.ReconfigVM; public PowerCLI
scripts that call ConfigureStorageDrsForPod and UpdateVmfsUnmapPriority on views; docs/domain/facts.md#3-9, #4-1, #4-9.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.endpoints.common.commands import Form, Helper, NoCommandError, powershell_alone

if TYPE_CHECKING:
    from auditor.endpoints.common.commands import Dialect, PowerShell
    from auditor.model import Scalar, Target

_ID = re.compile(r"[A-Za-z0-9-]+")
_MANUAL = re.compile(r"manual ([1-9][0-9]{0,8}) ms")


def _helper(name: str, text: str, *needs: Helper) -> Helper:
    return Helper("", "", name, text, needs)


_VIEW = _helper(
    "Get-Managed",
    """\
# An object of the vCenter by its id.
function Get-Managed($id) { Get-View -Server $server -Id $id }
""",
)
_SET_IORM = _helper(
    "Set-Iorm",
    """\
# Sets these fields of Storage I/O Control of a datastore; all others stay.
function Set-Iorm($id, $fields) {
    $manager = Get-View -Server $server -Id $server.ExtensionData.Content.StorageResourceManager
    $spec = New-Object VMware.Vim.StorageIORMConfigSpec -Property $fields
    $manager.ConfigureDatastoreIORM((Get-Managed $id).MoRef, $spec)
}
""",
    _VIEW,
)
_THRESHOLD = _helper(
    "Get-Threshold",
    """\
# The congestion threshold of a datastore, as the plan says it.
function Get-Threshold($id) {
    $now = (Get-Managed $id).IormConfiguration
    $mode = "$($now.CongestionThresholdMode)"
    if ($mode -ceq 'manual') { "manual $($now.CongestionThreshold) ms" } else { $mode }
}
""",
    _VIEW,
)
_SET_UNMAP = _helper(
    "Set-Unmap",
    """\
# Sets the priority of space reclamation of a datastore, by a connected host that has it mounted for writing.
function Set-Unmap($id, $priority) {
    $datastore = Get-Managed $id
    $rate = $datastore.Info.Vmfs.UnmapBandwidthSpec
    if ($rate -and ("$($rate.Policy)" -eq 'dynamic' -or $rate.FixedValue -gt 0)) { throw "$id is reclaimed at a rate, not by a priority" }
    $ready = $datastore.Host | Where-Object {
        $_.MountInfo.AccessMode -eq 'readWrite' -and $_.MountInfo.Mounted -ne $false -and $_.MountInfo.Accessible -ne $false }
    $hosts = $ready | ForEach-Object { Get-Managed $_.Key }
    $writer = $hosts | Where-Object { $_.Runtime.ConnectionState -eq 'connected' } | Select-Object -First 1
    if (-not $writer) { throw "no connected host has $id mounted for writing" }
    (Get-Managed $writer.ConfigManager.StorageSystem).UpdateVmfsUnmapPriority($datastore.Info.Vmfs.Uuid, $priority)
}
""",
    _VIEW,
)
_DISK = _helper(
    "Get-Disk",
    """\
# One virtual disk of a machine.
function Get-Disk($id, $key) {
    $disk = (Get-Managed $id).Config.Hardware.Device | Where-Object { $_ -is [VMware.Vim.VirtualDisk] -and $_.Key -eq $key }
    if (-not $disk) { throw "$id has no disk $key" }
    $disk
}
""",
    _VIEW,
)
_DISK_LIMIT = _helper(
    "Get-DiskLimit",
    """\
# The limit of a virtual disk, in I/O operations a second; -1 is none.
function Get-DiskLimit($id, $key) {
    $limit = (Get-Disk $id $key).StorageIOAllocation.Limit
    if ($limit -gt 0) { $limit } else { -1 }
}
""",
    _DISK,
)
_SET_DISK_LIMIT = _helper(
    "Set-DiskLimit",
    """\
# Sets it; shares and reservation stay.
function Set-DiskLimit($id, $key, $limit) {
    $disk = Get-Disk $id $key
    if (-not $disk.StorageIOAllocation) { $disk.StorageIOAllocation = New-Object VMware.Vim.StorageIOAllocationInfo }
    $disk.StorageIOAllocation.Limit = $limit
    $edit = New-Object VMware.Vim.VirtualDeviceConfigSpec -Property @{ Operation = 'edit'; Device = $disk }
    (Get-Managed $id).ReconfigVM((New-Object VMware.Vim.VirtualMachineConfigSpec -Property @{ DeviceChange = @($edit) }))
}
""",
    _DISK_LIMIT,
)
_SET_POD = _helper(
    "Set-Pod",
    """\
# Sets these fields of Storage DRS of a datastore cluster; all others stay.
function Set-Pod($id, $fields) {
    $manager = Get-View -Server $server -Id $server.ExtensionData.Content.StorageResourceManager
    $pod = New-Object VMware.Vim.StorageDrsPodConfigSpec -Property $fields
    $spec = New-Object VMware.Vim.StorageDrsConfigSpec -Property @{ PodConfigSpec = $pod }
    $manager.ConfigureStorageDrsForPod((Get-Managed $id).MoRef, $spec, $true)
}
""",
    _VIEW,
)


def sioc(target: Target, dialect: Dialect) -> Form:
    """datastore.sioc: Storage I/O Control, on or off."""
    to, place = _at(dialect, "Datastore", target["datastore_id"])

    def commands(_now: Scalar, wanted: Scalar) -> tuple[str, ...]:
        return (f"Set-Iorm {place} @{{ Enabled = {to.quoted(_one_of(wanted, (True, False)))} }}",)

    return Form(f"(Get-Managed {place}).IormConfiguration.Enabled", commands, (_SET_IORM,))


def sioc_threshold(target: Target, dialect: Dialect) -> Form:
    """datastore.sioc_threshold: the congestion threshold, automatic or in milliseconds."""
    _, place = _at(dialect, "Datastore", target["datastore_id"])

    def commands(_now: Scalar, wanted: Scalar) -> tuple[str, ...]:
        match = _MANUAL.fullmatch(wanted) if isinstance(wanted, str) else None
        if match is None and wanted != "automatic":
            raise NoCommandError(f"the threshold cannot be {wanted!r}")
        fields = (
            f"CongestionThresholdMode = 'manual'; CongestionThreshold = {match[1]}" if match else "CongestionThresholdMode = 'automatic'"
        )
        return (f"Set-Iorm {place} @{{ {fields} }}",)

    return Form(f"Get-Threshold {place}", commands, (_SET_IORM, _THRESHOLD))


def unmap(target: Target, dialect: Dialect) -> Form:
    """datastore.unmap: the priority of space reclamation."""
    to, place = _at(dialect, "Datastore", target["datastore_id"])

    def commands(_now: Scalar, wanted: Scalar) -> tuple[str, ...]:
        return (f"Set-Unmap {place} {to.quoted(_one_of(wanted, ('none', 'low')))}",)

    return Form(f"(Get-Managed {place}).Info.Vmfs.UnmapPriority", commands, (_SET_UNMAP,))


def disk_limit(target: Target, dialect: Dialect) -> Form:
    """vm.disk_limit: the limit of one virtual disk."""
    _, machine = _at(dialect, "VirtualMachine", target["vm_id"])
    if not target["disk_key"].isdecimal():
        raise NoCommandError(f"{target['disk_key']!a} is no key of a disk")
    place = f"{machine} {int(target['disk_key'])}"

    def commands(_now: Scalar, wanted: Scalar) -> tuple[str, ...]:
        if not isinstance(wanted, int) or isinstance(wanted, bool) or (wanted < 1 and wanted != -1):
            raise NoCommandError(f"the limit cannot be {wanted!r}")
        return (f"Set-DiskLimit {place} {wanted}",)

    return Form(f"Get-DiskLimit {place}", commands, (_SET_DISK_LIMIT,))


def pod_automation(target: Target, dialect: Dialect) -> Form:
    """pod.automation: whether Storage DRS moves machines by itself."""
    to, place = _at(dialect, "StoragePod", target["pod_id"])

    def commands(_now: Scalar, wanted: Scalar) -> tuple[str, ...]:
        return (f"Set-Pod {place} @{{ DefaultVmBehavior = {to.quoted(_one_of(wanted, ('manual', 'automated')))} }}",)

    return Form(f"{_pod(place)}.DefaultVmBehavior", commands, (_SET_POD,))


def pod_io_metric(target: Target, dialect: Dialect) -> Form:
    """pod.io_metric: whether Storage DRS looks at latency."""
    to, place = _at(dialect, "StoragePod", target["pod_id"])

    def commands(_now: Scalar, wanted: Scalar) -> tuple[str, ...]:
        return (f"Set-Pod {place} @{{ IoLoadBalanceEnabled = {to.quoted(_one_of(wanted, (True, False)))} }}",)

    return Form(f"{_pod(place)}.IoLoadBalanceEnabled", commands, (_SET_POD,))


def _pod(place: str) -> str:
    return f"(Get-Managed {place}).PodStorageDrsEntry.StorageDrsConfig.PodConfig"


def _at(dialect: Dialect, kind: str, moid: str) -> tuple[PowerShell, str]:
    """The dialect, and the object in quotes."""
    to = powershell_alone(dialect)
    if not _ID.fullmatch(moid):
        raise NoCommandError(f"{moid!a} is no id of vCenter")
    return to, to.quoted(f"{kind}-{moid}")


def _one_of(value: Scalar, allowed: tuple[Scalar, ...]) -> Scalar:
    if not any(type(value) is type(one) and value == one for one in allowed):
        raise NoCommandError(f"the value cannot be {value!r}")
    return value
