"""Which way a fix moves, and whether it is known by how much."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from auditor.impact.directions import Direction, direction_of, is_size_known
from auditor.impact.interval import Interval
from auditor.impact.queue import Queue, Stream

one = Interval.exactly
DISK = Stream("disk", Interval(40, 48), one(0.001))


def queue(low: float, high: float | None = None, adapter: float | None = None) -> Queue:
    return Queue(Interval(low, low if high is None else high), None if adapter is None else one(adapter))


@pytest.mark.parametrize(
    ("before", "after", "direction"),
    [
        pytest.param(queue(32), queue(64), Direction.BETTER, id="deeper"),
        pytest.param(queue(32), queue(32), Direction.SAME, id="as deep"),
        pytest.param(queue(64), queue(32), Direction.WORSE, id="shallower"),
        pytest.param(queue(64), queue(48), Direction.SAME, id="shallower, and all 48 still fit"),
        pytest.param(queue(64), queue(47), Direction.WORSE, id="shallower, and one of 48 may not fit"),
        pytest.param(queue(48), queue(64), Direction.SAME, id="deeper, and all fit already"),
        pytest.param(queue(32, 64), queue(64), Direction.BETTER, id="as deep as it may have been"),
        pytest.param(queue(32, 64), queue(32), Direction.WORSE, id="as shallow as it may have been"),
        pytest.param(queue(16, 64), queue(32), Direction.EITHER, id="in between"),
        pytest.param(queue(32, 33), queue(16, 64), Direction.EITHER, id="around"),
        pytest.param(queue(32), queue(256, adapter=32), Direction.SAME, id="the adapter lets no more through"),
        pytest.param(queue(64), queue(256, adapter=32), Direction.WORSE, id="the adapter is in the way"),
    ],
)
def test_more_slots_make_nobody_slower_and_fewer_nobody_quicker(before: Queue, after: Queue, direction: Direction) -> None:
    assert direction_of((before, [DISK]), (after, [DISK])) is direction


def test_less_sent_into_as_many_slots_makes_nobody_slower_and_into_fewer_nobody_knows() -> None:
    less = [replace(DISK, outstanding=one(2))]
    assert direction_of((queue(32), [DISK]), (queue(32), less)) is Direction.BETTER
    assert direction_of((queue(32), [DISK]), (queue(16), less)) is Direction.EITHER
    assert direction_of((queue(64), [DISK]), (queue(64), less)) is Direction.BETTER  # all fit, and still less is sent


def test_what_the_controller_keeps_in_the_guest_takes_no_slot() -> None:
    assert direction_of((queue(64), [DISK]), (queue(32), [replace(DISK, guest_depth=one(32))])) is Direction.EITHER
    kept = [replace(DISK, guest_depth=one(16))]
    assert direction_of((queue(64), kept), (queue(16), kept)) is Direction.SAME


@pytest.mark.parametrize(
    ("now", "after", "is_known"),
    [
        pytest.param((10, 11), (4, 8), True, id="twice apart"),
        pytest.param((10, 11), (4, 8.1), False, id="more than twice apart"),
        pytest.param((300, 330), (1, 150), True, id="at most half of now"),
        pytest.param((300, 330), (1, 151), False, id="perhaps more than half of now"),
        pytest.param((10, 11), (22, 90), True, id="at least twice now"),
        pytest.param((10, 11), (21, 90), False, id="perhaps less than twice now"),
        pytest.param((10, 11), (3, math.inf), False, id="no bound"),
        pytest.param((65, 66), (65, 204), False, id="S2"),
        pytest.param((0, 0), (0, 0), True, id="nothing"),
    ],
)
def test_a_size_is_known_where_the_ends_are_near_or_all_of_it_is_far_from_now(
    now: tuple[float, float], after: tuple[float, float], is_known: bool
) -> None:
    assert is_size_known(Interval(*now), Interval(*after)) is is_known
