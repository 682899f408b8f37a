"""Applies a plan in waves that grow, and stops the run where one of them does not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from auditor.apply.array_gates import ArrayWatch
from auditor.apply.attempts import Attempts
from auditor.apply.failed_gates import refuse_failed
from auditor.apply.gates import HealthWatch, foretelling, no_health
from auditor.apply.guards import check_names, check_usual, check_values, select_changes
from auditor.apply.holding import WhoElse, put_back
from auditor.apply.limits import begun
from auditor.apply.other_writers import OtherWriter
from auditor.apply.privileges import check_privileges
from auditor.apply.reboots import Rolling
from auditor.apply.restrictions import check_windows, tags_of, without_owned, without_protected
from auditor.apply.resuming import left_by
from auditor.apply.single_hosts import without_unwritable
from auditor.apply.wave_run import Progress, WaveRun, no_progress, wave_receipts
from auditor.endpoints.settings import remediator_for
from auditor.errors import GuardError
from auditor.model import Change, RebootLimits, Receipt
from auditor.model.endpoint_kinds import is_array
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from auditor.apply.orders import Orders
    from auditor.apply.pace import Pace
    from auditor.endpoints.common.health import Health
    from auditor.endpoints.common.remediator import AnyRemediator
    from auditor.endpoints.common.sessions import Sessions
    from auditor.journal import Journal
    from auditor.model import Plan

Confirm = Callable[[Sequence[Change]], bool]  # called with the changes that will be attempted; False stops the run


def apply(
    plan: Plan,
    sessions: Sessions,
    journal: Journal,
    orders: Orders,
    *,
    confirm: Confirm,
    progress: Progress | None = None,
    remediators: Callable[[str], AnyRemediator] = remediator_for,
) -> Iterator[Receipt]:
    """Make the changes of `plan` as far as `orders` go; yield a receipt for each change, also for those not attempted.

    All guards run before the first write. The changes are made in waves (`WaveOrder`). After each wave that wrote something its settings
    are read again, and health is asked: a wave that does not hold stops the run. So does a change that was written but does not read
    back as wanted. A change that is not attempted gets the outcome PROPOSED and the reason. Contradictions and changes to make by hand
    are never attempted. A value stored for the next boot is APPLIED with `pending`: it is not in effect yet.

    With `reboots` hosts whose changes take a reboot come first: each is rebooted, one after another, and receipts of its steps are
    yielded too (`auditor.apply.reboots`). Each counts as a wave. Without it such a value is stored for the next boot. First of all come
    `unfinished_hosts`. Last of all the hosts that runs in `left_by` left in maintenance mode are taken out of it.

    A setting that something put back after its receipt was yielded gets a second receipt, REVERTED; the last one of a change counts
    (`last_receipts`).

    A change that waits for others of the plan comes after them, and is not attempted where one of them did not end well or is not in force.
    A kind of change after which a health gate failed on its cluster is not attempted there: `gates`.

    What `restrictions` protect, and what a host profile or configuration profile owns, is never written. Outside the maintenance windows
    nothing is begun: a run that passes the end of one stops before the next change, or the next host to be rebooted. An account that lacks
    a privilege for any change refuses the whole run.

    An endpoint that is not the one of `plan.identities`, or does not say who it is, gets no write: its changes are REFUSED.

    Raises:
        ConfigurationError: the plan names an endpoint or a remediator that does not exist.
        GuardError: an unusual value without `allow_unusual`, no maintenance window is open, a privilege is missing,
            or not confirmed; nothing was written. Or, after the last receipt: health got worse, or somebody else is writing to the fleet,
            and the rest was not attempted; so it is where the run is larger than `limits`, after its first host.
        JournalError: while iterating: nothing more is written.
    """
    restrictions, gates, pace, reboots = orders.restrictions, orders.gates, orders.pace, orders.reboots
    attempted, skipped = _attempted(plan, sessions, remediators, orders)
    excess = orders.limits.excess(attempted)
    if not orders.allow_unusual:
        check_usual(attempted, plan)
    check_windows(attempted, restrictions)
    for sentence in check_privileges(attempted, sessions, reboots=reboots is not None):
        restrictions.notice(sentence)
    left = partial(left_by, orders.left_by, journal.directory, (reboots or RebootLimits()).leave_seconds)
    to_confirm = [*(change for changes in orders.unfinished_hosts.values() for change in changes), *attempted, *left()]
    if excess is not None and orders.limits.decide(excess):
        excess = None
    else:
        _check_confirmed(to_confirm, confirm)
    last_good = {} if gates is None else gates.last_good(to_confirm, plan.identities)
    health = _watch_health(to_confirm, sessions, plan, pace, last_good) if pace.ask_health else no_health()
    if orders.is_rehearsal:
        health, gates = foretelling(health), None
    attempts = Attempts(sessions, journal, remediators, plan.identities, orders.trust_names, health, restrictions)

    def check(applied: Sequence[Receipt]) -> list[Receipt]:
        newest = {(one.change.remediator, one.change.target): one for one in applied}
        return put_back(tuple(newest.values()), sessions, journal, remediators, pace.who)

    others = _watch_for_others(sessions, pace.who_else) if pace.just_read else None
    run = WaveRun(
        attempts.in_window,
        check,
        health,
        pace,
        frozenset(orders.good_outcomes),
        progress or no_progress,
        len(attempted),
        dict(orders.earlier),
        others,
    )
    if excess is not None:
        run.only_first(lambda made: begun(excess, attempted, made, orders.limits.again))
    if gates is not None:
        run.failed = lambda changes, what: gates.keep(journal.run, changes, attempted, what, plan.identities, health.before)
        run.passed = lambda changes: gates.passed(changes, plan.identities)
    rolling = None
    if reboots is not None:

        def stops(change: Change) -> str | None:
            return run.host_stops(change) or restrictions.closed(change)

        rolling = Rolling(sessions, journal, remediators, attempts.attempt, reboots, stops, run.show)
    return (run.noted(receipt) for receipt in wave_receipts(run, attempted, skipped, rolling, tuple(orders.unfinished_hosts), left))


def _check_confirmed(changes: Sequence[Change], confirm: Confirm) -> None:
    """Raise GuardError where somebody is to be asked about `changes`, and says no."""
    if changes and not confirm(changes):
        raise GuardError(
            f"{count_of(len(changes), 'change was', 'changes were')} not confirmed",
            why="nothing was written.",
            do="answer yes, or give --yes where there is no terminal.",
        )


def last_receipts(receipts: Sequence[Receipt]) -> tuple[Receipt, ...]:
    """The last receipt of each change, in the order in which the changes got their first."""
    return tuple({(one.change.remediator, one.change.target, one.change.before, one.change.after): one for one in receipts}.values())


def _attempted(
    plan: Plan, sessions: Sessions, remediators: Callable[[str], AnyRemediator], orders: Orders
) -> tuple[list[Change], list[Receipt]]:
    """The changes that may be attempted, and a receipt for each that may not.

    Raises:
        GuardError: a failed gate holds back all that is left.
    """
    attempted, skipped = select_changes(plan, orders.allow)
    restrictions, gates = orders.restrictions, orders.gates
    check_values(attempted)
    check_names(attempted, sessions, remediators)
    attempted, kept = without_protected(attempted, restrictions.protected, tags_of(sessions), restrictions.vcenters)
    attempted, unwritable = without_unwritable(attempted, sessions, restrictions.notice)
    attempted, owned = without_owned(attempted, sessions, restrictions.notice)
    kept = [*skipped, *kept, *unwritable, *owned]
    if gates is None:
        return attempted, kept
    attempted, held, failed = gates.without_failed(attempted, plan.identities)
    if held and not attempted:
        raise refuse_failed(failed, len(held))
    return attempted, [*kept, *held]


def _watch_health(
    changes: Sequence[Change], sessions: Sessions, plan: Plan, pace: Pace, last_good: Mapping[tuple[str, str], Health]
) -> HealthWatch:
    wait = pace.wait if pace.settle_seconds else None
    return HealthWatch(changes, sessions, ArrayWatch(changes, sessions, plan.arrays, wait), last_good)


def _watch_for_others(sessions: Sessions, who: WhoElse) -> OtherWriter:
    return OtherWriter(lambda name: is_array(sessions.endpoint(name).kind), lambda change: who(change, sessions))
