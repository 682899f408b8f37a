"""Every column of the views over pools of arrays and the work in their background, with pools of the same ids on another array."""

from typing import Any

import pytest

from .single import ByName, Rows, rows_over, shown


def of_east(*rows: dict[str, Any]) -> Rows:
    """These rows; those that name no endpoint are of the array "east"."""
    return [{"endpoint": "east", **row} for row in rows]


def copy(name: str, pool: str | None, seconds: int | None = None, starts: str | None = None, **more: Any) -> dict[str, Any]:
    """A relationship that copies away from a pool, with a schedule unless it starts by hand."""
    schedule = None if seconds is None and starts is None else "some"
    own = {"replication_id": name, "pool_id": pool, "role": "source", "schedule_read": True, "schedule": schedule}
    return {"endpoint": "east", "interval_seconds": seconds, "start_minutes": starts, **own, **more}


def reduction(volume_id: str, pool: str | None, starts: str | None, schedule: str | None = "some", **more: Any) -> dict[str, Any]:
    """A volume that is deduplicated."""
    return {
        "endpoint": "east",
        "volume_id": volume_id,
        "pool_id": pool,
        "start_minutes": starts,
        "schedule": schedule,
        "state": "enabled",
        **more,
    }


POOLS = ("busy", "calm", "half-known", "unread", "other-clock", "empty")


def array_pools() -> Rows:
    """Pools of "east", of "west" with the same ids, and of "north" and "south", where something is not known."""
    pools = [{"endpoint": name, "pool_id": pool} for name in ("east", "west", "north", "south") for pool in POOLS]
    nodes = {"east": "n1", "west": "n1", "north": "n9", "south": "n2"}
    read = {"replication_read": True, "efficiency_read": True, "volumes_read": True}
    return rows_over(
        "array_pool",
        {
            "fact.array_pool": [
                *({**pool, "name": f"{pool['endpoint']}'s {pool['pool_id']}", "node_id": nodes[pool["endpoint"]]} for pool in pools),
                *of_east({"pool_id": "p", "name": "p", "node_id": "n2", "media": "hdd", "rpm": 7200, "disks": 24, "data_disks": 20})[:1],
            ],
            "step_array": [{"endpoint": "east", "family": "ontap"}, {"endpoint": "west", "family": "eternus-dx"}],
            "step_endpoint_reading": [
                *({"endpoint": name, **read} for name in ("east", "west", "south")),
                {"endpoint": "north", "replication_read": False, "efficiency_read": False, "volumes_read": False},
            ],
            "fact.array_pool_load": [
                *of_east(
                    {"pool_id": "busy", "transfers_per_second": 200.0, "user_transfers_per_second": 50.0, "busy_percent": 80.0},
                    {
                        "pool_id": "calm",
                        "transfers_per_second": 0.5,
                        "user_transfers_per_second": 0.6,
                        "disk_iops": 7.0,
                        "current_ops": 3.0,
                    },
                    {"pool_id": "half-known", "transfers_per_second": 0.5, "user_transfers_per_second": 0.25, "optimal_ops": 9.0},
                    {"pool_id": "unread", "transfers_per_second": 0.0, "user_transfers_per_second": 0.0, "current_latency_us": 5.0},
                ),
                {
                    "endpoint": "west",
                    "pool_id": "busy",
                    "transfers_per_second": 100.0,
                    "user_transfers_per_second": 90.0,
                    "busy_percent": 1.0,
                },
            ],
            "step_replication": [
                copy("r1", "busy", 300, "[0, 720]"),
                copy("r2", "busy", 3600, "[720, 60]"),
                copy("r3", "busy"),
                copy("r4", "busy", 1, "[720]", role="destination"),
                copy("r5", "busy", 2, "[720]", endpoint="west"),
                copy("r6", "calm", 86400, "[600]"),
                copy("r7", "calm", 86400, "[30]"),
                copy("r8", "half-known", None, None, schedule="not understood"),
                copy("r9", "half-known", 600, "[1]"),
                copy("r10", "unread", None, None, schedule_read=False),
                copy("r11", "other-clock", 900, None),
                copy("r12", "other-clock", 1800, "[10]"),
                copy("r13", "busy", 300, "[5]", endpoint="north"),
                copy("r14", "busy", 300, "[5]", endpoint="south"),
                copy("r15", None, 60, "[6]", endpoint="south"),
                copy("r17", None, 60, "[6]", endpoint="south"),
                copy("r16", None, 60, "[6]", endpoint="west", role="destination"),
            ],
            "fact.array_efficiency": [
                reduction("e1", "busy", "[0]"),
                reduction("e2", "busy", "[59]", state="enabled"),
                reduction("e3", "busy", "[60]"),
                reduction("e4", "busy", "[0]", state="disabled"),
                reduction("e5", "busy", "[600, 5]"),
                reduction("e6", "busy", None, "Auto@10"),
                reduction("e7", "busy", None, None),
                reduction("e8", "busy", "[0]", endpoint="west"),
                reduction("e9", "calm", None, "not understood"),
                reduction("e10", "calm", "[0]"),
                reduction("e11", "unread", None, "not understood", state="disabled"),
                reduction("e12", "busy", "[0]", endpoint="north"),
                reduction("e13", "calm", "[]", endpoint="west", state=None),
                reduction("e14", "busy", "[0]", endpoint="south", state=None),
            ],
            "fact.array_node": [
                *of_east({"node_id": "n1", "name": "node of east"}),
                {"endpoint": "west", "node_id": "n1", "name": "node of west"},
                {"endpoint": "west", "node_id": "n2", "name": "wrong"},
            ],
            "fact.array_scrub": [
                *of_east({"node_id": "node of east", "schedule": "s", "start_minutes": "[60]", "duration_minutes": 120}),
                *of_east({"node_id": "node of east", "schedule": "s", "start_minutes": "[60]", "duration_minutes": 360}),
                {"endpoint": "west", "node_id": "node of east", "schedule": "wrong"},
                {"endpoint": "south", "node_id": "n2", "schedule": "of south"},
            ],
            "step_pool_use": [
                *of_east(
                    {"pool_id": "busy", "volumes": 3, "volume_names": "v", "devices": "d", "datastores": "s", "host_names": "h", "qos": "q"}
                ),
                {"endpoint": "west", "pool_id": "busy", "volumes": 9},
                {"endpoint": "north", "pool_id": "busy", "volumes": 1},
            ],
        },
    )


def test_a_pool_has_its_own_load_its_own_background_work_and_its_own_users() -> None:
    shortest, a_day, together = "shortest_replication_seconds", "replication_starts_a_day", "replication_starts_in_one_minute"
    minute, midnight, share = "busiest_minute", "efficiency_at_midnight", "background_share"
    nothing: dict[str, Any] = {"replications": 0, shortest: None, a_day: 0.0, together: 0, minute: None}
    unknown = dict.fromkeys((*nothing, shortest))
    scrub = {"scrub_schedule": "s", "scrub_start_minutes": "[60]", "scrub_duration_minutes": 360, "node": "node of east", "family": "ontap"}
    used = {"volumes": 3, "volume_names": "v", "devices": "d", "datastores": "s", "host_names": "h", "qos": "q"}
    expected: ByName = {
        # 288 starts a day every 300 s, and 24 every hour
        "busy": {**scrub, **used, "replications": 3, shortest: 300, a_day: 312.0, together: 2, minute: 720, midnight: 3, share: 0.75}
        | {"busy_percent": 80.0, "resource_name": "east's busy"},
        "calm": {"replications": 2, shortest: 86400, a_day: 2.0, together: 1, minute: 30, midnight: None, share: 0.0, "volumes": 0}
        | {"disk_iops": 7.0, "current_ops": 3.0},
        "half-known": {"replications": 2, shortest: None, a_day: None, together: None, minute: None, share: 0.5, "optimal_ops": 9.0},
        "unread": {"replications": 1, shortest: None, a_day: None, together: None, minute: None, share: None, midnight: 0}
        | {"current_latency_us": 5.0},
        "other-clock": {"replications": 2, shortest: 900, a_day: 144.0, together: None, minute: None, share: None},
        "empty": {**nothing, midnight: 0, "volumes": 0},
        "p": {"node": "n2", "media": "hdd", "rpm": 7200, "disks": 24, "data_disks": 20, "scrub_schedule": None},
    }
    named = {f"east/{name}": row for name, row in expected.items()}
    named |= {f"west/{pool}": {**nothing, "node": "node of west", "family": "eternus-dx", "scrub_schedule": None} for pool in POOLS[1:]}
    named |= {f"north/{pool}": {**unknown, midnight: None, "volumes": None, "node": "n9", "family": None} for pool in POOLS}
    named |= {f"south/{pool}": {**unknown, midnight: 0, "node": "n2", "scrub_schedule": "of south"} for pool in POOLS}
    named["south/busy"] |= {midnight: None}
    named["west/busy"] = {"replications": 1, shortest: 2, a_day: 43200.0, together: 1, minute: 720, midnight: 1, share: 0.1, "volumes": 9}
    rows = [{**row, share: row[share] if row[share] is None else round(row[share], 6)} for row in array_pools()]
    assert shown(rows, named) == named


def test_a_pool_tells_apart_what_is_counted_apart_and_shows_what_works_in_its_background() -> None:
    def load(pool: str, total: float, clients: float | None, consistency: float | None) -> dict[str, Any]:
        rates = {"transfers_per_second": total, "user_transfers_per_second": clients, "consistency_reads_per_second": consistency}
        return {"pool_id": pool, **rates}

    running: dict[str, Any] = {"transfer_state": "transferring", "transfer_bytes": 6000}
    done: dict[str, Any] = {"transfer_state": "success", "transfer_bytes": 600}
    names = ("busy", "more", "still", "slow", "no clients", "no writes", "odd state", "odd bytes", "by hand")
    rows = rows_over(
        "array_pool",
        {
            "fact.array_pool": of_east(*({"pool_id": name, "name": name} for name in names)),
            "step_endpoint_reading": [{"endpoint": "east", "replication_read": True, "efficiency_read": True}],
            "fact.array_pool_load": of_east(
                load("busy", 200.0, 50.0, 30.0), load("more", 10.0, 8.0, 4.0), load("still", 0.0, 0.0, 0.0), load("slow", 0.5, 0.25, 0.125),
                load("no clients", 10.0, None, 1.0), load("no writes", 10.0, 1.0, None),
            ),
            "step_replication": [
                copy("r1", "busy", 300, "[0]", **running), copy("r2", "busy", 60, "[0]", **done),
                copy("r3", "odd state", 60, "[0]", transfer_bytes=60), copy("r4", "odd bytes", 60, "[0]", transfer_state="queued"),
                copy("r5", "by hand", **running), copy("r6", "busy", 1, "[0]", role="destination", **running),
            ],
            "fact.array_efficiency": [
                reduction("v1", "busy", "[0]", operation_state="active"), reduction("v2", "busy", "[0]", operation_state="idle"),
                reduction("v3", "more", "[0]"), reduction("v4", "still", "[0]", state="disabled"),
            ],
        },
    )  # fmt: skip
    columns = (
        "other_share",
        "consistency_reads_per_second",
        "replications_transferring",
        "replication_bytes_per_second",
        "efficiency_active",
    )
    assert {row["pool_id"]: tuple(row[column] for column in columns) for row in rows} == {
        "busy": (0.6, 30.0, 1, 30.0, 1),  # 1 - 80 / 200; 6,000 / 300 and 600 / 60 bytes a second
        "more": (0.0, 4.0, 0, 0.0, None),
        "still": (None, 0.0, 0, 0.0, 0),
        "slow": (0.25, 0.125, 0, 0.0, 0),
        "no clients": (None, 1.0, 0, 0.0, 0),
        "no writes": (None, None, 0, 0.0, 0),
        "odd state": (None, None, None, 1.0, 0),
        "odd bytes": (None, None, 0, None, 0),
        "by hand": (None, None, 1, 0.0, 0),
    }


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        pytest.param("east", (2, 1, 1), id="all is known"),
        pytest.param("no home", (None, 1, 1), id="a volume lies on nobody knows which pool"),
        pytest.param("may start", (2, None, 1), id="a volume of any pool may start then"),
        pytest.param("may run", (2, 1, None), id="a volume of any pool may be worked on"),
    ],
)
def test_what_may_be_of_any_pool_of_an_array_leaves_its_counts_open(array: str, expected: tuple[int | None, ...]) -> None:
    arrays = [{"endpoint": name} for name in ("east", "no home", "may start", "may run", "west")]
    given: dict[str, Rows] = {
        "fact.array_pool": [{**one, "pool_id": "p", "name": "p"} for one in arrays],
        "step_endpoint_reading": [{**one, "efficiency_read": True, "volumes_read": True} for one in arrays],
        "fact.array_efficiency": [{**reduction("v1", "p", "[0]", operation_state="active"), **one} for one in arrays],
        "step_pool_use": [{**one, "pool_id": "p", "volumes": 2} for one in arrays],
        "step_volume": [{**one, "pool_id": None if one["endpoint"] == "no home" else "p"} for one in arrays],
        "step_efficiency_anywhere": [
            {"endpoint": "may start", "may_start": True, "may_run": False},
            {"endpoint": "may run", "may_start": False, "may_run": True},
            {"endpoint": "west", "may_start": True, "may_run": True},
        ],
    }
    columns = ("volumes", "efficiency_at_midnight", "efficiency_active")
    assert [tuple(row[column] for column in columns) for row in rows_over("array_pool", given) if row["endpoint"] == array] == [expected]


def test_a_replication_has_the_load_of_its_own_sides_pool_and_the_users_of_its_own_sides_volume() -> None:
    usage = ("volumes", "devices", "datastores", "host_names", "qos")
    given: dict[str, Rows] = {
        "step_replication": [
            copy(
                "away", "p", 300, "[0]", source="svm:a", destination="svm:b", policy="hourly", state="idle", is_healthy=True, lag_seconds=4
            ),
            copy("here", "p", source="svm:a", destination="svm:b", role="destination"),
            copy("unread", "q", source="svm:x", destination="svm:y", schedule_read=False),
            copy("unread", "q", source="svm:x", destination="svm:y", role="destination", endpoint="west"),
        ],
        "step_array": [{"endpoint": "east", "family": "ontap"}],
        "array_pool": [
            *of_east({"resource_id": "p", "resource_name": "pool", "node": "n", "media": "hdd", "busy_percent": 1.0, "disk_iops": 2.0}),
            {"endpoint": "east", "resource_id": "q", "datastores": "of pool", "host_names": "hosts of pool", "volume_names": "on pool"}
            | {"devices": "seen", "qos": "q of pool", "current_ops": 3.0, "optimal_ops": 4.0, "background_share": 0.5, "replications": 6}
            | {"replication_starts_in_one_minute": 7},
            {"endpoint": "west", "resource_id": "p", "resource_name": "wrong"},
        ],
        "step_path_use": [
            *of_east({"path": "svm:a", **{name: f"{name} of a" for name in usage}}),
            *of_east({"path": "svm:b", **{name: f"{name} of b" for name in usage}}),
            {"endpoint": "west", "path": "svm:a", "volumes": "wrong"},
        ],
    }
    expected: ByName = {
        "east/away": {
            **{name: f"{name} of a" for name in usage},
            "resource_name": "svm:a to svm:b",
            "family": "ontap",
            "is_scheduled": True,
        }
        | {
            "pool": "pool",
            "node": "n",
            "media": "hdd",
            "busy_percent": 1.0,
            "disk_iops": 2.0,
            "interval_seconds": 300,
            "start_minutes": "[0]",
        }
        | {"policy": "hourly", "state": "idle", "is_healthy": True, "lag_seconds": 4, "schedule": "some", "role": "source"},
        "east/here": {**{name: f"{name} of b" for name in usage}, "is_scheduled": False, "pool": "pool", "schedule": None},
        "east/unread": {"volumes": "svm:x", "datastores": "of pool", "host_names": "hosts of pool", "is_scheduled": None, "qos": None}
        | {"volumes_of_pool": "on pool", "devices_of_pool": "seen", "qos_of_pool": "q of pool", "current_ops": 3.0, "optimal_ops": 4.0}
        | {"background_share": 0.5, "replications_of_pool": 6, "replication_starts_in_one_minute": 7},
        "west/unread": {"volumes": "svm:y", "datastores": None, "host_names": None, "pool": None, "family": None, "is_scheduled": True},
    }
    given["step_replication"][3]["schedule"] = "some"
    assert shown(rows_over("replication", given), expected) == expected


def test_what_starts_during_a_scrub_is_counted_by_the_pool_and_the_minute() -> None:
    """Two runs overlap, 01:00 to 03:00 and 01:30 to 03:30; another goes over midnight, 23:50 to 00:20; some are not known."""
    known = {"replication_starts_in_one_minute": 9, "efficiency_at_midnight": 9}
    given: dict[str, Rows] = {
        "array_pool": [
            {"endpoint": endpoint, "resource_id": name, "pool_id": name, "scrub_start_minutes": starts, "scrub_duration_minutes": minutes}
            | {**known, **more}
            for endpoint, name, starts, minutes, more in (
                ("east", "twice", "[60, 90]", 120, {"resource_name": "x", "family": "ontap", "node": "n", "media": "hdd", "qos": "q"}),
                ("east", "midnight", "[1430]", 30, {"replications": 4, "volume_names": "v", "devices": "d", "datastores": "s"}),
                ("east", "quiet", "[60]", 60, {"host_names": "h", "scrub_schedule": "60m@sun@1"}),
                ("east", "no-starts", None, 60, {}),
                ("east", "no-duration", "[60]", None, {}),
                ("east", "no-copies", "[60]", 60, {"replication_starts_in_one_minute": None}),
                ("east", "no-passes", "[60]", 60, {"efficiency_at_midnight": None}),
                ("west", "twice", "[0]", 1440, {}),
            )
        ],
        "step_replication": [
            copy("r1", "twice", 300, "[59, 60, 209]"),
            copy("r2", "twice", 300, "[60, 210]"),
            copy("r3", "twice", 300, "[210, 100]"),
            copy("r4", "twice", 300, "[210, 100]"),
            copy("r5", "twice", 300, "[60]", role="destination"),
            copy("r6", "twice", 300, "[700]", endpoint="west"),
            copy("r7", "midnight", 300, "[19, 100]"),
            copy("r10", "midnight", 300, "[19, 100]"),
            copy("r11", "midnight", 300, "[100]"),
            copy("r8", "midnight", 300, "[1430, 20]"),
            copy("r9", "midnight", 300, "[20, 1429]"),
            *(copy(f"r1{number}", pool, 300, "[60]") for number, pool in enumerate(("no-starts", "no-duration", "no-copies", "no-passes"))),
        ],
        "fact.array_efficiency": [
            reduction("e1", "twice", "[60, 100]"),
            reduction("e2", "twice", "[209]", state="enabled"),
            reduction("e3", "twice", "[210]"),
            reduction("e4", "twice", "[100]", state="disabled"),
            reduction("e5", "twice", "[100]", endpoint="west"),
            reduction("e6", "midnight", "[19]"),
            reduction("e7", "midnight", "[20]"),
            reduction("e8", "midnight", "[100]"),
            *(reduction(f"e1{number}", pool, "[60]") for number, pool in enumerate(("no-starts", "no-duration", "no-copies", "no-passes"))),
        ],
    }
    starts, passes = "replication_starts_in_one_minute", "efficiency_starts"
    expected: ByName = {
        "east/twice": {starts: 2, passes: 2, "resource_name": "x", "family": "ontap", "node": "n", "media": "hdd", "qos": "q"},
        "east/midnight": {starts: 2, passes: 1, "replications": 4, "volume_names": "v", "devices": "d", "datastores": "s"},
        "east/quiet": {starts: 0, passes: 0, "host_names": "h", "scrub_schedule": "60m@sun@1", "scrub_duration_minutes": 60},
        "east/no-starts": {starts: None, passes: None},
        "east/no-duration": {starts: None, passes: None},
        "east/no-copies": {starts: None, passes: 1},
        "east/no-passes": {starts: 1, passes: None},
        "west/twice": {starts: 1, passes: 1},
    }
    assert shown(rows_over("pool_scrub", given), expected) == expected


def test_a_deduplication_has_its_own_start_and_what_its_own_pool_and_policy_say() -> None:
    usage = {"volumes": "v", "devices": "d", "datastores": "s", "host_names": "h", "qos": "q"}
    of_pool = {f"{name}_of_pool": f"{name} of pool" for name in usage}
    pool = {"volume_names" if name == "volumes" else name: f"{name} of pool" for name in usage}
    given: dict[str, Rows] = {
        "fact.array_efficiency": [
            reduction(
                "known",
                "p",
                "[700, 20]",
                volume="svm:a",
                policy_id="y",
                policy="daily",
                duration_minutes=60,
                qos_policy="background",
                state="enabled",
            ),
            reduction("off", "q", "[0]", state="disabled"),
            reduction("auto", "q", None, "Auto@20", state="enabled"),
            reduction("threshold", "q", None, None),
            reduction("never", "q", "[]"),
            reduction("odd", "q", None, "not understood", state="enabled"),
            reduction("maybe off", "q", "[5]", state=None),
            reduction("known", "p", None, None, endpoint="west", volume="svm:a", policy_id="y"),
        ],
        "step_array": [{"endpoint": "east", "family": "ontap"}],
        "step_endpoint_reading": [{"endpoint": "east", "efficiency_read": True}, {"endpoint": "west", "efficiency_read": False}],
        "array_pool": [
            {
                "endpoint": "east",
                "resource_id": "p",
                "resource_name": "pool",
                "node": "n",
                "media": "hdd",
                "busy_percent": 1.0,
                "disk_iops": 2.0,
            }
            | {"efficiency_at_midnight": 5, **pool},
            {"endpoint": "west", "resource_id": "p", "resource_name": "pool of west"},
        ],
        "step_efficiency_wave": [
            *of_east({"volume_id": "known", "volumes_in_wave": 8}, {"volume_id": "off", "volumes_in_wave": 9}),
            {"endpoint": "west", "volume_id": "known", "volumes_in_wave": 7},
        ],
        "step_efficiency_move": [
            *of_east({"policy_id": "y", "policy_volumes": 3, "free_schedule": "f"}, {"policy_id": "z", "policy_volumes": 4}),
            {"endpoint": "west", "policy_id": "y", "policy_volumes": 6},
        ],
        "step_path_use": [*of_east({"path": "svm:a", **usage}), {"endpoint": "west", "path": "svm:a", "volumes": "v of west"}],
    }
    nothing = dict.fromkeys((*usage, *of_pool, "pool", "volumes_at_midnight", "policy_volumes"))
    expected: ByName = {
        "known": {
            **usage,
            **of_pool,
            "first_start_minute": 20,
            "is_scheduled": True,
            "family": "ontap",
            "pool": "pool",
            "priority": "background",
        }
        | {"volumes_at_midnight": 5, "volumes_in_wave": 8, "policy_volumes": 3, "free_schedule": "f", "resource_name": "svm:a", "node": "n"}
        | {"policy": "daily", "duration_minutes": 60, "schedule": "some", "media": "hdd", "busy_percent": 1.0, "disk_iops": 2.0},
        "off": {**nothing, "is_scheduled": False, "volumes_in_wave": 9},
        "auto": {"is_scheduled": False, "first_start_minute": None, "volumes_in_wave": None, "state": "enabled"},
        "threshold": {"is_scheduled": False},
        "never": {"is_scheduled": False, "first_start_minute": None},
        "odd": {"is_scheduled": None, "first_start_minute": None},
        "maybe off": {"is_scheduled": None, "first_start_minute": 5},
    }
    named = {f"east/{name}": row for name, row in expected.items()}
    named["west/known"] = {"is_scheduled": None, "volumes_in_wave": 7, "policy_volumes": 6, "pool": "pool of west", "volumes": "v of west"}
    named["west/known"] |= {"family": None}
    assert shown(rows_over("efficiency", given), named) == named
