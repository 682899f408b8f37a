"""Esxcli's storage nmp: devices, round robin, claim rules.

Field names: as public PowerCLI scripts read them from `storage.nmp.device.list`, `...psp.roundrobin.deviceconfig.get` and
`...satp.rule.list`. Structured argument names: public bindings generated from a host's own description (device, bytes, iops, type, useano;
psp). Those of the latency policy, `latencyevaltime` and `numsamplingcycles`, follow the same rule from the long options and are not
verified.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from auditor_lab.vcenter.description.hosts import SatpRuleDescription
from auditor_lab.vcenter.esxcli.command import ONE_OF_THEM, WHICH, Arguments, Command, Parameter, requested_devices
from auditor_lab.vcenter.esxcli.executer import CommandFault, Raw, Rows, Scalar
from auditor_lab.vcenter.inventory.hosts import unit
from auditor_lab.vcenter.inventory.storage import display_name, working_paths
from auditor_lab.vcenter.state.path_policy import POLICIES, ROUND_ROBIN, PathPolicy
from auditor_lab.vcenter.state.storage_paths import device_config, policy_of, runtime_names

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.devices import DeviceDescription
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState

# Some of the rules that every build has, so that the list is never empty; a real host lists dozens. Source: the transports' own rules as
# public outputs show them; SolidFire's: docs/domain/facts.md#5 ("6.5 and later have appropriate SolidFire MPIO settings built-in").
_BUILT_IN = (
    SatpRuleDescription(satp="VMW_SATP_DEFAULT_AA", transport="fc", rule_group="system", description="Fibre Channel Devices"),
    SatpRuleDescription(satp="VMW_SATP_DEFAULT_AA", transport="iscsi", rule_group="system", description="iSCSI Devices"),
    SatpRuleDescription(satp="VMW_SATP_ALUA", rule_group="system", claim_options="tpgs_on", description="Any array with ALUA support"),
    SatpRuleDescription(
        satp="VMW_SATP_DEFAULT_AA", vendor="SolidFir", model="SSD SAN", psp=ROUND_ROBIN, rule_group="system", description="SolidFire"
    ),
)
_LIMITS = ("default", "iops", "bytes", "latency")


def _device_list(_state: VCenterState, host: HostState, arguments: Arguments) -> Rows:
    return Rows(
        "NmpDevice",
        [
            {
                "Device": device.name,
                "DeviceDisplayName": display_name(device),
                "StorageArrayType": device.satp,
                "StorageArrayTypeDeviceConfig": f"SATP {device.satp} does not support device configuration.",
                "PathSelectionPolicy": policy_of(host, device).psp,
                "PathSelectionPolicyDeviceConfig": device_config(host, device),
                "PathSelectionPolicyDeviceCustomConfig": "",
                "WorkingPaths": _working_paths(host, device),
                "IsUSB": False,
            }
            for device in requested_devices(host, arguments)
            if device.by_native_plugin
        ],
    )


def _working_paths(host: HostState, device: DeviceDescription) -> list[str]:
    names = runtime_names(host, device)
    return [names[name] for name in working_paths(unit(host, device))]


def _device_set(state: VCenterState, host: HostState, arguments: Arguments) -> Scalar:
    (device,) = requested_devices(host, arguments)
    psp = arguments["psp"][0]
    if psp not in POLICIES:
        raise CommandFault(f"Unable to set the path selection policy of {device.name}: there is no {psp}")
    if psp != policy_of(host, device).psp:
        host.path_policies[device.name] = PathPolicy(psp)
        state.changed()
    return Scalar(True)  # noqa: FBT003  the value


def _round_robin_get(_state: VCenterState, host: HostState, arguments: Arguments) -> Raw:
    device = _round_robin_device(host, arguments)
    policy = policy_of(host, device)
    fields = {
        "ByteLimit": policy.bytes,
        "Device": device.name,
        "IOOperationLimit": policy.iops,
        "LatencyEvaluationInterval": f"{policy.latency_evaluation_ms} milliseconds",
        "LimitType": policy.limit,
        "NumberOfSamplingIOsPerPath": policy.sampling_ios,
        "UseActiveUnoptimizedPaths": str(policy.use_unoptimized).lower(),
    }
    text = "".join(f"<{name}>{escape(str(value))}</{name}>" for name, value in fields.items())
    return Raw("VimEsxCLIstoragenmppsproundrobindeviceconfiggetRoundRobinDeviceConfiguration", text)


def _round_robin_set(state: VCenterState, host: HostState, arguments: Arguments) -> Scalar:
    """Set a round robin policy. A limit is valid only with its type; that a host refuses one without the other is not verified."""
    device = _round_robin_device(host, arguments)
    policy = policy_of(host, device)
    kind = arguments.get("type", [""])[0].lower()
    if kind and kind not in _LIMITS:
        raise CommandFault(f"Invalid type {kind}: it must be one of {', '.join(_LIMITS)}")
    needs = {"iops": "iops", "bytes": "bytes", "latencyevaltime": "latency", "numsamplingcycles": "latency"}
    for name, needed in needs.items():
        if name in arguments and kind != needed:
            raise CommandFault(f"{name} needs the type {needed}")
    if kind:
        policy = _limited(policy, kind, arguments)
    if "useano" in arguments:
        policy = replace(policy, use_unoptimized=arguments["useano"][0].lower() in ("1", "true"))
    host.path_policies[device.name] = policy
    state.changed()
    return Scalar(True)  # noqa: FBT003  as above


def _limited(policy: PathPolicy, kind: str, arguments: Arguments) -> PathPolicy:
    fresh = PathPolicy(policy.psp, use_unoptimized=policy.use_unoptimized)
    if kind == "iops":
        return replace(fresh, limit="Iops", iops=_positive(arguments, "iops", fresh.iops))
    if kind == "bytes":
        return replace(fresh, limit="Bytes", bytes=_positive(arguments, "bytes", fresh.bytes))
    if kind == "latency":
        return replace(
            fresh,
            limit="Latency",
            latency_evaluation_ms=_positive(arguments, "latencyevaltime", 180000),
            sampling_ios=_positive(arguments, "numsamplingcycles", 16),
        )
    return fresh


def _positive(arguments: Arguments, name: str, default: int) -> int:
    text = arguments.get(name, [str(default)])[0]
    if not text.isdigit() or int(text) < 1:
        raise CommandFault(f"Invalid {name}: {text}")
    return int(text)


def _round_robin_device(host: HostState, arguments: Arguments) -> DeviceDescription:
    (device,) = requested_devices(host, arguments)
    if policy_of(host, device).psp != ROUND_ROBIN:
        raise CommandFault(f"Device {device.name} is not controlled by the Round Robin Path Selection Policy")
    return device


def _rule_list(_state: VCenterState, host: HostState, _arguments: Arguments) -> Rows:
    return Rows(
        "SatpRule",
        [
            {
                "Name": rule.satp,
                "Device": "",
                "Vendor": rule.vendor,
                "Model": rule.model,
                "Driver": "",
                "Transport": rule.transport,
                "Options": rule.options,
                "RuleGroup": rule.rule_group,
                "ClaimOptions": rule.claim_options,
                "DefaultPSP": rule.psp,
                "PSPOptions": rule.psp_options,
                "Description": rule.description,
            }
            for rule in (*_BUILT_IN, *host.satp_rules)
        ],
    )


_RULE_FIELDS = {
    "satp": "satp",
    "vendor": "vendor",
    "model": "model",
    "transport": "transport",
    "option": "options",
    "claimoption": "claim_options",
    "psp": "psp",
    "pspoption": "psp_options",
}
_NAMING = ("satp", "vendor", "model", "transport", "options", "claim_options")


def _requested_rule(arguments: Arguments) -> SatpRuleDescription:
    given = {field: arguments[name][0] for name, field in _RULE_FIELDS.items() if name in arguments}
    return SatpRuleDescription(**given, description=arguments.get("description", [""])[0])


def _names_the_same(one: SatpRuleDescription, other: SatpRuleDescription) -> bool:
    return all(getattr(one, field) == getattr(other, field) for field in _NAMING)


def _rule_add(state: VCenterState, host: HostState, arguments: Arguments) -> Scalar:
    """Add a rule of the group "user"; devices that are claimed keep what they have, also through the lab's reboots.

    That a host refuses a second rule for what one names is from public scripts, the wording is the lab's.
    """
    rule = _requested_rule(arguments)
    if rule.psp and rule.psp not in POLICIES:
        raise CommandFault(f"Unable to add the rule: there is no {rule.psp}")
    if any(_names_the_same(rule, one) for one in host.satp_rules):
        raise CommandFault(f"Duplicate user rule found for SATP {rule.satp} matching vendor {rule.vendor} model {rule.model}")
    host.satp_rules = (*host.satp_rules, rule)
    state.changed()
    return Scalar(True)  # noqa: FBT003  as above


def _rule_remove(state: VCenterState, host: HostState, arguments: Arguments) -> Scalar:
    """Remove a rule of the group "user", which has to be named with all that it has but its description."""
    rule = _requested_rule(arguments)
    gone = [one for one in host.satp_rules if replace(one, description=rule.description) == rule]
    if not gone:
        raise CommandFault(f"Unable to remove the rule: no user rule for SATP {rule.satp} matches")
    host.satp_rules = tuple(one for one in host.satp_rules if one not in gone)
    state.changed()
    return Scalar(True)  # noqa: FBT003  as above


_RULE_PARAMETERS = (
    Parameter("satp", ("--satp", "-s"), required=True),
    Parameter("vendor", ("--vendor", "-V")),
    Parameter("model", ("--model", "-M")),
    Parameter("transport", ("--transport", "-R")),
    Parameter("option", ("--option", "-o")),
    Parameter("claimoption", ("--claim-option", "-c")),
    Parameter("psp", ("--psp", "-P")),
    Parameter("pspoption", ("--psp-option", "-O")),
    Parameter("description", ("--description", "-e")),
)

COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "storage.nmp.device.list": Command(_device_list, (ONE_OF_THEM,)),
        "storage.nmp.device.set": Command(_device_set, (WHICH, Parameter("psp", ("--psp", "-P"), required=True)), writes=True),
        "storage.nmp.psp.roundrobin.deviceconfig.get": Command(_round_robin_get, (WHICH,)),
        "storage.nmp.psp.roundrobin.deviceconfig.set": Command(
            _round_robin_set,
            (
                WHICH,
                Parameter("bytes", ("--bytes", "-B")),
                Parameter("iops", ("--iops", "-I")),
                Parameter("type", ("--type", "-t")),
                Parameter("useano", ("--useano", "-U")),
                Parameter("latencyevaltime", ("--latency-eval-time", "-T")),
                Parameter("numsamplingcycles", ("--num-sampling-cycles", "-S")),
            ),
            writes=True,
        ),
        "storage.nmp.satp.rule.list": Command(_rule_list),
        "storage.nmp.satp.rule.add": Command(_rule_add, _RULE_PARAMETERS, writes=True),
        "storage.nmp.satp.rule.remove": Command(_rule_remove, _RULE_PARAMETERS, writes=True),
    }
)
