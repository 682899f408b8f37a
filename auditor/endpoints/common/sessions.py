"""What a session with an endpoint is; and the sessions of one run: opened when first needed, kept, closed together."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from inspect import getattr_static
from typing import TYPE_CHECKING, Any, Protocol, Self

from auditor.endpoints.bugs import call_plugin
from auditor.endpoints.common.clocks import clock_notes
from auditor.errors import ConfigurationError, EndpointError
from auditor.model.endpoint_kinds import endpoint_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager
    from datetime import datetime
    from types import TracebackType

    from auditor.endpoints.common.clocks import Difference
    from auditor.endpoints.common.https import HttpsSession
    from auditor.model import Endpoint, EndpointKind

    Opener = Callable[[Endpoint], AbstractContextManager[Any]]


class Session(Protocol):
    """What collecting, the doctor and fixing ask of every session, once it is open; `SessionBase` has all of it but `release`."""

    @property
    def endpoint(self) -> Endpoint:
        """As fleet.yaml has it."""
        ...

    @property
    def release(self) -> str:
        """What answers, for people."""
        ...

    @property
    def clock_at_start(self) -> str | None:
        """What its clock said before anything was read, ISO 8601; None unless a later reading can begin there."""
        ...

    @property
    def known_identity(self) -> str | None:
        """What `identity` gives, as far as it was read until now."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What every reader of a report must know of this session and is no gap, in sentences."""
        ...

    def add_note(self, note: str) -> None:
        """Keep a sentence for `notes`."""
        ...

    @property
    def transport(self) -> str | None:
        """The way it is read in bulk; None for a kind that has only one."""
        ...

    def clock(self) -> datetime | None:
        """What time it is there, aware; None when it does not report."""
        ...

    def identity(self, *, again: bool = False) -> str | None:
        """The identity that the endpoint reports, whatever fleet.yaml calls it; None when it reports none.

        It is asked once, and anew with `again`: behind an address there may be another by now.

        Raises:
            EndpointError: it could not be asked.
        """
        ...

    def role(self) -> str | None:
        """The roles of our account, joined by ", "; None when it does not report them."""
        ...


def missing_attributes(session: object) -> tuple[str, ...]:
    """What `Session` names and `session` does not have, in the order of `Session`; nothing is asked of the endpoint for it."""
    nothing = object()
    names = (name for name in vars(Session) if not name.startswith("_"))
    return tuple(name for name in names if getattr_static(session, name, nothing) is nothing)


class SessionBase:
    """The base of every kind's own session: what a kind does not report, or has no need of, is as here.

    Args:
        endpoint: as fleet.yaml has it.
        https: what it asks by; its answers tell the clock. None where it is asked in another way.

    Attributes:
        release: the kind's own session sets it.
    """

    release: str
    clock_at_start: str | None = None
    known_identity: str | None = None

    def __init__(self, endpoint: Endpoint, https: HttpsSession | None = None) -> None:
        self.endpoint = endpoint
        self._clocked_by = https
        self._notes: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """As `Session.notes`: those that were added, and what is to be said of its clock."""
        return (*self._notes, *clock_notes(self.endpoint.name, self.clock_difference))

    @property
    def clock_difference(self) -> Difference | None:
        """How far its clock is from this machine's, as far as the answers until now have shown by the way; None when they have not."""
        return None if self._clocked_by is None else self._clocked_by.clock_difference

    def add_note(self, note: str) -> None:
        """As `Session.add_note`."""
        self._notes += (note,)

    @property
    def transport(self) -> str | None:
        """As `Session.transport`: there is one way."""
        return None

    def clock(self) -> datetime | None:
        """As `Session.clock`: it does not report."""
        return None

    def identity(self, *, again: bool = False) -> str | None:
        """As `Session.identity`: what is known already, and with `again` what `read_identity` gives."""
        if again:
            self.known_identity = self.read_identity()
        return self.known_identity

    def read_identity(self) -> str | None:
        """Who the endpoint says that it is now; None when it does not report. A kind that reports it has its own."""
        return self.known_identity

    def role(self) -> str | None:
        """As `Session.role`: it does not report them."""
        return None


@contextmanager
def open_session(endpoint: Endpoint) -> Iterator[Any]:
    """A session with `endpoint`, a `Session`, by the client of its kind, which is imported now.

    Raises:
        ConfigurationError: the kind's session is not whole, as of a kind that is being written; nothing was read by it yet.
        EndpointError: it could not be opened.
    """
    kind = endpoint_type(endpoint.kind)
    with ExitStack() as closing:
        session = call_plugin(endpoint.name, kind.plugin, lambda: closing.enter_context(kind.load(kind.opener)(endpoint)))
        if missing := missing_attributes(session):
            raise ConfigurationError(
                f"{type(session).__name__} of {kind.folder} lacks {', '.join(missing)}",
                why="every session has all that Session names (auditor/endpoints/common/sessions.py); nothing was read.",
                do="derive the class from SessionBase, and give it what is missing.",
            )
        yield session


class Sessions:
    """One session an endpoint, for as long as the `with` lasts.

    An endpoint that could not be opened is not tried again: a thousand changes on a dead vCenter would otherwise wait a thousand
    timeouts, and a wrong password asked a thousand times locks the account.

    Args:
        endpoints: by name, as fleet.yaml has them.
        openers: what opens an endpoint of each kind; None means the product's own clients.
    """

    def __init__(self, endpoints: Mapping[str, Endpoint], openers: Mapping[EndpointKind, Opener] | None = None) -> None:
        self._endpoints = endpoints
        self._openers = openers
        self._open: dict[str, Any] = {}
        self._failed: dict[str, EndpointError] = {}
        self._unidentified: dict[str, EndpointError] = {}
        self._closing = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool | None:
        self._open.clear()
        return self._closing.__exit__(kind, error, trace)

    def names_of(self, kind: EndpointKind) -> list[str]:
        """The endpoints of one kind, by their names; none is opened for that."""
        return [name for name, endpoint in self._endpoints.items() if endpoint.kind is kind]

    def endpoint(self, name: str) -> Endpoint:
        """The endpoint of that name; no session is opened.

        Raises:
            ConfigurationError: fleet.yaml has none, for example because the plan was made from another file.
        """
        if name not in self._endpoints:
            raise ConfigurationError(
                f"no endpoint is called {name!r}",
                why="what the plan or the journal names on it can be neither read nor written.",
                do=f"use the fleet.yaml it was made from; this one has: {', '.join(sorted(self._endpoints)) or 'none'}.",
            )
        return self._endpoints[name]

    def session(self, name: str) -> Any:
        """The open session of that endpoint, of its kind's own class.

        Raises:
            ConfigurationError: no endpoint has that name, or its kind cannot be written to.
            EndpointError: it could not be opened, now or the first time.
        """
        if name not in self._open:
            endpoint = self.endpoint(name)
            _raise_again(self._failed.get(name))
            try:
                self._open[name] = self._closing.enter_context(self._opener(endpoint)(endpoint))
            except EndpointError as error:
                self._failed[name] = error
                raise
        return self._open[name]

    def identity(self, name: str, *, again: bool = False) -> str | None:
        """The identity that the endpoint of that name reports; None when it reports none. As `Session.identity`.

        Raises:
            ConfigurationError: as `session`.
            EndpointError: as `session`; or it could not be asked, now or the first time.
        """
        _raise_again(self._unidentified.get(name))
        session: Session = self.session(name)
        try:
            return session.identity(again=again)
        except EndpointError as error:
            self._unidentified[name] = error
            raise

    def _opener(self, endpoint: Endpoint) -> Opener:
        if self._openers is None:
            return open_session
        if endpoint.kind not in self._openers:
            raise ConfigurationError(
                f"endpoint {endpoint.name}: {endpoint.kind} is a kind this version cannot open a session to",
                why="nothing on it can be changed, or read back.",
                do="leave its changes out of the plan, or make them by hand.",
            )
        return self._openers[endpoint.kind]


def _raise_again(first: EndpointError | None) -> None:
    if first is not None:
        raise type(first)(first.what, why=first.why, do=first.do) from first
