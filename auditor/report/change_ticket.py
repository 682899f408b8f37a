"""The changes of one run as a change ticket, for people (Markdown) and for programs (JSON), from the journals alone."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from auditor.journal import entries_of, history, read_journal
from auditor.journal.chain import newest_link
from auditor.journal.records import SUFFIX
from auditor.model import Outcome
from auditor.report.setting_values import found_text, setting_value_text
from auditor.report.wording import OUTCOME_WORDS, moment, neutral, object_text, setting_text
from auditor.text.numbers import count_of
from auditor.text.steering import without_steering

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime
    from pathlib import Path

    from auditor.journal import Entry
    from auditor.journal.records import Link

SCHEMA = "auditor/change-ticket/1"
_UNDER = {
    "\\": "\\\\",
    "|": "\\|",
    "`": "\\`",
    "*": "\\*",
    "_": "\\_",
    "<": "&lt;",
    ">": "&gt;",
    "[": "\\[",
    "]": "\\]",
    "&": "&amp;",
    "~": "\\~",
    "@": "\\@",
}
_LINKS = re.compile(r":(?=//)|(?<=www)\.", re.IGNORECASE)
"""What makes a link of a text without any sign. Source: GFM 0.29, "Autolinks (extension)"."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """What one run changed.

    Attributes:
        started: when the run made its first record, UTC; None when that record was cut off.
        host, user: who ran it; None likewise.
        entries: its changes in their order, with the last receipt of each.
        sealed: the end of the newest journal at the time of the export: to be kept with the ticket.
        where: the options of commands about the run, as a shell takes them: the fleet's file, and the state directory where it is another.
    """

    run: str
    started: datetime | None
    host: str | None
    user: str | None
    entries: tuple[Entry, ...]
    sealed: Link | None
    where: str = "--fleet fleet.yaml"

    @property
    def undo(self) -> str:
        """The command that puts its changes back."""
        return f"auditor undo {self.run} {self.where}"


def ticket_of(journals: Path, run: str, continued: Collection[str] = (), where: str = "--fleet fleet.yaml") -> Ticket:
    """The ticket of `run`, and of the runs that went on with it (`continued`), from the folder of all journals; `where` as in `Ticket`.

    Raises:
        ConfigurationError: no journal holds a change of that run.
        JournalError: a journal is damaged.
    """
    past = history(journals)
    entries = past.of_run(run) or entries_of(journals, run, "there is nothing to export.")
    entries += tuple(entry for other in continued for entry in past.of_run(other))
    own = read_journal(journals / f"{run}{SUFFIX}")
    return Ticket(run, own.started, own.host, own.user, entries, newest_link(journals), where)


def ticket_json(ticket: Ticket) -> str:
    """The ticket as one JSON object; times are ISO 8601, and an absent setting is null."""
    fields: dict[str, Any] = {
        "schema": SCHEMA,
        "run": ticket.run,
        "started": None if ticket.started is None else ticket.started.isoformat(),
        "host": ticket.host,
        "user": ticket.user,
        "undo": ticket.undo,
        "sealed": None if ticket.sealed is None else asdict(ticket.sealed),
        "endpoints": [{"name": name, "identity": identity} for name, identity in endpoints_of(ticket.entries)],
        "changes": [_change_record(number, entry) for number, entry in enumerate(ticket.entries, 1)],
    }
    return without_steering(json.dumps(fields, indent=1, ensure_ascii=False)) + "\n"


def ticket_markdown(ticket: Ticket) -> str:
    """The ticket as Markdown with one table; texts of endpoints cannot change its form."""
    when = "at a time that was not recorded" if ticket.started is None else moment(ticket.started)
    lines = [
        f"# Changes of auditor run {_cell(ticket.run)}",
        "",
        f"* Begun: {when}, by {_cell(ticket.user or 'somebody')} on {_cell(ticket.host or 'a machine that was not recorded')}",
        f"* Changes: {counts_of(ticket.entries)}",
        *(
            f"* Endpoint: {_cell(name)} ({_cell(identity or 'it did not say which one it is')})"
            for name, identity in endpoints_of(ticket.entries)
        ),
        f"* To undo them: `{ticket.undo}`",
    ]
    if ticket.sealed is not None:
        lines.append(f"* To verify this record later: `auditor journal verify --head {ticket.sealed.sha256}`")
    lines += ["", "| # | object | endpoint | setting | from | to | result | read back | time | why |", "|" + "---|" * 10]
    lines += [_row(number, entry) for number, entry in enumerate(ticket.entries, 1)]
    return "\n".join(lines) + "\n"


def _row(number: int, entry: Entry) -> str:
    change, receipt = entry.intent.change, entry.receipt
    values = (
        str(number),
        object_text(change),
        change.target.endpoint,
        setting_text(change),
        setting_value_text(change, change.before),
        setting_value_text(change, change.after),
        result_of(entry),
        "not read" if receipt is None else found_text(change, receipt.found),
        moment(entry.intent.time),
        f"{'; '.join((*change.messages, change.reason))} ({', '.join(change.rules)})",
    )
    return f"| {' | '.join(map(_cell, values))} |"


def result_of(entry: Entry) -> str:
    """How a change ended, in words."""
    if entry.receipt is None or not entry.settled:
        return "not known: the run ended before it was read back"
    pending = f", in force after a {entry.receipt.pending}" if entry.receipt.pending else ""
    return f"{OUTCOME_WORDS[entry.receipt.outcome]}{pending}"


def counts_of(entries: Sequence[Entry]) -> str:
    """How many of the changes ended how, in words."""
    known = [entry.receipt.outcome for entry in entries if entry.receipt is not None and entry.settled]
    parts = [f"{known.count(outcome):,} {OUTCOME_WORDS[outcome]}" for outcome in Outcome if outcome in known]
    open_still = len(entries) - len(known)
    return ", ".join([*parts, *([f"{count_of(open_still, 'result')} not known"] if open_still else [])])


def _change_record(number: int, entry: Entry) -> dict[str, Any]:
    change, receipt = entry.intent.change, entry.receipt
    return {
        "number": number,
        "time": entry.intent.time.isoformat(),
        "endpoint": change.target.endpoint,
        "identity": entry.intent.identity,
        "host": change.resource.host,
        "cluster": change.resource.cluster,
        "object": change.resource.name,
        "kind": change.resource.kind,
        "setting": change.remediator,
        "target": dict(change.target.keys),
        "before": change.before,
        "after": change.after,
        "outcome": None if receipt is None or not entry.settled else str(receipt.outcome),
        "found": None if receipt is None else receipt.found,
        "pending": None if receipt is None else receipt.pending,
        "note": "" if receipt is None else receipt.why,
        "class": str(change.fix_class),
        "rules": list(change.rules),
        "reason": change.reason,
        "messages": list(change.messages),
        "collateral": change.collateral,
    }


def endpoints_of(entries: Sequence[Entry]) -> list[tuple[str, str | None]]:
    """Name and recorded identity of every endpoint that was written to, in order."""
    return list(dict.fromkeys((entry.intent.change.target.endpoint, entry.intent.identity) for entry in entries))


def _cell(text: str) -> str:
    """`text` as plain text of a table's cell, on one line."""
    return _LINKS.sub(r"\\\g<0>", "".join(_UNDER.get(letter, letter) for letter in neutral(text)))
