"""Certificates are checked by default, on loopback too; a pinned one is the only one trusted."""

import hashlib
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from auditor.endpoints.common.tls import tls_context
from auditor.errors import ConfigurationError, EndpointUnreachableError
from auditor.model import Endpoint, EndpointKind, Limits, Secret, Tls
from auditor_lab.authority import Authority
from tests.waiting import PATIENCE_SECONDS


@contextmanager
def listening(context: ssl.SSLContext) -> Iterator[int]:
    """A port that shakes hands with every client."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            try:
                with context.wrap_socket(connection, server_side=True):
                    pass
            except OSError:
                connection.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def endpoint(port: int, tls: Tls) -> Endpoint:
    return Endpoint("e", EndpointKind.VCENTER, "127.0.0.1", port, "u", Secret("env", ("X",)), tls, Limits(timeout_seconds=5))


def shakes_hands(to: Endpoint, context: ssl.SSLContext) -> bool:
    with socket.create_connection((to.address, to.port), timeout=PATIENCE_SECONDS) as plain:
        try:
            context.wrap_socket(plain, server_hostname=to.address).close()
        except ssl.SSLError:
            return False
    return True


@pytest.mark.parametrize(
    ("names", "trusted", "accepted"),
    [
        pytest.param(["127.0.0.1"], True, True, id="right name, known authority"),
        pytest.param(["vc.example.net"], True, False, id="certificate for another name"),
        pytest.param(["127.0.0.1"], False, False, id="authority nobody knows"),
    ],
)
def test_a_certificate_is_checked_for_name_and_authority(tmp_path: Path, names: list[str], trusted: bool, accepted: bool) -> None:
    authority = Authority()
    (authority if trusted else Authority()).write(tmp_path / "ca.pem")
    with listening(authority.server_context(*names)) as port:
        to = endpoint(port, Tls(ca=str(tmp_path / "ca.pem")))
        assert shakes_hands(to, tls_context(to)) is accepted


def test_without_any_setting_a_lab_certificate_is_refused() -> None:
    with listening(Authority().server_context("127.0.0.1")) as port:
        to = endpoint(port, Tls())
        assert not shakes_hands(to, tls_context(to))


def test_only_the_pinned_certificate_is_accepted() -> None:
    authority = Authority()
    pinned, other = authority.server_context("elsewhere.example"), authority.server_context("127.0.0.1")
    with listening(pinned) as port:
        der = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", port)))
        fingerprint = "sha256:" + hashlib.sha256(der).hexdigest()
        to = endpoint(port, Tls(fingerprint=fingerprint))
        context = tls_context(to)
        assert shakes_hands(to, context)
    with listening(other) as port:
        # Even a certificate of the same authority is not the one that was pinned.
        assert not shakes_hands(endpoint(port, Tls()), context)
        with pytest.raises(EndpointUnreachableError, match=r"fleet\.yaml pins"):
            tls_context(endpoint(port, Tls(fingerprint=fingerprint)))


def test_unverified_is_possible_only_when_asked_for() -> None:
    with listening(Authority().server_context("elsewhere.example")) as port:
        to = endpoint(port, Tls(verify=False))
        assert shakes_hands(to, tls_context(to))


@pytest.mark.parametrize("content", [pytest.param(None, id="missing"), pytest.param("not a certificate", id="not PEM")])
def test_a_bad_authority_file_is_a_mistake_in_the_configuration(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "ca.pem"
    if content:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"ca\.pem"):
        tls_context(endpoint(1, Tls(ca=str(path))))
