"""Devices, paths, adapters and claim rules.

The device list, NMP's and VAAI's, the rules of SATPs and the adapter list are as in recorded outputs, iSCSI and SAS paths too. Not
verified: identifiers of paths by SATA, PCIe and NVMe/TCP, the state "off" of a disabled path, and `storage san fc list`, whose fields are
known by their names only. The rules of `claimrule list` are the first of those that a public output shows, without the vendors'.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from auditor_lab.evidence.forms import Form, Layout, Output, records_of
from auditor_lab.vcenter.description.modules import module_of
from auditor_lab.vcenter.esxcli.commands import COMMANDS
from auditor_lab.vcenter.esxcli.executer import Rows
from auditor_lab.vcenter.inventory import hardware
from auditor_lab.vcenter.inventory.hosts import unit
from auditor_lab.vcenter.inventory.storage import display_name, path_states
from auditor_lab.vcenter.state.storage_paths import initiator, path_name, paths, runtime_names

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.devices import DeviceDescription, HbaDescription
    from auditor_lab.vcenter.esxcli.command import Arguments
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState

DEVICES = Form(
    Layout.RECORDS,
    "ScsiDevice",
    (
        *("Display Name", "Has Settable Display Name", "Size", "Device Type", "Multipath Plugin", "Devfs Path", "Vendor", "Model"),
        *("Revision", "SCSI Level", "Is Pseudo", "Status", "Is RDM Capable", "Is Local", "Is Removable", "Is SSD", "Is VVOL PE"),
        *("Is Offline", "Is Perennially Reserved", "Queue Full Sample Size", "Queue Full Threshold", "Thin Provisioning Status"),
        *("Attached Filters", "VAAI Status", "Other UIDs", "Is Shared Clusterwide", "Is Local SAS Device", "Is SAS", "Is USB"),
        *("Is Boot USB Device", "Is Boot Device", "Device Max Queue Depth", "No of outstanding IOs with competing worlds", "Drive Type"),
        *("RAID Level", "Number of Physical Drives", "Protection Enabled", "PI Activated", "PI Type", "PI Protection Mask"),
        *("Supported Guard Types", "DIX Enabled", "DIX Guard Type", "Emulated DIX/DIF Enabled"),
    ),
    heading="Device",
    until={"Is Local SAS Device": (7, 0, 3), "Is Boot USB Device": (7, 0, 3)},
    lists=frozenset({"Attached Filters", "Other UIDs"}),
)
"""A record of 7.0 has the two fields of `until`, one of 7.0 Update 3 and those of later releases have not."""

VAAI = Form(
    Layout.RECORDS,
    "VAAIDeviceStatus",
    ("VAAI Plugin Name", "ATS Status", "Clone Status", "Zero Status", "Delete Status"),
    heading="Device",
)
NMP = Form(
    Layout.RECORDS,
    "NmpDevice",
    (
        *("Device Display Name", "Storage Array Type", "Storage Array Type Device Config", "Path Selection Policy"),
        *("Path Selection Policy Device Config", "Path Selection Policy Device Custom Config", "Working Paths", "Is USB"),
    ),
    heading="Device",
    lists=frozenset({"Working Paths"}),
)
SATP_RULES = Form(
    Layout.TABLE,
    "SatpRule",
    (
        *("Name", "Device", "Vendor", "Model", "Driver", "Transport", "Options", "Rule Group", "Claim Options", "Default PSP"),
        *("PSP Options", "Description"),
    ),
)
CLAIM_RULES = Form(
    Layout.TABLE,
    "ClaimRule",
    (
        *("Rule Class", "Rule", "Class", "Type", "Plugin", "Matches", "XCOPY Use Array Reported Values", "XCOPY Use Multiple Segments"),
        *("XCOPY Max Transfer Size", "XCOPY Max Transfer Size KiB", "Config String"),
    ),
    since={"XCOPY Max Transfer Size KiB": (7, 0), "Config String": (7, 0)},
    until={"XCOPY Max Transfer Size": (7, 0)},
)
ADAPTERS = Form(Layout.TABLE, "Adapter", ("HBA Name", "Driver", "Link State", "UID", "Capabilities", "Description"))
PATHS = Form(
    Layout.RECORDS,
    "ScsiPath",
    (
        *("UID", "Runtime Name", "Device", "Device Display Name", "Adapter", "Channel", "Target", "LUN", "Plugin", "State", "Transport"),
        *("Adapter Identifier", "Target Identifier", "Adapter Transport Details", "Target Transport Details", "Maximum IO Size"),
    ),
    heading="UID",
)
FC_ADAPTERS = Form(
    Layout.RECORDS,
    "FcDevice",
    (
        *("Adapter", "Port ID", "Node Name", "Port Name", "Speed", "Port Type", "Port State", "Model Description", "Hardware Version"),
        *("OptionROM Version", "Firmware Version", "Driver Name", "DriverVersion"),
    ),
    units={"Speed": "Gbps"},
)
ISCSI_ADAPTERS = Form(Layout.RECORDS, "iScsiDevice", ("Adapter", "UID", "Driver", "State", "Description"))

_LAST_RULE = 65535
_CLAIM_RULES = (
    (50, "transport", "NMP", "transport=usb", ""),
    (51, "transport", "HPP", "transport=sata", "pss=FIXED"),
    (52, "transport", "NMP", "transport=ide", ""),
    (53, "transport", "NMP", "transport=block", ""),
    (54, "transport", "NMP", "transport=unknown", ""),
    (_LAST_RULE, "vendor", "NMP", "vendor=* model=*", ""),
)
_PATH_STATES = {"disabled": "off"}
_WORDS = {"block": "sata"}
"""esxcli's word for a transport where it is not that of the description."""
NODE_ABOVE_PORT = 1 << 60
"""What the lab adds to a WWPN for the node's name (`inventory.hosts`)."""


def answer(state: VCenterState, host: HostState, command: str, arguments: Arguments | None = None) -> list[dict[str, object]]:
    """The rows that vCenter's esxcli answers for a command of this host."""
    answered = COMMANDS[command.replace(" ", ".")].run(state, host, arguments or {})
    if not isinstance(answered, Rows):
        raise TypeError(f"{command} does not answer with rows")
    return [dict(row) for row in answered.rows]


def outputs(state: VCenterState, host: HostState) -> Iterator[Output]:
    """Every command of the name space `storage core`, `nmp` and `san`."""
    version = host.description.version

    def output(command: str, form: Form, rows: list[dict[str, object]], options: tuple[tuple[str, str], ...] = ()) -> Output:
        return Output(command, form, records_of(form, rows, version), version, options)

    yield output("storage core device list", DEVICES, [_device(row, host) for row in answer(state, host, "storage core device list")])
    yield output("storage core device vaai status get", VAAI, answer(state, host, "storage core device vaai status get"))
    yield output("storage nmp device list", NMP, answer(state, host, "storage nmp device list"))
    yield output("storage nmp satp rule list", SATP_RULES, answer(state, host, "storage nmp satp rule list"))
    yield output("storage core claimrule list", CLAIM_RULES, _claim_rules(version), (("--claimrule-class", "all"),))
    yield output("storage core adapter list", ADAPTERS, [_adapter(host, hba) for hba in host.hbas.values()])
    yield output("storage core path list", PATHS, [row for device in host.devices.values() for row in _paths(host, device)])
    fc = [hba for hba in host.hbas.values() if hba.kind == "fc"]
    yield output("storage san fc list", FC_ADAPTERS, [_fc_adapter(host, hba) for hba in fc])
    iscsi = [hba for hba in host.hbas.values() if hba.kind == "iscsi"]
    yield output("storage san iscsi list", ISCSI_ADAPTERS, [_iscsi_adapter(host, hba) for hba in iscsi])


def _device(row: Mapping[str, object], host: HostState) -> dict[str, object]:
    """The row that vCenter answers, with the padding and the two older fields that it lacks."""
    device = host.devices[str(row["Device"])]
    return {
        **row,
        "DeviceType": f"{row['DeviceType']} ",
        "IsLocalSASDevice": device.local and device.transport == "sas",
        "IsBootUSBDevice": False,
    }


def _claim_rules(version: str) -> list[dict[str, object]]:
    """The rules for transports, and the last; SATA's plug-in is NMP before 7.0."""
    old = version.startswith("6.")
    return [
        {
            "Rule Class": "MP",
            "Rule": number,
            "Class": kind,
            "Type": sort,
            "Plugin": "NMP" if old else plugin,
            "Matches": matches,
            "XCOPY Use Array Reported Values": False,
            "XCOPY Use Multiple Segments": False,
            "XCOPY Max Transfer Size": 0,
            "XCOPY Max Transfer Size KiB": 0,
            "Config String": config,
        }
        for number, sort, plugin, matches, config in _CLAIM_RULES
        for kind in (("runtime",) if number == _LAST_RULE else ("runtime", "file"))
    ]


def pairs(wwn: str) -> str:
    """A WWN as ESXi prints it: 20:00:00:25:b5:aa:00:01."""
    return ":".join(wwn[at : at + 2] for at in range(0, 16, 2)).lower()


def adapter_uid(host: HostState, hba: HbaDescription) -> str:
    """The UID of an adapter in `storage core adapter list`, which is its identifier in path names too."""
    name = initiator(host, hba)
    if hba.kind == "iscsi":
        return name
    if hba.kind == "fc":
        return f"fc.{int(name, 16) + NODE_ABOVE_PORT:016x}:{name}".lower()
    return f"sas.{name}" if hba.kind == "sas" else f"{_WORDS.get(hba.kind, hba.kind)}.{hba.device}"


def _adapter(host: HostState, hba: HbaDescription) -> dict[str, object]:
    pci = "" if hba.software or hba.kind == "tcp" else f"(0000:{hardware.hba_pci(host, hba)}) "
    states = {"iscsi": {}, "fc": {"online": "link-up", "offline": "link-down", "unknown": "link-n/a"}}
    ours: Mapping[str, str] = states.get(hba.kind, {"online": "link-n/a", "offline": "link-down", "unknown": "link-n/a"})
    return {
        "HBA Name": hba.device,
        "Driver": hba.driver,
        "Link State": ours.get(hba.status, hba.status),
        "UID": adapter_uid(host, hba),
        "Capabilities": "Second Level Lun ID" if hba.kind in ("fc", "iscsi") and hba.protocol == "scsi" else "",
        "Description": f"{pci}{hba.model}",
    }


def _fc_adapter(host: HostState, hba: HbaDescription) -> dict[str, object]:
    port = initiator(host, hba)
    return {
        "Adapter": hba.device,
        "Port ID": f"{0x10000 + list(host.hbas).index(hba.device):06x}",
        "Node Name": pairs(f"{int(port, 16) + NODE_ABOVE_PORT:016x}"),
        "Port Name": pairs(port),
        "Speed": 32,
        "Port Type": "NPort",
        "Port State": hba.status.upper(),
        "Model Description": hba.model,
        "Hardware Version": "",
        "OptionROM Version": "",
        "Firmware Version": "9.15.01",
        "Driver Name": hba.driver,
        "DriverVersion": host.modules[hba.driver].version or module_of(hba.driver).version,
    }


def _iscsi_adapter(host: HostState, hba: HbaDescription) -> dict[str, object]:
    uid = initiator(host, hba)
    return {"Adapter": hba.device, "UID": uid, "Driver": hba.driver, "State": hba.status, "Description": hba.model}


def _paths(host: HostState, device: DeviceDescription) -> Iterator[dict[str, object]]:
    states = {path.name: path.pathState for path in path_states([unit(host, device)])}
    runtime = runtime_names(host, device)
    for session, (hba, target) in enumerate(paths(host, device), 1):
        name = path_name(host, hba, target, device)
        adapter, (identifier, of_adapter, of_target) = adapter_uid(host, hba), _target(host, hba, target, session)
        _, channel, number, lun = runtime[name].split(":")
        yield {
            "UID": f"{adapter}-{identifier}-{device.name}",
            "Runtime Name": runtime[name],
            "Device": device.name,
            "Device Display Name": display_name(device),
            "Adapter": hba.device,
            "Channel": int(channel[1:]),
            "Target": int(number[1:]),
            "LUN": int(lun[1:]),
            "Plugin": "NMP" if device.by_native_plugin else "HPP",
            "State": _PATH_STATES.get(states[name], states[name]),
            "Transport": _WORDS.get(hba.kind, hba.kind),
            "Adapter Identifier": adapter,
            "Target Identifier": identifier,
            "Adapter Transport Details": of_adapter,
            "Target Transport Details": of_target,
            "Maximum IO Size": 131072 if hba.kind == "iscsi" else 33553920,
        }


def _target(host: HostState, hba: HbaDescription, target: str, session: int) -> tuple[str, str, str]:
    """A target's identifier, and the transport details of the adapter and of the target."""
    own = initiator(host, hba)
    if hba.kind == "iscsi":
        isid = f"00023d{session:06x}"
        return f"{isid},{target},t,1", own, f"IQN={target} Alias= Session={isid} PortalTag=1"
    if hba.kind == "fc":
        node = f"{int(own, 16) + NODE_ABOVE_PORT:016x}"
        theirs = f"WWNN: {pairs(target)} WWPN: {pairs(target)}"
        return f"fc.{target}:{target}".lower(), f"WWNN: {pairs(node)} WWPN: {pairs(own)}", theirs
    if hba.kind == "sas":
        return f"sas.{target}", own, target
    return f"{_WORDS.get(hba.kind, hba.kind)}.{target.partition('.')[2] or target}", "Parallel", "Parallel"
