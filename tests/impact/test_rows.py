"""What the model makes of one row."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auditor.impact.interval import Interval
from auditor.impact.rows import Device, outstanding, rounded, service_ms
from tests.impact.samples import APP, DATABASE, NEIGHBOUR, NOISY, S0_QUEUE, S1_QUEUE, S2_QUEUE, device, disk


def test_a_disk_without_commands_is_not_held_whatever_its_limit() -> None:
    assert NOISY.is_held
    assert not replace(NOISY, commands_per_second=0, outstanding=0).is_held


@pytest.mark.parametrize(("io_bytes", "largest", "pieces"), [(524288, 131072, 4), (4096, 131072, 1), (None, 131072, 1), (524288, None, 1)])
def test_the_host_makes_pieces_of_what_is_larger_than_it_sends(io_bytes: float | None, largest: float | None, pieces: int) -> None:
    assert replace(NOISY, io_bytes=io_bytes, largest_io_bytes=largest).pieces == pieces


def test_commands_outstanding_are_those_counted_and_below_one_those_of_the_rate_and_the_latency() -> None:
    # 40 counted, right within 5 %.
    assert outstanding(disk("x", commands_per_second=10, outstanding=40), Interval(1, 1)) == Interval(38, 42)
    # 2 a second, between 1 ms of service and the 82.8 ms that were measured, in whole ms: 0.002 to 2 * 0.0838 = 0.1676.
    light = outstanding(APP, Interval(1, 5))
    assert [light.low, light.high] == pytest.approx([0.002, 0.1676])


def test_the_service_time_is_that_of_the_source_that_is_nearest_to_the_array() -> None:
    # S2: 32 commands with the array, 64,600 a second: 0.495 ms, and 5 % either way.
    found = service_ms(DATABASE, S2_QUEUE, held=False, is_shared=False)
    assert found is not None
    assert [found[0].low, found[0].high] == pytest.approx([0.4706, 0.5201], rel=1e-3)
    # S0: the device's own figures have the delay of the limit in them; the array says 0.9 ms, and the way there takes 0.2 at most.
    found = service_ms(NEIGHBOUR, S0_QUEUE, held=True, is_shared=True)
    assert found is not None
    assert [found[0].low, found[0].high] == pytest.approx([0.9, 1.1])
    # S1: 82.8 ms less 81 in the kernel is 1.8 ms; whole milliseconds, and 2.5 % of 82.8: 3.07 ms either way.
    found = service_ms(APP, S1_QUEUE, held=False, is_shared=True)
    assert found is not None
    assert [found[0].low, found[0].high] == pytest.approx([0.1, 4.87])
    # What the host sends itself: the device's latency, in whole milliseconds.
    found = service_ms(None, S1_QUEUE, held=False, is_shared=True)
    assert found is not None
    assert found[0] == Interval(76, 78)


@pytest.mark.parametrize("queue", [S0_QUEUE, device(davg_ms=0.4)], ids=["a limit is in it", "below a millisecond"])
def test_without_a_source_there_is_no_service_time(queue: Device) -> None:
    bare = replace(NEIGHBOUR, array_latency_ms=None, latency_ms=1)
    assert service_ms(bare, queue, held=queue is S0_QUEUE, is_shared=True) is None


def test_an_end_without_bound_is_null_in_json() -> None:
    assert rounded(Interval(1.23456, float("inf"))) == [1.235, None]
