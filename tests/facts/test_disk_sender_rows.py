"""Rows of `step_disk_sender`: which disks send most into a device of a host, and onto a datastore."""

from typing import Any

import pytest

from .single import of_vc, rows_over


def disk(name: str, commands: float | None, io_bytes: float | None = 4096.0, **more: Any) -> dict[str, Any]:
    place = {"host_id": "h1", "device": "naa.1", "datastore_id": "ds-1", "rdm_mode": None}
    return {
        **place,
        "resource_name": name,
        "samples": None if commands is None else 15,
        "commands_per_second": commands,
        "io_bytes": io_bytes,
    } | more


def senders(*disks: dict[str, Any]) -> dict[tuple[str, str], str]:
    return {(row["kind"], row["place"]): row["busiest_disks"] for row in rows_over("step_disk_sender", {"disk_stream": of_vc(*disks)})}


def test_the_five_that_send_most_bytes_are_named_first() -> None:
    # The last has the most commands and the fewest bytes.
    found = senders(*(disk(f"web-{n}", 10.0 * n, 65536.0) for n in range(1, 6)), disk("small", 60.0, 1024.0), disk("idle", 0.0, None))
    words = (
        "web-5 (50/s, 3200 KiB/s), web-4 (40/s, 2560 KiB/s), web-3 (30/s, 1920 KiB/s), web-2 (20/s, 1280 KiB/s), web-1 (10/s, 640 KiB/s)"
    )
    assert found == {("device", "naa.1"): words, ("datastore", "ds-1"): words}


@pytest.mark.parametrize(
    ("disks", "expected"),
    [
        pytest.param([disk("a", 0.0, None)], {("device", "naa.1"): "", ("datastore", "ds-1"): ""}, id="none sends"),
        pytest.param([disk("a", 9.0), disk("b", None)], {}, id="one was not counted, and may send more"),
        pytest.param(
            [disk("a", 1.0), disk("b", None, device="naa.2", datastore_id="ds-2")],
            {("device", "naa.1"): "a (1/s, 4 KiB/s)", ("datastore", "ds-1"): "a (1/s, 4 KiB/s)"},
            id="one that was not counted is elsewhere",
        ),
        pytest.param(
            [disk("raw", 1.0, rdm_mode="physicalMode", device="naa.9")],
            {("device", "naa.9"): "raw (1/s, 4 KiB/s)"},
            id="a raw device mapping sends nothing onto the datastore of its pointer",
        ),
        pytest.param([disk("a", 1.0, device=None)], {("datastore", "ds-1"): "a (1/s, 4 KiB/s)"}, id="a share"),
    ],
)
def test_a_place_has_a_row_where_all_of_its_disks_were_counted(disks: list[dict[str, Any]], expected: dict[tuple[str, str], str]) -> None:
    assert senders(*disks) == expected


def test_disks_of_another_host_are_not_this_host_s() -> None:
    rows = rows_over("step_disk_sender", {"disk_stream": of_vc(disk("a", 1.0), disk("b", None, host_id="h2"))})
    assert {(row["host_id"], row["busiest_disks"]) for row in rows} == {("h1", "a (1/s, 4 KiB/s)")}
