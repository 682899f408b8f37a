"""What holds a disk or a datastore back, and how volumes are locked and offloaded; NULL wherever that rests on something unread."""

from typing import Any

import pytest

from auditor.model import EndpointKind
from tests.facts.fleets import Facts, array, hosts, on_all_hosts, seen, view

PE = "naa.6f47acc2000000017366707200000000"
LUN, MAPPED = "naa.6f47acc1000000017366707200000001", "naa.6f47acc1000000017366707200000002"
CURVE = '{"4096": 100, "32768": 500, "65536": 1000, "131072": 1950}'
VVOL = "5c9ecfd3-6f66-53ca-a5f0-5277c645a00a"


def behind_one_endpoint(limit: int | None = None, **volume: Any) -> Facts:
    """Two vVol datastores behind the one protocol endpoint of an Element cluster, and a disk below a ceiling of 1000 on the first."""
    given = hosts()
    on_all_hosts(given, seen(PE, "solidfire", is_protocol_endpoint=True, queue_depth=128))
    given["device_scheduling"] = [{"host_id": f"host-{n}", "device": PE, "dsnro": 32 * n} for n in (1, 2)]
    own = {"name": "7", "is_virtual": True, "vvol_id": VVOL, "qos_max_iops": 1000, "qos_curve": CURVE}
    array(given, "sf", EndpointKind.ELEMENT, {**own, **volume})
    given["array_protocol_endpoint"] = [{"endpoint": "sf", "protocol_endpoint_id": "1", "device": PE, "state": "Active"}]
    given["datastore"] = [{"datastore_id": f"ds-{n}", "name": f"container-{n}", "type": "VVOL"} for n in (1, 2)]
    given["vvol_mount"] = [{"datastore_id": f"ds-{n}", "host_id": f"host-{h}", "device": PE} for n in (1, 2) for h in (1, 2)]
    machine = {"vm_id": "vm-1", "name": "noisy", "host_id": "host-1", "disks_read": True}
    given["vm"] = [{**machine, "power_state": "poweredOn", "guest_id": "windows2019srv_64Guest", "running_guest_id": ""}]
    disk = {"vm_id": "vm-1", "disk": "Hard disk 1", "datastore_id": "ds-1", "controller": "pvscsi"}
    given["vm_disk"] = [{**disk, "iops_limit": limit, "backing_object_id": f"rfc4122.{VVOL.upper()}"}]
    return given


def without(given: Facts, topic: str) -> Facts:
    given["reading"] = [row for row in given["reading"] if row["topic"] != topic]
    return given


@pytest.mark.parametrize(
    ("limit", "volume", "below"),
    [
        pytest.param(None, {}, False, id="no limit holds nothing back"),
        pytest.param(200, {}, True, id="1000 operations of 4 KiB are 200 of 32 KiB"),
        pytest.param(201, {}, False, id="one more, and the array is first"),
        pytest.param(200, {"qos_curve": None}, None, id="no curve"),
        pytest.param(200, {"vvol_id": "another"}, None, id="a volume nobody told"),
    ],
)
def test_a_limit_is_compared_with_the_ceiling_at_the_size_esxi_counts_in(
    limit: int | None, volume: dict[str, Any], below: bool | None
) -> None:
    (disk,) = view("vvol_disk", behind_one_endpoint(limit, **volume))
    assert disk["is_limited_below_array"] is below


def test_a_disk_can_count_on_the_shallowest_queue_of_any_host() -> None:
    (disk,) = view("vvol_disk", behind_one_endpoint())
    assert (disk["shallowest_queue"], disk["deepest_disk_queue"]) == (32, 64)
    given = behind_one_endpoint()
    given["device_scheduling"].pop()
    (disk,) = view("vvol_disk", given)
    assert disk["shallowest_queue"] is None


def test_datastores_behind_one_endpoint_share_it_and_say_so_only_when_all_were_read() -> None:
    first, second = view("vvol_datastore", behind_one_endpoint())
    assert (first["sharing_names"], second["sharing_names"]) == ("container-2", "container-1")
    assert (first["capped_disks"], first["unlimited_disks"], second["capped_disks"]) == (1, 1, 0)
    given = behind_one_endpoint()
    given["datastore"].pop()
    given["vvol_mount"] = given["vvol_mount"][:2]
    (alone,) = view("vvol_datastore", given)
    assert (alone["sharing_datastores"], alone["sharing_names"]) == (0, "")
    (unsure,) = view("vvol_datastore", without(given, "datastores"))
    assert (unsure["sharing_datastores"], unsure["sharing_names"], unsure["shallowest_queue"]) == (None, None, None)


def test_a_machine_whose_disks_were_not_read_may_have_some_on_any_datastore() -> None:
    given = behind_one_endpoint()
    given["vm"].append({"vm_id": "vm-2", "name": "dark", "host_id": "host-1", "disks_read": False})
    assert [row["capped_disks"] for row in view("vvol_datastore", given)] == [None, None]


def a_volume(*, sioc: bool | None, limited: int = 0, **volume: Any) -> Facts:
    """A VMFS datastore on one volume, with four disks; `limited` of them have a limit."""
    given = hosts()
    kind = volume.pop("array", EndpointKind.DELL_SC)
    family = "dell-sc" if kind is EndpointKind.DELL_SC else "solidfire"
    on_all_hosts(given, seen(LUN, family, is_ssd=False, queue_depth=64))
    array(given, "array", kind, {"name": "v1", "device": LUN, "kind": "lun", **volume})
    given["datastore"] = [{"datastore_id": "ds-1", "name": "gold", "type": "VMFS", "vmfs_uuid": "u1", "sioc_enabled": sioc}]
    given["datastore_extent"] = [{"datastore_id": "ds-1", "device": LUN, "partition": 1}]
    given["datastore_mount"] = [{"datastore_id": "ds-1", "host_id": f"host-{n}", "mounted": True} for n in (1, 2)]
    given["vm_disk"] = [
        {"vm_id": f"vm-{n}", "disk": "1", "datastore_id": "ds-1", "iops_limit": 9 if n < limited else None} for n in range(4)
    ]
    return given


@pytest.mark.parametrize(
    ("given", "twice"),
    [
        pytest.param(a_volume(sioc=True), False, id="Storage I/O Control alone"),
        pytest.param(a_volume(sioc=False, qos_max_iops=5), False, id="a ceiling alone"),
        pytest.param(a_volume(sioc=True, qos_max_iops=5), True, id="both"),
        pytest.param(a_volume(sioc=True, qos_priority="Medium"), False, id="the priority every volume has"),
        pytest.param(a_volume(sioc=True, qos_priority="High"), True, id="a priority of its own"),
        pytest.param(a_volume(sioc=False, limited=2, qos_max_iops=5), False, id="half of the disks are limited"),
        pytest.param(a_volume(sioc=False, limited=3, qos_max_iops=5), True, id="most of the disks are limited"),
        pytest.param(a_volume(sioc=False, limited=3, qos_max_iops=5, array=EndpointKind.ELEMENT), False, id="which Element wants"),
        pytest.param(a_volume(sioc=None, qos_max_iops=5), None, id="Storage I/O Control not readable"),
        pytest.param(a_volume(sioc=True, qos_read=False), None, id="QoS not readable"),
        pytest.param(a_volume(sioc=False, qos_read=False), False, id="QoS not readable, and nothing else throttles"),
        pytest.param(without(a_volume(sioc=False, qos_max_iops=5), "vms"), None, id="machines not readable"),
    ],
)
def test_a_datastore_is_throttled_twice_where_the_array_and_vsphere_both_do(given: Facts, twice: bool | None) -> None:
    (row,) = view("datastore_throttle", given)
    assert row["throttled_twice"] is twice


@pytest.mark.parametrize(
    ("modes", "count"),
    [
        pytest.param(("ATS", "ATS"), 1, id="all alike"),
        pytest.param(("ATS", "ATS+SCSI"), 2, id="one was left behind"),
        pytest.param(("ATS", "ATS-only"), 1, id="two words for one mode"),
        pytest.param(("ATS",), None, id="one did not tell"),
    ],
)
def test_locking_modes_are_counted_only_when_every_host_told_its_own(modes: tuple[str, ...], count: int | None) -> None:
    given = a_volume(sioc=False)
    given["vmfs_lockmode"] = [
        {"host_id": f"host-{n}", "volume_name": "gold", "vmfs_uuid": "u1", "locking_mode": mode} for n, mode in enumerate(modes, 1)
    ]
    (row,) = view("datastore", given)
    assert row["locking_mode_count"] == count


def test_dsnro_is_told_for_managed_queues_once_every_host_told_it() -> None:
    given = a_volume(sioc=True)
    given["device_scheduling"] = [{"host_id": f"host-{n}", "device": LUN, "dsnro": 32 * n} for n in (1, 2)]
    (row,) = view("datastore", given)
    assert (row["lowest_dsnro"], row["highest_dsnro"]) == (32, 64)
    given["device_scheduling"].pop()
    (row,) = view("datastore", given)
    assert (row["lowest_dsnro"], row["highest_dsnro"]) == (None, None)
    # A host that sees the device and mounts nothing on it says nothing of one that does and was not read.
    given["device_scheduling"].append({"host_id": "host-9", "device": LUN, "dsnro": 32})
    (row,) = view("datastore", given)
    assert (row["lowest_dsnro"], row["highest_dsnro"]) == (None, None)


@pytest.mark.parametrize(
    ("reported", "missing"),
    [
        pytest.param(("supported", "supported"), "", id="both hosts have it"),
        pytest.param(("supported", "unsupported"), "Clone", id="one gave it up"),
        pytest.param(("supported",), None, id="one did not answer"),
        pytest.param(("unsupported",), "Clone", id="one is enough"),
    ],
)
def test_an_offload_is_missing_as_soon_as_one_host_says_so(reported: tuple[str, ...], missing: str | None) -> None:
    given = a_volume(sioc=False)
    on_all_hosts(given, seen(PE, "solidfire", is_protocol_endpoint=True))
    rest = {"ats_status": "supported", "zero_status": "supported", "delete_status": "supported"}
    given["device_offload"] = [
        {"host_id": f"host-{n}", "device": LUN, "clone_status": status, **rest} for n, status in enumerate(reported, 1)
    ]
    (row,) = view("offload", given)
    assert (row["device"], row["missing_offloads"]) == (LUN, missing)


@pytest.mark.parametrize(
    ("volume", "policy", "limits"),
    [
        pytest.param({"qos_policy_id": None}, {}, "own 50/700/800", id="in no policy"),
        pytest.param({}, {}, "policy 3", id="as its policy says"),
        pytest.param({"qos_burst_iops": 900}, {}, "policy 3 with own 50/700/900", id="overridden"),
        pytest.param({}, {"burst_iops": None}, None, id="the policy was read in part"),
        pytest.param({"qos_policy_id": "4"}, {}, None, id="the policy was not read"),
        pytest.param({"qos_min_iops": None}, {}, None, id="the volume was read in part"),
    ],
)
def test_what_limits_an_element_volume_is_said_as_the_remediator_says_it(
    volume: dict[str, Any], policy: dict[str, Any], limits: str | None
) -> None:
    given = hosts()
    own = {"name": "7", "qos_policy_id": "3", "qos_min_iops": 50, "qos_max_iops": 700, "qos_burst_iops": 800}
    array(given, "sf", EndpointKind.ELEMENT, {**own, **volume})
    given["array_qos_policy"] = [
        {"endpoint": "sf", "policy_id": "3", "name": "Gold", "min_iops": 50, "max_iops": 700, "burst_iops": 800, **policy}
    ]
    (row,) = view("array_volume", given)
    assert row["limits"] == limits


def test_curves_are_counted_by_their_points_and_worth_their_best_size_from_64_kib() -> None:
    given = hosts()
    turned = '{"131072": 1950, "65536": 1000, "32768": 500, "8192": 100, "4096": 100}'  # 8 KiB would be worth more
    array(given, "sf", EndpointKind.ELEMENT, {"name": "7", "qos_curve": turned})
    given["array_qos_policy"] = [
        {"endpoint": "sf", "policy_id": "3", "name": "Gold", "max_iops": 1000, "curve": CURVE.replace("{", '{"8192": 100, ')}
    ]
    (row,) = view("qos_policy", given)
    assert row["curves_of_array"] == 1
    assert row["large_block_bytes_per_second"] == pytest.approx(1000 * 131072 * 100 / 1950)
    given["array_volume"][0]["qos_curve"] = turned.replace("1950", "1900")
    assert view("qos_policy", given)[0]["curves_of_array"] == 2
    given["array_volume"][0]["qos_curve"] = None
    assert view("qos_policy", given)[0]["curves_of_array"] is None


@pytest.mark.parametrize(
    ("version", "stock"),
    [("6.0.3", 128), ("7.0.1", 128), ("7.0.2", 256), ("8.0.3", 256), ("9.0.1", 256), ("9.1.0", None), ("10.0.0", None), ("5.5.0", None)],
)
def test_the_stock_queue_of_a_protocol_endpoint_is_told_for_recorded_releases_only(version: str, stock: int | None) -> None:
    given = behind_one_endpoint()
    for host in given["host"]:
        host["version"] = version
    assert {row["stock_dsnro"] for row in view("protocol_endpoint", given)} == {stock}


def test_a_host_that_sees_only_flasharrays_has_no_endpoint_of_element_to_wait_for() -> None:
    given = hosts(1)
    on_all_hosts(given, seen("naa.624a9370d3908b5e17fc4a6200011010", "flasharray", is_protocol_endpoint=True))
    (host,) = view("host", given)
    assert (host["has_capped_protocol_endpoints"], host["has_capped_element_endpoints"]) == (None, False)


def test_what_offload_switched_off_costs_is_everything_beside_affected_arrays() -> None:
    given = hosts(1)
    affected, mended = (seen(f"naa.600000e00d1000000010660000{n}0000", "eternus-dx") for n in (1, 2))
    on_all_hosts(given, affected)
    given["declared"] = [{"devices": "*66000010000", "model": "DX90", "generation": "S1", "firmware": "V10L66"}]
    assert {row["arrays_punished"] for row in view("vaai_option", given)} == {""}
    on_all_hosts(given, mended, seen(LUN, "solidfire"))
    given["declared"].append({"devices": "*66000020000", "model": "DX90", "generation": "S1", "firmware": "V10L68"})
    assert {row["arrays_punished"] for row in view("vaai_option", given)} == {"solidfire, other eternus-dx"}


@pytest.mark.parametrize(
    ("pod", "volume", "in_pod", "low"),
    [
        pytest.param("pod-1", {"qos_priority": "Medium"}, True, False, id="as every volume starts"),
        pytest.param("pod-1", {"qos_priority": "Low"}, True, True, id="low"),
        pytest.param("pod-1", {"qos_priority": "High"}, True, False, id="high"),
        pytest.param("pod-1", {"qos_read": False}, True, None, id="its priority was not read"),
        pytest.param(None, {"qos_priority": "Low"}, False, True, id="in no datastore cluster"),
    ],
)
def test_a_target_of_moves_tells_its_priority_for_every_mover(
    pod: str | None, volume: dict[str, Any], in_pod: bool, low: bool | None
) -> None:
    given = hosts(1)
    device = "naa.6000d31000fcbe000000000000000da8"
    on_all_hosts(given, seen(device, "dell-sc"))
    array(given, "sc", EndpointKind.DELL_SC, {"name": "v", "device": device, **volume})
    given["datastore"] = [{"datastore_id": "ds", "name": "ds", "type": "VMFS", "vmfs_uuid": "u", "pod_id": pod}]
    given["datastore_extent"] = [{"datastore_id": "ds", "device": device}]
    given["storage_pod"] = [{"pod_id": "pod-1", "name": "pod", "sdrs_enabled": True, "default_behavior": "manual", "automated_vms": 0}]
    (row,) = view("datastore_throttle", given)
    assert (row["is_in_pod"], row["has_low_priority"]) == (in_pod, low)


def test_a_raw_device_mapping_lies_on_its_own_lun_and_not_on_the_datastore_that_holds_its_pointer() -> None:
    given = hosts(1)
    on_all_hosts(given, seen(LUN, "solidfire", queue_depth=128), seen(MAPPED, "solidfire", queue_depth=128))
    array(given, "sf", EndpointKind.ELEMENT, {"name": "vmfs", "device": LUN}, {"name": "raw", "device": MAPPED, "qos_max_iops": 900})
    given["datastore"] = [{"datastore_id": "ds", "name": "ds", "type": "VMFS", "vmfs_uuid": "u"}]
    given["datastore_extent"] = [{"datastore_id": "ds", "device": LUN}]
    given["datastore_mount"] = [{"datastore_id": "ds", "host_id": "host-1"}]
    given["vm"] = [
        {"vm_id": "vm-1", "name": "db", "host_id": "host-1", "power_state": "poweredOn", "is_template": False, "disks_read": True}
    ]
    disk = {"vm_id": "vm-1", "datastore_id": "ds", "controller": "pvscsi", "iops_limit": 100}
    mapping = {"rdm_mode": "physicalMode", "rdm_device": MAPPED}
    given["vm_disk"] = [{**disk, "disk": "Hard disk 1"}, {**disk, "disk": "Hard disk 2", **mapping}]
    rows = {row["disk"]: (row["device"], row["volume"], row["disks_on_device"]) for row in view("virtual_disk", given)}
    assert rows == {"Hard disk 1": (LUN, "vmfs", 1), "Hard disk 2": (MAPPED, "raw", 1)}
    (row,) = view("datastore_throttle", given)
    assert (row["disks"], row["limited_disks"]) == (1, 1)
    given["vm_disk"][1]["rdm_device"] = None
    rows = {row["disk"]: (row["device"], row["volume"], row["disks_on_device"]) for row in view("virtual_disk", given)}
    assert rows == {"Hard disk 1": (LUN, "vmfs", 1), "Hard disk 2": (None, None, None)}
