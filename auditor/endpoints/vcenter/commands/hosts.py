"""Settings of hosts as commands: advanced options, options of kernel modules, claim rules, parameters of iSCSI targets.

Source: docs/domain/facts.md#2 and #2-3; ESXCLI reference, system settings advanced list and set, system module parameters set, storage nmp
satp rule list, add and remove, iscsi adapter target portal param and discovery sendtarget param; `esxcfg-module -g` as Mellanox' guides
print it: "NAME enabled = 1 options = '...'"; PowerCLI: Get-AdvancedSetting, Set-AdvancedSetting; vSphere API reference,
HostKernelModuleSystem.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.endpoints.common.commands import ABSENT, Form, Helper, NoCommandError, Shell, word

if TYPE_CHECKING:
    from auditor.endpoints.common.commands import Dialect
    from auditor.model import Scalar, Target

_OPTION_NAME = re.compile(r"[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)+")
_POLICY = re.compile(r"(VMW_PSP_[A-Z]+)(?: ([A-Za-z0-9_=;,']+))?")
_MATCHES = (("satp", "satp"), ("vendor", "vendor"), ("model", "model"), ("option", "option"), ("claim-option", "claimoption"))
"""The long option of a claim rule, and the key of the target, in the order of the helper's arguments."""

_MODULE_OPTIONS = Helper(
    "module_options",
    """\
# Prints the option string of a kernel module for the next boot: module_options MODULE
module_options() { esxcfg-module -g "$1" | sed -n "s/^[^=]*= [01] options = '\\(.*\\)'\\$/\\1/p"; }
""",
    "Get-ModuleSystem",
    """\
# What keeps the option strings of the host's kernel modules for the next boot.
function Get-ModuleSystem { Get-View -Server $server -Id $vmhost.ExtensionData.ConfigManager.KernelModuleSystem }
""",
)

_MODULE_OPTION = Helper(
    "module_option",
    """\
# Prints one parameter of it, or absent: module_option MODULE PARAMETER
module_option() {
  module_options "$1" | awk -v name="$2" '
    { for (i = 1; i <= NF; i++) if (split($i, part, "=") && part[1] == name) { found++; value = substr($i, length(name) + 2) } }
    END { if (found > 1) print name " is there " found " times"; else print found ? value : "absent" }'
}
""",
    "Get-ModuleOption",
    """\
# One parameter of an option string, or absent.
function Get-ModuleOption($module, $parameter) {
    $options = (Get-ModuleSystem).QueryConfiguredModuleOptionString($module)
    $words = @($options -split '\\s+' | Where-Object { $_.Split('=')[0] -ceq $parameter })
    if ($words.Count -gt 1) { return "$parameter is there $($words.Count) times" }
    if ($words) { $words[0].Substring($parameter.Length).TrimStart('=') } else { 'absent' }
}
""",
    (_MODULE_OPTIONS,),
)

_SET_MODULE_OPTION = Helper(
    "set_module_option",
    """\
# Sets one parameter, or takes it out where VALUE is absent; every other word of the string stays, which a plain set would lose:
# set_module_option MODULE PARAMETER VALUE
set_module_option() {
  case $(module_options "$1") in
    *[\\"\\']*) echo "options of $1 have quotes: set $2 by hand" >&2; exit 1 ;;
  esac
  merged=$(module_options "$1" | awk -v name="$2" -v value="$3" '
    { for (i = 1; i <= NF; i++) {
        split($i, part, "=")
        if (part[1] != name) line = line " " $i
        else if (value != "absent") { line = line " " name "=" value; done = 1 } } }
    END { if (!done && value != "absent") line = line " " name "=" value; print substr(line, 2) }')
  esxcli system module parameters set --module="$1" --parameter-string="$merged"
}
""",
    "Set-ModuleOption",
    """\
# Sets one parameter, or takes it out where the value is absent; every other word of the string stays, which a plain set would lose.
function Set-ModuleOption($module, $parameter, $value) {
    $system = Get-ModuleSystem
    $options = $system.QueryConfiguredModuleOptionString($module)
    if ($options -match '["'']') { throw "options of $module have quotes: set $parameter by hand" }
    $words = @($options -split '\\s+' | Where-Object { $_ })
    $place = @(0..$words.Count | Where-Object { "$($words[$_])".Split('=')[0] -ceq $parameter })
    if ($value -ceq 'absent') { $words = @($words | Where-Object { $_.Split('=')[0] -cne $parameter }) }
    elseif ($place.Count) { $words[$place[0]] = "$parameter=$value" }
    else { $words += "$parameter=$value" }
    $system.UpdateModuleOptionString($module, ($words -join ' '))
}
""",
    (_MODULE_OPTION,),
)

_CLAIM_RULE = Helper(
    "claim_rule",
    """\
# Prints what a rule that somebody added gives, or absent: claim_rule SATP VENDOR MODEL OPTION CLAIMOPTION
claim_rule() {
  rule="user|$1|$2|$3|$4|$5||||" export rule
  records 'RuleGroup Name Vendor Model Options ClaimOptions Device Driver Transport DefaultPSP PSPOptions' storage nmp satp rule list |
    awk -F'|' 'index($0, ENVIRON["rule"]) == 1 { found++; value = $10 ($11 == "" ? "" : " " $11) }
      END { if (found > 1) print found " such rules"; else print found ? value : "absent" }'
}
""",
    "Get-ClaimRule",
    """\
# What a rule that somebody added gives, or absent.
function Get-ClaimRule($satp, $vendor, $model, $option, $claimoption) {
    $rules = @($esxcli.storage.nmp.satp.rule.list.Invoke() | Where-Object {
            "$($_.RuleGroup)".Trim() -ceq 'user' -and "$($_.Name)".Trim() -ceq $satp -and
            "$($_.Vendor)".Trim() -ceq $vendor -and "$($_.Model)".Trim() -ceq $model -and
            "$($_.Options)".Trim() -ceq $option -and "$($_.ClaimOptions)".Trim() -ceq $claimoption -and
            -not "$($_.Device)$($_.Driver)$($_.Transport)".Trim() })
    if ($rules.Count -gt 1) { return "$($rules.Count) such rules" }
    if ($rules) { "$($rules[0].DefaultPSP) $($rules[0].PSPOptions)".Trim() } else { 'absent' }
}
""",
)


_OPTION = Helper(
    "option",
    """\
# Prints the value of an advanced option: option PATH
option() {
  case $(field Type system settings advanced list --option="$1") in
    string) field StringValue system settings advanced list --option="$1" ;;
    *) field IntValue system settings advanced list --option="$1" ;;
  esac
}
""",
    "",
    "",
)


def option(target: Target, dialect: Dialect) -> Form:
    """host.option: one advanced option. Whether it is a number is known by the values of the plan."""
    name = target["option"]
    if not _OPTION_NAME.fullmatch(name):
        raise NoCommandError(f"{name!a} is no name of an option")
    if not isinstance(dialect, Shell):
        setting = f"Get-AdvancedSetting -Entity $vmhost -Name {dialect.quoted(name)}"
        return Form(
            f"({setting}).Value",
            lambda _now, wanted: (f"$null = {setting} | Set-AdvancedSetting -Value {dialect.quoted(wanted)} -Confirm:$false",),
        )
    path: dict[str, Scalar] = {"option": "/" + name.replace(".", "/")}

    def commands(now: Scalar, wanted: Scalar) -> tuple[str, ...]:
        if isinstance(wanted, bool) or not isinstance(wanted, int | str) or type(now) is not type(wanted):
            raise NoCommandError(f"esxcli keeps options as whole numbers and texts, and this one is to go from {now!r} to {wanted!r}")
        value: dict[str, Scalar] = {"int-value" if isinstance(wanted, int) else "string-value": wanted}
        return (dialect.esxcli("system settings advanced set", path | value),)

    return Form(dialect.call(_OPTION, path["option"]), commands, (_OPTION,))


def module_option(target: Target, dialect: Dialect) -> Form:
    """host.module_option: one parameter in the option string of a kernel module."""
    module, parameter = word(target["module"]), word(target["parameter"])

    def commands(_now: Scalar, wanted: Scalar) -> tuple[str, ...]:
        if wanted is not None and (not isinstance(wanted, int) or isinstance(wanted, bool) or wanted < 0):
            raise NoCommandError(f"{parameter} cannot be {wanted!r}")
        name = _SET_MODULE_OPTION.shell_name if isinstance(dialect, Shell) else _SET_MODULE_OPTION.powershell_name
        return (" ".join((name, *map(dialect.quoted, (module, parameter, wanted)))),)

    return Form(dialect.call(_MODULE_OPTION, module, parameter), commands, (_SET_MODULE_OPTION,))


def claim_rule(target: Target, dialect: Dialect) -> Form:
    """host.claim_rule: one rule that somebody added; a host takes no second one for what a rule names."""
    named = {option: target[key] for option, key in _MATCHES}
    for text in named.values():
        if "|" in text or "\\" in text:
            raise NoCommandError(f"{text!a} has characters by which the check tells fields apart")

    def commands(now: Scalar, wanted: Scalar) -> tuple[str, ...]:
        lines = []
        if now != ABSENT:
            lines.append(dialect.esxcli("storage nmp satp rule remove", _given(named | _policy(now))))
        if wanted != ABSENT:
            added = named | _policy(wanted) | {"description": target["description"]}
            lines.append(dialect.esxcli("storage nmp satp rule add", _given(added)))
        return tuple(lines)

    return Form(dialect.call(_CLAIM_RULE, *named.values()), commands, (_CLAIM_RULE,))


def _policy(value: Scalar) -> dict[str, str]:
    match = _POLICY.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise NoCommandError(f"a claim rule cannot give {value!r}")
    return {"psp": match[1], "psp-option": match[2] or ""}


def _given(arguments: dict[str, str]) -> dict[str, Scalar]:
    return {name: text for name, text in arguments.items() if text}


def iscsi_target_option(target: Target, dialect: Dialect) -> Form:
    """iscsi.target_option: one parameter of one target."""
    is_static = target["target_kind"] == "static"
    command = f"iscsi adapter {'target portal' if is_static else 'discovery sendtarget'} param"
    address = f"[{target['address']}]" if ":" in target["address"] else target["address"]
    where: dict[str, Scalar] = {"adapter": target["hba"], "address": f"{address}:{target['port']}"}
    where |= {"name": target["iqn"]} if is_static else {}

    def commands(_now: Scalar, wanted: Scalar) -> tuple[str, ...]:
        if not isinstance(wanted, int | str):
            raise NoCommandError(f"the parameter cannot be {wanted!r}")
        value = str(wanted).lower() if isinstance(wanted, bool) else str(wanted)
        return (dialect.esxcli(f"{command} set", where | {"key": word(target["option"]), "value": value}),)

    return Form(dialect.chosen("Current", "Name", target["option"], f"{command} get", where), commands)
