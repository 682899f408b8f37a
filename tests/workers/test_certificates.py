"""The certificates of scheduler, workers and clients: what they are good for, who may read their keys, and that Dask goes by them."""

from __future__ import annotations

import asyncio
import ipaddress
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID
from distributed.core import rpc
from distributed.scheduler import Scheduler
from distributed.security import Security

from auditor.errors import ConfigurationError
from auditor.workers.certificates import ROLES, files_of, make_certificates
from auditor.workers.security import certificates_folder, is_read_by_others, security_of, valid_until

CALLS, SERVES = ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("workers") / "new" / "certificates"
    make_certificates(folder, ("scheduler.example.net", "192.0.2.7"), days=30)
    return folder


def certificate(path: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(path.read_bytes())


def test_each_role_gets_its_files_and_only_their_owner_may_read_a_key(made: Path) -> None:
    assert {path.name for path in made.iterdir()} == {name for role in ROLES for name in files_of(role)}
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in made.glob("*-key.pem")} == {0o600}


def test_the_key_of_the_authority_is_written_nowhere(made: Path) -> None:
    authority = certificate(made / "ca.pem").public_key()
    keys = [path.read_bytes() for path in made.iterdir() if b"PRIVATE KEY" in path.read_bytes()]
    assert len(keys) == len(ROLES)
    assert authority not in [certificate(made / files_of(role)[1]).public_key() for role in ROLES]


def test_the_authority_signs_and_nothing_else_does(made: Path) -> None:
    authority = certificate(made / "ca.pem")
    assert authority.extensions.get_extension_for_class(x509.BasicConstraints).value == x509.BasicConstraints(ca=True, path_length=0)
    assert authority.extensions.get_extension_for_class(x509.KeyUsage).value.key_cert_sign
    for role in ROLES:
        own = certificate(made / files_of(role)[1])
        own.verify_directly_issued_by(authority)
        assert not own.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
        assert not own.extensions.get_extension_for_class(x509.KeyUsage).value.key_cert_sign


@pytest.mark.parametrize(("role", "uses"), [("scheduler", {CALLS, SERVES}), ("worker", {CALLS, SERVES}), ("client", {CALLS})])
def test_a_client_cannot_pass_for_a_scheduler_or_a_worker(made: Path, role: str, uses: set[x509.ObjectIdentifier]) -> None:
    assert set(certificate(made / files_of(role)[1]).extensions.get_extension_for_class(x509.ExtendedKeyUsage).value) == uses


def test_those_who_serve_have_the_names_that_were_given_and_those_of_loopback(made: Path) -> None:
    names = certificate(made / "worker.pem").extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["localhost", "scheduler.example.net"]
    assert [str(one) for one in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1", "::1", "192.0.2.7"]
    assert ipaddress.ip_address("192.0.2.7") in names.get_values_for_type(x509.IPAddress)


def test_they_are_valid_for_as_long_as_was_requested(made: Path) -> None:
    left = valid_until(made, "client") - datetime.now(UTC)
    assert timedelta(days=29, hours=23) < left <= timedelta(days=30)


@pytest.mark.parametrize("there", ["ca.pem", "client-key.pem"])
def test_nothing_that_is_there_is_overwritten_and_nothing_is_left_half_made(tmp_path: Path, there: str) -> None:
    (tmp_path / there).write_text("mine", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="is there already"):
        make_certificates(tmp_path)
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {there: "mine"}


@pytest.mark.parametrize("name", ["", "two words", "https://example.net", "example.net:8786", "a@b"])
def test_what_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match="is not a host name or an address"):
        make_certificates(tmp_path / "new", (name,))
    assert not (tmp_path / "new").exists()


def test_a_role_needs_its_own_files_alone(made: Path, tmp_path: Path) -> None:
    for name in files_of("client"):
        (tmp_path / name).write_bytes((made / name).read_bytes())
    assert security_of(tmp_path, "client").require_encryption is True
    with pytest.raises(ConfigurationError, match=r"worker\.pem is not there"):
        security_of(tmp_path, "worker")


def changed(made: Path, folder: Path, case: str) -> None:
    """Another set in `folder`, in which something is wrong."""
    make_certificates(folder, now=datetime.now(UTC) - timedelta(days=400 if case == "expired" else 0))
    taken = {"another authority": "ca.pem", "another key": "client-key.pem"}.get(case)
    if taken is not None:
        (folder / taken).write_bytes((made / taken).read_bytes())
    if case == "damaged certificate":
        (folder / "client.pem").write_text("hunter2", encoding="utf-8")
    if case == "damaged key":
        (folder / "client-key.pem").write_text("hunter2", encoding="utf-8")


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ("expired", "and not now"),
        ("another authority", "is not of the authority in"),
        ("another key", "is not the private key of"),
        ("damaged certificate", "is not a certificate in PEM form"),
        ("damaged key", "is not a private key in PEM form"),
    ],
)
def test_what_would_fail_in_a_handshake_is_named_before(made: Path, tmp_path: Path, case: str, says: str) -> None:
    changed(made, tmp_path / "set", case)
    with pytest.raises(ConfigurationError, match=says) as caught:
        security_of(tmp_path / "set", "client")
    assert "hunter2" not in str(caught.value)


def test_a_key_that_others_may_read_is_noticed(tmp_path: Path) -> None:
    make_certificates(tmp_path)
    for mode in (0o600, 0o640):  # a group is how Kubernetes hands a secret to an account that is not root
        (tmp_path / "worker-key.pem").chmod(mode)
        assert not is_read_by_others(tmp_path, "worker")
    (tmp_path / "worker-key.pem").chmod(0o644)
    assert is_read_by_others(tmp_path, "worker")


@pytest.mark.parametrize(
    ("option", "environment", "folder"),
    [
        pytest.param(Path("given"), {"AUDITOR_WORKERS_CERTIFICATES": "/env"}, Path("given"), id="the option counts first"),
        pytest.param(None, {"AUDITOR_WORKERS_CERTIFICATES": "/env", "XDG_CONFIG_HOME": "/x"}, Path("/env"), id="then the variable"),
        pytest.param(None, {"XDG_CONFIG_HOME": "/x"}, Path("/x/auditor/workers"), id="then the folder of settings"),
        pytest.param(None, {}, Path.home() / ".config/auditor/workers", id="which is ~/.config"),
    ],
)
def test_where_the_certificates_are(option: Path | None, environment: dict[str, str], folder: Path) -> None:
    assert certificates_folder(option, environment) == folder


async def answer(serving: Security, calling: Security | None) -> str:
    """What a scheduler with TLS says that it is, or "refused". None as the caller's TLS: it has none."""
    async with Scheduler(host="127.0.0.1", port=0, security=serving, dashboard=False, dashboard_address="127.0.0.1:0") as scheduler:
        address, arguments = scheduler.address, {} if calling is None else calling.get_connection_args("client")
        address = address if calling is not None else address.replace("tls://", "tcp://")
        async with rpc(address, connection_args=arguments, timeout=1) as remote:
            try:
                return str((await asyncio.wait_for(remote.identity(), 2))["type"])
            except OSError:
                return "refused"


def security(authority: Path, role: str, own: Path, shown: str) -> Security:
    """TLS settings of a role that shows the certificate of another set or role."""
    shows = {f"tls_{role}_cert": str(own / f"{shown}.pem"), f"tls_{role}_key": str(own / f"{shown}-key.pem")}
    return Security(require_encryption=True, tls_ca_file=str(authority / "ca.pem"), **shows)


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("foreign")
    make_certificates(folder)
    return folder


def test_a_scheduler_answers_a_client_of_its_own_set(made: Path) -> None:
    assert asyncio.run(answer(security_of(made, "scheduler"), security_of(made, "client"))) == "Scheduler"


def test_a_scheduler_answers_nobody_without_a_certificate_of_its_authority(made: Path, foreign: Path) -> None:
    serving = security_of(made, "scheduler")
    assert asyncio.run(answer(serving, None)) == "refused"
    assert asyncio.run(answer(serving, security(made, "client", foreign, "client"))) == "refused", "it knows the authority, which is public"


def test_a_client_speaks_to_nobody_who_is_no_scheduler_or_worker_of_its_set(made: Path, foreign: Path) -> None:
    calling = security_of(made, "client")
    assert asyncio.run(answer(security(made, "scheduler", foreign, "scheduler"), calling)) == "refused"
    assert asyncio.run(answer(security(made, "scheduler", made, "client"), calling)) == "refused", "a client's certificate does not serve"


def test_during_a_renewal_old_and_new_certificates_are_known_to_each_other(made: Path, tmp_path: Path) -> None:
    make_certificates(tmp_path / "new")
    both = (made / "ca.pem").read_bytes() + (tmp_path / "new" / "ca.pem").read_bytes()
    for name, source in (("old", made), ("renewed", tmp_path / "new")):
        (tmp_path / name).mkdir()
        for path in source.iterdir():
            (tmp_path / name / path.name).write_bytes(both if path.name == "ca.pem" else path.read_bytes())
    assert asyncio.run(answer(security_of(tmp_path / "old", "scheduler"), security_of(tmp_path / "renewed", "client"))) == "Scheduler"
