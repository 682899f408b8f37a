"""Which changes of single hosts are left to a person: of a host that a vCenter manages, or whose licence lets nobody write by the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.endpoints.esxi.session import is_read_only
from auditor.errors import EndpointError
from auditor.model import EndpointKind, Outcome, Receipt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from auditor.endpoints.common.sessions import Sessions
    from auditor.model import Change


def without_unwritable(changes: Sequence[Change], sessions: Sessions, notice: Callable[[str], None]) -> tuple[list[Change], list[Receipt]]:
    """The changes that may be made, and a receipt for each of a single host on which nothing is written.

    A vCenter keeps its own idea of a host that it manages: it may overwrite what is set behind its back, and the host is in a cluster that
    is not seen from here. Where it cannot be read whether one does, nothing is written. A licence that cannot be read is no reason: the
    host itself refuses the first write then, and `notice` gets a sentence.

    Source: docs/domain/facts.md#13-2, #13-5.
    """
    reasons: dict[str, str | None] = {}
    left, skipped = [], []
    for change in changes:
        name = change.target.endpoint
        if name not in reasons:
            is_host = sessions.endpoint(name).kind is EndpointKind.ESXI
            reasons[name] = _reason(name, sessions, notice) if is_host else None
        reason = reasons[name]
        if reason is None:
            left.append(change)
        else:
            skipped.append(Receipt(change, Outcome.PROPOSED, change.before, reason))
    return left, skipped


def _reason(name: str, sessions: Sessions, notice: Callable[[str], None]) -> str | None:
    try:
        host: Any = sessions.session(name)
        standing = host.standing(again=True)
    except EndpointError as error:
        return f"whether a vCenter manages {name} could not be read ({error.what}), so nothing is written there"
    if standing.is_managed is None:
        return f"whether a vCenter manages {name} may not be read by this account, so nothing is written there"
    if standing.managed_by is not None:
        return (
            f"{name} is managed by the vCenter at {standing.managed_by}, which may overwrite what is set behind its back:"
            " audit and fix it through that vCenter"
        )
    try:
        editions = host.editions()
    except EndpointError as error:
        notice(f"{name}: whether its licence allows writing could not be read ({error.what}); the host itself refuses it if not.")
        return None
    return (
        f"the licence of {name} lets the API read alone (RestrictedVersion): make it by hand on the host"
        if is_read_only(editions)
        else None
    )
