"""The pace of a vCenter: never more in flight than allowed, fewer when it is too much for it, and all of it again when it is not."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Condition

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.endpoints.vcenter import pacing, wire
from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.endpoints.vcenter.host_answers import query_options
from auditor.endpoints.vcenter.pacing import SLOW_FACTOR, SLOW_SECONDS, Pace
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.model import Endpoint
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.wire import Answer, Fault, Request
from tests.waiting import Clock

Serve = Callable[..., tuple[VCenterServer, Endpoint]]

QUICK = 0.02
SLOW = SLOW_FACTOR * QUICK + SLOW_SECONDS


def answered(pace: Pace, seconds: float, times: int = 1, kind: str = "list") -> None:
    for _ in range(times):
        with pace.turn(kind) as turn:
            turn.seconds = seconds


def refused(pace: Pace, pause_seconds: float = 0.0) -> None:
    with pace.turn("list") as turn:
        turn.refused, turn.pause_seconds = True, pause_seconds


def test_a_refusal_halves_the_pace_and_good_answers_bring_it_back() -> None:
    pace = Pace(16)
    refused(pace)
    assert pace.allowed == 8
    answered(pace, QUICK, 8)
    assert pace.allowed == 9
    answered(pace, QUICK, 16 * 16)
    assert pace.allowed == 16


def test_a_whole_flight_that_is_refused_counts_once() -> None:
    pace = Pace(16)
    turns = [pace.turn("list") for _ in range(16)]
    for context in turns:
        context.__enter__().refused = True
    for context in turns:
        context.__exit__(None, None, None)
    assert pace.allowed == 8


def test_answers_that_take_far_longer_than_the_quickest_slow_the_pace() -> None:
    pace = Pace(16)
    answered(pace, QUICK, 16)
    assert pace.allowed == 16
    answered(pace, SLOW + 0.1, 16)
    assert pace.allowed == 12


def test_one_slow_host_does_not_speak_for_its_vcenter() -> None:
    pace = Pace(16)
    answered(pace, QUICK, 16)
    for _ in range(20):
        answered(pace, QUICK, 12)
        answered(pace, 10.0, 4)
    assert pace.allowed == 16


@pytest.mark.parametrize(
    "kinds",
    [
        pytest.param(("list", "get"), id="questions of two kinds"),
        pytest.param(("list", ""), id="a question that is like no other"),
        pytest.param(("", ""), id="two that are like no other"),
    ],
)
def test_only_like_is_compared_with_like(kinds: tuple[str, str]) -> None:
    pace = Pace(16)
    answered(pace, QUICK, 16, kinds[0])
    answered(pace, 10.0, 64, kinds[1])
    assert pace.allowed == 16


def test_slow_for_good_is_the_normal_case_in_the_end() -> None:
    # Slowing down that does not help must not cost an hour for every audit of a far vCenter.
    pace = Pace(16)
    answered(pace, 0.1, 16)
    answered(pace, 1.0, 600)
    assert pace.allowed == 16


@pytest.mark.long
@given(
    st.integers(1, 32),
    st.lists(st.one_of(st.just("refused"), st.just("lost"), st.floats(0.001, 30.0)), max_size=200),
)
def test_whatever_happens_at_least_one_request_may_go_and_the_pace_comes_back(most: int, story: list[str | float]) -> None:
    pace = Pace(most)
    for reported in story:
        with pace.turn("list") as turn:
            turn.refused = reported == "refused"
            turn.seconds = reported if isinstance(reported, float) else None
        assert 1 <= pace.allowed <= most
    answered(pace, 0.001, most * (most + 5))
    assert pace.allowed == most


@pytest.mark.long
@given(st.integers(1, 6), st.integers(1, 40))
def test_no_more_are_in_flight_than_allowed_and_nobody_is_forgotten(most: int, requests: int) -> None:
    pace = Pace(most)
    lock = threading.Lock()
    flying, peak = 0, 0

    def ask(number: int) -> None:
        nonlocal flying, peak
        with pace.turn("list") as turn:
            with lock:
                flying += 1
                peak = max(peak, flying)
            turn.refused = number % 5 == 0
            with lock:
                flying -= 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(requests)))
    assert peak <= most


class PassingTime(Condition):
    """A condition on which nobody waits: the clock passes as long as was to be waited."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None, "nobody else is there who could wake it"
        self._clock.now += timeout
        return False


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The time of paces that `paced` makes, and of answers."""
    clock = Clock()
    monkeypatch.setattr(pacing, "time", clock)
    monkeypatch.setattr(wire, "time", clock)
    return clock


def paced(most: int, clock: Clock) -> Pace:
    """A pace for one thread, which waits by the clock."""
    pace = Pace(most)
    pace._changed = PassingTime(clock)
    return pace


def test_a_vcenter_that_lets_nobody_through_is_left_alone_for_as_long_as_it_asks(clock: Clock) -> None:
    pace, began = paced(1, clock), clock.now
    refused(pace, 20)
    answered(pace, QUICK)
    assert clock.now - began == 20
    answered(pace, QUICK)
    assert clock.now - began == 20


def test_one_refusal_among_good_answers_holds_nobody_else_up(clock: Clock) -> None:
    pace, began = paced(4, clock), clock.now
    answered(pace, QUICK, 4)
    refused(pace, 20)
    answered(pace, QUICK)
    assert clock.now == began


def test_a_busy_vcenter_is_read_whole_with_no_more_in_flight_than_allowed(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter(concurrency=8)
    with open_vcenter(endpoint) as vcenter:
        manager = Ref("OptionManager", "EsxHostAdvSettings-11")
        whole = len(query_options(vcenter.stub, manager).keys)
        server.faults.active += [Fault("status", "QueryOptions", status=503, times=12), Fault("latency", "QueryOptions", seconds=0.02)]

        def read(_: int) -> tuple[int, int]:
            return len(query_options(vcenter.stub, manager).keys), vcenter.stub.wire.pace.allowed

        with ThreadPoolExecutor(16) as pool:
            found = list(pool.map(read, range(64)))
    assert {options for options, _ in found} == {whole}
    assert min(allowed for _, allowed in found) <= 4  # eight at once were refused, and then four
    assert server.requests.count("QueryOptions") == 1 + 64 + 12
    assert 2 <= server.most_in_flight <= 8


def test_a_vcenter_whose_answers_grow_slow_is_asked_less_at_once(serve_vcenter: Serve, clock: Clock) -> None:
    server, endpoint = serve_vcenter(concurrency=8)
    with open_vcenter(endpoint) as vcenter:
        manager = Ref("OptionManager", "EsxHostAdvSettings-11")
        for _ in range(8):
            query_options(vcenter.stub, manager)
        assert vcenter.stub.wire.pace.allowed == 8
        quick = server._wire.answer

        def slow(request: Request) -> Answer:
            clock.now += 1
            return quick(request)

        server._wire.answer = slow
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: query_options(vcenter.stub, manager), range(8)))
        server._wire.answer = quick
        assert vcenter.stub.wire.pace.allowed < 8
        for _ in range(60):
            query_options(vcenter.stub, manager)
        assert vcenter.stub.wire.pace.allowed == 8
