"""Whatever an endpoint answers: what it cannot be understood in is a gap, nothing is raised, and nothing is a fact that it did not say."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from auditor.contract.reading import topics_of
from auditor.endpoints.collect import collect_fleet
from auditor.endpoints.common.sessions import open_session
from auditor.facts.needs import EVERYTHING
from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.fleet.loading import Fleet
from auditor.model import BulkTransport, EndpointKind, Gap
from auditor.model.endpoint_kinds import endpoint_type, endpoint_types
from auditor_lab.wire import Fault, WireServer
from tests.contract.examples import EXAMPLES, Example
from tests.depth import thinned, thinned_pairs
from tests.malformed import NO_JSON, NO_XML, OTHER_JSON, OTHER_XML, Change
from tests.waiting import PATIENCE_SECONDS, SHORT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor.model import Endpoint
    from auditor_lab.vcenter.server import VCenterServer
    from auditor_lab.wire import Answer, Request

JSON_ARRAYS = [EXAMPLES[one.kind] for one in endpoint_types() if one.is_array and one.kind is not EndpointKind.ETERNUS]
ETERNUS = EXAMPLES[EndpointKind.ETERNUS]


def on_arrays(changes: dict[str, Change]) -> list[Any]:
    """Pairs of an array's kind and a change: every change on some kinds, a fourth of them on each kind, since all read by one reader."""
    pairs = thinned_pairs(JSON_ARRAYS, changes.items(), 4)
    return [pytest.param(example, change, id=f"{example.kind.value}-{name}") for example, (name, change) in pairs]


_BEFORE_READING = frozenset({"Login", "RetrieveServiceContent", "RetrieveContent", "CurrentTime", "Logout", "get", "versions"})
"""Operations of a vCenter by which a session begins and ends; without an answer to them nothing is asked at all."""


def wire_of(server: Any) -> WireServer:
    """The HTTP server of an endpoint of the lab."""
    return server if isinstance(server, WireServer) else next(one for one in vars(server).values() if isinstance(one, WireServer))


def answer_by(wire: WireServer, change: Change, concerns: Callable[[str], bool]) -> None:
    """Have every good answer to the operations that `concerns` names changed from now on."""
    answer = wire.answer

    def changed(request: Request) -> Answer:
        reply = answer(request)
        if reply.status != 200 or not reply.body or not concerns(wire.operation(request)):
            return reply
        body = change(reply.body)
        return reply if body is None else replace(reply, body=body)

    wire.answer = changed


def read(example: Example, endpoint: Endpoint, waiting: dict[str, Any], spoil: Callable[[], None]) -> tuple[dict[str, bool], list[Gap]]:
    """Which topics were read whole, and the gaps; every row is put into tables. `spoil` is called once the session is open."""
    kind = endpoint_type(example.kind)
    builder = SnapshotBuilder()
    whole: dict[str, bool] = {}
    gaps = []
    with open_session(endpoint) as session:
        spoil()
        for item in kind.load(kind.collector)(session, endpoint, EVERYTHING, **waiting):
            builder.add(item)
            if isinstance(item, Gap):
                gaps.append(item)
            elif isinstance(item, Batch) and item.table == "reading":
                whole |= dict(zip(item.columns["topic"], item.columns["complete"], strict=True))
    builder.so_far()
    return whole, gaps


@pytest.mark.parametrize(("example", "change"), on_arrays(NO_JSON))
def test_what_is_no_json_leaves_every_topic_of_an_array_unread(example: Example, change: Change, tmp_path: Path) -> None:
    with example.served(tmp_path) as (server, endpoint, waiting):
        whole, gaps = read(example, endpoint, waiting, lambda: answer_by(wire_of(server), change, lambda _: True))
    assert {topic for topic, is_whole in whole.items() if is_whole} <= {"array"}, "which is read while the session is opened"
    assert len(whole) > 1
    assert {gap.endpoint for gap in gaps} == {endpoint.name}


@pytest.mark.parametrize(("example", "change"), on_arrays(OTHER_JSON))
def test_json_that_says_something_else_is_read_as_far_as_it_makes_sense(example: Example, change: Change, tmp_path: Path) -> None:
    with example.served(tmp_path) as (server, endpoint, waiting):
        whole, gaps = read(example, endpoint, waiting, lambda: answer_by(wire_of(server), change, lambda _: True))
    assert whole.keys() == topics_of(example.kind)
    assert all(whole.values()) == (not gaps)


TEXTS: dict[str, Callable[[str], str]] = {
    "nothing": lambda _: "",
    "a page": lambda _: "<html>please log in</html>",
    "control characters": lambda line: f"{line}\x00\x1b[2J",
    "a replaced character": lambda line: f"{line}\ufffd",
    "digits of 100 bits": lambda line: re.sub(r"\d+", "9" * 30, line),
    "words for digits": lambda line: re.sub(r"\d+", "many", line),
    "no colons": lambda line: line.replace(":", ""),
    "no blanks": lambda line: line.replace(" ", ""),
    "half of each line": lambda line: line[: len(line) // 2],
    "each line twice": lambda line: f"{line}\r\n{line}",
    "tabs for blanks": lambda line: line.replace("  ", "\t"),
    "long lines": lambda line: line * 2_000,
}


@pytest.mark.parametrize("change", [pytest.param(change, id=name) for name, change in TEXTS.items()])
def test_lines_of_an_eternus_that_make_no_sense_are_gaps(change: Callable[[str], str], tmp_path: Path) -> None:
    with ETERNUS.served(tmp_path) as (server, endpoint, waiting):
        answer = server._answer

        def spoil() -> None:
            server._answer = lambda account, line, faults: [change(shown) for shown in answer(account, line, faults)]

        whole, gaps = read(ETERNUS, endpoint, waiting, spoil)
    assert whole.keys() == topics_of(EndpointKind.ETERNUS)
    assert all(whole.values()) == (not gaps)


def read_vcenter(endpoint: Endpoint) -> tuple[Gap, ...]:
    """The gaps of a vCenter that is read whole, by no reader that ended in a bug."""
    snapshot = collect_fleet(Fleet(Path("fleet.yaml"), (endpoint,)), lambda *_: None)
    assert [reading.bug for reading in snapshot.readings] == [None]
    return snapshot.gaps


@pytest.fixture
def small(serve_vcenter: Callable[..., tuple[VCenterServer, Endpoint]]) -> tuple[VCenterServer, Endpoint]:
    return serve_vcenter()


BY_LANE = {BulkTransport.SOAP: list(NO_XML | OTHER_XML), BulkTransport.PYVMOMI: thinned(list(NO_XML | OTHER_XML), 12)}
"""Which changes are tried by which decoder. pyVmomi's reads where nothing else can, and is not ours."""


@pytest.mark.parametrize(
    ("lane", "change"),
    [pytest.param(lane, (NO_XML | OTHER_XML)[name], id=f"{lane}-{name}") for lane, names in BY_LANE.items() for name in names],
)
def test_soap_that_makes_no_sense_is_a_gap(small: tuple[VCenterServer, Endpoint], lane: BulkTransport, change: Change) -> None:
    server, endpoint = small
    answer_by(wire_of(server), lambda body: change(body) if body.startswith(b"<") else None, lambda name: name not in _BEFORE_READING)
    gaps = read_vcenter(replace(endpoint, lane=lane))
    assert gaps or change in OTHER_XML.values()


@pytest.mark.parametrize("change", [pytest.param(change, id=name) for name, change in thinned(list((NO_JSON | OTHER_JSON).items()), 6)])
def test_vijson_that_makes_no_sense_is_read_by_soap_or_is_a_gap(small: tuple[VCenterServer, Endpoint], change: Change) -> None:
    server, endpoint = small
    answer_by(wire_of(server), lambda body: change(body) if body[:1] in b"{[" else None, lambda name: name not in _BEFORE_READING)
    read_vcenter(replace(endpoint, lane=BulkTransport.VIJSON))


WHOLE_ANSWERS = 2
"""What a whole answer may take, in time-outs, here."""


def impatient(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Endpoint:
    for module in ("common.answer_time", "eternus.shell"):
        monkeypatch.setattr(f"auditor.endpoints.{module}.WHOLE_ANSWER_TIMEOUTS", WHOLE_ANSWERS)
    return replace(endpoint, limits=replace(endpoint.limits, timeout_seconds=SHORT_SECONDS))


@pytest.mark.parametrize("example", [pytest.param(one, id=kind.value) for kind, one in EXAMPLES.items()])
def test_an_array_that_dribbles_is_given_up_after_two_answers(example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with example.served(tmp_path) as (server, endpoint, waiting):
        began = 0.0

        def spoil() -> None:
            nonlocal began
            server.faults.active.append(Fault("dribble", seconds=0.05))
            server.requests.clear()
            began = time.monotonic()

        whole, gaps = read(example, impatient(endpoint, monkeypatch), waiting, spoil)
        seconds = time.monotonic() - began
        asked = len(server.requests)
    assert {topic for topic, is_whole in whole.items() if is_whole} <= {"array"}, "which is read while the session is opened"
    assert {gap.endpoint for gap in gaps} == {endpoint.name}
    assert any("not asked: the endpoint had stopped answering" in gap.why for gap in gaps)
    assert seconds < asked * WHOLE_ANSWERS * SHORT_SECONDS + PATIENCE_SECONDS / 10
    assert asked <= 6


@pytest.mark.parametrize("lane", list(BulkTransport), ids=str)
def test_a_vcenter_that_dribbles_is_given_up(
    small: tuple[VCenterServer, Endpoint], lane: BulkTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, endpoint = small
    patient = impatient(endpoint, monkeypatch)
    operation = wire_of(server).operation
    wire_of(server).operation = lambda request: "" if (name := operation(request)) in _BEFORE_READING else f"reading {name}"
    for each in ("RetrievePropertiesEx", "CreateContainerView", "RetrieveManagedMethodExecuter"):
        server.faults.active.append(Fault("dribble", f"reading {each}", seconds=0.05))
    began = time.monotonic()
    gaps = read_vcenter(replace(patient, lane=lane))
    assert gaps
    assert time.monotonic() - began < PATIENCE_SECONDS / 10
