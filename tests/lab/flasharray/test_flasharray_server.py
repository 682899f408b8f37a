"""Writes to the lab's FlashArray stick or are refused; sessions end; networks fail."""

from __future__ import annotations

import dataclasses
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor_lab.arrays.flasharray import server as flasharray_server
from auditor_lab.arrays.flasharray.parts import LimitsDescription
from auditor_lab.wire import Fault
from tests.waiting import SPEED_CHECKS, Clock

MIB = 1 << 20


def qos(client: Any, what: str, name: str) -> tuple[int | None, int | None]:
    (item,) = client.items(what, names=name)
    return item["qos"]["iops_limit"], item["qos"]["bandwidth_limit"]


@pytest.mark.parametrize(
    ("what", "name", "asked", "expected"),
    [
        pytest.param("volumes", "ds-1", {"iops_limit": 5000}, (5000, None), id="one ceiling where there was none"),
        pytest.param("volumes", "ds-2", {"bandwidth_limit": 50 * MIB}, (1000, 50 * MIB), id="the other ceiling stays"),
        pytest.param("volumes", "ds-2", {"iops_limit": 100, "bandwidth_limit": MIB}, (100, MIB), id="the lowest there are"),
        pytest.param(
            "volumes", "ds-2", {"iops_limit": 10**8, "bandwidth_limit": 512 << 30}, (10**8, 512 << 30), id="the highest there are"
        ),
        pytest.param("volume-groups", "apps", {"iops_limit": 2000}, (2000, None), id="a volume group"),
        pytest.param("volumes", "both::ds", {"iops_limit": 2000}, (2000, None), id="a volume of a pod"),
        pytest.param("volumes", "ds-2", {"iops_limit": ""}, (None, MIB), id="an empty string lifts one"),
        pytest.param("volume-groups", "apps", {"iops_limit": "", "bandwidth_limit": ""}, (None, None), id="or both"),
    ],
)
def test_a_ceiling_that_is_written_is_read_back(
    serve: Any, described: Any, what: str, name: str, asked: dict[str, int], expected: tuple[int, int]
) -> None:
    client, _ = serve(described)
    others = [item for item in client.items(what) if item["name"] != name]
    answer = client.patch(what, {"qos": asked}, names=name)
    assert (answer.status_code, answer.json()["items"]) == (200, client.items(what, names=name))
    assert qos(client, what, name) == expected
    assert [item for item in client.items(what) if item["name"] != name] == others


@pytest.mark.parametrize("what", ["volumes", "volume-groups"])
@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"qos": {"iops_limit": 99}}, id="fewer operations than allowed"),
        pytest.param({"qos": {"iops_limit": 10**8 + 1}}, id="more operations than allowed"),
        pytest.param({"qos": {"bandwidth_limit": MIB - 1}}, id="less bandwidth than allowed"),
        pytest.param({"qos": {"bandwidth_limit": (512 << 30) + 1}}, id="more bandwidth than allowed"),
        pytest.param({"qos": {"iops_limit": "5000"}}, id="a string for a number"),
        pytest.param({"qos": {"iops_limit": True}}, id="a boolean for a number"),
        pytest.param({"qos": {"iops_limit": 500.5}}, id="half an operation"),
        pytest.param({"qos": {"iops_limit": None}}, id="null"),
        pytest.param({"qos": {"iops": 500}}, id="a ceiling of another name"),
        pytest.param({"qos": 500}, id="a number for both"),
        pytest.param({"qos": {"iops_limit": 500, "bandwidth_limit": 1}}, id="one good and one bad"),
        pytest.param({"qos": {"iops_limit": 500}, "destroyed": True}, id="something the lab does not change"),
        pytest.param({}, id="nothing"),
        pytest.param([], id="not an object"),
    ],
)
def test_a_refused_write_leaves_everything_as_it_was(serve: Any, described: Any, what: str, body: Any) -> None:
    client, _ = serve(described)
    before = client.items(what)
    assert client.refused(client.patch(what, body, names=before[2 if what == "volumes" else 0]["name"]))[0] == 400
    assert client.items(what) == before


def test_an_array_may_refuse_to_lift_a_ceiling(serve: Any, described: Any) -> None:
    client, _ = serve(dataclasses.replace(described, limits=LimitsDescription(unset=False)))
    assert client.refused(client.patch("volumes", {"qos": {"iops_limit": ""}}, names="ds-2")) == (400, "ds-2")
    assert qos(client, "volumes", "ds-2") == (1000, MIB)


def test_several_are_changed_all_or_none(serve: Any, described: Any) -> None:
    client, _ = serve(described)
    before = client.items("volumes")
    assert client.refused(client.patch("volumes", {"qos": {"iops_limit": 500}}, names="ds-1,ds-9")) == (400, "ds-9")
    assert client.refused(client.patch("volumes", {"qos": {"iops_limit": 500}}))[0] == 400, "nothing is named"
    assert client.patch("volumes", {"qos": {"iops_limit": 500}}, filter="name='ds-1'").status_code == 400
    assert client.session.patch("/api/2.15/volumes?names=ds-1", content=b"{").status_code == 400
    assert client.items("volumes") == before
    assert client.patch("volumes", {"qos": {"iops_limit": 500}}, names="ds-1,ds-2").status_code == 200
    assert (qos(client, "volumes", "ds-1"), qos(client, "volumes", "ds-2")) == ((500, None), (500, MIB))
    (volume,) = client.items("volumes", names="pe")
    assert client.patch("volumes", {"qos": {"iops_limit": 700}}, ids=volume["id"]).json()["items"][0]["name"] == "pe"


_CEILINGS = st.one_of(
    st.integers(-1, 300), st.integers(10**8 - 2, 10**8 + 2), st.integers(MIB - 2, MIB + 2), st.integers((512 << 30) - 2, 1 << 40)
)
_WRITES = st.lists(
    st.tuples(
        st.sampled_from(["ds-1", "ds-2", "both::ds"]), st.dictionaries(st.sampled_from(["iops_limit", "bandwidth_limit"]), _CEILINGS)
    ),
    max_size=6,
)


@given(_WRITES)
@settings(max_examples=15, suppress_health_check=[*SPEED_CHECKS, HealthCheck.function_scoped_fixture])
def test_after_any_writes_the_array_holds_the_last_good_ones(serve: Any, described: Any, writes: list[tuple[str, dict[str, int]]]) -> None:
    client, server = serve(described)
    held: dict[str, dict[str, int | None]] = {
        "ds-1": {"iops_limit": None, "bandwidth_limit": None},
        "ds-2": {"iops_limit": 1000, "bandwidth_limit": MIB},
        "both::ds": {"iops_limit": None, "bandwidth_limit": None},
    }
    bounds = {"iops_limit": (100, 10**8), "bandwidth_limit": (MIB, 512 << 30)}
    for name, asked in writes:
        good = all(bounds[key][0] <= value <= bounds[key][1] for key, value in asked.items())
        assert client.patch("volumes", {"qos": asked}, names=name).status_code == (200 if good else 400)
        if good:
            held[name] = {**held[name], **asked}
    assert {item["name"]: item["qos"] for item in client.items("volumes", names=",".join(held))} == held
    server.stop()


def test_a_host_s_personality_is_written_and_nothing_else_of_it(serve: Any, described: Any) -> None:
    client, _ = serve(described)
    assert client.items("hosts", names="windows")[0]["personality"] is None
    assert client.patch("hosts", {"personality": "esxi"}, names="windows").json()["items"][0]["personality"] == "esxi"
    assert client.names("hosts", filter="personality='esxi'") == ["esx-1", "esx-2", "windows"]
    assert client.refused(client.patch("hosts", {"personality": "ESXi"}, names="windows")) == (400, "windows")
    assert client.refused(client.patch("hosts", {"personality": None}, names="windows")) == (400, "windows")
    assert client.refused(client.patch("hosts", {"qos": {"iops_limit": 500}}, names="windows")) == (400, "windows")
    assert client.items("hosts", names="windows")[0]["personality"] == "esxi"
    assert client.patch("pods", {"destroyed": True}, names="both").status_code == 404
    assert client.patch("hosts", {"personality": ""}, names="windows").json()["items"][0]["personality"] is None, "an empty one unsets it"


def test_the_account_behind_the_token_is_told_with_its_role_and_without_the_token(serve: Any, described: Any) -> None:
    client, _ = serve(described)
    (username,) = [item["username"] for item in client.login().json()["items"]]
    (account,) = client.items("admins", names=username)
    assert (account["name"], account["role"]) == (username, {"name": "storage_admin"})
    assert set(account["api_token"]["token"]) == {"*"}


def test_an_account_that_may_only_read_cannot_write(serve: Any, described: Any) -> None:
    client, _ = serve(dataclasses.replace(described, role="readonly"))
    assert client.refused(client.patch("volumes", {"qos": {"iops_limit": 500}}, names="ds-1"))[0] == 403
    assert qos(client, "volumes", "ds-1") == (None, None)


@pytest.mark.parametrize("token", ["wrong", "", "tökén".encode()])
def test_a_wrong_token_opens_no_session(serve: Any, described: Any, token: str | bytes) -> None:
    client, _ = serve(described)
    answer = client.login(token)
    assert client.refused(answer)[0] == 401
    assert "x-auth-token" not in answer.headers
    assert "tok" not in answer.json()["errors"][0]["message"].replace("token", "")
    assert client.refused(client.get("volumes"))[0] == 401


def test_a_session_ends_when_it_is_logged_out_unused_or_lost(serve: Any, described: Any) -> None:
    client, server = serve(described)
    assert client.get("arrays").status_code == 200
    assert client.session.post("/api/2.15/logout").status_code == 200
    assert client.refused(client.get("arrays"))[0] == 401
    client.login()
    assert client.get("arrays").status_code == 200
    server.expire_sessions()
    assert client.refused(client.get("arrays"))[0] == 401
    assert client.refused(client.patch("volumes", {"qos": {"iops_limit": 500}}, names="ds-1"))[0] == 401
    client.login()
    assert qos(client, "volumes", "ds-1") == (None, None)


def test_a_session_lives_while_it_is_used(serve: Any, described: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(flasharray_server, "time", clock)
    client, _ = serve(described, session_seconds=60)
    for _ in range(4):
        clock.now += 59
        assert client.get("arrays").status_code == 200
    clock.now += 61
    assert client.refused(client.get("arrays"))[0] == 401


@pytest.mark.parametrize(
    ("method", "path"),
    [
        pytest.param("GET", "/api/2.99/volumes", id="a version that is not served"),
        pytest.param("GET", "/api/1.19/volume", id="the first generation of the interface"),
        pytest.param("GET", "/api/2.15/unicorns", id="a kind of thing that is not there"),
        pytest.param("DELETE", "/api/2.15/volumes?names=ds-1", id="a method the lab does not have"),
        pytest.param("GET", "/", id="nothing of the interface"),
    ],
)
def test_what_is_not_there_is_not_found(serve: Any, described: Any, method: str, path: str) -> None:
    client, _ = serve(described)
    assert client.refused(client.session.request(method, path))[0] == 404


@pytest.mark.parametrize(
    ("fault", "seen"),
    [
        pytest.param(Fault("drop", "GET volumes"), httpx.RemoteProtocolError, id="dropped"),
        pytest.param(Fault("truncate", "GET volumes"), httpx.RemoteProtocolError, id="cut off"),
        pytest.param(Fault("status", "GET volumes", status=503), 503, id="busy"),
        pytest.param(Fault("garbage", "GET volumes"), ValueError, id="nonsense"),
    ],
)
def test_a_fault_hits_the_operation_it_names_and_no_other(serve: Any, described: Any, fault: Fault, seen: Any) -> None:
    client, server = serve(described)
    server.faults.active.append(fault)
    if isinstance(seen, int):
        assert client.get("volumes").status_code == seen
    else:
        with pytest.raises(seen):
            client.get("volumes").json()
    assert client.get("hosts").status_code == 200
    server.faults.active.clear()
    assert len(client.items("volumes")) == 10


def test_a_write_whose_answer_was_lost_was_done(serve: Any, described: Any) -> None:
    client, server = serve(described)
    server.faults.active.append(Fault("lose", "PATCH volumes", times=1))
    with pytest.raises(httpx.RemoteProtocolError):
        client.patch("volumes", {"qos": {"iops_limit": 500}}, names="ds-1")
    assert qos(client, "volumes", "ds-1") == (500, None)


def test_a_write_can_be_accepted_and_ignored(serve: Any, described: Any) -> None:
    client, server = serve(described)
    server.ignored_writes = True
    assert client.patch("volumes", {"qos": {"iops_limit": 500}}, names="ds-1").json()["items"][0]["qos"]["iops_limit"] == 500
    assert qos(client, "volumes", "ds-1") == (None, None)


def test_an_answer_can_be_altered_and_requests_are_told_in_their_order(serve: Any, described: Any) -> None:
    client, server = serve(described)
    server.alterations["GET arrays"] = lambda answer: {**answer, "items": []}
    assert client.items("arrays") == []
    client.get("volumes/performance")
    client.session.get("/api/api_version")
    assert server.requests == ["POST login", "GET arrays", "GET volumes/performance", "GET api_version"]
