"""What an export of RVTools becomes: the rows that a vCenter's answers become, and a gap for what no sheet says."""

import os
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.endpoints.files.evidence import HOST, Read, written
from tests.endpoints.files.rvtools.typed_export import EXPORT, LUN, ONE, SERVER, TWO, multipath
from tests.endpoints.files.rvtools.workbooks import Cell, Sheets, csv_text, rows, workbook

OTHER = "vc-02.example.net"


def saved(tmp_path: Path, sheets: Sheets = EXPORT, name: str = "export.xlsx") -> Path:
    """A workbook with these sheets."""
    file = tmp_path / name
    file.write_bytes(workbook(sheets))
    return file


@pytest.fixture
def read(tmp_path: Path) -> Read:
    return Read(saved(tmp_path))


def test_hosts_have_the_release_and_the_cluster_that_vhost_says(read: Read) -> None:
    one, two = read.without_null("host")
    assert one == {
        "name": ONE,
        "version": "8.0.2",
        "build": 22380479,
        "cluster": "prod-01",
        "cluster_id": "dc-01/prod-01",
        "in_maintenance_mode": False,
    }
    assert two["in_maintenance_mode"] is True
    assert [row["host_id"] for row in read.rows["host"]] == [ONE, TWO]


def test_adapters_have_their_kind_and_state(read: Read) -> None:
    adapters = [row for row in read.rows["hba"] if row["host_id"] == ONE]
    assert [(row["hba"], row["driver"], row["model"], row["kind"], row["status"]) for row in adapters] == [
        ("vmhba2", "lpfc", "LPe35002", "fc", "online"),
        ("vmhba3", "lpfc", "LPe35002", "fc", "online"),
    ]
    assert {row["initiator"] for row in adapters} == {None}


def test_a_device_has_its_queue_and_its_paths_their_states(read: Read) -> None:
    [device, _] = read.without_null("device")
    assert device == {
        "device": LUN,
        "display_name": f"NETAPP Fibre Channel Disk ({LUN})",
        "vendor": "NETAPP",
        "model": "LUN C-Mode",
        "revision": "9131",
        "device_type": "disk",
        "queue_depth": 64,
        "vstorage_support": "vStorageSupported",
        "operational_state": "ok",
    }
    of_two = [row for row in read.rows["path"] if row["host_id"] == TWO]
    assert [(row["hba"], row["path"], row["state"], row["psp"], row["satp"]) for row in of_two] == [
        ("vmhba2", "vmhba2:C0:T0:L7", "active", "VMW_PSP_RR", None),
        ("vmhba3", "vmhba3:C0:T0:L7", "active", "VMW_PSP_RR", None),
        ("vmhba2", "vmhba2:C0:T1:L7", "active", "VMW_PSP_RR", None),
        ("vmhba3", "vmhba3:C0:T1:L7", "dead", "VMW_PSP_RR", None),
    ]


def test_datastores_have_their_devices_hosts_and_shares(read: Read) -> None:
    vmfs, nfs = read.without_null("datastore")
    assert vmfs == {
        "datastore_id": "datastore-21",
        "name": "vmfs-01",
        "type": "VMFS",
        "vmfs_uuid": "5f3e1a2b-0c1d2e3f-4a5b-0010e0000001",
        "vmfs_version": "6.82",
        "size_bytes": 2_199_023_255_552,
        "free_bytes": 0,
        "accessible": True,
        "multiple_host_access": True,
        "extents": 1,
    }
    assert (nfs["type"], nfs["nfs_host"], nfs["nfs_path"]) == ("NFS", "192.0.2.10", "/vol/nfs_01")
    assert "free_bytes" not in nfs, "an empty cell says nothing"
    assert [(row["datastore_id"], row["device"]) for row in read.rows["datastore_extent"]] == [("datastore-21", LUN)]
    mounts = [(row["datastore_id"], row["host_id"], row["mounted"]) for row in read.rows["datastore_mount"]]
    assert mounts == [("datastore-21", ONE, None), ("datastore-21", TWO, None), ("datastore-22", ONE, None)]


def test_a_machine_has_its_disks(read: Read) -> None:
    [machine], [disk] = read.without_null("vm"), read.without_null("vm_disk")
    assert machine == {
        "vm_id": "vm-1001",
        "name": "db-01",
        "power_state": "poweredOn",
        "is_template": False,
        "latency_sensitivity": "normal",
        "disks_read": True,
        "guest_full_name": "Red Hat Enterprise Linux 9 (64-bit)",
    }
    assert read.rows["vm"][0]["host_id"] == ONE
    assert disk == {
        "vm_id": "vm-1001",
        "disk": "Hard disk 1",
        "datastore_id": "datastore-21",
        "controller": "pvscsi",
        "size_bytes": 107_374_182_400,
        "iops_limit": 500,
        "shares_level": "normal",
        "shares": 1000,
        "is_thin": True,
        "file": "[vmfs-01] db-01/db-01.vmdk",
        "disk_key": 2000,
        "bus_sharing": "noSharing",
    }


def test_a_vmkernel_adapter_has_the_mtu_of_its_switch(read: Read) -> None:
    assert [(row["vmk"], row["mtu"], row["ip"], row["switch_kind"], row["switch"], row["switch_mtu"]) for row in read.rows["vmknic"]] == [
        ("vmk0", 1500, "192.0.2.1", "standard", "vSwitch0", 1600),
        ("vmk1", 9000, "198.51.100.1", "distributed", "dvs-01", 9000),
    ]


def test_what_no_sheet_says_is_one_gap_and_never_whole(read: Read) -> None:
    assert {topic for topic, whole in read.whole(ONE).items() if whole} == {"hbas", "paths", "network"}
    assert {topic for topic, whole in read.whole(TWO).items() if whole} == {"hbas", "paths"}
    assert {topic for topic, whole in read.whole("").items() if whole} == {"guests"}
    [never, _] = read.gaps
    assert never.what.startswith("DSNRO, protocol endpoints, settings of path policies")
    assert "take support bundles or outputs of esxcli" in never.why


def test_each_reading_is_of_the_export_and_its_moment(tmp_path: Path) -> None:
    file = saved(tmp_path)
    readings = [row for row in Read(file).rows["reading"] if row["scope"]]
    assert {(row["read_at"], row["source"]) for row in readings} == {(datetime(2026, 11, 1, 6, tzinfo=UTC), str(file))}


@pytest.mark.parametrize(
    ("name", "moment"),
    [("RVTools_export_all_2026-02-22_07.05.31.xlsx", datetime(2026, 2, 22, 7, 5, 31, tzinfo=UTC)), ("export.xlsx", None)],
    ids=["by its name", "by the file's time"],
)
def test_an_export_that_does_not_say_when_it_was_made_is_dated_by_its_file(tmp_path: Path, name: str, moment: datetime | None) -> None:
    file = saved(tmp_path, {kind: sheet for kind, sheet in EXPORT.items() if kind != "vMetaData"}, name)
    then = datetime(2026, 10, 3, 4, 5, tzinfo=UTC)
    os.utime(file, (then.timestamp(), then.timestamp()))
    assert {row["read_at"] for row in Read(file).rows["reading"] if row["scope"]} == {moment or then}


def test_an_old_export_is_said_to_be_old(tmp_path: Path) -> None:
    now = datetime.now(UTC) - timedelta(days=45, hours=1)
    meta = rows("RVTools version, xlsx creation datetime, Server", ["4.7.1.4", f"{now:%Y-%m-%d %H:%M:%S}", SERVER])
    file = saved(tmp_path, {**EXPORT, "vMetaData": meta})
    assert Read(file).notes == (f"The RVTools export is 45 days old ({file}): what changed since then is not seen.",)


def test_with_eight_paths_shown_nobody_knows_how_many_there_are(tmp_path: Path) -> None:
    shown = [EXPORT["vMultiPath"][0], multipath(ONE, paths=8), multipath(TWO, paths=7)]
    read = Read(saved(tmp_path, {**EXPORT, "vMultiPath": shown}))
    assert read.whole(ONE)["paths"] is False
    assert read.whole(TWO)["paths"] is True
    assert len([row for row in read.rows["path"] if row["host_id"] == ONE]) == 8
    [hidden] = [gap for gap in read.gaps if gap.what.startswith("how many paths")]
    assert hidden.what.startswith("how many paths 1 devices on 1 hosts in ")
    assert "RVTools shows 8 at most" in hidden.why


def without(kind: str, *titles: str) -> Sheets:
    """The export without a sheet, or without columns of it."""
    if not titles:
        return {name: sheet for name, sheet in EXPORT.items() if name != kind}
    places = [place for place, title in enumerate(EXPORT[kind][0]) if title not in titles]
    return {**EXPORT, kind: [[row[place] for place in places] for row in EXPORT[kind]]}


@pytest.mark.parametrize(
    ("kind", "titles", "said"),
    [
        ("vHBA", (), "sheet vHBA"),
        ("vMultiPath", (), "sheet vMultiPath"),
        ("vHost", ("ESX Version",), "vHost with esx version"),
        ("vSC_VMK", ("MTU",), "vSC_VMK with mtu"),
        ("vDisk", ("Limit", "Raw"), "vDisk with limit, raw"),
    ],
)
def test_a_sheet_or_a_column_that_is_missing_is_named_and_what_rests_on_it_is_not_whole(
    tmp_path: Path, kind: str, titles: tuple[str, ...], said: str
) -> None:
    read = Read(saved(tmp_path, without(kind, *titles)))
    [lacking] = [gap for gap in read.gaps if gap.what.startswith("what other sheets")]
    assert said in lacking.why
    topic = {"vHBA": "hbas", "vMultiPath": "paths", "vSC_VMK": "network"}.get(kind)
    assert not read.whole(ONE)[topic] if topic else len(read.rows["host"]) == 2


def test_a_disk_of_which_not_enough_is_said_is_not_known(tmp_path: Path) -> None:
    for sheets in (without("vDisk", "Limit"), without("vDisk", "Raw"), without("vDisk")):
        read = Read(saved(tmp_path, sheets))
        assert [row["disks_read"] for row in read.rows["vm"]] == [False]
        assert not read.rows["vm_disk"]
        assert any(gap.what.startswith("disks of 1 virtual machines") for gap in read.gaps)


def changed(kind: str, title: str, *values: Cell) -> Sheets:
    """The export with other values in a column of a sheet."""
    titles, *lines = EXPORT[kind]
    place = list(titles).index(title)
    new = [[*line[:place], value, *line[place + 1 :]] for line, value in zip(lines, values, strict=True)]
    return {**EXPORT, kind: [titles, *new]}


@pytest.mark.parametrize(
    ("kind", "title", "values", "table"),
    [
        ("vInfo", "Disks", [2], "vm_disk"),
        ("vDatastore", "# Extents", [2, None], "datastore_extent"),
        ("vDisk", "Limit", [None], "vm_disk"),
    ],
    ids=["disks", "extents", "no limit"],
)
def test_a_list_that_is_not_as_long_as_its_count_is_not_believed(
    tmp_path: Path, kind: str, title: str, values: list[Cell], table: str
) -> None:
    read = Read(saved(tmp_path, changed(kind, title, *values)))
    assert not read.rows[table]
    assert any("in full" in gap.why or "not as many" in gap.why for gap in read.gaps)


def test_hosts_that_are_not_all_listed_are_no_mounts(tmp_path: Path) -> None:
    read = Read(saved(tmp_path, changed("vDatastore", "# Hosts", 3, 1)))
    assert [row["datastore_id"] for row in read.rows["datastore_mount"]] == ["datastore-22"]


def test_adapters_that_are_not_all_listed_are_not_whole(tmp_path: Path) -> None:
    read = Read(saved(tmp_path, changed("vHost", "# HBAs", 3, 2)))
    assert (read.whole(ONE)["hbas"], read.whole(TWO)["hbas"]) == (False, True)


def test_iscsi_has_settings_that_no_sheet_has(tmp_path: Path) -> None:
    iqn = "iqn.1998-01.com.vmware:esx-01"
    sheets = changed("vHBA", "Type", "iSCSI", "Fibre Channel", "Fibre Channel", "Fibre Channel")
    sheets = {**sheets, "vHBA": [[iqn if cell and ":10:9b:00:00:02" in str(cell) else cell for cell in row] for row in sheets["vHBA"]]}
    sheets = {**sheets, "vHBA": [["iscsi_vmk" if iqn in row and cell == "lpfc" else cell for cell in row] for row in sheets["vHBA"]]}
    read = Read(saved(tmp_path, sheets))
    [adapter] = [row for row in read.rows["hba"] if row["kind"] == "iscsi"]
    assert (adapter["hba"], adapter["initiator"], adapter["is_software"]) == ("vmhba2", iqn, True)
    assert read.whole(ONE)["hbas"] is False
    assert [row["software_iscsi"] for row in read.rows["host"]] == [True, None]


def test_two_vcenters_with_the_same_names_stay_two(tmp_path: Path) -> None:
    other = {kind: [[OTHER if cell == SERVER else cell for cell in row] for row in sheet] for kind, sheet in EXPORT.items()}
    both = {kind: [*EXPORT[kind], *other[kind][1:]] for kind in EXPORT}
    for read in (Read(saved(tmp_path, both)), Read(saved(tmp_path, EXPORT, "one.xlsx"), saved(tmp_path, other, "two.xlsx"))):
        servers = (SERVER, OTHER)
        assert [row["host_id"] for row in read.rows["host"]] == [f"{server}/{host}" for server in servers for host in (ONE, TWO)]
        assert {row["name"] for row in read.rows["host"]} == {ONE, TWO}
        assert [row["cluster_id"] for row in read.rows["host"]][1:3] == [f"{server}/dc-01/prod-01" for server in servers]
        assert len({row["datastore_id"] for row in read.rows["datastore"]}) == len(read.rows["datastore"]) == 4
        assert [row["datastore_id"] for row in read.rows["vm_disk"]] == [f"{server}/datastore-21" for server in servers]
        assert {row["host_id"] for row in read.rows["datastore_mount"]} == {row["host_id"] for row in read.rows["host"]}
        assert len(read.rows["datastore_extent"]) == 2


def test_an_export_of_hosts_that_were_read_is_named_and_left(tmp_path: Path) -> None:
    first, second = saved(tmp_path, EXPORT, "one.xlsx"), saved(tmp_path, EXPORT, "two.xlsx")
    read = Read(first, second)
    assert len(read.rows["host"]) == 2
    [again] = [gap for gap in read.gaps if gap.what == f"the RVTools export {second}"]
    assert again.why == f"it has {ONE}, which was read from {first}: name one of the two"


def test_beside_files_of_hosts_an_export_is_not_read(tmp_path: Path) -> None:
    file = saved(tmp_path)
    read = Read(written(tmp_path / "esx-01", HOST), file)
    assert [row["name"] for row in read.rows["host"]] == [ONE]
    assert len(read.rows["device"]) == 1
    [refused] = [gap for gap in read.gaps if gap.what == f"the RVTools export {file}"]
    assert "audit the export alone, or the other files alone" in refused.why


def test_beside_files_of_hosts_an_export_names_their_clusters_where_nobody_else_does(tmp_path: Path) -> None:
    file = saved(tmp_path)
    [host] = Read(written(tmp_path / "esx-01", HOST), file).rows["host"]
    assert (host["name"], host["cluster"]) == (ONE, "prod-01")
    assert host["cluster_id"].endswith("/dc-01/prod-01")
    [host] = Read(written(tmp_path / "esx-01", HOST), file, clusters=["gold=esx-*"]).rows["host"]
    assert (host["cluster"], host["cluster_id"]) == ("gold", "gold")


def test_a_folder_of_hosts_that_an_export_has_elsewhere_is_no_cluster(tmp_path: Path) -> None:
    case = tmp_path / "bundles" / "case-7"
    written(case / "esx-01", HOST)
    written(case / "esx-99", {name: text.replace("esx-01", "esx-99") for name, text in HOST.items()})
    alone = Read(tmp_path / "bundles")
    assert {row["cluster"] for row in alone.rows["host"]} == {"case-7"}
    read = Read(tmp_path / "bundles", saved(tmp_path))
    assert sorted((row["name"].partition(".")[0], row["cluster"]) for row in read.rows["host"]) == [("esx-01", "prod-01"), ("esx-99", None)]
    assert any("The folder case-7 is taken for no cluster" in note for note in read.notes)


def in_folder(tmp_path: Path, text: Callable[[list[list[Cell]]], bytes]) -> Path:
    folder = tmp_path / "RVTools_export_all"
    folder.mkdir()
    for kind, sheet in EXPORT.items():
        if kind != "vMetaData":
            (folder / f"RVTools_tab{kind}.csv").write_bytes(text([list(row) for row in sheet]))
    return folder


@pytest.mark.parametrize(
    ("delimiter", "encoding"),
    [(",", "utf-8"), (";", "utf-8-sig"), ("\t", "utf-16"), (";", "utf-16-le")],
    ids=["commas", "semicolons and a mark", "tabs and two bytes", "two bytes without a mark"],
)
def test_csv_files_of_a_folder_are_one_export(tmp_path: Path, delimiter: str, encoding: str) -> None:
    folder = in_folder(tmp_path, lambda sheet: csv_text(sheet, delimiter).encode(encoding))
    read, of_workbook = Read(folder), Read(saved(tmp_path))
    for table in ("host", "hba", "device", "path", "datastore", "datastore_extent", "datastore_mount", "vm", "vm_disk", "vmknic"):
        assert read.rows[table] == of_workbook.rows[table], table
    assert {row["source"] for row in read.rows["reading"] if row["scope"]} == {str(folder)}


def test_csv_files_in_an_archive_are_one_export(tmp_path: Path) -> None:
    folder = in_folder(tmp_path, lambda sheet: csv_text(sheet).encode())
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for file in folder.iterdir():
            archive.write(file, f"case/{file.name}")
    read = Read(tmp_path / "export.zip")
    assert len(read.rows["host"]) == 2
    assert len(read.rows["path"]) == 8
    assert {row["source"] for row in read.rows["reading"] if row["scope"]} == {f"{tmp_path}/export.zip/case"}


def test_csv_files_that_are_named_one_by_one_are_one_export_too(tmp_path: Path) -> None:
    read = Read(*sorted(in_folder(tmp_path, lambda sheet: csv_text(sheet).encode()).iterdir()))
    assert len(read.rows["host"]) == 2
    assert len(read.rows["path"]) == 8


def test_a_cluster_that_is_chosen_goes_before_the_sheets(tmp_path: Path) -> None:
    read = Read(saved(tmp_path), clusters=["lab=ESX-02*"])
    assert [row["cluster"] for row in read.rows["host"]] == ["prod-01", "lab"]


def test_what_an_export_says_of_its_moment_goes_before_its_name(tmp_path: Path) -> None:
    read = Read(saved(tmp_path, EXPORT, "RVTools_export_all_2026-02-22_07.05.31.xlsx"))
    assert {row["read_at"] for row in read.rows["reading"] if row["scope"]} == {datetime(2026, 11, 1, 6, tzinfo=UTC)}


def test_a_port_that_is_two_adapters_has_none_whose_kind_is_known(tmp_path: Path) -> None:
    titles, *adapters = EXPORT["vHBA"]
    place = list(titles).index("WWN")
    same = [[*row[:place], adapters[0][place], *row[place + 1 :]] for row in adapters[:2]]
    read = Read(saved(tmp_path, {**EXPORT, "vHBA": [titles, *same, *adapters[2:]]}))
    assert [row["kind"] for row in read.rows["hba"]] == [None, None, "fc", "fc"]
    assert not read.whole(ONE)["hbas"]


def test_things_that_nobody_can_tell_from_each_other_are_left(tmp_path: Path) -> None:
    titles, vmfs, nfs = EXPORT["vDatastore"]
    machines, machine = EXPORT["vInfo"]
    read = Read(saved(tmp_path, {**EXPORT, "vDatastore": [titles, vmfs, vmfs, nfs], "vInfo": [machines, machine, machine]}))
    assert [row["name"] for row in read.rows["datastore"]] == ["nfs-01"]
    assert not read.rows["vm"]
    assert any(gap.what.startswith("datastores vmfs-01 in ") for gap in read.gaps)
    assert any(gap.what.startswith("some virtual machines in ") and "(2 rows)" in gap.why for gap in read.gaps)


def test_a_disk_on_one_of_two_datastores_of_a_name_is_not_known(tmp_path: Path) -> None:
    titles, vmfs, nfs = EXPORT["vDatastore"]
    other = ["datastore-23" if cell == "datastore-21" else cell for cell in vmfs]
    read = Read(saved(tmp_path, {**EXPORT, "vDatastore": [titles, vmfs, other, nfs]}))
    assert len(read.rows["datastore"]) == 3
    assert [row["disks_read"] for row in read.rows["vm"]] == [False]


def test_of_two_sheets_of_one_kind_the_first_is_read(tmp_path: Path) -> None:
    read = Read(saved(tmp_path, {**EXPORT, "vHost (2)": rows("Host, CPU Model", ["esx-09.example.net", "Xeon"])}))
    assert [row["name"] for row in read.rows["host"]] == [ONE, TWO]
    assert any("sheet vHost (2) has what sheet vHost has, and only the first was read" in gap.why for gap in read.gaps)


@pytest.mark.parametrize(
    ("wwn", "path", "transport", "target"),
    [
        (
            "20:00:00:10:9b:00:00:02 10:00:00:10:9b:00:00:02",
            f"fc.200000109b000002:100000109b000002-fc.500a098000000001:500a098100000001-{LUN}",
            "fc",
            "500a098100000001",
        ),
        (
            "iqn.1998-01.com.vmware:esx-01",
            f"iqn.1998-01.com.vmware:esx-01-00023d000001,iqn.2010-01.com.solidfire:v1,t,1-{LUN}",
            "iscsi",
            "iqn.2010-01.com.solidfire:v1",
        ),
    ],
    ids=["ports", "session"],
)
def test_a_path_that_is_named_by_its_ends_has_its_adapter_and_its_target(
    tmp_path: Path, wwn: str, path: str, transport: str, target: str
) -> None:
    titles, first, *_ = EXPORT["vHBA"]
    own = [wwn if cell and ":10:9b:00:00:02" in str(cell) else cell for cell in first]
    lun = [path if cell == "vmhba2:C0:T0:L7" else cell for cell in multipath(ONE, paths=1)]
    read = Read(saved(tmp_path, {**EXPORT, "vHBA": [titles, own], "vMultiPath": [EXPORT["vMultiPath"][0], lun]}))
    [row] = read.rows["path"]
    assert (row["hba"], row["transport"], row["target"]) == ("vmhba2", transport, target)


def test_exports_that_name_no_vcenter_keep_their_datastores_apart(tmp_path: Path) -> None:
    nameless = {kind: [[None if cell == SERVER else cell for cell in row] for row in sheet] for kind, sheet in EXPORT.items()}
    others = {
        kind: [[str(cell).replace("esx-0", "esx-1") if cell else cell for cell in row] for row in sheet] for kind, sheet in nameless.items()
    }
    first = saved(tmp_path, nameless, "one.xlsx")
    read = Read(first, saved(tmp_path, others, "two.xlsx"))
    assert len({row["datastore_id"] for row in read.rows["datastore"]}) == len(read.rows["datastore"]) == 4
    assert [row["name"] for row in read.rows["host"]] == [ONE, TWO, "esx-11.example.net", "esx-12.example.net"]
    again = Read(first, saved(tmp_path, EXPORT, "two.xlsx"))
    assert len(again.rows["host"]) == 2
    assert any(f"it has {ONE}, which was read from {first}" in gap.why for gap in again.gaps)


def test_a_row_that_names_no_vcenter_is_of_the_only_one_of_its_export(tmp_path: Path) -> None:
    adapters = [[None if cell == SERVER else cell for cell in row] for row in EXPORT["vHBA"]]
    other = {kind: [[OTHER if cell == SERVER else cell for cell in row] for row in sheet] for kind, sheet in EXPORT.items()}
    read = Read(saved(tmp_path, {**EXPORT, "vHBA": adapters}, "one.xlsx"), saved(tmp_path, other, "two.xlsx"))
    assert len(read.rows["host"]) == 4
    assert {row["host_id"] for row in read.rows["hba"]} == {row["host_id"] for row in read.rows["host"]}


def test_a_false_that_the_api_may_not_have_said_is_not_known(tmp_path: Path) -> None:
    [disk] = Read(saved(tmp_path, changed("vDisk", "Thin", 0))).rows["vm_disk"]
    assert disk["is_thin"] is None
    stores = Read(saved(tmp_path, changed("vDatastore", "MHA", 0, 0))).rows["datastore"]
    assert [row["multiple_host_access"] for row in stores] == [None, None]


def test_paths_of_a_device_without_a_name_are_not_whole(tmp_path: Path) -> None:
    read = Read(saved(tmp_path, changed("vMultiPath", "Disk", "LUN 7", "uuid.0c1d2e3f")))
    assert (read.whole(ONE)["paths"], read.whole(TWO)["paths"]) == (False, True)
    assert [row["device"] for row in read.rows["device"]] == ["uuid.0c1d2e3f"]
    assert any(gap.what.startswith(f"devices of {ONE} in ") for gap in read.gaps)
