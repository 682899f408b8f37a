"""The model against a simulation of single commands (tests/impact/simulation.py); tests/long/test_queue_model.py has a thousand systems."""

from __future__ import annotations

import random

import pytest

from tests.impact.simulation import Disk, Simulation, System, exactly_known, held_of, random_system


def test_the_simulation_itself_gives_s0() -> None:
    # 64 commands at 102.56 a second, 32 slots: the neighbour waits for the 32 that are ahead of it, 32 to 33 times 9.75 ms.
    throttled, neighbour = Disk(64, 0.001, 2000 * 100 / 1950, is_regular=True), Disk(1, 0.001, None, is_regular=True)
    run = Simulation(System(32, (throttled, neighbour), None), random.Random(1), commands=2000)
    assert run.measured[1].waited_seconds / run.measured[1].answers == pytest.approx(0.3169, rel=0.02)


@pytest.mark.long
def test_the_interval_holds_in_95_of_100_random_systems() -> None:
    source = random.Random(15)
    assert held_of([random_system(source) for _ in range(100)], source, commands=1500) >= 0.95


def test_the_intervals_are_narrow_enough_to_mean_something() -> None:
    source, ratios = random.Random(5), []
    for system in (random_system(source) for _ in range(150)):
        ratios += [flow.latency_ms.high / flow.latency_ms.low for flow in exactly_known(system)]
    ratios.sort()
    assert ratios[len(ratios) // 2] < 1.5
    assert ratios[len(ratios) * 9 // 10] < 2
