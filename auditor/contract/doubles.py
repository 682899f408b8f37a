"""The double of an array behind HTTPS on loopback, and the endpoint that reaches it."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from auditor.model import Endpoint, EndpointKind, Limits, Secret, Tls
from auditor.model.endpoint_kinds import endpoint_type
from auditor_lab.authority import Authority
from auditor_lab.wire import Answer, Request, WireServer

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator
    from pathlib import Path

USER, PASSWORD = "audit", "pw-that-nobody-may-see"
"""What a double has to accept: a user with this password, or this text as API token."""

PASSWORD_FILE = "password"  # noqa: S105  the file's name
"""In the folder of an endpoint: the contract writes another secret into it."""


@cache
def authority() -> Authority:
    """One for all tests of a process: making its key takes twenty times as long as serving an array."""
    return Authority()


@cache
def server_context() -> ssl.SSLContext:
    """The certificate of every double of this process."""
    return authority().server_context("127.0.0.1")


def endpoint_at(kind: EndpointKind, folder: Path, host: str, port: int, **changes: Any) -> Endpoint:
    """An endpoint as fleet.yaml would have it; its secret is PASSWORD, in the file PASSWORD_FILE of `folder`."""
    (folder / PASSWORD_FILE).write_text(f"{PASSWORD}\n", encoding="utf-8")
    user = USER if endpoint_type(kind).login == "password" else ""
    endpoint = {"name": "array-1", "username": user, "password": Secret("file", (str(folder / PASSWORD_FILE),)), **changes}
    return Endpoint(kind=kind, address=host, port=port, **endpoint)


@contextmanager
def serving_https(
    kind: EndpointKind,
    folder: Path,
    answer: Callable[[Request], Answer],
    operation: Callable[[Request], str],
    *,
    timeout: float = Limits().timeout_seconds,
) -> Iterator[tuple[WireServer, Endpoint]]:
    """A double that answers HTTPS on loopback by `answer`, and the endpoint that reaches it.

    Args:
        kind: of the endpoint.
        folder: empty; the certificate of its authority and the secret are put there.
        answer: gives the response to one request; called from many threads at once.
        operation: gives the name of a request's operation, as `Example` names them.
        timeout: seconds that the endpoint is waited for.
    """
    server = WireServer(answer, operation, server_context())
    authority().write(folder / "ca.pem")
    try:
        yield (
            server,
            endpoint_at(kind, folder, server.host, server.port, limits=Limits(timeout_seconds=timeout), tls=Tls(ca=str(folder / "ca.pem"))),
        )
    finally:
        server.stop()
