"""Health gates of the arrays that a run writes to, or that carry devices of hosts it writes to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from auditor.apply.array_gates import PAUSE_SECONDS, ArrayWatch
from auditor.endpoints.common.health import ARRAY_LATENCY, CONTROLLERS, Health
from auditor.endpoints.common.sessions import SessionBase, Sessions
from auditor.errors import EndpointUnreachableError
from auditor.model import Change, Endpoint, EndpointKind, Target
from tests.apply.conftest import WHY_AND_DO, endpoint

Make = Callable[..., Change]
NOT_STOPPED = "what got worse there would not have stopped the run."
CARRIERS = {("vc", "host-1"): ("sf-1",)}


def healthy(latency: float | None = 1.0) -> Health:
    figures = {} if latency is None else {ARRAY_LATENCY: latency}
    unknown = {ARRAY_LATENCY: "none of its volumes is in use"} if latency is None else {}
    return Health("sf-1", {CONTROLLERS: frozenset({"controller a (active)", "controller b (active)"})}, {}, figures, unknown)


class Reports:
    """What the array reports, sample by sample; the last one goes on."""

    def __init__(self) -> None:
        self.now: list[Health | str] = [healthy()]
        self.asked: list[tuple[str, bool]] = []
        self.pauses: list[float] = []

    def read(self, session: SessionBase, *, with_volumes: bool) -> Health:
        self.asked.append((session.endpoint.name, with_volumes))
        answer = self.now.pop(0) if len(self.now) > 1 else self.now[0]
        if isinstance(answer, str):
            raise EndpointUnreachableError(answer, **WHY_AND_DO)
        return answer


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> Reports:
    reports = Reports()
    monkeypatch.setattr("auditor.apply.array_gates.read_array_health", reports.read)
    return reports


@pytest.fixture
def fleet() -> Iterator[Sessions]:
    @contextmanager
    def opened(one: Endpoint) -> Iterator[SessionBase]:
        yield SessionBase(one)

    ends = {"vc": endpoint(), "sf-1": endpoint("sf-1", EndpointKind.ELEMENT), "sf-2": endpoint("sf-2", EndpointKind.ELEMENT)}
    with Sessions(ends, dict.fromkeys((EndpointKind.VCENTER, EndpointKind.ELEMENT), opened)) as held:
        yield held


def on_host(change: Make, host_id: str = "host-1") -> Change:
    return replace(change(), target=Target("vc", (("host_id", host_id), ("setting", "depth"))))


def watched(fleet: Sessions, change: Change, reports: Reports, *, settles: bool = True) -> ArrayWatch:
    return ArrayWatch([change], fleet, CARRIERS, reports.pauses.append if settles else None)


def test_only_arrays_that_a_change_reaches_are_asked(fleet: Sessions, reports: Reports, change: Make) -> None:
    watched(fleet, on_host(change), reports)
    assert reports.asked == [("sf-1", True)] * 3
    assert reports.pauses == [PAUSE_SECONDS] * 2
    reports.asked.clear()
    watched(fleet, on_host(change, "host-2"), reports)
    assert reports.asked == []
    ArrayWatch([change(where="sf-2")], fleet, {}, None)
    assert reports.asked == [("sf-2", False)]


def test_an_array_that_became_slow_in_every_sample_stops_the_run(fleet: Sessions, reports: Reports, change: Make) -> None:
    watch = watched(fleet, on_host(change), reports)
    reports.now = [healthy(20.0), healthy(15.0), healthy(30.0)]
    reports.asked.clear()
    reports.pauses.clear()
    assert watch.worse([on_host(change)]) == ["latency of array sf-1 rose from 1.0 ms to 30.0 ms"]
    assert (watch.unknown, len(reports.asked), reports.pauses) == ([], 3, [PAUSE_SECONDS] * 2)
    reports.now = [healthy(30.0), healthy(15.0), healthy(20.0)]
    assert watch.worse([on_host(change)]) == ["latency of array sf-1 rose from 1.0 ms to 30.0 ms"], "the first sample counts as well"
    reports.asked.clear()
    reports.now = [healthy()]
    assert watch.worse([on_host(change)]) == []
    assert len(reports.asked) == 1, "an array that is well is asked once"


@pytest.mark.parametrize(
    "later", [[20.0, 3.0, 30.0], [10.9], [11.0], [20.0, None]], ids=["one sample was fast", "not so much more", "10 ms more", "then idle"]
)
def test_a_burst_stops_nothing(fleet: Sessions, reports: Reports, change: Make, later: list[float | None]) -> None:
    watch = watched(fleet, on_host(change), reports)
    reports.now = [healthy(one) for one in later]
    assert watch.worse([on_host(change)]) == []


def test_an_array_that_was_slow_at_times_before_is_compared_with_that(fleet: Sessions, reports: Reports, change: Make) -> None:
    reports.now = [healthy(1.0), healthy(15.0), healthy(1.0)]
    watch = watched(fleet, on_host(change), reports)
    for latency in (25.0, 29.0, 30.0):
        reports.now = [healthy(latency)]
        assert watch.worse([on_host(change)]) == [], "twice as much is not more than twice"
    reports.now = [healthy(30.1)]
    assert watch.worse([on_host(change)]) == ["latency of array sf-1 rose from 15.0 ms to 30.1 ms"]


def test_a_controller_that_changed_its_state_stops_the_run(fleet: Sessions, reports: Reports, change: Make) -> None:
    watch = watched(fleet, on_host(change), reports, settles=False)
    reports.now = [replace(healthy(), good={CONTROLLERS: frozenset({"controller a (active)", "controller b (pending)"})})]
    assert watch.worse([on_host(change)]) == ["array sf-1 lost controller b (active) (controllers)"]


@pytest.mark.parametrize(
    ("now", "worse", "unknown"),
    [
        pytest.param(Health("sf-1"), ["array sf-1 lost controller a (active) and 1 more (controllers)"], [], id="none is reported"),
        pytest.param(
            Health("sf-1", unknown={CONTROLLERS: "no answer", ARRAY_LATENCY: "idle"}),
            [],
            [f"Health of array sf-1: controllers not known, no answer; latency of the array not known, idle; {NOT_STOPPED}"],
            id="they are not known",
        ),
    ],
)
def test_controllers_are_lost_where_they_are_not_reported_and_not_where_they_are_not_known(
    fleet: Sessions, reports: Reports, change: Make, now: Health, worse: list[str], unknown: list[str]
) -> None:
    watch = watched(fleet, on_host(change), reports)
    reports.now = [now]
    assert (watch.worse([on_host(change)]), watch.unknown) == (worse, unknown)


def test_an_array_that_was_idle_before_is_not_slower(fleet: Sessions, reports: Reports, change: Make) -> None:
    reports.now = [healthy(None)]
    watch = watched(fleet, on_host(change), reports)
    reports.now = [healthy(20.0)]
    assert watch.worse([on_host(change)]) == []


@pytest.mark.parametrize(
    ("before", "now", "worse"),
    [
        pytest.param(["no answer", healthy()], [healthy(20.0)], ["sf-1"], id="the first could not be asked before"),
        pytest.param([healthy()], ["no answer", healthy(20.0)], ["sf-2", "sf-1"], id="the first cannot be asked any more"),
        pytest.param([healthy()], [healthy(20.0)], ["sf-2", "sf-1"], id="both are slow"),
    ],
)
def test_each_array_that_a_run_reaches_is_looked_at(
    fleet: Sessions, reports: Reports, change: Make, before: list[Health | str], now: list[Health | str], worse: list[str]
) -> None:
    changes = [change(where="sf-2"), on_host(change)]
    reports.now = before
    watch = ArrayWatch(changes, fleet, CARRIERS, reports.pauses.append)
    reports.now = now
    found = watch.worse(changes)
    assert [sentence.partition("array ")[2][:4] for sentence in found] == worse


def test_an_array_that_does_not_answer_any_more_stops_the_run(fleet: Sessions, reports: Reports, change: Make) -> None:
    watch = watched(fleet, on_host(change), reports)
    reports.now = ["no answer"]
    assert watch.worse([on_host(change)]) == ["array sf-1 was asked before, and cannot be asked any more: no answer"]


@pytest.mark.parametrize(
    ("before", "settles", "why"),
    [
        pytest.param(healthy(None), True, "latency of the array not known, none of its volumes is in use", id="idle"),
        pytest.param("no answer", True, "its health could not be read: no answer", id="it could not be asked"),
        pytest.param(healthy(), False, "latency of the array not known, as no time was given to settle", id="nothing settles"),
    ],
)
def test_what_is_not_known_stops_nothing_and_is_reported(
    fleet: Sessions, reports: Reports, change: Make, before: Health | str, settles: bool, why: str
) -> None:
    reports.now = [before]
    watch = watched(fleet, on_host(change), reports, settles=settles)
    assert watch.worse([on_host(change)]) == []
    assert watch.unknown == [f"Health of array sf-1: {why}; what got worse there would not have stopped the run."]
