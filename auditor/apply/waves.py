"""Applies a plan in waves that grow, and stops the run where one of them does not hold."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.apply.gates import HealthWatch, no_health
from auditor.apply.guards import BlastRadius, check_blast_radius, check_names, check_usual, check_values, select_changes
from auditor.apply.holding import Who, put_back, who_put_back
from auditor.apply.identities import doubt
from auditor.apply.making import make
from auditor.apply.order import hold_up, stages
from auditor.apply.privileges import check_privileges
from auditor.apply.reboots import Rolling, reboot_hosts, takes_reboot
from auditor.apply.restrictions import UNRESTRICTED, Restrictions, check_windows, tags_of, without_owned, without_protected
from auditor.apply.resuming import finish_reboots
from auditor.apply.steps import STEPS, ends_reboot
from auditor.apply.wave_order import SHARES, Wave, WaveOrder, named
from auditor.endpoints.settings import remediator_for
from auditor.errors import EndpointError, GuardError
from auditor.model import Change, FixClass, Outcome, Receipt

if TYPE_CHECKING:
    from auditor.endpoints.common.remediator import AnyRemediator
    from auditor.endpoints.common.sessions import Sessions
    from auditor.journal import Journal
    from auditor.model import Plan, RebootLimits

Confirm = Callable[[Sequence[Change]], bool]  # called with the changes that will be attempted; False stops the run
Progress = Callable[[Change, int, int], None]  # called before each change: the change, its number from 1, how many there are
_NO_LIMIT = BlastRadius()
MADE_WELL = frozenset({Outcome.APPLIED, Outcome.ALREADY})
_NONE_EARLIER: Mapping[int, Receipt] = MappingProxyType({})
_NOTHING_TO_FINISH: Mapping[str, Sequence[Change]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Pace:
    """How a run goes from wave to wave.

    Attributes:
        settle_seconds: waited after each wave that wrote something, before its settings are read again and health is asked.
        shares: of the hosts of each cluster, cumulative, once every kind of change was tried in it.
        ask_health: compare the health of what is touched with how it was before the run; a wave that made it worse stops the run.
        wait: how the settle time passes.
        notice: called with sentences that the reader of the report has to know.
        who: says who may have put a setting back.
    """

    settle_seconds: float = 0.0
    shares: Sequence[float] = SHARES
    ask_health: bool = False
    wait: Callable[[float], None] = time.sleep
    notice: Callable[[str], None] = lambda _sentence: None
    who: Who = who_put_back


def apply(
    plan: Plan,
    sessions: Sessions,
    journal: Journal,
    *,
    allow: Collection[FixClass],
    confirm: Confirm,
    limits: BlastRadius = _NO_LIMIT,
    progress: Progress | None = None,
    remediators: Callable[[str], AnyRemediator] = remediator_for,
    well: Collection[Outcome] = MADE_WELL,
    trust_names: bool = False,
    reboots: RebootLimits | None = None,
    earlier: Mapping[int, Receipt] = _NONE_EARLIER,
    restrictions: Restrictions = UNRESTRICTED,
    pace: Pace = Pace(),
    finish: Mapping[str, Sequence[Change]] = _NOTHING_TO_FINISH,
    allow_unusual: bool = False,
) -> Iterator[Receipt]:
    """Make the changes of `plan` whose class is in `allow`; yield a receipt for each change, also for those not attempted.

    All guards run before the first write. The changes are made in waves (`WaveOrder`). After each wave that wrote something its settings
    are read again, and health is asked: a wave that does not hold stops the run. So does a change that was written but does not read
    back as wanted. A change that is not attempted gets the outcome PROPOSED and the reason. Contradictions and changes to make by hand
    are never attempted. A value stored for the next boot is APPLIED with `pending`: it is not in effect yet.

    With `reboots` hosts whose changes take a reboot come first: each is rebooted, one after another, and receipts of its steps are
    yielded too (`auditor.apply.reboots`). Each counts as a wave. Without it such a value is stored for the next boot. First of all come
    hosts that the runs in `finish` left in maintenance mode.

    A setting that something put back after its receipt was yielded gets a second receipt, REVERTED; the last one of a change counts
    (`last_receipts`).

    A change that waits for others of the plan comes after them, and is not attempted where one of them did not end well or is not in force;
    `earlier` holds, by number, the receipts of changes of this plan that an earlier run made.

    What `restrictions` protect, and what a host profile or configuration profile owns, is never written. Outside the maintenance windows
    nothing is begun: a run that passes the end of one stops before the next change, or the next host to be rebooted. An account that lacks
    a privilege for any change refuses the whole run.

    An endpoint that is not the one of `plan.identities`, or does not say who it is, gets no write: its changes are REFUSED. With
    `trust_names` the name in fleet.yaml is enough where the plan has no identity.

    Raises:
        ConfigurationError: the plan names an endpoint or a remediator that does not exist.
        GuardError: too many resources, an unusual value without `allow_unusual`, no maintenance window is open, a privilege is missing,
            or not confirmed; nothing was written. Or, after the last receipt: health got worse, and the rest was not attempted.
        JournalError: while iterating: nothing more is written.
    """
    attempted, skipped = select_changes(plan, allow)
    check_values(attempted)
    check_names(attempted, sessions, remediators)
    attempted, kept = without_protected(attempted, restrictions.protected, tags_of(sessions))
    attempted, owned = without_owned(attempted, sessions, restrictions.notice)
    skipped += [*kept, *owned]
    check_blast_radius(attempted, limits)
    if not allow_unusual:
        check_usual(attempted, plan)
    check_windows(attempted, restrictions)
    for sentence in check_privileges(attempted, sessions, reboots=reboots is not None):
        restrictions.notice(sentence)
    to_confirm = [*(change for changes in finish.values() for change in changes), *attempted]
    if to_confirm and not confirm(to_confirm):
        raise GuardError(
            f"{len(to_confirm)} changes were not confirmed",
            why="nothing was written.",
            do="answer yes, or give --yes where there is no terminal.",
        )

    health = HealthWatch(to_confirm, sessions) if pace.ask_health else no_health()

    def attempt(change: Change) -> Receipt:
        name = change.target.endpoint
        try:
            session = sessions.session(name)
            other = doubt(name, plan.identities.get(name), sessions, "nothing was written", trust_name=trust_names)
        except EndpointError as error:
            return Receipt(change, Outcome.REFUSED, None, f"no session, so nothing was written: {error.what}")
        if other is not None:
            return Receipt(change, Outcome.REFUSED, None, other)
        blind = None if ends_reboot(change) else health.blind_to(change)
        if blind is not None:
            return Receipt(change, Outcome.REFUSED, None, blind)
        return make(change, remediators(change.remediator), session, journal, session.known_identity)

    def attempt_in_window(change: Change) -> Receipt:
        closed = restrictions.closed(change)
        return attempt(change) if closed is None else Receipt(change, Outcome.PROPOSED, change.before, closed)

    def check(applied: Sequence[Receipt]) -> list[Receipt]:
        newest = {(one.change.remediator, one.change.target): one for one in applied}
        return put_back(tuple(newest.values()), sessions, journal, remediators, pace.who)

    run = _Run(attempt_in_window, check, health, pace, frozenset(well), progress or _no_progress, len(attempted), dict(earlier))
    rolling = (
        None
        if reboots is None
        else Rolling(
            sessions, journal, remediators, attempt, reboots, lambda one: run.host_stops(one) or restrictions.closed(one), run.show
        )
    )
    return (run.noted(receipt) for receipt in _receipts(run, attempted, skipped, rolling, tuple(finish)))


def last_receipts(receipts: Sequence[Receipt]) -> tuple[Receipt, ...]:
    """The last receipt of each change, in the order in which the changes got their first."""
    return tuple({(one.change.remediator, one.change.target, one.change.before, one.change.after): one for one in receipts}.values())


@dataclass(slots=True)
class _Run:
    """What goes on from wave to wave. `stopped` says why no further change is attempted, and is empty until then."""

    attempt: Callable[[Change], Receipt]
    check: Callable[[Sequence[Receipt]], list[Receipt]]
    health: HealthWatch
    pace: Pace
    well: frozenset[Outcome]
    progress: Progress
    of: int
    ended: dict[int, Receipt]  # by the number of the change in its plan
    applied: list[Receipt] = field(default_factory=list)  # and not put back
    checked: int = 0  # how many of them were there at the last check
    late: list[Receipt] = field(default_factory=list)  # of what was put back, not yielded yet
    number: int = 0
    stopped: str = ""
    worse: str = ""  # as `stopped`, where health is why

    def noted(self, receipt: Receipt) -> Receipt:
        """`receipt`, which those that wait for its change go by."""
        if receipt.change.remediator not in STEPS:
            self.ended[receipt.change.number] = receipt
        return receipt

    def show(self, change: Change, number: int) -> None:
        """Show that a change of this number is made."""
        self.progress(change, number, self.of)

    def host_stops(self, _change: Change) -> str | None:
        """Why no further host is rebooted: the last one did not hold; None where it did."""
        self.settle("the reboot of a host")
        return self.stopped or None

    def settle(self, wave: str) -> None:
        """Wait, read what was written again, and ask health, where something was written since the last time; adds to `late`.

        The settings of all waves are read, not of this one alone: what puts one back may take longer than a wave.
        """
        if self.stopped or len(self.applied) == self.checked:
            return
        if self.pace.settle_seconds:
            self.pace.wait(self.pace.settle_seconds)
        reverted = self.check(self.applied)
        if reverted:
            self.late += reverted
            self.stopped = f"not attempted: {named(reverted[0].change)} did not stay as it was written; {reverted[0].why}"
            gone = {(one.change.remediator, one.change.target) for one in reverted}
            self.applied = [one for one in self.applied if (one.change.remediator, one.change.target) not in gone]
        worse = self.health.worse([receipt.change for receipt in self.applied])
        if worse:
            more = f"; and {len(worse) - 3} more" if len(worse) > 3 else ""
            self.worse = f'after the wave "{wave}": {"; ".join(worse[:3])}{more}'
            self.stopped = f"not attempted: {self.worse}"
        self.checked = len(self.applied)

    def take_late(self) -> list[Receipt]:
        """The receipts of `late`, which is empty then."""
        late, self.late = self.late, []
        return late


def _receipts(
    run: _Run, attempted: Sequence[Change], skipped: Sequence[Receipt], rolling: Rolling | None, finish: Sequence[str]
) -> Iterator[Receipt]:
    yield from skipped
    for earlier in finish if rolling is not None else ():
        if not run.stopped and rolling is not None:
            yield from _rebooted(run, finish_reboots(earlier, rolling))
    order = WaveOrder(run.pace.shares)
    for stage in stages(attempted):
        if run.stopped:
            yield from (_not_attempted(change, run.stopped) for change in stage)
            continue
        online = stage
        if rolling is not None:
            online = [change for change in stage if not takes_reboot(change)]
            first = [change for change in stage if takes_reboot(change)]
            yield from _rebooted(run, reboot_hosts(first, rolling, run.ended, run.well))
        order.begin(online)
        while not run.stopped and (wave := order.next()) is not None:
            yield from _made(run, order, wave)
        yield from (_not_attempted(change, run.stopped) for change in order.left)
    for sentence in run.health.unknown:
        run.pace.notice(sentence)
    if run.worse:
        raise GuardError(
            run.worse,
            why="what was written by then stays as it is, and nothing more was written.",
            do="look at what got worse; `auditor undo RUN` puts back what this run wrote, the journal names it.",
        )


def _rebooted(run: _Run, steps: Generator[Receipt, None, str]) -> Iterator[Receipt]:
    """The receipts of changes that take a reboot, and of what was put back meanwhile."""
    rebooted = False
    while True:
        try:
            receipt = next(steps)
        except StopIteration as end:
            run.stopped = run.stopped or end.value
            break
        rebooted |= receipt.change.remediator in STEPS
        if receipt.outcome is Outcome.APPLIED and receipt.change.remediator not in STEPS:
            run.applied.append(receipt)
        yield receipt
        yield from run.take_late()
    run.settle("the reboot of a host")
    if rebooted and not run.stopped:
        run.health.begin_again()
    yield from run.take_late()


def _made(run: _Run, order: WaveOrder, wave: Wave) -> Iterator[Receipt]:
    """The receipts of one wave, of what was put back while it settled, and of what is held back because of it."""
    receipts: list[Receipt] = []
    for change in wave.changes:
        held_up = run.stopped or hold_up(change, run.ended, run.well)
        if held_up:
            yield _not_attempted(change, held_up)
            continue
        run.number += 1
        run.show(change, run.number)
        receipts.append(run.attempt(change))
        if receipts[-1].outcome is Outcome.UNVERIFIED:
            run.stopped = f"not attempted: {named(change)} was written and not read back as wanted"
        yield receipts[-1]
    run.applied += [receipt for receipt in receipts if receipt.outcome is Outcome.APPLIED]
    run.settle(wave.name)
    yield from run.take_late()
    for change, why in order.learn(receipts, run.well, tries=wave.tries):
        yield _not_attempted(change, run.stopped or why)


def _not_attempted(change: Change, why: str) -> Receipt:
    return Receipt(change, Outcome.PROPOSED, change.before, why)


def _no_progress(_change: Change, _number: int, _of: int) -> None:
    return
