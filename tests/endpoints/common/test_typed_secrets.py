"""A secret that is typed: asked for once, at a terminal alone, and never shown."""

import os
import pty
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from auditor.endpoints.common.secrets import ask_first, password_of
from auditor.endpoints.common.typed_secrets import ask_by
from auditor.errors import CredentialsError
from auditor.model import Endpoint, EndpointKind, Secret

pytestmark = pytest.mark.posix_only


def endpoint(name: str = "vc") -> Endpoint:
    return Endpoint(name, EndpointKind.VCENTER, "vc.example.net", 443, "audit", Secret("ask", ()))


@pytest.fixture
def questions() -> Iterator[list[str]]:
    """What is asked; each answer is "hunter2"."""
    asked: list[str] = []

    def prompt(whose: str) -> str:
        asked.append(whose)
        return "hunter2"

    ask_by(prompt)
    yield asked
    ask_by(None)


def test_it_is_asked_for_once_a_run_and_for_each_endpoint(questions: list[str]) -> None:
    assert [password_of(one) for one in (endpoint(), endpoint(), endpoint("other"))] == ["hunter2"] * 3
    assert questions == ["endpoint vc: password of audit", "endpoint other: password of audit"]


def test_threads_that_log_in_find_what_was_typed_before_and_ask_for_nothing(questions: list[str]) -> None:
    found: list[str] = []

    def log_in(one: Endpoint) -> None:
        try:
            found.append(password_of(one))
        except CredentialsError as error:
            found.append(error.what)

    ask_first([endpoint(), Endpoint("sf", EndpointKind.ELEMENT, "sf", 443, "audit", Secret("env", ("AUDITOR_NO_SUCH",)))])
    for one in (endpoint(), endpoint("other")):
        thread = threading.Thread(target=log_in, args=(one,))
        thread.start()
        thread.join()
    assert found == ["hunter2", "endpoint other: no password: it was not asked for before reading began"]
    assert len(questions) == 1


def test_a_library_a_job_and_a_worker_have_nobody_to_ask() -> None:
    ask_first([endpoint()])
    with pytest.raises(CredentialsError) as caught:
        password_of(endpoint())
    assert "at a terminal, and here nobody can be asked" in caught.value.what
    assert "without workers" in caught.value.do


def test_only_enter_is_no_password() -> None:
    ask_by(lambda _whose: "")
    try:
        with pytest.raises(CredentialsError, match="from the terminal: it is empty or not set"):
            password_of(endpoint())
    finally:
        ask_by(None)


def in_a_terminal(*words: str) -> str:
    """All that a terminal shows while `auditor` runs in it; somebody types hunter2 at each prompt for a password."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-m", "auditor", *words])
    shown, answered = b"", 0
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # the other side has closed it
            piece = b""
        if not piece:
            break
        shown += piece
        if shown.count(b"password of audit: ") > answered:
            answered += 1
            os.write(terminal, b"hunter2\n")
    os.waitpid(child, 0)
    os.close(terminal)
    return shown.decode()


def fleet_of_one(folder: Path) -> Path:
    path = folder / "fleet.yaml"
    login = "username: audit, password: {ask: true}"
    path.write_text(f"endpoints:\n  - {{name: vc, kind: vcenter, address: '127.0.0.1:1', {login}}}\n", encoding="utf-8")
    return path


@pytest.mark.long
def test_what_is_typed_at_a_terminal_is_not_shown(tmp_path: Path) -> None:
    shown = in_a_terminal("doctor", "--fleet", str(fleet_of_one(tmp_path)), "--all", "--endpoint", "vc")
    assert shown.count("endpoint vc: password of audit: ") == 1
    assert "typed at the terminal" in shown
    assert "hunter2" not in shown


@pytest.mark.long
def test_a_schedule_refuses_a_fleet_whose_secret_is_typed(tmp_path: Path) -> None:
    words = ("schedule", "--fleet", str(fleet_of_one(tmp_path)), "--publish", str(tmp_path / "site"), "--once")
    shown = in_a_terminal(*words)
    assert "the secret of vc is typed at a terminal, and a job has nobody to ask" in shown
    assert not (tmp_path / "site").exists()
