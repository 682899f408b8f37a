"""The inventory of a fleet: what its sheets say, and what of them a spreadsheet, a CSV reader and a JSON reader get."""

import csv
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from auditor.inspect.inventory import inventory_of
from auditor.model import EndpointKind
from auditor.report.inventory.contents import Contents
from auditor.report.inventory.sheets import SHEETS
from auditor.report.inventory.text_forms import write_document, write_folder
from auditor.report.inventory.workbook import write_workbook
from tests.facts.fleets import Facts, array, hosts, on_all_hosts, seen, snapshot

pytestmark = pytest.mark.long

PURE = "naa.624a937000000000000000000000aaaa"
HEADERS = {
    "Hosts": [
        *("vCenter", "Cluster", "Host", "ESXi version", "ESXi build", "Connection", "In maintenance mode", "Booted (UTC)", "vSAN"),
        *("Software iSCSI", "Storage adapters (count)", "Devices (count)", "Paths (count)", "Dead paths (count)", "Read at (UTC)", "Note"),
    ],
    "Adapters": [
        *("vCenter", "Cluster", "Host", "Adapter", "Kind", "Model", "Driver", "Driver version", "Firmware", "Status", "WWPN or IQN"),
        *("Module options (at the next boot)", "Note"),
    ],
    "Devices": [
        *("vCenter", "Cluster", "Host", "Device", "Display name", "Vendor", "Model", "Revision", "Type", "Protocol endpoint", "Size (GiB)"),
        *("Local", "SSD", "State", "Queue depth (commands)", "DSNRO (commands)", "Multipath plugin", "PSP", "SATP"),
        *("Round robin (I/Os a path)", "Round robin (bytes a path)", "Paths (count)", "Dead paths (count)"),
        *("Array", "Array volume", "Note"),
    ],
    "Paths": [
        *("vCenter", "Cluster", "Host", "Device", "Adapter", "Path", "State", "In use", "Transport", "Target (WWPN or IQN)", "Note"),
    ],
    "Datastores": [
        *("vCenter", "Datastore", "Type", "VMFS version", "Capacity (GiB)", "Accessible", "Maintenance mode", "Hosts (count)"),
        *("Datastore cluster", "Extents (count)", "Devices", "Array", "Array volume", "NFS server", "NFS path", "Storage I/O Control"),
        *("SIOC mode", "SIOC threshold (ms)", "Note"),
    ],
    "Virtual disks": [
        *("vCenter", "Cluster", "Host", "Machine", "Disk", "Power state", "Datastore", "Controller", "Size (GiB)", "Thin"),
        *("IOPS limit (32 KiB I/Os a second)", "Shares", "Mapped device (RDM)", "File", "Note"),
    ],
    "Arrays": ["Array", "Family", "Name on the array", "Model", "Generation", "Version", "Id on the array", "Nodes (count)", "Note"],
    "Pools": [
        *("Array", "Family", "Pool", "Pool id", "Node", "Media", "Speed (rpm)", "Disks (count)", "Data disks (count)", "RAID"),
        *("Size (GiB)", "Note"),
    ],
    "Volumes": [
        *("Array", "Family", "Volume", "Volume id", "Kind", "Device", "Serial number", "Status", "Size (GiB)", "Used (GiB)", "Pool", "SVM"),
        *("QoS policy", "QoS limits are shared", "QoS minimum (IOPS)", "QoS limit (IOPS)", "QoS burst (IOPS)"),
        *(
            "QoS limit (bytes a second)",
            "QoS priority",
            "QoS group",
            "QoS limit of the group (IOPS)",
            "QoS limit of the group (bytes a second)",
            "Note",
        ),
    ],
    "Gaps": ["Endpoint", "What", "Why", "Note"],
}
"""What scripts of users name; a new column comes before the note, a new sheet last."""


def a_fleet() -> Facts:
    """Two hosts; of the second DSNRO and paths were not read. A FlashArray with a volume that they see, and one whose QoS is unclear."""
    given = hosts(2)
    given["host"][0] |= {"version": "8.0.2", "build": 22380479, "connection_state": "connected", "in_maintenance_mode": False}
    on_all_hosts(given, seen(PURE, "flasharray", size_bytes=3 * 2**29, queue_depth=128, is_ssd=True))
    for reading in given["reading"]:
        reading["complete"] &= not (reading["scope"] == "host-2" and reading["topic"] in ("device_scheduling", "paths"))
    given["device_scheduling"] = [{"host_id": "host-1", "device": PURE, "dsnro": 0, "multipath_plugin": "NMP"}]
    given["path"] = [
        {"host_id": "host-1", "device": PURE, "hba": "vmhba2", "path": f"p{n}", "state": state, "psp": "VMW_PSP_RR", "transport": "fc"}
        for n, state in enumerate(("active", "dead"))
    ]
    given["hba"] = [{"host_id": "host-1", "hba": "vmhba2", "driver": "qlnativefc", "kind": "fc", "model": "-- QLogic", "status": "online"}]
    given["host_module"] = [{"host_id": "host-1", "module": "qlnativefc", "loaded": True, "option_string": "", "version": "5.4"}]
    free = {"name": "free", "kind": "lun", "device": PURE, "qos_max_iops": None}
    array(given, "fa", EndpointKind.FLASHARRAY, free, {"name": "=cmd|'/C calc'!A0", "kind": "lun", "qos_read": False})
    return given


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved snapshot of `a_fleet`."""
    folder = tmp_path_factory.mktemp("usual")
    snapshot(a_fleet(), fa=EndpointKind.FLASHARRAY).save(folder)
    return folder


@pytest.fixture(scope="module")
def of_usual(usual: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """The rows of each of its sheets."""
    with inventory_of(usual, tmp_path_factory.mktemp("spilled")) as found:
        return sheets(found)


@contextmanager
def contents(tmp_path: Path, given: Facts) -> Iterator[Contents]:
    snapshot(given, fa=EndpointKind.FLASHARRAY).save(tmp_path / "snapshot")
    with inventory_of(tmp_path / "snapshot", tmp_path / "spilled") as found:
        yield found


def sheets(found: Contents) -> dict[str, list[dict[str, Any]]]:
    return {sheet.name: [dict(zip(sheet.headers, row, strict=True)) for row in read] for sheet, read in found.sheets}


def test_names_and_order_of_sheets_and_columns_stay() -> None:
    assert {sheet.name: list(sheet.headers) for sheet in SHEETS} == HEADERS
    assert [sheet.name for sheet in SHEETS] == list(HEADERS)


def test_a_device_has_both_queues_and_zero_is_not_unknown(of_usual: dict[str, list[dict[str, Any]]]) -> None:
    read, unread = of_usual["Devices"]
    assert (read["Queue depth (commands)"], read["DSNRO (commands)"], read["PSP"], read["Size (GiB)"]) == (128, 0, "VMW_PSP_RR", 1.5)
    assert (read["Paths (count)"], read["Dead paths (count)"], read["Array"], read["Array volume"]) == (2, 1, "fa", "free")
    assert "DSNRO" not in read["Note"]
    assert (unread["DSNRO (commands)"], unread["Paths (count)"], unread["Dead paths (count)"]) == (None, None, None)
    assert "not read: DSNRO (commands), Multipath plugin, PSP, SATP, Paths (count), Dead paths (count)" in unread["Note"]


def test_a_host_without_a_whole_reading_has_no_count(of_usual: dict[str, list[dict[str, Any]]]) -> None:
    first, second = of_usual["Hosts"]
    assert (first["ESXi build"], first["Paths (count)"], first["Dead paths (count)"], first["Devices (count)"]) == (22380479, 2, 1, 1)
    assert (second["Paths (count)"], second["Dead paths (count)"], second["Devices (count)"]) == (None, None, 1)
    assert "not read: Paths (count), Dead paths (count)" in second["Note"]


def test_no_limit_and_a_limit_that_was_not_understood_are_two_things(of_usual: dict[str, list[dict[str, Any]]]) -> None:
    odd, free = of_usual["Volumes"]
    assert free["QoS limit (IOPS)"] is None
    assert odd["QoS limit (IOPS)"] is None
    assert "no limit: QoS limit (IOPS)" in free["Note"]
    assert "not understood: QoS policy, QoS minimum (IOPS), QoS limit (IOPS)" in odd["Note"]
    assert "no limit" not in odd["Note"]


@pytest.fixture(scope="module")
def with_machines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """The rows of each sheet where there are an NFS datastore and two machines besides, one of which was not read whole."""
    given = a_fleet()
    given["datastore"] = [{"datastore_id": "d1", "name": "nfs", "type": "NFS", "nfs_host": "198.51.100.1", "nfs_path": "/a"}]
    given["vm"] = [{"vm_id": f"vm-{n}", "name": f"m{n}", "host_id": "host-1", "disks_read": n == 1} for n in (1, 2)]
    with contents(tmp_path_factory.mktemp("machines"), given) as found:
        return sheets(found)


def test_what_cannot_be_is_not_noted(with_machines: dict[str, list[dict[str, Any]]]) -> None:
    [share] = with_machines["Datastores"]
    assert "VMFS" not in share["Note"]
    assert "Extents" not in share["Note"]
    assert "not reported: Capacity (GiB)" in share["Note"]


def test_machines_whose_disks_were_not_read_have_a_row(with_machines: dict[str, list[dict[str, Any]]]) -> None:
    [lost] = with_machines["Virtual disks"]
    assert (lost["Machine"], lost["Disk"]) == ("m2", None)
    assert "not read: Disk, Datastore, Controller, Size (GiB)" in lost["Note"]


def test_a_spreadsheet_gets_numbers_as_numbers_and_no_formula(usual: Path, tmp_path: Path) -> None:
    with inventory_of(usual, tmp_path / "spilled") as found:
        write_workbook(found, tmp_path / "fleet.xlsx", tmp_path)
    book = openpyxl.load_workbook(tmp_path / "fleet.xlsx")
    assert book.sheetnames == ["About", *HEADERS]
    for sheet, headers in HEADERS.items():
        assert [cell.value for cell in book[sheet][1]] == headers
        assert book[sheet].freeze_panes == "A2"
        assert book[sheet].auto_filter.ref == f"A1:{book[sheet].cell(book[sheet].max_row, len(headers)).coordinate}"
    cells = {cell.value: cell for row in book["Volumes"].iter_rows() for cell in row}
    assert cells["=cmd|'/C calc'!A0"].data_type == "s"
    assert cells["=cmd|'/C calc'!A0"].quotePrefix
    assert {cell.data_type for sheet in book for row in sheet.iter_rows() for cell in row} <= {"s", "n", "b", "d"}
    device = dict(zip(HEADERS["Devices"], [cell.value for cell in book["Devices"][2]], strict=True))
    assert (device["DSNRO (commands)"], device["Size (GiB)"], device["SSD"], device["Local"]) == (0, 1.5, True, False)
    read_at = dict(zip(HEADERS["Hosts"], [cell.value for cell in book["Hosts"][2]], strict=True))["Read at (UTC)"]
    assert read_at == datetime(2026, 11, 21)  # noqa: DTZ001  a cell has no time zone
    assert next(row[1].value for row in book["About"].iter_rows() if row[0].value == "Devices") == 2


def test_rows_beyond_the_end_of_a_sheet_go_on_in_the_next(tmp_path: Path) -> None:
    with contents(tmp_path, hosts(5)) as found:
        write_workbook(found, tmp_path / "fleet.xlsx", tmp_path, rows_a_sheet=3)
    book = openpyxl.load_workbook(tmp_path / "fleet.xlsx")
    assert [name for name in book.sheetnames if name.startswith("Hosts")] == ["Hosts", "Hosts 2", "Hosts 3"]
    named = [row[2].value for name in ("Hosts", "Hosts 2", "Hosts 3") for row in book[name].iter_rows(min_row=2)]
    assert named == ["esx-1", "esx-2", "esx-3", "esx-4", "esx-5"]
    assert [book[name][1][2].value for name in ("Hosts 2", "Hosts 3")] == ["Host", "Host"]


@pytest.mark.parametrize("value", [2**60, float("inf"), "x" * 40_000, "a\x00b\x1b[31m"])
def test_what_no_cell_holds_becomes_a_text(tmp_path: Path, value: object) -> None:
    sheet = SHEETS[-1]
    write_workbook(Contents((), iter([(sheet, iter([("e", value, "w", None)]))])), tmp_path / "odd.xlsx", tmp_path)
    cell = openpyxl.load_workbook(tmp_path / "odd.xlsx")["Gaps"]["B2"]
    assert cell.data_type == "s"
    assert len(cell.value) <= 32_767
    assert cell.value.isprintable()


def test_csv_and_json_have_the_same_cells(usual: Path, tmp_path: Path) -> None:
    with inventory_of(usual, tmp_path / "spilled") as found:
        write_folder(found, tmp_path / "csv")
    with inventory_of(usual, tmp_path / "again") as found:
        write_document(found, tmp_path / "fleet.json")
    with (tmp_path / "csv" / "devices.csv").open(encoding="utf-8", newline="") as text:
        listed = list(csv.DictReader(text))
    assert [row["DSNRO (commands)"] for row in listed] == ["0", ""]
    volumes = (tmp_path / "csv" / "volumes.csv").read_text(encoding="utf-8")
    assert ",'=cmd|" in volumes
    document = json.loads((tmp_path / "fleet.json").read_text(encoding="utf-8"))
    assert list(document["sheets"]) == list(HEADERS)
    assert [row["dsnro"] for row in document["sheets"]["Devices"]] == [0, None]
    assert all(list(row) == list(sheet.keys) for sheet in SHEETS for row in document["sheets"][sheet.name])


def test_where_the_firmware_of_an_adapter_is_not_known_its_note_says_who_knows_it(tmp_path: Path) -> None:
    given = a_fleet()
    kinds = {"vmhba1": ("fc", None), "vmhba2": ("iscsi", False), "vmhba64": ("iscsi", True), "vmhba0": (None, None)}
    given["hba"] = [{"host_id": "host-1", "hba": name, "kind": kind, "is_software": software} for name, (kind, software) in kinds.items()]
    given["hba"].append({"host_id": "host-1", "hba": "vmhba3", "kind": "fc", "firmware": "9.15.01"})
    with contents(tmp_path, given) as contained:
        found = sheets(contained)["Adapters"]
    assert {row["Adapter"]: row["Firmware"] for row in found if row["Firmware"] is not None} == {"vmhba3": "9.15.01"}
    notes = {row["Adapter"]: row["Note"] for row in found}
    assert "on the host says it" not in notes["vmhba3"]
    assert "esxcli storage san fc list" in notes["vmhba1"]
    assert "esxcli iscsi adapter get" in notes["vmhba2"]
    assert "none: it is software" in notes["vmhba64"]
    assert "the vSphere API has it of no adapter" in notes["vmhba0"]
