"""What guests print of their own disks, by the scripts of `auditor guest-facts`, and what is made of it."""

import subprocess
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

import pytest

from auditor.endpoints.files.guests import read
from auditor.endpoints.files.guests.read import Guest, bios_uuid, guests_in, latest
from tests.required import program

from .evidence import HOST, Read, written

WINDOWS = """auditor-guest 1
system windows
taken 2026-11-25T02:00:00Z
hostname APP01
kernel 10.0.20348
serial VMware-42 1f 24 5c 7f a8 60 fa-6a f6 a4 63 51 ce d0 eb
parameter module=pvscsi name=RequestRingPages value=32
parameter module=pvscsi name=MaxQueueDepth value=254
disk name=disk0 driver=pvscsi vendor= model=VMware_Virtual_disk_SCSI_Disk_Device queue_depth= adapter_depth= timeout_s=60 sectors=209715200
partition disk=disk0 name=disk0-0 start_sectors=63 sectors=209700000
partition disk=disk0 name=disk0-1 start_sectors=? sectors=8
end
"""
UUID = "421f245c-7fa8-60fa-6af6-a46351ced0eb"


def test_a_guest_is_read_with_its_disks_and_partitions(tmp_path: Path) -> None:
    read = Read(written(tmp_path, {"app01.txt": WINDOWS}))
    place = f"{tmp_path}/app01.txt"
    assert read.without_null("guest") == [
        {
            "guest_id": UUID,
            "hostname": "APP01",
            "system": "windows",
            "kernel": "10.0.20348",
            "bios_uuid": UUID,
            "pvscsi_depth_set": 254,
            "taken_at": datetime(2026, 11, 25, 2, tzinfo=UTC),
            "place": place,
        }
    ]
    assert read.without_null("guest_disk") == [
        {
            "guest_id": UUID,
            "disk": "disk0",
            "driver": "pvscsi",
            "model": "VMware Virtual disk SCSI Disk Device",
            "timeout_s": 60,
            "size_bytes": 107_374_182_400,
        }
    ]
    assert read.without_null("guest_partition") == [
        {"guest_id": UUID, "disk": "disk0", "partition": "disk0-0", "start_bytes": 32_256, "size_bytes": 107_366_400_000},
        {"guest_id": UUID, "disk": "disk0", "partition": "disk0-1", "size_bytes": 4096},
    ]


def test_guests_alone_leave_no_gap_about_a_vcenter_and_beside_a_host_they_do(tmp_path: Path) -> None:
    alone = Read(written(tmp_path / "guests", {"app01.txt": WINDOWS}))
    assert alone.gaps == []
    assert [(row["topic"], row["complete"]) for row in alone.rows["reading"]] == [("guests", True)], (
        "they list no vCenter's hosts and datastores"
    )
    beside = Read(written(tmp_path / "esx-01", HOST), tmp_path / "guests")
    assert [row["hostname"] for row in beside.rows["guest"]] == ["APP01"]
    assert any("only a vCenter knows" in gap.why for gap in beside.gaps)


def test_several_guests_in_one_file_are_each_read_and_of_one_guest_the_last_answer_counts(tmp_path: Path) -> None:
    later = WINDOWS.replace("T02:00", "T03:00").replace("timeout_s=60", "timeout_s=190")
    other = WINDOWS.replace("APP01", "APP02").replace("42 1f", "42 20")
    read = Read(written(tmp_path, {"all.txt": later + WINDOWS + other}))
    assert sorted(row["hostname"] for row in read.rows["guest"]) == ["APP01", "APP02"]
    assert {row["timeout_s"] for row in read.rows["guest_disk"] if row["guest_id"] == UUID} == {190}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param(WINDOWS.removesuffix("end\n"), "the last line of what the script prints is missing", id="cut"),
        pytest.param("auditor-guest 1\nhostname \nend\n", "it says neither its serial number nor its name", id="nameless"),
    ],
)
def test_a_guest_that_is_not_whole_is_a_gap_and_no_row(tmp_path: Path, text: str, why: str) -> None:
    read = Read(written(tmp_path, {"guest.txt": text}))
    assert read.rows["guest"] == []
    assert [why in gap.why for gap in read.gaps] == [True]
    assert [row["complete"] for row in read.rows["reading"] if row["topic"] == "guests"] == [False]


def test_a_text_of_a_later_version_is_not_taken_for_one_of_this() -> None:
    assert guests_in(b"auditor-guest 2\nhostname db01\nend\n") == []


def test_powershell_writes_two_bytes_a_character() -> None:
    [guest] = guests_in(b"\xff\xfe" + WINDOWS.replace("\n", "\r\n").encode("utf-16-le"))
    assert (guest.bios_uuid, guest.is_whole, guest.disks[0].timeout_s) == (UUID, True, 60)


@pytest.mark.parametrize(
    ("serial", "uuid"),
    [
        # kubernetes/kubernetes#59519: the serial number, and the UUID that vCenter has
        pytest.param("VMware-42 0e 3f 74 ea 84 f9 a2-77 36 61 06 bb 5d bf 6b", "420e3f74-ea84-f9a2-7736-6106bb5dbf6b", id="VMware"),
        pytest.param("VMware-42 0e 3f 74 ea 84 f9 a2", None, id="cut"),
        pytest.param("9Q8XYZ2", None, id="the host's own, which a machine may be told to show"),
        pytest.param("None", None, id="none"),
    ],
)
def test_a_serial_number_says_which_machine_it_is(serial: str, uuid: str | None) -> None:
    assert bios_uuid(serial) == uuid


def test_a_guest_without_a_clock_is_older_than_one_with() -> None:
    timed, untimed = Guest("db01", taken_at=datetime(2026, 1, 1, tzinfo=UTC)), Guest("DB01")
    assert latest([("a", timed), ("b", untimed)]) == {"db01": ("a", timed)}


def test_guests_of_two_names_that_say_one_uuid_are_both_kept() -> None:
    early, late = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)
    said = [
        ("a", Guest("db01", bios_uuid="u", taken_at=early)),
        ("b", Guest("DB01", bios_uuid="u", taken_at=late)),
        ("c", Guest("db02", bios_uuid="u")),
    ]
    assert {name: place for name, (place, _) in latest(said).items()} == {"u db01": "b", "u db02": "c"}


def test_of_a_file_no_more_is_held_than_a_file_may_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "_MOST", 4)
    [first, second] = guests_in(("auditor-guest 1\n" + "disk name=sda\n" * 2 + "end\n").encode() * 3)
    assert (first.is_whole, len(first.disks), second.is_whole) == (True, 2, False)


SYS = {
    "class/dmi/id/product_serial": "VMware-42 0e 3f 74 ea 84 f9 a2-77 36 61 06 bb 5d bf 6b\n",
    "module/vmw_pvscsi/parameters/cmd_per_lun": "254\n",
    "class/scsi_host/host2/proc_name": "vmw_pvscsi\n",
    "class/scsi_host/host2/can_queue": "1022\n",
    "devices/2:0:1:0/vendor": "VMware  \n",
    "devices/2:0:1:0/model": "Virtual disk    \n",
    "devices/2:0:1:0/queue_depth": "254\n",
    "devices/2:0:1:0/timeout": "180\n",
    "block/sdb/size": "209715200\n",
    "block/sdb/sdb1/start": "2048\n",
    "block/sdb/sdb1/size": "209713152\n",
    "devices/nvme0/model": "VMware Virtual NVMe Disk\n",
    "block/nvme0n1/size": "8\n",
}


def test_the_script_for_linux_prints_what_the_kernel_says(tmp_path: Path) -> None:
    for name, content in SYS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    (tmp_path / "block/sdb/device").symlink_to(tmp_path / "devices/2:0:1:0")
    (tmp_path / "block/nvme0n1/device").symlink_to(tmp_path / "devices/nvme0")
    script = (
        (resources.files("auditor.endpoints.files.guests") / "guest_facts.sh").read_text(encoding="utf-8").replace("/sys/", f"{tmp_path}/")
    )
    printed = subprocess.run([program("sh", "BASH"), "-eu"], input=script, capture_output=True, text=True, check=True, timeout=30)
    assert printed.stderr == ""
    [guest] = guests_in(printed.stdout.encode())
    assert (guest.system, guest.bios_uuid, guest.is_whole) == ("linux", "420e3f74-ea84-f9a2-7736-6106bb5dbf6b", True)
    assert guest.parameters == {("vmw_pvscsi", "cmd_per_lun"): "254"}
    sdb, nvme = sorted(guest.disks, key=lambda one: one.name, reverse=True)
    assert (sdb.driver, sdb.model, sdb.queue_depth, sdb.adapter_depth, sdb.timeout_s) == ("vmw_pvscsi", "Virtual disk", 254, 1022, 180)
    assert (nvme.name, nvme.driver, nvme.queue_depth, nvme.size_bytes) == ("nvme0n1", "nvme", None, 4096)
    assert [(one.disk, one.name, one.start_bytes) for one in guest.partitions] == [("sdb", "sdb1", 1_048_576)]
