"""Through a proxy or a jump host an endpoint is read as on a straight way, and trusted no more easily."""

from __future__ import annotations

import hashlib
import os
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from pyVmomi import vim

from auditor.contract.doubles import serving_https
from auditor.doctor.connection import examine_connection
from auditor.endpoints.common import routes as module
from auditor.endpoints.common.https import HttpsSession, Request
from auditor.endpoints.eternus.client import open_eternus
from auditor.endpoints.vcenter.automation import open_automation
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.errors import ConfigurationError, CredentialsError, EndpointUnreachableError
from auditor.fleet.loading import load_fleet
from auditor.model import Endpoint, EndpointKind, Health, Jump, Proxy, Secret, Ssh, Tls
from auditor_lab.arrays.eternus.description import EternusDescription
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.wire import Answer
from tests.endpoints.arrays import serving_array
from tests.endpoints.common.routes import Ipv6Door, JumpDouble, ProxyDouble
from tests.waiting import PATIENCE_SECONDS

Serve = Callable[..., tuple[VCenterServer, Endpoint]]
Route = Proxy | Jump
NAME = "vc.example.net"
"""No machine of that name is looked up: what leads there takes it for loopback."""
DX = EternusDescription("dx", firmware="V10L66-0000", model_name="ET103ACU", uid_prefix="600000e00d2900000029ffff")
pytestmark = pytest.mark.posix_only


@pytest.fixture
def proxy() -> Iterator[ProxyDouble]:
    double = ProxyDouble()
    yield double
    double.stop()


@pytest.fixture
def jump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[JumpDouble]:
    folder = tmp_path / "jump"
    folder.mkdir()
    double = JumpDouble(folder)
    monkeypatch.setenv("PATH", str(double.path), prepend=os.pathsep)
    yield double
    double.stop()


@pytest.fixture(params=["proxy", "jump"])
def route(request: pytest.FixtureRequest) -> Route:
    double = request.getfixturevalue(request.param)
    return Proxy("127.0.0.1", double.port) if isinstance(double, ProxyDouble) else Jump("jump")


def test_a_vcenter_is_read_by_every_wire(serve_vcenter: Serve, route: Route) -> None:
    _, endpoint = serve_vcenter(names=(NAME,))
    endpoint = replace(endpoint, address=NAME, route=route)
    with open_vcenter(endpoint) as vcenter:
        assert len(list(vcenter.read(vim.HostSystem, ("name",)))) == 3
        assert len(vcenter.bulk.page("HostSystem", ("name",), vcenter.bulk.refs("HostSystem"))[0]) == 3
        assert vcenter.transport == "vijson"
    with open_automation(endpoint) as automation:
        assert list(automation.tags()) is not None


def test_an_array_is_read_by_https(tmp_path: Path, route: Route) -> None:
    with serving_https(EndpointKind.FLASHARRAY, tmp_path, lambda _: Answer(b"{}", "application/json"), lambda _: "") as (_, endpoint):
        session = HttpsSession(replace(endpoint, route=route), "/api/")
        try:
            assert session.ask(Request("GET volumes", "GET", "volumes", is_read=True)).body == b"{}"
        finally:
            session.close()


def test_an_array_is_read_by_ssh(tmp_path: Path, route: Route) -> None:
    with serving_array(EndpointKind.ETERNUS, DX, tmp_path) as (_, endpoint):
        led = replace(endpoint, address="dx.example.net", route=route)
        with open_eternus(led) as array:
            assert array.release.startswith("ETERNUS")
        checks = {check.topic: check for check in examine_connection(led)}
        assert checks["host key"].state is Health.OK
        wrong = replace(led, ssh=Ssh(fingerprint="SHA256:" + "A" * 43))
        with pytest.raises(EndpointUnreachableError, match="shows host key"), open_eternus(wrong):
            pass


@contextmanager
def by_ipv6(endpoint: Endpoint, way: Route | None) -> Iterator[Endpoint]:
    """`endpoint` at the IPv6 loopback."""
    door = Ipv6Door(endpoint.port)
    try:
        yield replace(endpoint, address="::1", port=door.port, route=way)
    finally:
        door.stop()


@pytest.mark.long
@pytest.mark.parametrize("way", [None, "proxy", "jump"], ids=["straight", "proxy", "jump"])
def test_an_endpoint_may_have_an_ipv6_address(
    serve_vcenter: Serve, way: str | None, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    double = None if way is None else request.getfixturevalue(way)
    led = None if double is None else Proxy("127.0.0.1", double.port) if way == "proxy" else Jump("jump")
    _, endpoint = serve_vcenter(names=("::1",))
    with by_ipv6(endpoint, led) as there:
        with open_vcenter(there) as vcenter:
            assert len(vcenter.bulk.page("HostSystem", ("name",), vcenter.bulk.refs("HostSystem"))[0]) == 3
            assert vcenter.transport == "vijson"
        with open_automation(there) as automation:
            assert list(automation.tags()) == []
        assert {check.state for check in examine_connection(there)} == {Health.OK}
    with by_ipv6(serve_vcenter()[1], led) as other, pytest.raises(EndpointUnreachableError, match="does not verify"), open_vcenter(other):
        pass
    with serving_https(EndpointKind.FLASHARRAY, tmp_path, lambda _: Answer(b"{}", "application/json"), lambda _: "") as (_, array):
        shown = hashlib.sha256(ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate((array.address, array.port)))).hexdigest()
        with by_ipv6(replace(array, tls=Tls(fingerprint=f"sha256:{shown}")), led) as there:
            session = HttpsSession(there, "/api/")
            assert session.ask(Request("GET volumes", "GET", "volumes", is_read=True)).body == b"{}"
            session.close()
    with serving_array(EndpointKind.ETERNUS, DX, tmp_path) as (_, array), by_ipv6(array, led) as there, open_eternus(there) as shell:
        assert shell.release.startswith("ETERNUS")


@contextmanager
def refusing(endpoint: Endpoint) -> Iterator[None]:
    """Nobody can be logged in to there, by any of the clients."""
    for opener in (open_vcenter, open_automation):
        with pytest.raises(EndpointUnreachableError), opener(endpoint):
            pass
    session = HttpsSession(endpoint, "/api/")
    try:
        with pytest.raises(EndpointUnreachableError, match=r"(?i)certificate"):
            session.ask(Request("GET volumes", "GET", "volumes", is_read=True))
    finally:
        session.close()
    yield


@pytest.mark.long
def test_a_certificate_is_checked_as_on_a_straight_way(serve_vcenter: Serve, route: Route) -> None:
    server, endpoint = serve_vcenter(names=(NAME,))
    led = replace(endpoint, address=NAME, route=route)
    with refusing(replace(led, tls=Tls())), refusing(replace(led, address="other.example.net")):
        assert server.requests == [], "no password was sent"
    pin = {check.topic: check for check in examine_connection(led)}["tls"].facts["fingerprint"]
    with open_vcenter(replace(led, address="any.example.net", tls=Tls(fingerprint=str(pin)))):
        pass
    with (
        pytest.raises(EndpointUnreachableError, match=r"fleet\.yaml pins"),
        open_vcenter(replace(led, tls=Tls(fingerprint="sha256:" + "0" * 64))),
    ):
        pass


def test_the_doctor_says_by_which_way_it_looked(serve_vcenter: Serve, route: Route) -> None:
    _, endpoint = serve_vcenter(names=(NAME,))
    checks = {check.topic: check for check in examine_connection(replace(endpoint, address=NAME, route=route))}
    assert {check.state for check in checks.values()} == {Health.OK}
    assert checks["name"].what == f"{NAME} is looked up by {route}"
    assert str(route) in checks["port"].what


def test_a_proxy_is_logged_in_to_by_a_secret(serve_vcenter: Serve, proxy: ProxyDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    _, endpoint = serve_vcenter(names=(NAME,))
    proxy.login = "audit:hunter2"
    monkeypatch.setenv("PROXY_PASSWORD", "hunter2")
    route = Proxy("127.0.0.1", proxy.port, "audit", Secret("env", ("PROXY_PASSWORD",)))
    led = replace(endpoint, address=NAME, route=route)
    with open_vcenter(led):
        assert set(proxy.asked) == {f"{NAME}:{endpoint.port}"}
    monkeypatch.setenv("PROXY_PASSWORD", "guess-4711")
    with pytest.raises(EndpointUnreachableError, match="HTTP 407, it wants another user or password") as caught, open_vcenter(led):
        pass
    assert not any(word in str(caught.value) for word in ("hunter2", "guess-4711"))
    monkeypatch.delenv("PROXY_PASSWORD")
    with pytest.raises(CredentialsError, match="endpoint vc-test: proxy: no password"), open_vcenter(replace(endpoint, route=route)):
        pass


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        pytest.param(b"HTTP/1.1 403 hunter2\r\n\r\n", "HTTP 403, it may not", id="forbidden"),
        pytest.param(b"HTTP/1.1 302 x\r\nLocation: https://example.net/\r\n\r\n", "HTTP 302", id="a redirect, not followed"),
        pytest.param(b"SSH-2.0-hunter2\r\n\r\n", "it does not answer as an HTTP proxy does", id="no HTTP"),
        pytest.param(b"", "it does not answer as an HTTP proxy does", id="nothing"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\n" + b"X: hunter2\r\n" * 2000 + b"\r\n", "it does not answer as an HTTP proxy does", id="a head of 24 KiB"
        ),
    ],
)
def test_a_proxy_that_does_not_connect_says_why(serve_vcenter: Serve, proxy: ProxyDouble, answer: bytes, says: str) -> None:
    server, endpoint = serve_vcenter(names=(NAME,))
    proxy.answer = answer
    route = Proxy("127.0.0.1", proxy.port)
    with pytest.raises(EndpointUnreachableError) as caught, open_vcenter(replace(endpoint, address=NAME, route=route)):
        pass
    assert f"the proxy 127.0.0.1:{proxy.port} does not connect to {NAME}:{endpoint.port}: {says}" in caught.value.what
    assert "hunter2" not in str(caught.value)
    with (
        pytest.raises(EndpointUnreachableError, match=f"does not connect to {NAME}:"),
        open_automation(replace(endpoint, address=NAME, route=route)),
    ):
        pass
    assert server.requests == []


def test_no_variable_of_the_environment_names_a_proxy(serve_vcenter: Serve, proxy: ProxyDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    _, endpoint = serve_vcenter()
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
    with open_vcenter(endpoint):
        pass
    with open_automation(endpoint):
        pass
    HttpsSession(endpoint, "/api/").close()
    assert proxy.asked == []


def test_a_jump_host_that_leads_nowhere_says_why_without_signs_that_steer_a_terminal(serve_vcenter: Serve, jump: JumpDouble) -> None:
    _, endpoint = serve_vcenter(names=(NAME,))
    jump.refuses = True
    led = replace(endpoint, address=NAME, route=Jump("jump"))
    for opener in (open_vcenter, open_automation):
        with pytest.raises(EndpointUnreachableError) as caught, opener(led):
            pass
    reason = r"the jump host jump does not lead on: .*administratively prohibited"
    with pytest.raises(EndpointUnreachableError, match=reason) as caught, open_vcenter(led):
        pass
    assert "\x1b" not in str(caught.value)
    assert (NAME, endpoint.port) in jump.asked
    session = HttpsSession(led, "/api/")
    with pytest.raises(EndpointUnreachableError, match="the jump host jump does not lead on"):
        session.ask(Request("GET volumes", "GET", "volumes", is_read=True))
    session.close()


@pytest.mark.parametrize(
    ("says", "shown"),
    [
        pytest.param(r"printf 'one\nno\033[31m  way\007\n' >&2", "one; no[31m way", id="signs that steer a terminal"),
        pytest.param("true", "ssh ended with status 255", id="nothing"),
        pytest.param("yes 0123456789 | head -c 200000 >&2", "0123456789; 0123456789", id="no end of words"),
    ],
)
def test_ssh_is_called_so_that_it_asks_nobody_and_what_it_says_is_bounded(
    serve_vcenter: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, shown: str
) -> None:
    _, endpoint = serve_vcenter(timeout_seconds=20)
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin" / "ssh"
    fake.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path / "words"}\n{says}\nexit 255\n', encoding="utf-8")
    fake.chmod(0o700)
    monkeypatch.setenv("PATH", str(fake.parent), prepend=os.pathsep)
    with pytest.raises(EndpointUnreachableError) as caught, open_vcenter(replace(endpoint, address="fd00::1", route=Jump("u@h"))):
        pass
    words = (tmp_path / "words").read_text(encoding="utf-8").splitlines()
    assert words == ["-o", "BatchMode=yes", "-o", "ConnectTimeout=20", "-W", f"[fd00::1]:{endpoint.port}", "--", "u@h"]
    assert shown in caught.value.what
    assert len(caught.value.what) < 400


def test_what_is_wrong_behind_a_jump_host_is_not_held_against_it(jump: JumpDouble, serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter(names=(NAME,))
    with serving_array(EndpointKind.ETERNUS, DX, jump.path.parent) as (_, speaks_ssh):
        led = replace(endpoint, port=speaks_ssh.port, route=Jump("jump"))
        session = HttpsSession(led, "/api/")
        for ask in (open_vcenter(led).__enter__, lambda: session.ask(Request("GET volumes", "GET", "volumes", is_read=True))):
            with pytest.raises(EndpointUnreachableError) as caught:
                ask()
            assert "WRONG_VERSION_NUMBER" in caught.value.what
            assert "does not lead on" not in caught.value.what
        session.close()


def test_the_host_key_of_a_jump_host_is_checked_as_ssh_is_set_up(serve_vcenter: Serve, jump: JumpDouble) -> None:
    _, endpoint = serve_vcenter(names=(NAME,))
    jump.known.write_text("", encoding="utf-8")
    with pytest.raises(EndpointUnreachableError, match="Host key verification failed"), open_vcenter(replace(endpoint, route=Jump("jump"))):
        pass
    assert jump.asked == []


def test_without_ssh_it_is_said_to_be_missing(serve_vcenter: Serve, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _, endpoint = serve_vcenter()
    monkeypatch.setenv("PATH", str(tmp_path))
    led, missing = replace(endpoint, route=Jump("jump")), "ssh, which leads through the jump host, cannot be started"
    with pytest.raises(EndpointUnreachableError, match=missing), open_vcenter(led):
        pass


def test_windows_is_told_that_it_has_no_jump_hosts(serve_vcenter: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    _, endpoint = serve_vcenter()
    monkeypatch.setattr(module, "on_windows", lambda: True)
    with (
        pytest.raises(EndpointUnreachableError, match="give `proxy:`, or run auditor on Linux"),
        open_vcenter(replace(endpoint, route=Jump("j"))),
    ):
        pass


def test_every_process_of_ssh_ends_with_its_connection(serve_vcenter: Serve, jump: JumpDouble) -> None:
    _, endpoint = serve_vcenter(names=(NAME,))
    with open_vcenter(replace(endpoint, address=NAME, route=Jump("jump"))):
        running: set[subprocess.Popen[bytes]] = set(module._running)
        assert running
        assert all(os.getsid(one.pid) == one.pid for one in running), "Ctrl-C is not for them"
    until = time.monotonic() + PATIENCE_SECONDS
    while module._running and time.monotonic() < until:
        time.sleep(0.01)
    assert not module._running


def loaded(folder: Path, keys: str) -> Endpoint:
    path = folder / "fleet.yaml"
    login = "username: u, password: {env: P}"
    path.write_text(f"endpoints:\n  - {{name: a, kind: vcenter, address: a.example.net, {login}, {keys}}}\n", encoding="utf-8")
    [endpoint] = load_fleet(path).endpoints
    return endpoint


@pytest.mark.parametrize(
    ("keys", "route"),
    [
        pytest.param("proxy: {address: 'proxy.example.net:3128'}", Proxy("proxy.example.net", 3128), id="proxy"),
        pytest.param("proxy: {address: 'http://[fd00::1]:80/'}", Proxy("fd00::1", 80), id="proxy by a URL"),
        pytest.param(
            "proxy: {address: 'p:3128', username: u, password: {env: Q}}", Proxy("p", 3128, "u", Secret("env", ("Q",))), id="with a login"
        ),
        pytest.param("jump: audit@jump.example.net", Jump("audit@jump.example.net"), id="jump host"),
        pytest.param("jump: 'ssh://audit@[fd00::1]:2222'", Jump("ssh://audit@[fd00::1]:2222"), id="jump host by a URL"),
        pytest.param("jump: bastion", Jump("bastion"), id="a name of the ssh configuration"),
    ],
)
def test_fleet_yaml_says_what_leads_to_an_endpoint(tmp_path: Path, keys: str, route: Route) -> None:
    assert loaded(tmp_path, keys).route == route


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        pytest.param("proxy: {address: 'https://p:3128'}", "HOST:PORT of an HTTP proxy", id="TLS to a proxy"),
        pytest.param("proxy: {address: 'p'}", "HOST:PORT of an HTTP proxy", id="no port"),
        pytest.param("proxy: {address: 'u:hunter2@p:3128'}", "HOST:PORT of an HTTP proxy", id="a password in the address"),
        pytest.param("proxy: {address: 'p:99999'}", "is not HOST:PORT", id="no such port"),
        pytest.param("proxy: {address: 'p:3128', username: u}", "needs both username and password", id="half a login"),
        pytest.param("jump: -oProxyCommand=reboot", "user@host", id="an option of ssh"),
        pytest.param("jump: u@-oProxyCommand=reboot", "user@host", id="an option behind a user"),
        pytest.param("jump: 'u@h;reboot'", "user@host", id="a command"),
        pytest.param("jump: u@h, proxy: {address: 'p:3128'}", "takes one of proxy, jump", id="two ways"),
    ],
)
def test_a_way_that_is_none_is_a_mistake_of_the_file(tmp_path: Path, keys: str, says: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        loaded(tmp_path, keys)
    assert says in caught.value.what
    assert "hunter2" not in caught.value.what
