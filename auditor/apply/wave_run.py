"""One run on its way from wave to wave: what was applied, what holds, and what stopped it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor.apply.order import hold_up, stages
from auditor.apply.reboots import reboot_hosts, takes_reboot
from auditor.apply.resuming import finish_reboots
from auditor.apply.steps import STEPS
from auditor.apply.wave_order import Wave, WaveOrder, named
from auditor.errors import GuardError
from auditor.model import Change, Outcome, Receipt

if TYPE_CHECKING:
    from auditor.apply.gates import HealthWatch
    from auditor.apply.other_writers import OtherWriter
    from auditor.apply.pace import Pace
    from auditor.apply.reboots import Rolling

Progress = Callable[[Change, int, int], None]  # called before each change: the change, its number from 1, how many there are


@dataclass(slots=True)
class WaveRun:
    """What goes on from wave to wave. `stopped` says why no further change is attempted, and is empty until then."""

    attempt: Callable[[Change], Receipt]
    check: Callable[[Sequence[Receipt]], list[Receipt]]
    health: HealthWatch
    pace: Pace
    good_outcomes: frozenset[Outcome]
    progress: Progress
    of: int
    ended: dict[int, Receipt]  # by the number of the change in its plan
    others: OtherWriter | None  # None: nobody looks for them
    applied: list[Receipt] = field(default_factory=list)  # and not put back
    unsure: list[Change] = field(default_factory=list)  # written, and not read back as wanted
    checked: int = 0  # how many of both were there at the last check
    late: list[Receipt] = field(default_factory=list)  # of what was put back, not yielded yet
    number: int = 0
    stopped: str = ""
    error: GuardError | None = None  # raised at the end, where something stopped it that no receipt shows
    larger: Callable[[Sequence[Receipt]], GuardError] | None = None  # what ends a run that makes its first host alone; None: it makes all
    failed: Callable[[Sequence[Change], str], None] = lambda _changes, _what: None  # called where health got worse: after what, and how
    passed: Callable[[Sequence[Change]], None] = lambda _changes: None  # called where the run ended and its gates hold
    made: list[Receipt] = field(default_factory=list)  # of changes that need not be made any more

    def noted(self, receipt: Receipt) -> Receipt:
        """`receipt`, which those that wait for its change go by."""
        if receipt.change.remediator not in STEPS:
            self.ended[receipt.change.number] = receipt
        other = None if self.others is None else self.others.take(receipt)
        if other is not None and not self.stopped:
            self.stop(other)
        return receipt

    @property
    def written(self) -> list[Change]:
        """The changes that were written, or may have been, and were not put back."""
        return [*(receipt.change for receipt in self.applied), *self.unsure]

    def stop(self, error: GuardError) -> None:
        """Let nothing more be attempted because of `error`; one that stopped the run before is what it ends with, and this one a notice."""
        if self.error is not None:
            self.pace.notice(f"{error.what}: {error.do}")
            return
        self.error, self.stopped = error, f"not attempted: {error.what}"

    def only_first(self, ended: Callable[[Sequence[Receipt]], GuardError]) -> None:
        """Make one host alone; `ended` gives the error that ends the run then, of the receipts of what is done."""
        self.larger = ended

    def stop_after_first(self) -> None:
        """End a run that makes its first host alone, once something was written and holds."""
        if self.larger is not None and self.applied and not self.stopped:
            self.stop(self.larger(self.made))

    def show(self, change: Change, number: int) -> None:
        """Show that a change of this number is made."""
        self.progress(change, number, self.of)

    def host_stops(self, _change: Change) -> str | None:
        """Why no further host is rebooted: the last one did not hold, or the run makes one alone; None where neither is so."""
        self.settle("the reboot of a host")
        self.stop_after_first()
        return self.stopped or None

    def settle(self, wave: str) -> None:
        """Wait, read what was written again, and ask health, where something was written since the last time; adds to `late`.

        The settings of all waves are read, not of this one alone: what puts one back may take longer than a wave. A run that something
        stopped is asked for as well: what it wrote by then may have made health worse, and the next run has to know.
        """
        if len(self.written) == self.checked:
            return
        stopped = self.stopped
        if self.pace.settle_seconds:
            self.pace.wait(self.pace.settle_seconds)
        reverted = self.check(self.applied)
        if reverted:
            self.late += reverted
            self.stopped = stopped or f"not attempted: {named(reverted[0].change)} did not stay as it was written; {reverted[0].why}"
            gone = {(one.change.remediator, one.change.target) for one in reverted}
            self.applied = [one for one in self.applied if (one.change.remediator, one.change.target) not in gone]
        worse = self.health.worse(self.written)
        if worse:
            more = f"; and {len(worse) - 3} more" if len(worse) > 3 else ""
            error = GuardError(
                f'after the wave "{wave}": {"; ".join(worse[:3])}{more}',
                why="what was written by then stays as it is, and nothing more was written.",
                do="look at what got worse; `auditor undo RUN` puts back what this run wrote, the journal names it. Such changes are made "
                "there again only with --after-failed-gate.",
            )
            self.failed(self.written, f"{'; '.join(worse[:3])}{more}")
            self.stop(error)
        elif stopped and self.pace.ask_health:
            self.pace.notice("The run stopped. Health of all that it had written was asked then, and nothing of it had got worse.")
        self.checked = len(self.written)

    def end(self) -> None:
        """Notice what is not known of health, and raise what stopped the run; where nothing did, its gates hold."""
        for sentence in self.health.unknown:
            self.pace.notice(sentence)
        if self.error is not None:
            raise self.error
        if not self.stopped:  # else nobody asked how what was written last holds
            self.passed([receipt.change for receipt in self.applied])

    def take_late(self) -> list[Receipt]:
        """The receipts of `late`, which is empty then."""
        late, self.late = self.late, []
        return late


def wave_receipts(
    run: WaveRun,
    attempted: Sequence[Change],
    skipped: Sequence[Receipt],
    rolling: Rolling | None,
    unfinished_runs: Sequence[str],
    steps_out_of_maintenance: Callable[[], Sequence[Change]],
) -> Iterator[Receipt]:
    """The receipts of a whole run, in the order in which changes are made or not attempted.

    Args:
        run: which has made nothing yet.
        attempted: in the order of the plan.
        skipped: receipts of changes that are not attempted.
        rolling: what reboots need; None: hosts are not rebooted.
        unfinished_runs: runs whose hosts in maintenance mode come first.
        steps_out_of_maintenance: gives the steps that take further hosts out of maintenance mode. Hosts that are not rebooted leave it
            first: no other host of their cluster is rebooted meanwhile.

    Raises:
        GuardError: after the last receipt: what stopped the run where no receipt shows it.
    """
    yield from skipped
    rebooted = set() if rolling is None else {_host(change) for change in attempted if takes_reboot(change)}
    yield from (run.attempt(change) for change in steps_out_of_maintenance() if _host(change) not in rebooted)
    if rolling is not None:
        for earlier in unfinished_runs:
            if not run.stopped:
                yield from _rebooted(run, finish_reboots(earlier, rolling))
    order = WaveOrder(run.pace.shares, one_by_one=run.larger is not None)
    for stage in stages(attempted):
        if run.stopped:
            yield from (_not_attempted(change, run.stopped) for change in stage)
            continue
        online = stage
        if rolling is not None:
            online = [change for change in stage if not takes_reboot(change)]
            first = [change for change in stage if takes_reboot(change)]
            yield from _rebooted(run, reboot_hosts(first, rolling, run.ended, run.good_outcomes))
        order.begin(online)
        while not run.stopped and (wave := order.next()) is not None:
            yield from _made(run, order, wave)
            run.stop_after_first()
        yield from (_not_attempted(change, run.stopped) for change in order.left)
    if not run.stopped:
        yield from map(run.attempt, steps_out_of_maintenance())
    run.end()


def _host(change: Change) -> tuple[str, str]:
    return change.target.endpoint, change.target["host_id"]


def _rebooted(run: WaveRun, steps: Generator[Receipt, None, str]) -> Iterator[Receipt]:
    """The receipts of changes that take a reboot, and of what was put back meanwhile."""
    rebooted = False
    while True:
        try:
            receipt = next(steps)
        except StopIteration as end:
            stops = end.value
            run.stopped = run.stopped or stops
            break
        rebooted |= receipt.change.remediator in STEPS
        if receipt.change.remediator not in STEPS:
            if receipt.outcome is Outcome.APPLIED:
                run.applied.append(receipt)
                run.made.append(receipt)
            elif receipt.outcome is Outcome.UNVERIFIED:
                run.unsure.append(receipt.change)
        yield receipt
        yield from run.take_late()
    run.settle("the reboot of a host")  # also where it stopped the run: what else was written to the host may have made health worse
    run.stop_after_first()
    if rebooted and not run.stopped:
        run.health.begin_again()
    yield from run.take_late()


def _made(run: WaveRun, order: WaveOrder, wave: Wave) -> Iterator[Receipt]:
    """The receipts of one wave, of what was put back while it settled, and of what is held back because of it."""
    receipts: list[Receipt] = []
    for change in wave.changes:
        held_up = run.stopped or hold_up(change, run.ended, run.good_outcomes)
        if held_up:
            yield _not_attempted(change, held_up)
            continue
        run.number += 1
        run.show(change, run.number)
        receipts.append(run.attempt(change))
        if receipts[-1].outcome is Outcome.UNVERIFIED:
            run.stopped = f"not attempted: {named(change)} was written and not read back as wanted"
            run.unsure.append(change)
        yield receipts[-1]
    run.applied += [receipt for receipt in receipts if receipt.outcome is Outcome.APPLIED]
    run.made += [receipt for receipt in receipts if receipt.outcome in run.good_outcomes]
    run.settle(wave.name)
    yield from run.take_late()
    for change, why in order.learn(receipts, run.good_outcomes, tries=wave.tries):
        yield _not_attempted(change, run.stopped or why)


def _not_attempted(change: Change, why: str) -> Receipt:
    return Receipt(change, Outcome.PROPOSED, change.before, why)


def no_progress(_change: Change, _number: int, _of: int) -> None:
    """Show nothing."""
