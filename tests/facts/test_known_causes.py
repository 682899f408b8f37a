"""Causes that are known because the day was made with them: each is named, and nothing else is."""

import random
from collections.abc import Callable

import pytest

from .days import Row, at, day, jobs, latencies, raised
from .fleets import Facts, view
from .test_episode_pattern_rows import named
from .test_episode_rows import history

pytestmark = pytest.mark.long

DAYS = 20


def _snapmirror(values: list[float], _: random.Random) -> list[float]:
    """Every 15 minutes one interval of five minutes is 60 times as slow; incident S3 had 10 ms, and spikes above 1,000."""
    return [values[n] * 60 if n % 3 == 1 else values[n] for n in range(288)]


def _backups(values: list[float], rng: random.Random) -> list[float]:
    """At 02:00, 10:00 and 18:00 half an hour is slow, by something that neither vCenter nor an array knows."""
    return raised(values, 60.0 + 40.0 * rng.random(), ("02:00", "02:30"), ("10:00", "10:30"), ("18:00", "18:30"))


def _nightly(values: list[float], rng: random.Random) -> list[float]:
    """While a scrub of five hours runs, latency climbs again and again."""
    begins = sorted(rng.sample(range(24, 84, 4), 6))  # 02:00 to 07:00
    return [80.0 + 40.0 * rng.random() if any(begin <= n < begin + 2 for begin in begins) else one for n, one in enumerate(values)]


@pytest.mark.parametrize(
    ("made", "work", "cause"),
    [
        pytest.param(
            _snapmirror, jobs("replication", every=15, minutes=4, first=6), ("job", "replication"), id="SnapMirror every 15 minutes"
        ),
        pytest.param(_backups, [], ("clock", "every 8 hours"), id="backups by the clock alone"),
        pytest.param(_nightly, jobs("scrub", every=1440, minutes=300, first=120), ("job", "scrub"), id="scrub from 2 to 7"),
    ],
)
def test_a_known_cause_is_named_on_every_day(
    made: Callable[[list[float], random.Random], list[float]], work: list[Row], cause: tuple[str, str]
) -> None:
    rng = random.Random(3)
    rows: list[Row] = []
    for number in range(DAYS):
        rows += day(f"v{number}", made(latencies(number), rng), endpoint="na", subject_kind="volume", host_id="")
    facts: Facts = history(*rows, background_job=[*work, *jobs("snapshot", every=60, minutes=2, first=33)])
    facts["array_volume"] = [
        {"endpoint": "na", "volume_id": f"v{n}", "name": f"vol{n}", "pool_id": "p1", "kind": "lun"} for n in range(DAYS)
    ]
    found = {(subject, kind, name.split(",")[0]) for subject, kind, name in named(facts)}
    assert {one for one in found if one[1:] == cause} == {(f"v{n}", *cause) for n in range(DAYS)}
    assert {one for one in found if one[2] == "snapshot"} == set()


def test_an_episode_is_seen_when_a_path_of_one_host_flaps() -> None:
    """Of four hosts one waits for its paths four times; the others do not, and the datastore's mean would hide it."""
    rows = [row for host in range(4) for row in day("ds", latencies(host), host_id=f"host-{host}")]
    flaps = raised(latencies(1), 400.0, ("04:00", "04:05"), ("09:30", "09:40"), ("16:15", "16:20"), ("21:00", "21:05"))
    facts = history(*(row for row in rows if row["host_id"] != "host-1"), *day("ds", flaps, host_id="host-1"))
    assert [(row["host"], row["begin_at"]) for row in view("episode", facts)] == [
        ("esx-1", at(clock)) for clock in ("04:00", "09:30", "16:15", "21:00")
    ]
