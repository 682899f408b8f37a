"""Steps over arrays: schedules in the background, shares, and who uses a volume; with the same ids on another array."""

import json
from typing import Any

from .single import Keyed, Rows, by, of_vc, rows_over

TRANSFER = ("transfer_state", "transfer_bytes", "transfer_seconds")


def test_a_relationship_has_the_schedule_of_the_cluster_that_holds_the_destination() -> None:
    def relationship(
        name: str, role: str, schedule: str | None, endpoint: str = "east", *, read: bool | None = True, **more: Any
    ) -> dict[str, Any]:
        timing = {
            "schedule": schedule,
            "schedule_read": read,
            "interval_seconds": 300 if schedule else None,
            "policy": f"policy of {endpoint}",
        }
        own = {"replication_id": name, "role": role, "source": "svm:a", "destination": "svm:b", "pool_id": "p", "state": "idle"}
        return {"endpoint": endpoint, **own, **timing, "is_healthy": True, "lag_seconds": 4, "start_minutes": f"[{len(endpoint)}]", **more}

    given: dict[str, Rows] = {
        "fact.array_replication": [
            relationship("r1/source", "source", "own"),
            relationship("r2/source", "source", None, read=False, policy=None),
            relationship("r2/destination", "destination", "5min", "west", interval_seconds=301),
            relationship("r3/source", "source", None, read=False),
            relationship("r3/destination", "destination", None, "west", read=False),
            relationship("r4/source", "source", None, read=False),
            relationship("r4/destination", "destination", "other volume", "west", source="svm:x"),
            relationship("r5/source", "source", None, read=False),
            relationship("r5/destination", "destination", "other copy", "west", destination="svm:x"),
            relationship("r6/source", "source", None, read=None),
            relationship("r6/other", "source", "not of the destination", "west"),
            relationship("r7/source", "source", None, read=False),
            *(relationship(f"r7/destination {name}", "destination", "hourly", name) for name in ("west", "north")),
            relationship("r8/source", "source", None),
            relationship("r8/destination", "destination", "5min", "west"),
        ]
    }
    handed_on = ("role", "source", "destination", "pool_id", "state", "is_healthy", "lag_seconds", "start_minutes")
    own = {row["replication_id"]: {column: row[column] for column in handed_on} for row in given["fact.array_replication"]}

    def timing(schedule: str | None, seconds: int | None, policy: str = "policy of east", *, read: bool = True) -> dict[str, Any]:
        return {"schedule": schedule, "interval_seconds": seconds, "policy": policy, "schedule_read": read}

    expected = {
        "r1/source": timing("own", 300),
        "r2/source": timing("5min", 301, "policy of west"),
        "r3/source": timing(None, None, read=False),
        "r4/source": timing(None, None, read=False),
        "r5/source": timing(None, None, read=False),
        "r6/source": timing(None, None, read=False),
        "r7/source": timing(None, None, read=False),  # two tell it, and neither is believed
        "r8/source": timing(None, None),
        "r2/destination": timing("5min", 301, "policy of west"),
    }
    rows = by("step_replication", "endpoint replication_id", given)
    sources = {name: row for (_, name), row in rows.items() if name in expected}
    assert len(rows) == len(given["fact.array_replication"])
    left_out = (*handed_on, *TRANSFER)
    assert {name: {column: value for column, value in row.items() if column not in left_out} for name, row in sources.items()} == expected
    assert {name: {column: row[column] for column in handed_on} for (_, name), row in rows.items()} == own


def test_a_relationship_has_the_newest_transfer_of_whichever_side_tells_it() -> None:
    def side(name: str, role: str, endpoint: str, *transfer: object) -> dict[str, Any]:
        own = {"replication_id": f"{name}/{role}", "role": role, "source": "svm:a", "destination": "svm:b", "schedule_read": True}
        return {"endpoint": endpoint, **own, **dict(zip(TRANSFER, transfer, strict=True))}

    given: dict[str, Rows] = {
        "fact.array_replication": [
            side("own", "source", "east", "success", 10, 20),
            side("own", "destination", "west", "transferring", 11, 21),
            side("theirs", "source", "east", None, None, None),
            side("theirs", "destination", "west", "transferring", 12, 22),
            side("queued", "source", "east", "queued", None, None),
            side("queued", "destination", "west", "transferring", 13, 23),
            side("nobody's", "source", "east", None, None, None),
        ]
    }
    rows = by("step_replication", "endpoint replication_id", given)
    assert {name: tuple(row[column] for column in TRANSFER) for (endpoint, name), row in rows.items() if endpoint == "east"} == {
        "own/source": ("success", 10, 20),
        "theirs/source": ("transferring", 12, 22),
        "queued/source": ("queued", None, None),
        "nobody's/source": (None, None, None),
    }


def reduction(volume: str, policy: str | None, starts: str | None, days: str | None, pool: str | None = "p", **more: Any) -> dict[str, Any]:
    """A volume of "east" that is deduplicated by a policy."""
    own = {"volume_id": volume, "pool_id": pool, "policy_id": policy, "schedule": "some", "start_minutes": starts, "start_days": days}
    return {"endpoint": "east", "state": "enabled", **own, **more}


def test_a_deduplication_starts_in_each_hour_of_the_week_that_its_days_and_minutes_give() -> None:
    given: dict[str, Rows] = {
        "fact.array_efficiency": [
            reduction("v1", "y", "[59, 60, 65]", "[0, 3]"),
            reduction("v2", None, "[1439]", "[6]", state=None),
            reduction("v3", "y", "[5]", "[1]", state="disabled"),
            reduction("v4", "y", "[5]", "[1]", None),
            reduction("v5", "y", None, "[1]"),
            reduction("v6", "y", "[5]", None),
        ]
    }
    starts = {(row["volume_id"], row["policy_id"], row["day"], row["hour"]) for row in rows_over("step_efficiency_start", given)}
    assert starts == {("v1", "y", 0, 0), ("v1", "y", 0, 1), ("v1", "y", 3, 0), ("v1", "y", 3, 1), ("v2", None, 6, 23)}
    assert len(rows_over("step_efficiency_start", given)) == len(starts)


def test_volumes_of_one_pool_that_start_in_one_hour_are_a_wave() -> None:
    def start(volume: str, day: int, hour: int, pool: str = "p", endpoint: str = "east") -> dict[str, Any]:
        return {"endpoint": endpoint, "pool_id": pool, "volume_id": volume, "day": day, "hour": hour}

    given: dict[str, Rows] = {
        "fact.array_efficiency": [
            *(reduction(name, "y", "[5]", "[0]") for name in ("v1", "v2", "v3", "v4", "v13", "v14")),
            reduction("v5", "y", "[5]", "[0]", "q"),
            reduction("v6", "y", None, None, "q", schedule="Auto@20"),
            reduction("v7", "y", None, None, "r"),
            reduction("v8", "y", "[5]", "[0]", "r"),
            reduction("v9", "y", "[5]", None, "s"),
            reduction("v10", "y", "[]", None, "t"),
            reduction("v11", "y", None, None, "t", state="disabled"),
            reduction("v12", "y", None, None, "t", schedule=None),
            reduction("v1", "y", "[5]", "[0]", endpoint="west"),
            *(reduction(name, "y", "[5]", "[0]", endpoint="north") for name in ("v1", "v2")),
            reduction("v7", "y", "[5]", "[0]", "r", endpoint="north"),
            reduction("v8", "y", "[]", None, "r", endpoint="north", state=None),
            reduction("v9", "y", "[5]", "[0]", "s", endpoint="north", state=None),
        ],
        "step_efficiency_start": [
            *(start(name, 0, 0) for name in ("v1", "v2", "v3")),
            start("v1", 0, 1),
            start("v4", 0, 1),
            start("v13", 1, 0),
            start("v3", 1, 0),
            start("v5", 0, 0, "q"),
            start("v8", 0, 0, "r"),
            *(start(name, 0, 0, endpoint="north") for name in ("v1", "v2")),
            start("v7", 0, 0, "r", "north"),
        ],
        "step_endpoint_reading": [
            {"endpoint": "east", "efficiency_read": True},
            {"endpoint": "west", "efficiency_read": False},
            {"endpoint": "north", "efficiency_read": True},
        ],
    }
    sizes = {
        "v1": 3,
        "v2": 3,
        "v3": 3,
        "v4": 2,
        "v13": 2,
        "v14": 0,
        "v5": 1,
        "v6": 0,
        "v7": None,
        "v8": None,
        "v9": None,
        "v10": 0,
        "v11": 0,
        "v12": 0,
    }
    surely = {"v7": 0, "v8": 1, "v9": 0}
    expected: Keyed = {
        ("east", name): {"volumes_in_wave": size, "volumes_in_wave_at_least": surely[name] if size is None else size}
        for name, size in sizes.items()
    }
    expected |= {
        ("west", "v1"): {"volumes_in_wave": None, "volumes_in_wave_at_least": 0},
        ("north", "v1"): {"volumes_in_wave": 2, "volumes_in_wave_at_least": 2},
        ("north", "v2"): {"volumes_in_wave": 2, "volumes_in_wave_at_least": 2},
        ("north", "v7"): {"volumes_in_wave": 1, "volumes_in_wave_at_least": 1},
        ("north", "v8"): {"volumes_in_wave": 0, "volumes_in_wave_at_least": 0},
        ("north", "v9"): {"volumes_in_wave": None, "volumes_in_wave_at_least": 0},
    }
    assert by("step_efficiency_wave", "endpoint volume_id", given) == expected


def test_each_policy_of_a_wave_is_given_another_free_schedule() -> None:
    waves = {"crowd-a": 4, "crowd-b": 3, "alone": 1, "off": 4, "crowd-c": 2}
    pools = {"crowd-a": ["p", "p", "q"], "crowd-b": ["p"], "alone": ["q"], "off": ["p"], "crowd-c": ["p"]}
    volumes = [(policy, f"{policy} {number}", pool) for policy, several in pools.items() for number, pool in enumerate(several)]
    given: dict[str, Rows] = {
        "fact.array_efficiency": [
            *(
                reduction(name, policy, "[5]", "[0]", pool, state="disabled" if policy == "off" else "enabled")
                for policy, name, pool in volumes
            ),
            reduction("no policy", None, "[5]", "[0]"),
            reduction("crowd-a 0", "crowd-a", "[5]", "[0]", endpoint="west"),
            reduction("first", "a policy", "[5]", "[0]", endpoint="west"),
            *(reduction(f"x {number}", "crowd-b", "[5]", "[0]", endpoint="west", state=None) for number in range(3)),
        ],
        "step_efficiency_wave": [
            *(
                {"endpoint": "east", "volume_id": name, "volumes_in_wave": 1 if name == "crowd-a 2" else waves[policy]}
                for policy, name, _ in volumes
            ),
            {"endpoint": "west", "volume_id": "crowd-a 0", "volumes_in_wave": 1},
            {"endpoint": "west", "volume_id": "first", "volumes_in_wave": 2},
            *({"endpoint": "west", "volume_id": f"x {number}", "volumes_in_wave": None} for number in range(3)),
        ],
        "step_free_schedule": [
            *({"endpoint": "east", "name": f"free {place}", "place": place} for place in (1, 2, 3)),
            {"endpoint": "west", "name": "free in the west", "place": 1},
        ],
    }

    def move(count: int, schedule: str | None) -> dict[str, Any]:
        return {"policy_volumes": count, "free_schedule": schedule}

    expected: Keyed = {
        ("east", "alone"): move(1, None),
        ("east", "crowd-a"): move(2, "free 1"),
        ("east", "crowd-b"): move(1, "free 2"),
        ("east", "crowd-c"): move(1, "free 3"),
        ("west", "a policy"): move(1, "free in the west"),
        ("west", "crowd-a"): move(1, None),
        ("west", "crowd-b"): move(3, None),
    }
    assert by("step_efficiency_move", "endpoint policy_id", given) == expected


def test_a_schedule_is_free_where_nothing_else_starts_in_its_hours() -> None:
    def schedule(name: str, minutes: list[int], days: list[int], seconds: int = 86400, endpoint: str = "east") -> dict[str, Any]:
        starts = {"start_minutes": json.dumps(minutes), "start_days": json.dumps(days)}
        return {"endpoint": endpoint, "name": name, "interval_seconds": seconds, **starts}

    read = {"efficiency_read": True, "scrub_read": True}
    given: dict[str, Rows] = {
        "fact.array_schedule": [
            schedule("a, at two", [120], [0]),
            schedule("b, at two as well", [130], [0]),
            schedule("c, at two, another day", [120], [3], 604800),
            schedule("d, at midnight", [59], [1]),
            schedule("e, at one", [60], [5]),
            schedule("f, twice a day", [240, 300], [1], 43200),
            schedule("f, twice, by its mean", [240, 300], [1]),
            schedule("g, too rarely", [240], [1], 604801),
            schedule("g, too often", [240], [1], 86399),
            schedule("h, with a volume", [300], [2]),
            schedule("i, another day than it", [301], [3]),
            schedule("j, while disks are scrubbed", [659], [1]),
            schedule("k, after that", [660], [1]),
            schedule("l, before that", [599], [2]),
            *(schedule("a, at two", [120], [0], endpoint=name) for name in ("west", "busy")),
            *(schedule("a", [120], [0], endpoint=name) for name in ("north", "south", "unread", "unscrubbed", "all day")),
        ],
        "fact.array_scrub": [
            {"endpoint": "east", "node_id": "n", "start_minutes": "[600]", "duration_minutes": 60},
            {"endpoint": "south", "node_id": "n"},
            {"endpoint": "all day", "node_id": "n", "start_minutes": "[600]"},
        ],
        "fact.array_efficiency": [{"endpoint": name, "volume_id": "v"} for name in ("east", "north")],
        "step_efficiency_wave": [{"endpoint": "east", "volume_id": "v", "volumes_in_wave": 1}, {"endpoint": "north", "volume_id": "v"}],
        "step_efficiency_start": [
            {"endpoint": "east", "day": 2, "hour": 5},
            {"endpoint": "busy", "day": 0, "hour": 2},
        ],
        "step_endpoint_reading": [
            *({"endpoint": name, **read} for name in ("east", "west", "busy", "north", "south", "all day")),
            {"endpoint": "unread", **read, "efficiency_read": False},
            {"endpoint": "unscrubbed", **read, "scrub_read": False},
        ],
    }
    free = ("a, at two", "c, at two, another day", "e, at one", "i, another day than it", "k, after that", "l, before that")
    expected: Keyed = {("east", name): {"place": place} for place, name in enumerate(free, 1)}
    expected["west", "a, at two"] = {"place": 1}
    assert by("step_free_schedule", "endpoint name", given) == expected


def test_a_datastore_lies_on_its_extents_or_on_the_share_that_it_mounts() -> None:
    reported = {"array_name": "east", "array_endpoint": "east", "volume_id": "v1", "volume": "vol", "qos": "q", "qos_policy": "gold"}
    limits = {"qos_max_iops": 1, "qos_max_bytes_per_second": 2, "qos_capped": True}
    given: dict[str, Rows] = {
        "fact.datastore_extent": of_vc({"datastore_id": "block", "device": "naa.1"}, {"datastore_id": "block", "device": "naa.2"}),
        "step_array_device": [{"device": "naa.1", **reported, **limits}, {"device": "naa.9", "volume": "wrong"}],
        "step_nfs_server": of_vc(
            {"datastore_id": "share", "family": "ontap", "array_endpoint": "filer", "volume_id": "v1"},
            {"datastore_id": "no share", "family": "other"},
        ),
        "step_volume": [
            {"endpoint": "filer", "volume_id": "v1", "name": "vol1"},
            {"endpoint": "filer", "volume_id": "v2", "name": "wrong"},
            {"endpoint": "east", "volume_id": "v1", "name": "wrong"},
        ],
        "step_volume_qos": [
            {"endpoint": "filer", "volume_id": "v1", "qos": "300 IOPS", "qos_policy": "bronze", "qos_max_iops": 300, "is_capped": True}
            | {"qos_max_bytes_per_second": 4},
            {"endpoint": "east", "volume_id": "v1", "qos": "wrong"},
            {"endpoint": "filer", "volume_id": "v2", "qos": "wrong"},
        ],
    }
    none = dict.fromkeys((*reported, *limits, "family", "joined_by"))
    expected: Keyed = {
        ("vc", "block", "naa.1"): {**reported, **limits, "family": None, "joined_by": "device name"},
        ("vc", "block", "naa.2"): {**none, "joined_by": "device name"},
        ("vc", "share", None): {**none, "family": "ontap", "joined_by": "server and path", "array_name": "filer", "array_endpoint": "filer"}
        | {"volume_id": "v1", "volume": "vol1", "qos": "300 IOPS", "qos_policy": "bronze", "qos_max_iops": 300, "qos_capped": True}
        | {"qos_max_bytes_per_second": 4},
        ("vc", "no share", None): {**none, "family": "other"},
    }
    assert by("step_datastore_volume", "endpoint datastore_id device", given) == expected
