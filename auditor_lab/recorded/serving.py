"""Serves every endpoint of a recording on loopback, and writes the fleet file for them."""

from __future__ import annotations

import secrets
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.bounds.files import read_text
from auditor.engine.waivers.file import FILE_NAME as WAIVERS
from auditor.errors import ConfigurationError
from auditor.model import EndpointKind
from auditor_lab.recorded.arrays import OF_KIND, RecordedArray
from auditor_lab.recorded.matching import Replay
from auditor_lab.recorded.vcenter import RecordedVCenter
from auditor_lab.serving import ARRAY_USER, write_fleet_file
from auditor_lab.wire import WireServer

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from auditor.recording.bundle import Bundle, RecordedEndpoint
    from auditor_lab.authority import Authority
    from auditor_lab.recorded.eternus import RecordedEternus

    Server = WireServer | RecordedEternus

_LOOPBACK = "127.0.0.1"
_HEAD = "# Of a recording; written by `auditor lab up --recording`.\n"


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
        """Write the fleet file at `path`, with the CA certificate and the password beside it; only the owner may read them.

        The waivers of the recording go into waivers.yaml beside it.

        Raises:
            ConfigurationError: there is a waivers.yaml of somebody else's already.
        """
        about = self.bundle.about
        params, severity, waivers = (about.policy.get(key) or () for key in ("params", "severity", "waivers"))
        _write_waivers(path.with_name(WAIVERS), waivers)
        given = {"declared": about.declared, "nfs_servers": about.nfs_servers, "severity": severity, **params_of(params, None)}
        own = {name: params_of(params, name) for _, name, _ in self.endpoints}
        write_fleet_file(path, self.authority, self.password, self.served(), given, own)


def _write_waivers(path: Path, waivers: Sequence[Mapping[str, Any]]) -> None:
    import yaml

    if path.exists() and not read_text(path, errors="replace").startswith(_HEAD):
        raise ConfigurationError(
            f"{path} is not the recording's",
            why="nothing was written: a fleet file beside it would be judged by waivers of another fleet.",
            do="write the fleet file into a folder of its own.",
        )
    if waivers or path.exists():
        path.write_text(_HEAD + yaml.safe_dump({"waivers": list(waivers)}, sort_keys=False), encoding="utf-8")


@contextmanager
def serve_recording(bundle: Bundle) -> Iterator[RecordedLab]:
    """Serve every endpoint of `bundle` on loopback until the block ends."""
    from auditor_lab.authority import Authority

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


def recorded_endpoint(kind: EndpointKind, replay: Replay) -> RecordedVCenter | RecordedArray:
    """What answers in the place of an endpoint that was reached by HTTPS."""
    if kind in (EndpointKind.VCENTER, EndpointKind.ESXI):
        return RecordedVCenter(replay)
    return OF_KIND.get(kind, RecordedArray)(replay)


def _started(endpoint: RecordedEndpoint, tls: ssl.SSLContext, password: str) -> Server:
    replay = Replay(endpoint.exchanges)
    if endpoint.kind is EndpointKind.ETERNUS:
        from auditor_lab.recorded.eternus import RecordedEternus

        return RecordedEternus(endpoint.name, replay, ARRAY_USER, password)
    recorded = recorded_endpoint(endpoint.kind, replay)
    return WireServer(recorded.answer, recorded.operation, tls)


def params_of(written: Sequence[Mapping[str, Any]], endpoint: str | None) -> dict[str, Any]:
    """The entries for fleet.yaml from those of a bundle: the whole fleet's, or, of one endpoint, `params` and `clusters`."""
    found: dict[str, Any] = {}
    clusters: dict[str, Any] = {}
    for one in written:
        if one.get("endpoint") != endpoint:
            continue
        at = clusters.setdefault(one["cluster"], {}).setdefault("params", {}) if "cluster" in one else found
        at.setdefault(one["rule"], {})[one["name"]] = one["value"]
    return {key: value for key, value in (("params", found), ("clusters", clusters)) if value}
