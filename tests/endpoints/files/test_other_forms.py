"""Facts of other programs than esxcli: they count where esxcli's output is not there, and never make a topic whole."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from .evidence import ADAPTERS, DEVICES, HOST, NAA, PATHS, VERSION, Read, written

UNAME = "VMkernel esx-01 7.0.3 #1 SMP Release build-20328353 Sep 27 2023 19:41:06 x86_64 x86_64 x86_64 ESXi\n"
VMWARE = "VMware ESXi 7.0.3 build-21930508\nVMware ESXi 7.0 Update 3\n"

LISTED = f"""\
{NAA}
   Device Type: Direct-Access
   Size: 102400 MB
   Display Name: SolidFire iSCSI Disk ({NAA})
   Multipath Plugin: NMP
   Console Device: /vmfs/devices/disks/{NAA}
   Devfs Path: /vmfs/devices/disks/{NAA}
   Vendor: SolidFir  Model: SSD SAN           Revis: 0006
   SCSI Level: 6  Is Pseudo: false Status: off
   Is RDM Capable: true  Is Removable: false
   Is Local: false
   Other Names:
      vml.0200
   VAAI Status: supported
"""
IN_LINES = f"{NAA}  Direct-Access    /vmfs/devices/disks/{NAA}  102400MB  NMP     SolidFire iSCSI Disk ({NAA})\n"
PATH_LIST = f"""\
iqn.1998-01.com.vmware:esx-01-00023d000001,iqn.2010-01.com.solidfire:v1,t,1-{NAA}
   Runtime Name: vmhba64:C0:T0:L0
   Device: {NAA}
   Device Display Name: SolidFire iSCSI Disk ({NAA})
   Adapter: vmhba64 Channel: 0 Target: 0 LUN: 0
   Adapter Identifier: iqn.1998-01.com.vmware:esx-01
   Target Identifier: 00023d000001,iqn.2010-01.com.solidfire:v1,t,1
   Plugin: NMP
   State: active
   Transport: iscsi
   Adapter Transport Details: iqn.1998-01.com.vmware:esx-01
   Target Transport Details: IQN=iqn.2010-01.com.solidfire:v1 Alias= Session=00023d000001 PortalTag=1
"""
PATH_LINES = f"""\
{NAA} : SolidFire iSCSI Disk ({NAA})
   vmhba64:C0:T0:L0 LUN:0 state:active iscsi Adapter: iqn.1998-01.com.vmware:esx-01  Target: IQN=iqn.2010-01.com.solidfire:v1 Alias= P=1
"""
ADAPTER_LINES = """\
vmhba0  vmw_ahci          link-n/a  sata.vmhba0                             (0000:00:1f.2) Intel Corporation AHCI
vmhba2  lpfc              link-up   fc.20000090fa000001:10000090fa000001    (0000:04:00.0) Emulex LPe16000 FC HBA
vmhba64 iscsi_vmk         online    iqn.1998-01.com.vmware:esx-01           iSCSI Software Adapter
"""
DISK = {
    "device": NAA,
    "display_name": f"SolidFire iSCSI Disk ({NAA})",
    "device_type": "disk",
    "size_bytes": 102_400 * 1024 * 1024,
    "operational_state": "",
}


def without(*texts: str, **files: str) -> Mapping[str, str]:
    """The files of the host but for some, and others instead."""
    return {name: text for name, text in HOST.items() if text not in texts} | {f"{name}.txt": text for name, text in files.items()}


def lacking(read: Read) -> str:
    return next(gap.why for gap in read.gaps if gap.what.startswith("what other commands print"))


@pytest.mark.parametrize(
    ("printed", "more"),
    [
        pytest.param(
            LISTED,
            {
                "vendor": "SolidFir",
                "model": "SSD SAN",
                "revision": "0006",
                "is_local": False,
                "vstorage_support": "vStorageSupported",
                "operational_state": "off",
            },
            id="esxcfg-scsidevs -l",
        ),
        pytest.param(IN_LINES, {}, id="esxcfg-scsidevs -c"),
    ],
)
def test_devices_have_what_another_program_prints_and_no_more(tmp_path: Path, printed: str, more: Mapping[str, object]) -> None:
    read = Read(written(tmp_path / "esx-01", without(DEVICES, devices=printed)))
    assert read.without_null("device") == [{**DISK, **more}]
    assert read.rows["device_scheduling"] == []
    assert not read.whole()["devices"]
    assert "`esxcli storage core device list`" in lacking(read)


def test_the_list_of_esxcli_comes_before_that_of_another_program(tmp_path: Path) -> None:
    read = Read(written(tmp_path / "esx-01", without(devices=LISTED.replace("102400 MB", "1 MB"))))
    [device] = read.rows["device"]
    assert (device["size_bytes"], device["queue_depth"]) == (DISK["size_bytes"], 128)
    assert read.whole()["devices"]


def test_an_error_in_the_place_of_the_list_of_esxcli_does_not_hide_that_of_another_program(tmp_path: Path) -> None:
    files = {**HOST, "esxcli_storage-core-device-list.txt": "Unable to connect to the hostd agent.\n", "devices.txt": LISTED}
    read = Read(written(tmp_path / "esx-01", files))
    assert [row["device"] for row in read.rows["device"]] == [NAA]
    assert not read.whole()["devices"]
    assert any("Unable to connect" in gap.why for gap in read.gaps)


def test_adapters_are_those_of_esxcli(tmp_path: Path) -> None:
    own = Read(written(tmp_path / "own", HOST))
    read = Read(written(tmp_path / "other", without(ADAPTERS, adapters=ADAPTER_LINES)))
    assert read.without_null("hba") == own.without_null("hba")
    assert "`esxcli storage core adapter list`" in lacking(read)


@pytest.mark.parametrize(("printed", "has_name"), [(PATH_LIST, True), (PATH_LINES, False)], ids=["esxcfg-mpath -l", "esxcfg-mpath -b"])
def test_paths_are_those_of_esxcli(tmp_path: Path, printed: str, has_name: bool) -> None:
    own = Read(written(tmp_path / "own", HOST))
    read = Read(written(tmp_path / "other", without(PATHS, paths=printed)))
    [expected] = own.without_null("path")
    assert read.without_null("path") == [expected if has_name else {**expected, "path": "vmhba64:C0:T0:L0"}]
    assert not read.whole()["paths"]


def test_extents_are_those_of_esxcli(tmp_path: Path) -> None:
    uuid = "53d6343f-65f9ea4e-602b-508789ad4756"
    volumes = (
        "Mount Point  Volume Name  UUID                                 Mounted  Type    Size  Free\n"
        "-----------  -----------  -----------------------------------  -------  ------  ----  ----\n"
        f"/vmfs/v      gold         {uuid}     true  VMFS-5  4096  1024\n"
    )
    printed = f"{NAA}:1    /vmfs/devices/disks/{NAA}:1 {uuid}  0  gold\n"
    read = Read(written(tmp_path / "esx-01", without(**{"esxcli_storage-filesystem-list": volumes, "extents": printed})))
    assert read.without_null("datastore_extent") == [{"datastore_id": uuid, "device": NAA, "partition": 1}]
    assert "`esxcli storage vmfs extent list`" in lacking(read)


@pytest.mark.parametrize(
    ("texts", "release"),
    [
        pytest.param({"a": VERSION, "b": VMWARE, "c": UNAME}, ("8.0.2", 22380479), id="esxcli comes first"),
        pytest.param({"b": VMWARE, "c": UNAME}, ("7.0.3", 21930508), id="then vmware"),
        pytest.param({"c": UNAME}, ("7.0.3", 20328353), id="then uname"),
        pytest.param({"b": "VMware ESXi 5.5.0 Update 3\n"}, ("5.5.0", None), id="a release without a build"),
        pytest.param({}, (None, None), id="nobody says it"),
    ],
)
def test_the_release_is_the_one_of_the_best_output(
    tmp_path: Path, texts: Mapping[str, str], release: tuple[str | None, int | None]
) -> None:
    [host] = Read(written(tmp_path / "esx-01", without(VERSION, **texts))).rows["host"]
    assert (host["version"], host["build"]) == release


@pytest.mark.parametrize(
    ("kernel", "own_name", "name"),
    [
        pytest.param(UNAME, True, "esx-01.example.net", id="the short form of its name"),
        pytest.param(UNAME.replace("esx-01", "esx-77"), False, "esx-77", id="the only name"),
        pytest.param(UNAME.replace("esx-01", "localhost"), False, "folder", id="no name"),
        pytest.param(UNAME.replace("esx-01", "esx\u202e"), False, "folder", id="a name that nobody would give"),
    ],
)
def test_a_host_may_be_named_by_its_kernel(tmp_path: Path, kernel: str, own_name: bool, name: str) -> None:
    files = {file: text for file, text in HOST.items() if own_name or "hostname" not in file}
    assert [row["name"] for row in Read(written(tmp_path / "folder", {**files, "uname_-a.txt": kernel})).rows["host"]] == [name]


def test_a_kernel_of_another_name_is_another_host(tmp_path: Path) -> None:
    read = Read(written(tmp_path / "folder", {**HOST, "uname_-a.txt": UNAME.replace("esx-01", "esx-02")}))
    assert read.rows["host"] == []
    assert any("several hosts (esx-01.example.net, esx-02)" in gap.why for gap in read.gaps)


def test_a_bundle_says_its_release_without_esxcli(tmp_path: Path) -> None:
    root = tmp_path / "esx-esx07-2026-10-03--04.05-2101"
    written(
        root / "commands",
        {"vmware_-vl.txt": VMWARE, "uname_-a.txt": UNAME.replace("esx-01", "esx07"), "esxcfg-scsidevs_-a.txt": ADAPTER_LINES},
    )
    read = Read(root)
    assert [(row["name"], row["version"], row["build"]) for row in read.rows["host"]] == [("esx07", "7.0.3", 21930508)]
    assert len(read.rows["hba"]) == 3
