"""What is read from an ONTAP cluster is whole, or says where it is not."""

from __future__ import annotations

import copy
import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.ontap.client import PAGE, open_ontap
from auditor.endpoints.ontap.collect import collect_ontap
from auditor.facts.needs import needs
from auditor.facts.schema import ARRAY_TOPICS, TABLES
from auditor.lab.arrays.ontap.parts import LunDescription, NodeDescription, RaidOptionDescription
from auditor.lab.wire import Fault
from auditor.model import Endpoint, EndpointKind
from tests.endpoints.ontap.ontap_cluster import CLUSTER, Clock, Collected, collected, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from auditor.facts.needs import Needs
    from auditor.lab.arrays.ontap.server import OntapServer

    Served = tuple[OntapServer, Endpoint, Clock]

TOPICS = set(ARRAY_TOPICS[EndpointKind.ONTAP])
QUARTERS = [hour * 60 + minute for hour in range(24) for minute in (0, 15, 30, 45)]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("ontap"), CLUSTER) as served:
        yield served


@pytest.fixture
def served(shared: Served) -> Iterator[Served]:
    server, _, clock = shared
    server.requests.clear()
    clock.slept.clear()
    yield shared
    server.alterations.clear()
    server.faults.active.clear()


@pytest.fixture(scope="module")
def whole(shared: Served) -> Collected:
    """What is read where nothing is wrong; read once, before anything is."""
    found = collected(shared[1], shared[2])
    assert [(gap.what, gap.why) for gap in found.gaps] == []
    assert found.incomplete() == set()
    return found


def uuid(server: OntapServer, kind: str, name: str) -> str:
    """The id of a volume by its name, or of a LUN by its path, as the lab itself knows it."""
    if kind == "volume":
        return next(each.uuid for each in server.cluster.volumes if each.about.name == name)
    return next(each.uuid for each in server.cluster.luns if each.path == name)


def picked(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def all_of(table: str) -> Needs:
    return needs((table, column) for column in TABLES[table].names)


def test_the_cluster_its_nodes_and_its_pools(served: Served, whole: Collected) -> None:
    server = served[0]
    assert whole.tables["array"] == [{"family": "ontap", "name": "na", "array_id": server.cluster.uuid("cluster"), "version": "9.14.1"}]
    assert picked(whole.tables["array_node"], "node_id", "name", "state", "version", "model") == [
        ("n1", "n1", "up", "9.14.1", "FAS8200"),
        ("n2", "n2", "up", "9.14.1", "AFF-A400"),
    ]
    # 18 disks in groups of 16 are two groups, each with two disks of parity; 6 disks are one.
    assert picked(whole.tables["array_pool"], "name", "node_id", "media", "rpm", "disks", "data_disks", "raid_type", "size_bytes") == [
        ("sas1", "n1", "hdd", 10000, 18, 14, "raid_dp", 14 * 900 * 10**9),
        ("ssd1", "n2", "ssd", None, 6, 4, "raid_dp", 4 * 900 * 10**9),
    ]


def test_addresses_are_those_of_interfaces_in_one_spelling(whole: Collected) -> None:
    found = {(row["svm"], row["address"]) for row in whole.tables["array_address"]}
    assert found == {("san", "192.0.2.11"), ("nas", "192.0.2.9"), ("nas", "fd00::9")}


def test_qos_policies_tell_their_ceilings_or_that_they_cannot(whole: Collected) -> None:
    columns = ("name", "kind", "min_iops", "max_iops", "max_bytes_per_second", "is_shared", "is_read", "volumes")
    assert picked(whole.tables["array_qos_policy"], *columns) == [
        ("gold", "fixed", 200, 5000, 100_000_000, False, True, 1),
        ("together", "fixed", None, 3000, None, True, True, 1),
        # Its ceilings go by the size of each volume: none is told here, and that is not "no ceiling".
        ("by-size", "adaptive", None, None, None, False, False, 1),
        ("all-nas", "fixed", None, 20000, None, True, True, 1),
        ("free", "fixed", None, None, None, False, True, 1),
    ]
    assert json.loads(whole.by("array_qos_policy", "name")["by-size"]["raw"])["peak_iops"] == 4000


@pytest.mark.parametrize(
    ("text", "iops", "rate", "is_read"),
    [
        # Test texts of NetApp/harvest: docs/domain/facts.md#7-6.
        pytest.param("5000IOPS", 5000, None, True, id="operations"),
        pytest.param("100iops", 100, None, True, id="operations in lower case"),
        pytest.param("15000IOPS,468.8MB/s", 15000, 468_800_000, True, id="operations and bytes"),
        pytest.param("50000IOPS,1.53GB/s", 50000, 1_530_000_000, True, id="operations and gigabytes"),
        pytest.param("INF", None, None, True, id="no limit"),
        pytest.param("5000 per second", None, None, False, id="other words"),
    ],
)
def test_a_ceiling_in_words_is_read_or_unknown(served: Served, text: str, iops: int | None, rate: int | None, is_read: bool) -> None:
    server, endpoint, clock = served

    def in_words(body: Any) -> Any:
        fixed = {"capacity_shared": False, "max_throughput": text}
        return {"records": [each | {"fixed": fixed} if each["name"] == "gold" else each for each in body["records"]]}

    server.alterations["GET storage/qos/policies"] = in_words
    gold = collected(endpoint, clock, all_of("array_qos_policy")).by("array_qos_policy", "name")["gold"]
    assert (gold["max_iops"], gold["max_bytes_per_second"], gold["is_read"]) == (iops, rate, is_read)


def test_luns_shares_and_vvols_are_volumes_and_protocol_endpoints_are_not(served: Served, whole: Collected) -> None:
    server = served[0]
    ssd = server.cluster.uuid("aggregate", "ssd1")
    found = whole.by("array_volume", "name")
    # luns1 has a path as well, and its SVM does not serve NFS.
    assert set(found) == {"nfs1", "nfs2", "/vol/luns1/ds1", "/vol/luns2/ds2", "/vol/vv/data.vmdk"}
    columns = ("kind", "svm", "pool_id", "export_path", "is_virtual", "status", "size_bytes")
    assert picked([found["nfs1"]], *columns) == [
        ("share", "nas", server.cluster.uuid("aggregate", "sas1"), "/nfs1", False, "online", 1 << 40)
    ]
    assert picked([found["/vol/luns1/ds1"]], *columns) == [("lun", "san", ssd, None, False, "online", 500 << 30)]
    assert picked([found["/vol/vv/data.vmdk"]], *columns) == [("vvol", "san", ssd, None, True, "online", 500 << 30)]
    assert {name: row["os_type"] for name, row in found.items() if row["kind"] == "lun"} == {
        "/vol/luns1/ds1": "vmware",
        "/vol/luns2/ds2": "linux",
    }
    # The name is 600a0980 and the bytes of the serial number, whose case matters: docs/domain/arrays.md#device-names
    assert found["/vol/luns1/ds1"]["device"] == "naa.600a0980" + "".join(f"{ord(each):02x}" for each in "80D7A]KjYhJR")
    assert {row["device"] for name, row in found.items() if not name.endswith(("ds1", "ds2"))} == {None}
    assert found["/vol/vv/data.vmdk"]["vvol_id"] == found["/vol/vv/data.vmdk"]["volume_id"]
    (endpoint,) = whole.tables["array_protocol_endpoint"]
    assert endpoint["device"] == "naa.600a0980" + b"wpEzy]QpkWFm".hex()
    (binding,) = whole.tables["vvol_binding"]
    assert (binding["vvol_id"], binding["protocol_endpoint_id"]) == (
        uuid(server, "lun", "/vol/vv/data.vmdk"),
        endpoint["protocol_endpoint_id"],
    )
    assert binding["device"] == endpoint["device"]


def test_the_qos_of_a_volume_is_its_own_and_what_holds_around_it(whole: Collected) -> None:
    columns = ("qos_policy", "qos_max_iops", "qos_max_bytes_per_second", "qos_shared", "qos_group", "qos_group_max_iops", "qos_read")
    found = whole.by("array_volume", "name")
    assert {name: picked([row], *columns)[0] for name, row in found.items()} == {
        "nfs1": ("free", None, None, False, "all-nas", 20000, True),
        "nfs2": ("by-size", None, None, False, "all-nas", 20000, False),
        "/vol/luns1/ds1": ("gold", 5000, 100_000_000, False, None, None, True),
        "/vol/luns2/ds2": (None, None, None, None, "together", 3000, True),
        "/vol/vv/data.vmdk": (None, None, None, None, None, None, True),
    }


def test_hosts_are_known_by_their_initiators_as_hosts_tell_them(served: Served, whole: Collected) -> None:
    hosts = {row["array_host_id"]: row["name"] for row in whole.tables["array_host"]}
    assert picked(whole.tables["array_host"], "name", "host_type") == [("esx", "vmware"), ("esx-iscsi", "linux"), ("nobody", "vmware")]
    assert [(hosts[row["array_host_id"]], row["initiator"], row["kind"]) for row in whole.tables["array_initiator"]] == [
        ("esx", "21000024ff0a0101", "fc"),
        ("esx", "21000024ff0a0102", "fc"),
        ("esx-iscsi", "iqn.1998-01.com.vmware:esx-1", "iscsi"),
    ]
    ds1 = uuid(served[0], "lun", "/vol/luns1/ds1")
    assert [(hosts[row["array_host_id"]], row["lun"]) for row in whole.tables["array_connection"] if row["volume_id"] == ds1] == [
        ("esx", 0),
        ("esx-iscsi", 0),
    ]


def test_replication_is_known_from_this_side_and_with_its_schedule(served: Served, whole: Collected) -> None:
    server = served[0]
    columns = ("role", "source", "destination", "policy", "schedule", "schedule_read", "interval_seconds", "is_healthy", "lag_seconds")
    assert picked(whole.tables["array_replication"], *columns) == [
        ("destination", "nas:nfs1", "nas:dr", "MirrorAllSnapshots", "quarterly", True, 900, True, 900),
        ("destination", "far:orig", "nas:dr", "hourly", "every-20", True, 1200, False, 3600),
        ("source", "nas:nfs1", "nas:dr", "MirrorAllSnapshots", "quarterly", True, 900, True, 900),
        # Only the cluster that holds the destination decides when these run.
        ("source", "nas:nfs2", "away:copy", "hourly", None, False, None, True, 90000),
        ("source", "nas:nfs1", "away:other", "MirrorAllSnapshots", None, False, None, True, 900),
    ]
    rows = whole.by("array_replication", "replication_id").values()
    here, there = (
        next(row for row in rows if row["role"] == role and row["destination"] == "nas:dr") for role in ("source", "destination")
    )
    assert (here["volume_id"], there["volume_id"]) == (uuid(server, "volume", "nfs1"), uuid(server, "volume", "dr"))
    assert here["pool_id"] == server.cluster.uuid("aggregate", "sas1")
    assert json.loads(here["start_minutes"]) == QUARTERS
    assert next(row for row in rows if row["source"] == "far:orig")["start_minutes"] is None, "an interval counts from an unknown moment"


def test_efficiency_tells_when_it_starts_by_policy_or_by_its_own_schedule(whole: Collected) -> None:
    columns = ("volume", "state", "policy", "schedule", "start_minutes", "duration_minutes", "qos_policy")
    assert picked(whole.tables["array_efficiency"], *columns) == [
        ("nas:nfs1", "enabled", "default", "midnight", "[0]", None, "best_effort"),
        ("nas:nfs2", "enabled", None, "sun-sat@0", "[0]", None, None),
        ("san:luns1", "enabled", "evening", "weekly", "[1170]", 240, "background"),
        ("san:luns2", "enabled", "off", "midnight", "[]", None, "background"),
        ("san:vv", "enabled", "when-full", None, None, None, "background"),
        ("nas:dr", "disabled", None, None, None, None, None),
    ]


def test_a_scrub_without_a_schedule_runs_by_the_default_and_is_not_off(whole: Collected) -> None:
    assert picked(whole.tables["array_scrub"], "node_id", "schedule", "start_minutes", "duration_minutes") == [
        ("n1", "300m@sun@2,8h@wed@22", "[120, 1320]", 480),
        ("n2", "default", "[60]", 360),  # all flash: Sundays at 1 for six hours
    ]


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
    ("fact", "asked"),
    [
        pytest.param(("array", "name"), ["cluster"], id="the cluster"),
        pytest.param(("array_pool", "media"), ["storage/aggregates"], id="pools without their disks"),
        pytest.param(("array_pool", "rpm"), ["storage/disks", "storage/aggregates"], id="the speed of their disks"),
        pytest.param(("array_pool", "data_disks"), ["cluster/counter/tables/disk:constituent/rows", "storage/aggregates"], id="data disks"),
        pytest.param(
            ("array_volume_load", "latency_us"),
            ["storage/qos/policies", "svm/svms", "storage/volumes", "storage/luns", "storage/volumes", "storage/luns"],
            id="load without alignment",
        ),
        pytest.param(("array_scrub", "schedule"), ["private/cli/storage/raid-options", "cluster/nodes"], id="scrubs"),
        pytest.param(("vvol_binding", "device"), ["storage/luns", "protocols/san/vvol-bindings"], id="bindings and whose device they name"),
        pytest.param(("array_host", "host_type"), ["protocols/san/igroups"], id="hosts"),
        pytest.param(("array_address", "address"), ["network/ip/interfaces"], id="addresses"),
    ],
)
def test_only_what_is_needed_is_asked_for(served: Served, fact: tuple[str, str], asked: list[str]) -> None:
    server, endpoint, clock = served
    found = collected(endpoint, clock, needs([fact]))
    assert server.requests == ["GET cluster", *(f"GET {path}" for path in asked)]
    assert found.incomplete() == set()
    assert found.tables[fact[0]][0][fact[1]] is not None


def change(path: str, value: Any, at: int = 0) -> Any:
    """An alteration: the record at that place has this value at a dotted path; Ellipsis takes it away."""

    def alter(body: Any) -> Any:
        body = copy.deepcopy(body)
        where = body["records"][at]
        *above, name = path.split(".")
        for each in above:
            where = where[each]
        if value is ...:
            del where[name]
        else:
            where[name] = value
        return body

    return alter


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
            "pools": {"pool_load"},
            "volumes": {"volume_load", "protocol_endpoints", "bindings"},
            "nodes": {"scrub"},
            "efficiency": {"volumes", "volume_load", "replication"},
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


def test_2001_luns_are_all_read_a_page_at_a_time(tmp_path: Path) -> None:
    luns = tuple(LunDescription(name=f"l{place}", volume="luns1", qos_policy="gold") for place in range(2001))
    many = dataclasses.replace(CLUSTER, luns=luns)
    with serving(tmp_path, many, timeout=20) as (server, endpoint, clock):
        found = collected(endpoint, clock, needs([("array_volume", "name")]))
        assert server.requests.count("GET storage/luns") == 3
    assert found.gaps == []
    assert [row["name"] for row in found.tables["array_volume"] if row["kind"] == "lun"] == [
        f"/vol/luns1/l{place}" for place in range(2001)
    ]
    assert found.largest_batch <= PAGE


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
    from auditor.lab.arrays.ontap.resources import BY_PATH

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


@pytest.mark.parametrize("operation", ["", "GET cluster/counter/tables/disk:constituent/rows", "GET storage/disks", "GET svm/svms"])
def test_credentials_that_are_refused_in_mid_run_are_not_tried_again(served: Served, operation: str) -> None:
    server, endpoint, clock = served
    with open_ontap(endpoint) as cluster:
        server.faults.active.append(Fault("status", operation, status=401))
        found = Collected(collect_ontap(cluster, endpoint, clock=clock, sleep=clock.sleep))
    refused = server.requests.count(operation) if operation else len(server.requests) - 1
    assert refused == 1, "each further try could lock the account"
    assert "pool_load" in found.incomplete()


def test_a_policy_of_the_svm_holds_beside_a_volumes_own_and_a_third_one_has_no_place(served: Served) -> None:
    server, endpoint, clock = served
    gold, together = (next(each for each in server.cluster.qos if each.name == name) for name in ("gold", "together"))
    policy = {"uuid": together.uuid.upper(), "name": together.name}
    server.alterations["GET svm/svms"] = lambda body: {"records": [{**each, "qos_policy": policy} for each in body["records"]]}
    found = collected(endpoint, clock, needs([("array_volume", "qos_read")])).by("array_volume", "name")
    columns = ("qos_policy_id", "qos_max_iops", "qos_group_id", "qos_group_max_iops", "qos_read")
    assert picked([found["/vol/luns1/ds1"]], *columns) == [(gold.uuid, 5000, together.uuid, 3000, True)]
    # Its volume's policy and its SVM's: only one of them can be told, so that not all of it is.
    assert picked([found["/vol/luns2/ds2"]], *columns) == [(None, None, together.uuid, 3000, False)]


@pytest.mark.parametrize(
    ("changes", "media"),
    [
        pytest.param([("block_storage.hybrid_cache.enabled", True)], "mixed", id="disks behind a flash cache"),
        pytest.param([("block_storage.primary.disk_class", "capacity")], "hdd", id="slow disks"),
        pytest.param(
            [("block_storage.primary.disk_class", "solid_state"), ("block_storage.hybrid_cache.enabled", True)], "ssd", id="flash"
        ),
        pytest.param([("block_storage.primary.disk_class", "virtual")], "virtual", id="disks of a virtual machine, on whatever it lies"),
        pytest.param([("block_storage.primary.disk_class", "array")], None, id="LUNs of another array, which may be anything"),
    ],
)
def test_the_media_of_a_pool_are_those_of_its_disks(served: Served, changes: list[tuple[str, Any]], media: str | None) -> None:
    server, endpoint, clock = served

    def alter(body: Any) -> Any:
        for path, value in changes:
            body = change(path, value)(body)
        return body

    server.alterations["GET storage/aggregates"] = alter
    assert collected(endpoint, clock, needs([("array_pool", "media")])).tables["array_pool"][0]["media"] == media


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


def test_two_schedules_of_one_name_that_differ_are_neither(served: Served) -> None:
    server, endpoint, clock = served

    def twice(body: Any) -> Any:
        first = next(each for each in body["records"] if each["name"] == "quarterly")
        return {"records": [*body["records"], {**first, "uuid": "another", "cron": {"minutes": [7]}}]}

    server.alterations["GET cluster/schedules"] = twice
    found = collected(endpoint, clock, needs([("array_replication", "interval_seconds")]))
    row = next(row for row in found.tables["array_replication"] if row["schedule"] == "quarterly")
    assert (row["interval_seconds"], row["start_minutes"], found.incomplete()) == (None, None, {"replication"})
