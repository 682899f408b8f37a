"""A resolver of names, or a keyring, that does not answer."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import keyring
import pytest

from auditor.endpoints.common import plain_secrets
from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.common.sessions import open_session
from auditor.endpoints.common.time_limits import UnresolvedNameError, addresses_of, connected, within
from auditor.errors import CredentialsError, EndpointUnreachableError
from auditor.model import Endpoint, EndpointKind, Limits, Secret

NAME = "vcenter.example.invalid"
SECONDS = 0.2


@pytest.fixture
def waiting() -> Iterator[Callable[..., Any]]:
    """Something that ends with the test."""
    ended = threading.Event()
    yield lambda *_arguments, **_options: ended.wait()
    ended.set()


@pytest.fixture
def silent_resolver(waiting: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", waiting)


def endpoint(kind: EndpointKind = EndpointKind.VCENTER, way: str = "command", argument: str = "printf") -> Endpoint:
    arguments = (argument, "x") if way == "command" else (argument,)
    return Endpoint("one", kind, NAME, 443, "audit", Secret(way, arguments), limits=Limits(timeout_seconds=SECONDS))


@pytest.mark.usefixtures("silent_resolver")
@pytest.mark.parametrize("kind", [kind for kind in EndpointKind if kind is not EndpointKind.FILES])
def test_an_endpoint_whose_name_is_not_resolved_in_time_is_unreachable(kind: EndpointKind) -> None:
    with pytest.raises(EndpointUnreachableError) as raised, open_session(endpoint(kind)):
        pass
    assert f"{SECONDS:g} s" in raised.value.what or "timed out" in raised.value.what


@pytest.mark.usefixtures("silent_resolver")
def test_the_message_names_what_was_not_resolved_and_an_address_needs_no_resolver() -> None:
    with pytest.raises(UnresolvedNameError, match=rf"the name {NAME} was not resolved within 0\.2 s"):
        connected((NAME, 443), SECONDS)
    assert addresses_of("192.0.2.7", 443, SECONDS) == ["192.0.2.7"]
    assert addresses_of("2001:db8::7", 443, SECONDS) == ["2001:db8::7"]


def test_a_keyring_that_asks_and_gets_no_answer_gives_no_password(waiting: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_secrets, "SECRET_SECONDS", SECONDS)
    monkeypatch.setattr(keyring, "get_password", waiting)
    with pytest.raises(CredentialsError, match=r"no password from keyring .*: it did not end within 0\.2 s"):
        password_of(endpoint(way="keyring", argument="vcenter"))


def test_every_address_of_a_name_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def listening() -> Iterator[int]:
        with socket.create_server(("127.0.0.1", 0)) as server:
            yield int(server.getsockname()[1])

    with listening() as port:
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in ("127.0.0.2", "127.0.0.1")]
        monkeypatch.setattr(socket, "getaddrinfo", lambda host, *_, **__: [one for one in found if host in (NAME, one[4][0])])
        with connected((NAME, port), 2.0) as plain:
            assert plain.getpeername() == ("127.0.0.1", port)


def test_what_the_work_raises_is_raised() -> None:
    def fails() -> int:
        raise KeyError("x")

    with pytest.raises(KeyError):
        within(5.0, fails)
    assert within(5.0, lambda: 7) == 7
