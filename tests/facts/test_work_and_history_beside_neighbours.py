"""Jobs, activity, guests and the history of a day, each view beside the rows that a mistake in it would take for its own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from .single import Rows, by, of_vc, rows_over

NIGHT = datetime(2026, 11, 29, 2, 0, tzinfo=UTC)


def test_machines_that_run_on_a_volume_are_counted_once_and_what_may_be_more_is_told() -> None:
    lying = {"d1": "v1", "d2": "v1", "d3": "v2", "d5": "v4", "d6": "v5", "d7": "v6", "d8": None}
    disks = (
        ("vm1", "d1", None),
        ("vm1", "d2", None),
        ("vm2", "d2", None),
        ("vm3", "d1", None),
        ("vm9", "d3", "physicalMode"),
        ("vm5", "d5", None),
    )
    runs = {"vm1": True, "vm2": True, "vm3": False, "vm9": True, "vm5": None}
    far = {"endpoint": "vc-2"}
    given: dict[str, Rows] = {
        "step_datastore_volume": [
            *of_vc(*({"datastore_id": store, "array_endpoint": "east", "volume_id": volume} for store, volume in lying.items())),
            {**far, "datastore_id": "d1", "array_endpoint": "east", "volume_id": "v3"},
        ],
        "step_endpoint_reading": [{"endpoint": "vc", "vms_read": True}, {**far, "vms_read": False}],
        "fact.datastore": [*of_vc(*({"datastore_id": store} for store in lying if store != "d7")), {**far, "datastore_id": "d1"}],
        "step_unread_machine": of_vc({"datastore_id": "d6", "running": 1}, {"datastore_id": "d1", "running": 0}),
        "fact.vm_disk": [
            *of_vc(*({"vm_id": vm, "disk": store, "datastore_id": store, "rdm_mode": mode} for vm, store, mode in disks)),
            {**far, "vm_id": "vm1", "disk": "d1", "datastore_id": "d1"},
        ],
        "step_guest": [*of_vc(*({"vm_id": vm, "runs": one} for vm, one in runs.items())), {**far, "vm_id": "vm1", "runs": True}],
    }
    assert by("step_volume_machine", "endpoint volume_id", given) == {
        ("east", volume): {"machines": machines, "undetermined": undetermined}
        for volume, machines, undetermined in (("v1", 2, 0), ("v2", 0, 0), ("v3", 1, 1), ("v4", 0, 1), ("v5", 0, 1), ("v6", 0, 1))
    }


def test_a_job_is_named_after_its_own_volume_and_pool() -> None:
    def job(number: str, kind: str, **more: Any) -> dict[str, Any]:
        return {"endpoint": "east", "job_id": number, "kind": kind, **more}

    given: dict[str, Rows] = {
        "fact.background_job": [
            job("1", "dedup", subject="volume", subject_id="v1", begin_at=NIGHT, end_at=NIGHT + timedelta(seconds=90)),
            job("2", "scrub", subject="pool", subject_id="v1", pool_id="p2"),
            job("3", "other"),
            job("4", "copy", subject="volume", subject_id="v1", subject_name="told", pool_id="p2"),
            job("5", "copy", subject="volume", subject_id="gone"),
            {**job("6", "copy", subject="volume", subject_id="v1"), "endpoint": "unlisted"},
        ],
        "step_array": [{"endpoint": "east", "family": "ontap"}],
        "fact.array_volume": [
            {"endpoint": "east", "volume_id": "v1", "name": "gold", "pool_id": "p1"},
            {"endpoint": "west", "volume_id": "v1", "name": "far", "pool_id": "p2"},
        ],
        "fact.array_pool": [
            {"endpoint": endpoint, "pool_id": pool, "name": f"{pool} of {endpoint}"}
            for endpoint in ("east", "west")
            for pool in ("p1", "p2")
        ],
    }
    rows = by("background_job", "job_id", given)
    columns = ("resource_name", "family", "subject_name", "pool_id", "pool", "minutes")
    assert {key[0]: tuple(row[name] for name in columns) for key, row in rows.items()} == {
        "1": ("dedup of gold", "ontap", "gold", "p1", "p1 of east", 1.5),
        "2": ("scrub of v1", "ontap", None, "p2", "p2 of east", None),
        "3": ("other", "ontap", None, None, None, None),
        "4": ("copy of told", "ontap", "told", "p2", "p2 of east", None),
        "5": ("copy of gone", "ontap", None, None, None, None),
        "6": ("copy of v1", None, None, None, None, None),
    }


@pytest.mark.parametrize(
    ("rpm", "low", "high"), [(10000, 1200, 1500), (10999, 1200, 1500), (7200, None, None), (15000, None, None), (None, None, None)]
)
def test_a_function_is_of_its_own_pool_and_its_limit_of_disks_that_have_one(rpm: int | None, low: int | None, high: int | None) -> None:
    pool = {"endpoint": "east", "pool_id": "p1", "name": "aggr", "rpm": rpm, "data_disks": 10}
    given: dict[str, Rows] = {
        "step_pool_function": [
            {
                "endpoint": "east",
                "pool_id": "p1",
                "function": "scrub",
                "low_per_second": 25.0,
                "high_per_second": 50.0,
                "transfers_per_second": 100.0,
            },
            {"endpoint": "east", "pool_id": "unread", "function": "scrub"},
        ],
        "fact.array_pool": [pool, {**pool, "endpoint": "west", "name": "far"}, {**pool, "pool_id": "p2", "name": "other"}],
    }
    [row] = rows_over("pool_function", given)
    assert (row["resource_id"], row["resource_name"], row["low_share"], row["high_share"]) == ("p1/scrub", "aggr: scrub", 0.25, 0.5)
    assert (row["limit_low_per_second"], row["limit_high_per_second"]) == (low, high)


KINDS = ("moving", "moved", "not moved", "decided", "changed", "host", "software")


def test_an_event_that_is_no_trouble_is_named_after_the_nearest_thing() -> None:
    named = {"vm_id": "v1", "datastore_id": "d1", "host_id": "h1", "said": "words"}
    events = [{**named, "kind": kind} for kind in (*KINDS, "lost", "slow", "over", "restarted")]
    events += [{**dict(list(named.items())[at:]), "kind": "moved"} for at in (1, 2, 3, 4)]
    own = {"vm_id": "v1", "name": "web"}, {"datastore_id": "d1", "name": "gold"}, {"host_id": "h1", "name": "esx", "cluster": "c"}
    tables = ("fact.vm", "fact.datastore", "fact.host")
    given: dict[str, Rows] = {
        "fact.storage_event": of_vc(*({"event_key": n, "what": "w", "happened_at": NIGHT, **event} for n, event in enumerate(events))),
        **{table: [*of_vc(row), {**row, "endpoint": "vc-2", "name": "far"}] for table, row in zip(tables, own, strict=True)},
    }
    rows = rows_over("storage_activity", given)
    assert sorted(row["kind"] for row in rows) == sorted([*KINDS, *["moved"] * 4])
    assert [row["resource_name"] for row in sorted(rows, key=lambda row: int(row["resource_id"]))] == [
        *["w: web"] * 7,
        "w: gold",
        "w: esx",
        "w: words",
        "w",
    ]


def test_a_move_has_both_ends_and_is_of_disks_where_they_differ() -> None:
    stores = [{"datastore_id": f"d{n}", "name": f"store {n}"} for n in (1, 2)]
    ends = {"vm_id": "v1", "kind": "moved", "what": "w", "happened_at": NIGHT}
    given: dict[str, Rows] = {
        "fact.storage_event": of_vc(
            {**ends, "event_key": 1, "from_datastore_id": "d1", "to_datastore_id": "d2"},
            {**ends, "event_key": 2, "from_datastore_id": "d1", "to_datastore_id": "d1"},
            {**ends, "event_key": 3, "from_datastore_id": "d1"},
        ),
        "fact.datastore": [*of_vc(*stores), *({**one, "endpoint": "vc-2", "name": "far"} for one in stores)],
    }
    assert [(row["from_datastore"], row["to_datastore"], row["is_of_disks"]) for row in rows_over("storage_activity", given)] == [
        ("store 1", "store 2", True),
        ("store 1", "store 1", False),
        ("store 1", None, None),
    ]


GIB = 1 << 30


def test_a_guests_disk_has_its_own_partitions_and_its_machines_host() -> None:
    def guest(number: str, **more: Any) -> dict[str, Any]:
        return {"endpoint": "files", "guest_id": number, "hostname": f"guest {number}", "system": "linux", **more}

    def part(number: str, disk: str, name: str, start: int | None, size: int | None = 2 * GIB) -> dict[str, Any]:
        return {"endpoint": "files", "guest_id": number, "disk": disk, "partition": name, "start_bytes": start, "size_bytes": size}

    def disk(number: str, name: str, **more: Any) -> dict[str, Any]:
        return {"endpoint": "files", "guest_id": number, "disk": name, **more}

    given: dict[str, Rows] = {
        "fact.guest": [guest("g1"), guest("g2"), guest("g3")],
        "fact.guest_disk": [disk("g1", "sda"), disk("g1", "sdb"), disk("g2", "sda"), {**disk("g1", "sdz"), "endpoint": "elsewhere"}],
        "fact.guest_partition": [
            part("g1", "sda", "1", 63 * 512),
            part("g1", "sda", "2", GIB),
            part("g1", "sda", "boot", 1, GIB - 1),
            part("g1", "sdb", "1", None),
            part("g1", "sdb", "2", 512, None),
            part("g2", "sda", "1", 4096, GIB),
            {**part("g2", "sda", "9", 512), "endpoint": "elsewhere"},
        ],
        "step_guest_machine": [
            {"guest_endpoint": "files", "guest_id": "g1", "endpoint": "vc", "vm_id": "v1"},
            {"guest_endpoint": "files", "guest_id": "g2", "endpoint": "vc", "vm_id": "v2"},
            {"guest_endpoint": "elsewhere", "guest_id": "g1", "endpoint": "vc", "vm_id": "v2"},
        ],
        "fact.vm": [
            *of_vc({"vm_id": "v1", "name": "web", "host_id": "h1"}, {"vm_id": "v2", "name": "db", "host_id": "h2"}),
            {"endpoint": "vc-2", "vm_id": "v1", "name": "far", "host_id": "h1"},
        ],
        "fact.host": [
            *of_vc({"host_id": "h1", "name": "one", "cluster": "c1"}, {"host_id": "h2", "name": "two", "cluster": "c2"}),
            {"endpoint": "vc-2", "host_id": "h1", "name": "far", "cluster": "c9"},
        ],
    }
    columns = ("resource_name", "vm", "host", "cluster", "partitions", "misaligned_partitions", "misaligned_names")
    assert {row["resource_id"]: tuple(row[name] for name in columns) for row in rows_over("guest_disk", given)} == {
        "g1/sda": ("guest g1 sda", "web", "one", "c1", 2, 1, "1 at byte 32256"),
        "g1/sdb": ("guest g1 sdb", "web", "one", "c1", 2, None, "2 at byte 512"),
        "g2/sda": ("guest g2 sda", "db", "two", "c2", 1, 0, None),
    }
    assert len(rows_over("guest_disk", given)) == 3


@pytest.mark.parametrize(
    ("system", "set_depth", "driver", "queue", "depth"),
    [
        pytest.param("windows", 254, "pvscsi", 32, ("pvscsi", 64, 254), id="set above the driver's own"),
        pytest.param("windows", 16, "pvscsi", 32, ("pvscsi", 16, 64), id="set below it"),
        pytest.param("windows", None, "pvscsi", 32, None, id="not said"),
        pytest.param("linux", 254, "pvscsi", 32, ("pvscsi", 32, 32), id="linux says its disks' own"),
        pytest.param("linux", None, "vmw_pvscsi", 254, ("pvscsi", 254, 254), id="the driver's name on Linux"),
        pytest.param("windows", 254, "lsi_sas", 31, ("lsilogic-sas", 31, 31), id="another driver"),
        pytest.param("linux", None, "mptspi", 31, ("lsilogic", 31, 31), id="LSI Logic"),
        pytest.param("linux", None, "ahci", 31, ("sata", 31, 31), id="SATA"),
        pytest.param("windows", None, "storahci", 31, ("sata", 31, 31), id="SATA on Windows"),
        pytest.param("windows", None, "symmpi", 31, ("lsilogic", 31, 31), id="LSI Logic on Windows"),
        pytest.param("linux", None, "lsi_scsi", 31, ("lsilogic", 31, 31), id="LSI Logic of Windows' later driver"),
        pytest.param("linux", None, "mptsas", 31, ("lsilogic-sas", 31, 31), id="LSI Logic SAS on Linux"),
        pytest.param("linux", None, "ahci", None, None, id="no depth"),
        pytest.param("linux", None, "virtio_blk", 64, None, id="no controller of vSphere"),
    ],
)
def test_a_guest_says_how_deep_its_disks_on_a_controller_are(
    system: str, set_depth: int | None, driver: str, queue: int | None, depth: tuple[str, int, int] | None
) -> None:
    kinds = ("pvscsi", "lsilogic", "lsilogic-sas", "sata")
    given: dict[str, Rows] = {
        "step_guest_machine": [
            {"guest_endpoint": "files", "guest_id": "g1", "endpoint": "vc", "vm_id": "v1", "system": system, "pvscsi_depth_set": set_depth},
            {"guest_endpoint": "files", "guest_id": "g2", "endpoint": "vc", "vm_id": "v2", "system": "linux"},
        ],
        "fact.guest_disk": [
            {"endpoint": "files", "guest_id": "g1", "disk": "sda", "driver": driver, "queue_depth": queue},
            {"endpoint": "elsewhere", "guest_id": "g1", "disk": "sda", "driver": driver, "queue_depth": 1},
            {"endpoint": "files", "guest_id": "g9", "disk": "sda", "driver": driver, "queue_depth": 1},
        ],
        "fact.vm_disk": [
            *of_vc(*({"vm_id": "v1", "disk": kind, "controller": kind} for kind in kinds)),
            *of_vc(*({"vm_id": "v2", "disk": f"{kind} {n}", "controller": kind} for kind in kinds for n in (1, 2))),
        ],
    }
    rows = rows_over("step_told_depth", given)
    found = [(row["vm_id"], row["controller"], row["at_least"], row["at_most"]) for row in rows]
    assert found == ([("v1", *depth)] if depth else [])


def test_a_disk_that_a_guest_left_out_may_send_any_number() -> None:
    def told(disks: int, has: int) -> list[tuple[int, int]]:
        given: dict[str, Rows] = {
            "step_guest_machine": [{"guest_endpoint": "files", "guest_id": "g1", "endpoint": "vc", "vm_id": "v1", "system": "linux"}],
            "fact.guest_disk": [
                {"endpoint": "files", "guest_id": "g1", "disk": f"sd{n}", "driver": "vmw_pvscsi", "queue_depth": 64 + n}
                for n in range(disks)
            ],
            "fact.vm_disk": of_vc(*({"vm_id": "v1", "disk": f"{n}", "controller": "pvscsi"} for n in range(has))),
        }
        return [(row["at_least"], row["at_most"]) for row in rows_over("step_told_depth", given)]

    assert told(2, 2) == told(2, 1) == [(64, 65)]
    assert told(2, 3) == told(2, 0) == []


SUBJECTS: tuple[tuple[str, str, str], ...] = (
    ("vc", "datastore", "d1"),
    ("vc-2", "datastore", "d1"),
    ("vc", "device", "d1"),
    ("vc", "datastore", "d2"),
)
"""A thing, and those that share two parts of its name."""


def of_subject(place: tuple[str, str, str], **more: Any) -> dict[str, Any]:
    return dict(zip(("endpoint", "subject_kind", "subject"), place, strict=True)) | more


def test_a_cause_of_a_thing_has_the_name_of_that_thing() -> None:
    given: dict[str, Rows] = {
        "step_episode_cause": [
            of_subject(SUBJECTS[0], cause="job", cause_name="dedup", detail="v1", begin_at=NIGHT, end_at=NIGHT + timedelta(hours=1)),
            of_subject(("vc", "datastore", "unknown"), cause="job", cause_name="dedup", begin_at=NIGHT, end_at=NIGHT),
        ],
        "step_history_subject": [of_subject(place, name=" ".join(place)) for place in SUBJECTS],
    }
    [row] = rows_over("episode_cause", given)
    assert row["resource_name"] == "vc datastore d1"
    assert row["resource_id"] == "datastore d1: job dedup v1 2026-11-29T02:00:00Z 2026-11-29T03:00:00Z"
    del given["step_episode_cause"][0]["detail"]
    [row] = rows_over("episode_cause", given)
    assert row["resource_id"] == "datastore d1: job dedup 2026-11-29T02:00:00Z 2026-11-29T03:00:00Z"


def test_a_thing_lies_on_the_volumes_that_an_array_shows() -> None:
    given: dict[str, Rows] = {
        "step_episode": [
            *(
                of_subject(place)
                for place in (SUBJECTS[0], SUBJECTS[0], ("vc", "device", "naa.1"), ("east", "volume", "v3"), ("east", "pool", "p9"))
            ),
            of_subject(("vc", "device", "d1")),
            of_subject(("vc", "datastore", "naa.1")),
        ],
        "step_datastore_volume": [
            *of_vc(
                {"datastore_id": "d1", "array_endpoint": "east", "volume_id": "v1"},
                {"datastore_id": "d1", "array_endpoint": None, "volume_id": None},
            ),
            {"endpoint": "vc-2", "datastore_id": "d1", "array_endpoint": "west", "volume_id": "v1"},
        ],
        "step_array_device": [
            {"device": "naa.1", "array_endpoint": "east", "volume_id": "v2"},
            {"device": "naa.1", "array_endpoint": None, "volume_id": None},
        ],
        "step_volume": [
            *({"endpoint": "east", "volume_id": f"v{n}", "pool_id": f"p{n}"} for n in (1, 3)),
            {"endpoint": "west", "volume_id": "v1", "pool_id": "far"},
        ],
    }
    columns = ("endpoint", "subject_kind", "subject", "array_endpoint", "volume_id", "pool_id")
    assert sorted(tuple(str(row[name]) for name in columns) for row in rows_over("step_history_volume", given)) == [
        ("east", "pool", "p9", "east", "None", "p9"),
        ("east", "volume", "v3", "east", "v3", "p3"),
        ("vc", "datastore", "d1", "east", "v1", "p1"),
        ("vc", "device", "naa.1", "east", "v2", "None"),
    ]


def interval(
    minute: int, latency: float | None, iops: float | None = 100.0, *, host: str = "h1", seconds: int = 60, **more: Any
) -> dict[str, Any]:
    begin = NIGHT + timedelta(minutes=minute)
    return {"host_id": host, "begin_at": begin, "seconds": seconds, "latency_ms": latency, "iops": iops} | of_subject(SUBJECTS[0]) | more


def test_a_picture_of_a_day_has_its_own_hosts_and_volumes_in_intervals_of_one_length() -> None:
    volume = ("east", "volume", "v1")
    given: dict[str, Rows] = {
        "step_episode": [of_subject(SUBJECTS[0]), of_subject(SUBJECTS[0])],
        "step_history_volume": [
            of_subject(SUBJECTS[0], array_endpoint="east", volume_id="v1"),
            of_subject(SUBJECTS[0], array_endpoint="east"),
        ],
        "step_history_subject": [of_subject(place, name=" ".join(place)) for place in SUBJECTS],
        "step_history_normal": [
            *(
                of_subject(place, host_id=host, seconds=60)
                for place in (*SUBJECTS, volume, ("west", "volume", "v1"))
                for host in ("h1", "h2")
            ),
        ],
        "fact.load_history": [
            interval(0, 2.0, 100.0, latency_max_ms=9.0),
            interval(0, 8.0, 300.0, host="h2"),
            interval(0, None, None, host="h3"),
            interval(0, 99.0, host="h1", seconds=300),
            interval(1, None, 0.0),
            *(interval(0, 99.0, **of_subject(place)) for place in SUBJECTS[1:]),
            interval(0, 1.0, 50.0, **of_subject(volume)),
            interval(0, 99.0, **of_subject(("west", "volume", "v1"))),
        ],
        "step_array": [{"endpoint": "east"}],
    }
    columns = ("side", "begin_at", "seconds", "latency_ms", "latency_max_ms", "iops", "resource_name")
    rows = [tuple(row[name] for name in columns) for row in rows_over("episode_interval", given)]
    assert sorted(rows, key=lambda row: (row[0], row[1])) == [
        ("array", NIGHT, 60, 1.0, 1.0, 50.0, "vc datastore d1"),
        ("host", NIGHT, 60, 6.5, 9.0, 400.0, "vc datastore d1"),
        ("host", NIGHT + timedelta(minutes=1), 60, None, None, 0.0, "vc datastore d1"),
    ]


def test_latency_is_the_mean_over_commands_of_what_says_it() -> None:
    volume = ("east", "volume", "v1")

    def latency(*intervals: dict[str, Any]) -> list[tuple[Any, ...]]:
        given: dict[str, Rows] = {
            "step_episode": [of_subject(volume)],
            "step_history_subject": [of_subject(volume, name="v1")],
            "step_history_normal": [of_subject(volume, host_id=host, seconds=60) for host in ("h1", "h2")],
            "fact.load_history": [one | of_subject(volume) for one in intervals],
            "step_array": [{"endpoint": "east"}],
        }
        return [(row["side"], row["latency_ms"], row["iops"], row["bytes_per_second"]) for row in rows_over("episode_interval", given)]

    both: dict[str, Any] = {"bytes_per_second": 7.0}
    assert latency(interval(0, 2.0, 100.0, **both), interval(0, 8.0, 300.0, host="h2", **both)) == [("array", 6.5, 400.0, 14.0)]
    assert latency(interval(0, 2.0, 100.0), interval(0, None, 300.0, host="h2")) == [("array", 2.0, 400.0, None)]
    assert latency(interval(0, 2.0, None), interval(0, 4.0, None, host="h2")) == [("array", 3.0, None, None)]
    assert latency(interval(0, None, None)) == [("array", None, None, None)]


def test_what_is_usual_is_told_of_48_intervals_in_which_something_passed() -> None:
    def usual(*intervals: dict[str, Any]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
        columns = ("seconds", "intervals", "normal_ms", "normal_iops")
        rows = by("step_history_normal", "host_id", {"fact.load_history": list(intervals)})
        for row in rows.values():
            names = ("raised_ms", "long_ms", "twice_ms", "once_ms")
            assert {row[name] is None for name in names} == {row["normal_ms"] is None}
        return {key: tuple(row[name] for name in columns) for key, row in rows.items()}

    quiet = [interval(100 + n, 0.01, 0.9) for n in range(60)]
    assert usual(*(interval(n, 2.0) for n in range(48)), *quiet) == {("h1",): (60, 108, 2.0, 0.9)}
    assert usual(*(interval(n, 2.0) for n in range(47)), *quiet) == {("h1",): (60, 107, None, 0.9)}
    assert usual(*(interval(n, 2.0, 1.0) for n in range(48)))[("h1",)][2] == 2.0
    assert usual(*(interval(n, 2.0, None) for n in range(48)))[("h1",)][2] == 2.0
    assert usual(*(interval(n, None) for n in range(48))) == {("h1",): (60, 48, None, 100.0)}
    assert usual(*(interval(n, 2.0 if n else None) for n in range(48)))[("h1",)][2] is None


def test_quiet_intervals_leave_what_is_usual_as_it_is() -> None:
    def limits(*intervals: dict[str, Any]) -> tuple[Any, ...]:
        [row] = rows_over("step_history_normal", {"fact.load_history": list(intervals)})
        return tuple(row[name] for name in ("normal_ms", "raised_ms", "long_ms", "twice_ms", "once_ms"))

    usual = [interval(n, 2.0 + n % 10 / 10) for n in range(50)]
    assert limits(*usual, *(interval(100 + n, 0.01, 0.9) for n in range(60))) == limits(*usual)
    assert limits(*usual, *(interval(100 + n, 0.01, 1.0) for n in range(60))) != limits(*usual)


@pytest.mark.parametrize(("outstanding", "usual"), [(None, 0.2), (5.0, 5.0)], ids=["by commands and latency", "as it was measured"])
def test_how_many_commands_are_under_way_is_measured_or_follows(outstanding: float | None, usual: float) -> None:
    [row] = rows_over("step_history_normal", {"fact.load_history": [interval(n, 2.0, 100.0, outstanding=outstanding) for n in range(3)]})
    assert row["normal_outstanding"] == pytest.approx(usual, abs=1e-9)


def test_intervals_of_the_length_that_covers_most_count_and_all_hosts_together_only_alone() -> None:
    def lengths(*intervals: dict[str, Any]) -> list[tuple[str, int, int]]:
        rows = rows_over("step_history_normal", {"fact.load_history": list(intervals)})
        return [
            (row["host_id"], row["seconds"], row["intervals"]) for row in sorted(rows, key=lambda row: (row["seconds"], row["host_id"]))
        ]

    minutes = [interval(n, 2.0) for n in range(10)]
    assert lengths(*minutes, *(interval(5 * n, 2.0, seconds=300) for n in range(3))) == [("h1", 300, 3)]
    assert lengths(*minutes, *(interval(5 * n, 2.0, seconds=300) for n in range(2))) == [("h1", 60, 10)]
    assert lengths(*minutes, interval(0, 2.0, seconds=86401), interval(0, 2.0, seconds=0)) == [("h1", 60, 10)]
    assert lengths(*minutes, *(interval(n, 2.0, host="") for n in range(10))) == [("h1", 60, 10)]
    assert lengths(*minutes, *(interval(5 * n, 2.0, host="", seconds=300) for n in range(3))) == []
    far = [interval(5 * n, 2.0, seconds=300, **of_subject(place)) for n in range(9) for place in SUBJECTS[1:]]
    assert lengths(*minutes, *far) == [*[("h1", 60, 10)], *[("h1", 300, 9)] * 3]
    assert lengths(*(interval(n, 2.0, host="") for n in range(10))) == [("", 60, 10)]


@pytest.mark.parametrize(
    ("latencies", "runs"),
    [
        pytest.param([2, 61, 2], [(1, 2)], id="one above once"),
        pytest.param([2, 60, 2], [], id="one at it"),
        pytest.param([51, 51], [(0, 2)], id="two in a row above twice"),
        pytest.param([51, 50], [], id="two of which one is at it"),
        pytest.param([51, 30, 51], [], id="two with another between"),
        pytest.param([50, 51], [], id="two of which the first is at it"),
        pytest.param([30, 51, 51, 30], [(0, 4)], id="two among others"),
        pytest.param([41] * 6, [(0, 6)], id="six in a row above long"),
        pytest.param([41, 30, *[41] * 6], [(0, 8)], id="six behind one"),
        pytest.param([41] * 5, [], id="five"),
        pytest.param([41] * 5 + [40], [], id="six of which one is at it"),
        pytest.param([41] * 3 + [30] + [41] * 3, [], id="six with another between"),
        pytest.param([26, 26, 61, 26, 25, 26], [(0, 4)], id="what is raised around it belongs to it, and at raised it ends"),
        pytest.param([61, None, 61], [(0, 1), (2, 3)], id="a hole ends a run"),
        pytest.param([61, 2, 61], [(0, 1), (2, 3)], id="two runs"),
    ],
)
def test_a_run_leaves_its_normal_far_enough_or_for_long_enough(latencies: list[float | None], runs: list[tuple[int, int]]) -> None:
    limits = {"seconds": 60, "host_id": "h1", "raised_ms": 25.0, "long_ms": 40.0, "twice_ms": 50.0, "once_ms": 60.0}
    given: dict[str, Rows] = {
        "step_history_normal": [of_subject(place, **limits) for place in SUBJECTS],
        "fact.load_history": [
            *(interval(minute, latency) for minute, latency in enumerate(latencies) if latency is not None),
            *(interval(minute, 2.0, **of_subject(place)) for minute in range(9) for place in SUBJECTS[1:]),
            *(interval(minute, 500.0, 0.9, **of_subject(SUBJECTS[3])) for minute in range(20, 30)),
        ],
    }
    found = [(row["subject"], row["begin_at"], row["end_at"]) for row in rows_over("step_raised_run", given)]
    assert found == [("d1", NIGHT + timedelta(minutes=begin), NIGHT + timedelta(minutes=end)) for begin, end in runs]


@pytest.mark.parametrize(("iops", "is_run"), [(0.9, False), (1.0, True), (None, True)], ids=["next to nothing", "one a second", "not said"])
def test_an_interval_says_nothing_where_next_to_nothing_passed(iops: float | None, is_run: bool) -> None:
    limits = {"seconds": 60, "host_id": "h1", "raised_ms": 25.0, "long_ms": 40.0, "twice_ms": 50.0, "once_ms": 60.0}
    given: dict[str, Rows] = {"step_history_normal": [of_subject(SUBJECTS[0], **limits)], "fact.load_history": [interval(0, 99.0, iops)]}
    assert bool(rows_over("step_raised_run", given)) is is_run


def test_the_interval_before_is_that_of_the_same_thing_and_host() -> None:
    limits = {"seconds": 60, "raised_ms": 25.0, "long_ms": 40.0, "twice_ms": 50.0, "once_ms": 60.0}
    given: dict[str, Rows] = {
        "step_history_normal": [of_subject(place, host_id=host, **limits) for place in SUBJECTS for host in ("h0", "h1")],
        "fact.load_history": [
            interval(5, 51.0),
            interval(4, 51.0, host="h0"),
            *(interval(4, 51.0, **of_subject(place)) for place in SUBJECTS[1:]),
        ],
    }
    assert rows_over("step_raised_run", given) == []
