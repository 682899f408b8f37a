"""What episodes go with, and how many would by chance: the view `episode_pattern`, over days with known causes and with none."""

import random
from datetime import timedelta
from math import comb
from typing import Any

import pytest

from .days import Row, at, day, jobs, latencies, raised
from .fleets import Facts, view
from .test_episode_rows import PLAIN, history

FIVE = ("01:00", "06:00", "09:00", "14:00", "22:00")


def pattern(facts: Facts, cause: str, subject: str = "ds") -> dict[str, Any]:
    """The one row of this cause."""
    [row] = [row for row in view("episode_pattern", facts) if (row["cause"], row["subject"]) == (cause, subject)]
    return row


def by_chance(fits: int, tries: int, share: float) -> float:
    """How likely at least so many of so many tries fit."""
    return sum(comb(tries, n) * share**n * (1 - share) ** (tries - n) for n in range(fits, tries + 1))


def spiked(*clocks: str, minutes: int = 5, to_ms: float = 900.0) -> list[float]:
    """A plain day with an episode at each of these times."""
    return raised(PLAIN, to_ms, *((clock, f"{at(clock).hour:02}:{at(clock).minute + minutes:02}") for clock in clocks))


def named(facts: Facts, most: float = 0.01) -> set[tuple[str, str, str]]:
    """What the rules name: subject, cause and its name."""
    rows = view("episode_pattern", facts)
    return {
        (row["subject"], row["cause"], row["cause_name"])
        for row in rows
        if row["chance"] is not None and row["fitting"] >= 3 and row["chance"] <= most
    }


@pytest.mark.long
def test_episodes_that_begin_with_every_run_of_a_job() -> None:
    hourly = [f"{hour:02}:15" for hour in range(24)]
    facts = history(*day("ds", spiked(*hourly)), background_job=jobs("replication", every=60, minutes=4, first=16, schedule="hourly-16"))
    row = pattern(facts, "job")
    shown = ("cause_name", "way", "episodes", "fitting", "share", "fitting_by_chance", "tried", "runs", "runs_met", "hours", "is_whole")
    assert {name: row[name] for name in shown} == {
        "cause_name": "replication, schedule hourly-16",
        "way": "go while it runs",  # one interval of an hour's twelve, where beginning with it takes two
        "episodes": 24,
        "fitting": 24,
        "share": pytest.approx(1 / 12),
        "fitting_by_chance": pytest.approx(2.0),
        "tried": 2,
        "runs": 24,
        "runs_met": 24,
        "hours": 24.0,
        "is_whole": None,  # an ONTAP lists the newest run of a job alone
    }
    assert row["chance"] == pytest.approx(2 * (1 / 12) ** 24)
    # The clock fits too; the rule for it leaves it to the job.
    assert pattern(facts, "clock")["job_chance"] == row["chance"]


def test_a_long_job_is_met_where_episodes_begin_with_it() -> None:
    """A job of two hours ran at three of the five; each began with it."""
    facts = history(
        *day("ds", spiked(*FIVE)), background_job=[job for n in (60, 540, 840) for job in jobs("dedup", every=1440, minutes=120, first=n)]
    )
    row = pattern(facts, "job")
    assert (row["way"], row["fitting"], row["runs"], row["runs_met"]) == ("begin with it", 3, 3, 3)
    assert row["share"] == pytest.approx(6 / 288)  # the interval in which it begins, and the next one
    assert row["chance"] == pytest.approx(2 * by_chance(3, 5, 6 / 288))


def test_a_job_that_always_runs_explains_nothing() -> None:
    facts = history(*day("ds", spiked(*FIVE)), background_job=jobs("replication", every=5, minutes=5))
    row = pattern(facts, "job")
    assert (row["fitting"], row["share"], row["chance"]) == (5, 1.0, 1.0)


@pytest.mark.parametrize(
    ("place", "fits"),
    [
        pytest.param({"pool_id": "p1"}, True, id="in the pool of its volume"),
        pytest.param({"pool_id": "p2", "subject_id": "p2"}, False, id="in another pool"),
        pytest.param({"subject": "volume", "subject_id": "v9", "pool_id": None}, True, id="on another volume of the pool"),
        pytest.param({"subject": "volume", "subject_id": "v8", "pool_id": None}, False, id="on a volume of another pool"),
        pytest.param({"subject": "array", "subject_id": None, "pool_id": None}, True, id="of the array, where it does not say where"),
        pytest.param({"endpoint": "other"}, False, id="of another array"),
    ],
)
def test_a_job_counts_for_what_lies_in_its_pool(place: Row, fits: bool) -> None:
    facts = history(
        *day("ds", spiked(*FIVE)),
        background_job=[job for clock in (60, 360, 540) for job in jobs("scrub", every=1440, minutes=4, first=clock, **place)],
    )
    usual = {"endpoint": "na", "name": "x", "kind": "lun"}
    facts["array_volume"] += [{**usual, "volume_id": "v9", "pool_id": "p1"}, {**usual, "volume_id": "v8", "pool_id": "p2"}]
    assert bool(named(facts) & {("ds", "job", "scrub")}) == fits


@pytest.mark.parametrize(
    ("end", "runs_in"),
    [
        pytest.param({"outcome": "running"}, 4, id="it still runs"),
        pytest.param({"outcome": "ok", "seconds": 7200.0}, 2, id="it took two hours"),
        pytest.param({"outcome": "ok"}, 0, id="it ended, and nobody says when"),
    ],
)
def test_a_job_without_an_end_runs_on_only_where_the_array_says_so(end: Row, runs_in: int) -> None:
    """Begun at 08:00; episodes at 09:00 and 09:30, and two later."""
    facts = history(
        *day("ds", spiked("09:00", "09:30", "14:00", "22:00")),
        background_job=jobs("rebuild", every=1440, minutes=0, first=480, end_at=None, **end),
    )
    assert [row["jobs"] for row in view("episode", facts)] == ["rebuild"] * runs_in + [None] * (4 - runs_in)


def test_what_a_schedule_starts_every_hour_needs_no_list_of_jobs() -> None:
    """The newest transfer alone is listed. Its schedule is the cluster's own time, of which the minute alone is used."""
    facts = history(*day("ds", [900.0 if n % 6 == 4 else one for n, one in enumerate(PLAIN)]))
    usual = {
        "endpoint": "na",
        "role": "source",
        "pool_id": "p1",
        "schedule_read": True,
        "transfer_state": "success",
        "transfer_seconds": 120,
    }
    twice = str([hour * 60 + minute for hour in range(24) for minute in (20, 50)])
    facts["array_replication"] = [
        {**usual, "replication_id": "a", "schedule": "2-an-hour", "interval_seconds": 1800, "start_minutes": twice},
        {**usual, "replication_id": "b", "schedule": "nightly", "interval_seconds": 86400, "start_minutes": "[120]"},
        {**usual, "replication_id": "c", "schedule": "elsewhere", "interval_seconds": 3600, "start_minutes": "[30]", "pool_id": "p2"},
    ]
    row = pattern(facts, "job")
    shown = ("cause_name", "way", "episodes", "fitting", "share", "runs", "runs_met")
    assert [row[name] for name in shown] == ["replication, schedule 2-an-hour", "go while it runs", 48, 48, pytest.approx(1 / 6), 48, 48]


def test_fewer_than_three_episodes_fit_nothing() -> None:
    facts = history(*day("ds", spiked("01:00", "06:00")), background_job=jobs("scrub", every=300, minutes=4, first=60))
    row = pattern(facts, "job")
    assert {name: row[name] for name in ("episodes", "fitting", "chance", "share", "fitting_by_chance", "tried")} == {
        "episodes": 2,
        "fitting": 2,
        "chance": None,
        "share": None,
        "fitting_by_chance": None,
        "tried": None,
    }
    assert [row["cause"] for row in view("episode_pattern", facts)] == ["job"]


def test_an_episode_whose_begin_was_not_read_does_not_count() -> None:
    facts = history(*day("ds", spiked("00:00", *FIVE)), background_job=jobs("scrub", every=1440, minutes=4))
    assert (pattern(facts, "job")["episodes"], pattern(facts, "job")["fitting"]) == (5, 0)


def test_a_clock_time_that_no_job_explains() -> None:
    """Seven of eight runs of something that comes every three hours, and one episode ten minutes after one of them."""
    clocks = [f"{hour:02}:20" for hour in range(0, 21, 3)]
    row = pattern(history(*day("ds", spiked(*clocks, "09:30"))), "clock")
    assert {name: row[name] for name in ("cause_name", "episodes", "fitting", "runs", "runs_met", "job_chance")} == {
        "cause_name": "every 3 hours, at 00:20 UTC",
        "episodes": 8,
        "fitting": 7,
        "runs": 8,
        "runs_met": 7,
        "job_chance": 1.0,
    }
    # 15 minutes to 8 hours, in intervals of five minutes; a day did not come three times.
    tried = sum(minutes // 5 for minutes in (15, 20, 30, 60, 120, 180, 240, 360, 480))
    assert row["tried"] == tried
    assert row["chance"] == pytest.approx(tried * by_chance(7, 8, 2 / 36))


def test_a_quarter_of_an_hour_is_a_clock_time_too() -> None:
    row = pattern(history(*day("ds", [900.0 if n % 3 == 1 else one for n, one in enumerate(PLAIN)])), "clock")
    assert (row["cause_name"], row["fitting"], row["runs_met"]) == ("every 15 minutes, at 5 minutes past", 96, 96)


def test_machines_restarted_at_one_time_count_once_for_an_episode() -> None:
    events = [
        {"event_key": key, "kind": "restarted", "vm_id": f"vm-{key % 2}", "happened_at": at(clock)}
        for key, clock in enumerate(("01:05", "01:06", "06:14", "09:03", "12:00"))
    ]
    disks = [{"vm_id": f"vm-{n}", "disk": "d", "datastore_id": "ds"} for n in (0, 1)]
    row = pattern(history(*day("ds", spiked(*FIVE)), storage_event=events, vm_disk=disks), "restart")
    assert (row["episodes"], row["fitting"]) == (5, 3)
    # Intervals that the ten minutes before a restart touch: 00:55 to 01:05 (two restarts), 06:00 to 06:10, 08:50 to 09:00, 11:50 to 11:55.
    assert row["share"] == pytest.approx((3 + 3 + 3 + 2) / 288)


@pytest.mark.long
def test_collapse_is_more_asked_and_less_done() -> None:
    def of(iops: float, asked: float) -> list[Row]:
        """One interval outside of episodes shows it, too."""
        spikes = spiked(*FIVE)
        slow = {n for n, one in enumerate(spikes) if one == 900.0}
        return day(
            "ds",
            spikes,
            iops=lambda n: iops if n in slow else 150.0 if n == 50 else 200.0,
            outstanding=lambda n: asked if n in slow else 3.0 if n == 50 else 2.0,
        )

    collapsed = pattern(history(*of(160.0, 3.0)), "collapse")
    assert (collapsed["episodes"], collapsed["fitting"]) == (5, 5)
    assert collapsed["share"] == pytest.approx(2 / 284)  # one of the 283 others, and one more
    assert pattern(history(*of(161.0, 3.0)), "collapse")["fitting"] == 0
    assert pattern(history(*of(160.0, 2.9)), "collapse")["fitting"] == 0


@pytest.mark.long
def test_a_history_with_a_hole_is_not_whole() -> None:
    rows = day("ds", spiked(*FIVE))
    del rows[200]
    facts = history(*rows)
    assert pattern(facts, "clock")["is_whole"] is None
    facts = history(*day("ds", spiked(*FIVE)))
    facts["reading"] = [{"scope": "", "topic": "load_history", "complete": False}]
    assert pattern(facts, "clock")["is_whole"] is None


@pytest.mark.parametrize(
    ("iops", "is_whole"),
    [
        pytest.param(200.0, None, id="commands passed, and nobody says how long they took"),
        pytest.param(None, None, id="nobody says whether any passed"),
        pytest.param(0.0, True, id="nothing passed"),
    ],
)
def test_an_interval_without_its_latency_is_a_hole(iops: float | None, is_whole: bool | None) -> None:
    rows = day("ds", spiked(*FIVE))
    rows[200] |= {"latency_ms": None, "iops": iops}
    assert pattern(history(*rows), "clock")["is_whole"] is is_whole


@pytest.mark.parametrize(
    ("family", "hours", "complete", "is_whole"),
    [
        pytest.param("flasharray", 24, True, True, id="a FlashArray lists a day"),
        pytest.param("flasharray", 24.3, True, None, id="which began after the history"),
        pytest.param("flasharray", 24, False, None, id="not all of it was read"),
        pytest.param("ontap", 24, True, None, id="others list the newest run"),
    ],
)
def test_a_job_that_fits_too_seldom_passes_only_where_all_its_runs_are_listed(
    family: str, hours: float, complete: bool, is_whole: bool | None
) -> None:
    facts = history(*day("ds", spiked(*FIVE)), background_job=jobs("snapshot", every=1440, minutes=4, first=60))
    facts["array"][0]["family"] = family
    read_at = at("00:00") + timedelta(hours=hours)
    facts["reading"] += [{"endpoint": "na", "scope": "", "topic": "background_jobs", "complete": complete, "read_at": read_at}]
    row = pattern(facts, "job")
    assert (row["fitting"], row["is_whole"]) == (1, is_whole)


@pytest.mark.parametrize(("hours", "is_whole"), [(24, True), (24.3, None)])
def test_restarts_are_known_for_the_day_of_vcenters_log(hours: float, is_whole: bool | None) -> None:
    facts = history(
        *day("ds", spiked(*FIVE)),
        vm_disk=[{"vm_id": "vm", "disk": "Hard disk 1", "datastore_id": "ds", "node": "scsi0:0"}],
        storage_event=[{"event_key": 1, "happened_at": at("01:05"), "kind": "restarted", "what": "restarted by vSphere HA", "vm_id": "vm"}],
    )
    facts["reading"] += [{"scope": "", "topic": "storage_events", "complete": True, "read_at": at("00:00") + timedelta(hours=hours)}]
    row = pattern(facts, "restart")
    assert (row["fitting"], row["is_whole"]) == (1, is_whole)


@pytest.mark.long
def test_what_one_of_two_hosts_did_not_read_is_a_hole() -> None:
    both = [*day("ds", spiked(*FIVE)), *day("ds", spiked(*FIVE), host_id="host-2")]
    assert pattern(history(*both), "clock")["is_whole"] is True
    assert pattern(history(*both[:-20]), "clock")["is_whole"] is None


def test_a_job_that_fits_two_episodes_leaves_them_to_the_clock() -> None:
    """Two of five are unlikely by chance, and too few for the rule about jobs."""
    facts = history(
        *day("ds", spiked(*FIVE)), background_job=[job for n in (60, 540) for job in jobs("scrub", every=1440, minutes=4, first=n)]
    )
    job = pattern(facts, "job")
    assert (job["fitting"], job["chance"] < 0.01) == (2, True)
    assert pattern(facts, "clock")["job_chance"] == 1.0


def test_of_intervals_of_four_minutes_only_periods_of_whole_intervals_are_tried() -> None:
    """20 minutes to 8 hours, but for 30 minutes: 5, 15, 30, 45, 60, 90 and 120 intervals."""
    values = [900.0 if n in (15, 90, 150, 200, 260) else PLAIN[n % 5] for n in range(360)]
    rows = day("ds", values, seconds=240, begin_at=lambda n: at("00:00") + timedelta(minutes=4 * n))
    assert pattern(history(*rows), "clock")["tried"] == 365


@pytest.mark.long
def test_random_episodes_beside_schedules_are_not_taken_for_their_work() -> None:
    """Of 100 volumes with three to twelve episodes at random, beside four schedules, none is named: chance would name one."""
    rng = random.Random(7)
    rows: list[Row] = []
    for number in range(100):
        values = latencies(number)
        for _ in range(rng.randint(3, 12)):
            begin = rng.randrange(2, 280)
            values[begin : begin + rng.randint(1, 4)] = [200.0]
        rows += day(f"v{number}", values[:288], endpoint="na", subject_kind="volume", host_id="")
    facts = history(*rows)
    facts["array_volume"] = [
        {"endpoint": "na", "volume_id": f"v{n}", "name": f"vol{n}", "pool_id": "p1", "kind": "lun"} for n in range(100)
    ]
    schedules = (("replication", 15, 4), ("snapshot", 60, 3), ("dedup", 720, 90), ("scrub", 1440, 300))
    facts["background_job"] = [job for kind, every, minutes in schedules for job in jobs(kind, every=every, minutes=minutes, first=2)]
    assert len({row["subject"] for row in view("episode", facts)}) == 100
    assert len(named(facts)) <= 1


@pytest.mark.long
def test_a_move_that_runs_while_hosts_are_held_back() -> None:
    """Three of five episodes began after a move began that still runs; in two of these Storage I/O Control was active half of the time."""
    rows = day("ds", spiked(*FIVE), sioc_active_percent=lambda n: {108: 50.0, 168: 100.0, 264: 49.0}.get(n, 0.0))
    task = {"task_id": "t", "description_id": "VirtualMachine.relocate", "entity_id": "vm-1", "started_at": at("08:00")}
    on = {"vm_disk": [{"vm_id": "vm-1", "disk": "d", "datastore_id": "ds"}], "vm": [{"vm_id": "vm-1", "name": "files"}]}
    row = pattern(history(*rows, running_task=[task], **on), "move")
    assert (row["cause_name"], row["episodes"], row["fitting"], row["share"]) == ("moves of disks", 5, 2, pytest.approx(16 / 24))
    to = history(*rows, running_task=[{**task, "target_datastore_id": "ds"}], vm=on["vm"])
    assert pattern(to, "move")["fitting"] == 2
    assert [episode["moves"] for episode in view("episode", to)] == [None, None, "files", "files", "files"]
    assert [row for row in view("episode_pattern", history(*rows, running_task=[task])) if row["cause"] == "move"] == []
    assert [
        row
        for row in view("episode_pattern", history(*rows, running_task=[{**task, "description_id": "x"}], **on))
        if row["cause"] == "move"
    ] == []


def test_moves_that_are_over_are_known_by_their_events() -> None:
    """One from the datastore that failed, one to it that was done, one elsewhere, and one of a host alone."""
    moves = (
        ("vm-1", "ds", "ds2", "00:50", "01:20"),
        ("vm-2", "ds2", "ds", "13:30", "14:00"),
        ("vm-3", "ds2", "ds3", "21:00", "23:00"),
        ("vm-4", "ds", "ds", "05:00", "07:00"),
    )
    events: list[Row] = []
    for key, (machine, source, target, begin, end) in enumerate(moves):
        ends = {"vm_id": machine, "from_datastore_id": source, "to_datastore_id": target}
        events += [
            {"event_key": 2 * key, "kind": "moving", "happened_at": at(begin), **ends},
            {"event_key": 2 * key + 1, "kind": "not moved" if key == 0 else "moved", "happened_at": at(end), **ends},
        ]
    facts = history(*day("ds", spiked(*FIVE), sioc_active_percent=100.0), storage_event=events)
    assert [episode["moves"] for episode in view("episode", facts)] == [
        "vm-1",
        None,
        None,
        None,
        None,
    ]  # the second ends as the episode begins
    row = pattern(facts, "move")
    assert (row["episodes"], row["fitting"], row["share"]) == (5, 1, pytest.approx((6 + 6) / 288))
