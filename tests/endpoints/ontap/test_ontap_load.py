"""The load of an ONTAP cluster's volumes and pools: read by its counters, or missed."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.ontap.client import open_ontap
from auditor.endpoints.ontap.collect import collect_ontap
from auditor.facts.needs import needs
from auditor_lab.wire import Fault
from tests.endpoints.ontap.ontap_cluster import CLUSTER, Clock, Collected, Served, collected, serving
from tests.endpoints.ontap.ontap_reading import all_of, change, picked, uuid

if TYPE_CHECKING:
    from pathlib import Path


def test_load_is_the_mean_of_now_and_an_idle_volume_has_no_latency(whole: Collected) -> None:
    names = {row["volume_id"]: row["name"] for row in whole.tables["array_volume"]}
    columns = ("actual_iops", "bytes_per_second", "average_io_bytes", "latency_us")
    found = {names[row["volume_id"]]: picked([row], *columns)[0] for row in whole.tables["array_volume_load"]}
    assert set(found) == set(names.values())
    assert found["nfs1"] == (400, 400 * 8192, 8192, 1000)
    assert found["/vol/luns1/ds1"] == (100, 100 * 8192, 8192, 1000)
    assert found["nfs2"] == (0, 0, None, None)
    ratios = {names[row["volume_id"]]: row["misaligned_ratio"] for row in whole.tables["array_volume_load"]}
    assert ratios["/vol/luns1/ds1"] == pytest.approx(0.07, abs=1e-6)
    assert ratios["/vol/luns2/ds2"] is None, "no operations, no share of them"


@pytest.mark.parametrize("with_svm", [True, False], ids=["beside the name of its SVM", "alone"])
def test_a_lun_is_found_by_the_id_of_its_counter_row(served: Served, whole: Collected, with_svm: bool) -> None:
    """Templates of NetApp/harvest: "/vol/v/lun:uuid" in some tables, properties in others (docs/domain/facts.md#7-5)."""
    server, endpoint, clock = served

    def by_row_id(body: Any) -> Any:
        kept = {"svm.name"} if with_svm else set()
        return {
            "records": [each | {"properties": [one for one in each["properties"] if one["name"] in kept]} for each in body["records"]],
        }

    server.alterations["GET cluster/counter/tables/lun/rows"] = by_row_id
    found = collected(endpoint, clock, all_of("array_volume_load"))
    assert found.tables["array_volume_load"] == whole.tables["array_volume_load"]
    assert found.gaps == []


def test_the_load_of_pools_is_computed_from_two_readings_of_the_counters(served: Served, whole: Collected) -> None:
    found = whole.by("array_pool_load", "pool_id")
    sas = found[served[0].cluster.uuid("aggregate", "sas1")]
    # 600 for clients and 800 of its own on disks that would be 100 % busy at 2,000; RAID-DP leaves 14 of 18 for data.
    assert sas["busy_percent"] == pytest.approx(70)
    assert sas["transfers_per_second"] == pytest.approx(1400, rel=0.01)
    assert sas["user_transfers_per_second"] == pytest.approx(600, rel=0.01)
    assert sas["consistency_reads_per_second"] == pytest.approx(200, rel=0.01)
    assert sas["disk_iops"] == pytest.approx(100, rel=0.01)
    assert (sas["current_ops"], sas["optimal_ops"], sas["current_latency_us"]) == (1400, 1200, 5000)
    idle = found[served[0].cluster.uuid("aggregate", "ssd1")]
    assert (idle["busy_percent"], idle["transfers_per_second"], idle["current_latency_us"]) == (0, 0, None)


def test_of_a_flash_pool_only_the_spinning_disks_are_looked_at(tmp_path: Path, whole: Collected) -> None:
    spinning = whole.by("array_pool_load", "pool_id")
    cached = dataclasses.replace(CLUSTER.aggregates[0], cache_disks=6, cache_iops=9000.0)
    with serving(tmp_path, dataclasses.replace(CLUSTER, aggregates=(cached, *CLUSTER.aggregates[1:]))) as (server, endpoint, clock):
        found = collected(endpoint, clock)
        assert found.gaps == []
        [pool] = [row for row in found.tables["array_pool"] if row["name"] == "sas1"]
        assert (pool["media"], pool["rpm"]) == ("mixed", 10000)
        # The same disks do the same, whatever the flash in front of them does.
        assert found.by("array_pool_load", "pool_id")[pool["pool_id"]] == spinning[pool["pool_id"]]
        server.faults.active.append(Fault("status", "GET storage/disks", status=403))
        found = collected(endpoint, clock, needs([("array_pool_load", "busy_percent"), ("array_pool", "media")]))
    assert found.by("array_pool_load", "pool_id")[pool["pool_id"]]["busy_percent"] is None
    assert "pool_load" in found.incomplete()


@pytest.mark.parametrize("busy_elsewhere", [pytest.param(2.0, id="what is left is waited for"), pytest.param(9.0, id="nothing is left")])
def test_the_readings_lie_an_interval_apart_and_the_other_topics_count_towards_it(served: Served, busy_elsewhere: float) -> None:
    server, endpoint, _ = served
    clock = Clock()

    def slowly(body: Any) -> Any:
        clock.sleep(busy_elsewhere)
        return body

    server.alterations["GET storage/luns"] = slowly
    wanted = needs([("array_pool_load", "busy_percent"), ("array_volume", "name")])
    with open_ontap(endpoint) as cluster:
        Collected(collect_ontap(cluster, endpoint, wanted, interval=5.0, clock=clock, sleep=clock.sleep), wanted.topics)
    assert clock.slept == [busy_elsewhere, max(0.0, 5.0 - busy_elsewhere)]


@pytest.mark.parametrize(
    ("delays", "readings", "known"),
    [
        pytest.param([], 2, True, id="quick answers"),
        pytest.param([0.4], 2, True, id="one that takes a little"),
        pytest.param([0.0, 4.0], 3, True, id="a slow second one is read again"),
        pytest.param([4.0, 4.0], 4, True, id="two slow ones at the beginning make way for quick ones"),
        pytest.param([2.0] * 9, 5, True, id="slow ones lie so far apart in the end that it does not matter"),
        pytest.param([9.0] * 9, 5, False, id="slow answers only"),
    ],
)
def test_rates_are_computed_only_where_the_time_between_two_readings_is_known(
    served: Served, delays: list[float], readings: int, known: bool
) -> None:
    server, endpoint, clock = served
    pending, requests = iter(delays), list[float]()

    def late(body: Any) -> Any:
        requests.append(next(pending, 0.0))
        clock.now += requests[-1]
        return body

    server.alterations["GET cluster/counter/tables/disk:constituent/rows"] = late
    found = collected(endpoint, clock, needs([("array_pool_load", "busy_percent")]))
    assert len(requests) == readings
    assert bool(found.tables.get("array_pool_load")) is known
    assert found.incomplete() == (set() if known else {"pool_load"})


@pytest.mark.parametrize(
    ("alter", "column"),
    [
        pytest.param(lambda body: {"records": body["records"][1:]}, "transfers_per_second", id="a disk that was there before"),
        pytest.param(change("counters", []), "transfers_per_second", id="a disk without counters"),
        pytest.param(change("counters", None), "disk_iops", id="no counters at all"),
    ],
)
def test_counters_that_cannot_be_compared_make_no_rate(served: Served, alter: Any, column: str) -> None:
    server, endpoint, clock = served
    seen: list[int] = []

    def second(body: Any) -> Any:
        seen.append(1)
        return alter(body) if len(seen) == 1 else body

    # What the first reading lacks, the second cannot be compared with.
    server.alterations["GET cluster/counter/tables/disk:constituent/rows"] = second
    found = collected(endpoint, clock, needs([("array_pool_load", column)]))
    assert found.by("array_pool_load", "pool_id")[server.cluster.uuid("aggregate", "sas1")][column] is None
    assert found.incomplete() == {"pool_load"}


def test_counters_that_cannot_be_read_leave_the_pools_known(served: Served) -> None:
    server, endpoint, clock = served
    server.faults.active.append(Fault("status", "GET cluster/counter/tables/headroom_aggregate/rows", status=403))
    found = collected(endpoint, clock, needs([("array_pool_load", "busy_percent")]))
    assert (len(found.tables["array_pool"]), found.tables["array_pool_load"], found.incomplete()) == (2, [], {"pool_load"})
    assert clock.slept == [], "there is nothing to compare a second reading with"


def test_a_volume_without_load_is_missed(served: Served) -> None:
    server, endpoint, clock = served
    seen: list[int] = []

    def second(body: Any) -> Any:
        seen.append(1)
        return {"records": body["records"][1:]} if len(seen) == 2 else body

    server.alterations["GET storage/luns"] = second
    found = collected(endpoint, clock, needs([("array_volume_load", "latency_us")]))
    ds1 = uuid(server, "lun", "/vol/luns1/ds1")
    assert [(gap.what, gap.why) for gap in found.gaps] == [
        (f"GET storage/luns, metric: the record of volume {ds1}", "was not in the answer")
    ]


def test_nobody_knows_whose_load_is_missing_when_the_volumes_were_not_read(served: Served) -> None:
    server, endpoint, clock = served
    server.faults.active.append(Fault("status", "GET storage/luns", status=403, times=1))
    found = collected(endpoint, clock, needs([("array_volume_load", "latency_us")]))
    assert len(found.tables["array_volume_load"]) >= 5
    assert found.incomplete() == {"volumes", "volume_load"}


def test_counters_that_went_backwards_were_reset_in_between(served: Served) -> None:
    server, endpoint, clock = served
    seen: list[int] = []

    def restarted(body: Any) -> Any:
        seen.append(1)
        if len(seen) == 2:
            for row in body["records"]:
                for counter in row["counters"]:
                    counter["value"] = 0
        return body

    server.alterations["GET cluster/counter/tables/headroom_aggregate/rows"] = restarted
    found = collected(endpoint, clock, needs([("array_pool_load", "current_ops")]))
    sas = found.by("array_pool_load", "pool_id")[server.cluster.uuid("aggregate", "sas1")]
    assert (sas["current_ops"], sas["transfers_per_second"] is None, found.incomplete()) == (None, False, {"pool_load"})
