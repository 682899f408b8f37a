"""What a queue costs now, after a fix and at worst, by rows of the views; figures of the incidents (docs/domain/incidents.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from auditor.impact.depths import WhatIf
from auditor.impact.device import device_impact
from auditor.impact.rows import Device, Disk
from auditor.model import Cure
from tests.impact.samples import APP, DATABASE, NEIGHBOUR, NOISY, S0_QUEUE, S1_QUEUE, S2_QUEUE, device, disk

TO_256 = WhatIf(Cure.DSNRO, 256)


def meets(interval: list[float], low: float, high: float) -> bool:
    """An interval meets a report's figure, and its ends are within a factor of two of it."""
    return interval[0] <= high and low <= interval[1] and interval[0] >= low / 2 and interval[1] <= high * 2


def test_s0_the_neighbour_waits_behind_the_disk_at_its_limit_and_about_1_ms_after() -> None:
    found = device_impact(S0_QUEUE, [NOISY, NEIGHBOUR], TO_256)
    assert (found["victims"], found["victims_count"], found["behind"]) == (["neighbour"], 1, ["noisy"])
    assert found["quantity"] == "latency_ms"
    assert meets(found["now"], 300, 400)
    assert meets(found["after"], 1, 1)
    # 64 commands of the neighbour and 256 pieces of the other: 64 find no slot of 256, and 288 none of 32.
    assert found["worst_after"][1] > 10 * found["after"][1]
    assert found["worst_now"][1] > found["worst_after"][1] * 1.5
    assert (found["direction"], found["size_known"]) == ("better", True)
    assert {one["basis"] for one in found["inputs"]} == {"measured", "assumed"}


def test_s0_a_limit_on_the_host_removes_the_cause_and_at_worst_a_neighbour_waits_for_itself() -> None:
    found = device_impact(S0_QUEUE, [NOISY, NEIGHBOUR], WhatIf(Cure.HOST_LIMIT))
    assert meets(found["after"], 1, 1)
    # All 64 commands of the neighbour at once, before an array that serves one at a time for 1.1 ms: 70.4 ms, and a few of the other's.
    assert 64 * 1.1 <= found["worst_after"][1] <= 64 * 1.1 * 1.05
    assert found["worst_now"][1] > 2000


@pytest.mark.parametrize(
    ("throttled", "depth", "by_hand_ms"),
    [
        pytest.param([64] * 4, 32, 224 / 410.4 * 1000, id="four of 64 behind 32"),
        pytest.param([64] * 8, 32, 480 / 820.8 * 1000, id="eight of 64 behind 32"),
        pytest.param([64] * 8, 256, 256 / 820.8 * 1000, id="eight of 64 behind 256"),
        pytest.param([254], 32, 222 / 102.6 * 1000, id="one of 254 behind 32"),
    ],
)
def test_a_neighbour_waits_for_the_commands_that_find_no_slot(throttled: list[int], depth: int, by_hand_ms: float) -> None:
    # docs/domain/facts.md#6-8: (outstanding - slots) / rate, of disks that do 102.6 a second each.
    rate, held = 102.6, []
    for number, sent in enumerate(throttled):
        cells = {"outstanding": sent, "commands_per_second": rate, "latency_ms": sent / rate * 1000, "array_latency_ms": sent / rate * 1000}
        held.append(disk(f"noisy-{number}", **cells, is_at_limit=True, limit_per_second=rate, io_bytes=4096))
    waits = replace(NEIGHBOUR, latency_ms=by_hand_ms, commands_per_second=round(1000 / by_hand_ms))
    found = device_impact(device(depth_in_effect=depth, worlds=9, worlds_at_least=9), [*held, waits], WhatIf(Cure.DSNRO, 256))
    assert found["now"][0] <= by_hand_ms <= found["now"][1]
    if sum(throttled) <= 256:
        assert found["after"][1] * 2 < found["now"][0]  # all fit, but that they were counted within 5 %
    assert found["after"][1] <= found["now"][1]
    assert found["worst_after"][1] <= found["worst_now"][1]


def test_a_shallower_queue_has_the_service_time_bounded_anew_and_holds_what_s2s_report_measured() -> None:
    # 125,000 a second of 0.73 ms each, 91 at once. The report measured 65,000 at 32; by the service time at 91 it is 32 / 0.73 ms = 43,800.
    deep = replace(S2_QUEUE, queue_depth=96, depth_in_effect=96, active=91, queued=0, commands_per_second=125_000, davg_ms=0.7, kavg_ms=0)
    raised = replace(DATABASE, commands_per_second=125_000, outstanding=91, latency_ms=0, array_latency_ms=0.66)
    found = device_impact(deep, [raised], WhatIf(Cure.QUEUE_DEPTH, 32))
    assert (found["direction"], found["size_known"]) == ("worse", False)
    assert found["after"][0] <= 43_800
    assert found["after"][0] <= 65_000 <= found["after"][1] <= found["now"][1]
    assert found["latency_ms"]["after"][0] >= found["latency_ms"]["now"][0]


def test_a_shallower_queue_that_still_takes_all_changes_nothing() -> None:
    calm = replace(S2_QUEUE, queue_depth=96, depth_in_effect=96, active=20, queued=0, commands_per_second=40_000)
    few = replace(DATABASE, commands_per_second=40_000, outstanding=20, latency_ms=0)
    found = device_impact(calm, [few], WhatIf(Cure.QUEUE_DEPTH, 32))
    assert (found["direction"], found["after"]) == ("same", found["now"])
    # 31 of them, counted within 5 %, are 32.6 at most: one may find no place.
    nearly = device_impact(replace(calm, active=31), [replace(few, outstanding=31)], WhatIf(Cure.QUEUE_DEPTH, 32))
    assert nearly["direction"] == "worse"


@pytest.mark.parametrize(
    ("depth", "what_if", "most_now", "most_after"),
    [
        # The guest lets out 64. 20 commands at 40,000 a second take 0.475 to 0.525 ms: 64 or 32 of them by 0.475 ms.
        pytest.param(96, WhatIf(Cure.QUEUE_DEPTH, 32), 64 / 0.475 * 1000, 32 / 0.475 * 1000, id="shorter"),
        pytest.param(32, WhatIf(Cure.BOTH, 96), 32 / 0.475 * 1000, 64 / 0.475 * 1000, id="longer"),
    ],
)
def test_a_depth_that_changes_nothing_now_still_counts_when_the_guest_sends_all_that_it_can(
    depth: int, what_if: WhatIf, most_now: float, most_after: float
) -> None:
    calm = replace(S2_QUEUE, queue_depth=depth, depth_in_effect=depth, active=20, queued=0, commands_per_second=40_000)
    found = device_impact(calm, [replace(DATABASE, commands_per_second=40_000, outstanding=20, latency_ms=0)], what_if)
    assert (found["direction"], found["after"]) == ("same", found["now"])
    assert found["worst_now"][1] == pytest.approx(most_now, rel=1e-3)
    assert found["worst_after"][1] == pytest.approx(most_after, rel=1e-3)


def test_what_is_with_the_array_is_no_more_than_the_adapter_lets_through() -> None:
    # 64 of the disk's 91 are with the array, whatever the device would take: 64 / 64,000 a second = 1 ms.
    narrow = replace(
        S2_QUEUE, queue_depth=256, depth_in_effect=256, adapter_queue_depth=64, active=91, queued=0, commands_per_second=64_000
    )
    found = device_impact(narrow, [replace(DATABASE, commands_per_second=64_000, outstanding=91, latency_ms=1)], WhatIf(Cure.BOTH))
    assert next(one["value"] for one in found["inputs"] if one["name"] == "service time of database") == [0.95, 1.05]


def test_an_adapter_that_is_shallower_than_the_device_is_the_queue_of_now_and_after() -> None:
    # 16 of 91 commands at 16,000 a second are with the array: 1 ms each. A device of 256 places would let all 91 pass, 91,000 a second.
    narrow = replace(
        S2_QUEUE, queue_depth=256, depth_in_effect=256, adapter_queue_depth=16, active=91, queued=0, commands_per_second=16_000
    )
    found = device_impact(narrow, [replace(DATABASE, commands_per_second=16_000, outstanding=91, latency_ms=6)], WhatIf(Cure.BOTH))
    assert found["now"] == [15_840, 16_160]  # 1 % either way
    assert (found["direction"], found["after"]) == ("same", found["now"])


def test_s0_with_twice_the_depth_waits_at_worst_for_all_that_the_other_guest_can_send() -> None:
    # 64 commands of the neighbour and 256 pieces behind 64 places: 256 wait, 192 of them not the neighbour's own, 102.4 a second.
    found = device_impact(S0_QUEUE, [NOISY, NEIGHBOUR], WhatIf(Cure.DSNRO, 64))
    assert 192 / 102.4 * 1000 <= found["worst_after"][1] <= 192 / 102.4 * 1000 * 1.1
    same = device_impact(S0_QUEUE, [NOISY, NEIGHBOUR], WhatIf(Cure.DSNRO, 32))
    assert (same["direction"], same["after"], same["worst_after"]) == ("same", same["now"], same["worst_now"])


def test_a_shorter_queue_makes_nobody_quicker_at_worst_either() -> None:
    # How many of its 160 pieces the other disk has at once is not known: 38 at least, which find one of 64 places as well as one of 256.
    # Of 161 commands one may be left in the array, so the neighbour's 0.9 ms may be a wait for 160 others: it is not said to be quicker.
    deep = replace(S0_QUEUE, dsnro=256, depth_in_effect=256, active=161, queued=0, kavg_ms=0, queue_basis="disks")
    noisy = replace(NOISY, depth_at_least=None)
    neighbour = replace(NEIGHBOUR, commands_per_second=900, latency_ms=1, depth_at_least=None)
    found = device_impact(deep, [noisy, neighbour], WhatIf(Cure.DSNRO, 64))
    assert found["direction"] == "worse"
    assert found["now"][0] >= 0.9
    assert found["worst_after"][0] >= 0.9


def test_whether_the_size_of_a_gain_is_known_goes_by_the_victims_latency() -> None:
    # Of 180 commands 32 are with the array: 5.6 ms by 16,000 a second of each. With 256 places it may be as much, or the array's 0.9 ms.
    pair = [disk(name, commands_per_second=16_000, outstanding=90, latency_ms=6, array_latency_ms=0.9) for name in ("a", "b")]
    queue = device(worlds=2, worlds_at_least=2, queue_basis="littles-law", davg_ms=1, kavg_ms=5, active=32, queued=148)
    found = device_impact(queue, pair, TO_256)
    assert (found["quantity"], found["direction"], found["size_known"]) == ("latency_ms", "better", False)


def test_what_is_counted_of_a_victim_goes_before_what_the_model_says_of_it() -> None:
    # 313 ms in whole milliseconds, and 5 %; by the neighbour's one command and 3 a second it would be anything from 125 to 750.
    found = device_impact(S0_QUEUE, [NOISY, NEIGHBOUR], TO_256)
    assert found["now"][0] == pytest.approx(313 * 0.95 - 1, abs=0.1)
    assert found["now"][1] == pytest.approx(313 * 1.05 + 1, abs=0.1)


def test_s2_both_depths_give_at_least_what_is_there_now_and_at_most_what_the_array_could_do() -> None:
    found = device_impact(S2_QUEUE, [DATABASE], WhatIf(Cure.BOTH))
    assert found["quantity"] == "iops"
    assert meets(found["now"], 65_000, 65_000)
    assert found["after"][0] >= found["now"][0]
    assert meets(found["after"], 125_000, 125_000)
    assert (found["direction"], found["size_known"]) == ("better", False)  # from none to three times
    # 91.6 commands, counted within 5 %, at 64,600 a second, counted within 1 %: 1.418 ms * 0.95 / 1.01 to * 1.05 / 0.99.
    assert found["latency_ms"]["now"] == [pytest.approx(1.334, abs=0.001), pytest.approx(1.504, abs=0.001)]
    assert found["latency_ms"]["after"][0] <= 0.7 <= found["latency_ms"]["after"][1] <= found["latency_ms"]["now"][1]


def test_what_a_disk_does_now_is_what_was_counted_and_not_what_the_model_says() -> None:
    # The array takes 0.43 ms for a command, and 32 are there: 65,000 to 75,000 a second by the model.
    found = device_impact(
        replace(S2_QUEUE, active=None, queue_basis=None), [replace(DATABASE, commands_per_second=60_000)], WhatIf(Cure.BOTH)
    )
    assert found["now"] == [59_400, 60_600]  # 1 % either way
    assert found["after"][0] == 59_400
    assert "latency_ms" not in device_impact(S0_QUEUE, [NOISY, NEIGHBOUR], TO_256)


def test_a_fix_is_not_said_to_give_more_than_is_counted_now_where_the_model_would_have_it_so() -> None:
    # 32 at a time, of 0.4 to 0.6 ms, are 51,667 to 80,000 a second by the model. The device's own counters are old.
    queue = replace(S2_QUEUE, commands_per_second=None, davg_ms=None, kavg_ms=None)
    slower = replace(DATABASE, outstanding=40, array_latency_ms=0.4, latency_ms=1)
    found = device_impact(queue, [replace(slower, commands_per_second=40_000)], WhatIf(Cure.BOTH))
    assert found["after"][0] == found["now"][0] == 39_600
    # It was seen to serve what was counted, for as long as each takes at least: 39,600 a second of 0.4 ms.
    assert next(one["value"] for one in found["inputs"] if one["name"] == "served side by side") == [15.84, None]
    assert found["latency_ms"]["now"] == [pytest.approx(38 / 40.4, abs=0.001), pytest.approx(42 / 39.6, abs=0.001)]  # Little's law
    # 2 ms are "1 to 3" in whole milliseconds, which twice 0.8 ms meets; the rate shows that something else holds it back.
    found = device_impact(queue, [replace(slower, latency_ms=2, commands_per_second=20_000)], WhatIf(Cure.BOTH))
    assert found == {
        "not_computed": "the model does not explain what was measured: database does 20,000 commands a second, "
        "and the model says 51,667 to 80,000"
    }


def test_a_disk_that_waits_for_nobody_may_do_the_same_after_a_fix() -> None:
    # One command at a time, 600 a second: 1.67 ms each, and the array has 1 ms of it. Depth cannot be what is in its way.
    queue = replace(S2_QUEUE, commands_per_second=None, davg_ms=None, kavg_ms=None, queue_basis="littles-law", active=1, queued=0)
    alone = replace(DATABASE, outstanding=1, commands_per_second=600, latency_ms=2, array_latency_ms=1)
    found = device_impact(queue, [alone], WhatIf(Cure.BOTH, 256))
    assert found["now"] == [594, 606]
    assert found["after"][0] <= 606
    assert found["latency_ms"]["after"][1] >= found["latency_ms"]["now"][0]


def test_s2_dsnro_alone_gives_nothing_where_the_device_is_no_deeper() -> None:
    found = device_impact(S2_QUEUE, [DATABASE], TO_256)
    assert found["after"][1] <= found["now"][1]


def test_s1_without_storage_io_control_the_wait_in_the_host_goes() -> None:
    found = device_impact(S1_QUEUE, [APP], WhatIf(Cure.NO_SIOC))
    assert found["victims"] == ["app"]
    assert meets(found["now"], 50, 100)
    assert found["after"][0] < found["now"][0] / 10  # only the wait in the array is left, and nobody knows how long it is
    assert (found["direction"], found["size_known"]) == ("better", False)
    assert found["after"][1] <= found["now"][1]


def test_with_one_world_the_devices_own_depth_counts_and_dsnro_changes_nothing() -> None:
    alone = replace(S2_QUEUE, queue_depth=64, dsnro=32, depth_in_effect=None)
    found = device_impact(alone, [DATABASE], WhatIf(Cure.DSNRO, 128))
    assert next(one["value"] for one in found["inputs"] if one["name"] == "depth now") == [64, 64]
    assert next(one["value"] for one in found["inputs"] if one["name"] == "depth after") == [64, 64]


@pytest.mark.parametrize(
    ("queue", "disks", "what_if", "why"),
    [
        pytest.param(device(depth_in_effect=None, dsnro=None), [NEIGHBOUR], TO_256, "depth of the queue", id="no depth"),
        pytest.param(device(depth_in_effect=None, queue_depth=None), [NEIGHBOUR], TO_256, "depth of the queue", id="no device depth"),
        pytest.param(S0_QUEUE, [], TO_256, "no disk that sends", id="no disk"),
        pytest.param(S0_QUEUE, [NOISY], TO_256, "its own limit", id="the disk at its limit is alone"),
        pytest.param(
            S0_QUEUE, [NOISY, replace(NEIGHBOUR, array_latency_ms=None, latency_ms=1)], TO_256, "how long the array", id="no service"
        ),
        pytest.param(S0_QUEUE, [replace(NEIGHBOUR, commands_per_second=None)], TO_256, "how many commands", id="no rate"),
        pytest.param(S0_QUEUE, [NOISY, NEIGHBOUR], WhatIf(Cure.NO_SIOC), "does not hold", id="no Storage I/O Control"),
        pytest.param(S2_QUEUE, [DATABASE], WhatIf(Cure.HOST_LIMIT), "holds no disk", id="no disk at its limit"),
        pytest.param(S0_QUEUE, [NOISY, replace(NEIGHBOUR, latency_ms=5000)], TO_256, "does not explain", id="measured longer"),
        pytest.param(S0_QUEUE, [NOISY, replace(NEIGHBOUR, latency_ms=20)], TO_256, "does not explain", id="measured shorter"),
        pytest.param(
            replace(S0_QUEUE, queue_depth=None),
            [NOISY, NEIGHBOUR],
            TO_256,
            "what the fix makes",
            id="depth known, but not of what it is made",
        ),
    ],
)
def test_where_something_is_not_known_there_is_a_reason_and_no_figure(queue: Device, disks: list[Disk], what_if: WhatIf, why: str) -> None:
    found = device_impact(queue, disks, what_if)
    assert list(found) == ["not_computed"]
    assert why in found["not_computed"]


def test_the_first_five_victims_are_named_and_all_are_counted() -> None:
    many = [disk(f"vm-{n:02}", **_cells(NEIGHBOUR)) for n in range(30)]
    queue = replace(S0_QUEUE, active=32, queued=60, worlds=31, worlds_at_least=31)
    found = device_impact(queue, [NOISY, *many], TO_256)
    assert found["victims"] == [f"vm-{n:02}" for n in range(5)]
    assert found["victims_count"] == 30


def test_a_device_that_is_deeper_than_its_adapter_gains_no_more_than_the_adapter_has() -> None:
    found = device_impact(replace(S2_QUEUE, adapter_queue_depth=32), [DATABASE], WhatIf(Cure.BOTH))
    assert found["after"][1] <= found["now"][1] * 1.01


def test_a_disk_that_does_more_than_its_limit_has_burst_and_is_not_held_to_it() -> None:
    bursting = replace(DATABASE, limit_per_second=1000)
    found = device_impact(S2_QUEUE, [bursting], WhatIf(Cure.BOTH))
    assert found["after"][1] > 65_000


def _cells(row: Disk) -> dict[str, Any]:
    return {
        "commands_per_second": row.commands_per_second,
        "outstanding": row.outstanding,
        "latency_ms": row.latency_ms,
        "array_latency_ms": 0.9,
    }


def test_an_impact_names_its_queue_and_every_input_with_its_source() -> None:
    found = device_impact(replace(S0_QUEUE, adapter_queue_depth=1024), [NOISY, NEIGHBOUR], TO_256)
    assert (found["model"], found["queue"], found["quantity"]) == ("queue", "esx-1/naa.1", "latency_ms")
    assert device_impact(replace(S0_QUEUE, host=None), [NOISY, NEIGHBOUR], TO_256)["queue"] == "host-1/naa.1"
    told = {one["name"]: (one["unit"], one["basis"], one["source"], one["value"]) for one in found["inputs"]}
    assert list(told)[-4:] == ["depth now", "served side by side", "depth of the adapter", "depth after"]
    assert told["depth now"] == ("commands", "measured", "device_queue.depth_in_effect, queue_depth, dsnro", [32, 32])
    # 102.4 a second of 0.9 ms and 3 of it are far from one command at a time: one is the least that an array serves.
    assert told["served side by side"] == ("commands", "assumed", "docs/queue-model.md#array", [1, None])
    assert told["depth of the adapter"] == ("commands", "measured", "device_queue.adapter_queue_depth", [1024, 1024])
    assert told["depth after"] == ("commands", "assumed", "the fix of this finding", [256, 256])


def test_what_an_array_was_seen_to_serve_is_what_passes_times_how_long_it_takes() -> None:
    # S2: 31 of 32 places (a command is whole) for 0.5201 ms at the longest, and 0.4706 of it at the least: 31 * 0.4706 / 0.5201.
    found = device_impact(S2_QUEUE, [DATABASE], WhatIf(Cure.BOTH))
    served = next(one["value"] for one in found["inputs"] if one["name"] == "served side by side")
    assert served == [pytest.approx(28.05, abs=0.01), None]
    # By what the array says of itself: of 31 places each command has 0.43 to 0.63 ms.
    slower = replace(DATABASE, commands_per_second=60_000)
    found = device_impact(replace(S2_QUEUE, active=None, queue_basis=None), [slower], WhatIf(Cure.BOTH))
    served = next(one["value"] for one in found["inputs"] if one["name"] == "served side by side")
    assert served == [pytest.approx(31 * 0.43 / 0.63, abs=0.01), None]
    # Two disks of 20 commands each, within 5 %: of 31 places each has 19 of 40 at least, for 1.1 ms at most, and 0.9 of it at least.
    pair = [disk(name, commands_per_second=16_000, outstanding=20, latency_ms=1, array_latency_ms=0.9) for name in ("a", "b")]
    queue = device(worlds=2, worlds_at_least=2, queue_basis="littles-law", davg_ms=1, kavg_ms=0, active=32, queued=8)
    found = device_impact(queue, pair, TO_256)
    served = next(one["value"] for one in found["inputs"] if one["name"] == "served side by side")
    assert served == [pytest.approx(2 * 31 * 19 / 40 * 0.9 / 1.1, abs=0.01), None]


def test_the_disks_behind_a_queue_without_any_that_is_held_are_all_its_victims() -> None:
    pair = [disk(name, commands_per_second=16_000, outstanding=20, latency_ms=1, array_latency_ms=0.9) for name in ("b", "a")]
    queue = device(worlds=2, worlds_at_least=2, queue_basis="littles-law", davg_ms=1, kavg_ms=0, active=32, queued=8)
    found = device_impact(queue, pair, TO_256)
    assert (found["victims"], found["victims_count"], found["behind"], found["quantity"]) == (["a", "b"], 2, [], "latency_ms")
    held = [replace(one, is_at_limit=True, latency_ms=2) for one in pair]
    found = device_impact(replace(queue, davg_ms=2), held, TO_256)
    assert found["victims"] == ["a", "b"]
    assert found["behind"] == []  # they wait for their own limits, and are named once


def test_the_host_itself_is_no_victim_but_what_a_lone_disk_waits_for() -> None:
    found = device_impact(S1_QUEUE, [APP], WhatIf(Cure.NO_SIOC))
    assert (found["victims"], found["quantity"]) == (["app"], "latency_ms")


def test_the_first_five_disks_at_their_limit_are_named() -> None:
    held = [replace(NOISY, name=f"noisy-{n}", io_bytes=131072, commands_per_second=102.4) for n in range(7)]
    queue = replace(S0_QUEUE, worlds=8, worlds_at_least=8, active=32, queued=249)
    found = device_impact(queue, [*held, replace(NEIGHBOUR, latency_ms=350)], TO_256)
    assert found["behind"] == [f"noisy-{n}" for n in range(5)]


def test_s2_has_its_latency_by_the_same_names_as_its_rate() -> None:
    found = device_impact(S2_QUEUE, [DATABASE], WhatIf(Cure.BOTH))
    assert list(found["latency_ms"]) == ["now", "after", "worst_now", "worst_after"]
    assert found["worst_now"][0] <= found["now"][0]
    assert found["worst_now"][1] >= found["now"][1]
    assert found["worst_after"][0] <= found["after"][0]
    assert found["worst_after"][1] >= found["after"][1]
    assert found["latency_ms"]["worst_after"][1] <= found["latency_ms"]["worst_now"][1]


@pytest.mark.parametrize(
    ("queue", "disks", "what_if", "why"),
    [
        (device(depth_in_effect=None, dsnro=None), [NEIGHBOUR], TO_256, "the depth of the queue that applies now is not known"),
        (S0_QUEUE, [NOISY, NEIGHBOUR], WhatIf(Cure.NO_SIOC), "Storage I/O Control does not hold this queue back"),
        (S2_QUEUE, [DATABASE], WhatIf(Cure.HOST_LIMIT), "the array holds no disk behind this queue back now"),
        (replace(S0_QUEUE, queue_depth=None), [NOISY, NEIGHBOUR], TO_256, "what the fix makes of the queue's depth is not known"),
    ],
)
def test_the_reason_is_a_sentence_of_its_own(queue: Device, disks: list[Disk], what_if: WhatIf, why: str) -> None:
    assert device_impact(queue, disks, what_if) == {"not_computed": why}


def test_light_disks_that_wait_behind_light_ones_at_their_limit_are_victims_and_not_what_they_wait_for() -> None:
    # Eight disks with more outstanding are streams of their own; of the lighter ones one is at its limit and one waits.
    heavy = [replace(NOISY, name=f"noisy-{n}", io_bytes=131072, commands_per_second=102.4) for n in range(8)]
    held = replace(NOISY, name="noisy-9", io_bytes=131072, outstanding=4, commands_per_second=10, latency_ms=400)
    queue = replace(S0_QUEUE, worlds=10, worlds_at_least=10, active=32, queued=293)
    found = device_impact(queue, [*heavy, held, replace(NEIGHBOUR, latency_ms=350)], TO_256)
    assert (found["victims"], found["victims_count"]) == (["neighbour"], 1)
