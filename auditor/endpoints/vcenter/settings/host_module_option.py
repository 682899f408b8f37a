"""One parameter in the option string of one kernel module of one host."""

from __future__ import annotations

import re
import threading
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import refused
from auditor.endpoints.vcenter.host_managers import host_manager
from auditor.errors import MalformedAnswerError, RefusedError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Scalar, Target

# As in facts/views/52_step_depth_parameter.sql, which a test compares it with.
DEPTH_PARAMETERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "iscsi_vmk": "iscsivmk_LunQDepth",
        "qlnativefc": "ql2xmaxqdepth",
        "qla2xxx": "ql2xmaxqdepth",
        "lpfc": "lpfc_lun_queue_depth",
        "lpfc820": "lpfc_lun_queue_depth",
        "nfnic": "lun_queue_depth_per_path",
        "fnic": "fnic_max_qdepth",
        "bfa": "bfa_lun_queue_depth",
    }
)
"""Kernel module -> the parameter that sets the queue depth of its devices, which shows whether it is in effect."""

_NVME: Final = "nvme"
_WORD = re.compile(r"""(?:[^\s"']|"[^"]*"|'[^']*')+""")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class HostModuleOption:
    """Reads and sets it through HostKernelModuleSystem. Keys: host_id, module, parameter.

    The server replaces the whole string, so every other word of it is sent back as it was. The module takes the string when it is loaded,
    at boot: until something shows that this has happened, a stored value is pending. What shows it is the queue depth of the module's
    devices, where the parameter sets that; otherwise a boot later than our own write; otherwise nothing, and it stays pending.

    Source: docs/domain/facts.md#2 and #2-3; KernelModuleInfo.optionString is "not necessarily the option string currently in use".
    """

    kind = EndpointKind.VCENTER

    def __init__(self) -> None:
        self._written: dict[tuple[str, ...], datetime] = {}  # our own writes, by the server's clock
        self._lock = threading.Lock()

    def read(self, session: VCenter, target: Target) -> Reading:
        """The configured value: a number, the text of what is no number, or None when the string does not have the parameter.

        Raises:
            MalformedAnswerError: the string names the parameter twice, or its quotes do not close.
            NotThereError: the host has no such module.
        """
        text = _option_string(session, target)
        try:
            value = value_in(text, target["parameter"])
        except ValueError as error:
            raise MalformedAnswerError(
                f"endpoint {session.endpoint.name}: options of {target['module']} on {target['host_id']}: {error}",
                why="which value holds is not known, so nothing is compared or written.",
                do=f"put the string right by hand: {text!r}.",
            ) from None
        return Reading(value, self._pending(session, target, value))

    def write(self, session: VCenter, target: Target, value: Scalar) -> None:
        """Store `value` for the next boot, once; None takes the parameter out. Every other word stays as it is.

        Raises:
            RefusedError: not a whole number from 0 up, or a string that cannot be merged safely.
        """
        from pyVmomi import vim

        from auditor.endpoints.vcenter.translation import translated

        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
            raise _refused(session, target, f"{target['parameter']} cannot be {value!r}")
        text = _option_string(session, target)
        try:
            merged = merged_options(text, target["parameter"], value)
        except ValueError as error:
            raise _refused(session, target, str(error)) from None
        doing = f"setting options of {target['module']} on {target['host_id']} to {merged!r}"
        with translated(session.endpoint, doing):
            now = vim.ServiceInstance("ServiceInstance", session.stub).CurrentTime()
            with self._lock:
                self._written[_key(target)] = now
            _system(session, target).UpdateModuleOptionString(target["module"], merged)

    def _pending(self, session: VCenter, target: Target, value: int | str | None) -> str | None:
        with self._lock:
            written = self._written.get(_key(target))
        if value is not None and DEPTH_PARAMETERS.get(target["module"]) == target["parameter"]:
            depths = _depths(session, target)
            if depths:
                return None if depths == {value} else "reboot"
        if written is not None:
            return None if _booted_since(session, target, written) else "reboot"
        return None if value is None else "reboot"


def value_in(options: str, parameter: str) -> int | str | None:
    """The parameter's value in an option string; text when it is no plain number, None when it is not there.

    Raises:
        ValueError: it is there twice, or the string's quotes do not close.
    """
    match = _found(options, parameter)
    if match is None:
        return None
    text = match.group().partition("=")[2]
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else text


def merged_options(options: str, parameter: str, value: int | None) -> str:
    """`options` with `parameter` set to `value`, in its place or at the end; without it when `value` is None.

    Everything else stays as it is, blanks and quotes included, and taking out what was put at the end gives the string as it was.

    Raises:
        ValueError: the parameter is there twice, the quotes do not close, or it is no name.
    """
    if not _NAME.fullmatch(parameter):
        raise ValueError(f"{parameter!r} is not a parameter's name")
    match = _found(options, parameter)
    if value is None:
        return options if match is None else _without(options, match)
    word = f"{parameter}={value}"
    if match is not None:
        return options[: match.start()] + word + options[match.end() :]
    return f"{options} {word}" if options else word


def _without(options: str, match: re.Match[str]) -> str:
    start, end = match.span()
    if start > 0:
        start -= 1  # one blank before it
    elif end < len(options):
        end += 1
    return options[:start] + options[end:]


def _found(options: str, parameter: str) -> re.Match[str] | None:
    words = list(_WORD.finditer(options))
    if "".join(word.group() for word in words) != "".join(options.split()) and re.search(r"\S", _WORD.sub("", options)):
        raise ValueError("its quotes do not close")
    matching = [word for word in words if word.group().partition("=")[0] == parameter]
    if len(matching) > 1:
        raise ValueError(f"{parameter} is there {len(matching)} times")
    return matching[0] if matching else None


def _system(session: VCenter, target: Target) -> Any:
    return host_manager(session, target["host_id"], "kernelModuleSystem", "offers no kernel modules")


def _option_string(session: VCenter, target: Target) -> str:
    from auditor.endpoints.vcenter.translation import translated

    system = _system(session, target)
    with translated(session.endpoint, f"reading options of {target['module']} on {target['host_id']}"):
        return str(system.QueryConfiguredModuleOptionString(target["module"]) or "")


def _depths(session: VCenter, target: Target) -> set[int]:
    """Queue depths in effect of the LUNs behind the module's adapters that have one; empty when there are none.

    An adapter of the module that speaks NVMe has namespaces, whose depth the parameter does not set.

    Source: HostHostBusAdapter.storageProtocol (scsi | nvme) in the vSphere API, since 7.0; before that every adapter speaks SCSI.
    """
    from pyVmomi import vim

    host, path = target["host_id"], "config.storageDevice"
    adapters = session.value(vim.HostSystem, host, f"{path}.hostBusAdapter") or ()
    multipath = session.value(vim.HostSystem, host, f"{path}.multipathInfo")
    mine = {hba.key for hba in adapters if hba.driver == target["module"] and hba.storageProtocol != _NVME}
    units = (multipath.lun or ()) if multipath else ()
    served = {unit.lun for unit in units if unit.path and all(one.adapter in mine for one in unit.path)}
    if not served:
        return set()
    luns = session.value(vim.HostSystem, host, f"{path}.scsiLun") or ()
    return {lun.queueDepth for lun in luns if lun.key in served and lun.queueDepth is not None}


def _booted_since(session: VCenter, target: Target, moment: datetime) -> bool:
    from pyVmomi import vim

    booted = session.value(vim.HostSystem, target["host_id"], "runtime.bootTime")
    return booted is not None and booted > moment


def _key(target: Target) -> tuple[str, ...]:
    return (target.endpoint, target["host_id"], target["module"], target["parameter"])


def _refused(session: VCenter, target: Target, reason: str) -> RefusedError:
    return refused(
        session,
        f"options of {target['module']} on {target['host_id']}: {reason}",
        "put the option string right by hand, or correct the rule's `set:`.",
    )
