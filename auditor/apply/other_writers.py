"""Whether somebody else writes to the fleet while a run does, for example another machine's run with a state directory of its own.

Nothing that machines share says so. What a run can see is that settings are not as it read them a while ago.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.apply.steps import STEPS
from auditor.apply.values import same, shown
from auditor.apply.wave_order import named, unit_of
from auditor.errors import GuardError
from auditor.model import Outcome, Receipt
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor.model import Change

LEAST = 2
"""Settings that somebody else changed since they were read, after which a run stops. Policy: one may be a colleague who mended it."""

_WRITTEN = frozenset({Outcome.APPLIED, Outcome.UNVERIFIED, Outcome.REVERTED})
_SEEN = frozenset({Outcome.ALREADY, Outcome.STALE})


class OtherWriter:
    """Counts settings that are not as this run read them, though it wrote nothing that may have changed them.

    Args:
        is_array: whether an endpoint, by its name, is an array: there one write reaches other objects, as a policy does its volumes.
        who: says in words who may have changed a setting; empty where nothing shows it.
    """

    def __init__(self, is_array: Callable[[str], bool], who: Callable[[Change], str]) -> None:
        self._is_array, self._who = is_array, who
        self._written: set[tuple[str, str]] = set()  # endpoint and unit
        self._numbers: set[int] = set()  # of changes that were written
        self._changed: list[Receipt] = []

    def take(self, receipt: Receipt) -> GuardError | None:
        """Take in one receipt; the error that stops the run where it shows that somebody else is writing, None otherwise."""
        change = receipt.change
        if receipt.outcome in _WRITTEN:
            self._written.add(self._reach(change))
            self._numbers.add(change.number)
        elif self._is_foreign(receipt):
            self._changed.append(receipt)
            if len(self._changed) == LEAST:
                return self._stop()
        return None

    def _is_foreign(self, receipt: Receipt) -> bool:
        change = receipt.change
        if receipt.outcome not in _SEEN or change.remediator in STEPS or same(receipt.found, change.before):
            return False
        return self._reach(change) not in self._written and not self._numbers.intersection(change.waits_for)

    def _reach(self, change: Change) -> tuple[str, str]:
        endpoint = change.target.endpoint
        return endpoint, "" if self._is_array(endpoint) else unit_of(change)

    def _stop(self) -> GuardError:
        seen = "; ".join(map(self._described, self._changed))
        return GuardError(
            f"{count_of(len(self._changed), 'setting is', 'settings are')} not as this run read, nor did it write there: {seen}",
            why="another run of auditor that keeps its state elsewhere, or somebody by hand, seems to be writing to this fleet now. "
            "What was written by then stays, and nothing more was written.",
            do="find out who it is and let them end, then audit again. Machines that share one --state-dir keep each other out.",
        )

    def _described(self, receipt: Receipt) -> str:
        change = receipt.change
        wanted = ", as this run was to set it" if receipt.outcome is Outcome.ALREADY else ""
        host = f" of {change.resource.host}" if change.resource.host not in (None, change.resource.name) else ""
        who = self._who(change)
        was = f"{named(change)}{host} was {shown(change.before)} and is {shown(receipt.found)}{wanted}"
        return f"{was} ({who})" if who else was
