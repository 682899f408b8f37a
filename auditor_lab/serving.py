"""Serves every endpoint of a fleet on loopback, and writes the fleet file for them."""

from __future__ import annotations

import json
import os
import secrets
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from auditor.model import EndpointKind

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from auditor_lab.arrays.dell_sc.server import DellScServer
    from auditor_lab.arrays.dothill.server import DotHillServer
    from auditor_lab.arrays.element.description import NodeDescription
    from auditor_lab.arrays.element.server import ElementServer
    from auditor_lab.arrays.eseries.server import ESeriesServer
    from auditor_lab.arrays.eternus.server import EternusServer
    from auditor_lab.arrays.flasharray.server import FlashArrayServer
    from auditor_lab.arrays.nimble.server import NimbleServer
    from auditor_lab.arrays.ontap.server import OntapServer
    from auditor_lab.arrays.powerstore.server import PowerStoreServer
    from auditor_lab.authority import Authority
    from auditor_lab.description import DeclaredDescription, LabFleet, NfsServerDescription
    from auditor_lab.faults import Faults
    from auditor_lab.plugin_arrays import MakeDouble
    from auditor_lab.vcenter.server import VCenterServer
    from auditor_lab.wire import WireServer

    Server = (
        VCenterServer
        | ElementServer
        | DellScServer
        | FlashArrayServer
        | OntapServer
        | EternusServer
        | ESeriesServer
        | DotHillServer
        | PowerStoreServer
        | NimbleServer
    )

VCENTER_USER = "auditor@vsphere.local"
HOST_USER = "root"
ARRAY_USER = "auditor"
_LOOPBACK = "127.0.0.1"
KINDS = MappingProxyType(
    {
        "vcenters": EndpointKind.VCENTER,
        "element": EndpointKind.ELEMENT,
        "dell_sc": EndpointKind.DELL_SC,
        "flasharray": EndpointKind.FLASHARRAY,
        "ontap": EndpointKind.ONTAP,
        "eternus": EndpointKind.ETERNUS,
        "eseries": EndpointKind.ESERIES,
        "dothill": EndpointKind.DOTHILL,
        "powerstore": EndpointKind.POWERSTORE,
        "nimble": EndpointKind.NIMBLE,
    }
)
"""The endpoint kind of each attribute of `LabFleet` and `Lab`; a host agent is among the vCenters, see `kind_of`."""


def kind_of(attribute: str, described: Any) -> EndpointKind:
    """The endpoint kind of what is described under an attribute of `LabFleet`."""
    return EndpointKind.ESXI if getattr(described, "host_agent", None) is not None else KINDS[attribute]


@dataclass(frozen=True)
class Lab:
    """A served fleet: the servers of each kind by endpoint name.

    Attributes:
        of_plugins: arrays that installed plugins bring, by name; each with its kind.
        password: of every account, and the API token where an endpoint has no passwords; new at every start.
    """

    fleet: LabFleet
    vcenters: Mapping[str, VCenterServer]
    element: Mapping[str, ElementServer]
    dell_sc: Mapping[str, DellScServer]
    flasharray: Mapping[str, FlashArrayServer]
    ontap: Mapping[str, OntapServer]
    eternus: Mapping[str, EternusServer]
    eseries: Mapping[str, ESeriesServer]
    dothill: Mapping[str, DotHillServer]
    powerstore: Mapping[str, PowerStoreServer]
    nimble: Mapping[str, NimbleServer]
    authority: Authority
    password: str
    of_plugins: Mapping[str, tuple[EndpointKind, WireServer]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Lab({', '.join(name for _, name, _ in self.served())})"

    def served(self) -> Iterator[tuple[EndpointKind, str, Server | WireServer]]:
        """The kind, name and server of every endpoint."""
        for attribute in KINDS:
            for name, server in getattr(self, attribute).items():
                yield kind_of(attribute, server.state.description if attribute == "vcenters" else None), name, server
        for name, (kind, array) in self.of_plugins.items():
            yield kind, name, array

    def add_storage_node(self, array_name: str) -> NodeDescription:
        """Add a storage node to an Element array; hosts that see its protocol endpoints see one more at once.

        Raises:
            KeyError: the lab serves no Element array of that name.
        """
        from auditor_lab.storage_nodes import add_storage_node

        return add_storage_node(self.element[array_name], self.vcenters.values())

    def write_fleet(self, path: Path) -> None:
        """Write the fleet file at `path`, with the CA certificate and the password beside it; only the owner may read them."""
        given = {"declared": [_given(one) for one in self.fleet.declared], "nfs_servers": [_given(one) for one in self.fleet.nfs_servers]}
        write_fleet_file(path, self.authority, self.password, self.served(), given)


def write_fleet_file(
    path: Path,
    authority: Authority,
    password: str,
    served: Iterable[tuple[EndpointKind, str, Any]],
    given: Mapping[str, Any],
    of_endpoint: Mapping[str, Mapping[str, Any]] | None = None,
) -> None:
    """Write a fleet file for what is served, with the CA certificate and the password beside it; only the owner may read them.

    `given` is what else stands in it, by key; `of_endpoint` what else an endpoint's entry has, by the endpoint's name.
    """
    import yaml

    ca, secret_file = path.with_name(f"{path.stem}-ca.pem"), path.with_name(f"{path.stem}-password")
    for private in (path, ca, secret_file):
        private.unlink(missing_ok=True)
        os.close(os.open(private, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    authority.write(ca)
    secret_file.write_text(f"{password}\n", encoding="utf-8")
    # By name alone: the fleet file looks for them in its own folder.
    secret = {"file": secret_file.name}
    endpoints = []
    for kind, name, server in served:
        user = {EndpointKind.VCENTER: VCENTER_USER, EndpointKind.ESXI: HOST_USER}.get(kind, ARRAY_USER)
        login = {"api_token": secret} if kind is EndpointKind.FLASHARRAY else {"username": user, "password": secret}
        trust = {"ssh": {"fingerprint": server.host_key.fingerprint}} if kind is EndpointKind.ETERNUS else {"tls": {"ca": ca.name}}
        own = (of_endpoint or {}).get(name, {})
        endpoints.append({"name": name, "kind": kind.value, "address": f"{server.host}:{server.port}", **login, **trust, **own})
    content: dict[str, Any] = {"endpoints": endpoints, **{key: entries for key, entries in given.items() if entries}}
    # A copy without shared parts: each endpoint is written out by itself.
    plain = json.loads(json.dumps(content))
    path.write_text(yaml.safe_dump(plain, sort_keys=False), encoding="utf-8")


@contextmanager
def serve(fleet: LabFleet, site: str = "", plugins: Mapping[EndpointKind, MakeDouble] = MappingProxyType({})) -> Iterator[Lab]:
    """Serve every endpoint of `fleet` on loopback until the block ends; at another `site` each says that it is another endpoint.

    `plugins` are the doubles of plugins that are served beside, see `auditor_lab.plugin_arrays`; these are the same at every site.
    """
    from auditor_lab.authority import Authority
    from auditor_lab.sites import at_site

    authority = Authority()
    password = secrets.token_urlsafe(24)
    tls = authority.server_context(_LOOPBACK, "localhost")
    with ExitStack() as stack:
        served: dict[str, dict[str, Any]] = {}
        for kind in KINDS:
            servers = served[kind] = {}
            for described in getattr(fleet, kind):
                servers[described.name] = _started(kind, at_site(described, site), tls, password)
                stack.callback(servers[described.name].stop)
                servers[described.name].faults.replace([replace(fault) for name, fault in fleet.faults if name == described.name])
        kinds = {kind: MappingProxyType(servers) for kind, servers in served.items()}
        of_plugins = {}
        for kind_of_plugin, make in plugins.items():
            name, server = _started_of_plugin(make, tls, password)
            stack.callback(server.stop)
            of_plugins[name] = kind_of_plugin, server
        yield Lab(fleet, **kinds, authority=authority, password=password, of_plugins=of_plugins)


def _started_of_plugin(make: MakeDouble, tls: ssl.SSLContext, password: str) -> tuple[str, WireServer]:
    from auditor_lab.wire import WireServer

    double = make(ARRAY_USER, password)
    return double.name, WireServer(double.answer, double.operation, tls)


def _started(kind: str, described: Any, tls: ssl.SSLContext, password: str) -> Server:
    # Imported where they are used: a lab of vCenters needs no SSH.
    match kind:
        case "vcenters":
            from auditor_lab.vcenter.server import VCenterServer

            return VCenterServer(described, tls, HOST_USER if described.host_agent is not None else VCENTER_USER, password)
        case "element":
            from auditor_lab.arrays.element.server import ElementServer

            return ElementServer(described, tls, ARRAY_USER, password)
        case "dell_sc":
            from auditor_lab.arrays.dell_sc.server import DellScServer

            return DellScServer(described, tls, ARRAY_USER, password)
        case "flasharray":
            from auditor_lab.arrays.flasharray.server import FlashArrayServer

            return FlashArrayServer(described, tls, password)
        case "dothill":
            from auditor_lab.arrays.dothill.server import DotHillServer

            return DotHillServer(described, tls, ARRAY_USER, password)
        case "ontap":
            from auditor_lab.arrays.ontap.server import OntapServer

            return OntapServer(described, tls, ARRAY_USER, password)
        case "eseries":
            from auditor_lab.arrays.eseries.server import ESeriesServer

            return ESeriesServer(described, tls, ARRAY_USER, password)
        case "powerstore":
            from auditor_lab.arrays.powerstore.server import PowerStoreServer

            return PowerStoreServer(described, tls, ARRAY_USER, password)
        case "nimble":
            from auditor_lab.arrays.nimble.server import NimbleServer

            return NimbleServer(described, tls, ARRAY_USER, password)
        case _:
            from auditor_lab.arrays.eternus.server import EternusServer

            return EternusServer(described, ARRAY_USER, password)


def _given(one: DeclaredDescription | NfsServerDescription) -> dict[str, str]:
    return {key: value for key, value in asdict(one).items() if value is not None}


def served_by(lab: Lab) -> dict[str, tuple[str, Faults]]:
    """The kind and faults of every endpoint of a lab, by name."""
    return {name: (kind.value, server.faults) for kind, name, server in lab.served()}
