"""Serves many vCenters, and the Element clusters behind them, from one recording: each answer is bytes made beforehand.

Run by `scale.py`, as a process of its own. Every endpoint listens on a port of its own and shares the bytes with all others; what makes
it another one is put in as they are sent (`recording_once.py`). What was not asked in the recording in the same words (a page of other
hosts) is put together from what was recorded of each object, and counted as `composed`; what was not recorded at all is refused, and
counted as `unheard`.

It prints one JSON line when it serves; every line it reads asks for what it did since the last: processor seconds, requests, bytes.
"""

from __future__ import annotations

import argparse
import json
import re
import ssl
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measuring import peak_mib
from recording_once import TOKEN, WWN, load, with_word, wwn_of
from replaying import Handler, Server

from auditor.model import EndpointKind
from auditor_lab.authority import Authority
from auditor_lab.recorded.matching import Replay, soap_operation
from auditor_lab.recorded.serving import recorded_endpoint
from auditor_lab.serving import write_fleet_file
from auditor_lab.wire import Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from auditor.recording.bundle import RecordedExchange
    from auditor_lab.recorded.arrays import RecordedArray
    from auditor_lab.recorded.vcenter import RecordedVCenter
    from auditor_lab.wire import Answer

PASSWORD = "loopback"
_FIRST = 0xA000  # the word of the first vCenter: four digits for some twenty thousand of them
_HEADER = re.compile(rb"<(?:\w+:)?Header>.*?</(?:\w+:)?Header>", re.DOTALL)  # the key of a session
_MOMENT = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?")
Pieces = tuple[bytes, ...]
_OWN_HEADERS = ("content-length", "content-encoding", "server", "date")  # of each answer anew


class Shared:
    """What all endpoints of one kind answer: by the request's own bytes where they were recorded, else put together."""

    def __init__(self, kind: EndpointKind, exchanges: Sequence[RecordedExchange]) -> None:
        self.kind = kind
        self._exchanges = exchanges
        self._known: dict[tuple[str, str, bytes], tuple[Answer, Pieces]] = {}
        self._lock = threading.Lock()
        self.counted: Counter[str] = Counter()
        for one in exchanges if kind is EndpointKind.VCENTER else ():
            sent = one.exchange
            request = Request(sent.method, sent.path, {}, sent.request)
            answer = self._composing.answer(request)
            self._known.setdefault(_key(request), (answer, _pieces(answer.body)))

    @cached_property
    def _composing(self) -> RecordedVCenter | RecordedArray:
        return recorded_endpoint(self.kind, Replay(self._exchanges))

    def answer(self, request: Request) -> tuple[Answer, Pieces]:
        """The answer to a request in which the endpoint's word is TOKEN, and the pieces of its body; status 500: it was not recorded."""
        known = self._known.get(_key(request)) if self._known else None
        answer, pieces = known or self._composed(request)
        if b"CurrentTime>" in request.body or b"CurrentTime " in request.body:
            now = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
            pieces = _pieces(_MOMENT.sub(now.encode(), answer.body))
        with self._lock:
            self.counted["requests"] += 1
            self.counted["bytes"] += len(answer.body)
            self.counted["composed"] += known is None
            if answer.status >= 400 or b"not in this recording" in answer.body[:4096]:
                self.counted["unheard"] += 1
                print(f"not recorded: {request.method} {request.path} {soap_operation(request.body)}", file=sys.stderr)
        return answer, pieces

    def _composed(self, request: Request) -> tuple[Answer, Pieces]:
        answer = self._composing.answer(request)
        return answer, _pieces(answer.body)


def _pieces(body: bytes) -> Pieces:
    """A body, cut before and behind each WWN: every second piece is one."""
    return tuple(piece for piece in WWN.split(body) if piece is not None)


class Endpoint:
    """One endpoint: the shared answers under its own word, `pause_seconds` after each request."""

    def __init__(self, shared: Shared, word: bytes, pause_seconds: float) -> None:
        self._shared = shared
        self._word = word
        self._wwns: dict[bytes, bytes] = {}
        self._pause = pause_seconds

    def answer(self, request: Request) -> tuple[int, str, Iterable[tuple[str, str]], Sequence[bytes]]:
        """Status, content type, headers and the pieces of the body; see `replaying.Handler`."""
        if self._pause:
            time.sleep(self._pause)
        path = with_word(request.path.encode(), self._word, TOKEN).decode()
        answer, pieces = self._shared.answer(replace(request, path=path, body=with_word(request.body, self._word, TOKEN)))
        headers = [(name, value) for name, value in answer.headers if name.lower() not in _OWN_HEADERS]
        body = b"".join(self._wwn(piece) if place % 2 else piece for place, piece in enumerate(pieces))
        return answer.status, answer.content_type, headers, (with_word(body, TOKEN, self._word),)

    def _wwn(self, recorded: bytes) -> bytes:
        if recorded not in self._wwns:
            self._wwns[recorded] = wwn_of(self._word, recorded)
        return self._wwns[recorded]


def _key(request: Request) -> tuple[str, str, bytes]:
    """What two requests have in common that ask the same."""
    if request.path.endswith("/Login") or soap_operation(request.body) == "Login":
        return request.method, request.path, b"Login"
    return request.method, request.path, _MOMENT.sub(b"*", _HEADER.sub(b"", request.body))


class Listening:
    """A port on loopback; what `write_fleet_file` asks of a server."""

    host = "127.0.0.1"

    def __init__(self, endpoint: Endpoint, tls: ssl.SSLContext) -> None:
        server = Server((self.host, 0), type("Handler", (Handler,), {"replay": endpoint}))
        server.tls = tls
        self.port = server.server_port
        threading.Thread(target=server.serve_forever, daemon=True).start()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording", type=Path)
    parser.add_argument("fleet", type=Path, help="the fleet file to write, in a folder of its own")
    parser.add_argument("--first", type=int, default=0, help="number of the first vCenter, from 0")
    parser.add_argument("--vcenters", type=int, required=True)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    arguments = parser.parse_args()
    recorded = load(arguments.recording)
    shared = {kind: Shared(kind, exchanges) for kind, exchanges in recorded.exchanges.items()}
    authority = Authority()
    tls = authority.server_context(Listening.host, "localhost")
    served: list[tuple[EndpointKind, str, Any]] = []
    for number in range(arguments.first, arguments.first + arguments.vcenters):
        word = b"%04x" % (_FIRST + number)
        names = {EndpointKind.VCENTER: "vc", EndpointKind.ELEMENT: "sf"}
        for kind, one in shared.items():
            served.append((kind, f"{names[kind]}-{word.decode()}", Listening(Endpoint(one, word, arguments.latency), tls)))
    write_fleet_file(arguments.fleet, authority, PASSWORD, served, {})
    print(json.dumps({"endpoints": len(served)}), flush=True)
    began = time.process_time()
    for _ in sys.stdin:
        counted = sum((one.counted for one in shared.values()), Counter())
        print(json.dumps({"cpu_seconds": time.process_time() - began, "peak_mib": peak_mib(), **counted}), flush=True)
        began = time.process_time()
        for one in shared.values():
            one.counted.clear()
    return 0


if __name__ == "__main__":
    sys.exit(main())
