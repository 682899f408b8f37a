"""What is read from an ONTAP cluster where nothing is wrong, and only that."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.ontap.wire import PAGE
from auditor.facts.needs import needs
from auditor_lab.arrays.ontap.parts import LunDescription
from tests.endpoints.ontap.ontap_cluster import CLUSTER, Collected, Served, collected, serving
from tests.endpoints.ontap.ontap_reading import all_of, change, picked, uuid

if TYPE_CHECKING:
    from pathlib import Path


QUARTERS = [hour * 60 + minute for hour in range(24) for minute in (0, 15, 30, 45)]


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
        "nfs2": ("by-size", None, None, False, "all-nas", 20000, True),  # its ceiling goes by its size: a view works it out
        "/vol/luns1/ds1": ("gold", 5000, 100_000_000, False, None, None, True),
        "/vol/luns2/ds2": (None, None, None, None, "together", 3000, True),
        "/vol/vv/data.vmdk": (None, None, None, None, None, None, True),
    }


def test_what_is_used_of_a_volume_is_read_and_the_size_of_what_a_policy_around_it_is_given_to(whole: Collected) -> None:
    """The lab's volumes and LUNs are half full; a policy of an SVM goes by no size."""
    for name, row in whole.by("array_volume", "name").items():
        assert row["used_bytes"] * 2 == row["size_bytes"]
        of_file_system = (row.get("qos_group_size_bytes"), row.get("qos_group_used_bytes"))
        assert of_file_system == ((1 << 40, 1 << 39) if name == "/vol/luns2/ds2" else (None, None))


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
    transfers = picked(whole.tables["array_replication"], "transfer_state", "transfer_bytes", "transfer_seconds")
    assert set(transfers) == {("success", 1 << 30, 300)}
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
        pytest.param(("array_host", "host_type"), ["protocols/san/igroups", "svm/svms"], id="hosts, and whether NVMe has more"),
        pytest.param(("array_address", "address"), ["network/ip/interfaces"], id="addresses"),
    ],
)
def test_only_what_is_needed_is_asked_for(served: Served, fact: tuple[str, str], asked: list[str]) -> None:
    server, endpoint, clock = served
    found = collected(endpoint, clock, needs([fact]))
    assert server.requests == ["GET cluster", *(f"GET {path}" for path in asked)]
    assert found.incomplete() == set()
    assert found.tables[fact[0]][0][fact[1]] is not None


@pytest.mark.long
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


@pytest.mark.parametrize(("version", "burst"), [("9.18.1", None), ("9.19.1", 8000)])
def test_a_burst_above_a_ceiling_is_asked_for_of_releases_that_have_one(tmp_path: Path, version: str, burst: int | None) -> None:
    policies = tuple(dataclasses.replace(each, burst=(60, 30)) for each in CLUSTER.qos_policies)
    with serving(tmp_path, dataclasses.replace(CLUSTER, version=version, qos_policies=policies)) as (_, endpoint, clock):
        found = collected(endpoint, clock, needs([("array_qos_policy", "burst_iops"), ("array_volume", "qos_burst_iops")]))
    assert found.gaps == []
    assert {row["burst_iops"] for row in found.tables["array_qos_policy"] if row["name"] == "gold"} == {burst}
    assert {row["qos_burst_iops"] for row in found.tables["array_volume"] if row["qos_policy"] == "gold"} == {burst}
