"""Background work on an array's disks: S3 (docs/domain/incidents.md#s3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auditor.impact.interval import Interval
from auditor.impact.pool import Pool, pool_impact, transfers_after

S3 = Pool("netapp", "aggr_10k", 6800 / 57, 3400 / 6800, interval_seconds=(900.0,) * 3 + (1200.0,) * 3)


def test_s3_the_disks_go_from_80_percent_busy_to_40() -> None:
    # 3,400 of 6,800 are copies, 3 to 4 starts an hour; every 2 hours is 0.5 an hour, so 1/8 to 1/6 of the starts are left.
    # At best 80 * (1 - 0.5) = 40; at worst 80 * (1 - 0.5 * 5/6) = 46.7.
    after = transfers_after(Interval.exactly(80), Interval.exactly(0.5), Interval(1 / 8, 1 / 6))
    assert after.low == pytest.approx(40)
    assert after.high == pytest.approx(46.67, rel=1e-3)


def test_a_share_that_is_only_bounded_leaves_what_is_there_now_as_the_worse_end() -> None:
    found = pool_impact(S3, ["vm-1 disk", "vm-2 disk"], 2, 7200)
    assert found["quantity"] == "transfers_per_disk"
    assert found["now"] == [118.1, 120.5]  # 119.3, and 1 % either way
    # At best all background work is copies, and none runs: 118.1 / 2 = 59.05.
    assert found["after"] == [59.05, 120.5]
    assert found["worst_after"] == [118.1, 120.5]
    assert (found["direction"], found["size_known"]) == ("better", False)  # anything from none to half of them
    assert found["victims"] == ["vm-1 disk", "vm-2 disk"]
    # 3 * 3 + 3 * 4 = 21 starts an hour, 6 * 0.5 = 3 after.
    assert found["inputs"][2]["value"] == [0, pytest.approx(3 / 21, rel=1e-3)]


@pytest.mark.parametrize(
    ("least_seconds", "only_clients_write", "low", "source"),
    [
        pytest.param(7200, False, 34.74, "other_share", id="copies away from it read and do not write"),
        pytest.param(None, True, 34.74, "other_share", id="nothing in the background writes to it"),
        pytest.param(None, False, 17.37, "background_share", id="something in the background may write to it"),
    ],
)
def test_reads_of_consistency_points_stay_where_no_background_work_causes_them(
    least_seconds: float | None, only_clients_write: bool, low: float, source: str
) -> None:
    # 5,800 of 6,800 are background, 1,000 of them reads of consistency points; 118.1 * (1 - 4,800 / 6,800), or 118.1 * (1 - 5,800 / 6,800).
    pool = replace(S3, background_share=5800 / 6800, consistency_share=1000 / 6800, only_clients_write=only_clients_write)
    found = pool_impact(pool, [], 0, least_seconds)
    assert found["after"] == [pytest.approx(low, abs=0.01), 120.5]
    assert source in found["inputs"][1]["source"]


def test_without_the_reads_of_consistency_points_all_background_work_may_be_copies() -> None:
    found = pool_impact(replace(S3, background_share=5800 / 6800, only_clients_write=True), [], 0, 7200)
    assert found["after"][0] == pytest.approx(17.37, abs=0.01)


@pytest.mark.parametrize("unread", [Pool("a", "x", None, 0.5), Pool("a", "x", 100.0, None)], ids=["transfers", "share"])
def test_without_a_measured_load_there_is_no_figure(unread: Pool) -> None:
    assert list(pool_impact(unread, [], 0, None)) == ["not_computed"]


def test_an_impact_of_a_pool_has_every_figure_with_its_source() -> None:
    # 119.3 within 1 %; half of it in the background, copied by 21 starts an hour; 3 of them are left.
    assert pool_impact(S3, ["vm-1 disk"], 7, 7200) == {
        "model": "transfers",
        "queue": "netapp/aggr_10k",
        "victims": ["vm-1 disk"],
        "victims_count": 7,
        "behind": [],
        "quantity": "transfers_per_disk",
        "direction": "better",
        "size_known": False,
        "now": [118.1, 120.5],
        "after": [59.05, 120.5],
        "worst_now": [118.1, 120.5],
        "worst_after": [118.1, 120.5],
        "inputs": [
            {
                "name": "transfers of a disk now",
                "value": [118.1, 120.5],
                "unit": "transfers/s",
                "basis": "measured",
                "source": "array_pool.disk_iops",
            },
            {
                "name": "share of this work",
                "value": [0, 0.5],
                "unit": "of transfers",
                "basis": "measured",
                "source": "array_pool.background_share, which has all background work",
            },
            {
                "name": "starts that are left",
                "value": [0, 0.1429],
                "unit": "of starts",
                "basis": "measured",
                "source": "replication.interval_seconds",
            },
        ],
    }
    without = pool_impact(replace(S3, interval_seconds=(), consistency_share=0.9), [], 0, 7200)
    assert [one["name"] for one in without["inputs"]] == ["transfers of a disk now", "share of this work"]
    # More reads of consistency points than background work leave none of it.
    assert (without["inputs"][1]["value"], without["inputs"][1]["source"]) == (
        [0, 0],
        "array_pool.other_share, which has all background work",
    )
    assert pool_impact(replace(S3, transfers_per_disk=None), [], 0, None) == {
        "not_computed": "the transfers of the pool's disks, or the clients' share of them, were not read"
    }


def test_five_disks_on_a_pool_are_named_and_all_are_counted() -> None:
    found = pool_impact(S3, [f"disk {number}" for number in range(7)], 7, None)
    assert (found["victims"], found["victims_count"]) == ([f"disk {number}" for number in range(5)], 7)
