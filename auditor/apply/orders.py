"""How far a run may go when it makes the changes of a plan."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor.apply.limits import Limits
from auditor.apply.pace import AT_ONCE, Pace
from auditor.apply.restrictions import UNRESTRICTED, Restrictions
from auditor.model import Change, Outcome

if TYPE_CHECKING:
    from auditor.apply.failed_gates import FailedGates
    from auditor.model import FixClass, RebootLimits, Receipt

NO_LIMIT = Limits()

MADE = frozenset({Outcome.APPLIED, Outcome.ALREADY})
"""The outcomes after which changes that wait for a change may be made."""

UNDONE = MADE | {Outcome.STALE}
"""As MADE, of a run that puts back: a setting that somebody changed later is left to them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """How far a run may go; without more it may make nothing, as no class of change is allowed.

    Attributes:
        allow: the classes of change that may be made.
        limits: how many resources it may touch.
        good_outcomes: after which other changes may follow; after any other one the run stops.
        earlier: by number: the receipts of changes of this plan that an earlier run made.
        unfinished_hosts: by run: the hosts that it left in maintenance mode, as the changes that took them there; they come first.
        left_by: runs whose hosts are taken out of maintenance mode at the end, where they left them in it.
        reboots: how hosts are rebooted whose changes take it; None: such a value is stored for the next boot.
        restrictions: what is never written, and when nothing is begun.
        gates: where a kind of change failed before, it is not attempted again; None: nothing is known, and nothing is kept.
        pace: the waves, and what is asked between them.
        allow_unusual: also values that are nowhere in the fleet yet.
        trust_names: the name in fleet.yaml is enough where the plan does not say who an endpoint was.
        is_rehearsal: nothing is written (`auditor.apply.rehearsal`); health is not asked afterwards, and no gate is kept.
    """

    allow: Collection[FixClass] = ()
    limits: Limits = NO_LIMIT
    good_outcomes: Collection[Outcome] = MADE
    earlier: Mapping[int, Receipt] = field(default_factory=dict)
    unfinished_hosts: Mapping[str, Sequence[Change]] = field(default_factory=dict)
    left_by: Collection[str] = ()
    reboots: RebootLimits | None = None
    restrictions: Restrictions = UNRESTRICTED
    gates: FailedGates | None = None
    pace: Pace = AT_ONCE
    allow_unusual: bool = False
    trust_names: bool = False
    is_rehearsal: bool = False
