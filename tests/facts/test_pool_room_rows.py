"""Rows of `step_pool_room`: which other aggregates of a cluster have room, and when nobody knows."""

from typing import Any

from .single import rows_over

Pools = dict[str, dict[str, Any]]
BUSY: dict[str, Any] = {"busy_percent": 80.0, "current_ops": 6800.0, "optimal_ops": 5000.0, "free_bytes": 10**12}
CALM: dict[str, Any] = {"busy_percent": 40.0, "current_ops": 1000.0, "optimal_ops": 5000.0, "free_bytes": 2 * 10**12}
FLASH: dict[str, Any] = {"busy_percent": 3.0, "current_ops": 0.0, "optimal_ops": 60000.0, "free_bytes": 10**12, "media": "ssd"}


def candidates(pools: Pools, *, read: bool = True, family: str = "ontap") -> dict[str, str | None]:
    """By pool, what is named; each cluster has a namesake elsewhere, which is no candidate."""
    listed = [("na", name, about) for name, about in pools.items()] + [("elsewhere", "huge", FLASH)]
    load = ("busy_percent", "current_ops", "optimal_ops")
    rows = rows_over(
        "step_pool_room",
        {
            "fact.array_pool": [
                {
                    "endpoint": at,
                    "pool_id": name,
                    "name": name,
                    "node_id": "n1",
                    "media": about.get("media", "hdd"),
                    "free_bytes": about["free_bytes"],
                }
                for at, name, about in listed
            ],
            "fact.array_pool_load": [{"endpoint": at, "pool_id": name, **{one: about[one] for one in load}} for at, name, about in listed],
            "step_array": [{"endpoint": at, "family": family} for at in ("na", "elsewhere")],
            "step_endpoint_reading": [{"endpoint": at, "pools_read": read} for at in ("na", "elsewhere")],
        },
    )
    return {row["pool_id"]: row["candidates"] for row in rows if row["endpoint"] == "na"}


def test_aggregates_with_room_are_named_the_one_with_most_first() -> None:
    found = candidates({"busy": BUSY, "calm": CALM, "flash": FLASH})
    flash = "flash on n1: ssd, 3 % busy, 60000 operations a second below its optimal point, 1.0 TB free"
    calm = "calm on n1: hdd, 40 % busy, 4000 operations a second below its optimal point, 2.0 TB free"
    assert found == {"busy": f"{flash}; {calm}", "calm": flash, "flash": calm}


def test_three_are_named_at_most() -> None:
    found = candidates({"busy": BUSY, **dict.fromkeys("abcd", CALM)})["busy"]
    assert found is not None
    assert [part.partition(" ")[0] for part in found.split("; ")] == ["a", "b", "c"]


def test_none_is_said_only_where_every_other_aggregate_is_known() -> None:
    for short in ({"busy_percent": 40.1}, {"current_ops": 5000.0}, {"free_bytes": 0}):
        assert candidates({"busy": BUSY, "other": CALM | short})["busy"] == "none"
    for open_ in ({"busy_percent": None}, {"current_ops": None}, {"optimal_ops": None}, {"free_bytes": None}):
        assert candidates({"busy": BUSY, "other": CALM | open_})["busy"] is None
    assert candidates({"busy": BUSY}) == {"busy": "none"}
    assert candidates({"busy": BUSY}, read=False) == {"busy": None}


def test_other_arrays_have_none() -> None:
    assert candidates({"busy": BUSY, "calm": CALM}, family="eseries") == {}


def test_the_processors_of_a_pools_node_are_told_by_their_busiest_domains() -> None:
    cpu = {"idle": 60.0, "wafl": 20.0, "raid": 10.4, "net": 4.0, "host": 3.0, "sm": 2.0, "xor": 0.6}
    rows = rows_over(
        "array_pool",
        {
            "fact.array_pool": [{"endpoint": "na", "pool_id": name, "name": name, "node_id": name} for name in ("n1", "n2")],
            "fact.array_node_cpu": [
                *({"endpoint": "na", "node_id": "n1", "domain": domain, "percent": percent} for domain, percent in cpu.items()),
                {"endpoint": "elsewhere", "node_id": "n2", "domain": "raid", "percent": 99.0},
            ],
        },
    )
    found = {row["pool_id"]: (row["cpu_percent"] and round(row["cpu_percent"], 1), row["cpu_domains"]) for row in rows}
    assert found == {"n1": (40.0, "wafl 20 %, raid 10 %, net 4 %, host 3 %, sm 2 %"), "n2": (None, None)}
