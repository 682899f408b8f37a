"""Changes that an earlier run made and something put back: they are left to a person until it is known who does it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from auditor.apply.values import same, shown
from auditor.journal import history
from auditor.model import Outcome, Plan, Unmet
from auditor.model.changes import WHO_PUTS_BACK
from auditor.model.identity import is_same

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from auditor.journal import Entry
    from auditor.model import Change, Target

_RETRY = "--retry-put-back"
_NAMES = "; "  # between what a receipt saw and who did it (holding.py)
_NAMED = 3
"""Settings that a notice names."""


@dataclass(frozen=True, slots=True)
class PutBack:
    """A setting that runs wrote as it is wanted again, and that did not stay.

    Attributes:
        entries: of the journals, oldest first: each time it was written and put back.
    """

    change: Change
    entries: tuple[Entry, ...]

    @property
    def why(self) -> str:
        """What happened, and what to do, for the readers of the plan."""
        last = self.entries[-1]
        who = last.receipt.why if last.receipt is not None and last.receipt.outcome is Outcome.REVERTED else ""
        times = f", as runs {', '.join(entry.intent.run for entry in self.entries[:-1])} did before" if len(self.entries) > 1 else ""
        wrote = f"run {last.intent.run} wrote {shown(self.change.after)}{times}, and it is {shown(self.change.before)} again"
        settle = "settle it with whom that names" if _NAMES in who else WHO_PUTS_BACK
        return f"{wrote}{f' ({who})' if who else ''}: {settle}; {_RETRY} changes it once more"


def without_put_back(plan: Plan, journals: Path) -> tuple[Plan, tuple[str, ...]]:
    """`plan` without the changes that something put back after an earlier run, which are left to a person; and what to know of them.

    A value that waits for a boot shows nothing: what is in effect is not what was written yet. What an undo put back was not put back by
    somebody else.

    Raises:
        JournalError: a journal is damaged.
    """
    found = _found(plan, journals)
    if not found:
        return plan, ()
    gone = {id(one.change) for one in found}
    kept = tuple(change for change in plan.changes if id(change) not in gone)
    unmet = (*plan.unmet, *(Unmet(one.change, one.why) for one in found))
    return replace(plan, changes=kept, unmet=unmet), _notices(found)


def put_back_since(plan: Plan, journals: Path, run: str, plan_made: datetime) -> dict[tuple[str, Target], str]:
    """Why changes of `plan` are left to a person that something put back after the plan was made, by remediator and target.

    What was put back before, somebody saw in the plan (`--retry-put-back`); what was written since, and put back, nobody has seen. It is
    only known when a change is about to be made whether it is put back now: until then this is what to say where its setting is again as
    the plan saw it.

    Args:
        plan: whose changes are about to be made.
        journals: their folder.
        run: that makes them; its own entries say nothing of what somebody else did.
        plan_made: when the plan was made, aware.

    Raises:
        JournalError: a journal is damaged.
    """
    return {
        (one.change.remediator, one.change.target): one.why
        for one in _found(plan, journals)
        if any(entry.intent.time >= plan_made and entry.intent.run != run for entry in one.entries)
    }


def _found(plan: Plan, journals: Path) -> list[PutBack]:
    """The changes of `plan` that runs made before, and something put back."""
    if not plan.changes or not journals.is_dir():
        return []
    by_setting: dict[tuple[str, tuple[tuple[str, str], ...]], list[Entry]] = {}
    for entry in history(journals).entries:
        change = entry.intent.change
        by_setting.setdefault((change.remediator, change.target.keys), []).append(entry)
    found: list[PutBack] = []
    for change in plan.changes:
        entries = [entry for entry in by_setting.get((change.remediator, change.target.keys), ()) if _is_of(entry, change, plan)]
        again = _put_back(entries, change)
        if again:
            found.append(PutBack(change, again))
    return found


def _is_of(entry: Entry, change: Change, plan: Plan) -> bool:
    """Whether an entry is about the same endpoint, whatever it was called then."""
    name = change.target.endpoint
    now, then = plan.identities.get(name), entry.intent.identity
    return entry.intent.change.target.endpoint == name if now is None or then is None else is_same(now, then)


def _put_back(entries: Sequence[Entry], change: Change) -> tuple[Entry, ...]:
    """The entries of one setting that wrote what `change` wants, and after which it was something else."""
    found = []
    for place, entry in enumerate(entries):
        receipt = entry.receipt
        if receipt is None or not same(entry.intent.change.after, change.after):
            continue
        later = entries[place + 1].intent.change.before if place + 1 < len(entries) else change.before
        was_applied = receipt.outcome is Outcome.APPLIED and receipt.pending is None
        if receipt.outcome is Outcome.REVERTED or (was_applied and not same(later, change.after)):
            found.append(entry)
    return tuple(found)


def _notices(found: Sequence[PutBack]) -> tuple[str, ...]:
    fights = [one for one in found if len(one.entries) > 1]
    notices = []
    if fights:
        named = ", ".join(f"{one.change.remediator} on {one.change.resource.name}" for one in fights[:_NAMED])
        more = f" and {len(fights) - _NAMED} more" if len(fights) > _NAMED else ""
        notices.append(
            f"A fight: {named}{more} was written by {len(fights[0].entries)} runs and put back each time. Nothing more is planned for it: "
            f"find out who owns the setting (a profile, Storage DRS, an array's own service, a colleague), and let one of the two win."
        )
    if len(found) > len(fights):
        number = len(found) - len(fights)
        notices.append(
            f"{number} setting{'s' if number > 1 else ''} that an earlier run wrote {'were' if number > 1 else 'was'} put back since, and "
            f"{'are' if number > 1 else 'is'} left to a person; the plan names the runs. {_RETRY} plans them once more."
        )
    return tuple(notices)
