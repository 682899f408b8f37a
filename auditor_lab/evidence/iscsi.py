"""iSCSI: adapters, targets, parameters and port binding.

The parameters, target portals, send targets and the fields of port binding are as in recorded outputs, `iscsi adapter get` as a public
test has it. Not verified: the layout of `iscsi adapter list` and of static targets, and that parameters of a send target have the form
of those of a target.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from auditor_lab.evidence.forms import Form, Layout, Output, records_of
from auditor_lab.evidence.storage import answer
from auditor_lab.vcenter.description.modules import module_of
from auditor_lab.vcenter.inventory.hosts import adapters
from auditor_lab.vcenter.inventory.network import vmknics
from auditor_lab.vcenter.state.storage_paths import initiator

if TYPE_CHECKING:
    from typing import Any

    from auditor_lab.vcenter.description.devices import HbaDescription
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState

ADAPTERS = Form(Layout.TABLE, "Adapter", ("Adapter", "Driver", "State", "UID", "Description"))
ADAPTER = Form(
    Layout.RECORDS,
    "AdapterGet",
    (
        *("Name", "Alias", "Vendor", "Model", "Description", "Serial Number", "Hardware Version", "Asic Version", "Firmware Version"),
        *("Option Rom Version", "Driver Name", "Driver Version", "TCP Protocol Supported", "Bidirectional Transfers Supported"),
        *("Maximum Cdb Length", "Can Be NIC", "Is NIC", "Is Initiator", "Is Target", "Using TCP Offload Engine"),
        *("Using ISCSI Offload Engine",),
    ),
    heading="Adapter",
)
PARAMETERS = Form(Layout.TABLE, "Param", ("Name", "Current", "Default", "Min", "Max", "Settable", "Inherit"))
PORTALS = Form(Layout.TABLE, "TargetPortal", ("Adapter", "Target", "IP", "Port", "Tpgt"))
SEND_TARGETS = Form(Layout.TABLE, "Sendtarget", ("Adapter", "Sendtarget"))
STATIC_TARGETS = Form(Layout.TABLE, "Statictarget", ("Adapter", "Target Address", "Target Name"))
NETWORK_PORTALS = Form(
    Layout.RECORDS,
    "NetworkPortal",
    (
        *("Adapter", "Vmknic", "MAC Address", "MAC Address Valid", "IPv4", "IPv4 Subnet Mask", "IPv6", "MTU", "Vlan Supported", "Vlan ID"),
        *("Reserved Ports", "TOE", "TSO", "TCP Checksum", "Link Up", "Current Speed", "Rx Packets", "Tx Packets", "NIC Driver"),
        *("NIC Driver Version", "NIC Firmware Version", "Compliant Status", "NonCompliant Message", "NonCompliant Remedy", "Vswitch"),
        *("PortGroup", "VswitchUuid", "PortGroupKey", "PortKey", "Duplex", "Path Status"),
    ),
    heading="Adapter",
)
LOGICAL_PORTALS = Form(Layout.TABLE, "LogicalNetworkPortal", ("Adapter", "Vmknic", "MAC Address", "MAC Address Valid", "Compliant"))
SOFTWARE = Form(Layout.SCALAR, "Boolean", ("Enabled",))

# Name, default, least, most, settable. Source: a recorded `iscsi adapter param get` of 5.0.
_PARAMETERS = (
    *(("ErrorRecoveryLevel", "0", "0", "2", False), ("InitialLoginRetryMax", "4", "0", "64", False)),
    *(("InitialR2T", "false", "na", "na", False), ("FirstBurstLength", "262144", "512", "16777215", True)),
    *(("MaxBurstLength", "262144", "512", "16777215", True), ("MaxRecvDataSegment", "131072", "512", "16777215", True)),
    *(("MaxOutstandingR2T", "1", "1", "8", True), ("MaxCmds", "128", "2", "2048", False), ("ImmediateData", "true", "na", "na", False)),
    *(("DefaultTime2Retain", "0", "0", "60", False), ("DefaultTime2Wait", "2", "0", "60", False)),
    *(("LoginTimeout", "5", "1", "60", True), ("LogoutTimeout", "15", "0", "60", False)),
    *(("NoopOutInterval", "15", "1", "60", True), ("NoopOutTimeout", "10", "10", "30", True)),
    *(("RecoveryTimeout", "10", "1", "120", True), ("DelayedAck", "true", "na", "na", True)),
    *(("HeaderDigest", "prohibited", "na", "na", True), ("DataDigest", "prohibited", "na", "na", True)),
)


def outputs(state: VCenterState, host: HostState) -> Iterator[Output]:
    """Every command of the name space `iscsi`."""
    version = host.description.version

    def output(command: str, form: Form, rows: list[dict[str, object]], **options: str) -> Output:
        line = tuple((f"--{name}", value) for name, value in options.items())
        return Output(command, form, records_of(form, rows, version), version, line)

    mine = {hba.device: hba for hba in host.hbas.values() if hba.kind == "iscsi"}
    shown = [adapter for adapter in adapters(host) if adapter.device in mine]
    yield output("iscsi software get", SOFTWARE, [{"Enabled": any(hba.software for hba in mine.values())}])
    yield output("iscsi adapter list", ADAPTERS, [_adapter(hba) for hba in mine.values()])
    yield output(
        "iscsi adapter target portal list", PORTALS, [row for one in shown for row in map(_portal(one), one.configuredStaticTarget)]
    )
    yield output(
        "iscsi adapter discovery sendtarget list",
        SEND_TARGETS,
        [{"Adapter": one.device, "Sendtarget": _address(target)} for one in shown for target in one.configuredSendTarget],
    )
    yield output("iscsi adapter discovery statictarget list", STATIC_TARGETS, [row for one in shown for row in _static_targets(one)])
    bound = [_network_portal(host, row) for row in answer(state, host, "iscsi networkportal list")]
    yield output("iscsi networkportal list", NETWORK_PORTALS, bound)
    yield output("iscsi logicalnetworkportal list", LOGICAL_PORTALS, [{**row, "Compliant": _compliant(row)} for row in bound])
    for one in shown:
        yield output("iscsi adapter get", ADAPTER, [_details(host, mine[one.device])], adapter=one.device)
        yield output("iscsi adapter param get", PARAMETERS, _parameters(one.advancedOptions), adapter=one.device)
        for target in one.configuredSendTarget:
            rows = _parameters(target.advancedOptions)
            where = {"adapter": one.device, "address": _address(target)}
            yield output("iscsi adapter discovery sendtarget param get", PARAMETERS, rows, **where)
        for target in one.configuredStaticTarget:
            rows = _parameters(target.advancedOptions)
            where = {"adapter": one.device, "address": _address(target), "name": target.iScsiName}
            yield output("iscsi adapter target portal param get", PARAMETERS, rows, **where)


def _adapter(hba: HbaDescription) -> dict[str, object]:
    """The row of `iscsi adapter list`, where the UID is no IQN."""
    return {
        "Adapter": hba.device,
        "Driver": hba.driver,
        "State": hba.status,
        "UID": f"iscsi.{hba.device}",
        "Description": hba.model,
    }


def _details(host: HostState, hba: HbaDescription) -> dict[str, object]:
    empty = ("Alias", "Serial Number", "Hardware Version", "Asic Version", "Firmware Version", "Option Rom Version")
    return {
        "Adapter": hba.device,
        "Name": initiator(host, hba),
        **dict.fromkeys(empty, ""),
        "Vendor": "VMware",
        "Model": hba.model,
        "Description": "VMware iSCSI Software Initiator" if hba.software else hba.model,
        "Driver Name": hba.driver,
        "Driver Version": host.modules[hba.driver].version or module_of(hba.driver).version,
        "TCP Protocol Supported": False,
        "Bidirectional Transfers Supported": False,
        "Maximum Cdb Length": 64,
        "Can Be NIC": True,
        "Is NIC": True,
        "Is Initiator": True,
        "Is Target": False,
        "Using TCP Offload Engine": not hba.software,
        "Using ISCSI Offload Engine": not hba.software,
    }


def _parameters(shown: list[Any]) -> list[dict[str, object]]:
    """All parameters, those that vCenter shows with the values and the inheritance that it shows."""
    held = {one.key: one for one in shown}
    inherits = any(one.isInherited is not None for one in shown)
    return [
        {
            "Name": name,
            "Current": str(held[name].value).lower() if name in held else default,
            "Default": default,
            "Min": least,
            "Max": most,
            "Settable": settable,
            "Inherit": bool(held[name].isInherited) if name in held else inherits,
        }
        for name, default, least, most, settable in _PARAMETERS
    ]


def _address(target: Any) -> str:
    return f"{target.address}:{target.port}"


def _portal(adapter: Any) -> Any:
    return lambda target: {
        "Adapter": adapter.device,
        "Target": target.iScsiName,
        "IP": target.address,
        "Port": int(target.port),
        "Tpgt": 1,
    }


def _static_targets(adapter: Any) -> list[dict[str, object]]:
    return [
        {"Adapter": adapter.device, "Target Address": _address(target), "Target Name": target.iScsiName}
        for target in adapter.configuredStaticTarget
    ]


def _network_portal(host: HostState, row: dict[str, object]) -> dict[str, object]:
    """The row that vCenter answers, with what only the host's own list has."""
    nic = next(nic for nic in vmknics(host) if nic.device == row["Vmknic"])
    port = nic.spec.distributedVirtualPort
    return {
        **row,
        "MAC Address": nic.spec.mac,
        "Vlan Supported": True,
        "Vlan ID": 0,
        "Reserved Ports": "63488~65536",
        "TOE": False,
        "TSO": True,
        "TCP Checksum": False,
        "Current Speed": 25000,
        "Rx Packets": 0,
        "Tx Packets": 0,
        "NIC Driver": "nmlx5_core",
        "NIC Driver Version": "4.23.0.66",
        "NIC Firmware Version": "N/A",
        "VswitchUuid": port.switchUuid if port else "",
        "PortKey": port.portKey if port else "",
        "Duplex": "",
    }


def _compliant(row: dict[str, object]) -> bool:
    return row["CompliantStatus"] == "compliant"
