"""The queueing model against a simulation of single commands, in a thousand random systems."""

from __future__ import annotations

import random

from tests.impact.simulation import foretells, held_of, random_system


def test_the_interval_holds_in_95_percent_of_1000_random_systems() -> None:
    source = random.Random(2026)
    assert held_of([random_system(source) for _ in range(1000)], source, commands=900) >= 0.95


def test_what_is_measured_at_one_depth_foretells_a_deeper_queue_in_95_percent_of_250_random_systems() -> None:
    source = random.Random(1)
    systems = [random_system(source) for _ in range(250)]
    assert sum(foretells(one, 4 * one.depth, source, commands=900) for one in systems) >= 0.95 * 250
