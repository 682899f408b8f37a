"""The paths from a host's adapters to a device, their names in the API, and how the host selects among them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from auditor_lab.vcenter.state.path_policy import FIXED, MOST_RECENTLY_USED, claimed

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.devices import DeviceDescription, HbaDescription
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.path_policy import PathPolicy

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


def policy_of(host: HostState, device: DeviceDescription) -> PathPolicy:
    """The policy in effect."""
    return host.path_policies.get(device.name) or claimed(device)


def runtime_names(host: HostState, device: DeviceDescription) -> dict[str, str]:
    """A device's paths: vCenter's name of each and esxcli's, for example vmhba64:C0:T0:L0.

    The numbers are the lab's: the target is the path's position on its adapter, the LUN the device's position on the host.
    """
    lun = list(host.devices).index(device.name)
    return {
        path_name(host, hba, target, device): f"{hba.device}:C0:T{device.targets.index(target)}:L{lun}"
        for hba, target in paths(host, device)
    }


def device_config(host: HostState, device: DeviceDescription) -> str:
    """The device configuration of the policy as in `nmp device list`.

    Source: outputs in KB 323117 and public guides for round robin by count, fixed and most recently used; for latency the vSphere storage
    guide 6.7, "Change Default Parameters for Latency Round Robin".
    """
    policy, names = policy_of(host, device), runtime_names(host, device)
    first = next(iter(names.values()), "")
    if policy.psp == FIXED:
        return f"{{preferred={names.get(policy.preferred, first)};current={names.get(policy.preferred, first)}}}"
    if policy.psp == MOST_RECENTLY_USED:
        return f"Current Path={first}"
    ano = int(policy.use_unoptimized)
    if policy.limit == "Latency":
        samples = policy.sampling_ios
        return (
            f"{{policy=latency,latencyEvalTime={policy.latency_evaluation_ms},samplingCycles={samples},curSamplingCycle={samples},"
            f"useANO={ano}; CurrentPath={first}: NumIOsPending=0,latency=0}}"
        )
    word = {"Default": "rr", "Iops": "iops", "Bytes": "bytes"}[policy.limit]
    counts = f"policy={word},iops={policy.iops},bytes={policy.bytes},useANO={ano}"
    return f"{{{counts}; lastPathIndex=0: NumIOsPending=0,numBytesPending=0}}"
