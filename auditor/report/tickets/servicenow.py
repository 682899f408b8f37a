"""Tickets as ServiceNow's Table API takes them: an incident for each cause, a change request for a run's changes. One JSON object a line.

Source: https://www.servicenow.com/docs/r/api-reference/rest-apis/c_TableAPI.html (a record of a table is an object of its columns)
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TextIO

from auditor.model import Severity
from auditor.report.tickets.causes import tickets_of
from auditor.report.tickets.changes import change_text
from auditor.report.tickets.texts import TicketText, as_text, fitted, section
from auditor.report.wording import neutral, shortened

if TYPE_CHECKING:
    from auditor.model import Report
    from auditor.report.change_ticket import Ticket

SHORT, LONG = 160, 4000
"""Characters of short_description, and of a long text, as an instance comes; a site may have changed them. They are not enforced by the
platform, but the column behind may be no longer. Source: https://support.servicenow.com/kb?id=kb_article_view&sysparm_article=KB0685779"""
_IMPACT_AND_URGENCY = {
    Severity.CRITICAL: ("2", "1"),
    Severity.HIGH: ("2", "2"),
    Severity.MEDIUM: ("3", "2"),
    Severity.LOW: ("3", "3"),
    Severity.INFO: ("3", "3"),
}
"""1 high, 2 medium, 3 low; the instance makes the priority of both. Which severity is how urgent is this project's own choice: drift is
no outage, so none has an impact of 1. Source of the numbers: https://schemas.apis.io/schemas/servicenow/servicenow-incident/"""


def write_incidents(report: Report, out: TextIO) -> None:
    """Write an incident for each cause, and one for what could not be judged."""
    out.writelines(_line(incident(ticket)) for ticket in tickets_of(report))


def incident(ticket: TicketText) -> dict[str, str]:
    """The columns of table incident."""
    impact, urgency = _IMPACT_AND_URGENCY[ticket.severity or Severity.INFO]
    return {**_task(ticket), "impact": impact, "urgency": urgency}


def change_request(ticket: Ticket) -> dict[str, str]:
    """The columns of table change_request, of changes that were made; times are of the Table API: UTC, a blank between date and time."""
    text = change_text(ticket)
    reasons = dict.fromkeys(reason for entry in ticket.entries for reason in (*entry.intent.change.messages, entry.intent.change.reason))
    return {
        **_task(text),
        "justification": as_text(fitted(section("Why", reasons), LONG, _size)),
        "backout_plan": ticket.undo,
        "work_start": ticket.entries[0].intent.time.strftime("%Y-%m-%d %H:%M:%S"),
    }


def change_request_text(ticket: Ticket) -> str:
    """`change_request` as a line of JSON."""
    return _line(change_request(ticket))


def _task(ticket: TicketText) -> dict[str, str]:
    return {
        "short_description": shortened(neutral(f"auditor: {ticket.title}"), SHORT),
        "description": as_text(fitted(ticket.sections, LONG, _size)),
        "correlation_id": ticket.correlation_id,
        "correlation_display": "auditor",
    }


def _size(line: str) -> int:
    """Of a line with its dash and newline."""
    return len(line) + 3


def _line(fields: dict[str, Any]) -> str:
    return json.dumps(fields) + "\n"
