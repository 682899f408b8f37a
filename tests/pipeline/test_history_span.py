"""--history and --at, as people type them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from auditor.errors import ConfigurationError
from auditor.model import Span
from auditor.pipeline.history_span import history_span

NOW = datetime(2026, 11, 29, 12, 30, tzinfo=UTC)


@pytest.fixture
def in_madrid(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Madrid")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("length", "at", "begin", "end"),
    [
        pytest.param("24h", None, "2026-11-28T12:30", "2026-11-29T12:30", id="ends now"),
        pytest.param("90 m", None, "2026-11-29T11:00", "2026-11-29T12:30", id="minutes"),
        pytest.param("7d", None, "2026-11-22T12:30", "2026-11-29T12:30", id="days"),
        pytest.param("6h", "2026-11-25 02:00+00:00", "2026-11-24T23:00", "2026-11-25T05:00", id="a moment in the middle"),
        pytest.param("6h", "2026-11-29T11:30Z", "2026-11-29T08:30", "2026-11-29T12:30", id="nothing of what is still to come"),
    ],
)
def test_a_span_ends_now_or_has_a_moment_in_its_middle(length: str, at: str | None, begin: str, end: str) -> None:
    span = history_span(length, at, NOW)
    assert span == Span(*(datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (begin, end)))


@pytest.mark.posix_only
@pytest.mark.usefixtures("in_madrid")
def test_a_moment_without_a_zone_is_local_time() -> None:
    span = history_span("2h", "2026-11-25 02:00", NOW)
    assert span is not None
    assert span.begin + timedelta(hours=1) == datetime(2026, 11, 25, 1, tzinfo=UTC)


def test_without_a_length_nothing_of_the_past_is_read() -> None:
    assert history_span(None, None, NOW) is None


@pytest.mark.parametrize(
    ("length", "at", "message"),
    [
        pytest.param(None, "2026-11-25 02:00", "--at goes with --history", id="a moment alone"),
        pytest.param("day", None, '"day" is no span', id="no length"),
        pytest.param("5m", None, '"5m" is no span of ten minutes or more', id="too short"),
        pytest.param("24h", "yesterday", '"yesterday" is no date and time', id="no moment"),
        pytest.param("24h", "2026-12-01 02:00+00:00", "still to come", id="in the future"),
        pytest.param("24h", "0001-01-01 00:00+14:00", "too far away", id="before there was time"),
    ],
)
def test_what_is_no_span_is_refused(length: str | None, at: str | None, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        history_span(length, at, NOW)
