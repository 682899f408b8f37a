"""A session with a Storage Manager says what it knows, what it does not know, and no secret."""

from __future__ import annotations

import dataclasses
import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.dell_sc.client import open_dell_sc
from auditor.errors import (
    CredentialsError,
    EndpointError,
    EndpointUnreachableError,
    MalformedAnswerError,
    NotThereError,
    PermissionMissingError,
    RefusedError,
)
from auditor_lab.wire import Fault
from tests.endpoints.arrays import PASSWORD
from tests.endpoints.dell_sc.dell_sc_serving import S1, serving
from tests.waiting import NEVER_SECONDS, SHORT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONFIGURATION = "StorageCenter/ScVolume/64702.1/VolumeConfiguration"
PUT = "PUT ScVolumeConfiguration"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[tuple[Any, Any]]:
    with serving(tmp_path) as (server, endpoint), open_dell_sc(endpoint) as manager:
        server.requests.clear()
        yield server, manager


def prefetch(server: Any) -> bool:
    held: bool = server.center.volumes[1].write_cache
    return held


def test_a_session_logs_in_asks_writes_and_logs_out(tmp_path: Path) -> None:
    with serving(tmp_path) as (server, endpoint):
        with open_dell_sc(endpoint) as manager:
            assert manager.api_version == "4.1"
            assert manager.release == "Dell Storage Manager 18.1.10.153, API 4.1"
            assert [one["name"] for one in manager.objects("ScVolume", 64702)] == ["capped", "free"]
            assert manager.objects("ScVolume", 64703) == [], "the filter is understood"
            manager.modify("ScVolumeConfiguration", "64702.1", {"writeCacheEnabled": False})
            assert manager.object(CONFIGURATION).get("writeCacheEnabled") is False
            assert manager.role() is None
        assert (server.requests[0], server.requests[-1], server.requests.count(PUT)) == ("Login", "Logout", 1)


@pytest.mark.parametrize(
    ("oldest", "newest", "used", "logins"),
    [
        pytest.param("2.0", "4.1", "4.1", 1, id="what we know"),
        pytest.param("0.1", "2.10", "2.10", 2, id="an older manager: 2.10, which is later than 2.2"),
        pytest.param("0.1", "2.1", "2.1", 2, id="one whose filters are not wrapped"),
        pytest.param("2.0", "5.3", "4.1", 1, id="a newer one that still speaks ours"),
    ],
)
def test_the_newest_version_that_both_speak_is_used(tmp_path: Path, oldest: str, newest: str, used: str, logins: int) -> None:
    spoken = dataclasses.replace(S1, min_api_version=oldest, api_version=newest)
    with serving(tmp_path, spoken) as (server, endpoint), open_dell_sc(endpoint) as manager:
        assert manager.api_version == used
        assert server.requests.count("Login") == logins
        assert len(manager.objects("ScVolume", 64702)) == 2


@pytest.mark.parametrize(("oldest", "newest"), [pytest.param("0.1", "1.4", id="too old"), pytest.param("5.0", "6.2", id="too new")])
def test_a_manager_with_no_version_in_common_is_said_to_be_one(tmp_path: Path, oldest: str, newest: str) -> None:
    spoken = dataclasses.replace(S1, min_api_version=oldest, api_version=newest)
    with serving(tmp_path, spoken) as (_, endpoint), pytest.raises(NotThereError) as caught, open_dell_sc(endpoint):
        pass
    assert f"it speaks API {oldest} to {newest}, we speak 2.0 to 4.1" in caught.value.what


def test_the_password_goes_with_the_login_and_with_no_other_request(tmp_path: Path, caplog: Any) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(tmp_path) as (server, endpoint):
        reported: list[bool] = []
        answer = server.answer
        server.answer = lambda request: reported.append("authorization" in request.headers) or answer(request)  # type: ignore[func-returns-value]
        with open_dell_sc(endpoint) as manager:
            manager.objects("ScVolume", 64702)
            assert PASSWORD not in repr(vars(manager))
    assert reported == [True, False, False]
    assert PASSWORD not in caplog.text


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        pytest.param(Fault("garbage", "Login"), MalformedAnswerError, id="something else answers"),
        pytest.param(Fault("drop", "Login"), EndpointUnreachableError, id="nobody answers"),
        pytest.param(Fault("truncate", "Login"), MalformedAnswerError, id="the answer breaks off"),
        pytest.param(Fault("status", "Login", status=500), EndpointUnreachableError, id="the manager is ill"),
    ],
)
def test_a_login_that_goes_wrong_is_told_as_what_it_is(tmp_path: Path, fault: Fault, error: type[EndpointError]) -> None:
    with serving(tmp_path) as (server, endpoint):
        server.faults.active.append(fault)
        with pytest.raises(error), open_dell_sc(endpoint):
            pass


def test_a_lost_session_is_made_anew_once_for_all_who_read(session: Any) -> None:
    server, manager = session
    server.forget_sessions()
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda _: manager.object(CONFIGURATION).get("volumeQosProfile"), range(16)))
    assert server.requests.count("Login") == 1


def test_a_session_that_cannot_be_made_anew_is_a_matter_of_credentials(session: Any, tmp_path: Path) -> None:
    server, manager = session
    (tmp_path / "password").write_text("changed meanwhile")
    server.forget_sessions()
    with pytest.raises(CredentialsError):
        manager.object(CONFIGURATION)
    assert server.requests.count("Login") == 1


def test_a_write_in_a_lost_session_is_refused_and_not_sent_again(session: Any) -> None:
    server, manager = session
    server.forget_sessions()
    with pytest.raises(RefusedError, match="session had ended") as caught:
        manager.modify("ScVolumeConfiguration", "64702.1", {"writeCacheEnabled": False})
    assert caught.value.why == "nothing was written."
    assert (server.requests.count(PUT), prefetch(server)) == (1, True)
    assert manager.object(CONFIGURATION)["writeCacheEnabled"] is True, "what is read next makes a new session"


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_manager_is_asked_again_what_is_read_and_never_what_is_written(session: Any, status: int) -> None:
    server, manager = session
    server.faults.active += [Fault("status", "ScVolume/VolumeConfiguration", status=status, times=1), Fault("status", PUT, status=status)]
    assert manager.object(CONFIGURATION)["writeCacheEnabled"] is True
    with pytest.raises(EndpointUnreachableError) as caught:
        manager.modify("ScVolumeConfiguration", "64702.1", {"writeCacheEnabled": False})
    assert "not known" in caught.value.why
    assert server.requests.count(PUT) == 1


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        pytest.param(Fault("truncate"), MalformedAnswerError, id="it breaks off"),
        pytest.param(Fault("garbage"), MalformedAnswerError, id="it is garbage"),
        pytest.param(Fault("status", status=404), NotThereError, id="no such call"),
        pytest.param(Fault("status", status=403), PermissionMissingError, id="not for this account"),
        pytest.param(Fault("status", status=409), EndpointError, id="an error of its own"),
        pytest.param(Fault("status", status=500), EndpointUnreachableError, id="it is ill"),
        pytest.param(Fault("drop"), EndpointUnreachableError, id="none"),
    ],
)
def test_a_list_that_is_not_whole_is_an_error(session: Any, fault: Fault, error: type[EndpointError]) -> None:
    server, manager = session
    server.faults.active.append(dataclasses.replace(fault, operation="ScVolume/GetList"))
    with pytest.raises(error) as caught:
        manager.objects("ScVolume", 64702)
    assert type(caught.value) is error


def test_a_list_that_says_itself_that_it_is_a_part_is_not_taken_for_a_whole(session: Any) -> None:
    server, manager = session
    answer = server.answer
    server.answer = lambda request: dataclasses.replace(answer(request), status=206)
    with pytest.raises(MalformedAnswerError, match="HTTP 206"):
        manager.objects("ScVolume", 64702)


@pytest.mark.parametrize("answer", [pytest.param({"instanceId": "1"}, id="an object"), pytest.param(None, id="null")])
def test_what_is_no_list_is_not_taken_for_an_empty_one(session: Any, answer: Any) -> None:
    server, manager = session
    server.alterations["ScVolume/GetList"] = lambda _: answer
    with pytest.raises(MalformedAnswerError, match="where a list was expected"):
        manager.objects("ScVolume", 64702)


def test_an_answer_that_does_not_come_in_time_is_waited_for_no_longer(tmp_path: Path) -> None:
    with serving(tmp_path, timeout=SHORT_SECONDS) as (server, endpoint), open_dell_sc(endpoint) as manager:
        server.faults.active.append(Fault("latency", "ScVolume/GetList", seconds=NEVER_SECONDS))
        with pytest.raises(EndpointUnreachableError, match="no answer within 1 s"):
            manager.objects("ScVolume", 64702)


def test_a_task_is_followed_to_its_end(session: Any) -> None:
    server, manager = session
    server.task_seconds = 0.3
    manager.modify("ScVolumeConfiguration", "64702.1", {"writeCacheEnabled": False})
    assert prefetch(server) is False
    assert server.requests.count("AsyncTask") > 1


def test_a_task_that_never_ends_leaves_the_outcome_unknown(tmp_path: Path) -> None:
    with serving(tmp_path, timeout=SHORT_SECONDS / 2) as (server, endpoint), open_dell_sc(endpoint) as manager:
        server.task_seconds = None
        with pytest.raises(EndpointUnreachableError, match=r"had not ended after 2 s") as caught:
            manager.modify("ScVolumeConfiguration", "64702.1", {"writeCacheEnabled": False})
        assert "not known" in caught.value.why


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Fault("drop", "AsyncTask"), id="nobody answers for it"),
        pytest.param(Fault("status", "AsyncTask", status=404), id="the manager has forgotten it"),
        pytest.param(Fault("garbage", "AsyncTask"), id="what is told of it is garbage"),
        pytest.param(Fault("lose", PUT), id="its number got lost"),
        pytest.param(Fault("truncate", PUT), id="its number came in half"),
    ],
)
def test_a_task_that_cannot_be_followed_leaves_the_outcome_unknown(session: Any, fault: Fault) -> None:
    server, manager = session
    server.faults.active.append(fault)
    with pytest.raises((EndpointUnreachableError, MalformedAnswerError)) as caught:
        manager.modify("ScVolumeConfiguration", "64702.1", {"writeCacheEnabled": False})
    assert "not known" in caught.value.why
    assert server.requests.count(PUT) == 1


def test_a_session_lost_while_a_task_runs_does_not_lose_the_task(session: Any) -> None:
    server, manager = session
    server.task_seconds = 0.2
    server.faults.active.append(Fault("status", "AsyncTask", status=401, times=1))
    manager.modify("ScVolumeConfiguration", "64702.1", {"writeCacheEnabled": False})
    assert (prefetch(server), server.requests.count("Login"), server.requests.count(PUT)) == (False, 1, 1)


@pytest.mark.parametrize(
    ("attributes", "error", "words"),
    [
        pytest.param({"noSuchThing": 1}, RefusedError, "has no nosuchthing", id="an attribute it does not have"),
        pytest.param({"volumeQosProfile": "64702.99"}, RefusedError, "Invalid ScQosProfile", id="a profile it does not have"),
    ],
)
def test_a_task_that_fails_says_why(session: Any, attributes: Any, error: type[EndpointError], words: str) -> None:
    server, manager = session
    with pytest.raises(error, match=words):
        manager.modify("ScVolumeConfiguration", "64702.1", attributes)
    assert prefetch(server) is True


def test_a_task_that_tells_its_own_error_was_refused(session: Any) -> None:
    server, manager = session
    server.task_seconds = None
    answer = server.answer

    def failed(request: Any) -> Any:
        reply = answer(request)
        said = reply.body.replace(b'"error": ""', b'"error": "Out of  resources"') if "AsyncTask" in request.path else reply.body
        return dataclasses.replace(reply, body=said)

    server.answer = failed
    with pytest.raises(RefusedError, match="Out of resources"):
        manager.modify("ScVolumeConfiguration", "64702.1", {"writeCacheEnabled": False})


def test_an_account_that_may_only_read_is_told_so(tmp_path: Path) -> None:
    with (
        serving(tmp_path, dataclasses.replace(S1, permissions=frozenset({"read"}))) as (server, endpoint),
        open_dell_sc(endpoint) as manager,
    ):
        with pytest.raises(PermissionMissingError, match="privilege to write") as caught:
            manager.modify("ScVolumeConfiguration", "64702.1", {"writeCacheEnabled": False})
        assert (caught.value.why, prefetch(server)) == ("nothing was written.", True)


def test_the_managers_clock_is_told_in_utc(session: Any) -> None:
    server, manager = session
    server.faults.active.append(Fault("skew", "ApiConnection", seconds=600))
    ahead = manager.clock() - datetime.now(UTC)
    assert timedelta(seconds=590) < ahead < timedelta(seconds=610)
