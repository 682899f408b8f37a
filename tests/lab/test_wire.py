from __future__ import annotations

import gzip
import http.client
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import pytest

from auditor_lab.authority import Authority
from auditor_lab.vcenter.soap import envelope
from auditor_lab.wire import Answer, Fault, Request, WireServer
from tests.waiting import PATIENCE_SECONDS

BODY = b"x" * 4096


class Endpoint:
    """Counts what it was really asked to do."""

    def __init__(self) -> None:
        self.done: list[bytes] = []

    def answer(self, request: Request) -> Answer:
        self.done.append(request.body)
        return Answer(BODY, "text/plain")


@pytest.fixture
def endpoint() -> Endpoint:
    return Endpoint()


@pytest.fixture
def wire(endpoint: Endpoint, authority: Authority) -> Iterator[WireServer]:
    server = WireServer(endpoint.answer, lambda request: request.path.strip("/"), authority.server_context("127.0.0.1"))
    yield server
    server.stop()


@pytest.fixture
def ask(wire: WireServer, client_context: ssl.SSLContext) -> Iterator[Callable[..., http.client.HTTPResponse]]:
    opened: list[http.client.HTTPSConnection] = []

    def send(path: str = "/read", **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPSConnection(wire.host, wire.port, context=client_context, timeout=PATIENCE_SECONDS)
        opened.append(connection)
        connection.request("POST", path, b"please", headers)
        return connection.getresponse()

    yield send
    for connection in opened:
        connection.close()


def test_without_faults_the_answer_arrives_whole(ask: Callable[..., http.client.HTTPResponse], wire: WireServer) -> None:
    assert ask().read() == BODY
    assert wire.requests == ["read"]


def test_a_long_answer_is_compressed_for_those_who_ask(ask: Callable[..., http.client.HTTPResponse]) -> None:
    response = ask(**{"Accept-Encoding": "gzip"})
    assert response.getheader("Content-Encoding") == "gzip"
    assert gzip.decompress(response.read()) == BODY


def test_a_chunked_request_arrives_whole(wire: WireServer, endpoint: Endpoint, client_context: ssl.SSLContext) -> None:
    connection = http.client.HTTPSConnection(wire.host, wire.port, context=client_context, timeout=PATIENCE_SECONDS)
    connection.request("POST", "/read", iter([b"in ", b"pieces"]), encode_chunked=True)
    connection.getresponse().read()
    connection.close()
    assert endpoint.done == [b"in pieces"]


def test_latency_delays_the_answer(ask: Callable[..., http.client.HTTPResponse], wire: WireServer) -> None:
    wire.faults.active = [Fault("latency", seconds=0.3)]
    began = time.monotonic()
    assert ask().read() == BODY
    assert time.monotonic() - began >= 0.3


def test_a_status_is_sent_instead_and_says_when_to_come_back(
    ask: Callable[..., http.client.HTTPResponse], wire: WireServer, endpoint: Endpoint
) -> None:
    wire.faults.active = [Fault("status", status=503)]
    response = ask()
    assert (response.status, response.getheader("Retry-After")) == (503, "1")
    assert endpoint.done == []


@pytest.mark.parametrize(
    ("kind", "done"), [pytest.param("drop", 0, id="before it was done"), pytest.param("lose", 1, id="after it was done")]
)
def test_a_connection_that_ends_without_an_answer(
    kind: str, done: int, ask: Callable[..., http.client.HTTPResponse], wire: WireServer, endpoint: Endpoint
) -> None:
    wire.faults.active = [Fault(kind)]
    with pytest.raises((http.client.RemoteDisconnected, ssl.SSLEOFError, ConnectionResetError)):
        ask()
    assert len(endpoint.done) == done


def test_a_truncated_answer_ends_half_way(ask: Callable[..., http.client.HTTPResponse], wire: WireServer) -> None:
    wire.faults.active = [Fault("truncate")]
    with pytest.raises(http.client.IncompleteRead) as raised:
        ask().read()
    assert len(raised.value.partial) == len(BODY) // 2


def test_a_slow_answer_dribbles(ask: Callable[..., http.client.HTTPResponse], wire: WireServer) -> None:
    wire.faults.active = [Fault("slow", seconds=0.05)]
    began = time.monotonic()
    assert ask().read() == BODY
    assert time.monotonic() - began >= 0.05 * (len(BODY) / 512 - 1)


def test_a_dribble_never_comes_to_the_end_of_its_head(ask: Callable[..., http.client.HTTPResponse], wire: WireServer) -> None:
    wire.faults.active = [Fault("dribble", seconds=0)]
    with pytest.raises(http.client.LineTooLong):  # Python's own client bounds a line, and no time
        ask()


def test_garbage_has_status_200(ask: Callable[..., http.client.HTTPResponse], wire: WireServer) -> None:
    wire.faults.active = [Fault("garbage")]
    response = ask()
    assert response.status == 200
    assert b"not a valid answer" in response.read()


def test_a_fault_hits_only_its_operation_and_only_so_often(ask: Callable[..., http.client.HTTPResponse], wire: WireServer) -> None:
    wire.faults.active = [Fault("status", operation="write", status=500, times=2)]
    assert [ask(path).status for path in ("/read", "/write", "/write", "/write")] == [200, 500, 500, 200]


def test_a_fault_can_ask_for_a_word_of_the_request(ask: Callable[..., http.client.HTTPResponse], wire: WireServer) -> None:
    wire.faults.active = [Fault("status", status=503, containing=b"please"), Fault("status", status=500, containing=b"host-11")]
    assert ask().status == 503


def test_stopping_hangs_up_on_a_client_that_stays_connected(
    endpoint: Endpoint, authority: Authority, client_context: ssl.SSLContext
) -> None:
    server = WireServer(endpoint.answer, lambda _: "", authority.server_context("127.0.0.1"))
    connection = http.client.HTTPSConnection(server.host, server.port, context=client_context, timeout=PATIENCE_SECONDS)
    connection.request("GET", "/")
    connection.getresponse().read()
    server.stop()
    with pytest.raises((http.client.HTTPException, OSError)):  # noqa: PT012  which of the two notices depends on the moment
        connection.request("GET", "/")
        connection.getresponse()
    connection.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((server.host, server.port), timeout=2)


def test_a_client_that_does_not_trust_the_authority_is_not_served(wire: WireServer, endpoint: Endpoint) -> None:
    connection = http.client.HTTPSConnection(wire.host, wire.port, context=ssl.create_default_context(), timeout=PATIENCE_SECONDS)
    with pytest.raises(ssl.SSLCertVerificationError):
        connection.request("GET", "/")
    connection.close()
    assert endpoint.done == []


def test_an_envelope_is_xml_whatever_a_name_holds() -> None:
    name = "a\x1b[2J\r\x9b\u202e\uffff<b>"
    read = ElementTree.fromstring(envelope.raw_answer("Ask", f"<returnval>{escape(name)}</returnval>"))
    assert "".join(read.itertext()) == "a\ufffd[2J\r\x9b\u202e\ufffd<b>"
