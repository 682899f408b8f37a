"""What was measured earlier, as far as vCenters and arrays keep it."""

from __future__ import annotations

from auditor.facts.table import ENDPOINT, table

TOPIC = "load_history"

HISTORY_TABLES = (
    table(
        "load_history",
        "How datastores, devices, adapters, virtual disks, volumes, pools and arrays did in the span that --history names, interval by "
        "interval. A subject that nothing was sent to in the whole span has no rows; what is not kept is a gap.",
        ENDPOINT,
        (
            "subject_kind",
            "VARCHAR",
            "datastore | device | adapter | disk (of a machine) | host (all its disks together) | volume | pool | array",
        ),
        (
            "subject",
            "VARCHAR",
            "datastore, host: its managed object id; device: its name; adapter: vmhba1; disk: <vm_id> <node>; volume, pool, array: its id",
        ),
        ("host_id", "VARCHAR", "managed object id of the host that measured it; '' where an array, or vCenter for all hosts, did"),
        ("begin_at", "TIMESTAMPTZ", "when the interval began, UTC, by the clock of who measured"),
        ("seconds", "BIGINT", "how long the interval is, for example 300"),
        ("latency_ms", "DOUBLE", "milliseconds, mean of the interval; of reads and writes by their number; NULL when not kept"),
        ("latency_max_ms", "DOUBLE", "highest of the finer samples in the interval; NULL when no maxima are kept"),
        ("iops", "DOUBLE", "commands a second, mean; NULL when not kept"),
        ("bytes_per_second", "DOUBLE", "read and written, mean; NULL when not kept"),
        ("outstanding", "DOUBLE", "commands under way, mean; NULL when not kept"),
        (
            "sioc_active_percent",
            "DOUBLE",
            "of datastores: share of the interval in which Storage I/O Control held hosts back; NULL when not kept",
        ),
        (
            "normalized_latency_us",
            "DOUBLE",
            "of datastores: microseconds, the latency that Storage I/O Control compares with its threshold; NULL when not kept",
        ),
        topic=TOPIC,
        measured=True,
        on_demand=True,  # a day of a large vCenter is millions of rows
        key=("endpoint", "subject_kind", "subject", "host_id", "begin_at"),
        kept_for={
            "latency_max_ms": "the worst moment of an episode",
            "bytes_per_second": "what was moved in an episode, beside commands a second",
            "normalized_latency_us": "what Storage I/O Control compared with its threshold while it was active",
        },
        # Which machines run; of an array nothing.
        rests_on=(("host", ""), ("vm", "host_id"), ("vm", "power_state"), ("vm_disk", "controller")),
    ),
    table(
        "statistics_interval",
        "Which roll-ups of counters a vCenter keeps; PerformanceManager.historicalInterval.",
        ENDPOINT,
        ("name", "VARCHAR", "for example Past day"),
        ("seconds", "BIGINT", "how long an interval is; samplingPeriod"),
        ("kept_seconds", "BIGINT", "how long its intervals are kept; length"),
        ("level", "BIGINT", "statistics level, 1 to 4: only counters of this level or a lower one are kept; NULL when not reported"),
        ("enabled", "BOOLEAN", "false where the vCenter makes no such roll-ups"),
        topic=TOPIC,
        measured=True,
        on_demand=True,
        key=("endpoint", "seconds"),
        kept_for={"": "why a counter has no history, and which statistics level would keep it"},
    ),
)
