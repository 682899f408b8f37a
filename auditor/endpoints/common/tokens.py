"""Sessions of arrays over HTTPS that log in for a token: opening, renewing, refusals and closing."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from auditor.endpoints.common.https import UNKNOWN_FACTS, HttpsSession
from auditor.errors import EndpointError, MalformedAnswerError, NotThereError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from auditor.endpoints.common.https import Request
    from auditor.model import Endpoint


class Token:
    """A session's token; an object of its own, so that no repr of its holder shows it."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class LogsOut(Protocol):
    """What ends its session."""

    def logout(self) -> None:
        """End the session; whether that worked does not matter."""
        ...


AnyToken = TypeVar("AnyToken", bound=Token)
Wire = TypeVar("Wire", bound=LogsOut)


class Login(Generic[AnyToken]):
    """The token of a session that several threads use: where it is over, one of them logs in, and the others take the new one.

    Args:
        log_in: gives a new token; it is called now, and raises what opening a session may raise.

    Attributes:
        token: the newest.
    """

    def __init__(self, log_in: Callable[[], AnyToken]) -> None:
        self._log_in = log_in
        self._lock = threading.Lock()
        self.token = log_in()

    def renewed(self, used: AnyToken) -> AnyToken:
        """A token that is newer than `used`, which was over.

        Raises:
            EndpointError: as `log_in`.
        """
        with self._lock:
            if self.token is used:  # else another thread was faster
                self.token = self._log_in()
            return self.token


def refusal(what: str, request: Request, status: int, *, look_at: str = "alerts") -> EndpointError:
    """The error for a refusal that is not about the account: the object does not exist, or the array refused.

    Args:
        what: the endpoint, the request, and the array's own words.
        request: that was refused.
        status: of HTTP.
        look_at: what the array calls what it has to complain of.
    """
    if status == 404:
        do = "collect again: it may have been removed since, or the release does not have it."
        return NotThereError(what, why=UNKNOWN_FACTS if request.is_read else "nothing was written.", do=do)
    if request.is_read:
        return EndpointError(what, why=UNKNOWN_FACTS, do=f"ask again; if it stays, look at the array's own {look_at}.")
    return RefusedError(what, why="nothing was written.", do="compare the value with what the array allows.")


def broken_off(endpoint: Endpoint, label: str, reason: str, *, look_at: str = "alerts") -> MalformedAnswerError:
    """An answer to the request `label` that was read in part, and cannot be read to its end."""
    return MalformedAnswerError(
        f"endpoint {endpoint.name}: its answer to {label} cannot be read to the end: {reason}",
        why="what follows is unknown.",
        do=f"collect again; if it stays, look at the array's own {look_at}.",
    )


@contextmanager
def logged_in(endpoint: Endpoint, prefix: str, log_in: Callable[[Endpoint, HttpsSession], Wire]) -> Iterator[Wire]:
    """What `log_in` gives, over an HTTPS session whose paths begin with `prefix`; it is logged out and every connection closed at the end.

    Raises:
        EndpointUnreachableError: no connection, no answer in time, or a certificate that does not verify.
        ConfigurationError: the endpoint's CA file cannot be read.
        EndpointError: as `log_in`.
    """
    session = HttpsSession(endpoint, prefix)
    try:
        wire = log_in(endpoint, session)
        try:
            yield wire
        finally:
            wire.logout()
    finally:
        session.close()
