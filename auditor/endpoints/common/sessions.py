"""The sessions of one run: opened when first needed, kept, closed together."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

from auditor.errors import ConfigurationError, EndpointError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from types import TracebackType

    from auditor.model import Endpoint

    Opener = Callable[[Endpoint], AbstractContextManager[Any]]


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
        self._closing = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool | None:
        self._open.clear()
        return self._closing.__exit__(kind, error, trace)

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
        """The open session of that endpoint: a `VCenter` or an `ElementArray`, by its kind.

        Raises:
            ConfigurationError: no endpoint has that name, or its kind cannot be written to.
            EndpointError: it could not be opened, now or the first time.
        """
        if name not in self._open:
            endpoint = self.endpoint(name)
            if name in self._failed:
                first = self._failed[name]
                raise type(first)(first.what, why=first.why, do=first.do) from first
            try:
                self._open[name] = self._closing.enter_context(self._opener(endpoint)(endpoint))
            except EndpointError as error:
                self._failed[name] = error
                raise
        return self._open[name]

    def _opener(self, endpoint: Endpoint) -> Opener:
        openers = _own_openers() if self._openers is None else self._openers
        if endpoint.kind not in openers:
            raise ConfigurationError(
                f"endpoint {endpoint.name}: {endpoint.kind} is a kind this version cannot open a session to",
                why="nothing on it can be changed, or read back.",
                do="leave its changes out of the plan, or make them by hand.",
            )
        return openers[endpoint.kind]


def _own_openers() -> Mapping[EndpointKind, Opener]:
    from auditor.endpoints.dell_sc.client import open_dell_sc
    from auditor.endpoints.element.client import open_element
    from auditor.endpoints.eternus.client import open_eternus
    from auditor.endpoints.flasharray.client import open_flasharray
    from auditor.endpoints.ontap.client import open_ontap
    from auditor.endpoints.vcenter.session import open_vcenter

    return {
        EndpointKind.VCENTER: open_vcenter,
        EndpointKind.ELEMENT: open_element,
        EndpointKind.DELL_SC: open_dell_sc,
        EndpointKind.FLASHARRAY: open_flasharray,
        EndpointKind.ONTAP: open_ontap,
        EndpointKind.ETERNUS: open_eternus,
    }
