"""What journals say of reboots that were not carried to their end: hosts in maintenance mode, and settings that wait for a boot."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from auditor.apply.steps import BOOT, MAINTENANCE, STEPS
from auditor.journal import history
from auditor.model import FixClass, Outcome
from auditor.model.identity import is_same

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from auditor.journal import Entry
    from auditor.model import Change, Target

Place = tuple[str, str]
"""The name of an endpoint in fleet.yaml, and the managed object id of a host."""

_NOTHING_DONE = frozenset({Outcome.REFUSED, Outcome.STALE})
_CLOCKS = timedelta(minutes=5)
"""How far the clock of a host may be from ours before a boot counts as too early."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What is left of reboots.

    Attributes:
        left_out: hosts that went, or may have gone, into maintenance mode and did not leave it, and the entry by which they went.
        waiting: settings that were written for the next boot and whose host auditor did not reboot since, and the entries of the writes.
    """

    left_out: Mapping[Place, Entry]
    waiting: Mapping[tuple[str, Target], Entry]

    def waits(self, remediator: str, target: Target, booted: datetime | None) -> bool:
        """Whether a setting that auditor wrote still waits for a boot; in doubt it does.

        Args:
            remediator: of the setting.
            target: of the setting.
            booted: when the host booted last; None: not known.
        """
        written = self.waiting.get((remediator, target))
        return written is not None and (booted is None or booted < written.intent.time + _CLOCKS)


def unfinished(directory: Path, identity: str | None = None) -> Unfinished:
    """What journals leave of reboots.

    Args:
        directory: of all journals.
        identity: who the endpoint is now; entries of another one are left out. None: those of every one.

    Raises:
        JournalError: a journal is damaged.
    """
    left: dict[Place, Entry] = {}
    waiting: dict[tuple[str, Target], Entry] = {}
    for entry in history(directory).entries:
        change = entry.intent.change
        place = _place(change.target)
        if place is None or (identity is not None and not _is_of(entry, identity)) or _was_not_made(entry):
            continue
        if change.remediator == MAINTENANCE:
            if change.after is True:
                left[place] = entry
            elif _found(entry) is False:
                left.pop(place, None)
        elif change.remediator == BOOT:
            if _found(entry) is True:
                waiting = {key: written for key, written in waiting.items() if _place(key[1]) != place}
        elif FixClass.REBOOT in change.classes:
            waiting[change.remediator, change.target] = entry
    return Unfinished(left, waiting)


def written_on(directory: Path, run: str, place: Place) -> tuple[Change, ...]:
    """The changes of a run that take effect at the boot of one host, as far as they were, or may have been, written.

    Raises:
        JournalError: a journal is damaged.
    """
    made = (entry.intent.change for entry in history(directory).of_run(run) if not _was_not_made(entry))
    return tuple(one for one in made if one.remediator not in STEPS and FixClass.REBOOT in one.classes and _place(one.target) == place)


def _place(target: Target) -> Place | None:
    """The host that a target is on; None where it is on none."""
    host_id = dict(target.keys).get("host_id")
    return None if host_id is None else (target.endpoint, host_id)


def _was_not_made(entry: Entry) -> bool:
    """Whether what the entry announced is known not to have happened."""
    receipt = entry.receipt
    if not entry.settled or receipt is None:
        return False
    return receipt.outcome in _NOTHING_DONE or (receipt.outcome is Outcome.UNVERIFIED and receipt.found == entry.intent.change.before)


def _found(entry: Entry) -> object:
    """What was read after the step; None while that is open."""
    return entry.receipt.found if entry.settled and entry.receipt is not None else None


def _is_of(entry: Entry, identity: str) -> bool:
    return entry.intent.identity is not None and is_same(entry.intent.identity, identity)
