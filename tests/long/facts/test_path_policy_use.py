"""One cause, one finding: a path policy that a host gives a family of arrays, and a driver's depth against the baseline."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.engine.test_shipped_rules import shipped
from tests.facts.fleets import Facts, hosts, seen, view
from tests.facts.judged import judged
from tests.long.facts.test_baseline_views import held, rows

PSP, TUNING = "multipath/psp", "multipath/rr-tuning"
LUNS = [f"naa.6000d3100000000000000000000000{number:02d}" for number in range(10)]


def dell(*policies: tuple[str | None, str | None, int | None], paths: int = 2) -> Facts:
    """A host with a LUN of a Dell SC for each policy: path selection policy, and what round robin goes by, with its count."""
    given = hosts(1)
    given |= {"device": [], "device_policy": [], "path": [], "hba": [{"host_id": "host-1", "hba": "vmhba1", "kind": "fc"}]}
    for name, (psp, by, count) in zip(LUNS, policies, strict=False):
        one = {"host_id": "host-1", "device": name}
        given["device"].append({**seen(name, "dell-sc", is_protocol_endpoint=False), **one})
        given["device_policy"].append({**one, "psp": psp, "rr_policy": by, "rr_iops": count})
        about = {"hba": "vmhba1", "transport": "fc", "state": "active", "psp": psp}
        given["path"] += [{**one, **about, "path": f"{name}-{number}", "target": f"5{number}"} for number in range(paths)]
    return given


FIXED, STOCK, RIGHT = ("VMW_PSP_FIXED", None, None), ("VMW_PSP_RR", "rr", 1000), ("VMW_PSP_RR", "iops", 3)


def test_a_policy_of_ten_devices_is_one_finding_with_the_devices_as_evidence() -> None:
    [row] = view("family_path_policy", dell(*[FIXED] * 10))
    assert (row["resource_name"], row["luns"], row["psps"], row["psp_counts"]) == ("dell-sc", 10, "VMW_PSP_FIXED", "VMW_PSP_FIXED on 10")
    assert row["psp_device_names"] == f"VMW_PSP_FIXED: {', '.join(LUNS[:5])} and 5 more"
    assert judged(PSP, dell(*[FIXED] * 10)) == {"host-1/dell-sc": "fail"}
    assert judged(TUNING, dell(*[STOCK] * 10)) == {"host-1/dell-sc": "fail"}


def lost(table: str, **columns: Any) -> Callable[[Facts], Facts]:
    """These columns of the last row of the table are something else."""

    def changed(given: Facts) -> Facts:
        given[table][-1].update(columns)
        return given

    return changed


def whole(given: Facts) -> Facts:
    return given


@pytest.mark.parametrize(
    ("rule", "given", "change", "expected"),
    [
        pytest.param(PSP, dell(RIGHT, RIGHT), whole, "pass", id="both by round robin"),
        pytest.param(PSP, dell(RIGHT, FIXED), whole, "fail", id="one keeps to a path"),
        pytest.param(PSP, dell(FIXED, FIXED, paths=1), whole, None, id="one path each: nothing to choose"),
        pytest.param(
            PSP, dell(FIXED, RIGHT), lost("device", vendor=None, model=None, device="mpx.x"), "fail", id="a device of nobody knows whom"
        ),
        pytest.param(PSP, dell(RIGHT, FIXED), lost("device", is_protocol_endpoint=True), "pass", id="an endpoint, which is another rule's"),
        pytest.param(TUNING, dell(RIGHT, RIGHT), whole, "pass", id="both by three"),
        pytest.param(TUNING, dell(RIGHT, STOCK), whole, "fail", id="one as installed"),
        pytest.param(TUNING, dell(RIGHT, RIGHT), lost("device_policy", rr_iops=None), "unknown", id="a count not read"),
        pytest.param(TUNING, dell(RIGHT, STOCK, RIGHT), lost("device_policy", rr_policy=None), "fail", id="not read, and another is wrong"),
        pytest.param(TUNING, dell(FIXED, FIXED), whole, "not_applicable", id="no round robin"),
    ],
)
def test_a_host_is_judged_by_all_devices_of_the_family(
    rule: str, given: Facts, change: Callable[[Facts], Facts], expected: str | None
) -> None:
    assert judged(rule, change(given)).get("host-1/dell-sc") == expected


@pytest.mark.parametrize("rule", [PSP, TUNING])
def test_where_paths_were_not_read_a_policy_that_is_right_does_not_pass(rule: str) -> None:
    given = dell(RIGHT, RIGHT)
    for reading in given["reading"]:
        reading["complete"] = reading["complete"] and reading["topic"] != "paths"
    assert judged(rule, given) == {"host-1/dell-sc": "unknown"}


def deep(*depths: int | None, driver: str | None = "qlnativefc") -> Facts:
    """A host with a LUN for each depth, behind one driver."""
    given = dell(*[RIGHT] * len(depths))
    for device, depth in zip(given["device"], depths, strict=True):
        device["queue_depth"] = depth
    given["hba"][0]["driver"] = driver
    return given


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        pytest.param(deep(64, 64), ("qlnativefc", 2, 0, True), id="as it was"),
        pytest.param(deep(32, 32), ("qlnativefc", 2, 2, False), id="back at another depth"),
        pytest.param(deep(64, 32), ("qlnativefc", 2, 1, False), id="one of two"),
        pytest.param(deep(None, 32), ("qlnativefc", 2, 1, False), id="one not reported, and one is another"),
        pytest.param(deep(None, 64), ("qlnativefc", 2, 0, None), id="one not reported"),
        pytest.param(deep(32, 32, driver=None), (None, 2, 2, False), id="the driver is not known"),
        pytest.param(deep(64, 64, driver=None), (None, 2, 0, None), id="likewise, and the depths are as they were"),
    ],
)
def test_a_driver_s_depth_is_compared_with_the_baseline_once_for_all_its_devices(now: Facts, expected: tuple[Any, ...]) -> None:
    [row] = rows("baseline_driver_queue", held(deep(64, 64), now))
    assert (row["driver"], row["known_devices"], row["odd_devices"], row["depths_agree"]) == expected
    if row["odd_devices"]:
        assert (row["queue_depths"], row["wanted_queue_depths"]) == ("32", "64")


def test_a_device_that_may_be_gone_leaves_the_depth_open() -> None:
    now = deep(64, 64)
    now["device"].pop()
    [row] = rows("baseline_driver_queue", held(deep(64, 64), now))
    assert (row["known_devices"], row["depths_agree"]) == (1, True), "it is gone"
    for reading in now["reading"]:
        reading["complete"] = reading["complete"] and reading["topic"] != "devices"
    found = {
        row["resource_name"]: (row["known_devices"], row["depths_agree"]) for row in rows("baseline_driver_queue", held(deep(64, 64), now))
    }
    assert found == {"qlnativefc": (1, True), "driver not known": (None, None)}


def test_what_is_said_of_a_host_and_family_is_of_its_devices_alone() -> None:
    """Two vCenters whose hosts have one id, two hosts, a local disk, a LUN with one path, and one whose owner nobody knows."""
    given = dell(FIXED, STOCK, RIGHT)
    given["reading"] += [{**row, "scope": "host-2"} for row in given["reading"] if row["scope"] == "host-1"]
    given["host"].append({**given["host"][0], "host_id": "host-2", "name": "esx-2"})
    for table in ("device", "device_policy", "path"):
        given[table] += [{**row, "host_id": "host-2"} for row in dell(RIGHT)[table]]
        given[table] += [{**row, "endpoint": "vc-2"} for row in dell(STOCK)[table]]
    given["host"].append({**given["host"][0], "endpoint": "vc-2"})
    given["reading"] += [{**row, "endpoint": "vc-2"} for row in given["reading"] if row["scope"] != "host-2"]
    given["device"][1] |= {"vendor": None, "model": None, "device": "mpx.nobody"}
    given["device_policy"][1]["device"] = "mpx.nobody"
    given["path"] = [
        row | {"device": "mpx.nobody"} if row["device"] == LUNS[1] and row["host_id"] == "host-1" else row for row in given["path"]
    ]
    found = {(row.get("endpoint"), row["resource_id"]): row for row in view("family_path_policy", given)}
    reported = {key[1]: (row["psp_counts"], row["round_robin_counts"]) for key, row in found.items() if key[0] == "vc"}
    assert reported == {
        "host-1/dell-sc": ("VMW_PSP_FIXED on 1, VMW_PSP_RR on 1", "iops=3 on 1"),
        "host-1/?": (None, None),
        "host-2/dell-sc": ("VMW_PSP_RR on 1", "iops=3 on 1"),
    }
    assert {row["resource_name"] for row in found.values()} == {"dell-sc", "family not known"}
    other = found["vc-2", "host-1/dell-sc"]
    assert (other["psp_counts"], other["round_robin_counts"]) == ("VMW_PSP_RR on 1", "rr=1000 on 1")


def test_policies_that_were_not_read_are_counted_and_named() -> None:
    given = dell(FIXED, RIGHT, (None, None, None), ("VMW_PSP_RR", None, None))
    given["device"].append({**seen("naa.6000d310000000000000000000000077", "dell-sc", is_protocol_endpoint=True), "host_id": "host-1"})
    given["path"] += [{**row, "device": "naa.6000d310000000000000000000000077"} for row in given["path"][:2]]
    [row] = view("family_path_policy", given)
    assert row["psp_counts"] == "VMW_PSP_FIXED on 1, VMW_PSP_RR on 2, not known on 1"
    assert row["psp_device_names"] == f"VMW_PSP_FIXED: {LUNS[0]}; VMW_PSP_RR: {LUNS[1]}, {LUNS[3]}; not known: {LUNS[2]}"
    assert row["round_robin_counts"] == "iops=3 on 1, not known on 1"
    assert row["round_robin_device_names"] == f"iops=3: {LUNS[1]}; not known: {LUNS[3]}"
    assert (row["luns"], row["psps_are_known"], row["round_robin_devices"], row["round_robins_are_known"]) == (4, None, 2, None)


def test_a_device_whose_paths_are_not_known_leaves_the_rest_open() -> None:
    [row] = view("family_path_policy", dell(FIXED, RIGHT))
    assert (row["luns"], row["psps_are_known"], row["round_robin_devices"], row["round_robins_are_known"]) == (2, True, 1, True)
    given = dell(RIGHT, (None, None, None), RIGHT)
    for path in given["path"][-2:]:
        path["state"] = None
    [row] = view("family_path_policy", given)
    assert (row["luns"], row["psps_are_known"], row["round_robin_devices"], row["round_robins_are_known"]) == (2, None, 1, None)
    given = dell(RIGHT)
    given["path"][0]["state"] = None
    [row] = view("family_path_policy", given)
    assert (row["luns"], row["psps"], row["round_robin_devices"], row["round_robins"]) == (None, None, None, None)


def test_only_the_devices_that_differ_are_named_with_their_depths() -> None:
    [row] = rows("baseline_driver_queue", held(deep(64, 128, 30), deep(32, 128, 30)))
    assert (row["known_devices"], row["odd_devices"], row["odd_device_names"]) == (3, 1, LUNS[0])
    assert (row["queue_depths"], row["wanted_queue_depths"]) == ("32", "64")
    [row] = rows("baseline_driver_queue", held(deep(64, 128), deep(64, 128, 30)))
    assert (row["odd_device_names"], row["queue_depths"], row["wanted_queue_depths"]) == (None, "128, 64", "128, 64")


def test_a_device_that_the_baseline_does_not_know_says_nothing_of_the_driver() -> None:
    [row] = rows("baseline_driver_queue", held(deep(64), deep(64, 32)))
    assert (row["known_devices"], row["odd_devices"], row["depths_agree"]) == (1, 0, True)
    assert (row["queue_depths"], row["wanted_queue_depths"]) == ("64", "64")
    [new] = rows("baseline_driver_queue", held(emptied(deep(64)), deep(32)))
    assert (new["known_devices"], new["odd_devices"], new["depths_agree"]) == (0, 0, True)


def emptied(given: Facts) -> Facts:
    return given | {"device": [], "device_policy": [], "path": []}


def test_hosts_are_compared_with_their_own_depths_behind_their_own_drivers() -> None:
    def two(first: int, second: int) -> Facts:
        given = deep(first)
        given["reading"] += [{**row, "scope": "host-2"} for row in given["reading"] if row["scope"] == "host-1"]
        given["host"].append({**given["host"][0], "host_id": "host-2", "name": "esx-2"})
        for table in ("device", "device_policy", "path", "hba"):
            given[table] += [{**row, "host_id": "host-2"} for row in given[table]]
        given["device"][1]["queue_depth"], given["hba"][1]["driver"] = second, "lpfc"
        return given

    found = {row["host"]: (row["driver"], row["depths_agree"]) for row in rows("baseline_driver_queue", held(two(64, 30), two(64, 32)))}
    assert found == {"esx-1": ("qlnativefc", True), "esx-2": ("lpfc", False)}


def test_rules_that_name_one_cause_once_judge_hosts() -> None:
    for rule, over in ((PSP, "family_path_policy"), (TUNING, "family_path_policy"), ("baseline/queue-depth", "baseline_driver_queue")):
        assert shipped()[rule].over == over
