"""Rows of background_job: work that an array does besides that of hosts, in the same words for every kind of array."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.endpoints.common.topics import Row

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "replication": "copies a volume or a group away, or receives it",
        "dedup": "looks for blocks that are there twice, or compresses",
        "scrub": "reads disks for errors",
        "rebuild": "makes a disk's data anew",
        "snapshot": "takes, copies or deletes a snapshot",
        "move": "moves a volume within the array or the cluster",
        "backup": "writes a volume, or the array's own settings, to somewhere else",
        "other": "none of these, or not known which",
    }
)
OK, FAILED, RUNNING, UNKNOWN = "ok", "failed", "running", "unknown"

VOLUME, POOL_OF_VOLUMES, ARRAY = "volume", "pool", "array"


def job_row(
    job_id: str,
    kind: str,
    outcome: str,
    *,
    subject: str = ARRAY,
    subject_id: str | None = None,
    subject_name: str | None = None,
    pool_id: str | None = None,
    begin_at: datetime | None = None,
    end_at: datetime | None = None,
    seconds: float | None = None,
    size_bytes: int | None = None,
    schedule: str | None = None,
    detail: str | None = None,
) -> Row:
    """A row of background_job. One that runs has no end, whatever the array reports as the end of the one before it.

    `seconds` is how long it took, or has run; left out it is what lies between begin and end.
    """
    if outcome == RUNNING:
        end_at = None
    if seconds is None and begin_at is not None and end_at is not None:
        seconds = (end_at - begin_at).total_seconds()
    return {
        "job_id": job_id,
        "kind": kind,
        "subject": subject,
        "subject_id": subject_id,
        "subject_name": subject_name,
        "pool_id": pool_id,
        "begin_at": begin_at,
        "end_at": end_at,
        "seconds": seconds,
        "bytes": size_bytes,
        "outcome": outcome,
        "schedule": schedule,
        "detail": detail[:200] if detail else None,
    }


def moment(text: object) -> datetime | None:
    """A point in time in UTC, of an ISO 8601 text that names its offset; None for anything else, also for a time without one."""
    found = local_moment(text)
    try:
        return None if found is None else found.astimezone(UTC)
    except OverflowError:  # of the first day or the last that there is
        return None


def begin_of(end: datetime | None, seconds: float | None) -> datetime | None:
    """When what took so long until `end` began; None where one of the two is not known, or there is no such day."""
    try:
        return None if end is None or seconds is None else end - timedelta(seconds=seconds)
    except OverflowError:
        return None


def local_moment(text: object) -> datetime | None:
    """As `moment`, in the time zone that the text names."""
    if not isinstance(text, str):
        return None
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return None if found.tzinfo is None else found
