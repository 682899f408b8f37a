"""Contract tests of reading: what every kind of array does when it is read."""

from __future__ import annotations

import dataclasses
import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from auditor.contract.collected import Collected, closed_port, shown_by
from auditor.contract.doubles import PASSWORD, PASSWORD_FILE
from auditor.contract.example import OfExamples
from auditor.endpoints.collect import collect_fleet
from auditor.endpoints.common.array_health import read_array_health
from auditor.endpoints.common.health import ARRAY_LATENCY, ARRAY_VOLUMES, CONTROLLERS
from auditor.endpoints.common.sessions import Session, missing_attributes, open_session
from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError
from auditor.facts.needs import EVERYTHING, SOURCES, Needs, needs
from auditor.facts.schema import ON_DEMAND_TOPICS
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.fleet.loading import Fleet
from auditor.model import Ssh, Tls
from auditor.model.endpoint_kinds import endpoint_type
from auditor_lab.authority import Authority
from auditor_lab.wire import Fault

if TYPE_CHECKING:
    from auditor.contract.example import Example
    from auditor.facts.snapshots.snapshot import Snapshot
    from auditor.model import Endpoint, EndpointKind

STOPPED = "not asked: the endpoint had stopped answering"
NEVER_SECONDS, SHORT_SECONDS = 3600.0, 1.0
"""The latency of an answer that nobody waits for, and the time-out of an endpoint that falls silent."""


def topics_of(kind: EndpointKind) -> frozenset[str]:
    """What a whole reading of that kind consists of: without what is read on demand alone."""
    return frozenset(endpoint_type(kind).topics).difference(ON_DEMAND_TOPICS)


def collected(session: Session, waiting: dict[str, Any], wanted: Needs = EVERYTHING) -> Collected:
    """What the kind's collector gives, with exactly the topics that are wanted."""
    kind = endpoint_type(session.endpoint.kind)
    collector = kind.load(kind.collector)
    return Collected(collector(session, session.endpoint, wanted, **waiting), wanted.topics_of(kind.kind))


def snapshot_of(endpoint: Endpoint) -> Snapshot:
    """What an audit reads of a fleet of this endpoint alone."""
    return collect_fleet(Fleet(Path("fleet.yaml"), (endpoint,)), lambda *_: None)


def unread(snapshot: Snapshot) -> set[str]:
    """The topics that were not read whole."""
    return {topic for (topic,) in snapshot.connection.execute("SELECT topic FROM fact.reading WHERE NOT complete").fetchall()}


class ReadingContract(OfExamples):
    """What every array does when it is read."""

    def test_a_session_says_what_answers_and_is_ended(self, example: Example, tmp_path: Path) -> None:
        with example.served(tmp_path) as (server, endpoint, _):
            with open_session(endpoint) as session:
                assert missing_attributes(session) == ()
                assert session.endpoint is endpoint
                assert session.release
                assert session.transport is None, "an array is read in one way"
                assert all(isinstance(note, str) for note in session.notes)
                assert tuple(server.requests) == example.opening
            assert tuple(server.requests) == example.opening + example.closing

    def test_a_session_tells_its_clock_with_a_zone_and_its_role_in_words_or_neither(self, example: Example, tmp_path: Path) -> None:
        with example.served(tmp_path) as (_, endpoint, _), open_session(endpoint) as session:
            clock, role = session.clock(), session.role()
        assert clock is None or clock.utcoffset() == timedelta(0)
        assert role is None or role.strip()

    def test_everything_is_read_with_one_reading_for_each_topic_and_the_snapshot_takes_it(self, example: Example, tmp_path: Path) -> None:
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

    def test_reading_writes_nothing(self, example: Example, tmp_path: Path) -> None:
        with example.served(tmp_path) as (server, endpoint, waiting):
            before = example.state(server)
            with open_session(endpoint) as session:
                collected(session, waiting)
                read_array_health(session, with_volumes=True)
            assert example.state(server) == before

    def test_it_is_the_same_array_each_time_it_is_asked(self, example: Example, tmp_path: Path) -> None:
        with example.served(tmp_path) as (_, endpoint, _):
            with open_session(endpoint) as session:
                known = [session.identity(), session.identity(again=True)]
            with open_session(endpoint) as session:
                known.append(session.identity())
        assert len(set(known)) == 1
        assert known[0] is None or known[0].strip()

    def test_no_more_requests_are_in_flight_than_fleet_yaml_allows(self, example: Example, tmp_path: Path) -> None:
        with example.served(tmp_path) as (server, endpoint, waiting):
            limited = dataclasses.replace(endpoint, limits=dataclasses.replace(endpoint.limits, concurrency=1))
            with open_session(limited) as session:
                collected(session, waiting)
            assert getattr(server, "most_in_flight", 1) == 1

    def test_all_pages_are_read_and_nothing_twice(self, example: Example, tmp_path: Path) -> None:
        with example.served(tmp_path) as (server, endpoint, waiting), open_session(endpoint) as session:
            del server.requests[:]
            found = collected(session, waiting)
            asked = list(server.requests)
        assert not example.paged or asked.count(example.paged) >= 2, "the example has more than one page of them"
        volumes = [row["volume_id"] for row in found.tables["array_volume"]]
        assert len(set(volumes)) == len(volumes)
        assert example.volumes in (None, len(volumes))

    def test_its_health_is_reported_or_why_it_is_not_known(self, example: Example, tmp_path: Path) -> None:
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

    def test_only_the_topics_that_are_needed_are_read(self, example: Example, tmp_path: Path) -> None:
        with example.served(tmp_path) as (server, endpoint, waiting), open_session(endpoint) as session:
            for topic in sorted(topics_of(example.kind)):
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
    def test_one_operation_that_fails_leaves_gaps_in_its_topics_and_the_rest_is_read(
        self, example: Example, tmp_path: Path, fault: Fault
    ) -> None:
        late = fault.kind == "latency"
        with (
            example.served(tmp_path, timeout=SHORT_SECONDS if late else 30.0) as (server, endpoint, waiting),
            open_session(endpoint) as session,
        ):
            # A status over SSH is that of a locked array, which is waited for; a connection that ends is the nearest to a server error.
            kind = "lose" if fault.kind == "status" and endpoint_type(example.kind).protocol == "ssh" else fault.kind
            server.faults.active.append(dataclasses.replace(fault, kind=kind, operation=example.refused))
            found = collected(session, waiting)
        assert found.incomplete() == example.lost | example.unreadable
        assert found.tables["array"]
        assert found.gaps

    def test_an_array_that_fell_silent_is_not_waited_for_topic_by_topic(self, example: Example, tmp_path: Path) -> None:
        with example.served(tmp_path) as (server, endpoint, waiting), open_session(endpoint) as session:
            del server.requests[:]
            server.faults.active.append(Fault("drop"))
            found = collected(session, waiting)
            asked = [request for request in server.requests if request != example.login]
        assert found.incomplete() == topics_of(example.kind)
        assert sum(gap.why == STOPPED for gap in found.gaps) == len(topics_of(example.kind)) - 2
        assert len(set(asked)) <= 3, "an array may need two answers for its first topic"

    def test_credentials_that_are_refused_in_mid_run_are_not_tried_again(self, example: Example, tmp_path: Path) -> None:
        with example.served(tmp_path) as (server, endpoint, waiting), open_session(endpoint) as session:
            del server.requests[:]
            (tmp_path / PASSWORD_FILE).write_text("an-old-password", encoding="utf-8")
            # Over SSH a login comes with a new connection, over HTTPS with every request.
            by_shell = endpoint_type(example.kind).protocol == "ssh"
            server.faults.active.append(Fault("drop", times=1) if by_shell else Fault("status", status=401))
            found = collected(session, waiting)
            assert len(server.requests) <= 2, "each further try could lock the account"
        assert found.incomplete() == topics_of(example.kind)

    def test_a_wrong_secret_is_a_matter_of_credentials_and_tried_once(self, example: Example, tmp_path: Path) -> None:
        with example.served(tmp_path) as (server, endpoint, _):
            (tmp_path / PASSWORD_FILE).write_text("an-old-password", encoding="utf-8")
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

    def test_an_address_where_nobody_listens_is_one_gap_and_nothing_of_it_is_known(self, example: Example, tmp_path: Path) -> None:
        with example.served(tmp_path) as (_, endpoint, _):
            nobody = dataclasses.replace(endpoint, port=closed_port())
            with pytest.raises(EndpointUnreachableError), open_session(nobody):
                pass
            snapshot = snapshot_of(nobody)
        [reading], [gap] = snapshot.readings, snapshot.gaps
        assert (reading.complete, reading.version, reading.lane) == (False, None, None)
        assert gap.what == f"all of it, at 127.0.0.1:{nobody.port}"
        assert unread(snapshot) == topics_of(example.kind)

    def test_one_that_cannot_prove_who_it_is_gets_no_request_and_so_no_secret(self, example: Example, tmp_path: Path) -> None:
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
    def test_no_error_and_no_log_line_shows_the_secret(
        self, example: Example, tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
    ) -> None:
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
