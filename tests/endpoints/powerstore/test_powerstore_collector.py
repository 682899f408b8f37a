"""What is read from a PowerStore is whole, or says where it is not."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.powerstore import collect
from auditor.endpoints.powerstore.client import open_powerstore
from auditor.endpoints.powerstore.collect import collect_powerstore
from auditor.facts.needs import EVERYTHING, Needs, needs
from auditor.facts.schema import ARRAY_TOPICS
from auditor.facts.volume_states import WAITING_COPY
from auditor.model import EndpointKind
from auditor_lab.arrays.powerstore.description import (
    AlertDescription,
    ExportDescription,
    HostDescription,
    LoadDescription,
    NasServerDescription,
    PowerStoreDescription,
    QosPolicyDescription,
    VolumeDescription,
    VolumeGroupDescription,
    VvolDescription,
)
from auditor_lab.wire import Fault
from tests.endpoints.arrays import Collected, serving_array

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TOPICS = ARRAY_TOPICS[EndpointKind.POWERSTORE]
VVOL = "6c0b25ea-3f77-4f1f-93d1-e189df2385b9"
PS = PowerStoreDescription(
    name="ps-1",
    id="0a4c9d7e-58b1-4f36-9c20-7d1e63b5a842",
    appliances=("Appliance-1", "Appliance-2"),
    qos_policies=(
        QosPolicyDescription(name="silver", max_iops=2000, max_bw=102_400, burst_percentage=50),
        QosPolicyDescription(name="by-size", max_iops=10, density=True),
        QosPolicyDescription(name="batch", max_bw=204_800),
    ),
    volume_groups=(VolumeGroupDescription(name="nightly", qos_policy="batch"), VolumeGroupDescription(name="loose")),
    volumes=(
        VolumeDescription(
            name="db",
            qos_policy="silver",
            host_groups=("farm",),
            snapshots=2,
            load=LoadDescription(read_iops=300, write_iops=100, io_bytes=8192),
        ),
        VolumeDescription(name="log", group="nightly", hosts=("esx-3",), priority="Low"),
        VolumeDescription(name="grows", qos_policy="by-size", group="loose", hosts=("nvme-1",)),
        VolumeDescription(name="both", metro=True, hosts=("esx-3", "nvme-1")),
    ),
    host_groups=("farm",),
    hosts=(
        HostDescription(name="esx-1", host_group="farm", fc=("2100f4c7aa002706",)),
        HostDescription(name="esx-2", host_group="farm", iscsi=("iqn.1998-01.com.vmware:ESX-2",)),
        HostDescription(name="esx-3", os_type="Linux", iscsi=("iqn.1998-01.com.vmware:esx-3",)),
        HostDescription(name="nvme-1", nvme=("nqn.2014-08.com.vmware:nvme-1",)),
    ),
    containers=("vvols",),
    vvols=(VvolDescription(name="db.vmdk", id=VVOL, priority="High"),),
    alerts=(
        AlertDescription(code="0x00302401", severity="Critical", text="A node\nis down.", resource="Appliance-1-Node-B"),
        AlertDescription(code="0x00302402", severity="Minor", acknowledged=True),
        AlertDescription(code="0x00302403", cleared=True),
    ),
    failed_nodes=("Appliance-1-Node-B",),
)


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., tuple[Any, Collected]]:
    def reading(wanted: Needs = EVERYTHING, faults: tuple[Fault, ...] = (), alter: Any = None, **changes: Any) -> tuple[Any, Collected]:
        serving = serving_array(EndpointKind.POWERSTORE, dataclasses.replace(PS, **changes), tmp_path)
        with serving as (server, endpoint), open_powerstore(endpoint) as array:
            server.faults.active.extend(faults)
            server.alterations.update(alter or {})
            return server, Collected(collect_powerstore(array, endpoint, wanted), wanted.topics_of(EndpointKind.POWERSTORE))

    return reading


def test_everything_of_it_is_read_without_a_gap(read: Any) -> None:
    _, found = read()
    assert found.gaps == []
    assert set(found.complete) == set(TOPICS)
    assert found.incomplete() == set()
    assert found.tables["array"] == [
        {
            "endpoint": "ps-east",
            "family": "powerstore",
            "name": "ps-1",
            "array_id": "ps0a4c9d7e58b1",
            "version": "4.1.0.0",
            "model": "PowerStore 1200T",
        }
    ]
    assert sorted(found.column("array_node", "name", "state")) == [
        ("Appliance-1-Node-A", "Healthy"),
        ("Appliance-1-Node-B", "Failed"),
        ("Appliance-2-Node-A", "Healthy"),
        ("Appliance-2-Node-B", "Healthy"),
    ]
    assert found.column("array_pool", "pool_id", "name") == [("a1", "Appliance-1"), ("a2", "Appliance-2")]
    alerts = found.by("array_alert", "code")
    assert set(alerts) == {"0x00302401", "0x00302402"}, "what was cleared is over"
    critical = alerts["0x00302401"]
    assert (critical["severity"], critical["own_severity"], critical["is_open"]) == ("critical", "Critical", True)
    assert (critical["summary"], critical["component"]) == ("A node is down.", "Appliance-1-Node-B")
    assert (alerts["0x00302402"]["severity"], alerts["0x00302402"]["is_open"]) == ("warning", False)


NAS = (
    NasServerDescription(
        name="nas-1",
        addresses=("192.0.2.60", "2001:DB8::60"),
        disabled_addresses=("192.0.2.69",),
        backup_address="192.0.2.61",
        exports=(ExportDescription(name="vm", snapshots=1), ExportDescription(name="deep", path="/vm/deep", file_policy=True)),
    ),
    NasServerDescription(name="nas-2", file_policy=True, exports=(ExportDescription(name="vm2", size_bytes=1 << 30),)),
)


def shares_of(found: Collected) -> dict[str, tuple[Any, ...]]:
    columns = ("svm", "export_path", "size_bytes", "qos_read", "qos_max_bytes_per_second", "is_virtual")
    return {row["name"]: tuple(row[one] for one in columns) for row in found.tables["array_volume"] if row.get("kind") == "share"}


def test_exports_of_nas_servers_are_shares_that_hosts_mount_by_name(read: Any) -> None:
    _, found = read(nas_servers=NAS)
    assert found.gaps == []
    assert sorted(found.column("array_address", "address", "svm")) == [("192.0.2.60", "nas-1"), ("2001:db8::60", "nas-1")]
    assert shares_of(found) == {
        "vm": ("nas-1", "/vm", 1 << 40, True, None, False),
        "deep": ("nas-1", "/deep", 1 << 40, False, None, False),
        "vm2": ("nas-2", "/vm2", 1 << 30, False, None, False),
    }
    assert "db" in found.by("array_volume"), "beside its volumes"


# Source: the OpenAPI definitions, nas_server_instance: in destination mode "User file systems are all unmounted"; file_interface_instance:
# a clone for a test "can operate with same IP address(es)".
@pytest.mark.parametrize(
    ("changes", "addresses", "state"),
    [
        pytest.param({"is_production_mode_enabled": False}, [], WAITING_COPY, id="it waits for another one"),
        pytest.param({"is_dr_test": True}, [], None, id="a clone for a test"),
        pytest.param({"is_production_mode_enabled": None, "is_dr_test": None}, ["192.0.2.60", "2001:db8::60"], None, id="not filled"),
    ],
)
def test_a_nas_server_under_the_addresses_of_another_one_has_none(
    read: Any, changes: dict[str, Any], addresses: list[str], state: str | None
) -> None:
    _, found = read(nas_servers=NAS[:1], alter={"GET nas_server": lambda listed: [one | changes for one in listed]})
    assert found.gaps == []
    assert sorted(found.column("array_address", "address")) == addresses
    assert {row["status"] for row in found.tables["array_volume"] if row["kind"] == "share"} == {state}


def test_a_host_of_nutanix_is_none_of_esxi(read: Any) -> None:
    _, found = read(alter={"GET host": lambda listed: [{**one, "os_type": "AHV"} for one in listed]})
    assert (found.gaps, {row["host_type"] for row in found.tables["array_host"]}) == ([], {"AHV"})


def test_before_4_1_no_share_has_a_limit(read: Any) -> None:
    _, found = read(nas_servers=NAS, version="4.0.0.0")
    assert found.gaps == []
    assert {name: row[3] for name, row in shares_of(found).items()} == {"vm": True, "deep": True, "vm2": True}


@pytest.mark.parametrize(
    ("resource", "alter", "words"),
    [
        pytest.param("nas_server", lambda listed: listed[1:], "nas_server_id", id="a server that is not listed"),
        pytest.param("file_system", lambda listed: listed[1:], "file_system_id", id="a file system that is not listed"),
        pytest.param(
            "file_system", lambda listed: [{**one, "filesystem_type": "Other"} for one in listed], "filesystem_type", id="another type"
        ),
        pytest.param("file_interface", lambda listed: [{**one, "role": "Both"} for one in listed], "role", id="another role"),
    ],
)
def test_what_is_not_understood_of_files_costs_the_addresses_alone(read: Any, resource: str, alter: Any, words: str) -> None:
    _, found = read(nas_servers=NAS, alter={f"GET {resource}": alter})
    assert found.incomplete() == {"addresses"}
    assert any(words in str(gap) for gap in found.gaps)


def test_an_account_that_may_not_see_files_still_sees_the_volumes(read: Any) -> None:
    _, found = read(nas_servers=NAS, faults=(Fault("status", "GET nas_server", status=403),))
    assert found.incomplete() == {"addresses"}
    assert shares_of(found) == {}
    assert "db" in found.by("array_volume")


def test_a_volume_has_its_own_ceiling_and_that_of_its_group(read: Any) -> None:
    _, found = read()
    volumes = found.by("array_volume")
    assert set(volumes) == {"db", "log", "grows", "both", "db.vmdk"}, "a snapshot is no volume that a host sees"
    own = ("qos_policy", "qos_max_iops", "qos_burst_iops", "qos_max_bytes_per_second", "qos_shared", "qos_priority", "qos_read")
    group = ("qos_group", "qos_group_max_iops", "qos_group_max_bytes_per_second")
    assert {name: tuple(row[column] for column in (*own, *group)) for name, row in volumes.items()} == {
        "db": ("silver", 2000, 3000, 104_857_600, False, "Medium", True, None, None, None),
        "log": (None, None, None, None, None, "Low", True, "nightly", None, 209_715_200),
        "grows": ("by-size", None, None, None, False, "Medium", False, None, None, None),
        "both": (None, None, None, None, None, "Medium", True, None, None, None),
        "db.vmdk": (None, None, None, None, None, "High", True, None, None, None),
    }
    policies = found.by("array_qos_policy")
    columns = ("kind", "max_iops", "burst_iops", "max_bytes_per_second", "is_shared", "is_read", "volumes")
    assert {name: tuple(row[column] for column in columns) for name, row in policies.items()} == {
        "silver": ("policy", 2000, 3000, 104_857_600, False, True, None),
        "by-size": ("density", None, None, None, False, False, None),
        "batch": ("policy", None, None, 209_715_200, False, True, None),
        "nightly": ("volume_group", None, None, 209_715_200, True, True, 1),
    }
    assert policies["by-size"]["raw"] == '{"type": "Density", "max_iops": 10, "burst_percentage": 0}'


def test_a_volume_goes_by_the_name_that_its_hosts_see(read: Any) -> None:
    _, found = read()
    volumes = found.by("array_volume")
    assert {name: row["device"][:13] for name, row in volumes.items() if not row["is_virtual"]} == {
        "db": "naa.68ccf0980",
        "log": "naa.68ccf0980",
        "grows": f"eui.{volumes['grows']['device'][4:13]}",
        "both": "naa.68ccf0980",
    }
    assert volumes["grows"]["device"].startswith("eui."), "its only host comes by NVMe"
    assert (volumes["both"]["pod"] is None, volumes["db"]["pod"]) == (False, None), "a metro volume lies on a second cluster"
    vvol = volumes["db.vmdk"]
    assert (vvol["kind"], vvol["is_virtual"], vvol["vvol_id"], vvol["volume_id"]) == ("vvol", True, VVOL, VVOL)
    assert {row["pool_id"] for row in found.tables["array_volume"]} == {"a1", "a2"}


def test_hosts_and_what_they_reach_are_told_host_by_host(read: Any) -> None:
    _, found = read()
    hosts = found.by("array_host")
    assert {name: (row["host_group"], row["host_type"]) for name, row in hosts.items()} == {
        "esx-1": ("farm", "ESXi"),
        "esx-2": ("farm", "ESXi"),
        "esx-3": (None, "Linux"),
        "nvme-1": (None, "ESXi"),
    }
    assert sorted(found.column("array_initiator", "initiator", "kind")) == [
        ("2100f4c7aa002706", "fc"),
        ("iqn.1998-01.com.vmware:esx-2", "iscsi"),
        ("iqn.1998-01.com.vmware:esx-3", "iscsi"),
        ("nqn.2014-08.com.vmware:nvme-1", "nvme"),
    ]
    volume = {row["volume_id"]: row["name"] for row in found.tables["array_volume"]}
    host = {row["array_host_id"]: row["name"] for row in found.tables["array_host"]}
    assert sorted((volume[row["volume_id"]], host[row["array_host_id"]], row["lun"]) for row in found.tables["array_connection"]) == [
        *(("both", "esx-3", 4), ("both", "nvme-1", 4), ("db", "esx-1", 1), ("db", "esx-2", 1), ("grows", "nvme-1", 3), ("log", "esx-3", 2)),
    ]


def test_the_load_is_that_of_the_newest_interval(read: Any) -> None:
    def older_last(samples: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [samples[-1], {**samples[0], "total_iops": 7.0}]

    _, found = read(alter={"POST metrics/generate": older_last})
    volume = {row["volume_id"]: row["name"] for row in found.tables["array_volume"]}
    loads = {volume[row["volume_id"]]: row for row in found.tables["array_volume_load"]}
    columns = ("average_io_bytes", "actual_iops", "latency_us", "bytes_per_second", "throttle_us")
    assert tuple(loads["db"][column] for column in columns) == (8192, 400, 400, 3_276_800, None)
    assert tuple(loads["log"][column] for column in columns) == (None, 0, 0, 0, None)
    assert "db.vmdk" not in loads, "the API has no metrics of a single virtual volume"


@pytest.mark.parametrize(
    "version", [pytest.param("3.6.1.0", id="3.6, without QoS"), pytest.param("1.0.4.0", id="1.0, without names of initiators as well")]
)
def test_a_release_without_qos_has_none_which_is_no_gap(read: Any, version: str) -> None:
    plain = tuple(dataclasses.replace(one, qos_policy=None) for one in PS.volumes)
    groups = tuple(VolumeGroupDescription(name=one.name) for one in PS.volume_groups)
    hosts = (*PS.hosts[:3], HostDescription(name="nvme-1", iscsi=("iqn.1998-01.com.vmware:nvme-1",)))
    server, found = read(version=version, qos_policies=(), volume_groups=groups, volumes=plain, hosts=hosts)
    assert found.gaps == [], found.gap_text()
    volumes = found.by("array_volume")
    assert set(volumes) == {"db", "log", "grows", "both", "db.vmdk"}
    assert {row["qos_read"] for row in volumes.values()} == {True}
    assert {row["qos_max_iops"] for row in volumes.values()} == {None}
    assert volumes["log"]["qos_priority"] == "Low"
    assert found.tables["array_qos_policy"] == []
    assert not {"GET io_limit_rule", "GET volume_group"} & set(server.requests)
    assert len(found.tables["array_initiator"]) == 4


@pytest.mark.parametrize(
    ("operation", "lost"),
    [
        pytest.param("GET io_limit_rule", {"qos_policies"}, id="rules"),
        pytest.param("GET policy", {"qos_policies", "volumes"}, id="policies"),
        pytest.param("GET volume_group", {"qos_policies"}, id="volume groups"),
    ],
)
def test_a_part_of_its_qos_that_was_not_read_leaves_no_volume_without_a_doubt(read: Any, operation: str, lost: set[str]) -> None:
    _, found = read(faults=(Fault("status", operation, status=500),))
    assert found.incomplete() == lost
    volumes = found.by("array_volume")
    assert {name for name, row in volumes.items() if row["qos_read"] is not True} == {"db", "grows", "log", "both"}
    assert len(found.gaps) == len(lost)


def test_hosts_that_cannot_be_read_leave_the_names_of_volumes_unknown(read: Any) -> None:
    _, found = read(faults=(Fault("status", "GET host", status=500),))
    assert found.incomplete() == {"array_hosts", "connections", "volumes"}
    assert {row["device"] for row in found.tables["array_volume"] if not row["is_virtual"]} == {None}


def test_what_makes_no_sense_is_a_gap_of_its_field_alone(read: Any) -> None:
    def odd(volumes: list[dict[str, Any]]) -> list[Any]:
        return [{**one, "wwn": "naa.6", "state": "Sleeping"} if one["name"] == "db" else one for one in volumes]

    _, found = read(alter={"GET volume": odd})
    assert found.incomplete() == {"volumes"}
    db = found.by("array_volume")["db"]
    assert (db["device"], db["status"], db["qos_max_iops"]) == (None, None, 2000)
    assert sorted(found.gap_text().splitlines()) == [
        "GET volume: state of volume db: is 'Sleeping', which is not known",
        "GET volume: wwn of volume db: is a str that is not an NAA name",
    ]


def test_a_volume_without_a_sample_is_not_idle_but_a_gap(read: Any) -> None:
    _, found = read(needs({("array_volume_load", "actual_iops")}), alter={"POST metrics/generate": lambda _: []})
    assert "volume_load" in found.incomplete()
    assert "the samples of volume" in found.gap_text()
    assert {row["actual_iops"] for row in found.tables["array_volume_load"]} == {None}


def test_more_volumes_than_are_asked_for_their_load_is_a_gap(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collect, "MOST_LOADS", 3)
    server, found = read(needs({("array_volume_load", "actual_iops")}))
    assert server.requests.count("POST metrics/generate") == 3
    assert "volume_load" in found.incomplete()
    assert "it has 4 volumes, and each takes a request" in found.gap_text()


def test_snapshots_of_virtual_volumes_are_none_and_a_clone_says_of_what(read: Any) -> None:
    def cloned(volumes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{**one, "type": "Clone", "protection_data": {"parent_id": "P-1"}} if one["name"] == "log" else one for one in volumes]

    def copied(vvols: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            *vvols,
            {**vvols[0], "id": "s-1", "name": "snap", "type": "Snapshot"},
            {**vvols[0], "id": "c-1", "name": "fast", "type": "Fast_Clone"},
        ]

    _, found = read(alter={"GET volume": cloned, "GET virtual_volume": copied})
    volumes = found.by("array_volume")
    assert {name: row["copy_of"] for name, row in volumes.items()} == {
        **dict.fromkeys(("db", "grows", "both", "db.vmdk", "fast")),
        "log": "p-1",
    }


def test_a_mapping_of_a_volume_that_was_not_listed_is_a_gap(read: Any) -> None:
    def without_log(volumes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [one for one in volumes if one["name"] != "log"]

    _, found = read(alter={"GET volume": without_log})
    assert found.incomplete() == {"volumes"}
    assert found.gap_text().endswith("is one that it did not list")
