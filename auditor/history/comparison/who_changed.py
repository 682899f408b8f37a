"""Who may have made the changes of a run, by vCenter's events as that run kept them (docs/design/who-changed-it.md).

An event says that somebody changed something of the sort on the object, never that it was this setting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.settings import setting_of
from auditor.report.wording import change_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from auditor.model import Finding, Fix

    Author = Callable[[Finding], str]
    """Who may have changed what a finding is about, in words; "" where nothing shows it."""

_ENTITIES = {"host": "host_id", "datastore": "datastore_id", "vm": "vm_id"}
"""The key of a target by the kind of its entity."""
_NEWEST = """SELECT endpoint, entity_kind, entity_id, lower(what),
    arg_max(coalesce(user_name, ''), (happened_at, coalesce(user_name, ''))), max(happened_at)
FROM read_parquet($path) WHERE happened_at > CAST($since AS TIMESTAMPTZ) GROUP BY ALL"""
_READ = "SELECT DISTINCT endpoint FROM read_parquet($path) WHERE topic = 'events' AND complete"


def authors(snapshot: Path | None, since: datetime) -> tuple[Author, frozenset[str]]:
    """What names who may have changed something after `since`, and the vCenters whose events the run read.

    Args:
        snapshot: of the later run; None: it kept none.
        since: when the earlier run began to read, aware.
    """
    import duckdb

    newest: dict[tuple[str, str, str, str], tuple[str, datetime]] = {}
    read: frozenset[str] = frozenset()
    if snapshot is not None and (snapshot / "change_event.parquet").is_file():
        try:
            with duckdb.connect() as connection:
                connection.execute("SET TimeZone = 'UTC'")
                bound = {"path": str(snapshot / "change_event.parquet"), "since": since.isoformat()}
                rows = connection.execute(_NEWEST, bound).fetchall()
                endpoints = connection.execute(_READ, {"path": str(snapshot / "reading.parquet")}).fetchall()
        except duckdb.Error:
            rows, endpoints = [], []  # nothing is known of a damaged table: nobody is named
        newest = {(endpoint, kind, entity, what): (user, when) for endpoint, kind, entity, what, user, when in rows}
        read = frozenset(endpoint for (endpoint,) in endpoints)

    def author(finding: Finding) -> str:
        if by_evidence := change_text(finding.evidence):
            return by_evidence
        found = [newest[key] for key in _keys(finding.resource.endpoint, finding.fix) if key in newest]
        if not found:
            return ""
        user, when = max(found, key=lambda one: one[1])
        return change_text({"changed_by": user or None, "changed_at": f"{when:%Y-%m-%dT%H:%M:%SZ}"})

    return author, read


def _keys(endpoint: str, fix: Fix | None) -> list[tuple[str, str, str, str]]:
    setting = setting_of(fix.remediator or "") if fix is not None else None
    if fix is None or setting is None:
        return []
    target = dict(fix.target)
    return [(endpoint, kind, target[key], what) for kind, key in _ENTITIES.items() if key in target for what in setting.shown_by]
