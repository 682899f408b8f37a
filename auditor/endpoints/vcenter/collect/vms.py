"""Virtual machines and their disks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.endpoints.vcenter.collect.reading import read_each
from auditor.endpoints.vcenter.collect.rows import Facts, Rows, gap, gaps_of, readings
from auditor.endpoints.vcenter.enumerations import BUS_SHARINGS, VM_POWER_STATES, unlisted
from auditor.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.endpoints.common.circuit import Circuit
    from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
    from auditor.endpoints.vcenter.bulk.shapes import VirtualDevice
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Endpoint

_MAPPED = re.compile(r"02[0-9a-fA-F]{4}0000([0-9a-fA-F]{32})[0-9a-fA-F]*")
_DEVICES = "config.hardware.device"
_LATENCY = "config.latencySensitivity.level"
_GUEST, _GUEST_NAME, _RUNNING_GUEST = "config.guestId", "config.guestFullName", "guest.guestId"
_UUID = "config.uuid"
_OPTIONAL = frozenset({_LATENCY, _GUEST, _GUEST_NAME, _RUNNING_GUEST, _UUID})
"""What the API lets a machine be without; the running guest is known to VMware Tools alone."""
_MACHINES_A_BATCH = 500
_HOST = "runtime.host"


@dataclass(slots=True)
class MachinesSeen:
    """The running machines with a disk, filled while machines are read.

    Machines of hosts in `lost` are left out: vCenter has no counters of what such a host does.
    """

    lost: frozenset[str] = frozenset()  # managed object ids
    refs: list[Ref] = field(default_factory=list)
    limited: set[str] = field(default_factory=set)  # ids of those that have a disk on a controller of LIMITED
    host_of: dict[str, str] = field(default_factory=dict)  # by machine's id; one whose host is not reported is not in it
    complete: bool = False  # every machine was read, with its disks

    def add(self, facts: ObjectProperties) -> None:
        """Take a machine in, if it runs, as far as is known, on a host that is not lost, and may have a disk."""
        host: Ref | None = facts.values.get(_HOST)
        if (host is not None and host.value in self.lost) or facts.values.get("runtime.powerState") in ("poweredOff", "suspended"):
            return
        if facts.is_gone or not _may_have_disks(facts):
            return
        self.refs.append(Ref("VirtualMachine", facts.id))
        if host is not None:
            self.host_of[facts.id] = host.value
        if not {CONTROLLERS.get(device.type_name) for device in facts.values.get(_DEVICES) or ()}.isdisjoint(LIMITED):
            self.limited.add(facts.id)


def collect_vms(
    vcenter: VCenter, endpoint: Endpoint, circuit: Circuit, paths: Sequence[str], seen: MachinesSeen | None = None
) -> Iterator[Facts]:
    """Yield vm and vm_disk, and the reading of topic "vms"; fill `seen`.

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
        yield from add_machine(endpoint, machines, disks, facts, paths)
        if seen is not None and not isinstance(facts, tuple):
            seen.add(facts)
        if count % _MACHINES_A_BATCH == 0:
            yield from machines.batch()
            yield from disks.batch()
            machines, disks = Rows("vm", endpoint=endpoint.name), Rows("vm_disk", endpoint=endpoint.name)
    yield from machines.batch()
    yield from disks.batch()
    yield readings(endpoint, "", {"vms": complete})
    if seen is not None:
        seen.complete = complete


def _may_have_disks(facts: ObjectProperties) -> bool:
    """False where all of a machine's devices were reported and none is a disk: it has no counters of disks."""
    devices = facts.values.get(_DEVICES)
    return devices is None or any(device.type_name == "VirtualDisk" for device in devices)


def add_machine(
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
    not_reported = {path: "vCenter does not report it" for path in paths if path not in values and path not in _OPTIONAL}
    missing = not_reported | dict(facts.missing)
    yield from gaps_of(endpoint, missing, f"virtual machine {name}")
    host, power = values.get(_HOST), values.get("runtime.powerState")
    if why := unlisted(power, VM_POWER_STATES):
        yield gap(endpoint, f"power state of virtual machine {name}", why)
        power = None
    machines.add(
        vm_id=facts.id,
        name=name,
        host_id=host.value if host else None,
        power_state=power,
        is_template=values.get("config.template"),
        latency_sensitivity=values.get(_LATENCY),
        disks_read=_DEVICES in values,
        guest_id=values.get(_GUEST) or None,
        guest_full_name=values.get(_GUEST_NAME) or None,
        bios_uuid=(values.get(_UUID) or "").lower() or None,
        # Unset, VMware Tools report none; not read, it may be any.
        running_guest_id=values.get(_RUNNING_GUEST) or (None if _RUNNING_GUEST in missing or _RUNNING_GUEST not in paths else ""),
    )
    devices = values.get(_DEVICES) or ()
    for why in sorted({unlisted(device.shared_bus, BUS_SHARINGS) for device in devices} - {""}):
        yield gap(endpoint, f"bus sharing of a controller of virtual machine {name}", why)
    _add_disks(disks, facts.id, devices)


def _add_disks(rows: Rows, vm_id: str, devices: Sequence[VirtualDevice]) -> None:
    attached_to = {device.key: device for device in devices if device.type_name in CONTROLLERS}
    for device in devices:
        if device.type_name != "VirtualDisk":
            continue
        backing, limits = device.backing, device.storage_io_allocation
        controller = attached_to.get(device.controller_key)
        kind = CONTROLLERS[controller.type_name] if controller else None
        limit = limits.limit if limits else None
        shares = limits.shares if limits else None
        kib = device.capacity_in_kb
        size = device.capacity_in_bytes if device.capacity_in_bytes is not None else None if kib is None else kib * 1024
        rows.add(
            vm_id=vm_id,
            disk=device.device_info.label if device.device_info else f"disk {device.key}",
            disk_key=device.key,
            datastore_id=backing.datastore.value if backing and backing.datastore else None,
            controller=kind,
            node=f"{_BUSES.get(kind, 'scsi')}{controller.bus_number}:{device.unit_number}"
            if controller and kind and controller.bus_number is not None and device.unit_number is not None
            else None,
            size_bytes=size,
            iops_limit=limit if limit is not None and limit > 0 else None,  # -1 is unlimited (StorageIOAllocationInfo)
            shares_level=shares.level if shares else None,
            shares=shares.shares if shares else None,
            iops_reservation=(limits.reservation if limits else None) or None,
            is_thin=backing.thin_provisioned if backing else None,
            is_eager_zeroed=backing.eagerly_scrub if backing else None,
            backing_object_id=(backing.backing_object_id if backing else None) or None,
            file=backing.file_name if backing else None,
            rdm_mode=(backing.compatibility_mode if backing else None) or None,
            rdm_device=mapped_device(backing.lun_uuid) if backing and backing.compatibility_mode and backing.lun_uuid else None,
            bus_sharing=controller.shared_bus if controller and controller.shared_bus in BUS_SHARINGS else None,
        )


def mapped_device(lun_uuid: str) -> str | None:
    """The canonical name of the LUN behind a raw device mapping, by its identifier; None where that holds no naa name.

    Source: VMware KB 2078730: 02 for naa, the device type, the LUN (2 digits each), 0000, the 32 digits of the name, and a hash.
    """
    match = _MAPPED.fullmatch(lun_uuid.removeprefix("vml."))
    return f"naa.{match[1].lower()}" if match else None


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

LIMITED = frozenset({"lsilogic", "lsilogic-sas", "buslogic"})
"""Controllers whose queue is short for a busy disk. Source: docs/domain/facts.md#8-4."""

_BUSES = {"nvme": "nvme", "sata": "sata", "ide": "ide"}
"""How a virtual device node begins, by kind of controller; of all others "scsi".

Source: vSphere Virtual Machine Administration, "Change the Virtual Device Node": SCSI (0:1), SATA (0:0); performance counters of a machine
name the disk scsi0:1.
"""
