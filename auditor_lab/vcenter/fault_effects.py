"""Faults inside the vCenter: writes that are ignored, carried out by half, or never finished."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from copy import copy
from typing import TYPE_CHECKING, Any

from pyVmomi import vmodl

from auditor_lab.vcenter.esxcli.executer import CommandFault
from auditor_lab.vcenter.inventory.objects import host_of
from auditor_lab.vcenter.state.hosts import ModuleState

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from auditor_lab.vcenter.context import Context
    from auditor_lab.vcenter.state.hosts import HostState

_NEVER_WRITTEN = ("description", "definitions", "devices", "hbas")  # of a host; large, and no client changes them
_FAILED = "An injected fault stopped this half way."


@contextmanager
def faulty_call(context: Context, this: Any, arguments: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Run a method call with the faults that apply to it; gives the arguments that are to be carried out.

    Raises:
        vmodl.fault.SystemError: after the first half was carried out.
    """
    half, deaf = context.fault("half"), context.fault("deaf")
    context.tasks.stuck, context.tasks.deaf = context.fault("stuck") is not None, deaf is not None
    hosts, moid = context.state.hosts, host_of(this)
    try:
        # Changes that a call leaves to a task are handled by the task.
        with hosts.replaced(_copy_of(hosts[moid])) if deaf and moid in hosts else nullcontext():
            yield {name: _half(value) for name, value in arguments.items()} if half else arguments
    finally:
        context.tasks.stuck = context.tasks.deaf = False
    if half:
        raise vmodl.fault.SystemError(reason=_FAILED, msg=f"A general system error occurred: {_FAILED}")


@contextmanager
def faulty_command(
    context: Context, host: HostState, arguments: Mapping[str, Sequence[str]]
) -> Iterator[tuple[HostState, Mapping[str, Sequence[str]]]]:
    """Run an esxcli command with the faults that apply to it; gives the host to run it on, and the arguments.

    The first argument, for example `device`, always stays.

    Raises:
        CommandFault: after the first half was carried out.
    """
    half = context.fault("half")
    yield _copy_of(host) if context.fault("deaf") else host, _half_of_settings(arguments) if half else arguments
    if half:
        raise CommandFault(_FAILED)


def _half(value: Any) -> Any:
    """The first half of several values, or of the words of an option string; a single value stays."""
    if isinstance(value, list) and len(value) > 1:
        return value[: len(value) // 2]
    if isinstance(value, str) and len(words := value.split()) > 1:
        return " ".join(words[: len(words) // 2])
    return value


def _half_of_settings(arguments: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """The first argument, which names the object, and the first half of the others; a single other one stays."""
    names = list(arguments)
    settings = names[1:]
    return {name: arguments[name] for name in (*names[:1], *settings[: max(1, len(settings) // 2)])}


def _copy_of(host: HostState) -> HostState:
    """A copy of a host for a write that is ignored: nothing reads it, it causes no event, and no profile resets it."""
    twin = copy(host)
    vars(twin).update({name: _copied(value) for name, value in vars(host).items() if name not in _NEVER_WRITTEN})
    twin.on_change = None
    return twin


def _copied(value: Any) -> Any:
    """A copy of a value that is changed in place (containers, the state of kernel modules); other values as they are."""
    if isinstance(value, dict):
        return {key: _copied(one) for key, one in value.items()}
    if isinstance(value, (list, set)):
        return type(value)(value)
    if isinstance(value, ModuleState):
        return copy(value)
    return value
