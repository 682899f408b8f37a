"""What a PowerStore keeps of the past, as rows of load_history."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.powerstore.history import samples_of
from auditor.model import EndpointKind
from auditor_lab.days import DaySpanDescription
from tests.endpoints.arrays import serving_array
from tests.endpoints.past import at, read_past, read_without_span, rows
from tests.endpoints.powerstore.test_powerstore_collector import PS

if TYPE_CHECKING:
    from collections.abc import Iterator

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
SLOW = DaySpanDescription(begin="02:00", end="04:00", latency_ms=40, iops=1000, bytes=8_000_000)


@pytest.fixture(scope="module")
def of_a_day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    about = dataclasses.replace(PS, day={"db": (SLOW,)})
    with serving_array(EndpointKind.POWERSTORE, about, tmp_path_factory.mktemp("ps")) as served:
        yield served


@pytest.fixture
def day(of_a_day: Any) -> Iterator[Any]:
    of_a_day[0].requests.clear()
    yield of_a_day
    of_a_day[0].alterations.clear()


def test_a_day_of_a_volume_with_what_is_repeated(day: Any) -> None:
    server, endpoint = day
    found = read_past(endpoint)
    assert (found.gaps, found.complete) == ([], {"load_history": True})
    assert {row["subject"] for row in rows(found, "volume")} == {server.state.volume_id("db")}, "idle volumes have no rows"
    slow, before = at(rows(found, "volume"), 3), at(rows(found, "volume"), 1)
    assert (slow["latency_ms"], slow["iops"], slow["bytes_per_second"], slow["seconds"]) == (40, 1000, 8_000_000, 300)
    assert (before["iops"], before["bytes_per_second"]) == (400, 400 * 8192)
    assert 285 <= len(rows(found, "volume")) <= 288, "each interval once, although the array answers a few samples"


@pytest.mark.parametrize(
    ("hours", "days_ago", "seconds"),
    [
        pytest.param(1, 0, 300, id="within the day"),
        pytest.param(48, 20, 3600, id="within the month"),
        pytest.param(96, 600, 86_400, id="within two years"),
    ],
)
def test_the_shortest_interval_that_reaches_back_is_read(day: Any, hours: float, days_ago: float, seconds: int) -> None:
    assert {row["seconds"] for row in rows(read_past(day[1], hours, days_ago), "volume")} == {seconds}


def test_a_span_that_may_hold_no_interval_is_a_gap(day: Any) -> None:
    found = read_past(day[1], 6, 100)
    assert [gap.why for gap in found.gaps] == ["those that are kept are 24 hours long: a span below 48 hours may hold none"]
    assert found.complete == {"load_history": False}
    assert read_past(day[1], 48, 100).gaps == []


def test_what_is_older_than_two_years_is_a_gap(day: Any) -> None:
    found = read_past(day[1], 24, 800)
    assert [gap.why for gap in found.gaps] == ["a PowerStore keeps none for longer than two years"]
    assert found.complete == {"load_history": False}


def sample(minutes: int, count: int | None, iops: float = 5) -> dict[str, Any]:
    """A sample whose interval ended so many minutes after noon."""
    end = NOON + timedelta(minutes=minutes)
    return {"timestamp": end.isoformat(), "total_iops": iops, "avg_latency": 2000, "total_bandwidth": 1, "repeat_count": count}


@pytest.mark.parametrize(
    ("answered", "ends"),
    [
        pytest.param([sample(5, 1), sample(10, 1)], [5, 10], id="none is repeated"),
        pytest.param([sample(5, 3), sample(20, 1)], [5, 10, 15, 20], id="room after it"),
        pytest.param([sample(5, 1), sample(20, 3)], [5, 10, 15, 20], id="room before it"),
        pytest.param([sample(5, 1), sample(15, 2), sample(25, 1)], [5, 15, 25], id="room on both sides: nobody knows"),
        pytest.param([sample(5, 2), sample(20, 1)], [5, 20], id="more room than it is repeated"),
        pytest.param([sample(5, 4)], [5, 10, 15, 20], id="the last one, up to now"),
        pytest.param([sample(5, None), sample(10, 0)], [5, 10], id="no count"),
    ],
)
def test_what_is_repeated_is_filled_in_where_its_neighbours_leave_room(answered: list[dict[str, Any]], ends: list[int]) -> None:
    now = NOON + timedelta(minutes=max(ends) + 2)
    found = samples_of([Record(one, "volume v", ParseErrors("x")) for one in answered], 300, now)
    assert sorted(round((one.end - NOON).total_seconds() / 60) for one in found) == ends
    assert {(one.iops, one.latency_ms) for one in found} == {(5, 2)}


@pytest.mark.parametrize("prefix", ["avg_", ""], ids=["of an interval", "of twenty seconds"])
def test_a_sample_has_its_rates_under_the_names_of_its_interval(prefix: str) -> None:
    """Source: the OpenAPI definitions of REST 4.1, performance_metrics_by_volume_rollup and performance_metrics_by_volume."""
    told = {"timestamp": NOON.isoformat(), f"{prefix}total_iops": 150.5, "avg_latency": 800.0, f"{prefix}total_bandwidth": 4096.0}
    errors = ParseErrors("x")
    [one] = samples_of([Record(told, "volume v", errors)], 300, NOON)
    assert (one.iops, one.latency_ms, one.bytes_per_second) == (150.5, 0.8, 4096.0)
    assert list(errors.gaps("ps")) == []


@pytest.mark.parametrize("change", [{"timestamp": "noon"}, {"avg_total_iops": "many"}])
def test_a_sample_that_makes_no_sense_is_a_gap(day: Any, change: dict[str, Any]) -> None:
    server, endpoint = day

    def change_last(answer: Any) -> Any:
        return [*answer[:-1], {**answer[-1], **change}]

    server.alterations["POST metrics/generate"] = change_last
    found = read_past(endpoint)
    assert found.gaps
    assert found.complete == {"load_history": False}
    assert all(row["latency_ms"] is None or row["iops"] is not None for row in rows(found, "volume"))


def test_volumes_beyond_the_most_are_a_gap(day: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.endpoints.powerstore.history.MOST_SUBJECTS", 1)
    [gap] = read_past(day[1]).gaps
    assert (gap.what, gap.why) == ("metrics of further volumes (3)", "1 are read")


def test_without_a_span_nothing_is_asked(day: Any) -> None:
    server, endpoint = day
    found = read_without_span(endpoint)
    assert not found.tables["load_history"]
    assert "POST metrics/generate" not in server.requests
