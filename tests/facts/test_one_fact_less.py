"""One fact less leaves what rests on it as it was, or unknown: cases that the laws of tests/long/laws found."""

import pytest

from .fleets import Facts, hosts, on_all_hosts, seen, view

LOCKING = "VMFS3.HardwareAcceleratedLocking"


@pytest.mark.long
def test_an_endpoint_is_as_deep_as_all_others_only_where_every_depth_is_known() -> None:
    given = hosts(2)
    on_all_hosts(given, seen("naa.6f47acc2000000017366707200000000", "solidfire", is_protocol_endpoint=True, queue_depth=256))
    given["device_scheduling"] = [{"host_id": d["host_id"], "device": d["device"], "dsnro": 32} for d in given["device"]]
    assert [row["is_behind_cluster"] for row in view("protocol_endpoint", given)] == [False, False]
    given["device_scheduling"][1]["dsnro"] = None
    assert [row["is_behind_cluster"] for row in view("protocol_endpoint", given)] == [None, None]


@pytest.mark.parametrize(
    ("mode", "loses"),
    [
        pytest.param("ATS", True, id="the only lock"),
        pytest.param("ATS+SCSI", False, id="not the only one"),
        pytest.param(None, None, id="not known"),
    ],
)
def test_locking_is_not_lost_only_where_every_mode_of_locking_is_known(mode: str | None, loses: bool | None) -> None:
    given = hosts(1)
    given["host"][0]["vsan_enabled"] = False
    given["host_option"] = [{"host_id": "host-1", "key": LOCKING, "value": "0", "value_type": "long"}]
    given["vmfs_lockmode"] = [{"host_id": "host-1", "volume_name": "fast", "vmfs_uuid": "5f", "locking_mode": mode}]
    assert [row["loses_locking"] for row in view("vaai_option", given) if row["option"] == LOCKING] == [loses]


@pytest.mark.parametrize(
    ("values", "differs"),
    [
        pytest.param(["1", "1", "0"], [False, False, True], id="one of three"),
        pytest.param(["1", None, "0"], [None, None, None], id="one of two that are known"),
        pytest.param(["1", "0", "0", None], [True, None, None, None], id="at least as many are of the other opinion"),
    ],
)
def test_a_host_differs_from_its_cluster_whatever_the_others_would_answer(values: list[str | None], differs: list[bool | None]) -> None:
    given: Facts = hosts(len(values))
    given["host_option"] = [
        {"host_id": f"host-{number}", "key": LOCKING, "value": value, "value_type": "long"} for number, value in enumerate(values, start=1)
    ]
    assert [row["differs_from_cluster"] for row in view("vaai_option", given) if row["option"] == LOCKING] == differs


def test_a_device_that_its_hosts_own_list_does_not_name_has_no_known_adaptive_queue_depth() -> None:
    given = hosts(2)
    on_all_hosts(given, seen("naa.600a098038304437415d4b6a59684a52", "ontap", is_protocol_endpoint=False, queue_depth=64))
    own = {"queue_full_sample_size": 32, "queue_full_threshold": 8}
    given["device_scheduling"] = [{"host_id": "host-1", "device": d["device"], "dsnro": 32, **own} for d in given["device"][:1]]
    columns = ("ontap_devices", "ontap_values", "all_are_known")
    assert [tuple(row[column] for column in columns) for row in view("host_queue_full", given)] == [(1, "32/8", True), (1, None, None)]
    assert [row["queue_full_agrees"] for row in view("shared_device", given)] == [None]


def test_the_stock_queue_of_an_unknown_release_is_unknown() -> None:
    given = hosts(1)
    given["host"][0]["version"] = None
    on_all_hosts(given, seen("naa.600a098038304437415d4b6a59684a52", "ontap", is_protocol_endpoint=True))
    assert [row["stock_dsnro"] for row in view("protocol_endpoint", given)] == [None]
