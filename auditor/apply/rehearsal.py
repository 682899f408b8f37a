"""A run without its writes: every guard, every reading, and a receipt for each change as the run itself would give it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from auditor.apply.waves import apply
from auditor.endpoints.common.remediator import Inheriting, Reading
from auditor.endpoints.settings import remediator_for
from auditor.errors import GuardError
from auditor.journal.records import Intent

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from auditor.apply.orders import Orders
    from auditor.apply.waves import Confirm
    from auditor.endpoints.common.remediator import AnyRemediator
    from auditor.endpoints.common.sessions import Sessions
    from auditor.model import Change, Plan, Receipt, Scalar, Target


class UnwrittenJournal:
    """A journal that keeps nothing."""

    def __init__(self, directory: Path, run: str) -> None:
        self.directory, self.run = directory, run
        self._intents = 0

    def intend(self, change: Change, identity: str | None = None) -> Intent:
        """Announce nothing."""
        self._intents += 1
        return Intent(self.run, self._intents, datetime.now(UTC), change, identity)

    def receipt(self, intent: Intent, receipt: Receipt, *, settled: bool = True) -> None:
        """Keep nothing."""

    def settle(self, intent: Intent) -> None:
        """Keep nothing."""


class UnwrittenSettings:
    """Remediators that read what is there, and remember what would be written instead of writing it."""

    def __init__(self, remediators: Callable[[str], AnyRemediator]) -> None:
        self._remediators = remediators
        self.values: dict[tuple[str, Target], Scalar] = {}
        self.inherited: set[tuple[str, Target]] = set()

    def __call__(self, name: str) -> AnyRemediator:
        """The remediator of that name, without its writes."""
        real = self._remediators(name)
        return (_UnwrittenInheriting if isinstance(real, Inheriting) else _Unwritten)(name, real, self.values, self.inherited)


class _Unwritten:
    def __init__(
        self, name: str, real: AnyRemediator, values: dict[tuple[str, Target], Scalar], inherited: set[tuple[str, Target]]
    ) -> None:
        self.kind, self._name, self._real, self._values, self._inherited = real.kind, name, real, values, inherited

    def read(self, session: Any, target: Target) -> Reading:
        now = self._real.read(session, target)
        return replace(now, value=self._values[self._name, target]) if (self._name, target) in self._values else now

    def write(self, session: Any, target: Target, value: Scalar) -> None:  # noqa: ARG002  as the real one
        self._values[self._name, target] = value


class _UnwrittenInheriting(_Unwritten):
    def read(self, session: Any, target: Target) -> Reading:
        now = super().read(session, target)
        return replace(now, inherited=True) if (self._name, target) in self._inherited else now

    def write(self, session: Any, target: Target, value: Scalar) -> None:
        super().write(session, target, value)
        self._inherited.discard((self._name, target))

    def inherit(self, session: Any, target: Target, value: Scalar) -> None:  # noqa: ARG002  as the real one
        self._values[self._name, target] = value
        self._inherited.add((self._name, target))


def rehearse(
    plan: Plan,
    sessions: Sessions,
    journals: Path,
    run: str,
    orders: Orders,
    *,
    confirm: Confirm,
    remediators: Callable[[str], AnyRemediator] = remediator_for,
) -> tuple[tuple[Receipt, ...], GuardError | None]:
    """The receipts that `apply` would give with these orders, and what would stop it; nothing is written, anywhere.

    Health after each wave, what somebody puts back meanwhile and what a reboot does cannot be predicted: such a value counts as stored.
    """
    receipts: list[Receipt] = []
    journal: Any = UnwrittenJournal(journals, run)
    settings = UnwrittenSettings(remediators)
    orders = replace(orders, pace=replace(orders.pace, settle_seconds=0.0), is_rehearsal=True)
    try:
        for receipt in apply(plan, sessions, journal, orders, confirm=confirm, remediators=settings):
            receipts.append(receipt)  # noqa: PERF402  those before an error count
    except GuardError as error:
        return tuple(receipts), error
    return tuple(receipts), None
