"""Maintenance mode of one host."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.vcenter.steps.polling import limit_of, task_error, until
from auditor.errors import EndpointUnreachableError, MalformedAnswerError, RefusedError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Scalar, Target

_IN_MAINTENANCE = "runtime.inMaintenanceMode"
_MOST_NAMED = 3  # machines that a message names


class HostMaintenance:
    """Reads, enters and leaves it. Keys: host_id, limit_seconds.

    Machines that are switched off stay registered where they are, and vSAN keeps objects accessible without moving all data: the host comes
    back within minutes.

    Source: vSphere API reference, HostSystem.EnterMaintenanceMode_Task (`evacuatePoweredOffVms`, `timeout`, `maintenanceSpec`) and
    VsanHostDecommissionModeObjectAction `ensureObjectAccessibility`.
    """

    kind = EndpointKind.VCENTER

    def read(self, session: VCenter, target: Target) -> Reading:
        """Whether the host is in maintenance mode now.

        Raises:
            MalformedAnswerError: vCenter does not say.
        """
        from pyVmomi import vim

        value = session.value(vim.HostSystem, target["host_id"], _IN_MAINTENANCE)
        if not isinstance(value, bool):
            raise MalformedAnswerError(
                f"endpoint {session.endpoint.name}: vCenter does not say whether {target['host_id']} is in maintenance mode",
                why="nothing is done to a host where that is not known.",
                do="look at the host in vCenter.",
            )
        return Reading(value)

    def write(self, session: VCenter, target: Target, value: Scalar) -> None:
        """Enter maintenance mode (True) or leave it (False), and wait for it. A task that takes too long is cancelled.

        Raises:
            RefusedError: vCenter refused it, or machines stay on the host: it is not in maintenance mode.
            EndpointUnreachableError: it cannot be said what will become of it.
        """
        from auditor.endpoints.vcenter.translation import translated

        seconds, host = limit_of(target), target["host_id"]
        doing = f"{'entering' if value else 'leaving'} maintenance mode of {host}"
        try:
            with translated(session.endpoint, doing):
                task = _started(session, host, seconds, enters=bool(value))
        except EndpointUnreachableError:
            # The request may have arrived. Its task is not known, so the host is watched.
            if until(lambda: self.read(session, target).value, lambda now: now is bool(value), seconds):
                return
            raise
        ended, fault = task_error(session, task, seconds)
        if ended and fault is None:
            return
        if not ended:
            with suppress(EndpointUnreachableError, RefusedError), translated(session.endpoint, f"cancelling {doing}"):
                task.CancelTask()
            ended, fault = task_error(session, task, min(seconds, 30.0))
        if ended and fault is None:
            return  # it ended well while it was being cancelled
        raise _failed(session, target, doing, fault, ended=ended)


def _started(session: VCenter, host_id: str, seconds: float, *, enters: bool) -> Any:
    from pyVmomi import vim

    host, timeout = session.object(vim.HostSystem, host_id), max(1, int(seconds))
    if not enters:
        return host.ExitMaintenanceMode_Task(timeout)
    spec = None  # its actions are vSAN's alone
    if session.value(vim.HostSystem, host_id, "config.vsanHostConfig.enabled"):
        action = vim.vsan.host.DecommissionMode.ObjectAction.ensureObjectAccessibility
        spec = vim.host.MaintenanceSpec(vsanMode=vim.vsan.host.DecommissionMode(objectAction=action))
    return host.EnterMaintenanceMode_Task(timeout=timeout, evacuatePoweredOffVms=False, maintenanceSpec=spec)


def _failed(session: VCenter, target: Target, doing: str, fault: Any, *, ended: bool) -> RefusedError | EndpointUnreachableError:
    """The error of a task that did not end well; it names the machines that are still on the host."""
    from auditor.endpoints.vcenter.faults import described

    reason = described(fault) if fault is not None else f"its task had not ended after {limit_of(target):g} s"
    left = running_on(session, target["host_id"])
    machines = f"; running on it: {', '.join(left[:_MOST_NAMED])}{' and more' if len(left) > _MOST_NAMED else ''}" if left else ""
    what = f"endpoint {session.endpoint.name}: {doing}: {reason}{machines}"
    if ended:
        return RefusedError(what, why="the host is as it was.", do="move these machines by hand, or see why DRS does not.")
    return EndpointUnreachableError(what, why="what the task will do is not known.", do="look at the recent tasks of this host.")


def running_on(session: VCenter, host_id: str) -> list[str]:
    """Names of the machines that run on a host; empty also where they cannot be read."""
    from pyVmomi import vim

    from auditor.errors import EndpointError

    try:
        machines = session.value(vim.HostSystem, host_id, "vm") or ()
        rows = session.read(vim.VirtualMachine, ("name", "runtime.powerState"), list(machines), 100) if machines else ()
        return sorted(str(row.values.get("name", row.id)) for row in rows if row.values.get("runtime.powerState") != "poweredOff")
    except EndpointError:
        return []
