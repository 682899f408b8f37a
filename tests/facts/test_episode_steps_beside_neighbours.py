"""Episodes and what they are made of, beside things that share a part of their names, and hosts and intervals that are not theirs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from .single import Rows, by, of_vc, rows_over

NIGHT = datetime(2026, 11, 29, 2, 0, tzinfo=UTC)
Place = tuple[str, str, str]
OWN: Place = ("vc", "datastore", "d1")
OTHERS: tuple[Place, ...] = (("vc-2", "datastore", "d1"), ("vc", "device", "d1"), ("vc", "datastore", "d2"))
KEYS = ("endpoint", "subject_kind", "subject")


def at(minute: float) -> datetime:
    return NIGHT + timedelta(minutes=minute)


def of(place: Place, **more: Any) -> dict[str, Any]:
    return dict(zip(KEYS, place, strict=True)) | more


def interval(
    place: Place, minute: float, latency: float | None = 2.0, iops: float | None = 100.0, host: str = "h1", **more: Any
) -> dict[str, Any]:
    return of(place, host_id=host, begin_at=at(minute), seconds=60, latency_ms=latency, iops=iops) | more


def history_of(*intervals: dict[str, Any], places: tuple[Place, ...] = (OWN,)) -> dict[str, Rows]:
    return {
        "fact.load_history": list(intervals),
        "step_history_normal": [of(place, host_id=host, seconds=60) for place in {*places, *OTHERS} for host in ("h1", "h2")],
        "fact.reading": [{"endpoint": endpoint, "topic": "load_history", "scope": "", "complete": True} for endpoint in ("vc", "east")],
    }


def test_a_history_is_as_whole_as_that_of_the_host_that_read_least() -> None:
    def row(*intervals: dict[str, Any], **more: Rows) -> tuple[Any, ...]:
        [one] = rows_over("step_history_subject", history_of(*intervals) | more)
        return tuple(one[name] for name in ("seconds", "first_at", "last_at", "intervals", "is_whole"))

    first = [interval(OWN, n) for n in range(10)]
    second = [interval(OWN, n, host="h2") for n in range(1, 11)]
    assert row(*first) == (60, at(0), at(10), 10, True)
    assert row(*first, interval(OWN, 20, seconds=300)) == (60, at(0), at(10), 10, True)
    assert row(*first, *second) == (60, at(0), at(11), 10, None)
    assert row(*first[:9], interval(OWN, 9, None, 0.9)) == (60, at(0), at(10), 10, True)
    assert row(*first[:9], interval(OWN, 9, None, 1.0)) == (60, at(0), at(10), 9, None)
    assert row(*first[:9], interval(OWN, 9, None, None)) == (60, at(0), at(10), 9, None)
    for topic, complete in (("load_history", False), ("load", True)):
        readings = [{"endpoint": "vc", "topic": topic, "scope": "", "complete": complete}]
        assert row(*first, **{"fact.reading": readings})[4] is None


def test_a_thing_is_named_and_nearest_by_its_own_kind() -> None:
    places: tuple[Place, ...] = (
        *(OWN, ("vc", "device", "naa.1"), ("vc", "device", "naa.2"), ("vc-2", "device", "naa.1"), ("vc", "disk", "vm-1 a")),
        *(("east", "volume", name) for name in ("v1", "v2", "v3", "v4")),
        *(("east", "pool", "p1"), ("vc", "datastore", "d2"), ("west", "volume", "v1")),
    )
    given = history_of(*(interval(place, 0) for place in places), places=places) | {
        "step_datastore_volume": of_vc(
            {"datastore_id": "d1", "device": "naa.1", "array_endpoint": "east", "volume_id": "v1", "array_name": "East"},
            {"datastore_id": "d9", "device": "naa.2", "array_endpoint": "east", "volume_id": "v3", "array_name": "East"},
            {"datastore_id": "d2", "device": None, "array_endpoint": "east", "volume_id": "v4", "array_name": "East"},
            {"endpoint": "vc-2", "datastore_id": "d1", "device": "naa.2", "array_endpoint": "east", "volume_id": "v3"},
        ),
        "step_array_device": [
            {"device": "naa.1", "array_endpoint": "east", "volume_id": "v1", "array_name": "East"},
            {"device": "naa.2", "array_endpoint": "east", "volume_id": "v2", "array_name": "East 2"},
            {"device": "v3", "array_endpoint": "east", "volume_id": "v3", "array_name": "trap"},
        ],
        "step_array": [{"endpoint": "east"}],
        "fact.datastore": [
            *of_vc(
                {"datastore_id": "d1", "name": "gold"}, {"datastore_id": "d2", "name": "share"}, {"datastore_id": "naa.1", "name": "trap"}
            ),
            {"endpoint": "vc-2", "datastore_id": "d1", "name": "far"},
        ],
        "step_volume": [
            *({"endpoint": "east", "volume_id": name, "name": f"volume {name}"} for name in ("v1", "v2", "v3", "v4", "p1")),
            {"endpoint": "west", "volume_id": "v1", "name": "far"},
            {"endpoint": "vc", "volume_id": "naa.2", "name": "trap"},
        ],
        "fact.array_pool": [
            {"endpoint": "east", "pool_id": "p1", "name": "pool 1"},
            {"endpoint": "east", "pool_id": "v1", "name": "trap"},
            {"endpoint": "vc", "pool_id": "naa.1", "name": "trap"},
            {"endpoint": "west", "pool_id": "p1", "name": "far"},
        ],
    }
    rows = by("step_history_subject", " ".join(KEYS), given)
    assert {key: (row["name"], row["array_name"], row["is_nearest"]) for key, row in rows.items()} == {
        OWN: ("gold", "East", True),
        ("vc", "device", "naa.1"): ("naa.1", "East", False),
        ("vc", "device", "naa.2"): ("naa.2", "East 2", True),
        ("vc-2", "device", "naa.1"): ("naa.1", "East", True),
        ("vc", "disk", "vm-1 a"): ("vm-1 a", None, False),
        ("east", "volume", "v1"): ("volume v1", "east", False),
        ("east", "volume", "v2"): ("volume v2", "east", False),
        ("east", "volume", "v3"): ("volume v3", "east", True),
        ("east", "volume", "v4"): ("volume v4", "east", False),
        ("east", "pool", "p1"): ("pool 1", "east", False),
        ("vc", "datastore", "d2"): ("share", "East", True),
        ("west", "volume", "v1"): ("far", None, True),
    }


def run(place: Place, host: str, begin: int, end: int) -> dict[str, Any]:
    return of(place, host_id=host, seconds=60, begin_at=at(begin), end_at=at(end))


def normal(place: Place, host: str, ms: float, raised: float, iops: float) -> dict[str, Any]:
    measures = {
        "normal_ms": ms,
        "raised_ms": raised,
        "normal_iops": iops,
        "normal_bytes_per_second": 2 * iops,
        "normal_outstanding": iops / 10,
    }
    return of(place, host_id=host, seconds=60, **measures)


def test_runs_of_hosts_that_meet_are_one_episode_of_all_their_commands() -> None:
    raised = {("h1", 5): (50.0, 200.0), ("h1", 6): (50.0, 200.0), ("h2", 7): (60.0, 100.0), ("h1", 20): (80.0, 300.0)}
    own = [
        interval(OWN, n, *raised.get((host, n), (2.0, 100.0)), host=host, bytes_per_second=1.0) for host in ("h1", "h2") for n in range(31)
    ]
    given: dict[str, Rows] = {
        "step_raised_run": [
            run(OWN, "h1", 5, 7),
            run(OWN, "h2", 7, 8),
            run(OWN, "h1", 20, 21),
            *(run(place, "h2", 6, 7) for place in OTHERS),
        ],
        "fact.load_history": [
            *own,
            interval(OWN, 5.5, 999.0, 999.0, seconds=300),
            interval(OWN, 6.5, 999.0, 999.0, host="h9"),
            *(interval(place, n, 500.0, 999.0, host=host) for place in OTHERS for host in ("h1", "h2") for n in range(31)),
            *(interval(place, 5.5, 500.0, 999.0) for place in OTHERS),
        ],
        "step_history_normal": [
            normal(OWN, "h1", 2.0, 25.0, 100.0),
            normal(OWN, "h2", 3.0, 30.0, 50.0),
            *(normal(place, host, 9.0, 90.0, 999.0) for place in OTHERS for host in ("h1", "h2")),
        ],
        "fact.host": [
            *of_vc({"host_id": "h1", "name": "one"}, {"host_id": "h2", "name": "two"}),
            {"endpoint": "vc-2", "host_id": "h1", "name": "far"},
        ],
    }
    rows = [row for row in rows_over("step_episode", given) if tuple(row[name] for name in KEYS) == OWN]
    first, second = sorted(rows, key=lambda row: row["begin_at"])
    columns = (
        "begin_at",
        "end_at",
        "hosts",
        "host_id",
        "host_names",
        "latency_max_ms",
        "normal_ms",
        "raised_ms",
        "normal_iops",
        "normal_asked",
    )
    assert tuple(first[name] for name in columns) == (at(5), at(8), 2, None, "one, two", 60.0, 3.0, 30.0, 150.0, 15.0)
    assert tuple(second[name] for name in columns) == (at(20), at(21), 1, "h1", "one", 80.0, 2.0, 25.0, 150.0, 15.0)
    assert (first["latency_ms"], second["latency_ms"]) == ((2 * 50 * 200 + 60 * 100) / 500, 80.0)
    assert first["iops"] == pytest.approx((300 + 300 + 200) / 3)
    assert first["asked"] == pytest.approx((10.2 + 10.2 + 6.2) / 3)
    assert (second["iops"], second["asked"]) == (400.0, pytest.approx(24.2))
    assert (first["bytes_per_second"], first["normal_bytes_per_second"]) == (2.0, 300.0)
    assert {(row["is_begin_read"], row["is_end_read"]) for row in rows} == {(True, True)}


@pytest.mark.parametrize(
    ("minutes", "begin", "end"),
    [
        pytest.param([5], False, False, id="the interval alone"),
        pytest.param([4, 5], True, False, id="with the one before"),
        pytest.param([5, 6], False, True, id="with the one behind"),
        pytest.param([3, 5, 7], False, False, id="with others further away"),
    ],
)
def test_the_ends_of_an_episode_are_read_where_the_next_interval_was(minutes: list[int], begin: bool, end: bool) -> None:
    given: dict[str, Rows] = {
        "step_raised_run": [run(OWN, "h1", 5, 6)],
        "fact.load_history": [interval(OWN, n, 50.0) for n in minutes],
        "step_history_normal": [normal(OWN, "h1", 2.0, 25.0, 100.0)],
    }
    [row] = rows_over("step_episode", given)
    assert (row["is_begin_read"], row["is_end_read"], row["host_names"]) == (begin, end, "h1")


def test_what_all_hosts_together_measured_is_of_no_host() -> None:
    given: dict[str, Rows] = {
        "step_raised_run": [run(OWN, "", 5, 6)],
        "fact.load_history": [interval(OWN, 5, 50.0, host="")],
        "step_history_normal": [normal(OWN, "", 2.0, 25.0, 100.0)],
    }
    [row] = rows_over("step_episode", given)
    assert (row["hosts"], row["host_id"], row["host_names"], row["latency_ms"]) == (0, None, None, 50.0)


def episode(place: Place, number: int = 7, begin: float = 0, end: float = 60, **more: Any) -> dict[str, Any]:
    return of(place, episode=number, seconds=60, begin_at=at(begin), end_at=at(end), is_begin_read=True, host_id="h1") | more


def cause(place: Place, kind: str, name: str, begin: float, end: float, **more: Any) -> dict[str, Any]:
    return of(place, cause=kind, cause_name=name, begin_at=at(begin), end_at=at(end)) | more


def test_an_episode_has_what_was_sent_ran_and_was_logged_in_it() -> None:
    def disk(machine: str, node: str, store: str = "d1", endpoint: str = "vc") -> dict[str, Any]:
        return {"endpoint": endpoint, "vm_id": machine, "disk": node, "node": node, "datastore_id": store}

    def sent(subject: str, minute: int, iops: float, endpoint: str = "vc", kind: str = "disk") -> dict[str, Any]:
        return interval((endpoint, kind, subject), minute, None, iops)

    def logged(key: int, what: str, minute: float, kind: str = "lost", endpoint: str = "vc", **more: Any) -> dict[str, Any]:
        return {"endpoint": endpoint, "event_key": key, "what": what, "happened_at": at(minute), "kind": kind, **more}

    given: dict[str, Rows] = {
        "step_episode": [episode(OWN), episode(OWN, 8, 600, 610), *(episode(place) for place in OTHERS)],
        "step_history_subject": [of(place, name=" ".join(place), is_nearest=True) for place in (OWN, *OTHERS)],
        "fact.host": [*of_vc({"host_id": "h1", "name": "one", "cluster": "c1"}), {"endpoint": "vc-2", "host_id": "h1", "name": "far"}],
        "fact.vm": [*of_vc({"vm_id": "vm1", "name": "web"}), {"endpoint": "vc-2", "vm_id": "vm1", "name": "far"}],
        "fact.vm_disk": [disk("vm1", "a"), disk("vm2", "b"), disk("vm3", "c"), disk("vm4", "d", "d2"), disk("vm1", "a", endpoint="vc-2")],
        "fact.load_history": [
            *(sent("vm1 a", 0, 100.0), sent("vm1 a", 59, 200.0), sent("vm1 a", 60, 999.0), sent("vm1 a", -1, 999.0)),
            *(sent("vm2 b", 5, 40.0), sent("vm3 c", 5, 0.0), sent("vm4 d", 5, 9.0), sent("vm1 a", 5, 77.0, endpoint="vc-2")),
            sent("vm1 a", 5, 999.0, kind="device"),
        ],
        "step_episode_cause": [
            *(cause(OWN, "job", "dedup", -10, 1), cause(OWN, "job", "before", -10, 0), cause(OWN, "job", "behind", 60, 70)),
            *(cause(OWN, "move", "moves", 59, 70, detail="web"), cause(OWN, "restart", "one", 1, 2), cause(OWN, "restart", "two", 3, 4)),
            *(cause(place, "job", "elsewhere", 0, 10) for place in OTHERS),
        ],
        "fact.storage_event": [
            *(logged(1, "on its device", -1, device="naa.1"), logged(2, "too early", -1.1, device="naa.1")),
            *(logged(3, "on its volume", 60.9, vmfs_uuid="u1"), logged(4, "too late", 61, vmfs_uuid="u1")),
            *(logged(5, "on itself", 5, "slow", datastore_id="d1"), logged(6, "no trouble", 5, "over", datastore_id="d1")),
            *(
                logged(7, "far", 5, endpoint="vc-2", datastore_id="d1"),
                logged(8, "of the device", 5, device="d1"),
                logged(9, "of d2", 5, datastore_id="d2"),
            ),
        ],
        "fact.datastore_extent": [
            *of_vc({"datastore_id": "d1", "device": "naa.1"}),
            {"endpoint": "vc-2", "datastore_id": "d2", "device": "naa.1"},
        ],
        "fact.datastore": [
            *of_vc({"datastore_id": "d1", "vmfs_uuid": "u1"}),
            {"endpoint": "vc-2", "datastore_id": "d2", "vmfs_uuid": "u1"},
        ],
    }
    rows = {(tuple(row[name] for name in KEYS), row["minutes"]): row for row in rows_over("episode", given)}
    columns = ("resource_name", "host", "cluster", "senders", "jobs", "moves", "restarts", "events")
    expected: dict[Any, tuple[Any, ...]] = {
        (OWN, 60): (
            *("vc datastore d1", "one", "c1", "web a: 150 a second; vm2 b: 40 a second", "dedup", "web", 2),
            "on its device; on its volume; on itself",
        ),
        (OWN, 10): ("vc datastore d1", "one", "c1", None, None, None, 0, None),
        (OTHERS[0], 60): ("vc-2 datastore d1", "far", None, "far a: 77 a second", "elsewhere", None, 0, "far"),
        (OTHERS[1], 60): ("vc device d1", "one", "c1", None, "elsewhere", None, 0, "of the device"),
        (OTHERS[2], 60): ("vc datastore d2", "one", "c1", "vm4 d: 9 a second", "elsewhere", None, 0, "of d2"),
    }
    assert {key: tuple(row[name] for name in columns) for key, row in rows.items()} == expected


def test_a_collapse_is_more_asked_and_less_done_in_and_outside_of_episodes() -> None:
    measured = {"normal_asked": 10.0, "normal_iops": 100.0}
    usual = {"seconds": 60, "normal_iops": 50.0, "normal_outstanding": 5.0}

    def collapsed(number: int, asked: float | None, iops: float | None, **more: Any) -> dict[str, Any]:
        begin = 10 * number
        return episode(OWN, number, begin, begin + 1, asked=asked, iops=iops, latency_max_ms=float(number), **measured) | more

    given: dict[str, Rows] = {
        "step_episode": [
            *(collapsed(1, 15.0, 80.0), collapsed(2, 15.0, 80.0), collapsed(3, 14.9, 80.0), collapsed(4, 15.0, 80.1)),
            *(
                collapsed(5, None, 1.0),
                collapsed(6, 99.0, None),
                collapsed(7, 99.0, 1.0, is_begin_read=False),
                collapsed(8, 99.0, 1.0, normal_iops=0.0),
            ),
            *(episode(place, 1, 0, 100, asked=1.0, iops=100.0, **measured) for place in OTHERS),
        ],
        "step_history_normal": [of(place, host_id=host, **usual) for place in (OWN, *OTHERS) for host in ("h1", "h2")],
        "fact.load_history": [
            # In an episode; three outside, of which one is collapsed; a host of no normal, and another length.
            *(interval(OWN, 10, 100.0, 40.0, host=host) for host in ("h1", "h2")),
            *(interval(OWN, 11, None, 40.0, host=host, outstanding=7.5) for host in ("h1", "h2")),
            *(interval(OWN, 12, None, 40.0, host=host, outstanding=7.4) for host in ("h1", "h2")),
            *(interval(OWN, 13, 200.0, 40.1, host=host) for host in ("h1", "h2")),
            interval(OWN, 12, None, 0.0, host="h9", outstanding=99.0),
            interval(OWN, 15, None, 0.0, seconds=300, outstanding=99.0),
            *(interval(place, 200, None, 0.0, outstanding=99.0) for place in OTHERS),
        ],
    }
    rows = by("step_episode_collapse", " ".join(KEYS), given)
    assert rows[OWN] == {"episodes": 4, "collapsed": 2, "share_ran": 2 / 4, "first_at": at(10), "last_at": at(20), "worst_ms": 2.0}
    assert {key: (row["collapsed"], row["share_ran"]) for key, row in rows.items() if key != OWN} == dict.fromkeys(OTHERS, (0, 1.0))


def test_a_cause_fits_by_its_begin_or_while_it_runs_and_by_chance_as_often_as_over_the_history() -> None:
    own = [
        *(episode(OWN, 1, 10, 11, latency_max_ms=7.0), episode(OWN, 2, 20, 22, latency_max_ms=9.0, sioc_active_percent=50.0)),
        *(
            episode(OWN, 3, 30, 33, latency_max_ms=8.0, sioc_active_percent=49.0),
            episode(OWN, 4, 5, 99, is_begin_read=False, latency_max_ms=99.0),
        ),
    ]
    given: dict[str, Rows] = {
        "step_episode": [*own, *(episode(place, 1, 0, 100, latency_max_ms=99.0, sioc_active_percent=99.0) for place in OTHERS)],
        "step_episode_cause": [
            *(cause(OWN, "job", "dedup", begin, end) for begin, end in ((5, 6), (20.5, 21), (23, 24), (34, 40), (100, 101))),
            cause(OWN, "move", "moves", 19, 35),
            cause(OWN, "restart", "later", 200, 201),
            *(cause(place, "job", "dedup", 0, 100) for place in OTHERS),
        ],
        "step_history_subject": [of(place, first_at=at(0), last_at=at(100)) for place in (OWN, *OTHERS)],
        "step_history_normal": [
            *(of(OWN, host_id="h1", seconds=60), of(OWN, host_id="h9", seconds=300)),
            *(of(place, host_id=host, seconds=60) for place in OTHERS for host in ("h1", "h9")),
        ],
        "fact.load_history": [
            *(interval(place, n) for place in (OWN, *OTHERS) for n in range(100)),
            interval(OWN, 300, host="h9"),
            interval(OWN, 300, seconds=300),
        ],
    }
    rows = by("step_episode_fit", " ".join((*KEYS, "cause", "cause_name")), given)
    columns = ("episodes", "begun", "share_begun", "ran", "share_ran", "runs", "runs_met", "first_at", "last_at", "worst_ms")
    job, move = (rows[(*OWN, *which)] for which in (("job", "dedup"), ("move", "moves")))
    assert tuple(job[name] for name in columns) == (3, 2, pytest.approx(0.21), 1, pytest.approx(0.14), 4, 2, at(10), at(20), 9.0)
    assert tuple(move[name] for name in columns) == (3, 1, pytest.approx(0.06), 1, pytest.approx(0.17), 1, 1, at(20), at(30), 9.0)
    later = rows[(*OWN, "restart", "later")]
    assert tuple(later[name] for name in columns) == (3, 0, 0.0, 0, 0.0, 0, 0, None, None, None)
    assert len(rows) == 3 + len(OTHERS)


def test_a_clock_time_is_the_one_at_which_more_episodes_began_than_chance_explains() -> None:
    begins = (70, 72, 190, 310, 440)  # 03:10, 03:12, 05:10, 07:10, 09:20 UTC

    def begun(place: Place, number: int, minute: float, **more: Any) -> dict[str, Any]:
        return episode(place, number, minute, minute + 10, latency_max_ms=float(number)) | more

    given: dict[str, Rows] = {
        "step_episode": [
            *(begun(OWN, number, minute) for number, minute in enumerate(begins)),
            begun(OWN, 9, 550, is_begin_read=False),
            *(begun(place, number, minute) for place in OTHERS[:2] for number, minute in enumerate((70, 190, 310, 550))),
            *(begun(OTHERS[2], number, 550) for number in range(2)),
        ],
        "step_history_subject": [of(place, seconds=600, first_at=at(0), last_at=at(720)) for place in (OWN, *OTHERS)],
    }
    rows = by("step_episode_clock", " ".join(KEYS), given)
    columns = ("cause_name", "episodes", "begun", "tried", "runs", "runs_met", "first_at", "last_at", "worst_ms")
    name, own = "every 2 hours, at 01:10 UTC", rows.pop(OWN)
    assert tuple(own[name] for name in columns) == (name, 5, 5, 63, 6, 4, at(70), at(440), 4.0)
    assert (own["share_begun"], own["chance"]) == (pytest.approx(1 / 6), pytest.approx((1 / 6) ** 5))
    assert {key: tuple(row[name] for name in columns) for key, row in rows.items()} == dict.fromkeys(
        OTHERS[:2], (name, 4, 4, 63, 6, 4, at(70), at(550), 3.0)
    )


def test_a_pattern_is_rated_by_what_was_tried_on_its_own_thing() -> None:
    def fit(place: Place, kind: str, name: str, begun: tuple[int, float], ran: tuple[int, float], episodes: int = 4) -> dict[str, Any]:
        shares = {"begun": begun[0], "share_begun": begun[1], "ran": ran[0], "share_ran": ran[1], "runs": 5, "runs_met": 3}
        return of(place, cause=kind, cause_name=name, episodes=episodes, **shares)

    ends = {"first_at": at(0), "last_at": at(60)}
    given: dict[str, Rows] = {
        "step_episode_fit": [
            *(fit(OWN, "job", "dedup", (3, 0.1), (3, 0.5)), fit(OWN, "job", "copy", (1, 0.5), (2, 0.25))),
            *(fit(OWN, "job", "scrub", (3, 0.5), (3, 0.5)), fit(OTHERS[2], "job", "z", (0, 0.5), (1, 0.5), 2)),
            *(fit(OWN, "move", "moves", (3, 0.001), (2, 0.2)), fit(OTHERS[0], "job", "dedup", (2, 0.1), (1, 0.5))),
            *(fit(OTHERS[1], "job", "dedup", (3, 0.2), (3, 0.9), 3), fit(OTHERS[2], "restart", "x", (1, 0.1), (1, 0.1), 2)),
        ],
        "step_episode_clock": [of(OWN, cause_name="noon", episodes=4, begun=4, share_begun=0.25, tried=10, runs=6, runs_met=4)],
        "step_episode_collapse": [of(OWN, episodes=4, collapsed=1, share_ran=0.5), of(OTHERS[0], episodes=2, collapsed=0, share_ran=0.5)],
        "step_history_subject": [of(place, name=" ".join(place), is_whole=True, **ends) for place in (OWN, *OTHERS)],
    }
    rows = by("episode_pattern", " ".join((*KEYS, "cause", "cause_name")), given)
    columns = (
        "resource_name",
        "way",
        "fitting",
        "share",
        "fitting_by_chance",
        "tried",
        "chance",
        "runs",
        "runs_met",
        "job_chance",
        "hours",
    )
    name, best = "vc datastore d1", pytest.approx(6 * (4 * 0.1**3 * 0.9 + 0.1**4))
    far = (pytest.approx(2 * (6 * 0.01 * 0.81 + 4 * 0.001 * 0.9 + 0.0001)), 5, 3, 1.0, 1.0)
    some = pytest.approx(0.1808)
    shown = {key: tuple(row[column] for column in columns) for key, row in rows.items()}
    assert shown == {
        (*OWN, "job", "dedup"): (name, "begin with it", 3, 0.1, pytest.approx(0.4), 6, best, 5, 3, best, 1.0),
        (*OWN, "job", "copy"): (name, "go while it runs", 2, 0.25, 1.0, 6, 1.0, 5, 3, best, 1.0),
        (*OWN, "job", "scrub"): (name, "go while it runs", 3, 0.5, 2.0, 6, 1.0, 5, 3, best, 1.0),
        (*OTHERS[2], "job", "z"): ("vc datastore d2", "go while it runs", 1, None, None, None, None, 5, 3, 1.0, 1.0),
        (*OWN, "move", "moves"): (name, "go while it runs", 2, 0.2, pytest.approx(0.8), 1, some, None, None, best, 1.0),
        (*OWN, "clock", "noon"): (name, "begin with it", 4, 0.25, 1.0, 10, pytest.approx(10 * 0.25**4), 6, 4, best, 1.0),
        (*OWN, "collapse", "more asked, less done"): (name, "show it", 1, 0.5, 2.0, 1, pytest.approx(1 - 0.5**4), None, None, best, 1.0),
        (*OTHERS[0], "job", "dedup"): ("vc-2 datastore d1", "begin with it", 2, 0.1, pytest.approx(0.4), 2, *far),
        (*OTHERS[1], "job", "dedup"): (
            *("vc device d1", "begin with it", 3, 0.2, pytest.approx(0.6), 2, pytest.approx(2 * 0.2**3), 5, 3),
            *(pytest.approx(2 * 0.2**3), 1.0),
        ),
        (*OTHERS[2], "restart", "x"): ("vc datastore d2", "go while it runs", 1, None, None, None, None, None, None, 1.0, 1.0),
    }


@pytest.mark.parametrize(
    ("kind", "name", "first", "family", "complete", "is_whole"),
    [
        pytest.param("move", "m", -1455, "other", True, True, id="a move since all events are listed"),
        pytest.param("move", "m", -1456, "other", True, None, id="a move of before"),
        pytest.param("restart", "r", -1456, "other", True, None, id="a restart of before"),
        pytest.param("move", "m", 0, "other", False, None, id="events were not read whole"),
        pytest.param("job", "j", -1455, "flasharray", True, True, id="a job since all jobs are listed"),
        pytest.param("job", "j", -1456, "flasharray", True, None, id="a job of before"),
        pytest.param("job", "j", 0, "ontap", True, None, id="a job of an array that lists the newest run"),
        pytest.param("job", "j", 0, "flasharray", False, None, id="jobs were not read whole"),
        pytest.param("job", "replication, schedule hourly", -9999, "ontap", False, True, id="a job whose schedule is known"),
        pytest.param("job", "replication", -9999, "ontap", False, True, id="a job of a schedule without a name"),
        pytest.param("job", "replication, schedule other", -9999, "ontap", True, None, id="a job of another pool's schedule"),
        pytest.param("job", "replication, schedule daily", -9999, "ontap", True, None, id="a job whose schedule is too rare"),
    ],
)
def test_a_pattern_is_of_a_whole_history_where_all_that_happened_in_it_is_listed(
    kind: str, name: str, first: int, family: str, complete: bool, is_whole: bool | None
) -> None:
    topics = (("vc", "storage_events"), ("east", "background_jobs"))
    given: dict[str, Rows] = {
        "step_episode_fit": [of(OWN, cause=kind, cause_name=name, episodes=4, begun=1, share_begun=0.5, ran=1, share_ran=0.5)],
        "step_history_subject": [of(OWN, name="d1", is_whole=True, first_at=at(first), last_at=at(60))],
        "step_history_volume": [of(OWN, array_endpoint="east", volume_id="v1", pool_id="p1")],
        "step_array": [{"endpoint": "east", "family": family}],
        "step_replication": [
            {"endpoint": "east", "pool_id": "p1", "schedule": "hourly", "interval_seconds": 3600},
            {"endpoint": "east", "pool_id": "p1", "schedule": "daily", "interval_seconds": 86400},
            {"endpoint": "east", "pool_id": "p1", "interval_seconds": 900},
            {"endpoint": "east", "pool_id": "p2", "schedule": "other", "interval_seconds": 900},
        ],
        "fact.reading": [
            *({"endpoint": endpoint, "topic": topic, "scope": "", "complete": complete, "read_at": NIGHT} for endpoint, topic in topics),
            *({"endpoint": endpoint, "topic": "other", "scope": "", "complete": False, "read_at": at(9999)} for endpoint, _ in topics),
        ],
    }
    [row] = rows_over("episode_pattern", given)
    assert row["is_whole"] is is_whole

    if kind == "job" and is_whole and family == "flasharray":
        given["step_history_volume"].append(of(OWN, array_endpoint="west", volume_id="v1"))
        [row] = rows_over("episode_pattern", given)
        assert row["is_whole"] is None, "it lies on another array as well"


def test_what_ran_on_a_thing_is_its_arrays_jobs_its_machines_moves_and_their_restarts() -> None:
    device: Place = ("vc", "device", "naa.1")
    other: Place = ("vc", "device", "naa.2")

    def job(number: int, kind: str, begin: float | None, end: float | None, **more: Any) -> dict[str, Any]:
        times = {"begin_at": None if begin is None else at(begin), "end_at": None if end is None else at(end)}
        return {"endpoint": "east", "job_id": str(number), "kind": kind, **times, "outcome": "done"} | more

    def moved(key: int, machine: str, kind: str, minute: float, begin: str | None = None, end: str | None = None) -> dict[str, Any]:
        ends = {"from_datastore_id": begin, "to_datastore_id": end}
        return {"event_key": key, "vm_id": machine, "kind": kind, "what": kind, "happened_at": at(minute), **ends}

    volume, pool = {"subject": "volume", "subject_id": "v1"}, {"subject": "pool", "subject_id": "p1"}
    schedule = {
        "endpoint": "east",
        "pool_id": "p1",
        "schedule": "h",
        "interval_seconds": 3600,
        "start_minutes": "[70]",
        "transfer_seconds": 120,
    }
    given: dict[str, Rows] = {
        "step_episode": [episode(place) for place in (OWN, OWN, device, other, *OTHERS)],
        "step_history_subject": [of(place, first_at=at(0), last_at=at(180)) for place in (OWN, device, other, *OTHERS)],
        "step_history_volume": [of(OWN, array_endpoint="east", volume_id="v1", pool_id="p1")],
        "step_volume": [{"endpoint": "east", "volume_id": f"v{n}", "pool_id": f"p{n}"} for n in (1, 2)],
        "fact.background_job": [
            *(job(1, "dedup", 10, 20, **volume), job(2, "scrub", 30, 40, **pool), job(3, "dedup", 10, 21, **volume | {"subject_id": "v2"})),
            *(job(4, "copy", 50, None, schedule="s", seconds=60), job(5, "check", 60, None, outcome="running")),
            *(job(6, "far", 10, 20, endpoint="west", **volume), job(7, "never", None, 20), job(8, "long", 70, None, seconds=31622401)),
            *(job(9, "backward", 90, 80), job(10, "scrub", 30, 41, **pool | {"subject_id": "p2"}), job(11, "other", 1, 2, pool_id="p1")),
        ],
        "step_replication": [
            schedule,
            schedule | {"interval_seconds": 3601, "schedule": "rare"},
            schedule | {"pool_id": "p2", "schedule": "far"},
        ],
        "fact.storage_event": [
            *of_vc(
                *(moved(1, "vm1", "moving", 5, "d1", "d2"), moved(2, "vm1", "moved", 9), moved(3, "vm1", "moved", 20)),
                *(moved(4, "vm1", "moved", 4), moved(5, "vm2", "moving", 6, "d1", "d1"), moved(6, "vm3", "moving", 15, "d7", "d1")),
                *(moved(7, "vm3", "restarted", 16), moved(8, "vm4", "moving", 181, "d1", "d2"), moved(9, "vm6", "restarted", 120)),
                *(moved(10, "vm1", "decided", 7, "d1", "d2"), moved(11, "vm5", "restarted", 130), moved(14, "vm6", "host", 150)),
                *(moved(12, "vm7", "moving", 25, "d1", "d2"), moved(13, "vm7", "not moved", 26)),
            ),
            {"endpoint": "vc-2", **moved(1, "vm1", "not moved", 6)},
        ],
        "fact.running_task": of_vc(
            {"entity_id": "vm5", "description_id": "VirtualMachine.relocate", "started_at": at(100), "target_datastore_id": "d1"},
            {"entity_id": "vm5", "description_id": "VirtualMachine.clone", "started_at": at(101), "target_datastore_id": "d1"},
            {"entity_id": "vm6", "description_id": "Drm.ExecuteStorageVMotionLRO", "started_at": at(102)},
            {"entity_id": "vm6", "description_id": "VirtualMachine.relocate"},
        ),
        "fact.vm_disk": [
            *of_vc(*({"vm_id": machine, "disk": "a", "datastore_id": store} for machine, store in (("vm5", "d9"), ("vm6", "d1")))),
            {"endpoint": "vc-2", "vm_id": "vm6", "disk": "a", "datastore_id": "d2"},
        ],
        "fact.datastore_extent": [
            *of_vc({"datastore_id": "d1", "device": "naa.1"}, {"datastore_id": "d9", "device": "naa.2"}),
            {"endpoint": "vc-2", "datastore_id": "d1", "device": "naa.1"},
            {"endpoint": "vc-2", "datastore_id": "d1", "device": "naa.2"},
        ],
        "fact.vm": [*of_vc({"vm_id": "vm1", "name": "web"}), {"endpoint": "vc-2", "vm_id": "vm1", "name": "far"}],
    }
    found: dict[Place, set[tuple[Any, ...]]] = {}
    rows = rows_over("step_episode_cause", given)
    for row in rows:
        ran = (row["begin_at"] - NIGHT).total_seconds() / 60, (row["end_at"] - NIGHT).total_seconds() / 60
        found.setdefault((row["endpoint"], row["subject_kind"], row["subject"]), set()).add((row["cause_name"], row["detail"], *ran))
    away = {("moves of disks", "web", 5, 9), ("moves of disks", "vm7", 25, 26)}
    moves = away | {("moves of disks", machine, begin, 180) for machine, begin in (("vm3", 15), ("vm5", 100), ("vm6", 102))}
    machines = {*moves, ("restarts by vSphere HA", None, 110, 120)}
    jobs = {("dedup", 10, 20), ("scrub", 30, 40), ("copy, schedule s", 50, 51), ("check", 60, 180), ("long", 70, 70), ("other", 1, 2)}
    hourly = {("replication, schedule h", None, 60 * hour + 10, 60 * hour + 12) for hour in range(4)}
    assert found == {
        OWN: {*machines, *((name, None, begin, end) for name, begin, end in jobs), *hourly},
        device: machines,
        other: {("moves of disks", "vm5", 100, 180), ("restarts by vSphere HA", None, 120, 130)},
        OTHERS[2]: away,
    }
    assert len(rows) == sum(map(len, found.values()))
