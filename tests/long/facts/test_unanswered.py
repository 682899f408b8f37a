"""What is said of things that an endpoint which could not be reached may know more of: nothing that it could belie."""

from typing import Any

import pytest

from auditor.model import EndpointKind
from tests.facts.fleets import Facts, array, hosts, on_all_hosts, seen, serves, unanswered, view

LUN = "naa.600a0980383030304450556d30302f5a"


def fleet(store: str | None = "ds") -> Facts:
    """A LUN of an ONTAP, an initiator group on it that no host is in, and a VMFS datastore of that name on the LUN."""
    given = hosts()
    on_all_hosts(given, seen(LUN, "ontap"))
    lun = {"name": "lun", "volume_id": "lun", "device": LUN, "kind": "lun"}
    array(given, "na", EndpointKind.ONTAP, lun)
    given["array_host"] = [{"endpoint": "na", "array_host_id": "g", "name": "g", "host_type": "linux"}]
    given["array_initiator"] = [{"endpoint": "na", "array_host_id": "g", "initiator": "fc.1:2"}]
    if store is not None:
        given["datastore"] = [{"datastore_id": "ds", "name": store, "type": "VMFS", "vmfs_uuid": "u", "sioc_enabled": True}]
        given["datastore_extent"] = [{"datastore_id": "ds", "device": LUN}]
    return given


def only(name: str, given: Facts) -> dict[str, Any]:
    [row] = view(name, given)
    return row


@pytest.mark.parametrize(
    ("name", "column", "given", "known"),
    [
        pytest.param("array_host", "is_esxi", fleet(), False, id="whether initiators are an ESXi host's"),
        pytest.param("array_volume", "carries_datastore", fleet(None), False, id="whether a datastore lies on a LUN"),
        pytest.param("datastore", "vcenters", fleet(), 1, id="how many vCenters manage a datastore"),
    ],
)
def test_a_vcenter_that_never_answered_leaves_it_open(name: str, column: str, given: Facts, known: object) -> None:
    assert only(name, given)[column] == known
    unanswered(given, "vc-other")
    assert only(name, given)[column] is None


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"name": "twin", "volume_id": "twin", "device": LUN, "kind": "lun"}, id="two LUNs present the name"),
        pytest.param({"name": "lun", "volume_id": "lun", "device": None, "kind": "lun"}, id="its name is not known"),
    ],
)
def test_whether_a_datastore_lies_on_a_lun_that_no_device_is_known_to_be_is_left_open(more: dict[str, Any]) -> None:
    given = fleet()
    kept = [volume for volume in given["array_volume"] if volume["volume_id"] != more["volume_id"]]
    given["array_volume"] = [*kept, {**given["array_volume"][0], **more}]
    assert {row["carries_datastore"] for row in view("array_volume", given)} == {None}


def test_a_lun_of_an_array_that_is_listed_twice_carries_its_datastore_both_times() -> None:
    given = fleet()
    lun = {"name": "lun", "volume_id": "lun", "device": LUN, "kind": "lun"}
    array(given, "na-by-address", EndpointKind.ONTAP, lun, array_id="id of na")
    assert {row["endpoint"]: row["carries_datastore"] for row in view("array_volume", given)} == {"na": True, "na-by-address": True}


def test_a_share_whose_path_two_arrays_export_may_carry_the_datastore_of_either() -> None:
    given = share()
    given["datastore"][0]["nfs_host"] = "nas.example.net"
    volume = {"name": "vol1", "volume_id": "v1", "kind": "share", "export_path": "/vol1"}
    given["array_volume"] = []
    array(given, "na-2", EndpointKind.ONTAP, volume)
    serves(given, "na-2", "198.51.100.30")
    array(given, "na-3", EndpointKind.ONTAP, volume, {**volume, "name": "other", "volume_id": "v2", "export_path": "/other"})
    assert [row["carries_datastore"] for row in view("array_volume", given)] == [None, None, False]
    given["datastore"][0]["nfs_host"] = "198.51.100.30"
    assert [row["carries_datastore"] for row in view("array_volume", given)] == [True, False, False]
    given["datastore"][0]["nfs_host"] = "198.51.100.99"
    assert [row["carries_datastore"] for row in view("array_volume", given)] == [False, False, False], "a foreign filer's"


def test_what_was_seen_stays_known_without_the_vcenter() -> None:
    given = fleet()
    given["datastore"].append({"endpoint": "vc-2", "datastore_id": "ds", "name": "ds", "type": "VMFS", "vmfs_uuid": "u"})
    given["hba"] = [{"host_id": "host-1", "hba": "vmhba1", "initiator": "fc.1:2"}]
    unanswered(given, "vc-other")
    assert only("array_host", given)["is_esxi"] is True
    assert only("array_volume", given)["carries_datastore"] is True
    assert {row["vcenters"] for row in view("datastore", given)} == {2}


@pytest.mark.parametrize(
    ("other", "known"),
    [pytest.param("unsupported", True, id="one says no"), pytest.param("supported", None, id="all that were asked have it")],
)
def test_a_host_of_an_unread_vcenter_may_be_without_an_offload(other: str, known: bool | None) -> None:
    given = fleet()
    reported = dict.fromkeys(("ats_status", "clone_status", "zero_status"), "supported")
    given["device_offload"] = [
        {"host_id": "host-1", "device": LUN, **reported, "delete_status": "supported"},
        {"host_id": "host-2", "device": LUN, **reported, "delete_status": other},
    ]
    assert only("offload", given)["without_delete"] is (other == "unsupported")
    assert only("offload", given)["missing_offloads"] == ""
    unanswered(given, "vc-other")
    assert (only("offload", given)["without_delete"], only("offload", given)["missing_offloads"]) == (known, None)


@pytest.mark.parametrize("lost", ["ats_status", "clone_status", "zero_status", "delete_status"])
@pytest.mark.parametrize("asked", [pytest.param(True, id="did not tell"), pytest.param(False, id="was not asked")])
def test_a_host_that_did_not_tell_of_an_offload_may_be_without_it(lost: str, asked: bool) -> None:
    given = fleet()
    reported = dict.fromkeys(("ats_status", "clone_status", "zero_status", "delete_status"), "supported")
    given["device_offload"] = [{"host_id": "host-1", "device": LUN, **reported}]
    given["device_offload"] += [{"host_id": "host-2", "device": LUN, **reported, lost: None}] if asked else []
    row = only("offload", given)
    assert row["without_delete" if lost == "delete_status" else "missing_offloads"] is None


def share() -> Facts:
    given = fleet()
    given["datastore"] = [{"datastore_id": "nfs", "name": "nfs", "type": "NFS", "nfs_host": "198.51.100.30", "nfs_path": "/vol1"}]
    given["datastore_extent"], given["datastore_mount"] = [], [{"datastore_id": "nfs", "host_id": "host-1", "mounted": True}]
    return given


def mounts(given: Facts) -> Any:
    return next(row["mounts_ontap"] for row in view("nfs_option", given) if row["host_id"] == "host-1")


def test_an_ontap_that_never_answered_may_export_what_a_host_mounts() -> None:
    given = share()
    assert mounts(given) is False
    unanswered(given, "sf", EndpointKind.ELEMENT)
    assert mounts(given) is False, "an Element cluster exports nothing"
    unanswered(given, "na-2", EndpointKind.ONTAP)
    assert mounts(given) is None


def test_a_server_is_not_called_foreign_while_an_ontap_that_never_answered_may_have_its_address() -> None:
    given = share()
    given["array_volume"].append({"endpoint": "na", "volume_id": "v1", "name": "vol1", "kind": "share", "export_path": "/vol1", "svm": "s"})
    row = only("datastore", given)
    assert (row["families"], row["arrays"]) == ("other", None), "na has another address"
    unanswered(given, "na-2", EndpointKind.ONTAP)
    assert only("datastore", given)["families"] is None
    serves(given, "na", "198.51.100.30", svm="s")
    row = only("datastore", given)
    assert (row["families"], row["arrays"]) == ("ontap", "na"), "whose the address is does not depend on others"
