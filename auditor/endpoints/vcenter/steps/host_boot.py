"""The boot of one host after a given moment: read as a boolean, brought about by a reboot."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.vcenter.steps.polling import LIMIT, limit_of, task_error, until
from auditor.errors import EndpointUnreachableError, MalformedAnswerError, RefusedError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Scalar, Target

SINCE = "booted_before"
"""The key of the target that holds the boot time, ISO 8601, which the reboot is to move."""

_BOOTED, _STATE = "runtime.bootTime", "runtime.connectionState"


class HostBoot:
    """Reads whether the host has booted after `booted_before`, and reboots it. Keys: host_id, booted_before, limit_seconds.

    Source: vSphere API reference, HostSystem.RebootHost_Task (`force`: "false: the host must be in maintenance mode") and
    HostRuntimeInfo.bootTime.
    """

    kind = EndpointKind.VCENTER

    def read(self, session: VCenter, target: Target) -> Reading:
        """Whether it has booted since, and is connected.

        Raises:
            EndpointUnreachableError: the host is not connected, as while it reboots.
        """
        from pyVmomi import vim

        host = session.object(vim.HostSystem, target["host_id"])
        facts = next(iter(session.read(vim.HostSystem, (_BOOTED, _STATE), [host])), None)
        state = None if facts is None else facts.values.get(_STATE)
        if facts is None or state != vim.HostSystem.ConnectionState.connected:
            raise EndpointUnreachableError(
                f"endpoint {session.endpoint.name}: {target['host_id']} is {state or 'not reported'}",
                why="whether it has booted is not known while it is away.",
                do="look at the host's console if it does not come back.",
            )
        booted = facts.values.get(_BOOTED)
        if not isinstance(booted, datetime):
            raise MalformedAnswerError(
                f"endpoint {session.endpoint.name}: vCenter does not report when {target['host_id']} booted",
                why="whether a reboot took place cannot be verified.",
                do="look at the host in vCenter.",
            )
        return Reading(booted > datetime.fromisoformat(target[SINCE]))

    def write(self, session: VCenter, target: Target, value: Scalar) -> None:
        """Reboot the host without force, and wait until it is back.

        Raises:
            RefusedError: vCenter refused it, or `value` is not True: a boot cannot be undone.
            EndpointUnreachableError: it did not come back in time.
        """
        from auditor.endpoints.vcenter.translation import translated

        if value is not True:
            raise RefusedError(f"a boot of {target['host_id']} cannot be undone", why="nothing was done.", do="leave it out.")
        task: Any = None
        with suppress(EndpointUnreachableError), translated(session.endpoint, f"rebooting {target['host_id']}"):
            task = _reboot(session, target["host_id"])
        # Without an answer the request may have arrived all the same: the host is watched.
        seconds = limit_of(target)
        if not until(lambda: self._is_back(session, target, task), lambda is_back: is_back, seconds):
            raise EndpointUnreachableError(
                f"endpoint {session.endpoint.name}: {target['host_id']} did not come back within {seconds:g} s of its reboot",
                why="it may hang while it boots; whether it will come back is not known.",
                do="look at the host's console.",
            )

    def _is_back(self, session: VCenter, target: Target, task: Any) -> bool:
        """Whether it has booted since and is connected.

        Raises:
            RefusedError: the task says that it was not rebooted.
        """
        from auditor.endpoints.vcenter.faults import error_for

        if self.read(session, target).value is True:
            return True
        _, fault = (True, None) if task is None else task_error(session, task, 0.0)
        if fault is not None:
            error = error_for(fault, session.endpoint, f"rebooting {target['host_id']}")
            if not isinstance(error, EndpointUnreachableError):
                raise error
        return False


def boot_time(session: VCenter, host_id: str) -> datetime | None:
    """When the host booted, aware; None where vCenter does not report it, as while the host is away."""
    from pyVmomi import vim

    booted = session.value(vim.HostSystem, host_id, _BOOTED)
    return booted if isinstance(booted, datetime) else None


def boot_keys(host_id: str, before: datetime, limit_seconds: float) -> tuple[tuple[str, str], ...]:
    """The keys of the target of a boot after `before`, sorted."""
    return ((SINCE, before.isoformat()), ("host_id", host_id), (LIMIT, f"{limit_seconds:g}"))


def _reboot(session: VCenter, host_id: str) -> Any:
    from pyVmomi import vim

    return session.object(vim.HostSystem, host_id).RebootHost_Task(force=False)
