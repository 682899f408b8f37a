"""Before a login the doctor checks name, port, certificate, host key and secret, and sends nothing to an endpoint that is not meant."""

from __future__ import annotations

import hashlib
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from auditor.doctor import examine
from auditor.engine.rules.rule import RuleSet
from auditor.fleet.loading import Fleet
from auditor.model import Endpoint, EndpointKind, Health, Limits, Secret, Ssh, Tls
from auditor_lab.authority import Authority
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.vcenter.server import VCenterServer
from tests.doctor.examined import Doctor, after, by_topic, states


def test_a_wrong_password_is_tried_once_and_the_rest_is_told_as_not_asked(
    doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCTOR_PASSWORD", "wrong-horse")
    checks = doctor.of_vcenter(password=Secret("env", ("DOCTOR_PASSWORD",)))
    assert states(checks) == after("login", EndpointKind.VCENTER)
    assert "refuses user auditor@vsphere.local" in checks["login"].what
    assert checks["hosts"].what == f"not asked: {checks['login'].what}"
    assert doctor.vcenter.requests.count("Login") == 1
    assert "wrong-horse" not in repr(checks)


def test_a_secret_that_is_not_there_is_told_and_nobody_logs_in(doctor: Doctor) -> None:
    checks = doctor.of_vcenter(password=Secret("env", ("DOCTOR_HAS_NO_SUCH_VARIABLE",)))
    assert states(checks) == after("secret", EndpointKind.VCENTER)
    assert "env DOCTOR_HAS_NO_SUCH_VARIABLE" in checks["secret"].what
    assert doctor.vcenter.requests == []


def fingerprint_of(server: VCenterServer) -> str:
    der = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate((server.host, server.port)))
    return f"sha256:{hashlib.sha256(der).hexdigest()}"


@pytest.mark.long
def test_a_certificate_of_another_authority_gets_no_request_and_is_told_with_its_fingerprint(doctor: Doctor, tmp_path: Path) -> None:
    Authority().write(tmp_path / "other.pem")
    checks = doctor.of_vcenter(tls=Tls(ca=str(tmp_path / "other.pem")))
    assert states(checks) == after("tls", EndpointKind.VCENTER)
    assert "does not verify" in checks["tls"].what
    assert f'tls: {{fingerprint: "{fingerprint_of(doctor.vcenter)}"}}' in checks["tls"].do
    assert "O=auditor lab" in str(checks["tls"].facts["issuer"])
    assert doctor.vcenter.requests == []
    pinned = doctor.of_vcenter(tls=Tls(fingerprint=str(checks["tls"].facts["fingerprint"])))
    assert pinned["tls"].state is Health.OK
    assert pinned["login"].state is Health.OK


def test_a_certificate_that_is_not_the_pinned_one_gets_no_request(doctor: Doctor) -> None:
    pin = f"sha256:{'0' * 64}"
    checks = doctor.of_vcenter(tls=Tls(fingerprint=pin))
    assert states(checks) == after("tls", EndpointKind.VCENTER)
    assert f"fleet.yaml pins {pin}" in checks["tls"].what
    assert "only if it was replaced" in checks["tls"].do
    assert doctor.vcenter.requests == []


def test_a_ca_file_that_is_not_there_is_the_endpoints_problem_alone(doctor: Doctor) -> None:
    lost = replace(doctor.endpoint("vc-solidfire"), tls=Tls(ca="/nowhere/ca.pem"))
    diagnosis = doctor.examine(lost, doctor.endpoint("sf-prod"))
    assert states(by_topic(diagnosis, "vc-solidfire")) == after("tls", EndpointKind.VCENTER)
    assert "/nowhere/ca.pem" in by_topic(diagnosis, "vc-solidfire")["tls"].what
    assert by_topic(diagnosis, "sf-prod")["login"].state is Health.OK


@pytest.mark.long
def test_trust_that_nobody_asks_for_is_a_warning(doctor: Doctor) -> None:
    diagnosis = doctor.examine(
        replace(doctor.endpoint("sf-prod"), tls=Tls(verify=False)),
        replace(eternus(doctor), ssh=Ssh(verify=False)),
    )
    tls, key = by_topic(diagnosis, "sf-prod")["tls"], by_topic(diagnosis, eternus(doctor).name)["host key"]
    assert [check.state for check in (tls, key)] == [Health.WARNING] * 2
    assert all(check.what.startswith("NOT VERIFIED") and "fingerprint" in check.do for check in (tls, key))
    assert all(by_topic(diagnosis, name)["login"].state is Health.OK for name in ("sf-prod", eternus(doctor).name))


@contextmanager
def certified(tmp_path: Path, description: VCenterDescription, days: float) -> Iterator[Endpoint]:
    """A vCenter whose certificate runs out in so many days."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "own-ca.pem"))
    (tmp_path / "own-password").write_text("some-password", encoding="utf-8")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    now = datetime.now(UTC)
    authority.issue_cert("127.0.0.1", not_before=now - timedelta(days=90), not_after=now + timedelta(days=days)).configure_cert(context)
    server = VCenterServer(description, context, "audit@vsphere.local", "some-password")
    with ExitStack() as stack:
        stack.callback(server.stop)
        secret = Secret("file", (str(tmp_path / "own-password"),))
        tls = Tls(ca=str(tmp_path / "own-ca.pem"))
        yield Endpoint(
            "own", EndpointKind.VCENTER, server.host, server.port, "audit@vsphere.local", secret, tls, Limits(timeout_seconds=30)
        )


@pytest.mark.parametrize(
    ("days", "state", "said"),
    [
        pytest.param(31.5, Health.OK, "valid until", id="a month"),
        pytest.param(29.5, Health.WARNING, "expires in 29 days", id="less than a month"),
        pytest.param(-1.0, Health.PROBLEM, "expired", id="not any more"),
    ],
)
def test_a_certificate_that_runs_out_is_told_in_time(
    tmp_path: Path, small_vcenter: VCenterDescription, rules: RuleSet, days: float, state: Health, said: str
) -> None:
    with certified(tmp_path, small_vcenter, days) as endpoint:
        checks = by_topic(examine(Fleet(Path("f"), (endpoint,)), rules, lambda *_: None), "own")
    assert checks["tls"].state is state
    assert said in checks["tls"].what
    assert (checks["login"].state is Health.OK) == (state is not Health.PROBLEM)


def test_a_closed_port_leaves_the_secret_to_be_told_and_nothing_else(doctor: Doctor) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        checks = doctor.of_vcenter(port=taken.getsockname()[1])
    assert states(checks) == after("port", EndpointKind.VCENTER)
    assert "refused" in checks["port"].what
    assert checks["tls"].what == f"not asked: {checks['port'].what}"


def test_a_name_that_does_not_resolve(doctor: Doctor) -> None:
    checks = doctor.of_vcenter(address=f"{'long' * 16}.example.net")  # no label may have 64 letters: no name server is asked
    assert states(checks) == after("name", EndpointKind.VCENTER)
    assert "does not resolve" in checks["name"].what


def test_what_is_not_tls_is_told_so(doctor: Doctor) -> None:
    array = doctor.lab.eternus[eternus(doctor).name]
    checks = doctor.of_vcenter(address=array.host, port=array.port, limits=Limits(timeout_seconds=30))
    assert states(checks) == after("tls", EndpointKind.VCENTER)
    assert "no TLS handshake" in checks["tls"].what


def eternus(doctor: Doctor) -> Endpoint:
    return next(endpoint for endpoint in doctor.fleet.endpoints if endpoint.kind is EndpointKind.ETERNUS)


def known_hosts(path: Path, endpoint: Endpoint, key: str) -> Ssh:
    path.write_text(f"[{endpoint.address}]:{endpoint.port} {key}\n", encoding="utf-8")
    return Ssh(known_hosts=str(path))


OTHER_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB6Wx2DNcNXmHo3gxVHcQGyhwxk6H7rBpDkSnQJNMtOc"


@pytest.mark.parametrize("way", ["pinned", "known", "another pinned", "another known", "not known", "no such file"])
def test_a_host_key_is_compared_before_anybody_logs_in(doctor: Doctor, tmp_path: Path, way: str) -> None:
    endpoint = eternus(doctor)
    server = doctor.lab.eternus[endpoint.name]
    file = tmp_path / "known_hosts"
    trust: dict[str, Callable[[], Ssh | None]] = {
        "pinned": lambda: endpoint.ssh,
        "known": lambda: known_hosts(file, endpoint, server.host_key.public),
        "another pinned": lambda: Ssh(fingerprint=f"SHA256:{'A' * 43}"),
        "another known": lambda: known_hosts(file, endpoint, OTHER_KEY),
        "not known": lambda: known_hosts(file, replace(endpoint, port=1), server.host_key.public),
        "no such file": lambda: Ssh(known_hosts=str(tmp_path / "nowhere")),
    }
    ssh = trust[way]()
    checks = by_topic(doctor.examine(replace(endpoint, ssh=ssh)), endpoint.name)
    if way in ("pinned", "known"):
        assert states(checks)["host key"] is states(checks)["login"] is Health.OK
        return
    assert states(checks) == after("host key", EndpointKind.ETERNUS)
    assert server.requests == []
    if way == "no such file":
        assert str(tmp_path / "nowhere") in checks["host key"].what
    else:
        assert f'ssh: {{fingerprint: "{server.host_key.fingerprint}"}}' in checks["host key"].do
