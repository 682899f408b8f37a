"""A session with an Element cluster says what it knows, what it does not know, and no secret."""

from __future__ import annotations

import dataclasses
import logging
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.common.masking import masked
from auditor.endpoints.element.client import open_element
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
from auditor_lab.arrays.element.description import (
    ContainerDescription,
    ElementDescription,
    NodeDescription,
    QosPolicyDescription,
    VolumeDescription,
)
from auditor_lab.arrays.element.records import INITIATOR_CHAP, TARGET_CHAP
from auditor_lab.arrays.element.server import ElementServer
from auditor_lab.wire import Fault
from tests.endpoints.arrays import PASSWORD, be_patient, closed_port, saying, serving_array, shown_by
from tests.waiting import NEVER_SECONDS, SHORT_SECONDS, timeout_with

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DESCRIPTION = ElementDescription(
    name="sf",
    unique_id="1mhp",
    nodes=(NodeDescription(1, "n1"),),
    qos_policies=(QosPolicyDescription("Bronze", 25, 1000, 2000),),
    volumes=(VolumeDescription("one", policy="Bronze"),),
    containers=(ContainerDescription("vvols"),),
)


@pytest.fixture
def serve(tmp_path: Path) -> Callable[..., Any]:
    def serving(description: ElementDescription = DESCRIPTION, timeout: float = 30.0) -> Any:
        return serving_array(EndpointKind.ELEMENT, description, tmp_path, timeout=timeout)

    return serving


def minimum(server: ElementServer) -> int:
    return server.cluster.policies[1].qos.limits["minIOPS"]


def test_a_session_negotiates_the_version_asks_and_writes(serve: Any) -> None:
    with serve() as (server, endpoint), open_element(endpoint) as array:
        assert array.api_version == "12.3"
        assert array.call("GetClusterInfo")["clusterInfo"]["uniqueID"] == "1mhp"
        array.call("ModifyQoSPolicy", qosPolicyID=1, qos={"minIOPS": 50})
        assert array.call("ListQoSPolicies")["qosPolicies"][0]["qos"]["minIOPS"] == 50
        assert server.requests == ["GetAPI", "GetClusterInfo", "ModifyQoSPolicy", "ListQoSPolicies"]


@pytest.mark.parametrize(
    ("spoken", "chosen"),
    [
        pytest.param(("12.3", "12.10", "12.9"), "12.10", id="12.10 is later than 12.9, and is not 12.1"),
        pytest.param(("10.0", "11.7", "13.0"), "11.7", id="a later major version is left alone"),
        pytest.param(("10.0",), "10.0", id="the oldest with QoS policies"),
    ],
)
def test_the_latest_version_that_both_speak_is_used_as_it_is_written(serve: Any, spoken: tuple[str, ...], chosen: str) -> None:
    with serve(dataclasses.replace(DESCRIPTION, api_versions=spoken)) as (_, endpoint), open_element(endpoint) as array:
        assert array.api_version == chosen
        assert array.call("ListQoSPolicies")["qosPolicies"], "the cluster knows the version in the address"


def test_versions_sent_as_numbers_keep_their_last_zero(tmp_path: Path) -> None:
    body = b'{"id": 1, "result": {"supportedVersions": [12.9, 12.10]}}'
    with saying(EndpointKind.ELEMENT, body, tmp_path) as (_, endpoint), open_element(endpoint) as array:
        assert array.api_version == "12.10"


@pytest.mark.parametrize(
    "reported", [pytest.param(["9.6"], id="too old"), pytest.param(None, id="nothing"), pytest.param(12, id="not a list")]
)
def test_a_cluster_with_no_version_in_common_is_said_to_be_one(serve: Any, reported: Any) -> None:
    with serve() as (server, endpoint):
        server.alterations["GetAPI"] = lambda _, result: result | {"supportedVersions": reported}
        with pytest.raises(NotThereError, match="speaks no API version"), open_element(endpoint):
            pass


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        pytest.param(Fault("latency", "ListVolumes", seconds=NEVER_SECONDS), EndpointUnreachableError, id="no answer in time"),
        pytest.param(Fault("slow", "ListVolumes", seconds=0.25), EndpointUnreachableError, id="an answer that dribbles without end"),
        pytest.param(Fault("drop", "ListVolumes"), EndpointUnreachableError, id="connection dropped"),
        pytest.param(Fault("status", "ListVolumes", status=500), EndpointUnreachableError, id="server error"),
        pytest.param(Fault("truncate", "ListVolumes"), MalformedAnswerError, id="answer cut in half"),
        pytest.param(Fault("garbage", "ListVolumes"), MalformedAnswerError, id="a web page instead of JSON"),
        pytest.param(Fault("status", "ListVolumes", status=404), MalformedAnswerError, id="not found"),
        pytest.param(Fault("status", "ListVolumes", status=401), CredentialsError, id="credentials revoked in mid-run"),
        pytest.param(Fault("status", "ListVolumes", status=403), PermissionMissingError, id="forbidden"),
    ],
)
def test_trouble_on_the_wire_is_named_and_bounded_in_time(
    serve: Any, fault: Fault, error: type[EndpointError], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditor.endpoints.common.answer_time.WHOLE_ANSWER_TIMEOUTS", 2)
    many = dataclasses.replace(DESCRIPTION, volumes=tuple(VolumeDescription(f"v{i}") for i in range(400)))
    with serve(many, timeout=timeout_with(fault.kind)) as (server, endpoint), open_element(endpoint) as array:
        server.faults.active.append(fault)
        with pytest.raises(error) as caught:
            array.call("ListVolumes")
        assert type(caught.value) is error
        server.faults.active.clear()
        be_patient(array._transport.https)
        assert len(array.call("ListVolumes")["volumes"]) == 400, "the session must survive it"


def test_a_busy_cluster_is_asked_again_when_it_says_so(serve: Any) -> None:
    with serve() as (server, endpoint), open_element(endpoint) as array:
        server.faults.active.append(Fault("status", "ListVolumes", status=503, times=1))
        before = time.monotonic()
        assert array.call("ListVolumes")["volumes"]
        assert time.monotonic() - before >= 1, "the lab says Retry-After: 1"
        assert server.requests.count("ListVolumes") == 2


def test_a_cluster_that_stays_busy_is_given_up(serve: Any) -> None:
    with serve(timeout=2.0) as (server, endpoint), open_element(endpoint) as array:
        server.faults.active.append(Fault("status", "ListVolumes", status=429))
        with pytest.raises(EndpointUnreachableError, match="429"):
            array.call("ListVolumes")
        assert server.requests.count("ListVolumes") == 3, "waiting longer than the timeout is not patience"


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Fault("status", "ModifyQoSPolicy", status=503), id="busy"),
        pytest.param(Fault("drop", "ModifyQoSPolicy"), id="dropped before it was read"),
        pytest.param(Fault("lose", "ModifyQoSPolicy"), id="carried out, answer lost"),
        pytest.param(Fault("latency", "ModifyQoSPolicy", seconds=NEVER_SECONDS), id="answered too late"),
    ],
)
def test_a_write_is_sent_once_and_its_outcome_called_unknown(serve: Any, fault: Fault) -> None:
    # A busy cluster says to come back after a second: there must be time for the second try that a write must not get.
    with serve(timeout=timeout_with(fault.kind)) as (server, endpoint), open_element(endpoint) as array:
        server.faults.active.append(fault)
        with pytest.raises(EndpointUnreachableError) as caught:
            array.call("ModifyQoSPolicy", qosPolicyID=1, qos={"minIOPS": 50})
        assert "not known" in caught.value.why
        assert server.requests.count("ModifyQoSPolicy") == 1


def test_a_write_whose_answer_was_lost_shows_when_it_is_read_back(serve: Any) -> None:
    with serve() as (server, endpoint), open_element(endpoint) as array:
        server.faults.active.append(Fault("lose", "ModifyQoSPolicy"))
        with pytest.raises(EndpointUnreachableError):
            array.call("ModifyQoSPolicy", qosPolicyID=1, qos={"minIOPS": 50})
        assert array.call("ListQoSPolicies")["qosPolicies"][0]["qos"]["minIOPS"] == 50
        assert minimum(server) == 50


def test_a_write_that_could_not_be_sent_is_not_called_unknown(serve: Any) -> None:
    with serve() as (server, endpoint), open_element(endpoint) as array:
        array._transport.https._base = array._transport.https._base.replace(str(server.port), str(closed_port()))
        with pytest.raises(EndpointUnreachableError) as caught:
            array.call("ModifyQoSPolicy", qosPolicyID=1, qos={"minIOPS": 50})
    assert caught.value.why == "the request was never sent."


@pytest.mark.parametrize(
    ("method", "params", "error"),
    [
        pytest.param("ModifyQoSPolicy", {"qosPolicyID": 1, "qos": {"minIOPS": 1}}, RefusedError, id="a value out of range"),
        pytest.param("ModifyQoSPolicy", {"qosPolicyID": 9, "qos": {}}, NotThereError, id="a policy that does not exist"),
        pytest.param("ListUnicorns", {}, NotThereError, id="a method that does not exist"),
        pytest.param("ListVolumes", {"startVolumeID": "x"}, EndpointError, id="a read with a wrong parameter"),
    ],
)
def test_what_the_cluster_refuses_is_told_apart(serve: Any, method: str, params: dict[str, Any], error: type[EndpointError]) -> None:
    with serve() as (server, endpoint), open_element(endpoint) as array:
        with pytest.raises(error) as caught:
            array.call(method, **params)
        assert type(caught.value) is error
        assert minimum(server) == 25


def test_an_account_without_the_right_to_write_is_told_so(serve: Any) -> None:
    reader = dataclasses.replace(DESCRIPTION, permissions=frozenset({"read"}))
    with serve(reader) as (_, endpoint), open_element(endpoint) as array, pytest.raises(PermissionMissingError, match="ModifyQoSPolicy"):
        array.call("ModifyQoSPolicy", qosPolicyID=1, qos={"minIOPS": 50})


@pytest.mark.parametrize("result", [pytest.param(None, id="null"), pytest.param([], id="a list"), pytest.param("ok", id="a string")])
def test_an_answer_without_a_result_makes_no_sense(serve: Any, result: Any) -> None:
    with serve() as (server, endpoint), open_element(endpoint) as array:
        server.alterations["ListVolumes"] = lambda _, __: result
        with pytest.raises(MalformedAnswerError, match="neither a result nor an error"):
            array.call("ListVolumes")


def test_no_secret_gets_out_whatever_is_asked_and_however_it_fails(
    serve: Any, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger("solidfire.Element").setLevel(logging.DEBUG)
    heard: list[str] = []
    with serve(timeout=SHORT_SECONDS) as (server, endpoint), open_element(endpoint) as array:
        heard += [repr(array.call(method)) for method in ("ListAccounts", "ListStorageContainers", "ListVirtualVolumes", "GetClusterInfo")]
        heard.append(repr(array) + repr(vars(array)) + repr(endpoint))
        for kind in ("truncate", "garbage", "drop", "latency", "status"):
            server.faults.active[:] = [Fault(kind, "ListAccounts", seconds=NEVER_SECONDS, status=500)]
            with pytest.raises(EndpointError) as caught:
                array.call("ListAccounts")
            heard.append(shown_by(caught.value))
    heard += [caplog.text, *capfd.readouterr()]
    for text in heard:
        for secret in (PASSWORD, INITIATOR_CHAP, TARGET_CHAP, "Basic "):
            assert secret not in text
    assert "***" in heard[0]
    assert not [record for record in caplog.records if record.name.startswith("solidfire")], "the SDK's own log must stay silent"
    assert logging.getLogger("solidfire.Element").handlers == []


def test_masking_reaches_every_depth_and_leaves_the_rest_alone() -> None:
    answer = {
        "accounts": [{"initiatorSecret": "a", "targetSecret": None, "username": "u", "deep": [[{"searchBindPassword": {"x": 1}}]]}],
        "clusterPairingKey": 5,
        "secretLengthMax": 16,
        "password": "b",
    }
    assert masked(answer) == {
        "accounts": [{"initiatorSecret": "***", "targetSecret": None, "username": "u", "deep": [[{"searchBindPassword": "***"}]]}],
        "clusterPairingKey": "***",
        "secretLengthMax": 16,
        "password": "***",
    }


def test_a_name_written_with_escapes_is_masked_too(tmp_path: Path) -> None:
    body = rb'{"result": {"supportedVersions": ["12.3"], "target\u0053ecret": "hidden"}}'
    with saying(EndpointKind.ELEMENT, body, tmp_path) as (_, endpoint), open_element(endpoint) as array:
        assert array.call("ListAccounts")["targetSecret"] == "***"


def test_many_threads_share_one_session(serve: Any) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with serve() as (_, endpoint), open_element(endpoint) as array, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: array.call("GetClusterInfo")["clusterInfo"]["name"], range(40)))
    assert answers == ["sf"] * 40


@pytest.mark.parametrize("ahead", [pytest.param(0.0, id="right"), pytest.param(-90.0, id="a minute and a half behind")])
def test_the_clusters_clock_is_told(serve: Any, ahead: float) -> None:
    with serve(dataclasses.replace(DESCRIPTION, clock_ahead_seconds=ahead)) as (_, endpoint), open_element(endpoint) as array:
        reported = array.clock()
        assert reported is not None
        assert reported.utcoffset() == timedelta(0)
        assert abs((reported - datetime.now(UTC)).total_seconds() - ahead) < 5


@pytest.mark.parametrize(
    ("timestamp", "expected"),
    [
        pytest.param("2021-04-19T02:15:14.789903Z", datetime(2021, 4, 19, 2, 15, 14, 789903, UTC), id="as recorded"),
        pytest.param("2021-04-19T02:15:14", datetime(2021, 4, 19, 2, 15, 14, tzinfo=UTC), id="without a zone: it is UTC"),
        pytest.param("yesterday", None, id="a word"),
        pytest.param(None, None, id="null"),
        pytest.param(5, None, id="a number"),
    ],
)
def test_a_clock_is_read_or_not_told(serve: Any, timestamp: Any, expected: datetime | None) -> None:
    with serve() as (server, endpoint), open_element(endpoint) as array:
        server.alterations["GetClusterStats"] = lambda _, __: {"clusterStats": {"timestamp": timestamp}}
        assert array.clock() == expected
        server.alterations["GetClusterStats"] = lambda _, __: {}
        assert array.clock() is None


def test_an_account_that_may_not_ask_for_the_clock_or_its_role_is_told_neither(serve: Any) -> None:
    with serve() as (server, endpoint), open_element(endpoint) as array:
        server.faults.active.append(Fault("permission", privilege="read"))
        assert array.clock() is None
        assert array.role() is None


PRIMARY = {"clusterAdmin": {"username": "admin", "access": ["administrator"]}}


@pytest.mark.parametrize(
    ("alterations", "role"),
    [
        pytest.param({}, "read, write", id="the account's own"),
        pytest.param({"GetCurrentClusterAdmin": PRIMARY}, "read, write", id="the primary account's is not ours, the list has it"),
        pytest.param({"GetCurrentClusterAdmin": PRIMARY, "ListClusterAdmins": {"clusterAdmins": []}}, None, id="nowhere"),
        pytest.param({"GetCurrentClusterAdmin": {}, "ListClusterAdmins": {"clusterAdmins": [None, {}]}}, None, id="nothing but nonsense"),
        pytest.param({"GetCurrentClusterAdmin": {"clusterAdmin": {"username": "audit", "access": ["nodes"]}}}, "nodes", id="one type"),
    ],
)
def test_the_role_is_the_access_of_our_own_account_and_of_no_other(serve: Any, alterations: dict[str, Any], role: str | None) -> None:
    with serve() as (server, endpoint), open_element(endpoint) as array:
        server.alterations = {method: lambda _, __, answer=answer: answer for method, answer in alterations.items()}
        assert array.role() == role


def test_a_cluster_that_is_silent_is_not_one_without_a_clock(serve: Any) -> None:
    with serve() as (server, endpoint), open_element(endpoint) as array:
        server.faults.active.append(Fault("drop"))
        with pytest.raises(EndpointUnreachableError):
            array.clock()
        with pytest.raises(EndpointUnreachableError):
            array.role()
