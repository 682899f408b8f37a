"""Views of modules, of offload behind ETERNUS, and of hosts of a cluster that differ."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.facts.judged_fleet import facts, lose, lose_topic, without_topic

from .fleets import Facts, Rows, view

pytestmark = pytest.mark.long


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
