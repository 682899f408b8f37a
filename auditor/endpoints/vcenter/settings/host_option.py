"""One advanced option of one host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import not_there, refused
from auditor.endpoints.vcenter.host_managers import host_manager
from auditor.endpoints.vcenter.session import moid
from auditor.errors import NotThereError, RefusedError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Scalar, Target

# Bits of the wire types that hold whole numbers.
_BITS = {"byte": 8, "short": 16, "int": 32, "long": 64}


class HostOption:
    """Reads and sets it through the host's OptionManager. Keys: host_id, option.

    The wire type matters: a host refuses an int where it keeps a long, so the type it answers with is the type that is sent. Range and
    type are checked here first, because not every server does (vcsim takes anything).

    Source: vSphere Web Services API, OptionManager; docs/domain/peers.md#traps.
    """

    kind = EndpointKind.VCENTER

    def read(self, session: VCenter, target: Target) -> Reading:
        """The option's value on the host now, by its exact name.

        Raises:
            NotThereError: this host has no such option.
        """
        value = _current(session, target).value
        return Reading(int(value) if isinstance(value, int) and not isinstance(value, bool) else value)

    def write(self, session: VCenter, target: Target, value: Scalar) -> None:
        """Store `value` in the option's own wire type, once.

        Raises:
            RefusedError: the wrong type, or outside the range the host offers, or the host says no.
        """
        from pyVmomi import vim

        from auditor.endpoints.vcenter.translation import translated

        current = _current(session, target)
        typed = _typed(session, target, current.value, value)
        manager = _manager(session, target)
        _check(session, target, _definition(session, manager, target["option"]), typed)
        with translated(session.endpoint, f"setting {target['option']} of {target['host_id']} to {value}"):
            manager.UpdateOptions([vim.option.OptionValue(key=target["option"], value=typed)])


def _manager(session: VCenter, target: Target) -> Any:
    return host_manager(session, target["host_id"], "advancedOption", "offers no advanced options")


def _current(session: VCenter, target: Target) -> Any:
    from auditor.endpoints.vcenter.translation import translated

    manager = _manager(session, target)
    with translated(session.endpoint, f"reading {target['option']} of {target['host_id']}"):
        options = manager.QueryOptions(target["option"]) or ()
    for option in options:
        # Some servers take the name for the beginning of one.
        if option.key == target["option"] and option.value is not None:
            return option
    raise not_there(
        session,
        f"{target['host_id']} has no option {target['option']}",
        "there is nothing to set.",
        "check the name against this build: options come and go.",
    )


def _typed(session: VCenter, target: Target, current: Any, value: Scalar) -> Any:
    """`value` in the wire type of `current`."""
    wire = type(current)
    if isinstance(current, (bool, str)):
        fits = type(value) is wire
    elif isinstance(current, int):
        fits = isinstance(value, int) and not isinstance(value, bool) and _holds(wire.__name__, value)
    elif isinstance(current, float):
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
    else:
        fits = False
    if not fits:
        raise _refused(session, target, value, f"it is kept as {wire.__name__}")
    return wire(value)


def _holds(wire: str, value: int) -> bool:
    bits = _BITS.get(wire, 64)
    return -(1 << (bits - 1)) <= value < 1 << (bits - 1)


def _definition(session: VCenter, manager: Any, name: str) -> Any:
    """The option's type as the host offers it; None when it offers none."""
    from pyVmomi import vim

    try:
        offered = session.value(vim.option.OptionManager, moid(manager), "supportedOption")
    except NotThereError:
        return None
    return next((one.optionType for one in offered or () if one.key == name), None)


def _check(session: VCenter, target: Target, definition: Any, value: Any) -> None:
    if definition is None:
        return
    if definition.valueIsReadonly:
        raise _refused(session, target, value, "it is read-only on this host")
    low, high = getattr(definition, "min", None), getattr(definition, "max", None)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and ((low is not None and value < low) or (high is not None and value > high)):
        raise _refused(session, target, value, f"this host allows {low} to {high}")
    choices = [choice.key for choice in getattr(definition, "choiceInfo", None) or ()]
    if choices and str(value) not in choices:
        raise _refused(session, target, value, f"this host allows {', '.join(choices)}")


def _refused(session: VCenter, target: Target, value: Scalar, reason: str) -> RefusedError:
    return refused(
        session, f"{target['option']} of {target['host_id']} cannot be {value!r}: {reason}", "correct the rule's `set:` or its parameters."
    )
