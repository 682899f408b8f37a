"""What a FlashArray keeps of the past, as rows of load_history."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.flasharray.client import open_flasharray
from auditor_lab.arrays.flasharray.parts import VolumeDescription
from auditor_lab.days import DaySpanDescription
from tests.endpoints.flasharray.conftest import S2, serving
from tests.endpoints.past import at, read_past, read_without_span, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

SLOW = DaySpanDescription(begin="02:00", end="04:00", latency_ms=40, iops=1000, bytes=8_000_000)


@pytest.fixture(scope="module")
def of_a_day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    about = dataclasses.replace(
        S2,
        volumes=(*S2.volumes, VolumeDescription("spare")),
        day={"db": (SLOW,), "both::shared": (SLOW,), S2.name: (SLOW,)},
        page_limit=500,
    )
    with serving(tmp_path_factory.mktemp("fa"), about) as served:
        yield served


@pytest.fixture
def day(of_a_day: Any) -> Iterator[Any]:
    of_a_day[0].requests.clear()
    yield of_a_day
    of_a_day[0].alterations.clear()


@pytest.mark.long
def test_a_day_of_volumes_and_of_the_array(day: Any) -> None:
    server, endpoint = day
    found = read_past(endpoint)
    assert (found.gaps, found.complete) == ([], {"load_history": True})
    ids = {volume.name: volume.id for volume in server.array.volumes.values()}
    assert {row["subject"] for row in rows(found, "volume")} == {ids["db"], ids["both::shared"]}, "idle ones have no rows"
    slow, before = at(rows(found, "volume", ids["db"]), 3), at(rows(found, "volume", ids["db"]), 1)
    assert (slow["latency_ms"], slow["iops"], slow["bytes_per_second"], slow["seconds"]) == (40, 1000, 8_000_000, 300)
    assert (before["latency_ms"], before["iops"]) == ((300 * 0.2 + 100 * 0.6) / 400, 400)
    assert before["bytes_per_second"] == 300 * 4096 + 100 * 8192
    assert at(rows(found, "array", endpoint.name), 3)["latency_ms"] == 40
    assert 285 <= len(rows(found, "array")) <= 288


@pytest.mark.parametrize(
    ("hours", "days_ago", "seconds"),
    [
        pytest.param(1, 0, 300, id="within the day"),
        pytest.param(24, 3, 1800, id="within the week"),
        pytest.param(48, 20, 7200, id="within the month"),
        pytest.param(72, 60, 28_800, id="within three months"),
        pytest.param(96, 200, 86_400, id="within the year"),
    ],
)
def test_the_shortest_resolution_that_reaches_back_is_read(day: Any, hours: float, days_ago: float, seconds: int) -> None:
    assert {row["seconds"] for row in rows(read_past(day[1], hours, days_ago), "array")} == {seconds}


def test_a_span_that_may_hold_no_interval_is_a_gap(day: Any) -> None:
    found = read_past(day[1], 6, 200)
    assert [gap.why for gap in found.gaps] == ["those that are kept are 24 hours long: a span below 48 hours may hold none"]
    assert found.complete == {"load_history": False}
    assert read_past(day[1], 48, 200).gaps == []


def test_what_is_older_than_a_year_is_a_gap(day: Any) -> None:
    found = read_past(day[1], 24, 400)
    assert [gap.why for gap in found.gaps] == ["a FlashArray keeps none for longer than a year"]
    assert found.complete == {"load_history": False}


def test_only_volumes_that_hosts_are_connected_to_are_asked_for(day: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    server, endpoint = day
    connected = sum(volume.connections > 0 for volume in server.array.volumes.values())
    assert 0 < connected < len(server.array.volumes)
    monkeypatch.setattr("auditor.endpoints.flasharray.history.VOLUMES_AT_ONCE", 1)
    read_past(endpoint, hours=1)
    assert server.requests.count("GET volumes/performance") == connected


def test_the_samples_of_volumes_beyond_the_most_are_a_gap(day: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.endpoints.flasharray.history.MOST_SUBJECTS", 2)
    found = read_past(day[1])
    [gap] = found.gaps
    assert gap.what.startswith("performance of further volumes (")
    assert gap.why == "2 are read"


@pytest.mark.long
@pytest.mark.parametrize("change", [{"time": "noon"}, {"time": 9 * 10**17}, {"usec_per_read_op": None}])
def test_a_sample_that_makes_no_sense_is_a_gap_and_no_zero(day: Any, change: dict[str, Any]) -> None:
    server, endpoint = day
    whole = [row for row in rows(read_past(endpoint), "array") if row["latency_ms"] is not None]

    def change_one(answer: Any) -> Any:
        answer["items"][5] = {**answer["items"][5], **change}
        return answer

    server.alterations["GET arrays/performance"] = change_one
    found = read_past(endpoint)
    assert len([row for row in rows(found, "array") if row["latency_ms"] is not None]) == len(whole) - 1
    assert len(found.gaps) == 1
    assert found.complete == {"load_history": False}


def test_without_a_span_nothing_is_asked(day: Any) -> None:
    server, endpoint = day
    found = read_without_span(endpoint)
    assert not found.tables["load_history"]
    assert not [name for name in server.requests if "performance" in name]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        pytest.param("start_time=1&end_time=2&resolution=1234", "Invalid resolution", id="no such resolution"),
        pytest.param("start_time=1&end_time=2", "Invalid parameter", id="no resolution"),
    ],
)
def test_the_lab_refuses_what_an_array_does_not_have(day: Any, query: str, message: str) -> None:
    from auditor.errors import EndpointError

    params = dict(part.split("=") for part in query.split("&"))
    with open_flasharray(day[1]) as array, pytest.raises(EndpointError, match=message):
        list(array.pages("volumes/performance", **params))
