"""Health alerts of an ONTAP cluster, which last as long as what they are about; its event log is history, and is not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.common.alerts import acknowledged, alert_row
from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.common.topics import batch
from auditor.endpoints.ontap.enumerations import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.ontap.lists import Lists
    from auditor.facts.schema import Batch
    from auditor.model import Gap

ALERTS = "private/cli/system/health/alert"
"""No path of REST has them with their severity: /api/private/support/alerts, which public clients read, has acknowledge and suppress.

Source: NetApp, "Accessing the ONTAP CLI through the REST API" (a command's columns, underscores for dashes); ONTAP command reference,
system health alert show; its output recorded by SODA's delfin driver. Not verified over REST.
"""
_KEY = "node/monitor/alert_id/alerting_resource"
_FIELDS = "node,monitor,alert_id,alerting_resource,perceived_severity,probable_cause,acknowledge,suppress"


def alerts(lists: Lists) -> Iterator[Batch | Gap]:
    """One row for each alert."""
    parse_errors = ParseErrors(f"GET {ALERTS}")
    for page in lists.pages(ALERTS, "alert", parse_errors, key=_KEY, fields=_FIELDS):
        yield batch("array_alert", lists.endpoint, [_row(alert) for alert in page])
    yield from parse_errors.gaps(lists.endpoint)


def _row(alert: Record) -> Row:
    own = alert.text("perceived_severity")
    word = None if own is None else own.lower()
    if own is not None and word not in SEVERITIES:
        alert.parse_errors.add("perceived_severity", alert.label, f"is {own[:40]!r}, which is not known")
    silenced = acknowledged(alert, "acknowledge", "suppress")
    return alert_row(
        "/".join(str(alert.value.get(name)) for name in _KEY.split("/")).lower(),
        (own, SEVERITIES.get(word or "")),
        alert.optional_text("probable_cause"),
        code=alert.optional_text("alert_id"),
        component=f"{alert.value.get('node')}: {alert.value.get('alerting_resource')}",
        is_open=None if silenced is None else not silenced,
    )
