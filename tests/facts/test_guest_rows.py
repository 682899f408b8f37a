"""Which machine a guest is, how deep its queues are by what it says itself, and what is shown of its disks."""

from typing import Any

import pytest

from .single import Rows, by, chained, of_vc, rows_over

GUESTS = ("step_guest_machine",)


def told(*disks: dict[str, Any], has: int = 1, machines: Rows | None = None, **guest: Any) -> Any:
    """The bounds of one machine's disks on pvscsi where its guest has `disks` and the machine `has` so many."""
    name = {"endpoint": "files", "guest_id": "g"}
    given = {
        "fact.guest": [{**name, "hostname": "db01", "bios_uuid": "u", "system": "linux", **guest}],
        "fact.guest_disk": [{**name, "disk": f"sd{at}", "driver": "vmw_pvscsi", **one} for at, one in enumerate(disks)],
        "fact.vm": machines or of_vc({"vm_id": "vm", "bios_uuid": "u"}, {"vm_id": "other", "bios_uuid": "v"}),
        "fact.vm_disk": of_vc(*({"vm_id": "vm", "disk": f"Hard disk {at}", "controller": "pvscsi"} for at in range(has))),
    }
    found = chained("step_told_depth", given, *GUESTS)
    return [(row["vm_id"], row["controller"], row["at_least"], row["at_most"]) for row in found]


def test_what_linux_sends_is_what_it_says() -> None:
    assert told({"queue_depth": 64}) == [("vm", "pvscsi", 64, 64)]


def test_disks_that_differ_bound_each_other() -> None:
    assert told({"queue_depth": 32}, {"queue_depth": 254}, has=2) == [("vm", "pvscsi", 32, 254)]


@pytest.mark.parametrize(
    "why",
    [
        pytest.param({"disks": [{"queue_depth": 64}], "has": 2}, id="it does not say so of every disk"),
        pytest.param({"disks": [{"queue_depth": 64}, {}]}, id="it does not say it of one that it has"),
        pytest.param(
            {"disks": [{"queue_depth": 64}], "machines": of_vc({"vm_id": "vm", "bios_uuid": "u"}, {"vm_id": "copy", "bios_uuid": "u"})},
            id="two machines have that UUID",
        ),
        pytest.param({"disks": [{"queue_depth": 64}], "bios_uuid": None}, id="it could not read its serial number"),
        pytest.param({"disks": [{"queue_depth": 64, "driver": "iscsi_tcp"}]}, id="a LUN that it mounts itself"),
        pytest.param({"disks": [{"driver": "pvscsi"}], "system": "windows"}, id="a Windows in which nothing is set"),
    ],
)
def test_a_guest_that_does_not_say_it_bounds_nothing(why: dict[str, Any]) -> None:
    assert told(*why.pop("disks"), **why) == []


@pytest.mark.parametrize(("uuids", "is_known"), [(("u", "v"), True), (("u", "u"), False)])
def test_two_guests_that_say_one_uuid_are_no_machine(uuids: tuple[str, str], is_known: bool) -> None:
    guests = [{"endpoint": "files", "guest_id": name, "bios_uuid": uuid} for name, uuid in zip(("a", "b"), uuids, strict=True)]
    found = rows_over("step_guest_machine", {"fact.guest": guests, "fact.vm": of_vc({"vm_id": "vm", "bios_uuid": "u"})})
    assert [row["guest_id"] for row in found] == ["a"] * is_known


@pytest.mark.parametrize(("depth", "bounds"), [(254, (64, 254)), (32, (32, 64)), (64, (64, 64))])
def test_what_windows_has_set_counts_from_its_next_start_on(depth: int, bounds: tuple[int, int]) -> None:
    assert told({"driver": "pvscsi"}, system="windows", pvscsi_depth_set=depth) == [("vm", "pvscsi", *bounds)]


def test_a_disk_of_a_guest_that_says_its_depth_goes_by_that() -> None:
    given: dict[str, Rows] = {
        "fact.vm_disk": of_vc(*({"vm_id": "vm", "disk": one, "controller": one} for one in ("pvscsi", "lsilogic"))),
        "step_guest": of_vc({"vm_id": "vm", "runs": True, "guest": "windows"}),
        "step_controller_depth": [
            {"controller": "pvscsi", "guest": "windows", "at_least": 64, "at_most": 64},
            {"controller": "lsilogic", "guest": "", "at_least": 32, "at_most": 32},
        ],
        "step_told_depth": of_vc({"vm_id": "vm", "controller": "pvscsi", "at_least": 64, "at_most": 254}),
    }
    found = by("step_disk_depth", "disk", given)
    assert {disk: (row["depth_at_least"], row["depth_at_most"]) for (disk,), row in found.items()} == {
        "pvscsi": (64, 254),
        "lsilogic": (32, 32),
    }


GIB = 1024**3


def disk(*parts: tuple[int | None, int | None], **more: Any) -> dict[str, Any]:
    """The row of one disk of a guest of the machine vm-1, with partitions of (start, size) in bytes."""
    name = {"endpoint": "files", "guest_id": "g"}
    own: dict[str, Any] = {key: more.pop(key) for key in ("driver", "model") if key in more}
    [row] = rows_over(
        "guest_disk",
        {
            "fact.guest": [{**name, "hostname": "db01", "system": "linux", **more}],
            "fact.guest_disk": [{**name, "disk": "sda", "driver": "vmw_pvscsi", "model": "Virtual disk", "timeout_s": 30, **own}],
            "fact.guest_partition": [
                {**name, "disk": "sda", "partition": f"sda{at}", "start_bytes": start, "size_bytes": size}
                for at, (start, size) in enumerate(parts, 1)
            ],
            "step_guest_machine": [{"guest_endpoint": "files", "guest_id": "g", "endpoint": "vc", "vm_id": "vm-1"}],
            "fact.vm": of_vc({"vm_id": "vm-1", "name": "DB 01", "host_id": "h"}),
            "fact.host": of_vc({"host_id": "h", "name": "esx-01", "cluster": "prod"}),
        },
    )
    return row


def test_a_disk_is_shown_with_the_machine_and_the_host_that_it_is_on() -> None:
    row = disk()
    assert (row["resource_id"], row["resource_name"], row["vm"], row["host"], row["cluster"]) == (
        "g/sda",
        "db01 sda",
        "DB 01",
        "esx-01",
        "prod",
    )


@pytest.mark.parametrize(
    ("parts", "partitions", "misaligned", "names"),
    [
        pytest.param([], 0, 0, None, id="none"),
        pytest.param([(1_048_576, 9 * GIB), (32_256, 9 * GIB)], 2, 1, "sda2 at byte 32256", id="one of two"),
        pytest.param([(4096, GIB)], 1, 0, None, id="on a block"),
        pytest.param([(256_901_120 - 512, 1024)], 0, 0, None, id="the container of others, as Linux shows it"),
        pytest.param([(32_256, GIB - 512)], 0, 0, None, id="just too small to count"),
        pytest.param([(32_256, None)], 1, 1, "sda1 at byte 32256", id="of no known size"),
        pytest.param([(None, 9 * GIB), (32_256, 9 * GIB)], 2, None, "sda2 at byte 32256", id="not said of one"),
    ],
)
def test_partitions_count_where_they_are_large(
    parts: list[tuple[int | None, int | None]], partitions: int, misaligned: int | None, names: str | None
) -> None:
    row = disk(*parts)
    assert (row["partitions"], row["misaligned_partitions"], row["misaligned_names"]) == (partitions, misaligned, names)


@pytest.mark.parametrize(
    ("driver", "model", "is_virtual"),
    [
        ("vmw_pvscsi", "Virtual disk", True),
        ("lsi_sas", "VMware Virtual disk SCSI Disk Device", True),
        ("iscsi_tcp", "Virtual disk", False),  # of another hypervisor's array
        ("nvme", "VMware Virtual NVMe Disk", False),
        ("vmw_pvscsi", "LUN C-Mode", False),
        (None, "Virtual disk", None),
        ("vmw_pvscsi", None, None),
    ],
)
def test_which_disks_are_virtual(driver: str | None, model: str | None, is_virtual: bool | None) -> None:
    assert disk(driver=driver, model=model)["is_virtual_scsi_disk"] is is_virtual


def test_what_is_set_shows_where_it_is_of_that_driver() -> None:
    assert disk(driver="pvscsi", system="windows", pvscsi_depth_set=254)["depth_set"] == 254
    assert disk(driver="lsi_sas", system="windows", pvscsi_depth_set=254)["depth_set"] is None
