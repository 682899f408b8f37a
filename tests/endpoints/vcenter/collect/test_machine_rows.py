"""Machines and their disks as vCenter describes them, into rows."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.endpoints.common.circuit import Circuit
from auditor.endpoints.vcenter.bulk.reading import GONE
from auditor.endpoints.vcenter.bulk.shapes import Backing, IoAllocation, Label, Ref, Shares, VirtualDevice
from auditor.endpoints.vcenter.collect import vms
from auditor.endpoints.vcenter.collect.vms import MachinesSeen, collect_vms, mapped_device

from .answering import ENDPOINT, REFUSED, Answers, Found, circuit, has

GUEST, GUEST_NAME, RUNNING = "config.guestId", "config.guestFullName", "guest.guestId"
DEVICES, LATENCY = "config.hardware.device", "config.latencySensitivity.level"
PATHS = ("name", "runtime.host", "runtime.powerState", "config.template", LATENCY, DEVICES, GUEST, GUEST_NAME, RUNNING)
NEEDED: dict[str, Any] = {
    "name": "web",
    "runtime.host": Ref("HostSystem", "host-1"),
    "runtime.powerState": "poweredOn",
    "config.template": False,
    DEVICES: [],
}


def machine(name: str = "vm-1", /, **values: Any) -> Any:
    return has("VirtualMachine", name, {**NEEDED, **values})


def found(*machines: Any, seen: MachinesSeen | None = None, paths: tuple[str, ...] = PATHS, **how: Any) -> Found:
    return Found(collect_vms(Answers(machines, **how).vcenter, ENDPOINT, circuit(), paths, seen))


def test_a_machine_has_its_host_state_and_guest() -> None:
    given = found(machine(**{LATENCY: "high", GUEST: "ubuntu64Guest", GUEST_NAME: "Ubuntu Linux", RUNNING: "debian12_64Guest"}))
    assert given.rows("vm") == [
        {
            "vm_id": "vm-1",
            "name": "web",
            "host_id": "host-1",
            "power_state": "poweredOn",
            "is_template": False,
            "latency_sensitivity": "high",
            "disks_read": True,
            "guest_id": "ubuntu64Guest",
            "guest_full_name": "Ubuntu Linux",
            "running_guest_id": "debian12_64Guest",
        }
    ]
    assert (given.gaps, given.complete) == ([], {"/vms": True})


@pytest.mark.parametrize(
    ("values", "missing", "paths", "running"),
    [
        pytest.param({}, {}, PATHS, "", id="VMware Tools report none"),
        pytest.param({RUNNING: ""}, {}, PATHS, "", id="an empty one"),
        pytest.param({}, {RUNNING: "NoPermission"}, PATHS, None, id="not read"),
        pytest.param({}, {}, PATHS[:-1], None, id="not requested"),
    ],
)
def test_a_guest_that_was_not_read_may_be_any(values: Any, missing: Any, paths: tuple[str, ...], running: str | None) -> None:
    given = found(has("VirtualMachine", "vm-1", {**NEEDED, GUEST: "", GUEST_NAME: "", **values}, missing), paths=paths)
    [row] = given.rows("vm")
    assert (row.get("running_guest_id"), row.get("guest_id"), row.get("guest_full_name")) == (running, None, None)
    assert given.gaps == ([(f"{RUNNING} of virtual machine web", "NoPermission")] if missing else [])


def controller(kind: str, key: int, bus: int | None = 0) -> VirtualDevice:
    return VirtualDevice(type_name=kind, key=key, bus_number=bus)


def disk(key: int, controller_key: int | None, **more: Any) -> VirtualDevice:
    return VirtualDevice(type_name="VirtualDisk", key=key, controller_key=controller_key, **more)


def test_a_disk_has_its_place_size_limit_and_backing() -> None:
    backing = Backing(
        datastore=Ref("Datastore", "datastore-1"), thin_provisioned=True, eagerly_scrub=False, backing_object_id="rfc4122.1",
        file_name="[fast] web/web.vmdk", compatibility_mode="physicalMode", lun_uuid="0200060000624A93705A1F77C29B3E4D1000011010466C617368",
    )  # fmt: skip
    allocation = IoAllocation(limit=500, reservation=7, shares=Shares(shares=1000, level="normal"))
    devices = [
        controller("ParaVirtualSCSIController", 1000, 1),
        VirtualDevice(type_name="VirtualCdrom", key=16000, controller_key=1000),
        disk(
            2000, 1000, unit_number=3, device_info=Label(label="Hard disk 1"), backing=backing, storage_io_allocation=allocation,
            capacity_in_bytes=1 << 30, capacity_in_kb=5,
        ),
        disk(2001, None, capacity_in_kb=8, backing=Backing(backing_object_id="", compatibility_mode="", lun_uuid="0200")),
    ]  # fmt: skip
    given = found(machine(**{DEVICES: devices}))
    first, second = given.rows("vm_disk")
    assert first == {
        "vm_id": "vm-1",
        "disk": "Hard disk 1",
        "disk_key": 2000,
        "datastore_id": "datastore-1",
        "controller": "pvscsi",
        "node": "scsi1:3",
        "size_bytes": 1 << 30,
        "iops_limit": 500,
        "shares_level": "normal",
        "shares": 1000,
        "iops_reservation": 7,
        "is_thin": True,
        "is_eager_zeroed": False,
        "backing_object_id": "rfc4122.1",
        "file": "[fast] web/web.vmdk",
        "rdm_mode": "physicalMode",
        "rdm_device": "naa.624a93705a1f77c29b3e4d1000011010",
    }
    assert second == {"vm_id": "vm-1", "disk": "disk 2001", "disk_key": 2001, "size_bytes": 8192}


@pytest.mark.parametrize(
    ("kind", "bus", "unit", "name", "node"),
    [
        pytest.param("VirtualLsiLogicController", 0, 0, "lsilogic", "scsi0:0", id="the first place"),
        pytest.param("VirtualLsiLogicSASController", 2, 15, "lsilogic-sas", "scsi2:15", id="SAS"),
        pytest.param("VirtualBusLogicController", 0, 1, "buslogic", "scsi0:1", id="BusLogic"),
        pytest.param("VirtualNVMEController", 1, 4, "nvme", "nvme1:4", id="NVMe"),
        pytest.param("VirtualAHCIController", 0, 2, "sata", "sata0:2", id="AHCI"),
        pytest.param("VirtualIDEController", 1, 0, "ide", "ide1:0", id="IDE"),
        pytest.param("VirtualNVMEController", None, 4, "nvme", None, id="a bus that is not reported"),
        pytest.param("VirtualNVMEController", 1, None, "nvme", None, id="a unit that is not reported"),
        pytest.param("VirtualNewController", 1, 4, None, None, id="a controller nobody knows"),
    ],
)
def test_the_node_of_a_disk_is_its_controllers_bus_and_its_unit(
    kind: str, bus: int | None, unit: int | None, name: str | None, node: str | None
) -> None:
    given = found(
        machine(**{DEVICES: [controller("ParaVirtualSCSIController", 7), controller(kind, 5, bus), disk(2000, 5, unit_number=unit)]})
    )
    [row] = given.rows("vm_disk")
    assert (row.get("controller"), row.get("node"), row.get("size_bytes")) == (name, node, None)


@pytest.mark.parametrize(("limit", "expected"), [(-1, None), (0, None), (1, 1), (None, None)])
def test_a_limit_of_minus_one_is_none(limit: int | None, expected: int | None) -> None:
    [row] = found(machine(**{DEVICES: [disk(2000, None, storage_io_allocation=IoAllocation(limit=limit, reservation=0))]})).rows("vm_disk")
    assert (row.get("iops_limit"), row.get("iops_reservation"), row.get("shares")) == (expected, None, None)


def test_what_the_api_lets_a_machine_be_without_is_no_gap_and_what_it_needs_is() -> None:
    given = found(has("VirtualMachine", "vm-1", {}, {"config.template": "NoPermission"}))
    assert given.gaps == [
        (f"name, runtime.host, runtime.powerState, {DEVICES} of virtual machine vm-1", "vCenter does not report it"),
        ("config.template of virtual machine vm-1", "NoPermission"),
    ]
    assert given.rows("vm") == [{"vm_id": "vm-1", "name": "vm-1", "disks_read": False, "running_guest_id": ""}]
    assert given.complete == {"/vms": False}  # it may be on any host


def test_a_machine_whose_disks_are_not_reported_is_a_gap_of_its_own() -> None:
    values = {path: value for path, value in NEEDED.items() if path != DEVICES}
    given = found(has("VirtualMachine", "vm-1", values))
    assert ([row["disks_read"] for row in given.rows("vm")], given.complete) == ([False], {"/vms": True})
    assert [what for what, _ in given.gaps] == [f"{DEVICES} of virtual machine web"]


def test_a_machine_that_was_removed_meanwhile_is_no_hole_and_one_that_is_refused_is() -> None:
    gone = has("VirtualMachine", "vm-2", {}, dict.fromkeys(PATHS, GONE))
    given = found(machine(), gone)
    assert ([row["vm_id"] for row in given.rows("vm")], given.gaps, given.complete) == (["vm-1"], [], {"/vms": True})
    given = found(machine("vm-1"), machine("vm-2"), refused=[Ref("VirtualMachine", "vm-9")])
    assert given.rows("vm")[-1] == {"vm_id": "vm-9", "name": "vm-9", "disks_read": False}
    assert (given.gaps, given.complete) == ([("virtual machine vm-9", "refused")], {"/vms": False})


def test_hosts_that_were_not_requested_leave_machines_complete() -> None:
    given = found(has("VirtualMachine", "vm-1", {"name": "web"}), paths=("name",))
    assert (given.gaps, given.complete) == ([], {"/vms": True})


def test_what_is_not_complete_stays_so() -> None:
    first = has("VirtualMachine", "vm-1", {path: value for path, value in NEEDED.items() if path != "runtime.host"})
    seen = MachinesSeen()
    assert found(first, machine("vm-2"), seen=seen).complete == {"/vms": False}
    assert not seen.complete


def test_running_machines_with_a_disk_are_noted_and_which_are_on_short_controllers() -> None:
    lsi = [controller("VirtualLsiLogicController", 1), disk(2000, 1)]
    pvscsi = [controller("ParaVirtualSCSIController", 1), disk(2000, 1)]
    seen = MachinesSeen(lost=frozenset({"host-9"}))
    unread = {path: value for path, value in NEEDED.items() if path not in (DEVICES, "runtime.host", "runtime.powerState")}
    given = found(
        machine("vm-1", **{DEVICES: [*pvscsi, *lsi]}),
        machine("vm-2", **{DEVICES: pvscsi}),
        machine("vm-3", **{DEVICES: lsi, "runtime.powerState": "poweredOff"}),
        machine("vm-4", **{DEVICES: lsi, "runtime.host": Ref("HostSystem", "host-9")}),
        has("VirtualMachine", "vm-5", {**unread, DEVICES: lsi}),
        has("VirtualMachine", "vm-6", unread),
        machine("vm-7", **{DEVICES: [controller("VirtualLsiLogicController", 1)]}),
        has("VirtualMachine", "vm-8", {}, dict.fromkeys(PATHS, GONE)),
        seen=seen,
        paths=("name",),
    )
    assert given.gaps == []
    assert [ref.value for ref in seen.refs] == ["vm-1", "vm-2", "vm-5", "vm-6"]  # vm-7 has no disk
    assert seen.limited == {"vm-1", "vm-5"}
    assert seen.host_of == dict.fromkeys(("vm-1", "vm-2"), "host-1")
    assert seen.complete


def test_a_list_that_is_refused_is_a_gap() -> None:
    given = found(lists={"VirtualMachine": REFUSED})
    assert (given.gaps, given.complete) == ([("the list of virtual machines", "refused")], {"/vms": False})
    opened = Circuit(1)
    opened.opened_by = REFUSED
    assert Found(collect_vms(Answers([machine()]).vcenter, ENDPOINT, opened, PATHS)).complete == {"/vms": False}


def test_rows_are_handed_on_in_batches_and_none_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vms, "_MACHINES_A_BATCH", 2)
    given = found(*(machine(f"vm-{number}", **{DEVICES: [disk(2000, None)]}) for number in range(5)))
    assert [row["vm_id"] for row in given.rows("vm")] == [row["vm_id"] for row in given.rows("vm_disk")] == [f"vm-{n}" for n in range(5)]
    assert given.batches == ["vm", "vm_disk", "vm", "vm_disk", "vm", "vm_disk", "reading"]


def test_a_mapped_device_is_named_by_its_identifier() -> None:
    digits = "624A93705A1F77C29B3E4D1000011010"
    assert mapped_device(f"vml.0200060000{digits}466C617368") == f"naa.{digits.lower()}"
    assert mapped_device(f"0100060000{digits}466C617368") is None


def test_a_power_state_that_the_api_does_not_list_is_unknown_and_the_machine_is_asked_for_its_load() -> None:
    seen = MachinesSeen()
    given = found(machine(**{"runtime.powerState": "hibernated", DEVICES: [VirtualDevice(type_name="VirtualDisk")]}), seen=seen)
    assert given.rows("vm")[0].get("power_state") is None
    assert given.gaps == [("power state of virtual machine web", "is 'hibernated', which is not known")]
    assert seen.refs == [Ref("VirtualMachine", "vm-1")]
