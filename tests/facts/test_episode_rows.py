"""When latency has left its own normal: the views `episode` and the steps below it, over days made for it."""

from datetime import timedelta
from typing import Any

import pytest

from .days import Row, at, day, jobs, latencies, raised
from .fleets import Facts, view

# A fifth at 4 ms, the others at 9: the spread is ln(10 / 5) / 1.2816 = 0.5408, so that 10 * exp(k * 0.5408) - 1 ms is
# 37.7 for 2.5 spreads (raised), 86.0 for 4 (six in a row), 148.4 for 5 (two in a row) and 255.6 for 6 (one).
PLAIN = [4.0 if number % 5 == 0 else 9.0 for number in range(288)]


def history(*rows: Row, **more: list[dict[str, Any]]) -> Facts:
    """A history that was read whole, with these rows, of two hosts; the datastore ds lies on volume v1 of the pool p1 of array "na"."""
    return {
        "load_history": list(rows),
        "reading": [{"scope": "", "topic": "load_history", "complete": True}],
        "host": [{"host_id": f"host-{n}", "name": f"esx-{n}", "cluster": "gold"} for n in (1, 2)],
        "datastore": [{"datastore_id": "ds", "name": "prod-01", "vmfs_uuid": "5f-01"}],
        "datastore_extent": [{"datastore_id": "ds", "device": "naa.1"}],
        "array": [{"endpoint": "na", "family": "ontap", "name": "na", "array_id": "1"}],
        "array_volume": [{"endpoint": "na", "volume_id": "v1", "name": "vol1", "device": "naa.1", "pool_id": "p1", "kind": "lun"}],
        **more,
    }


def spans(rows: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """The subject of each episode, and from when to when it took."""
    return [(row["subject"], f"{row['begin_at']:%H:%M}", f"{row['end_at']:%H:%M}") for row in rows]


CASES: dict[str, tuple[dict[int, float], int]] = {
    "one interval above six spreads": ({100: 256.0}, 1),
    "one interval just below": ({100: 255.0}, 0),
    "two in a row above five spreads": ({100: 149.0, 101: 149.0}, 1),
    "two in a row, one just below": ({100: 149.0, 101: 148.0}, 0),
    "two that are not in a row": ({100: 149.0, 101: 50.0, 102: 149.0}, 0),
    "half an hour above four spreads": (dict.fromkeys(range(100, 106), 87.0), 1),
    "twenty-five minutes above four spreads": (dict.fromkeys(range(100, 105), 87.0), 0),
    "half an hour just below four spreads": (dict.fromkeys(range(100, 106), 85.0), 0),
    "half an hour with one that is only raised": ({**dict.fromkeys(range(100, 107), 87.0), 103: 50.0}, 0),
}


@pytest.mark.long
def test_how_far_and_how_long_latency_has_to_leave_its_normal() -> None:
    """All cases are datastores of one fleet."""
    rows = [row for case, (values, _) in CASES.items() for row in day(case, [values.get(n, one) for n, one in enumerate(PLAIN)])]
    seen = [row["subject"] for row in view("episode", history(*rows))]
    assert {case: seen.count(case) for case in CASES} == {case: episodes for case, (_, episodes) in CASES.items()}


def test_a_steady_thing_has_to_become_ten_milliseconds_and_twice_slower() -> None:
    pairs = {"10 ms": (0.5, 10.4), "more than 10 ms": (0.5, 10.6), "less than twice": (30.0, 59.0), "twice": (30.0, 61.0)}
    rows = [row for case, (usual, high) in pairs.items() for row in day(case, raised([usual] * 288, high, ("02:00", "03:00")))]
    assert sorted(row["subject"] for row in view("episode", history(*rows))) == ["more than 10 ms", "twice"]


def test_an_episode_says_when_how_far_and_what_was_sent_in_it() -> None:
    rows = day(
        "ds",
        [100.0 if 24 <= n < 36 else one for n, one in enumerate(PLAIN)],
        iops=lambda n: 50.0 if 24 <= n < 36 else 200.0,
        bytes_per_second=lambda n: 400_000.0 if 24 <= n < 36 else 1_600_000.0,
        latency_max_ms=lambda n: 700.0 if n == 30 else None,
        sioc_active_percent=lambda n: 100.0 if 30 <= n < 36 else 0.0,
    )
    [episode] = view("episode", history(*rows))
    assert episode == {
        "endpoint": "vc",
        "resource_id": "datastore ds 2026-11-25T02:00:00Z",
        "resource_name": "prod-01",
        "cluster": "gold",
        "host": "esx-1",
        "host_id": "host-1",
        "subject_kind": "datastore",
        "subject": "ds",
        "is_nearest": True,
        "array_name": "na",
        "begin_at": at("02:00"),
        "end_at": at("03:00"),
        "minutes": 60.0,
        "is_begin_read": True,
        "is_end_read": True,
        "hosts": 1,
        "host_names": "esx-1",
        "latency_ms": 100.0,
        "latency_max_ms": 700.0,
        "normal_ms": 9.0,
        "raised_ms": pytest.approx(37.66, abs=0.01),
        "iops": 50.0,
        "normal_iops": 200.0,
        "bytes_per_second": 400_000.0,
        "normal_bytes_per_second": 1_600_000.0,
        "asked": 5.0,  # 50 a second, 0.1 s each
        "normal_asked": pytest.approx(1.8),
        "sioc_active_percent": 50.0,
        "senders": None,
        "jobs": None,
        "moves": None,
        "restarts": 0,
        "events": None,
    }


def test_an_interval_in_which_nearly_nothing_passed_says_nothing_of_latency() -> None:
    idle = day("ds", raised(PLAIN, 900.0, ("02:00", "03:00")), iops=lambda n: 0.9 if 24 <= n < 36 else 200.0)
    assert view("episode", history(*idle)) == []
    unknown = day("ds", raised(PLAIN, 900.0, ("02:00", "03:00")), iops=None)
    assert spans(view("episode", history(*unknown))) == [("ds", "02:00", "03:00")]


def test_nothing_is_usual_where_fewer_than_48_intervals_were_read() -> None:
    assert view("episode", history(*day("ds", [*PLAIN[:46], 900.0]))) == []
    assert len(view("episode", history(*day("ds", [*PLAIN[:47], 900.0])))) == 1


def test_a_hole_in_the_history_ends_an_episode_and_hides_when_the_next_one_began() -> None:
    rows = day("ds", raised(PLAIN, 900.0, ("02:00", "03:00")))
    del rows[30]  # 02:30
    found = view("episode", history(*rows))
    assert [(*span[1:], row["is_begin_read"], row["is_end_read"]) for span, row in zip(spans(found), found, strict=True)] == [
        ("02:00", "02:30", True, False),
        ("02:35", "03:00", False, True),
    ]


def test_what_was_on_when_the_history_began_or_ended_is_said_to_be_so() -> None:
    [first, last] = view("episode", history(*day("ds", raised(PLAIN, 900.0, ("00:00", "01:00"), ("23:00", "24:00")))))
    assert (first["is_begin_read"], first["is_end_read"]) == (False, True)
    assert (last["is_begin_read"], last["is_end_read"]) == (True, False)


def test_runs_of_several_hosts_that_meet_are_one_episode() -> None:
    one = day("ds", raised(PLAIN, 900.0, ("02:00", "03:00")))
    two = day("ds", raised(PLAIN, 600.0, ("02:30", "04:00")), host_id="host-2", iops=100.0)
    [episode] = view("episode", history(*one, *two))
    assert spans([episode]) == [("ds", "02:00", "04:00")]
    assert (episode["hosts"], episode["host_names"], episode["host"], episode["cluster"]) == (2, "esx-1, esx-2", None, None)
    # Each by its commands: 12 intervals of 200 a second, 18 of 100.
    assert episode["latency_ms"] == pytest.approx((12 * 200 * 900 + 18 * 100 * 600) / (12 * 200 + 18 * 100))
    assert (episode["iops"], episode["normal_iops"]) == (300.0, 300.0)


def test_one_host_whose_path_flaps_is_named_alone() -> None:
    calm = day("ds", PLAIN, host_id="host-2")
    flapping = day("ds", raised(PLAIN, 300.0, *((f"{hour:02}:10", f"{hour:02}:15") for hour in (3, 8, 14))))
    found = view("episode", history(*calm, *flapping))
    assert [(row["hosts"], row["host"]) for row in found] == [(1, "esx-1")] * 3


def test_of_two_lengths_of_intervals_the_one_that_covers_most_counts() -> None:
    newest = [
        {**row, "seconds": 20, "begin_at": at("23:00") + timedelta(seconds=20 * n), "latency_ms": 900.0}
        for n, row in enumerate(day("ds", [9.0] * 180))
    ]
    assert view("episode", history(*day("ds", PLAIN), *newest)) == []
    assert len(view("episode", history(*day("ds", raised(PLAIN, 900.0, ("02:00", "02:05"))), *newest))) == 1


def test_what_ran_and_who_sent_meanwhile_is_named() -> None:
    rows = [
        *day("ds", raised(PLAIN, 900.0, ("02:00", "03:00"))),
        *day("vm-1 scsi0:0", [9.0] * 288, subject_kind="disk", host_id="", iops=150.4),
        *day("vm-2 scsi0:1", [9.0] * 288, subject_kind="disk", host_id="", iops=lambda n: 40.0 if 24 <= n < 36 else 900.0),
        *day("vm-3 scsi0:0", [9.0] * 288, subject_kind="disk", host_id="", iops=0.0),
    ]
    facts = history(
        *rows,
        vm=[{"vm_id": "vm-1", "name": "app"}, {"vm_id": "vm-2", "name": "db"}],
        vm_disk=[
            {"vm_id": vm, "disk": "d", "datastore_id": "ds", "node": node}
            for vm, node in (("vm-1", "scsi0:0"), ("vm-2", "scsi0:1"), ("vm-3", "scsi0:0"))
        ],
        background_job=[
            *jobs("dedup", every=1440, minutes=60, first=119),
            *jobs("scrub", every=1440, minutes=60, first=181),  # after it
            *jobs("replication", every=1440, minutes=60, first=130, pool_id="p2", subject_id="p2"),  # elsewhere
        ],
        storage_event=[
            {"event_key": 1, "kind": "restarted", "vm_id": "vm-1", "happened_at": at("03:05")},
            {"event_key": 2, "kind": "restarted", "vm_id": "vm-2", "happened_at": at("03:05")},
            {"event_key": 3, "kind": "restarted", "vm_id": "vm-2", "happened_at": at("03:15")},  # more than ten minutes later
            {"event_key": 4, "kind": "slow", "what": "latency rose", "device": "naa.1", "happened_at": at("01:56")},
            {"event_key": 5, "kind": "lost", "what": "VMFS heartbeat late", "vmfs_uuid": "5f-01", "happened_at": at("02:10")},
            {"event_key": 6, "kind": "lost", "what": "all paths down", "device": "naa.1", "happened_at": at("05:00")},
        ],
    )
    [episode] = [row for row in view("episode", facts) if row["subject_kind"] == "datastore"]
    assert {name: episode[name] for name in ("senders", "jobs", "restarts", "events")} == {
        "senders": "app scsi0:0: 150 a second; db scsi0:1: 40 a second",
        "jobs": "dedup",
        "restarts": 1,  # two machines at one time
        "events": "VMFS heartbeat late; latency rose",
    }


def test_what_shows_the_storage_nearest_to_the_machines_is_judged() -> None:
    high = raised(PLAIN, 900.0, ("02:00", "03:00"))
    other = {"endpoint": "na", "volume_id": "v2", "name": "vol2", "device": "naa.2", "pool_id": "p1", "kind": "lun"}
    alone = {**other, "volume_id": "v3", "name": "vol3", "device": "naa.3"}
    facts = history(
        *day("ds", high),
        *day("naa.1", high, subject_kind="device"),
        *day("naa.2", high, subject_kind="device"),
        *(row for volume in ("v1", "v2", "v3") for row in day(volume, high, endpoint="na", subject_kind="volume", host_id="")),
        *day("p1", high, endpoint="na", subject_kind="pool", host_id=""),
    )
    facts["array_volume"] += [other, alone]
    facts["device"] = [{"host_id": "host-1", "device": name, "device_type": "disk"} for name in ("naa.1", "naa.2")]
    nearest = {(row["subject_kind"], row["subject"]): row["is_nearest"] for row in view("episode", facts)}
    assert nearest == {
        ("datastore", "ds"): True,
        ("device", "naa.1"): False,
        ("device", "naa.2"): True,
        ("volume", "v1"): False,
        ("volume", "v2"): False,
        ("volume", "v3"): True,
        ("pool", "p1"): False,
    }


@pytest.mark.long
def test_healthy_days_have_hardly_an_episode() -> None:
    """Of 200 days of a datastore twice as slow by day; tests/long/facts/test_healthy_days.py has more kinds of days."""
    rows = [row for seed in range(200) for row in day(f"ds-{seed}", latencies(seed))]
    assert len({row["subject"] for row in view("episode", history(*rows))}) <= 2  # 0.2 % of 1,000 such days have one


def test_without_a_history_there_are_no_episodes() -> None:
    assert view("episode", history()) == view("episode_pattern", history()) == []


def test_what_is_counted_of_all_hosts_together_does_not_count_twice() -> None:
    high = raised(PLAIN, 900.0, ("02:00", "03:00"))
    together = day("ds", high, host_id="", latency_ms=None, iops=300.0)
    found = view("episode", history(*together, *day("ds", high), *day("ds", high, host_id="host-2", iops=100.0)))
    assert [(row["hosts"], row["iops"], row["normal_iops"]) for row in found] == [(2, 300.0, 300.0)]


def test_the_intervals_of_a_day_show_both_sides() -> None:
    """Of three intervals of two hosts and of the volume behind them; the datastore without an episode has none."""
    high = raised(PLAIN, 900.0, ("02:00", "03:00"))
    facts = history(
        *day("ds", high, sioc_active_percent=50.0),
        *day("ds", [600.0 if one == 900.0 else one for one in high], host_id="host-2", iops=100.0, latency_max_ms=None),
        *day("v1", [3.0] * 288, endpoint="na", subject_kind="volume", host_id="", iops=290.0),
        *day("quiet", PLAIN),
    )
    rows = view("episode_interval", facts)
    assert {(row["subject"], row["side"]) for row in rows} == {("ds", "host"), ("ds", "array")}
    assert len(rows) == 2 * 288
    shown = ("resource_name", "seconds", "latency_ms", "latency_max_ms", "iops", "sioc_active_percent")
    at_two = {row["side"]: [row[name] for name in shown] for row in rows if row["begin_at"] == at("02:00")}
    assert at_two == {
        "host": ["prod-01", 300, pytest.approx((200 * 900 + 100 * 600) / 300), 900.0, 300.0, 50.0],
        "array": ["prod-01", 300, 3.0, 3.0, 290.0, None],
    }


def test_the_runs_beside_a_day_are_listed_whether_or_not_they_fit() -> None:
    facts = history(*day("ds", raised(PLAIN, 900.0, ("02:00", "03:00"))), background_job=jobs("scrub", every=720, minutes=60, first=600))
    rows = view("episode_cause", facts)
    assert [(row["cause"], row["cause_name"], row["begin_at"], row["end_at"]) for row in rows] == [
        ("job", "scrub", at("10:00"), at("11:00")),
        ("job", "scrub", at("22:00"), at("23:00")),
    ]


def test_an_interval_in_which_nothing_passed_has_no_mean_latency() -> None:
    rows = day("ds", raised(PLAIN, 900.0, ("02:00", "03:00")))
    rows[5] |= {"latency_ms": 0.0, "iops": 0.0}
    assert [row["latency_ms"] for row in view("episode_interval", history(*rows))][4:7] == [9.0, None, 9.0]
