"""Every column of step_setting_drift, of the views that show its rows, and of `device_load`, over rows of what they read."""

from typing import Any

import pytest

from .numbered import with_numbers
from .single import ByName, Rows, chained, of_vc, rows_over, shown
from .test_drift_rows import A_DAY, MADE, OF_BASELINE, RUN, TAKEN, of_hosts, wanted

KINDS = ("dsnro", "queue_depth", "path_policy")


def now(kind: str, thing: str, value: str | None, host: str | None = None, endpoint: str = "vc") -> dict[str, Any]:
    """A setting as it is."""
    return {"kind": kind, "endpoint": endpoint, "host_id": host, "thing": thing, "setting": kind, "value": value}


def of_array(kind: str, endpoint: str, thing: str, value: str) -> dict[str, Any]:
    """A setting of an array in the baseline."""
    return {"kind": kind, "of_endpoint": endpoint, "of_host": "", "thing": thing, "setting": kind, "value": value}


def drifts() -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    """The rows of the step by kind, endpoint, host and thing."""
    given: dict[str, Rows] = {
        "step_setting_now": [
            *(now(kind, "naa.1", f"{kind} now", "h1") for kind in KINDS),
            now("dsnro", "naa.2", None, "h1"),
            now("dsnro", "naa.1", "on h2", "h2"),
            now("dsnro", "naa.1", "on h3", "h3"),
            now("dsnro", "naa.1", "elsewhere", "h1", "vc-2"),
            now("option", "naa.1", "no setting of a device", "h1"),
            now("volume_qos", "v1", "none", endpoint="east"),
            now("volume_qos", "v2", "100 IOPS", endpoint="east"),
            now("policy", "p1", "200 IOPS", endpoint="east"),
            now("replication", "r1", "prod, every 900 s", endpoint="east"),
            now("volume_qos", "v1", "300 IOPS", endpoint="west"),
            now("sioc", "v1", "no setting of a volume", endpoint="east"),
        ],
        "fact.baseline": [
            MADE,
            *(wanted(kind, "one", "naa.1", kind, f"{kind} then") for kind in KINDS),
            *(wanted(kind, "one", "naa.gone", kind, f"{kind} gone") for kind in KINDS),
            wanted("dsnro", "one", "naa.local", "dsnro", "64"),
            wanted("option", "one", "naa.gone", "option", "1"),
            wanted("dsnro", "four", "naa.away", "dsnro", "32"),
            wanted("dsnro", "one", "naa.1", "dsnro", "then elsewhere", "vc-2"),
            wanted("dsnro", "one", "naa.2", "dsnro", "gone elsewhere", "vc-2"),
            of_array("volume_qos", "east", "v1", "50 IOPS"),
            of_array("volume_qos", "east", "v9", "gone"),
            of_array("volume_qos", "west", "v9", "not read"),
            of_array("volume_qos", "west", "v2", "gone in the west"),
            of_array("policy", "east", "p1", "60 IOPS"),
            of_array("policy", "east", "p9", "gone"),
            of_array("policy", "west", "p9", "not read"),
            of_array("policy", "west", "p1", "gone in the west"),
            of_array("replication", "east", "r1", "prod, every 7200 s"),
            of_array("replication", "east", "r9", "gone"),
            of_array("replication", "west", "r1", "gone in the west"),
            of_array("volume_qos", "unlisted", "v1", "no endpoint any more"),
        ],
        "fact.device": [
            *of_vc({"host_id": "h1", "device": "naa.1"}, {"host_id": "h1", "device": "naa.2"}, {"host_id": "h1", "device": "naa.local"}),
            *of_vc({"host_id": "h2", "device": "naa.gone"}),
            {"endpoint": "vc-2", "host_id": "h1", "device": "naa.1"},
            {"endpoint": "vc-2", "host_id": "h1", "device": "naa.gone"},
        ],
        "step_volume": [
            *({"endpoint": "east", "volume_id": volume} for volume in ("v1", "v2")),
            {"endpoint": "west", "volume_id": "v1"},
        ],
        "fact.array_qos_policy": [{"endpoint": "east", "policy_id": "p1"}],
        "fact.array_replication": [{"endpoint": "east", "replication_id": "r1"}],
        "step_endpoint_reading": [
            {"endpoint": "east", "volumes_read": True, "qos_policies_read": True, "replication_read": True},
            {"endpoint": "west", "volumes_read": False, "qos_policies_read": False, "replication_read": False},
        ],
    }
    answer: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows_over("step_setting_drift", given | of_hosts("dsnro")):
        answer.setdefault((row["kind"], row["endpoint"], row["host_id"], row["thing"]), []).append(row)
    return answer


def test_a_setting_now_is_held_against_the_same_setting_then_and_what_is_gone_is_told() -> None:
    def row(value: str | None, then: str | None, *, seen: bool | None = True, **more: Any) -> dict[str, Any]:
        return {"value": value, "wanted": then, "is_known": then is not None, "is_seen": seen, **OF_BASELINE, **more}

    nobody: dict[str, Any] = {"changed_by": None, "changed_at": None}
    bob: dict[str, Any] = {"changed_by": "bob", "changed_at": A_DAY}
    array: dict[str, Any] = {**nobody, "baseline_host": None, "host": None, "cluster": None}
    expected: dict[tuple[Any, ...], dict[str, Any]] = {
        ("dsnro", "vc", "h1", "naa.1"): row("dsnro now", "dsnro then", **bob, baseline_host="one", host="one", cluster="gold"),
        ("queue_depth", "vc", "h1", "naa.1"): row("queue_depth now", "queue_depth then", **nobody),
        ("path_policy", "vc", "h1", "naa.1"): row("path_policy now", "path_policy then", **nobody),
        ("dsnro", "vc", "h1", "naa.2"): row(None, None, **bob),
        ("dsnro", "vc", "h2", "naa.1"): row("on h2", "dsnro then", **nobody, baseline_host="one", host="two"),
        ("dsnro", "vc", "h3", "naa.1"): row("on h3", None, **nobody, baseline_host=None, host="three"),
        ("dsnro", "vc-2", "h1", "naa.1"): row("elsewhere", "then elsewhere", changed_by="elsewhere"),
        ("dsnro", "vc-2", "h1", "naa.2"): row(None, "gone elsewhere", seen=False),
        ("dsnro", "vc", "h1", "naa.gone"): row(None, "dsnro gone", seen=False, **bob),
        ("queue_depth", "vc", "h1", "naa.gone"): row(None, "queue_depth gone", seen=False),
        ("path_policy", "vc", "h1", "naa.gone"): row(None, "path_policy gone", seen=False),
        ("dsnro", "vc", "h4", "naa.away"): row(None, "32", seen=None, changed_by="eve"),
        ("volume_qos", "east", None, "v1"): row("none", "50 IOPS", **array),
        ("volume_qos", "east", None, "v2"): row("100 IOPS", None, **array),
        ("volume_qos", "east", None, "v9"): row(None, "gone", seen=False, **array),
        ("volume_qos", "west", None, "v1"): row("300 IOPS", None, **array),
        ("volume_qos", "west", None, "v2"): row(None, "gone in the west", seen=None, **array),
        ("volume_qos", "west", None, "v9"): row(None, "not read", seen=None, **array),
        ("policy", "east", None, "p1"): row("200 IOPS", "60 IOPS", **array),
        ("policy", "east", None, "p9"): row(None, "gone", seen=False, **array),
        ("policy", "west", None, "p1"): row(None, "gone in the west", seen=None, **array),
        ("policy", "west", None, "p9"): row(None, "not read", seen=None, **array),
        ("replication", "east", None, "r1"): row("prod, every 900 s", "prod, every 7200 s", **array),
        ("replication", "east", None, "r9"): row(None, "gone", seen=False, **array),
        ("replication", "west", None, "r1"): row(None, "gone in the west", seen=None, **array),
    }
    rows = drifts()
    assert {key: len(several) for key, several in rows.items()} == dict.fromkeys(expected, 1)
    assert {key: {column: rows[key][0][column] for column in row} for key, row in expected.items()} == expected


@pytest.mark.parametrize(
    ("name", "kind"), [("baseline_dsnro", "dsnro"), ("baseline_queue_depth", "queue_depth"), ("baseline_path_policy", "path_policy")]
)
def test_a_view_of_devices_settings_shows_the_drift_of_its_kind(name: str, kind: str) -> None:
    place = {"endpoint": "vc", "host_id": "h1", "host": "one", "cluster": "gold", "thing": "naa.1"}
    then = {**OF_BASELINE, "is_known": True, "is_seen": True, "baseline_host": "one", "changed_by": "bob", "changed_at": A_DAY}
    other = next(one for one in KINDS if one != kind)
    given: dict[str, Rows] = {
        "step_setting_drift": [{**place, **then, "kind": kind, "value": "32", "wanted": "64"}, {**place, "kind": other, "thing": "naa.2"}]
    }
    if kind == "path_policy":
        families = {("vc", "naa.1"): "ontap", ("vc-2", "naa.1"): "elsewhere", ("vc", "naa.2"): "of another"}
        given["step_seen_device"] = [
            {"endpoint": vcenter, "device": device, "family": name} for (vcenter, device), name in families.items()
        ]
    numbers: dict[str, Any] = {"family": "ontap"} if kind == "path_policy" else {"commands": 32, "wanted_commands": 64}
    if kind == "dsnro":
        depths = {("vc", "h1", "naa.1"): 128, ("vc-2", "h1", "naa.1"): 1, ("vc", "h2", "naa.1"): 2, ("vc", "h1", "naa.2"): 3}
        given["fact.device"] = [{"endpoint": vc, "host_id": host, "device": one, "queue_depth": n} for (vc, host, one), n in depths.items()]
        numbers["queue_depth"] = 128
    own = {"device": "naa.1", "resource_name": "naa.1", "host": "one", "cluster": "gold", "host_id": "h1", "value": "32", "wanted": "64"}
    expected: ByName = {"h1/naa.1": {**then, **own, **numbers}}
    if kind == "dsnro":
        given["step_setting_drift"] = [*given["step_setting_drift"], {**place, "kind": kind, "thing": "naa.gone", "wanted": "64"}]
        expected["h1/naa.gone"] = {"wanted_commands": 64, "queue_depth": None}
    assert shown(rows_over(name, given), expected) == expected


def test_a_replication_is_named_by_its_paths_where_it_is_still_there() -> None:
    then = {"is_known": True, "is_seen": True, "value": "now", "wanted": "then", "baseline_run": RUN, "baseline_at": TAKEN}
    drift: Rows = [
        {"kind": "replication", "endpoint": endpoint, "thing": thing, **then}
        for endpoint, thing in (("east", "id-1"), ("east", "id-9"), ("west", "id-1"))
    ]
    drift.append({"kind": "policy", "endpoint": "east", "thing": "id-1", **then})
    here = {"endpoint": "east", "replication_id": "id-1", "source": "a:v", "destination": "b:v", "policy": "mirror"}
    found = rows_over("baseline_replication", {"step_setting_drift": drift, "fact.array_replication": [here]})
    assert {(row["endpoint"], row["replication_id"]): (row["resource_name"], row["policy"]) for row in found} == {
        ("east", "id-1"): ("a:v to b:v", "mirror"),
        ("east", "id-9"): ("id-9", None),
        ("west", "id-1"): ("id-1", None),
    }
    assert all(then.items() <= row.items() for row in found)


def test_a_view_of_arrays_settings_names_the_volume_or_policy_where_it_is_still_there() -> None:
    then = {"is_known": True, "is_seen": True, "value": "32", "wanted": "64", "baseline_run": RUN, "baseline_at": TAKEN}
    drift: Rows = [
        {"kind": kind, "endpoint": endpoint, "thing": thing, **then}
        for kind in ("volume_qos", "policy")
        for endpoint, thing in (("east", "id-1"), ("east", "id-9"), ("west", "id-1"))
    ]
    drift.append({"kind": "dsnro", "endpoint": "vc", "thing": "naa.1"})
    things: Rows = [{"endpoint": "east", "name": "first"}, {"endpoint": "west", "name": "elsewhere"}]
    volumes = rows_over(
        "baseline_volume_qos",
        {
            "step_setting_drift": drift,
            "step_array": [{"endpoint": "east", "family": "ontap"}, {"endpoint": "south", "family": "dell-sc"}],
            "step_volume": [
                *({**thing, "volume_id": "id-1", "is_virtual": True} for thing in things),
                {"endpoint": "east", "volume_id": "id-2"},
            ],
        },
    )
    policies = rows_over(
        "baseline_qos_policy",
        {
            "step_setting_drift": drift,
            "fact.array_qos_policy": [*({**thing, "policy_id": "id-1"} for thing in things), {"endpoint": "east", "policy_id": "id-2"}],
        },
    )
    names = {"east/id-1": "first", "east/id-9": "id-9", "west/id-1": "elsewhere"}
    of_volumes: ByName = {name: {**then, "resource_name": own, "volume_id": name[5:]} for name, own in names.items()}
    of_volumes["east/id-1"] |= {"family": "ontap", "is_virtual": True}
    of_volumes["east/id-9"] |= {"family": "ontap", "is_virtual": None}
    of_volumes["west/id-1"] |= {"family": None}
    of_policies: ByName = {name: {**then, "resource_name": own, "policy_id": name[5:]} for name, own in names.items()}
    assert shown(volumes, of_volumes) == of_volumes
    assert shown(policies, of_policies) == of_policies


@pytest.mark.parametrize(
    ("now", "policy", "wanted", "reported"),
    [
        pytest.param("none", None, "gold: 500 IOPS", ("gold", True), id="out of its policy"),
        pytest.param("silver: 100 IOPS", "silver", "gold: 500 IOPS", ("gold", True), id="another policy"),
        pytest.param("gold: 100 IOPS", "gold", "gold: 500 IOPS", ("gold", False), id="the policy has other limits"),
        pytest.param("gold: 500 IOPS", "gold", "none", (None, False), id="a policy that it did not have"),
        pytest.param("none", None, "lost: 500 IOPS", (None, False), id="a policy that the array has no more"),
        pytest.param("none", None, "elsewhere: 500 IOPS", (None, False), id="a policy of another array"),
        pytest.param("none", None, "gold: x: 500 IOPS", ("gold: x", True), id="the longer of two names"),
        pytest.param("none", None, "gold: night: 500 IOPS", (None, False), id="a policy that is gone, whose name begins as another's"),
        pytest.param("none", None, "gold: 500 IOPS: 9 IOPS", (None, False), id="the like, where the rest of the name reads as a limit"),
        pytest.param("none", None, "gold: ", ("gold", True), id="a policy without a limit that was read"),
        pytest.param(
            "none", None, "gold: no ceiling, burst 9, at least 5, 1.5 MiB/s, priority Medium", ("gold", True), id="every kind of limit"
        ),
        pytest.param("none", None, "gold: adaptive; the rest was not read", ("gold", True), id="an adaptive one"),
        pytest.param("none", None, "gold: per GB, priority Low", ("gold", True), id="one per GB"),
        pytest.param("none", None, "the volume itself: 500 IOPS", (None, False), id="limits of its own"),
        pytest.param("none; group g: 9 IOPS", None, "gold: 500 IOPS; group g: 9 IOPS", ("gold", True), id="its group is the same"),
        pytest.param("group g: 9 IOPS", None, "gold: 500 IOPS; group g: 9 IOPS", ("gold", True), id="its group alone is left"),
        pytest.param("group g: 8 IOPS", None, "gold: 500 IOPS; group g: 9 IOPS", ("gold", False), id="its group differs too"),
        pytest.param("none", None, "gold: 500 IOPS; group g: 9 IOPS", ("gold", False), id="its group is gone too"),
    ],
)
def test_the_policy_alone_differs_where_the_array_still_has_it(
    now: str, policy: str | None, wanted: str, reported: tuple[str | None, bool]
) -> None:
    drift = {"kind": "volume_qos", "endpoint": "east", "thing": "v", "is_known": True, "is_seen": True, "value": now, "wanted": wanted}
    given: dict[str, Rows] = {
        "step_setting_drift": [
            drift,
            {**drift, "kind": "policy", "wanted": "silver: 1 IOPS"},
            {**drift, "thing": "w", "wanted": "silver: 1"},
        ],
        "fact.array_qos_policy": [
            *({"endpoint": "east", "policy_id": f"id of {name}", "name": name} for name in ("gold", "gold: x", "silver")),
            {"endpoint": "west", "policy_id": "1", "name": "elsewhere"},
        ],
        "step_volume": [{"endpoint": "east", "volume_id": "v", "name": "first", "qos_policy": policy, "kind": "lun"}],
    }
    row = next(one for one in rows_over("baseline_volume_qos", given) if one["volume_id"] == "v")
    assert (row["wanted_policy"], row["policy_alone_differs"]) == reported
    assert row["wanted_policy_id"] == (reported[0] and f"id of {reported[0]}")
    assert (row["policy"], row["kind"]) == (policy, "lun")


@pytest.mark.parametrize(
    ("family", "now", "alone"),
    [
        pytest.param("powerstore", "the volume itself: no ceiling, priority Low", True, id="its priority is the same"),
        pytest.param("powerstore", "the volume itself: no ceiling, priority High", False, id="its priority differs too"),
        pytest.param("powerstore", "none", False, id="it has no priority now"),
        pytest.param("dell-sc", "none", True, id="a family whose profile holds the priority"),
    ],
)
def test_the_priority_of_a_powerstore_is_no_part_of_its_policy(family: str, now: str, alone: bool) -> None:
    wanted = "gold: 500 IOPS, priority Low"
    given: dict[str, Rows] = {
        "step_setting_drift": [
            {"kind": "volume_qos", "endpoint": "east", "thing": "v", "is_known": True, "is_seen": True, "value": now, "wanted": wanted}
        ],
        "fact.array_qos_policy": [{"endpoint": "east", "policy_id": "1", "name": "gold"}],
        "step_array": [{"endpoint": "east", "family": family}],
        "step_volume": [{"endpoint": "east", "volume_id": "v", "name": "first", "kind": "lun"}],
    }
    [row] = rows_over("baseline_volume_qos", given)
    assert row["policy_alone_differs"] is alone


BOTH = "the volume itself: 1 IOPS; group g: 9 IOPS"


@pytest.mark.parametrize(
    ("now", "wanted", "own", "of_group"),
    [
        pytest.param("the volume itself: 100 IOPS", "the volume itself: 500 IOPS", 500, None, id="its own ceiling"),
        pytest.param("the volume itself: 100 IOPS, 5 MiB/s", "the volume itself: 500 IOPS, 5 MiB/s", 500, None, id="its own alone"),
        pytest.param("the volume itself: 100 IOPS, 5 MiB/s", "the volume itself: 500 IOPS", None, None, id="its own, and something else"),
        pytest.param("gold: 100 IOPS", "gold: 500 IOPS", None, None, id="a policy's"),
        pytest.param("none", "the volume itself: 500 IOPS", None, None, id="none now"),
        pytest.param("the volume itself: 100 IOPS", "none", None, None, id="none then"),
        pytest.param("group g: 9 IOPS", "group g: 8 IOPS", None, 8, id="its group's"),
        pytest.param("group g: 9 IOPS, 5 MiB/s", "group g: 8 IOPS, 5 MiB/s", None, 8, id="its group's, all else the same"),
        pytest.param("group g: 9 IOPS", "group h: 8 IOPS", None, None, id="another group"),
        pytest.param("group g: no ceiling", "group g: 8 IOPS", None, None, id="its group has none now"),
        pytest.param(BOTH, "the volume itself: 1 IOPS; group g: 8 IOPS", None, 8, id="its own the same"),
        pytest.param(BOTH, "the volume itself: 2 IOPS; group g: 9 IOPS", 2, None, id="its group's the same"),
        pytest.param(BOTH, "the volume itself: 2 IOPS; group g: 8 IOPS", None, None, id="both"),
    ],
)
def test_a_ceiling_is_wanted_where_it_alone_differs(now: str, wanted: str, own: int | None, of_group: int | None) -> None:
    drift = {"kind": "volume_qos", "endpoint": "east", "thing": "v", "is_known": True, "is_seen": True, "value": now, "wanted": wanted}
    given: dict[str, Rows] = {
        "step_setting_drift": [drift, {**drift, "thing": "gone"}],
        "step_volume": [
            {"endpoint": "east", "volume_id": "v", "qos_max_iops": 100, "qos_group": "g", "qos_group_max_iops": 9, "qos_policy_id": "p/1"}
        ],
    }
    gone, row = rows_over("baseline_volume_qos", given)
    assert (row["wanted_own_iops"], row["wanted_group_iops"]) == (own, of_group)
    assert row["group_alone_differs"] is (of_group is not None)
    assert (row["own_max_iops"], row["volume_group"], row["is_in_group"], row["group_max_iops"], row["policy_id"]) == (
        100,
        "g",
        True,
        9,
        "p/1",
    )
    assert (gone["is_in_group"], gone["group_alone_differs"]) == (None, False)


@pytest.mark.parametrize(
    ("now", "wanted", "ceiling"),
    [
        pytest.param("500 IOPS", "1000 IOPS", 1000, id="a ceiling alone"),
        pytest.param("500 IOPS, at least 5", "1000 IOPS, at least 5", 1000, id="all else the same"),
        pytest.param("500 IOPS, at least 4", "1000 IOPS, at least 5", None, id="something else differs"),
        pytest.param("no ceiling", "1000 IOPS", None, id="none now"),
        pytest.param("500 IOPS", "no ceiling", None, id="none then"),
        pytest.param("100 bytes/s", "100 bytes/s", None, id="of bytes alone"),
    ],
)
def test_the_ceiling_of_a_policy_is_wanted_where_it_alone_differs(now: str, wanted: str, ceiling: int | None) -> None:
    drift = {"kind": "policy", "endpoint": "east", "thing": "p", "is_known": True, "is_seen": True, "value": now, "wanted": wanted}
    given: dict[str, Rows] = {
        "step_setting_drift": [drift],
        "fact.array_qos_policy": [{"endpoint": "east", "policy_id": "p", "name": "gold", "max_iops": 500}],
        "step_array": [{"endpoint": "east", "family": "ontap"}],
    }
    (row,) = rows_over("baseline_qos_policy", given)
    assert (row["wanted_max_iops"], row["max_iops"], row["family"]) == (ceiling, 500, "ontap")


def test_a_device_has_the_load_that_its_own_host_measured() -> None:
    figures: dict[str, Any] = {
        "samples": 15,
        "busy_samples": 14,
        "max_queue_depth": 13,
        "kavg_max_ms": 12,
        "kavg_run_over_1ms": 11,
        "bus_resets": 10,
    }
    figures |= {
        "kavg_run_over_2ms": 9,
        "commands_aborted": 8,
        "troubled_samples": 7,
        "gavg_ms": 6.0,
        "davg_ms": 5.0,
        "kavg_ms": 4.0,
        "qavg_ms": 3.0,
    }
    figures |= {"davg_median_ms": 2.0, "commands_per_second": 1.0}
    places = [("vc", "h1", "naa.1"), ("vc", "h1", "naa.2"), ("vc", "h2", "naa.1"), ("vc-2", "h1", "naa.1"), ("vc", "h2", "naa.2")]
    named = [dict(zip(("endpoint", "host_id", "device"), place, strict=True)) for place in places]
    own = {"family": "ontap", "queue_depth": 64, "dsnro": 32, "driver": "nfnic", "hosts": 2, "qos_capped": True, "pool_id": "p"}
    given: dict[str, Rows] = {
        "device": [{**place, "resource_id": f"{place['host_id']}/{place['device']}", **own} for place in named],
        "fact.device_load": [{**named[0], **figures}, *({**place, "samples": number} for number, place in enumerate(named[1:4]))],
    }
    expected: ByName = {
        "h1/naa.1": {**figures, **own},
        "h1/naa.2": {"samples": 0},
        "h2/naa.1": {"samples": 1},
        "vc-2/h1/naa.1": {"samples": 2},
        "h2/naa.2": {**own, **dict.fromkeys(figures)},
    }
    steps = ("step_load_figures", "step_load", "step_device_load", "step_load_of_class")
    assert shown(chained("device_load", with_numbers(given), *steps), expected) == expected
