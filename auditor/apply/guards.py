"""The checks before the first write: which changes may be attempted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.apply.values import plain, shown
from auditor.errors import ConfigurationError, GuardError
from auditor.model import FixClass, Outcome, Receipt
from auditor.model.endpoint_kinds import endpoint_type

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from auditor.endpoints.common.remediator import AnyRemediator
    from auditor.endpoints.common.sessions import Sessions
    from auditor.model import Change, Plan


def select_changes(plan: Plan, allow: Collection[FixClass]) -> tuple[list[Change], list[Receipt]]:
    """The changes that may be attempted, and a receipt for each change that may not."""
    disputed = {(clash.remediator, clash.target): clash for clash in plan.contradictions}
    attempted: list[Change] = []
    skipped: list[Receipt] = []
    for change in plan.changes:
        clash = disputed.get((change.remediator, change.target))
        if clash is not None:
            rules = " and ".join(sorted(rule for rule, _ in clash.wants))
            skipped.append(Receipt(change, Outcome.PROPOSED, change.before, f"{rules} want different values; settle that first"))
        elif change.fix_class is FixClass.MANUAL:
            skipped.append(Receipt(change, Outcome.BY_HAND, change.before, "it has to be done by hand"))
        elif not set(change.classes) <= set(allow):
            needed = " ".join(f"--allow {one}" for one in change.classes)
            skipped.append(Receipt(change, Outcome.PROPOSED, change.before, f"needs {needed}"))
        else:
            attempted.append(change)
    return attempted, skipped


def check_names(changes: Iterable[Change], sessions: Sessions, remediators: Callable[[str], AnyRemediator]) -> None:
    """Refuse, before the first write, a plan that names an endpoint or a remediator that does not exist.

    Raises:
        ConfigurationError: an endpoint or a remediator is not known, or the remediator is for another kind of endpoint.
    """
    for name, endpoint in sorted({(change.remediator, change.target.endpoint) for change in changes}):
        kind, needed = sessions.endpoint(endpoint).kind, remediators(name).kind
        if not endpoint_type(kind).takes(name, needed):
            raise ConfigurationError(
                f"{name} works on a {needed} endpoint, and {endpoint} is {kind}",
                why="the plan was made from another fleet.yaml; nothing was written.",
                do="use the fleet.yaml that the plan was made from.",
            )


def check_values(changes: Iterable[Change]) -> None:
    """Refuse, before the first write, a plan with a value that can be neither compared nor journalled.

    Raises:
        TypeError: a value is not a `Scalar`; the code that made the plan has a bug.
    """
    for change in changes:
        plain(change.before)
        plain(change.after)


def check_usual(changes: Iterable[Change], plan: Plan) -> None:
    """Refuse changes to values that are nowhere in the fleet and that no shipped rule wants by itself.

    Raises:
        GuardError: there are such changes; nothing was written.
    """
    attempted = {change.number for change in changes}
    for one in plan.unusual:
        number = len(attempted & set(one.numbers))
        if number:
            setting = " ".join((one.remediator, *(value for _, value in one.setting)))
            raise GuardError(
                f"{setting} would be set to {shown(one.wanted)} in {number} place{'s' if number > 1 else ''}, and the fleet has {one.seen} "
                f"(rule {one.rule})",
                why="a value that is nowhere in the fleet is often a slip in a param or a rule; nothing was written.",
                do="correct the param in fleet.yaml, or give --allow-unusual where it is meant.",
            )
