"""Whether what a run wrote stays: reads settings again, and journals those that something put back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from auditor.apply.values import is_made, plain, shown
from auditor.errors import EndpointError
from auditor.journal import history
from auditor.model import EndpointKind, Outcome, Receipt
from auditor.model.endpoint_kinds import endpoint_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from auditor.endpoints.common.remediator import AnyRemediator
    from auditor.endpoints.common.sessions import Sessions
    from auditor.journal import Intent, Journal
    from auditor.model import Change

Who: TypeAlias = "Callable[[Change, Any], str]"
"""Says in words who may have put a setting back, by an open session with its endpoint; empty where nothing shows it."""

WhoElse: TypeAlias = "Callable[[Change, Sessions], str]"
"""Likewise, of a setting that this run did not write."""


def put_back(
    applied: Sequence[Receipt], sessions: Sessions, journal: Journal, remediators: Callable[[str], AnyRemediator], who: Who
) -> list[Receipt]:
    """A receipt REVERTED for each applied change that is not as it was written any more; each is in the journal.

    A setting that cannot be read again is UNVERIFIED: nobody knows whether it stayed.

    Raises:
        JournalError: a receipt could not be recorded.
    """
    results = [result for receipt in applied if (result := _now(receipt, sessions, remediators, who)) is not None]
    if results:
        intents = _intents(journal)
        for result in results:
            intent = intents.get((result.change.remediator, str(result.change.target)))
            if intent is not None and result.outcome is Outcome.REVERTED:  # else the value is not known, and the first receipt stands
                journal.receipt(intent, result)
    return results


def _now(receipt: Receipt, sessions: Sessions, remediators: Callable[[str], AnyRemediator], who: Who) -> Receipt | None:
    """The new receipt of an applied change; None where the setting stayed."""
    change = receipt.change
    try:
        session = sessions.session(change.target.endpoint)
        now = remediators(change.remediator).read(session, change.target)
    except EndpointError as error:
        return Receipt(change, Outcome.UNVERIFIED, None, f"it was read back as wanted, and could not be read again: {error.what}")
    value = plain(now.value)
    if is_made(change, now):
        return None
    what = f"it was {shown(change.after)} when it was read back, and is {shown(value)} now"
    culprit = "; ".join(filter(None, (who(change, session), *_services(change, sessions))))
    return Receipt(change, Outcome.REVERTED, value, f"{what}; {culprit}" if culprit else what, now.pending)


def who_put_back(change: Change, session: Any) -> str:
    """Who may have put a setting back, as far as its endpoint shows it; empty where it does not."""
    kind = endpoint_type(session.endpoint.kind)
    if not kind.culprits:
        return ""
    try:
        found: str = kind.load(kind.culprits)(session, change)
    except EndpointError:
        return ""
    return found


def _services(change: Change, sessions: Sessions) -> Iterator[str]:
    """The services registered with vCenters that may have set a setting of an endpoint by themselves; none where that is not known."""
    tuned_by = endpoint_type(sessions.endpoint(change.target.endpoint).kind).tuned_by
    vcenter = endpoint_type(EndpointKind.VCENTER)
    for name in sessions.names_of(EndpointKind.VCENTER) if tuned_by else ():
        try:
            keys = vcenter.load("culprits:registered")(sessions.session(name))
        except EndpointError:
            continue
        for part, what in tuned_by:
            yield from (f"{key} is registered with {name}: {what}" for key in keys if part in key.lower())


def who_else_changed(change: Change, sessions: Sessions) -> str:
    """Who may have changed a setting that this run has not written, as far as its endpoint shows it; empty where it does not."""
    try:
        session = sessions.session(change.target.endpoint)
        kind = endpoint_type(session.endpoint.kind)
        found: str = kind.load(kind.culprits)(session, change, is_untouched=True) if kind.culprits else ""
    except EndpointError:
        return ""
    return found


def _intents(journal: Journal) -> dict[tuple[str, str], Intent]:
    """The intents of this run, by remediator and target."""
    entries = history(journal.directory).of_run(journal.run)
    return {(entry.intent.change.remediator, str(entry.intent.change.target)): entry.intent for entry in entries}
