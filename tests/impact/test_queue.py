"""Intervals: which way each input pushes, and the figures of the incident reports (docs/domain/incidents.md)."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from auditor.impact.queue import Interval, Queue, Solution, Stream, solve, with_fewer

MS = 0.001
one = Interval.exactly
BRONZE_BURST = one(2000 * 100 / 1950)  # docs/domain/facts.md#6-8


def quick(depth: float) -> Queue:
    """A queue before an array that is never busy."""
    return Queue(one(depth), parallel=one(math.inf))


def is_within_a_factor_of_two(interval: Interval, low: float, high: float) -> bool:
    """Whether an interval meets a report's figure, and its ends are not more than a factor of two from it."""
    return interval.low <= high and interval.high >= low and interval.low * 2 >= low and interval.high <= high * 2.000001


def s0(depth: float, throttled: Stream) -> Solution:
    # 1 ms: what the report measured at last; ioping has one command outstanding.
    return solve(quick(depth), [throttled, Stream("ioping", one(1), one(MS))])


def test_s0_a_neighbour_waits_300_to_400_ms_and_about_1_ms_after_the_fix() -> None:
    throttled = Stream("fio", one(64), one(MS), BRONZE_BURST)
    now, after = s0(32, throttled).flow("ioping").latency_ms, s0(256, throttled).flow("ioping").latency_ms
    assert is_within_a_factor_of_two(now, 300, 400)
    assert is_within_a_factor_of_two(after, 1, 1)


@pytest.mark.parametrize(("disks", "each"), [(1, 64), (1, 254), (4, 64), (8, 64), (4, 254), (16, 254)])
def test_s0_whatever_is_throttled_the_neighbour_waits_less_behind_256_than_behind_32(disks: int, each: int) -> None:
    streams = [Stream(f"fio-{n}", one(each), one(MS), BRONZE_BURST) for n in range(disks)] + [Stream("ioping", one(1), one(MS))]
    short, long = (solve(quick(depth), streams).flow("ioping").latency_ms for depth in (32, 256))
    assert long.high < short.low
    # The commands that find no slot, by the rate of all (docs/domain/facts.md#6-8), but for a slot more or less.
    assert short.low * 0.99 < (disks * each - 32) / (disks * BRONZE_BURST.low) * 1000 < short.high


def test_s2_more_depth_gives_at_most_what_a_constant_service_time_would_and_at_least_what_it_gives_now() -> None:
    # 65,000 at 1.4 ms: 91 commands outstanding, 32 of them with the array for 0.4923 ms. How much the array can do is not known.
    database = Stream("database", one(91), one(32 / 65_000))
    [now] = solve(Queue(one(32), parallel=Interval(32, math.inf)), [database]).flows
    [after] = solve(Queue(one(96), parallel=Interval(32, math.inf)), [database]).flows
    assert is_within_a_factor_of_two(now.per_second, 65_000, 65_000)
    assert is_within_a_factor_of_two(now.latency_ms, 1.4, 1.4)
    assert is_within_a_factor_of_two(after.per_second, 125_000, 125_000)
    assert is_within_a_factor_of_two(after.latency_ms, 0.7, 0.7)
    assert after.per_second.high == pytest.approx(91 / 32 * 65_000)  # 184,844, "at most"
    assert after.per_second.low == pytest.approx(65_000)


def test_s2_the_arrays_own_ceiling_makes_the_interval_narrow() -> None:
    database = Stream("database", one(91), one(32 / 65_000))
    queue = Queue(one(96), parallel=one(math.inf), ceiling_per_second=one(125_000))
    [after] = solve(queue, [database]).flows
    assert after.per_second.holds(125_000)
    assert after.per_second.low > 110_000
    # 91 / 125,000 = 0.728 ms
    assert after.latency_ms.holds(0.728)


@pytest.mark.parametrize(
    ("sent", "now", "slots", "share"),
    [
        pytest.param((91, 91), (96, 96), (32, 32), 32 / 91, id="S2 the other way round"),
        pytest.param((91, 100), (96, 96), (32, 48), 32 / 96, id="the fewest that may be left of the most there may be"),
        pytest.param((20, 20), (96, 96), (32, 32), 1, id="all that is sent is left"),
        pytest.param((0.5, 0.5), (96, 96), (32, 32), 1, id="less than one"),
        pytest.param((91, 91), (96, 96), (0.5, 0.5), 1 / 91, id="less than one slot"),
    ],
)
def test_with_fewer_commands_in_the_array_each_takes_between_its_share_and_all_of_its_time(
    sent: tuple[float, float], now: tuple[float, float], slots: tuple[float, float], share: float
) -> None:
    stream = Stream("disk", Interval(*sent), Interval(0.8 * MS, MS))
    [fewer] = with_fewer([stream], Interval(*now), Interval(*slots))
    assert fewer.service_seconds.low == pytest.approx(0.8 * MS * share)
    assert fewer.service_seconds.high == MS
    assert (fewer.name, fewer.outstanding, fewer.limit_per_second) == ("disk", stream.outstanding, None)


def test_where_a_limit_holds_slots_one_command_of_the_others_may_be_left() -> None:
    streams = [Stream("noisy", one(64), one(MS), one(100)), Stream("neighbour", one(32), one(MS))]
    # 96 of both before, and at least one after.
    assert [other.service_seconds.low for other in with_fewer(streams, one(256), one(32))] == pytest.approx([MS / 96] * 2)


def test_what_does_not_fit_into_the_controller_waits_in_the_guest() -> None:
    # 96 wanted, the controller takes 32, 64 slots, 1 ms: 32,000 pass; 64 wait in the guest for 64 / 32,000 = 2 ms; 3 ms in all.
    [flow] = solve(quick(64), [Stream("disk", one(96), one(MS), guest_depth=one(32))]).flows
    assert flow.per_second.low == flow.per_second.high == pytest.approx(32_000)
    assert flow.wait_ms == one(0)
    assert flow.guest_wait_ms.high == pytest.approx(2)
    assert flow.latency_ms.high == pytest.approx(3)


def test_nothing_waits_in_a_guest_whose_controller_takes_all() -> None:
    [flow] = solve(quick(4), [Stream("disk", Interval(1, 8), one(MS))]).flows
    assert flow.guest_wait_ms == one(0)


def test_an_adapter_without_slots_for_the_device_is_what_it_waits_for() -> None:
    # 64 commands, the adapter leaves 16 slots of the device's 64, 1 ms: 16,000 pass, and 48 / 16,000 = 3 ms are waited.
    [flow] = solve(Queue(one(64), adapter_slots=one(16), parallel=one(math.inf)), [Stream("disk", one(64), one(MS))]).flows
    assert flow.wait_ms.holds(3)
    assert flow.per_second.holds(16_000)


def test_both_depths_give_an_interval_where_it_is_not_known_which_applies() -> None:
    streams = [Stream("disk", one(64), one(MS))]
    unknown = solve(Queue(Interval(32, 64), parallel=one(math.inf)), streams).flows[0]
    shallow, deep = (solve(quick(depth), streams).flows[0] for depth in (32, 64))
    assert unknown.latency_ms == Interval.around(shallow.latency_ms.high, deep.latency_ms.low)
    assert unknown.per_second == Interval.around(shallow.per_second.low, deep.per_second.high)


@pytest.mark.parametrize("input_of_none", ["depth", "service", "limit"])
def test_a_queue_that_never_answers_is_refused(input_of_none: str) -> None:
    queue = Queue(Interval(0, 32)) if input_of_none == "depth" else quick(32)
    service = Interval(0, MS) if input_of_none == "service" else one(MS)
    limit = Interval(0, 10) if input_of_none == "limit" else None
    with pytest.raises(ValueError, match="answers nothing"):
        solve(queue, [Stream("disk", one(1), service, limit)])


@pytest.mark.parametrize(("low", "high"), [(2, 1), (-1, 1), (math.nan, 1), (1, math.nan)])
def test_an_interval_has_its_lower_end_first_and_nothing_below_0(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="no interval"):
        Interval(low, high)


_figures = st.tuples(st.floats(0.5, 128), st.floats(1, 1.5))
_times = st.tuples(st.floats(1e-4, 0.02), st.floats(1, 1.5))
_limits = st.one_of(st.none(), st.tuples(st.floats(10, 1e5), st.floats(1, 1.5)))


def _interval(drawn: tuple[float, float]) -> Interval:
    return Interval(drawn[0], drawn[0] * drawn[1])


@st.composite
def systems(draw: st.DrawFn) -> tuple[Queue, list[Stream]]:
    """A queue and streams whose inputs are intervals."""
    ceiling = draw(st.one_of(st.none(), st.tuples(st.floats(1e3, 1e6), st.floats(1, 1.5))))
    queue = Queue(
        _interval(draw(st.tuples(st.floats(4, 128), st.floats(1, 1.5)))),
        parallel=_interval(draw(st.tuples(st.floats(1, 128), st.floats(1, 4)))),
        ceiling_per_second=None if ceiling is None else _interval(ceiling),
    )
    streams = []
    for number in range(draw(st.integers(1, 4))):
        limit = draw(_limits)
        streams.append(Stream(str(number), _interval(draw(_figures)), _interval(draw(_times)), None if limit is None else _interval(limit)))
    return queue, streams


def _inside(interval: Interval, share: float) -> Interval:
    """One figure of an interval."""
    return one(interval.low + (interval.high - interval.low) * share)


@pytest.mark.long
@example((Queue(one(4), parallel=one(5)), [Stream("0", Interval(4, 6), one(1 / 64))]), [0.0, 0.0, 1.0, *[0.0] * 17])
@example((Queue(one(4), parallel=one(1)), [Stream("0", Interval(39, 58.5), one(1 / 64), one(73))]), [0.0] * 20)
@example(
    (
        Queue(one(6), parallel=one(1), ceiling_per_second=one(1000)),
        [Stream("0", one(3), one(1 / 64)), Stream("1", Interval(3, 4.5), one(1 / 64), one(10))],
    ),
    [0.0] * 20,
)
@settings(max_examples=60, deadline=None)
@given(systems(), st.lists(st.floats(0, 1), min_size=20, max_size=20))
def test_whatever_the_inputs_are_within_their_intervals_the_result_is_within_its_own(
    system: tuple[Queue, list[Stream]], shares: list[float]
) -> None:
    queue, streams = system
    share = iter(shares)
    known_queue = Queue(
        _inside(queue.depth, next(share)),
        parallel=_inside(queue.parallel, next(share)),
        ceiling_per_second=None if queue.ceiling_per_second is None else _inside(queue.ceiling_per_second, next(share)),
    )
    known = [
        Stream(
            stream.name,
            _inside(stream.outstanding, next(share)),
            _inside(stream.service_seconds, next(share)),
            None if stream.limit_per_second is None else _inside(stream.limit_per_second, next(share)),
        )
        for stream in streams
    ]
    for wide, narrow in zip(solve(queue, streams).flows, solve(known_queue, known).flows, strict=True):
        for kind in ("latency_ms", "per_second"):
            outer, inner = getattr(wide, kind), getattr(narrow, kind)
            assert outer.low <= inner.low * 1.00001
            assert inner.high <= outer.high * 1.00001


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(systems(), st.floats(1, 128))
def test_more_depth_never_makes_anybody_slower_unless_the_array_has_a_ceiling(system: tuple[Queue, list[Stream]], more: float) -> None:
    queue, streams = system
    shallow = Queue(queue.depth, parallel=queue.parallel)
    deep = Queue(queue.depth + one(more), parallel=queue.parallel)
    for before, after in zip(solve(shallow, streams).flows, solve(deep, streams).flows, strict=True):
        assert after.latency_ms.high <= before.latency_ms.high * 1.00001
