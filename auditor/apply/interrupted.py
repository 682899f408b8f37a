"""What an earlier run left when it was killed: changes without a receipt, and hosts in maintenance mode."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from auditor.apply.identities import doubt
from auditor.apply.recovery import Recovered, recover
from auditor.apply.steps import MAINTENANCE, STEPS
from auditor.apply.unfinished import unfinished
from auditor.endpoints.common.sessions import Sessions
from auditor.endpoints.settings import remediator_for
from auditor.errors import ConfigurationError, EndpointError, GuardError
from auditor.journal import open_intents, open_journal
from auditor.model import Outcome, Receipt

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from auditor.journal import Entry, Journal
    from auditor.model import Change, Endpoint


def recover_interrupted(endpoints: Iterable[Endpoint], journals: Path, run_id: str) -> tuple[str, ...]:
    """Find out what became of changes without a receipt, and of hosts in maintenance mode; a sentence for each, usually none.

    Nothing is written to an endpoint.

    Args:
        endpoints: of the fleet.
        journals: the folder of all journals; it need not exist.
        run_id: the run that asks; what it finds out is kept in a journal of its own.

    Raises:
        JournalError: a journal is damaged.
    """
    if not journals.is_dir() or not (open_intents(journals) or unfinished(journals).left_out):
        return ()
    try:
        with Sessions({one.name: one for one in endpoints}) as sessions, open_journal(journals, f"{run_id}-recovery") as journal:
            settled = tuple(_sentence(recovered) for recovered in recover(journal, sessions))
            hosts = unfinished(journals).left_out.values()
            return settled + tuple(filter(None, (_left_out_sentence(entry, sessions, journal) for entry in hosts)))
    except GuardError as error:
        # A run that is writing just now has open intents too, and accounts for them itself.
        return (f"Not looked at: changes that an earlier run may have left open; {error.what}.",)


def _sentence(recovered: Recovered) -> str:
    change = recovered.intent.change
    place = f"{change.resource.name} ({change.resource.host or change.target.endpoint})"
    if change.remediator in STEPS:
        doing = {True: "took it into maintenance mode", False: "took it out of maintenance mode"}[change.after is True]
        doing = doing if change.remediator == MAINTENANCE else "rebooted it"
        return f"Run {recovered.intent.run} was cut off while it {doing}, host {place}: {recovered.why}."
    return f"Run {recovered.intent.run} was cut off while it changed {change.remediator} on {place}: {recovered.fate}; {recovered.why}."


def _left_out_sentence(entry: Entry, sessions: Sessions, journal: Journal) -> str | None:
    """Where a host that a run took into maintenance mode is now; None where it has left it, which the journal then says."""
    change, run = entry.intent.change, entry.intent.run
    name, endpoint = change.resource.name, change.target.endpoint
    begin = f"Run {run} took host {name} of {endpoint} into maintenance mode and did not take it out again"
    try:
        other = doubt(endpoint, entry.intent.identity, sessions, "nothing is known of it")
        now = None if other is not None else remediator_for(MAINTENANCE).read(sessions.session(endpoint), change.target).value
    except (EndpointError, ConfigurationError) as error:
        other, now = f"its state cannot be read now: {error.what}", None
    if other is not None:
        return f"{begin}; {other}."
    if now is True:
        return f"{begin}: it is in maintenance mode, and carries no machines. `auditor resume {run}` takes it out, or do so in vCenter."
    # Somebody took it out: if it is in again, that was not us.
    intent = journal.intend(_leaving(entry), entry.intent.identity)
    journal.receipt(intent, Receipt(intent.change, Outcome.ALREADY, now, "it left maintenance mode; nothing was done"))
    return None


def _leaving(entry: Entry) -> Change:
    return replace(entry.intent.change, before=True, after=False, reason="the host carries machines again")
