"""What a machine that is copied costs those who share its pool: S1 from its source's side (docs/domain/incidents.md#s1)."""

from __future__ import annotations

import heapq
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auditor.facts.catalog import catalog
from auditor.impact.move import Copying, End, Load, copying, move_impact

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
    assert (found["after"], found["worst_after"]) == ([0.1, 6.3], [0.1, 6.3])
    assert (found["direction"], found["size_known"]) == ("better", False)
    assert (found["victims"], found["victims_count"], found["behind"]) == (["app disk", "mail disk"], 2, [])
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


def test_each_input_says_what_it_is_and_whether_it_was_measured() -> None:
    assert inputs_of(move_impact(DISKS, [], 0)) == {
        "latency now": ([5.7, 6.3], "measured"),
        "reads of the copy": ([1, 32], "assumed"),
        "served side by side": ([1.14, None], "measured"),
        "a read of the copy takes": ([0.1, 6.3], "assumed"),
        "disks of the pool": ([24, 24], "measured"),
        "transfers of a disk now": ([11.88, 12.12], "measured"),
        "a disk takes for one": ([0, 8.333], "assumed"),
    }


def test_on_the_pool_that_it_is_copied_to_the_copy_writes() -> None:
    found = copying(replace(MD3, is_target=True))
    assert isinstance(found, Copying)
    assert [one.name for one in found.inputs] == ["latency now", "writes of the copy", "served side by side", "a write of the copy takes"]


def test_a_copy_that_has_one_command_under_way_has_figures() -> None:
    # 1.26 and 1, 1.14 at a time, of 6.3 ms.
    assert move_impact(replace(MD3, reads=1), [], 0)["worst_now"][1] == pytest.approx(2.26 / 1.14 * 6.3, rel=1e-3)


def test_a_queue_that_is_shorter_than_what_the_array_serves_bounds_it() -> None:
    # 10,000 a second of 4 ms are 40 under way, 42 at most, and 32 of the copy, of 4.2 ms: 38 at a time, or no more than 16.
    busy = replace(MD3, loads=(Load(10_000, 4.0),))
    assert move_impact(busy, [], 0)["worst_now"][1] == pytest.approx(74 / 38 * 4.2, rel=1e-3)
    assert move_impact(replace(busy, slots=16), [], 0)["worst_now"][1] >= 74 / 16 * 4.2


def test_the_slowest_volume_counts_whichever_comes_first() -> None:
    slow, quick = Load(50, 20.0), Load(200, 2.0)
    first, last = (move_impact(replace(MD3, loads=loads), [], 0) for loads in ((slow, quick), (quick, slow)))
    assert first == last
    assert first["worst_now"][1] > 21


@pytest.mark.parametrize(
    ("changes", "milliseconds"),
    [
        # The copy makes 8.333 ms 2.333 times as long, and a quarter of the time is left.
        pytest.param({"disk_iops": 90}, 77.78, id="disks that are busy for three quarters of the time"),
        # 1.032 times, and nine tenths are left.
        pytest.param({"disks": 1000, "loads": (Load(200, 0.5),)}, 9.556, id="an array that answers from its cache now"),
    ],
)
def test_disks_are_bounded_by_what_they_do_already(changes: dict[str, Any], milliseconds: float) -> None:
    assert move_impact(replace(DISKS, **changes), [], 0)["worst_now"][1] == pytest.approx(milliseconds, abs=0.005)


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
        pytest.param({"disk_iops": 120}, id="they do all that the source says they can"),
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
    "loads",
    [
        pytest.param((), id="none was read"),
        pytest.param((Load(200, 6.0), Load(None, None)), id="one volume was not read"),
        pytest.param((Load(200, None),), id="its latency was not read"),
    ],
)
def test_without_a_load_there_is_no_figure_and_the_direction_is_said(loads: tuple[Load, ...]) -> None:
    assert move_impact(replace(DISKS, loads=loads), [], 0) == {
        "not_computed": "while the machine is copied the others on its pool get slower and none gets quicker: the direction is known, the "
        "size is not, because the load of the pool's volumes was not all read"
    }


def test_on_an_idle_pool_nobody_waits_for_the_copy() -> None:
    found = move_impact(replace(DISKS, loads=(Load(0, None),)), [], 0)
    assert found == {"not_computed": "no volume of the pool does anything, so nobody waits for the copy now"}


def test_five_disks_are_named_and_all_are_counted() -> None:
    found = move_impact(MD3, [f"disk {number}" for number in range(7)], 7)
    assert (found["victims"], found["victims_count"]) == ([f"disk {number}" for number in range(5)], 7)


@pytest.mark.parametrize("latency_ms", [None, 90.0], ids=["without a latency", "with that of its last command"])
def test_a_volume_that_rests_changes_nothing(latency_ms: float | None) -> None:
    assert move_impact(replace(DISKS, loads=(*DISKS.loads, Load(0, latency_ms))), [], 0) == move_impact(DISKS, [], 0)


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
