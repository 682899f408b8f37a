"""Serves every endpoint of a recording on loopback, and writes the fleet file for them."""

from __future__ import annotations

import secrets
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.lab.recorded.arrays import RecordedArray
from auditor.lab.recorded.matching import Replay
from auditor.lab.recorded.vcenter import RecordedVCenter
from auditor.lab.serving import ARRAY_USER, write_fleet_file
from auditor.lab.wire import WireServer
from auditor.model import EndpointKind

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from auditor.lab.authority import Authority
    from auditor.lab.recorded.eternus import RecordedEternus
    from auditor.recording.bundle import Bundle, RecordedEndpoint

    Server = WireServer | RecordedEternus

_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class RecordedLab:
    """A served recording.

    Attributes:
        endpoints: kind, name and server of each.
        password: what every endpoint is logged in to with; new at every start.
    """

    endpoints: Sequence[tuple[EndpointKind, str, Server]]
    bundle: Bundle
    authority: Authority
    password: str

    def served(self) -> Iterator[tuple[EndpointKind, str, Server]]:
        """The kind, name and server of every endpoint."""
        yield from self.endpoints

    def write_fleet(self, path: Path) -> None:
        """Write the fleet file at `path`, with the CA certificate and the password beside it; only the owner may read them."""
        about = self.bundle.about
        given = {"declared": about.declared, "nfs_servers": about.nfs_servers}
        write_fleet_file(path, self.authority, self.password, self.served(), given)


@contextmanager
def serve_recording(bundle: Bundle) -> Iterator[RecordedLab]:
    """Serve every endpoint of `bundle` on loopback until the block ends."""
    from auditor.lab.authority import Authority

    authority = Authority()
    password = secrets.token_urlsafe(24)
    tls = authority.server_context(_LOOPBACK, "localhost")
    with ExitStack() as stack:
        served = []
        for endpoint in bundle.endpoints:
            server = _started(endpoint, tls, password)
            stack.callback(server.stop)
            served.append((endpoint.kind, endpoint.name, server))
        yield RecordedLab(served, bundle, authority, password)


def _started(endpoint: RecordedEndpoint, tls: ssl.SSLContext, password: str) -> Server:
    replay = Replay(endpoint.exchanges)
    if endpoint.kind is EndpointKind.ETERNUS:
        from auditor.lab.recorded.eternus import RecordedEternus

        return RecordedEternus(endpoint.name, replay, ARRAY_USER, password)
    recorded = RecordedVCenter(replay) if endpoint.kind is EndpointKind.VCENTER else RecordedArray(endpoint.kind, replay)
    return WireServer(recorded.answer, recorded.operation, tls)
