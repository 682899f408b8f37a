"""Writes that go wrong inside the vCenter: ignored, done by half, or never done with."""

from __future__ import annotations

from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING, Any

from pyVmomi import vmodl

from auditor.lab.vcenter.inventory import host_of
from auditor.lab.vcenter.reflect import CommandFault
from auditor.lab.vcenter.state import ModuleState

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from auditor.lab.vcenter.context import Context
    from auditor.lab.vcenter.state import HostState

_NEVER_WRITTEN = ("description", "definitions", "devices", "hbas")  # of a host; large, and no client changes them
_FAILED = "The lab was told to fail half way."


@contextmanager
def misbehaving(context: Context, this: Any, arguments: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A method call as the faults that hit it would have it; gives what of the arguments is to be carried out.

    Raises:
        vmodl.fault.SystemError: after the first half was done.
    """
    half, deaf = context.fault("half"), context.fault("deaf")
    context.tasks.stuck, context.tasks.deaf = context.fault("stuck") is not None, deaf is not None
    before = _kept(_written_to(context, this)) if deaf else []
    try:
        yield {name: _half(value) for name, value in arguments.items()} if half else arguments
    finally:
        context.tasks.stuck = context.tasks.deaf = False
        _put_back(before)
    if half:
        raise vmodl.fault.SystemError(reason=_FAILED, msg=f"A general system error occurred: {_FAILED}")


@contextmanager
def misbehaving_command(context: Context, host: HostState, arguments: Mapping[str, Sequence[str]]) -> Iterator[Mapping[str, Sequence[str]]]:
    """An esxcli command, likewise; `device` and other names of what it works on come first and stay.

    Raises:
        CommandFault: after the first half was done.
    """
    before = _kept([host]) if context.fault("deaf") else []
    try:
        yield _half_of_settings(arguments) if context.fault("half") else arguments
    finally:
        _put_back(before)
    if context.fault("half"):
        raise CommandFault(_FAILED)


def _half(value: Any) -> Any:
    """The first half of several values or of the words of an option string; a single one stays."""
    if isinstance(value, list) and len(value) > 1:
        return value[: len(value) // 2]
    if isinstance(value, str) and len(words := value.split()) > 1:
        return " ".join(words[: len(words) // 2])
    return value


def _half_of_settings(arguments: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """The first argument, which says what is worked on, and the first half of the others; a single one stays."""
    names = list(arguments)
    settings = names[1:]
    return {name: arguments[name] for name in (*names[:1], *settings[: max(1, len(settings) // 2)])}


def _written_to(context: Context, this: Any) -> list[HostState]:
    """What a call may change at once; what it changes in a task is left to the task."""
    moid = host_of(this)
    return [context.state.hosts[moid]] if moid in context.state.hosts else []


def _kept(states: Sequence[HostState]) -> list[tuple[Any, dict[str, Any]]]:
    return [(one, {name: _copied(value) for name, value in vars(one).items() if name not in _NEVER_WRITTEN}) for one in states]


def _copied(value: Any) -> Any:
    """A copy of what is changed in place: containers, and the state of kernel modules; the rest is replaced when it is written."""
    if isinstance(value, dict):
        return {key: _copied(one) for key, one in value.items()}
    if isinstance(value, (list, set)):
        return type(value)(value)
    if isinstance(value, ModuleState):
        return copy(value)
    return value


def _put_back(before: list[tuple[Any, dict[str, Any]]]) -> None:
    for one, held in before:
        vars(one).update(held)
