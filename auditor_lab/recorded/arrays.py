"""Recorded arrays that are reached by HTTPS. What is particular to a kind stands in its class; other kinds need none."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from auditor.model import EndpointKind
from auditor_lab.recorded.counters import TABLES, GrowingCounters
from auditor_lab.wire import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.model import Exchange
    from auditor_lab.recorded.matching import Replay
    from auditor_lab.wire import Request

_JSON = "application/json"
_ABSENT, _READ_ONLY = "not in this recording", "a recording is read-only"


class RecordedArray:
    """Answers requests from what was recorded; every write is refused as the array refuses what an account may not do."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay

    def operation(self, request: Request) -> str:
        """The name of what a request asks."""
        return f"{request.method} {request.path.partition('?')[0]}"

    def answer(self, request: Request) -> Answer:
        """The answer to a request."""
        recorded = self._replay.answer(request.method, request.path, request.body)
        if recorded is not None:
            return self._recorded_answer(request, recorded)
        if request.path.endswith(("logout", "Logout")):
            return Answer(b"", _JSON, 204)
        reads = self._reads(request)
        return self._refusal(request, _ABSENT if reads else _READ_ONLY, reads=reads)

    def _recorded_answer(self, request: Request, recorded: Exchange) -> Answer:
        headers = tuple((name.title(), value) for name, value in recorded.headers.items() if name not in ("content-type", "date"))
        if request.path.endswith("/login"):
            headers = (*headers, ("x-auth-token", "recording"))
        return Answer(recorded.answer, recorded.headers.get("content-type", _JSON), recorded.status, headers)

    def _reads(self, request: Request) -> bool:
        return request.method == "GET"

    def _refusal(self, _request: Request, text: str, *, reads: bool) -> Answer:
        """What is answered to a read that was not recorded (`reads`), or to a write."""
        return _answer({"result": text}, 400 if reads else 403)


class _DellSc(RecordedArray):
    def _reads(self, request: Request) -> bool:
        return request.method in ("GET", "POST")  # lists are asked for by POST


class _DotHill(RecordedArray):
    def answer(self, request: Request) -> Answer:
        if request.path.startswith(("/api/login", "/api/exit")):
            return self._status("recording", 1)  # a login's path holds a hash of whose password it was
        return super().answer(request)

    def _refusal(self, _request: Request, text: str, *, reads: bool) -> Answer:  # noqa: ARG002  both are errors of a command
        return self._status(text, -1)

    def _status(self, text: str, code: int) -> Answer:
        """How a command ended; a login has return code 1, and an error is below 0."""
        is_error = code < 0
        kind = "Error" if is_error else "Success"
        return _answer(
            {"status": [{"response-type": kind, "response-type-numeric": int(is_error), "response": text, "return-code": code}]}, 200
        )


class _Element(RecordedArray):
    def operation(self, request: Request) -> str:
        return str(_rpc(request).get("method") or super().operation(request))

    def _recorded_answer(self, request: Request, recorded: Exchange) -> Answer:
        answer = super()._recorded_answer(request, recorded)
        if not answer.body.startswith(b"{"):
            return answer
        body = json.dumps({**json.loads(answer.body), "id": _rpc(request).get("id")}).encode()
        return Answer(body, answer.content_type, answer.status, answer.headers)

    def _reads(self, request: Request) -> bool:
        return str(_rpc(request).get("method")).startswith(("Get", "List"))

    def _refusal(self, request: Request, text: str, *, reads: bool) -> Answer:
        error = {"code": 500, "name": "xNotInRecording" if reads else "xPermissionDenied", "message": text}
        return _answer({"id": _rpc(request).get("id"), "error": error}, 200)


class _FlashArray(RecordedArray):
    def _refusal(self, _request: Request, text: str, *, reads: bool) -> Answer:
        return _answer({"errors": [{"message": text}]}, 500 if reads else 403)


class _Nimble(RecordedArray):
    def _refusal(self, _request: Request, text: str, *, reads: bool) -> Answer:
        return _answer({"messages": [{"code": "SM_eperm", "severity": "error", "text": text}]}, 500 if reads else 403)


class _Ontap(RecordedArray):
    def __init__(self, replay: Replay) -> None:
        super().__init__(replay)
        self._counters = GrowingCounters()

    def _recorded_answer(self, request: Request, recorded: Exchange) -> Answer:
        if TABLES not in request.path or recorded.status != 200:
            return super()._recorded_answer(request, recorded)
        every = self._replay.every(request.method, request.path, request.body)
        return Answer(self._counters.answer(request.path, every), _JSON)

    def _refusal(self, _request: Request, text: str, *, reads: bool) -> Answer:
        # 4 would say that there is no such thing; that it was not recorded says nothing of that.
        return _answer({"error": {"code": "2" if reads else "6", "message": text}}, 500 if reads else 403)


OF_KIND: Final[Mapping[EndpointKind, type[RecordedArray]]] = MappingProxyType(
    {
        EndpointKind.DELL_SC: _DellSc,
        EndpointKind.DOTHILL: _DotHill,
        EndpointKind.ELEMENT: _Element,
        EndpointKind.FLASHARRAY: _FlashArray,
        EndpointKind.NIMBLE: _Nimble,
        EndpointKind.ONTAP: _Ontap,
    }
)
"""Kinds with answers of their own; every other one is a `RecordedArray`."""


def _answer(value: Any, status: int) -> Answer:
    return Answer(json.dumps(value).encode(), _JSON, status)


def _rpc(request: Request) -> dict[str, Any]:
    try:
        value = json.loads(request.body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
