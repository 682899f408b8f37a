"""Disks of the host itself that ESXi reports as not local: behind an adapter in pass-through mode, or in vSAN."""

from typing import Any

import pytest

from .fleets import Facts, hosts, seen, view
from .judged import judged

DISK = {"vendor": "SEAGATE", "model": "ST1200MM0099", "device_type": "disk", "is_local": False}


def with_disk(given: Facts, *numbers: int, device: str = "naa.5000c500a1", transport: str = "sas", paths: int = 1, **more: Any) -> Facts:
    """These hosts see the disk by so many paths."""
    for number in numbers:
        key = {"host_id": f"host-{number}", "device": device}
        given.setdefault("device", []).append({**key, **DISK, **more})
        given.setdefault("path", []).extend(
            {**key, "hba": "vmhba2", "path": f"p{path}", "state": "active", "transport": transport} for path in range(paths)
        )
    return given


def shared(given: Facts) -> dict[str, bool | None]:
    """By host, whether its device is taken for a shared one."""
    return {row["host_id"].removeprefix("host-"): row["is_shared"] for row in view("device", given)}


def with_driver(given: Facts, driver: str) -> Facts:
    """That adapter of each host has this driver."""
    given["hba"] = [{"host_id": host["host_id"], "hba": "vmhba2", "kind": "nvme", "driver": driver} for host in given["host"]]
    return given


@pytest.mark.parametrize("transport", ["sas", "block"])
def test_a_disk_that_one_host_sees_by_one_path_within_the_server_is_its_own(transport: str) -> None:
    assert shared(with_disk(hosts(), 1, transport=transport)) == {"1": False}


@pytest.mark.parametrize(("driver", "is_shared"), [("nvme_pcie", False), ("nvmetcp", True), ("lpfc", True)])
def test_a_namespace_is_the_hosts_own_where_it_is_on_pcie(driver: str, is_shared: bool) -> None:
    given = with_disk(hosts(), 1, device="t10.NVMe", transport="nvme", vendor="NVMe", model="Dell Ent NVMe")
    assert shared(with_driver(given, driver)) == {"1": is_shared}


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(with_disk(hosts(), 1, 2), id="two hosts see it"),
        pytest.param(with_disk(hosts(), 1, paths=2), id="by two paths"),
        pytest.param(with_disk(hosts(), 1, transport="fc"), id="by a fabric"),
        pytest.param(with_disk(hosts(), 1, **{**seen("x", "eseries"), "device": "naa.600a1"}), id="an array by its inquiry"),
        pytest.param(with_disk(hosts(), 1, device="naa.60002ac000000000000000000001"), id="an array by its name"),
        pytest.param(
            with_disk(hosts(), 1) | {"declared": [{"devices": "naa.5000c500*", "model": "a JBOD"}]},
            id="an array by fleet.yaml",
        ),
    ],
)
def test_what_may_be_an_arrays_stays_a_shared_device(given: Facts) -> None:
    assert set(shared(given).values()) == {True}


def test_the_same_name_of_a_controller_on_every_host_is_a_disk_of_each() -> None:
    assert shared(with_disk(hosts(), 1, 2, device="mpx.vmhba2:C0:T0:L0")) == {"1": False, "2": False}


def test_a_disk_that_does_not_report_whether_it_is_local_is_known_by_its_path() -> None:
    assert shared(with_disk(hosts(), 1, is_local=None)) == {"1": False}
    assert shared(with_disk(hosts(), 1, is_local=None, transport="fc")) == {"1": None}


def test_whether_another_host_sees_it_is_open_until_its_cluster_was_read_unless_it_is_in_vsan() -> None:
    given = with_disk(hosts(), 1)
    given["reading"] = [row | {"complete": (row["scope"], row["topic"]) != ("host-2", "devices")} for row in given["reading"]]
    assert shared(given) == {"1": None}
    given["host"][0]["vsan_enabled"] = True
    assert shared(given) == {"1": False}


def test_the_paths_of_a_disk_are_known_to_be_one_only_where_all_were_read() -> None:
    given = with_disk(hosts(), 1)
    given["reading"] = [row | {"complete": (row["scope"], row["topic"]) != ("host-1", "paths")} for row in given["reading"]]
    assert shared(given) == {"1": True}


@pytest.mark.long
def test_no_disk_of_vsan_fails_by_its_only_path() -> None:
    given = hosts()
    for number in (1, 2):
        given["host"][number - 1]["vsan_enabled"] = True
        for disk in range(3):
            with_disk(given, number, device=f"naa.5000c500{number}{disk}")
    assert set(judged("multipath/path-count", given).values()) == {"not_applicable"}
    assert set(judged("multipath/path-count", with_disk(hosts(), 1, 2)).values()) == {"fail"}
