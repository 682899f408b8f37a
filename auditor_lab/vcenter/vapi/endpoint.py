"""The vSphere Automation API of the lab's vCenter: JSON-RPC at /api, and REST below /api and /rest.

An unknown operation fails with operation_not_found. Faults select operations by service and name, for example
com.vmware.cis.tagging.tag.list, in any wire format; the `$task` of long ones is part of the name.

Source: the client that VMware publishes, vmware-vcenter and vmware-vapi-runtime 9.1. Not compared with a real vCenter.
"""

from __future__ import annotations

import base64
import binascii
import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from auditor_lab.vcenter.soap.sessions import Sessions
from auditor_lab.vcenter.vapi import association, configuration, drafts, rest, tagging, tags, task_operations, tasks
from auditor_lab.vcenter.vapi import sessions as vapi_sessions
from auditor_lab.vcenter.vapi.errors import VapiError, message, unauthenticated, unauthorized
from auditor_lab.vcenter.vapi.operations import Arguments, Call, Operation, Stored
from auditor_lab.vcenter.vapi.values import NotAValueError, Secret, decoded, encoded
from auditor_lab.wire import Answer, Request

if TYPE_CHECKING:
    from auditor_lab.vcenter.state.vcenter import VCenterState

_OPERATIONS: Mapping[str, Operation] = {
    **vapi_sessions.OPERATIONS,
    **tagging.OPERATIONS,
    **association.OPERATIONS,
    **task_operations.OPERATIONS,
    **configuration.OPERATIONS,
    **drafts.OPERATIONS,
}
_ROUTES = rest.Routes(_OPERATIONS)
_SESSION = "vmware-api-session-id"  # header, and cookie below /rest
_BY_SESSION, _BY_PASSWORD = "com.vmware.vapi.std.security.session_id", "com.vmware.vapi.std.security.user_pass"
_JSON = "application/json"


def is_for(path: str) -> bool:
    """Whether a path belongs to this API."""
    return path.partition("?")[0] in ("/api", "/rest") or path.startswith(("/api/", "/api?", "/rest/"))


def operation_of(request: Request) -> str:
    """The service and operation of a request; empty where it names none."""
    if _is_rpc(request):
        try:
            params = json.loads(request.body)["params"]
            return f"{params['serviceId']}.{params['operationId']}"
        except (ValueError, KeyError, TypeError):
            return ""
    routed = _ROUTES.find(request)
    return routed.name if routed else ""


class VapiEndpoint:
    """Answers the Automation API of one vCenter; what clients write stays.

    Attributes:
        stored: tags and configurations in their current state; change them under the state's lock.
        sessions: of this API.

    Args:
        state: of the vCenter.
        sessions: an empty set of sessions for this API.
        privileges: returns those of the account at the time of a request.
    """

    def __init__(self, state: VCenterState, sessions: Sessions, privileges: Callable[[], frozenset[str]]) -> None:
        self._state = state
        self._privileges = privileges
        self._tasks = tasks.Tasks(state)
        self.sessions = sessions
        self.stored = Stored(tags.described(state), {})

    def answer(self, request: Request) -> Answer:
        """Answer a request that `is_for` this API."""
        with self._state.lock:
            self._state.settle()
            if request.fault("session"):
                self.sessions.expire()
            return self._answer_rpc(request) if _is_rpc(request) else self._answer_rest(request)

    def _answer_rpc(self, request: Request) -> Answer:
        try:
            sent = json.loads(request.body)
        except ValueError:
            return _rpc_error(None, -32700, "Parse error.")
        if not isinstance(sent, dict) or sent.get("jsonrpc") != "2.0":
            return _rpc_error(None, -32600, "Invalid Request.")
        if sent.get("method") != "invoke":
            return _rpc_error(sent.get("id"), -32601, "Method not found.")
        try:
            params = sent["params"]
            name, arguments = f"{params['serviceId']}.{params['operationId']}", decoded(params["input"])
            security = (params.get("ctx") or {}).get("securityCtx") or {}
        except (KeyError, TypeError, AttributeError, NotAValueError):
            return _rpc_error(sent.get("id"), -32602, "Invalid params.")
        try:
            result = {"output": encoded(self._run(request, name, arguments, _key_in(security), _password_in(security)))}
        except VapiError as error:
            result = {"error": encoded(error.value)}
        return _rpc({"jsonrpc": "2.0", "id": sent.get("id"), "result": result})

    def _answer_rest(self, request: Request) -> Answer:
        routed = _ROUTES.find(request)
        legacy = request.path.startswith("/rest")
        try:
            if routed is None:
                raise _no_operation(request.path)
            arguments = _ROUTES.arguments(routed, request.body)
            result = self._run(request, routed.name, arguments, _session_key(request.headers), _basic(request.headers))
        except VapiError as error:
            return rest.trouble(error, legacy=legacy)
        answer = rest.answer(result, routed, _OPERATIONS[routed.name].status)
        if isinstance(result, Secret) and legacy and "vmware-use-header-authn" not in request.headers:
            answer = replace(answer, headers=(("Set-Cookie", f"{_SESSION}={result.text}; Path=/rest; Secure; HttpOnly"),))
        return answer

    def _run(self, request: Request, name: str, arguments: Any, key: str, credentials: tuple[str, str] | None) -> Any:
        operation = _OPERATIONS.get(name)
        if operation is None:
            raise _no_operation(name)
        session = self.sessions.named(key)
        if session is None and not operation.without_session:
            raise unauthenticated()
        given = Arguments(arguments if isinstance(arguments, dict) else {})
        if operation.privilege not in self._privileges() - {fault.privilege for fault in request.faults if fault.kind == "permission"}:
            raise unauthorized(operation.privilege, str(given.fields.get(operation.resource, name.rpartition(".")[0])))
        call = Call(self._state, self.stored, self._tasks, self.sessions, given, session, credentials)
        with self._state.events.acting_as(call.user):
            return self._faulty_call(request, operation, call)

    def _faulty_call(self, request: Request, operation: Operation, call: Call) -> Any:
        """Run an operation with the faults that apply: a deaf write changes nothing, half of a half write is carried out and it fails."""
        half, deaf = request.fault("half"), request.fault("deaf")
        before = (copy.deepcopy(self.stored), self._state.profiles) if deaf else None
        self._tasks.stuck, self._tasks.deaf = request.fault("stuck") is not None, deaf is not None
        try:
            result = operation.run(replace(call, arguments=Arguments(_half(call.arguments.fields))) if half else call)
        finally:
            self._tasks.stuck = self._tasks.deaf = False
            if before:
                self.stored, self._state.profiles = before
        if half:
            raise VapiError("internal_server_error", [message("lab.half", "An injected fault stopped this half way.")])
        return result


def _half(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The first half of each list with several elements."""
    return {name: one[: len(one) // 2] if isinstance(one, list) and len(one) > 1 else one for name, one in fields.items()}


def _is_rpc(request: Request) -> bool:
    return request.method == "POST" and request.path.partition("?")[0] in ("/api", "/api/")


def _key_in(security: Mapping[str, Any]) -> str:
    return str(security.get("sessionId", "")) if security.get("schemeId") == _BY_SESSION else ""


def _password_in(security: Mapping[str, Any]) -> tuple[str, str] | None:
    if security.get("schemeId") != _BY_PASSWORD:
        return None
    return str(security.get("userName", "")), str(security.get("password", ""))


def _session_key(headers: Mapping[str, str]) -> str:
    cookies = dict(part.strip().partition("=")[::2] for part in headers.get("cookie", "").split(";"))
    return headers.get(_SESSION) or cookies.get(_SESSION, "").strip('"')


def _basic(headers: Mapping[str, str]) -> tuple[str, str] | None:
    """User name and password of Basic authentication; None without it, or when it is malformed."""
    scheme, _, encoded = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        name, colon, password = base64.b64decode(encoded, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return (name, password) if colon else None


def _no_operation(name: str) -> VapiError:
    return VapiError("operation_not_found", [message("vapi.method.input.invalid.method", "Invalid method %s", name)])


def _rpc_error(key: Any, code: int, text: str) -> Answer:
    return _rpc({"jsonrpc": "2.0", "id": key, "error": {"code": code, "message": text}})


def _rpc(document: Mapping[str, Any]) -> Answer:
    return Answer(json.dumps(document, separators=(",", ":")).encode(), _JSON)
