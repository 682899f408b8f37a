"""The queueing model against simulations of single commands: a thousand random systems, and situations with a fix."""

from __future__ import annotations

import random

import pytest

from tests.depth import depth
from tests.impact.generated import some
from tests.impact.simulation import held_of, random_system


@pytest.mark.deep
def test_the_interval_holds_in_95_percent_of_1000_random_systems() -> None:
    source = random.Random(2026)
    assert held_of([random_system(source) for _ in range(1000)], source, commands=900) >= 0.95


def test_95_of_100_situations_are_inside_what_the_model_says_of_a_fix_and_move_its_way() -> None:
    found = some(depth(50, 2000), random.Random(14))
    assert sum(one.holds("now", one.now) and one.holds("after", one.after) for one in found) >= 0.95 * len(found)
    assert sum(one.goes_its_way for one in found) >= 0.98 * len(found)
