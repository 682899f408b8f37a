"""What became of an earlier run: the results of writes that it left open, and the changes that it did not attempt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from auditor.apply.identities import doubt
from auditor.apply.steps import BOOT, STEPS, step_state
from auditor.apply.values import is_made, plain, same, shown
from auditor.endpoints.settings import remediator_for
from auditor.errors import ConfigurationError, EndpointError
from auditor.journal import Entry, open_intents
from auditor.model import Change, Outcome, Plan, Receipt, Scalar, Target

if TYPE_CHECKING:
    from auditor.endpoints.common.remediator import AnyRemediator
    from auditor.endpoints.common.sessions import Sessions
    from auditor.journal import Intent, Journal


class Fate(StrEnum):
    """The result of a write whose receipt is missing."""

    APPLIED = "applied"  # the setting has the wanted value
    NOT_APPLIED = "not applied"  # it has the value from before the write
    CHANGED = "changed by somebody else"  # it has another value
    UNKNOWN = "unknown"  # it cannot be read now; the next run reads it again


@dataclass(frozen=True, slots=True)
class Recovered:
    """One change of an earlier run that ended between its intent and its receipt."""

    intent: Intent
    fate: Fate
    found: Scalar  # the value read now; None also when UNKNOWN
    why: str
    pending: str | None = None  # "reboot" when stored but not yet in effect


# A setting that somebody else changed later is closed as STALE, so that undo does not write it.
_OUTCOMES = {Fate.APPLIED: Outcome.APPLIED, Fate.NOT_APPLIED: Outcome.UNVERIFIED, Fate.CHANGED: Outcome.STALE}


def recover(
    journal: Journal, sessions: Sessions, remediators: Callable[[str], AnyRemediator] = remediator_for, *, trusted: str | None = None
) -> list[Recovered]:
    """The result of every write that an earlier run announced without a receipt; changes no endpoint.

    Each receipt goes into `journal`, which is the journal of this run, so that the next run does not report it again. A write whose
    setting cannot be read now stays open; so does one whose endpoint is not the one that was written to, or is not known to be. Of the run
    `trusted` the names of endpoints are enough where it did not record who they were.

    Raises:
        JournalError: a journal is damaged, or this one cannot be written.
    """
    results = []
    for intent in open_intents(journal.directory):
        if intent.run == journal.run:
            continue
        recovered = _read_now(intent, sessions, remediators, trust_name=intent.run == trusted)
        if recovered.fate is not Fate.UNKNOWN:
            why = f"read by run {journal.run}: {recovered.why}"
            receipt = Receipt(intent.change, _OUTCOMES[recovered.fate], recovered.found, why, recovered.pending)
            journal.receipt(intent, receipt)
        results.append(recovered)
    return results


def what_is_left(plan: Plan, entries: Sequence[Entry]) -> tuple[tuple[Change, ...], dict[int, Receipt]]:
    """The changes of `plan` that were not attempted, and by number the receipts of those that were.

    Args:
        plan: of a run.
        entries: of the journals of that run and of those that went on with it, oldest first, after recovery. One without a final receipt is
            neither left nor done: what became of it is not known.
    """
    last = {_same_change(entry.intent.change): entry for entry in entries}
    left: list[Change] = []
    done: dict[int, Receipt] = {}
    for change in plan.changes:
        entry = last.get(_same_change(change))
        if entry is None or _never_arrived(entry):
            left.append(change)
        elif entry.settled and entry.receipt is not None:
            done[change.number] = entry.receipt
    return tuple(left), done


def _same_change(change: Change) -> tuple[str, Target, str, str]:
    """What a change of a plan and its intent in a journal have in common; an undo may have two changes of one setting."""
    return change.remediator, change.target, repr(plain(change.before)), repr(plain(change.after))


def _never_arrived(entry: Entry) -> bool:
    receipt = entry.receipt
    return entry.settled and receipt is not None and receipt.outcome is Outcome.UNVERIFIED and same(receipt.found, receipt.change.before)


def _read_now(intent: Intent, sessions: Sessions, remediators: Callable[[str], AnyRemediator], *, trust_name: bool) -> Recovered:
    """Read the setting of an open intent, and compare it with the values before and after the write."""
    change = intent.change
    try:
        session = sessions.session(change.target.endpoint)
        other = doubt(change.target.endpoint, intent.identity, sessions, "nothing was settled", trust_name=trust_name)
        if other is not None:
            return Recovered(intent, Fate.UNKNOWN, None, other)
        now = remediators(change.remediator).read(session, change.target)
    except (EndpointError, ConfigurationError) as error:
        away = "the host may be rebooting; " if change.remediator == BOOT else ""
        return Recovered(intent, Fate.UNKNOWN, None, f"{away}it cannot be read now: {error.what}")
    value = plain(now.value)
    if change.remediator in STEPS:
        return Recovered(intent, Fate.APPLIED if same(value, change.after) else Fate.NOT_APPLIED, value, step_state(change, value))
    if is_made(change, now):
        return Recovered(intent, Fate.APPLIED, value, f"it is {shown(value)}, as wanted", now.pending)
    if same(value, change.before):
        return Recovered(intent, Fate.NOT_APPLIED, value, f"it is still {shown(value)}, as before", now.pending)
    why = f"it is {shown(value)}; it was {shown(change.before)}, and {shown(change.after)} was wanted"
    return Recovered(intent, Fate.CHANGED, value, why, now.pending)
