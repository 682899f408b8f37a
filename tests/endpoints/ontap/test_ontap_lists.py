"""How ONTAP's lists and pools are read: page by page, once each, and again while answers are too slow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import pytest

from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.ontap import counters
from auditor.endpoints.ontap.counters import CounterRow
from auditor.endpoints.ontap.lists import Lists
from auditor.endpoints.ontap.pools import Pools
from auditor.endpoints.ontap.qos import NO_POLICY
from auditor.endpoints.ontap.rows import Container
from auditor.endpoints.ontap.schedules import Timetable
from auditor.errors import CredentialsError, EndpointError
from auditor.facts.needs import Needs
from auditor.model import Gap
from tests.endpoints.ontap.ontap_rows import columns, counter, disk, wrong

if TYPE_CHECKING:
    from auditor.endpoints.ontap.client import OntapCluster


@dataclass
class Cluster:
    """A cluster that answers each path with pages, or raises."""

    answers: Mapping[str, Any]
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def pages(self, path: str, **params: str) -> Any:
        self.asked.append((path, params))
        answer = self.answers.get(path, [[]])
        if isinstance(answer, Exception):
            raise answer
        for page in answer:
            yield {"records": page}


def lists_of(answers: Mapping[str, Any]) -> tuple[Lists, Cluster]:
    cluster = Cluster(answers)
    return Lists(cast("OntapCluster", cluster), "na"), cluster


def test_a_collection_is_read_page_by_page_and_each_id_once() -> None:
    lists, cluster = lists_of({"x": [[{"uuid": "A"}, {"uuid": ""}, {}, "odd"], [{"uuid": "a"}, {"uuid": 5}, {"uuid": True}]]})
    parse_errors = ParseErrors("GET x")
    pages = list(lists.pages("x", "thing", parse_errors, fields="uuid"))
    assert [[record.label for record in page] for page in pages] == [["thing A"], ["thing 5"]]
    assert cluster.asked == [("x", {"fields": "uuid"})]
    assert sorted(wrong(parse_errors)) == [
        "entry 3 of records",
        "uuid of thing None",
        "uuid of thing None",
        "uuid of thing None",
        "uuid of thing a",
    ]
    inner = [[{"svm": {"name": "s"}, "name": "v"}, {"svm": {"name": "t"}, "name": "v"}, {"svm": "s", "name": "v"}, {"name": "v"}]]
    lists, _ = lists_of({"x": inner})
    found = [record.label for record in lists.records("x", "thing", parse_errors, key="svm.name/name")]
    assert found == ["thing s/v", "thing t/v"]


def test_a_table_has_a_row_for_each_record_and_its_gaps_follow() -> None:
    lists, cluster = lists_of({"x": [[{"uuid": "a"}], [{"uuid": "b"}, {}]]})
    items = list(lists.table("array_pool", lambda record: {"pool_id": record.value["uuid"]}, "x", "thing", fields="f"))
    batches = [(item.table, dict(item.columns)) for item in items if not isinstance(item, Gap)]
    assert batches == [("array_pool", {"endpoint": ["na"], "pool_id": [each]}) for each in ("a", "b")]
    [gap] = [item for item in items if isinstance(item, Gap)]
    assert (gap.endpoint, gap.what, cluster.asked) == ("na", "GET x: uuid of thing None", [("x", {"fields": "f"})])
    by_name, _ = lists_of({"x": [[{"name": "n"}]]})
    [one] = by_name.table("array_pool", lambda record: {"pool_id": record.label}, "x", "thing", key="name")
    assert not isinstance(one, Gap)
    assert one.columns["pool_id"] == ["thing n"]


def test_containers_and_schedules_are_asked_for_once() -> None:
    volume = {"uuid": "V-1", "name": "vol", "svm": {"name": "svm"}, "aggregates": [{"uuid": "A-1"}]}
    schedule = {"uuid": "s-1", "name": "daily", "type": "interval", "interval": "PT1H"}
    other = {**schedule, "uuid": "s-2", "name": "odd"}
    different = {**other, "uuid": "s-3", "interval": "PT2H"}
    same = {**schedule, "uuid": "s-4"}
    lists, cluster = lists_of({"storage/volumes": [[volume]], "cluster/schedules": [[schedule, other, different, same]]})
    parse_errors = ParseErrors("x")
    containers = lists.known_containers(parse_errors)
    assert {key: (one.path, one.pool_id) for key, one in containers.items()} == {"v-1": ("svm:vol", "a-1")}
    assert lists.schedules(parse_errors) == {"daily": Timetable(3600, None), "odd": Timetable(None, None)}
    assert wrong(parse_errors) == ["name of schedule s-3"]
    assert (lists.known_containers(parse_errors) is containers, len(lists.schedules(parse_errors)), len(cluster.asked)) == (True, 2, 2)
    assert dict(cluster.asked) == {
        "storage/volumes": {"fields": "uuid,name,svm.name,aggregates.uuid"},
        "cluster/schedules": {"fields": "uuid,name,type,cron,interval"},
    }
    known, asked = lists_of({})
    known.containers, known.containers_read = {"v": Container("v", "svm", "vol", None, NO_POLICY)}, True
    assert (list(known.known_containers(parse_errors)), asked.asked) == (["v"], [])


DISKS, HEADROOM = counters.DISKS, counters.HEADROOM
AGGREGATE = {
    "uuid": "A-1", "name": "aggr1", "node": {"name": "n1"}, "space": {"block_storage": {"size": 1}},
    "block_storage": {"primary": {"disk_class": "capacity", "disk_count": 12, "raid_type": "raid_dp"}},
}  # fmt: skip
FLASH_POOL = {**AGGREGATE, "block_storage": {**AGGREGATE["block_storage"], "hybrid_cache": {"enabled": True}}}  # type: ignore[dict-item]


def on_wire(row: CounterRow) -> dict[str, Any]:
    return {
        "id": row.row_id,
        "properties": [{"name": name, "value": value} for name, value in row.properties.items()],
        "counters": [counter(name, value) for name, value in row.values.items()],
    }


class Clock:
    """Time passes while somebody sleeps, and with each question."""

    def __init__(self, *slow: float) -> None:
        self.now, self.slow, self.slept = 1000.0, list(slow), list[float]()

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class Working(Cluster):
    """A cluster whose disk has worked once more with each reading, and which takes its time for each answer."""

    def __init__(self, answers: Mapping[str, Any], clock: Clock) -> None:
        super().__init__({}, [])
        self.fixed, self.clock, self.readings = answers, clock, 0

    def pages(self, path: str, **params: str) -> Any:
        if path == DISKS and path not in self.fixed:
            self.clock.now += self.clock.slow.pop(0) if self.clock.slow else 0.0
            self.readings += 1
            self.answers = {DISKS: [[on_wire(disk("1", times=self.readings)), on_wire(disk("ssd", times=self.readings))]]}
        elif path == HEADROOM:
            self.answers = {HEADROOM: [[]]}
        else:
            self.answers = self.fixed
        return super().pages(path, **params)


def pools_of(
    answers: Mapping[str, Any], *slow: float, topics: tuple[str, ...] = ("pools", "pool_load"), wanted: tuple[str, ...] = ()
) -> tuple[Pools, Working, Clock]:
    clock = Clock(*slow)
    cluster = Working(answers, clock)

    class Wanted(Needs):
        def properties(self, topic: str) -> tuple[str, ...]:
            assert topic == "pools"
            return wanted

    needs = Wanted(frozenset(), frozenset(topics))
    return Pools(Lists(cast("OntapCluster", cluster), "na"), needs, 5.0, clock, clock.sleep), cluster, clock


SPEEDS = "storage/disks"
TABLE = DISKS.removesuffix("/rows")


def test_an_aggregate_has_the_speed_of_its_slowest_disk_and_counts_its_data_disks_where_these_are_needed() -> None:
    speeds = [
        {"name": "1", "rpm": 10000, "aggregates": [{"uuid": "A-1"}]},
        {"name": "2", "rpm": 7200, "aggregates": [{"uuid": "a-1"}, "odd"]},
        {"name": "3", "rpm": 15000, "aggregates": [{"uuid": "A-1"}]},
        {"name": "ssd", "rpm": None, "aggregates": [{"uuid": "A-1"}]},
        {"name": "ssd2", "rpm": 0, "aggregates": [{"uuid": "A-1"}]},
        {"name": "spare", "rpm": 5400},
    ]
    answers = {"storage/aggregates": [[AGGREGATE]], SPEEDS: [speeds]}
    pools, cluster, _ = pools_of(answers, wanted=(SPEEDS, TABLE))
    found, gaps = columns(pools.pools())
    assert (found["pool_id"], found["rpm"], found["data_disks"], gaps) == (["a-1"], [7200], [2], [])
    assert (pools.pools_read, pools.pool_ids, pools.flash_pools) == (True, {"aggr1": "a-1"}, set())
    assert pools.spinning == {"1", "2", "3", "spare"}
    assert [path for path, _ in cluster.asked] == [DISKS, HEADROOM, SPEEDS, "storage/aggregates"], "the first reading is used again"
    assert [params["fields"] for _, params in cluster.asked[:3]] == [
        *["id,properties,counters,aggregation"] * 2,
        "name,rpm,aggregates.uuid",
    ]
    assert [params.get("counters.name", "").split("|") for _, params in cluster.asked[:2]] == [
        ["disk_busy_percent", "base_for_disk_busy", "total_transfer_count", "user_read_count", "user_write_count", "cp_read_count"],
        ["current_ops", "current_latency", "optimal_point.ops", "optimal_point.samples"],
    ]
    pools, cluster, _ = pools_of(answers, topics=("pools",))
    found, gaps = columns(pools.pools())
    assert (found["rpm"], found["data_disks"], gaps) == ([None], [None], [])
    assert [path for path, _ in cluster.asked] == ["storage/aggregates"]
    assert cluster.asked[0][1]["fields"].split(",")[:2] == ["uuid", "name"]
    pools, cluster, _ = pools_of(answers, topics=("pools",), wanted=(TABLE,))
    assert columns(pools.pools())[0]["data_disks"] == [2]
    assert [path for path, _ in cluster.asked] == [DISKS, "storage/aggregates"]


def test_what_cannot_be_asked_about_disks_is_a_gap_and_the_aggregates_are_read() -> None:
    refused = EndpointError("no permission", why="", do="")
    aggregates = {"storage/aggregates": [[AGGREGATE]]}
    pools, _, _ = pools_of({**aggregates, SPEEDS: refused, DISKS: refused}, wanted=(SPEEDS, TABLE))
    found, gaps = columns(pools.pools())
    assert (found["rpm"], found["data_disks"], pools.spinning) == ([None], [None], None)
    assert [(gap.what, gap.why) for gap in gaps] == [(f"GET {SPEEDS}", "no permission"), (f"GET {DISKS}", "no permission")]
    with pytest.raises(EndpointError, match="no permission"):
        list(pools.pool_load())
    for path, wanted in ((SPEEDS, (SPEEDS,)), (DISKS, (TABLE,)), (DISKS, ())):
        pools, _, _ = pools_of({**aggregates, path: CredentialsError("refused", why="", do="")}, wanted=wanted)
        with pytest.raises(CredentialsError):
            list(pools.pools())


def test_load_is_what_happened_in_an_interval() -> None:
    pools, _, clock = pools_of({"storage/aggregates": [[AGGREGATE]]})
    list(pools.pools())
    clock.now += 2
    found, gaps = columns(pools.pool_load())
    assert (found["endpoint"], found["pool_id"], found["transfers_per_second"], clock.slept) == (["na"], ["a-1"], [400.0], [3.0])
    assert [gap.what.rpartition(": ")[2] for gap in gaps] == ["its headroom of aggregate aggr1"]
    clock.now += 100
    assert columns(pools.pool_load())[0]["transfers_per_second"] == [2 * 2000 / 105.0]
    assert clock.slept[1:] == [0.0], "the interval is over"


def test_load_without_the_aggregates_is_not_whole() -> None:
    pools, _, clock = pools_of({}, topics=("pool_load",))
    found, gaps = columns(pools.pool_load())
    assert (found.get("pool_id", []), clock.slept) == ([], [5.0])
    assert [gap.what.rpartition(": ")[2] for gap in gaps] == ["completeness of the answer"]


def test_a_flash_pool_asks_for_its_spinning_disks() -> None:
    answers = {"storage/aggregates": [[FLASH_POOL]], SPEEDS: [[{"name": "1", "rpm": 7200}]]}
    pools, _, _ = pools_of(answers)
    list(pools.pools())
    assert pools.flash_pools == {"aggr1"}
    assert columns(pools.pool_load())[0]["transfers_per_second"] == [200.0]
    refused, _, _ = pools_of({**answers, SPEEDS: EndpointError("no permission", why="", do="")})
    list(refused.pools())
    found, gaps = columns(refused.pool_load())
    assert (found["transfers_per_second"], f"GET {SPEEDS}" in {gap.what for gap in gaps}) == ([None], True)


def test_counters_are_read_again_while_answers_are_too_slow_for_rates() -> None:
    # 2 s for an answer are 1 s of uncertainty, 20 % of the interval of 5 s; then answers come at once
    pools, cluster, clock = pools_of({"storage/aggregates": [[AGGREGATE]]}, 2.0, 2.0)
    list(pools.pools())
    found, _ = columns(pools.pool_load())
    assert (len(found["pool_id"]), cluster.readings) == (1, 4)
    assert clock.slept[1:] == [5.0, 10.0]
    # of the third and the fourth reading, 10 s apart
    assert found["transfers_per_second"] == [200.0]
    pools, cluster, clock = pools_of({"storage/aggregates": [[AGGREGATE]]}, *[40.0] * 9)
    list(pools.pools())
    found, gaps = columns(pools.pool_load())
    assert (found, clock.slept[:3]) == ({}, [0.0, 5.0, 10.0])
    assert [gap.what.rpartition(": ")[2] for gap in gaps] == ["rates of all aggregates"]
    assert gaps[0].why.endswith("40.0 s")
