"""A password comes from where fleet.yaml says, and no message ever holds it."""

import os
import threading
import time
from pathlib import Path

import keyring
import keyring.backend
import pytest

from auditor.endpoints.common import plain_secrets
from auditor.endpoints.common.secrets import password_of
from auditor.errors import CredentialsError
from auditor.model import Endpoint, EndpointKind, Secret
from tests.waiting import PATIENCE_SECONDS


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


def test_a_variable_that_is_no_text_is_refused_before_something_encodes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of encoding would hold the whole secret, and say a letter of it and its place."""
    monkeypatch.setenv("VC_PASSWORD", "hunter2\udce9")
    with pytest.raises(CredentialsError, match="no password from env VC_PASSWORD: it is not UTF-8"):
        password_of(endpoint("env", "VC_PASSWORD"))


@pytest.mark.parametrize("way", ["env", "file", "keyring", "command"])
@pytest.mark.parametrize("secret", ["hunter2", "Hunter2", "HUNTER2", "correct horse"])
def test_a_secret_that_stands_where_a_reference_belongs_is_not_repeated(way: str, secret: str) -> None:
    with pytest.raises(CredentialsError) as caught:
        password_of(endpoint(way, secret))
    assert secret not in str(caught.value)


@pytest.mark.parametrize(
    ("way", "argument"),
    [
        pytest.param("env", ("AUDITOR_NO_SUCH_VARIABLE",), id="variable not set"),
        pytest.param("file", ("no-such-file",), id="no such file"),
        pytest.param("command", ("no-such-command",), id="no such command"),
        pytest.param("command", ("sh", "-c", "echo hunter2; echo hunter2 >&2; exit 1"), id="command fails and says the secret"),
        pytest.param("command", ("true",), id="command says nothing"),
        pytest.param("command", ("printf", "hunter2\\377"), id="command says what is no UTF-8"),
    ],
)
def test_no_password_says_where_it_was_looked_for_and_never_what(way: str, argument: tuple[str, ...]) -> None:
    with pytest.raises(CredentialsError) as caught:
        password_of(endpoint(way, *argument))
    assert (argument[0] in caught.value.what) is (not argument[0].startswith("no-such")), "what is not there may be the secret itself"
    text = (
        str(caught.value) + repr(caught.value.__cause__) + repr(caught.value.__context__ if not caught.value.__suppress_context__ else "")
    )
    assert "hunter2" not in text


def test_a_secret_is_bounded_in_time_and_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_secrets, "SECRET_SECONDS", 0.3)
    pipe, started = tmp_path / "pipe", tmp_path / "started"
    os.mkfifo(pipe)
    ways = {
        "/dev/zero": endpoint("file", "/dev/zero"),
        "a pipe that nobody writes to": endpoint("file", str(pipe)),
        "a directory": endpoint("file", str(tmp_path)),
        "a command that prints for ever": endpoint("command", "yes", "hunter2"),
        "a command that never ends": endpoint("command", "sh", "-c", f"echo $$ > {started}; echo hunter2; exec sleep 60"),
        "a command whose child keeps its output open": endpoint("command", "sh", "-c", "echo hunter2; sleep 3 &"),
        "a command that closes its output and never ends": endpoint("command", "sh", "-c", "echo hunter2; exec >&-; exec sleep 60"),
    }
    began = time.monotonic()
    for name, one in ways.items():
        with pytest.raises(CredentialsError, match=r"more than 64 KiB|did not end within 0.3 s|IsADirectoryError") as caught:
            password_of(one)
        assert "hunter2" not in str(caught.value), name
    assert time.monotonic() - began < PATIENCE_SECONDS
    with pytest.raises(ProcessLookupError):  # it was ended
        os.kill(int(started.read_text(encoding="ascii")), 0)


def test_a_pipe_gives_a_password(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text("hunter2\n", encoding="utf-8"))
    writer.start()
    assert password_of(endpoint("file", str(pipe))) == "hunter2"
    writer.join()
