"""What the tests of every kind of array share: the lab's array behind an endpoint, rows by table, and all that an error could show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from auditor.contract.collected import Collected, closed_port, shown_by
from auditor.contract.doubles import PASSWORD, USER, authority, endpoint_at, server_context
from auditor.model import Endpoint, EndpointKind, Limits, Ssh, Tls
from auditor.model.endpoint_kinds import endpoint_type
from auditor_lab.arrays.dell_sc.server import DellScServer
from auditor_lab.arrays.dothill.server import DotHillServer
from auditor_lab.arrays.element.server import ElementServer
from auditor_lab.arrays.eseries.server import ESeriesServer
from auditor_lab.arrays.eternus.server import EternusServer
from auditor_lab.arrays.flasharray.server import FlashArrayServer
from auditor_lab.arrays.nimble.server import NimbleServer
from auditor_lab.arrays.ontap.server import OntapServer
from auditor_lab.arrays.powerstore.server import PowerStoreServer
from auditor_lab.wire import Answer, WireServer

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.endpoints.common.https import HttpsSession

__all__ = ["NAMES", "PASSWORD", "USER", "Collected", "be_patient", "closed_port", "endpoint_of", "saying", "serving_array", "shown_by"]

NAMES: Mapping[EndpointKind, str] = MappingProxyType(
    {
        EndpointKind.ELEMENT: "sf-east",
        EndpointKind.DELL_SC: "sc-east",
        EndpointKind.FLASHARRAY: "fa-east",
        EndpointKind.ONTAP: "na-east",
        EndpointKind.ETERNUS: "dx-east",
        EndpointKind.ESERIES: "es-east",
        EndpointKind.DOTHILL: "msa-east",
        EndpointKind.POWERSTORE: "ps-east",
        EndpointKind.NIMBLE: "nb-east",
    }
)
"""The names that endpoints have in these tests."""

_SERVERS: Mapping[EndpointKind, Callable[..., Any]] = MappingProxyType(
    {
        EndpointKind.ELEMENT: lambda description, tls, **options: ElementServer(description, tls, USER, PASSWORD, **options),
        EndpointKind.DELL_SC: lambda description, tls, **options: DellScServer(description, tls, USER, PASSWORD, **options),
        EndpointKind.FLASHARRAY: lambda description, tls, **options: FlashArrayServer(description, tls, PASSWORD, **options),
        EndpointKind.ONTAP: lambda description, tls, **options: OntapServer(description, tls, USER, PASSWORD, **options),
        EndpointKind.ESERIES: lambda description, tls, **options: ESeriesServer(description, tls, USER, PASSWORD, **options),
        EndpointKind.ETERNUS: lambda description, _, **options: EternusServer(description, USER, PASSWORD, **options),
        EndpointKind.DOTHILL: lambda description, tls, **options: DotHillServer(description, tls, USER, PASSWORD, **options),
        EndpointKind.POWERSTORE: lambda description, tls, **options: PowerStoreServer(description, tls, USER, PASSWORD, **options),
        EndpointKind.NIMBLE: lambda description, tls, **options: NimbleServer(description, tls, USER, PASSWORD, **options),
    }
)


def endpoint_of(kind: EndpointKind, folder: Path, host: str, port: int, **changes: Any) -> Endpoint:
    """An endpoint as fleet.yaml would have it; its password lies in the file `password` of `folder`."""
    return endpoint_at(kind, folder, host, port, **{"name": NAMES[kind], **changes})


@contextmanager
def serving_array(
    kind: EndpointKind, description: Any, folder: Path, *, timeout: float = 30.0, concurrency: int = Limits().concurrency, **options: Any
) -> Iterator[tuple[Any, Endpoint]]:
    """An array of the lab, and the endpoint that reaches it; `options` are the server's own."""
    server = _SERVERS[kind](description, server_context(), **options)
    authority().write(folder / "ca.pem")
    trust: dict[str, Any] = {"tls": Tls(ca=str(folder / "ca.pem"))}
    if endpoint_type(kind).protocol == "ssh":
        trust = {"ssh": Ssh(fingerprint=server.host_key.fingerprint)}
    try:
        yield server, endpoint_of(kind, folder, server.host, server.port, limits=Limits(concurrency, timeout), **trust)
    finally:
        server.stop()


@contextmanager
def saying(kind: EndpointKind, body: bytes, folder: Path, status: int = 200) -> Iterator[tuple[WireServer, Endpoint]]:
    """Something that gives the same answer to every request, whose operation is its HTTP method, where an array is expected."""
    peer = WireServer(lambda _: Answer(body, "application/json", status), lambda request: request.method, server_context())
    authority().write(folder / "ca.pem")
    try:
        yield peer, endpoint_of(kind, folder, peer.host, peer.port, tls=Tls(ca=str(folder / "ca.pem")))
    finally:
        peer.stop()


def be_patient(session: HttpsSession) -> None:
    """Let a session with a short time-out wait from here on, so that what follows does not depend on the speed of this machine."""
    session._session.timeout = 60.0
    session._endpoint = replace(session._endpoint, limits=Limits(timeout_seconds=60.0))
