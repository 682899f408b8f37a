"""Answers of an ONTAP cluster that are odd, cut off or refused: unknown, and never taken for nothing."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.ontap.client import open_ontap
from auditor.endpoints.ontap.collect import collect_ontap
from auditor.facts.needs import needs
from auditor_lab.arrays.ontap.parts import NodeDescription, RaidOptionDescription
from auditor_lab.wire import Fault
from tests.endpoints.ontap.ontap_cluster import CLUSTER, Collected, Served, collected, serving
from tests.endpoints.ontap.ontap_reading import all_of, change, picked

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("operation", "alter", "table", "column", "topic"),
    [
        pytest.param("storage/luns", change("space.size", None), "array_volume", "size_bytes", "volumes", id="null for a number"),
        pytest.param(
            "storage/luns", change("space.size", "1.5e9 Bytes"), "array_volume", "size_bytes", "volumes", id="a text for a number"
        ),
        pytest.param(
            "storage/luns", change("serial_number", "short"), "array_volume", "device", "volumes", id="a serial number that is none"
        ),
        pytest.param("storage/luns", change("serial_number", "80D7A]KjYhJ\u00e4"), "array_volume", "device", "volumes", id="beyond ASCII"),
        pytest.param("storage/luns", change("class", "quantum"), "array_volume", "kind", "volumes", id="a class that nobody knows"),
        pytest.param("storage/luns", change("location.volume.uuid", "gone"), "array_volume", "pool_id", "volumes", id="a volume not told"),
        pytest.param("storage/luns", change("status", "online"), "array_volume", "status", "volumes", id="a text for an object"),
        pytest.param(
            "storage/qos/policies", change("fixed.max_throughput_iops", -1), "array_qos_policy", "max_iops", "qos_policies", id="below 0"
        ),
        pytest.param("storage/aggregates", change("block_storage", ...), "array_pool", "disks", "pools", id="a part that is missing"),
        pytest.param("cluster/nodes", change("name", None), "array_node", "name", "nodes", id="a node without a name"),
        pytest.param("protocols/san/lun-maps", change("logical_unit_number", "x"), "array_connection", "lun", "connections", id="a LUN id"),
        pytest.param(
            "storage/volumes", change("efficiency.schedule", "noon", 1), "array_efficiency", "start_minutes", "efficiency", id="noon"
        ),
        pytest.param(
            "snapmirror/relationships", change("lag_time", "soon"), "array_replication", "lag_seconds", "replication", id="no length"
        ),
        pytest.param(
            "private/cli/storage/raid-options", change("value", "at night"), "array_scrub", "start_minutes", "scrub", id="no scrub schedule"
        ),
    ],
)
def test_a_field_that_is_not_understood_is_null_and_told(
    served: Served, operation: str, alter: Any, table: str, column: str, topic: str
) -> None:
    server, endpoint, clock = served
    server.alterations[f"GET {operation}"] = alter
    found = collected(endpoint, clock, needs([(table, column)]))
    assert None in [row[column] for row in found.tables[table]]
    assert found.incomplete() >= {topic}
    assert found.gaps


@pytest.mark.parametrize(
    ("operation", "alter", "table", "column", "expected"),
    [
        pytest.param(
            "storage/luns", change("space.size", "536870912000"), "array_volume", "size_bytes", 500 << 30, id="a number as a string"
        ),
        pytest.param("storage/luns", change("colour", "red"), "array_volume", "size_bytes", 500 << 30, id="a field nobody knows yet"),
        pytest.param(
            "storage/luns", change("serial_number_hex", "80" * 12), "array_volume", "device", "naa.600a0980" + "80" * 12, id="hex told"
        ),
        pytest.param(
            "storage/qos/policies",
            change("fixed.max_throughput", ["900KB/s", "5000IOPS"]),
            "array_qos_policy",
            "max_bytes_per_second",
            900_000,
            id="kilobytes, which megabytes cannot tell",
        ),
        pytest.param(
            "storage/qos/policies",
            change("fixed.max_throughput_mbps", ...),
            "array_qos_policy",
            "max_bytes_per_second",
            None,
            id="no limit told",
        ),
    ],
)
def test_what_is_said_in_other_words_is_understood(
    served: Served, operation: str, alter: Any, table: str, column: str, expected: Any
) -> None:
    server, endpoint, clock = served
    server.alterations[f"GET {operation}"] = alter
    found = collected(endpoint, clock, needs([(table, column)]))
    values = [row[column] for row in found.tables[table] if row.get("kind") != "share"]
    assert (values[0], found.gaps) == (expected, [])


@pytest.mark.parametrize(
    "break_it",
    [
        pytest.param(lambda s: s.faults.active.append(Fault("status", "GET svm/svms", status=403)), id="the SVMs may not be read"),
        pytest.param(lambda s: s.alterations.update({"GET storage/qos/policies": change("fixed", "x")}), id="its policy is not understood"),
        pytest.param(
            lambda s: s.alterations.update({"GET storage/qos/policies": lambda b: b | {"records": [], "num_records": 0}}), id="unknown"
        ),
        pytest.param(lambda s: s.alterations.update({"GET storage/luns": change("qos_policy", "gold")}), id="its own is not told as one"),
        pytest.param(
            lambda s: s.alterations.update({"GET storage/luns": change("location.volume.uuid", "gone")}), id="what it is in is unknown"
        ),
    ],
)
def test_qos_that_is_not_all_known_is_never_called_read(served: Served, break_it: Any) -> None:
    server, endpoint, clock = served
    break_it(server)
    found = collected(endpoint, clock, needs([("array_volume", "qos_read")]))
    (lun,) = [row for row in found.tables["array_volume"] if row["name"] == "/vol/luns1/ds1"]
    assert lun["qos_read"] is False
    assert found.incomplete()


LISTS = [
    ("cluster/nodes", "array_node", "nodes"),
    ("storage/qos/policies", "array_qos_policy", "qos_policies"),
    ("storage/aggregates", "array_pool", "pools"),
    ("storage/luns", "array_volume", "volumes"),
    ("network/ip/interfaces", "array_address", "addresses"),
    ("protocols/san/igroups", "array_host", "array_hosts"),
    ("protocols/san/lun-maps", "array_connection", "connections"),
    ("protocols/san/vvol-bindings", "vvol_binding", "bindings"),
    ("snapmirror/relationships", "array_replication", "replication"),
    ("storage/volumes", "array_efficiency", "efficiency"),
    ("private/cli/storage/raid-options", "array_scrub", "scrub"),
]


@pytest.mark.parametrize(("path", "table", "topic"), LISTS, ids=[path for path, _, _ in LISTS])
class TestEveryList:
    def test_a_record_that_comes_twice_is_kept_once(self, served: Served, whole: Collected, path: str, table: str, topic: str) -> None:
        server, endpoint, clock = served
        server.alterations[f"GET {path}"] = lambda body: {"records": body["records"][:1] + body["records"]}
        found = collected(endpoint, clock, all_of(table))
        assert found.tables[table] == whole.tables[table]
        assert topic in found.incomplete()
        assert any("twice" in gap.why for gap in found.gaps)

    @pytest.mark.parametrize("odd", [None, {}, "x"], ids=["null", "without an id", "a string"])
    def test_an_entry_that_is_no_record_is_left_out_and_told(
        self, served: Served, whole: Collected, path: str, table: str, topic: str, odd: Any
    ) -> None:
        server, endpoint, clock = served
        server.alterations[f"GET {path}"] = lambda body: {"records": [*body["records"], odd]}
        found = collected(endpoint, clock, all_of(table))
        assert found.tables[table] == whole.tables[table]
        assert topic in found.incomplete()

    @pytest.mark.parametrize("odd", [None, {"a": 1}, 3], ids=["null", "an object", "a number"])
    def test_no_list_at_all_is_not_an_empty_one(self, served: Served, path: str, table: str, topic: str, odd: Any) -> None:
        server, endpoint, clock = served
        server.alterations[f"GET {path}"] = lambda _: {"records": odd}
        assert topic in collected(endpoint, clock, all_of(table)).incomplete()

    def test_a_list_the_account_may_not_read_leaves_only_its_own_hole(self, served: Served, path: str, table: str, topic: str) -> None:
        server, endpoint, clock = served
        server.faults.active.append(Fault("status", f"GET {path}", status=403))
        found = collected(endpoint, clock)
        if path == "storage/luns":
            assert {row["kind"] for row in found.tables[table]} == {"share"}
        else:
            assert found.tables[table] == []
        follows = {
            "qos_policies": {"volumes"},
            "pools": {"pool_load", "background_jobs"},
            "volumes": {"volume_load", "protocol_endpoints", "bindings"},
            "nodes": {"scrub", "background_jobs"},
            "replication": {"background_jobs"},
            "efficiency": {"volumes", "volume_load", "replication", "background_jobs"},
        }
        assert found.incomplete() == {topic} | follows.get(topic, set())


def test_one_field_missing_everywhere_is_one_gap(served: Served) -> None:
    server, endpoint, clock = served

    def alter(body: Any) -> Any:
        return {"records": [{name: value for name, value in each.items() if name != "os_type"} for each in body["records"]]}

    server.alterations["GET protocols/san/igroups"] = alter
    found = collected(endpoint, clock, needs([("array_host", "name")]))
    assert [gap.why for gap in found.gaps] == ["is missing where a string was expected"]
    assert "and 2 more" in found.gaps[0].what


def test_pages_cut_off_leave_what_came_before_and_a_gap(served: Served) -> None:
    server, endpoint, clock = served

    def cut(body: Any) -> Any:
        return {"records": body["records"][:2], "num_records": 2, "_links": {"next": {"href": "/api/storage/luns?start.uuid=gone"}}}

    server.alterations["GET storage/luns"] = lambda body: cut(body) if "records" in body else body
    found = collected(endpoint, clock, needs([("array_volume", "name")]))
    assert [row["name"] for row in found.tables["array_volume"] if row["kind"] != "share"] == ["/vol/luns1/ds1", "/vol/luns2/ds2"]
    assert found.incomplete() == {"volumes"}


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        pytest.param(
            lambda s: s.faults.active.append(Fault("status", "GET private/cli/storage/raid-options", status=403)), "may not", id="403"
        ),
        pytest.param(
            lambda s: s.alterations.update({"GET private/cli/storage/raid-options": lambda _: {"records": []}}), "is not known", id="empty"
        ),
    ],
)
def test_scrubs_that_are_not_known_are_never_called_off(served: Served, break_it: Any, said: str) -> None:
    server, endpoint, clock = served
    break_it(server)
    found = collected(endpoint, clock, needs([("array_scrub", "schedule")]))
    assert (found.tables["array_scrub"], found.incomplete()) == ([], {"scrub"})
    assert any(said in gap.why for gap in found.gaps)


def test_a_release_without_the_command_line_says_that_scrubs_are_not_known(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    from auditor_lab.arrays.ontap.resources import BY_PATH

    monkeypatch.delitem(BY_PATH, "private/cli/storage/raid-options")
    found = collected(served[1], served[2], needs([("array_scrub", "schedule")]))
    assert next(gap.why for gap in found.gaps).startswith(
        "endpoint na-east: it does not offer private/cli/storage/raid-options, so when its disks"
    )
    assert found.incomplete() == {"scrub"}


def test_a_node_of_which_no_scrub_is_known_is_missed(tmp_path: Path) -> None:
    three = dataclasses.replace(
        CLUSTER,
        nodes=(*CLUSTER.nodes, NodeDescription(name="n3")),
        raid_options=(RaidOptionDescription(node="n1", name="raid.scrub.schedule", value="-"),),
    )
    with serving(tmp_path, three) as (_, endpoint, clock):
        found = collected(endpoint, clock, needs([("array_scrub", "schedule")]))
    # A node with spinning disks: daily at 1, on Sundays for twelve hours.
    assert picked(found.tables["array_scrub"], "node_id", "schedule", "start_minutes", "duration_minutes") == [
        ("n1", "default", "[60]", 720)
    ]
    assert [gap.what for gap in found.gaps] == ["GET private/cli/storage/raid-options: raid.scrub.schedule of node n2 and 1 more"]


@pytest.mark.parametrize("operation", ["", "GET cluster/counter/tables/disk:constituent/rows", "GET storage/disks", "GET svm/svms"])
def test_credentials_that_are_refused_in_mid_run_are_not_tried_again(served: Served, operation: str) -> None:
    server, endpoint, clock = served
    with open_ontap(endpoint) as cluster:
        server.faults.active.append(Fault("status", operation, status=401))
        found = Collected(collect_ontap(cluster, endpoint, clock=clock, sleep=clock.sleep))
    refused = server.requests.count(operation) if operation else len(server.requests) - 1
    assert refused == 1, "each further try could lock the account"
    assert "pool_load" in found.incomplete()


def test_two_schedules_of_one_name_that_differ_are_neither(served: Served) -> None:
    server, endpoint, clock = served

    def twice(body: Any) -> Any:
        first = next(each for each in body["records"] if each["name"] == "quarterly")
        return {"records": [*body["records"], {**first, "uuid": "another", "cron": {"minutes": [7]}}]}

    server.alterations["GET cluster/schedules"] = twice
    found = collected(endpoint, clock, needs([("array_replication", "interval_seconds")]))
    row = next(row for row in found.tables["array_replication"] if row["schedule"] == "quarterly")
    assert (row["interval_seconds"], row["start_minutes"], found.incomplete()) == (None, None, {"replication"})
