"""Errors of reading or writing a setting, each with the endpoint's name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from auditor.errors import MalformedAnswerError, NotThereError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor.model import Endpoint, Target


class OfEndpoint(Protocol):
    """A session, as far as its endpoint is named."""

    @property
    def endpoint(self) -> Endpoint:
        """As fleet.yaml has it."""
        ...


def wrong_target(session: OfEndpoint, what: str, do: str = "correct `target:` of the rule that asked for it.") -> RefusedError:
    """A rule names what there cannot be."""
    return RefusedError(f"endpoint {session.endpoint.name}: {what}", why="nothing was read or written.", do=do)


def field_of(session: OfEndpoint, target: Target, known: Iterable[str], lacks: str) -> str:
    """The key `field` of a target.

    Raises:
        RefusedError: it is not among `known`; `lacks` says so, up to its name.
    """
    field = target["field"]
    if field not in known:
        raise wrong_target(session, f"{lacks} {field!r}, only {' and '.join(known)}")
    return field


def wrong_value(session: OfEndpoint, what: str, wanted: str, do: str = "correct `set:` of the rule that asked for it.") -> RefusedError:
    """A rule wants a value that the setting cannot have; `wanted` says which it can."""
    return RefusedError(f"endpoint {session.endpoint.name}: {what}", why=f"{wanted}; nothing was written.", do=do)


def refused(session: OfEndpoint, what: str, do: str) -> RefusedError:
    """The endpoint said no, or is not asked for what it would refuse."""
    return RefusedError(f"endpoint {session.endpoint.name}: {what}", why="nothing was written.", do=do)


def unreadable(session: OfEndpoint, what: str, do: str) -> MalformedAnswerError:
    """The setting exists, and its value is not one that it can have."""
    return MalformedAnswerError(f"endpoint {session.endpoint.name}: {what}", why="without the present value nothing may be written.", do=do)


def not_there(session: OfEndpoint, what: str, why: str, do: str = "audit again: it may have been deleted since.") -> NotThereError:
    """What the setting would be of is not there; `why` says what that means."""
    return NotThereError(f"endpoint {session.endpoint.name}: {what}", why=why, do=do)
