"""What arrays report as wrong with themselves, as rows of array_alert: one form for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row

TOPIC = "alerts"
LONGEST_SUMMARY = 300  # characters: some arrays put a whole table into one


def severity_of(record: Record, name: str, meanings: Mapping[str, str]) -> tuple[str | None, str | None]:
    """The severity as the array reports it, and what it means here: critical | error | warning | info. An unlisted one means nothing."""
    own = record.listed(name, meanings, needed=True)
    reported = record.value.get(name)
    return (reported if isinstance(reported, str) else None), None if own is None else meanings[own]


def alert_row(
    alert_id: str | None,
    severities: tuple[str | None, str | None],
    summary: str | None,
    *,
    code: str | None = None,
    component: str | None = None,
    is_open: bool | None = True,
) -> Row:
    """A row of array_alert; `is_open` false: somebody has acknowledged it, None: not reported whether."""
    return {
        "alert_id": alert_id,
        "severity": severities[1],
        "own_severity": severities[0],
        "code": code,
        "component": component or None,
        "summary": " ".join(summary.split())[:LONGEST_SUMMARY] if summary else None,
        "is_open": is_open,
    }


def acknowledged(record: Record, *names: str) -> bool | None:
    """Whether one of these switches is on; None where none is on and one is not reported."""
    values = [record.value.get(name) for name in names]
    if True in values:
        return True
    for name, value in zip(names, values, strict=True):
        if not isinstance(value, bool):
            record.parse_errors.add(name, record.label, "is missing" if name not in record.value else "is neither true nor false")
    return False if all(value is False for value in values) else None
