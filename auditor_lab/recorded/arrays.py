"""Recorded arrays that are reached by HTTPS: Element, Dell Storage Center, FlashArray, ONTAP, Dot Hill, Nimble."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from auditor.model import EndpointKind
from auditor_lab.recorded.counters import TABLES, GrowingCounters
from auditor_lab.wire import Answer

if TYPE_CHECKING:
    from auditor_lab.recorded.matching import Replay
    from auditor_lab.wire import Request

_JSON = "application/json"
_ABSENT, _READ_ONLY = "not in this recording", "a recording is read-only"


class RecordedArray:
    """Answers requests from what was recorded; every write is refused as the array refuses what an account may not do."""

    def __init__(self, kind: EndpointKind, replay: Replay) -> None:
        self._kind = kind
        self._replay = replay
        self._counters = GrowingCounters()

    def operation(self, request: Request) -> str:
        """The name of what a request asks."""
        method = _rpc(request).get("method") if self._kind is EndpointKind.ELEMENT else None
        return str(method or f"{request.method} {request.path.partition('?')[0]}")

    def answer(self, request: Request) -> Answer:
        """The answer to a request."""
        if self._kind is EndpointKind.DOTHILL and request.path.startswith(("/api/login", "/api/exit")):
            return _of_dothill("recording", 1)  # a login's path holds a hash of whose password it was
        recorded = self._replay.answer(request.method, request.path, request.body)
        if recorded is None:
            return self._refusal(request)
        if TABLES in request.path and recorded.status == 200:
            every = self._replay.every(request.method, request.path, request.body)
            return Answer(self._counters.answer(request.path, every), _JSON)
        headers = tuple((name.title(), value) for name, value in recorded.headers.items() if name not in ("content-type", "date"))
        if request.path.endswith("/login"):
            headers = (*headers, ("x-auth-token", "recording"))
        body = recorded.answer
        if self._kind is EndpointKind.ELEMENT and body.startswith(b"{"):
            body = json.dumps({**json.loads(body), "id": _rpc(request).get("id")}).encode()
        return Answer(body, recorded.headers.get("content-type", _JSON), recorded.status, headers)

    def _refusal(self, request: Request) -> Answer:
        if self._kind is EndpointKind.ELEMENT:
            method = str(_rpc(request).get("method"))
            reads = method.startswith(("Get", "List"))
            name = "xNotInRecording" if reads else "xPermissionDenied"
            error = {"code": 500, "name": name, "message": _ABSENT if reads else _READ_ONLY}
            return _answer({"id": _rpc(request).get("id"), "error": error}, 200)
        reads = request.method == "GET" or (self._kind is EndpointKind.DELL_SC and request.method == "POST")
        text, status = (_ABSENT, 404) if reads else (_READ_ONLY, 403)
        if request.path.endswith(("logout", "Logout")):
            return Answer(b"", _JSON, 204)
        if self._kind is EndpointKind.ONTAP:
            # 4 would say that there is no such thing; that it was not recorded says nothing of that.
            return _answer({"error": {"code": "2" if reads else "6", "message": text}}, 500 if reads else 403)
        if self._kind is EndpointKind.DOTHILL:
            return _of_dothill(text, -1)
        if self._kind is EndpointKind.NIMBLE:
            return _answer({"messages": [{"code": "SM_eperm", "severity": "error", "text": text}]}, 500 if reads else status)
        if self._kind is EndpointKind.FLASHARRAY:
            return _answer({"errors": [{"message": text}]}, 500 if reads else status)
        return _answer({"result": text}, 400 if reads else status)


def _of_dothill(text: str, code: int) -> Answer:
    """How a command of a Dot Hill array ended; a login has return code 1, and an error is below 0."""
    is_error = code < 0
    kind = "Error" if is_error else "Success"
    return _answer(
        {"status": [{"response-type": kind, "response-type-numeric": int(is_error), "response": text, "return-code": code}]}, 200
    )


def _answer(value: Any, status: int) -> Answer:
    return Answer(json.dumps(value).encode(), _JSON, status)


def _rpc(request: Request) -> dict[str, Any]:
    try:
        value = json.loads(request.body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
