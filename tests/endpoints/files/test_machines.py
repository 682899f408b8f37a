"""What a .vmx file says of a machine's disks becomes what the API would say of them."""

from pathlib import Path

from .evidence import HOST, Read, written

VOLUME = "693975f2-9139b258-8620-005056b3b989"

VMX = """.encoding = "UTF-8"
displayName = "sql-01"
guestOS = "windows2019srv-64"
vc.uuid = "52 3d 5f 1a 00 00 00 00-00 00 00 00 00 00 00 01"
sched.latencySensitivity = "high"
scsi0.virtualDev = "lsisas1068"
scsi0.present = "TRUE"
scsi0.sharedBus = "physical"
scsi0:0.deviceType = "scsi-hardDisk"
scsi0:0.fileName = "sql-01.vmdk"
sched.scsi0:0.shares = "high"
sched.scsi0:0.throughputCap = "2500"
scsi0:0.present = "TRUE"
scsi1.virtualDev = "pvscsi"
scsi1.present = "TRUE"
scsi1:3.deviceType = "scsi-hardDisk"
scsi1:3.fileName = "/vmfs/volumes/data-uuid/sql-01/logs.vmdk"
sched.scsi1:3.throughputCap = "off"
scsi1:3.present = "TRUE"
scsi1:4.fileName = "gone.vmdk"
scsi1:4.present = "FALSE"
sata0.present = "TRUE"
sata0:0.deviceType = "cdrom-image"
sata0:0.fileName = "/vmfs/volumes/iso/a.iso"
sata0:0.present = "TRUE"
"""


def read(tmp_path: Path) -> Read:
    root = tmp_path / "esx-esx07-2026-10-03--04.05-2101"
    written(root / "commands", {"localcli_storage-core-device-list.txt": HOST["esxcli_storage-core-device-list.txt"]})
    written(root / "vmfs" / "volumes" / VOLUME / "sql-01", {"sql-01.vmx": VMX})
    return Read(root)


def test_a_machine_has_its_name_and_its_host_and_nobody_knows_whether_it_runs(tmp_path: Path) -> None:
    [machine] = read(tmp_path).rows["vm"]
    assert machine["name"] == "sql-01"
    assert machine["host_id"] == "esx07"
    assert machine["power_state"] is None
    assert machine["latency_sensitivity"] == "high"
    assert machine["disks_read"] is True


def test_a_disk_has_its_controller_and_its_limit(tmp_path: Path) -> None:
    disks = read(tmp_path).without_null("vm_disk")
    for disk in disks:
        del disk["vm_id"], disk["disk_key"]
    assert disks == [
        {
            "disk": "scsi0:0",
            "datastore_id": VOLUME,
            "controller": "lsilogic-sas",
            "node": "scsi0:0",
            "iops_limit": 2500,
            "shares_level": "high",
            "file": "sql-01.vmdk",
            "bus_sharing": "physicalSharing",
        },
        {
            "disk": "scsi1:3",
            "datastore_id": "data-uuid",
            "controller": "pvscsi",
            "node": "scsi1:3",
            "file": "/vmfs/volumes/data-uuid/sql-01/logs.vmdk",
            "bus_sharing": "noSharing",
        },
    ]


def test_what_no_vmx_says_is_a_gap(tmp_path: Path) -> None:
    [gap] = [one for one in read(tmp_path).gaps if one.what == "virtual machines of esx07"]
    assert "neither whether they run" in gap.why
