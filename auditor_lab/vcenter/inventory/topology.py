"""HostScsiTopology: which targets an adapter sees, and the devices behind each; the same paths as in the multipath information.

The numbers of targets and units are the lab's: adapters in their order, targets in the order of the devices, units counted from 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyVmomi import vim

from auditor_lab.vcenter.inventory.storage import lun_key, transport
from auditor_lab.vcenter.soap.data_objects import complete
from auditor_lab.vcenter.state.storage_paths import hba_key

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.devices import DeviceDescription, HbaDescription
    from auditor_lab.vcenter.state.hosts import HostState


def topology(host: HostState) -> Any:
    """HostScsiTopology of a host."""
    return complete(vim.host.ScsiTopology(adapter=[_interface(host, hba) for hba in host.hbas.values()]))


def _interface(host: HostState, hba: HbaDescription) -> Any:
    behind: dict[str, list[DeviceDescription]] = {}
    for device in host.devices.values():
        if hba.reaches(device):
            for target in device.targets:
                behind.setdefault(target, []).append(device)
    return vim.host.ScsiTopology.Interface(
        key=f"key-vim.host.ScsiTopology.Interface-{hba.device}",
        adapter=hba_key(hba),
        target=[_target(hba, place, target, devices) for place, (target, devices) in enumerate(behind.items())],
    )


def _target(hba: HbaDescription, place: int, target: str, devices: list[DeviceDescription]) -> Any:
    where = f"{hba.device}:0:{place}"
    return vim.host.ScsiTopology.Target(
        key=f"key-vim.host.ScsiTopology.Target-{where}",
        target=place,
        lun=[
            vim.host.ScsiTopology.Lun(key=f"key-vim.host.ScsiTopology.Lun-{where}:{number}", lun=number, scsiLun=lun_key(device))
            for number, device in enumerate(devices)
        ],
        transport=transport(devices[0], target),
    )
