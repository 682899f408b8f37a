"""Rows of the view `background_job`: every column, and what stays open."""

from datetime import UTC, datetime, timedelta
from typing import Any

from .single import rows_over

NOON = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)
JOB: dict[str, Any] = {
    "endpoint": "na",
    "job_id": "j1",
    "kind": "dedup",
    "subject": "volume",
    "subject_id": "v1",
    "subject_name": "svm:vol",
    "pool_id": "p1",
    "begin_at": NOON,
    "end_at": NOON + timedelta(seconds=90),
    "bytes": 4096,
    "outcome": "ok",
    "schedule": "nightly",
    "detail": "its words",
}


def seen(**job: Any) -> dict[str, Any]:
    tables = {
        "fact.background_job": [JOB | job],
        "fact.array_pool": [{"endpoint": each, "pool_id": "p1", "name": f"pool of {each}"} for each in ("na", "another")],
        "step_array": [{"endpoint": each, "family": f"family of {each}"} for each in ("na", "another")],
    }
    (row,) = rows_over("background_job", tables)
    return row


def test_a_job_is_handed_on_with_its_pool_and_its_length() -> None:
    made = {"resource_id": "j1", "resource_name": "dedup of svm:vol", "cluster": None, "host": None, "minutes": 1.5}
    assert seen() == JOB | made | {"family": "family of na", "pool": "pool of na"}


def test_what_is_not_known_of_a_job_stays_open() -> None:
    found = seen(subject_id=None, subject_name=None, pool_id=None, end_at=None)
    assert (found["resource_name"], found["pool"], found["minutes"]) == ("dedup", None, None)
    assert seen(subject_name=None)["resource_name"] == "dedup of v1"
    assert seen(begin_at=None)["minutes"] is None
