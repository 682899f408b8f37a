"""What is known of a queue settles a verdict about it, whatever was not read; the guest decides how deep its disks are."""

from collections.abc import Callable
from typing import Any

import pytest

from auditor.model import EndpointKind
from tests.facts.fleets import Facts, array, hosts, on_all_hosts, seen, view
from tests.facts.judged import judged

ELEMENT_PE = "naa.6f47acc2000000017366707200000000"
PURE_PE = "naa.624a93705a1f77c29b3e4d1000011010"
HEADROOM, THROTTLE, DEFAULT, DRIVER = (
    "vvol/pe-dsnro-headroom",
    "qos/shared-queue-throttle",
    "vvol/pe-default-option",
    "queue/driver-depth",
)
WINDOWS = {"power_state": "poweredOn", "guest_id": "windows2019srv_64Guest", "running_guest_id": ""}
LINUX = {"power_state": "poweredOn", "guest_id": "rhel9_64Guest", "running_guest_id": ""}


def incident_s0(dsnro: int | None = 32, depth: int | None = 256, *, kind: EndpointKind = EndpointKind.ELEMENT) -> Facts:
    """S0: a capped virtual volume of a Windows machine and a neighbour behind the only protocol endpoint; docs/domain/incidents.md#s0."""
    given = hosts(1)
    device, family = (ELEMENT_PE, "solidfire") if kind is EndpointKind.ELEMENT else (PURE_PE, "flasharray")
    on_all_hosts(given, seen(device, family, is_protocol_endpoint=True, queue_depth=depth))
    given["device_scheduling"] = [{"host_id": "host-1", "device": device, "dsnro": dsnro}]
    given["hba"] = [{"host_id": "host-1", "hba": "vmhba64", "driver": "iscsi_vmk", "kind": "iscsi"}]
    given["path"] = [{"host_id": "host-1", "device": device, "hba": "vmhba64", "path": "p", "state": "active"}]
    given["host_module"] = [{"host_id": "host-1", "module": "iscsi_vmk", "loaded": True, "option_string": ""}]
    given["host"][0]["version"] = "8.0.2"
    array(given, "array", kind, {"name": "bronze", "is_virtual": True, "vvol_id": "vvol-1", "qos_max_iops": 1000})
    given["array_protocol_endpoint"] = [{"endpoint": "array", "protocol_endpoint_id": "1", "device": device, "state": "Active"}]
    given["datastore"] = [{"datastore_id": "ds", "name": "container", "type": "VVOL"}]
    given["vvol_mount"] = [{"datastore_id": "ds", "host_id": "host-1", "device": device}]
    given["vm"], given["vm_disk"] = [], []
    machine(given, "noisy", backing_object_id="rfc4122.vvol-1")
    return given


def machine(given: Facts, name: str, guest: dict[str, Any] | None = None, **disk: Any) -> None:
    """One more machine with a PVSCSI disk on the datastore; Windows, and running, unless given otherwise."""
    given["vm"].append({"vm_id": name, "name": name, "host_id": "host-1", "is_template": False, "disks_read": True, **(guest or WINDOWS)})
    own = {"vm_id": name, "disk": "Hard disk 1", "datastore_id": "ds", "controller": "pvscsi", **disk}
    given["vm_disk"].append(own)


def verdict(rule: str, given: Facts, **params: Any) -> str:
    [one] = set(judged(rule, given, **params).values())
    return one


def unread_machine(given: Facts) -> None:
    given["vm"].append({"vm_id": "dark", "name": "dark", "host_id": "host-1", "disks_read": False, "power_state": "poweredOn"})


def unread_topic(topic: str) -> Callable[[Facts], None]:
    def change(given: Facts) -> None:
        given["reading"] = [row for row in given["reading"] if row["topic"] != topic]

    return change


ADDED = [
    pytest.param(lambda given: machine(given, "off", {**WINDOWS, "power_state": "poweredOff"}, controller="nvme"), id="NVMe, powered off"),
    pytest.param(lambda given: machine(given, "nvme", controller="nvme"), id="NVMe, running"),
    pytest.param(lambda given: machine(given, "odd", controller=None), id="a controller nobody knows"),
    pytest.param(lambda given: machine(given, "guest", {"power_state": "poweredOn"}), id="a guest nobody reports"),
    pytest.param(unread_machine, id="a machine whose disks were not read"),
    pytest.param(unread_topic("vms"), id="machines not read whole"),
    pytest.param(lambda given: machine(given, "linux", LINUX), id="a deeper guest"),
]


@pytest.mark.parametrize("rule", [HEADROOM, THROTTLE, DRIVER])
@pytest.mark.parametrize("add", ADDED)
def test_a_queue_too_short_for_what_is_known_fails_whatever_else_there_may_be(rule: str, add: Callable[[Facts], None]) -> None:
    given = incident_s0(dsnro=32)
    add(given)
    assert verdict(rule, given) == "fail"


@pytest.mark.parametrize(
    ("dsnro", "depth", "expected"),
    [
        pytest.param(None, 128, "fail", id="the device's own queue is too short, whatever DSNRO is"),
        pytest.param(32, None, "fail", id="DSNRO is too short, whatever the device takes"),
        pytest.param(None, 256, "unknown", id="DSNRO decides, and was not read"),
        pytest.param(256, None, "unknown", id="the device decides, and does not tell"),
        pytest.param(256, 256, "pass", id="both hold four disks of 64"),
        pytest.param(None, None, "unknown", id="neither was read"),
    ],
)
@pytest.mark.parametrize("rule", [HEADROOM, THROTTLE])
def test_one_side_of_a_queue_settles_a_failure_and_both_a_pass(rule: str, dsnro: int | None, depth: int | None, expected: str) -> None:
    assert verdict(rule, incident_s0(dsnro, depth)) == expected


@pytest.mark.parametrize(
    ("guest", "disk", "expected"),
    [
        pytest.param({**WINDOWS, "power_state": "poweredOff"}, {"controller": "nvme"}, "pass", id="off, it sends nothing"),
        pytest.param({**LINUX, "power_state": "suspended"}, {}, "pass", id="suspended, it sends nothing"),
        pytest.param({**LINUX, "power_state": "poweredOff", "is_template": True}, {}, "pass", id="a template"),
        pytest.param({**LINUX, "power_state": None}, {}, "unknown", id="whether it runs was not read"),
        pytest.param(WINDOWS, {"controller": "nvme"}, "unknown", id="NVMe has no bound"),
        pytest.param(WINDOWS, {"controller": "sata"}, "pass", id="SATA sends 32 at most"),
        pytest.param(WINDOWS, {"controller": "ide"}, "pass", id="IDE sends one"),
        pytest.param(WINDOWS, {"controller": "buslogic"}, "pass", id="BusLogic sends 64 at most"),
        pytest.param(LINUX, {}, "fail", id="254 of a current Linux"),
        pytest.param(
            {"power_state": "poweredOn", "guest_id": "ubuntu64Guest", "running_guest_id": ""}, {}, "unknown", id="64 to 254 of any Linux"
        ),
        pytest.param({"power_state": "poweredOn"}, {}, "unknown", id="64 to 254 of a guest nobody reports"),
        pytest.param({**LINUX, "running_guest_id": "windows9Server64Guest"}, {}, "pass", id="Tools report what runs"),
        pytest.param({**WINDOWS, "running_guest_id": "otherLinux64Guest"}, {}, "unknown", id="some Linux in a machine made for Windows"),
        pytest.param({**WINDOWS, "running_guest_id": None}, {}, "unknown", id="what runs was not read, made for Windows"),
        pytest.param({**LINUX, "running_guest_id": None}, {}, "unknown", id="what runs was not read, made for a Linux of today"),
        pytest.param({**WINDOWS, "running_guest_id": "other6xLinux64Guest"}, {}, "fail", id="Tools report a Linux of today"),
        pytest.param(
            {
                "power_state": "poweredOn",
                "guest_id": "otherGuest64",
                "running_guest_id": "",
                "guest_full_name": "Microsoft Windows Server 2025 (64-bit)",
            },
            {},
            "pass",
            id="Windows by its name alone",
        ),
    ],
)
@pytest.mark.parametrize("rule", [HEADROOM, THROTTLE])
def test_a_queue_of_four_times_64_passes_only_where_no_guest_that_runs_can_send_more(
    rule: str, guest: dict[str, Any], disk: dict[str, Any], expected: str
) -> None:
    given = incident_s0(dsnro=256)
    machine(given, "other", guest, **disk)
    assert verdict(rule, given) == expected


@pytest.mark.parametrize("rule", [HEADROOM, THROTTLE])
def test_a_machine_whose_host_is_not_reported_may_be_the_deepest_anywhere(rule: str) -> None:
    given = incident_s0(dsnro=256)
    machine(given, "linux", LINUX)
    given["vm"][-1]["host_id"] = None
    assert verdict(rule, given) == "unknown"


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        pytest.param(129, "fail", id="more than half of the adapter's by itself"),
        pytest.param(128, "unknown", id="half of it, and the other may have more"),
    ],
)
def test_an_adapter_is_judged_by_the_deepest_device_that_tells(depth: int, expected: str) -> None:
    given = incident_s0(depth=depth)
    on_all_hosts(given, seen("naa.6f47acc100000001", "solidfire", queue_depth=None))
    given["path"].append({**given["path"][0], "device": "naa.6f47acc100000001"})
    given["adapter_load"] = [{"host_id": "host-1", "hba": "vmhba64", "queue_depth": 256, "queued": 0.0}]
    assert verdict("queue/adapter-oversubscription", given) == expected


def test_a_fleet_may_say_how_deep_its_guests_are_set() -> None:
    given = incident_s0(dsnro=256)
    machine(given, "linux", LINUX)
    assert verdict(HEADROOM, given, disk_depth=64) == verdict(THROTTLE, given, disk_depth=64) == "pass"
    assert verdict(HEADROOM, given, disk_depth=65) == "fail"


@pytest.mark.parametrize(
    ("add", "options", "expected"),
    [
        pytest.param(unread_machine, "iscsivmk_LunQDepth=256", "pass", id="no deeper queue is ever asked for"),
        pytest.param(unread_machine, "iscsivmk_LunQDepth=192", "fail", id="too short for what was read"),
        pytest.param(lambda given: given["vm_disk"][0].update(controller="sata"), "", "pass", id="the default holds four of 32"),
        pytest.param(lambda given: given["vm_disk"][0].update(controller="buslogic"), "", "unknown", id="four of 1, or of 64"),
    ],
)
def test_a_drivers_depth_is_judged_by_the_bounds_of_the_disks(add: Callable[[Facts], None], options: str, expected: str) -> None:
    given = incident_s0()
    given["host_module"][0]["option_string"] = options
    add(given)
    assert verdict(DRIVER, given) == expected


@pytest.mark.parametrize(("option", "expected"), [("256", "pass"), ("1024", "pass"), ("255", "fail"), ("32", "fail"), (None, "unknown")])
def test_an_owners_larger_default_for_new_endpoints_is_no_drift(option: str | None, expected: str) -> None:
    given = incident_s0()
    if option:
        given["host_option"] = [{"host_id": "host-1", "key": "Scsi.ScsiVVolPESNRO", "value": option, "value_type": "long"}]
    assert verdict(DEFAULT, given) == expected


@pytest.mark.parametrize(
    ("version", "option", "expected"),
    [
        pytest.param("7.0.1", "128", "pass", id="as 7.0 U1 installs it"),
        pytest.param("7.0.1", "32", "fail", id="less than any release installs"),
        pytest.param("8.0.2", "128", "fail", id="less than 8.0 installs"),
        pytest.param("8.0.2", "256", "pass", id="as 8.0 installs it"),
    ],
)
def test_where_no_source_asks_for_more_the_releases_own_default_is_enough(version: str, option: str, expected: str) -> None:
    given = incident_s0(kind=EndpointKind.FLASHARRAY)
    given["host"][0]["version"] = version
    given["host_option"] = [{"host_id": "host-1", "key": "Scsi.ScsiVVolPESNRO", "value": option, "value_type": "long"}]
    assert verdict(DEFAULT, given) == expected


def test_s0s_lesson_holds_for_a_volume_group_of_a_flasharray_behind_one_endpoint() -> None:
    given = incident_s0(kind=EndpointKind.FLASHARRAY)
    given["array_volume"][0].update(qos_max_iops=None, qos_group_id="vg", qos_group="vvol-noisy-vg", qos_group_max_iops=1000)
    assert verdict(HEADROOM, given) == verdict(THROTTLE, given) == "fail"
    [row] = view("protocol_endpoint", given)
    assert (row["is_deepened"], row["keeps_defaults"]) == (False, True)
    # Its vendor asks to leave the queues: the module keeps its default.
    assert verdict(DRIVER, given) == "pass"


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        pytest.param({"throttle_us": 1300}, "fail", id="its QoS held it back"),
        pytest.param({"throttle_us": 0}, "not_applicable", id="its QoS did not"),
        pytest.param({}, "unknown", id="not reported"),
    ],
)
def test_a_disk_that_a_flasharray_holds_back_is_at_its_ceiling(load: dict[str, int], expected: str) -> None:
    given = incident_s0(kind=EndpointKind.FLASHARRAY)
    machine(given, "neighbour", backing_object_id="rfc4122.vvol-2")
    given["array_volume"].append(
        {**given["array_volume"][0], "name": "free", "volume_id": "free", "vvol_id": "vvol-2", "qos_max_iops": None}
    )
    loads = [{"volume_id": "bronze", **load}, {"volume_id": "free", "throttle_us": 0}]
    given["array_volume_load"] = [{"endpoint": "array", **one} for one in loads]
    given["device_load"] = [{"host_id": "host-1", "device": PURE_PE, "commands_per_second": 107.0, "davg_median_ms": 306.0}]
    assert judged("qos/host-limit-below-array-limit", given)["noisy/Hard disk 1"] == expected
    # S0's figures at the host: 107 commands a second and 306 ms, the mean of both disks, as neither was measured by itself.
    given["vm_disk"] = [{**disk, "node": "scsi0:0"} for disk in given["vm_disk"]]
    assert verdict("diag/noisy-neighbour-signature", given) == {"not_applicable": "pass"}.get(expected, expected)


def test_where_nothing_is_capped_or_a_capped_volume_stalls_nobody_the_lesson_does_not_apply() -> None:
    uncapped = incident_s0(kind=EndpointKind.FLASHARRAY)
    uncapped["array_volume"][0]["qos_max_iops"] = None
    assert verdict(HEADROOM, uncapped) == verdict(THROTTLE, uncapped) == "not_applicable"
    ontap = incident_s0()
    ontap["device"][0].update(device="naa.600a0980383034", vendor="NETAPP", model="LUN C-Mode")
    for table in ("device_scheduling", "path", "vvol_mount", "array_protocol_endpoint"):
        ontap[table][0]["device"] = "naa.600a0980383034"
    ontap["array"][0]["family"] = "ontap"
    assert verdict(HEADROOM, ontap) == verdict(THROTTLE, ontap) == "not_applicable"
