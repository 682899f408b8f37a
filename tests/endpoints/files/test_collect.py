"""What the saved outputs of a host become: the rows that a vCenter's answers become, and a gap for what nobody saved."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from auditor.errors import ConfigurationError
from auditor.fleet.evidence import fleet_with_files
from auditor.report.terminal.gap_lines import remedy_of

from .evidence import DEVICES, HOST, NAA, OPTIONS, PATHS, POLICIES, Read, written


@pytest.fixture
def read(tmp_path: Path) -> Read:
    return Read(written(tmp_path / "esx-01", HOST))


def test_a_host_has_the_name_and_the_release_that_its_outputs_say(read: Read) -> None:
    [host] = read.without_null("host")
    assert host == {
        "name": "esx-01.example.net",
        "version": "8.0.2",
        "build": 22380479,
        "connection_state": "connected",
        "power_state": "poweredOn",
        "software_iscsi": True,
    }
    assert read.rows["host"][0]["host_id"] == "esx-01.example.net"


def test_a_device_has_the_values_that_are_printed(read: Read) -> None:
    assert read.without_null("device") == [
        {
            "device": NAA,
            "display_name": f"SolidFire iSCSI Disk ({NAA})",
            "vendor": "SolidFir",
            "model": "SSD SAN",
            "revision": "0006",
            "device_type": "disk",
            "is_protocol_endpoint": False,
            "perennially_reserved": False,
            "queue_depth": 128,
            "vstorage_support": "vStorageSupported",
            "is_local": False,
            "is_ssd": True,
            "size_bytes": 102_400 * 1024 * 1024,
            "operational_state": "ok",
        }
    ]
    assert read.without_null("device_scheduling") == [
        {
            "device": NAA,
            "dsnro": 32,
            "esxcli_queue_depth": 128,
            "is_vvol_pe": False,
            "multipath_plugin": "NMP",
            "queue_full_sample_size": 0,
            "queue_full_threshold": 0,
            "vaai_status": "supported",
        }
    ]


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("on", "ok"),
        ("off", "off"),
        ("degraded", "degraded"),
        ("dead", "lostCommunication"),
        ("not connected", "lostCommunication"),
        ("dead timeout", "timeout"),
        ("unknown", "unknownState"),
    ],
)
def test_a_device_that_was_lost_is_told_as_the_api_tells_it(tmp_path: Path, status: str, state: str) -> None:
    found = Read(written(tmp_path / "esx-01", {**HOST, **devices_of_status(status)}))
    assert [row["operational_state"] for row in found.rows["device"]] == [state]


def test_a_status_that_is_not_known_is_no_state_and_a_gap(tmp_path: Path) -> None:
    found = Read(written(tmp_path / "esx-01", {**HOST, **devices_of_status("asleep")}))
    assert [row["operational_state"] for row in found.rows["device"]] == [""]
    assert [gap.why for gap in found.gaps if "asleep" in gap.why]


def devices_of_status(status: str) -> dict[str, str]:
    """The host's list of devices, in which each has this status."""
    return {name: text.replace("Status: on", f"Status: {status}") for name, text in HOST.items() if text == DEVICES}


def test_adapters_have_the_kind_that_their_uid_says(read: Read) -> None:
    assert read.without_null("hba") == [
        {"hba": "vmhba0", "driver": "vmw_ahci", "model": "Intel Corporation AHCI", "kind": "block"},
        {
            "hba": "vmhba2",
            "driver": "lpfc",
            "model": "Emulex LPe16000",
            "kind": "fc",
            "status": "online",
            "initiator": "10000090fa000001",
        },
        {
            "hba": "vmhba64",
            "driver": "iscsi_vmk",
            "model": "iSCSI Software Adapter",
            "kind": "iscsi",
            "status": "online",
            "is_software": True,
            "initiator": "iqn.1998-01.com.vmware:esx-01",
        },
    ]


def test_the_firmware_of_an_adapter_is_that_of_its_own_line_and_of_no_other(tmp_path: Path) -> None:
    ports = "".join(
        f"   Adapter: {name}\n   Port ID: 0E0A80\n   Node Name: 20:00:00:90:fa:00:00:01\n   Port Name: 10:00:00:90:fa:00:00:01\n"
        f"   Speed: 16 Gbps\n   Port Type: NPort\n   Port State: ONLINE\n   Model Description: an HBA\n   Hardware Version: \n"
        f"   OptionROM Version: \n   Firmware Version: {version}\n   Driver Name: lpfc\n   DriverVersion: 14.2.641.5\n\n"
        for name, version in (("vmhba3", "12.8.0.1"), ("vmhba2", "14.2.539.7"))
    )
    found = Read(written(tmp_path / "esx-01", {**HOST, "esxcli_storage-san-fc-list.txt": ports}))
    assert {row["hba"]: row["firmware"] for row in found.rows["hba"]} == {"vmhba0": None, "vmhba2": "14.2.539.7", "vmhba64": None}


def test_a_path_has_its_target_and_the_policy_of_its_device(read: Read) -> None:
    assert read.without_null("path") == [
        {
            "device": NAA,
            "hba": "vmhba64",
            "path": f"iqn.1998-01.com.vmware:esx-01-00023d000001,iqn.2010-01.com.solidfire:v1,t,1-{NAA}",
            "state": "active",
            "is_working": True,
            "transport": "iscsi",
            "target": "iqn.2010-01.com.solidfire:v1",
            "psp": "VMW_PSP_RR",
            "satp": "VMW_SATP_DEFAULT_AA",
        }
    ]
    [policy] = read.without_null("device_policy")
    assert (policy["rr_policy"], policy["rr_iops"], policy["working_paths"]) == ("iops", 10, 1)


def test_options_have_the_names_that_the_api_has(read: Read) -> None:
    assert read.without_null("host_option") == [
        {"key": "Disk.QFullSampleSize", "value": "32", "value_type": "long"},
        {"key": "Syslog.global.logHost", "value": "tcp://logs.example.net:514", "value_type": "string"},
    ]


def test_a_topic_is_whole_where_all_of_its_outputs_are_there(read: Read) -> None:
    whole = read.whole()
    assert {topic for topic, complete in whole.items() if complete} == {"devices", "paths", "device_scheduling"}
    assert set(whole) >= {"hbas", "options", "modules", "network", "device_load"}


def test_a_gap_names_the_commands_whose_output_is_missing(read: Read) -> None:
    [missing] = [gap for gap in read.gaps if gap.what == "what other commands print on esx-01.example.net"]
    for command in (
        "esxcli storage core device vaai status get",
        "esxcli iscsi adapter param get --adapter=vmhba64",
        "esxcli iscsi adapter discovery sendtarget list",
        "esxcli system module parameters list --module=lpfc",
        "esxcli system settings advanced list --option=/DataMover/MaxHWTransferSize",
    ):
        assert f"`{command}`" in missing.why
    assert "`esxcli storage core device list`" not in missing.why


def test_nobody_knows_which_other_hosts_there_are(read: Read) -> None:
    of_endpoint = {row["topic"]: row["complete"] for row in read.rows["reading"] if row["scope"] == ""}
    assert of_endpoint["hosts"] is False
    assert any("only a vCenter knows them" in gap.why for gap in read.gaps)


def test_a_list_that_was_cut_is_no_whole_list(tmp_path: Path) -> None:
    cut = DEVICES[: DEVICES.index("   Is Shared Clusterwide")] + "   Is Sh"
    read = Read(written(tmp_path / "esx-01", {**HOST, "esxcli_storage-core-device-list.txt": cut}))
    assert not read.whole()["devices"]
    assert not read.whole()["device_scheduling"]


def test_an_error_text_is_not_an_empty_list(tmp_path: Path) -> None:
    files = {**HOST, "esxcli_storage-core-path-list.txt": "Unable to connect to the hostd agent.\n"}
    read = Read(written(tmp_path / "esx-01", files))
    assert not read.whole()["paths"]
    assert any("Unable to connect" in gap.why for gap in read.gaps)


def test_all_outputs_of_a_host_without_text_are_one_gap_and_no_empty_list(tmp_path: Path) -> None:
    files = {**HOST, "esxcli_storage-core-path-list.txt": "", "esxcli_storage-nmp-device-list.txt": "\n"}
    read = Read(written(tmp_path / "esx-01", files))
    assert (read.whole()["paths"], "path" in read.rows) == (False, False)
    [empty] = [gap for gap in read.gaps if gap.what.startswith("empty outputs of ")]
    assert "`esxcli storage core path list`, `esxcli storage nmp device list`" in empty.why
    assert not any("storage core path list" in gap.what for gap in read.gaps)
    assert remedy_of(empty).startswith("take these once more with esxcli --formatter=json")


def test_a_policy_that_was_not_saved_is_not_known(tmp_path: Path) -> None:
    read = Read(written(tmp_path / "esx-01", {name: text for name, text in HOST.items() if text is not POLICIES}))
    [path] = read.without_null("path")
    assert "psp" not in path
    assert "is_working" not in path
    assert not read.whole()["multipathing"]


def test_the_first_files_of_a_host_count_and_the_others_are_a_gap(tmp_path: Path) -> None:
    folders = written(tmp_path / "a", HOST), written(tmp_path / "b", HOST)
    read = Read(*folders)
    assert len(read.rows["host"]) == len(read.rows["device"]) == 1
    [again] = [gap for gap in read.gaps if gap.what == str(folders[1])]
    assert again.why == f"it has files of esx-01.example.net, which was read from {folders[0]}: name one of the two"


def test_what_is_not_recognised_is_named(tmp_path: Path) -> None:
    folder = written(tmp_path / "esx-01", {**HOST, "shopping.txt": "two eggs\n"})
    assert any(note == f"Not recognised, and left: {folder}/shopping.txt." for note in Read(folder).notes)


@pytest.mark.parametrize("name", ["esx-01.corp.example", "devices.list", "devices.dat", "json/devices", "json/devices.v2"])
def test_an_output_is_read_whatever_its_file_is_called(tmp_path: Path, name: str) -> None:
    (tmp_path / "json").mkdir()
    (tmp_path / name).write_text("# esxcli storage core device list\n" + DEVICES, encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(32)) * 10)
    read = Read(tmp_path)
    assert len(read.rows["device"]) == 1
    assert any(note == f"Not recognised, and left: {tmp_path}/picture.png." for note in read.notes)


def test_an_output_in_characters_of_two_bytes_is_read_whatever_its_file_is_called(tmp_path: Path) -> None:
    (tmp_path / "esx-01.lab").write_bytes(("# esxcli storage core device list\n" + DEVICES).encode("utf-16-le"))
    assert len(Read(tmp_path / "esx-01.lab").rows["device"]) == 1


def test_no_file_of_a_bundle_is_opened_for_a_name_that_its_outputs_do_not_have(tmp_path: Path) -> None:
    folder = written(tmp_path / "esx-esx07-2026-10-03--04.05-2101" / "commands", {"vsish_notes.dat": "two eggs\n", "df.dat": "no\n"})
    assert not any("Not recognised" in note for note in Read(folder.parents[1]).notes)


def test_old_files_are_said_to_be_old(tmp_path: Path) -> None:
    folder = written(tmp_path / "esx-01", HOST)
    before = (datetime.now(UTC) - timedelta(days=45, hours=1)).timestamp()
    for file in folder.iterdir():
        os.utime(file, (before, before))
    assert any(
        note == f"The files of esx-01.example.net are 45 days old ({folder}): what changed since then is not seen."
        for note in Read(folder).notes
    )


def test_each_reading_is_of_the_moment_and_the_place_of_its_files(tmp_path: Path) -> None:
    folder = written(tmp_path / "esx-01.d", HOST)
    then = datetime(2026, 11, 1, 6, 30, tzinfo=UTC)
    for file in folder.iterdir():
        os.utime(file, (then.timestamp(), then.timestamp()))
    readings = [row for row in Read(folder).rows["reading"] if row["scope"] and not row["topic"].endswith("_load")]
    assert {(row["read_at"], row["source"]) for row in readings} == {(then, str(folder))}


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is not there"):
        fleet_with_files(None, [tmp_path / "nothing"])


def test_a_cluster_has_a_name_and_a_glob(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="NAME=GLOB"):
        fleet_with_files(None, [tmp_path], ["prod"])


@pytest.mark.parametrize("name", [f"esxcli_storage-core-device-list--d-{NAA}.txt", "esxcli_storage-core-device-list---pe-only.txt"])
def test_a_list_of_some_devices_is_not_one_of_all(tmp_path: Path, name: str) -> None:
    files = {**HOST, name: HOST["esxcli_storage-core-device-list.txt"]}
    assert Read(written(tmp_path / "both", files)).whole()["devices"]
    del files["esxcli_storage-core-device-list.txt"]
    read = Read(written(tmp_path / "some", files))
    assert len(read.rows["device"]) == 1
    assert not read.whole()["devices"]
    assert not read.whole()["device_scheduling"]


def option(name: str, value: int) -> str:
    return OPTIONS.split("\n\n")[0].replace("/Disk/QFullSampleSize", name).replace("Int Value: 32", f"Int Value: {value}") + "\n"


def test_options_that_were_saved_one_by_one_do_not_contradict_each_other(tmp_path: Path) -> None:
    files = {"one.txt": option("/Disk/QFullSampleSize", 32), "two.txt": option("/Disk/QFullThreshold", 4)}
    read = Read(written(tmp_path / "esx-01", files))
    assert {row["key"]: row["value"] for row in read.rows["host_option"]} == {"Disk.QFullSampleSize": "32", "Disk.QFullThreshold": "4"}
    assert not [gap for gap in read.gaps if "two files have it" in gap.why]


def test_two_values_of_one_option_contradict_each_other(tmp_path: Path) -> None:
    files = {"one.txt": option("/Disk/QFullSampleSize", 32), "two.txt": option("/Disk/QFullSampleSize", 0)}
    assert [gap.what for gap in Read(written(tmp_path / "esx-01", files)).gaps if "two files have it" in gap.why] == [
        "esxcli system settings advanced list on esx-01"
    ]


def test_paths_without_a_list_of_devices_ask_for_that_list_alone(tmp_path: Path) -> None:
    read = Read(written(tmp_path / "esx-01", {"esxcli_storage-core-path-list.txt": PATHS, "esxcli_storage-nmp-device-list.txt": POLICIES}))
    assert [gap.what for gap in read.gaps if gap.what.startswith("paths")] == []
    assert any("esxcli storage core device list" in gap.why for gap in read.gaps)
    assert read.whole("esx-01")["paths"] is False


def test_what_nothing_says_of_the_host_itself_is_asked_for(tmp_path: Path) -> None:
    files = {"esxcli_storage-core-device-list.txt": DEVICES, "esxcli_system-maintenanceMode-get.txt": "Disabled\n"}
    [why] = [gap.why for gap in Read(written(tmp_path / "esx-01", files)).gaps if gap.what.startswith("what other commands")]
    assert "`esxcli system version get`" in why
    assert "maintenanceMode" not in why


VOLUMES = """Mount Point           Volume Name  UUID                                 Mounted  Type    Size  Free
--------------------  -----------  -----------------------------------  -------  ------  ----  ----
/vmfs/volumes/gold    gold         5f1e2d3c-4b5a6978-8796-a5b4c3d2e1f0     true  VMFS-6  1000   500
/vmfs/volumes/silver  silver       5f1e2d3c-4b5a6978-8796-a5b4c3d2e1f1     true  VMFS-6  1000   500
/vmfs/volumes/old     old          5f1e2d3c-4b5a6978-8796-a5b4c3d2e1f2     true  VMFS-5  1000   500
"""
RECLAIM = "Reclaim Granularity: 1048576 Bytes\nReclaim Priority: {}\n"


def test_how_freed_space_is_given_back_is_known_of_the_volume_that_the_command_named(tmp_path: Path) -> None:
    def priorities(**more: str) -> tuple[dict[str, str | None], bool]:
        named = {f"esxcli_storage-vmfs-reclaim-config-get--{option}.txt": RECLAIM.format(word) for option, word in more.items()}
        named = {name.replace("UUID", "-volume-uuid=5f1e2d3c-4b5a6978-8796-a5b4c3d2e1f0"): text for name, text in named.items()}
        read = Read(
            written(tmp_path / "-".join(more.values()) / "esx-01", {**HOST, "esxcli_storage-filesystem-list.txt": VOLUMES, **named})
        )
        asked = any("`esxcli storage vmfs reclaim config get --volume-uuid=UUID`" in gap.why for gap in read.gaps)
        return {row["name"]: row.get("unmap_priority") for row in read.rows["datastore"]}, asked

    assert priorities(UUID="none") == ({"gold": "none", "silver": None, "old": None}, True)
    assert priorities(UUID="none", **{"l-silver": "medium"}) == ({"gold": "none", "silver": "medium", "old": None}, False)
    assert priorities(UUID="odd", **{"l-silver": "low"}) == ({"gold": None, "silver": "low", "old": None}, False)


NFS = """Volume Name  Host       Share  Accessible  Mounted  Read-Only   isPE  Hardware Acceleration
-----------  ---------  -----  ----------  -------  ---------  -----  ---------------------
isos         192.0.2.7  /isos       false    false      false  false  Unknown
"""


def test_an_nfs_mount_is_a_datastore_also_where_no_list_of_volumes_has_it(tmp_path: Path) -> None:
    read = Read(written(tmp_path / "esx-01", {"esxcli_storage-nfs-list.txt": NFS}))
    [store] = read.without_null("datastore")
    assert store == {"datastore_id": "NFS 192.0.2.7:/isos", "name": "isos", "type": "NFS", "nfs_host": "192.0.2.7", "nfs_path": "/isos"}
    assert read.without_null("datastore_mount") == [{"datastore_id": "NFS 192.0.2.7:/isos", "mounted": False, "accessible": False}]


def test_a_protocol_endpoint_of_vvols_over_nfs_is_no_datastore(tmp_path: Path) -> None:
    pe = NFS.replace("false  false  Unknown", "false   true  Unknown")
    assert pe != NFS
    assert Read(written(tmp_path / "esx-01", {"esxcli_storage-nfs-list.txt": pe})).rows["datastore"] == []
