"""Rows of ONTAP's counters, and what two readings of them say of a LUN, a disk and an aggregate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.ontap import counters
from auditor.endpoints.ontap.counters import CounterRow, Sample
from tests.endpoints.ontap.ontap_rows import counter, disk, wrong

UUID = "11111111-2222-3333-4444-ABCDEF000001"


def test_a_row_of_counters_has_its_properties_numbers_and_labelled_numbers() -> None:
    parse_errors = ParseErrors("x")
    value = {
        "id": 5,
        "properties": [{"name": "svm.name", "value": "svm"}, "odd", {"name": "raid_group", "value": "/a/b/c"}],
        "counters": [
            counter("ops", 3),
            counter("text", "4.5"),
            {"name": "bins", "values": [1, "2"], "labels": ["0", "1"]},
            counter("bad", "x"),
            {"name": "truth", "value": True},
            counter("none", None),
            counter("negative", -1),
            counter("huge", float("inf")),
            counter("zero", 0),
            {"name": "short", "values": [1], "labels": ["0", "1"]},
            {"name": "odd", "values": [None], "labels": ["0"]},
            {"name": "bare", "values": [1]},
            {"name": "unlisted", "values": 1, "labels": ["0"]},
        ],
    }
    row = counters.counter_row(Record(value, "row 5", parse_errors))
    assert row == CounterRow(
        "5", {"svm.name": "svm", "raid_group": "/a/b/c"}, {"ops": 3.0, "text": 4.5, "zero": 0.0}, {"bins": {"0": 1.0, "1": 2.0}}
    )
    left_out = ("bad", "truth", "none", "negative", "huge", "short", "odd", "bare", "unlisted")
    assert wrong(parse_errors) == [f"counter {name} of row 5" for name in left_out]
    empty = counters.counter_row(Record({"id": 5}, "row 5", parse_errors := ParseErrors("x")))
    assert (empty, wrong(parse_errors)) == (CounterRow("5", {}, {}, {}), ["properties of row 5", "counters of row 5"])


def test_a_row_of_a_part_of_the_nodes_has_no_counters() -> None:
    """A cluster answers 200 with it while a node is down; its sums jump when the node is back."""
    value = {"id": 5, "properties": [{"name": "raid_group", "value": "/a/b/c"}], "counters": [counter("ops", 3)]}
    for complete, values in ((False, {}), (True, {"ops": 3.0})):
        whole = {**value, "aggregation": {"count": 2, "complete": complete}}
        row = counters.counter_row(Record(whole, "row 5", parse_errors := ParseErrors("x")))
        assert row == CounterRow("5", {"raid_group": "/a/b/c"}, values, {})
        assert wrong(parse_errors) == ([] if complete else ["aggregation.complete of row 5"])


def bins(**arrays: dict[str, float]) -> CounterRow:
    return CounterRow("x", {}, {}, {f"{name}_align_histogram": each for name, each in arrays.items()})


@pytest.mark.parametrize(
    ("row", "ratio"),
    [
        (bins(), None),
        (bins(read={"0": 0, "1": 0}), None),
        (bins(read={"0": 3, "1": 1}), 0.25),
        (bins(write={"0": 3, "1": 1}), 0.25),
        (bins(read={"0": 3, "1": 1}, write={"2": 4}), 0.625),
        (bins(read={"1": 5}), 1.0),
        (bins(read={"0": 5}), 0.0),
        (bins(other={"1": 5}), None),
    ],
)
def test_what_starts_beside_a_block_is_a_share_of_reads_and_writes(row: CounterRow, ratio: float | None) -> None:
    assert counters.misaligned_ratio(row) == ratio


@pytest.mark.parametrize(
    ("row_id", "properties", "names"),
    [
        ("x", {"lun.uuid": "ABC", "name": "/vol/v/l", "svm.name": "s"}, ["abc", "s:/vol/v/l"]),
        ("x", {"name": "/vol/v/l"}, []),
        ("x", {"svm.name": "s"}, []),
        (f"/vol/v/l:{UUID}", {"svm.name": "s"}, [UUID.lower(), "s:/vol/v/l"]),
        (f"/vol/v/l:{UUID}", {"lun.uuid": "ABC", "name": "/vol/w/m", "svm.name": "s"}, ["abc", "s:/vol/w/m"]),
        ("/vol/v/l", {"svm.name": "s"}, ["s:/vol/v/l"]),
    ],
)
def test_a_row_names_its_lun_by_id_and_by_path(row_id: str, properties: dict[str, str], names: list[str]) -> None:
    assert counters.names_of_lun(CounterRow(row_id, properties, {}, {})) == names


def sample(at: float, *disks: CounterRow, headroom: Sequence[CounterRow] = (), headroom_at: float | None = None) -> Sample:
    by_id = {row.row_id: row for row in headroom}
    return Sample(at, {row.row_id: row for row in disks}, at if headroom_at is None else headroom_at, by_id, 0.0)


def test_disks_hold_data_by_aggregate_and_parts_of_one_count_once() -> None:
    disks = [
        disk("1"), disk("2", kind="parity"), disk("3", group=""), disk("4", group="/aggr1/plex0"), disk("5", part="1"), disk("6", part="7"),
        disk("8", group="/aggr2/plex0/rg0/"),
    ]  # fmt: skip
    assert counters.data_disks(disks) == {"aggr1": 2, "aggr2": 1}
    assert [counters.aggregate_of(row) for row in disks[2:4]] == ["", ""]


NOTHING = {"current_ops": None, "optimal_ops": None, "current_latency_us": None}
IDLE = {
    "busy_percent": None, "disk_iops": None, "transfers_per_second": None, "user_transfers_per_second": None,
    "consistency_reads_per_second": None, **NOTHING,
}  # fmt: skip


def loads(first: Sample, last: Sample, **given: Any) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """The load by pool, and what could not be understood."""
    parse_errors = ParseErrors("x")
    found = counters.pool_load_rows(first, last, given.pop("pools", {"aggr1": "a-1"}), parse_errors, **given)
    return {row.pop("pool_id"): row for row in found}, wrong(parse_errors)


def test_the_load_of_an_aggregate_is_that_of_its_disks_over_the_time_between() -> None:
    first = sample(100, disk("1"), disk("2", times=1), disk("p", kind="parity"))
    last = sample(110, disk("1", times=1), disk("2", times=2, disk_busy_percent=60.0), disk("p", kind="parity", times=1))
    found, errors = loads(first, last)
    # 3 disks of 1,000 transfers in 10 s, over 2 data disks; one was busy for 10 of 100, the other for 60 - 10 of 100
    assert found["a-1"] == {
        **IDLE, "busy_percent": 50.0, "disk_iops": 150.0, "transfers_per_second": 300.0, "user_transfers_per_second": 150.0
    }  # fmt: skip
    assert errors == ["its headroom of aggregate aggr1"]


ROOT = "/aggr0/plex0/rg0"


def test_a_disk_in_parts_counts_with_what_it_does_for_other_aggregates() -> None:
    """Root-data partitioning: each spinning disk has a small part of a node's root aggregate and a large one of a data aggregate."""
    first = sample(
        0, disk("1.P1", part="1"), disk("1.P2", part="1", group=ROOT), disk("2.P1", part="2"), disk("2.P2", part="2", group=ROOT)
    )
    last = sample(
        10,
        disk("1.P1", part="1", times=1),
        disk("1.P2", part="1", times=0.5, group=ROOT),
        disk("2.P1", part="2", times=1),
        disk("2.P2", part="2", times=0.1, group=ROOT),
    )
    found, _ = loads(first, last)
    # 2 disks did 1,000 + 500 and 1,000 + 100 transfers in 10 s, of which the aggregate's own are 2,000
    assert (found["a-1"]["disk_iops"], found["a-1"]["transfers_per_second"]) == (130.0, 200.0)


@pytest.mark.parametrize(
    ("group", "disk_iops"),
    [pytest.param(ROOT, None, id="of another aggregate"), pytest.param("", 100.0, id="a spare, which does nothing")],
)
def test_what_a_disk_does_is_unknown_where_a_part_of_it_was_not_understood(group: str, disk_iops: float | None) -> None:
    first = sample(0, disk("1.P1", part="1"), disk("1.P2", part="1", group=group, total_transfer_count=None))
    found, _ = loads(first, sample(10, disk("1.P1", part="1", times=1), disk("1.P2", part="1", times=1, group=group)))
    assert (found["a-1"]["disk_iops"], found["a-1"]["transfers_per_second"]) == (disk_iops, 100.0)


def test_reads_of_consistency_points_are_those_of_all_disks_or_not_known() -> None:
    first = sample(0, disk("1", cp_read_count=500.0), disk("2", cp_read_count=0.0))
    found, _ = loads(first, sample(10, disk("1", times=1, cp_read_count=600.0), disk("2", times=1, cp_read_count=40.0)))
    assert found["a-1"]["consistency_reads_per_second"] == 14.0
    # One disk, or one reading, that lacks the counter: the sum is not known, and the other figures are.
    for last in (
        sample(10, disk("1", times=1), disk("2", times=1, cp_read_count=40.0)),
        sample(10, disk("1", times=1), disk("2", times=1)),
    ):
        found, errors = loads(first, last)
        assert (found["a-1"]["consistency_reads_per_second"], found["a-1"]["transfers_per_second"]) == (None, 200.0)
        assert errors == ["its headroom of aggregate aggr1"]


def test_a_disk_is_never_busier_than_all_of_the_time_and_one_that_did_nothing_not_at_all() -> None:
    found, _ = loads(sample(0, disk("1")), sample(1, disk("1", times=1, disk_busy_percent=200.0)))
    assert found["a-1"]["busy_percent"] == 100.0
    found, _ = loads(sample(0, disk("1")), sample(1, disk("1", base_for_disk_busy=1e6 + 100)))
    assert (found["a-1"]["busy_percent"], found["a-1"]["transfers_per_second"]) == (0.0, 0.0)
    found, _ = loads(sample(0, disk("1", kind="parity")), sample(1, disk("1", kind="parity", times=1)))
    assert (found["a-1"]["disk_iops"], found["a-1"]["transfers_per_second"]) == (None, 1000.0)


@pytest.mark.parametrize(
    ("first", "last"),
    [
        pytest.param(sample(0), sample(1, disk("1", times=1)), id="a disk that is new"),
        pytest.param(sample(0, disk("1", times=2)), sample(1, disk("1", times=1)), id="counters that went backwards"),
        pytest.param(sample(0, disk("1", user_read_count=None)), sample(1, disk("1", times=1)), id="a counter that was missing"),
        pytest.param(sample(0, disk("1")), sample(1, disk("1", times=1, user_read_count=None)), id="a counter that is missing"),
        pytest.param(sample(0, disk("1", base_for_disk_busy=0.0)), sample(1, disk("1", times=9e9)), id="a first reading of 0 throughout"),
        pytest.param(sample(0, disk("1", times=1)), sample(1, disk("1", base_for_disk_busy=0.0)), id="a last one of 0 throughout"),
        pytest.param(sample(0, disk("1", times=1)), sample(1, disk("1", times=1)), id="counters that stand still, their time too"),
    ],
)
def test_an_aggregate_with_a_disk_that_was_not_understood_has_no_load(first: Sample, last: Sample) -> None:
    good = disk("2"), disk("2", times=1), disk("3", group="/aggr2/plex0/rg0"), disk("3", group="/aggr2/plex0/rg0", times=1)
    first = sample(0, *first.disks.values(), good[0], good[2])
    last = sample(1, *last.disks.values(), good[1], good[3])
    found, errors = loads(first, last, pools={"aggr1": "a-1", "aggr2": "a-2"})
    assert (found["a-1"], found["a-2"]["transfers_per_second"]) == (IDLE, 1000.0)
    assert errors[:2] == ["its counters of disk 1", "its disks of aggregate aggr1"]


def test_readings_at_one_time_give_no_rates() -> None:
    found, errors = loads(sample(5, disk("1")), sample(5, disk("1", times=1)))
    assert (found["a-1"], errors[0]) == (IDLE, "its disks of aggregate aggr1")


def test_a_flash_pool_is_judged_by_its_spinning_disks() -> None:
    first, last = sample(0, disk("1"), disk("ssd")), sample(1, disk("1", times=1), disk("ssd", times=9))
    assert loads(first, last)[0]["a-1"]["transfers_per_second"] == 10_000.0
    assert loads(first, last, spinning={"aggr1": {"1"}})[0]["a-1"]["transfers_per_second"] == 1000.0
    assert loads(first, last, spinning={"aggr1": None})[0]["a-1"] == IDLE
    assert loads(first, last, spinning={"other": {"1"}})[0]["a-1"]["transfers_per_second"] == 10_000.0


def headroom(name: str, **values: float) -> CounterRow:
    return CounterRow(name, {"name": name}, {key.replace("optimal_", "optimal_point."): value for key, value in values.items()}, {})


HDD = f"DISK_HDD_aggr1_{UUID}"
ZERO = {"current_ops": 0.0, "current_latency": 0.0, "optimal_ops": 0.0, "optimal_samples": 0.0}
SAMPLED = {**ZERO, "optimal_ops": 100.0, "optimal_samples": 1.0}


@pytest.mark.parametrize(
    ("before", "after", "columns"),
    [
        pytest.param(
            {**ZERO, "optimal_ops": 100.0, "optimal_samples": 1.0},
            {"current_ops": 100.0, "current_latency": 5000.0, "optimal_ops": 1000.0, "optimal_samples": 4.0},
            {"current_ops": 10.0, "optimal_ops": 300.0, "current_latency_us": 50.0},
            id="growth over time, over operations, over samples",
        ),
        pytest.param(
            {**ZERO, "optimal_ops": 500.0, "optimal_samples": 2.0},
            {**ZERO, "optimal_ops": 500.0, "optimal_samples": 2.0},
            {"current_ops": 0.0, "optimal_ops": 250.0, "current_latency_us": None},
            id="no sample in between, and no operation",
        ),
        pytest.param(ZERO, ZERO, {"current_ops": 0.0, "optimal_ops": None, "current_latency_us": None}, id="no sample at all"),
        pytest.param({**ZERO, "current_ops": 1.0}, ZERO, NOTHING, id="operations went backwards"),
        pytest.param(ZERO, {**ZERO, "current_ops": 9e12, "current_latency": 9e15}, NOTHING, id="a first reading that was not filled"),
        pytest.param({**ZERO, "current_latency": 1.0}, ZERO, NOTHING, id="latency went backwards"),
        pytest.param(None, ZERO, NOTHING, id="it was not there before"),
        pytest.param(ZERO, None, NOTHING, id="it is not there any more"),
    ],
)
def test_headroom_is_computed_from_what_grew(
    before: dict[str, float] | None, after: dict[str, float] | None, columns: Mapping[str, Any]
) -> None:
    pools = {"aggr1": UUID.lower()}
    rows_then, rows_now = ([] if each is None else [headroom(HDD, **each)] for each in (before, after))
    later = disk("1", times=1)
    first, last = sample(5, disk("1"), headroom=rows_then), sample(25, later, headroom=rows_now, headroom_at=15)
    found, errors = loads(first, last, pools=pools)
    assert {name: found[UUID.lower()][name] for name in columns} == columns
    assert errors == (["its headroom of aggregate aggr1"] if columns == NOTHING else [])
    same_time = sample(25, later, headroom=rows_now, headroom_at=5)
    assert {name: loads(first, same_time, pools=pools)[0][UUID.lower()][name] for name in NOTHING} == NOTHING


def test_headroom_is_of_the_aggregate_in_its_name_and_of_spinning_disks_before_flash() -> None:
    pools = {"aggr1": "a-1", "aggr10": "a-10"}
    first = sample(
        0, headroom=[headroom(name, **SAMPLED) for name in ("DISK_SSD_aggr1_x", "DISK_HDD_aggr1_x", "DISK_HDD_aggr10_y", "DISK_HDD_z")]
    )
    grown = {"DISK_SSD_aggr1_x": 1.0, "DISK_HDD_aggr1_x": 2.0, "DISK_HDD_aggr10_y": 3.0, "DISK_HDD_z": 4.0}
    last = sample(1, headroom=[headroom(name, **{**SAMPLED, "current_ops": value}) for name, value in grown.items()])
    found, _ = loads(first, last, pools=pools)
    assert {pool: row["current_ops"] for pool, row in found.items()} == {"a-1": 2.0, "a-10": 3.0}
    assert [counters._pool_of(headroom(f"DISK_HDD_renamed_{name}"), {"aggr1": "a-1"}) for name in ("A-1", "b-1")] == ["a-1", ""]
    assert counters._pool_of(CounterRow("DISK_HDD_aggr1", {}, {}, {}), {"aggr1": "a-1"}) == ""
