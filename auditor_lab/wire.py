"""HTTP over TLS for the lab's endpoints, with faults of the connection on demand.

One server is one endpoint. The function `answer` decides what it answers; this module decides what the network does to the answer.
"""

from __future__ import annotations

import gzip
import selectors
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from auditor_lab.faults import Fault, Faults

__all__ = ["Answer", "Fault", "Faults", "Request", "WireServer"]


@dataclass(frozen=True, slots=True)
class Request:
    """One request to an endpoint of the lab."""

    method: str  # "GET", "POST" ...
    path: str  # with the query
    headers: Mapping[str, str]  # names in lower case
    body: bytes
    faults: tuple[Fault, ...] = ()  # the faults that apply to it; an endpoint ignores those of the connection

    def fault(self, kind: str) -> Fault | None:
        """The fault of this kind that applies to the request; the last of several."""
        return next((one for one in reversed(self.faults) if one.kind == kind), None)


@dataclass(frozen=True, slots=True)
class Answer:
    """One response."""

    body: bytes
    content_type: str
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


class WireServer:
    """Serves one endpoint over TLS on loopback from a thread of its own, until `stop`.

    Attributes:
        requests: the operations in the order they arrived, for tests and benchmarks.
        most_in_flight: the largest number of requests served at the same time; may be reset to 0.
        stopping: set when the server stops; code that waits within a request checks it.

    Args:
        answer: returns the response to a request; called from many threads at once.
        operation: returns the name of a request's operation, which faults are selected by.
        tls: the server's certificate.
        host: a loopback address.
        port: 0 for any free one.
    """

    def __init__(
        self,
        answer: Callable[[Request], Answer],
        operation: Callable[[Request], str],
        tls: ssl.SSLContext,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.answer = answer
        self.operation = operation
        self.faults = Faults()
        self.requests: list[str] = []
        self.most_in_flight = 0
        self._in_flight = 0
        self._counting = threading.Lock()
        self.stopping = threading.Event()
        self._server = _Server((host, port), type("Handler", (_Handler,), {"wire": self}), tls)
        self.host = host
        self.port: int = self._server.server_address[1]
        self._running, ended = socket.socketpair()
        self._thread = threading.Thread(target=self._server.serve_until, args=(ended,), daemon=True)
        self._thread.start()

    @contextmanager
    def in_flight(self) -> Iterator[None]:
        """Count a request as being served until the block ends."""
        with self._counting:
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            yield
        finally:
            with self._counting:
                self._in_flight -= 1

    def stop(self) -> None:
        """Stop serving, and close every open connection."""
        self.stopping.set()
        self._running.close()
        self._thread.join()
        self._server.server_close()
        self._server.hang_up()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], tls: ssl.SSLContext) -> None:
        super().__init__(address, handler)
        self._tls = tls
        self._connections: set[socket.socket] = set()
        self._changed = threading.Condition()

    def serve_until(self, ended: socket.socket) -> None:
        """Serve until the other end of `ended` is closed; unlike serve_forever, which looks twice a second, it notices that at once."""
        with ended, selectors.DefaultSelector() as selector:
            selector.register(self, selectors.EVENT_READ)
            selector.register(ended, selectors.EVENT_READ)
            while all(key.fileobj is not ended for key, _ in selector.select()):
                self.handle_request()

    def get_request(self) -> tuple[socket.socket, Any]:
        # The handshake happens in the connection's own thread, so that one client that stalls does not stop the others.
        connection, address = super().get_request()
        return self._tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        with self._changed:
            self._connections.add(request)
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._changed:
                self._connections.discard(request)
                self._changed.notify_all()

    def hang_up(self, timeout_seconds: float = 5.0) -> None:
        """Close every open connection and wait until their threads have finished."""
        with self._changed:
            for connection in self._connections:
                with suppress(OSError):  # it has just ended by itself
                    # Below TLS: an SSLSocket's own shutdown would remove the TLS layer while its thread still reads.
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)
            self._changed.wait_for(lambda: not self._connections, timeout_seconds)

    def handle_error(self, request: Any, client_address: Any) -> None:
        # Clients that disconnect or refuse the lab's certificate are expected.
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Serves one connection; `wire` is set by the subclass that each WireServer creates."""

    wire: ClassVar[WireServer]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65536
    timeout = 300
    _ahead_seconds = 0.0

    def date_time_string(self, timestamp: float | None = None) -> str:
        """The Date header; a skew fault moves its clock."""
        return super().date_time_string((time.time() if timestamp is None else timestamp) + self._ahead_seconds)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name is the base class's
        """Log nothing."""

    def _serve(self) -> None:
        with self.wire.in_flight():
            self._serve_one()

    def _serve_one(self) -> None:
        request = Request(self.command, self.path, {name.lower(): value for name, value in self.headers.items()}, self._body())
        name = self.wire.operation(request)
        self.wire.requests.append(name)
        request = replace(request, faults=tuple(self.wire.faults.take(name, request.path.encode() + request.body)))
        faults = {fault.kind: fault for fault in request.faults}
        self._ahead_seconds = faults["skew"].seconds if "skew" in faults else 0.0
        if "latency" in faults:
            self.wire.stopping.wait(faults["latency"].seconds)
        if "drop" in faults:
            self.close_connection = True
        elif "status" in faults:
            self._send(_error_page(faults["status"].status))
        elif "dribble" in faults:
            self._dribble(faults["dribble"].seconds)
        elif "garbage" in faults:
            self._send(Answer(b"<html>\x00 not a valid answer", "text/html"))
        else:
            reply = self.wire.answer(request)
            if "lose" in faults:
                self.close_connection = True
            else:
                self._send(reply, truncate="truncate" in faults, pause=faults["slow"].seconds if "slow" in faults else 0.0)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815  the base class's names

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":  # Go clients send chunks
            pieces = []
            while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(pieces)
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _dribble(self, pause: float) -> None:
        """Send a header that has no end, until the client or the server leaves off."""
        self.close_connection = True
        # Past the buffer of answers: what is left in there when the client has gone would be sent once more at the end, in vain.
        self.connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX-Slow: ")
        while not self.wire.stopping.wait(pause):
            self.connection.sendall(b"a")

    def _send(self, reply: Answer, *, truncate: bool = False, pause: float = 0.0) -> None:
        body = reply.body
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        for name, value in reply.headers:
            self.send_header(name, value)
        if len(body) > 1024 and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body, 1)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if truncate:
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
        elif pause:
            for start in range(0, len(body), 512):
                self.wfile.write(body[start : start + 512])
                self.wfile.flush()
                self.wire.stopping.wait(pause)
        else:
            self.wfile.write(body)


def _error_page(status: int) -> Answer:
    headers = (("Retry-After", "1"),) if status in (429, 503) else ()
    return Answer(b"<html><body>the lab fails here on request</body></html>", "text/html", status, headers)
