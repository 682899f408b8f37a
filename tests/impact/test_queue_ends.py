"""Both ends of an interval by hand, each input at the end that makes it so; commands take whole milliseconds, so rates are in thousands."""

from __future__ import annotations

import math
from typing import Any

import pytest

from auditor.impact.queue import Interval, Queue, Stream, solve, with_fewer

MS = 0.001
one = Interval.exactly
ANY = one(math.inf)


def ends(low: float, high: float) -> Any:
    return pytest.approx((low, high), rel=1e-5)


def pair(interval: Interval) -> tuple[float, float]:
    return interval.low, interval.high


def test_what_others_send_at_most_is_the_worst_wait_and_what_one_sends_itself_is_its_own_rate() -> None:
    # Best: 9 commands find a place. Worst: 41 for 15 places (one less than 16, as commands are whole): 41 w / (w + 1) = 26, so w = 26 / 15.
    # The heavier one has 40 / (w + 1) at most, but no more than 16 places give, and 8 at least, which find a place beside the other.
    solution = solve(Queue(one(16), parallel=ANY), [Stream("a", one(1), one(MS)), Stream("b", Interval(8, 40), one(MS))])
    light, heavy = solution.flows
    assert pair(light.wait_ms) == ends(0, 26 / 15)
    assert pair(light.latency_ms) == pair(heavy.latency_ms) == ends(1, 41 / 15)
    assert pair(light.per_second) == ends(15_000 / 41, 1000)
    assert pair(heavy.per_second) == ends(8000, 16_000)
    assert pair(solution.per_second) == ends(8000 + 15_000 / 41, 17_000)


def test_as_many_commands_as_places_wait_for_none() -> None:
    [flow] = solve(Queue(one(16), parallel=ANY), [Stream("a", one(16), one(MS))]).flows
    assert pair(flow.latency_ms) == ends(1, 1)


def test_a_limit_is_reached_at_best_and_every_command_finds_the_others_before_it_at_worst() -> None:
    # 10 commands at 1,000 a second: 10 ms. At worst each takes 1 ms and then 10 turns of 2 ms: 21 ms.
    [flow] = solve(Queue(one(32), parallel=ANY), [Stream("a", one(10), one(MS), Interval(500, 1000))]).flows
    assert pair(flow.per_second) == ends(10_000 / 21, 1000)
    assert pair(flow.latency_ms) == ends(10, 21)


def test_an_array_that_serves_one_at_a_time_makes_commands_wait_for_what_others_and_oneself_have_there() -> None:
    # n commands of S at one place wait (n - 1) S. Best: 2 of 1 ms. Worst: 4 of 2 ms.
    streams = [Stream("a", one(1), Interval(MS, 2 * MS)), Stream("b", Interval(1, 3), Interval(MS, 2 * MS))]
    light, heavy = solve(Queue(one(32), parallel=one(1)), streams).flows
    assert pair(light.latency_ms) == pair(heavy.latency_ms) == ends(2, 8)
    # 3 commands of 2 ms each, where others wait least, and one of 8 ms.
    assert pair(heavy.per_second) == ends(125, 1500)


def test_a_neighbour_of_a_limited_disk_waits_in_the_array_for_what_its_limit_lets_through_at_least() -> None:
    # With 750 a second and a wait of 1 ms the limited one does X: 0.001 X^2 - X (2 + 0.75 + 0.75) + 1500 = 0, X = 500. The other one does
    # 1 / 2 ms = 500 as well, and together they keep one place busy. At 1,500 a second they would wait longer.
    limited = Stream("limited", one(2), one(MS), Interval(750, 1500))
    _, other = solve(Queue(one(32), parallel=one(1)), [limited, Stream("a", one(1), one(MS))]).flows
    assert other.latency_ms.low == pytest.approx(2)


def test_a_neighbour_of_a_limited_disk_waits_in_the_array_for_what_its_limit_lets_through_at_most() -> None:
    # At 1,000 a second it keeps the one place busy alone, until the wait holds it back: 11 commands wait 10 ms. At 500 it would be 1 ms.
    limited = Stream("limited", one(10), one(MS), Interval(500, 1000))
    _, other = solve(Queue(one(32), parallel=one(1)), [limited, Stream("a", one(1), one(MS))]).flows
    assert other.latency_ms.high == pytest.approx(11)


def test_before_a_ceiling_quick_commands_make_others_wait_longer() -> None:
    streams = [Stream("a", one(1), Interval(MS, 2 * MS)), Stream("b", one(9), Interval(MS, 2 * MS))]
    light, _ = solve(Queue(one(32), parallel=ANY, ceiling_per_second=Interval(1000, 2000)), streams).flows
    # Best: 10 commands of 2 ms at 2,000 a second are 5 ms, so they wait 3; less the one that is served, half a millisecond, and 1 ms.
    # Worst: k (1 - 10 / (1 + k)) = 1, so k^2 - 10 k - 1 = 0 and k = 5 + sqrt(26); and 2 ms.
    assert pair(light.latency_ms) == ends(3 - 0.5 + 1, 5 + math.sqrt(26) + 2)


def test_before_a_ceiling_places_are_asked_with_the_fewest_commands_and_the_most_places() -> None:
    # Two commands find one of two places, so four reach the ceiling: k (2 - 4 / (1 + k)) = 1, 2 k^2 - 3 k - 1 = 0, k = (3 + sqrt(17)) / 4.
    # Then four of 1 + k for half a place (one is the least, and commands are whole): 4 w / (w + S) = 3.5, so w = 7 S.
    queue = Queue(Interval(1, 2), parallel=ANY, ceiling_per_second=one(2000))
    [flow] = solve(queue, [Stream("a", Interval(2, 4), one(MS))]).flows
    assert flow.latency_ms.high == pytest.approx(8 * (1 + (3 + math.sqrt(17)) / 4))


def test_a_disk_that_sends_nothing_would_wait_as_long_as_the_others() -> None:
    # 64 commands and 32 places, one of them for whole commands: 64 w / (w + 1) = 32, so w = 1 ms, and 1 ms in the array.
    idle, _ = solve(Queue(one(31), parallel=ANY), [Stream("idle", one(0), one(MS)), Stream("b", one(64), one(MS))]).flows
    assert idle.latency_ms.low == pytest.approx(2)
    assert pair(idle.per_second) == (0, 0)


def test_what_does_not_fit_into_a_controller_of_one_of_two_depths_waits_in_the_guest_or_does_not() -> None:
    # 96 wanted, 32 or 64 let out, and all find a place: 64 are left at 32,000 a second, or 32 at 64,000.
    stream = Stream("a", one(96), one(MS), guest_depth=Interval(32, 64))
    [flow] = solve(Queue(one(128), parallel=ANY), [stream]).flows
    assert pair(flow.guest_wait_ms) == ends(0.5, 2)
    [fits] = solve(Queue(one(64), parallel=ANY), [Stream("a", Interval(0, 8), one(MS), guest_depth=one(32))]).flows
    assert fits.guest_wait_ms == one(0)


def test_half_a_command_behind_a_limit_takes_all_of_its_time_with_fewer() -> None:
    [fewer] = with_fewer([Stream("a", one(0.5), one(MS), one(100))], one(96), one(32))
    assert fewer.service_seconds == one(MS)
