"""Nothing is asked of a vCenter that is not the one meant, and a password is tried once and never shown."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import ssl
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from auditor.endpoints.vcenter.session import open_vcenter
from auditor.errors import (
    CredentialsError,
    EndpointUnreachableError,
)
from auditor.model import Endpoint, Secret, Tls
from tests.endpoints.vcenter.vcenter_reading import Serve, names, options_of


def test_a_wrong_password_is_tried_once_and_never_shown(serve_vcenter: Serve, tmp_path: Path) -> None:
    server, endpoint = serve_vcenter()
    (tmp_path / "wrong").write_text("guess-4711")
    with (
        pytest.raises(CredentialsError) as caught,
        open_vcenter(dataclasses.replace(endpoint, password=Secret("file", (str(tmp_path / "wrong"),)))),
    ):
        pass
    assert server.requests.count("Login") == 1
    printed = io.StringIO()
    traceback.print_exception(caught.value, file=printed)
    assert "guess-4711" not in printed.getvalue() + repr(caught.value)
    assert "audit@vsphere.local" in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost"])
def test_a_certificate_of_an_unknown_authority_is_refused_also_on_loopback(serve_vcenter: Serve, address: str) -> None:
    server, endpoint = serve_vcenter()
    with (
        pytest.raises(EndpointUnreachableError, match="does not verify"),
        open_vcenter(dataclasses.replace(endpoint, address=address, tls=Tls())),
    ):
        pass
    assert server.requests == []


def test_a_certificate_for_another_name_is_refused(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter(names=("vc-east.example.net",))
    with pytest.raises(EndpointUnreachableError, match="does not verify"), open_vcenter(endpoint):
        pass
    assert server.requests == []


def test_a_pinned_certificate_is_the_only_one_trusted(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter(names=("another-name.example",))
    pem = ssl.get_server_certificate((server.host, server.port))
    pin = "sha256:" + hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()
    with open_vcenter(dataclasses.replace(endpoint, tls=Tls(fingerprint=pin))) as vcenter:
        assert len(names(vcenter)) == 3
    before = len(server.requests)
    with (
        pytest.raises(EndpointUnreachableError, match="pins"),
        open_vcenter(dataclasses.replace(endpoint, tls=Tls(fingerprint="sha256:" + "0" * 64))),
    ):
        pass
    assert len(server.requests) == before


def test_verification_is_off_only_when_fleet_yaml_says_so(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter(names=("another-name.example",))
    with open_vcenter(dataclasses.replace(endpoint, tls=Tls(verify=False))) as vcenter:
        assert len(names(vcenter)) == 3


def test_a_password_that_changed_meanwhile_is_tried_once_and_then_nothing_is_asked(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        manager = options_of(vcenter)
        server.sessions.expire()
        server.sessions._password = "changed"
        with ThreadPoolExecutor(8) as pool:
            errors = [one.exception() for one in [pool.submit(manager.QueryOptions, "Disk.") for _ in range(24)]]
        assert all(isinstance(error, CredentialsError) for error in errors)
        assert server.requests.count("Login") == 2


def test_vcsim_refuses_a_wrong_password(start_vcsim: Callable[..., Endpoint], tmp_path: Path) -> None:
    (tmp_path / "wrong").write_text("guess")
    with (
        pytest.raises(CredentialsError),
        open_vcenter(dataclasses.replace(start_vcsim(), password=Secret("file", (str(tmp_path / "wrong"),)))),
    ):
        pass


def test_a_password_that_is_not_there_opens_nothing(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    nowhere = dataclasses.replace(endpoint, password=Secret("env", ("AUDITOR_TEST_NO_SUCH_VARIABLE",)))
    with pytest.raises(CredentialsError, match="AUDITOR_TEST_NO_SUCH_VARIABLE"), open_vcenter(nowhere):
        pass
    assert "Login" not in server.requests
