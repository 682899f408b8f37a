"""Background jobs of arrays, each with a begin, an end and an outcome."""

from __future__ import annotations

from auditor.facts.table import ENDPOINT, POOL, table

ARRAY_JOB_TABLES = (
    table(
        "background_job",
        "Work of an array that no host asked for; docs/domain/arrays.md#jobs says which kinds of it each array reports.",
        ENDPOINT,
        ("job_id", "VARCHAR", "unique within the endpoint"),
        ("kind", "VARCHAR", "replication | dedup | scrub | rebuild | snapshot | move | backup | other"),
        ("subject", "VARCHAR", "what it is about: volume | pool | array, the latter also where the array does not say"),
        ("subject_id", "VARCHAR", "id of that volume or pool; NULL for the array itself, and when not reported"),
        ("subject_name", "VARCHAR", "its name; NULL when not reported"),
        POOL,
        ("begin_at", "TIMESTAMPTZ", "by the array's clock; NULL when not reported"),
        ("end_at", "TIMESTAMPTZ", "by the array's clock; NULL while it runs, and when not reported"),
        ("seconds", "DOUBLE", "how long it took, or has run when it was read, by the array; NULL when not reported"),
        ("bytes", "BIGINT", "bytes that it moved or worked through, until now where it runs; NULL when not reported"),
        ("outcome", "VARCHAR", "ok | failed | running | unknown"),
        ("schedule", "VARCHAR", "name or words of the schedule that started it; NULL when it has none, or none is reported"),
        ("detail", "VARCHAR", "what the array calls it, 200 characters at most; NULL when it says nothing"),
        topic="background_jobs",
        measured=True,
        key=("endpoint", "job_id"),
        kept_for={
            "job_id": "which job it was, to look it up on the array",
            "subject_name": "on what it ran, beside an episode of latency",
            "bytes": "how much it moved, likewise",
            "detail": "what the array calls it",
        },
    ),
)
