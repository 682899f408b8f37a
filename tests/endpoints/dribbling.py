"""Peers that are never silent and never done: each talks for as long as it is listened to."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Talk = Callable[[Callable[[bytes], None], threading.Event], None]
"""Answers one request: sends bytes by the first argument, and leaves off when the second is set."""

PAUSE_SECONDS = 0.05
_END_SECONDS = 10  # after which a client that was caught is let go, and its test fails
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def _each(start: bytes, piece: bytes, pause: float = PAUSE_SECONDS) -> Talk:
    def talk(send: Callable[[bytes], None], stopped: threading.Event) -> None:
        send(start)
        end = time.monotonic() + _END_SECONDS
        while not stopped.wait(pause) and time.monotonic() < end:
            send(piece)

    return talk


def whole(body: bytes, head: bytes = _HEAD) -> Talk:
    """One good answer."""
    return lambda send, _stopped: send(head + b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


SLOW_HEADS: dict[str, Talk] = {
    "a header byte by byte": _each(_HEAD + b"X-A: ", b"a"),
    "one header after another": _each(_HEAD, b"X-A: a\r\n"),
    "a status line byte by byte": _each(b"HTTP/1.1 2", b"0"),
    "100 Continue without end": _each(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "100 Continue with headers without end": _each(b"HTTP/1.1 100 Continue\r\n", b"X-A: a\r\n"),
}
"""What never comes to the body, byte by byte."""

LONG_HEADS: dict[str, Talk] = {
    "a header of any length": _each(_HEAD + b"X-A: ", b"a" * 60_000, 0),
    "headers of any number": _each(_HEAD, b"X-A: a\r\n" * 5_000, 0),
    "100 Continue at full speed": _each(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 2_000, 0),
}
"""What never comes to the body, as quick as it can be sent."""

SLOW_BODIES: dict[str, Talk] = {
    "a body byte by byte": _each(_HEAD + b"Content-Length: 1000000\r\n\r\n", b" "),
    "chunks of one byte": _each(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "the length of a chunk byte by byte": _each(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
    "headers behind the last chunk": _each(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n \r\n0\r\n", b"X-A: a\r\n"),
}
"""What comes to no end."""


@contextmanager
def talking(context: ssl.SSLContext, talk: Talk) -> Iterator[int]:
    """A port whose peer reads a request on each connection and then talks."""

    def answer(connection: socket.socket, stopped: threading.Event) -> None:
        with context.wrap_socket(connection, server_side=True) as secure:
            while b"\r\n\r\n" not in secure.recv(65536):
                pass
            talk(secure.sendall, stopped)
            secure.recv(65536)

    with _listening(answer) as port:
        yield port


@contextmanager
def shaking_hands_for_ever() -> Iterator[int]:
    """A port whose peer begins a TLS record of 16 KiB and sends it byte by byte."""

    def answer(connection: socket.socket, stopped: threading.Event) -> None:
        with connection:
            connection.recv(65536)
            _each(b"\x16\x03\x03\x40\x00\x02", b"\x00")(connection.sendall, stopped)

    with _listening(answer) as port:
        yield port


SLOW_SSH: dict[str, Talk] = {
    "lines before the version": _each(b"", b"welcome\r\n"),
    "a version byte by byte": _each(b"SSH-2.0-", b"a"),
    "a key exchange byte by byte": _each(b"SSH-2.0-x\r\n\x00\x00\x80\x00", b"\x00"),
}
"""What never comes to a login."""


@contextmanager
def talking_plainly(talk: Talk) -> Iterator[int]:
    """A port whose peer talks as soon as somebody comes, without TLS."""

    def answer(connection: socket.socket, stopped: threading.Event) -> None:
        with connection:
            talk(connection.sendall, stopped)

    with _listening(answer) as port:
        yield port


@contextmanager
def _listening(answer: Callable[[socket.socket, threading.Event], None]) -> Iterator[int]:
    stopped = threading.Event()
    threads: list[threading.Thread] = []

    def one(connection: socket.socket) -> None:
        with suppress(OSError):  # the client has had enough
            answer(connection, stopped)

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            connection.settimeout(5)
            threads.append(threading.Thread(target=one, args=(connection,), daemon=True))
            threads[-1].start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        accepting = threading.Thread(target=serve, daemon=True)
        accepting.start()
        try:
            yield listener.getsockname()[1]
        finally:
            stopped.set()
            listener.shutdown(socket.SHUT_RDWR)
            accepting.join()
            for thread in threads:
                thread.join(10)
