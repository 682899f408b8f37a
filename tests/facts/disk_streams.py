"""Machines, disks and loads that tests of the view disk_stream share."""

from datetime import UTC, datetime, timedelta

ENDED = datetime(2026, 11, 21, 12, tzinfo=UTC)
BEGUN = ENDED - timedelta(minutes=5)
