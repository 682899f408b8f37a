"""Secrets in a vault: asked for as its API documents it, and never shown, whatever it answers."""

import json
import logging
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.endpoints.common import vault as module
from auditor.endpoints.common.secrets import password_of
from auditor.errors import ConfigurationError, CredentialsError
from auditor.fleet.loading import load_fleet
from auditor.model import Endpoint, EndpointKind, Secret, Tls, Vault
from auditor_lab.authority import Authority
from auditor_lab.wire import Answer, Request, WireServer

OWN = "hvs.OWN"
SECRET_ID = "ffa85275"


class VaultDouble:
    """A Vault with one secret, in engines of both versions, as the reference of its HTTP API describes it.

    A token is a token for the namespace "storage" alone; logins by AppRole give one that is good for three reads.
    """

    def __init__(self, folder: Path) -> None:
        self.seen: list[tuple[str, str]] = []
        self.logins = 0
        self.reads_left = 0
        self.lease = 1200
        self.odd: Answer | None = None
        self.lock = threading.Lock()
        authority = Authority()
        self.ca = folder / "vault-ca.pem"
        authority.write(self.ca)
        self.server = WireServer(self.answer, lambda request: request.path, authority.server_context("127.0.0.1"))

    def answer(self, request: Request) -> Answer:
        with self.lock:
            self.seen.append((request.method, request.path))
            assert request.headers["x-vault-request"] == "true"
            if self.odd is not None and request.method == "GET":
                return self.odd
            if request.headers.get("x-vault-namespace") != "storage":
                return failed(403, "permission denied")
            if (request.method, request.path) == ("POST", "/v1/auth/roles/login"):
                return self.log_in(json.loads(request.body))
            return self.read(request)

    def log_in(self, body: dict[str, str]) -> Answer:
        if body != {"role_id": "db02de05", "secret_id": SECRET_ID}:
            return failed(400, f"invalid role or secret ID: {body['secret_id']}")
        self.logins += 1
        self.reads_left = 3
        auth = {"client_token": f"hvs.{self.logins}", "lease_duration": self.lease, "renewable": True, "token_type": "service"}
        return given({"auth": auth, "data": None})

    def read(self, request: Request) -> Answer:
        token = request.headers.get("x-vault-token")
        if token != OWN:
            if token != f"hvs.{self.logins}" or self.reads_left == 0:
                return failed(403, "permission denied")
            self.reads_left -= 1
        fields = {"password": "hunter2\n", "user": "audit", "depth": 32}
        match request.path:
            case "/v1/kv2/data/vsphere/vc-east":
                return given({"data": {"data": fields, "metadata": {"version": 2, "deletion_time": "", "destroyed": False}}})
            case "/v1/kv2/data/vsphere/deleted":
                body = {"data": {"data": None, "metadata": {"version": 3, "deletion_time": "2026-11-01T00:00:00Z", "destroyed": False}}}
                return given(body, 404)
            case "/v1/kv1/vsphere/vc-east":
                return given({"data": fields, "lease_duration": 2764800})
            case "/v1/kv2/data/with%20blank/x%2541":
                return given({"data": {"data": {"password": "blank"}, "metadata": {}}})
        return failed(404)


def given(body: object, status: int = 200) -> Answer:
    return Answer(json.dumps(body).encode(), "application/json", status)


def failed(status: int, *errors: str) -> Answer:
    return given({"errors": list(errors)}, status)


@pytest.fixture
def double(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[VaultDouble]:
    monkeypatch.setattr(module, "_tokens", {})
    monkeypatch.setenv("OWN_TOKEN", OWN)
    monkeypatch.setenv("ROLE_SECRET", SECRET_ID)
    made = VaultDouble(tmp_path)
    yield made
    made.server.stop()


def by_token(double: VaultDouble, mount: str = "kv2", version: int = 2) -> Vault:
    tls = Tls(ca=str(double.ca))
    return Vault("127.0.0.1", double.server.port, tls, "storage", mount, version, token=Secret("env", ("OWN_TOKEN",)))


def by_role(double: VaultDouble) -> Vault:
    role = by_token(double)
    return replace(role, token=None, role_id="db02de05", secret_id=Secret("env", ("ROLE_SECRET",)), approle_mount="roles")


def endpoint(vault: Vault, path: str = "vsphere/vc-east", field: str = "password") -> Endpoint:
    return Endpoint("vc", EndpointKind.VCENTER, "vc.example.net", 443, "audit", Secret("vault", (path, field), vault))


def test_both_versions_of_the_engine_give_a_field_of_a_secret(double: VaultDouble) -> None:
    assert password_of(endpoint(by_token(double))) == "hunter2"
    assert password_of(endpoint(by_token(double, "kv1", 1), field="user")) == "audit"
    assert password_of(endpoint(by_token(double), "with blank/x%41")) == "blank"


def test_a_login_as_a_role_serves_several_secrets_and_is_made_anew_when_its_token_is_over(double: VaultDouble) -> None:
    one = endpoint(by_role(double))
    assert [password_of(one) for _ in range(5)] == ["hunter2"] * 5
    assert double.logins == 2, "the token of the first login was good for three reads"
    assert "hvs." not in repr(one)


def test_a_token_is_not_used_to_the_end_of_its_time(double: VaultDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("auditor.endpoints.common.vault.time.monotonic", lambda: now[0])
    double.lease = 100
    password_of(endpoint(by_role(double)))
    now[0] += 79
    password_of(endpoint(by_role(double)))
    assert double.logins == 1
    now[0] += 2
    password_of(endpoint(by_role(double)))
    assert double.logins == 2


@pytest.mark.parametrize(
    ("path", "field", "says"),
    [
        pytest.param("vsphere/other", "password", 'nothing is there; "kv2" may be an engine of version 1', id="no such path"),
        pytest.param("vsphere/deleted", "password", "its newest version was deleted", id="deleted"),
        pytest.param("vsphere/vc-east", "api_token", 'it has no field "api_token"', id="no such field"),
        pytest.param("vsphere/vc-east", "depth", 'its field "depth" is no text', id="a number"),
    ],
)
def test_a_secret_that_is_not_there_is_named_by_its_path(double: VaultDouble, path: str, field: str, says: str) -> None:
    with pytest.raises(CredentialsError) as caught:
        password_of(endpoint(by_token(double), path, field))
    assert caught.value.what.startswith(f"endpoint vc: no password from vault {path}: {says}")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        pytest.param(given({"data": {"data": {"password": "x" * (65 << 10)}}}), "is no text of at most 64 KiB", id="too long"),
        pytest.param(given({"data": {"data": {"password": ""}}}), "it is empty", id="empty"),
        pytest.param(given({"data": {"data": {"password": "hunter2", "more": "x" * (5 << 20)}}}), "5242.*bytes", id="megabytes"),
        pytest.param(Answer(b"<html>hunter2</html>", "text/html"), "the answer is none of Vault's", id="no JSON"),
        pytest.param(given(["hunter2"]), "the answer is none of Vault's", id="a list"),
        pytest.param(given({"data": "hunter2"}), "the answer is none of Vault's", id="text in the place of data"),
        pytest.param(Answer(b"", "text/html", 302, (("Location", "https://example.net/"),)), "HTTP 302", id="a redirect, not followed"),
        pytest.param(failed(500, "hunter2"), "HTTP 500", id="an error of its own"),
        pytest.param(failed(403, "hunter2"), "refuses the token, or its policies", id="forbidden"),
    ],
)
def test_an_odd_answer_is_no_secret_and_is_not_repeated(double: VaultDouble, answer: Answer, says: str) -> None:
    double.odd = answer
    with pytest.raises(CredentialsError, match=says) as caught:
        password_of(endpoint(by_token(double)))
    assert "hunter2" not in str(caught.value)
    assert "xxx" not in str(caught.value)


def test_a_sealed_vault_is_waited_for_no_longer_than_a_secret_may_take(double: VaultDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECRET_SECONDS", 0.5)
    double.odd = failed(503, "Vault is sealed")
    with pytest.raises(CredentialsError, match=r"answers 503 \(sealed, or busy\) to the secret"):
        password_of(endpoint(by_token(double)))


def test_a_login_that_is_refused_says_so_without_what_was_sent(double: VaultDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLE_SECRET", "wrong-hunter2")
    with pytest.raises(CredentialsError, match="Vault refuses the AppRole login") as caught:
        password_of(endpoint(by_role(double)))
    assert "hunter2" not in str(caught.value)
    monkeypatch.delenv("ROLE_SECRET")
    with pytest.raises(CredentialsError, match="no password: vault: no secret_id from env ROLE_SECRET") as caught:
        password_of(endpoint(by_role(double)))
    assert "`secret_id:` under `vault:`" in caught.value.do


def test_its_certificate_is_verified_before_a_token_goes_out(double: VaultDouble) -> None:
    with pytest.raises(CredentialsError, match=r"(?i)certificate"):
        password_of(endpoint(replace(by_token(double), tls=Tls())))
    assert double.seen == []


def test_no_log_has_a_token_or_a_secret(double: VaultDouble, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        password_of(endpoint(by_role(double)))
    assert not any(word in caplog.text for word in ("hunter2", "hvs.", SECRET_ID))


def test_no_path_without_a_slash_is_repeated_as_it_may_be_the_secret_itself(double: VaultDouble) -> None:
    with pytest.raises(CredentialsError) as caught:
        password_of(endpoint(by_token(double), "hunter2"))
    assert "hunter2" not in str(caught.value)


FLEET = """
endpoints:
  - {name: vc, kind: vcenter, address: vc.example.net, username: audit, password: {vault: vsphere/vc}}
  - {name: sf, kind: element, address: sf.example.net, username: audit, password: {vault: "sf#admin"}}
  - {name: pure, kind: flasharray, address: pure.example.net, api_token: {vault: pure/one}}
"""
VAULT = "vault: {address: 'https://vault.example.net', "


def loaded(folder: Path, vault: str) -> tuple[Endpoint, ...]:
    path = folder / "fleet.yaml"
    path.write_text(FLEET + vault, encoding="utf-8")
    return load_fleet(path).endpoints


def test_fleet_yaml_names_the_vault_once(tmp_path: Path) -> None:
    vc, sf, pure = loaded(tmp_path, VAULT + "namespace: eu, mount: kv, version: 1, token: {file: vault.token}, tls: {ca: ca.pem}}\n")
    token = Secret("file", (str((tmp_path / "vault.token").resolve()),))
    tls = Tls(ca=str((tmp_path / "ca.pem").resolve()))
    assert vc.password == Secret("vault", ("vsphere/vc", "password"), Vault("vault.example.net", 8200, tls, "eu", "kv", 1, token))
    assert (sf.password.argument, pure.password.argument) == (("sf", "admin"), ("pure/one", "api_token"))
    [vc, *_] = loaded(tmp_path, VAULT + "approle: {role_id: r, secret_id: {env: S}}}\n")
    assert vc.password.vault == Vault("vault.example.net", 8200, Tls(), role_id="r", secret_id=Secret("env", ("S",)))


@pytest.mark.parametrize(
    ("vault", "says"),
    [
        pytest.param("", "vault: PATH needs `vault:` at the top level", id="no vault"),
        pytest.param(VAULT + "}\n", "needs exactly one of token, approle", id="no login"),
        pytest.param(VAULT + "token: {env: T}, approle: {role_id: r, secret_id: {env: S}}}\n", "exactly one of token, approle", id="two"),
        pytest.param(VAULT.replace("https", "http") + "token: {env: T}}\n", "is not https://HOST", id="in clear"),
        pytest.param(VAULT.replace("vault.ex", "u:p@vault.ex") + "token: {env: T}}\n", "is not https://HOST", id="a user in the address"),
        pytest.param(VAULT + "token: {env: T}, tls: {verify: false}}\n", "a vault has to be verified", id="not verified"),
        pytest.param(VAULT + "token: {ask: true}}\n", 'unknown key "ask"', id="typed"),
        pytest.param(VAULT + "mount: ../sys, token: {env: T}}\n", "a path in Vault", id="a path that leads elsewhere"),
    ],
)
def test_a_vault_that_cannot_be_asked_is_a_mistake_of_the_file(tmp_path: Path, vault: str, says: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        loaded(tmp_path, vault)
    assert says in caught.value.what
    assert "u:p" not in caught.value.what
