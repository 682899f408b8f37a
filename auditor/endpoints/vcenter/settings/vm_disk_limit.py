"""The limit of one virtual disk, in I/O operations a second."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import not_there, refused
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Scalar, Target

UNLIMITED = -1
"""Source: vSphere API reference, StorageIOAllocationInfo.limit: "If set to -1, then there is no limit on resource usage"."""

TASK_TIMEOUT_SECONDS = 120.0
"""How long vCenter and the host may take to reconfigure a machine."""


class VmDiskLimit:
    """Reads and sets `storageIOAllocation.limit` of a disk; -1 is no limit. Keys: vm_id, disk_key (of the virtual device).

    The disk goes back as it was read, with its limit alone changed: shares and reservation stay. It acts at once, also on a machine that
    runs. A limit of 0 has no effect, and reads as none. The host counts a limit in pieces of 32 KiB.

    Source: VirtualMachine.ReconfigVM_Task, StorageIOAllocationInfo; docs/domain/facts.md#4-9.
    """

    kind = EndpointKind.VCENTER

    def read(self, session: VCenter, target: Target) -> Reading:
        """The limit now; -1 where there is none.

        Raises:
            NotThereError: no such machine, or it has no such disk.
        """
        allocation = _disk(session, target).storageIOAllocation
        limit = allocation.limit if allocation is not None else None
        return Reading(int(limit) if limit is not None and limit > 0 else UNLIMITED)

    def write(self, session: VCenter, target: Target, value: Scalar) -> None:
        """Set the limit, once, and wait until vCenter says that it is done.

        Raises:
            RefusedError: neither -1 nor a positive whole number, or vCenter says no, for example while the machine is being moved.
            EndpointUnreachableError: the task did not end in time; what it will do is not known.
        """
        from pyVmomi import vim

        from auditor.endpoints.vcenter.translation import translated

        if not isinstance(value, int) or isinstance(value, bool) or (value < 1 and value != UNLIMITED):
            raise refused(
                session,
                f"the limit of {_named(target)} cannot be {value!r}",
                "give a whole number of operations a second, or -1 for no limit.",
            )
        disk = _disk(session, target)
        allocation = disk.storageIOAllocation or vim.StorageResourceManager.IOAllocationInfo()
        allocation.limit = value
        disk.storageIOAllocation = allocation
        edit = vim.vm.device.VirtualDeviceSpec(operation=vim.vm.device.VirtualDeviceSpec.Operation.edit, device=disk)
        machine = session.object(vim.VirtualMachine, target["vm_id"])
        with translated(session.endpoint, f"setting the limit of {_named(target)} to {value}"):
            task = machine.ReconfigVM_Task(vim.vm.ConfigSpec(deviceChange=[edit]))
        session.wait(task, TASK_TIMEOUT_SECONDS)


def _disk(session: VCenter, target: Target) -> Any:
    from pyVmomi import vim

    for device in session.value(vim.VirtualMachine, target["vm_id"], "config.hardware.device") or ():
        if isinstance(device, vim.vm.device.VirtualDisk) and str(device.key) == target["disk_key"]:
            return device
    raise not_there(session, f"there is no {_named(target)}", "there is nothing to set.", "collect again: the disk may have been removed.")


def _named(target: Target) -> str:
    return f"disk {target['disk_key']} of {target['vm_id']}"
