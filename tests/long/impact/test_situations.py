"""The model as the product uses it, against a simulation of hosts and their array (situations.py) that imports nothing of the product."""

from __future__ import annotations

import random
import statistics

import pytest

from tests.impact.generated import Judged, some
from tests.impact.situations import Disk, Simulation, Situation

RATE = 2000 * 100 / 1950  # commands of 128 KiB of a disk at 2,000 IOPS of 4 KiB: docs/domain/facts.md#6-8


@pytest.mark.parametrize(
    ("disks", "each", "short_ms", "long_ms"),
    [
        pytest.param(1, 64, 322, 1, id="S0"),
        pytest.param(4, 64, 556, 10, id="four of 64 just fit into 256"),
        pytest.param(8, 64, 588, 322, id="eight of 64 do not"),
        pytest.param(1, 254, 2174, 1, id="one of a current Linux"),
    ],
)
def test_whatever_is_throttled_a_neighbour_waits_less_behind_256_than_behind_32(
    disks: int, each: int, short_ms: float, long_ms: float
) -> None:
    behind = (*(Disk(0, each, each, RATE) for _ in range(disks)), Disk(0, 1, 1))
    waits = []
    for depth in (32, 256):
        array = Situation((depth,), (1024,), behind, servers=64, service_seconds=0.0009, way_seconds=0.0001)
        waits.append(Simulation(array, random.Random(1), commands=3000).latency_ms(disks))
        # A command of the neighbour finds all others before it, but for those with a slot, and takes 1 ms itself.
        fluid_ms = max(0, disks * each - depth) / (disks * RATE) * 1000
        assert fluid_ms <= waits[-1] <= fluid_ms + 1.1 + 1000 / RATE
    assert waits == [pytest.approx(short_ms, rel=0.02), pytest.approx(long_ms, rel=0.2)]


@pytest.fixture(scope="module")
def situations() -> list[Judged]:
    return some(200, random.Random(2026))


def test_in_95_of_100_situations_every_victim_is_inside_the_intervals(situations: list[Judged]) -> None:
    inside = [one.holds("now", one.now) and one.holds("after", one.after) for one in situations]
    assert sum(inside) >= 0.95 * len(situations)


def test_every_victim_moves_the_way_that_the_model_says(situations: list[Judged]) -> None:
    wrong = [one for one in situations if not one.goes_its_way]
    assert len(wrong) <= 0.02 * len(situations), wrong[0]


def test_half_of_the_intervals_that_claim_a_size_are_narrow(situations: list[Judged]) -> None:
    # docs/queue-model.md#held states both.
    sized = [one.width for one in situations if one.impact["size_known"]]
    assert statistics.median(sized) < 1.5
    assert len(sized) >= 0.25 * len(situations)


def test_no_fix_is_without_a_situation_in_which_something_moves_far(situations: list[Judged]) -> None:
    for fix in {one.fixed.fix for one in situations}:
        far = [max(a / b, b / a) for one in situations if one.fixed.fix == fix for a, b in zip(one.now, one.after, strict=True)]
        assert max(far) > 3, fix
