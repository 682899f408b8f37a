"""HTTP under the vCenter client: pooled connections, timeouts, one pace for all requests; no SOAP here."""

from __future__ import annotations

import http.client
import io
import ssl
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

from auditor.endpoints.common.answer_limits import MOST_BYTES, UnusableAnswerError, refuse_too_many_values, too_large, unzipped
from auditor.endpoints.common.answer_time import SlowAnswerError, TimedResponse
from auditor.endpoints.common.routes import shaken
from auditor.endpoints.common.time_limits import UnresolvedNameError, connected
from auditor.endpoints.vcenter.pacing import Pace
from auditor.errors import ConnectionLostError, EndpointError, EndpointUnreachableError, MalformedAnswerError
from auditor.model import Exchange

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.endpoints.vcenter.pacing import Turn
    from auditor.model import Endpoint

ATTEMPTS = 5
"""How often a request that may be repeated is sent when the answer is 503. A whole flight may be refused, then half of it, then a quarter:
with 16 in flight it is the fifth time that everybody has been heard one by one."""

LONGEST_PAUSE_SECONDS = 10.0
"""The most of a server's Retry-After that is obeyed; longer than that, the endpoint is as good as down."""

SESSION_HEADER = "vmware-api-session-id"
"""Of VI/JSON: in the answer to Login, and in every request after it."""

_SESSION_COOKIE = "vmware_soap_session"
_Request = tuple[str, bytes, "Mapping[str, str]"]  # path, body, headers
_PIECE_BYTES = 1 << 18


class _StaleConnectionError(Exception):
    """A kept connection had been closed by the other side before this request: nothing was asked yet."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP answer, whole and unpacked."""

    status: int
    body: bytes
    session: str = ""  # the id of a VI/JSON session, where this answer opens one


@dataclass(frozen=True, slots=True)
class _Response:
    """One HTTP answer as it came, perhaps still packed."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


class VCenterWire:
    """Posts to one vCenter from many threads: SOAP to `/sdk`, VI/JSON to paths below it.

    Args:
        endpoint: where; its limits bound the requests in flight and the seconds to connect and between two reads.
        context: how the certificate is checked. It is always used as it is: pyVmomi's own connections stop verifying on
            localhost when none is given, ours have no such case.
    """

    def __init__(self, endpoint: Endpoint, context: ssl.SSLContext) -> None:
        self._endpoint = endpoint
        self._context = context
        self.pace = Pace(endpoint.limits.concurrency)
        self._lock = threading.Lock()
        self._idle: list[http.client.HTTPSConnection] = []
        self._cookie = ""

    def post(
        self, operation: str, body: bytes, headers: Mapping[str, str], *, repeatable: bool, path: str = "/sdk", kind: str = ""
    ) -> Reply:
        """Send one request and wait for the whole answer. The cookie of a SOAP session is kept here, and sent along by itself.

        `repeatable` is for reads: a 503 is waited out, a kept connection that turns out dead is replaced. Anything else is sent once, on a
        connection of its own, and when the answer is lost the caller must look what became of it. `kind` is for `Pace.turn`.

        Raises:
            ConnectionLostError: no connection, no certificate to trust, no answer in time; for a write also a torn answer.
            EndpointUnreachableError: it was answered that the server is too busy, again and again.
            MalformedAnswerError: a read's answer was torn, or is not HTTP.
        """
        for left in range(ATTEMPTS - 1 if repeatable else 0, -1, -1):
            with self.pace.turn(kind) as turn:
                response = self._exchange(operation, (path, body, headers), turn, repeatable=repeatable)
                pause = _pause_seconds(response.headers.get("Retry-After"))
                turn.refused = response.status in (429, 503)
                turn.pause_seconds = pause if pause <= LONGEST_PAUSE_SECONDS else 0.0
            if not turn.refused:
                reply = self._unpacked(operation, response, repeatable=repeatable)
                if self._endpoint.tap is not None:
                    self._endpoint.tap(Exchange(operation, "POST", path, body, reply.status, {}, reply.body))
                return reply
            if pause > LONGEST_PAUSE_SECONDS:
                break
            if left:
                time.sleep(pause)  # its place in flight is somebody else's meanwhile
        busy = f"{operation} was answered {response.status}: the server is too busy, or starting"
        raise self._unreachable(busy, EndpointUnreachableError)

    @property
    def session_key(self) -> str:
        """The key of the SOAP session, as other services of the vCenter ask for it; "" before the login."""
        return self._cookie.removeprefix(f"{_SESSION_COOKIE}=").strip('"')

    def join_session(self, key: str) -> None:
        """Send the key of a SOAP session that is open already, in quotes or without, as it is."""
        self._cookie = f"{_SESSION_COOKIE}={key}"

    def close(self) -> None:
        """Close every kept connection."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _exchange(self, operation: str, request: _Request, turn: Turn, *, repeatable: bool) -> _Response:
        try:
            kept = self._kept() if repeatable else None
            if kept is not None:
                with suppress(_StaleConnectionError):
                    return self._send(kept, request, turn, kept=True)
            return self._send(self._fresh(), request, turn, kept=False)
        except TimeoutError as error:
            turn.seconds = self._endpoint.limits.timeout_seconds
            raise self._failed(operation, error, repeatable=repeatable) from None
        except http.client.IncompleteRead:
            raise self._unusable(operation, UnusableAnswerError("it was cut short"), repeatable=repeatable) from None
        except UnusableAnswerError as error:
            raise self._unusable(operation, error, repeatable=repeatable) from None
        except (OSError, http.client.HTTPException) as error:
            raise self._failed(operation, error, repeatable=repeatable) from None

    def _send(self, connection: http.client.HTTPSConnection, request: _Request, turn: Turn, *, kept: bool) -> _Response:
        path, body, given = request
        headers = {
            "Host": _host(self._endpoint),
            "Accept-Encoding": "gzip",
            "User-Agent": "auditor",
            "Content-Length": str(len(body)),
            **given,
        }
        if self._cookie and path == "/sdk":
            headers["Cookie"] = self._cookie
        try:
            try:
                began = time.monotonic()
                response = _asked(connection, path, headers, body)
                turn.seconds = time.monotonic() - began if response.status == http.HTTPStatus.OK else None
            except (ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError) as error:
                if kept:
                    raise _StaleConnectionError from error
                raise
            with response:  # read1 leaves a whole answer open, and its connection unusable; one that breaks off, the connection itself
                raw = self._whole(response)
        except BaseException:  # raised again; whatever ended the exchange left it half done, a signal too
            connection.close()
            raise
        if path == "/sdk":  # the storage policy service sets a cookie of that name that is no session of /sdk
            self._remember(response.headers)
        if response.will_close:
            connection.close()
        else:
            self._keep(connection)
        return _Response(response.status, response.headers, raw)

    def _unpacked(self, operation: str, response: _Response, *, repeatable: bool) -> Reply:
        body = response.body
        try:
            if response.headers.get("Content-Encoding", "").lower() == "gzip":
                body = unzipped(body)
            refuse_too_many_values(body)
        except UnusableAnswerError as error:
            raise self._unusable(operation, error, repeatable=repeatable) from None
        return Reply(response.status, body, response.headers.get(SESSION_HEADER, ""))

    def _whole(self, response: http.client.HTTPResponse) -> bytes:
        expected = response.length  # None when the length was not reported
        whole = io.BytesIO()  # not a list of pieces: joining them takes the room of a second answer, and pages are long
        while piece := response.read1(_PIECE_BYTES):
            whole.write(piece)
            if whole.tell() > MOST_BYTES:
                raise UnusableAnswerError(too_large())
        raw = whole.getvalue()
        if expected is not None and len(raw) < expected:
            raise http.client.IncompleteRead(b"", expected - len(raw))
        return raw

    def _kept(self) -> http.client.HTTPSConnection | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _keep(self, connection: http.client.HTTPSConnection) -> None:
        with self._lock:
            if len(self._idle) < self._endpoint.limits.concurrency:
                self._idle.append(connection)
                return
        connection.close()

    def _fresh(self) -> http.client.HTTPSConnection:
        endpoint = self._endpoint
        connection = http.client.HTTPSConnection(
            endpoint.address, endpoint.port, timeout=endpoint.limits.timeout_seconds, context=self._context
        )
        if endpoint.route is not None:
            connection.sock = shaken(endpoint, self._context)
            return connection
        connection._create_connection = connected  # type: ignore[attr-defined]  # noqa: SLF001  its own waits for a name without end
        connection.connect()
        return connection

    def _remember(self, headers: http.client.HTTPMessage) -> None:
        for header in headers.get_all("Set-Cookie") or ():
            with suppress(CookieError):
                session = SimpleCookie(header).get(_SESSION_COOKIE)
                if session is not None:
                    # coded_value: a real server quotes the key, vcsim does not, and each wants its own back.
                    self._cookie = f"{_SESSION_COOKIE}={session.coded_value}"

    def _failed(self, operation: str, error: OSError | http.client.HTTPException, *, repeatable: bool) -> EndpointError:
        seconds = self._endpoint.limits.timeout_seconds
        if isinstance(error, ssl.SSLCertVerificationError):
            return ConnectionLostError(
                f"endpoint {self._endpoint.name}: its certificate does not verify: {error.verify_message}",
                why="somebody else may be answering at that address; no password was sent.",
                do="give its authority in `tls: {ca: PATH}`, or pin the certificate with `tls: {fingerprint: ...}`.",
            )
        if isinstance(error, SlowAnswerError | UnresolvedNameError):
            return self._unreachable(f"{operation}: {error}", lost=not repeatable)
        if isinstance(error, TimeoutError):
            return self._unreachable(f"no answer to {operation} within {seconds:g} s", lost=not repeatable)
        if isinstance(error, http.client.HTTPException) and not isinstance(error, ConnectionError) and repeatable:
            return self._malformed(f"the answer to {operation} is not HTTP: {type(error).__name__}")
        return self._unreachable(f"{operation}: {error or type(error).__name__}", lost=not repeatable)

    def _unusable(self, operation: str, error: UnusableAnswerError, *, repeatable: bool) -> EndpointError:
        what = f"the answer to {operation} is of no use: {error}"
        return self._malformed(what) if repeatable else self._unreachable(what, lost=True)

    def _unreachable(
        self, what: str, kind: type[EndpointUnreachableError] = ConnectionLostError, *, lost: bool = False
    ) -> EndpointUnreachableError:
        return kind(
            f"endpoint {self._endpoint.name}: {what}",
            why="whether it was done is not known." if lost else "what was asked for was not read.",
            do=f"check that {self._endpoint.address}:{self._endpoint.port} answers, and `limits.timeout_seconds` if it is only slow.",
        )

    def _malformed(self, what: str) -> MalformedAnswerError:
        return MalformedAnswerError(
            f"endpoint {self._endpoint.name}: {what}",
            why="half an answer would be half an audit, so none of it was used.",
            do=f"check what answers at {self._endpoint.address}:{self._endpoint.port}, and any proxy between.",
        )


def _host(endpoint: Endpoint) -> str:
    """The Host header: IPv6 in brackets, other letters than ASCII as DNS has them, no port that goes without saying."""
    name = endpoint.address if endpoint.address.isascii() else endpoint.address.encode("idna").decode()
    name = f"[{name}]" if ":" in name else name
    return name if endpoint.port == http.client.HTTPS_PORT else f"{name}:{endpoint.port}"


def _asked(connection: http.client.HTTPSConnection, path: str, headers: Mapping[str, str], body: bytes) -> http.client.HTTPResponse:
    """Send one request and read the head of its answer.

    In one piece: http.client sends head and body apart, two packets and two waits of this thread for its turn to run.
    """
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    seconds = connection.timeout or 0.0  # `_fresh` gave it one
    connection.sock.settimeout(seconds)  # a kept one has what was left of the last answer's time
    connection.sock.sendall(f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1") + body)
    response = TimedResponse(connection.sock, method="POST", timeout_seconds=seconds)
    try:
        response.begin()
    except BaseException:  # raised again; nobody else has the response to close it
        response.close()
        raise
    return response


def _pause_seconds(retry_after: str | None) -> float:
    """Seconds to wait as Retry-After asks; 1 when it is missing or a date."""
    try:
        return max(0.0, float(retry_after)) if retry_after else 1.0
    except ValueError:
        return 1.0
