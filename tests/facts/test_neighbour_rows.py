"""What the neighbours of a throttled disk wait: each by its own machine, and the mean over all only where none of them was measured."""

from collections.abc import Callable
from typing import Any

import pytest

from .fleets import Facts, view
from .test_answer_view import shared_endpoint

NEW = ("neighbours", "is_measured_singly", "who_waits", "neighbour_wait_ms", "neighbour_wait_ms_at_most")


def measured(**latencies: float | None) -> Facts:
    """`noisy` is at twice its ceiling; it and `calm` and `third` run on the first host, each counted by its machine as given."""
    given = shared_endpoint()
    given["vm"].append({"vm_id": "third", "name": "third", "host_id": "host-1", "disks_read": True})
    given["vm_disk"].append({"vm_id": "third", "disk": "Hard disk 1", "backing_object_id": "rfc4122.id-third"})
    given["array_volume"].append({**given["array_volume"][0], "name": "third", "volume_id": "third", "vvol_id": "id-third"})
    given["array_volume_load"].append({"endpoint": "sf", "volume_id": "third", "utilization": 0.2})
    given["vvol_binding"].append({"endpoint": "sf", "binding_id": "third", "vvol_id": "id-third", "protocol_endpoint_id": "pe-1"})
    for vm in given["vm"]:
        vm["power_state"] = "poweredOn"
    for disk in given["vm_disk"]:
        disk["node"] = "scsi0:0"
    given["vm_disk_load"] = [
        {"vm_id": vm, "node": "scsi0:0", "samples": 15, "latency_ms": latency, "commands_per_second": 40.0}
        for vm, latency in latencies.items()
    ]
    return given


def first(given: Facts) -> tuple[Any, ...]:
    row = view("device_answer", given)[0]
    assert (row["host"], row["busiest_disk"], row["davg_median_ms"]) == ("esx-1", "noisy Hard disk 1", 306.0)
    return tuple(row[column] for column in NEW)


@pytest.mark.long
def test_the_neighbour_that_waits_longest_is_named_and_the_throttled_disks_own_wait_is_nobody_elses() -> None:
    assert first(measured(noisy=1500.0, calm=0.9, third=1.5)) == (2, True, "third Hard disk 1", 1.5, 1.5)
    assert first(measured(noisy=0.1, calm=324.0, third=1.5)) == (2, True, "calm Hard disk 1", 324.0, 324.0)


def test_without_a_neighbour_that_was_measured_the_mean_is_what_is_left_and_says_so() -> None:
    who = "the mean over all 3 disks (none was measured by itself),"
    assert first(measured(noisy=1500.0)) == (2, False, who, 306.0, None)
    assert first(measured()) == (2, False, who, 306.0, None)


def test_one_neighbour_that_was_not_measured_leaves_open_that_nobody_waits() -> None:
    assert first(measured(noisy=1500.0, calm=0.9)) == (2, True, "calm Hard disk 1", 0.9, None)
    assert first(measured(noisy=1500.0, calm=324.0)) == (2, True, "calm Hard disk 1", 324.0, None)


def _own_ceiling(given: Facts) -> None:
    given["array_volume_load"][-1]["utilization"] = 1.0


def _limit_on_the_host(given: Facts) -> None:
    given["vm_disk"][-1]["iops_limit"] = 100


@pytest.mark.parametrize("held", [_own_ceiling, _limit_on_the_host])
def test_what_a_disk_waits_that_has_a_limit_of_its_own_may_be_that_limits(held: Callable[[Facts], None]) -> None:
    given = measured(noisy=1500.0, calm=0.9, third=200.0)
    held(given)
    assert first(given) == (2, True, "calm Hard disk 1", 0.9, 200.0)


def _without_latency(given: Facts) -> None:
    for load in given["vm_disk_load"]:
        load["latency_ms"] = None


def _without_nodes(given: Facts) -> None:
    for disk in given["vm_disk"]:
        disk["node"] = None


@pytest.mark.parametrize("lose", [_without_latency, _without_nodes])
def test_a_lost_figure_is_not_a_disk_that_nobody_measured(lose: Callable[[Facts], None]) -> None:
    given = measured(noisy=1500.0, calm=0.9, third=1.5)
    lose(given)
    assert first(given) == (2, True, None, None, None)


def test_a_neighbour_that_is_off_waits_for_nothing() -> None:
    given = measured(noisy=1500.0)
    for vm in given["vm"]:
        vm["power_state"] = "poweredOn" if vm["name"] == "noisy" else "poweredOff"
    assert first(given) == (0, True, None, None, 0.0)


@pytest.mark.parametrize("latencies", [{}, {"noisy": 1500.0, "calm": 324.0, "third": 1.5}], ids=["none measured", "all measured"])
def test_where_not_all_disks_are_known_nothing_is_said_of_neighbours(latencies: dict[str, float]) -> None:
    given = measured(**latencies)
    given["reading"] = [row for row in given["reading"] if row["topic"] != "volume_load"]
    assert [view("device_answer", given)[0][column] for column in NEW] == [None] * 5
