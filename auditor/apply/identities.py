"""Whether the endpoint that a session was opened with is the one that a plan or a journal is about; fleet.yaml may have moved its name."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from auditor.errors import EndpointError
from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import endpoint_type
from auditor.model.identity import is_same

if TYPE_CHECKING:
    from auditor.endpoints.common.sessions import Sessions


def doubt(name: str, meant: str | None, sessions: Sessions, result: str, *, trust_name: bool = False) -> str | None:
    """Why nothing may be written to, or settled on, the endpoint of that name; None where it is the one that is meant.

    Args:
        name: of the endpoint in fleet.yaml.
        meant: the identity in the plan or journal; None: it was not recorded.
        sessions: in which it is opened.
        result: what follows, for example "nothing was written".
        trust_name: take the name's word for it where no identity was recorded.

    Raises:
        ConfigurationError: fleet.yaml has no endpoint of that name.
        EndpointError: there is no session with it.
    """
    kind = sessions.endpoint(name).kind
    noun = "array" if endpoint_type(kind).is_array else "host" if kind is EndpointKind.ESXI else "vCenter"
    if meant is None:
        if trust_name:
            with suppress(EndpointError):
                sessions.identity(name)  # for the journal
            return None
        return f"it is not recorded which {noun} {name} was, so {result}; a run of an older auditor is undone with --trust-names"
    sessions.session(name)
    try:
        now = sessions.identity(name, again=True)
    except EndpointError as error:
        return f"{name} was {noun} {meant}, and which one it is now cannot be read ({error.what}): {result}"
    if now is None:
        return f"{name} was {noun} {meant}, and does not say which one it is now: {result}"
    if is_same(meant, now):
        return None
    return f"{name} was {noun} {meant}, and is {now} now: {result}; point the entry in fleet.yaml back to it, or use that run's fleet.yaml"
