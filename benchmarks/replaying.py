"""A vCenter that answers bulk reads at the speed of the wire: bytes made beforehand, so that a client is measured and not the server.

Everything else (login, service content, views, whatever no benchmark times) is the lab's vCenter. Run by `collect.py`, as a process of its
own: it prints where it listens as one JSON line; every line it reads asks for what was sent since the last.
"""

from __future__ import annotations

import argparse
import json
import re
import ssl
import sys
import tempfile
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pages import NARROW, host_pages, sizes, with_paths

from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap import envelope as soap
from auditor_lab.wire import Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pages import HostPages

    from auditor_lab.vcenter.description.vcenter import VCenterDescription

USER = "auditor@vsphere.local"
PASSWORD = "loopback"
_JSON = "/sdk/vim25/"
_PATH_SET = re.compile(rb"<(?:\w+:)?pathSet[^>]*>([^<]+)</")
_HOST = re.compile(rb'<(?:\w+:)?obj [^>]*type="HostSystem"[^>]*>([^<]+)</')
_MOST = re.compile(rb"<(?:\w+:)?maxObjects[^>]*>(\d+)</")
_TOKEN = re.compile(rb"<(?:\w+:)?token[^>]*>([^<]+)</")
_ATTRIBUTE = re.compile(rb'<_this [^>]*type="HostSystem"[^>]*>([^<]+)</_this><prop[^>]*>config</')
_ENVELOPE = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"'
    b' xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>'
    b'<%sResponse xmlns="urn:vim25">'
)
_END = b"</%sResponse></soapenv:Body></soapenv:Envelope>"


class Replay:
    """What is answered; counts what was sent."""

    def __init__(self, lab: VCenterServer, pages: Sequence[HostPages]) -> None:
        self._lab = lab
        self._pages = {one.moid: one for one in pages}
        self._rest: dict[str, tuple[list[str], int]] = {}
        self._lock = threading.Lock()
        self._requests = self._bytes = 0

    def sent(self) -> dict[str, int]:
        """Requests and bytes of bodies since the last call."""
        with self._lock:
            counts = {"requests": self._requests, "bytes": self._bytes}
            self._requests = self._bytes = 0
        return counts

    def answer(self, request: Request) -> tuple[int, str, Iterable[tuple[str, str]], Sequence[bytes]]:
        """Status, content type, headers and the pieces of the body."""
        parts = self._floor(request) or (self._json(request) if request.path.startswith(_JSON) else self._soap(request))
        response: tuple[int, str, Iterable[tuple[str, str]], Sequence[bytes]]
        if parts is not None:
            response = 200, "application/json" if request.path.startswith(_JSON) else "text/xml; charset=utf-8", (), parts
        else:
            reply = self._lab._answer(request)  # noqa: SLF001  the lab's vCenter without its own way onto the wire
            response = reply.status, reply.content_type, reply.headers, (reply.body,)
        with self._lock:
            self._requests += 1
            self._bytes += sum(map(len, response[3]))
        return response

    def _floor(self, request: Request) -> list[bytes] | None:
        """All of it at once, for curl."""
        form = request.path.removeprefix("/floor/")
        return [part for one in self._pages.values() for part in getattr(one, form)] if request.path.startswith("/floor/") else None

    def _soap(self, request: Request) -> list[bytes] | None:
        operation = soap.operation_of(request.body).encode()
        if operation == b"Fetch" and (asked := _ATTRIBUTE.search(request.body)):
            return [_ENVELOPE % operation, *self._pages[asked[1].decode()].config, _END % operation]
        some: Sequence[str] | None = None
        if operation == b"RetrievePropertiesEx" and {path.decode() for path in _PATH_SET.findall(request.body)} == set(NARROW):
            most = _MOST.search(request.body)
            some, token = self._first([one.decode() for one in _HOST.findall(request.body)], int(most[1]) if most else None)
        elif operation == b"ContinueRetrievePropertiesEx":
            some, token = self._more(_TOKEN.findall(request.body)[0].decode())
        if some is None:
            return None
        more = b"<token>%s</token>" % token.encode() if token else b""
        bodies = [part for moid in some for part in self._pages[moid].soap]
        return [_ENVELOPE % operation, b"<returnval>", more, *bodies, b"</returnval>", _END % operation]

    def _json(self, request: Request) -> list[bytes] | None:
        some: Sequence[str] | None = None
        operation = request.path.rpartition("/")[2]
        if operation == "RetrievePropertiesEx":
            requested = json.loads(request.body)
            [spec] = requested["specSet"]
            if {path for one in spec["propSet"] for path in one["pathSet"]} == set(NARROW):
                asked = [one["obj"]["value"] for one in spec["objectSet"] if one["obj"]["type"] == "HostSystem"]
                some, token = self._first(asked, requested.get("options", {}).get("maxObjects"))
        elif operation == "ContinueRetrievePropertiesEx":
            some, token = self._more(json.loads(request.body)["token"])
        if some is None:
            return None
        bodies: list[bytes] = []
        for moid in some:
            bodies += (*((b",",) if bodies else ()), *self._pages[moid].json)
        more = b'"token":"%s",' % token.encode() if token else b""
        return [b'{"_typeName":"RetrieveResult",', more, b'"objects":[', *bodies, b"]}"]

    def _first(self, asked: Sequence[str], most: int | None) -> tuple[Sequence[str], str]:
        # What starts at a view, or anything else that is no host, means all of them.
        return self._page(list(asked) or list(self._pages), most or len(self._pages))

    def _more(self, token: str) -> tuple[Sequence[str], str]:
        return self._page(*self._rest.pop(token))

    def _page(self, moids: list[str], most: int) -> tuple[Sequence[str], str]:
        some, rest = moids[:most], moids[most:]
        token = uuid.uuid4().hex if rest else ""
        if rest:
            self._rest[token] = rest, most
        return some, token


class Handler(BaseHTTPRequestHandler):
    """One connection. Nothing is compressed: whoever asks for gzip gets the plain bytes, as most vCenters do."""

    replay: Replay
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65536

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name is the base class's
        """Say nothing."""

    def _serve(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        status, kind, more, parts = self.replay.answer(Request(self.command, self.path, headers, self._body()))
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in more:
            self.send_header(name, value)
        self.send_header("Content-Length", str(sum(map(len, parts))))
        self.end_headers()
        for part in parts:
            self.wfile.write(part)

    do_GET = do_POST = _serve  # noqa: N815  the base class's names

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        pieces = []
        while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    tls: ssl.SSLContext

    def get_request(self) -> tuple[Any, Any]:
        connection, address = super().get_request()
        return self.tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):  # clients go away as they please
            super().handle_error(request, client_address)


def described(hosts: int, luns: int, paths: int, seed: int) -> VCenterDescription:
    """A generated vCenter of that size."""
    from auditor_lab.generated.cluster import FleetSize
    from auditor_lab.generated.fleet import generate

    [vcenter] = generate(FleetSize(hosts, luns, paths, 1), seed).vcenters
    return with_paths(vcenter, paths)


def main() -> int:
    from auditor_lab.authority import Authority

    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("hosts", "luns", "paths", "options", "seed"):
        parser.add_argument(f"--{name}", type=int, required=True)
    size = parser.parse_args()
    authority = Authority()
    tls = authority.server_context("127.0.0.1", "localhost")
    lab = VCenterServer(described(size.hosts, size.luns, size.paths, size.seed), tls, USER, PASSWORD)
    pages = list(host_pages(lab.state, soap.wire_version(lab.state.description.api_version), size.options))
    replay = Replay(lab, pages)
    server = Server(("127.0.0.1", 0), type("Handler", (Handler,), {"replay": replay}))
    server.tls = tls
    with tempfile.TemporaryDirectory() as folder:
        authority.write(Path(folder, "ca.pem"))
        Path(folder, "password").write_text(PASSWORD)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(json.dumps({"port": server.server_port, "folder": folder, "sizes": sizes(pages)}), flush=True)
        for _ in sys.stdin:
            print(json.dumps(replay.sent()), flush=True)
    lab.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
