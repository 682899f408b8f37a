"""What the model makes of one row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from auditor.impact.interval import Interval
from auditor.impact.rows import Device, Disk, outstanding, rounded, service_ms
from tests.impact.samples import APP, DATABASE, NEIGHBOUR, NOISY, S0_QUEUE, S1_QUEUE, S2_QUEUE, device, disk


def test_a_disk_without_commands_is_not_held_whatever_its_limit() -> None:
    assert NOISY.is_held
    assert not replace(NOISY, commands_per_second=0, outstanding=0).is_held


@pytest.mark.parametrize(
    ("io_bytes", "largest", "pieces"),
    [
        pytest.param(524288, 131072, 4, id="four of 128 KiB"),
        pytest.param(4096, 131072, 1, id="a small one"),
        pytest.param(240_000, 131072, 2, id="most are of two: a mean of 1.83"),
        pytest.param(190_000, 131072, 1, id="most are of one: a mean of 1.45"),
        pytest.param(None, 131072, 1, id="a size that was not read"),
        pytest.param(524288, None, 1, id="a bound that was not read"),
        pytest.param(524288, 0, 1, id="no bound"),
    ],
)
def test_the_host_makes_pieces_of_what_is_larger_than_it_sends(io_bytes: float | None, largest: float | None, pieces: int) -> None:
    assert replace(NOISY, io_bytes=io_bytes, largest_io_bytes=largest).pieces == pieces


def test_commands_outstanding_are_those_counted_and_below_one_those_of_the_rate_and_the_latency() -> None:
    # 40 counted, right within 5 %; also 1, which is the least that says something.
    assert outstanding(disk("x", commands_per_second=10, outstanding=40), Interval(1, 1)) == Interval(38, 42)
    assert outstanding(disk("x", commands_per_second=10, outstanding=1), Interval(1, 1)) == Interval(0.95, 1.05)
    # 2 a second, between 1 ms of service and the 82.8 ms that were measured, in whole ms: 0.002 to 2 * 0.0838 = 0.1676.
    light = outstanding(APP, Interval(1, 5))
    assert [light.low, light.high] == pytest.approx([0.002, 0.1676])
    # 600 a second of 2 ms, and none counted: 1 at least, by the counter that is whole; 600 * 3 ms at most, of a latency that was not read.
    busy = outstanding(disk("x", commands_per_second=600), Interval(2, 3))
    assert [busy.low, busy.high] == pytest.approx([1, 1.8])
    # 600 of 0.5 ms at most: without a latency a whole millisecond counts.
    quick = outstanding(disk("x", commands_per_second=600), Interval(0.2, 0.5))
    assert [quick.low, quick.high] == pytest.approx([0.12, 0.6])
    # 0.5 counted, and no rate.
    assert outstanding(disk("x", outstanding=0.5), Interval(2, 3)) == Interval(0, 0.5)


def service(of: Disk | None, queue: Device, *, held: bool = False, is_shared: bool = True) -> dict[str, Any] | None:
    """The service time as reports have it among their inputs."""
    found = service_ms(of, queue, held=held, is_shared=is_shared)
    if found is None:
        return None
    value, told = found
    assert told.value == value
    return told.as_json()


def milliseconds(low: float, high: float, source: str) -> dict[str, Any]:
    value = [pytest.approx(low, rel=1e-3), pytest.approx(high, rel=1e-3)]
    return {"name": "service time", "value": value, "unit": "ms", "basis": "measured", "source": source}


LITTLE = "device_queue.active / commands_per_second (Little's law)"
ARRAY = "disk_stream.array_latency_ms, and docs/domain/facts.md#9-3"
LESS_KERNEL = "disk_stream.latency_ms - device_queue.kavg_ms, in whole ms"
DEVICE = "device_queue.davg_ms, in whole ms"


def test_the_service_time_is_that_of_the_source_that_is_nearest_to_the_array() -> None:
    # S2: 32 commands with the array, 64,600 a second: 0.4954 ms, and 5 % either way.
    assert service(DATABASE, S2_QUEUE) == milliseconds(0.4706, 0.5201, LITTLE)
    # S0: the device's own figures have the delay of the limit in them; the array says 0.9 ms, and the way there takes 0.2 at most.
    assert service(NEIGHBOUR, S0_QUEUE, held=True) == milliseconds(0.9, 1.1, ARRAY)
    # S1: 82.8 ms less 81 in the kernel is 1.8 ms; whole milliseconds, and 2.5 % of 82.8: 3.07 ms either way.
    assert service(APP, S1_QUEUE) == milliseconds(0.1, 4.87, LESS_KERNEL)
    # What the host sends itself: the device's latency, in whole milliseconds.
    assert service(None, S1_QUEUE) == milliseconds(76, 78, DEVICE)


def test_commands_by_their_rate_are_the_service_time_only_where_nothing_else_is_in_them() -> None:
    slow = replace(DATABASE, array_latency_ms=None, latency_ms=2)
    queue = replace(S2_QUEUE, davg_ms=7)
    # Held back by a limit there is none; by latencies in whole milliseconds, or without a count or a rate, it is the device's latency.
    assert service(slow, queue, held=True) is None
    for other in (
        {"queue_basis": "littles-law"},
        {"active": 0},
        {"active": None},
        {"commands_per_second": None},
        {"commands_per_second": 0},
    ):
        assert service(slow, replace(queue, **other)) == milliseconds(6, 8, DEVICE), other
    # 16 of the 32 are with the array where its adapter lets no more through: 16 / 64,600 a second.
    assert service(slow, replace(queue, adapter_queue_depth=16)) == milliseconds(0.2353, 0.2601, LITTLE)
    assert service(slow, replace(queue, adapter_queue_depth=64)) == milliseconds(0.4706, 0.5201, LITTLE)


def test_the_latency_less_the_kernels_is_taken_of_a_shared_queue_from_5_ms() -> None:
    queue = device(davg_ms=3, kavg_ms=4, queue_basis="littles-law")
    own = disk("x", commands_per_second=100, outstanding=1, latency_ms=5)
    # 5 less 4 is 1 ms, and 1 + 0.125 either way; it is at least 0.1.
    assert service(own, queue) == milliseconds(0.1, 2.125, LESS_KERNEL)
    assert service(replace(own, latency_ms=20), queue) == milliseconds(14.5, 17.5, LESS_KERNEL)
    # Less than nothing is nothing: 1 + 0.25 ms.
    assert service(replace(own, latency_ms=10), replace(queue, kavg_ms=30)) == milliseconds(0.1, 1.25, LESS_KERNEL)
    # 4 ms in whole milliseconds say too little; a disk that is alone has the device's own figures; nothing was read of the kernel.
    assert service(replace(own, latency_ms=4), queue) == milliseconds(2, 4, DEVICE)
    assert service(own, queue, is_shared=False) == milliseconds(2, 4, DEVICE)
    assert service(own, replace(queue, kavg_ms=None)) == milliseconds(2, 4, DEVICE)
    assert service(replace(own, latency_ms=None), queue) == milliseconds(2, 4, DEVICE)


def test_the_devices_latency_counts_from_1_ms_and_without_a_limit_in_it() -> None:
    queue = device(queue_basis="littles-law")
    # 1 ms may be half of that or 2; 1.5 from 0.75; of 3 it is 1 less.
    assert service(None, replace(queue, davg_ms=1)) == milliseconds(0.5, 2, DEVICE)
    assert service(None, replace(queue, davg_ms=1.5)) == milliseconds(0.75, 2.5, DEVICE)
    assert service(None, replace(queue, davg_ms=3)) == milliseconds(2, 4, DEVICE)
    assert service(None, replace(queue, davg_ms=3), held=True) is None
    assert service(None, queue) is None


def test_what_the_array_says_of_a_disk_at_its_limit_is_no_service_time() -> None:
    assert service(NOISY, replace(S0_QUEUE, davg_ms=3)) == milliseconds(2, 4, DEVICE)
    assert service(NOISY, replace(S0_QUEUE, davg_ms=3), held=True) is None


@pytest.mark.parametrize("queue", [S0_QUEUE, device(davg_ms=0.4)], ids=["a limit is in it", "below a millisecond"])
def test_without_a_source_there_is_no_service_time(queue: Device) -> None:
    bare = replace(NEIGHBOUR, array_latency_ms=None, latency_ms=1)
    assert service_ms(bare, queue, held=queue is S0_QUEUE, is_shared=True) is None


def test_an_end_without_bound_is_null_in_json() -> None:
    assert rounded(Interval(1.23456, float("inf"))) == [1.235, None]
