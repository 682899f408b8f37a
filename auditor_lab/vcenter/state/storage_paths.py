"""The paths from a host's adapters to a device, and the names that the API gives adapters and paths."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.devices import DeviceDescription, HbaDescription
    from auditor_lab.vcenter.state.hosts import HostState

_KEY_KIND = {
    "iscsi": "InternetScsiHba",
    "fc": "FibreChannelHba",
    "sas": "SerialAttachedHba",
    "tcp": "TcpHba",
    "pcie": "PcieHba",
    "block": "BlockHba",
}


def hba_key(hba: HbaDescription) -> str:
    """HostHostBusAdapter.key."""
    return f"key-vim.host.{_KEY_KIND[hba.kind]}-{hba.device}"


def paths(host: HostState, device: DeviceDescription) -> list[tuple[HbaDescription, str]]:
    """Each path of a device: the adapter, and the target's IQN, WWPN or SAS address."""
    adapters = [hba for hba in host.hbas.values() if hba.reaches(device)]
    return [(hba, target) for hba in adapters for target in device.targets]


def path_name(host: HostState, hba: HbaDescription, target: str, device: DeviceDescription) -> str:
    """HostMultipathInfoPath.name."""
    return f"{initiator(host, hba)}-{target}-{device.name}"


def initiator(host: HostState, hba: HbaDescription) -> str:
    """The adapter's IQN, or WWPN or SAS address (16 hex digits); derived from the host's name where the scenario gives none."""
    if hba.initiator:
        return hba.initiator
    name = host.description.name.partition(".")[0]
    digest = hashlib.sha256(f"{name}/{hba.device}".encode()).hexdigest()
    if hba.kind == "iscsi":
        return f"iqn.1998-01.com.vmware:{name}-{digest[:8]}"
    return f"500605b{digest[:9]}" if hba.kind == "sas" else f"10000090fa{digest[:6]}"
