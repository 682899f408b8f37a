"""What became of a run that was killed, and how a run is taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from auditor.apply.guards import BlastRadius
from auditor.apply.values import plain, same, told
from auditor.apply.waves import Confirm, Progress, apply
from auditor.endpoints.settings import remediator_for
from auditor.errors import ConfigurationError, EndpointError
from auditor.journal import Entry, history, open_intents
from auditor.model import Change, FixClass, Outcome, Plan, Receipt, Scalar

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.endpoints.common.remediator import AnyRemediator
    from auditor.endpoints.common.sessions import Sessions
    from auditor.journal import Intent, Journal

_NO_LIMIT = BlastRadius()


class Fate(StrEnum):
    """What became of a write whose receipt is missing."""

    APPLIED = "applied"  # the setting is as wanted
    NOT_APPLIED = "not applied"  # it is as it was before
    CHANGED = "changed by somebody else"  # it is neither
    UNKNOWN = "unknown"  # it cannot be read now; the next run asks again


@dataclass(frozen=True, slots=True)
class Recovered:
    """One change of an earlier run that ended between the intent and the receipt."""

    intent: Intent
    fate: Fate
    found: Scalar  # as read now; None also when UNKNOWN
    why: str
    pending: str | None = None  # "reboot" when stored but not yet in effect


# A recovered change that somebody else has overtaken is closed as STALE, so that undo leaves it alone.
_OUTCOMES = {Fate.APPLIED: Outcome.APPLIED, Fate.NOT_APPLIED: Outcome.UNVERIFIED, Fate.CHANGED: Outcome.STALE}


def recover(journal: Journal, sessions: Sessions, remediators: Callable[[str], AnyRemediator] = remediator_for) -> list[Recovered]:
    """Say what became of every write that an earlier run announced and did not account for; writes to no endpoint.

    Each is told once: its receipt goes into `journal`, this run's. One that cannot be read now stays open.

    Raises:
        JournalError: a journal is damaged, or this one cannot be written.
    """
    found = []
    for intent in open_intents(journal.directory):
        if intent.run == journal.run:
            continue
        recovered = _look(intent, sessions, remediators)
        if recovered.fate is not Fate.UNKNOWN:
            why = f"found by run {journal.run}: {recovered.why}"
            receipt = Receipt(intent.change, _OUTCOMES[recovered.fate], recovered.found, why, recovered.pending)
            journal.receipt(intent, receipt)
        found.append(recovered)
    return found


def undo(
    run: str,
    sessions: Sessions,
    journal: Journal,
    *,
    confirm: Confirm,
    limits: BlastRadius = _NO_LIMIT,
    progress: Progress | None = None,
    remediators: Callable[[str], AnyRemediator] = remediator_for,
) -> Iterator[Receipt]:
    """Put back what `run` changed, last change first, where the setting still is as that run left it.

    What somebody changed since is left alone (STALE), and does not hold back the rest of its cluster. The undoing is journalled as a
    run of its own and can itself be undone.

    Raises:
        ConfigurationError: no journal is of that run, or it names an endpoint that is not there.
        GuardError: too many resources, or not confirmed; nothing was written.
        JournalError: a journal is damaged, or this one cannot be written.
    """
    well = frozenset({Outcome.APPLIED, Outcome.ALREADY, Outcome.STALE})
    plan = undo_plan(journal.directory, run)
    every = frozenset(FixClass)  # whoever takes a run back has allowed its classes before
    return apply(
        plan, sessions, journal, allow=every, confirm=confirm, limits=limits, progress=progress, remediators=remediators, well=well
    )


def undo_plan(directory: Path, run: str) -> Plan:
    """The changes that would put back what `run` changed, last first.

    Raises:
        ConfigurationError: no journal in `directory` is of that run.
        JournalError: a journal is damaged.
    """
    past = history(directory)
    entries = past.of_run(run)
    if not entries:
        runs = list(dict.fromkeys(entry.intent.run for entry in past.entries))
        raise ConfigurationError(
            f"run {run} changed nothing that a journal in {directory} tells",
            why="there is nothing to put back.",
            do=f"name one of the last runs that did: {', '.join(runs[-5:]) or 'none did'}.",
        )
    return Plan(tuple(_reversed(entry) for entry in reversed(entries) if _left_something(entry)))


def _look(intent: Intent, sessions: Sessions, remediators: Callable[[str], AnyRemediator]) -> Recovered:
    change = intent.change
    try:
        session = sessions.session(change.target.endpoint)
        now = remediators(change.remediator).read(session, change.target)
    except (EndpointError, ConfigurationError) as error:
        return Recovered(intent, Fate.UNKNOWN, None, f"it cannot be read now: {error.what}")
    found = plain(now.value)
    if same(found, change.after):
        return Recovered(intent, Fate.APPLIED, found, f"it is {told(found)}, as wanted", now.pending)
    if same(found, change.before):
        return Recovered(intent, Fate.NOT_APPLIED, found, f"it is still {told(found)}, as before", now.pending)
    why = f"it is {told(found)}; it was {told(change.before)}, and {told(change.after)} was wanted"
    return Recovered(intent, Fate.CHANGED, found, why, now.pending)


def _left_something(entry: Entry) -> bool:
    return not entry.settled or entry.receipt is None or entry.receipt.outcome in {Outcome.APPLIED, Outcome.UNVERIFIED}


def _reversed(entry: Entry) -> Change:
    """The change that puts back `before`, from the value the run left behind.

    An endpoint may have stored something else than it was sent (UNVERIFIED); that too is the run's doing. Where it is not known, or
    was still as before, the run can only have left `after`: the write may have been carried out late.
    """
    change, left = entry.intent.change, entry.intent.change.after
    if entry.settled and entry.receipt is not None and not same(entry.receipt.found, change.before):
        left = entry.receipt.found
    reason = f"puts back what run {entry.intent.run} changed from {told(change.before)} to {told(change.after)}"
    return replace(change, before=left, after=change.before, reason=reason)
