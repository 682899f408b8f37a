"""A latency of 0 beside commands was not measured, in what an array kept of the past and in its health now."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from auditor.endpoints.common import array_health
from auditor.endpoints.common.history import Sample, history_of
from auditor.model import Span

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("latency", "iops", "kept"),
    [
        pytest.param(2.5, 900.0, 2.5, id="measured"),
        pytest.param(0.0, 0.0, 0.0, id="idle"),
        # centreon/centreon-plugins#4256 and NetApp/harvest#1245: figures that an array leaves at 0 while it works.
        pytest.param(0.0, 900.0, None, id="0 beside commands"),
        pytest.param(0.0, None, None, id="0 beside a rate that is not known"),
        pytest.param(2.5, None, 2.5, id="without a rate"),
        pytest.param(None, 900.0, None, id="not reported"),
    ],
)
def test_a_latency_of_the_past_is_one_that_was_measured(latency: float | None, iops: float | None, kept: float | None) -> None:
    samples = [Sample(NOON - HOUR, 300, latency, iops, 4096.0), Sample(NOON - 2 * HOUR, 300, 1.0, 5.0, 4096.0)]
    (batch,) = history_of("nt", "volume", "v", samples, Span(NOON - 12 * HOUR, NOON))
    assert list(batch.columns["latency_ms"]) == [1.0, kept]
    assert list(batch.columns["iops"]) == [5.0, iops]


def test_the_latency_of_an_array_is_the_mean_of_what_was_measured() -> None:
    loads = [{"actual_iops": 100, "latency_us": 4000}, {"actual_iops": 300, "latency_us": 0}, {"actual_iops": 100, "latency_us": 2000}]
    assert array_health._latency(loads) == 3.0
    assert array_health._latency(loads[1:2]) is None


def test_a_latency_of_very_few_commands_does_not_count() -> None:
    """NetApp/harvest#2597: 600,000 s at a handful of commands, beside volumes that are well."""
    well, few = {"actual_iops": 1000, "latency_us": 900}, {"actual_iops": 9, "latency_us": 600_000_000_000}
    assert array_health._latency([well, few]) == 0.9
    assert array_health._latency([few]) is None
    assert array_health._latency([{**few, "actual_iops": 10}]) == 6e8
    assert array_health._latency([{"actual_iops": None, "latency_us": 5}]) is None


def test_an_array_that_stands_still_has_a_latency() -> None:
    """Each of its volumes does three commands a second, and each of these takes ten seconds; vVols do few commands each at any time."""
    still = {"actual_iops": 3, "latency_us": 10_000_000}
    assert array_health._latency([still] * 20) == 10_000
    assert array_health._latency([{"actual_iops": 30, "latency_us": 1000}, *[still] * 20]) == pytest.approx((30 + 600_000) / 90)
    assert array_health._latency([{"actual_iops": 8, "latency_us": 512_000_000}]) == 512_000
    assert array_health._latency([{"actual_iops": 8, "latency_us": 512_000_001}]) is None
