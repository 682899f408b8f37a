"""Every row of `step_queue_full_row`: what the adaptive queue depth of each device on each host does."""

from collections.abc import Sequence
from typing import Any

import pytest

from .single import Rows, by

HOSTS = {1: ("vc", "h1"), 2: ("vc", "h2"), 3: ("vc", "h3"), 4: ("vc-2", "h1")}
"""By number; two vCenters have a host of one id."""

OPTIONS = {
    ("vc", "h1"): {"Disk.QFullThreshold": "4", "Disk.QFullSampleSize": "32", "Disk.SchedNumReqOutstanding": "99"},
    ("vc", "h2"): {"Disk.QFullSampleSize": "0", "Disk.QFullThreshold": "many"},
    ("vc-2", "h1"): {"Disk.QFullSampleSize": "16"},
}
"""Of h3 of "vc" none was read."""

DEVICES = {1: "unlisted", 2: "listed elsewhere", 3: "with DSNRO", 4: "aside", 5: "perhaps aside", 6: "own"}


def listed(of: tuple[str, str], device: str, sample_size: int | None, threshold: int | None) -> dict[str, Any]:
    """A row of a host's own list of devices."""
    endpoint, host_id = of
    return {
        "endpoint": endpoint,
        "host_id": host_id,
        "device": device,
        "queue_full_sample_size": sample_size,
        "queue_full_threshold": threshold,
    }


def fleet(*scheduled: dict[str, Any], devices: Sequence[dict[str, Any]] = (), aside: Sequence[dict[str, Any]] = ()) -> dict[str, Rows]:
    """The hosts with their options, these devices on their lists, those that vCenter reports, and what is no disk."""
    return {
        "fact.host_option": [
            {"endpoint": endpoint, "host_id": host_id, "key": key, "value": value}
            for (endpoint, host_id), options in OPTIONS.items()
            for key, value in options.items()
        ],
        "fact.device_scheduling": [*scheduled],
        "step_host_number": [{"host_number": n, "endpoint": of, "host_id": host_id} for n, (of, host_id) in HOSTS.items()],
        "step_device_number": [{"device_number": n, "device": device} for n, device in DEVICES.items()],
        "step_device_row": [*devices],
        "step_aside": [*aside],
    }


def rows(tables: dict[str, Rows]) -> dict[tuple[Any, ...], tuple[Any, Any]]:
    """By endpoint, host and device, the sample size and the threshold in force."""
    return {
        key: (row["sample_size"], row["threshold"]) for key, row in by("step_queue_full_row", "endpoint host_id device", tables).items()
    }


def reported(host: int, device: str, dsnro: int | None) -> dict[str, Any]:
    """A device as vCenter reports it, with the DSNRO of the host's own list."""
    return {"host_number": host, "device_number": next(n for n, name in DEVICES.items() if name == device), "dsnro": dsnro}


@pytest.mark.parametrize(
    ("host", "sample_size", "threshold", "in_force"),
    [
        pytest.param(1, 64, 16, (64, 16), id="its own"),
        pytest.param(1, 1, 3, (1, 3), id="its own, the least"),
        pytest.param(1, 64, None, (64, None), id="its own, the threshold not read"),
        pytest.param(1, 0, 5, (32, 4), id="nothing of its own: the host's"),
        pytest.param(1, None, 5, (None, None), id="not read"),
        pytest.param(1, -1, 5, (None, None), id="no size that there is"),
        pytest.param(2, 0, 0, (0, None), id="the host's is off, and its threshold no number"),
        pytest.param(3, 0, 0, (None, None), id="the host's options were not read"),
        pytest.param(4, 0, 0, (16, None), id="a host of the same id in another vCenter"),
    ],
)
def test_a_device_that_sets_nothing_itself_goes_by_the_options_of_its_host(
    host: int, sample_size: int | None, threshold: int | None, in_force: tuple[int | None, int | None]
) -> None:
    assert rows(fleet(listed(HOSTS[host], "d", sample_size, threshold))) == {(*HOSTS[host], "d"): in_force}


def test_a_device_that_the_list_of_its_host_does_not_name_is_unknown() -> None:
    found = rows(
        fleet(
            listed(HOSTS[2], "listed elsewhere", 8, 2),
            listed(HOSTS[4], "listed elsewhere", 9, 3),
            listed(HOSTS[1], "own", 64, 16),
            devices=[
                reported(1, "unlisted", None),
                reported(1, "listed elsewhere", None),
                reported(1, "own", None),
                reported(1, "with DSNRO", 32),  # it has that from the list, so the list names it
                reported(3, "unlisted", None),
            ],
        )
    )
    assert found == {
        ("vc", "h1", "unlisted"): (None, None),
        ("vc", "h1", "listed elsewhere"): (None, None),
        ("vc", "h2", "listed elsewhere"): (8, 2),
        ("vc-2", "h1", "listed elsewhere"): (9, 3),
        ("vc", "h1", "own"): (64, 16),
        ("vc", "h3", "unlisted"): (None, None),
    }


def no_disk(host: int, device: str, **certain: bool | None) -> dict[str, Any]:
    """A row of what is no disk, or is detached; `is_aside` is None where it may be a disk."""
    endpoint, host_id = HOSTS[host]
    return {"endpoint": endpoint, "host_id": host_id, "device": device, "is_aside": True, **certain}


def test_what_is_no_disk_is_left_out_and_of_what_may_be_none_nothing_is_known() -> None:
    names = [("aside", 5), ("perhaps aside", 6)]
    sure = [no_disk(1, "aside"), no_disk(3, "aside")]
    unsure = [no_disk(1, "perhaps aside", is_aside=None), no_disk(1, "another", is_aside=None), no_disk(3, "perhaps aside", is_aside=None)]
    found = rows(
        fleet(
            *(listed(HOSTS[host], device, size, 7) for host in (1, 2, 4) for device, size in names),
            listed(HOSTS[1], "another", 0, 7),
            devices=[reported(3, "aside", None), reported(3, "perhaps aside", None)],
            aside=sure + unsure,
        )
    )
    assert found == {
        ("vc", "h1", "perhaps aside"): (None, None),
        ("vc", "h1", "another"): (None, None),
        ("vc", "h2", "aside"): (5, 7),
        ("vc", "h2", "perhaps aside"): (6, 7),
        ("vc-2", "h1", "aside"): (5, 7),
        ("vc-2", "h1", "perhaps aside"): (6, 7),
        ("vc", "h3", "perhaps aside"): (None, None),
    }
