"""Unknown stays where it is: what was not read leaves open only what it can share, as far as the array's own lists show that.

The fleets are those that an unreachable vCenter meets: its hosts on the same array, on another, on one whose lists name every host, and on
one that nobody knows.
"""

from typing import Any

import pytest

from auditor.model import EndpointKind, Verdict
from tests.facts.fleets import Facts, array, hosts, on_all_hosts, seen, unanswered, view
from tests.facts.judged import evaluated

LUN, OTHER = "naa.624a93705a1f77c29b3e4d1000011011", "naa.624a93705a1f77c29b3e4d1000011012"
ELEMENT = "naa.6f47acc100000000736670720000002a"
KINDS = {"flasharray": EndpointKind.FLASHARRAY, "solidfire": EndpointKind.ELEMENT}
STRANGER = "2100000000000099"


def wwpn(host_id: str) -> str:
    return f"210000000000{host_id.removeprefix('host-'):0>4}"


def fleet(*devices: str, family: str = "flasharray", count: int = 2) -> Facts:
    """Hosts of one cluster, and their adapters, that see these devices with the stock DSNRO; all of vCenter "vc" was read."""
    given = hosts(count)
    for device in devices:
        on_all_hosts(given, seen(device, family, is_protocol_endpoint=False, queue_depth=64))
    names = [row["host_id"] for row in given["host"]]
    given["hba"] = [{"host_id": host, "hba": "vmhba1", "kind": "fc", "driver": "nfnic", "initiator": wwpn(host)} for host in names]
    each = [(host, device) for host in names for device in devices]
    scheduling = {"dsnro": 32, "queue_full_sample_size": 0, "queue_full_threshold": 0}
    given["device_scheduling"] = [{"host_id": host, "device": device, **scheduling} for host, device in each]
    path = {"hba": "vmhba1", "transport": "fc", "target": "52", "state": "active"}
    given["path"] = [{"host_id": host, "device": device, **path} for host, device in each]
    return given


def listing(given: Facts, device: str, *initiators: str, name: str = "fa", family: str = "flasharray") -> None:
    """An array that has `device`, all of it read, whose lists give it to one array host for each of these initiators."""
    if not any(row["endpoint"] == name for row in given.get("array", [])):
        array(given, name, KINDS[family])
    volume = f"v{device[-4:]}"
    given["array_volume"] += [
        {"endpoint": name, "volume_id": volume, "name": volume, "device": device, "is_virtual": False, "qos_read": True, "kind": "lun"}
    ]
    for table in ("array_host", "array_initiator", "array_connection"):
        given.setdefault(table, [])
    for initiator in initiators:
        known = {"endpoint": name, "array_host_id": initiator}
        if known | {"name": initiator} not in given["array_host"]:
            given["array_host"].append(known | {"name": initiator})
            given["array_initiator"].append(known | {"initiator": initiator, "kind": "fc"})
        given["array_connection"].append(known | {"volume_id": volume, "lun": 1})


def of_all(count: int = 2) -> list[str]:
    return [wwpn(f"host-{n}") for n in range(1, count + 1)]


def verdicts(given: Facts, rule: str) -> dict[str, Verdict]:
    """What a shipped rule says of these facts, by the name of the resource."""
    return {finding.resource.name: finding.verdict for finding in evaluated(given, rule).findings()}


def lists_unread(given: Facts, topic: str, name: str = "fa") -> None:
    for row in given["reading"]:
        if row.get("endpoint") == name and row["topic"] == topic:
            row["complete"] = False


def test_without_an_array_that_says_who_sees_it_an_unreachable_vcenter_leaves_every_device_open() -> None:
    given = fleet(LUN)
    assert verdicts(given, "queue/dsnro-uniform") == {LUN: Verdict.PASS}
    unanswered(given, "vc-2")
    assert verdicts(given, "queue/dsnro-uniform") == {LUN: Verdict.UNKNOWN}


@pytest.mark.parametrize(
    ("rule", "judged"),
    [
        pytest.param("queue/dsnro-uniform", LUN, id="of a device"),
        pytest.param("queue/device-depth-uniform", "nfnic", id="of a host's driver"),
    ],
)
def test_an_array_whose_lists_name_only_hosts_that_were_read_settles_the_verdict(rule: str, judged: str) -> None:
    given = fleet(LUN)
    unanswered(given, "vc-2")
    listing(given, LUN, *of_all())
    assert verdicts(given, rule) == {judged: Verdict.PASS}


def test_of_two_devices_of_one_array_only_the_one_that_a_stranger_may_see_is_open() -> None:
    given = fleet(LUN, OTHER)
    unanswered(given, "vc-2")
    listing(given, LUN, *of_all())
    listing(given, OTHER, *of_all(), STRANGER)
    assert verdicts(given, "queue/dsnro-uniform") == {LUN: Verdict.PASS, OTHER: Verdict.UNKNOWN}


def test_a_vcenter_on_another_array_leaves_this_one_alone() -> None:
    given = fleet(LUN)
    unanswered(given, "vc-2")
    listing(given, LUN, *of_all())
    listing(given, OTHER, STRANGER, name="fa-2")
    assert verdicts(given, "queue/dsnro-uniform") == {LUN: Verdict.PASS}


@pytest.mark.parametrize("topic", ["array_hosts", "connections"])
def test_lists_that_were_not_read_whole_settle_nothing(topic: str) -> None:
    given = fleet(LUN)
    unanswered(given, "vc-2")
    listing(given, LUN, *of_all())
    lists_unread(given, topic)
    assert verdicts(given, "queue/dsnro-uniform") == {LUN: Verdict.UNKNOWN}


def test_lists_that_name_fewer_hosts_than_see_the_device_are_not_believed() -> None:
    given = fleet(LUN)
    unanswered(given, "vc-2")
    listing(given, LUN, wwpn("host-1"))
    assert verdicts(given, "queue/dsnro-uniform") == {LUN: Verdict.UNKNOWN}


def not_read(given: Facts, host: str) -> None:
    """vCenter knows the host, and its adapters, but nothing of its devices."""
    for row in given["reading"]:
        if row["scope"] == host and row["topic"] in ("devices", "device_scheduling", "paths"):
            row["complete"] = False
    for table in ("device", "device_scheduling", "path"):
        given[table] = [row for row in given[table] if row["host_id"] != host]


@pytest.mark.parametrize(
    ("allowed", "verdict"),
    [pytest.param(2, Verdict.PASS, id="the array does not give it the volume"), pytest.param(3, Verdict.UNKNOWN, id="the array does")],
)
def test_an_unread_host_of_the_cluster_counts_where_the_array_lets_it_in(allowed: int, verdict: Verdict) -> None:
    given = fleet(LUN, count=3)
    not_read(given, "host-3")
    listing(given, LUN, *of_all(allowed))
    assert verdicts(given, "queue/dsnro-uniform") == {LUN: verdict}


@pytest.mark.parametrize(
    ("logged_in", "verdict"),
    [
        pytest.param(of_all(), Verdict.PASS, id="only hosts that were read are logged in"),
        pytest.param([*of_all(), STRANGER], Verdict.UNKNOWN, id="a stranger is, by its account's secret"),
    ],
)
def test_on_element_who_is_logged_in_counts_besides_the_access_groups(logged_in: list[str], verdict: Verdict) -> None:
    given = fleet(ELEMENT, family="solidfire")
    unanswered(given, "vc-2")
    listing(given, ELEMENT, *of_all(), name="sf", family="solidfire")
    session = {"endpoint": "sf", "volume_id": f"v{ELEMENT[-4:]}"}
    given["array_session"] = [{**session, "session_id": name, "initiator": name} for name in logged_in]
    assert verdicts(given, "queue/dsnro-uniform") == {ELEMENT: verdict}
    lists_unread(given, "sessions", "sf")
    assert verdicts(given, "queue/dsnro-uniform") == {ELEMENT: Verdict.UNKNOWN}


def test_of_a_stretched_volume_both_arrays_have_to_say_who_sees_it() -> None:
    given = fleet(LUN)
    unanswered(given, "vc-2")
    listing(given, LUN, *of_all())
    given["array_volume"][0].update(pod="metro", pod_arrays="fa,fa-2")
    assert verdicts(given, "queue/dsnro-uniform") == {LUN: Verdict.UNKNOWN}
    listing(given, LUN, *of_all(), name="fa-2")
    given["array_volume"][1].update(pod="metro", pod_arrays="fa,fa-2")
    assert verdicts(given, "queue/dsnro-uniform") == {LUN: Verdict.PASS}


def stored() -> Facts:
    """A datastore on the LUN, whose array names only hosts that were read; another vCenter never answered."""
    given = fleet(LUN)
    unanswered(given, "vc-2")
    listing(given, LUN, *of_all())
    given["array_volume"][0].update(pool_id="p", qos_policy_id="q", qos_policy="q", qos_shared=True)
    given["array_pool"] = [{"endpoint": "fa", "pool_id": "p", "name": "p"}]
    given["array_qos_policy"] = [{"endpoint": "fa", "policy_id": "q", "name": "q", "is_shared": True, "max_iops": 1000}]
    given["datastore"] = [{"datastore_id": "ds", "name": "ds", "type": "VMFS", "vmfs_uuid": "u", "sioc_enabled": False}]
    given["datastore_extent"] = [{"datastore_id": "ds", "device": LUN}]
    given["datastore_mount"] = [{"datastore_id": "ds", "host_id": f"host-{n}", "mounted": True} for n in (1, 2)]
    reported = dict.fromkeys(("ats_status", "clone_status", "zero_status", "delete_status"), "supported")
    given["device_offload"] = [{"host_id": f"host-{n}", "device": LUN, **reported} for n in (1, 2)]
    return given


@pytest.mark.parametrize(
    ("name", "column", "known"),
    [
        pytest.param("offload", "missing_offloads", "", id="offloads"),
        pytest.param("offload", "without_delete", False, id="unmapping"),
        pytest.param("datastore", "vcenters", 1, id="who manages a datastore"),
        pytest.param("pool_sioc", "is_mixed", False, id="Storage I/O Control on a pool"),
        pytest.param("qos_policy_use", "datastores_under_it", 1, id="datastores under one policy"),
        pytest.param("target_port", "queue_depths", 128, id="commands at a target port"),
    ],
)
def test_what_is_counted_over_all_vcenters_is_known_where_the_array_lets_in_no_other(name: str, column: str, known: object) -> None:
    given = stored()
    [row] = view(name, given)
    assert row[column] == known
    listing(given, OTHER, STRANGER)
    given["array_volume"][-1].update(pool_id="p", qos_policy_id="q", qos_policy="q", qos_shared=True)
    given["array_connection"].append({"endpoint": "fa", "volume_id": f"v{LUN[-4:]}", "array_host_id": STRANGER})
    [row] = [row for row in view(name, given) if OTHER not in row["resource_id"]]
    assert row[column] is None


def test_a_volume_that_only_read_hosts_see_is_known_to_carry_no_datastore() -> None:
    given = fleet(LUN)
    unanswered(given, "vc-2")
    listing(given, LUN, *of_all())
    [row] = view("array_volume", given)
    assert row["carries_datastore"] is False


def machines(host: str | None) -> Facts:
    """Two hosts, each with a datastore of its own; the disks of a machine of `host` were not read."""
    given = fleet(LUN, OTHER)
    for number, device in ((1, LUN), (2, OTHER)):
        given.setdefault("datastore", []).append({"datastore_id": f"ds-{number}", "name": f"ds-{number}", "type": "VMFS"})
        given.setdefault("datastore_extent", []).append({"datastore_id": f"ds-{number}", "device": device})
        given.setdefault("datastore_mount", []).append({"datastore_id": f"ds-{number}", "host_id": f"host-{number}", "mounted": True})
    given["vm"] = [{"vm_id": "vm-1", "name": "one", "host_id": host, "power_state": "poweredOn", "disks_read": False}]
    return given


@pytest.mark.parametrize(
    ("host", "disks"),
    [
        pytest.param("host-1", {"ds-1": None, "ds-2": 0}, id="on a host that mounts one of them"),
        pytest.param(None, {"ds-1": None, "ds-2": None}, id="on a host that is not known"),
    ],
)
def test_a_machine_whose_disks_were_not_read_leaves_only_its_hosts_datastores_open(host: str | None, disks: dict[str, Any]) -> None:
    assert {row["resource_name"]: row["disks"] for row in view("datastore_throttle", machines(host))} == disks


def test_so_does_it_leave_only_the_devices_open_that_carry_them() -> None:
    given = machines("host-1")
    parameter = "lun_queue_depth_per_path"
    each = [row["host_id"] for row in given["host"]]
    given["host_module"] = [{"host_id": host, "module": "nfnic", "loaded": True, "option_string": f"{parameter}=64"} for host in each]
    reported = {"module": "nfnic", "name": parameter, "type": "int", "value": "64"}
    given["host_module_parameter"] = [{"host_id": host, **reported} for host in each]
    assert {row["device"]: row["disks"] for row in view("raised_device", given)} == {LUN: None, OTHER: 0}
