"""Sessions with a group of Nimble arrays: pages, partial answers, refusals."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.nimble.client import open_nimble
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
from auditor_lab.arrays.nimble.description import NimbleDescription, VolumeDescription
from auditor_lab.wire import Answer, Fault
from tests.endpoints.arrays import USER, saying, serving_array

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FIVE = NimbleDescription("nb", "49686580b78e0b16", volumes=tuple(VolumeDescription(f"v{n}") for n in range(1, 6)), page_rows=2)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Any, Any]]:
    with serving_array(EndpointKind.NIMBLE, FIVE, tmp_path) as (server, endpoint), open_nimble(endpoint) as group:
        del server.requests[:]
        yield server, group


def names(group: Any, resource: str = "volumes", **params: str) -> list[str]:
    return [row["name"] for page in group.pages(resource, **params) for row in page["data"]]


def test_pages_are_followed_until_all_rows_are_held(served: tuple[Any, Any]) -> None:
    server, group = served
    assert names(group) == ["v1", "v2", "v3", "v4", "v5"]
    assert server.requests == ["GET volumes/detail"] * 3
    assert names(group, name="v3") == ["v3"]
    assert names(group, "alarms") == []


def test_the_session_says_what_answers(served: tuple[Any, Any]) -> None:
    _, group = served
    assert group.release == "NimbleOS 6.1.2.700-1062444-opt"
    assert group.identity(again=True) == group.known_identity == "0049686580b78e0b16000000000000000000000001"
    assert group.role() == "administrator"


def alter(changes: dict[str, Any], after: int = 0) -> Any:
    seen: list[int] = []

    def altered(answer: dict[str, Any]) -> dict[str, Any]:
        seen.append(1)
        return {**answer, **changes} if len(seen) > after else answer

    return altered


@pytest.mark.parametrize(
    ("alteration", "reason", "held"),
    [
        pytest.param(alter({"totalRows": 6}, after=2), "it counted 5 rows, then 6: the list changed", 5, id="a list that grew"),
        pytest.param(alter({"data": []}, after=1), "it counts 5 rows, and held 2", 2, id="a page without rows"),
        pytest.param(
            alter({"messages": [{"code": "SM_epartial", "severity": "warn", "text": "an array is away"}]}, after=2),
            "it calls itself partial: SM_epartial: an array is away",
            5,
            id="a partial answer",
        ),
        pytest.param(alter({"messages": ["?"]}), "it calls itself partial: without a reason", 2, id="a partial answer without words"),
        pytest.param(alter({"totalRows": None}), "it has no list of rows with their number", 0, id="no number of rows"),
        pytest.param(alter({"data": {}}), "it has no list of rows with their number", 0, id="no list"),
        pytest.param(alter({"data": None}), "it has no list of rows with their number", 0, id="null where rows are counted"),
    ],
)
def test_a_list_that_is_not_whole_says_so_after_what_it_held(served: tuple[Any, Any], alteration: Any, reason: str, held: int) -> None:
    server, group = served
    server.alterations["GET volumes/detail"] = alteration
    found: list[Any] = []
    with pytest.raises(MalformedAnswerError, match=reason):
        found.extend(row for page in group.pages("volumes") for row in page["data"])
    assert len(found) == held


def test_an_empty_list_may_be_null(served: tuple[Any, Any]) -> None:
    server, group = served
    server.alterations["GET alarms/detail"] = alter({"data": None})
    assert names(group, "alarms") == []


def test_a_session_that_was_over_is_renewed_once_for_a_read_and_never_for_a_write(served: tuple[Any, Any]) -> None:
    server, group = served
    server.expire_sessions()
    assert names(group, name="v1") == ["v1"]
    assert server.requests == ["GET volumes/detail", "POST tokens", "GET volumes/detail"]
    server.expire_sessions()
    del server.requests[:]
    with pytest.raises(CredentialsError, match="its session was over, or the role does not allow it"):
        group.put("volumes", FIVE.id_of("06", 1), {"limit_iops": 1000})
    assert server.requests == ["PUT volumes"]


def test_a_read_that_a_new_session_does_not_help_is_a_matter_of_the_role(served: tuple[Any, Any]) -> None:
    # REST API reference, "Errors": 401 is an invalid token, or an action that the role does not permit.
    server, group = served
    server.faults.active.append(Fault("status", "GET alarms/detail", status=401))
    with pytest.raises(PermissionMissingError, match=f"{USER} may not call GET alarms/detail: it answers 401 to a new session, too"):
        names(group, "alarms")
    assert names(group, name="v1") == ["v1"], "the rest is read"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, EndpointError),
        (403, PermissionMissingError),
        (404, NotThereError),
        (409, EndpointError),
        (500, EndpointUnreachableError),
        (503, EndpointUnreachableError),
        (204, MalformedAnswerError),
    ],
)
def test_what_a_status_means_for_a_read(tmp_path: Path, status: int, error: type[EndpointError]) -> None:
    body = json.dumps({"messages": [{"code": "SM_enoent", "severity": "error", "text": "what it says"}]}).encode()
    with serving_array(EndpointKind.NIMBLE, FIVE, tmp_path, timeout=0.5) as (server, endpoint), open_nimble(endpoint) as group:
        answer = server.answer
        server.answer = lambda request: Answer(body, "application/json", status) if "volumes" in request.path else answer(request)
        with pytest.raises(error) as caught:
            names(group)
    assert type(caught.value) is error
    assert ("SM_enoent: what it says" in caught.value.what) is (status in (400, 403, 404, 409))


def test_a_refused_write_says_so_in_the_words_of_the_array(served: tuple[Any, Any]) -> None:
    _, group = served
    with pytest.raises(RefusedError, match="SM_qos_limit_not_in_range"):
        group.put("volumes", FIVE.id_of("06", 1), {"limit_iops": 1})
    with pytest.raises(NotThereError):
        group.put("volumes", FIVE.id_of("06", 77), {"limit_iops": 1000})
    with pytest.raises(NotThereError):
        group.one("volumes", FIVE.id_of("06", 77))


def test_an_answer_about_another_volume_is_not_taken_for_this_one(served: tuple[Any, Any]) -> None:
    server, group = served
    server.alterations["GET volumes"] = lambda answer: {"data": {**answer["data"], "id": "06ff"}}
    with pytest.raises(NotThereError):
        group.one("volumes", FIVE.id_of("06", 1))


@pytest.mark.parametrize("body", [b"{}", b'{"data": {"session_token": "", "id": "1"}}', b'{"data": {"session_token": "t"}}', b"[]"])
def test_a_login_without_a_token_is_no_login(tmp_path: Path, body: bytes) -> None:
    with (
        saying(EndpointKind.NIMBLE, body, tmp_path, status=201) as (_, endpoint),
        pytest.raises(MalformedAnswerError, match="holds no session token"),
        open_nimble(endpoint),
    ):
        pass


def test_an_account_that_is_not_among_the_users_has_no_role(served: tuple[Any, Any]) -> None:
    server, group = served
    server.sets["users"].clear()
    assert group.role() is None


def test_a_group_without_a_name_for_its_release_says_so(tmp_path: Path) -> None:
    with (
        serving_array(EndpointKind.NIMBLE, dataclasses.replace(FIVE, version=""), tmp_path) as (_, endpoint),
        open_nimble(endpoint) as group,
    ):
        assert group.release == "NimbleOS ?"
