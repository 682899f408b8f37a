"""What samples come to: means that weigh commands, rows of slow samples that a missing one ends, and nothing where nothing was told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from auditor.endpoints.vcenter.collect.load_figures import adapter_figures, datastore_figures, device_figures, disk_figures, fills

BEGUN = datetime(2026, 11, 21, 12, tzinfo=UTC)


def times(count: int, *, every: int = 20) -> tuple[datetime, ...]:
    return tuple(BEGUN + timedelta(seconds=every * place) for place in range(count))


def device(when: tuple[datetime, ...] | None = None, **reported: tuple[int | None, ...]) -> dict[str, Any]:
    return dict(device_figures(reported, when or times(max(map(len, reported.values())))))


def test_a_slow_sample_counts_by_its_commands() -> None:
    # One command of 500 ms, then 999 of 1 ms: 1499 ms for 1000 commands. A plain mean would say 250.
    found = device(commands=(1, 999), device=(500, 1))
    assert found["davg_ms"] == pytest.approx(1.499)
    assert found["commands_per_second"] == 500


def test_an_idle_device_waits_for_nothing() -> None:
    found = device(commands=(0,) * 15, kernel=(0,) * 15, device=(0,) * 15, depth=(32,) * 15)
    assert (found["kavg_ms"], found["davg_ms"], found["commands_per_second"], found["busy_samples"]) == (0.0, 0.0, 0, 0)
    assert (found["kavg_run_over_1ms"], found["kavg_run_over_2ms"], found["davg_median_ms"], found["kavg_max_ms"]) == (0, 0, None, None)
    assert (found["samples"], found["max_queue_depth"]) == (15, 32)


@pytest.mark.parametrize(
    ("kernel", "commands", "over_1", "over_2"),
    [
        pytest.param((3,) * 15, (100,) * 15, 15, 15, id="all the time"),
        pytest.param((2,) * 15, (100,) * 15, 15, 0, id="two is not above two"),
        pytest.param((3, 3, 3, 0, 3, 3, 3, 3), (100,) * 8, 4, 4, id="the longest row"),
        pytest.param((3,) * 8, (100, 100, 100, 49, 100, 100, 100, 100), 4, 4, id="a sample with 49 commands a second says nothing"),
        pytest.param((3,) * 8, (50,) * 8, 8, 8, id="one with 50 does"),
        pytest.param((3,) * 5, (100,) * 5, 5, 5, id="five samples can hold five in a row"),
        pytest.param((3, 3, 3, 3, 3, None), (100,) * 6, 5, 5, id="also where a sixth is missing"),
        pytest.param((3,) * 6, (100, 100, 100, 100, 100, None), 5, 5, id="or its commands"),
        pytest.param((3, 3, None, 3, 0, 3, 0, 0), (100,) * 8, 2, 2, id="a missing one ends a row that is too short in any case"),
        pytest.param((3, 3, 3, None, 3, 0, 0, 0), (100,) * 8, None, None, id="with a missing one it may be five"),
        pytest.param((2, 2, 2, None, 2, 0, 0, 0), (100,) * 8, None, 0, id="with a missing one it may be five above one alone"),
        pytest.param((3, 3, 3, 3, 3, None, 3, 3), (100,) * 8, 5, 5, id="five are five, whatever was missing"),
        pytest.param((3, 3, 3, None, 3, 3, 0, 0), (100, 100, 100, 49, 100, 100, 100, 100), 3, 3, id="a missing one of few commands"),
        pytest.param((9, 9, 9, 9), (100,) * 4, None, None, id="four samples cannot hold five in a row"),
        pytest.param((), (100,) * 15, None, None, id="the counter is not there"),
    ],
)
def test_slow_samples_in_a_row_are_counted(
    kernel: tuple[int | None, ...], commands: tuple[int | None, ...], over_1: int | None, over_2: int | None
) -> None:
    found = device(kernel=kernel, commands=commands)
    assert (found["kavg_run_over_1ms"], found["kavg_run_over_2ms"]) == (over_1, over_2)


def test_samples_that_are_minutes_apart_are_not_in_a_row() -> None:
    early, late = times(4), tuple(time + timedelta(minutes=3) for time in times(4))
    found = device((*early, *late), kernel=(5,) * 8, commands=(100,) * 8)
    assert found["kavg_run_over_2ms"] == 4
    assert device(times(5, every=30), kernel=(5,) * 5, commands=(100,) * 5)["kavg_run_over_2ms"] == 5, "half a sample late is in a row"
    assert device(times(5, every=31), kernel=(5,) * 5, commands=(100,) * 5)["kavg_run_over_2ms"] == 1


def test_a_sample_whose_commands_were_not_reported_counts_for_nothing() -> None:
    found = device(commands=(100, None, 100), total=(4, 900, 6), device=(1, 900, 3), kernel=(3, 900, 1), queue=(2, 900, None))
    assert (found["gavg_ms"], found["davg_ms"], found["kavg_ms"], found["qavg_ms"]) == (5.0, 2.0, 2.0, 2.0)
    assert (found["samples"], found["busy_samples"], found["kavg_max_ms"], found["davg_median_ms"]) == (2, 2, 3, 2.0)
    assert (found["window_begin"], found["sampled_at"]) == (BEGUN - timedelta(seconds=20), BEGUN + timedelta(seconds=40))
    assert (found["commands_aborted"], found["bus_resets"]) == (None, None)


def test_the_median_of_samples_passes_over_a_single_slow_one_and_those_without_commands() -> None:
    # KB 309140 (docs/domain/facts.md#9-2): a single slow XCOPY skews the average.
    found = device(commands=(30, 30, 30, 0, 30, 0), device=(1, 1, 400, 0, 2, 0))
    assert found["davg_median_ms"] == 1.5
    assert found["davg_ms"] > 100


def test_aborts_and_resets_are_summed_and_their_samples_counted() -> None:
    found = device(aborted=(0, 3, 0, 1, None), resets=(0, 0, 2, 1, 7))
    assert (found["commands_aborted"], found["bus_resets"], found["troubled_samples"]) == (4, 10, 3)
    assert device(aborted=(0, 0))["troubled_samples"] is None


def test_without_the_commands_no_mean_is_told() -> None:
    found = device(kernel=(5,) * 15, depth=(None, 64, None))
    assert (found["kavg_ms"], found["commands_per_second"], found["busy_samples"], found["kavg_run_over_2ms"]) == (None,) * 4
    assert (found["samples"], found["max_queue_depth"]) == (0, 64)


def test_an_adapter_is_told_by_its_newest_depth_and_what_waits_for_it() -> None:
    given = {"depth": (1024, 2048), "queued": (0, 12), "outstanding": (10, 30), "queue": (0, 4), "commands": (100, 300)}
    found = adapter_figures(given, times(2))
    assert (found["queue_depth"], found["queued"], found["queued_max"], found["outstanding"], found["outstanding_max"]) == (
        2048,
        6,
        12,
        20,
        30,
    )
    assert (found["queue_ms"], found["commands_per_second"], found["sampled_at"]) == (3.0, 200, BEGUN + timedelta(seconds=20))
    assert found["samples"] == 2


def test_an_adapter_without_counters_tells_nothing() -> None:
    assert adapter_figures({}, times(3)) == {**dict.fromkeys(adapter_figures({}, ())), "samples": 0, "sampled_at": times(3)[-1]}
    assert adapter_figures({}, ())["sampled_at"] is None


def test_zero_microseconds_are_no_latency_but_zero_percent_is_an_answer() -> None:
    given = {"reads": (3000, 3000), "writes": (1000, 1000), "read_ms": (1, 1), "write_ms": (5, 5)}
    idle = datastore_figures({**given, "sioc": (0, 0), "observed": (0, 0), "normalized": (0, 0), "depth": (0, 0)}, times(2))
    assert (idle["samples"], idle["iops"], idle["latency_ms"], idle["sioc_active_percent"]) == (2, 4000, 2.0, 0.0)
    assert (idle["observed_latency_us"], idle["normalized_latency_us"], idle["max_queue_depth"]) == (None, None, None)
    # Percentages are reported in hundredths: 10000 is all of the time.
    active = datastore_figures({**given, "sioc": (10000, 5000), "observed": (0, 600), "depth": (4, 32)}, times(2))
    assert (active["sioc_active_percent"], active["observed_latency_us"], active["max_queue_depth"]) == (75.0, 600, 32)
    assert active["normalized_latency_us"] is None


def test_a_datastore_without_counters_tells_nothing() -> None:
    found = datastore_figures({}, times(15))
    assert {name: value for name, value in found.items() if value is not None} == {"samples": 0, "sampled_at": times(15)[-1]}
    assert datastore_figures({}, ())["sampled_at"] is None


def test_a_datastore_has_no_latency_where_not_all_of_its_samples_came() -> None:
    found = datastore_figures({"reads": (3000,), "writes": (1000,), "read_ms": (1,), "write_ms": (5,)}, times(2))
    assert (found["iops"], found["latency_ms"]) == (4000, None)


def disk(**given: tuple[int | None, ...]) -> dict[str, Any]:
    return dict(disk_figures(given, times(max(map(len, given.values())))))


def test_a_disk_has_the_latency_of_its_commands_and_their_mean_size() -> None:
    # 100 reads of 1 ms and 4 KiB, then 300 writes of 5 ms and 64 KiB.
    found = disk(reads=(100, 0), writes=(0, 300), read_ms=(1, 0), write_ms=(0, 5), read_kb=(400, 0), write_kb=(0, 19200))
    assert found["latency_ms"] == pytest.approx(4.0)
    assert found["io_bytes"] == pytest.approx(19600 * 1024 / 400)
    assert (found["window_begin"], found["sampled_at"]) == (BEGUN - timedelta(seconds=20), BEGUN + timedelta(seconds=20))


def test_a_disk_has_what_it_sends_and_has_under_way_in_both_directions() -> None:
    found = disk(reads=(100, 0), writes=(0, 300), reads_under_way=(4, 0), writes_under_way=(0, 8))
    assert (found["samples"], found["commands_per_second"], found["outstanding"]) == (2, 200, 6)
    nothing = {
        "samples": 0,
        **dict.fromkeys(("window_begin", "sampled_at", "commands_per_second", "outstanding", "latency_ms", "io_bytes")),
    }
    assert disk_figures({}, ()) == nothing | {"latency_ms": None}


def test_a_disk_has_the_size_of_the_samples_that_have_all_counters() -> None:
    assert disk(reads=(5, 5), writes=(5, 5), read_kb=(20,), write_kb=(20, 900))["io_bytes"] == 4096.0


def test_a_disk_has_no_size_where_nothing_passed_and_no_latency_where_a_counter_is_missing() -> None:
    idle = disk(reads=(0,), writes=(0,), read_ms=(0,), write_ms=(0,), read_kb=(0,), write_kb=(0,))
    assert (idle["latency_ms"], idle["io_bytes"]) == (0.0, None)
    partly = disk(reads=(5, 5), writes=(5, 5), read_ms=(1, 1), write_ms=(), read_kb=(20, None), write_kb=(20, 20))
    assert (partly["latency_ms"], partly["io_bytes"]) == (None, 4096.0)
    assert disk_figures({}, ())["window_begin"] is None


@pytest.mark.parametrize(
    ("figures", "filling"),
    [
        pytest.param({"commands": (1000,), "total": (15,), "kernel": (0,), "depth": (32,)}, False, id="15 of 32 under way"),
        pytest.param({"commands": (1000,), "total": (16,), "kernel": (0,), "depth": (32,)}, True, id="16 of 32"),
        pytest.param({"commands": (60,), "total": (2,), "kernel": (1,), "depth": (32,)}, True, id="a millisecond in the kernel"),
        pytest.param({"commands": (0,), "total": (0,), "kernel": (0,), "depth": (32,)}, False, id="idle"),
        pytest.param({"commands": (0,), "total": (0,), "kernel": (0,), "depth": (0,)}, False, id="idle, without a place"),
        pytest.param({"commands": (1,), "total": (1,), "kernel": (0,), "depth": (32,)}, False, id="one command a second"),
        pytest.param({"commands": (10,), "total": (1,), "kernel": (9,), "depth": (32,)}, False, id="too few for a latency in the kernel"),
        pytest.param({"commands": (0,)}, False, id="idle, and nothing else is reported"),
        pytest.param({"commands": (60,), "kernel": (0,), "depth": (32,)}, True, id="the latency is not reported"),
        pytest.param({"kernel": (0,)}, True, id="the rate is not reported"),
    ],
)
def test_a_queue_fills_where_half_of_it_is_taken_or_it_may_be(figures: dict[str, Any], *, filling: bool) -> None:
    assert fills(device(**figures)) is filling
