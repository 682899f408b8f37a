"""Esxcli's system settings advanced and system module parameters set.

Field names and arguments: ESXCLI reference; outputs of real hosts in public source code (Path, Type, IntValue, DefaultIntValue, MinValue,
MaxValue, StringValue, DefaultStringValue, ValidCharacters, Description). An option that no listing has answers to its exact path.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor_lab.vcenter.esxcli.command import Arguments, Command, Parameter
from auditor_lab.vcenter.esxcli.executer import CommandFault, Rows, Scalar

if TYPE_CHECKING:
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState


def _path(key: str) -> str:
    return "/" + key.replace(".", "/")


def _key(host: HostState, path: str) -> str:
    key = path.removeprefix("/").replace("/", ".")
    if key not in host.options:
        raise CommandFault(f"Unable to find option {path.rpartition('/')[2]}")
    return key


def _advanced_list(_state: VCenterState, host: HostState, arguments: Arguments) -> Rows:
    path = arguments.get("option", [""])[0]
    listed = (key for key in host.options if key not in host.definitions or not host.definitions[key].hidden)
    keys = [_key(host, path)] if path else list(listed)
    return Rows("SystemSettingsAdvancedOption", [_option(host, key) for key in keys])


def _option(host: HostState, key: str) -> dict[str, object]:
    value, definition = host.options[key], host.definitions.get(key)
    is_text = isinstance(value, str)
    return {
        "Path": _path(key),
        "Type": "string" if is_text else "integer",
        "IntValue": 0 if is_text else int(value),
        "DefaultIntValue": definition.default if definition else 0,
        "MinValue": definition.minimum if definition else 0,
        "MaxValue": definition.maximum if definition else 0,
        "StringValue": value if is_text else "",
        "DefaultStringValue": "",
        "ValidCharacters": "*" if is_text else "",
        "Description": "",
    }


def _advanced_set(state: VCenterState, host: HostState, arguments: Arguments) -> Scalar:
    key = _key(host, arguments["option"][0])
    now, definition = host.options[key], host.definitions.get(key)
    name = "stringvalue" if isinstance(now, str) else "intvalue"
    if set(arguments) != {"option", name}:
        raise CommandFault(f"Option {key} takes {name}")
    text = arguments[name][0]
    if name == "intvalue":
        if not text.isdigit() or (definition and not definition.minimum <= int(text) <= definition.maximum):
            raise CommandFault(f"Unable to set {key} to {text}")
        host.options[key] = int(text)
    else:
        host.options[key] = text
    state.changed()
    return Scalar(True)  # noqa: FBT003  the value


def _parameters_set(state: VCenterState, host: HostState, arguments: Arguments) -> Scalar:
    """Replace the whole option string. Source: docs/domain/facts.md#2-3."""
    name = arguments["module"][0]
    if name not in host.modules:
        raise CommandFault(f"Unable to find module: {name}")
    host.modules[name].configured = arguments["parameterstring"][0]
    state.changed()
    return Scalar(True)  # noqa: FBT003  as above


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "system.settings.advanced.list": Command(_advanced_list, (Parameter("option", ("--option", "-o")),)),
        "system.settings.advanced.set": Command(
            _advanced_set,
            (
                Parameter("option", ("--option", "-o"), required=True),
                Parameter("intvalue", ("--int-value", "-i")),
                Parameter("stringvalue", ("--string-value", "-s")),
            ),
            writes=True,
        ),
        "system.module.parameters.set": Command(
            _parameters_set,
            (
                Parameter("module", ("--module", "-m"), required=True),
                Parameter("parameterstring", ("--parameter-string", "-p"), required=True),
            ),
            writes=True,
        ),
    }
)
