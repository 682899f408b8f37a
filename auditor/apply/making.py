"""Makes one change, or says why not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.apply.interlocks import interlock
from auditor.apply.values import plain, same, told
from auditor.errors import CredentialsError, EndpointError, NotThereError, PermissionMissingError, RefusedError
from auditor.model import FixClass, Outcome, Receipt

if TYPE_CHECKING:
    from auditor.endpoints.common.remediator import AnyRemediator, Reading
    from auditor.journal import Journal
    from auditor.model import Change

# The endpoint answered the write, and the answer was no. After any other error the write may or may not have arrived.
_SAID_NO = (RefusedError, PermissionMissingError, NotThereError, CredentialsError)


def make(change: Change, remediator: AnyRemediator, session: Any, journal: Journal) -> Receipt:
    """Bring one setting to `change.after`, provided it still is what the plan saw.

    Nothing is written when the setting cannot be read, is as wanted already, differs from `change.before`, or an interlock
    objects. Else the intent is on disk before the write, and what is read back decides about the outcome, whatever the write
    itself answered.

    Raises:
        JournalError: the intent could not be recorded, and nothing was written; or the receipt could not be, and the intent
            stays open for `recover`.
    """
    try:
        now = remediator.read(session, change.target)
    except EndpointError as error:
        return Receipt(change, Outcome.REFUSED, None, f"it could not be read, so nothing was written: {error.what}")
    if same(now.value, change.after):
        return Receipt(change, Outcome.ALREADY, plain(now.value), "it is as wanted; nothing was written", now.pending)
    if not same(now.value, change.before):
        why = f"the plan saw {told(change.before)}, it is now {told(now.value)}; nothing was written"
        return Receipt(change, Outcome.STALE, plain(now.value), why, now.pending)
    objection = interlock(change, session)
    if objection is not None:
        return Receipt(change, Outcome.REFUSED, plain(now.value), objection, now.pending)
    return _write(change, remediator, session, journal)


def _write(change: Change, remediator: AnyRemediator, session: Any, journal: Journal) -> Receipt:
    intent = journal.intend(change)
    trouble: EndpointError | None = None
    try:
        remediator.write(session, change.target, change.after)
    except EndpointError as error:
        trouble = error
    try:
        now = remediator.read(session, change.target)
    except EndpointError as error:
        said = f"the write was not confirmed ({trouble.what}), and" if trouble else "the write was accepted, but"
        receipt, settled = Receipt(change, Outcome.UNVERIFIED, None, f"{said} it could not be read back: {error.what}"), False
    else:
        receipt, settled = _judged(change, now, trouble)
    journal.receipt(intent, receipt, settled=settled)
    return receipt


def _judged(change: Change, now: Reading, trouble: EndpointError | None) -> tuple[Receipt, bool]:
    """The receipt of a write whose setting now reads `now`; False with it when a later look may find something else."""
    found = plain(now.value)
    if isinstance(trouble, _SAID_NO):
        if same(found, change.before):
            return Receipt(change, Outcome.REFUSED, found, f"the endpoint refused it: {trouble.what}", now.pending), True
        why = f"the endpoint refused it ({trouble.what}), yet it is {told(found)} now and was {told(change.before)}"
        return Receipt(change, Outcome.UNVERIFIED, found, why, now.pending), True
    if same(found, change.after):
        why = f"the write was not confirmed ({trouble.what}), and it reads back as wanted" if trouble else ""
        # Some options are read back at once and work only after a boot; their rule knows that by its class, the wire does not.
        pending = now.pending or ("reboot" if change.fix_class is FixClass.REBOOT else None)
        return Receipt(change, Outcome.APPLIED, found, why, pending), True
    if trouble:
        why = f"the write was not confirmed ({trouble.what}); it reads back as {told(found)}, and may still change"
        return Receipt(change, Outcome.UNVERIFIED, found, why, now.pending), False
    why = f"the write was accepted, but it reads back as {told(found)} instead of {told(change.after)}"
    return Receipt(change, Outcome.UNVERIFIED, found, why, now.pending), True
