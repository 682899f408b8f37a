"""What every kind of array does when it is read, whatever it is called and however it is spoken to."""

from __future__ import annotations

import dataclasses
import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.collect import collect_fleet
from auditor.endpoints.common.array_health import read_array_health
from auditor.endpoints.common.health import ARRAY_LATENCY, ARRAY_VOLUMES, CONTROLLERS
from auditor.endpoints.common.sessions import Session, missing_attributes, open_session
from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError
from auditor.facts.needs import EVERYTHING, SOURCES, Needs, needs
from auditor.facts.snapshots.snapshot import SnapshotBuilder
from auditor.fleet.loading import Fleet
from auditor.model import Ssh, Tls
from auditor.model.endpoint_kinds import endpoint_type, endpoint_types
from auditor_lab.authority import Authority
from auditor_lab.wire import Fault
from tests.contract.examples import EXAMPLES, Example
from tests.endpoints.arrays import PASSWORD, Collected, closed_port, shown_by
from tests.waiting import NEVER_SECONDS, SHORT_SECONDS

if TYPE_CHECKING:
    from auditor.facts.snapshots.snapshot import Snapshot
    from auditor.model import Endpoint, EndpointKind

ARRAYS = [pytest.param(EXAMPLES[one.kind], id=one.kind.value) for one in endpoint_types() if one.is_array and one.kind in EXAMPLES]
STOPPED = "not asked: the endpoint had stopped answering"

pytestmark = pytest.mark.parametrize("example", ARRAYS)


def topics_of(kind: EndpointKind) -> frozenset[str]:
    return frozenset(endpoint_type(kind).topics)


def collected(session: Session, waiting: dict[str, Any], wanted: Needs = EVERYTHING) -> Collected:
    kind = endpoint_type(session.endpoint.kind)
    collector = kind.load(kind.collector)
    return Collected(collector(session, session.endpoint, wanted, **waiting), wanted.topics_of(kind.kind))


def snapshot_of(endpoint: Endpoint) -> Snapshot:
    return collect_fleet(Fleet(Path("fleet.yaml"), (endpoint,)), lambda *_: None)


def unread(snapshot: Snapshot) -> set[str]:
    return {topic for (topic,) in snapshot.connection.execute("SELECT topic FROM fact.reading WHERE NOT complete").fetchall()}


def test_a_session_says_what_answers_and_is_ended(example: Example, tmp_path: Path) -> None:
    with example.served(tmp_path) as (server, endpoint, _):
        with open_session(endpoint) as session:
            assert missing_attributes(session) == ()
            assert session.endpoint is endpoint
            assert session.release
            assert session.transport is None, "an array is read in one way"
            assert all(isinstance(note, str) for note in session.notes)
            assert tuple(server.requests) == example.opening
        assert tuple(server.requests) == example.opening + example.closing


def test_a_session_tells_its_clock_with_a_zone_and_its_role_in_words_or_neither(example: Example, tmp_path: Path) -> None:
    with example.served(tmp_path) as (_, endpoint, _), open_session(endpoint) as session:
        clock, role = session.clock(), session.role()
    assert clock is None or clock.utcoffset() == timedelta(0)
    assert role is None or role.strip()


def test_everything_is_read_with_one_reading_for_each_topic_and_the_snapshot_takes_it(example: Example, tmp_path: Path) -> None:
    began = datetime.now(UTC)
    with example.served(tmp_path) as (_, endpoint, waiting), open_session(endpoint) as session:
        found = collected(session, waiting)
    assert found.incomplete() == example.unreadable
    builder = SnapshotBuilder()
    for item in found.items:
        builder.add(item)
    for row in found.tables["reading"]:
        assert row["scope"] == ""
        assert began <= row["read_at"] <= datetime.now(UTC)
    snapshot = builder.finish((), started=began, finished=datetime.now(UTC))
    assert snapshot.connection.execute("SELECT count(*) FROM fact.array_volume").fetchone() == (len(found.tables["array_volume"]),)
    assert found.tables["array_volume"]


def test_its_health_is_reported_or_why_it_is_not_known(example: Example, tmp_path: Path) -> None:
    with example.served(tmp_path) as (server, endpoint, _), open_session(endpoint) as session:
        health = read_array_health(session, with_volumes=True)
        known = {*health.good, *health.figures}
        assert known | set(health.unknown) == {CONTROLLERS, ARRAY_VOLUMES, ARRAY_LATENCY}
        assert not known & set(health.unknown)
        assert all(health.unknown.values()), "why"
        assert all(health.good.values()), "a gate that is known has something to lose"
        del server.requests[:]
        assert ARRAY_LATENCY not in read_array_health(session, with_volumes=False).unknown
        assert len(server.requests) <= 2, "without a settle time it costs next to nothing"


def test_only_the_topics_that_are_needed_are_read(example: Example, tmp_path: Path) -> None:
    with example.served(tmp_path) as (server, endpoint, waiting), open_session(endpoint) as session:
        for topic in endpoint_type(example.kind).topics:
            wanted = needs((table, "") for table, source in SOURCES.items() if source.topic == topic)
            found = collected(session, waiting, wanted)  # compares the topics
            assert topic in found.complete
            assert {gap.endpoint for gap in found.gaps} <= {endpoint.name}
        del server.requests[:]
        assert collected(session, waiting, Needs(frozenset(), frozenset())).items == []
        assert server.requests == [], "nothing is needed"


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Fault("truncate"), id="truncated"),
        pytest.param(Fault("garbage"), id="garbage"),
        pytest.param(Fault("drop"), id="dropped"),
        pytest.param(Fault("status", status=500), id="server error"),
        pytest.param(Fault("latency", seconds=NEVER_SECONDS), id="too late"),
    ],
)
def test_one_operation_that_fails_leaves_gaps_in_its_topics_and_the_rest_is_read(example: Example, tmp_path: Path, fault: Fault) -> None:
    late = fault.kind == "latency"
    with (
        example.served(tmp_path, timeout=SHORT_SECONDS if late else 30.0) as (server, endpoint, waiting),
        open_session(endpoint) as session,
    ):
        # A status over SSH is that of a locked array, which is waited for; a connection that ends there is the nearest to a server error.
        kind = "lose" if fault.kind == "status" and endpoint_type(example.kind).protocol == "ssh" else fault.kind
        server.faults.active.append(dataclasses.replace(fault, kind=kind, operation=example.refused))
        found = collected(session, waiting)
    assert found.incomplete() == example.lost | example.unreadable
    assert found.tables["array"]
    assert found.gaps


def test_an_array_that_fell_silent_is_not_waited_for_topic_by_topic(example: Example, tmp_path: Path) -> None:
    with example.served(tmp_path) as (server, endpoint, waiting), open_session(endpoint) as session:
        del server.requests[:]
        server.faults.active.append(Fault("drop"))
        found = collected(session, waiting)
        asked = [request for request in server.requests if request != example.login]
    assert found.incomplete() == topics_of(example.kind)
    assert sum(gap.why == STOPPED for gap in found.gaps) == len(topics_of(example.kind)) - 2
    assert len(set(asked)) <= 3, "an array may need two answers for its first topic"


def test_credentials_that_are_refused_in_mid_run_are_not_tried_again(example: Example, tmp_path: Path) -> None:
    with example.served(tmp_path) as (server, endpoint, waiting), open_session(endpoint) as session:
        del server.requests[:]
        (tmp_path / "password").write_text("an-old-password", encoding="utf-8")
        # Over SSH a login comes with a new connection, over HTTPS with every request.
        by_shell = endpoint_type(example.kind).protocol == "ssh"
        server.faults.active.append(Fault("drop", times=1) if by_shell else Fault("status", status=401))
        found = collected(session, waiting)
        assert len(server.requests) <= 2, "each further try could lock the account"
    assert found.incomplete() == topics_of(example.kind)


def test_a_wrong_secret_is_a_matter_of_credentials_and_tried_once(example: Example, tmp_path: Path) -> None:
    with example.served(tmp_path) as (server, endpoint, _):
        (tmp_path / "password").write_text("an-old-password", encoding="utf-8")
        with pytest.raises(CredentialsError) as caught, open_session(endpoint):
            pass
        assert server.requests.count(example.login) == 1, "a second try could lock the account"
        assert server.requests[-1] == example.login
        assert "an-old-password" not in shown_by(caught.value)
        del server.requests[:]
        snapshot = snapshot_of(endpoint)
        assert server.requests.count(example.login) == 1
    [gap] = snapshot.gaps
    assert "refused the login" in gap.why
    assert unread(snapshot) == topics_of(example.kind)


def test_an_address_where_nobody_listens_is_one_gap_and_nothing_of_it_is_known(example: Example, tmp_path: Path) -> None:
    with example.served(tmp_path) as (_, endpoint, _):
        nobody = dataclasses.replace(endpoint, port=closed_port())
        with pytest.raises(EndpointUnreachableError), open_session(nobody):
            pass
        snapshot = snapshot_of(nobody)
    [reading], [gap] = snapshot.readings, snapshot.gaps
    assert (reading.complete, reading.version, reading.lane) == (False, None, None)
    assert gap.what == f"all of it, at 127.0.0.1:{nobody.port}"
    assert unread(snapshot) == topics_of(example.kind)


def test_one_that_cannot_prove_who_it_is_gets_no_request_and_so_no_secret(example: Example, tmp_path: Path) -> None:
    Authority().write(tmp_path / "other.pem")
    with example.served(tmp_path) as (server, endpoint, _):
        by_shell = endpoint_type(example.kind).protocol == "ssh"
        other = {"ssh": Ssh(fingerprint=f"SHA256:{'A' * 43}")} if by_shell else {"tls": Tls(ca=str(tmp_path / "other.pem"))}
        with (
            pytest.raises(EndpointUnreachableError, match=r"(?i)host key|certificate"),
            open_session(dataclasses.replace(endpoint, **other)),
        ):
            pass
        assert server.requests == []


@pytest.mark.parametrize("kind", ["truncate", "garbage", "drop"])
def test_no_error_and_no_log_line_shows_the_secret(example: Example, tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with example.served(tmp_path) as (server, endpoint, waiting):
        with open_session(endpoint) as session:
            server.faults.active.append(Fault(kind, example.refused))
            shown = [repr(session), repr(vars(session)), repr(endpoint), collected(session, waiting).gap_text()]
        server.faults.active[:] = [Fault(kind, example.opening[-1])]
        with pytest.raises(EndpointError) as caught, open_session(endpoint):
            pass
    for text in (*shown, shown_by(caught.value), caplog.text):
        assert PASSWORD not in text
