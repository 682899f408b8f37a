"""The lab's PowerStore endpoint: its REST API over HTTPS."""

from __future__ import annotations

import base64
import copy
import hmac
import json
import re
import secrets
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import parse_qsl

from auditor_lab.arrays.powerstore.query import PowerStoreError, listed, selected
from auditor_lab.arrays.powerstore.records import ROLES, Cluster
from auditor_lab.wire import Answer, Request, WireServer

if TYPE_CHECKING:
    import ssl
    from collections.abc import Mapping

    from auditor_lab.arrays.powerstore.description import PowerStoreDescription

Alteration: TypeAlias = Callable[[Any], Any]

_PATH = re.compile(r"/api/rest/([a-z_]+)(?:/([^/]+))?/?$")
_COOKIE = re.compile(r"auth_cookie=([^;]+)")
_RANGE = re.compile(r"(\d+)-(\d+)$")
_TOKEN = "dell-emc-token"  # noqa: S105  the header's name


class PowerStoreServer(WireServer):
    """Serves one cluster at one address, until `stop`.

    Args:
        description: what the cluster holds at the start.
        tls_context: the server's certificate.
        username: of its only account.
        password: only compared, never sent.

    Attributes:
        alterations: by operation ("GET volume"), a function that changes the value of an answer before it is sent.
        ignored_writes: whether a write is answered as done but changes nothing.
        expired_status: what a session that is over is answered with; which of 401 and 403 an array sends is not verified.
    """

    def __init__(self, description: PowerStoreDescription, tls_context: ssl.SSLContext, username: str, password: str) -> None:
        self.state = Cluster(description)
        self.alterations: dict[str, Alteration] = {}
        self.ignored_writes = False
        self.expired_status = 401
        self._basic = "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()
        self._username = username
        self._sessions: dict[str, str] = {}  # cookie -> token
        self._lock = threading.Lock()
        super().__init__(self._answer, _operation, tls_context)

    def expire_sessions(self) -> None:
        """End every session at once."""
        with self._lock:
            self._sessions.clear()

    def _answer(self, request: Request) -> Answer:
        path, _, query = request.path.partition("?")
        try:
            match = _PATH.match(path)
            with self._lock:
                return self._do(request, match[1] if match else "", match and match[2], dict(parse_qsl(query, keep_blank_values=True)))
        except PowerStoreError as error:
            message = {"code": error.code, "severity": "Error", "message_l10n": error.message, "arguments": []}
            return _reply({"messages": [message]}, error.status)

    def _do(self, request: Request, resource: str, entry_id: str | None, query: Mapping[str, str]) -> Answer:
        cookie = self._session(request)
        if resource == "login_session":
            return self._logged_in(cookie, query)
        if resource == "logout":
            self._sessions.pop(cookie or "", None)
            return Answer(b"", "application/json", 204)
        if (resource, entry_id, request.method) == ("metrics", "generate", "POST"):
            return _reply(self._altered(request, self._metrics(request)))
        records = self.state.records(resource)
        if records is None:
            raise PowerStoreError(f"Unknown resource {resource}.", 404)
        if request.method == "PATCH":
            return self._write(request, resource, entry_id)
        if request.method != "GET":
            raise PowerStoreError(f"The lab does not {request.method} {resource}.", 405)
        if entry_id is not None:
            return _reply(self._altered(request, selected(_one(records, entry_id, resource), query.get("select", "id"))))
        match = _RANGE.search(request.headers.get("range", ""))
        shown, part = listed(records, query, (int(match[1]), int(match[2])) if match else None, self.state.description.page)
        return _reply(self._altered(request, shown), 206 if part else 200, (("content-range", part),) if part else ())

    def _session(self, request: Request) -> str | None:
        """The cookie of the request's session; None where it shows the password instead."""
        if hmac.compare_digest(request.headers.get("authorization", "").encode(), self._basic.encode()):
            return None
        cookie = _COOKIE.search(request.headers.get("cookie", ""))
        token = self._sessions.get(cookie[1]) if cookie else None
        if cookie is None or token is None or "authorization" in request.headers:
            raise PowerStoreError("Access forbidden: authentication required.", self.expired_status if cookie else 401)
        if request.method != "GET" and not hmac.compare_digest(request.headers.get(_TOKEN, "").encode(), token.encode()):
            raise PowerStoreError("The token of the session is missing.", 403)
        return cookie[1]

    def _logged_in(self, cookie: str | None, query: Mapping[str, str]) -> Answer:
        if cookie is None:
            cookie = secrets.token_urlsafe(24)
            self._sessions[cookie] = secrets.token_urlsafe(24)
        role = str(ROLES.index(self.state.description.role) + 1)
        session = {
            "id": cookie[:8],
            "user": self._username,
            "role_ids": [role],
            "idle_timeout": 3600,
            "is_password_change_required": False,
            "is_built_in_user": False,
        }
        headers = (("DELL-EMC-TOKEN", self._sessions[cookie]), ("Set-Cookie", f"auth_cookie={cookie}; Path=/; Secure; HttpOnly"))
        return _reply([selected(session, query.get("select", "id"))], headers=headers)

    def _metrics(self, request: Request) -> Any:
        body = _body(request)
        if body.get("entity") != "performance_metrics_by_volume":
            raise PowerStoreError("The lab has metrics of volumes alone.")
        found = self.state.samples(str(body.get("entity_id")), str(body.get("interval")), time.time())
        if found is None:
            raise PowerStoreError("Could not find the volume.", 404)
        return found

    def _write(self, request: Request, resource: str, entry_id: str | None) -> Answer:
        """PATCH of the QoS policy of a volume or volume group; "" and null take it away."""
        if self.state.description.role == "Operator":
            raise PowerStoreError("Not allowed: authorization failure.", 403)
        held = {"volume": "volume_policies", "volume_group": "group_policies"}.get(resource)
        body = _body(request)
        if held is None or set(body) != {"qos_performance_policy_id"}:
            raise PowerStoreError(f"The lab does not write this of {resource}.")
        name = _one(self.state.records(resource) or [], entry_id or "", resource)["name"]
        wanted = body["qos_performance_policy_id"] or None
        names = {self.state.policy_id(one.name): one.name for one in self.state.description.qos_policies}
        if wanted is not None and wanted not in names:
            raise PowerStoreError("Could not find the QoS policy.", 422)
        state = copy.deepcopy(self.state) if self.ignored_writes else self.state
        getattr(state, held)[name] = names.get(wanted)
        return Answer(b"", "application/json", 204)

    def _altered(self, request: Request, value: Any) -> Any:
        change = self.alterations.get(_operation(request))
        return value if change is None else change(value)


def _one(records: list[dict[str, Any]], entry_id: str, resource: str) -> dict[str, Any]:
    found = next((one for one in records if entry_id in (one["id"], f"name:{one.get('name')}")), None)
    if found is None:
        raise PowerStoreError(f"Could not find the {resource} with ID: {entry_id}", 404, "0xE0A08001000E")
    return found


def _body(request: Request) -> dict[str, Any]:
    try:
        body = json.loads(request.body)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise PowerStoreError("The request body is no JSON object.")
    return body


def _reply(body: Any, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    return Answer(json.dumps(body).encode(), "application/json", status, headers)


def _operation(request: Request) -> str:
    path = request.path.partition("?")[0].removeprefix("/api/rest/")
    match = _PATH.match(f"/api/rest/{path}")
    return f"{request.method} {path if match is None or path == 'metrics/generate' else match[1]}"
