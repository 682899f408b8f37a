"""Makes one change: reads the setting, compares it, journals the intent, writes, and reads it back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from auditor.apply.interlocks import interlock
from auditor.apply.steps import STEPS
from auditor.apply.values import is_made, plain, same, shown
from auditor.endpoints.common.remediator import Inheriting
from auditor.errors import CredentialsError, EndpointError, NotThereError, PermissionMissingError, RefusedError
from auditor.model import FixClass, Outcome, Receipt
from auditor.stopping import finishing

if TYPE_CHECKING:
    from auditor.endpoints.common.remediator import AnyRemediator, Reading
    from auditor.journal import Journal
    from auditor.model import Change

# The endpoint answered that it refuses the write. After any other error the write may or may not have arrived.
_REFUSALS = (RefusedError, PermissionMissingError, NotThereError, CredentialsError)


def apply_change(
    change: Change, remediator: AnyRemediator, session: Any, journal: Journal, identity: str | None = None, put_back: str | None = None
) -> Receipt:
    """Set one setting to `change.after` if it still has the value `change.before`; return the receipt.

    Nothing is written when the setting cannot be read, already has the wanted value, differs from `change.before`, was put back to it by
    somebody (`put_back` says after which run; None: it was not), or an interlock forbids the change. Otherwise the intent is on disk
    before the write. The value read back decides the outcome, whatever the endpoint answered to the write. The intent says who the
    endpoint said it is: `identity`.

    Raises:
        JournalError: the intent could not be recorded, and nothing was written; or the receipt could not be recorded, and the
            intent stays open for `recover`.
    """
    try:
        now = remediator.read(session, change.target)
    except EndpointError as error:
        return Receipt(change, Outcome.REFUSED, None, f"it could not be read, so nothing was written: {error.what}")
    if is_made(change, now):
        return Receipt(change, Outcome.ALREADY, plain(now.value), "it is as wanted; nothing was written", now.pending)
    if not same(now.value, change.before):
        why = f"the plan saw {shown(change.before)}, it is now {shown(now.value)}; nothing was written"
        return Receipt(change, Outcome.STALE, plain(now.value), why, now.pending)
    if put_back is not None:
        return Receipt(change, Outcome.BY_HAND, plain(now.value), put_back, now.pending)
    forbidden = interlock(change, session)
    if forbidden is not None:
        return Receipt(change, Outcome.REFUSED, plain(now.value), forbidden, now.pending)
    # An undo needs to know whether the value was the object's own: by writing it becomes that.
    change = replace(change, before_inherited=now.inherited is True)
    if change.remediator in STEPS:  # it may take an hour until a host is empty; `resume` knows how to go on from there
        return _write(change, remediator, session, journal, identity)
    with finishing():
        return _write(change, remediator, session, journal, identity)


def _write(change: Change, remediator: AnyRemediator, session: Any, journal: Journal, identity: str | None) -> Receipt:
    intent = journal.intend(change, identity)
    write_error: EndpointError | None = None
    try:
        if change.after_inherited and isinstance(remediator, Inheriting):
            remediator.inherit(session, change.target, change.after)
        else:
            remediator.write(session, change.target, change.after)
    except EndpointError as error:
        write_error = error
    try:
        now = remediator.read(session, change.target)
    except EndpointError as error:
        result = f"the write was not confirmed ({write_error.what}), and" if write_error else "the write was accepted, but"
        receipt, settled = Receipt(change, Outcome.UNVERIFIED, None, f"{result} it could not be read back: {error.what}"), False
    else:
        receipt, settled = _receipt_of(change, now, write_error)
    journal.receipt(intent, receipt, settled=settled)
    return receipt


def _receipt_of(change: Change, now: Reading, write_error: EndpointError | None) -> tuple[Receipt, bool]:
    """The receipt of a write after which the setting reads `now`, and whether that is final; False: the value may still change."""
    value = plain(now.value)
    if isinstance(write_error, _REFUSALS):
        if same(value, change.before):
            return Receipt(change, Outcome.REFUSED, value, f"the endpoint refused it: {write_error.what}", now.pending), True
        why = f"the endpoint refused it ({write_error.what}), yet it is {shown(value)} now and was {shown(change.before)}"
        return Receipt(change, Outcome.UNVERIFIED, value, why, now.pending), True
    if is_made(change, now):
        why = f"the write was not confirmed ({write_error.what}), and it reads back as wanted" if write_error else ""
        if change.after_inherited and not same(value, change.after):
            why = "; ".join(filter(None, (why, f"it comes from its parent again, which holds {shown(value)} by now")))
        # Some options read back at once but take effect only after a reboot. The rule's fix class says so; the endpoint does not.
        pending = now.pending or ("reboot" if FixClass.REBOOT in change.classes and change.remediator not in STEPS else None)
        return Receipt(change, Outcome.APPLIED, value, why, pending), True
    if write_error:
        why = f"the write was not confirmed ({write_error.what}); it reads back as {shown(value)}, and may still change"
        return Receipt(change, Outcome.UNVERIFIED, value, why, now.pending), False
    wanted = "a value from its parent" if change.after_inherited else shown(change.after)
    why = f"the write was accepted, but it reads back as {shown(value)} instead of {wanted}"
    return Receipt(change, Outcome.UNVERIFIED, value, why, now.pending), True
