"""An earlier run whose answers of hosts may be reused, and the conditions for that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.facts.needs import SOURCES, Needs, needs
from auditor.facts.schema import HOST_TOPICS, MEASURED_TOPICS, TABLES, VCENTER_TOPICS

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime
    from pathlib import Path

    from auditor.facts.snapshots.snapshot import Snapshot

STORAGE_TABLES = ("hba", "iscsi_target", "device", "path")
"""Tables that vCenter fills for all hosts in bulk; they are always read, and a difference marks the host as changed."""

MOUNT_TABLE = "datastore_mount"

STORAGE_TOPICS = tuple(dict.fromkeys(SOURCES[table].topic for table in STORAGE_TABLES))
READ_ANEW = ("network", *(topic for topic in (*HOST_TOPICS, *VCENTER_TOPICS) if topic in MEASURED_TOPICS))
"""Topics that vCenter answers for many hosts at once, and that no comparison uses: read each time they are needed, never reused.

Counters are of the last five minutes: those of an earlier run say nothing of this one.
"""

LIVE_TOPICS = tuple(topic for topic in HOST_TOPICS if topic not in (*STORAGE_TOPICS, *READ_ANEW))
"""Topics that are read from each host itself."""

HOST_MARKS = ("version", "build", "boot_time", "software_iscsi")

RESTED_ON = (
    *("reading", "listed_endpoint", "gap", "host", MOUNT_TABLE, *STORAGE_TABLES),
    *(table for table, source in SOURCES.items() if source.topic in LIVE_TOPICS),
)
"""The tables of an earlier run that are compared, or copied from."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """A kept run, as far as the next one may rest on it."""

    run: str
    directory: Path  # of its snapshot
    snapshot: Snapshot  # of RESTED_ON only
    not_before: datetime  # answers older than this are asked for again
    not_after: datetime  # when this run began: an answer from the future means that a clock was set back
    touched: frozenset[tuple[str, str]]  # (endpoint, host id) of hosts that auditor itself may have written to since


def live_topics(needed: Needs) -> frozenset[str]:
    """The topics of `needed` that are read from each host itself."""
    return needed.topics.intersection(LIVE_TOPICS)


def live_tables(topics: Collection[str]) -> tuple[str, ...]:
    """The tables that `topics` fill."""
    return tuple(table for table, source in SOURCES.items() if source.topic in topics)


def with_host_marks(needed: Needs) -> Needs:
    """`needed`, and what the next run has to know of each host that was read itself: its build, and since when it runs."""
    return needed | needs(("host", column) for column in HOST_MARKS) if live_topics(needed) else needed


def with_marks(needed: Needs) -> Needs:
    """`needed`, and all that shows whether a host has changed; `needed` itself when no host is read itself."""
    return needed | _marks(needed) if live_topics(needed) else needed


def lacking(earlier: Needs, needed: Needs) -> frozenset[str]:
    """The topics of `needed` that a run which read `earlier` cannot be compared in."""
    live = live_topics(needed)
    rests = needs((table, column) for table in live_tables(live) for column in TABLES[table].names)
    return (rests | _marks(needed)).missing_from(earlier)


def _marks(needed: Needs) -> Needs:
    tables = (*STORAGE_TABLES, *([MOUNT_TABLE] if "lockmode" in needed.topics else []))
    return needs(
        [*(("host", column) for column in HOST_MARKS), *((table, column) for table in tables for column in TABLES[table].names)],
        topics=STORAGE_TOPICS,
    )
