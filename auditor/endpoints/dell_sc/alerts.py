"""Reads the active alerts of a Storage Center."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.common.alerts import acknowledged, alert_row
from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.common.topics import batch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.dell_sc.reading import Center, Reading
    from auditor.facts.schema import Batch
    from auditor.model import Gap

_SEVERITY = (None, "warning")
"""No public source has an attribute of an alert's severity; a public monitor takes each that nobody acknowledged for a warning."""


def alerts(reading: Reading, center: Center) -> Iterator[Batch | Gap]:
    """One row for each alert.

    Source: jiuka/checkmk_dell_storage, lib/agent.py: GET StorageCenter/StorageCenter/{id}/ActiveAlertList, ScAlert: alertDefinition,
    message, acknowledged. Not recorded, and not verified against a real system.
    """
    parse_errors = ParseErrors("ActiveAlertList")
    listed = reading.manager.listed(f"StorageCenter/StorageCenter/{center.serial}/ActiveAlertList")
    table_rows = []
    for alert in reading.once("ScAlert", listed, parse_errors):
        was_acknowledged = acknowledged(alert, "acknowledged")
        code, message = alert.optional_text("alertDefinition"), alert.optional_text("message")
        is_open = None if was_acknowledged is None else not was_acknowledged
        table_rows.append(alert_row(alert.identifier("instanceId"), _SEVERITY, message, code=code, is_open=is_open))
    yield batch("array_alert", reading.endpoint.name, table_rows)
    yield from parse_errors.gaps(reading.endpoint.name)
