"""The whole row of each device of an array: what its host waited, and which of the host's virtual disks is nearest to its ceiling."""

from collections.abc import Iterable
from typing import Any

import pytest

from auditor.model import EndpointKind

from .fleets import Facts, array, seen
from .whole_rows import Row, add, expected, host, rows_by_id, vcenter

pytestmark = pytest.mark.long


def endpoint(given: Facts, name: str, volumes: Iterable[Row], *devices: str) -> None:
    """An Element cluster with these virtual volumes, and a protocol endpoint by each of these names."""
    array(given, name, EndpointKind.ELEMENT, *({"name": row["volume_id"], "is_virtual": True, **row} for row in volumes))
    add(
        given,
        "array_protocol_endpoint",
        *({"endpoint": name, "protocol_endpoint_id": f"id of {device}", "device": device} for device in devices),
    )


def bind(given: Facts, name: str, **bound: str) -> None:
    """These virtual volumes ("_" for "-") are reached by these protocol endpoints."""
    for vvol, device in bound.items():
        key = {"endpoint": name, "vvol_id": vvol.replace("_", "-"), "protocol_endpoint_id": f"id of {device}"}
        add(given, "vvol_binding", {**key, "binding_id": vvol})


def load(given: Facts, name: str, volume_id: str, **reported: Any) -> None:
    add(given, "array_volume_load", {"endpoint": name, "volume_id": volume_id, **reported})


def machine(given: Facts, vm: str, host_id: str | None, *vvols: str, **more: Any) -> None:
    """A machine of "vc" with a disk for each of these virtual volumes."""
    add(
        given, "vm", {"endpoint": "vc", "vm_id": vm, "name": vm, "host_id": host_id, "disks_read": True, "power_state": "poweredOn", **more}
    )
    for n, vvol in enumerate(vvols, 1):
        add(given, "vm_disk", {"endpoint": "vc", "vm_id": vm, "disk": f"disk {n}", "backing_object_id": f"rfc4122.{vvol}"})


DEVICES = (
    "shared",
    "second",
    "alone",
    "nameless",
    "unbound",
    "no load",
    "unread array",
    "lun",
    "lun of nobody",
    "lun of two",
    "lun, no inquiry",
    "lun by its host",
)
SAMPLED: Row = {"commands_per_second": 107.0, "davg_ms": 9.0, "davg_median_ms": 8.0, "kavg_ms": 7.0, "gavg_ms": 6.0}


def fleet() -> Facts:
    """Hosts of all vCenters have the same ids, and volumes of all arrays."""
    given: Facts = {"reading": []}
    _arrays(given)
    for name in ("vc", "vc-2", "lost host", "no machines read", "nothing read"):
        vcenter(given, name, unread={"vms"} if name == "no machines read" else ())
        for n in range(1, 6) if name == "vc" else (1, 2):
            host(given, name, f"host-{n}", f"{name} {n}", "gold")
            for device in DEVICES if (name, n) == ("vc", 1) else ("shared",):
                _sees(given, {"endpoint": name, "host_id": f"host-{n}", "device": device})
    given["reading"] = [row for row in given["reading"] if row["endpoint"] != "nothing read" or row["scope"]]
    add(
        given,
        "device",
        {"endpoint": "vc", "host_id": "host-2", "device": "idle", "vendor": "nobody's", "model": "x", "is_protocol_endpoint": False},
    )
    machine(given, "noisy", "host-1", "id-1", "id-2", "id-22", "id-4", "id-9", "id-10")
    machine(given, "off", "host-1", disks_read=None, power_state="poweredOff")
    machine(given, "calm", "host-3", "id-3")
    machine(given, "power not read", "host-3", disks_read=False, power_state=None)
    machine(given, "not reported", "host-4", disks_read=None)
    machine(given, "twice", "host-5", "id-21", "id-7")
    machine(given, "no host", None, disks_read=False, endpoint="lost host")
    machine(given, "elsewhere", "host-2", disks_read=False, endpoint="vc-2")
    return given


def _sees(given: Facts, key: Row) -> None:
    about = seen(key["device"], "solidfire", is_protocol_endpoint=not key["device"].startswith("lun"))
    if key["device"] == "lun, no inquiry":
        about["vendor"] = None
    add(given, "device", {**about, **key, "queue_depth": 64})
    add(given, "device_scheduling", {**key, "dsnro": 32})
    add(given, "device_load", {**key, **SAMPLED})


def _arrays(given: Facts) -> None:
    shared: list[Row] = [
        {"volume_id": f"v{n}", "vvol_id": vvol}
        for n, vvol in enumerate(("ID-1", "id-2", "id-3", "id-4", "id-21", "id-21", "id-22", "id-7"))
    ]
    shared += [{"volume_id": "v8", "is_virtual": False, "device": "lun of nobody's"}]
    endpoint(given, "sf", shared, "shared", "second")
    bind(given, "sf", id_1="shared", id_2="shared", id_3="shared", id_4="second", id_21="shared", id_22="shared", id_7="shared")
    for n, use in enumerate((0.5, 2.0, 0.1, 0.7, 0.3, 0.3, 2.0)):
        load(given, "sf", f"v{n}", utilization=use, latency_us=1)
    for name, ids in (("sf-2", ("id-9", "id-10")), ("sf-2 again", (None, "id-10"))):
        endpoint(given, name, [{"volume_id": f"v{n}", "vvol_id": vvol} for n, vvol in enumerate(ids)], "alone")
        given["array"][-1]["array_id"] = "one array"
    load(given, "sf-2", "v0", utilization=0.4)
    endpoint(given, "sf-3", [{"volume_id": "v7", "vvol_id": None}], "nameless")
    endpoint(given, "sf-4", [], "unbound", "another")
    endpoint(given, "sf-5", [], "no load")
    endpoint(given, "sf-6", [], "unread array")
    endpoint(given, "sf-7", [], "lun by its host")
    lose = {("sf-4", "bindings"), ("sf-5", "volume_load")} | {
        ("sf-6", row["topic"]) for row in given["reading"] if row["endpoint"] == "sf-6"
    }
    given["reading"] = [row for row in given["reading"] if (row["endpoint"], row["topic"]) not in lose]
    array(
        given,
        "fa",
        EndpointKind.FLASHARRAY,
        {"volume_id": "v0", "name": "db", "device": "lun"},
        {"volume_id": "v1", "name": "x", "device": "lun, no inquiry"},
        {"volume_id": "v2", "name": "y", "device": "lun of two"},
        {"volume_id": "v3", "device": "idle"},
    )
    array(given, "fb", EndpointKind.FLASHARRAY, {"volume_id": "v2", "name": "y", "device": "lun of two"})
    load(given, "fa", "v0", actual_iops=200, latency_us=500, throttle_us=1300)
    load(given, "fa", "v1", actual_iops=300, latency_us=500)


FLEETS = [fleet]
USUAL: Row = {
    "endpoint": "vc",
    "cluster": "gold",
    "host": "vc 1",
    "family": "solidfire",
    "is_protocol_endpoint": True,
    "stalls_neighbours": True,
    "hosts": 1,
    "array_name": "sf",
    "volume": None,
    "queue_depth": 64,
    "dsnro": 32,
    "sampled_at": None,
    "qos_wait": None,
    **SAMPLED,
    "array_iops": None,
    "array_latency_ms": None,
    "disks": None,
    "busiest_disk": None,
    "highest_utilization": None,
    "neighbours": None,
    "is_measured_singly": None,
    "who_waits": None,
    "neighbour_wait_ms": None,
    "neighbour_wait_ms_at_most": None,
}


def row(device: str, n: int = 1, of: str = "vc", **more: Any) -> Row:
    """The row of a device on the n-th host of a vCenter."""
    where = {"endpoint": of, "host": f"{of} {n}", "resource_id": f"host-{n}/{device}", "resource_name": device, "device": device}
    shared = {"hosts": 13, "qos_wait": "behind it at their ceilings: noisy disk 2, noisy disk 3: their wait is QoS"}
    return where | (shared if device == "shared" else {}) | more


LUN: Row = {"is_protocol_endpoint": False, "array_name": "fa"}
ALONE: Row = {"neighbours": 0, "is_measured_singly": True, "neighbour_wait_ms_at_most": 0.0}
NOTHING_BUSY: Row = {"disks": 0, "highest_utilization": 0.0, **ALONE}
EXPECTED = expected(
    USUAL,
    # Of two disks at the same share of their ceilings the row has the last by name.
    row("shared", disks=3, busiest_disk="noisy disk 3", highest_utilization=2.0, neighbours=2, is_measured_singly=True),
    row("shared", 2, **NOTHING_BUSY),
    row("shared", 3),
    row("shared", 4),
    row("shared", 5, disks=2, neighbours=1, is_measured_singly=True),
    row("shared", 1, "vc-2", **NOTHING_BUSY),
    row("shared", 2, "vc-2"),
    *(row("shared", n, name) for name in ("lost host", "no machines read", "nothing read") for n in (1, 2)),
    row("second", disks=1, busiest_disk="noisy disk 4", highest_utilization=0.7, **ALONE),
    row("alone", array_name="sf-2", disks=2, neighbours=1, is_measured_singly=True),
    row("nameless", array_name="sf-3"),
    row("unbound", array_name="sf-4"),
    row("no load", array_name="sf-5"),
    row("unread array", array_name="sf-6"),
    row("lun by its host", array_name="sf-7", is_protocol_endpoint=False),
    row("lun", **LUN, volume="db", array_iops=200, array_latency_ms=1.8)
    | {"qos_wait": "held back by a ceiling that was not found: the wait is QoS"},
    row("lun, no inquiry", **LUN, volume="x", array_iops=300, array_latency_ms=None, family=None, stalls_neighbours=None),
    row("idle", 2, **LUN, family="other", stalls_neighbours=False, queue_depth=None, dsnro=None) | dict.fromkeys(SAMPLED),
)


def test_each_wait_is_told_with_what_the_array_knows_of_it() -> None:
    assert rows_by_id("device_answer", fleet()) == EXPECTED
