"""Both sides of a wait: what the host counted, what the array says of the same volume, and who was nearest to a ceiling."""

from collections.abc import Callable
from typing import Any

import pytest

from auditor.model import EndpointKind

from .fleets import Facts, array, hosts, on_all_hosts, seen, view

pytestmark = pytest.mark.long

PE = "naa.6f47acc2000000017366707200000000"
LUN = "naa.624a93705a1f77c29b3e4d1000011011"
ELEMENT_LUN = "naa.6f47acc1000000007366707200000007"
SLOW = {"commands_per_second": 107.0, "davg_median_ms": 306.0}


def shared_endpoint() -> Facts:
    """Two hosts that see one protocol endpoint; `noisy` and `calm` run on the first and `moved` on the second, each a virtual volume."""
    given = hosts()
    on_all_hosts(given, seen(PE, "solidfire", is_protocol_endpoint=True))
    disks = {"noisy": ("host-1", 2.0), "calm": ("host-1", 0.1), "moved": ("host-2", 0.2)}
    array(given, "sf", EndpointKind.ELEMENT, *({"name": name, "is_virtual": True, "vvol_id": f"id-{name}"} for name in disks))
    given["array_protocol_endpoint"] = [{"endpoint": "sf", "protocol_endpoint_id": "pe-1", "device": PE, "state": "Active"}]
    given["vvol_binding"] = [
        {"endpoint": "sf", "binding_id": name, "vvol_id": f"id-{name}", "protocol_endpoint_id": "pe-1"} for name in disks
    ]
    given["array_volume_load"] = [{"endpoint": "sf", "volume_id": name, "utilization": full} for name, (_, full) in disks.items()]
    given["vm"] = [{"vm_id": name, "name": name, "host_id": host, "disks_read": True} for name, (host, _) in disks.items()]
    given["vm_disk"] = [{"vm_id": name, "disk": "Hard disk 1", "backing_object_id": f"rfc4122.ID-{name}"} for name in disks]
    given["device_load"] = [{"host_id": f"host-{n}", "device": PE, **SLOW} for n in (1, 2)]
    return given


def one_volume() -> Facts:
    given = hosts(1)
    on_all_hosts(given, seen(LUN, "flasharray"))
    array(given, "fa", EndpointKind.FLASHARRAY, {"name": "db", "device": LUN})
    given["array_volume_load"] = [{"endpoint": "fa", "volume_id": "db", "actual_iops": 200, "latency_us": 500, "throttle_us": 1300}]
    given["device_load"] = [{"host_id": "host-1", "device": LUN, "commands_per_second": 200.0, "davg_median_ms": 50.0}]
    return given


def test_a_disk_is_told_on_the_host_whose_queue_it_fills_and_on_no_other() -> None:
    first, second = view("device_answer", shared_endpoint())
    assert (first["host"], first["disks"], first["busiest_disk"], first["highest_utilization"]) == ("esx-1", 2, "noisy Hard disk 1", 2.0)
    assert (second["host"], second["disks"], second["busiest_disk"], second["highest_utilization"]) == (
        "esx-2",
        1,
        "moved Hard disk 1",
        0.2,
    )
    assert (first["davg_median_ms"], first["array_name"]) == (306.0, "sf")


def test_an_endpoint_behind_which_the_host_has_no_disk_has_none_at_a_ceiling() -> None:
    given = shared_endpoint()
    given["vm"] = [vm for vm in given["vm"] if vm["host_id"] == "host-1"]
    _, second = view("device_answer", given)
    assert (second["disks"], second["busiest_disk"], second["highest_utilization"]) == (0, None, 0)


def test_behind_the_only_endpoint_of_an_array_bindings_say_nothing_new_but_a_volume_without_an_id_may_be_any_disk() -> None:
    given = shared_endpoint()
    given["reading"] = [row for row in given["reading"] if row["topic"] != "bindings"]
    assert None not in {row["disks"] for row in view("device_answer", given)}
    given["array_volume"][0]["vvol_id"] = None
    assert {row["disks"] for row in view("device_answer", given)} == {None}


@pytest.mark.parametrize(
    ("endpoint", "topics"),
    [
        pytest.param("vc", {"vms"}, id="machines"),
        pytest.param("sf", {"volumes"}, id="volumes"),
        pytest.param("sf", {"bindings", "protocol_endpoints"}, id="bindings, and whether there is another endpoint"),
        pytest.param("sf", {"volume_load"}, id="what volumes were doing"),
    ],
)
def test_who_is_at_a_ceiling_is_not_known_unless_all_of_it_was_read(endpoint: str, topics: set[str]) -> None:
    given = shared_endpoint()
    for reading in given["reading"]:
        if reading.get("endpoint", "vc") == endpoint and reading["topic"] in topics:
            reading["complete"] = False
    assert {(row["disks"], row["busiest_disk"], row["highest_utilization"]) for row in view("device_answer", given)} == {(None, None, None)}


@pytest.mark.parametrize(
    ("machine", "known"),
    [
        pytest.param({"host_id": "host-1", "power_state": "poweredOn"}, False, id="of that host"),
        pytest.param({"host_id": None}, False, id="of nobody knows which host"),
        pytest.param({"host_id": "host-2", "power_state": "poweredOn"}, True, id="of another host"),
        pytest.param({"host_id": "host-1", "power_state": "poweredOff"}, True, id="that is off"),
    ],
)
def test_a_machine_whose_disks_were_not_read_may_be_the_one_at_a_ceiling(machine: dict[str, Any], known: bool) -> None:
    given = shared_endpoint()
    given["vm"].append({"vm_id": "vm-9", "name": "untold", "disks_read": False, **machine})
    first, _ = view("device_answer", given)
    assert (first["disks"], first["highest_utilization"]) == ((2, 2.0) if known else (None, None))


def test_a_virtual_volume_that_the_array_tells_nothing_of_may_be_the_one_at_a_ceiling() -> None:
    given = shared_endpoint()
    given["array_volume_load"] = [load for load in given["array_volume_load"] if load["volume_id"] != "noisy"]
    first, second = view("device_answer", given)
    assert (first["disks"], first["busiest_disk"], first["highest_utilization"]) == (2, None, None)
    assert (second["disks"], second["highest_utilization"]) == (1, 0.2)


def test_a_disk_of_a_host_of_the_same_name_in_another_vcenter_is_not_this_host_s() -> None:
    given = shared_endpoint()
    given["reading"].append({"endpoint": "vc-2", "scope": "", "topic": "vms", "complete": True})
    given["host"].append({"endpoint": "vc-2", "host_id": "host-1", "name": "esx-1"})
    given["device"].append({**given["device"][0], "endpoint": "vc-2"})
    given["device_load"].append({**given["device_load"][0], "endpoint": "vc-2"})
    assert [(row["endpoint"], row["host"], row["disks"]) for row in view("device_answer", given)] == [
        ("vc", "esx-1", 2),
        ("vc", "esx-2", 1),
        ("vc-2", "esx-1", 0),
    ]


def test_the_array_s_own_latency_counts_what_its_qos_held_back() -> None:
    [row] = view("device_answer", one_volume())
    assert (row["volume"], row["davg_median_ms"], row["array_iops"], row["array_latency_ms"]) == ("db", 50.0, 200, 1.8)


@pytest.mark.parametrize(
    ("family", "kind", "milliseconds"),
    [
        pytest.param("flasharray", EndpointKind.FLASHARRAY, None, id="a FlashArray tells it apart, and it was not read"),
        pytest.param("ontap", EndpointKind.ONTAP, 0.5, id="an ONTAP has it in its latency"),
    ],
)
def test_an_array_without_the_share_of_its_qos(family: str, kind: EndpointKind, milliseconds: float | None) -> None:
    given = hosts(1)
    on_all_hosts(given, seen(LUN, family))
    array(given, "fa", kind, {"name": "db", "device": LUN})
    given["array_volume_load"] = [{"endpoint": "fa", "volume_id": "db", "actual_iops": 200, "latency_us": 500, "throttle_us": None}]
    given["device_load"] = [{"host_id": "host-1", "device": LUN, "commands_per_second": 200.0, "davg_median_ms": 50.0}]
    [row] = view("device_answer", given)
    assert row["array_latency_ms"] == milliseconds


def test_a_lun_has_no_virtual_disks_also_where_its_array_told_of_all_there_are() -> None:
    given = shared_endpoint()
    given["device"] += [{"host_id": "host-1", **seen(ELEMENT_LUN, "solidfire")}]
    given["array_volume"] += [{"endpoint": "sf", "volume_id": "lun", "name": "lun", "device": ELEMENT_LUN, "is_virtual": False}]
    given["device_load"] += [{"host_id": "host-1", "device": ELEMENT_LUN, **SLOW}]
    [row] = [row for row in view("device_answer", given) if row["device"] == ELEMENT_LUN]
    assert (row["volume"], row["disks"], row["busiest_disk"], row["highest_utilization"]) == ("lun", None, None, None)


def _load_unread(given: Facts) -> None:
    given["array_volume_load"] = []


def _without_latency(given: Facts) -> None:
    given["array_volume_load"][0]["latency_us"] = None


def _without_time(given: Facts) -> None:
    given["array_volume_load"][0]["latency_us"] = 0


@pytest.mark.parametrize(
    "lose",
    [
        pytest.param(_load_unread, id="not read"),
        pytest.param(_without_latency, id="not told"),
        pytest.param(_without_time, id="a command that takes no time"),
    ],
)
def test_the_array_s_latency_is_not_known_where_it_was(lose: Callable[[Any], None]) -> None:
    given = one_volume()
    lose(given)
    [row] = view("device_answer", given)
    assert row["array_latency_ms"] is None


def _no_volumes(given: Facts) -> None:
    given["array_volume"] = []


def _another_array_has_it_too(given: Facts) -> None:
    array(given, "fb", EndpointKind.FLASHARRAY, {"name": "db", "device": LUN})


@pytest.mark.parametrize("lose", [pytest.param(_no_volumes, id="of none"), pytest.param(_another_array_has_it_too, id="of one of two")])
def test_a_device_of_no_array_that_is_known_has_no_second_side(lose: Callable[[Facts], None]) -> None:
    given = one_volume()
    lose(given)
    assert view("device_answer", given) == []
