"""What the tests of every kind of array share: the lab's array behind an endpoint, rows by table, and all that an error could show."""

from __future__ import annotations

import socket
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import auditor
from auditor.facts.schema import TABLES
from auditor.model import Endpoint, EndpointKind, Gap, Limits, Secret, Ssh, Tls
from auditor.model.endpoint_kinds import endpoint_type
from auditor_lab.arrays.dell_sc.server import DellScServer
from auditor_lab.arrays.element.server import ElementServer
from auditor_lab.arrays.eternus.server import EternusServer
from auditor_lab.arrays.flasharray.server import FlashArrayServer
from auditor_lab.arrays.ontap.server import OntapServer
from auditor_lab.authority import Authority
from auditor_lab.wire import Answer, WireServer

if TYPE_CHECKING:
    import ssl

    from auditor.endpoints.common.https import HttpsSession

USER, PASSWORD = "audit", "pw-that-nobody-may-see"

NAMES: Mapping[EndpointKind, str] = MappingProxyType(
    {
        EndpointKind.ELEMENT: "sf-east",
        EndpointKind.DELL_SC: "sc-east",
        EndpointKind.FLASHARRAY: "fa-east",
        EndpointKind.ONTAP: "na-east",
        EndpointKind.ETERNUS: "dx-east",
    }
)
"""The names that endpoints have in these tests."""

_SERVERS: Mapping[EndpointKind, Callable[..., Any]] = MappingProxyType(
    {
        EndpointKind.ELEMENT: lambda description, tls, **options: ElementServer(description, tls, USER, PASSWORD, **options),
        EndpointKind.DELL_SC: lambda description, tls, **options: DellScServer(description, tls, USER, PASSWORD, **options),
        EndpointKind.FLASHARRAY: lambda description, tls, **options: FlashArrayServer(description, tls, PASSWORD, **options),
        EndpointKind.ONTAP: lambda description, tls, **options: OntapServer(description, tls, USER, PASSWORD, **options),
        EndpointKind.ETERNUS: lambda description, _, **options: EternusServer(description, USER, PASSWORD, **options),
    }
)


@cache
def authority() -> Authority:
    """One for all tests of a process: making its key takes twenty times as long as serving an array."""
    return Authority()


@cache
def _context() -> ssl.SSLContext:
    return authority().server_context("127.0.0.1")


def endpoint_of(kind: EndpointKind, folder: Path, host: str, port: int, **changes: Any) -> Endpoint:
    """An endpoint as fleet.yaml would have it; its password lies in the file `password` of `folder`."""
    (folder / "password").write_text(f"{PASSWORD}\n", encoding="utf-8")
    user = USER if endpoint_type(kind).login == "password" else ""
    endpoint = {"name": NAMES[kind], "username": user, "password": Secret("file", (str(folder / "password"),)), **changes}
    return Endpoint(kind=kind, address=host, port=port, **endpoint)


@contextmanager
def serving_array(
    kind: EndpointKind, description: Any, folder: Path, *, timeout: float = 30.0, concurrency: int = Limits().concurrency, **options: Any
) -> Iterator[tuple[Any, Endpoint]]:
    """An array of the lab, and the endpoint that reaches it; `options` are the server's own."""
    server = _SERVERS[kind](description, _context(), **options)
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
    peer = WireServer(lambda _: Answer(body, "application/json", status), lambda request: request.method, _context())
    authority().write(folder / "ca.pem")
    try:
        yield peer, endpoint_of(kind, folder, peer.host, peer.port, tls=Tls(ca=str(folder / "ca.pem")))
    finally:
        peer.stop()


def be_patient(session: HttpsSession) -> None:
    """Let a session with a short time-out wait from here on, so that what follows does not depend on the speed of this machine."""
    session._session.timeout = 60.0
    session._endpoint = replace(session._endpoint, limits=Limits(timeout_seconds=60.0))


class Collected:
    """Rows by table, and gaps.

    Args:
        items: from a collector.
        topics: exactly those that have to be reported complete or not; None checks only that none is reported twice.
    """

    def __init__(self, items: Iterable[Any], topics: Iterable[str] | None = None) -> None:
        self.items = list(items)
        self.gaps = [item for item in self.items if isinstance(item, Gap)]
        self.tables: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.largest_batch = 0
        for item in self.items:
            if isinstance(item, Gap):
                continue
            lengths = {len(values) for values in item.columns.values()}
            assert len(lengths) == 1
            assert set(item.columns) <= set(TABLES[item.table].names)
            self.largest_batch = max(self.largest_batch, *lengths)
            for row in zip(*item.columns.values(), strict=True):
                self.tables[item.table].append(dict(zip(item.columns, row, strict=True)))
        reported = [row["topic"] for row in self.tables["reading"]]
        assert sorted(reported) == sorted(set(reported) if topics is None else topics), "each topic that was asked for exactly once"
        self.complete: dict[str, bool] = {row["topic"]: row["complete"] for row in self.tables["reading"]}

    def incomplete(self) -> set[str]:
        """The topics that were not read whole."""
        return {topic for topic, complete in self.complete.items() if not complete}

    def by(self, table: str, key: str = "name") -> dict[Any, dict[str, Any]]:
        """The rows of a table by a column that tells them apart."""
        rows = {row[key]: row for row in self.tables[table]}
        assert len(rows) == len(self.tables[table]), "the key tells the rows apart"
        return rows

    def column(self, table: str, *names: str) -> list[Any]:
        """The values of one column, or tuples of those of several."""
        rows = [tuple(row[name] for name in names) for row in self.tables[table]]
        return [each[0] for each in rows] if len(names) == 1 else rows

    def gap_text(self) -> str:
        """Every gap, a line each."""
        return "\n".join(f"{gap.what}: {gap.why}" for gap in self.gaps)


def closed_port() -> int:
    """A port of loopback where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def shown_by(error: BaseException, *, local_values: bool = False) -> str:
    """All that could be shown of an error: messages, arguments and requests of every exception behind it, perhaps the product's locals."""
    shown = "".join(traceback.format_exception(error))
    if local_values:
        product = str(Path(auditor.__file__).parent)
        stack = traceback.TracebackException.from_exception(error, capture_locals=True).stack
        shown += "".join(repr(frame.locals) for frame in stack if frame.filename.startswith(product))
    behind: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in behind:
        behind.append(following)
        request = getattr(following, "_request", None)
        shown += repr(following) + repr(vars(following)) + repr(request and dict(request.headers))
        following = following.__cause__ or following.__context__
    return shown
