"""Counters become rates, means and percentages between two readings, and lists become tables, with no cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import pytest

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.ontap import counters
from auditor.endpoints.ontap.counters import CounterRow, Sample
from auditor.endpoints.ontap.lists import Lists
from auditor.endpoints.ontap.pools import Pools
from auditor.endpoints.ontap.qos import NO_POLICY
from auditor.endpoints.ontap.rows import Container
from auditor.endpoints.ontap.schedules import Timetable
from auditor.errors import CredentialsError, EndpointError
from auditor.facts.needs import Needs
from auditor.model import Gap

if TYPE_CHECKING:
    from auditor.endpoints.ontap.client import OntapCluster

UUID = "11111111-2222-3333-4444-ABCDEF000001"


def wrong(parse_errors: ParseErrors) -> list[str]:
    """What could not be understood, of which object."""
    return [f"{what} of {label}" for (what, _), labels in parse_errors._heard.items() for label in labels]


def counter(name: str, value: Any) -> dict[str, Any]:
    return {"name": name, "value": value}


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


COUNTED = {
    "disk_busy_percent": 10.0,
    "base_for_disk_busy": 100.0,
    "total_transfer_count": 1000.0,
    "user_read_count": 300.0,
    "user_write_count": 200.0,
}


def disk(
    name: str, *, kind: str = "data", group: str = "/aggr1/plex0/rg0", times: float = 0, part: str = "", **changes: float | None
) -> CounterRow:
    """A disk that has worked so many times COUNTED."""
    values = {counter: value * times for counter, value in COUNTED.items()} | {
        key: value for key, value in changes.items() if value is not None
    }
    values = {key: value for key, value in values.items() if changes.get(key, 0) is not None}
    about = {"raid.type": kind, "raid_group": group} | ({"physical_disk_name": part} if part else {})
    return CounterRow(name, about, values, {})


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
IDLE = {"busy_percent": None, "disk_iops": None, "transfers_per_second": None, "user_transfers_per_second": None, **NOTHING}


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


def test_a_disk_is_never_busier_than_all_of_the_time_and_one_that_did_nothing_has_no_share() -> None:
    found, _ = loads(sample(0, disk("1")), sample(1, disk("1", times=1, disk_busy_percent=200.0)))
    assert found["a-1"]["busy_percent"] == 100.0
    found, _ = loads(sample(0, disk("1")), sample(1, disk("1")))
    assert (found["a-1"]["busy_percent"], found["a-1"]["transfers_per_second"]) == (None, 0.0)
    found, _ = loads(sample(0, disk("1", kind="parity")), sample(1, disk("1", kind="parity", times=1)))
    assert (found["a-1"]["disk_iops"], found["a-1"]["transfers_per_second"]) == (None, 1000.0)


@pytest.mark.parametrize(
    ("first", "last"),
    [
        pytest.param(sample(0), sample(1, disk("1", times=1)), id="a disk that is new"),
        pytest.param(sample(0, disk("1", times=2)), sample(1, disk("1", times=1)), id="counters that went backwards"),
        pytest.param(sample(0, disk("1", user_read_count=None)), sample(1, disk("1", times=1)), id="a counter that was missing"),
        pytest.param(sample(0, disk("1")), sample(1, disk("1", times=1, user_read_count=None)), id="a counter that is missing"),
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
    first, last = sample(5, disk("1"), headroom=rows_then), sample(25, disk("1"), headroom=rows_now, headroom_at=15)
    found, errors = loads(first, last, pools=pools)
    assert {name: found[UUID.lower()][name] for name in columns} == columns
    assert errors == (["its headroom of aggregate aggr1"] if columns == NOTHING else [])
    same_time = sample(25, disk("1"), headroom=rows_now, headroom_at=5)
    assert {name: loads(first, same_time, pools=pools)[0][UUID.lower()][name] for name in NOTHING} == NOTHING


def test_headroom_is_of_the_aggregate_in_its_name_and_of_spinning_disks_before_flash() -> None:
    pools = {"aggr1": "a-1", "aggr10": "a-10"}
    first = sample(
        0, headroom=[headroom(name, **ZERO) for name in ("DISK_SSD_aggr1_x", "DISK_HDD_aggr1_x", "DISK_HDD_aggr10_y", "DISK_HDD_z")]
    )
    grown = {"DISK_SSD_aggr1_x": 1.0, "DISK_HDD_aggr1_x": 2.0, "DISK_HDD_aggr10_y": 3.0, "DISK_HDD_z": 4.0}
    last = sample(1, headroom=[headroom(name, **{**ZERO, "current_ops": value}) for name, value in grown.items()])
    found, _ = loads(first, last, pools=pools)
    assert {pool: row["current_ops"] for pool, row in found.items()} == {"a-1": 2.0, "a-10": 3.0}
    assert [counters._pool_of(headroom(f"DISK_HDD_renamed_{name}"), {"aggr1": "a-1"}) for name in ("A-1", "b-1")] == ["a-1", ""]
    assert counters._pool_of(CounterRow("DISK_HDD_aggr1", {}, {}, {}), {"aggr1": "a-1"}) == ""


# Lists, a page at a time


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


# Aggregates


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


def columns(items: Any) -> tuple[dict[str, list[Any]], list[Gap]]:
    listed = list(items)
    gaps = [item for item in listed if isinstance(item, Gap)]
    assert {gap.endpoint for gap in gaps} <= {"na"}
    batches = [item for item in listed if not isinstance(item, Gap)]
    assert [batch.table for batch in batches] in ([], ["array_pool"], ["array_pool_load"])
    return ({name: list(values) for name, values in batches[0].columns.items()} if batches else {}), gaps


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
    assert [params["fields"] for _, params in cluster.asked[:3]] == [*["id,properties,counters"] * 2, "name,rpm,aggregates.uuid"]
    assert [params.get("counters.name", "").split("|") for _, params in cluster.asked[:2]] == [
        ["disk_busy_percent", "base_for_disk_busy", "total_transfer_count", "user_read_count", "user_write_count"],
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
