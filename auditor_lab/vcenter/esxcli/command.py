"""The parts of an esxcli command: its parameters, and the function that runs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from auditor_lab.vcenter.esxcli.executer import CommandFault, Raw, Rows, Scalar

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.devices import DeviceDescription
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState

Arguments: TypeAlias = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a command: its structured name and its letter or long option."""

    name: str
    aliases: tuple[str, ...]
    required: bool = False
    flag: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its parameters, and the function that runs it on a host."""

    run: Callable[[VCenterState, HostState, Arguments], Rows | Scalar | Raw]
    parameters: tuple[Parameter, ...] = ()
    writes: bool = False


ONE_OF_THEM = Parameter("device", ("--device", "-d"))
WHICH = Parameter("device", ("--device", "-d"), required=True)


def check_arguments(command: Command, arguments: Arguments) -> None:
    """Refuse arguments that the command does not have, and calls that lack a required one.

    Raises:
        CommandFault: in esxcli's form; the wording is the lab's.
    """
    known = {parameter.name for parameter in command.parameters}
    for name in arguments:
        if name not in known:
            raise CommandFault(f"Invalid option {name}")
    for parameter in command.parameters:
        if parameter.required and parameter.name not in arguments:
            raise CommandFault(f"Missing required parameter {parameter.aliases[0]}")


def requested_devices(host: HostState, arguments: Arguments) -> list[DeviceDescription]:
    """The named device, or all devices.

    Raises:
        CommandFault: the host does not see the named device.
    """
    names = arguments.get("device")
    if not names:
        return list(host.devices.values())
    if names[0] not in host.devices:
        raise CommandFault(f"Unknown device {names[0]}")
    return [host.devices[names[0]]]
