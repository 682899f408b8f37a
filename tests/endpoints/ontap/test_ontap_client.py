"""A session with an ONTAP cluster says what it knows, what it does not know, and no secret."""

from __future__ import annotations

import dataclasses
import itertools
import logging
import re
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.ontap.client import OntapCluster, open_ontap
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
from auditor_lab.arrays.ontap.description import OntapDescription
from auditor_lab.arrays.ontap.parts import AggregateDescription, NodeDescription, QosPolicyDescription, SvmDescription, VolumeDescription
from auditor_lab.arrays.ontap.server import OntapServer
from auditor_lab.wire import Fault
from tests.endpoints.arrays import be_patient, serving_array, shown_by
from tests.waiting import NEVER_SECONDS, SHORT_SECONDS, timeout_with

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PASSWORD = "pw-that-nobody-may-see"
CLUSTER = OntapDescription(
    name="na",
    nodes=(NodeDescription(name="n1"),),
    svms=(SvmDescription(name="svm1"),),
    aggregates=(AggregateDescription(name="aggr1", node="n1"),),
    qos_policies=(QosPolicyDescription(name="gold", svm="svm1", max_iops=5000),),
    volumes=tuple(VolumeDescription(name=f"v{place}", svm="svm1", aggregate="aggr1") for place in range(7)),
)
VOLUMES = "storage/volumes"
POLICIES = "storage/qos/policies"


@pytest.fixture
def serve(tmp_path: Path) -> Callable[..., Any]:
    def serving(description: OntapDescription = CLUSTER, timeout: float = 30.0) -> Any:
        return serving_array(EndpointKind.ONTAP, description, tmp_path, timeout=timeout)

    return serving


def names(cluster: OntapCluster, path: str = VOLUMES) -> list[str]:
    return [record["name"] for answer in cluster.pages(path, fields="name") for record in answer["records"]]


def policy_path(server: OntapServer) -> str:
    return f"{POLICIES}/{server.cluster.qos[0].uuid}"


def test_a_session_knows_the_release_reads_and_writes(serve: Any) -> None:
    with serve() as (server, endpoint), open_ontap(endpoint) as cluster:
        assert (cluster.release, cluster.version, cluster.notes) == ("ONTAP 9.14.1", (9, 14, 1), ())
        assert names(cluster) == [f"v{place}" for place in range(7)]
        cluster.patch(policy_path(server), {"fixed": {"max_throughput_iops": 6000}})
        assert cluster.get(policy_path(server))["fixed"]["max_throughput_iops"] == 6000
        # The change is a job, and the job is looked at before anybody calls the write done.
        assert server.requests == [
            "GET cluster",
            "GET storage/volumes",
            "PATCH storage/qos/policies",
            "GET cluster/jobs",
            "GET storage/qos/policies",
        ]


@pytest.mark.parametrize(
    ("version", "release"),
    [
        pytest.param("9.8.0", "ONTAP 9.8.0", id="the oldest with efficiency policies"),
        pytest.param("9.19.1", "ONTAP 9.19.1", id="the newest known"),
        pytest.param("9.20.1", "ONTAP 9.20.1 (newer than 9.19, the newest known here)", id="newer than any known, and said so"),
    ],
)
def test_the_release_is_in_the_words_of_people(serve: Any, version: str, release: str) -> None:
    with serve(dataclasses.replace(CLUSTER, version=version)) as (_, endpoint), open_ontap(endpoint) as cluster:
        assert cluster.release == release
        assert bool(cluster.notes) is ("newer" in release)


@pytest.mark.parametrize(
    "version", [pytest.param("9.7.1", id="before efficiency policies"), pytest.param("10.1.0", id="another generation")]
)
def test_a_release_that_is_not_supported_is_said_to_be_so(serve: Any, version: str) -> None:
    with (
        serve(dataclasses.replace(CLUSTER, version=version)) as (_, endpoint),
        pytest.raises(NotThereError, match=f"{re.escape(version)}; 9.8 to 9.x are supported"),
        open_ontap(endpoint),
    ):
        pass


@pytest.mark.parametrize(
    ("reported", "good"),
    [
        pytest.param({"generation": "9", "major": "14", "minor": "1"}, True, id="numbers as strings"),
        pytest.param({"generation": 9, "major": None, "minor": 1}, False, id="null for a number"),
        pytest.param(None, False, id="none"),
        pytest.param("9.14.1", False, id="a text"),
    ],
)
def test_a_version_that_is_not_known_is_not_guessed(serve: Any, reported: Any, good: bool) -> None:
    with serve() as (server, endpoint):
        server.alterations["GET cluster"] = lambda body: body | {"version": reported}
        if good:
            with open_ontap(endpoint) as cluster:
                assert cluster.version == (9, 14, 1)
        else:
            with pytest.raises(MalformedAnswerError, match="does not report its version"), open_ontap(endpoint):
                pass


@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_pages_are_followed_to_the_end_however_short_the_cluster_cuts_them(serve: Any, limit: int) -> None:
    with serve(dataclasses.replace(CLUSTER, page_limit=limit)) as (server, endpoint), open_ontap(endpoint) as cluster:
        assert names(cluster) == [f"v{place}" for place in range(7)]
        assert server.requests.count("GET storage/volumes") == -(-7 // limit)


def test_an_empty_page_with_a_next_one_is_not_the_end(serve: Any) -> None:
    pages = iter([True, False, False])

    def cut(body: Any) -> Any:
        return body | {"records": [], "num_records": 0} if next(pages, False) else body

    with serve(dataclasses.replace(CLUSTER, page_limit=4)) as (server, endpoint), open_ontap(endpoint) as cluster:
        server.alterations["GET storage/volumes"] = cut
        assert names(cluster) == ["v4", "v5", "v6"], "the first four were not collected in time, the rest must not be lost with them"


class Hurried:
    """Answers an empty page without a link for the first `empty` requests of the list from the `since`-th page on, `seconds` late."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, empty: int, seconds: float, since: int = 0) -> None:
        self.empty, self.seconds, self.since, self.now = empty, seconds, since, 0.0
        monkeypatch.setattr("auditor.endpoints.ontap.wire._now", lambda: self.now)

    def __call__(self, body: Any) -> Any:
        if self.since:
            self.since -= 1
            return body
        self.empty -= 1
        if self.empty < 0:
            return body
        self.now += self.seconds
        return {"records": [], "num_records": 0}


@pytest.mark.parametrize("since", [pytest.param(0, id="the first page"), pytest.param(1, id="a later one")])
def test_an_empty_page_without_a_next_one_is_asked_for_again_with_more_patience(
    serve: Any, monkeypatch: pytest.MonkeyPatch, since: int
) -> None:
    with serve(dataclasses.replace(CLUSTER, page_limit=4)) as (server, endpoint), open_ontap(endpoint) as cluster:
        asked: list[str] = []
        whole = server.answer

        def noted(request: Any) -> Any:
            asked.append(request.path)
            return whole(request)

        server.answer = noted
        server.alterations["GET storage/volumes"] = Hurried(monkeypatch, empty=1, seconds=15, since=since)
        assert names(cluster) == [f"v{place}" for place in range(7)]
        assert [re.findall(r"return_timeout=(\d+)", path) for path in asked[since : since + 2]] == [["15"], ["27"]]


def test_a_list_that_is_empty_because_the_cluster_had_no_more_time_is_no_answer(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve() as (server, endpoint), open_ontap(endpoint) as cluster:
        server.alterations["GET storage/volumes"] = Hurried(monkeypatch, empty=2, seconds=30)
        with pytest.raises(MalformedAnswerError, match="found no record within 27 s"):
            names(cluster)


def test_a_list_that_is_empty_at_once_is_empty(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve() as (server, endpoint), open_ontap(endpoint) as cluster:
        server.alterations["GET storage/volumes"] = Hurried(monkeypatch, empty=9, seconds=0.1)
        assert names(cluster) == []
        assert server.requests.count("GET storage/volumes") == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param(lambda body: body | {"_links": {"next": {"href": "/api/storage/volumes?start.uuid=x"}}}, "lead back", id="a circle"),
        pytest.param(lambda body: body | {"_links": {"next": {}}}, "is none", id="a link that is none"),
        pytest.param(lambda body: body | {"_links": {"next": {"href": "https://evil.example/api/x"}}}, "is none", id="another host"),
        pytest.param(lambda body: body | {"num_records": 9}, "says 9 records and holds", id="fewer records than it says"),
    ],
)
def test_pages_that_may_have_lost_records_are_no_answer(serve: Any, change: Any, said: str) -> None:
    with serve(dataclasses.replace(CLUSTER, page_limit=4)) as (server, endpoint), open_ontap(endpoint) as cluster:
        # The lab knows no such start; what it says to it is altered as well.
        server.alterations["GET storage/volumes"] = lambda body: change({"records": [], "num_records": 0} if "error" in body else body)
        if said == "lead back":
            server.alterations["GET storage/volumes"] = lambda body: body | {"_links": {"next": {"href": first(server)}}}
        with pytest.raises(MalformedAnswerError, match=said):
            names(cluster)


def first(server: OntapServer) -> str:
    return f"/api/storage/volumes?start.uuid={server.cluster.volumes[0].uuid}&fields=name"


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        pytest.param(Fault("latency", f"GET {VOLUMES}", seconds=NEVER_SECONDS), EndpointUnreachableError, id="no answer in time"),
        pytest.param(Fault("drop", f"GET {VOLUMES}"), EndpointUnreachableError, id="connection dropped"),
        pytest.param(Fault("status", f"GET {VOLUMES}", status=500), EndpointUnreachableError, id="server error"),
        pytest.param(Fault("truncate", f"GET {VOLUMES}"), MalformedAnswerError, id="answer cut in half"),
        pytest.param(Fault("garbage", f"GET {VOLUMES}"), MalformedAnswerError, id="a web page instead of JSON"),
        pytest.param(Fault("status", f"GET {VOLUMES}", status=404), MalformedAnswerError, id="a web server's not found"),
        pytest.param(Fault("status", f"GET {VOLUMES}", status=401), CredentialsError, id="credentials revoked in mid-run"),
        pytest.param(Fault("status", f"GET {VOLUMES}", status=403), PermissionMissingError, id="forbidden"),
    ],
)
def test_trouble_on_the_wire_is_named_and_bounded_in_time(serve: Any, fault: Fault, error: type[EndpointError]) -> None:
    with serve(timeout=timeout_with(fault.kind)) as (server, endpoint), open_ontap(endpoint) as cluster:
        server.faults.active.append(fault)
        with pytest.raises(error) as caught:
            names(cluster)
        assert type(caught.value) is error
        server.faults.active.clear()
        be_patient(cluster._session)
        assert len(names(cluster)) == 7, "the session must survive it"


def test_a_busy_cluster_is_asked_again_when_it_says_so(serve: Any) -> None:
    with serve() as (server, endpoint), open_ontap(endpoint) as cluster:
        server.faults.active.append(Fault("status", f"GET {VOLUMES}", status=429, times=1))
        before = time.monotonic()
        assert len(names(cluster)) == 7
        assert time.monotonic() - before >= 1, "the lab says Retry-After: 1"


@pytest.mark.parametrize(
    ("path", "params", "error"),
    [
        pytest.param("storage/unicorns", {}, NotThereError, id="an API that the release does not have"),
        pytest.param(f"{POLICIES}/00000000", {}, NotThereError, id="a record that does not exist"),
        pytest.param(VOLUMES, {"fields": "colour"}, EndpointError, id="a field that the release does not have"),
    ],
)
def test_what_is_not_there_has_its_own_error(serve: Any, path: str, params: dict[str, str], error: type[EndpointError]) -> None:
    with serve() as (_, endpoint), open_ontap(endpoint) as cluster:
        with pytest.raises(error, match=f"na-east: GET {path}") as caught:
            cluster.get(path, **params)
        assert type(caught.value) is error


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Fault("status", f"PATCH {POLICIES}", status=503), id="busy"),
        pytest.param(Fault("drop", f"PATCH {POLICIES}"), id="dropped before it was read"),
        pytest.param(Fault("lose", f"PATCH {POLICIES}"), id="carried out, answer lost"),
        pytest.param(Fault("latency", f"PATCH {POLICIES}", seconds=NEVER_SECONDS), id="answered too late"),
    ],
)
def test_a_write_is_sent_once_and_its_outcome_called_unknown(serve: Any, fault: Fault) -> None:
    # A busy cluster says to come back after a second: there must be time for the second try that a write must not get.
    with serve(timeout=timeout_with(fault.kind)) as (server, endpoint), open_ontap(endpoint) as cluster:
        server.faults.active.append(fault)
        with pytest.raises(EndpointUnreachableError) as caught:
            cluster.patch(policy_path(server), {"fixed": {"max_throughput_iops": 6000}})
        assert "not known" in caught.value.why
        assert server.requests.count(f"PATCH {POLICIES}") == 1


def test_a_job_is_awaited_until_it_is_over(serve: Any) -> None:
    with serve(dataclasses.replace(CLUSTER, job_seconds=0.3)) as (server, endpoint), open_ontap(endpoint) as cluster:
        cluster.patch(policy_path(server), {"fixed": {"max_throughput_iops": 6000}})
        assert cluster.get(policy_path(server))["fixed"]["max_throughput_iops"] == 6000
        assert server.requests.count("GET cluster/jobs") > 1


@pytest.mark.parametrize(
    ("outcome", "error", "known"),
    [
        pytest.param("failure", RefusedError, "job failed: An injected fault failed this job", id="a job that fails"),
        pytest.param("never", EndpointUnreachableError, "still running after 1 s", id="a job that does not end"),
    ],
)
def test_a_job_that_did_not_succeed_is_no_success(serve: Any, outcome: str, error: type[EndpointError], known: str) -> None:
    with serve(timeout=SHORT_SECONDS) as (server, endpoint), open_ontap(endpoint) as cluster:
        server.outcome = outcome
        with pytest.raises(error, match=known) as caught:
            cluster.patch(policy_path(server), {"fixed": {"max_throughput_iops": 6000}})
        assert type(caught.value) is error
        assert server.requests.count(f"PATCH {POLICIES}") == 1


@pytest.mark.parametrize(
    ("operation", "change", "error"),
    [
        pytest.param(f"PATCH {POLICIES}", lambda _: {}, MalformedAnswerError, id="taken without naming a job"),
        pytest.param("GET cluster/jobs", lambda _: [], EndpointUnreachableError, id="a job that cannot be read"),
        pytest.param("GET cluster/jobs", lambda _: {"state": None}, EndpointUnreachableError, id="a job in no state"),
    ],
)
def test_a_write_whose_job_cannot_be_followed_is_not_known(serve: Any, operation: str, change: Any, error: type[EndpointError]) -> None:
    with serve(timeout=SHORT_SECONDS) as (server, endpoint), open_ontap(endpoint) as cluster:
        server.alterations[operation] = change
        with pytest.raises(error) as caught:
            cluster.patch(policy_path(server), {"fixed": {"max_throughput_iops": 6000}})
        assert "not known" in caught.value.why


@pytest.mark.parametrize(
    ("body", "path", "error"),
    [
        pytest.param({"fixed": {"max_throughput_iops": -1}}, None, RefusedError, id="a value out of range"),
        pytest.param({"colour": "red"}, None, RefusedError, id="a field that does not exist"),
        pytest.param({"fixed": {}}, f"{POLICIES}/0", NotThereError, id="a policy that does not exist"),
    ],
)
def test_a_refused_write_says_that_nothing_was_written(serve: Any, body: Any, path: str | None, error: type[EndpointError]) -> None:
    with serve() as (server, endpoint), open_ontap(endpoint) as cluster:
        with pytest.raises(error) as caught:
            cluster.patch(path or policy_path(server), body)
        assert type(caught.value) is error
        assert caught.value.why == "nothing was written."


def test_an_account_without_the_right_to_write_is_named_with_the_request(serve: Any) -> None:
    reader = dataclasses.replace(CLUSTER, permissions=frozenset({"read"}))
    with serve(reader) as (server, endpoint), open_ontap(endpoint) as cluster:
        assert cluster.role() == "readonly"
        with pytest.raises(PermissionMissingError, match=f"PATCH {POLICIES}"):
            cluster.patch(policy_path(server), {"fixed": {"max_throughput_iops": 6000}})


def test_the_cluster_tells_its_clock_and_the_role_of_the_account(serve: Any) -> None:
    with serve() as (server, endpoint), open_ontap(endpoint) as cluster:
        assert cluster.role() == "admin"
        reported = cluster.clock()
        assert reported is not None
        assert abs(reported - datetime.now(UTC)) < timedelta(minutes=1)
        server.alterations["GET cluster/nodes"] = lambda _: {"records": [{"date": "x"}, {"date": "2019-04-17T15:49:26.000-0500"}]}
        assert cluster.clock() == datetime(2019, 4, 17, 20, 49, 26, tzinfo=UTC)
        server.alterations |= {
            "GET cluster/nodes": lambda _: {"records": [{}]},
            "GET security/login/whoami": lambda _: {"username": "audit"},
        }
        assert (cluster.clock(), cluster.role()) == (None, None)


def test_no_secret_gets_out_whatever_is_asked_and_however_it_fails(
    serve: Any, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    heard: list[str] = []
    with serve(timeout=SHORT_SECONDS) as (server, endpoint), open_ontap(endpoint) as cluster:
        server.alterations["GET cluster"] = lambda body: body | {"active_directory": {"password": PASSWORD}}
        heard.append(repr(cluster.get("cluster")) + repr(cluster) + repr(vars(cluster)) + repr(endpoint))
        for kind in ("truncate", "garbage", "drop", "latency", "status"):
            server.faults.active[:] = [Fault(kind, f"GET {VOLUMES}", seconds=NEVER_SECONDS, status=500)]
            with pytest.raises(EndpointError) as caught:
                names(cluster)
            heard.append(shown_by(caught.value))
    heard += [caplog.text, *capfd.readouterr()]
    for text in heard:
        for secret in (PASSWORD, "Basic "):
            assert secret not in text
    assert "***" in heard[0]


def test_pages_without_end_are_given_up(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.endpoints.common.answer_limits.MOST_PAGES", 5)
    numbers = itertools.count(1)
    with serve() as (server, endpoint), open_ontap(endpoint) as cluster:
        server.alterations["GET storage/volumes"] = lambda _: {
            "records": [],
            "num_records": 0,
            "_links": {"next": {"href": f"/api/storage/volumes?max_records={next(numbers)}"}},
        }
        with pytest.raises(MalformedAnswerError, match="did not end after 5 pages"):
            names(cluster)
        assert server.requests.count("GET storage/volumes") == 5
