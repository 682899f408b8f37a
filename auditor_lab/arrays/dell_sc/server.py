"""The lab's Storage Manager endpoint: REST over HTTPS, with basic authentication at the login and then a session cookie."""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import math
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.dell_sc import calls, surroundings
from auditor_lab.arrays.dell_sc.center import Center, DellScError
from auditor_lab.arrays.dell_sc.manager import api_connection, async_task
from auditor_lab.wire import Answer, Request, WireServer

if TYPE_CHECKING:
    import ssl
    from datetime import datetime

    from auditor_lab.arrays.dell_sc.description import DellScDescription

_ROOT = "/api/rest/"
_COOKIE = "JSESSIONID"  # of Java servers; the real name is not verified, and a client that stores cookies need not know it


@dataclass(slots=True)
class Task:
    """An asynchronous call; `answer` is set once it has taken effect."""

    call: calls.Call
    run: Callable[[], Any]
    due: float
    started: datetime
    answer: Answer | None = None


class DellScServer(WireServer):
    """Serves one Storage Center and its Storage Manager at one address, until `stop`.

    Args:
        description: what it holds at the start.
        tls_context: the server's certificate.
        username: its only account.
        password: of the account; only compared, never sent.
        session_seconds: after this time without a request a session ends; the real time is not verified.
        clock: returns seconds, for sessions and tasks.

    Attributes:
        center: the state; of the first one where the manager has several Storage Centers.
        centers: all of them, including the first.
        task_seconds: how long asynchronous calls take from now on; None means for ever.
        ignored: operations ("PUT ScVolumeConfiguration") that are answered with the unchanged object and have no effect.
        alterations: by operation ("ScVolume/GetList"), a function that changes a result before it is sent. With it a test sends answers
            that a real manager may give and the lab does not.
    """

    def __init__(
        self,
        description: DellScDescription,
        tls_context: ssl.SSLContext,
        username: str,
        password: str,
        *,
        session_seconds: float = 1800.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.centers = [Center(one) for one in (description, *description.also)]
        self.center = self.centers[0]
        self.task_seconds = description.task_seconds
        self.ignored: set[str] = set()
        self.alterations: dict[str, Callable[[Any], Any]] = {}
        self._username = username
        self._expected = f"{username}:{password}".encode()
        self._session_seconds = session_seconds
        self._clock = clock
        self._sessions: dict[str, float] = {}  # time of the last request, by cookie
        self._tasks: dict[str, Task] = {}
        self._lock = threading.Lock()
        super().__init__(self._answer, _operation, tls_context)

    def forget_sessions(self) -> None:
        """End every session, as a restart of the Storage Manager does."""
        with self._lock:
            self._sessions.clear()

    def _answer(self, request: Request) -> Answer:
        path, _, _ = request.path.partition("?")
        if not path.startswith(_ROOT):
            return _reply({"result": "Not found"}, 404)
        try:
            with self._lock:
                self._settle()
                return self._asked(request, _parts(path))
        except DellScError as error:
            return _error(error)

    def _asked(self, request: Request, parts: list[str]) -> Answer:
        self._check_version(request.headers.get("x-dell-api-version", ""))
        if parts == ["ApiConnection", "Login"] and request.method == "POST":
            return self._log_in(request.headers.get("authorization", ""))
        session = self._session(request.headers.get("cookie", ""))
        if parts[0] == "ApiConnection":
            return self._of_connection(request.method, parts[1:], session)
        if parts[0] != "StorageCenter" or len(parts) < 2:
            raise DellScError(404, "Not found")
        call = calls.parse_call(request.method, parts[1:], _payload(request.body))
        run = calls.find_among(self.centers, call)
        if call.operation in self.ignored:
            run = calls.find_among(self.centers, calls.Call("GET", call.kind, call.instance, "", None))
        if request.headers.get("async", "").lower() == "true":
            return self._begin(call, run)
        result = run()
        return _reply(self.alterations[call.operation](result) if call.operation in self.alterations else result)

    def _check_version(self, version: str) -> None:
        described = self.center.description
        oldest, newest = described.min_api_version, described.api_version
        if not _version(oldest) <= _version(version) <= _version(newest):
            # cinder's client parses the oldest version from this text.
            raise DellScError(400, f"Invalid API version specified, the version must be in the range [{oldest}, {newest}]")

    def _log_in(self, authorization: str) -> Answer:
        scheme, _, encoded = authorization.partition(" ")
        try:
            credentials = base64.b64decode(encoded, validate=True)
        except binascii.Error:
            credentials = b""
        if scheme.lower() != "basic" or not hmac.compare_digest(credentials, self._expected):
            raise DellScError(401, "Login failed")
        cookie = secrets.token_hex(16)
        self._sessions[cookie] = self._clock()
        headers = (("Set-Cookie", f"{_COOKIE}={cookie}; Path=/; Secure; HttpOnly"),)
        return _reply(api_connection(self.center, self._username), headers=headers)

    def _session(self, header: str) -> str:
        try:
            cookie = SimpleCookie(header).get(_COOKIE)
        except CookieError:
            cookie = None
        known = "" if cookie is None else cookie.value
        last, now = self._sessions.get(known, -math.inf), self._clock()
        if now - last > self._session_seconds:
            self._sessions.pop(known, None)
            raise DellScError(401, "There is no session")
        self._sessions[known] = now
        return known

    def _of_connection(self, method: str, parts: list[str], session: str) -> Answer:
        match (method, parts):
            case ("POST", ["Logout"]):
                del self._sessions[session]
                return Answer(b"", "application/json", 204)
            case ("GET", ["ApiConnection"] | ["ApiConnection", "0"]):
                return _reply(api_connection(self.center, self._username))
            case ("GET", ["ApiConnection", "0", "StorageCenterList"]):
                return _reply([surroundings.storage_center(center) for center in self.centers])
            case ("GET", ["AsyncTask", number]) if number in self._tasks:
                task = self._tasks[number]
                return task.answer or _reply(async_task(number, task.call, task.started))
        raise DellScError(404, "Not found")

    def _begin(self, call: calls.Call, run: Callable[[], Any]) -> Answer:
        number = str(1418394170395 + len(self._tasks))  # as long as a recorded one
        due = math.inf if self.task_seconds is None else self._clock() + self.task_seconds
        task = self._tasks[number] = Task(call, run, due, self.center.now())
        return _reply(async_task(number, call, task.started), 202)

    def _settle(self) -> None:
        """Let every task that is due take effect, the earliest first; called before any answer."""
        now = self._clock()
        for task in sorted(self._tasks.values(), key=lambda one: one.due):
            if task.answer is None and task.due <= now:
                try:
                    task.answer = _reply(task.run())
                except DellScError as error:
                    task.answer = _error(error)


def _version(text: str) -> tuple[int, ...]:
    """A version such as "2.10" for comparison; an invalid one is empty, and so lower than any other."""
    parts = text.strip().split(".")
    return tuple(int(part) for part in parts) if all(part.isdecimal() for part in parts) else ()


def _parts(path: str) -> list[str]:
    return path.removeprefix(_ROOT).strip("/").split("/")


def _payload(body: bytes) -> Any:
    if not body.strip():
        return None
    try:
        return json.loads(body)
    except ValueError as error:
        raise DellScError(400, "The payload is not JSON") from error


def _reply(content: Any, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    return Answer(json.dumps(content).encode(), "application/json; charset=utf-8", status, headers)


def _error(error: DellScError) -> Answer:
    return _reply({"result": error.message}, error.status)


def _operation(request: Request) -> str:
    parts = _parts(request.path.partition("?")[0])
    if parts[0] == "StorageCenter" and len(parts) > 1:
        return calls.parse_call(request.method, parts[1:], None).operation
    return "/".join(part for part in parts[1:] if not part.isdecimal())
