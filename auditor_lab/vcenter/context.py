"""The context of one request: the state, session and faults that a method uses while it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pyVmomi import vmodl

from auditor_lab.faults import Fault
from auditor_lab.vcenter.inventory.objects import Inventory, host_of
from auditor_lab.vcenter.soap.envelope import Written
from auditor_lab.vcenter.soap.sessions import Session, Sessions
from auditor_lab.vcenter.state.hosts import HostState
from auditor_lab.vcenter.state.vcenter import VCenterState
from auditor_lab.vcenter.tasks import Tasks


@dataclass(slots=True)
class Context:
    """One request and the vCenter that it is sent to. `session` is None before Login."""

    state: VCenterState
    inventory: Inventory
    sessions: Sessions
    tasks: Tasks
    privileges: frozenset[str]
    session: Session | None
    opened: Session | None = None  # by this request
    faults: tuple[Fault, ...] = ()  # that apply to this request
    written: Written | None = None  # set where the answer is XML: collects values that are written as XML without being built

    def fault(self, kind: str) -> Fault | None:
        """The fault of this kind that applies to the request."""
        return next((one for one in self.faults if one.kind == kind), None)

    @property
    def logged_in(self) -> Session:
        """The session, for a method that needs one."""
        assert self.session is not None  # noqa: S101  the server lets nobody in without
        return self.session


Operation: TypeAlias = Callable[[Context, Any, Mapping[str, Any]], Any]
"""Answers a method; arguments: the context, the object that it was called on, and its arguments."""


def reachable_host(context: Context, moid: str, *, this: Any) -> HostState:
    """The host with this id.

    Raises:
        vmodl.fault.ManagedObjectNotFound: there is no such host.
        vmodl.fault.HostNotConnected: vCenter has disconnected it.
        vmodl.fault.HostNotReachable: it does not respond.
    """
    host = context.state.hosts.get(moid)
    if host is None:
        raise vmodl.fault.ManagedObjectNotFound(obj=this, msg="no such host")
    if host.connection_state == "disconnected":
        raise vmodl.fault.HostNotConnected(msg="Unable to communicate with the remote host, since it is disconnected.")
    if not host.reachable:
        raise vmodl.fault.HostNotReachable(msg="Unable to communicate with the remote host, since it is not responding.")
    return host


def host_behind(context: Context, this: Any) -> HostState:
    """The reachable host that a manager object belongs to; raises as `reachable_host`."""
    return reachable_host(context, host_of(this), this=this)
