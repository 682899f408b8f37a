"""An endpoint whose clock is off is named in every report; how long its answer was under way is no error of its clock."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from auditor.endpoints.collect import collect_fleet
from auditor.endpoints.common.clocks import clock_notes, date_of, difference
from auditor.endpoints.common.sessions import open_session
from auditor.facts.needs import needs
from auditor.facts.snapshots.earlier import LIVE_TOPICS, live_tables
from auditor.fleet.loading import Fleet
from auditor.model import Endpoint, EndpointKind
from auditor.model.endpoint_kinds import endpoint_types
from auditor_lab.wire import Fault
from tests.contract.examples import EXAMPLES, Example

BEFORE = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
ARRAYS = [EXAMPLES[one.kind] for one in endpoint_types() if one.is_array and one.kind is not EndpointKind.ETERNUS]


@pytest.mark.parametrize(
    ("ahead_seconds", "under_way_seconds", "shown"),
    [
        pytest.param(0, 0, None, id="the same time"),
        pytest.param(59, 0, None, id="less than a minute"),
        pytest.param(61, 0, "61 s ahead of this machine", id="more than a minute"),
        pytest.param(-7200, 0, "2.0 h behind this machine", id="behind"),
        pytest.param(200, 100, "2 min 30 s ahead of this machine", id="more than the answer was under way"),
        pytest.param(100, 100, None, id="an answer that was under way for as long"),
        pytest.param(-30, 120, None, id="90 s before the middle, and 60 of them may be the way"),
        pytest.param(-100, 120, "2 min 40 s behind this machine", id="160 s before the middle"),
    ],
)
def test_a_clock_is_off_when_the_way_of_its_answer_cannot_explain_it(
    ahead_seconds: float, under_way_seconds: float, shown: str | None
) -> None:
    found = difference(BEFORE + timedelta(seconds=ahead_seconds), BEFORE, BEFORE + timedelta(seconds=under_way_seconds))
    notes = clock_notes("vc", found)
    assert [note.startswith(f"vc: its clock is {shown}: ") for note in notes] == [True] * (shown is not None)


def test_no_date_is_no_time() -> None:
    assert date_of({}) is None
    assert date_of({"date": "yesterday"}) is None
    assert date_of({"date": "Sun, 22 Nov 2026 12:00:00 GMT"}) == BEFORE
    assert clock_notes("vc", None) == ()


@pytest.mark.parametrize("example", [pytest.param(one, id=one.kind.value) for one in ARRAYS])
def test_an_array_whose_clock_is_off_is_noted_without_a_request_more(example: Example, tmp_path: Path) -> None:
    with example.served(tmp_path) as (server, endpoint, _):
        with open_session(endpoint) as session:
            assert session.notes == ()
            asked = len(server.requests)
        server.requests.clear()
        server.faults.active.append(Fault("skew", seconds=-3 * 3600))
        with open_session(endpoint) as session:
            assert len(server.requests) == asked
            (note,) = session.notes
    assert note.startswith(f"{endpoint.name}: its clock is 3.0 h behind this machine: ")


@pytest.mark.long
def test_a_vcenter_whose_clock_is_off_is_noted(serve_vcenter: Callable[..., tuple[object, Endpoint]]) -> None:
    server, endpoint = serve_vcenter()
    wanted = needs([(live_tables(LIVE_TOPICS)[0], "")])  # as every audit has that reads hosts
    assert _notes(endpoint, wanted) == ()
    server.faults.active.append(Fault("skew", "CurrentTime", seconds=90))  # type: ignore[attr-defined]  # the lab's vCenter
    (note,) = _notes(endpoint, wanted)
    assert note.startswith(f"{endpoint.name}: its clock is 90 s ahead of this machine: ")


def _notes(endpoint: Endpoint, wanted: object) -> tuple[str, ...]:
    (reading,) = collect_fleet(Fleet(Path("fleet.yaml"), (endpoint,)), lambda *_: None, wanted).readings  # type: ignore[arg-type]
    return reading.notes
