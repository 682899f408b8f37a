"""An ETERNUS DX gets a password only where its host key is known, and no secret gets out."""

from __future__ import annotations

import dataclasses
import logging
import socket
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.eternus.client import open_eternus
from auditor.errors import (
    ConfigurationError,
    CredentialsError,
    EndpointError,
    EndpointUnreachableError,
    MalformedAnswerError,
)
from auditor.model import Secret, Ssh
from auditor_lab.wire import Fault
from tests.endpoints.arrays import PASSWORD, shown_by
from tests.endpoints.eternus.eternus_peer import ABOUT, Peer, endpoint_of, lab, says
from tests.waiting import SHORT_SECONDS

if TYPE_CHECKING:
    from pathlib import Path
from tests.endpoints.eternus.eternus_sessions import DX, NOBODY


@pytest.mark.parametrize(
    ("ssh", "text"),
    [
        pytest.param(Ssh(fingerprint="SHA256:" + "A" * 43), "not SHA256:AAAA", id="another fingerprint"),
        pytest.param(Ssh(), "not in the known_hosts file", id="no known_hosts file at all"),
    ],
)
def test_a_host_key_of_somebody_else_gets_no_password(tmp_path: Path, monkeypatch: Any, ssh: Ssh, text: str) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with lab(DX, tmp_path) as (server, endpoint):
        with pytest.raises(EndpointUnreachableError) as caught, open_eternus(dataclasses.replace(endpoint, ssh=ssh)):
            pass
        assert text in caught.value.what
        assert server.host_key.fingerprint in caught.value.what, "to compare with the console"
        assert server.requests == []


def test_a_known_hosts_file_with_another_key_does_not_let_it_in(tmp_path: Path) -> None:
    with lab(DX, tmp_path) as (server, endpoint), lab(DX, tmp_path) as (other, _):
        (tmp_path / "known").write_text(f"[{server.host}]:{server.port} {other.host_key.public}\n")
        with (
            pytest.raises(EndpointUnreachableError),
            open_eternus(dataclasses.replace(endpoint, ssh=Ssh(known_hosts=str(tmp_path / "known")))),
        ):
            pass
        assert server.requests == []


@pytest.mark.parametrize("named", [pytest.param(True, id="named in fleet.yaml"), pytest.param(False, id="the user's own")])
def test_a_known_hosts_file_with_the_key_lets_it_in(tmp_path: Path, monkeypatch: Any, named: bool) -> None:
    (tmp_path / ".ssh").mkdir()
    known = tmp_path / ("known" if named else ".ssh/known_hosts")
    monkeypatch.setenv("HOME", str(tmp_path))
    with lab(DX, tmp_path) as (server, endpoint):
        known.write_text(f"[{server.host}]:{server.port} {server.host_key.public}\n")
        checked = dataclasses.replace(endpoint, ssh=Ssh(known_hosts=str(known)) if named else Ssh())
        with open_eternus(checked) as array:
            assert array.release
        assert checked.trust == "verified"


def test_an_unchecked_host_key_is_said_to_be_one(tmp_path: Path) -> None:
    with lab(DX, tmp_path) as (_, endpoint):
        unchecked = dataclasses.replace(endpoint, ssh=Ssh(verify=False))
        with open_eternus(unchecked) as array:
            assert array.release
        assert unchecked.trust == "NOT VERIFIED"


def test_a_known_hosts_file_that_cannot_be_read_is_a_mistake_in_the_fleet_file(tmp_path: Path) -> None:
    with lab(DX, tmp_path) as (_, endpoint):
        lost = dataclasses.replace(endpoint, ssh=Ssh(known_hosts=str(tmp_path / "nowhere")))
        with pytest.raises(ConfigurationError, match="nowhere"), open_eternus(lost):
            pass


def test_a_port_where_nobody_listens_is_unreachable(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    nobody = dataclasses.replace(NOBODY, port=port, password=Secret("command", ("echo", "x")))
    with pytest.raises(EndpointUnreachableError, match="gives no shell"), open_eternus(nobody):
        pass


def test_somebody_who_listens_and_says_nothing_is_given_up_in_time(tmp_path: Path) -> None:
    with socket.socket() as mute, lab(DX, tmp_path, timeout=SHORT_SECONDS) as (_, endpoint):
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        with (
            pytest.raises(EndpointUnreachableError, match="1 s"),
            open_eternus(dataclasses.replace(endpoint, port=mute.getsockname()[1])),
        ):
            pass


def test_a_login_by_questions_and_answers_works_too(tmp_path: Path) -> None:
    with Peer(says(), ways=("keyboard-interactive",)) as peer, open_eternus(endpoint_of(peer, tmp_path)) as array:
        assert array.release == "ETERNUS ET203ACU V11L30-0000"
        assert peer.attempts == ["keyboard-interactive"]


def test_the_password_answers_only_a_question_that_hides_what_is_typed(tmp_path: Path) -> None:
    with Peer(says(), ways=("keyboard-interactive",), prompts=(("Favourite colour: ", True),)) as peer:
        with pytest.raises(CredentialsError), open_eternus(endpoint_of(peer, tmp_path)):
            pass
        assert peer.attempts == []


def test_a_refused_password_is_not_tried_again_in_another_way(tmp_path: Path) -> None:
    with Peer(says(), ways=("password", "keyboard-interactive"), password="another") as peer:
        with pytest.raises(CredentialsError), open_eternus(endpoint_of(peer, tmp_path)):
            pass
        assert len(peer.attempts) == 1


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Welcome to somewhere else", id="another system"),
        pytest.param("00\r\n" + ABOUT.replace("V11L30-0000", "7.3.1"), id="a firmware of another form"),
        pytest.param("00", id="nothing"),
    ],
)
def test_something_that_is_no_eternus_is_not_taken_for_one(tmp_path: Path, text: str) -> None:
    with Peer(says(show_enclosure_status=text)) as peer, pytest.raises(MalformedAnswerError), open_eternus(endpoint_of(peer, tmp_path)):
        pass


@pytest.mark.long
def test_no_secret_gets_out_however_it_fails(tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    caplog.set_level(logging.DEBUG)
    heard: list[str] = []
    with lab(DX, tmp_path, timeout=3 * SHORT_SECONDS) as (server, endpoint), open_eternus(endpoint) as array:
        heard.append(repr(array) + repr(vars(array)) + repr(vars(array._shell)) + repr(endpoint))
        for kind in ("truncate", "garbage", "drop", "latency"):
            server.faults.active[:] = [Fault(kind, "show volumes", seconds=4 * SHORT_SECONDS)]
            with pytest.raises(EndpointError) as caught:
                array.read("show volumes")
            heard.append(shown_by(caught.value, local_values=True))
        server.faults.active[:] = [Fault("refuse", "login"), Fault("drop", "show volumes")]
        with pytest.raises(CredentialsError) as refused:
            array.read("show volumes")
        heard.append(shown_by(refused.value))
    heard += [caplog.text, *capfd.readouterr()]
    assert all(PASSWORD not in text for text in heard)
