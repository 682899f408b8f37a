"""Properties of hosts and their managers as pyVmomi objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyVmomi import vim

from auditor_lab.vcenter.inventory import hardware
from auditor_lab.vcenter.inventory.datastores import mount_info, volume
from auditor_lab.vcenter.inventory.network import network, physical_nics
from auditor_lab.vcenter.inventory.storage import Unit, logical_unit, path_states, ports, scsi_lun
from auditor_lab.vcenter.inventory.topology import topology
from auditor_lab.vcenter.soap.data_objects import complete, long
from auditor_lab.vcenter.state.hosts import ISCSI_PARAMETERS, target_key
from auditor_lab.vcenter.state.path_policy import FIXED
from auditor_lab.vcenter.state.storage_paths import hba_key, initiator, policy_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor_lab.vcenter.description.devices import DeviceDescription, HbaDescription, TargetDescription
    from auditor_lab.vcenter.description.vcenter import HostAgentDescription
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState


def product(version: str, build: int) -> Any:
    """AboutInfo of an ESXi host."""
    return vim.AboutInfo(
        name="VMware ESXi",
        fullName=f"VMware ESXi {version} build-{build}",
        vendor="VMware, Inc.",
        version=version,
        build=str(build),
        localeVersion="INTL",
        localeBuild="000",
        osType="vmnix-x86",
        productLineId="embeddedEsx",
        apiType="HostAgent",
        apiVersion=f"{version}.0",
    )


def runtime(host: HostState) -> Any:
    """HostRuntimeInfo; a host that vCenter cannot reach has no boot time and an unknown power state."""
    return complete(
        vim.host.RuntimeInfo(
            connectionState=host.connection_state,
            powerState="poweredOn" if host.reachable else "unknown",
            inMaintenanceMode=host.in_maintenance_mode,
            bootTime=host.boot_time if host.reachable else None,
        )
    )


def summary(host: HostState, reference: Any, agent: HostAgentDescription | None = None) -> Any:
    """HostListSummary: what vCenter, or the host's own `agent`, knows of a host even while vCenter cannot reach it."""
    about = host.description
    return complete(
        vim.host.Summary(
            host=reference,
            hardware=vim.host.Summary.HardwareSummary(
                vendor=hardware.VENDOR,
                model=hardware.MODEL,
                uuid=hardware.host_uuid(host),
                memorySize=long(hardware.MEMORY_BYTES),
                cpuModel=hardware.CPU,
                cpuMhz=hardware.MHZ,
                numCpuPkgs=hardware.PACKAGES,
                numCpuCores=hardware.CORES,
                numCpuThreads=hardware.THREADS,
                numNics=len(physical_nics(host)),
                numHBAs=len(host.hbas),
            ),
            runtime=runtime(host),
            config=vim.host.Summary.ConfigSummary(
                name=about.name, port=443, product=product(about.version, about.build), vmotionEnabled=True
            ),
            quickStats=vim.host.Summary.QuickStats(overallCpuUsage=1000, overallMemoryUsage=65536, uptime=86400),
            overallStatus="green" if host.reachable else "red",
            rebootRequired=any(module.configured != module.in_effect for module in host.modules.values()),
            maxEVCModeKey="",
            managementServerIp=(agent.managed_by or None) if agent is not None else None,
        )
    )


def config(state: VCenterState, host: HostState, reference: Any) -> Any:
    """HostConfigInfo; None while vCenter cannot reach the host."""
    if not host.reachable:
        return None
    about = host.description
    return complete(
        vim.host.ConfigInfo(
            host=reference,
            product=product(about.version, about.build),
            storageDevice=storage_device(host),
            multipathState=complete(vim.host.MultipathStateInfo(path=path_states_of(host))),
            network=network(host),
            fileSystemVolume=volumes(state, host),
            option=option_values(host),
            vsanHostConfig=vim.vsan.host.ConfigInfo(enabled=about.vsan_enabled),
            lockdownMode="lockdownDisabled" if (agent := state.description.host_agent) is None else agent.lockdown,
        )
    )


def option_values(host: HostState) -> list[Any]:
    """The listed advanced options, with their types on the wire; hidden ones are left out."""
    return [option_value(host, key) for key in sorted(host.options) if key not in host.definitions or not host.definitions[key].hidden]


def option_value(host: HostState, key: str) -> Any:
    """One advanced option as OptionValue."""
    return vim.option.OptionValue(key=key, value=option_type(host, key)(host.options[key]))


def option_type(host: HostState, key: str) -> Any:
    """The type of an option on the wire: numbers are long, as on ESXi."""
    held = host.options[key]
    return type(held) if isinstance(held, (bool, str)) else long


def storage_device(host: HostState) -> Any:
    """HostStorageDeviceInfo: adapters, devices and paths."""
    return complete(
        vim.host.StorageDeviceInfo(
            hostBusAdapter=adapters(host),
            scsiLun=luns(host),
            multipathInfo=multipath_info(host),
            scsiTopology=topology(host),
            softwareInternetScsiEnabled=software_iscsi(host),
        )
    )


def luns(host: HostState) -> list[Any]:
    """ScsiLun of every device of a host."""
    return [
        scsi_lun(device, host.queue_depth(device), perennially_reserved=host.perennially_reserved(device))
        for device in host.devices.values()
    ]


def multipath_info(host: HostState) -> Any:
    """HostMultipathInfo: every device of a host with its paths."""
    return vim.host.MultipathInfo(lun=[logical_unit(unit(host, device)) for device in host.devices.values()])


def path_states_of(host: HostState) -> list[Any]:
    """The state of every path of a host."""
    return path_states(unit(host, device) for device in host.devices.values())


def adapters(host: HostState) -> list[Any]:
    """HostHostBusAdapter of every adapter."""
    return [_adapter(host, hba, place) for place, hba in enumerate(host.hbas.values())]


def software_iscsi(host: HostState) -> bool:
    """Whether the software iSCSI adapter is enabled."""
    return any(hba.software for hba in host.hbas.values())


def unit(host: HostState, device: DeviceDescription) -> Unit:
    """The multipath information of a device on a host."""
    policy = policy_of(host, device)
    lost = frozenset(target for name, target in host.lost_paths if name == device.name)
    return Unit(device, ports(host, device), policy.psp, policy.preferred if policy.psp == FIXED else "", lost)


_PLAIN_HBAS = {"tcp": vim.host.TcpHba, "pcie": vim.host.PcieHba, "block": vim.host.BlockHba}


def _adapter(host: HostState, hba: HbaDescription, bus: int) -> Any:
    common = {
        "key": hba_key(hba),
        "device": hba.device,
        "bus": bus,
        "status": hba.status,
        "model": hba.model,
        "driver": hba.driver,
        "pci": hardware.hba_pci(host, hba),
        "storageProtocol": hba.protocol,
    }
    if hba.kind == "fc":
        port = int(initiator(host, hba), 16)
        return vim.host.FibreChannelHba(
            **common, portWorldWideName=long(port), nodeWorldWideName=long(port + (1 << 60)), portType="fabric", speed=long(32)
        )
    if hba.kind in _PLAIN_HBAS:
        return _PLAIN_HBAS[hba.kind](**common)
    if hba.kind == "sas":
        return vim.host.SerialAttachedHba(**common, nodeWorldWideName=initiator(host, hba))
    adapter = vim.host.InternetScsiHba(
        **common,
        isSoftwareBased=hba.software,
        iScsiAlias="",
        authenticationProperties=_without_chap(inherited=None),
        canBeDisabled=hba.software,
        iScsiName=initiator(host, hba),
        maxSpeedMb=25000,
        currentSpeedMb=25000,
        advancedOptions=_parameters(
            host.adapter_delayed_ack[hba.device], host.adapter_parameters[hba.device], None, dict.fromkeys(ISCSI_PARAMETERS)
        ),
    )
    # An adapter's `supportedAdvancedOptions` stays unset: no recording of a real list exists.
    for target in hba.targets:
        if target.kind == "send":
            adapter.configuredSendTarget.append(_target(host, hba, target, vim.host.InternetScsiHba.SendTarget()))
        else:
            method = "sendTargetMethod" if target.discovered_at else "staticMethod"
            static = vim.host.InternetScsiHba.StaticTarget(
                iScsiName=target.iqn, discoveryMethod=method, parent=target.discovered_at or None
            )
            adapter.configuredStaticTarget.append(_target(host, hba, target, static))
    return adapter


def _target(host: HostState, hba: HbaDescription, target: TargetDescription, built: Any) -> Any:
    own = host.target_delayed_ack.get(target_key(hba.device, target))
    its = host.target_parameters.get(target_key(hba.device, target), {})
    built.address = target.address
    built.port = target.port
    built.authenticationProperties = _without_chap(inherited=True)
    built.advancedOptions = _parameters(
        _inherited(host, hba, target) if own is None else own,
        _inherited_parameters(host, hba, target) | its,
        own is None,
        {key: key not in its for key in ISCSI_PARAMETERS},
    )
    return built


def _without_chap(*, inherited: bool | None) -> Any:
    """The authentication of an adapter or a target; the lab knows none."""
    return vim.host.InternetScsiHba.AuthenticationProperties(
        chapAuthEnabled=False,
        chapName="",
        chapAuthenticationType="chapProhibited",
        chapInherited=inherited,
        mutualChapName="",
        mutualChapAuthenticationType="chapProhibited",
        mutualChapInherited=inherited,
    )


def _inherited(host: HostState, hba: HbaDescription, target: TargetDescription) -> bool:
    """DelayedAck of the send target that discovered this target, else of the adapter."""
    own = [host.target_delayed_ack.get(target_key(hba.device, one)) for one in _finders(hba, target)]
    return next((value for value in own if value is not None), host.adapter_delayed_ack[hba.device])


def _inherited_parameters(host: HostState, hba: HbaDescription, target: TargetDescription) -> dict[str, int]:
    """The other inherited parameters, likewise."""
    values = dict(host.adapter_parameters[hba.device])
    for finder in reversed(_finders(hba, target)):
        values |= host.target_parameters.get(target_key(hba.device, finder), {})
    return values


def _finders(hba: HbaDescription, target: TargetDescription) -> list[TargetDescription]:
    return [one for one in hba.targets if one.kind == "send" and one.address == target.discovered_at]


def _parameters(
    delayed_ack: bool,
    others: Mapping[str, int],
    inherited: bool | None,
    others_inherited: Mapping[str, bool | None],
) -> list[Any]:
    """HostInternetScsiHbaParamValue of every parameter; isInherited is unset where nothing can be inherited."""
    value = vim.host.InternetScsiHba.ParamValue
    return [
        value(key="DelayedAck", value=delayed_ack, isInherited=inherited),
        *(value(key=key, value=number, isInherited=others_inherited.get(key)) for key, number in others.items()),
    ]


def volumes(state: VCenterState, host: HostState) -> Any:
    """HostFileSystemVolumeInfo: the volumes that a host mounts."""
    mounts = [
        vim.host.FileSystemMountInfo(mountInfo=mount_info(store), volume=volume(state, store))
        for store in state.mounted(host.description.name)
        if store.description.type != "vsan"  # its own configuration describes it
    ]
    return vim.host.FileSystemVolumeInfo(volumeTypeList=["VMFS", "NFS", "NFS41", "VVOL"], mountInfo=mounts)
