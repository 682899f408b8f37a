"""Uniform queues across the hosts that share a device, and what else the queue rules look at; NULL wherever something was not read."""

from collections.abc import Callable
from typing import Any

import pytest

from auditor.model import EndpointKind
from tests.facts.fleets import Facts, array, hosts, on_all_hosts, seen, serves, unanswered, view
from tests.facts.judged import judged

LUN = "naa.624a93705a1f77c29b3e4d1000011011"
ENDPOINT = "naa.6f47acc2000000017366707200000000"


def shared(
    *dsnro: int | None, depth: tuple[int | None, ...] | None = None, drivers: tuple[str, ...] = (), family: str = "flasharray"
) -> Facts:
    """One device on as many hosts as there are values of DSNRO; depth 256 by nfnic unless given otherwise."""
    given = hosts(len(dsnro))
    on_all_hosts(given, seen(LUN, family, is_protocol_endpoint=False))
    for number, row in enumerate(given["device"]):
        row["queue_depth"] = depth[number] if depth else 256
    names = [row["host_id"] for row in given["host"]]
    scheduling = zip(names, dsnro, strict=True)
    given["device_scheduling"] = [
        {"host_id": host, "device": LUN, "dsnro": value, "queue_full_sample_size": 0, "queue_full_threshold": 0}
        for host, value in scheduling
    ]
    given["hba"] = [
        {"host_id": host, "hba": "vmhba1", "kind": "fc", "driver": drivers[number] if drivers else "nfnic"}
        for number, host in enumerate(names)
    ]
    given["path"] = [
        {"host_id": host, "device": LUN, "hba": "vmhba1", "transport": "fc", "target": "52", "state": "active"} for host in names
    ]
    return given


def device(given: Facts) -> dict[str, Any]:
    [row] = view("shared_device", given)
    return row


def unread(given: Facts, host: str) -> None:
    """A host's devices were not read, and nothing of them is known."""
    for row in given["reading"]:
        if row["scope"] == host and row["topic"] == "devices":
            row["complete"] = False
    for table in ("device", "device_scheduling", "path"):
        given[table] = [row for row in given[table] if row["host_id"] != host]


@pytest.mark.parametrize(
    ("given", "agrees", "majority", "odd"),
    [
        pytest.param(shared(32, 32, 32), True, 32, None, id="all agree"),
        pytest.param(shared(32, 32, 256, depth=(32, 32, 32)), True, 32, None, id="one was raised alone above its depth, to no effect"),
        pytest.param(shared(32, 32, 256, depth=(64, 64, 32)), True, 32, None, id="one was raised alone where its driver holds 32"),
        pytest.param(shared(32, 256, 64, depth=(64, 32, 64)), False, None, "esx-3", id="one was raised to effect, another to none"),
        pytest.param(shared(32, 32, 256, depth=(64, 64, None)), None, 32, None, id="what is in force on one is not known"),
        pytest.param(shared(32, 32, 256), False, 32, "esx-3", id="one was raised alone"),
        pytest.param(shared(256, 256, 32), False, 256, "esx-1, esx-2", id="most were raised: the default is wanted, not the majority"),
        pytest.param(shared(64, 64, 256, 32, 32), False, None, "esx-1, esx-2, esx-3", id="without a majority"),
        pytest.param(shared(32, None, 32), None, 32, None, id="one host does not tell"),
        pytest.param(shared(32, None, 256), False, None, "esx-3", id="one host does not tell, and the others differ"),
    ],
)
def test_the_hosts_at_odds_are_named_by_what_is_wanted(given: Facts, agrees: bool | None, majority: int | None, odd: str | None) -> None:
    row = device(given)
    assert (row["dsnro_agrees"], row["majority_dsnro"], row["wanted_dsnro"], row["odd_dsnro_hosts"]) == (agrees, majority, 32, odd)


def test_of_a_family_of_whose_queues_no_source_says_anything_nothing_is_wanted() -> None:
    # docs/domain/facts.md#5-6: no source for a PowerVault MD3
    row = device(shared(64, 64, 32, family="eseries"))
    assert (row["dsnro_agrees"], row["majority_dsnro"], row["wanted_dsnro"], row["odd_dsnro_hosts"]) == (False, 64, None, "esx-3")


def test_of_an_array_nobody_knows_the_majority_tells_and_an_even_split_names_all() -> None:
    def stranger(*dsnro: int) -> dict[str, Any]:
        given = shared(*dsnro)
        for row in given["device"]:
            row.update(device="naa.1", vendor="NOBODY", model="Disk")
        for table in ("device_scheduling", "path"):
            for row in given[table]:
                row["device"] = "naa.1"
        return device(given)

    three, two = stranger(64, 64, 32), stranger(64, 32)
    assert (three["wanted_dsnro"], three["odd_dsnro_hosts"]) == (None, "esx-3")
    assert (two["wanted_dsnro"], two["majority_dsnro"], two["odd_dsnro_hosts"], two["dsnros"]) == (
        None,
        None,
        "esx-1, esx-2",
        "32 on 1, 64 on 1",
    )


def test_the_stock_value_is_not_wanted_of_a_providers_tier() -> None:
    given = shared(24, 24, 32)
    given["declared"] = [{"devices": LUN, "model": "IBM Cloud 2 IOPS/GB"}]
    row = device(given)
    assert (row["wanted_dsnro"], row["majority_dsnro"], row["odd_dsnro_hosts"]) == (None, 24, "esx-3")


def test_hosts_agree_only_when_every_host_of_the_cluster_was_read() -> None:
    given, differing = shared(32, 32, 32), shared(32, 256, 32)
    for one in (given, differing):
        unread(one, "host-3")
    assert (device(given)["dsnro_agrees"], device(given)["queue_depth_agrees"], device(given)["queue_full_agrees"]) == (None, None, None)
    assert device(differing)["dsnro_agrees"] is False


@pytest.mark.parametrize(
    ("mounts", "agrees"), [pytest.param(True, None, id="it mounts the datastore"), pytest.param(False, True, id="it does not")]
)
def test_an_unread_host_of_another_cluster_counts_where_it_mounts_what_is_on_the_device(mounts: bool, agrees: bool | None) -> None:
    given = shared(32, 32, 32)
    given["host"][2].update(cluster_id="c2", cluster="silver")
    unread(given, "host-3")
    given["datastore"] = [{"datastore_id": "ds", "name": "ds", "type": "VMFS", "sioc_enabled": False}]
    given["datastore_extent"] = [{"datastore_id": "ds", "device": LUN, "partition": 1}]
    given["datastore_mount"] = [{"datastore_id": "ds", "host_id": f"host-{n}", "mounted": True} for n in ((1, 2, 3) if mounts else (1, 2))]
    assert device(given)["dsnro_agrees"] is agrees


def test_hosts_of_another_cluster_that_see_the_device_are_compared_as_well() -> None:
    given = shared(32, 32, 64)
    given["host"][2].update(cluster_id="c2", cluster="silver")
    row = device(given)
    assert (row["cluster"], row["dsnro_agrees"], row["odd_dsnro_hosts"]) == (None, False, "esx-3")


@pytest.mark.parametrize(
    ("given", "agrees", "wanted", "odd"),
    [
        pytest.param(
            shared(32, 32, 32, depth=(32, 32, 64), drivers=("nfnic", "nfnic", "qlnativefc")), True, None, None, id="each driver its default"
        ),
        pytest.param(shared(32, 32, 32, depth=(32, 32, 96)), False, "nfnic 32", "esx-3", id="one was raised alone"),
        pytest.param(shared(32, 32, depth=(32, 96)), False, None, "esx-1, esx-2", id="evenly split"),
        pytest.param(shared(32, 32, depth=(32, None)), None, None, None, id="one does not tell"),
    ],
)
def test_depths_are_compared_among_hosts_of_one_driver(given: Facts, agrees: bool | None, wanted: str | None, odd: str | None) -> None:
    row = device(given)
    assert (row["queue_depth_agrees"], row["wanted_queue_depths"], row["odd_depth_hosts"]) == (agrees, wanted, odd)


def test_depths_without_a_known_driver_are_not_compared() -> None:
    given = shared(32, 32, depth=(32, 96))
    given["path"] = []
    assert device(given)["queue_depth_agrees"] is None


def test_on_a_solidfire_endpoint_those_are_odd_that_are_not_the_deepest() -> None:
    given = shared(32, 32, 32, depth=(128, 128, 256), family="solidfire")
    for table in ("device", "device_scheduling", "path"):
        for row in given[table]:
            row["device"] = ENDPOINT
    for row in given["device"]:
        row["is_protocol_endpoint"] = True
    row = device(given)
    assert (row["is_protocol_endpoint"], row["wanted_dsnro"], row["odd_depth_hosts"]) == (True, None, "esx-1, esx-2")


def options(given: Facts, host: str, size: int, threshold: int) -> None:
    pairs = (("Disk.QFullSampleSize", size), ("Disk.QFullThreshold", threshold))
    given.setdefault("host_option", []).extend(
        {"host_id": host, "key": key, "value": str(value), "value_type": "long"} for key, value in pairs
    )


def test_a_device_without_a_throttle_of_its_own_goes_by_the_options_of_its_host() -> None:
    given = shared(32, 32)
    options(given, "host-1", 32, 8)
    options(given, "host-2", 0, 8)
    given["device_scheduling"][1].update(queue_full_sample_size=32, queue_full_threshold=8)
    row = device(given)
    assert (row["queue_full_agrees"], row["queue_full_values"]) == (True, "32/8 on 2")
    given["device_scheduling"][1].update(queue_full_threshold=4)
    row = device(given)
    assert (row["queue_full_agrees"], row["least_queue_full_sample_size"], row["least_queue_full_threshold"]) == (False, 32, 4)


@pytest.mark.parametrize(
    ("sizes", "agrees", "text", "verdicts"),
    [
        pytest.param(
            ((0, 8), (0, 4), (0, 8)), True, "0/4 on 3", "pass pass pass", id="off on all, and a threshold that counts for nothing"
        ),
        pytest.param(((0, 8), (0, 4), (32, 4)), False, "0/4 on 2, 32/4 on 1", "pass pass fail", id="on for one host"),
        pytest.param(((32, 8), (32, 4), (32, 8)), False, "32/4 on 1, 32/8 on 2", "pass fail pass", id="another threshold where it is on"),
    ],
)
def test_hosts_agree_that_do_not_slow_down_whatever_their_threshold_is(
    sizes: tuple[tuple[int, int], ...], text: str, verdicts: str, *, agrees: bool
) -> None:
    """Source: VMware KB 311232: it is enabled by a sample size above 0."""
    given = shared(32, 32, 32)
    for number, (size, threshold) in enumerate(sizes, 1):
        options(given, f"host-{number}", size, threshold)
    row = device(given)
    assert (row["queue_full_agrees"], row["queue_full_values"]) == (agrees, text)
    assert " ".join(judged("queue/qfull-uniform", given)[f"host-{number}"] for number in (1, 2, 3)) == verdicts


def test_a_throttle_is_not_known_without_the_options_it_goes_by() -> None:
    row = device(shared(32, 32))
    assert (row["queue_full_agrees"], row["least_queue_full_sample_size"]) == (None, None)


@pytest.mark.parametrize(
    ("stores", "enabled"),
    [
        pytest.param([True], True, id="on"),
        pytest.param([False], False, id="off"),
        pytest.param([], False, id="no datastore on it"),
        pytest.param([None, False], None, id="one does not tell"),
        pytest.param([None, True], True, id="one is on"),
    ],
)
def test_storage_io_control_manages_a_device_by_any_datastore_on_it(stores: list[bool | None], enabled: bool | None) -> None:
    given = shared(32, 32)
    given["datastore"] = [{"datastore_id": f"ds-{n}", "name": f"ds-{n}", "type": "VMFS", "sioc_enabled": on} for n, on in enumerate(stores)]
    given["datastore_extent"] = [{"datastore_id": f"ds-{n}", "device": LUN, "partition": 1} for n, _ in enumerate(stores)]
    assert device(given)["sioc_enabled"] is enabled


def modules(given: Facts, module: str, text: str | None) -> None:
    given["host_module"] = [{"host_id": row["host_id"], "module": module, "loaded": True, "option_string": text} for row in given["host"]]


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        pytest.param("lpfc0_lun_queue_depth=64", (2, False, 1, 1), id="one port"),
        pytest.param("lpfc0_lun_queue_depth=64 lpfc1_lun_queue_depth=32", (2, False, 2, 2), id="both, differently"),
        pytest.param("lpfc_lun_queue_depth=64 lpfc_hba_queue_depth=8192", (2, True, 0, 0), id="all"),
        pytest.param("", (2, False, 0, 0), id="nothing"),
        pytest.param(None, (2, None, None, None), id="not read"),
    ],
)
def test_what_is_set_for_single_emulex_ports_is_told_from_what_is_set_for_all(text: str | None, reported: tuple[Any, ...]) -> None:
    given = shared(32, drivers=("lpfc",))
    given["hba"].append({"host_id": "host-1", "hba": "vmhba2", "kind": "fc", "driver": "lpfc"})
    modules(given, "lpfc", text)
    [row] = view("module_instance", given)
    assert (row["ports"], row["sets_all_ports"], row["instances_set"], row["instance_values"]) == reported


@pytest.mark.parametrize(
    ("text", "raised"),
    [
        pytest.param("lun_queue_depth_per_path=96", [True, True], id="raised"),
        pytest.param("lun_queue_depth_per_path=32", [False, True], id="set to the default"),
        pytest.param("", [], id="not set"),
        pytest.param(None, [None, None], id="not read"),
    ],
)
def test_a_device_is_raised_where_the_options_made_it_deeper_than_the_drivers_default(text: str | None, raised: list[bool | None]) -> None:
    given = shared(32, 32, depth=(32, 96) if text == "lun_queue_depth_per_path=32" else (96, 96))
    modules(given, "nfnic", text)
    rows = view("raised_device", given)
    assert [row["is_raised"] for row in rows] == raised
    assert {row["disks"] for row in rows} <= {0}


def a_machine(given: Facts, **more: Any) -> None:
    """Two machines on host-1 with a disk each on the one datastore of the device, and the device's load."""
    given["datastore"] = [{"datastore_id": "ds", "name": "ds", "type": "VMFS", "sioc_enabled": False}]
    given["datastore_extent"] = [{"datastore_id": "ds", "device": LUN, "partition": 1}]
    machine = {"host_id": "host-1", "power_state": "poweredOn", "is_template": False, "disks_read": True}
    given["vm"] = [{"vm_id": f"vm-{n}", "name": f"m{n}", **machine} for n in (1, 2)]
    given["vm"][1].update(more)
    given["vm_disk"] = [{"vm_id": f"vm-{n}", "disk": "Hard disk 1", "datastore_id": "ds", "controller": "lsilogic-sas"} for n in (1, 2)]
    given["device_load"] = [{"host_id": "host-1", "device": LUN, "commands_per_second": 5200.0, "gavg_ms": 12.0}]


@pytest.mark.parametrize(
    ("more", "outstanding"),
    [
        pytest.param({}, None, id="both run, and nobody counts what each does"),
        pytest.param({"power_state": None}, None, id="whether the other runs was not read"),
        pytest.param({"power_state": "poweredOff"}, 62.4, id="one is off"),
        pytest.param({"power_state": "suspended"}, 62.4, id="one is suspended"),
        pytest.param({"host_id": "host-2"}, 62.4, id="one runs elsewhere"),
        pytest.param({"host_id": None}, None, id="nobody knows where one runs"),
        pytest.param({"disks_read": False}, None, id="the disks of one were not read"),
    ],
)
def test_the_devices_load_is_a_disks_where_it_is_alone_and_is_never_divided(more: dict[str, Any], outstanding: float | None) -> None:
    given = shared(32, 32)
    a_machine(given, **more)
    row = view("virtual_disk", given)[0]
    assert row["outstanding_per_disk"] == (None if outstanding is None else pytest.approx(outstanding))
    assert (row["datastore"], row["device"], row["is_limited"], row["vm_datastores"]) == ("ds", LUN, False, 1)


@pytest.mark.parametrize(
    ("reported", "outstanding"),
    [
        pytest.param({"commands_per_second": 100.0, "gavg_ms": 5.0}, 62.9, id="both of its devices"),
        pytest.param({"commands_per_second": 0.0, "gavg_ms": 0.0}, 62.4, id="all of it on one"),
        pytest.param({"commands_per_second": 100.0, "gavg_ms": None}, None, id="one of them does not tell"),
        pytest.param(None, None, id="one of them was not read"),
    ],
)
def test_a_disk_on_several_extents_does_what_all_of_them_do(reported: dict[str, Any] | None, outstanding: float | None) -> None:
    given = shared(32, 32)
    a_machine(given, power_state="poweredOff")
    given["datastore_extent"].append({**given["datastore_extent"][0], "device": "naa.another"})
    if reported is not None:
        given["device_load"].append({**given["device_load"][0], "device": "naa.another", **reported})
    row = view("virtual_disk", given)[0]
    assert row["device"] is None
    assert row["outstanding_per_disk"] == (None if outstanding is None else pytest.approx(outstanding))


@pytest.mark.parametrize(
    ("counted", "verdicts"),
    [
        pytest.param({1: (31.0, 2600.0), 2: (0.2, 4.0)}, ["fail", "pass"], id="one is busy and its neighbour idles"),
        pytest.param({1: (31.0, 2600.0)}, ["fail", "unknown"], id="the other's counters are missing"),
        pytest.param({2: (31.0, 30.0)}, ["unknown", "pass"], id="full because the array is slow"),
        pytest.param({}, ["unknown", "unknown"], id="no counters, and both share the device"),
    ],
)
def test_a_controller_is_judged_by_what_its_own_disk_does(counted: dict[int, tuple[float, float]], verdicts: list[str]) -> None:
    # The device's 62 commands under way would be 31 for each, were they divided evenly.
    given = shared(32, 32)
    a_machine(given)
    for disk in given["vm_disk"]:
        disk["node"] = "scsi0:0"
    given["vm_disk_load"] = [
        {"vm_id": f"vm-{n}", "node": "scsi0:0", "outstanding": outstanding, "commands_per_second": commands}
        for n, (outstanding, commands) in counted.items()
    ]
    assert [verdict for _, verdict in sorted(judged("vm/controller", given).items())] == verdicts


def test_disks_on_a_raised_device_are_counted_by_the_datastores_on_it() -> None:
    given = shared(32, 32, depth=(96, 96))
    a_machine(given)
    modules(given, "nfnic", "lun_queue_depth_per_path=96")
    assert {row["disks"] for row in view("raised_device", given)} == {2}
    given["vm"][0]["disks_read"] = None
    assert {row["disks"] for row in view("raised_device", given)} == {None}


def option_rows(given: Facts) -> dict[str, dict[str, Any]]:
    return {row["option"]: row for row in view("queue_option", given) if row["host_id"] == "host-1"}


def test_every_scheduler_option_is_a_row_and_the_boot_option_only_where_it_is_listed() -> None:
    given = shared(32)
    assert len(option_rows(given)) == 6
    assert option_rows(given)["Disk.SchedQuantum"]["value"] is None
    reported = (("VMkernel.Boot.isPerFileSchedModelActive", "false"), ("NFS.MaxQueueDepth", "4294967295"))
    given["host_option"] = [{"host_id": "host-1", "key": key, "value": value, "value_type": "x"} for key, value in reported]
    rows = option_rows(given)
    assert (rows["VMkernel.Boot.isPerFileSchedModelActive"]["value"], rows["NFS.MaxQueueDepth"]["value"]) == (0, 4294967295)


def nfs(array_read: bool) -> Facts:
    given = shared(32)
    given["datastore"] = [{"datastore_id": "ds", "name": "nfs", "type": "NFS", "nfs_host": "198.51.100.30", "nfs_path": "/vol1"}]
    given["datastore_mount"] = [{"datastore_id": "ds", "host_id": "host-1", "mounted": True}]
    if array_read:
        exported = {"name": "vol1", "kind": "share", "export_path": "/vol1"}
        array(given, "na", EndpointKind.ONTAP, exported)
        serves(given, "na", "198.51.100.30")
    return given


def lose_datastores(given: Facts) -> None:
    given["datastore"], given["datastore_mount"] = [], []
    given["reading"] = [row for row in given["reading"] if row["topic"] != "datastores"]


def keep(_: Facts) -> None:
    """Change nothing."""


@pytest.mark.parametrize(
    ("given", "change", "mounts"),
    [
        pytest.param(nfs(array_read=True), keep, True, id="of an ONTAP that was read"),
        pytest.param(nfs(array_read=False), keep, None, id="of a server that nobody asked"),
        pytest.param(shared(32), keep, False, id="none"),
        pytest.param(shared(32), lose_datastores, None, id="datastores not read"),
    ],
)
def test_an_nfs_datastore_is_of_ontap_only_by_its_array(given: Facts, change: Callable[[Facts], None], mounts: bool | None) -> None:
    change(given)
    assert option_rows(given)["NFS.MaxQueueDepth"]["mounts_ontap_nfs"] is mounts


def test_an_arrays_port_gets_the_deepest_queue_of_each_initiator() -> None:
    given = shared(32, 32, 32, depth=(64, 64, 128))
    [row] = view("target_port", given)
    assert (row["target"], row["initiators"], row["queue_depths"], row["family"], row["cluster"]) == ("52", 3, 256, "flasharray", "gold")
    unread(given, "host-3")
    [row] = view("target_port", given)
    assert (row["initiators"], row["queue_depths_seen"], row["queue_depths"]) == (2, 128, None)


def test_what_another_vcenter_may_send_to_a_port_is_not_known_until_it_told_its_hosts() -> None:
    given = shared(32, 32, depth=(64, 64))
    unanswered(given, "vc-other")
    [row] = view("target_port", given)
    assert (row["queue_depths_seen"], row["queue_depths"]) == (128, None)


@pytest.mark.parametrize(("second", "agrees"), [pytest.param(32, None, id="so far"), pytest.param(64, False, id="not even so far")])
def test_hosts_agree_only_when_every_vcenter_told_its_hosts(second: int, agrees: bool | None) -> None:
    given = shared(32, second)
    unanswered(given, "vc-other")
    assert device(given)["dsnro_agrees"] is agrees


def test_an_unread_host_may_see_any_device_where_nobody_knows_what_it_mounts() -> None:
    given = shared(32, 32)
    lose_datastores(given)
    assert device(given)["dsnro_agrees"] is True
    given["host"].append({"host_id": "host-9", "name": "esx-9", "cluster_id": "c9", "cluster": "iron"})
    assert device(given)["dsnro_agrees"] is None
    given["reading"].append({"scope": "", "topic": "datastores", "complete": True})
    assert device(given)["dsnro_agrees"] is True


def test_capped_endpoints_of_other_families_do_not_ask_for_a_deeper_driver_queue() -> None:
    given = shared(256)
    pe = "naa.624a93705a1f77c29b3e4d1000011010"
    given["device"] = [{**given["device"][0], "device": pe, "is_protocol_endpoint": True}]
    given["path"][0]["device"] = pe
    modules(given, "nfnic", "")
    array(given, "fa", EndpointKind.FLASHARRAY, {"name": "v", "is_virtual": True, "kind": "vvol", "qos_max_iops": 1000})
    given["array_protocol_endpoint"] = [{"endpoint": "fa", "protocol_endpoint_id": "p", "device": pe}]
    [endpoint] = view("protocol_endpoint", given)
    [module] = view("host_module", given)
    assert (endpoint["per_object_qos"], module["serves_capped_protocol_endpoints"], module["deepest_disk_queue"]) == (True, False, 0)


def fibre_channel(*devices: tuple[str | None, int | None], option: str = "ql2xmaxqdepth=128") -> Facts:
    """One host whose devices, (inquiry vendor, queue depth) each, are all behind one FC driver with a configured depth."""
    given = hosts(1)
    given["device"] = [
        {**seen(f"eui.{number}", "flasharray"), "host_id": "host-1", "vendor": vendor, "queue_depth": depth}
        for number, (vendor, depth) in enumerate(devices)
    ]
    given["hba"] = [{"host_id": "host-1", "hba": "vmhba1", "kind": "fc", "driver": "qlnativefc"}]
    given["path"] = [
        {"host_id": "host-1", "device": row["device"], "hba": "vmhba1", "transport": "fc", "state": "active"} for row in given["device"]
    ]
    given["host_module"] = [{"host_id": "host-1", "module": "qlnativefc", "loaded": True, "option_string": option}]
    return given


@pytest.mark.parametrize(
    ("devices", "luns", "depth", "verdict"),
    [
        pytest.param([("PURE", 128), ("NVMe", 2048)], 1, 128, "pass", id="the LUN is as configured, and a namespace has its own queue"),
        pytest.param([("PURE", 64), ("NVMe", 2048)], 1, 64, "fail", id="the LUN is not"),
        pytest.param([("PURE", 64), ("NVMe", 128)], 1, 64, "fail", id="a namespace that happens to have the depth proves nothing"),
        pytest.param([("NVMe", 2048)], 0, None, "not_applicable", id="namespaces alone"),
        pytest.param([("PURE", 128), ("NVMe", None)], 1, 128, "pass", id="a namespace that does not tell"),
        pytest.param([("PURE", None), ("NVMe", 128)], 1, None, "unknown", id="a LUN that does not tell"),
        pytest.param([("PURE", 128), (None, 2048)], None, None, "unknown", id="nobody knows which it is"),
    ],
)
def test_a_drivers_depth_is_in_effect_on_scsi_luns_and_not_on_nvme_namespaces(
    devices: list[tuple[str | None, int | None]], luns: int | None, depth: int | None, verdict: str
) -> None:
    given = fibre_channel(*devices)
    [row] = view("host_module", given)
    assert (row["devices"], row["luns"], row["depth_in_effect"]) == (len(devices), luns, depth)
    assert set(judged("queue/pending-reboot", given).values()) == {verdict}


@pytest.mark.parametrize("rule", ["queue/dsnro-uniform", "queue/dsnro-effective", "queue/default-unless-justified"])
def test_a_namespace_has_no_dsnro_that_could_be_wrong_or_unknown(rule: str) -> None:
    """docs/domain/facts.md#2: a namespace has no DSNRO; where a build tells one all the same, nobody knows whether it is heeded."""
    given = shared(None, 64)
    assert set(judged(rule, given).values()) & {"fail", "unknown"}
    for row in given["device"]:
        row |= {"vendor": "NVMe", "model": "Pure Storage Fla"}
    assert set(judged(rule, given).values()) <= {"not_applicable"}
