"""Which protocol endpoints a vVol datastore is reached by, and which devices are some, as far as the files of a host say it."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from .evidence import DEVICES, HOST, NAA, Read, written

STORE = "vvol:5c9ecfd36f6653ca-a5f05277c645a00a"
CONTAINER = "5c9ecfd3-6f66-53ca-a5f0-5277c645a00a"
OTHER = "vvol:c5a44b43f4965eb8-a0093283c044f922"
PE = "naa.6f47acc2000000010102030405060708"

VOLUMES = f"""\
Mount Point                                          Volume Name  UUID                                    Mounted  Type           Size          Free
---------------------------------------------------  -----------  --------------------------------------  -------  ----  -------------  ------------
/vmfs/volumes/{STORE}  gold         {STORE}     true  VVOL  1099511627776  549755813888
"""  # noqa: E501  as it is printed

ENDPOINTS = f"""\
{PE}
   Host Id: {PE}
   Array Id: com.solidfire:abcd
   Type: SCSI
   Accessible: true
   Configured: true
   Lun Id: {PE}
   Remote Host: 
   Remote Share: 
   NFS4x Transport IPs: 
   Server Scope: 0
   Server Major: 
   Auth: 
   User: 
   Storage Containers: {CONTAINER}, {OTHER}
"""  # noqa: W291  as it is printed

CONTAINERS = f"""\
gold
   StorageContainer Name: gold
   UUID: {STORE}
   Array: com.solidfire:abcd
   Size(MB): 1048576
   Free(MB): 524288
   Accessible: false
   Default Policy: 
"""  # noqa: W291  as it is printed

FILES: Mapping[str, str] = {
    **HOST,
    "esxcli_storage-filesystem-list.txt": VOLUMES,
    "esxcli_storage-vmfs-extent-list.txt": "",
    "esxcli_storage-vvol-protocolendpoint-list.txt": ENDPOINTS,
    "esxcli_storage-vvol-storagecontainer-list.txt": CONTAINERS,
}


def lacking(read: Read) -> str:
    return next(gap.why for gap in read.gaps if gap.what.startswith("what other commands print"))


def test_an_endpoint_is_behind_the_datastore_of_each_container_that_it_serves(tmp_path: Path) -> None:
    read = Read(written(tmp_path / "esx-01", FILES))
    assert read.without_null("vvol_mount") == [{"datastore_id": STORE, "device": PE}]
    [store] = read.without_null("datastore")
    assert store == {"datastore_id": STORE, "name": "gold", "type": "VVOL", "size_bytes": 1 << 40, "vvol_container_id": CONTAINER}
    assert read.without_null("datastore_mount") == [{"datastore_id": STORE, "mounted": True, "accessible": False}]
    assert "vvol" not in lacking(read)


@pytest.mark.parametrize("command", ["protocolendpoint", "storagecontainer"])
def test_without_its_output_the_datastores_are_not_whole_and_a_gap_names_it(tmp_path: Path, command: str) -> None:
    files = {name: text for name, text in FILES.items() if command not in name}
    read = Read(written(tmp_path / "esx-01", files))
    assert f"`esxcli storage vvol {command} list`" in lacking(read)
    [mount] = read.rows["datastore_mount"]
    assert mount["accessible"] is (None if command == "storagecontainer" else False)
    assert len(read.rows["vvol_mount"]) == (0 if command == "protocolendpoint" else 1)
    assert not any(row["complete"] for row in read.rows["reading"] if row["topic"] == "datastores")


def test_an_endpoint_of_nfs_has_no_device_and_one_of_a_lun_without_a_name_is_a_gap(tmp_path: Path) -> None:
    nfs = ENDPOINTS.replace(PE, "nfs-01").replace("Type: SCSI", "Type: NFS")
    nameless = ENDPOINTS.replace(PE, "unnamed")
    files = {**FILES, "esxcli_storage-vvol-protocolendpoint-list.txt": f"{ENDPOINTS}\n{nfs}"}
    read = Read(written(tmp_path / "nfs", files))
    assert [row["device"] for row in read.rows["vvol_mount"]] == [PE]
    assert not any("names no device" in gap.why for gap in read.gaps)
    files = {**FILES, "esxcli_storage-vvol-protocolendpoint-list.txt": nameless}
    read = Read(written(tmp_path / "nameless", files))
    assert read.rows["vvol_mount"] == []
    assert any(gap.why == "protocol endpoint 'com.solidfire:abcd' names no device" for gap in read.gaps)


def test_a_list_of_devices_that_does_not_tell_endpoints_is_told_them_by_their_own_list(tmp_path: Path) -> None:
    endpoint = DEVICES.replace(NAA, PE)
    untold = f"{DEVICES}\n{endpoint}".replace("   Is VVOL PE: false\n", "")
    read = Read(written(tmp_path / "esx-01", {**FILES, "esxcli_storage-core-device-list.txt": untold}))
    assert {row["device"]: row["is_protocol_endpoint"] for row in read.rows["device"]} == {NAA: None, PE: True}


def test_endpoints_that_are_in_their_own_list_alone_are_devices_too(tmp_path: Path) -> None:
    own = DEVICES.replace(NAA, PE).replace("Is VVOL PE: false", "Is VVOL PE: true").replace("worlds: 32", "worlds: 128")
    files = {**FILES, "esxcli_storage-core-device-list---pe-only.txt": f"{own}\n{DEVICES}"}
    read = Read(written(tmp_path / "esx-01", files))
    assert {row["device"]: row["is_protocol_endpoint"] for row in read.rows["device"]} == {NAA: False, PE: True}
    assert {row["device"]: row["dsnro"] for row in read.rows["device_scheduling"]} == {NAA: 32, PE: 128}
    assert read.whole()["devices"]
