"""The storage policy service of the lab's vCenter: SOAP at /pbm and /pbm/sdk, namespace urn:pbm.

It has no login of its own: the SOAP header `vcSessionCookie` holds the key of a session at /sdk, and the HTTP cookie is ignored. It sets an
HTTP cookie with the name of /sdk's cookie that is none of its sessions, so a client that stores both in one jar loses its session at /sdk.
Only PbmRetrieveServiceContent works without a session.

Source: types, methods, privileges and declared faults of pyVmomi's description of urn:pbm; govmomi, pbm/client.go, pbm/client_test.go and
its pull request 3655 (header and cookie); a recorded fault in hashicorp/terraform-provider-vsphere issue 1216 (a fault that a method does
not declare is a RuntimeFaultFault, its text is the name of its type). Not known, and chosen: the cookie's path.
"""

from __future__ import annotations

import re
import uuid
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, unescape

from pyVmomi import VmomiSupport, pbm, vim, vmodl

from auditor_lab.vcenter.inventory.entities import ROOT
from auditor_lab.vcenter.pbm import capabilities, compliance, placement, profiles
from auditor_lab.vcenter.pbm.operation import Operation, PolicyCall, invalid
from auditor_lab.vcenter.pbm.policies import ENCRYPTION_ID, Policies
from auditor_lab.vcenter.soap import envelope
from auditor_lab.vcenter.soap.data_objects import of_type
from auditor_lab.wire import Answer, Request

if TYPE_CHECKING:
    from auditor_lab.vcenter.soap.sessions import Session, Sessions
    from auditor_lab.vcenter.state.vcenter import VCenterState
    from auditor_lab.vcenter.vapi.tags import Tags

NAMESPACE, INTERNAL = "urn:pbm", "urn:internalpbm"
_OPERATIONS: Mapping[str, Operation] = {
    **profiles.OPERATIONS,
    **placement.OPERATIONS,
    **compliance.OPERATIONS,
    **capabilities.OPERATIONS,
}
_CONTENT, _IO_FILTERS = "PbmRetrieveServiceContent", "PbmQueryIOFiltersFromProfileId"
_VIEW = "StorageProfile.View"
_COOKIE = re.compile(rb"<(?:\w+:)?vcSessionCookie[^>]*>([^<]*)<")
_SPOKEN = re.compile(r"urn:pbm/(\d+(?:\.\d+)*)")  # in the SOAPAction
_XML = "text/xml; charset=utf-8"


def is_for(path: str) -> bool:
    """Whether a path belongs to this service."""
    return path.partition("?")[0] in ("/pbm", "/pbm/", "/pbm/sdk")


class PbmEndpoint:
    """Answers the storage policy service of one vCenter; what clients write stays.

    Attributes:
        policies: in their current state; change them under the state's lock.

    Args:
        state: of the vCenter.
        sessions: those of /sdk.
        privileges: returns those of the account at the time of a request.
        tags: returns the vCenter's tags at the time of a request.
    """

    def __init__(self, state: VCenterState, sessions: Sessions, privileges: Callable[[], frozenset[str]], tags: Callable[[], Tags]) -> None:
        self._state = state
        self._sessions = sessions
        self._privileges = privileges
        self._tags = tags
        self._own_cookie = str(uuid.uuid4())
        self._newest = _numbers(state.description.api_version)
        self.policies = Policies(state)

    def answer(self, request: Request) -> Answer:
        """Answer a request that `is_for` this service."""
        if request.method != "POST":
            return Answer(b"", "text/plain", 405)
        name, version = envelope.operation_of(request.body), self._version(request)
        try:
            with self._state.lock:
                self._state.settle()
                if request.fault("session"):
                    self._sessions.expire()
                body = self._run(request, name, version)
        except envelope.NotSoapError as error:
            return Answer(envelope.fault(vmodl.fault.InvalidRequest(msg=str(error)), version, NAMESPACE, "RuntimeFault"), _XML, 500)
        except vmodl.MethodFault as error:
            return Answer(envelope.fault(error, version, NAMESPACE, _declared_as(error, name)), _XML, 500)
        known = self._own_cookie in request.headers.get("cookie", "")
        headers = () if known else (("Set-Cookie", f'vmware_soap_session="{self._own_cookie}"; Path=/; HttpOnly; Secure'),)
        return Answer(body, _XML, 200, headers)

    def _run(self, request: Request, name: str, version: str) -> bytes:
        session = self._session(request.body)
        privileges = self._privileges() - {fault.privilege for fault in request.faults if fault.kind == "permission"}
        if name == _IO_FILTERS:
            _permit(session, _VIEW, privileges)
            return self._io_filters(request.body)
        call = envelope.parse(request.body, NAMESPACE)
        if (type(call.this), call.this._GetMoId()) not in _OBJECTS:  # noqa: SLF001  pyVmomi's accessor
            raise vmodl.fault.ManagedObjectNotFound(obj=call.this, msg="ManagedObjectNotFound")
        if name == _CONTENT:
            return envelope.answer(call.method, _service_content(self._state), version, namespace=NAMESPACE)
        operation = _OPERATIONS.get(name)
        user = _permit(session, call.method.privilege or _VIEW, privileges).user
        if operation is None:
            raise vmodl.fault.MethodNotFound(receiver=call.this, method=name, msg=f"The lab's storage policy service does not know {name}.")
        with self._state.events.acting_as(user):
            result = self._faulty_call(request, operation, PolicyCall(self.policies, self._tags(), privileges, user, call.arguments))
        typed = None if call.method.result in (None, type(None)) else of_type(call.method.result, result)
        return envelope.answer(call.method, typed, version, namespace=NAMESPACE)

    def _version(self, request: Request) -> str:
        """The version that a client speaks, as pyVmomi names it; else the newest that is no newer than the vCenter."""
        known = {_numbers(key.partition("/")[2]): name for key, name in VmomiSupport.versionMap.items() if key.startswith("pbm/")}
        spoken = _SPOKEN.search(request.headers.get("soapaction", ""))
        newest = min(_numbers(spoken.group(1)), self._newest) if spoken else self._newest
        return str(known[max((one for one in known if one <= newest), default=min(known))])

    def _session(self, body: bytes) -> Session | None:
        match = _COOKIE.search(body.partition(b"Body")[0])
        return self._sessions.named(unescape(match.group(1).decode(), {"&quot;": '"'}).strip().strip('"')) if match else None

    def _faulty_call(self, request: Request, operation: Operation, policy_call: PolicyCall) -> Any:
        """Run an operation with the faults that apply: a deaf write changes nothing, half of a half write is carried out and it fails."""
        half = request.fault("half")
        before = self.policies.copy() if request.fault("deaf") else None
        arguments = {key: _half(one) for key, one in policy_call.arguments.items()} if half else policy_call.arguments
        try:
            result = operation(PolicyCall(policy_call.policies, policy_call.tags, policy_call.privileges, policy_call.user, arguments))
        finally:
            self.policies = before or self.policies
        if half:
            raise vmodl.fault.SystemError(reason="An injected fault stopped this half way.", msg="An injected fault stopped this half way.")
        return result

    def _io_filters(self, body: bytes) -> bytes:
        """The I/O filters of policies. pyVmomi has no types for it. Source: govmomi, pbm/types/internal_types.go."""
        try:
            keys = [(one.text or "").strip() for one in ET.fromstring(body).iter() if one.tag.endswith("}uniqueId")]  # noqa: S314  loopback
        except ET.ParseError as error:
            raise envelope.NotSoapError(f"no {_IO_FILTERS} request: {error}") from error
        if any(key not in self.policies.by_id for key in keys):
            raise invalid("profileIds")
        entries = (f"<key><uniqueId>{escape(key)}</uniqueId></key>{_ENCRYPTING if key == ENCRYPTION_ID else ''}" for key in keys)
        return envelope.raw_answer(_IO_FILTERS, "".join(f"<returnval>{one}</returnval>" for one in entries), INTERNAL)


_ENCRYPTING = "<iofilters><vibId></vibId><filterType>ENCRYPTION</filterType></iofilters>"

# Source of the ids: govmomi's capture (pbm/simulator/simulator.go).
_MANAGERS: Mapping[str, Any] = {
    "sessionManager": pbm.auth.SessionManager("SessionManager"),
    "capabilityMetadataManager": pbm.capability.CapabilityMetadataManager("CapabilityMetadataManager"),
    "profileManager": pbm.profile.ProfileManager("ProfileManager"),
    "complianceManager": pbm.compliance.ComplianceManager("complianceManager"),
    "placementSolver": pbm.placement.PlacementSolver("placementSolver"),
}
_OBJECTS = {(pbm.ServiceInstance, "ServiceInstance"), *((type(one), one._GetMoId()) for one in _MANAGERS.values())}  # noqa: SLF001


def _service_content(state: VCenterState) -> Any:
    """PbmServiceInstanceContent; the replication manager, which the lab does not have, is left out."""
    about = pbm.AboutInfo(name="PBM", version="2.0", instanceUuid=str(uuid.uuid5(uuid.NAMESPACE_DNS, f"pbm/{state.description.name}")))
    return pbm.ServiceInstanceContent(aboutInfo=about, **_MANAGERS)


def _permit(session: Session | None, privilege: str, privileges: frozenset[str]) -> Session:
    if session is None:
        raise vim.fault.NotAuthenticated(object=ROOT, privilegeId=privilege, msg="NotAuthenticated")
    if privilege not in privileges:
        raise profiles.no_view(privilege)
    return session


def _declared_as(error: Any, method: str) -> str:
    """The type under which a method declares a fault; RuntimeFault for an undeclared one."""
    try:
        declared = VmomiSupport.GetWsdlMethod(NAMESPACE, method).info.faults or ()
    except KeyError:
        declared = ()
    kinds = [VmomiSupport.GetVmodlType(name) for name in declared]
    return next((str(VmomiSupport.GetWsdlName(kind)) for kind in type(error).__mro__ if kind in kinds), "RuntimeFault")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _half(value: Any) -> Any:
    """The first half of several values."""
    return value[: len(value) // 2] if isinstance(value, list) and len(value) > 1 else value
