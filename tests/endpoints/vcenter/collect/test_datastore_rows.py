"""Datastores as vCenter describes them, into rows: every column, and what is left open."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.endpoints.common.circuit import Circuit
from auditor.endpoints.vcenter.bulk.shapes import (
    DatastoreInfo,
    EndpointsOfHost,
    Extent,
    HostMount,
    IormInfo,
    MountInfo,
    NasVolume,
    ProtocolEndpoint,
    Ref,
    VmfsVolume,
    VvolVolume,
)
from auditor.endpoints.vcenter.collect import datastores
from auditor.endpoints.vcenter.collect.datastores import collect_datastores, container_id

from .answering import ENDPOINT, REFUSED, Answers, Found, circuit, has

PATHS = ("name", "summary.type", "info", "host", "parent", "iormConfiguration")
HOST1, HOST2, HOST3 = (Ref("HostSystem", f"host-{n}") for n in (1, 2, 3))
NEEDED: dict[str, Any] = {"name": "fast", "summary.type": "VMFS", "info": DatastoreInfo(), "host": [], "parent": Ref("Folder", "group-1")}


def store(name: str = "datastore-1", **values: Any) -> Any:
    given = {key.replace("__", "."): value for key, value in values.items()}
    return has("Datastore", name, {**NEEDED, **given})


def found(*stores: Any, paths: tuple[str, ...] = PATHS, **how: Any) -> Found:
    return Found(collect_datastores(Answers(stores, **how).vcenter, ENDPOINT, circuit(), paths))


def row(**values: Any) -> dict[str, Any]:
    [one] = found(store(**values)).rows("datastore")
    return one


def test_a_vmfs_datastore_has_its_volume_and_what_it_lies_on() -> None:
    volume = VmfsVolume(
        uuid="5f-1", version="6.82", block_size=1024, unmap_priority="low", unmap_granularity=2048, local=False,
        extent=[Extent(disk_name="NAA.600A", partition=1), Extent(disk_name="t10.ATA_Disk", partition=3)],
    )  # fmt: skip
    given = found(
        store(
            info=DatastoreInfo(vmfs=volume),
            parent=Ref("StoragePod", "group-p7"),
            summary__capacity=10 << 30,
            summary__freeSpace=3 << 30,
            summary__accessible=True,
            summary__multipleHostAccess=False,
            summary__maintenanceMode="normal",
            capability__storageIORMSupported=True,
        )
    )
    assert given.rows("datastore") == [
        {
            "datastore_id": "datastore-1",
            "name": "fast",
            "type": "VMFS",
            "vmfs_uuid": "5f-1",
            "vmfs_version": "6.82",
            "pod_id": "group-p7",
            "size_bytes": 10 << 30,
            "free_bytes": 3 << 30,
            "accessible": True,
            "multiple_host_access": False,
            "maintenance_mode": "normal",
            "extents": 2,
            "is_local": False,
            "block_size_kib": 1024,
            "unmap_priority": "low",
            "unmap_granularity_kib": 2048,
            "sioc_supported": True,
        }
    ]
    assert given.rows("datastore_extent") == [
        {"datastore_id": "datastore-1", "device": "naa.600a", "partition": 1},
        {"datastore_id": "datastore-1", "device": "t10.ATA_Disk", "partition": 3},
    ]
    assert (given.gaps, given.complete) == ([], {"/datastores": True})


def test_an_nfs_datastore_has_its_server_and_path_and_lies_in_no_cluster() -> None:
    nas = NasVolume(remote_host="2001:DB8:0:0:0:0:0:9", remote_path="/files")
    assert row(summary__type="NFS41", info=DatastoreInfo(nas=nas)) == {
        "datastore_id": "datastore-1",
        "name": "fast",
        "type": "NFS41",
        "nfs_host": "2001:db8::9",
        "nfs_path": "/files",
    }
    assert "nfs_host" not in row(info=DatastoreInfo(nas=NasVolume(remote_path="/files")))


def test_all_servers_of_a_mount_by_nfs_4_1_are_listed_in_one_order() -> None:
    """HostNasVolume.remoteHostNames has all of them, remoteHost one; VIM API reference."""
    several = NasVolume(remote_host="filer-b", remote_host_names=["filer-b", "2001:DB8::0:9", "192.0.2.7", "filer-b"], remote_path="/files")
    assert row(info=DatastoreInfo(nas=several))["nfs_host"] == "192.0.2.7,2001:db8::9,filer-b"
    assert row(info=DatastoreInfo(nas=NasVolume(remote_host="filer-b, filer-a", remote_path="/files")))["nfs_host"] == "filer-a,filer-b"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        pytest.param(
            IormInfo(enabled=True, congestion_threshold_mode="manual", congestion_threshold=30, stats_collection_enabled=True),
            {"sioc_enabled": True, "sioc_mode": "manual", "sioc_threshold_ms": 30, "sioc_statistics_only": False},
            id="on, which collects statistics too",
        ),
        pytest.param(
            IormInfo(enabled=False, congestion_threshold_mode="automatic", congestion_threshold=20, stats_collection_enabled=True),
            {"sioc_enabled": False, "sioc_mode": "automatic", "sioc_threshold_ms": 20, "sioc_statistics_only": True},
            id="statistics alone",
        ),
        pytest.param(
            IormInfo(enabled=False, stats_collection_enabled=False), {"sioc_enabled": False, "sioc_statistics_only": False}, id="off"
        ),
        pytest.param(
            IormInfo(enabled=False, congestion_threshold_mode="automatic", congestion_threshold=0, stats_collection_enabled=False),
            {"sioc_enabled": False, "sioc_mode": "automatic", "sioc_statistics_only": False},
            id="never set, where vCenter reports a threshold of 0 (kubev2v/forklift#8076)",
        ),
        pytest.param(None, {}, id="none"),
    ],
)
def test_storage_io_control_is_on_off_or_collects_alone(settings: IormInfo | None, expected: dict[str, Any]) -> None:
    given = {name: cell for name, cell in row(iormConfiguration=settings).items() if name.startswith("sioc")}
    assert given == expected


def test_mounts_are_listed_and_one_that_says_nothing_is_a_gap() -> None:
    mounts = [
        HostMount(key=HOST1, mount_info=MountInfo(mounted=True, accessible=False)),
        HostMount(key=HOST2, mount_info=None),
        HostMount(key=HOST3, mount_info=MountInfo(accessible=True)),
        HostMount(key=None, mount_info=MountInfo(mounted=True)),
        HostMount(key=HOST2, mount_info=MountInfo(mounted=False, accessible=True)),
    ]
    given = found(store(host=mounts))
    assert given.rows("datastore_mount") == [
        {"datastore_id": "datastore-1", "host_id": "host-1", "mounted": True, "accessible": False},
        {"datastore_id": "datastore-1", "host_id": "host-3", "mounted": True, "accessible": True},
        {"datastore_id": "datastore-1", "host_id": "host-2", "mounted": False, "accessible": True},
    ]
    assert [what for what, _ in given.gaps] == ["a mount of datastore fast"] * 2
    assert given.complete == {"/datastores": False}


def test_protocol_endpoints_are_listed_once_for_each_host() -> None:
    scsi = ProtocolEndpoint(pe_type="block", type="scsi", uuid="u1", device_id="NAA.6F47")
    endpoints = [
        EndpointsOfHost(key=HOST1, protocol_endpoint=[scsi, scsi, ProtocolEndpoint(type="SCSI", uuid="u2", device_id="naa.6f48")]),
        EndpointsOfHost(key=HOST2, protocol_endpoint=[scsi]),
    ]
    given = found(store(info=DatastoreInfo(vvol=VvolVolume(container_id="vvol:A1", endpoints=endpoints))))
    assert given.rows("vvol_mount") == [
        {"datastore_id": "datastore-1", "host_id": host, "device": device}
        for host, device in (("host-1", "naa.6f47"), ("host-1", "naa.6f48"), ("host-2", "naa.6f47"))
    ]
    assert given.rows("datastore")[0]["vvol_container_id"] == "a1"
    assert given.gaps == []


@pytest.mark.parametrize(
    ("endpoint", "host", "is_gap"),
    [
        pytest.param(ProtocolEndpoint(type="scsi", uuid="u1"), HOST1, True, id="a SCSI one without a device"),
        pytest.param(ProtocolEndpoint(type="scsi", uuid="u1", device_id="naa.1"), None, True, id="on a host that is not named"),
        pytest.param(ProtocolEndpoint(uuid="u1"), HOST1, True, id="of a kind that is not reported"),
        pytest.param(ProtocolEndpoint(pe_type="nas", uuid="u1"), HOST1, False, id="an NFS one"),
        pytest.param(ProtocolEndpoint(type="NFS4x", pe_type="block", uuid="u1"), HOST1, False, id="an NFS one by its older name"),
    ],
)
def test_a_protocol_endpoint_without_a_device_is_a_gap_unless_it_is_of_nfs(
    endpoint: ProtocolEndpoint, host: Ref | None, is_gap: bool
) -> None:
    volume = VvolVolume(container_id="vvol:A1", endpoints=[EndpointsOfHost(key=host, protocol_endpoint=[endpoint])])
    given = found(store(info=DatastoreInfo(vvol=volume)))
    assert given.rows("vvol_mount") == []
    assert bool(given.gaps) is is_gap
    assert given.complete == {"/datastores": not is_gap}


def test_a_property_that_was_requested_and_is_not_there_is_a_gap() -> None:
    bare = has("Datastore", "datastore-1", {"summary.type": "VMFS", "info": None}, {"iormConfiguration": "NoPermission"})
    given = found(bare)
    assert given.gaps == [
        ("name, host, parent of datastore datastore-1", "vCenter does not report it"),
        ("iormConfiguration of datastore datastore-1", "NoPermission"),
    ]
    assert given.rows("datastore") == [{"datastore_id": "datastore-1", "name": "datastore-1", "type": "VMFS"}]
    assert given.complete == {"/datastores": False}
    assert found(has("Datastore", "datastore-1", {"name": "fast"}), paths=("name",)).gaps == []


def test_a_datastore_that_cannot_be_read_is_a_row_and_a_gap_and_others_are_read() -> None:
    given = found(store("datastore-1"), store("datastore-2"), refused=[Ref("Datastore", "datastore-3")])
    assert [(one["datastore_id"], one["name"]) for one in given.rows("datastore")] == [
        ("datastore-1", "fast"),
        ("datastore-2", "fast"),
        ("datastore-3", "datastore-3"),
    ]
    assert given.gaps == [("datastore datastore-3", "refused")]
    assert given.complete == {"/datastores": False}


def test_a_datastore_that_is_not_whole_leaves_the_topic_open_whatever_follows() -> None:
    given = found(has("Datastore", "datastore-1", {"name": "a"}), store("datastore-2"))
    assert given.complete == {"/datastores": False}


def test_a_list_that_is_refused_is_a_gap() -> None:
    given = found(lists={"Datastore": REFUSED})
    assert (given.gaps, given.complete) == ([("the list of datastores", "refused")], {"/datastores": False})


def test_an_open_circuit_asks_nothing() -> None:
    opened = Circuit(1)
    opened.opened_by = REFUSED
    answers = Answers([store()])
    given = Found(collect_datastores(answers.vcenter, ENDPOINT, opened, PATHS))
    assert (given.gaps, given.complete, answers.asked) == ([("the list of datastores", "refused")], {"/datastores": False}, set())


def test_rows_are_handed_on_in_batches_and_none_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datastores, "_STORES_A_BATCH", 2)
    given = found(*(store(f"datastore-{number}") for number in range(5)))
    assert [one["datastore_id"] for one in given.rows("datastore")] == [f"datastore-{number}" for number in range(5)]
    assert given.batches.count("datastore") == 3


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        pytest.param("vvol:F3E0-6A0000000000-0000000000000001", "f3e06a00-0000-0000-0000-000000000001", id="as datastore URLs have it"),
        pytest.param("F3E06A00-0000-0000-0000-000000000001", "f3e06a00-0000-0000-0000-000000000001", id="as arrays have it"),
        pytest.param("VVOL:Container-7", "container-7", id="no UUID"),
    ],
)
def test_a_containers_id_is_written_as_arrays_write_it(reported: str, expected: str) -> None:
    assert container_id(reported) == expected


@pytest.mark.parametrize(
    ("values", "column"),
    [
        pytest.param({"summary__type": "QUOBYTE"}, "type", id="type"),
        pytest.param({"info": DatastoreInfo(vmfs=VmfsVolume(unmap_priority="eager"))}, "unmap_priority", id="unmap"),
        pytest.param({"iormConfiguration": IormInfo(enabled=True, congestion_threshold_mode="adaptive")}, "sioc_mode", id="congestion"),
    ],
)
def test_a_value_that_the_api_does_not_list_is_unknown_and_a_gap(values: dict[str, Any], column: str) -> None:
    given = found(store(**values))
    assert given.rows("datastore")[0].get(column) is None
    [(what, why)] = given.gaps
    assert what == f"{column} of datastore fast"
    assert why.endswith("which is not known")
    assert given.complete == {"/datastores": False}
