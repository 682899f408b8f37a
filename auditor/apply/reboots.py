"""Brings settings into force that wait for a boot: one host after another, all its settings in one reboot.

A host is asked for first, taken into maintenance mode, written, rebooted, compared, and taken out again. Each step is a change of its own
in the journal, announced before it is made, so that `recover` finds out where a killed run left a host.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from auditor.apply.admission import refusal
from auditor.apply.order import hold_up
from auditor.apply.steps import BOOT, MAINTENANCE, STEPS
from auditor.apply.unfinished import Unfinished, unfinished
from auditor.apply.values import plain, same, shown
from auditor.errors import EndpointError
from auditor.model import Change, FixClass, Outcome, RebootLimits, Receipt, Resource, Target

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterator, Sequence
    from datetime import datetime

    from auditor.endpoints.common.remediator import AnyRemediator
    from auditor.endpoints.common.sessions import Sessions
    from auditor.journal import Journal

_GOOD = frozenset({Outcome.APPLIED, Outcome.ALREADY})
_PAUSE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Rolling:
    """What the reboots of one run need.

    Attributes:
        attempt: makes one change, with everything that goes with it; also a step.
        stops: why no further host may be begun, for example because the maintenance window has closed; None: it may.
        progress: called before each change and step, with the number of the change in the plan.
    """

    sessions: Sessions
    journal: Journal
    remediators: Callable[[str], AnyRemediator]
    attempt: Callable[[Change], Receipt]
    limits: RebootLimits
    stops: Callable[[Change], str | None] = lambda _change: None
    progress: Callable[[Change, int], None] = lambda _change, _number: None


def takes_reboot(change: Change) -> bool:
    """Whether a change takes effect at the next boot of a host."""
    return FixClass.REBOOT in change.classes and "host_id" in dict(change.target.keys)


def reboot_hosts(
    changes: Sequence[Change], rolling: Rolling, ended: dict[int, Receipt] | None = None, good_outcomes: Collection[Outcome] = _GOOD
) -> Generator[Receipt, None, str]:
    """Make `changes`, host by host; a receipt for each, and for each step. `takes_reboot` is true of all of them.

    Returns why nothing more of the run is attempted, "" where it goes on.
    A host that may not be rebooted now holds up the other hosts of its cluster; one that fails on the way stops the run.

    Args:
        changes: which host comes first decides; a host that a run left in maintenance mode comes before all others.
        rolling: what the reboots need.
        ended: by number: receipts of the plan's changes until now, by which changes that wait for others go; those of `changes` are added.
        good_outcomes: the outcomes after which what waits may follow.
    """
    ended, stopped = {} if ended is None else ended, ""
    closed: dict[tuple[str, str | None], str] = {}  # cluster -> why none of its further hosts is attempted
    left_out = unfinished(rolling.journal.directory).left_out
    # A host that is in maintenance mode comes first: no other one of its cluster is rebooted meanwhile.
    for own in sorted(_by_host(changes), key=lambda one: (one[0].target.endpoint, one[0].target["host_id"]) not in left_out):
        cluster = (own[0].target.endpoint, own[0].resource.cluster)
        reason = stopped or closed.get(cluster) or rolling.stops(own[0])
        ready = []
        for change in own:
            held_up = reason or hold_up(change, ended, good_outcomes)
            if held_up:
                ended[change.number] = Receipt(change, Outcome.PROPOSED, change.before, held_up)
                yield ended[change.number]
            else:
                ready.append(change)
        if not ready:
            continue
        host = _Host(ready, rolling)
        for receipt in host.receipts():
            if receipt.change.remediator not in STEPS:
                ended[receipt.change.number] = receipt
            yield receipt
        stopped = host.stopped
        if host.refused:
            closed[cluster] = f"not attempted: {host.name} of the same cluster was not rebooted"
    return stopped


def _by_host(changes: Sequence[Change]) -> list[list[Change]]:
    hosts: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        hosts.setdefault((change.target.endpoint, change.target["host_id"]), []).append(change)
    return list(hosts.values())


class _Host:
    """The reboot of one host; `stopped` and `refused` say how it ended once `receipts` was iterated over."""

    def __init__(self, changes: Sequence[Change], rolling: Rolling) -> None:
        first = changes[0]
        self.changes, self.rolling = changes, rolling
        self.endpoint, self.id = first.target.endpoint, first.target["host_id"]
        self.name = first.resource.host or first.resource.name
        self.cluster = first.resource.cluster
        self.stopped, self.refused = "", False
        self.left = Unfinished({}, {})

    @property
    def is_ours(self) -> bool:
        """Whether an earlier run took the host into maintenance mode and did not take it out."""
        return (self.endpoint, self.id) in self.left.left_out

    def receipts(self) -> Iterator[Receipt]:
        """Do what is needed of: maintenance mode, writing, reboot, comparing, leaving."""
        sessions = self.rolling.sessions
        try:
            session = sessions.session(self.endpoint)
            self.left = unfinished(self.rolling.journal.directory, sessions.identity(self.endpoint))
            if not self.is_ours and not any(self._needs_boot(session, change, self._booted(session)) for change in self.changes):
                yield from map(self._attempt, self.changes)
                return
            reason = self._refusal(session)
        except EndpointError as error:
            reason = f"it could not be asked: {error.what}"
        if reason is not None:
            self.refused = True
            yield from self._not_written(f"{self.name} was not rebooted: {reason}")
            return
        entered = self._step(MAINTENANCE, before=False)
        yield entered
        if not (entered.outcome is Outcome.APPLIED or (self.is_ours and entered.outcome is Outcome.ALREADY)):
            self.stopped = f"not attempted: {self.name} did not enter maintenance mode"
            yield from self._not_written(f"{self.name} did not enter maintenance mode: {entered.why}")
            return
        yield from self._in_maintenance(session)

    def _in_maintenance(self, session: Any) -> Iterator[Receipt]:
        """Write, reboot where that is needed, compare, and leave maintenance mode."""
        try:
            before = self._booted(session)
        except EndpointError as error:
            self.refused = True
            yield from self._not_written(f"{self.name} was not rebooted: when it booted last could not be read: {error.what}")
            yield from self._leave()
            return
        written = [self._attempt(change) for change in self.changes]
        waiting = [receipt for receipt in written if receipt.outcome in _GOOD and self._waits(receipt, before)]
        unsure = next((receipt for receipt in written if receipt.outcome is Outcome.UNVERIFIED), None)
        if unsure is not None:
            self.stopped = f"not attempted: {unsure.change.remediator} on {self.name} was written and not read back as wanted"
        elif waiting:
            booted = self._boot(before)
            yield booted
            if booted.outcome not in _GOOD:
                self.stopped = f"not attempted: {self.name} did not come back from its reboot"
                yield from (self._unverified(receipt, booted) if receipt in waiting else receipt for receipt in written)
                return
            written = [self._in_force(session, receipt) if receipt in waiting else receipt for receipt in written]
            if any(receipt.outcome is Outcome.UNVERIFIED for receipt in written):
                self.stopped = f"not attempted: a setting of {self.name} is not in force after its reboot"
        yield from written
        yield from self._leave()

    def _leave(self) -> Iterator[Receipt]:
        """Take the host out of maintenance mode; where it stays in it, nothing more of the run is attempted."""
        left = self._step(MAINTENANCE, before=True)
        yield left
        if left.outcome not in _GOOD:
            self.stopped = f"not attempted: {self.name} did not leave maintenance mode"

    def _needs_boot(self, session: Any, change: Change, booted: datetime | None) -> bool:
        """Whether a setting is still to be written, or is written and waits for a boot."""
        now = self.rolling.remediators(change.remediator).read(session, change.target)
        if same(now.value, change.after):
            return now.pending is not None or self.left.waits(change.remediator, change.target, booted)
        return same(now.value, change.before)

    def _waits(self, receipt: Receipt, booted: datetime | None) -> bool:
        change = receipt.change
        return receipt.pending is not None or self.left.waits(change.remediator, change.target, booted)

    def _booted(self, session: Any) -> datetime | None:
        from auditor.endpoints.vcenter.steps.host_boot import boot_time

        return boot_time(session, self.id)

    def _attempt(self, change: Change) -> Receipt:
        self.rolling.progress(change, change.number or self.changes[0].number)
        return self.rolling.attempt(change)

    def _refusal(self, session: Any) -> str | None:
        from auditor.endpoints.vcenter.steps.cluster_room import cluster_now

        now = cluster_now(session, self.id)
        return refusal(now, is_ours=self.is_ours and now.host.in_maintenance is True)

    def _step(self, name: str, *, before: bool) -> Receipt:
        limits = self.rolling.limits
        seconds = limits.leave_seconds if before else limits.evacuate_seconds
        keys = (("host_id", self.id), ("limit_seconds", f"{seconds:g}"))
        doing = "the host carries machines again" if before else "its machines run elsewhere while it is rebooted"
        return self._attempt(self._change(name, keys, before=before, reason=doing))

    def _boot(self, booted: datetime | None) -> Receipt:
        from auditor.endpoints.vcenter.steps.host_boot import boot_keys

        reason = "settings take effect at a boot"
        if booted is None:
            change = self._change(BOOT, (("host_id", self.id),), before=False, reason=reason)
            return Receipt(
                change, Outcome.REFUSED, None, "not rebooted: vCenter does not report its last boot, by which its return is seen"
            )
        keys = boot_keys(self.id, booted, self.rolling.limits.return_seconds)
        return self._attempt(self._change(BOOT, keys, before=False, reason=reason))

    def _change(self, name: str, keys: tuple[tuple[str, str], ...], *, before: bool, reason: str) -> Change:
        rules = tuple(sorted({rule for change in self.changes for rule in change.rules}))
        resource = Resource("host", self.id, self.name, self.endpoint, self.cluster, self.name)
        return Change(name, FixClass.REBOOT, Target(self.endpoint, keys), before, not before, rules, resource, reason)

    def _in_force(self, session: Any, receipt: Receipt) -> Receipt:
        """The receipt of a setting after the boot: in force, or not as wanted."""
        change = receipt.change
        remediator = self.rolling.remediators(change.remediator)
        deadline = time.monotonic() + self.rolling.limits.in_force_seconds
        while True:
            try:
                now = remediator.read(session, change.target)
            except EndpointError as error:
                found, pending, why = None, None, f"after the reboot of {self.name} it could not be read: {error.what}"
            else:
                found, pending = plain(now.value), now.pending
                if same(found, change.after) and pending is None:
                    return replace(
                        receipt, outcome=Outcome.APPLIED, found=found, why=f"in force since the reboot of {self.name}", pending=None
                    )
                state = "and still not in force" if same(found, change.after) else f"instead of {shown(change.after)}"
                why = f"after the reboot of {self.name} it is {shown(found)} {state}"
            if time.monotonic() >= deadline:
                return replace(receipt, outcome=Outcome.UNVERIFIED, found=found, why=why, pending=pending)
            time.sleep(min(_PAUSE_SECONDS, max(0.0, deadline - time.monotonic())))

    def _unverified(self, receipt: Receipt, booted: Receipt) -> Receipt:
        why = f"it is stored, and whether it is in force is not known: {self.name} did not come back from its reboot: {booted.why}"
        return replace(receipt, outcome=Outcome.UNVERIFIED, why=why, pending="reboot")

    def _not_written(self, why: str) -> Iterator[Receipt]:
        return (Receipt(change, Outcome.REFUSED, None, f"{why}; nothing was written") for change in self.changes)
