"""Virtual machines and their disks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.vcenter.collect.reading import read_each
from auditor.endpoints.vcenter.collect.rows import Facts, Rows, gap, gaps_of, readings
from auditor.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.endpoints.common.circuit import Circuit
    from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
    from auditor.endpoints.vcenter.bulk.shapes import Ref, VirtualDevice
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Endpoint

_DEVICES = "config.hardware.device"
_LATENCY = "config.latencySensitivity.level"
_MACHINES_A_BATCH = 500
_HOST = "runtime.host"


def collect_vms(vcenter: VCenter, endpoint: Endpoint, circuit: Circuit, paths: Sequence[str]) -> Iterator[Facts]:
    """Yield vm and vm_disk, and the reading of topic "vms".

    `paths` are the properties to ask for. A machine that was removed while we read is no hole. A machine of a host that
    vCenter has lost is reported as vCenter remembers it: its disks are the machine's, not the host's.
    """
    try:
        circuit.check()
        refs = vcenter.bulk.refs("VirtualMachine")
    except EndpointError as error:
        circuit.failed(error)
        yield gap(endpoint, "the list of virtual machines", error)
        yield readings(endpoint, "", {"vms": False})
        return
    complete = True
    machines, disks = Rows("vm", endpoint=endpoint.name), Rows("vm_disk", endpoint=endpoint.name)
    for count, facts in enumerate(read_each(vcenter, "VirtualMachine", paths, refs, circuit), 1):
        # A machine whose disks are not reported is a hole of its own (disks_read); one whose host is not may be anywhere.
        complete = complete and not isinstance(facts, tuple) and (facts.is_gone or _HOST in facts.values or _HOST not in paths)
        yield from _add(endpoint, machines, disks, facts, paths)
        if count % _MACHINES_A_BATCH == 0:
            yield from machines.batch()
            yield from disks.batch()
            machines, disks = Rows("vm", endpoint=endpoint.name), Rows("vm_disk", endpoint=endpoint.name)
    yield from machines.batch()
    yield from disks.batch()
    yield readings(endpoint, "", {"vms": complete})


def _add(
    endpoint: Endpoint, machines: Rows, disks: Rows, facts: ObjectProperties | tuple[Ref, EndpointError], paths: Sequence[str]
) -> Iterator[Facts]:
    """Add one machine; yield a gap for each property that could not be read."""
    if isinstance(facts, tuple):
        ref, error = facts
        machines.add(vm_id=ref.value, name=ref.value, disks_read=False)
        yield gap(endpoint, f"virtual machine {ref.value}", error)
        return
    if facts.is_gone:
        return
    values = facts.values
    name = values.get("name") or facts.id
    # The API lets a machine be without a latency sensitivity.
    untold = {path: "vCenter does not tell it" for path in paths if path not in values and path != _LATENCY}
    missing = untold | dict(facts.missing)
    yield from gaps_of(endpoint, missing, f"virtual machine {name}")
    host, power = values.get(_HOST), values.get("runtime.powerState")
    machines.add(
        vm_id=facts.id,
        name=name,
        host_id=host.value if host else None,
        power_state=power,
        is_template=values.get("config.template"),
        latency_sensitivity=values.get(_LATENCY),
        disks_read=_DEVICES in values,
    )
    _add_disks(disks, facts.id, values.get(_DEVICES) or ())


def _add_disks(rows: Rows, vm_id: str, devices: Sequence[VirtualDevice]) -> None:
    controllers = {device.key: CONTROLLERS.get(device.type_name) for device in devices}
    for device in devices:
        if device.type_name != "VirtualDisk":
            continue
        backing, limits = device.backing, device.storage_io_allocation
        limit = limits.limit if limits else None
        shares = limits.shares if limits else None
        size = device.capacity_in_bytes if device.capacity_in_bytes is not None else (device.capacity_in_kb or 0) * 1024
        rows.add(
            vm_id=vm_id,
            disk=device.device_info.label if device.device_info else f"disk {device.key}",
            disk_key=device.key,
            datastore_id=backing.datastore.value if backing and backing.datastore else None,
            controller=controllers.get(device.controller_key),
            size_bytes=size,
            iops_limit=limit if limit is not None and limit > 0 else None,  # -1 is unlimited (StorageIOAllocationInfo)
            shares_level=shares.level if shares else None,
            shares=shares.shares if shares else None,
            iops_reservation=(limits.reservation if limits else None) or None,
            is_thin=backing.thin_provisioned if backing else None,
            is_eager_zeroed=backing.eagerly_scrub if backing else None,
            backing_object_id=(backing.backing_object_id if backing else None) or None,
            file=backing.file_name if backing else None,
        )


CONTROLLERS = {
    "ParaVirtualSCSIController": "pvscsi",
    "VirtualLsiLogicSASController": "lsilogic-sas",
    "VirtualLsiLogicController": "lsilogic",
    "VirtualBusLogicController": "buslogic",
    "VirtualNVMEController": "nvme",
    "VirtualSATAController": "sata",
    "VirtualAHCIController": "sata",  # the only kind of VirtualSATAController the API has
    "VirtualIDEController": "ide",
}
"""Disk controllers as the table names them, by their type."""
