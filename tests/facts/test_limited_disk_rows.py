"""Rows of `step_limited_disk`: which disks vSphere itself holds back, one by one, or by the machine on a host with the older scheduler."""

from typing import Any

import pytest

from .single import Rows, of_vc, rows_over


def disk(name: str, limit: int | None, done: float | None, vm: str = "web", *, host: str = "h1", **more: Any) -> dict[str, Any]:
    place = {"host_id": host, "device": "naa.1", "vm": vm, "vm_id": f"id of {vm}", "resource_name": f"{vm} {name}"}
    return {**place, "iops_limit": limit, "commands_per_second": done, "io_bytes": 4096, **more}


def held(*disks: dict[str, Any], options: Rows) -> list[tuple[str, str, bool]]:
    found = rows_over("step_limited_disk", {"disk_stream": of_vc(*disks), "step_option": options})
    return sorted((row["host_id"], row["limited_disks"], row["holds_back"]) for row in found)


OLDER = of_vc({"host_id": "h1", "limits_machines": True})
NEWER = of_vc({"host_id": "h1", "limits_machines": False})


@pytest.mark.parametrize("options", [NEWER, of_vc({"host_id": "h1"}), [], of_vc({"host_id": "h2", "limits_machines": True})])
def test_each_disk_has_its_own_limit(options: Rows) -> None:
    # docs/domain/facts.md#4-11: one disk at 600 of 500, one at 100 of 500
    assert held(disk("a", 500, 600), disk("b", 500, 100), options=options) == [("h1", "web a: 500 IOPS, web b: 500 IOPS", True)]


@pytest.mark.parametrize(
    ("disks", "words", "holds_back"),
    [
        pytest.param(
            [disk("a", 500, 600), disk("b", 500, 100)], "web (2 disks together): 1000 IOPS", False, id="one uses what the other leaves"
        ),
        pytest.param([disk("a", 500, 900), disk("b", 500, 50)], "web (2 disks together): 1000 IOPS", True, id="together at their limits"),
        pytest.param([disk("a", 500, 500)], "web (1 disk): 500 IOPS", True, id="the only one"),
        pytest.param([disk("a", 500, 600), disk("b", 500, None)], "web (2 disks together): 1000 IOPS", True, id="of one it is not known"),
        pytest.param(
            [disk("a", 500, 100, io_bytes=262144), disk("b", 500, 150)],
            "web (2 disks together): 1000 IOPS",
            True,
            id="large commands count more",
        ),
        pytest.param(
            [disk("a", None, 600, policy_iops_limit=600), disk("b", 500, 0)],
            "web (2 disks together): 1100 IOPS",
            False,
            id="a policy's limit",
        ),
    ],
)
def test_the_older_scheduler_counts_a_machine_s_disks_together(disks: list[dict[str, Any]], words: str, holds_back: bool) -> None:
    assert held(*disks, options=OLDER) == [("h1", words, holds_back)]


def test_the_older_scheduler_limits_nothing_where_one_disk_has_no_limit() -> None:
    assert held(disk("a", 500, 600), disk("b", None, 10), options=OLDER) == []


def test_machines_and_devices_are_counted_apart() -> None:
    beside = [disk("a", 500, 600, "other"), disk("c", None, 10, device="naa.2"), disk("a", 500, 600, "far", host="h2")]
    assert held(disk("a", 500, 100), *beside, options=OLDER) == [
        ("h1", "other (1 disk): 500 IOPS, web (1 disk): 500 IOPS", True),
        ("h2", "far a: 500 IOPS", True),
    ]
