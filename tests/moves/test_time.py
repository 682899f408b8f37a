"""How long a move takes, and by what."""

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from auditor.impact.interval import Interval
from auditor.moves.ends import Move, Task
from auditor.moves.time import DEFAULT_RATE, Bound, Estimate, estimate, measured_rate, size_of
from tests.moves.samples import DISK, GIB, MACHINE, SOURCE, TARGET, TASK, a_move, between_arrays

AT = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def test_where_nothing_was_measured_the_rate_is_that_of_incident_s1() -> None:
    # Decimal or binary TB in 6,600 s. Both ends take 1 ms, less one that counters leave out: 2 MiB in 0.2 ms is quicker.
    took = estimate(between_arrays(), is_offloaded=False)
    assert took.rate == DEFAULT_RATE
    assert took.left is None, "it does not run"
    assert (took.basis, took.source) == ("assumed", "docs/domain/incidents.md#s1")
    assert took.seconds is not None
    # 100 GiB at 227.3 MB/s are 472 s, at 249.9 MB/s 430 s.
    assert took.seconds.low == pytest.approx(429.7, abs=0.5)
    assert took.seconds.high == pytest.approx(472.4, abs=0.5)


def test_the_tightest_bound_holds_it_down() -> None:
    # 32 commands of 64 KiB in (4 - 1) + (9 - 1) ms: 190.65 MB/s. The cap of 50 MiB/s on the target is tighter, 8 MiB/s of it are taken.
    took = estimate(a_move(source={"latency_ms": 4.0}, target={"latency_ms": 9.0}), is_offloaded=False)
    assert took.rate is not None
    assert took.rate.high == pytest.approx((2 << 20) / 0.011)
    capped = estimate(
        a_move(
            source={"latency_ms": 4.0}, target={"latency_ms": 9.0, "max_bytes_per_second": 50 << 20, "bytes_per_second": float(8 << 20)}
        ),
        is_offloaded=False,
    )
    assert capped.rate is not None
    assert (capped.rate.low, capped.rate.high) == (42 << 20, 50 << 20)
    assert [round(one.bytes_per_second) for one in capped.bounds] == [50 << 20, round((2 << 20) / 0.011)]
    assert "QoS on the target new" in capped.why


def test_a_cap_that_others_fill_leaves_nothing_that_is_certain() -> None:
    took = estimate(between_arrays(max_bytes_per_second=50 << 20, bytes_per_second=float(50 << 20)), is_offloaded=False)
    assert took.seconds is not None
    assert took.seconds.low == pytest.approx(100 * GIB / (50 << 20))
    assert math.isinf(took.seconds.high)


def test_what_was_measured_counts_more_than_what_is_assumed() -> None:
    task = replace(TASK, started_at=AT - timedelta(seconds=1000), read_at=AT)
    own = estimate(a_move(tasks=(task,)), is_offloaded=False)
    assert own.rate is not None
    assert own.rate.high == pytest.approx(40 * GIB / 1000), "40 % of 100 GiB in 1,000 s"
    assert (own.basis, own.why, own.source) == ("measured", "its own rate until now", "running_task.progress_percent, started_at")
    assert own.bounds == (), "today's latency of both ends has the copy in it"
    assert own.left is not None
    assert own.left.high == pytest.approx(1500), "the other 60 %"
    since = estimate(a_move(tasks=(replace(task, earlier=(30, AT - timedelta(seconds=500))),)), is_offloaded=False)
    assert since.rate is not None
    assert since.rate.high == pytest.approx(10 * GIB / 500), "10 % in the 500 s between two readings"
    beside = estimate(between_arrays(), is_offloaded=False, others=((1e8, "mail"), (2e8, "files")))
    assert beside.rate is not None
    assert (beside.rate.low, beside.rate.high, beside.basis) == (1e8, 2e8, "measured")
    assert (beside.why, beside.source) == ("the rate of the move of mail, files", "running_task.progress_percent, started_at")


def test_a_thin_disk_is_at_most_as_large_as_its_guest_sees_it() -> None:
    assert (size_of(a_move(replace(DISK, is_thin=True))).low, size_of(a_move(replace(DISK, is_thin=True))).high) == (0, 100 * GIB)
    assert size_of(a_move(replace(DISK, is_thin=None))).low == 0, "it may be thin"
    unknown = size_of(a_move(replace(DISK, size_bytes=None)))
    assert (unknown.low, unknown.high) == (0, math.inf)
    assert math.isinf(size_of(a_move(disks_read=False)).high), "it may have other disks"
    there = replace(DISK, name="Hard disk 2", datastore_id="ds-2")
    assert size_of(a_move(DISK, there)).high == 100 * GIB, "what lies on the target already is not copied"


def test_thick_disks_add_up() -> None:
    size = size_of(a_move(DISK, replace(DISK, name="Hard disk 2")))
    assert (size.low, size.high) == (200 * GIB, 200 * GIB)


def test_a_cap_whose_load_was_not_read_is_taken_as_a_whole() -> None:
    took = estimate(between_arrays(max_bytes_per_second=50 << 20, bytes_per_second=None), is_offloaded=False)
    assert took.rate is not None
    assert (took.rate.low, took.rate.high) == (50 << 20, 50 << 20)


def test_latencies_of_both_ends_bound_it_with_their_source() -> None:
    [bound] = estimate(between_arrays(), is_offloaded=False).bounds
    assert (bound.text, bound.source) == ("32 commands of 64 KiB at today's latency of both ends", "docs/domain/facts.md#3-11")
    size, why = Interval(100 * GIB, 100 * GIB), "the array copies, and no source says how fast"
    assert estimate(a_move(), is_offloaded=True) == Estimate(size, None, None, "assumed", why, "docs/domain/facts.md#3-10", ())
    assert estimate(between_arrays(latency_ms=None), is_offloaded=False).bounds == ()


@pytest.mark.parametrize("size_bytes", [pytest.param(100 * GIB, id="a known size"), pytest.param(None, id="an unknown size")])
def test_progress_that_goes_back_measures_nothing_and_a_hundred_per_cent_leaves_nothing(size_bytes: int | None) -> None:
    task = replace(
        TASK, progress_percent=30, started_at=AT - timedelta(seconds=1000), read_at=AT, earlier=(50, AT - timedelta(seconds=300))
    )
    disk = replace(DISK, size_bytes=size_bytes)
    assert estimate(a_move(disk, tasks=(task,)), is_offloaded=False).basis == "assumed"
    done = estimate(a_move(disk, tasks=(replace(task, progress_percent=100, earlier=None),)), is_offloaded=False)
    assert done.left is not None
    assert (done.left.low, done.left.high) == (0, 0)


def test_of_several_sources_the_slowest_counts() -> None:
    second = replace(SOURCE, datastore_id="ds-3", name="older", latency_ms=9.0)
    disks = (DISK, replace(DISK, name="Hard disk 2", datastore_id="ds-3"))
    stores = {"ds-1": replace(SOURCE, latency_ms=2.0), "ds-3": second}
    [bound] = estimate(Move(replace(MACHINE, disks=disks), stores, replace(TARGET, latency_ms=4.0)), is_offloaded=False).bounds
    assert bound.bytes_per_second == pytest.approx((2 << 20) / 0.011), "32 commands of 64 KiB in (9 - 1) + (4 - 1) ms"


def test_a_cap_of_the_source_bounds_it_as_well() -> None:
    bounds = estimate(a_move(source={"max_bytes_per_second": 50 << 20}, uses_offload=False), is_offloaded=False).bounds
    assert bounds[0] == Bound(50 << 20, "the array's QoS on the source old", "docs/domain/arrays.md")


def test_under_a_cap_of_nothing_it_never_ends() -> None:
    took = estimate(between_arrays(max_bytes_per_second=0), is_offloaded=False)
    assert took.seconds == Interval(math.inf, math.inf)


def test_what_others_do_there_takes_nothing_away_where_no_cap_holds_it_down() -> None:
    assert estimate(between_arrays(bytes_per_second=200e6), is_offloaded=False).rate == DEFAULT_RATE


RUNNING = replace(TASK, started_at=AT - timedelta(seconds=1000), read_at=AT)


@pytest.mark.parametrize(
    ("task", "rate"),
    [
        pytest.param(RUNNING, 0.04, id="40 of 100 bytes in 1,000 s"),
        pytest.param(replace(RUNNING, started_at=AT - timedelta(seconds=1)), 40.0, id="within a second"),
        pytest.param(replace(RUNNING, progress_percent=None), None, id="its progress is not reported"),
        pytest.param(replace(RUNNING, read_at=None), None, id="when it was read is not known"),
        pytest.param(replace(RUNNING, started_at=None), None, id="when it began is not known"),
        pytest.param(replace(RUNNING, started_at=AT), None, id="it began as it was read"),
        pytest.param(replace(RUNNING, started_at=AT + timedelta(seconds=9)), None, id="clocks differ"),
        pytest.param(replace(RUNNING, progress_percent=0), None, id="it has made nothing"),
    ],
)
def test_a_rate_is_measured_where_progress_and_both_times_are_known(task: Task, rate: float | None) -> None:
    assert measured_rate(task, Interval(0, 100)) == rate
