"""Undoes runs: the changes that would put back what they wrote, and making these."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.apply.limits import Limits
from auditor.apply.order import reversed_waits, stages
from auditor.apply.orders import NO_LIMIT, UNDONE, Orders
from auditor.apply.restrictions import UNRESTRICTED, Restrictions
from auditor.apply.steps import STEPS
from auditor.apply.values import same, shown
from auditor.apply.wave_run import Progress
from auditor.apply.waves import Confirm, apply
from auditor.endpoints.settings import remediator_for
from auditor.errors import ConfigurationError
from auditor.journal import Entry, entries_of, history
from auditor.model import Change, FixClass, Outcome, Plan, Receipt, Target
from auditor.text.names import is_called
from auditor.yaml.reading import did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.endpoints.common.remediator import AnyRemediator
    from auditor.endpoints.common.sessions import Sessions
    from auditor.journal import Journal
    from auditor.model import RebootLimits


def undo(
    run: str,
    sessions: Sessions,
    journal: Journal,
    *,
    confirm: Confirm,
    limits: Limits = NO_LIMIT,
    progress: Progress | None = None,
    remediators: Callable[[str], AnyRemediator] = remediator_for,
    trust_names: bool = False,
    restrictions: Restrictions = UNRESTRICTED,
    reboots: RebootLimits | None = None,
) -> Iterator[Receipt]:
    """Undo the changes of `run`, the last change first, where the setting still has the value that the run wrote.

    An endpoint that is not the one that the run wrote to gets no write. With `trust_names` its name in fleet.yaml is enough where the
    journal of an older auditor does not say which one that was. What `restrictions` protect is not written; an undo is not
    bound by their maintenance windows. A value that takes effect at a boot is stored for the next one, or its host is rebooted: `reboots`.

    A setting that somebody changed later is not written (STALE), and does not stop the rest of its cluster. The undo is journalled as
    a run of its own and can itself be undone.

    Raises:
        ConfigurationError: there is no journal of that run, or it names an endpoint that is not in fleet.yaml.
        GuardError: too many resources, or not confirmed; nothing was written.
        JournalError: a journal is damaged, or this one cannot be written.
    """
    plan = undo_plan(journal.directory, run)
    every = frozenset(FixClass)  # the run to undo had its classes allowed
    return apply(
        plan,
        sessions,
        journal,
        Orders(
            allow=every,
            limits=limits,
            good_outcomes=UNDONE,
            trust_names=trust_names,
            restrictions=replace(restrictions, windows=()),
            reboots=reboots,
        ),
        confirm=confirm,
        progress=progress,
        remediators=remediators,
    )


def undo_plan(directory: Path, run: str, continued: Mapping[str, bool] = MappingProxyType({})) -> Plan:
    """The changes that would undo `run` and those that went on with it, the last change first.

    A setting that several of them wrote, one after another, is put back at once to what it was before the first of them.

    Args:
        directory: of the journals.
        run: that is undone.
        continued: the runs that went on with it, oldest first; whether each made a plan of its own, whose numbers are its own.

    Raises:
        ConfigurationError: `directory` has no journal of that run, or of those that went on with it.
        JournalError: a journal is damaged.
    """
    entries = _of_family(directory, run, continued)
    left = [entry for entry in entries if entry.intent.change.remediator not in STEPS and _left_something(entry)]
    waits = reversed_waits([entry.intent.change for entry in left])
    undoing = [replace(_reversed(entry), waits_for=waits[entry.intent.change.number]) for entry in reversed(left)]
    changes = tuple(_at_once(undoing) if continued else undoing)
    return Plan(changes, identities=_identities(entries))  # also of steps: a host that was only taken into maintenance mode


def narrowed(plan: Plan, only: Collection[str]) -> Plan:
    """The changes of `plan` that `only` names, by the id of a rule, the name of a host or their number; all of them where it is empty.

    Raises:
        ConfigurationError: one of the words names none of them.
    """
    if not only:
        return plan
    names = [({str(change.number), *change.rules, *filter(None, [change.resource.host])}, change) for change in plan.changes]
    known = sorted({name for ones, change in names for name in ones if name != "0"})
    for word in only:
        if not any(is_called(name, word) for name in known):
            raise ConfigurationError(
                f"--only {word}: no change of this run is of such a rule, host or number{did_you_mean(word, known)}",
                why="nothing was written: what was requested does not exist.",
                do="`auditor undo RUN --dry-run` shows the changes, with their numbers.",
            )
    chosen = tuple(change for ones, change in names if any(is_called(name, word) for name in ones for word in only))
    numbers = {change.number for change in chosen}
    # A person who puts back one change alone has decided about those it would wait for.
    return replace(plan, changes=tuple(replace(one, waits_for=tuple(n for n in one.waits_for if n in numbers)) for one in chosen))


def _of_family(directory: Path, run: str, continued: Mapping[str, bool]) -> list[Entry]:
    """The entries of a run and of those that went on with it; no two plans among them share a number."""
    past = history(directory)
    entries = list(past.of_run(run))
    for other, has_own_plan in continued.items():
        more = past.of_run(other)
        after = max((entry.intent.change.number for entry in entries), default=0) if has_own_plan else 0
        entries += [_renumbered(entry, after) for entry in more] if after else more
    return entries or list(entries_of(directory, run, "there is nothing to undo."))


def _renumbered(entry: Entry, after: int) -> Entry:
    change = entry.intent.change
    moved = replace(change, number=change.number + after, waits_for=tuple(number + after for number in change.waits_for))
    return replace(entry, intent=replace(entry.intent, change=moved))


def _at_once(undoing: Sequence[Change]) -> list[Change]:
    """`undoing`, last change first, with each setting put back in one step as far as the changes of it follow each other.

    A step waits for all that its parts wait for, and what waits for one of its parts waits for it. Where steps would wait for each other
    that way, each part is made by itself, after the one that was written later.
    """
    result: list[Change] = []
    by_setting: dict[tuple[str, Target], tuple[int, int]] = {}  # the place of its step, and the number of the last part of that
    steps: dict[int, int] = {}  # by number of a part: the number of its step
    later: dict[int, int] = {}  # by number of a part: the number of the part before it
    for change in undoing:
        setting = change.remediator, change.target
        place, part = by_setting.get(setting, (-1, 0))
        step = result[place] if place >= 0 else None
        if step is not None and same(step.after, change.before):
            steps[change.number], later[change.number] = step.number, part
            result[place] = replace(
                step,
                after=change.after,
                after_inherited=change.after_inherited,
                reason=f"{step.reason}; {change.reason}",
                waits_for=(*step.waits_for, *change.waits_for),
            )
        else:
            place = len(result)
            result.append(change)
        by_setting[setting] = place, change.number
    merged = [replace(one, waits_for=tuple(sorted({steps.get(n, n) for n in one.waits_for} - {one.number}))) for one in result]
    if _wait_for_each_other(merged):
        return [replace(one, waits_for=(*one.waits_for, later[one.number])) if one.number in later else one for one in undoing]
    return merged


def _wait_for_each_other(changes: Sequence[Change]) -> bool:
    """Whether any changes wait for each other, so that none of them could be made."""
    last = stages(changes)[-1] if changes else []
    numbers = {change.number for change in last}
    return any(numbers.intersection(change.waits_for) for change in last)


def _identities(entries: Sequence[Entry]) -> dict[str, str | None]:
    """Whom a run wrote to, by endpoint; None where any of its intents does not say so, or they disagree."""
    identities: dict[str, set[str | None]] = {}
    for entry in entries:
        identities.setdefault(entry.intent.change.target.endpoint, set()).add(entry.intent.identity)
    return {name: next(iter(ids)) if len(ids) == 1 else None for name, ids in identities.items()}


def _left_something(entry: Entry) -> bool:
    return not entry.settled or entry.receipt is None or entry.receipt.outcome in {Outcome.APPLIED, Outcome.UNVERIFIED}


def _reversed(entry: Entry) -> Change:
    """The change from the value that the run left to the value before it.

    An endpoint may have stored another value than it was sent (UNVERIFIED); then that value is what the run left. Where the value is
    not known, or was still the one before, the run can only have left `after`: the endpoint may have carried the write out late.
    """
    change, left = entry.intent.change, entry.intent.change.after
    if entry.settled and entry.receipt is not None and not same(entry.receipt.found, change.before):
        left = entry.receipt.found
    reason = f"undoes run {entry.intent.run}, which changed it from {shown(change.before)} to {shown(change.after)}"
    return replace(
        change,
        before=left,
        after=change.before,
        reason=reason,
        messages=(),  # what was wrong before is what the undo brings back
        before_inherited=change.after_inherited,
        after_inherited=change.before_inherited,
    )
