"""The balance of a queue with exact inputs. The arithmetic of each case stands beside it, done by hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.impact.balance import (
    Sender,
    crowded,
    slower,
    smooth,
    throughput,
    wait_at_station,
    wait_for_rate,
    wait_for_slots,
    wait_for_work,
)

if TYPE_CHECKING:
    from auditor.impact.balance import Law

MS = 0.001
# Element, burst of 2000 counted at 4 KiB, in pieces of 128 KiB that cost 1950 instead of 100: docs/domain/facts.md#6-8.
BRONZE_BURST = 2000 * 100 / 1950  # 102.56 a second


def test_nothing_waits_while_all_outstanding_commands_fit() -> None:
    # 10 commands, 32 slots, 1 ms each: all are with the array, and 10 / 0.001 = 10,000 pass a second.
    senders = [Sender(10, MS)]
    assert wait_for_slots(senders, 32, smooth) == 0
    assert throughput(senders, 0, smooth) == pytest.approx(10_000)


def test_a_throttled_disk_makes_its_neighbour_wait_as_s0_measured() -> None:
    # 64 commands of the throttled disk and 1 of the neighbour, 32 slots: 33 wait. w * (102.56 + 1 / (w + 1 ms)) = 33.
    # w is long against 1 ms, so w / (w + 1 ms) is 0.9968, and w = (33 - 0.9968) / 102.56 = 312.0 ms.
    senders = [Sender(64, MS, BRONZE_BURST), Sender(1, MS)]
    assert wait_for_slots(senders, 32, smooth) == pytest.approx(0.3120, rel=1e-3)


def test_gold_burst_in_pieces_of_512_kib_makes_it_wait_405_ms() -> None:
    # 6000 * 100 / 7600 = 78.95 a second; 32 commands of 64 do not fit: 32 / 78.95 = 405 ms.
    assert wait_for_slots([Sender(64, MS, 6000 * 100 / 7600)], 32, smooth) == pytest.approx(0.4053, rel=1e-3)


def test_a_deep_queue_lets_the_neighbour_pass() -> None:
    # 65 commands fit into 256 slots.
    assert wait_for_slots([Sender(64, MS, BRONZE_BURST), Sender(1, MS)], 256, smooth) == 0


def test_a_deep_queue_that_modern_guests_fill_has_a_wait_too_and_a_shallow_one_a_longer_one() -> None:
    # Four disks of depth 254 at that limit: 1016 commands, 4 * 102.56 = 410.3 a second. 256 slots: 760 / 410.3 = 1852 ms; 32: 984 / 410.3.
    assert wait_for_slots([Sender(254, MS, BRONZE_BURST)] * 4, 256, smooth) == pytest.approx(1.8525, rel=1e-3)
    assert wait_for_slots([Sender(254, MS, BRONZE_BURST)] * 4, 32, smooth) == pytest.approx(2.3985, rel=1e-3)


def test_one_quick_disk_has_the_throughput_of_its_slots() -> None:
    # S2: 96 commands, 32 slots, 0.4923 ms: 32 / 0.4923 ms = 65,000 a second.
    # 64 wait: 64 / 65,000 = 0.985 ms; in all 96 / 65,000 = 1.477 ms.
    senders = [Sender(96, 32 / 65_000)]
    waits = wait_for_slots(senders, 32, smooth)
    assert waits == pytest.approx(64 / 65_000, rel=1e-6)
    assert throughput(senders, waits, smooth) == pytest.approx(65_000, rel=1e-6)


def test_senders_share_slots_by_what_they_have_outstanding() -> None:
    # 48 + 16 commands, 32 slots, 1 ms: 32,000 pass a second. 64 / (w + 1 ms) = 32,000, so w = 1 ms;
    # 48 / 2 ms = 24,000 and 16 / 2 ms = 8,000.
    senders = [Sender(48, MS), Sender(16, MS)]
    waits = wait_for_slots(senders, 32, smooth)
    assert waits == pytest.approx(MS, rel=1e-6)
    assert [smooth(one, waits) for one in senders] == pytest.approx([24_000, 8_000], rel=1e-6)


def test_slow_commands_take_more_of_the_slots() -> None:
    # 32 of 1 ms and 32 of 3 ms, 32 slots. Slots held: 32 * 1 / (w + 1) + 32 * 3 / (w + 3) = 32, so 4 w + 6 = w^2 + 4 w + 3: w = sqrt(3) ms.
    assert wait_for_slots([Sender(32, MS), Sender(32, 3 * MS)], 32, smooth) == pytest.approx(math.sqrt(3) * MS, rel=1e-6)


def test_a_limit_that_is_not_reached_delays_nothing() -> None:
    # 32 / 1 ms = 32,000 a second, below 50,000.
    assert smooth(Sender(32, MS, 50_000), 0) == pytest.approx(32_000)


def test_at_worst_a_command_finds_all_others_before_its_limit() -> None:
    # 1 command, 1 ms, 1000 a second: at worst each takes 1 ms + 1 / 1000 s = 2 ms, so 500 pass. With 10: 10 / (1 ms + 10 ms) = 909.1.
    assert crowded(Sender(1, MS, 1000), 0) == pytest.approx(500)
    assert crowded(Sender(10, MS, 1000), 0) == pytest.approx(909.09, rel=1e-4)
    # With 10 and a wait of 10 ms: 0.01 X^2 - 21 X + 10,000 = 0, X = (21 - sqrt(441 - 400)) / 0.02 = 729.8. So 7.298 wait, and 2.702 are
    # in the array: 2.702 / (1 ms + 2.702 ms) = 729.8.
    assert crowded(Sender(10, MS, 1000), 10 * MS) == pytest.approx(729.84, rel=1e-4)


def test_a_ceiling_keeps_commands_in_the_array() -> None:
    # S2 after: 96 commands, 125,000 a second at most: 96 / 125,000 = 0.768 ms each; 0.4923 of them are service: 0.2757 ms.
    assert wait_for_rate([Sender(96, 32 / 65_000)], 125_000, smooth) == pytest.approx(0.2757 * MS, rel=1e-3)


def test_an_array_that_serves_no_more_side_by_side_gains_nothing_by_depth() -> None:
    # 96 commands of 0.4923 ms, served 32 at a time: 96 / (w + S) * S = 32, so w = 2 S = 0.985 ms and 65,000 pass, as before.
    senders = [Sender(96, 32 / 65_000)]
    waits = wait_for_work(senders, 32, smooth)
    assert waits == pytest.approx(64 / 65_000, rel=1e-6)
    assert throughput(senders, waits, smooth) == pytest.approx(65_000, rel=1e-6)


def test_at_worst_a_command_every_ten_seconds_is_counted_by_the_same_equation() -> None:
    # 0.1 commands, 0.1 s, one a second, a wait of 0.1 s: 0.1 X^2 - X (0.1 + 0.1 + 0.1) + 0.1 = 0, so X = (0.3 - sqrt(0.09 - 0.04)) / 0.2.
    assert crowded(Sender(0.1, 0.1, 1), 0.1) == pytest.approx((0.3 - math.sqrt(0.05)) / 0.2)


def test_one_command_that_finds_no_slot_makes_all_wait() -> None:
    # 33 commands, 32 slots, 1 ms: 32,000 pass a second, and one waits: 1 / 32,000 s. So does half a command of 32.5.
    assert wait_for_slots([Sender(33, MS)], 32, smooth) == pytest.approx(1 / 32_000)
    assert wait_for_slots([Sender(32.5, MS)], 32, smooth) == pytest.approx(0.5 / 32_000)


def test_a_sender_that_has_nothing_outstanding_gets_nothing() -> None:
    assert crowded(Sender(0, MS, 100), 0) == crowded(Sender(0, MS, 100), MS) == 0


def test_without_a_limit_both_laws_are_one() -> None:
    assert crowded(Sender(10, MS), MS) == smooth(Sender(10, MS), MS) == pytest.approx(5000)


def test_at_a_station_the_line_is_that_of_random_arrivals() -> None:
    # One command of 1 ms, 2000 a second at most: k (2000 - 1 / (1 ms + k)) = 1, so 2000 k^2 = 0.001 and k = 0.7071 ms.
    alone = [Sender(1, MS)]
    assert wait_at_station(alone, alone, 32, 2000, smooth) == pytest.approx(0.7071 * MS, rel=1e-3)
    # Four commands, two slots: k (2000 - 2 / (1 ms + k)) = 1, so 2000 k^2 - k - 0.001 = 0 and k = (1 + 3) / 4000 s.
    four = [Sender(4, MS)]
    assert wait_at_station(four, four, 2, 2000, smooth) == pytest.approx(MS, rel=1e-3)
    # The slots are asked with one command, which finds a place: 2000 k^2 - 3 k - 0.001 = 0 and k = (3 + sqrt(17)) / 4000 s.
    assert wait_at_station(four, alone, 2, 2000, smooth) == pytest.approx((3 + math.sqrt(17)) / 4000, rel=1e-3)


def test_what_a_ceiling_or_an_array_takes_waits_for_nothing() -> None:
    assert wait_for_rate([Sender(10, MS)], 10_000, smooth) == 0
    assert wait_for_rate([Sender(10, MS)], 10_001, smooth) == 0
    assert wait_for_work([Sender(10, MS)], 10, smooth) == 0
    assert wait_for_work([Sender(10, MS), Sender(10, MS)], 10, smooth) == pytest.approx(MS, rel=1e-6)
    assert wait_for_slots([Sender(10, MS)], 10, smooth) == 0


def test_a_wait_that_is_longer_than_any_is_without_end() -> None:
    assert wait_for_rate([Sender(96, MS)], 1e-12, smooth) == math.inf
    assert wait_for_rate([Sender(96, MS)], 1e-6, smooth) == pytest.approx(96e6, rel=1e-6)


def test_a_slower_array_is_slower_for_each_command() -> None:
    assert slower([Sender(1, MS), Sender(2, 3 * MS, 5)], MS) == [Sender(1, 2 * MS), Sender(2, 4 * MS, 5)]


senders_of_any_sort = st.lists(
    st.builds(
        Sender,
        outstanding=st.floats(0.01, 256),
        service_seconds=st.floats(1e-4, 0.05),
        limit_per_second=st.one_of(st.just(math.inf), st.floats(1, 1e5)),
    ),
    min_size=1,
    max_size=6,
)
laws = st.sampled_from([smooth, crowded])


@settings(max_examples=60, deadline=None)
@given(senders_of_any_sort, st.floats(1, 256), laws)
def test_as_many_commands_hold_slots_as_there_are_slots_or_all_of_them(senders: list[Sender], depth: float, law: Law) -> None:
    waits = wait_for_slots(senders, depth, law)
    holding = sum(one.outstanding - waits * law(one, waits) for one in senders)  # Little's law: those that wait are waits * throughput
    assert holding == pytest.approx(min(depth, sum(one.outstanding for one in senders)), rel=1e-5, abs=1e-5)


@settings(max_examples=60, deadline=None)
@given(senders_of_any_sort, st.floats(1, 128), st.floats(0.1, 128), laws)
def test_more_depth_never_makes_a_command_wait_longer(senders: list[Sender], depth: float, more: float, law: Law) -> None:
    assert wait_for_slots(senders, depth + more, law) <= wait_for_slots(senders, depth, law) * (1 + 1e-6) + 1e-9


@settings(max_examples=60, deadline=None)
@given(senders_of_any_sort, st.floats(0, 1), laws)
def test_nobody_passes_its_limit_or_more_than_its_outstanding_commands_allow(senders: list[Sender], waits: float, law: Law) -> None:
    for one in senders:
        assert law(one, waits) <= one.limit_per_second * (1 + 1e-9)
        assert law(one, waits) * (waits + one.service_seconds) <= one.outstanding * (1 + 1e-9)
        assert crowded(one, waits) <= smooth(one, waits) * (1 + 1e-9)
