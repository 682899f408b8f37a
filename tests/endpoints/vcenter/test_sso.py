"""A vCenter is logged in to by a token of its single sign-on, which a password, a certificate or somebody else got."""

from __future__ import annotations

import hashlib
import ssl
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from pyVmomi import vim

from auditor.doctor.connection import examine_connection
from auditor.endpoints.vcenter.automation import open_automation
from auditor.endpoints.vcenter.session import VCenter, open_vcenter
from auditor.endpoints.vcenter.sso import _token_in
from auditor.errors import ConfigurationError, CredentialsError, EndpointUnreachableError, MalformedAnswerError
from auditor.fleet.loading import load_fleet
from auditor.model import Endpoint, Exchange, Health, OpenSession, Secret, Sso, Tls
from auditor.recording.exchanges import LOGINS
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.wire import Answer
from tests.conftest import VCENTER_PASSWORD
from tests.endpoints.vcenter.sso_double import SingleSignOn, envelope_of
from tests.peers import go_binary, running_vcsim

Serve = Callable[..., tuple[VCenterServer, Endpoint]]
NOBODY = Secret("none", ())
KEY = rsa.generate_private_key(65537, 2048)


def certificate(key: rsa.RSAPrivateKey = KEY, *, days: int = 30) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "auditor")])
    begins = datetime.now(UTC) - timedelta(days=60)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    return made.not_valid_before(begins).not_valid_after(datetime.now(UTC) + timedelta(days=days)).sign(key, hashes.SHA256())


class Estate:
    """A vCenter with single sign-on, and the files of a certificate that it knows."""

    def __init__(self, serve: Serve, folder: Path) -> None:
        self.server, self.endpoint = serve()
        self.folder = folder
        registered = certificate()
        self.sso = SingleSignOn(self.server, registered)
        self.pem, self.key = folder / "auditor.pem", folder / "auditor.key"
        self.pem.write_bytes(registered.public_bytes(Encoding.PEM))
        self.pair = Sso(str(self.pem), str(self.key))
        self.write_key(KEY)

    def write_key(self, key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey, passphrase: bytes | None = None) -> None:
        kept = NoEncryption() if passphrase is None else BestAvailableEncryption(passphrase)
        self.key.touch(0o600)
        self.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, kept))

    @property
    def by_password(self) -> Endpoint:
        return replace(self.endpoint, login=Sso())

    @property
    def by_certificate(self) -> Endpoint:
        return replace(self.endpoint, username="", password=NOBODY, login=self.pair)

    def by_token(self, token: str, *, holder: bool = False) -> Endpoint:
        path = self.folder / "token"
        path.write_text(token + "\n", encoding="utf-8")
        login = replace(self.pair, has_token=True) if holder else Sso(has_token=True)
        return replace(self.endpoint, username="", password=Secret("file", (str(path),)), login=login)


@pytest.fixture
def estate(serve_vcenter: Serve, tmp_path: Path) -> Estate:
    return Estate(serve_vcenter, tmp_path)


def hosts(vcenter: VCenter) -> list[str]:
    return sorted(facts.values["name"] for facts in vcenter.read(vim.HostSystem, ("name",)))


def test_a_token_by_a_password_opens_a_session_and_again_when_that_has_ended(estate: Estate) -> None:
    with open_vcenter(estate.by_password) as vcenter:
        assert hosts(vcenter) == ["esx-1", "esx-2", "esx-fc"]
        estate.server.sessions.expire()
        assert len(hosts(vcenter)) == 3
    assert estate.sso.requests == ["Issue", "LoginByToken"] * 2
    assert "Login" not in estate.server.requests
    assert estate.server.sessions.count == 0, "it is our own session, so it is logged out"


def test_a_token_for_the_holder_of_a_certificate_is_signed_for_as_a_verifier_of_others_has_it(estate: Estate) -> None:
    with open_vcenter(estate.by_certificate) as vcenter:
        assert len(hosts(vcenter)) == 3
    [(_, holder)] = estate.sso.issued.values()
    assert holder == certificate_in(estate.pem)


def certificate_in(path: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(path.read_bytes())


@pytest.mark.parametrize("holder", [False, True], ids=["bearer", "holder of a key"])
def test_a_token_that_somebody_else_got_is_used_as_it_is(estate: Estate, holder: bool) -> None:
    estate.sso._token(estate.sso.registered if holder else None)
    [(token, _)] = estate.sso.issued.values()
    with open_vcenter(estate.by_token(token, holder=holder)) as vcenter:
        assert len(hosts(vcenter)) == 3
    assert estate.sso.requests == ["LoginByToken"]


def test_a_wrong_password_is_sent_once_and_repeated_nowhere(estate: Estate, tmp_path: Path) -> None:
    (tmp_path / "wrong").write_text("guess-4711", encoding="utf-8")
    wrong = replace(estate.by_password, password=Secret("file", (str(tmp_path / "wrong"),)))
    refused = r"its token service refuses user audit@vsphere\.local: FailedAuthentication"
    with pytest.raises(CredentialsError, match=refused) as caught, open_vcenter(wrong):
        pass
    assert estate.sso.requests == ["Issue"]
    assert not any(word in str(caught.value) for word in ("guess-4711", VCENTER_PASSWORD))


def test_a_user_name_and_a_password_with_signs_of_xml_arrive_as_they_are(estate: Estate, tmp_path: Path) -> None:
    odd = "<&>'\"ä]]>"
    (tmp_path / "odd").write_text(odd, encoding="utf-8")
    endpoint = replace(estate.by_password, username=odd, password=Secret("file", (str(tmp_path / "odd"),)))
    estate.sso.account = odd, odd
    with open_vcenter(endpoint) as vcenter:
        assert len(hosts(vcenter)) == 3
    (tmp_path / "odd").write_text("a\x01b", encoding="utf-8")
    with pytest.raises(CredentialsError, match="a character that no token request can hold"), open_vcenter(endpoint):
        pass


def test_a_certificate_that_nobody_registered_is_refused(estate: Estate) -> None:
    other = rsa.generate_private_key(65537, 2048)
    estate.pem.write_bytes(certificate(other).public_bytes(Encoding.PEM))
    estate.write_key(other)
    with pytest.raises(CredentialsError, match="FailedAuthentication"), open_vcenter(estate.by_certificate):
        pass


def test_a_token_that_vcenter_does_not_know_is_refused(estate: Estate) -> None:
    token = '<Assertion xmlns="urn:oasis:names:tc:SAML:2.0:assertion" ID="_1"></Assertion>'
    with pytest.raises(CredentialsError, match="it refuses the account of the token"), open_vcenter(estate.by_token(token)):
        pass


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("hunter2", id="no XML"),
        pytest.param("<Assertion>hunter2</Assertion>", id="of no namespace"),
        pytest.param("<saml2:Assertion ID='_1'>hunter2</saml2:Assertion>", id="a prefix that nothing declares"),
        pytest.param(
            "<!DOCTYPE a [<!ENTITY b 'hunter2'>]><Assertion xmlns='urn:oasis:names:tc:SAML:2.0:assertion' ID='_1'>&b;</Assertion>",
            id="a document type",
        ),
        pytest.param("<Assertion xmlns='urn:oasis:names:tc:SAML:2.0:assertion' ID='_1'/><hunter2/>", id="more than a token"),
    ],
)
def test_what_is_no_token_is_not_sent(estate: Estate, text: str) -> None:
    with pytest.raises(CredentialsError, match=r"is no SAML 2\.0 assertion") as caught, open_vcenter(estate.by_token(text)):
        pass
    assert estate.sso.requests == []
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Answer(b"<html>", "text/html", 404), id="no token service"),
        pytest.param(envelope_of("<nothing/>"), id="no token"),
        pytest.param(envelope_of("x" * (2 << 20)), id="megabytes"),
    ],
)
def test_an_answer_without_a_token_makes_no_sense(estate: Estate, answer: Answer) -> None:
    estate.sso.odd = answer
    with pytest.raises(MalformedAnswerError, match="of its token service hold no token"), open_vcenter(estate.by_password):
        pass


def test_an_answer_of_nothing_but_beginnings_is_read_once() -> None:
    """Each beginning must not be followed to the end of the answer: 1 MiB of them would hold auditor up for minutes."""
    began = time.process_time()
    assert _token_in("<Assertion " * 20_000, alone=False) is None
    assert time.process_time() - began < 1.0


def test_a_token_service_that_is_busy_is_asked_once_as_each_try_counts_against_the_account(estate: Estate) -> None:
    estate.sso.odd = Answer(b"", "text/plain", 503)
    with pytest.raises(EndpointUnreachableError, match="503"), open_vcenter(estate.by_password):
        pass
    assert estate.sso.requests == ["Issue"]


def test_a_recording_has_no_password_and_no_token(estate: Estate) -> None:
    seen: list[Exchange] = []
    with open_vcenter(replace(estate.by_password, tap=seen.append)):
        pass
    [(token, _)] = estate.sso.issued.values()
    kept = [one for one in seen if not LOGINS.search(one.operation)]
    assert [one.operation for one in seen if one not in kept] == ["LoginByToken", "Logout"]
    assert not any(word.encode() in one.request + one.answer for one in kept for word in (VCENTER_PASSWORD, token))
    assert not any(VCENTER_PASSWORD.encode() in one.request for one in seen)


def test_a_key_with_a_passphrase_is_opened_by_it(estate: Estate, monkeypatch: pytest.MonkeyPatch) -> None:
    estate.write_key(KEY, b"open sesame")
    monkeypatch.setenv("KEY_WORDS", "open sesame")
    with open_vcenter(replace(estate.by_certificate, password=Secret("env", ("KEY_WORDS",)))) as vcenter:
        assert len(hosts(vcenter)) == 3
    with pytest.raises(CredentialsError, match="needs another passphrase"), open_vcenter(estate.by_certificate):
        pass


def test_a_pair_that_does_not_fit_is_not_used(estate: Estate) -> None:
    estate.write_key(rsa.generate_private_key(65537, 2048))
    with pytest.raises(CredentialsError, match="is not the RSA key of the certificate"), open_vcenter(estate.by_certificate):
        pass
    estate.write_key(ec.generate_private_key(ec.SECP256R1()))
    with pytest.raises(CredentialsError, match="is not the RSA key of the certificate"), open_vcenter(estate.by_certificate):
        pass
    estate.write_key(KEY)
    estate.pem.write_bytes(certificate(days=-1).public_bytes(Encoding.PEM))
    with pytest.raises(CredentialsError, match="was valid until"), open_vcenter(estate.by_certificate):
        pass
    assert estate.sso.requests == []


def test_tags_are_read_by_a_token_too_and_its_key_stays_here(estate: Estate) -> None:
    for endpoint in (estate.by_password, estate.by_certificate):
        with open_automation(endpoint) as automation:
            assert list(automation.tags()) is not None
    bearer, holder = estate.sso.automation
    assert bearer["schemeId"] == "com.vmware.vapi.std.security.saml_bearer_token"
    assert holder["schemeId"] == "com.vmware.vapi.std.security.saml_hok_token"
    assert holder["signature"]["value"]
    assert "privateKey" not in holder


@pytest.mark.long
@pytest.mark.posix_only
def test_the_doctor_looks_at_the_key_before_anybody_logs_in(estate: Estate) -> None:
    def checked() -> tuple[Health, str]:
        [check] = (one for one in examine_connection(estate.by_certificate) if one.topic == "secret")
        return check.state, check.what

    assert checked() == (Health.OK, f"the key {estate.key} fits its certificate")
    estate.key.chmod(0o644)
    assert checked()[0] is Health.WARNING
    estate.key.unlink()
    assert checked() == (Health.PROBLEM, f"the key {estate.key} cannot be used: FileNotFoundError")


@pytest.mark.long
def test_vmwares_own_simulator_takes_both_kinds_of_tokens_and_a_session_of_govc(estate: Estate, tmp_path: Path) -> None:
    with running_vcsim() as vcsim:
        pem = ssl.get_server_certificate((vcsim.host, vcsim.port))
        pin = Tls(fingerprint=f"sha256:{hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()}")
        (tmp_path / "theirs").write_text(vcsim.password, encoding="utf-8")
        there = replace(estate.endpoint, address=vcsim.host, port=vcsim.port, tls=pin, username=vcsim.username)
        there = replace(there, password=Secret("file", (str(tmp_path / "theirs"),)))
        pair = replace(estate.pair, sts="/sts/STSService/vsphere.local")
        for endpoint in (replace(there, login=Sso(sts=pair.sts)), replace(there, login=pair, password=NOBODY)):
            with open_vcenter(endpoint) as vcenter:
                assert vcenter.stub.user == "Administrator@VSPHERE.LOCAL"
                assert hosts(vcenter)
        url = f"https://{vcsim.username}:{vcsim.password}@{vcsim.host}:{vcsim.port}/sdk"
        about = {"GOVC_URL": url, "GOVC_INSECURE": "1", "HOME": str(tmp_path)}
        printed = subprocess.run([go_binary("govc"), "session.login", "-l"], env=about, capture_output=True, text=True, check=True)
        (tmp_path / "session").write_text(printed.stdout, encoding="utf-8")
        joined = replace(there, password=Secret("file", (str(tmp_path / "session"),)), login=OpenSession())
        for _ in range(2):  # it stays open
            with open_vcenter(joined) as vcenter:
                assert hosts(vcenter)


def loaded(folder: Path, keys: str) -> Endpoint:
    path = folder / "fleet.yaml"
    path.write_text(f"endpoints:\n  - {{name: a, address: a.example.net, {keys}}}\n", encoding="utf-8")
    [endpoint] = load_fleet(path).endpoints
    return endpoint


def test_fleet_yaml_says_what_a_token_is_got_by(tmp_path: Path) -> None:
    one = loaded(tmp_path, "kind: vcenter, username: u, password: {env: P}, sso: {by: password}")
    assert (one.login, one.username, one.password) == (Sso(), "u", Secret("env", ("P",)))
    one = loaded(tmp_path, "kind: vcenter, username: u, password: {env: P}, sso: {by: password, sts: /sts/STSService/example.net}")
    assert one.login == Sso(sts="/sts/STSService/example.net")
    one = loaded(tmp_path, "kind: vcenter, sso: {certificate: a.pem, key: a.key, passphrase: {env: P}}")
    pair = Sso(str((tmp_path / "a.pem").resolve()), str((tmp_path / "a.key").resolve()))
    assert (one.login, one.password) == (pair, Secret("env", ("P",)))
    assert loaded(tmp_path, "kind: vcenter, sso: {certificate: a.pem, key: a.key}").password == NOBODY
    one = loaded(tmp_path, "kind: vcenter, sso: {token: {env: T}, certificate: a.pem, key: a.key}")
    assert (one.login, one.password) == (replace(pair, has_token=True), Secret("env", ("T",)))


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        pytest.param("kind: vcenter, sso: {by: password}", '"username" is missing', id="no user"),
        pytest.param("kind: vcenter, sso: {certificate: a.pem}", "needs both certificate and key", id="no key"),
        pytest.param("kind: vcenter, sso: {}", "needs exactly one of by: password, certificate and key, token", id="nothing"),
        pytest.param("kind: vcenter, sso: {by: password, token: {env: T}}", "needs exactly one of by", id="two ways"),
        pytest.param("kind: vcenter, sso: {token: {env: T}}, username: u", "sso takes the place of username", id="a user too"),
        pytest.param("kind: vcenter, sso: {token: {env: T}}, session: {env: S}", "session takes the place of sso", id="a session too"),
        pytest.param("kind: vcenter, sso: {token: {env: T}}, lane: vijson", "lane vijson opens a session of its own", id="VI/JSON"),
        pytest.param("kind: esxi, sso: {token: {env: T}}", "esxi has no single sign-on", id="a host"),
    ],
)
def test_a_login_by_token_that_does_not_fit_is_a_mistake_of_the_file(tmp_path: Path, keys: str, says: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        loaded(tmp_path, keys)
    assert says in caught.value.what
