"""The host itself: release, names, UUIDs, kernel modules, and advanced and kernel options.

Release, modules, their parameters, options and the platform are as in recorded and public outputs; an option with a text, the kernel
options, `system module get`, `system hostname get`, `system uuid get` and `system maintenanceMode get` are not verified.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING

from auditor_lab.evidence.forms import Form, Layout, Output, records_of
from auditor_lab.evidence.option_texts import DESCRIPTIONS
from auditor_lab.evidence.storage import answer
from auditor_lab.vcenter.description.modules import module_of
from auditor_lab.vcenter.inventory import hardware
from auditor_lab.vcenter.inventory.hosts import option_values

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.hosts import OptionValue
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState

VERSION = Form(
    Layout.ONE,
    "VersionGet",
    ("Product", "Version", "Build", "Update", "Maintenance", "Patch"),
    since={"Maintenance": (9, 0), "Patch": (6, 0)},
)
HOSTNAME = Form(Layout.ONE, "HostnameGet", ("Domain Name", "Fully Qualified Domain Name", "Host Name"))
UUID = Form(Layout.SCALAR, "String", ("UUID",))
MAINTENANCE = Form(Layout.SCALAR, "String", ("Mode",))
PLATFORM = Form(
    Layout.ONE,
    "PlatformGet",
    ("UUID", "Product Name", "Vendor Name", "Serial Number", "Enclosure Serial Number", "BIOS Asset Tag", "IPMI Supported"),
    fixed_heading="Platform Information",
)
MODULES = Form(Layout.TABLE, "Module", ("Name", "Is Loaded", "Is Enabled"))
MODULE = Form(
    Layout.ONE,
    "ModuleDetails",
    (
        *("Module", "Module File", "License", "Version", "Build Type", "Provided Namespaces", "Required Namespaces", "Containing VIB"),
        "VIB Acceptance Level",
    ),
)
PARAMETERS = Form(Layout.TABLE, "Parameters", ("Name", "Type", "Value", "Description"))
OPTIONS = Form(
    Layout.RECORDS,
    "SettingsAdvancedOption",
    (
        *("Path", "Type", "Int Value", "Default Int Value", "Min Value", "Max Value", "String Value", "Default String Value"),
        *("Valid Characters", "Description"),
    ),
)
KERNEL_OPTIONS = Form(Layout.TABLE, "KernelSetting", ("Name", "Type", "Configured", "Runtime", "Default", "Description"))

OPTION_COMMAND = "system settings advanced list"
KERNEL_COMMAND = "system settings kernel list"
_KERNEL = "VMkernel.Boot."
"""How the API begins the keys of kernel options."""


def outputs(state: VCenterState, host: HostState) -> Iterator[Output]:
    """Every command about the host itself; options that no list has are asked for by their names."""
    about = host.description
    version = about.version

    def output(command: str, form: Form, rows: list[dict[str, object]], *options: tuple[str, str]) -> Output:
        return Output(command, form, records_of(form, rows, version), version, options)

    yield output("system version get", VERSION, [_version(host)])
    short, _, domain = about.name.partition(".")
    names: dict[str, object] = {"Domain Name": domain, "Fully Qualified Domain Name": about.name, "Host Name": short}
    yield output("system hostname get", HOSTNAME, [names])
    yield output("system uuid get", UUID, [{"UUID": system_uuid(host)}])
    yield output("system maintenanceMode get", MAINTENANCE, [{"Mode": "Enabled" if host.in_maintenance_mode else "Disabled"}])
    yield output("hardware platform get", PLATFORM, [_platform(host)])
    yield output("system module list", MODULES, answer(state, host, "system module list"))
    for name in host.modules:
        rows = answer(state, host, "system module parameters list", {"module": [name]})
        yield output("system module parameters list", PARAMETERS, rows, ("--module", name))
        yield output("system module get", MODULE, [_module(host, name)], ("--module", name))
    listed = [one.key for one in option_values(host)]
    yield output(OPTION_COMMAND, OPTIONS, [_option(host, key) for key in listed if not key.startswith(_KERNEL)])
    kernel = [_kernel_option(key, host.options[key]) for key in listed if key.startswith(_KERNEL)]
    yield output(KERNEL_COMMAND, KERNEL_OPTIONS, kernel)
    for key, one in host.definitions.items():
        if one.hidden:
            yield output(OPTION_COMMAND, OPTIONS, [_option(host, key)], ("--option", option_path(key)))


def system_uuid(host: HostState) -> str:
    """The UUID that ESXi made for itself when it was installed; not the BIOS's."""
    digits = uuid.uuid5(uuid.NAMESPACE_DNS, f"system/{host.description.name}").hex
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def option_path(key: str) -> str:
    """The path of an option: /Disk/QFullSampleSize."""
    return "/" + key.replace(".", "/")


def _version(host: HostState) -> dict[str, object]:
    """The release; a patch number of the description's builds is not known and given as 0."""
    about = host.description
    return {
        "Product": "VMware ESXi",
        "Version": about.version,
        "Build": f"Releasebuild-{about.build}",
        "Update": about.version.rpartition(".")[2],
        "Maintenance": "0",
        "Patch": "0",
    }


def _platform(host: HostState) -> dict[str, object]:
    """The platform; the bytes of the UUID stand in the order in which vCenter writes them, without leading zeros."""
    identity = hardware.host_uuid(host)
    serial = hardware.serial_number(host)
    return {
        "UUID": " ".join(hex(byte) for byte in uuid.UUID(identity).bytes),
        "Product Name": hardware.MODEL,
        "Vendor Name": hardware.VENDOR,
        "Serial Number": serial,
        "Enclosure Serial Number": serial,
        "BIOS Asset Tag": "",
        "IPMI Supported": True,
    }


def _module(host: HostState, name: str) -> dict[str, object]:
    return {
        "Module": name,
        "Module File": f"/usr/lib/vmware/vmkmod/{name}",
        "License": "ThirdParty:BSD",
        "Version": host.modules[name].version or module_of(name).version,
        "Build Type": "release",
        "Provided Namespaces": "",
        "Required Namespaces": "com.vmware.vmkapi@v2_3_0_0",
        "Containing VIB": name,
        "VIB Acceptance Level": "certified",
    }


def _option(host: HostState, key: str) -> dict[str, object]:
    value, known = host.options[key], host.definitions.get(key)
    is_text = isinstance(value, str)
    number = 0 if isinstance(value, str) else int(value)
    default = number if known is None else known.default
    return {
        "Path": option_path(key),
        "Type": "string" if is_text else "integer",
        "Int Value": number,
        "Default Int Value": default,
        "Min Value": known.minimum if known else 0,
        "Max Value": known.maximum if known else max(1, number),
        "String Value": value if is_text else "",
        "Default String Value": "",
        "Valid Characters": "*" if is_text else "",
        "Description": DESCRIPTIONS.get(key, ""),
    }


def _kernel_option(key: str, value: OptionValue) -> dict[str, object]:
    """The row; the one kernel option of the lab is true as installed."""
    word = str(value).upper()
    return {
        "Name": key.removeprefix(_KERNEL),
        "Type": "Bool" if isinstance(value, bool) else "uint32",
        "Configured": word,
        "Runtime": word,
        "Default": "TRUE" if isinstance(value, bool) else word,
        "Description": "",
    }
