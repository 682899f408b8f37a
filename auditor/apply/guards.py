"""The checks before the first write: which changes may be attempted, and how many resources they may touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.apply.values import plain
from auditor.errors import ConfigurationError, GuardError
from auditor.model import FixClass, Outcome, Receipt

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from auditor.endpoints.common.remediator import AnyRemediator
    from auditor.endpoints.common.sessions import Sessions
    from auditor.model import Change, Plan


@dataclass(frozen=True, slots=True)
class BlastRadius:
    """How many resources one run may touch; None means that this limit is not set."""

    max_resources: int | None = None
    max_percent: float | None = None  # of `population`
    population: int = 0  # resources that were judged

    @property
    def resources(self) -> int | None:
        """The stricter of the two limits as a number of resources; None when neither is set."""
        limits = [] if self.max_resources is None else [self.max_resources]
        if self.max_percent is not None:
            limits.append(int(self.population * self.max_percent / 100))
        return min(limits, default=None)


def blast_radius(text: str, population: int) -> BlastRadius:
    """The limit that ``--max-changes`` gives: "25" resources, or "10%" of `population`.

    Raises:
        ConfigurationError: `text` is neither a number nor a percentage.
    """
    amount = text.strip().removesuffix("%")
    if not amount.isdecimal() or (text.strip().endswith("%") and int(amount) > 100):
        raise ConfigurationError(
            f"--max-changes {text}: not a number of resources, nor a percentage",
            why="nothing was changed: auditor changes nothing without a valid limit.",
            do="write a whole number such as 25, or a percentage such as 10%.",
        )
    if text.strip().endswith("%"):
        return BlastRadius(max_percent=int(amount), population=population)
    return BlastRadius(max_resources=int(amount))


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
        if kind is not needed:
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


def check_blast_radius(changes: Sequence[Change], limits: BlastRadius) -> None:
    """Refuse changes that touch more resources than `limits` allow.

    Raises:
        GuardError: the changes touch too many resources; nothing was written.
    """
    touched = len({(change.resource.endpoint, change.resource.kind, change.resource.id) for change in changes})
    if limits.resources is not None and touched > limits.resources:
        raise GuardError(
            f"{touched} resources would be changed, and the limit of one run is {limits.resources}",
            why="a mistake in a rule or a parameter would change all of them at once; nothing was written.",
            do="narrow it with --only RULE, or raise --max-changes after reading the plan.",
        )
