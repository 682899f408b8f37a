"""Views join what was read, and say NULL wherever something they rest on was not."""

from collections.abc import Callable
from typing import Any

import pytest

from auditor.facts.catalog import view_columns
from auditor.facts.schema import ARRAY_TOPICS, HOST_TOPICS, VCENTER_TOPICS
from auditor.facts.views import RESOURCE_COLUMNS
from auditor.model import EndpointKind

from .fleets import Facts, Rows, view

PE = [f"naa.6f47acc20000000{n}{b'sfp1'.hex()}00000000" for n in (1, 2)]
CURVE = '{"4096":100,"8192":160,"262144":3900,"524288":7600}'


def facts() -> Facts:
    """Two hosts of one cluster that see both protocol endpoints of a two-node Element cluster; everything read."""
    hosts: Rows = [{"host_id": f"host-{n}", "name": f"esx-{n}", "cluster_id": "c1", "cluster": "gold"} for n in (1, 2)]
    per_device: Rows = [{"host_id": h["host_id"], "device": pe} for h in hosts for pe in PE]
    readings: Rows = [{"scope": h["host_id"], "topic": t, "complete": True} for h in hosts for t in HOST_TOPICS]
    readings += [{"scope": "", "topic": t, "complete": True} for t in VCENTER_TOPICS]
    readings += [{"endpoint": "sf", "scope": "", "topic": t, "complete": True} for t in ARRAY_TOPICS[EndpointKind.ELEMENT]]
    return {
        "reading": readings,
        "host": hosts,
        "host_option": [
            {"host_id": h["host_id"], "key": key, "value": "1", "value_type": "long"}
            for h in hosts
            for key in (
                "DataMover.HardwareAcceleratedMove",
                "DataMover.HardwareAcceleratedInit",
                "VMFS3.HardwareAcceleratedLocking",
                "VMFS3.UseATSForHBOnVMFS5",
            )
        ],
        "hba": [{"host_id": h["host_id"], "hba": "vmhba64", "driver": "iscsi_vmk", "kind": "iscsi"} for h in hosts],
        "host_module": [
            {"host_id": h["host_id"], "module": "iscsi_vmk", "loaded": True, "option_string": "iscsivmk_LunQDepth=256"} for h in hosts
        ],
        "host_module_parameter": [
            {"host_id": h["host_id"], "module": "iscsi_vmk", "name": name}
            for h in hosts
            for name in ("iscsivmk_LunQDepth", "iscsivmk_HostQDepth")
        ],
        "device": [
            {**d, "vendor": "SolidFir", "model": "SSD SAN", "device_type": "disk", "is_protocol_endpoint": True, "queue_depth": 256}
            for d in per_device
        ],
        "device_scheduling": [{**d, "dsnro": 256} for d in per_device],
        "path": [{**d, "hba": "vmhba64", "path": "p", "state": "active"} for d in per_device],
        "datastore": [{"datastore_id": "ds-1", "name": "vvols", "type": "VVOL"}],
        "vvol_mount": [{**d, "datastore_id": "ds-1"} for d in per_device],
        "vm": [
            {
                "vm_id": "vm-1",
                "name": "db",
                "host_id": "host-1",
                "is_template": False,
                "disks_read": True,
                "power_state": "poweredOn",
                "guest_id": "windows2019srv_64Guest",
                "running_guest_id": "",
            }
        ],
        "vm_disk": [{"vm_id": "vm-1", "disk": "Hard disk 1", "datastore_id": "ds-1", "controller": "pvscsi"}],
        "array": [{"endpoint": "sf", "family": "solidfire", "name": "sf"}],
        "array_node": [
            {"endpoint": "sf", "node_id": str(n), "state": "active", "role": "Storage", "is_fibre_channel": False} for n in (1, 2)
        ],
        "array_protocol_endpoint": [{"endpoint": "sf", "protocol_endpoint_id": pe, "device": pe, "state": "Active"} for pe in PE],
        "array_volume": [
            {
                "endpoint": "sf",
                "volume_id": "7",
                "name": "bronze",
                "kind": "vvol",
                "is_virtual": True,
                "qos_max_iops": 1000,
                "qos_burst_iops": 2000,
                "qos_read": True,
                "qos_curve": CURVE,
            }
        ],
        "array_volume_load": [{"endpoint": "sf", "volume_id": "7", "average_io_bytes": 524288}],
    }


def without_topic(given: Facts, topic: str, scope: str | None = None) -> None:
    for row in given["reading"]:
        if row["topic"] == topic and scope in (None, row["scope"]):
            row["complete"] = False


def test_every_judged_view_begins_with_the_columns_of_a_resource() -> None:
    for name, columns in view_columns().items():
        assert tuple(columns)[: len(RESOURCE_COLUMNS)] == RESOURCE_COLUMNS, name


@pytest.mark.parametrize("name", view_columns())
def test_a_view_gives_each_resource_once(name: str) -> None:
    rows = view(name, facts())
    assert len({(row["endpoint"], row["resource_id"]) for row in rows}) == len(rows)


def test_a_protocol_endpoint_is_joined_to_its_array_and_to_the_disks_behind_it() -> None:
    rows = view("protocol_endpoint", facts())
    assert len(rows) == 4
    for row in rows:
        assert (row["array_name"], row["per_object_qos"], row["deepest_disk_queue"], row["vvol_disks"]) == ("sf", True, 64, 1)
        assert (row["driver"], row["is_behind_cluster"]) == ("iscsi_vmk", False)


def lose(table: str) -> Callable[[Facts], None]:
    return lambda given: given.update({table: []})


def lose_topic(topic: str) -> Callable[[Facts], None]:
    return lambda given: without_topic(given, topic)


@pytest.mark.parametrize(
    ("loss", "column"),
    [
        pytest.param(lose("array_protocol_endpoint"), "per_object_qos", id="the array does not present the endpoint"),
        pytest.param(lose_topic("vms"), "deepest_disk_queue", id="machines not read"),
        pytest.param(lose_topic("vms"), "vvol_disks", id="machines not read, so not counted"),
        pytest.param(lose_topic("datastores"), "deepest_disk_queue", id="datastores not read"),
        pytest.param(lose_topic("device_scheduling"), "is_behind_cluster", id="DSNRO not read on some host"),
        pytest.param(lose("device_scheduling"), "is_behind_cluster", id="DSNRO not read at all"),
    ],
)
def test_a_column_is_null_when_what_it_rests_on_was_not_read(loss: Callable[[Facts], None], column: str) -> None:
    given = facts()
    loss(given)
    assert {row[column] for row in view("protocol_endpoint", given)} == {None}


def test_an_array_without_caps_is_only_believed_when_all_its_volumes_were_read() -> None:
    given = facts()
    given["array_volume"][0]["qos_max_iops"] = None
    assert {row["per_object_qos"] for row in view("protocol_endpoint", given)} == {False}
    without_topic(given, "volumes")
    assert {row["per_object_qos"] for row in view("protocol_endpoint", given)} == {None}


def test_a_controller_whose_depth_no_source_gives_makes_the_deepest_disk_unknown() -> None:
    given = facts()
    given["vm_disk"].append({"vm_id": "vm-1", "disk": "Hard disk 2", "datastore_id": "ds-1", "controller": "nvme"})
    assert {row["deepest_disk_queue"] for row in view("protocol_endpoint", given)} == {None}


def lose_devices(given: Facts) -> None:
    given["device"] = []
    without_topic(given, "devices")


@pytest.mark.parametrize(
    ("change", "capped"),
    [
        pytest.param(lambda given: None, True, id="an array behind them caps single volumes"),
        pytest.param(lose("device"), False, id="no protocol endpoint at all"),
        pytest.param(lose_devices, None, id="devices not read"),
        pytest.param(lose("array_protocol_endpoint"), None, id="nobody presents them"),
    ],
)
def test_a_host_knows_whether_capped_volumes_are_behind_its_endpoints(change: Callable[[Facts], object], capped: bool | None) -> None:
    given = facts()
    change(given)
    assert {row["has_capped_protocol_endpoints"] for row in view("host", given)} == {capped}


@pytest.mark.parametrize(
    ("machine", "deepest"),
    [
        pytest.param({"host_id": "host-2", "power_state": "poweredOn"}, None, id="it may be the deepest of the cluster"),
        pytest.param({"host_id": "host-2"}, None, id="nobody knows whether it runs"),
        pytest.param({"host_id": "host-2", "power_state": "poweredOff"}, 64, id="powered off, it sends nothing"),
        pytest.param({"host_id": "host-3", "power_state": "poweredOn"}, 64, id="it runs in another cluster"),
    ],
)
def test_a_machine_whose_disks_were_not_read_makes_only_its_own_cluster_unknown(machine: dict[str, str], deepest: int | None) -> None:
    given = facts()
    given["host"].append({"host_id": "host-3", "name": "esx-3", "cluster_id": "c2", "cluster": "silver"})
    given["vm"].append({"vm_id": "vm-2", "name": "orphan", "disks_read": False, **machine})
    assert {row["deepest_disk_queue"] for row in view("protocol_endpoint", given)} == {deepest}


def test_an_endpoint_left_behind_is_named_even_when_another_host_was_not_read() -> None:
    given = facts()
    given["device_scheduling"][0]["dsnro"] = 32
    without_topic(given, "device_scheduling", "host-2")
    assert [row["is_behind_cluster"] for row in view("protocol_endpoint", given)] == [True, None, None, None]


def test_a_device_that_two_arrays_present_belongs_to_neither() -> None:
    given = facts()
    given["array"].append({"endpoint": "sf-copy", "family": "solidfire"})
    given["array_protocol_endpoint"].append({"endpoint": "sf-copy", "protocol_endpoint_id": "x", "device": PE[0], "state": "Active"})
    by_device = {row["device"]: row["array_name"] for row in view("protocol_endpoint", given)}
    assert by_device == {PE[0]: None, PE[1]: "sf"}


def test_a_host_that_sees_no_endpoint_is_still_compared_with_the_array() -> None:
    given = facts()
    for table in ("device", "path", "device_scheduling"):
        given[table] = [row for row in given[table] if row["host_id"] == "host-1"]
    seen = {
        row["host"]: (row["visible_active_endpoints"], row["active_endpoints"], row["active_nodes"])
        for row in view("vvol_array_on_host", given)
    }
    assert seen == {"esx-1": (2, 2, 2), "esx-2": (0, 2, 2)}
    without_topic(given, "devices", "host-2")
    assert {row["host"]: row["visible_active_endpoints"] for row in view("vvol_array_on_host", given)} == {"esx-1": 2, "esx-2": None}


def test_an_array_that_was_not_read_leaves_its_side_of_the_comparison_open() -> None:
    given = facts()
    for table in ("array", "array_node", "array_protocol_endpoint", "array_volume", "array_volume_load"):
        given[table] = []
    given["reading"] = [row for row in given["reading"] if row.get("endpoint") != "sf"]
    rows = view("vvol_array_on_host", given)
    assert [(row["resource_name"], row["active_nodes"], row["active_endpoints"]) for row in rows] == [
        ("Element cluster 73667031", None, None)
    ] * 2


@pytest.mark.parametrize(
    ("more", "nodes"),
    [
        pytest.param({"role": "Witness", "is_fibre_channel": False}, 2, id="a witness node"),
        pytest.param({"role": "Management", "is_fibre_channel": False}, 2, id="a management node"),
        pytest.param({"role": "Storage", "is_fibre_channel": True}, 2, id="a Fibre Channel node"),
        pytest.param({"is_fibre_channel": True}, 2, id="a Fibre Channel node of a release without roles"),
        pytest.param({"role": "Storage", "is_fibre_channel": False}, 3, id="a third storage node"),
        pytest.param({"role": "Storage", "is_fibre_channel": False, "state": "pending"}, 2, id="a storage node that is not in yet"),
        pytest.param({"is_fibre_channel": False, "version": "11.7.0.76"}, 3, id="a node of a release without witnesses"),
        pytest.param({"is_fibre_channel": False, "version": "12.3.0.958"}, None, id="a node that may be a witness"),
        pytest.param({"is_fibre_channel": False}, None, id="a node whose role and release are not known"),
        pytest.param({"role": "Storage"}, None, id="a node that may have Fibre Channel"),
    ],
)
def test_only_nodes_that_serve_blocks_by_iscsi_count_as_nodes_with_a_protocol_endpoint(more: dict[str, Any], nodes: int | None) -> None:
    given = facts()
    given["array_node"].append({"endpoint": "sf", "node_id": "3", "state": "active", **more})
    # docs/domain/facts.md#10-2: one endpoint for each storage node; witness and Fibre Channel nodes have none.
    assert {row["active_nodes"] for row in view("vvol_array_on_host", given)} == {nodes}


@pytest.mark.parametrize("status", ["deleted", "destroyed"])
def test_a_volume_that_waits_to_be_purged_counts_nowhere(status: str) -> None:
    given = facts()
    before = {name: view(name, given) for name in ("array_volume", "protocol_endpoint", "qos_policy_use", "vvol_disk")}
    given["array_volume"].append(
        {
            "endpoint": "sf",
            "volume_id": "8",
            "name": "gone",
            "status": status,
            "is_virtual": True,
            "vvol_id": "8",
            "qos_max_iops": 100,
            "qos_read": True,
            "qos_policy_id": "1",
            "qos_curve": CURVE,
        }
    )
    given["vvol_binding"] = [{"endpoint": "sf", "binding_id": "1", "vvol_id": "8", "protocol_endpoint_id": PE[0]}]
    assert {name: view(name, given) for name in before} == before


def test_the_ceiling_is_worth_what_the_arrays_own_curve_says() -> None:
    [row] = view("array_volume", facts())
    # Incident S0 and docs/domain/facts.md#6-3: 2000 at 512 KiB is about 26.
    assert (row["is_busy"], row["effective_max_iops"], row["effective_burst_iops"]) == (True, 13.2, 26.3)


@pytest.mark.parametrize(
    ("size", "worth"),
    [
        pytest.param(4096, 1000.0, id="on the first point"),
        pytest.param(512, 1000.0, id="a small I/O costs one piece"),
        pytest.param(5120, 869.6, id="a quarter of the way from 100 to 160: 115"),
        pytest.param(1048576, None, id="beyond the curve"),
        pytest.param(None, None, id="idle"),
    ],
)
def test_between_two_points_the_cost_is_a_straight_line(size: int | None, worth: float | None) -> None:
    given = facts()
    given["array_volume_load"][0]["average_io_bytes"] = size
    [row] = view("array_volume", given)
    assert row["effective_max_iops"] == worth


def test_a_module_knows_its_depth_its_devices_and_its_misspelt_words() -> None:
    given = facts()
    given["host_module"][0]["option_string"] = "iscsivmk_LunQDepht=256  iscsivmk_HostQDepth=1024"
    first, second = view("host_module", given)
    assert (first["unknown_parameters"], first["corrections"]) == ("iscsivmk_LunQDepht", "iscsivmk_LunQDepth")
    assert (first["depth_is_configured"], first["configured_depth"]) == (False, None)
    assert (second["depth_is_configured"], second["configured_depth"], second["depth_in_effect"]) == (True, 256, 256)
    assert (second["devices"], second["families"], second["serves_capped_protocol_endpoints"], second["deepest_disk_queue"]) == (
        2,
        "solidfire",
        True,
        64,
    )
    assert second["unknown_parameters"] == ""


@pytest.mark.parametrize(
    ("inquiry", "lost", "endpoints"),
    [
        pytest.param(("DellEMC", "PowerStore"), None, 2, id="both carry a disk"),
        pytest.param(("PURE", "FlashArray"), None, 0, id="an array whose vendor asks for the defaults"),
        pytest.param((None, None), None, None, id="nobody knows whose"),
        pytest.param(("DellEMC", "PowerStore"), "vms", None, id="machines not read"),
        pytest.param(("DellEMC", "PowerStore"), "disks", 0, id="no disk behind them"),
    ],
)
def test_a_module_knows_the_endpoints_whose_queue_may_have_to_be_longer(
    inquiry: tuple[str | None, str | None], lost: str | None, endpoints: int | None
) -> None:
    given = facts()
    # A name that is no family's own: the inquiry alone tells.
    for table in ("device", "device_scheduling", "path", "vvol_mount"):
        for row in given[table]:
            row["device"] = row["device"].replace("naa.6f47acc2", "naa.60000000")
    for row in given["device"]:
        row["vendor"], row["model"] = inquiry
    if lost == "vms":
        without_topic(given, "vms")
    elif lost == "disks":
        given["vm_disk"] = []
    assert {row["vvol_endpoints"] for row in view("host_module", given)} == {endpoints}


@pytest.mark.parametrize(
    ("loss", "columns"),
    [
        pytest.param(lose_topic("modules"), ["unknown_parameters"], id="parameters not read"),
        pytest.param(lose_topic("paths"), ["devices", "families"], id="paths not read"),
        pytest.param(lose("path"), ["devices", "families", "deepest_disk_queue"], id="no path tells the driver"),
    ],
)
def test_a_module_says_nothing_of_what_was_not_read(loss: Callable[[Facts], None], columns: list[str]) -> None:
    given = facts()
    loss(given)
    for row in view("host_module", given):
        assert [row[column] for column in columns] == [None] * len(columns)


def eternus(given: Facts, **declared: str) -> Facts:
    for row in given["device"]:
        if row["host_id"] == "host-1":
            row.update(vendor="FUJITSU", model="ETERNUS_DXM", is_protocol_endpoint=False, is_local=False)
    if declared:
        given["declared"] = [{"devices": "naa.6f47acc2*", **declared}]
    return given


@pytest.mark.parametrize(
    ("declared", "affected"),
    [
        pytest.param({"model": "DX90", "generation": "S1", "firmware": "V10L66"}, True, id="S1 below the mended firmware"),
        pytest.param({"model": "DX90", "generation": "S1", "firmware": "V10L68"}, False, id="S1 with the mended firmware"),
        pytest.param({"model": "DX90", "generation": "S1", "firmware": "V9L99"}, True, id="numbers are compared as numbers"),
        pytest.param({"model": "DX90", "generation": "S2", "firmware": "V10L20"}, None, id="DX90 S2, which is a doubt"),
        pytest.param({"model": "DX90", "generation": "S2", "firmware": "V10L68"}, None, id="DX90 S2, whatever its firmware"),
        pytest.param({"model": "DX90", "firmware": "V10L68"}, None, id="a DX90 of a generation that nobody declared"),
        pytest.param({"generation": "S2", "firmware": "V10L68"}, None, id="an S2 of a model that nobody declared"),
        pytest.param({"model": "DX80", "generation": "S2", "firmware": "V10L20"}, False, id="DX80 S2"),
        pytest.param({"model": "DX80", "firmware": "V10L68"}, False, id="a DX80 with the mended firmware"),
        pytest.param({"model": "DX440", "generation": "S1", "firmware": "V10L66"}, False, id="a larger model"),
        pytest.param({"model": "DX200F", "generation": "S1", "firmware": "V10L66"}, False, id="a larger one of flash"),
        pytest.param({"model": "dx90", "generation": "s1", "firmware": "v10l66"}, True, id="in small letters"),
        pytest.param({"model": "ETERNUS DX90 S1", "generation": "S1", "firmware": "V10L66"}, True, id="the whole of its name"),
        pytest.param({"model": "the old one", "generation": "S1", "firmware": "V10L66"}, None, id="a model that is no name"),
        pytest.param({"model": "DX90", "generation": "first", "firmware": "V10L66"}, None, id="a generation that is no name"),
        pytest.param({"model": "DX90", "generation": "S1"}, None, id="firmware not declared"),
        pytest.param({"model": "DX90", "generation": "S1", "firmware": "10.66"}, None, id="firmware not understood"),
        pytest.param({}, None, id="nothing declared"),
    ],
)
def test_an_eternus_is_affected_only_by_declaration(declared: dict[str, str], affected: bool | None) -> None:
    rows = [row for row in view("vaai_option", eternus(facts(), **declared)) if row["host"] == "esx-1"]
    assert {row["serves_affected_eternus"] for row in rows} == {affected}
    assert {row["serves_eternus"] for row in rows} == {True}


def test_a_host_whose_devices_were_not_read_may_have_an_eternus() -> None:
    given = facts()
    without_topic(given, "devices", "host-1")
    rows = {(row["host"], row["serves_eternus"], row["serves_affected_eternus"]) for row in view("vaai_option", given)}
    assert rows == {("esx-1", None, None), ("esx-2", False, False)}


@pytest.mark.parametrize(
    ("value", "mode", "vsan", "read", "loses"),
    [
        pytest.param("1", "ATS", False, True, False, id="on"),
        pytest.param("0", "ATS", False, True, True, id="off above an ATS-only volume"),
        pytest.param("0", "ATS-only", False, True, True, id="off above one that the guide calls so"),
        pytest.param("0", "ATS UPGRADE PENDING", False, True, True, id="off above one that is about to be so"),
        pytest.param("0", "ATS+SCSI", False, True, False, id="off where SCSI reservations remain"),
        pytest.param("0", "ATS+SCSI", True, True, True, id="off on vSAN"),
        pytest.param("0", "ATS+SCSI", None, True, None, id="off, vSAN not read"),
        pytest.param("0", None, False, False, None, id="off, lock modes not read"),
    ],
)
def test_locking_is_lost_only_where_nothing_else_locks(
    value: str, mode: str | None, vsan: bool | None, read: bool, loses: bool | None
) -> None:
    given = facts()
    for row in given["host"]:
        row["vsan_enabled"] = vsan
    for row in given["host_option"]:
        row["value"] = value if row["key"] == "VMFS3.HardwareAcceleratedLocking" else row["value"]
    if mode:
        given["vmfs_lockmode"] = [{"host_id": "host-1", "volume_name": "old", "locking_mode": mode}]
    if not read:
        without_topic(given, "lockmode")
    [row] = [r for r in view("vaai_option", given) if r["host"] == "esx-1" and r["option"] == "VMFS3.HardwareAcceleratedLocking"]
    assert row["loses_locking"] is loses


@pytest.mark.parametrize(
    ("values", "read", "differs"),
    [
        pytest.param(["1", "1", "1"], True, [False, False, False], id="all agree"),
        pytest.param(["1", "1", "0"], True, [False, False, True], id="one differs"),
        pytest.param(["1", "0"], True, [True, True], id="evenly split: all are named"),
        pytest.param(["1", "1", "1"], False, [None, None, None], id="agree, but one host was not read"),
        pytest.param(["1", "1", "0"], False, [None, None, True], id="the odd one is known all the same"),
    ],
)
def test_the_odd_host_of_a_cluster_is_named(values: list[str], read: bool, differs: list[bool | None]) -> None:
    given = facts()
    option = "DataMover.HardwareAcceleratedMove"
    given["host"] = [{"host_id": f"host-{n}", "name": f"esx-{n}", "cluster_id": "c1"} for n in range(len(values))]
    given["host_option"] = [{"host_id": f"host-{n}", "key": option, "value": value} for n, value in enumerate(values)]
    given["reading"] = [{"scope": f"host-{n}", "topic": "options", "complete": True} for n in range(len(values))]
    given["reading"].append({"scope": "", "topic": "hosts", "complete": True})
    if not read:
        without_topic(given, "options", "host-0")
    rows = [row for row in view("vaai_option", given) if row["option"] == option]
    assert [row["differs_from_cluster"] for row in rows] == differs


@pytest.mark.parametrize(("name", "column"), [("vaai_option", "differs_from_cluster"), ("protocol_endpoint", "is_behind_cluster")])
def test_a_cluster_whose_hosts_could_not_all_be_listed_agrees_with_nobody(name: str, column: str) -> None:
    given = facts()
    assert {row[column] for row in view(name, given)} == {False}
    without_topic(given, "hosts")
    assert {row[column] for row in view(name, given)} == {None}


def sioc(given: Facts, *, enabled: bool | None = True, cap: int | None = 5000, read: bool = True) -> Rows:
    given["datastore"] = [{"datastore_id": "ds-2", "name": "vmfs", "type": "VMFS", "sioc_enabled": enabled}]
    given["datastore_extent"] = [{"datastore_id": "ds-2", "device": "naa.6f47acc1x", "partition": 1}]
    given["device"].append(
        {
            "host_id": "host-1",
            "device": "naa.6f47acc1x",
            "vendor": "SolidFir",
            "model": "SSD SAN",
            "is_protocol_endpoint": False,
            "is_local": False,
        }
    )
    if read:
        given["array_volume"].append(
            {
                "endpoint": "sf",
                "volume_id": "9",
                "name": "v9",
                "kind": "lun",
                "device": "naa.6f47acc1x",
                "qos_max_iops": cap,
                "qos_read": True,
            }
        )
    return view("datastore", given)


@pytest.mark.parametrize(
    ("changes", "both"),
    [
        pytest.param({}, True, id="both throttle"),
        pytest.param({"enabled": False}, False, id="SIOC off"),
        pytest.param({"cap": None}, False, id="no cap on the volume"),
        pytest.param({"read": False}, None, id="the volume was not read"),
        pytest.param({"read": False, "enabled": False}, False, id="the volume was not read, but SIOC is off"),
        pytest.param({"enabled": None}, None, id="SIOC was not read"),
    ],
)
def test_two_throttles_on_one_datastore_are_seen(changes: dict[str, Any], both: bool | None) -> None:
    [row] = sioc(facts(), **changes)
    assert row["both_throttle"] is both
    assert row["families"] == "solidfire"
