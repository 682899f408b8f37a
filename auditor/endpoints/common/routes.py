"""The way to an endpoint: straight, through an HTTP proxy, or through a jump host. No variable of the environment names one.

A proxy is asked to connect (CONNECT), and a jump host by the system's own ssh (`ssh -W`), one process for each connection, which ends with
it. Either passes bytes on: certificates and host keys are checked as on a straight way, and by the address in fleet.yaml.

Source: RFC 9110, 9.3.6 (CONNECT), RFC 7617 (Basic); ssh(1), -W; ssh_config(5), BatchMode.
"""

from __future__ import annotations

import atexit
import base64
import os
import re
import socket
import ssl
import subprocess
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor.endpoints.common.plain_secrets import Wanted, plain_secret
from auditor.endpoints.common.time_limits import connected
from auditor.model import Jump, Proxy
from auditor.system import on_windows

if TYPE_CHECKING:
    from auditor.model import Endpoint

MOST_HEAD_BYTES = 16 << 10
"""Of a proxy's answer."""

_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})\b")
_MOST_KEPT = 2048  # bytes of what ssh says last
_MOST_SHOWN = 200
_TO_SAY_WHY_SECONDS = 2.0
"""ssh ends at once where its connection does; so long is waited for what it says."""

_running: set[subprocess.Popen[bytes]] = set()


class RouteError(ConnectionError):
    """The proxy or the jump host does not lead on; the text says which, and why."""


@dataclass(slots=True)
class Line:
    """A connection to an endpoint on which nothing was said yet."""

    socket: socket.socket
    _jump: _Jump | None = field(default=None, repr=False)

    def trouble(self, error: BaseException) -> RouteError | None:
        """Why the jump host let the connection go, where `error` comes of that; None for all else. Ask before the socket is closed."""
        if self._jump is None or (isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError)):
            return None
        return self._jump.trouble()


def dial(endpoint: Endpoint) -> Line:
    """Connect to an endpoint by the way that fleet.yaml says.

    Through a jump host it is a socket before anybody answered: what is wrong shows at the first read, and `Line.trouble` says it.

    Raises:
        RouteError: the proxy does not connect, or ssh cannot be started.
        TimeoutError, OSError: nobody answers.
        CredentialsError: the proxy's password cannot be looked up.
    """
    seconds = endpoint.limits.timeout_seconds
    match endpoint.route:
        case None:
            return Line(connected((endpoint.address, endpoint.port), seconds))
        case Proxy() as proxy:
            return Line(_through_proxy(endpoint, proxy, seconds))
        case Jump() as jump:
            return _through_jump(endpoint, jump, seconds)


def shaken(endpoint: Endpoint, context: ssl.SSLContext) -> ssl.SSLSocket:
    """A connection on which TLS was agreed on, as `context` checks it.

    Raises:
        ssl.SSLError: the certificate does not verify, or it is no TLS.
        RouteError, TimeoutError, OSError, CredentialsError: as `dial`.
    """
    line = dial(endpoint)
    try:
        line.socket.settimeout(endpoint.limits.timeout_seconds)
        return context.wrap_socket(line.socket, server_hostname=endpoint.address)
    except BaseException as error:  # raised again; nobody else has the socket to close it
        trouble = line.trouble(error) if isinstance(error, OSError) else None
        line.socket.close()
        if trouble is not None:
            raise trouble from None
        raise


def _target(endpoint: Endpoint) -> str:
    name = endpoint.address if endpoint.address.isascii() else endpoint.address.encode("idna").decode()
    return f"[{name}]:{endpoint.port}" if ":" in name else f"{name}:{endpoint.port}"


def _through_proxy(endpoint: Endpoint, proxy: Proxy, seconds: float) -> socket.socket:
    target, deadline = _target(endpoint), time.monotonic() + seconds
    lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
    if proxy.password is not None:
        do = "set it, or correct `password:` under `proxy:` of this endpoint in fleet.yaml."
        wanted = Wanted(proxy.password, proxy.username, f"endpoint {endpoint.name}: proxy: no password", "nothing on it was read.", do)
        pair = base64.b64encode(f"{proxy.username}:{plain_secret(wanted)}".encode()).decode()
        lines.append(f"Proxy-Authorization: Basic {pair}")
    try:
        line = connected((proxy.address, proxy.port), seconds)
    except OSError as error:
        reason = f"no answer within {seconds:g} s" if isinstance(error, TimeoutError) else error.strerror or str(error)
        raise RouteError(f"the proxy {proxy.place} cannot be reached: {reason}") from None
    try:
        line.sendall("\r\n".join([*lines, "", ""]).encode())
        refusal = _refusal(_head(line, deadline))
    except TimeoutError:
        refusal = f"no answer within {seconds:g} s"
    except OSError as error:
        refusal = error.strerror or type(error).__name__
    if refusal:
        line.close()
        raise RouteError(f"the proxy {proxy.place} does not connect to {target}: {refusal}")
    line.settimeout(seconds)
    return line


def _refusal(head: bytes) -> str:
    """Why a proxy did not connect, by the head of its answer, whose own words are not repeated; "" where it did."""
    found = _STATUS.match(head)
    if found is None:
        return "it does not answer as an HTTP proxy does"
    status = int(found[1])
    if 200 <= status < 300:
        return ""
    meant = {403: "it may not", 407: "it wants another user or password", 502: "nobody answers there", 503: "nobody answers there"}
    return f"HTTP {status}{f', {meant[status]}' if status in meant else ''}"


def _head(line: socket.socket, deadline: float) -> bytes:
    """The head of a proxy's answer, byte by byte: what follows it is the endpoint's."""
    head = bytearray()
    while not head.endswith(b"\r\n\r\n") and len(head) < MOST_HEAD_BYTES:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        line.settimeout(left)
        piece = line.recv(1)
        if not piece:
            break
        head += piece
    return bytes(head) if head.endswith(b"\r\n\r\n") else b""


def _through_jump(endpoint: Endpoint, jump: Jump, seconds: float) -> Line:
    if on_windows():
        raise RouteError("a jump host takes sockets that Windows does not have; give `proxy:`, or run auditor on Linux or macOS")
    # In batch mode ssh asks nobody for anything; keys, agents, host keys and aliases are those of this account.
    options = ["-o", "BatchMode=yes", "-o", f"ConnectTimeout={max(1, round(seconds))}"]
    command = ["ssh", *options, "-W", _target(endpoint), "--", jump.destination]
    ours, theirs = socket.socketpair()
    try:
        with theirs:
            # A session of its own: Ctrl-C is for auditor, which may have a write in hand.
            process = subprocess.Popen(  # noqa: S603  the destination begins with no hyphen, and stands behind --
                command, stdin=theirs.fileno(), stdout=theirs.fileno(), stderr=subprocess.PIPE, start_new_session=True
            )
    except OSError as error:
        ours.close()
        raise RouteError(f"ssh, which leads through the jump host, cannot be started: {error.strerror}") from None
    ours.settimeout(seconds)
    return Line(ours, _Jump(process, jump.destination))


class _Jump:
    """The process of ssh that leads through a jump host: it is waited for, and what it says last is kept."""

    def __init__(self, process: subprocess.Popen[bytes], destination: str) -> None:
        self._process, self._destination = process, destination
        self._said = b""
        _running.add(process)
        self._watching = threading.Thread(target=self._watch, name="jump", daemon=True)
        self._watching.start()

    def _watch(self) -> None:
        assert self._process.stderr is not None  # noqa: S101  it is a pipe
        with self._process.stderr as errors:
            while piece := os.read(errors.fileno(), _MOST_KEPT):
                self._said = (self._said + piece)[-_MOST_KEPT:]
        self._process.wait()
        _running.discard(self._process)

    def trouble(self) -> RouteError | None:
        self._watching.join(_TO_SAY_WHY_SECONDS)
        if self._process.returncode is None:
            return None
        lines = self._said.decode("utf-8", "replace").split("\n")
        shown = "; ".join(" ".join("".join(filter(str.isprintable, line)).split()) for line in lines if line.strip())
        reason = shown[-_MOST_SHOWN:] or f"ssh ended with status {self._process.returncode}"
        return RouteError(f"the jump host {self._destination} does not lead on: {reason}")


@atexit.register
def _end_all() -> None:
    """End what leads through jump hosts, where the other side has not let it go yet."""
    for process in tuple(_running):
        process.terminate()
