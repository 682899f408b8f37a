"""Ceilings of ONTAP's adaptive policies: worked out by the size of what is under them, with bounds where a part is missing."""

import json
from typing import Any

import pytest

from .single import Rows, chained

TIB, GIB = 1 << 40, 1 << 30
ALLOCATED = {"expected_iops_allocation": "allocated_space", "peak_iops_allocation": "allocated_space"}
USED = {"expected_iops_allocation": "used_space", "peak_iops_allocation": "used_space"}
PER_TB = {"expected_iops": 1000, "peak_iops": 2000, "absolute_min_iops": 75, "block_size": "any"}


def tables(limits: dict[str, Any], volume: dict[str, Any], load: dict[str, Any] | None = None) -> dict[str, Rows]:
    name = {"endpoint": "east", "volume_id": "1"}
    under = {"qos_policy_id": "p", "qos_policy": "by-size", "qos_shared": False} if "qos_group_id" not in volume else {}
    return {
        "step_volume": [{**name, "name": "lun", "kind": "lun", "svm": "svm", "qos_read": True, **under, **volume}],
        "fact.array_volume_load": [{**name, "bytes_per_second": 1, **load}] if load else [],
        "fact.array_qos_policy": [
            {"endpoint": "east", "policy_id": "p", "kind": "adaptive", "is_shared": False, "raw": json.dumps(limits), "volumes": 1}
        ],
        "step_array": [{"endpoint": "east", "family": "ontap"}],
        "step_endpoint_reading": [{"endpoint": "east", "volumes_read": True}],
    }


@pytest.mark.parametrize(
    ("limits", "volume", "at_least", "at_most"),
    [
        pytest.param({**PER_TB, **ALLOCATED}, {"size_bytes": TIB}, 2000, 2000, id="the peak of 1 TiB"),
        # 2,000 * 100 / 1,024 are 195.
        pytest.param(
            {**PER_TB, **ALLOCATED, "absolute_min_iops": 500}, {"size_bytes": 100 * GIB}, 500, 500, id="the absolute minimum of 100 GiB"
        ),
        pytest.param({**PER_TB, **ALLOCATED}, {"size_bytes": 100 * GIB}, 195, 195, id="100 GiB"),
        pytest.param({**PER_TB, **USED}, {"size_bytes": TIB, "used_bytes": 512 * GIB}, 1000, 1000, id="half of it is used"),
        pytest.param({**PER_TB, **USED}, {"used_bytes": 512 * GIB}, 1000, 1000, id="by used space, the size was not read"),
        pytest.param(
            PER_TB, {"size_bytes": TIB, "used_bytes": 256 * GIB}, 1000, 1000, id="nothing is told: expected of 1 TiB, peak of 256 GiB"
        ),
        pytest.param(PER_TB, {"size_bytes": TIB}, 1000, 2000, id="used space was not read"),
        pytest.param({**PER_TB, **USED}, {}, 75, None, id="by used space, neither was read"),
        pytest.param({**PER_TB, **ALLOCATED}, {"used_bytes": TIB}, 75, None, id="by allocated space, the size was not read"),
        pytest.param(
            {**PER_TB, "peak_iops_allocation": "logical_space"},
            {"size_bytes": TIB, "used_bytes": 768 * GIB},
            1500,
            2000,
            id="by what is not known",
        ),
        pytest.param({**ALLOCATED, "expected_iops": 1000, "block_size": "any"}, {"size_bytes": TIB}, 1000, None, id="no peak is told"),
        pytest.param({**PER_TB, **ALLOCATED, "block_size": None}, {"size_bytes": TIB}, None, 2000, id="what counts as one is not told"),
    ],
)
def test_a_ceiling_by_size_is_the_greatest_of_three(
    limits: dict[str, Any], volume: dict[str, Any], at_least: int | None, at_most: int | None
) -> None:
    given = tables(limits, volume)
    [row] = chained("step_adaptive_ceiling", given)
    exact = at_most if at_least == at_most else None
    assert (row["is_own"], row["max_iops_at_least"], row["max_iops_at_most"], row["max_iops"]) == (True, at_least, at_most, exact)
    [qos] = chained("step_volume_qos", given, "step_adaptive_ceiling")
    assert (qos["is_capped"], qos["own_max_iops"], qos["is_whole"]) == (True, exact, exact is not None)


def test_a_block_size_adds_a_ceiling_in_bytes() -> None:
    """2,000 operations of 32 KiB are 65,536,000 bytes."""
    given = tables({**PER_TB, **ALLOCATED, "block_size": "32k"}, {"size_bytes": TIB})
    [qos] = chained("step_volume_qos", given, "step_adaptive_ceiling")
    assert (qos["own_max_iops"], qos["own_max_bytes_per_second"]) == (2000, 65_536_000)


def test_a_file_systems_policy_goes_by_its_own_size() -> None:
    volume = {"qos_group_id": "p", "qos_group": "by-size", "size_bytes": GIB, "qos_group_size_bytes": 2 * TIB, "qos_group_used_bytes": TIB}
    [qos] = chained("step_volume_qos", tables(PER_TB, volume), "step_adaptive_ceiling")
    assert (qos["own_max_iops"], qos["qos_group_max_iops"], qos["qos_max_iops"], qos["qos"]) == (
        None,
        2000,
        2000,
        "group by-size: adaptive",
    )


def test_a_policy_by_size_is_told_without_its_figure_which_grows_with_what_is_used() -> None:
    for used in (GIB, TIB):
        [qos] = chained("step_volume_qos", tables(PER_TB, {"size_bytes": TIB, "used_bytes": used}), "step_adaptive_ceiling")
        assert qos["own_qos"] == "by-size: adaptive"


def test_a_snapshot_of_an_older_auditor_knows_that_there_is_a_ceiling() -> None:
    [qos] = chained("step_volume_qos", tables({**PER_TB, **ALLOCATED}, {"size_bytes": TIB, "qos_read": False}), "step_adaptive_ceiling")
    assert (qos["is_capped"], qos["is_whole"]) == (True, False)


EXACT = ({**PER_TB, **ALLOCATED}, {"size_bytes": TIB})
BETWEEN = (PER_TB, {"size_bytes": TIB})  # 1,000 to 2,000
BLOCKS = ({**PER_TB, **ALLOCATED, "block_size": "32k"}, {"size_bytes": TIB})
BETWEEN_BLOCKS = ({**PER_TB, "block_size": "32k"}, {"size_bytes": TIB})  # 32,768,000 to 65,536,000 bytes


@pytest.mark.parametrize(
    ("policy", "load", "is_at_limit", "is_countable", "wait"),
    [
        pytest.param(EXACT, {"actual_iops": 400}, False, True, "not held back by QoS", id="below it"),
        pytest.param(EXACT, {"actual_iops": 1950}, True, True, "at its ceiling of 2,000 IOPS: the wait is QoS", id="at it"),
        pytest.param(
            BLOCKS,
            {"actual_iops": 500, "bytes_per_second": 65_536_000},
            True,
            True,
            "at its ceiling of 62.5 MiB/s: the wait is QoS",
            id="at its bytes",
        ),
        pytest.param(BETWEEN, {"actual_iops": 900}, False, True, "not held back by QoS", id="below the least that it can be"),
        pytest.param(
            BETWEEN,
            {"actual_iops": 900, "bytes_per_second": None},
            False,
            True,
            "not held back by QoS",
            id="below it, of any size; bytes were not read",
        ),
        pytest.param(BETWEEN, {"actual_iops": 1500}, None, False, None, id="between: nothing is decided"),
        pytest.param(BETWEEN, {"actual_iops": 1990}, True, True, "at its ceiling of at most 2,000 IOPS: the wait is QoS", id="at the most"),
        pytest.param(BETWEEN_BLOCKS, {"actual_iops": 90, "bytes_per_second": 40_000_000}, None, False, None, id="between in bytes"),
        pytest.param(BETWEEN_BLOCKS, {"actual_iops": 90, "bytes_per_second": None}, None, False, None, id="bytes not read"),
        pytest.param((USED | PER_TB, {}), {"actual_iops": 20}, False, True, "not held back by QoS", id="below the absolute minimum"),
        pytest.param((USED | PER_TB, {}), {"actual_iops": 900}, None, False, None, id="its size is not known"),
        pytest.param(
            (USED | PER_TB | {"absolute_min_iops": 0}, {"used_bytes": 0}), {"actual_iops": 9}, None, False, None, id="of nothing used"
        ),
    ],
)
def test_a_rate_is_compared_with_what_is_known_of_a_ceiling_by_size(
    policy: tuple[dict[str, Any], dict[str, Any]], load: dict[str, Any], is_at_limit: bool | None, is_countable: bool, wait: str | None
) -> None:
    given = tables(*policy, load)
    steps = ("step_adaptive_ceiling", "step_volume_qos", "step_curve_cost")
    [ceiling] = chained("step_volume_ceiling", given, *steps)
    [held] = chained("step_volume_load", given, *steps, "step_volume_ceiling")
    assert (held["is_at_limit"], ceiling["is_countable"], held["qos_wait"]) == (is_at_limit, is_countable, wait)


@pytest.mark.parametrize(("iops", "is_at_limit"), [(900, None), (1500, None), (1990, True)])
def test_a_file_systems_policy_between_two_bounds_is_reached_at_the_upper_one(iops: int, is_at_limit: bool | None) -> None:
    """1,000 to 2,000 for all of the file system; below that the files in it that are no LUN here may do the rest."""
    volume = {"qos_group_id": "p", "qos_group": "by-size", "size_bytes": GIB, "qos_group_size_bytes": TIB}
    given = tables(PER_TB, volume, {"actual_iops": iops})
    [held] = chained("step_volume_load", given, "step_adaptive_ceiling", "step_volume_qos", "step_curve_cost", "step_volume_ceiling")
    assert held["is_at_limit"] is is_at_limit


# Source: NetApp, "Modify QoS policy groups created in ONTAP 9.19.1 or later": 50 % for a second, which can be changed from 9.19.1 on.
@pytest.mark.parametrize(
    ("burst", "iops", "is_at_limit"),
    [
        pytest.param(None, 1950, True, id="a release that reports none"),
        pytest.param({"percent": 0, "iops": 0, "duration": 0}, 1950, True, id="nothing was set"),
        pytest.param({"percent": 50, "duration": 1}, 1950, True, id="what was set is the default"),
        pytest.param({"percent": 100, "duration": 60}, 1890, False, id="below the ceiling"),
        pytest.param({"percent": 100, "duration": 60}, 3700, None, id="between the ceiling and its burst"),
        pytest.param({"percent": 100, "duration": 60}, 3900, True, id="at the burst"),
        pytest.param({"iops": 3000, "duration": 60}, 2100, None, id="a rate"),
        pytest.param({"iops": 3000, "duration": 60}, 2900, True, id="at the rate"),
        pytest.param({"iops": 1000, "duration": 60}, 1950, True, id="a rate below the ceiling"),
        pytest.param({"percent": 80}, 1950, None, id="more than the default, for a time that is not told"),
        pytest.param({"duration": 60}, 1950, None, id="longer than the default"),
    ],
)
@pytest.mark.parametrize("by_size", [True, False])
def test_between_a_ceiling_and_a_burst_that_was_set_nobody_knows_whether_a_volume_waits(
    burst: dict[str, int] | None, iops: int, is_at_limit: bool | None, *, by_size: bool
) -> None:
    limits = {**PER_TB, **ALLOCATED} if by_size else {"max_throughput_iops": 2000}
    volume = {"size_bytes": TIB, **({} if by_size else {"qos_max_iops": 2000})}
    given = tables({**limits, **({"burst": burst} if burst else {})}, volume, {"actual_iops": iops})
    if not by_size:
        given["fact.array_qos_policy"][0] |= {"kind": "fixed", "max_iops": 2000}
    steps = ("step_adaptive_ceiling", "step_volume_qos", "step_curve_cost", "step_volume_ceiling")
    [held] = chained("step_volume_load", given, *steps)
    assert held["is_at_limit"] is is_at_limit
