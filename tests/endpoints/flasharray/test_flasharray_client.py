"""A session with a FlashArray says what it knows, what it does not know, and no secret."""

from __future__ import annotations

import dataclasses
import itertools
import json
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.flasharray.client import LICENSED, PAGE, FlashArray, open_flasharray
from auditor.errors import (
    CredentialsError,
    EndpointError,
    EndpointUnreachableError,
    MalformedAnswerError,
    NotThereError,
    PermissionMissingError,
    RefusedError,
)
from auditor.model import EndpointKind
from auditor_lab.arrays.flasharray.description import FlashArrayDescription
from auditor_lab.arrays.flasharray.parts import HostDescription, QosDescription, VolumeDescription
from auditor_lab.arrays.flasharray.server import FlashArrayServer
from auditor_lab.wire import Answer, Fault
from tests.endpoints.arrays import PASSWORD, be_patient, closed_port, saying, serving_array, shown_by
from tests.waiting import NEVER_SECONDS, SHORT_SECONDS, timeout_with

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DESCRIPTION = FlashArrayDescription(
    name="fa",
    id="6c1b16ce-1c03-4d1c-b974-33405cf8d565",
    hosts=(HostDescription("esx-1", wwns=("2100F4C7AA002706",)),),
    volumes=(VolumeDescription("one", hosts=("esx-1",)), VolumeDescription("two", qos=QosDescription(1000)), VolumeDescription("three")),
)
OPENING = ["GET api_version", "POST login", "GET arrays"]


@pytest.fixture
def serve(tmp_path: Path) -> Callable[..., Any]:
    def serving(description: FlashArrayDescription = DESCRIPTION, timeout: float = 30.0, **options: Any) -> Any:
        return serving_array(EndpointKind.FLASHARRAY, description, tmp_path, timeout=timeout, **options)

    return serving


def names(array: FlashArray, resource: str = "volumes", **params: str) -> list[str]:
    return [item["name"] for page in array.pages(resource, **params) for item in page["items"]]


def iops(server: FlashArrayServer, name: str) -> int | None:
    return server.array.volumes[name].qos.iops_limit


def set_iops(array: FlashArray, value: Any = 500, name: str = "one") -> None:
    array.patch("volumes", name, {"qos": {"iops_limit": value}})


def test_a_session_negotiates_logs_in_asks_writes_and_logs_out(serve: Any) -> None:
    with serve() as (server, endpoint):
        with open_flasharray(endpoint) as array:
            assert (array.api_version, array.release, array.notes) == ("2.15", "Purity//FA 6.3.3 REST 2.15", ())
            assert names(array) == ["one", "two", "three"]
            set_iops(array)
            assert iops(server, "one") == 500
        assert server.requests == [*OPENING, "GET volumes", "PATCH volumes", "POST logout"]
        assert server._sessions == {}, "a session that stays open counts until its idle time-out"


@pytest.mark.parametrize(
    ("spoken", "chosen"),
    [
        pytest.param(("1.19", "2.2", "2.10", "2.9"), "2.10", id="2.10 is later than 2.9, and is not 2.1"),
        pytest.param(("2.2",), "2.2", id="the oldest with all that is read"),
        pytest.param(("2.56", "2.26"), "2.56", id="the newest known"),
    ],
)
def test_the_latest_version_that_both_speak_is_used(serve: Any, spoken: tuple[str, ...], chosen: str) -> None:
    with serve(dataclasses.replace(DESCRIPTION, api_versions=spoken)) as (_, endpoint), open_flasharray(endpoint) as array:
        assert array.api_version == chosen
        assert names(array), "the array knows the version in the address"
        assert array.notes == ()


def test_a_version_newer_than_any_known_is_left_alone_and_told(serve: Any) -> None:
    with serve(dataclasses.replace(DESCRIPTION, api_versions=("2.26", "2.57", "3.0"))) as (_, endpoint), open_flasharray(endpoint) as array:
        assert array.api_version == "2.26"
        assert array.notes == ("fa-east speaks REST up to 3.0; 2.26 is used, as this version knows none after 2.56.",)


@pytest.mark.parametrize(
    ("reported", "said"),
    [
        pytest.param(["1.19", "2.0", "2.1"], "its newest is 2.1", id="too old"),
        pytest.param(["2.57", "2.58"], "all it speaks is newer, from 2.57", id="newer than known"),
        pytest.param([], "no REST version from 2.2", id="none"),
        pytest.param(None, "no REST version from 2.2", id="null"),
        pytest.param("2.15", "no REST version from 2.2", id="not a list"),
    ],
)
def test_an_array_with_no_version_in_common_is_said_to_be_one(serve: Any, tmp_path: Path, reported: Any, said: str) -> None:
    with saying(EndpointKind.FLASHARRAY, json.dumps({"version": reported}).encode(), tmp_path) as (peer, endpoint):
        with pytest.raises(NotThereError, match=said), open_flasharray(endpoint):
            pass
        assert peer.requests == ["GET"], "the token is not shown to whom we cannot talk to"


def test_something_else_at_the_address_is_not_taken_for_an_array(tmp_path: Path) -> None:
    with (
        saying(EndpointKind.FLASHARRAY, b"<html>it works</html>", tmp_path) as (_, endpoint),
        pytest.raises(MalformedAnswerError, match="api_version"),
        open_flasharray(endpoint),
    ):
        pass


def test_a_login_without_a_session_token_makes_no_sense(serve: Any) -> None:
    with serve() as (server, endpoint):
        whole = server.answer
        server.answer = lambda request: dataclasses.replace(whole(request), headers=()) if "login" in request.path else whole(request)
        with pytest.raises(MalformedAnswerError, match="x-auth-token"), open_flasharray(endpoint):
            pass


@pytest.mark.parametrize("token", ["an-old-token", "tökén", "a\x07b"], ids=["wrong", "not ASCII", "a control character"])
def test_a_wrong_token_is_a_matter_of_credentials(serve: Any, tmp_path: Path, token: str) -> None:
    with serve() as (server, endpoint):
        (tmp_path / "password").write_text(token, encoding="utf-8")
        with pytest.raises(CredentialsError, match="API token") as caught, open_flasharray(endpoint):
            pass
        assert server.requests in (["GET api_version", "POST login"], ["GET api_version"]), "a second try could lock the account"
    assert token not in shown_by(caught.value)


@pytest.mark.parametrize("status", [400, 403])
def test_a_login_that_is_refused_otherwise_is_a_matter_of_credentials_too(serve: Any, status: int) -> None:
    with serve() as (server, endpoint):
        server.faults.active.append(Fault("status", "POST login", status=status))
        with pytest.raises(CredentialsError), open_flasharray(endpoint):
            pass


@pytest.mark.parametrize("page", [1, 2, 3, 7])
@pytest.mark.parametrize("resource", ["volumes", "volumes/performance"])
def test_pages_are_followed_to_the_end(serve: Any, page: int, resource: str) -> None:
    many = tuple(VolumeDescription(f"v{number}") for number in range(7))
    with serve(dataclasses.replace(DESCRIPTION, volumes=many, page_limit=page)) as (server, endpoint), open_flasharray(endpoint) as array:
        assert names(array, resource) == [f"v{number}" for number in range(7)]
        assert server.requests[len(OPENING) :] == [f"GET {resource}"] * -(-7 // page)


def shortened(**change: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda answer: {**answer, **change}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"more_items_remaining": True, "continuation_token": None}, id="more remains, and no token for it"),
        pytest.param({"more_items_remaining": True, "continuation_token": 7}, id="a token that is a number"),
        pytest.param({"more_items_remaining": None, "continuation_token": "same"}, id="a token that leads to itself"),
        pytest.param({"items": [{"name": "one"}] * PAGE, "more_items_remaining": None}, id="a full page, and no word of more"),
        pytest.param({"total_item_count": 4}, id="fewer items than the array counts"),
        pytest.param({"items": None}, id="no list"),
        pytest.param({"items": {}}, id="an object for a list"),
    ],
)
def test_a_list_that_breaks_off_is_never_called_whole(serve: Any, change: dict[str, Any]) -> None:
    with serve() as (server, endpoint), open_flasharray(endpoint) as array:
        whole = server.answer
        # The lab refuses a token it did not give; this array takes any.
        server.answer = lambda request: whole(dataclasses.replace(request, path=request.path.partition("&continuation_token")[0]))
        server.alterations["GET volumes"] = shortened(**change)
        with pytest.raises(MalformedAnswerError, match="GET volumes"):
            names(array)
        assert server.requests.count("GET volumes") <= 2


UNLICENSED = b'{"errors": [{"context": "GET", "message": "This feature is not licensed on this array."}]}'


@pytest.mark.parametrize("resource", sorted(LICENSED))
def test_what_the_array_has_no_licence_for_is_empty_and_said_once(serve: Any, resource: str) -> None:
    with serve() as (server, endpoint), open_flasharray(endpoint) as array:
        server.answer = lambda _: Answer(UNLICENSED, "application/json", 400)
        assert [list(array.pages(resource)), list(array.pages(resource))] == [[], []]
        assert [note for note in array.notes if "has no licence" in note] == [
            f"fa-east has no licence for what GET {resource} lists, so there is none; rules about it do not apply."
        ]


@pytest.mark.parametrize(
    ("resource", "message"),
    [
        pytest.param("volumes", "This feature is not licensed on this array.", id="what every array has"),
        pytest.param("pods", "Internal error.", id="another refusal"),
    ],
)
def test_another_refusal_is_an_error(serve: Any, resource: str, message: str) -> None:
    with serve() as (server, endpoint), open_flasharray(endpoint) as array:
        server.answer = lambda _: Answer(
            UNLICENSED.replace(b"This feature is not licensed on this array.", message.encode()), "application/json", 400
        )
        with pytest.raises(EndpointError):
            list(array.pages(resource))


def test_pages_end_without_a_token_where_the_array_says_no_more_than_that(serve: Any) -> None:
    with serve() as (server, endpoint), open_flasharray(endpoint) as array:
        server.alterations["GET volumes"] = lambda answer: {"items": answer["items"]}
        assert names(array) == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        pytest.param(Fault("latency", "GET volumes", seconds=NEVER_SECONDS), EndpointUnreachableError, id="no answer in time"),
        pytest.param(Fault("drop", "GET volumes"), EndpointUnreachableError, id="connection dropped"),
        pytest.param(Fault("status", "GET volumes", status=500), EndpointUnreachableError, id="server error"),
        pytest.param(Fault("truncate", "GET volumes"), MalformedAnswerError, id="answer cut in half"),
        pytest.param(Fault("garbage", "GET volumes"), MalformedAnswerError, id="a web page instead of JSON"),
        pytest.param(Fault("status", "GET volumes", status=404), MalformedAnswerError, id="not found, by a web page"),
        pytest.param(Fault("status", "GET volumes", status=401), CredentialsError, id="the token revoked in mid-run"),
        pytest.param(Fault("status", "GET volumes", status=403), PermissionMissingError, id="forbidden"),
    ],
)
def test_trouble_on_the_wire_is_named_and_bounded_in_time(serve: Any, fault: Fault, error: type[EndpointError]) -> None:
    with serve(timeout=timeout_with(fault.kind)) as (server, endpoint), open_flasharray(endpoint) as array:
        server.faults.active.append(fault)
        with pytest.raises(error) as caught:
            names(array)
        assert type(caught.value) is error
        server.faults.active.clear()
        be_patient(array._wire.https)
        assert len(names(array)) == 3, "the session must survive it"


def test_a_busy_array_is_asked_again_when_it_says_so(serve: Any) -> None:
    with serve() as (server, endpoint), open_flasharray(endpoint) as array:
        server.faults.active.append(Fault("status", "GET volumes", status=429, times=1))
        before = time.monotonic()
        assert names(array)
        assert time.monotonic() - before >= 1, "the lab says Retry-After: 1"
        assert server.requests.count("GET volumes") == 2


def test_an_array_that_stays_busy_is_given_up(serve: Any) -> None:
    with serve(timeout=1.0) as (server, endpoint), open_flasharray(endpoint) as array:
        server.faults.active.append(Fault("status", "GET volumes", status=503))
        with pytest.raises(EndpointUnreachableError, match="503"):
            names(array)
        assert server.requests.count("GET volumes") == 2, "waiting longer than the timeout is not patience"


def test_a_session_that_is_over_is_opened_once_more_for_a_read(serve: Any) -> None:
    with serve() as (server, endpoint), open_flasharray(endpoint) as array:
        server.expire_sessions()
        assert len(names(array)) == 3
        assert server.requests == [*OPENING, "GET volumes", "POST login", "GET volumes"]


def test_a_session_that_is_over_between_two_pages_loses_nothing(serve: Any) -> None:
    with serve(dataclasses.replace(DESCRIPTION, page_limit=1)) as (server, endpoint), open_flasharray(endpoint) as array:
        found = []
        for page in array.pages("volumes"):
            found += [item["name"] for item in page["items"]]
            server.expire_sessions()
    assert found == ["one", "two", "three"]


def test_a_session_that_is_over_and_cannot_be_opened_again_is_tried_once(serve: Any, tmp_path: Path) -> None:
    with serve() as (server, endpoint), open_flasharray(endpoint) as array:
        (tmp_path / "password").write_text("revoked")
        server.expire_sessions()
        with pytest.raises(CredentialsError):
            names(array)
        assert server.requests.count("POST login") == 2


def test_many_threads_share_one_session_and_log_in_once_when_it_is_over(serve: Any) -> None:
    with serve() as (server, endpoint), open_flasharray(endpoint) as array, ThreadPoolExecutor(8) as pool:
        server.expire_sessions()
        assert list(pool.map(lambda _: len(names(array)), range(40))) == [3] * 40
        assert server.requests.count("POST login") == 2


def test_a_write_whose_session_is_over_is_not_sent_again(serve: Any) -> None:
    with serve() as (server, endpoint), open_flasharray(endpoint) as array:
        server.expire_sessions()
        with pytest.raises(CredentialsError) as caught:
            set_iops(array)
        assert caught.value.why == "nothing was written."
        assert (iops(server, "one"), server.requests.count("PATCH volumes"), server.requests.count("POST login")) == (None, 1, 1)
        assert array.one("volumes", "one")["qos"]["iops_limit"] is None, "the next reading logs in anew"
        set_iops(array)
        assert iops(server, "one") == 500


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Fault("status", "PATCH volumes", status=503), id="busy"),
        pytest.param(Fault("drop", "PATCH volumes"), id="dropped before it was read"),
        pytest.param(Fault("lose", "PATCH volumes"), id="carried out, answer lost"),
        pytest.param(Fault("latency", "PATCH volumes", seconds=NEVER_SECONDS), id="answered too late"),
        pytest.param(Fault("garbage", "PATCH volumes"), id="answered with a web page"),
        pytest.param(Fault("truncate", "PATCH volumes"), id="answered by half"),
    ],
)
def test_a_write_is_sent_once_and_its_outcome_called_unknown(serve: Any, fault: Fault) -> None:
    # A busy array says to come back after a second: there must be time for the second try that a write must not get.
    with serve(timeout=timeout_with(fault.kind)) as (server, endpoint), open_flasharray(endpoint) as array:
        server.faults.active.append(fault)
        with pytest.raises((EndpointUnreachableError, MalformedAnswerError)) as caught:
            set_iops(array)
        assert "not known" in caught.value.why
        assert server.requests.count("PATCH volumes") == 1


def test_a_write_that_could_not_be_sent_is_not_called_unknown(serve: Any) -> None:
    with serve() as (server, endpoint), open_flasharray(endpoint) as array:
        inner = array._wire.https
        inner._base = inner._base.replace(str(server.port), str(closed_port()))
        with pytest.raises(EndpointUnreachableError) as caught:
            set_iops(array)
    assert caught.value.why == "the request was never sent."


@pytest.mark.parametrize(
    ("ask", "error", "said"),
    [
        pytest.param(lambda array: set_iops(array, 99), RefusedError, "Must be between", id="a value out of range"),
        pytest.param(lambda array: set_iops(array, name="nine"), NotThereError, "nine", id="a volume that does not exist"),
        pytest.param(lambda array: array.patch("unicorns", "one", {}), NotThereError, "unicorns", id="a resource that does not exist"),
        pytest.param(lambda array: array.one("volumes", "nine"), NotThereError, "nine", id="reading a volume that does not exist"),
        pytest.param(lambda array: names(array, filter="nonsense"), EndpointError, "filter", id="a read with a wrong parameter"),
    ],
)
def test_what_the_array_refuses_is_told_apart_in_its_own_words(serve: Any, ask: Any, error: type[EndpointError], said: str) -> None:
    with serve() as (server, endpoint), open_flasharray(endpoint) as array:
        with pytest.raises(error, match=said) as caught:
            ask(array)
        assert type(caught.value) is error
        assert (iops(server, "one"), iops(server, "two")) == (None, 1000)


def test_an_answer_of_which_a_part_failed_is_not_taken_for_whole(serve: Any) -> None:
    body = json.dumps({"items": [], "errors": [{"context": "fa-2", "message": "Not reachable."}]}).encode()
    with serve() as (server, endpoint), open_flasharray(endpoint) as array:
        whole = server.answer
        server.answer = lambda request: (
            Answer(body, "application/json", 207) if "volumes" in request.path else whole(request)
        )  # OpenAPI definitions: 207, "Partial success"
        with pytest.raises(EndpointError, match="fa-2: Not reachable"):
            names(array)


def test_an_account_without_the_right_to_write_is_told_so(serve: Any) -> None:
    reader = dataclasses.replace(DESCRIPTION, role="readonly")
    with serve(reader) as (server, endpoint), open_flasharray(endpoint) as array:
        with pytest.raises(PermissionMissingError, match="PATCH volumes"):
            set_iops(array)
        assert iops(server, "one") is None


@pytest.mark.parametrize("role", ["readonly", "storage_admin"])
def test_the_role_of_the_account_is_told(serve: Any, role: str) -> None:
    with serve(dataclasses.replace(DESCRIPTION, role=role)) as (_, endpoint), open_flasharray(endpoint) as array:
        assert array.role() == role


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param({"role": None}, None, id="null"),
        pytest.param({"role": {"name": None}}, None, id="no name"),
        pytest.param(
            {"role": None, "management_access_policies": [{"name": "storage"}, {"name": "audit"}]}, "storage, audit", id="policies"
        ),
        pytest.param({"name": "somebody-else"}, None, id="a user of a directory service"),
    ],
)
def test_a_role_that_is_not_told_is_not_made_up(serve: Any, change: dict[str, Any], expected: str | None) -> None:
    with serve() as (server, endpoint), open_flasharray(endpoint) as array:
        server.alterations["GET admins"] = lambda answer: {**answer, "items": [{**answer["items"][0], **change}]}
        assert array.role() == expected


def test_the_array_s_clock_is_its_own(serve: Any) -> None:
    with serve() as (server, endpoint), open_flasharray(endpoint) as array:
        server.faults.active.append(Fault("skew", seconds=86400))
        reported = array.clock()
        assert reported is not None
        assert timedelta(hours=23) < reported - datetime.now(UTC) < timedelta(hours=25)


def test_no_secret_gets_out_whatever_is_asked_and_however_it_fails(
    serve: Any, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    heard: list[str] = []
    with serve(timeout=SHORT_SECONDS) as (server, endpoint), open_flasharray(endpoint) as array:
        session_token = next(iter(server._sessions))
        server.alterations["GET admins"] = lambda answer: {**answer, "items": [{"name": "auditor", "api_token": {"password": PASSWORD}}]}
        heard += [repr(list(array.pages("admins"))), repr(array) + repr(vars(array)) + repr(vars(array._wire)) + repr(endpoint)]
        for kind in ("truncate", "garbage", "drop", "latency", "status"):
            server.faults.active[:] = [
                Fault(kind, "GET volumes", seconds=NEVER_SECONDS, status=401),
                Fault("status", "POST login", status=401),
            ]
            with pytest.raises(EndpointError) as caught:
                names(array)
            heard.append(shown_by(caught.value))
    heard += [caplog.text, *capfd.readouterr()]
    for text in heard:
        assert PASSWORD not in text
        assert session_token not in text
    assert "***" in heard[0]


def test_pages_without_end_are_given_up(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.endpoints.common.answer_limits.MOST_PAGES", 5)
    tokens = itertools.count()
    with serve() as (server, endpoint), open_flasharray(endpoint) as array:
        whole = server.answer
        server.answer = lambda request: whole(dataclasses.replace(request, path=request.path.partition("&continuation_token")[0]))
        server.alterations["GET volumes"] = lambda answer: answer | {"more_items_remaining": True, "continuation_token": str(next(tokens))}
        with pytest.raises(MalformedAnswerError, match="did not end after 5 pages"):
            names(array)
        assert server.requests.count("GET volumes") == 5
