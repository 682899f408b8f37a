"""Attempts one change: on the endpoint that is meant, where its health can be watched, in a maintenance window."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.apply.identities import doubt
from auditor.apply.one_change import apply_change
from auditor.apply.steps import ends_reboot
from auditor.errors import EndpointError
from auditor.model import Outcome, Receipt

if TYPE_CHECKING:
    from auditor.apply.gates import HealthWatch
    from auditor.apply.restrictions import Restrictions
    from auditor.endpoints.common.remediator import AnyRemediator
    from auditor.endpoints.common.sessions import Sessions
    from auditor.journal import Journal
    from auditor.model import Change


@dataclass(frozen=True, slots=True)
class Attempts:
    """What an attempt needs.

    Attributes:
        identities: by endpoint: whom the plan means; None: it does not know.
        trust_names: the name in fleet.yaml is enough where the plan has no identity.
        health: refuses a change of what it cannot watch.
    """

    sessions: Sessions
    journal: Journal
    remediators: Callable[[str], AnyRemediator]
    identities: Mapping[str, str | None]
    trust_names: bool
    health: HealthWatch
    restrictions: Restrictions

    def attempt(self, change: Change) -> Receipt:
        """Make the change, or refuse it."""
        name = change.target.endpoint
        try:
            session = self.sessions.session(name)
            other = doubt(name, self.identities.get(name), self.sessions, "nothing was written", trust_name=self.trust_names)
        except EndpointError as error:
            return Receipt(change, Outcome.REFUSED, None, f"no session, so nothing was written: {error.what}")
        if other is not None:
            return Receipt(change, Outcome.REFUSED, None, other)
        blind = None if ends_reboot(change) else self.health.blind_to(change)
        if blind is not None:
            return Receipt(change, Outcome.REFUSED, None, blind)
        put_back = self.restrictions.put_back.get((change.remediator, change.target))
        return apply_change(change, self.remediators(change.remediator), session, self.journal, session.known_identity, put_back)

    def in_window(self, change: Change) -> Receipt:
        """Make the change, or refuse it; outside the maintenance windows it is left PROPOSED."""
        closed = self.restrictions.closed(change)
        return self.attempt(change) if closed is None else Receipt(change, Outcome.PROPOSED, change.before, closed)
