"""Methods of virtual machines: ReconfigVM_Task, as far as the lab stores what it changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import vim, vmodl

from auditor_lab.vcenter.inventory.vms import SHARES, devices

if TYPE_CHECKING:
    from auditor_lab.vcenter.context import Context, Operation
    from auditor_lab.vcenter.description.vms import DiskDescription

_UNLIMITED = -1
_EDIT = "edit"


def _reconfigure(context: Context, this: Any, arguments: Mapping[str, Any]) -> Any:
    """Change limit, shares, reservation and size of disks; anything else is refused, because the lab does not store it."""
    state, moid = context.state, this._GetMoId()  # noqa: SLF001  pyVmomi's accessor
    vm = state.vm(moid)
    places = {device.key: place for place, device in enumerate(_disks(devices(state, vm)))}
    changed = dict(enumerate(vm.disks))
    for change in _device_changes(arguments["spec"]):
        place = places.get(change.device.key)
        if place is None:
            raise vim.fault.InvalidDeviceSpec(deviceIndex=0, property="device.key", msg="Invalid configuration for device '0'.")
        changed[place] = _edited(changed[place], change.device)

    def work() -> None:
        state.replace_vm(moid, replace(state.vm(moid), disks=tuple(changed.values())))

    return context.tasks.start(this, vm.name, "VirtualMachine.reconfigure", work)


def _disks(built: list[Any]) -> list[Any]:
    return [device for device in built if isinstance(device, vim.vm.device.VirtualDisk)]


def _device_changes(spec: Any) -> list[Any]:
    """The changes of disks; a spec with anything else is refused."""
    for field in spec._GetPropertyList():  # noqa: SLF001  pyVmomi's only way to enumerate fields
        if field.name != "deviceChange" and getattr(spec, field.name):
            raise vmodl.fault.NotSupported(msg=f"The lab cannot change {field.name} of a machine.")
    for change in spec.deviceChange:
        if change.operation != _EDIT or not isinstance(change.device, vim.vm.device.VirtualDisk):
            raise vmodl.fault.NotSupported(msg="The lab can change disks that a machine has, but neither add nor remove devices.")
    return list(spec.deviceChange)


def _edited(disk: DiskDescription, device: Any) -> DiskDescription:
    """The disk as a device of a spec describes it; what the spec leaves unset stays.

    Raises:
        vmodl.fault.InvalidArgument: it would become smaller, or a limit or share is out of range.
    """
    size = (device.capacityInKB or 0) * 1024 or disk.size_bytes
    if size < disk.size_bytes:
        raise vmodl.fault.InvalidArgument(invalidProperty="spec.deviceChange.device.capacityInKB", msg="A disk cannot become smaller.")
    disk = replace(disk, size_bytes=size)
    wanted = device.storageIOAllocation
    if wanted is None:
        return disk
    if wanted.limit is not None:
        if wanted.limit < _UNLIMITED:
            raise vmodl.fault.InvalidArgument(invalidProperty="spec.deviceChange.device.storageIOAllocation.limit", msg="")
        disk = replace(disk, iops_limit=None if wanted.limit == _UNLIMITED else int(wanted.limit))
    if wanted.reservation is not None:
        disk = replace(disk, iops_reservation=int(wanted.reservation))
    return disk if wanted.shares is None else replace(disk, shares=_shares(wanted.shares))


def _shares(wanted: Any) -> str | int:
    level = str(wanted.level)
    if level in SHARES:
        return level
    if not wanted.shares or wanted.shares < 0:
        raise vmodl.fault.InvalidArgument(invalidProperty="spec.deviceChange.device.storageIOAllocation.shares.shares", msg="")
    return int(wanted.shares)


OPERATIONS: Mapping[str, Operation] = MappingProxyType({"ReconfigVM_Task": _reconfigure})
