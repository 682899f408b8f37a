"""Sessions with a Dot Hill array: login, lost sessions, refusals, and what is never asked or shown."""

from __future__ import annotations

import dataclasses
import hashlib
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.common.sessions import open_session
from auditor.endpoints.dothill.client import SHOWN, RefusedCommandError
from auditor.errors import CredentialsError, EndpointUnreachableError, MalformedAnswerError
from auditor.model import EndpointKind
from auditor_lab.wire import Fault
from tests.contract.examples import EXAMPLES
from tests.endpoints.arrays import PASSWORD, USER, saying, serving_array

if TYPE_CHECKING:
    from auditor.model import Exchange

MSA: Any = EXAMPLES[EndpointKind.DOTHILL].description
HASH = hashlib.sha256(f"{USER}_{PASSWORD}".encode()).hexdigest()


def serving(folder: Path, description: Any = MSA, **options: Any) -> Any:
    return serving_array(EndpointKind.DOTHILL, description, folder, **options)


def test_a_session_that_was_lost_is_opened_anew_and_the_command_asked_once_more(tmp_path: Path) -> None:
    with serving(tmp_path) as (server, endpoint), open_session(endpoint) as array:
        server.expire_sessions()
        del server.requests[:]
        assert len(array.show("volumes")[0]["volumes"]) == 2
        assert server.requests == ["show volumes", "login", "show volumes"]
        del server.requests[:]
        array.show("pools")
        assert server.requests == ["show pools"], "the new session is kept"


@pytest.mark.parametrize("code", [2, -10027])
def test_a_session_that_is_never_taken_is_a_matter_of_credentials_and_not_tried_for_ever(code: int, tmp_path: Path) -> None:
    def over(_: Any) -> Any:
        return {"status": [{"response-type-numeric": 1, "response": "no session", "return-code": code}]}

    with serving(tmp_path) as (server, endpoint), open_session(endpoint) as array:
        server.alterations["show volumes"] = over
        del server.requests[:]
        with pytest.raises(CredentialsError, match="the session that it has just opened"):
            array.show("volumes")
        assert server.requests == ["show volumes", "login", "show volumes"]


def test_an_error_of_the_array_is_told_in_its_words_with_its_code(tmp_path: Path) -> None:
    def refused(_: Any) -> Any:
        return {"status": [{"response-type-numeric": 1, "response": "Error: Controller not online.", "return-code": 3108}]}

    with serving(tmp_path) as (server, endpoint), open_session(endpoint) as array:
        server.alterations["show volumes"] = refused
        with pytest.raises(RefusedCommandError, match=r"show volumes: Error: Controller not online\. \(3108\)"):
            array.show("volumes")


def test_an_answer_that_does_not_say_how_the_command_ended_is_none(tmp_path: Path) -> None:
    with serving(tmp_path) as (server, endpoint), open_session(endpoint) as array:
        server.alterations["show volumes"] = lambda objects: {"volumes": objects["volumes"]}
        with pytest.raises(MalformedAnswerError, match="does not say how the command ended"):
            array.show("volumes")


@pytest.mark.parametrize("answers_xml", [False, True])
def test_firmware_that_takes_md5_alone_is_refused_with_the_reason(tmp_path: Path, *, answers_xml: bool) -> None:
    description = dataclasses.replace(MSA, answers_xml=answers_xml)
    with (
        serving(tmp_path, description, expects_md5=True) as (server, endpoint),
        pytest.raises(CredentialsError) as refused,
        open_session(endpoint),
    ):
        pass
    assert "MD5 alone is not read" in refused.value.do
    assert server.requests == ["login"]


def test_a_command_that_is_not_listed_is_never_sent(tmp_path: Path) -> None:
    assert not [one for one in SHOWN if not one.replace("-", "").isalpha()]
    with serving(tmp_path) as (server, endpoint), open_session(endpoint) as array:
        del server.requests[:]
        for what in ("chap-records", "../delete/volumes/one", "volumes/one"):
            with pytest.raises(ValueError, match="not among the commands"):
                array.show(what)
        assert server.requests == []


def test_the_hash_by_which_one_may_log_in_is_in_no_log_and_no_recording(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    seen: list[Exchange] = []
    with serving(tmp_path) as (server, endpoint), open_session(dataclasses.replace(endpoint, tap=seen.append)) as array:
        array.show("volumes")
        server.faults.active.append(Fault("drop"))
        with pytest.raises(EndpointUnreachableError) as lost:
            array.show("pools")
    assert HASH not in caplog.text + str(lost.value)
    assert seen[0].path == "/api/login"
    assert not [one for one in seen if HASH in one.path or HASH.encode() in one.answer]


@pytest.mark.parametrize(
    ("sessions", "role"),
    [
        # edingc/powervault_me5_exporter, testdata/sessions.json: username "monitoring", roles "monitor".
        pytest.param([{"username": "audit", "roles": "monitor"}, {"username": "admin", "roles": "manage"}], "monitor", id="its own"),
        pytest.param([{"username": "admin", "roles": "manage"}], None, id="another's alone"),
        pytest.param("odd", None, id="no list"),
    ],
)
def test_the_role_is_that_of_its_own_session(sessions: Any, role: str | None, tmp_path: Path) -> None:
    with serving(tmp_path) as (server, endpoint), open_session(endpoint) as array:
        server.alterations["show sessions"] = lambda objects: {**objects, "sessions": sessions}
        assert array.role() == role


def test_another_product_at_the_address_is_told(tmp_path: Path) -> None:
    with (
        saying(EndpointKind.DOTHILL, b'{"version": "1"}', tmp_path) as (_, endpoint),
        pytest.raises(MalformedAnswerError),
        open_session(endpoint),
    ):
        pass
