"""Plans that are meant for the endpoints as they are now, as an audit makes them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from auditor.errors import EndpointError
from auditor.model import Change, Plan

if TYPE_CHECKING:
    from auditor.endpoints.common.sessions import Sessions


def as_seen(sessions: Sessions, *changes: Change) -> Plan:
    """A plan of `changes`; an endpoint that does not answer is not known in it."""
    identities: dict[str, str | None] = {}
    for name in {change.target.endpoint for change in changes}:
        with suppress(EndpointError):
            identities[name] = sessions.identity(name)
    return Plan(changes, identities=identities)
