"""VI/JSON requests: the vSphere API as JSON over HTTP, at /sdk/vim25/RELEASE/TYPE/ID/METHOD-OR-PROPERTY.

A method is a POST with its parameters in the body, a property a GET. The calls are those of SOAP and use the same operations; only the
formats differ. Methods that SOAP has and the published API lacks (Fetch, and the executer that esxcli uses) are left out.

Source: Broadcom, "Virtual Infrastructure JSON API", 8.0.2.0: getting started (paths, ServiceInstance without a session, the session's
header); govmomi, vim25/soap/json_client.go (204, faults as HTTP 500). Not compared with a real vCenter. Not known, and chosen: a path
outside the API or a release newer than the vCenter is 404 (a client has to request a release that both sides know; vCenter's
`system?action=hello` serves to find it); a result or property that is unset is 204; a body that does not fit is the fault InvalidRequest.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pyVmomi import VmomiSupport, vmodl

from auditor_lab.vcenter.soap import envelope
from auditor_lab.vcenter.vijson.decoding import NotInApiError, kind_named, members
from auditor_lab.vcenter.vijson.encoding import body, fault_body

if TYPE_CHECKING:
    from auditor_lab.wire import Request

__all__ = ["CONTENT_TYPE", "ROOT", "SESSION_HEADER", "Route", "body", "call", "fault_body", "is_served", "operation_of", "route"]

ROOT = "/sdk/vim25/"
CONTENT_TYPE = "application/json; charset=utf-8"
SESSION_HEADER = "vmware-api-session-id"
_FIRST = (8, 0, 1, 0)
_RELEASE = re.compile(r"\d+(?:\.\d+){3}")


@dataclass(frozen=True, slots=True)
class Route:
    """The target of a path.

    Attributes:
        this: reference to the object.
        name: of the method or the property.
        method: pyVmomi's description of the method; None for a property.
        version: pyVmomi's name of the release.
    """

    this: Any
    name: str
    method: Any
    version: str


def operation_of(path: str) -> str:
    """The name of the method or property in a path, known to the API or not."""
    return unquote(path.partition("?")[0].rpartition("/")[2])


def route(request: Request, newest: str) -> Route | None:
    """The target of a request; None when a vCenter with an API up to `newest` has nothing at that path."""
    steps = [unquote(step) for step in request.path.partition("?")[0].removeprefix(ROOT).split("/")]
    if len(steps) != 4:
        return None
    release, type_name, moid, name = steps
    version = _version(release, newest)
    try:
        kind = kind_named(type_name, VmomiSupport.ManagedObject)
        if request.method == "POST":
            method = VmomiSupport.GetWsdlMethod(envelope.NAMESPACE, name).info
            fits = issubclass(kind, method.type)
        else:
            method = None
            fits = request.method == "GET" and bool(kind._GetPropertyInfo(name))  # noqa: SLF001  pyVmomi's only way to look one up
    except (NotInApiError, KeyError, AttributeError):
        return None
    return Route(kind(moid), name, method, version) if version and fits else None


def call(wanted: Route, request_body: bytes) -> envelope.Call:
    """The call of a request; a property is fetched, as clients do it over SOAP.

    Raises:
        vmodl.fault.InvalidRequest: the body is not a JSON object, or does not fit the method.
    """
    if wanted.method is None:
        return _fetch(wanted)
    try:
        arguments = members(json.loads(request_body or b"{}"), wanted.method.params, wanted.name)
    except (NotInApiError, ValueError) as error:
        raise vmodl.fault.InvalidRequest(msg=f"the request does not fit the API: {error}") from error
    return envelope.Call(envelope.method_of(wanted.name), wanted.this, arguments)


def _fetch(wanted: Route) -> envelope.Call:
    if wanted.name == "content" and VmomiSupport.GetWsdlName(type(wanted.this)) == "ServiceInstance":
        return envelope.Call(envelope.method_of("RetrieveServiceContent"), wanted.this)  # the same, and readable before Login
    declared = type(wanted.this)._GetPropertyInfo(wanted.name).type  # noqa: SLF001  as above
    return envelope.Call(envelope.Method("Fetch", (), declared, None), wanted.this, {"prop": wanted.name})


def is_served(release: str, newest: str) -> bool:
    """Whether a vCenter with an API up to `newest` serves this release."""
    return _version(release, newest) is not None


def _version(release: str, newest: str) -> str | None:
    if not _RELEASE.fullmatch(release) or not _FIRST <= _number(release) <= _number(newest):
        return None
    version: str | None = VmomiSupport.versionMap.get(f"vim25/{release}")
    return version


def _number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))
