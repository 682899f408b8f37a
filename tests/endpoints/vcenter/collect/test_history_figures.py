"""What roll-ups and samples come to, by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from auditor.endpoints.vcenter.collect.history import _aligned, _subjects
from auditor.endpoints.vcenter.collect.history_figures import KINDS, OF_ALL_HOSTS, OF_HOSTS, figures_of, is_idle, rolled_up, rows_of
from auditor.endpoints.vcenter.collect.history_plan import _kept, _levels_text, _real_time
from auditor.endpoints.vcenter.past_performance import CounterLevel, Interval
from auditor.endpoints.vcenter.performance import Samples
from auditor_lab.vcenter.performance.counters import COUNTERS

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)


def moments(count: int, seconds: int) -> list[datetime]:
    """The ends of so many intervals, the first of which begins at noon."""
    return [NOON + timedelta(seconds=seconds * (at + 1)) for at in range(count)]


@pytest.mark.parametrize(
    ("reads", "writes", "read_ms", "write_ms", "latency"),
    [
        pytest.param(30, 10, 4, 8, 5, id="weighed by their number"),
        pytest.param(0, 0, 7, 7, 0, id="none passed"),
        pytest.param(10, 0, 4, None, 4, id="of what did not pass nothing has to be known"),
        pytest.param(10, 5, 4, None, None, id="of writes it is not known"),
        pytest.param(None, 5, 4, 4, None, id="how many is not known"),
    ],
)
def test_latency_is_weighed_by_reads_and_writes(reads: Any, writes: Any, read_ms: Any, write_ms: Any, latency: Any) -> None:
    series = {"reads": [reads], "writes": [writes], "read_ms": [read_ms], "write_ms": [write_ms]}
    assert figures_of(series, 1)["latency_ms"] == [latency]


def test_units_are_bytes_percent_and_commands() -> None:
    figures = figures_of({"read_kib": [3], "write_kib": [1], "sioc": [8050], "normalized": [1200], "reads": [2], "writes": [None]}, 1)
    assert (figures["bytes_per_second"], figures["sioc_active_percent"]) == ([4096], [80.5])
    assert (figures["normalized_latency_us"], figures["iops"]) == ([1200], [None])


def test_an_interval_of_which_nothing_is_known_has_no_row() -> None:
    figures = figures_of({"commands": [5, None, 0], "total": [1, None, 0]}, 3)
    rows = rows_of(figures, moments(3, 300), 300)
    assert rows["begin_at"] == [NOON, NOON + timedelta(minutes=10)]
    assert (rows["iops"], rows["latency_ms"], rows["seconds"]) == ([5, 0], [1, 0], [300, 300])


def test_a_subject_is_idle_when_nothing_was_sent_in_any_part() -> None:
    idle, busy = figures_of({"commands": [0, None], "total": [0, 0]}, 2), figures_of({"commands": [0, 1], "total": [0, 0]}, 2)
    assert (is_idle([idle]), is_idle([idle, busy]), is_idle([])) == (True, False, True)


def test_samples_are_rolled_up_to_whole_intervals_by_their_commands() -> None:
    times = moments(30 + 7, 20)  # two intervals and a piece of a third
    total = [2] * 14 + [100] + [4] * 15 + [900] * 7
    commands = [10] * 14 + [30] + [0] * 15 + [5] * 7
    figures, ends = rolled_up({"total": total, "commands": commands}, times, NOON, NOON + timedelta(hours=1))
    assert ends == [NOON + timedelta(minutes=5), NOON + timedelta(minutes=10)]
    assert figures["latency_ms"] == [pytest.approx((14 * 10 * 2 + 30 * 100) / 170), 0]
    assert figures["latency_max_ms"] == [100, 4]
    assert figures["iops"] == [pytest.approx(170 / 15), 0]


def test_an_interval_with_two_samples_missing_is_no_whole_one() -> None:
    times = moments(15, 20)
    for gone, whole in ((1, 1), (2, 0)):
        kept = times[gone:]
        _, ends = rolled_up({"total": [1] * len(kept), "commands": [1] * len(kept)}, kept, NOON, NOON + timedelta(hours=1))
        assert len(ends) == whole


def test_the_highest_of_a_host_is_the_highest_of_its_samples() -> None:
    figures, _ = rolled_up({"highest": [3] * 7 + [70] + [5] * 7}, moments(15, 20), NOON, NOON + timedelta(hours=1))
    assert (figures["latency_max_ms"], figures["latency_ms"]) == ([70], [None])


def test_only_intervals_within_the_span_count() -> None:
    times = moments(45, 20)
    for begin, end, count in ((0, 15, 3), (1, 15, 2), (0, 14, 2), (5, 10, 1)):
        _, ends = rolled_up({"total": [1] * 45}, times, NOON + timedelta(minutes=begin), NOON + timedelta(minutes=end))
        assert len(ends) == count, (begin, end)


def test_series_that_came_in_several_answers_are_laid_over_each_other() -> None:
    first, second = moments(2, 300), moments(3, 300)
    series, times = _aligned([("reads", [1, 2], first), ("writes", [3, 4, 5], second)])
    assert list(times) == second
    assert series == {"reads": [1, 2, None], "writes": [3, 4, 5]}


LEVEL_1 = {"hosts as a whole", "datastores of all hosts together"}


def levels() -> dict[str, CounterLevel]:
    """The levels that govmomi's capture of a vCenter has."""
    return {f"{one.group}.{one.name}.{one.rollup}": CounterLevel(one.key, one.level, one.per_device_level) for one in COUNTERS.values()}


@pytest.mark.parametrize(
    ("level", "kinds"),
    [
        pytest.param(1, LEVEL_1, id="1"),
        pytest.param(2, {*LEVEL_1, "adapters", "datastores", "virtual disks"}, id="2"),
        pytest.param(3, {*LEVEL_1, "adapters", "datastores", "virtual disks", "devices"}, id="3"),
    ],
)
def test_a_level_keeps_these_kinds(level: int, kinds: set[str]) -> None:
    kept, _ = _kept([Interval("day", 300, 86400, level, enabled=True)], levels())
    assert {kind.plural for kind in kept[300]} == kinds


def test_each_counter_is_read_from_the_shortest_interval_that_keeps_it() -> None:
    short, long = Interval("day", 300, 86400, 1, enabled=True), Interval("week", 1800, 604800, 3, enabled=True)
    kept, missing = _kept([short, long], levels())
    assert missing == {}
    assert {kind.plural for kind in kept[300]} == {"hosts as a whole", "datastores of all hosts together"}
    assert {kind.plural for kind in kept[1800]} == {"adapters", "datastores", "devices", "virtual disks", OF_ALL_HOSTS.plural}


def test_a_counter_that_the_release_lacks_is_named_as_that() -> None:
    day = Interval("day", 300, 86400, 4, enabled=True)
    fewer = {name: one for name, one in levels().items() if name != "disk.totalLatency.average"}
    _, missing = _kept([day], fewer)
    assert _levels_text(day, missing) == "vCenter keeps 5-minute rows at level 4: devices lack counters in this release"
    assert {kind.plural for kind in missing} == {"devices"}


def test_every_kind_has_a_name_of_its_own() -> None:
    plurals = [kind.plural for kind in KINDS]
    assert len(set(plurals)) == len(plurals)


@pytest.mark.parametrize(
    ("begin", "end", "seconds", "first"),
    [
        pytest.param(-1440, 0, 300, -60, id="a day: the last hour"),
        pytest.param(-30, 0, 300, -30, id="half an hour: all of it"),
        pytest.param(-1440, -90, 300, None, id="it ended before"),
        pytest.param(-1440, -58, 300, None, id="less than an interval of it is left"),
        pytest.param(-2880, 0, 7200, 0, id="two-hour roll-ups end at the full hour"),
    ],
)
def test_samples_take_over_where_an_interval_ends(begin: int, end: int, seconds: int, first: int | None) -> None:
    def at(minutes: int) -> datetime:
        return NOON + timedelta(minutes=minutes)

    found = _real_time(at(begin), at(end), NOON, seconds)
    assert found == (None if first is None or first == 0 else at(first))


def test_an_entity_as_a_whole_is_none_of_its_instances() -> None:
    times = tuple(moments(1, 300))
    series = {
        ("disk.read.average", ""): (9,),
        ("disk.read.average", "*"): (9,),
        ("disk.read.average", "NAA.624A9370AAAA"): (1,),
        ("disk.maxTotalLatency.latest", ""): (5,),
        ("disk.maxTotalLatency.latest", "naa.624a9370aaaa"): (6,),
        ("datastore.read.average", "uuid-1"): (2,),
        ("datastore.read.average", "uuid-2"): (3,),
    }
    query: Any = SimpleNamespace(stores={"uuid-1": "datastore-101"})
    found = {kind.plural: _subjects(query, [Samples("host-1", times, series)], kind) for kind in OF_HOSTS}
    assert found == {
        "datastores": {("host-1", "datastore-101"): ({"read_kib": (2,)}, times)},
        "devices": {("host-1", "naa.624a9370aaaa"): ({"read_kib": (1,)}, times)},
        "adapters": {},
        "hosts as a whole": {("host-1", "host-1"): ({"highest": (5,)}, times)},
    }
