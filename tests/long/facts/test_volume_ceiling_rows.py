"""How near a volume is to its ceilings, whichever level has them, and whether the wait for it is QoS."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.facts.single import Rows, chained

Cells = dict[str, Any]
READ_AT = datetime(2026, 11, 21, 12, tzinfo=UTC)


THROTTLED = "held by its cluster to 60 % of its ceiling of 1,000 IOPS: the wait is QoS"


def held(family: str | None, *volumes: Cells, policies: Rows | None = None) -> dict[str, Cells]:
    """By volume, what `step_volume_load` says of it; `iops`, `bytes` and other figures of an array are its load."""
    own = {"iops": "actual_iops", "bytes": "bytes_per_second"}
    figures = {
        "actual_iops",
        "bytes_per_second",
        "utilization",
        "throttle_us",
        "scheduled_us",
        "burst_credit",
        "throttled_share",
        "average_io_bytes",
        "latency_us",
    }
    cells = [
        {"endpoint": "east", "kind": "lun", "qos_read": True, **{own.get(name, name): value for name, value in one.items()}}
        for one in volumes
    ]
    tables: dict[str, Rows] = {
        "step_volume": [{name: value for name, value in one.items() if name not in figures} for one in cells],
        "fact.array_volume_load": [
            {name: value for name, value in one.items() if name in figures or name in ("endpoint", "volume_id")}
            for one in cells
            if figures & set(one)
        ],
        "fact.array_qos_policy": [{"endpoint": "east", **one} for one in policies or []],
        "step_array": [{"endpoint": "east", "family": family}] if family is not None else [],
        "fact.reading": [
            {"endpoint": "east", "topic": "volume_load", "scope": "", "read_at": READ_AT},
            {"endpoint": "east", "topic": "volume_load", "scope": "part", "read_at": READ_AT + timedelta(hours=1)},
            {"endpoint": "east", "topic": "volumes", "scope": "", "read_at": READ_AT + timedelta(hours=2)},
            {"endpoint": "west", "topic": "volume_load", "scope": "", "read_at": READ_AT + timedelta(hours=3)},
        ],
        "step_endpoint_reading": [{"endpoint": "east", "volumes_read": True}],
    }
    steps = ("step_volume_qos", "step_curve_cost", "step_volume_ceiling")
    loads = chained("step_volume_load", tables, *steps)
    ceilings = {row["volume_id"]: row["is_countable"] for row in chained("step_volume_ceiling", tables, *steps[:2])}
    return {row["volume_id"]: row | {"is_countable": ceilings.get(row["volume_id"])} for row in loads}


def one(family: str | None, **volume: Any) -> Cells:
    return held(family, {"volume_id": "1", "name": "lun", "svm": "svm", **volume})["1"]


@pytest.mark.parametrize("family", ["ontap", "flasharray", "solidfire", "dell-sc", "eternus-dx"])
def test_a_volume_that_does_all_of_its_ceiling_is_at_it_whatever_its_family(family: str) -> None:
    curve = {"qos_curve": '{"4096": 100}', "average_io_bytes": 4096} if family == "solidfire" else {}
    row = one(family, qos_max_iops=4000, iops=4000, bytes=4000 * 4096, **curve)
    assert (row["is_at_limit"], row["qos_wait"]) == (True, "at its ceiling of 4,000 IOPS: the wait is QoS")


@pytest.mark.parametrize(
    ("volume", "is_at_limit", "wait"),
    [
        pytest.param(
            {"qos_max_iops": 4000, "iops": 3995}, True, "at its ceiling of 4,000 IOPS: the wait is QoS", id="as NetApp's KB shows"
        ),
        pytest.param({"qos_max_iops": 4000, "iops": 3800}, True, "at its ceiling of 4,000 IOPS: the wait is QoS", id="just so near"),
        pytest.param({"qos_max_iops": 4000, "iops": 3799}, False, "not held back by QoS", id="just not"),
        pytest.param(
            {"qos_max_bytes_per_second": 100 << 20, "iops": 400, "bytes": 100 << 20},
            True,
            "at its ceiling of 100.0 MiB/s: the wait is QoS",
            id="a ceiling in bytes",
        ),
        pytest.param(
            {"qos_max_iops": 4000, "qos_max_bytes_per_second": 100 << 20, "iops": 400, "bytes": 99 << 20},
            True,
            "at its ceiling of 100.0 MiB/s: the wait is QoS",
            id="large blocks reach the one in bytes first",
        ),
        pytest.param({"qos_max_iops": 4000, "qos_max_bytes_per_second": 100 << 20, "iops": 400}, None, None, id="bytes not read"),
        pytest.param({"iops": 4000}, False, "not held back by QoS", id="no ceiling"),
        pytest.param({"iops": 4000, "qos_read": False}, None, None, id="QoS not read"),
        pytest.param({"qos_max_iops": 4000, "bytes": 1}, None, None, id="rate not read"),
        pytest.param(
            {"qos_max_iops": 4000, "iops": 4000, "qos_read": False},
            True,
            "at its ceiling of 4,000 IOPS: the wait is QoS",
            id="other QoS was not read, and this is reached",
        ),
    ],
)
def test_a_rate_is_compared_with_the_ceiling_of_an_ontap(volume: Cells, is_at_limit: bool | None, wait: str | None) -> None:
    row = one("ontap", **volume)
    assert (row["is_at_limit"], row["qos_wait"]) == (is_at_limit, wait)


def test_a_ceiling_in_bytes_is_not_enforced_beside_a_floor() -> None:
    limits = {"max_iops": 4000, "max_bytes_per_second": 300_000_000}
    volume = {"volume_id": "1", "qos_policy_id": "p", "qos_shared": False, **{f"qos_{name}": value for name, value in limits.items()}}
    policies = [{"policy_id": "p", "min_iops": 200, "is_shared": False, **limits}]
    found = held("ontap", volume | {"qos_min_iops": 200, "iops": 3995, "bytes": 1_111_750_000}, policies=policies)
    assert (found["1"]["is_at_limit"], found["1"]["qos_wait"]) == (True, "at its ceiling of 4,000 IOPS: the wait is QoS")


POLICY = {"qos_policy_id": "p", "qos_policy": "gold", "qos_shared": True, "qos_max_iops": 4000}


def test_a_policy_that_its_volumes_share_is_compared_with_what_they_do_together() -> None:
    policies = [{"policy_id": "p", "is_shared": True, "volumes": 2}]
    both = [{"volume_id": n, "name": n, "svm": "svm", "bytes": 1, **POLICY} for n in ("1", "2")]
    found = held("ontap", both[0] | {"iops": 3000}, both[1] | {"iops": 1000}, policies=policies)
    wanted = "at its ceiling of 4,000 IOPS of policy gold, shared by 2 volumes: the wait is QoS"
    assert [row["qos_wait"] for row in found.values()] == [wanted, wanted]
    found = held("ontap", both[0] | {"iops": 1000}, both[1] | {"iops": 1000}, policies=policies)
    assert [row["is_at_limit"] for row in found.values()] == [False, False]


@pytest.mark.parametrize(
    ("members", "second", "is_at_limit", "is_countable"),
    [
        pytest.param(3, {"iops": 1000, "bytes": 1}, None, False, id="one member is not listed"),
        pytest.param(None, {"iops": 1000, "bytes": 1}, None, True, id="how many it has was not read"),
        pytest.param(2, {}, None, True, id="what one does was not read"),
        pytest.param(3, {"iops": 3000, "bytes": 1}, True, False, id="those that are known reach it"),
    ],
)
def test_members_that_are_not_known_leave_a_shared_ceiling_open_or_it_is_reached(
    members: int | None, second: Cells, is_at_limit: bool | None, is_countable: bool
) -> None:
    policies = [{"policy_id": "p", "is_shared": True, "volumes": members}]
    both = [{"volume_id": n, "name": n, "svm": "svm", **POLICY} for n in ("1", "2")]
    row = held("ontap", both[0] | {"iops": 1000, "bytes": 1}, both[1] | second, policies=policies)["1"]
    assert (row["is_at_limit"], row["is_countable"]) == (is_at_limit, is_countable)


def test_luns_of_a_file_system_are_together_under_its_policy_and_those_of_another_are_not() -> None:
    around = {"svm": "svm", "qos_group_id": "g", "qos_group": "volume policy", "qos_group_max_iops": 4000}
    found = held(
        "ontap",
        {"volume_id": "1", "name": "/vol/a/1", "iops": 2000, **around},
        {"volume_id": "2", "name": "/vol/a/2", "iops": 2000, **around},
        {"volume_id": "3", "name": "/vol/b/3", "iops": 2000, **around},
        policies=[{"policy_id": "g", "is_shared": False, "volumes": 2}],
    )
    together = "at its ceiling of 4,000 IOPS of volume policy, shared by 2 volumes: the wait is QoS"
    assert [row["qos_wait"] for row in found.values()] == [together, together, None]
    assert found["3"]["is_countable"] is False  # a file system holds more than its LUNs


def test_volumes_of_a_group_share_its_ceiling_and_the_nearer_of_two_is_named() -> None:
    group = {"qos_group_id": "g", "qos_group": "vg-1", "qos_group_max_iops": 4000}
    found = held(
        "dell-sc",
        {"volume_id": "1", "name": "1", "iops": 3000, "qos_max_iops": 10_000, **group},
        {"volume_id": "2", "name": "2", "iops": 1000, **group},
    )
    together = "at its ceiling of 4,000 IOPS of vg-1, shared by 2 volumes: the wait is QoS"
    assert [row["qos_wait"] for row in found.values()] == [together, together]


@pytest.mark.parametrize(
    ("volume", "is_at_limit", "wait"),
    [
        pytest.param(
            {"qos_max_iops": 4000, "iops": 900, "throttle_us": 400}, True, "at its ceiling of 4,000 IOPS: the wait is QoS", id="it delays"
        ),
        pytest.param({"qos_max_iops": 4000, "iops": 3990, "throttle_us": 0}, False, "not held back by QoS", id="it delays nothing"),
        pytest.param(
            {"qos_max_iops": 4000, "iops": 4000, "throttle_us": 0}, True, "at its ceiling of 4,000 IOPS: the wait is QoS", id="all of it"
        ),
        pytest.param(
            {"qos_group": "host esx-1", "qos_group_id": "host esx-1", "qos_group_max_iops": 4000, "iops": 9000, "throttle_us": 0},
            False,
            "not held back by QoS",
            id="a host's ceiling, and others reach the volume too",
        ),
        pytest.param(
            {"qos_group": "host esx-1", "qos_group_id": "host esx-1", "qos_group_max_iops": 4000, "iops": 900, "throttle_us": 400},
            True,
            "at its ceiling of 4,000 IOPS of host esx-1: the wait is QoS",
            id="a host's ceiling, and it delays",
        ),
    ],
)
def test_a_flasharray_says_whether_it_delays(volume: Cells, is_at_limit: bool, wait: str) -> None:
    row = one("flasharray", bytes=1, **volume)
    assert (row["is_at_limit"], row["qos_wait"]) == (is_at_limit, wait)


BURST = {"qos_max_iops": 1000, "qos_burst_iops": 2000}


@pytest.mark.parametrize(
    ("volume", "is_at_limit", "wait"),
    [
        pytest.param(
            {"utilization": 2.0, "burst_credit": 9},
            True,
            "at the burst above its ceiling of 1,000 IOPS: the wait is QoS",
            id="at its burst",
        ),
        pytest.param({"utilization": 1.5, "burst_credit": 9}, False, "not held back by QoS", id="it spends credits"),
        pytest.param({"utilization": 1.0, "burst_credit": 0}, True, "at its ceiling of 1,000 IOPS: the wait is QoS", id="no credits left"),
        pytest.param({"utilization": 1.5}, None, None, id="credits not read"),
        pytest.param({"utilization": 0.99, "burst_credit": 0}, False, "not held back by QoS", id="below it"),
        pytest.param(
            {"utilization": 1.0, "qos_burst_iops": 1000}, True, "at its ceiling of 1,000 IOPS: the wait is QoS", id="a burst that is none"
        ),
        # NetApp KB, "How the per-volume throttle value gets calculated": 1 - target / maximum; the target falls for the minimums of others,
        # or for re-replication, transient errors and snapshots (solidfire-sdk-python, VolumeStats.throttle).
        pytest.param(
            {"utilization": 0.6, "burst_credit": 9, "throttled_share": 0.4}, True, THROTTLED, id="held to 60 % of it by its cluster"
        ),
        pytest.param({"utilization": 0.5, "burst_credit": 9, "throttled_share": 0.4}, False, "not held back by QoS", id="below those 60 %"),
        pytest.param({"utilization": 0.6, "throttled_share": 0.0}, False, "not held back by QoS", id="not held by it"),
        pytest.param(
            {"utilization": 1.5, "burst_credit": 9, "throttled_share": 0.01},
            False,
            "not held back by QoS",
            id="above its ceiling on its credits",
        ),
        pytest.param(
            {"utilization": 2.0, "burst_credit": 9, "throttled_share": 0.4},
            True,
            "at the burst above its ceiling of 1,000 IOPS: the wait is QoS",
            id="at its burst, so not below its ceiling",
        ),
        pytest.param(
            {"utilization": 1.0, "burst_credit": 0, "throttled_share": 0.0003},
            True,
            "held by its cluster to 99.97 % of its ceiling of 1,000 IOPS: the wait is QoS",
            id="held to a little less",
        ),
        pytest.param({"utilization": 0.0, "throttled_share": 1.0}, False, "not held back by QoS", id="nothing is sent to it"),
        pytest.param({"utilization": 0.97, "throttled_share": 0.0}, False, "not held back by QoS", id="not held by it, near its ceiling"),
        pytest.param(
            {"utilization": 1.0, "burst_credit": 0, "throttled_share": 0.0},
            True,
            "at its ceiling of 1,000 IOPS: the wait is QoS",
            id="not held by it, at its ceiling",
        ),
        pytest.param(
            {"utilization": 0.475, "burst_credit": 9, "throttled_share": 0.5},
            True,
            "held by its cluster to 50 % of its ceiling of 1,000 IOPS: the wait is QoS",
            id="at 95 % of what its cluster leaves",
        ),
        pytest.param(
            {"utilization": 0.6, "throttled_share": 0.4, "qos_max_iops": None, "qos_burst_iops": None},
            True,
            "held by its cluster to 60 % of its ceiling: the wait is QoS",
            id="held by it, and the ceiling not reported",
        ),
        pytest.param({"utilization": 1.0}, None, None, id="just at it, credits not read"),
    ],
)
def test_an_element_volume_bursts_while_it_has_credits(volume: Cells, is_at_limit: bool | None, wait: str | None) -> None:
    row = one("solidfire", iops=1, **{**BURST, **volume})
    assert (row["is_at_limit"], row["qos_wait"]) == (is_at_limit, wait)


def test_an_element_ceiling_is_worth_less_by_the_size_of_the_operations_and_more_with_credits() -> None:
    """8 KiB cost 1.6 of 4 KiB: 1,000 are 625 and 2,000 are 1,250."""
    given = {**BURST, "qos_curve": '{"4096": 100, "8192": 160}', "average_io_bytes": 8192, "iops": 625}
    row = one("solidfire", **given, burst_credit=0)
    assert (row["limit_per_second"], row["ceiling_use_at_least"]) == (625.0, 1.0)
    assert one("solidfire", **given, burst_credit=1)["limit_per_second"] == 1250.0
    assert one("solidfire", **given, burst_credit=1, throttled_share=0.4)["limit_per_second"] == 375.0
    assert one("solidfire", **given, burst_credit=1, throttled_share=0.4, utilization=1.2)["limit_per_second"] == 1250.0
    assert one("solidfire", **given, burst_credit=1, throttled_share=1.0)["limit_per_second"] is None
    assert one("solidfire", **given, burst_credit=1, throttled_share=0.0)["limit_per_second"] == 1250.0


@pytest.mark.parametrize(
    ("family", "volume", "limit"),
    [
        pytest.param("ontap", {"qos_max_iops": 4000}, 4000.0, id="operations of any size"),
        pytest.param("ontap", {"qos_max_bytes_per_second": 100 << 20, "average_io_bytes": 65_536}, 1600.0, id="bytes, by the size"),
        pytest.param(
            "flasharray", {"qos_max_iops": 4000, "qos_max_bytes_per_second": 100 << 20, "average_io_bytes": 65_536}, 1600.0, id="the lower"
        ),
        pytest.param("ontap", {"qos_max_iops": 4000, "qos_max_bytes_per_second": 100 << 20}, None, id="the size is not known"),
        pytest.param("dell-sc", {"qos_max_iops": 4000}, None, id="how the family counts is not known"),
    ],
)
def test_a_ceiling_is_worth_so_many_operations(family: str, volume: Cells, limit: float | None) -> None:
    assert one(family, iops=1, **volume)["limit_per_second"] == limit


def test_each_element_volume_has_its_own_curve() -> None:
    sizes = {"qos_max_iops": 1000, "average_io_bytes": 8192, "iops": 1, "burst_credit": 0, "name": "v", "svm": "s"}
    curves = {"1": '{"4096": 100, "8192": 160}', "2": '{"4096": 100, "8192": 200}'}
    found = held("solidfire", *({"volume_id": name, "qos_curve": curve, **sizes} for name, curve in curves.items()))
    assert {name: row["limit_per_second"] for name, row in found.items()} == {"1": 625.0, "2": 500.0}


@pytest.mark.parametrize(
    ("family", "latency"),
    [pytest.param("flasharray", 0.7, id="without what QoS holds back"), pytest.param("ontap", 0.5, id="as it is reported")],
)
def test_latency_has_what_qos_holds_back(family: str, latency: float) -> None:
    row = one(family, iops=1, latency_us=500, throttle_us=200)
    assert (row["latency_ms"], row["read_at"]) == (pytest.approx(latency), READ_AT)


@pytest.mark.parametrize(
    ("scheduled", "throttled", "latency", "is_at_limit"),
    [
        (None, 0, 500, False),
        (0, 0, 500, False),
        (50, 0, 500, False),
        (51, 0, 500, None),
        (51, 1, 500, True),
        pytest.param(0, 0, None, False, id="latency not read, and no delay"),
        pytest.param(51, 0, None, None, id="latency not read"),
    ],
)
def test_a_flasharray_whose_qos_scheduling_delays_a_volume_leaves_open_whether_the_wait_is_qos(
    scheduled: int | None, throttled: int, latency: int | None, is_at_limit: bool | None
) -> None:
    row = one("flasharray", iops=900, bytes=1, latency_us=latency, qos_max_iops=4000, throttle_us=throttled, scheduled_us=scheduled)
    assert row["is_at_limit"] is is_at_limit
    assert (row["qos_wait"] is None) is (is_at_limit is None)


def test_a_flasharray_whose_delay_was_not_read_has_no_latency() -> None:
    assert one("flasharray", iops=1, latency_us=500)["latency_ms"] is None
    assert one("ontap", iops=1, latency_us=500)["latency_ms"] == pytest.approx(0.5)


def test_a_flasharray_that_delays_is_at_a_ceiling_and_one_that_does_not_is_as_near_as_it_is() -> None:
    assert one("flasharray", qos_max_iops=4000, iops=1000, bytes=1, throttle_us=0)["ceiling_use_at_least"] == 0.25
    assert one("flasharray", qos_max_iops=4000, iops=1000, bytes=1, throttle_us=1)["ceiling_use_at_least"] == 1.0


def test_a_delay_without_a_ceiling_is_of_one_that_was_not_found() -> None:
    row = one("flasharray", iops=900, bytes=1, throttle_us=400)
    assert (row["is_at_limit"], row["qos_wait"]) == (True, "held back by a ceiling that was not found: the wait is QoS")


@pytest.mark.parametrize(
    ("second", "is_at_limit"), [pytest.param({"iops": 1, "bytes": 1}, False, id="read"), pytest.param({}, None, id="not read")]
)
def test_a_flasharray_that_delays_nothing_now_is_below_a_shared_ceiling_where_all_under_it_was_read(
    second: Cells, is_at_limit: bool | None
) -> None:
    group = {"qos_group_id": "g", "qos_group": "volume group g", "qos_group_max_iops": 4000}
    first = {"volume_id": "1", "name": "1", "iops": 100, "bytes": 1, "throttle_us": 0, **group}
    assert held("flasharray", first, {"volume_id": "2", "name": "2", **group, **second})["1"]["is_at_limit"] is is_at_limit


def test_below_one_ceiling_says_nothing_of_another_whose_members_are_not_known() -> None:
    around = {"qos_group_id": "g", "qos_group": "volume policy", "qos_group_max_iops": 8000}
    row = one("ontap", qos_max_iops=4000, iops=1000, bytes=1, **around)
    assert (row["is_at_limit"], row["is_countable"]) == (None, False)


def test_each_group_is_compared_with_what_its_own_volumes_do() -> None:
    groups = [{"qos_group_id": name, "qos_group": name, "qos_group_max_iops": 4000} for name in ("g1", "g2")]
    found = held(
        "dell-sc",
        {"volume_id": "1", "name": "1", "iops": 4000, "bytes": 1, **groups[0]},
        {"volume_id": "2", "name": "2", "iops": 1000, "bytes": 1, **groups[1]},
    )
    assert [row["qos_wait"] for row in found.values()] == ["at its ceiling of 4,000 IOPS of g1: the wait is QoS", None]
    assert [row["ceiling_use_at_least"] for row in found.values()] == [1.0, 0.25]


def test_volumes_of_an_array_whose_family_is_not_known_share_a_ceiling_too() -> None:
    group = {"qos_group_id": "g", "qos_group": "vg-1", "qos_group_max_iops": 4000}
    found = held(None, *({"volume_id": name, "name": name, "iops": 2000, "bytes": 1, **group} for name in ("1", "2")))
    together = "at its ceiling of 4,000 IOPS of vg-1, shared by 2 volumes: the wait is QoS"
    assert [(row["qos_wait"], row["is_countable"]) for row in found.values()] == [(together, True)] * 2


def test_a_policy_that_is_both_a_volumes_own_and_its_groups_counts_it_once() -> None:
    both = {**POLICY, "qos_group_id": "p", "qos_group": "gold", "qos_group_max_iops": 4000}
    policies = [{"policy_id": "p", "is_shared": True, "volumes": 2}]
    found = held(
        "ontap", *({"volume_id": n, "name": n, "svm": "s", "iops": 1900, "bytes": 1, **both} for n in ("1", "2")), policies=policies
    )
    assert [row["ceiling_use_at_least"] for row in found.values()] == [0.95, 0.95]
    found = held(
        "ontap", *({"volume_id": n, "name": n, "svm": "s", "iops": 1000, "bytes": 1, **both} for n in ("1", "2")), policies=policies
    )
    assert [row["ceiling_use_at_least"] for row in found.values()] == [0.5, 0.5]


def test_a_policy_that_may_be_shared_is_no_ceiling_of_one_volume_alone() -> None:
    maybe = {"qos_policy_id": "p", "qos_policy": "gold", "qos_max_iops": 4000}
    row = one("ontap", iops=1000, bytes=1, **maybe)
    assert (row["is_at_limit"], row["ceiling_use_at_least"]) == (None, 0.25)


def test_of_two_ceilings_the_one_that_may_be_exceeded_for_longest_counts() -> None:
    group = {"qos_group_id": "g", "qos_group": "vg-1", "qos_group_max_iops": 4000}
    policies = [
        {"policy_id": name, "is_shared": name == "g", "volumes": 1, "raw": f'{{"burst_percentage": {burst}}}'}
        for name, burst in (("p", 50), ("g", 0))
    ]
    volume = {"qos_policy_id": "p", "qos_policy": "gold", "qos_shared": False, "qos_max_iops": 4000, "iops": 4500, "bytes": 1}
    (row,) = held("powerstore", {"volume_id": "1", "name": "1", **volume, **group}, policies=policies).values()
    assert row["is_at_limit"] is None


@pytest.mark.parametrize("told", [pytest.param({"iops": 1}, id="bytes not told"), pytest.param({"bytes": 1}, id="operations not told")])
def test_a_flasharray_that_delays_nothing_now_and_told_only_part_of_its_load_may_be_at_a_ceiling(told: Cells) -> None:
    row = one("flasharray", qos_max_iops=4000, qos_max_bytes_per_second=1 << 20, throttle_us=0, **told)
    assert row["is_at_limit"] is None


def test_a_delay_of_a_microsecond_is_one() -> None:
    assert one("flasharray", qos_max_iops=4000, iops=1, bytes=1, throttle_us=1)["is_at_limit"] is True
