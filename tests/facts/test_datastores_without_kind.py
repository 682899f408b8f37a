"""A datastore or volume that does not say what it is counts as what it may be."""

from typing import Any

import pytest

from tests.facts.without_kind import HOST, ON

from .single import Rows, of_vc, rows_over

TYPES = ("VMFS", "NFS", "NFS41", "VVOL", "vsan", None)
STORES: Rows = of_vc(*({"datastore_id": str(one), "type": one, "resource_name": str(one)} for one in TYPES))


@pytest.mark.parametrize(
    ("view", "listed"), [("vvol_datastore", {"VVOL", "None"}), ("datastore_throttle", {"VMFS", "NFS", "NFS41", "None"})]
)
def test_a_datastore_of_no_known_type_may_be_of_any(view: str, listed: set[str]) -> None:
    given = {"fact.datastore": [{key: row[key] for key in ("endpoint", "datastore_id", "type")} for row in STORES], "datastore": STORES}
    assert {row["resource_id"] for row in rows_over(view, given)} == listed


def test_a_disk_on_a_datastore_of_no_known_type_may_be_a_virtual_volume() -> None:
    disks = of_vc(*({"vm_id": "vm", "disk": str(one), "datastore_id": str(one)} for one in TYPES))
    given: dict[str, Rows] = {
        "fact.datastore": of_vc(*({"datastore_id": str(one), "type": one} for one in TYPES)),
        "fact.vm": [{**ON, "vm_id": "vm", "name": "vm"}],
        "step_host_reading": [{**ON, "domain_id": "gold"}],
    }
    found = rows_over("vvol_disk", {**given, "fact.vm_disk": disks, "step_guest": of_vc({"vm_id": "vm"})})
    assert [row["disk"] for row in found] == ["None", "VVOL"]
    assert {row["disk"] for row in rows_over("step_vvol_disk", {**given, "step_disk_depth": disks})} == {"VVOL", "None"}


@pytest.mark.parametrize(
    ("store", "mounts_ontap", "mounts_ontap_by_nfs_3"),
    [
        pytest.param({"type": "NFS", "nfs_path": "/vol"}, True, True, id="a share"),
        pytest.param({"type": "NFS41", "nfs_path": "/vol"}, True, False, id="a share by another version"),
        pytest.param({"type": "VMFS", "devices": "naa.1"}, False, False, id="no share"),
        pytest.param({"type": None, "nfs_path": "/vol"}, True, None, id="a share by either version"),
        pytest.param({"type": None, "devices": "naa.1"}, False, False, id="on a device, so no share"),
        pytest.param({"type": None}, None, None, id="about which nothing is known"),
        pytest.param({"type": None, "nfs_path": "/vol", "families": "other"}, False, False, id="a share of another's"),
    ],
)
def test_a_datastore_of_no_known_type_is_a_share_by_what_else_is_known_of_it(
    store: dict[str, Any], mounts_ontap: bool | None, mounts_ontap_by_nfs_3: bool | None
) -> None:
    given: dict[str, Rows] = {
        **HOST,
        "datastore": of_vc({"datastore_id": "ds", "families": "ontap", "resource_name": "ds", "arrays": "array", **store}),
        "fact.datastore_mount": [{**ON, "datastore_id": "ds"}],
        "step_endpoint_reading": of_vc({"datastores_read": True}),
    }
    of_options = {row["option"]: row["mounts_ontap"] for row in rows_over("nfs_option", given)}
    by_nfs_4 = False if store["type"] == "NFS" else mounts_ontap if mounts_ontap_by_nfs_3 is False else mounts_ontap_by_nfs_3
    assert of_options["Net.TcpipHeapSize"] is of_options["SunRPC.MaxConnPerIP"] is mounts_ontap
    assert of_options["NFS.MaxVolumes"] is of_options["NFS.HeartbeatTimeout"] is mounts_ontap_by_nfs_3
    assert of_options["NFS41.MaxVolumes"] is by_nfs_4
    of_queues = [row for row in rows_over("queue_option", given) if row["option"] == "NFS.MaxQueueDepth"]
    surely = mounts_ontap_by_nfs_3 is True
    shares = (
        (None, "ds") if not surely and store["type"] in ("NFS", None) and "devices" not in store else ("ds", "") if surely else (None, "")
    )
    assert [row["mounts_ontap_nfs"] for row in of_queues] == [mounts_ontap_by_nfs_3]
    assert [(row["ontap_datastores"], row["other_datastores"], row["ontap_arrays"]) for row in of_queues] == [
        (*shares, "array" if surely else None)
    ]


def test_a_volume_of_vmfs_5_asks_for_block_delete_whether_its_type_is_known_or_not() -> None:
    given: dict[str, Rows] = {
        **HOST,
        "fact.datastore": of_vc({"datastore_id": "ds", "type": None, "vmfs_version": "5.81"}),
        "fact.datastore_mount": [{**ON, "datastore_id": "ds"}],
        "fact.datastore_extent": of_vc({"datastore_id": "ds", "device": "naa.1"}),
        "step_seen_device": of_vc({"device": "naa.1", "family": "ontap"}),
        "step_endpoint_reading": of_vc({"datastores_read": True}),
    }
    assert [row["block_delete_advice"] for row in rows_over("host", given)] == ["0"]


ENABLED = {"type": "VMFS", "sioc_enabled": True}
OFF = {"type": "VMFS", "sioc_enabled": False}


@pytest.mark.parametrize(
    ("stores", "counted"),
    [
        pytest.param([ENABLED, OFF], (1, 1, True), id="on and off"),
        pytest.param([ENABLED, OFF | {"type": None}], (1, 0, None), id="off on one of no known type"),
        pytest.param([ENABLED | {"type": None}, OFF], (1, 1, True), id="on, so that its type counts"),
        pytest.param([OFF | {"type": None}], (0, 0, None), id="off, whatever the type"),
        pytest.param([OFF, {"type": "VMFS"}], (None, 1, None), id="nothing is known of one"),
        pytest.param([ENABLED, {"type": "VMFS"}], (1, 0, None), id="likewise, and on elsewhere"),
        pytest.param([OFF, {"type": "VMFS", "sioc_supported": False}], (0, 1, None), id="one cannot have it"),
        pytest.param([ENABLED, OFF | {"type": "NFS41"}], (1, 0, False), id="of a type that has none"),
    ],
)
def test_storage_io_control_is_on_nowhere_on_a_pool_where_it_may_be_on_no_datastore(
    stores: list[dict[str, Any]], counted: tuple[int | None, int, bool | None]
) -> None:
    ids = [str(n) for n in range(len(stores))]
    at = {"endpoint": "array"}
    given: dict[str, Rows] = {
        "step_datastore_volume": of_vc(*({"datastore_id": one, "array_endpoint": "array", "volume_id": "v"} for one in ids)),
        "step_volume": [{**at, "volume_id": "v", "pool_id": "p"}],
        "fact.datastore": of_vc(*({"datastore_id": one, "name": one, **store} for one, store in zip(ids, stores, strict=True))),
        "fact.array_pool": [{**at, "pool_id": "p", "name": "pool"}],
        "step_vcenter_reading": [{"datastores_read": True}],
        "step_endpoint_reading": [{**at, "volumes_read": True}],
    }
    [row] = rows_over("pool_sioc", given)
    assert (row["sioc_on"], row["sioc_off"], row["is_mixed"]) == counted
    off = [one for one, store in zip(ids, stores, strict=True) if store.get("sioc_enabled") is False and store["type"] == "VMFS"]
    assert row["without_sioc"] == (off[0] if off else None)


def test_a_volume_is_virtual_by_its_id_or_its_kind_where_the_array_does_not_tell() -> None:
    volumes: dict[str, tuple[dict[str, Any], bool | None]] = {
        "told": ({"is_virtual": False, "vvol_id": "id", "kind": "vvol"}, False),
        "by its id": ({"vvol_id": "id", "kind": "lun"}, True),
        "by its kind": ({"kind": "vvol"}, True),
        "by another kind": ({"kind": "lun"}, False),
        "by nothing": ({}, None),
    }
    rows = [{"endpoint": "array", "volume_id": name, **own} for name, (own, _) in volumes.items()]
    found = {row["volume_id"]: row["is_virtual"] for row in rows_over("step_volume", {"fact.array_volume": rows})}
    assert found == {name: is_virtual for name, (_, is_virtual) in volumes.items()}


@pytest.mark.parametrize(
    ("is_virtual", "is_capped", "caps"),
    [(True, True, True), (None, True, None), (None, None, None), (None, False, False), (False, True, False), (False, None, False)],
)
def test_an_array_caps_no_virtual_volume_where_what_it_caps_is_none(
    is_virtual: bool | None, is_capped: bool | None, caps: bool | None
) -> None:
    at = {"endpoint": "array"}
    given: dict[str, Rows] = {
        "step_array": [at],
        "step_volume": [{**at, "volume_id": "v", "is_virtual": is_virtual, "qos_read": True}],
        "step_volume_qos": [{**at, "volume_id": "v", "is_capped": is_capped, "is_whole": True}],
        "step_endpoint_reading": [{**at, "volumes_read": True}],
    }
    assert [row["per_object_qos"] for row in rows_over("step_array_caps", given)] == [caps]
