"""The ways into a vCenter besides a password."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pyVmomi import vim

from auditor.doctor import examine
from auditor.endpoints.vcenter.account import account_of
from auditor.endpoints.vcenter.automation import open_automation
from auditor.endpoints.vcenter.session import VCenter, open_vcenter
from auditor.errors import ConfigurationError, CredentialsError
from auditor.fleet.loading import Fleet, load_fleet
from auditor.model import Endpoint, EndpointKind, Health, OpenSession, Secret
from auditor.pipeline.policy import load_rule_set
from auditor_lab.vcenter.server import VCenterServer
from tests.conftest import VCENTER_PASSWORD

Serve = Callable[..., tuple[VCenterServer, Endpoint]]


def hosts(vcenter: VCenter) -> list[str]:
    return sorted(facts.values["name"] for facts in vcenter.read(vim.HostSystem, ("name",)))


class Joined:
    """A vCenter with a session that somebody else has opened, whose key is in a file."""

    def __init__(self, serve: Serve, folder: Path) -> None:
        self.server, endpoint = serve()
        self.file = folder / "session"
        self.open()
        self.endpoint = replace(endpoint, username="", password=Secret("file", (str(self.file),)), login=OpenSession())

    def open(self) -> None:
        self.key = self.server.sessions.login("audit@vsphere.local", VCENTER_PASSWORD).key
        self.write(self.key)

    def write(self, text: str) -> None:
        self.file.write_text(f"{text}\n", encoding="utf-8")
        self.file.chmod(0o600)


@pytest.fixture
def joined(serve_vcenter: Serve, tmp_path: Path) -> Joined:
    return Joined(serve_vcenter, tmp_path)


@pytest.mark.parametrize(
    "form",
    [
        pytest.param("{key}", id="as govc prints it"),
        pytest.param('"{key}"', id="in vCenter's quotes"),
        pytest.param('vmware_soap_session="{key}"; Path=/; HttpOnly; Secure;', id="as pyVmomi keeps it"),
    ],
)
def test_a_session_of_somebody_else_is_read_by_and_stays_open(joined: Joined, form: str) -> None:
    joined.write(form.format(key=joined.key))
    with open_vcenter(joined.endpoint) as vcenter:
        assert hosts(vcenter) == ["esx-1", "esx-2", "esx-fc"]
        assert account_of(vcenter).user == "audit@vsphere.local"
        assert vcenter.transport == "soap", "VI/JSON has sessions of its own"
    assert joined.server.sessions.count == 1
    assert not {"Login", "Logout"} & set(joined.server.requests)


def test_a_session_that_is_over_says_so_without_its_key(joined: Joined) -> None:
    joined.server.sessions.expire()
    with pytest.raises(CredentialsError, match="is not open there, or no longer") as caught, open_vcenter(joined.endpoint):
        pass
    assert joined.key not in str(caught.value)


def test_a_session_that_ends_meanwhile_is_replaced_where_its_file_has_a_new_key(joined: Joined) -> None:
    with open_vcenter(joined.endpoint) as vcenter:
        joined.server.sessions.expire()
        joined.open()
        assert len(hosts(vcenter)) == 3
        joined.server.sessions.expire()
        with pytest.raises(CredentialsError, match="is not open there, or no longer"):
            hosts(vcenter)
        before = len(joined.server.requests)
        with pytest.raises(CredentialsError):
            hosts(vcenter)
        assert len(joined.server.requests) == before, "a key that was refused is not sent again"


@pytest.mark.parametrize("text", ["hunter2", "key with blanks", "a-long-key\r\nX-Other: header", "x" * 600])
def test_what_is_no_key_is_not_sent_and_not_repeated(joined: Joined, text: str) -> None:
    joined.write(text)
    with pytest.raises(CredentialsError, match="is no key of a session") as caught, open_vcenter(joined.endpoint):
        pass
    assert text not in str(caught.value)
    assert joined.server.requests == ["RetrieveServiceContent"]


def test_tags_are_read_by_the_same_session_where_a_vcenter_has_one_for_both(joined: Joined) -> None:
    joined.server.vapi.sessions = joined.server.sessions  # as since 8.0.3
    joined.write(f'"{joined.key}"')
    with open_automation(joined.endpoint) as automation:
        assert list(automation.tags()) == []
    assert joined.server.sessions.count == 1


def test_an_older_vcenter_takes_no_session_of_soap_for_tags_and_it_is_said(joined: Joined) -> None:
    with pytest.raises(CredentialsError, match="it refuses the account of the session") as caught, open_automation(joined.endpoint) as api:
        list(api.tags())
    assert "before vCenter 8.0.3" in caught.value.do
    assert joined.key not in str(caught.value)


def test_the_doctor_says_whose_session_it_is_and_where_the_key_was_found(joined: Joined) -> None:
    fleet = Fleet(joined.file, (joined.endpoint,))
    checks = {check.topic: check for check in examine(fleet, load_rule_set(()), lambda _name, _text: None, "vc-test").of("vc-test")}
    assert checks["secret"].what.startswith(f"found by file {joined.file}")
    assert checks["login"].what == "as the account of the session"
    assert checks["account"].facts["user"] == "audit@vsphere.local"
    assert checks["lane"].what == "SOAP: VI/JSON has sessions of its own, which take a user name and a password"
    assert {check.state for check in checks.values()} == {Health.OK}


def loaded(folder: Path, *keys: str) -> Endpoint:
    path = folder / "fleet.yaml"
    path.write_text(f"endpoints:\n  - {{name: a, address: a.example.net, {', '.join(keys)}}}\n", encoding="utf-8")
    [endpoint] = load_fleet(path).endpoints
    return endpoint


@pytest.mark.parametrize("kind", [EndpointKind.VCENTER, EndpointKind.ESXI])
def test_fleet_yaml_names_a_session_in_the_place_of_user_and_password(tmp_path: Path, kind: EndpointKind) -> None:
    endpoint = loaded(tmp_path, f"kind: {kind.value}", "session: {command: [govc, session.login, -l]}")
    assert (endpoint.login, endpoint.password, endpoint.username) == (
        OpenSession(),
        Secret("command", ("govc", "session.login", "-l")),
        "",
    )


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        pytest.param(("kind: ontap", "session: {env: S}"), "ontap has no session that others can open", id="an array"),
        pytest.param(("kind: flasharray", "session: {env: S}", "api_token: {env: T}"), "flasharray has no session", id="and a token"),
        pytest.param(("kind: vcenter", "session: {env: S}", "username: u"), "session takes the place of username", id="and a user"),
        pytest.param(("kind: vcenter", "session: {env: S}", "lane: vijson"), "lane vijson opens a session of its own", id="VI/JSON"),
        pytest.param(("kind: vcenter", "session: 52c1b9f0-hunter2"), "the key of a session is written into the file", id="in clear"),
    ],
)
def test_a_session_that_does_not_fit_is_a_mistake_of_the_file(tmp_path: Path, keys: tuple[str, ...], says: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        loaded(tmp_path, *keys)
    assert says in caught.value.what
    assert "hunter2" not in caught.value.what
