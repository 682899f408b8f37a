"""A transport of httpx with a time limit for each whole answer. Imports httpx: import this module only where a session is opened.

httpx and httpcore bound each read alone. httpcore's network backend is its public place to come between: each thread sends one request and
reads its answer, so the time of that answer is kept for the thread.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import httpcore
import httpx

from auditor.endpoints.common.answer_time import AnswerTime
from auditor.endpoints.common.routes import dial
from auditor.endpoints.common.time_limits import addresses_of

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterable

    from auditor.endpoints.common.routes import Line
    from auditor.model import Endpoint

_NAME_SECONDS = 30.0
"""For a name, where the request has no time-out: no client of ours sends such a one."""


class TimedTransport(httpx.HTTPTransport):
    """Sends requests as httpx does; reading an answer raises what `AnswerTime.left` and `AnswerTime.arrived` do.

    Args:
        context: how the certificate is checked.
        endpoint: what leads to it, and how many connections may be open at once.
    """

    def __init__(self, context: ssl.SSLContext, endpoint: Endpoint) -> None:
        limits = httpx.Limits(max_connections=endpoint.limits.concurrency)
        super().__init__(verify=context, limits=limits, trust_env=False)
        self._times = _Times()
        self._pool = httpcore.ConnectionPool(  # in place of the one just made, which takes no backend
            ssl_context=context,
            max_connections=limits.max_connections,
            max_keepalive_connections=limits.max_keepalive_connections,
            keepalive_expiry=limits.keepalive_expiry,
            network_backend=_Backend(self._times) if endpoint.route is None else _RoutedBackend(self._times, endpoint),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and read the head of its answer; its time-out between two reads is that of its `AnswerTime`."""
        self._times.of_thread = AnswerTime(request.extensions["timeout"]["read"])
        response = super().handle_request(request)
        self._times.of_thread.head_came()
        return response


class _Times(threading.local):
    """The time of the answer that a thread awaits."""

    of_thread: AnswerTime


class _Backend(httpcore.NetworkBackend):
    def __init__(self, times: _Times) -> None:
        self._plain = httpcore.SyncBackend()
        self._times = times

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        try:
            addresses = addresses_of(host, port, timeout or _NAME_SECONDS)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(str(error)) from error
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(str(error)) from error
        for address in addresses[:-1]:
            with suppress(httpcore.ConnectError, httpcore.ConnectTimeout):
                return _Stream(self._plain.connect_tcp(address, port, timeout, local_address, socket_options), self._times)
        return _Stream(self._plain.connect_tcp(addresses[-1], port, timeout, local_address, socket_options), self._times)


class _RoutedBackend(httpcore.NetworkBackend):
    """Connects to one endpoint by its way, whatever address it is given: the pool asks for no other."""

    def __init__(self, times: _Times, endpoint: Endpoint) -> None:
        self._times, self._endpoint = times, endpoint

    def connect_tcp(
        self,
        host: str,  # noqa: ARG002  see above
        port: int,  # noqa: ARG002  see above
        timeout: float | None = None,  # noqa: ARG002  the endpoint's own
        local_address: str | None = None,  # noqa: ARG002  none is ever given
        socket_options: Iterable[Any] | None = None,  # noqa: ARG002  of connections that go straight
    ) -> httpcore.NetworkStream:
        from httpcore._backends.sync import SyncStream  # httpcore has no public stream over a socket that is there

        try:
            line = dial(self._endpoint)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(str(error)) from error
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(str(error)) from error
        return _Stream(SyncStream(line.socket), self._times, line)


class _Stream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream, times: _Times, line: Line | None = None) -> None:
        self._stream, self._times, self._line = stream, times, line

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002  what is left of the answer's time is never more
        time = self._times.of_thread
        try:
            piece = self._stream.read(max_bytes, time.left())
        except httpcore.ReadTimeout:
            time.left()  # where the whole time is over, it says so
            raise
        time.arrived(len(piece))
        return piece

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, timeout)
        self._times.of_thread.sent()

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        try:
            return _Stream(self._stream.start_tls(ssl_context, server_hostname, timeout), self._times)
        except httpcore.ConnectError as error:
            trouble = None if self._line is None else self._line.trouble(error.__cause__ or error)
            if trouble is None:
                raise
            raise httpcore.ConnectError(str(trouble)) from None

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
