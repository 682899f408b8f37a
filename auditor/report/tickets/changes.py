"""The ticket of the changes that one run made, from its journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.report.change_ticket import counts_of, endpoints_of, result_of
from auditor.report.setting_values import found_text, setting_value_text
from auditor.report.tickets.texts import TicketText, section
from auditor.report.wording import moment, object_text, setting_text
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from auditor.journal import Entry
    from auditor.report.change_ticket import Ticket


def change_text(ticket: Ticket) -> TicketText:
    """What `ticket` says."""
    when = "at a time that was not recorded" if ticket.started is None else moment(ticket.started)
    who = f"{ticket.user or 'somebody'} on {ticket.host or 'a machine that was not recorded'}"
    counted = counts_of(ticket.entries)
    endpoints = [f"Endpoint {name} ({identity or 'it did not say which one it is'})" for name, identity in endpoints_of(ticket.entries)]
    verify = f"Verify this record later: auditor journal verify --head {ticket.sealed.sha256}" if ticket.sealed is not None else ""
    sections = (
        *section("What was changed", [f"{count_of(len(ticket.entries), 'change')}: {counted}.", f"Begun {when}, by {who}.", *endpoints]),
        *section("How to go back", [ticket.undo, verify]),
        *section("Changes", [_change(number, entry) for number, entry in enumerate(ticket.entries, 1)]),
    )
    names = ", ".join(dict.fromkeys(name for name, _ in endpoints_of(ticket.entries)))
    return TicketText(f"auditor-{ticket.run}", f"{count_of(len(ticket.entries), 'change')} on {names}: {counted}", None, sections)


def _change(number: int, entry: Entry) -> str:
    change, receipt = entry.intent.change, entry.receipt
    found = "" if receipt is None else f", read back {found_text(change, receipt.found)}"
    values = f"{setting_value_text(change, change.before)} to {setting_value_text(change, change.after)}"
    why = f"{'; '.join((*change.messages, change.reason))} ({', '.join(change.rules)})"
    place = f"{object_text(change)} ({change.target.endpoint})"
    return f"{number}. {place}: {setting_text(change)} from {values}: {result_of(entry)}{found}, {moment(entry.intent.time)}; {why}"
