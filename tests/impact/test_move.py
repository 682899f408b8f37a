"""What a machine that is copied costs those who share its pool: S1 from its source's side (docs/domain/incidents.md#s1)."""

from __future__ import annotations

import heapq
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auditor.facts.catalog import catalog
from auditor.impact.move import End, Load, move_impact

ROOT = Path(__file__).parents[2]

MD3 = End("md3", "sas-10k", is_running=True, reads=32, slots=None, loads=(Load(200, 6.0),))
DISKS = replace(MD3, rpm=10_000, disks=24, disk_iops=12)


def inputs_of(found: dict[str, Any]) -> dict[str, tuple[list[float | None], str]]:
    return {one["name"]: (one["value"], one["basis"]) for one in found["inputs"]}


def test_an_array_of_which_only_its_load_is_known_may_serve_no_more_than_it_was_seen_to() -> None:
    # Little's law: 200 a second of 6 ms are 1.2 under way, 5 % either way. 1.26 and 32 of the copy, all of 6.3 ms, 1.14 at a time:
    # 33.26 / 1.14 * 6.3 = 183.8 ms.
    found = move_impact(MD3, ["app disk", "mail disk"], 2)
    assert (found["model"], found["queue"], found["quantity"]) == ("move", "md3/sas-10k", "latency_ms")
    assert found["now"] == [5.7, 6.3]
    assert found["worst_now"] == [5.7, pytest.approx(183.8, rel=1e-3)]
    assert (found["direction"], found["size_known"]) == ("better", False)
    assert (found["victims"], found["victims_count"]) == (["app disk", "mail disk"], 2)
    assert inputs_of(found)["reads of the copy"] == ([1, 32], "assumed")
    assert inputs_of(found)["served side by side"] == ([pytest.approx(1.14), None], "measured")


def test_an_array_that_answers_sooner_than_a_round_trip_takes_has_figures_too() -> None:
    # All-flash arrays report latencies below 0.1 ms. 5 are under way: (5.25 + 32) / 4.75 of 0.0525 ms.
    found = move_impact(replace(MD3, loads=(Load(100_000, 0.05),)), [], 0)
    assert found["worst_now"] == [0.0475, pytest.approx(0.4117, abs=1e-4)]
    assert inputs_of(found)["a read of the copy takes"] == ([0.0525, 0.0525], "assumed")


def test_disks_of_which_a_source_knows_what_they_do_bound_it_closer() -> None:
    # 8.333 ms a command, 32 / 24 of the copy's before it, and the disk is free for 1 - 12 / 120 of the time: 8.333 * 2.333 / 0.9 = 21.6 ms.
    found = move_impact(DISKS, [], 0)
    assert found["worst_now"] == [5.7, pytest.approx(21.60, abs=0.01)]
    assert inputs_of(found)["a disk takes for one"] == ([0, pytest.approx(8.333)], "assumed")


def test_each_input_has_a_unit_and_a_source_that_is_there() -> None:
    given = {one["name"]: (one["unit"], one["source"]) for one in move_impact(replace(DISKS, slots=16), [], 0)["inputs"]}
    assert {name for name, (unit, _) in given.items() if unit == "ms"} == {
        "latency now",
        "a read of the copy takes",
        "a disk takes for one",
    }
    assert {unit for unit, _ in given.values()} == {"ms", "commands", "commands under way", "disks", "transfers/s"}
    for _, source in given.values():
        page, _, anchor = source.partition(",")[0].partition("#")
        if page.startswith("docs/"):
            assert f'<a id="{anchor}">' in (ROOT / page).read_text(encoding="utf-8")
        else:
            table, _, column = page.partition(" ")[0].rstrip(",").partition(".")
            assert column in catalog().views[table].columns


def test_a_queue_of_the_host_that_the_copy_fills_adds_its_wait() -> None:
    # 32 and 1.26 for 16 places: 33.26 / 16 of 21.6 ms.
    assert move_impact(replace(DISKS, slots=16), [], 0)["worst_now"][1] == pytest.approx(21.605 * 33.26 / 16, rel=1e-3)
    assert move_impact(replace(DISKS, slots=254), [], 0)["worst_now"][1] == pytest.approx(21.60, abs=0.01)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"rpm": 7200}, id="disks of which no source was found"),
        pytest.param({"rpm": None}, id="what turns is not known"),
        pytest.param({"disks": None}, id="how many disks there are is not known"),
        pytest.param({"disk_iops": None}, id="what they do is not known"),
        pytest.param({"disk_iops": 121}, id="they do more than the source says they can"),
        pytest.param({"loads": (Load(200, 40.0),)}, id="they do not explain what is measured now"),
    ],
)
def test_where_the_disks_say_nothing_the_load_alone_bounds_it(changes: dict[str, Any]) -> None:
    source = replace(DISKS, **changes)
    alone = replace(source, rpm=None, disks=None, disk_iops=None)
    assert move_impact(source, [], 0)["worst_now"] == move_impact(alone, [], 0)["worst_now"]


def test_nobody_is_said_to_be_quicker_and_a_move_that_waits_changes_nothing_yet() -> None:
    quick = move_impact(replace(DISKS, loads=(Load(200, 6.0), Load(50, 0.5))), [], 0)
    assert quick["now"] == [0.475, 6.3]
    assert quick["worst_now"][0] == 0.475
    assert quick["worst_now"][1] > 6.3
    assert move_impact(DISKS, [], 0)["after"] == [0.1, 6.3], "of a copy that runs nobody knows what it takes now"
    assert move_impact(replace(DISKS, is_running=False), [], 0)["after"] == [5.7, 6.3]


@pytest.mark.parametrize(
    ("loads", "words"),
    [
        pytest.param((), "the size is not", id="none was read"),
        pytest.param((Load(200, 6.0), Load(None, None)), "the size is not", id="one volume was not read"),
        pytest.param((Load(200, None),), "the size is not", id="its latency was not read"),
        pytest.param((Load(0, None),), "no volume of the pool does anything", id="idle"),
    ],
)
def test_without_a_load_there_is_no_figure_and_the_direction_is_said(loads: tuple[Load, ...], words: str) -> None:
    [(name, why)] = move_impact(replace(DISKS, loads=loads), [], 0).items()
    assert name == "not_computed"
    assert words in why


def test_a_volume_that_rests_changes_nothing() -> None:
    assert move_impact(replace(DISKS, loads=(*DISKS.loads, Load(0, None))), [], 0) == move_impact(DISKS, [], 0)


def simulated_ms(disks: int, service_ms: float, rate: float, copies: int, *, is_random: bool, seed: int) -> float:
    """Mean latency of single commands of others, each to any of `disks`, first come first served; `copies` reads are always under way."""
    chance = random.Random(seed)
    free, total, count, left, clock = [0.0] * disks, 0.0, 0, 12_000, 0.0
    events = [(0.0, number, True) for number in range(copies)]
    heapq.heapify(events)
    heapq.heappush(events, (chance.expovariate(rate / 1000), -1, False))
    place = 0
    while left:
        clock, number, is_copy = heapq.heappop(events)
        place += 1
        disk = chance.randrange(disks) if is_random or not is_copy else place // 2 % disks
        free[disk] = max(clock, free[disk]) + chance.expovariate(1 / service_ms)
        if is_copy:
            heapq.heappush(events, (free[disk], number, True))
        else:
            total, count, left = total + free[disk] - clock, count + 1, left - 1
            heapq.heappush(events, (clock + chance.expovariate(rate / 1000), -1, False))
    return total / count


@pytest.mark.parametrize(
    ("disks", "service_ms", "rate", "is_random"),
    [
        pytest.param(24, 6.0, 300, True, id="24 disks, the copy's blocks anywhere"),
        pytest.param(24, 6.0, 300, False, id="24 disks, the copy goes from disk to disk"),
        pytest.param(8, 8.0, 250, True, id="8 disks that are slow and have much to do"),
        pytest.param(60, 4.0, 900, False, id="60 quick disks"),
    ],
)
def test_a_simulation_of_single_commands_is_within_the_bounds(disks: int, service_ms: float, rate: float, *, is_random: bool) -> None:
    before = simulated_ms(disks, service_ms, rate, 0, is_random=is_random, seed=1)
    source = replace(DISKS, loads=(Load(rate, before),), disks=disks, disk_iops=rate / disks)
    found = move_impact(source, [], 0)
    low, high = found["worst_now"]
    assert "a disk takes for one" in inputs_of(found)
    assert low <= simulated_ms(disks, service_ms, rate, 32, is_random=is_random, seed=2) <= high
