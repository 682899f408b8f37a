"""Changes of a plan that fleet.yaml protects now, for showing before anything is written; by the same code as a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.apply.protection import tags_of, without_protected
from auditor.apply.restrictions import restrictions_of
from auditor.endpoints.common.sessions import Sessions
from auditor.model import Outcome, Receipt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor.fleet.loading import Fleet
    from auditor.model import Change


def held_back(fleet: Fleet, changes: Iterable[Change]) -> tuple[Receipt, ...]:
    """A receipt, with the reason, for each of `changes` that `protect:` or a closed maintenance window of `fleet` would hold back now.

    A vCenter is asked only where an entry of `protect:` names a tag.
    """
    restrictions = restrictions_of(fleet, lambda _sentence: None)
    with Sessions({endpoint.name: endpoint for endpoint in fleet.endpoints}) as sessions:
        left, held = without_protected(changes, restrictions.protected, tags_of(sessions), restrictions.vcenters)
    closed = ((change, restrictions.closed(change)) for change in left)
    return (*held, *(Receipt(change, Outcome.PROPOSED, change.before, why) for change, why in closed if why is not None))
