"""An answer ends in its time, whichever client reads it and whatever arrives meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.endpoints.common.host_keys import shown_host_key
from auditor.endpoints.common.https import HttpsSession, Request
from auditor.endpoints.common.tls import tls_context
from auditor.endpoints.eternus.client import open_eternus
from auditor.endpoints.vcenter.automation import open_automation
from auditor.endpoints.vcenter.wire import VCenterWire
from auditor.errors import EndpointUnreachableError, MalformedAnswerError
from auditor.model import Endpoint, EndpointKind, Limits, Secret, Ssh, Tls
from auditor_lab.authority import Authority
from tests.endpoints.dribbling import (
    LONG_HEADS,
    SLOW_BODIES,
    SLOW_HEADS,
    SLOW_SSH,
    Talk,
    shaking_hands_for_ever,
    talking,
    talking_plainly,
    whole,
)

SECONDS = 0.2
"""The time-out of the endpoints; each peer sends several times within it."""
MOST_SECONDS = 9
"""After which an answer counts as without end, on a busy machine."""


def ask_array(endpoint: Endpoint) -> object:
    session = HttpsSession(endpoint, "/api/")
    try:
        return session.ask(Request("GET volumes", "GET", "volumes", is_read=True)).body
    finally:
        session.close()


def ask_vcenter(endpoint: Endpoint) -> object:
    wire = VCenterWire(endpoint, tls_context(endpoint))
    try:
        return wire.post("CurrentTime", b"<x/>", {}, repeatable=True).body
    finally:
        wire.close()


def ask_automation(endpoint: Endpoint) -> object:
    with open_automation(endpoint) as session:
        return session


CLIENTS = [
    pytest.param(ask_array, id="arrays"),
    pytest.param(ask_vcenter, id="vCenter"),
    pytest.param(ask_automation, id="Automation API"),
]


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def endpoint(authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Endpoint]:
    monkeypatch.setenv("DRIBBLE_PASSWORD", "secret")
    monkeypatch.setattr("auditor.endpoints.common.answer_time.WHOLE_ANSWER_TIMEOUTS", 2)
    authority.write(tmp_path / "ca.pem")
    tls, secret = Tls(ca=str(tmp_path / "ca.pem")), Secret("env", ("DRIBBLE_PASSWORD",))
    return lambda port: Endpoint("e", EndpointKind.VCENTER, "127.0.0.1", port, "u", secret, tls, Limits(timeout_seconds=SECONDS))


@pytest.mark.parametrize("talk", [pytest.param(talk, id=name) for name, talk in (SLOW_HEADS | SLOW_BODIES).items()])
@pytest.mark.parametrize("ask", CLIENTS)
def test_a_peer_that_never_comes_to_an_end_is_given_up(
    authority: Authority, endpoint: Callable[[int], Endpoint], ask: Callable[[Endpoint], object], talk: Talk
) -> None:
    with talking(authority.server_context("127.0.0.1"), talk) as port:
        began = time.monotonic()
        with pytest.raises((EndpointUnreachableError, MalformedAnswerError), match="endpoint e: "):
            ask(endpoint(port))
        assert time.monotonic() - began < MOST_SECONDS


@pytest.mark.parametrize("talk", [SLOW_HEADS["a header byte by byte"], SLOW_BODIES["a body byte by byte"]], ids=["head", "body"])
def test_of_a_write_whose_answer_never_ends_the_outcome_is_unknown(
    authority: Authority, endpoint: Callable[[int], Endpoint], talk: Talk
) -> None:
    with talking(authority.server_context("127.0.0.1"), talk) as port:
        to = endpoint(port)
        session, wire = HttpsSession(to, "/api/"), VCenterWire(to, tls_context(to))
        writes = (
            lambda: session.ask(Request("PATCH volumes", "PATCH", "volumes", is_read=False)),
            lambda: wire.post("UpdateOptions", b"<x/>", {}, repeatable=False),
        )
        for write in writes:
            with pytest.raises(EndpointUnreachableError) as caught:
                write()
            assert "is not known" in caught.value.why
        session.close()
        wire.close()


@pytest.mark.parametrize("talk", [pytest.param(talk, id=name) for name, talk in LONG_HEADS.items()])
@pytest.mark.parametrize("ask", CLIENTS)
def test_a_head_of_any_length_is_refused_before_its_time_is_over(
    authority: Authority, endpoint: Callable[[int], Endpoint], ask: Callable[[Endpoint], object], talk: Talk
) -> None:
    with talking(authority.server_context("127.0.0.1"), talk) as port:
        patient = replace(endpoint(port), limits=Limits(timeout_seconds=MOST_SECONDS))
        began = time.monotonic()
        with pytest.raises((EndpointUnreachableError, MalformedAnswerError), match="endpoint e: "):
            ask(patient)
        assert time.monotonic() - began < MOST_SECONDS


def look_at_certificate(endpoint: Endpoint) -> object:
    return tls_context(replace(endpoint, tls=Tls(fingerprint="sha256:" + "0" * 64)))


@pytest.mark.parametrize("ask", [*CLIENTS, pytest.param(look_at_certificate, id="a pinned certificate")])
def test_a_handshake_without_end_is_given_up(endpoint: Callable[[int], Endpoint], ask: Callable[[Endpoint], object]) -> None:
    with shaking_hands_for_ever() as port:
        began = time.monotonic()
        with pytest.raises(EndpointUnreachableError):
            ask(endpoint(port))
        assert time.monotonic() - began < MOST_SECONDS


def log_in_by_ssh(endpoint: Endpoint) -> object:
    with open_eternus(endpoint) as array:
        return array


NEVER_SHOWN = f"SHA256:{'A' * 43}"
"""Of a host key: these peers come to show none."""


@pytest.mark.parametrize("talk", [pytest.param(talk, id=name) for name, talk in SLOW_SSH.items()])
@pytest.mark.parametrize("ask", [pytest.param(log_in_by_ssh, id="a login"), pytest.param(shown_host_key, id="a look at the host key")])
def test_an_ssh_peer_that_never_comes_to_a_login_is_given_up(
    endpoint: Callable[[int], Endpoint], ask: Callable[[Endpoint], object], talk: Talk
) -> None:
    with talking_plainly(talk) as port:
        began = time.monotonic()
        with pytest.raises(EndpointUnreachableError, match="endpoint e: "):
            ask(replace(endpoint(port), kind=EndpointKind.ETERNUS, ssh=Ssh(fingerprint=NEVER_SHOWN)))
        assert time.monotonic() - began < MOST_SECONDS


@pytest.mark.parametrize("ask", CLIENTS)
def test_a_redirect_is_not_followed(authority: Authority, endpoint: Callable[[int], Endpoint], ask: Callable[[Endpoint], object]) -> None:
    asked: list[int] = []
    head = b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /\r\nConnection: close\r\n"

    def talk(send: Callable[[bytes], None], stopped: object) -> None:
        asked.append(1)
        whole(b"", head)(send, stopped)  # type: ignore[arg-type]  # it does not look at it

    with talking(authority.server_context("127.0.0.1"), talk) as port:
        if ask is ask_automation:
            with pytest.raises(EndpointUnreachableError):
                ask(endpoint(port))
        else:
            assert ask(endpoint(port)) == b""  # status 307, which no caller takes for an answer
    assert len(asked) == 1


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n", id="packed"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n", id="nested too deeply"),
    ],
)
def test_answers_of_the_automation_api_have_the_limits_of_all_answers(
    authority: Authority, endpoint: Callable[[int], Endpoint], head: bytes
) -> None:
    with (
        talking(authority.server_context("127.0.0.1"), whole(b"[" * 100_000 + b"]" * 100_000, head)) as port,
        pytest.raises(MalformedAnswerError, match="of no use"),
    ):
        ask_automation(endpoint(port))
