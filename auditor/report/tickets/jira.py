"""Tickets as Jira's REST API 3 creates issues: one for each cause, one for a run's changes. One JSON object a line.

The project and the type of an issue are the site's: who sends a line adds them.

Source: https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/#api-rest-api-3-issue-post
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TextIO

from auditor.report.tickets.causes import tickets_of
from auditor.report.tickets.changes import change_text
from auditor.report.tickets.texts import fitted
from auditor.report.wording import neutral, shortened

if TYPE_CHECKING:
    from auditor.model import Report
    from auditor.report.change_ticket import Ticket
    from auditor.report.tickets.texts import Sections, TicketText

SUMMARY = 254
"""Characters of a summary, which has one line. Source: https://github.com/release-engineering/Sync2Jira/pull/119"""
DESCRIPTION = 32_767
"""Characters of a description; more are refused. Counted here are those of its JSON, which are more.
Source: https://jira.atlassian.com/browse/JRACLOUD-78553"""


def write_issues(report: Report, out: TextIO) -> None:
    """Write an issue for each cause, and one for what could not be judged."""
    out.writelines(_line(issue(ticket)) for ticket in tickets_of(report))


def change_issue_text(ticket: Ticket) -> str:
    """The changes of a run as an issue, as a line of JSON."""
    return _line(issue(change_text(ticket)))


def issue(ticket: TicketText) -> dict[str, Any]:
    """What creates the issue, and updates it. A label, which has no blanks, is what a search finds it by."""
    severity = [] if ticket.severity is None else [f"auditor-{ticket.severity}"]
    return {
        "fields": {
            "summary": shortened(neutral(f"auditor: {ticket.title}"), SUMMARY),
            "description": document(ticket.sections),
            "labels": ["auditor", ticket.correlation_id, *severity],
        }
    }


def document(sections: Sections) -> dict[str, Any]:
    """The sections in the Atlassian Document Format: a heading and a list of bullets each.

    Source: https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
    """
    kept = fitted(sections, DESCRIPTION - len(json.dumps(_doc([]))), _size)
    return _doc([node for title, lines in kept for node in (_heading(title), _bullets(*lines))])


def _doc(content: list[dict[str, Any]]) -> dict[str, Any]:
    return {"version": 1, "type": "doc", "content": content}


def _heading(title: str) -> dict[str, Any]:
    return {"type": "heading", "attrs": {"level": 3}, "content": [{"type": "text", "text": title}]}


def _bullets(*lines: str) -> dict[str, Any]:
    items = [{"type": "listItem", "content": [{"type": "paragraph", "content": [{"type": "text", "text": line}]}]} for line in lines]
    return {"type": "bulletList", "content": items}


def _size(line: str) -> int:
    """Never less than a line of text needs as a bullet, or a title as a heading, with the commas between."""
    return len(json.dumps(_bullets(line))) + 2


def _line(fields: dict[str, Any]) -> str:
    return json.dumps(fields) + "\n"
