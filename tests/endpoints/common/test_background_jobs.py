"""Times and lengths of jobs and samples that are out of every calendar: they are not known, and end no reading."""

from datetime import UTC, datetime, timedelta

import pytest

from auditor.endpoints.common.background_jobs import begin_of, moment
from auditor.endpoints.common.history import Sample, history_of
from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.ontap.job_rows import duration_of
from auditor.endpoints.powerstore.history import samples_of
from auditor.model import Span

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
FIRST_DAY = datetime(1, 1, 1, tzinfo=UTC)


def test_a_time_on_the_day_before_the_first_is_none() -> None:
    assert moment("0001-01-01T00:00:00+10:00") is None
    assert moment("2026-11-29T22:00:00+10:00") == NOON


@pytest.mark.parametrize(
    ("end", "seconds", "begin"),
    [
        (NOON, 3600, NOON - timedelta(hours=1)),
        (NOON, 1e300, None),
        (FIRST_DAY, 1, None),
        (None, 1, None),
        (NOON, None, None),
    ],
)
def test_what_took_longer_than_there_are_days_has_no_begin(end: datetime | None, seconds: float | None, begin: datetime | None) -> None:
    assert begin_of(end, seconds) == begin


@pytest.mark.parametrize(("text", "length"), [("PT2M", timedelta(minutes=2)), ("P9999999999D", None)])
def test_a_transfer_of_more_than_ten_years_is_a_parse_error(text: str, length: timedelta | None) -> None:
    errors = ParseErrors("x")
    assert duration_of(Record({"total_duration": text}, "transfer", errors)) == length
    assert bool(list(errors.gaps("na"))) == (length is None)


def test_a_sample_of_the_first_day_is_not_in_the_span() -> None:
    sample = Sample(FIRST_DAY, 300, 1.0, 1.0, 1.0)
    assert list(history_of("na", "volume", "v", [sample], Span(NOON - timedelta(days=1), NOON))) == []


def test_a_sample_that_is_said_to_be_repeated_without_end_counts_once() -> None:
    told = {"timestamp": NOON.isoformat(), "total_iops": 5, "avg_latency": 2000, "total_bandwidth": 1, "repeat_count": 2**62}
    assert len(samples_of([Record(told, "volume v", ParseErrors("x"))], 300, NOON + timedelta(hours=1))) == 1
