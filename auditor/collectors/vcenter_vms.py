"""Virtual machines and their disks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.clients.vcenter import moid
from auditor.collectors.vcenter_reading import LIGHT_PAGE, read_each
from auditor.collectors.vcenter_rows import Facts, Rows, gap, holes, pages, readings
from auditor.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.clients.vcenter import VCenter
    from auditor.clients.vcenter_read import ObjectFacts
    from auditor.collectors.vcenter_rows import Circuit
    from auditor.model import Endpoint

_DEVICES = "config.hardware.device"
_PATHS = ("name", "runtime.host", "runtime.powerState", "config.template", _DEVICES)


def collect_vms(vcenter: VCenter, endpoint: Endpoint, circuit: Circuit) -> Iterator[Facts]:
    """Yield vm and vm_disk, and the reading of topic "vms".

    A machine that was removed while we read is no hole. A machine of a host that vCenter has lost is told as vCenter remembers it: its
    disks are the machine's, not the host's.
    """
    from pyVmomi import vim

    from auditor.clients.vcenter_read import list_objects

    try:
        if circuit.opened_by is not None:
            raise circuit.opened_by
        refs = list_objects(vcenter, vim.VirtualMachine)
    except EndpointError as error:
        circuit.failed(error)
        yield gap(endpoint, "the list of virtual machines", error)
        yield readings(endpoint, "", {"vms": False})
        return
    complete = True
    for some in pages(refs, LIGHT_PAGE):
        machines, disks = Rows("vm", endpoint=endpoint.name), Rows("vm_disk", endpoint=endpoint.name)
        for facts in read_each(vcenter, vim.VirtualMachine, _PATHS, some, LIGHT_PAGE, circuit):
            # A machine whose disks are not told is a hole of its own (disks_read); one whose host is not may be anywhere.
            complete = complete and not isinstance(facts, tuple) and (facts.is_gone or "runtime.host" in facts.values)
            yield from _add(endpoint, machines, disks, facts)
        yield from machines.batch()
        yield from disks.batch()
    yield readings(endpoint, "", {"vms": complete})


def _add(endpoint: Endpoint, machines: Rows, disks: Rows, facts: ObjectFacts | tuple[Any, EndpointError]) -> Iterator[Facts]:
    """Add one machine; yield its holes."""
    if isinstance(facts, tuple):
        ref, error = facts
        machines.add(vm_id=moid(ref), name=moid(ref), disks_read=False)
        yield gap(endpoint, f"virtual machine {moid(ref)}", error)
        return
    if facts.is_gone:
        return
    values = facts.values
    name = values.get("name") or facts.id
    missing = {path: facts.missing.get(path, "vCenter does not tell it") for path in _PATHS if path not in values}
    yield from holes(endpoint, missing, f"virtual machine {name}")
    host, power = values.get("runtime.host"), values.get("runtime.powerState")
    machines.add(
        vm_id=facts.id,
        name=name,
        host_id=moid(host) if host else None,
        power_state=str(power) if power else None,
        is_template=values.get("config.template"),
        disks_read=_DEVICES in values,
    )
    _add_disks(disks, facts.id, values.get(_DEVICES) or ())


def _add_disks(rows: Rows, vm_id: str, devices: Any) -> None:
    from pyVmomi import vim

    controllers = {device.key: controller_name(device) for device in devices}
    for device in devices:
        if not isinstance(device, vim.vm.device.VirtualDisk):
            continue
        backing, limits = device.backing, device.storageIOAllocation
        datastore = getattr(backing, "datastore", None)
        limit = limits.limit if limits else None
        rows.add(
            vm_id=vm_id,
            disk=device.deviceInfo.label if device.deviceInfo else f"disk {device.key}",
            datastore_id=moid(datastore) if datastore else None,
            controller=controllers.get(device.controllerKey),
            size_bytes=device.capacityInBytes if device.capacityInBytes is not None else device.capacityInKB * 1024,
            iops_limit=limit if limit is not None and limit > 0 else None,  # -1 is unlimited (StorageIOAllocationInfo)
            backing_object_id=getattr(backing, "backingObjectId", None) or None,
            file=getattr(backing, "fileName", None),
        )


def controller_name(device: Any) -> str | None:
    """The controller as the table names it; None when `device` is no disk controller we know."""
    from pyVmomi import vim

    kinds = (
        (vim.vm.device.ParaVirtualSCSIController, "pvscsi"),
        (vim.vm.device.VirtualLsiLogicSASController, "lsilogic-sas"),
        (vim.vm.device.VirtualLsiLogicController, "lsilogic"),
        (vim.vm.device.VirtualBusLogicController, "buslogic"),
        (vim.vm.device.VirtualNVMEController, "nvme"),
        (vim.vm.device.VirtualSATAController, "sata"),
        (vim.vm.device.VirtualIDEController, "ide"),
    )
    return next((name for kind, name in kinds if isinstance(device, kind)), None)
