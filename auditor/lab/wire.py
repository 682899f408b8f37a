"""HTTP over TLS for the lab's endpoints, with faults on demand.

One server is one endpoint. What it says is decided by `answer`; how badly the network behaves is decided here.
"""

from __future__ import annotations

import gzip
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True)
class Request:
    """One request as the lab's endpoints see it."""

    method: str  # "GET", "POST" ...
    path: str  # with the query
    headers: Mapping[str, str]  # names in lower case
    body: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back."""

    body: bytes
    content_type: str
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Fault:
    """One kind of trouble on the wire.

    Attributes:
        kind: latency (wait, then answer), status (answer `status` instead), drop (close without an answer), lose (answer nothing after the
            endpoint has done what was asked), truncate (declare the whole length, send half), slow (dribble), garbage (200 with nonsense).
        operation: only for this operation (SOAP method, JSON-RPC method); "" means every one.
        seconds: for latency, and for slow between two pieces.
        status: for status; 503 carries Retry-After.
        times: how often before it is over; None means always.
    """

    kind: str
    operation: str = ""
    seconds: float = 0.0
    status: int = 503
    times: int | None = None


@dataclass(slots=True)
class Faults:
    """The troubles of one server, to be changed while it serves."""

    active: list[Fault] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, operation: str) -> list[Fault]:
        """The faults that hit this request; counts them down."""
        hit = []
        with self._lock:
            for fault in self.active:
                if fault.operation not in ("", operation) or fault.times == 0:
                    continue
                if fault.times is not None:
                    fault.times -= 1
                hit.append(fault)
        return hit


class WireServer:
    """Serves one endpoint over TLS on loopback from a thread of its own, until `stop`.

    Args:
        answer: what the endpoint says; called from many threads at once.
        operation: names the operation a request is for, so that faults can pick it.
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
        self.faults = Faults()
        self.requests: list[str] = []  # operations in the order they arrived, for tests and benchmarks
        self._server = _Server((host, port), _handler(self, answer, operation), tls)
        self.host = host
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop serving and close the socket."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], tls: ssl.SSLContext) -> None:
        super().__init__(address, handler)
        self._tls = tls

    def get_request(self) -> tuple[socket.socket, Any]:
        # The handshake happens in the connection's own thread: one client that stalls must not stop the others.
        connection, address = super().get_request()
        return self._tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address

    def handle_error(self, request: Any, client_address: Any) -> None:
        # Clients that go away or refuse our certificate are part of what the lab is for.
        import sys

        if not isinstance(sys.exc_info()[1], (OSError, ssl.SSLError)):
            super().handle_error(request, client_address)


def _handler(wire: WireServer, answer: Callable[[Request], Answer], operation: Callable[[Request], str]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = 65536
        timeout = 300

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name is the base class's
            """The lab says nothing on its own."""

        def _serve(self) -> None:
            request = Request(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, self._body())
            name = operation(request)
            wire.requests.append(name)
            faults = {fault.kind: fault for fault in wire.faults.take(name)}
            if "latency" in faults:
                time.sleep(faults["latency"].seconds)
            if "drop" in faults:
                self.close_connection = True
                return
            if "status" in faults:
                self._send(_trouble(faults["status"].status))
                return
            if "garbage" in faults:
                self._send(Answer(b"<html>\x00 not what you asked for", "text/html"))
                return
            reply = answer(request)
            if "lose" in faults:
                self.close_connection = True
                return
            self._send(reply, truncate="truncate" in faults, pause=faults["slow"].seconds if "slow" in faults else 0.0)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding", "").lower() == "chunked":  # Go clients send chunks
                pieces = []
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    pieces.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(pieces)
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))

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
                    time.sleep(pause)
            else:
                self.wfile.write(body)

    return Handler


def _trouble(status: int) -> Answer:
    headers = (("Retry-After", "1"),) if status in (429, 503) else ()
    return Answer(b"<html><body>the lab was told to fail here</body></html>", "text/html", status, headers)
