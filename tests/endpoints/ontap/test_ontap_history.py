"""What a cluster keeps of the past, as rows of load_history: what differed, what is idle, what is missing."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.common import history
from auditor_lab.days import DaySpanDescription
from tests.endpoints.arrays import Collected
from tests.endpoints.ontap.ontap_cluster import CLUSTER, Served, serving
from tests.endpoints.past import at, read_past, read_without_span, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.long

SLOW = DaySpanDescription(begin="02:00", end="04:00", latency_ms=60, iops=1000, bytes=8192000)


@pytest.fixture(scope="module")
def of_a_day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    about = dataclasses.replace(CLUSTER, day={"nfs1": (SLOW,), "/vol/luns1/ds1": (SLOW,), "sas1": (SLOW,)}, page_limit=100)
    with serving(tmp_path_factory.mktemp("ontap"), about) as served:
        yield served


@pytest.fixture
def day(of_a_day: Served) -> Iterator[Served]:
    of_a_day[0].requests.clear()
    yield of_a_day
    of_a_day[0].alterations.clear()
    of_a_day[0].faults.active.clear()


def test_a_day_of_volumes_pools_and_the_cluster(day: Served) -> None:
    server, endpoint, _ = day
    found = read_past(endpoint)
    assert found.gaps == []
    assert found.complete == {"load_history": True}
    lun, volume = server.cluster.luns[0].uuid, server.cluster.volumes[0].uuid
    assert {row["subject"] for row in rows(found, "volume")} == {lun, volume}, "idle ones, and those that only hold LUNs, have no rows"
    for kind, subject in (("volume", lun), ("volume", volume), ("pool", server.cluster.uuid("aggregate", "sas1"))):
        of = rows(found, kind, subject)
        assert 285 <= len(of) <= 288
        assert (at(of, 3)["latency_ms"], at(of, 3)["iops"], at(of, 3)["bytes_per_second"]) == (60, 1000, 8192000)
        assert at(of, 3)["seconds"] == 300
        assert "latency_max_ms" not in at(of, 3), "ONTAP keeps no maxima"
    assert (at(rows(found, "volume", lun), 1)["latency_ms"], at(rows(found, "volume", lun), 1)["iops"]) == (1, 100)
    assert {row["subject"] for row in rows(found, "array")} == {endpoint.name}


def test_no_interval_is_before_the_span_or_after_it(day: Served) -> None:
    _, endpoint, _ = day
    end = datetime.now(UTC) - timedelta(hours=5)
    found = read_past(endpoint, hours=2, days_ago=5 / 24)
    of = rows(found, "array")
    assert 22 <= len(of) <= 24
    assert end - timedelta(hours=2, minutes=1) <= of[0]["begin_at"]
    assert of[-1]["begin_at"] <= end - timedelta(minutes=4)


@pytest.mark.parametrize(
    ("hours", "days_ago", "seconds"),
    [
        pytest.param(1, 0, 300, id="within the day"),
        pytest.param(24, 3, 1800, id="within the week"),
        pytest.param(48, 20, 7200, id="within the month"),
        pytest.param(72, 100, 86400, id="within the year"),
    ],
)
def test_the_shortest_interval_that_reaches_back_is_read(day: Served, hours: float, days_ago: float, seconds: int) -> None:
    assert {row["seconds"] for row in rows(read_past(day[1], hours, days_ago), "array")} == {seconds}


def test_a_span_that_may_hold_no_interval_is_a_gap(day: Served) -> None:
    found = read_past(day[1], 6, 100)
    assert [gap.why for gap in found.gaps] == ["those that are kept are 24 hours long: a span below 48 hours may hold none"]
    assert found.complete == {"load_history": False}
    assert read_past(day[1], 48, 100).gaps == []


def test_what_is_older_than_a_year_is_a_gap(day: Served) -> None:
    found = read_past(day[1], 24, 400)
    assert [gap.why for gap in found.gaps] == ["ONTAP keeps none for longer than a year"]
    assert found.complete == {"load_history": False}


def altered(day: Served, **change: Any) -> Collected:
    """A reading in which the fifth sample of each page of a LUN's says something else."""
    pages = count()

    def change_one(answer: Any) -> Any:
        said = change | ({"timestamp": f"{change['timestamp']}:0{next(pages)}"} if "timestamp" in change else {})
        answer["records"][4] = {**answer["records"][4], **said}
        return answer

    day[0].alterations["GET storage/luns/metrics"] = change_one
    return read_past(day[1])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        pytest.param({"status": "partial_no_data"}, "is 'partial_no_data': its values are not whole", id="of some nodes"),
        pytest.param({"duration": "PT7M"}, "are not a time and a length that are known", id="of a length that is not known"),
        pytest.param({"timestamp": "2026-11-29T02:00"}, "are not a time and a length that are known", id="of no time"),
    ],
)
def test_a_sample_that_is_not_whole_has_no_row_and_leaves_a_gap(day: Served, change: dict[str, Any], why: str) -> None:
    lun = day[0].cluster.luns[0].uuid
    whole = len(rows(read_past(day[1]), "volume", lun))
    found = altered(day, **change)
    assert len(rows(found, "volume", lun)) == whole - 3, "one of each of its three pages"
    assert {gap.why for gap in found.gaps} == {why}


def test_a_sample_that_was_taken_late_counts(day: Served) -> None:
    lun = day[0].cluster.luns[0].uuid
    whole = len(rows(read_past(day[1]), "volume", lun))
    found = altered(day, status="backfilled_data")
    assert (len(rows(found, "volume", lun)), found.gaps) == (whole, [])


def test_one_object_that_does_not_answer_is_a_gap_and_the_others_are_read(day: Served) -> None:
    server, endpoint, _ = day
    server.alterations["GET storage/luns/metrics"] = lambda _: "none"
    found = read_past(endpoint)
    lun = server.cluster.luns[0].uuid
    assert [gap.what for gap in found.gaps] == [f"GET storage/luns/{lun}/metrics"]
    assert rows(found, "pool")


def test_of_many_volumes_the_busiest_are_read_and_the_rest_is_a_gap(day: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    assert history.MOST_SUBJECTS == 1000
    monkeypatch.setattr("auditor.endpoints.ontap.history.MOST_SUBJECTS", 1)
    found = read_past(day[1])
    assert {row["subject"] for row in rows(found, "volume")} == {day[0].cluster.volumes[0].uuid}, "400 a second, and not 100"
    [gap] = found.gaps
    assert (gap.what, gap.why) == ("metrics of further volumes (1)", "1 are read, those with the most commands since their counters began")


def test_without_a_span_nothing_is_asked(day: Served) -> None:
    server, endpoint, _ = day
    found = read_without_span(endpoint)
    assert not found.tables["load_history"]
    assert not [name for name in server.requests if "metrics" in name]
