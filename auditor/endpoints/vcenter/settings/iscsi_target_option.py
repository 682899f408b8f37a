"""One parameter of one target configured on an iSCSI adapter, for example DelayedAck."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import not_there, refused
from auditor.errors import NotThereError, RefusedError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Scalar, Target

_HBAS = "config.storageDevice.hostBusAdapter"


class IscsiTargetOption:
    """Reads and sets it. Keys: host_id, hba, target_kind (send | static), address, port, iqn ("" for send), option.

    The write names the target, so that the adapter and every other target keep their values. A value that was inherited becomes the
    target's own by it; `inherit` gives it back to the adapter, or the send target.

    Source: UpdateInternetScsiAdvancedOptions(hba, targetSet, options); docs/domain/facts.md#5-3.
    """

    kind = EndpointKind.VCENTER

    def read(self, session: VCenter, target: Target) -> Reading:
        """The value that holds for this target now, its own or inherited.

        Raises:
            NotThereError: no such adapter, target or parameter on the host.
        """
        option = _current(session, target)
        return Reading(_value(option), inherited=option.isInherited)

    def write(self, session: VCenter, target: Target, value: Scalar) -> None:
        """Make `value` the target's own, once.

        Raises:
            RefusedError: not of the type the parameter has, or the host says no.
        """
        current = _value(_current(session, target))
        if type(value) is not type(current):
            raise RefusedError(
                f"endpoint {session.endpoint.name}: {target['option']} of {_named(target)} cannot be {value!r}: "
                f"it is kept as {type(current).__name__}",
                why="nothing was written.",
                do="correct the rule's `set:`.",
            )
        # isInherited stays unset: the API's text about it contradicts its name, and public scripts that work leave it alone.
        _update(session, target, value, is_inherited=None)

    def inherit(self, session: VCenter, target: Target, value: Scalar) -> None:
        """Let the parameter come from the adapter, or the send target, again.

        The name of `isInherited` says true for this, and the API's text says false (docs/domain/facts.md#5-3): what the host reports
        afterwards decides. Both requests carry the value from before the target had its own, so neither can bring in another.

        Raises:
            RefusedError: the parameter has no parent, or the host says no.
        """
        if _current(session, target).isInherited is None:
            raise refused(session, f"{target['option']} of {_named(target)} has no parent to inherit from", "set its value by hand.")
        for is_inherited in (True, False):
            _update(session, target, value, is_inherited=is_inherited)
            if _current(session, target).isInherited:
                return


def _update(session: VCenter, target: Target, value: Scalar, *, is_inherited: bool | None) -> None:
    """Send one parameter of one target."""
    from pyVmomi import vim

    from auditor.endpoints.vcenter.translation import translated

    system = session.value(vim.HostSystem, target["host_id"], "configManager.storageSystem")
    if system is None:
        raise _not_there(session, target, "the host offers no storage system")
    hba = vim.host.InternetScsiHba
    where = {"address": target["address"], "port": int(target["port"])}
    if target["target_kind"] == "static":
        chosen = hba.TargetSet(staticTargets=[hba.StaticTarget(iScsiName=target["iqn"], **where)])
    else:
        chosen = hba.TargetSet(sendTargets=[hba.SendTarget(**where)])
    options = [hba.ParamValue(key=target["option"], value=value, isInherited=is_inherited)]
    doing = "inheriting" if is_inherited is not None else f"setting to {value}"
    with translated(session.endpoint, f"{doing} {target['option']} of {_named(target)}"):
        system.UpdateInternetScsiAdvancedOptions(iScsiHbaDevice=target["hba"], targetSet=chosen, options=options)


def _value(option: Any) -> Any:
    """The value of a HostInternetScsiHbaParamValue; pyVmomi's long becomes int."""
    return int(option.value) if isinstance(option.value, int) and not isinstance(option.value, bool) else option.value


def _current(session: VCenter, target: Target) -> Any:
    """The parameter as the host has it: its key, value and isInherited."""
    from pyVmomi import vim

    adapters = session.value(vim.HostSystem, target["host_id"], _HBAS) or ()
    adapter = next((one for one in adapters if one.device == target["hba"] and isinstance(one, vim.host.InternetScsiHba)), None)
    if adapter is None:
        raise _not_there(session, target, "the host has no such iSCSI adapter")
    is_static = target["target_kind"] == "static"
    for one in (adapter.configuredStaticTarget if is_static else adapter.configuredSendTarget) or ():
        same_portal = one.address == target["address"] and (one.port or 3260) == int(target["port"])
        if same_portal and (not is_static or one.iScsiName.lower() == target["iqn"].lower()):
            for option in one.advancedOptions or ():
                if option.key == target["option"] and option.value is not None:
                    return option
            raise _not_there(session, target, f"the target does not report {target['option']}")
    raise _not_there(session, target, "the adapter has no such target")


def _named(target: Target) -> str:
    return f"{target['target_kind']} target {target['address']}:{target['port']} {target['iqn']}".rstrip() + (
        f" on {target['hba']} of {target['host_id']}"
    )


def _not_there(session: VCenter, target: Target, reason: str) -> NotThereError:
    return not_there(
        session, f"{_named(target)}: {reason}", "there is nothing to set.", "collect again: targets come and go with discovery."
    )
