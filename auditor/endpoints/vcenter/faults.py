"""Translates vCenter's faults into our errors. Imports pyVmomi: import this module only where a session is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyVmomi import vim, vmodl

from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError, NotThereError, PermissionMissingError, RefusedError

if TYPE_CHECKING:
    from auditor.model import Endpoint

# Looked through in order; a fault is the first it is a kind of. Source: vSphere Web Services API, fault hierarchy: NotAuthenticated is a
# kind of NoPermission, HostNotConnected a kind of HostCommunication.
_UNREACHABLE = (
    vim.fault.NotAuthenticated,
    vmodl.fault.HostCommunication,
    vim.fault.HostConnectFault,
    vim.fault.Timedout,
    vmodl.fault.RequestCanceled,
    vmodl.fault.SystemError,
)
_NOT_THERE = (
    vmodl.fault.ManagedObjectNotFound,
    vmodl.fault.MethodNotFound,
    vmodl.fault.NotImplemented,
    vmodl.fault.NotSupported,
    vmodl.query.InvalidProperty,
    vim.fault.InvalidName,
    vim.fault.NotFound,
)


def name_of(fault: object) -> str:
    """The fault's own name, for example NoPermission."""
    return type(fault).__name__.rpartition(".")[2]


def described(fault: object) -> str:
    """Name and message of a fault, on one line."""
    name = name_of(fault)
    detail = getattr(fault, "privilegeId", None) or getattr(fault, "invalidProperty", None) or getattr(fault, "name", None)
    message = " ".join(str(getattr(fault, "msg", None) or "").split())
    return ": ".join(part for part in (name, f"{detail}" if detail else "", message) if part)


def credentials_refused(endpoint: Endpoint) -> CredentialsError:
    """The one message of a refused login; it repeats nothing the server said, which may quote what we sent."""
    return CredentialsError(
        f"endpoint {endpoint.name}: it refuses {endpoint.who}",
        why="nothing on it was read.",
        do="check how this endpoint is logged in to by fleet.yaml; it was tried once, so no account was locked by us.",
    )


def error_for(fault: object, endpoint: Endpoint, doing: str) -> EndpointError:
    """The error a fault becomes while `doing` (a gerund with its object, for example "reading options of host-12")."""
    what = f"endpoint {endpoint.name}: {doing}: {described(fault)}"
    lost = "it was not read, or, if it was a write, whether it was stored is not known."
    if isinstance(fault, vim.fault.InvalidLogin):
        return credentials_refused(endpoint)
    if isinstance(fault, _UNREACHABLE):
        return EndpointUnreachableError(what, why=lost, do="look at the host and at vCenter's events, then run again.")
    if isinstance(fault, vim.fault.NoPermission):
        return PermissionMissingError(
            what,
            why="it was neither read nor written.",
            do=f"give the role of {endpoint.who} the privilege {getattr(fault, 'privilegeId', None) or 'that vCenter names'}.",
        )
    if isinstance(fault, vim.fault.RestrictedVersion):
        why = "nothing was changed by this call: the licence of the host lets the API read alone."
        return RefusedError(what, why=why, do="give the host a licence that allows writing by the API, or make the change by hand.")
    if isinstance(fault, _NOT_THERE):
        return NotThereError(
            what, why="it was neither read nor written.", do="collect again: it may have been removed, or this build lacks it."
        )
    if type(fault) in (vmodl.RuntimeFault, vmodl.MethodFault):
        return EndpointUnreachableError(what, why=lost, do="look at vCenter's log; it named no reason.")
    return RefusedError(what, why="nothing was changed by this call.", do="read the reason above; it is the server's own.")
