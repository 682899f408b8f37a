"""The lab's FlashArray endpoint: REST 2.x over HTTPS, with a login by API token."""

from __future__ import annotations

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

from auditor_lab.arrays.flasharray.array import ACCOUNT, FlashArray, FlashArrayError
from auditor_lab.arrays.flasharray.listing import changed, created, listed
from auditor_lab.arrays.flasharray.resources import RESOURCES
from auditor_lab.wire import Answer, Request, WireServer

if TYPE_CHECKING:
    import ssl
    from collections.abc import Mapping

    from auditor_lab.arrays.flasharray.description import FlashArrayDescription

Alteration: TypeAlias = Callable[[dict[str, Any]], Any]

_PATH = re.compile(r"/api/(2\.\d+)/([a-z/-]+?)/?$")
_TOKEN_HEADER = "x-auth-token"  # noqa: S105  the header's name


class FlashArrayServer(WireServer):
    """Serves one array at one address, until `stop`.

    Args:
        description: what the array holds at the start.
        tls_context: the server's certificate.
        api_token: of its only account; only compared, never sent.
        session_seconds: after this time without a request a session ends; None is the description's idle timeout.

    Attributes:
        alterations: by operation ("GET volumes"), a function that changes an answer before it is sent. With it a test sends answers that a
            real array may give and the lab does not; `faults` are for a network that misbehaves.
        ignored_writes: whether a write is answered as done but changes nothing.
    """

    def __init__(
        self,
        description: FlashArrayDescription,
        tls_context: ssl.SSLContext,
        api_token: str,
        *,
        session_seconds: float | None = None,
    ) -> None:
        self.array = FlashArray(description)
        self.alterations: dict[str, Alteration] = {}
        self.ignored_writes = False
        self._api_token = api_token
        self._seconds = description.idle_timeout_ms / 1000 if session_seconds is None else session_seconds
        self._sessions: dict[str, float] = {}  # token -> time.monotonic of its last request
        self._lock = threading.Lock()
        super().__init__(self._answer, _operation, tls_context)

    def expire_sessions(self) -> None:
        """End every session at once, as an array does when its controllers fail over."""
        with self._lock:
            self._sessions.clear()

    def _answer(self, request: Request) -> Answer:
        path, _, query = request.path.partition("?")
        try:
            if path.rstrip("/") == "/api/api_version" and request.method == "GET":  # clients read it before they log in
                return _reply({"version": list(self.array.description.api_versions)})
            name = self._name(path)
            with self._lock:
                return self._do(request, name, dict(parse_qsl(query, keep_blank_values=True)))
        except FlashArrayError as error:
            return _reply({"errors": [{"context": error.context, "message": error.message}]}, error.status)

    def _name(self, path: str) -> str:
        known = _PATH.match(path)
        if known is None or known[1] not in self.array.description.api_versions:
            raise FlashArrayError("Path not found.", path, 404)
        return known[2]

    def _do(self, request: Request, name: str, query: Mapping[str, str]) -> Answer:
        if (request.method, name) == ("POST", "login"):
            return self._login(request)
        token = self._session(request)
        if (request.method, name) == ("POST", "logout"):
            del self._sessions[token]
            return _reply({})
        resource = RESOURCES.get(name)
        if resource is None:
            raise FlashArrayError("Path not found.", name, 404)
        if request.method == "GET":
            answer = listed(self.array, name, resource, query)
        elif request.method in ("PATCH", "POST"):
            answer = self._write(request, name, query)
        else:
            raise FlashArrayError(f"The lab does not {request.method} {name}.", name, 404)
        answer = self.alterations.get(f"{request.method} {name}", dict)(answer)
        next_token = answer.get("continuation_token")
        return _reply(answer, headers=(("x-next-token", next_token),) if next_token else ())

    def _write(self, request: Request, name: str, query: Mapping[str, str]) -> dict[str, Any]:
        if self.array.description.role == "readonly":
            raise FlashArrayError("Operation not permitted.", status=403)  # the wording is not verified
        try:
            body = json.loads(request.body)
        except ValueError:
            body = None
        state = copy.deepcopy(self.array) if self.ignored_writes else self.array
        return (changed if request.method == "PATCH" else created)(state, RESOURCES[name], query, body)

    def _login(self, request: Request) -> Answer:
        if not hmac.compare_digest(request.headers.get("api-token", "").encode(), self._api_token.encode()):
            raise FlashArrayError("Invalid API token.", status=401)  # the wording is not verified
        token = secrets.token_urlsafe(24)
        self._sessions[token] = time.monotonic()
        return _reply({"items": [{"username": ACCOUNT}]}, headers=((_TOKEN_HEADER, token),))

    def _session(self, request: Request) -> str:
        token, now = request.headers.get(_TOKEN_HEADER, ""), time.monotonic()
        used = self._sessions.get(token)
        if used is None or now - used > self._seconds:
            self._sessions.pop(token, None)
            raise FlashArrayError("Invalid or expired session.", status=401)  # the wording is not verified
        self._sessions[token] = now
        return token


def _reply(body: Any, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    return Answer(json.dumps(body).encode(), "application/json", status, headers)


def _operation(request: Request) -> str:
    path = request.path.partition("?")[0]
    known = _PATH.match(path)
    return f"{request.method} {known[2] if known else path.removeprefix('/api/')}"
