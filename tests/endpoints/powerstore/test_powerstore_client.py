"""A session with a PowerStore logs in once, reads lists to their end, and says what it could not."""

from __future__ import annotations

import dataclasses
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.powerstore import client as powerstore
from auditor.endpoints.powerstore.client import PowerStore, open_powerstore
from auditor.errors import CredentialsError, EndpointError, MalformedAnswerError, NotThereError, PermissionMissingError, RefusedError
from auditor.model import EndpointKind
from auditor_lab.arrays.powerstore.description import PowerStoreDescription, QosPolicyDescription, VolumeDescription
from auditor_lab.arrays.powerstore.query import listed
from auditor_lab.arrays.powerstore.records import Cluster
from auditor_lab.wire import Fault
from tests.endpoints.arrays import PASSWORD, saying, serving_array, shown_by

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DESCRIPTION = PowerStoreDescription(
    name="ps",
    id="0a4c9d7e-58b1-4f36-9c20-7d1e63b5a842",
    qos_policies=(QosPolicyDescription(name="silver", max_iops=2000),),
    volumes=tuple(VolumeDescription(name=f"v{number}") for number in range(5)),
)
OPENING = ["GET login_session", "GET software_installed", "GET cluster"]


@pytest.fixture
def serve(tmp_path: Path) -> Callable[..., Any]:
    return lambda **changes: serving_array(EndpointKind.POWERSTORE, dataclasses.replace(DESCRIPTION, **changes), tmp_path)


@pytest.fixture
def of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(powerstore, "PAGE", 2)


def names(array: PowerStore, **filters: str) -> list[str]:
    return sorted(entry["name"] for entry in array.listed("volume", "id,name", **filters))


def test_a_session_logs_in_once_reads_the_release_and_logs_out(serve: Any) -> None:
    with serve() as (server, endpoint):
        with open_powerstore(endpoint) as array:
            assert (array.release, array.version, array.api, array.notes) == ("PowerStoreOS 4.1.0.0", "4.1.0.0", (4, 1), ())
            assert array.identity() == "PS0a4c9d7e58b1"
            assert array.clock() == datetime(2026, 11, 20, 9, tzinfo=UTC)
            assert array.role() == "Storage Administrator"
            assert names(array) == ["v0", "v1", "v2", "v3", "v4"]
        assert server.requests == [*OPENING, "GET cluster", "GET role", "GET volume", "POST logout"]
        assert server._sessions == {}, "a session that stays open counts until its idle time-out"


@pytest.mark.usefixtures("of_two")
def test_a_list_is_read_page_by_page_to_its_end(serve: Any) -> None:
    with serve() as (server, endpoint), open_powerstore(endpoint) as array:
        assert names(array) == ["v0", "v1", "v2", "v3", "v4"]
        assert server.requests.count("GET volume") == 3
        assert names(array, name="eq.v3") == ["v3"]


@pytest.mark.usefixtures("of_two")
def test_a_list_whose_length_changes_is_read_again_and_not_for_ever(serve: Any) -> None:
    with serve() as (server, endpoint), open_powerstore(endpoint) as array:
        left = [2]

        def shrink(page: Any) -> Any:
            if left[0]:
                left[0] -= 1
                held = server.state.description
                server.state = Cluster(dataclasses.replace(held, volumes=held.volumes[:-1]))
            return page

        server.alterations["GET volume"] = shrink
        assert names(array) == ["v0", "v1", "v2"]
        left[0] = 0

        def grow(page: Any) -> Any:
            held = server.state.description
            added = VolumeDescription(name=f"new{len(held.volumes)}")
            server.state = Cluster(dataclasses.replace(held, volumes=(*held.volumes, added)))
            return page

        server.alterations["GET volume"] = grow
        with pytest.raises(MalformedAnswerError, match="its length changed each of the 3 times"):
            names(array)


@pytest.mark.usefixtures("of_two")
def test_a_page_with_less_than_its_range_says_is_not_taken_for_one(serve: Any) -> None:
    with serve() as (server, endpoint), open_powerstore(endpoint) as array:
        server.alterations["GET volume"] = lambda page: page[:1]
        with pytest.raises(MalformedAnswerError, match="holds 1 from 0 on"):
            names(array)


@pytest.mark.parametrize(("page", "more"), [(2, 3), (100, 1)], ids=["as long as was asked for", "as long as where nobody asks"])
@pytest.mark.parametrize("last", [0, 1], ids=["and nothing", "and a rest"])
def test_a_full_page_that_does_not_say_how_much_there_is_is_not_the_end(
    serve: Any, monkeypatch: pytest.MonkeyPatch, page: int, more: int, last: int
) -> None:
    """A proxy leaves Content-Range out, or answers 200 in the place of 206."""
    if page == 2:
        monkeypatch.setattr(powerstore, "PAGE", 2)
    monkeypatch.setattr("auditor_lab.arrays.powerstore.server.listed", silent(page))
    held = tuple(VolumeDescription(name=f"v{number:03}") for number in range(page * more + last))
    with serve(volumes=held) as (_, endpoint), open_powerstore(endpoint) as array:
        assert names(array) == [one.name for one in held]


def silent(page: int) -> Any:
    """Pages of this length at most, without a word on how much there is."""

    def shown(records: Any, query: dict[str, str], *_: Any) -> Any:
        asked = query | {"limit": str(min(page, int(query.get("limit", page))))}
        return listed(records, asked, None, page)[0], ""

    return shown


@pytest.mark.usefixtures("of_two")
def test_a_list_that_ends_before_the_next_page_is_read_again(serve: Any) -> None:
    with serve() as (server, endpoint), open_powerstore(endpoint) as array:

        def shrink(page: Any) -> Any:
            held = server.state.description
            server.state = Cluster(dataclasses.replace(held, volumes=held.volumes[:1]))
            return page

        server.alterations["GET volume"] = shrink
        assert names(array) == ["v0"]


@pytest.mark.parametrize("status", [401, 403])
def test_a_session_that_is_over_is_opened_once_more_for_a_read(serve: Any, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    with serve() as (server, endpoint), open_powerstore(endpoint) as array:
        server.expired_status = status
        server.expire_sessions()
        later = time.monotonic() + 61
        monkeypatch.setattr("auditor.endpoints.powerstore.wire.time.monotonic", lambda: later)
        assert len(names(array)) == 5
        assert server.requests[3:] == ["GET volume", "GET login_session", "GET volume"]


def test_a_403_of_a_new_session_is_about_the_account_and_no_reason_to_log_in(serve: Any) -> None:
    with serve() as (server, endpoint), open_powerstore(endpoint) as array:
        server.faults.active.append(Fault("status", "GET volume", status=403))
        with pytest.raises(PermissionMissingError):
            names(array)
        assert server.requests[3:] == ["GET volume"]


def test_a_write_is_sent_once_and_a_session_that_is_over_writes_nothing(serve: Any) -> None:
    with serve() as (server, endpoint), open_powerstore(endpoint) as array:
        server.expire_sessions()
        with pytest.raises(CredentialsError, match="its session was over"):
            array.patch("volume", server.state.volume_id("v1"), {"qos_performance_policy_id": server.state.policy_id("silver")})
        assert server.requests[3:] == ["PATCH volume"]
        assert server.state.volume_policies["v1"] is None
        names(array)
        array.patch("volume", server.state.volume_id("v1"), {"qos_performance_policy_id": server.state.policy_id("silver")})
        assert server.state.volume_policies["v1"] == "silver"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        pytest.param(lambda array: array.listed("nothing", "id"), NotThereError, "Unknown resource nothing", id="no such resource"),
        pytest.param(lambda array: array.listed("volume", "id,wrong"), EndpointError, "0xE04040010001: Invalid field", id="a field"),
        pytest.param(lambda array: array.one("volume", "7", "id"), NotThereError, "Could not find the volume with ID: 7", id="no such id"),
        pytest.param(lambda array: array.patch("volume", "7", {"name": "x"}), RefusedError, "does not write", id="a write"),
    ],
)
def test_a_refusal_is_told_in_the_words_of_the_array(serve: Any, call: Any, error: type[EndpointError], words: str) -> None:
    with serve() as (_, endpoint), open_powerstore(endpoint) as array, pytest.raises(error, match=words):
        call(array)


def test_who_may_not_write_is_told_so(serve: Any) -> None:
    with serve(role="Operator") as (server, endpoint), open_powerstore(endpoint) as array:
        assert array.role() == "Operator"
        with pytest.raises(PermissionMissingError, match="Not allowed"):
            array.patch("volume", server.state.volume_id("v1"), {"qos_performance_policy_id": None})


def test_a_release_that_does_not_tell_its_time_has_no_clock(serve: Any) -> None:
    with serve(version="1.0.2.0", qos_policies=()) as (_, endpoint), open_powerstore(endpoint) as array:
        assert array.clock() is None
        assert not array.has((2, 0))


@pytest.mark.parametrize(
    "body", [pytest.param(b"[]", id="no release"), pytest.param(b'{"a": 1}', id="an object"), pytest.param(b"<html>", id="a page")]
)
def test_what_is_no_powerstore_is_not_read(tmp_path: Path, body: bytes) -> None:
    with saying(EndpointKind.POWERSTORE, body, tmp_path) as (_, endpoint):
        with pytest.raises(MalformedAnswerError) as caught, open_powerstore(endpoint):
            pass
        assert PASSWORD not in shown_by(caught.value, local_values=True)
