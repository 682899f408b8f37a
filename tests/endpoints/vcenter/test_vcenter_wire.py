"""What a long answer takes of memory on its way in."""

from __future__ import annotations

import http.client
import io
import ssl
import tracemalloc

import pytest

from auditor.endpoints.vcenter.wire import VCenterWire
from auditor.model import Endpoint, EndpointKind, Secret

BODY = b"0123456789abcdef" * (1 << 18)  # 4 MiB
PIECE = 1 << 14  # the longest that TLS gives at once


class Socket:
    """A connection on which one whole answer has come in."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer

    def makefile(self, _mode: str) -> io.BytesIO:
        return io.BytesIO(self._answer)


def in_chunks(body: bytes) -> bytes:
    pieces = (body[at : at + PIECE] for at in range(0, len(body), PIECE))
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(b"Content-Length: %d\r\n\r\n%s" % (len(BODY), BODY), id="its length told"),
        pytest.param(b"Transfer-Encoding: chunked\r\n\r\n" + in_chunks(BODY), id="in chunks"),
    ],
)
def test_a_long_answer_is_held_once_while_it_comes_in(answer: bytes) -> None:
    wire = VCenterWire(
        Endpoint("vc", EndpointKind.VCENTER, "127.0.0.1", 443, "audit", Secret("env", ("UNUSED",))), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    )
    response = http.client.HTTPResponse(Socket(b"HTTP/1.1 200 OK\r\n" + answer), method="POST")  # type: ignore[arg-type]  # all it uses
    response.begin()
    tracemalloc.start()
    try:
        whole = wire._whole(response)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert whole == BODY
    assert peak_bytes < 1.5 * len(BODY)
