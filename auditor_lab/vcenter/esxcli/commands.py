"""The esxcli commands that the lab's hosts have.

Field names: as `esxcli` prints them, without blanks, hyphens and units. Source: docs/domain/facts.md#1-1 to #1-11, #3-2, #3-4 and #2.
Arguments are the structured names (`schednumreqoutstanding`), never letters.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor_lab.vcenter.description.modules import module_of, parse_options
from auditor_lab.vcenter.esxcli import iscsi, iscsi_parameters, nmp, system
from auditor_lab.vcenter.esxcli.command import ONE_OF_THEM, WHICH, Arguments, Command, Parameter, check_arguments, requested_devices
from auditor_lab.vcenter.esxcli.executer import CommandFault, Rows, Scalar
from auditor_lab.vcenter.inventory.datastores import vmfs_uuid
from auditor_lab.vcenter.inventory.storage import display_name, lun_uuid, vstorage_support

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.devices import DeviceDescription
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState

__all__ = ["COMMANDS", "check_arguments"]

_SUPPORT = {"vStorageSupported": "supported", "vStorageUnsupported": "unsupported", "vStorageUnknown": "unknown"}


_STATUS = {"off": "off", "degraded": "degraded"}
"""By the main state of a disk: what esxcli prints; of most other states no output was seen."""


def _device_list(_state: VCenterState, host: HostState, arguments: Arguments) -> Rows:
    return Rows("ScsiDevice", [_device(host, device) for device in requested_devices(host, arguments)])


def _device(host: HostState, device: DeviceDescription) -> dict[str, object]:
    own = host.device_settings.get(device.name, {})
    dsnro = {"NoofoutstandingIOswithcompetingworlds": host.dsnro(device)} if device.has_dsnro else {}
    return {
        "Device": device.name,
        "DisplayName": display_name(device),
        "HasSettableDisplayName": True,
        "Size": device.size_bytes >> 20,
        "DeviceType": "Direct-Access",
        "MultipathPlugin": "NMP" if device.by_native_plugin else "HPP",
        "DevfsPath": f"/vmfs/devices/disks/{device.name}",
        "Vendor": f"{device.vendor:8}",
        "Model": f"{device.model:16}",
        "Revision": f"{device.revision:4}",
        "SCSILevel": 6,
        "IsPseudo": False,
        "Status": _STATUS.get(device.operational_state[0], "on") if device.operational_state else "on",
        "IsRDMCapable": True,
        "IsLocal": device.local,
        "IsRemovable": False,
        "IsSSD": device.ssd,
        "IsVVOLPE": device.protocol_endpoint,
        "IsOffline": False,
        "IsPerenniallyReserved": host.perennially_reserved(device),
        "QueueFullSampleSize": own.get("queuefullsamplesize", 0),
        "QueueFullThreshold": own.get("queuefullthreshold", 0),
        "ThinProvisioningStatus": "yes",
        "AttachedFilters": "",
        "VAAIStatus": _SUPPORT[vstorage_support(device)],
        "OtherUIDs": [f"vml.{lun_uuid(device)}"],
        "IsSharedClusterwide": not device.local,
        "IsSAS": device.transport == "sas",
        "IsUSB": False,
        "IsBootDevice": False,
        "DeviceMaxQueueDepth": host.queue_depth(device),
        **dsnro,
        "DriveType": "unknown",
        "RAIDLevel": "unknown",
        "NumberofPhysicalDrives": "unknown",
        "ProtectionEnabled": False,
        "PIActivated": False,
        "PIType": 0,
        "PIProtectionMask": "NO PROTECTION",
        "SupportedGuardTypes": "NO GUARD SUPPORT",
        "DIXEnabled": False,
        "DIXGuardType": "NO GUARD SUPPORT",
        "EmulatedDIXDIFEnabled": False,
    }


def _device_set(state: VCenterState, host: HostState, arguments: Arguments) -> Scalar:
    """Set DSNRO: at most 256 on an ordinary device, 4096 on a protocol endpoint; a value above the device's depth is stored without effect.

    Source: docs/domain/facts.md#1-5 (256: VMware's host profile validator; 4096: the maximum of Scsi.ScsiVVolPESNRO) and 1.6.
    """
    device = requested_devices(host, arguments)[0]
    limits = {
        "schednumreqoutstanding": ("dsnro", 1, 4096 if device.protocol_endpoint else 256),
        "queuefullsamplesize": ("queuefullsamplesize", 0, 64),
        "queuefullthreshold": ("queuefullthreshold", 1, 16),
    }
    wanted = {}
    for name, (setting, least, most) in limits.items():
        if name in arguments:
            text = arguments[name][0]
            if not text.isdigit() or not least <= int(text) <= most:
                raise CommandFault(f"Unable to set {name} of {device.name}: {text} is not within {least} and {most}")
            wanted[setting] = int(text)
    host.device_settings.setdefault(device.name, {}).update(wanted)
    state.changed()
    return Scalar(True)  # noqa: FBT003  the value


def _device_setconfig(state: VCenterState, host: HostState, arguments: Arguments) -> Scalar:
    """Mark a device as perennially reserved, or take the mark away. Source: docs/domain/facts.md#5-9."""
    device = requested_devices(host, arguments)[0]
    text = arguments["perenniallyreserved"][0]
    if text not in {"true", "false"}:
        raise CommandFault(f"Unable to set perenniallyreserved of {device.name}: {text} is neither true nor false")
    host.device_settings.setdefault(device.name, {})["perennially_reserved"] = text == "true"
    state.changed()
    return Scalar(True)  # noqa: FBT003  the value


def _vaai_status(_state: VCenterState, host: HostState, arguments: Arguments) -> Rows:
    def supported(answer: bool) -> str:
        return "supported" if answer else "unsupported"

    return Rows(
        "VAAIDeviceStatus",
        [
            {
                "Device": device.name,
                "VAAIPluginName": device.vaai.plugin,
                "ATSStatus": supported(device.vaai.ats),
                "CloneStatus": supported(device.vaai.clone),
                "ZeroStatus": supported(device.vaai.zero),
                "DeleteStatus": supported(device.vaai.delete),
            }
            for device in requested_devices(host, arguments)
        ],
    )


def _module_list(_state: VCenterState, host: HostState, _arguments: Arguments) -> Rows:
    return Rows("Module", [{"Name": name, "IsLoaded": module.loaded, "IsEnabled": True} for name, module in host.modules.items()])


def _module_parameters(_state: VCenterState, host: HostState, arguments: Arguments) -> Rows:
    """The parameters of a module with the configured values; an unknown name in the option string is not shown."""
    name = arguments["module"][0]
    if name not in host.modules:
        raise CommandFault(f"Unable to find module: {name}")
    configured = parse_options(host.modules[name].configured)
    return Rows(
        "Parameters",
        [
            {"Name": one.name, "Type": one.type, "Value": configured.get(one.name, ""), "Description": one.description}
            for one in module_of(name).parameters
        ],
    )


def _lockmode_list(state: VCenterState, host: HostState, _arguments: Arguments) -> Rows:
    mounted = [store.description for store in state.mounted(host.description.name)]
    return Rows(
        "LockMode",
        [
            {
                "VolumeName": store.name,
                "UUID": vmfs_uuid(store.name),
                "Type": f"VMFS-{store.vmfs_version.partition('.')[0]}",
                "LockingMode": store.locking_mode,
                "ATSCompatible": store.locking_mode.startswith("ATS"),
                "ATSUpgradeModes": "None" if store.locking_mode == "ATS" else "Online or Offline",
                "ATSIncompatibilityReason": "",
            }
            for store in mounted
            if store.type == "VMFS"
        ],
    )


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "storage.core.device.list": Command(_device_list, (ONE_OF_THEM,)),
        "storage.core.device.set": Command(
            _device_set,
            (
                WHICH,
                Parameter("schednumreqoutstanding", ("--sched-num-req-outstanding", "-O")),
                Parameter("queuefullsamplesize", ("--queue-full-sample-size", "-s")),
                Parameter("queuefullthreshold", ("--queue-full-threshold", "-q")),
            ),
            writes=True,
        ),
        "storage.core.device.setconfig": Command(
            _device_setconfig,
            (WHICH, Parameter("perenniallyreserved", ("--perennially-reserved",), required=True)),
            writes=True,
        ),
        "storage.core.device.vaai.status.get": Command(_vaai_status, (ONE_OF_THEM,)),
        **nmp.COMMANDS,
        **iscsi.COMMANDS,
        **iscsi_parameters.COMMANDS,
        **system.COMMANDS,
        "storage.vmfs.lockmode.list": Command(_lockmode_list),
        "system.module.list": Command(_module_list),
        "system.module.parameters.list": Command(_module_parameters, (Parameter("module", ("--module", "-m"), required=True),)),
    }
)
