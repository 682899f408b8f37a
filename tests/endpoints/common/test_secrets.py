"""A password comes from where fleet.yaml says, and no message ever holds it."""

from pathlib import Path

import keyring
import keyring.backend
import pytest

from auditor.endpoints.common.secrets import password_of
from auditor.errors import CredentialsError
from auditor.model import Endpoint, EndpointKind, Secret


def endpoint(way: str, *argument: str) -> Endpoint:
    return Endpoint("vc", EndpointKind.VCENTER, "vc.example.net", 443, "audit", Secret(way, argument))


class OneEntry(keyring.backend.KeyringBackend):  # type: ignore[misc]  # keyring ships no types
    priority = 1

    def get_password(self, service: str, username: str) -> str | None:
        return "hunter2" if (service, username) == ("vcenter", "audit") else None

    def set_password(self, service: str, username: str, password: str) -> None:
        raise NotImplementedError


def test_each_way_gives_the_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VC_PASSWORD", "hunter2")
    file = tmp_path / "password"
    file.write_text("hunter2\n", encoding="utf-8")
    before = keyring.get_keyring()
    keyring.set_keyring(OneEntry())
    try:
        ways = [("env", "VC_PASSWORD"), ("file", str(file)), ("command", "printf", "hunter2\\n"), ("keyring", "vcenter")]
        assert [password_of(endpoint(*way)) for way in ways] == ["hunter2"] * 4
    finally:
        keyring.set_keyring(before)


@pytest.mark.parametrize(
    ("way", "argument"),
    [
        pytest.param("env", ("AUDITOR_NO_SUCH_VARIABLE",), id="variable not set"),
        pytest.param("file", ("no-such-file",), id="no such file"),
        pytest.param("command", ("no-such-command",), id="no such command"),
        pytest.param("command", ("sh", "-c", "echo hunter2; echo hunter2 >&2; exit 1"), id="command fails and says the secret"),
        pytest.param("command", ("true",), id="command says nothing"),
    ],
)
def test_no_password_says_where_it_was_looked_for_and_never_what(way: str, argument: tuple[str, ...]) -> None:
    with pytest.raises(CredentialsError) as caught:
        password_of(endpoint(way, *argument))
    assert argument[0] in caught.value.what
    told = (
        str(caught.value) + repr(caught.value.__cause__) + repr(caught.value.__context__ if not caught.value.__suppress_context__ else "")
    )
    assert "hunter2" not in told
