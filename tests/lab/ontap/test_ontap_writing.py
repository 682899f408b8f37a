"""What is written to the lab's ONTAP cluster sticks, is a job, and has the consequences that incident S3 tells of."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from auditor_lab.wire import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

TWIN_SCHEDULES = [f"2-hourly-{minute:02}" for minute in range(5, 60, 10)]


@pytest.fixture
def served(serve: Any, incident: Any, clock: Any) -> Iterator[tuple[httpx.Client, Any]]:
    with serve(incident, clock=clock) as (session, server):
        yield session, server


def find(session: httpx.Client, path: str, fields: str = "**", **query: str) -> Any:
    (record,) = session.get(f"/api/{path}", params={"fields": fields, **query}).json()["records"]
    return record


def patch(session: httpx.Client, path: str, body: Any, /, *, timeout: int | None = None, **query: str) -> httpx.Response:
    address = f"/api/{path}/{find(session, path, **query)['uuid']}" + ("" if timeout is None else f"?return_timeout={timeout}")
    return session.patch(address, json=body)


def job(session: httpx.Client, answer: httpx.Response) -> Any:
    return session.get(answer.json()["job"]["_links"]["self"]["href"]).json()


@pytest.mark.parametrize(
    ("path", "query", "body", "field", "expected"),
    [
        pytest.param(
            "storage/qos/policies",
            {"name": "vmware-2000"},
            {"fixed": {"max_throughput_iops": 3000}},
            "fixed",
            {
                "max_throughput_iops": 3000,
                "max_throughput_mbps": 0,
                "min_throughput_iops": 0,
                "min_throughput_mbps": 0,
                "capacity_shared": False,
            },
            id="a limit, and no other",
        ),
        pytest.param("storage/qos/policies", {"name": "vmware-2000"}, {"name": "new"}, "name", None, id="a name"),
        pytest.param(
            "storage/volume-efficiency-policies",
            {"name": "default"},
            {"schedule": {"name": "tue-fri-1930"}, "qos_policy": "background"},
            "schedule",
            {"name": "tue-fri-1930"},
            id="when dedup starts",
        ),
        pytest.param(
            "storage/luns",
            {"location.logical_unit": "ds01"},
            {"qos_policy": {"name": "vmware-shared"}},
            "qos_policy.name",
            "vmware-shared",
            id="the policy of a LUN",
        ),
        pytest.param(
            "storage/luns", {"location.logical_unit": "twin01"}, {"qos_policy": {"name": ""}}, "qos_policy", None, id="no policy on a LUN"
        ),
        pytest.param(
            "storage/volumes",
            {"name": "vm_nfs_01"},
            {"qos": {"policy": {"name": "vmware-2000"}}},
            "qos.policy.name",
            "vmware-2000",
            id="the policy of a volume",
        ),
        pytest.param(
            "storage/volumes",
            {"name": "twin_nfs_01"},
            {"qos": {"policy": {"name": "none"}}},
            "qos",
            None,
            id="no policy on a volume",
        ),
        pytest.param(
            "storage/volumes",
            {"name": "src_1"},
            {"efficiency": {"policy": {"name": "dedup-b"}}},
            "efficiency.policy.name",
            "dedup-b",
            id="the efficiency policy of a volume",
        ),
        pytest.param(
            "snapmirror/relationships",
            {"source.path": "svm-vmware:src_1"},
            {"transfer_schedule": {"name": "2-hourly"}},
            "transfer_schedule.name",
            "2-hourly",
            id="the schedule of a relationship",
        ),
        pytest.param(
            "snapmirror/relationships",
            {"source.path": "svm-vmware:src_1"},
            {"transfer_schedule": {"name": ""}},
            "transfer_schedule",
            None,
            id="no schedule but the policy's",
        ),
    ],
)
def test_a_write_is_a_job_and_sticks(
    served: tuple[httpx.Client, Any], path: str, query: dict[str, Any], body: Any, field: str, expected: Any
) -> None:
    session, _ = served
    before = find(session, path, **query)
    answer = patch(session, path, body, **query)
    assert answer.status_code == 202
    assert (job(session, answer)["state"], job(session, answer)["code"]) == ("success", 0)
    after = session.get(f"/api/{path}/{before['uuid']}", params={"fields": "**"}).json()
    value: Any = after
    for name in field.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    assert value == ("new" if field == "name" else expected)
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    assert changed <= {field.partition(".")[0], *body}, "nothing else has changed"
    others = [each for each in session.get(f"/api/{path}?fields=**").json()["records"] if each["uuid"] != before["uuid"]]
    assert others, "there is another record that must not change"


@pytest.mark.parametrize(
    ("path", "query", "body", "code"),
    [
        pytest.param("storage/qos/policies", {"name": "vmware-2000"}, {"fixed": {"max_throughput_iops": "9"}}, "262197", id="a string"),
        pytest.param("storage/qos/policies", {"name": "vmware-2000"}, {"fixed": {"max_throughput_iops": -1}}, "262197", id="below zero"),
        pytest.param(
            "storage/qos/policies",
            {"name": "vmware-2000"},
            {"fixed": {"min_throughput_iops": 2001}},
            "262197",
            id="a floor above the ceiling",
        ),
        pytest.param("storage/qos/policies", {"name": "vmware-2000"}, {"adaptive": {"peak_iops": 1}}, "262179", id="fixed made adaptive"),
        pytest.param("storage/luns", {"location.logical_unit": "ds01"}, {"qos_policy": {"name": "x"}}, "262197", id="no such policy"),
        pytest.param("storage/luns", {"location.logical_unit": "ds01"}, {"colour": "red"}, "262179", id="no such field"),
        pytest.param(
            "snapmirror/relationships",
            {"source.path": "svm-vmware:src_1"},
            {"transfer_schedule": {"name": "never"}},
            "262197",
            id="no such schedule",
        ),
        pytest.param("storage/volume-efficiency-policies", {"name": "default"}, {"qos_policy": "fast"}, "262197", id="no such priority"),
    ],
)
def test_a_write_that_makes_no_sense_changes_nothing(
    served: tuple[httpx.Client, Any], path: str, query: dict[str, Any], body: Any, code: str
) -> None:
    session, server = served
    before = find(session, path, **query)
    answer = patch(session, path, body, **query)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert (find(session, path, **query), server.jobs) == (before, {})


def test_a_workload_ends_with_the_policy_that_made_it(served: tuple[httpx.Client, Any]) -> None:
    session, _ = served
    limited = find(session, "storage/qos/workloads", volume="twin_nfs_01")
    address = f"/api/storage/qos/workloads/{limited['uuid']}"
    assert session.get(address).json()["policy"]["name"] == "vmware-2000"
    patch(session, "storage/volumes", {"qos": {"policy": {"name": "none"}}}, name="twin_nfs_01")
    assert session.get(address).status_code == 404
    assert find(session, "storage/qos/policies", name="vmware-2000")["object_count"] == 1


def test_a_job_takes_its_time_and_only_then_has_an_effect(serve: Any, incident: Any, clock: Any) -> None:
    with serve(dataclasses.replace(incident, job_seconds=5.0), clock=clock) as (session, _):
        answer = patch(session, "storage/qos/policies", {"fixed": {"max_throughput_iops": 3000}}, name="vmware-2000")
        assert job(session, answer)["state"] == "running"
        assert find(session, "storage/qos/policies", name="vmware-2000")["fixed"]["max_throughput_iops"] == 2000
        clock.now += 5
        assert find(session, "storage/qos/policies", name="vmware-2000")["fixed"]["max_throughput_iops"] == 3000
        assert job(session, answer)["state"] == "success"


def test_a_client_that_waits_long_enough_is_told_that_it_is_done(serve: Any, incident: Any) -> None:
    with serve(dataclasses.replace(incident, job_seconds=0.05)) as (session, _):
        body = {"fixed": {"max_throughput_iops": 3000}}
        assert patch(session, "storage/qos/policies", body, timeout=1, name="vmware-2000").status_code == 200
        assert patch(session, "storage/qos/policies", body, timeout=121, name="vmware-2000").status_code == 400


@pytest.mark.parametrize(
    ("outcome", "state", "ceiling"),
    [
        pytest.param("success", "success", 3000, id="carried out"),
        pytest.param("ignored", "success", 2000, id="taken and ignored"),
        pytest.param("failure", "failure", 2000, id="failed"),
        pytest.param("never", "running", 2000, id="under way for ever"),
    ],
)
def test_what_becomes_of_a_write_can_be_chosen(
    served: tuple[httpx.Client, Any], clock: Any, outcome: str, state: str, ceiling: int
) -> None:
    session, server = served
    server.outcome = outcome
    answer = patch(session, "storage/qos/policies", {"fixed": {"max_throughput_iops": 3000}}, name="vmware-2000")
    clock.now += 3600
    assert job(session, answer)["state"] == state
    assert find(session, "storage/qos/policies", name="vmware-2000")["fixed"]["max_throughput_iops"] == ceiling


def test_an_answer_that_is_lost_does_not_undo_the_write(served: tuple[httpx.Client, Any]) -> None:
    session, server = served
    server.faults.active.append(Fault("lose", operation="PATCH storage/qos/policies", times=1))
    with pytest.raises(httpx.RemoteProtocolError):
        patch(session, "storage/qos/policies", {"fixed": {"max_throughput_iops": 3000}}, name="vmware-2000")
    assert find(session, "storage/qos/policies", name="vmware-2000")["fixed"]["max_throughput_iops"] == 3000


def test_an_account_that_may_only_read_cannot_write(serve: Any, incident: Any) -> None:
    with serve(dataclasses.replace(incident, permissions=frozenset({"read"}))) as (session, server):
        answer = patch(session, "storage/qos/policies", {"fixed": {"max_throughput_iops": 3000}}, name="vmware-2000")
        assert (answer.status_code, answer.json()["error"]["code"], server.jobs) == (403, "6", {})


def test_what_cannot_be_written_is_refused(served: tuple[httpx.Client, Any]) -> None:
    session, _ = served
    assert patch(session, "cluster/nodes", {"name": "x"}, name="netapp-prod-01").status_code == 405
    assert session.patch("/api/storage/luns", json={}).status_code == 405
    assert session.delete("/api/storage/luns").status_code == 405
    assert session.patch("/api/storage/luns/0", json={}).status_code == 404
    assert session.patch("/api/storage/luns/0", content=b"[").status_code == 400


def counters(session: httpx.Client, table: str, **query: str) -> list[dict[str, Any]]:
    address = f"/api/cluster/counter/tables/{table}/rows"
    rows = session.get(address, params={"fields": "counters,properties", **query}).json()["records"]
    return [{each["name"]: each.get("value", each.get("values")) for each in row["counters"]} for row in rows]


def busy(session: httpx.Client, clock: Any, aggregate: str) -> tuple[float, float]:
    """Percent busy of a disk and its I/O operations a second over a minute, computed from two readings as the schemas say."""

    def read() -> dict[str, Any]:
        row = next(
            r for r in session.get("/api/cluster/counter/tables/disk%3Aconstituent/rows?fields=**").json()["records"] if aggregate in str(r)
        )
        return {each["name"]: each["value"] for each in row["counters"]}

    before = read()
    clock.now += 60
    after = read()
    grown = {name: after[name] - before[name] for name in after}
    return 100 * grown["disk_busy_percent"] / grown["base_for_disk_busy"], grown["total_transfer_count"] / 60


def test_the_aggregate_of_the_incident_is_80_percent_busy_with_6800_operations_a_second(served: Any, clock: Any) -> None:
    session, _ = served
    percent, operations = busy(session, clock, "/aggr_10k/")
    assert percent == pytest.approx(80, abs=1)
    assert operations * 67 == pytest.approx(6800, rel=0.01)
    (aggregate,) = session.get("/api/storage/aggregates?name=aggr_10k&fields=block_storage.primary").json()["records"]
    primary = aggregate["block_storage"]["primary"]
    assert (primary["disk_count"], primary["disk_class"], primary["raid_type"]) == (67, "performance", "raid_dp")
    assert session.get("/api/storage/disks?aggregates.name=aggr_10k&rpm=10000&return_records=false").json()["num_records"] == 67


def test_snapmirror_every_two_hours_takes_the_load_off_the_disks(served: Any, clock: Any) -> None:
    session, _ = served
    listed = session.get("/api/snapmirror/relationships?fields=transfer_schedule.name").json()["records"]
    assert [each["transfer_schedule"]["name"] for each in listed] == ["4-an-hour"] * 3 + ["3-an-hour"] * 3 + TWIN_SCHEDULES
    twin = busy(session, clock, "/aggr_twin/")
    for each in listed[:6]:
        session.patch(f"/api/snapmirror/relationships/{each['uuid']}", json={"transfer_schedule": {"name": "2-hourly"}})
    percent, _ = busy(session, clock, "/aggr_10k/")
    # The report says 40 %; in proportion to the transfers, and with everything else as it was, it is 46 %.
    assert percent == pytest.approx(46, abs=1)
    assert busy(session, clock, "/aggr_twin/") == pytest.approx(twin, rel=0.01)


def test_beyond_its_optimal_point_an_aggregate_collapses_and_takes_its_luns_with_it(served: Any, clock: Any) -> None:
    session, _ = served

    def latencies() -> dict[str, float]:
        """Milliseconds of an operation over a minute, by the counters."""
        before = counters(session, "headroom_aggregate")[0], counters(session, "lun")[0], counters(session, "disk:constituent")[0]
        clock.now += 60
        after = counters(session, "headroom_aggregate")[0], counters(session, "lun")[0], counters(session, "disk:constituent")[0]
        pairs = (
            ("current_latency", "current_ops"),
            ("average_read_latency", "read_ops"),
            ("user_write_latency", "user_write_block_count"),
        )
        reported = {}
        for (waited, count), held, later in zip(pairs, before, after, strict=True):
            assert later[waited] > held[waited], "sums only grow"
            reported[waited] = (later[waited] - held[waited]) / (later[count] - held[count]) / 1000
        return reported

    assert latencies() == pytest.approx(dict.fromkeys(("current_latency", "average_read_latency", "user_write_latency"), 1100), rel=0.01)
    sources = [each["uuid"] for each in session.get("/api/snapmirror/relationships").json()["records"]][:6]
    for uuid in sources:
        session.patch(f"/api/snapmirror/relationships/{uuid}", json={"throttle": 1})
    assert latencies()["current_latency"] == pytest.approx(1100, rel=0.01), "nothing was taken off the disks"
    for uuid in sources[:4]:  # four of six are enough to be back within 5,000 operations a second
        assert find(session, "storage/luns", name="*/ds01")["metric"]["latency"]["total"] == 1_100_000
        session.patch(f"/api/snapmirror/relationships/{uuid}", json={"transfer_schedule": {"name": "2-hourly"}})
    assert find(session, "storage/luns", name="*/ds01")["metric"]["latency"]["total"] == 6000
    assert find(session, "storage/aggregates", name="aggr_10k")["metric"]["latency"]["total"] == 6000
    assert latencies() == pytest.approx(dict.fromkeys(("current_latency", "average_read_latency", "user_write_latency"), 6), rel=0.01)


def test_what_is_measured_of_a_thing_is_as_slow_as_its_aggregate(served: Any, clock: Any) -> None:
    session, _ = served
    asked = {"storage/aggregates": "aggr_10k", "storage/volumes": "vm_nfs_01", "storage/luns": "*/ds01"}

    def grown_ms() -> list[float]:
        before = [find(session, path, name=name)["statistics"] for path, name in asked.items()]
        clock.now += 60
        after = [find(session, path, name=name)["statistics"] for path, name in asked.items()]
        pairs = zip(before, after, strict=True)
        return [
            (new["latency_raw"]["total"] - old["latency_raw"]["total"]) / (new["iops_raw"]["total"] - old["iops_raw"]["total"]) / 1000
            for old, new in pairs
        ]

    def now_ms() -> list[float]:
        measured = [find(session, path, name=name)["metric"]["latency"]["total"] / 1000 for path, name in asked.items()]
        return [*measured, find(session, "storage/disks", name="1.0.0")["stats"]["average_latency"]]

    assert now_ms() == [1100] * 4
    assert grown_ms() == pytest.approx([1100] * 3, rel=0.01)
    for each in session.get("/api/snapmirror/relationships").json()["records"]:
        session.patch(f"/api/snapmirror/relationships/{each['uuid']}", json={"transfer_schedule": {"name": "2-hourly"}})
    assert now_ms() == [6] * 4
    assert grown_ms() == pytest.approx([6] * 3, rel=0.01)


def test_headroom_tells_an_aggregate_beyond_its_optimal_point_from_one_that_is_not(served: Any) -> None:
    session, _ = served
    rows = counters(session, "headroom_aggregate")
    beyond = [row["ewma.daily"][0] > row["optimal_point.ops"] / row["optimal_point.samples"] for row in rows]
    assert beyond == [True, False, False]


def test_a_misaligned_lun_shows_in_the_histogram_and_a_healthy_one_does_not(served: Any) -> None:
    session, _ = served
    rows = counters(session, "lun")
    off = [1 - row["read_align_histogram"][0] / row["read_ops_sent"] for row in rows]
    assert off == pytest.approx([0.4, 0.07, 0.0, 0.0], abs=0.001)
    partial = [row["write_partial_blocks"] / row["write_ops"] for row in rows]
    assert partial == pytest.approx([0.2, 0.0, 0.0, 0.0], abs=0.001)


def test_a_query_by_counter_name_answers_only_those_counters(served: Any) -> None:
    session, _ = served
    for row in counters(session, "lun", **{"counters.name": "read_ops|write_ops"}):
        assert set(row) == {"read_ops", "write_ops"}
    schema = session.get("/api/cluster/counter/tables/disk%3Aconstituent").json()["counter_schemas"]
    busy_schema = next(each for each in schema if each["name"] == "disk_busy_percent")
    assert (busy_schema["type"], busy_schema["denominator"]) == ("percent", {"name": "base_for_disk_busy"})


def test_counters_only_grow(served: Any, clock: Any) -> None:
    session, _ = served
    before = counters(session, "disk:constituent")
    clock.now += 10
    assert all(
        after[name] >= value
        for row, after in zip(before, counters(session, "disk:constituent"), strict=True)
        for name, value in row.items()
    )


def test_every_schema_is_of_a_counter_that_the_rows_have_and_the_other_way_round(served: Any) -> None:
    session, _ = served
    tables = session.get("/api/cluster/counter/tables?fields=**").json()["records"]
    assert {each["name"] for each in tables} == {"disk:constituent", "headroom_aggregate", "lun", "system:node"}
    for table in tables:
        schemas = {each["name"] for each in table["counter_schemas"]}
        assert {name for row in counters(session, table["name"]) for name in row} == schemas
        assert {each["denominator"]["name"] for each in table["counter_schemas"] if "denominator" in each} <= schemas


def test_scrub_and_dedup_of_the_incident_can_be_read(served: Any) -> None:
    session, _ = served
    options = session.get("/api/private/cli/storage/raid-options?fields=value&name=raid.scrub.schedule").json()["records"]
    assert options[0]["value"] == "300m@sun@2"
    volumes = session.get("/api/storage/volumes?fields=efficiency.policy.name&aggregates.name=aggr_10k").json()["records"]
    assert {each["efficiency"]["policy"]["name"] for each in volumes} == {"default"}
    policy = find(session, "storage/volume-efficiency-policies", name="default")
    assert find(session, "cluster/schedules", name=policy["schedule"]["name"])["cron"] == {"minutes": [0], "hours": [0]}
