"""The lab at work: every endpoint of a fleet served on loopback, and the fleet file that points at them."""

from __future__ import annotations

import os
import secrets
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from auditor.lab.authority import Authority
    from auditor.lab.description import DeclaredDescription, LabFleet
    from auditor.lab.element.description import NodeDescription
    from auditor.lab.element.server import ElementServer
    from auditor.lab.vcenter.server import VCenterServer

VCENTER_USER = "auditor@vsphere.local"
ELEMENT_USER = "auditor"
_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Lab:
    """A served fleet.

    Attributes:
        vcenters: by endpoint name.
        arrays: by endpoint name.
        password: of every account, new at every start.
    """

    fleet: LabFleet
    vcenters: Mapping[str, VCenterServer]
    arrays: Mapping[str, ElementServer]
    authority: Authority
    password: str

    def __repr__(self) -> str:
        return f"Lab(vcenters={list(self.vcenters)}, arrays={list(self.arrays)})"

    def add_storage_node(self, array_name: str) -> NodeDescription:
        """Put one more storage node to work in an Element array: hosts that see its protocol endpoints see one more at once.

        Raises:
            KeyError: the lab serves no array of that name.
        """
        from auditor.lab.growing import add_storage_node

        return add_storage_node(self.arrays[array_name], self.vcenters.values())

    def write_fleet(self, path: Path) -> None:
        """Write the fleet file at `path`; the authority's certificate and the password go beside it, for the owner's eyes only."""
        from ruamel.yaml import YAML

        ca, password = path.with_name(f"{path.stem}-ca.pem"), path.with_name(f"{path.stem}-password")
        for private in (path, ca, password):
            private.unlink(missing_ok=True)
            os.close(os.open(private, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        self.authority.write(ca)
        password.write_text(f"{self.password}\n", encoding="utf-8")
        # By name alone: the fleet file looks for them in its own folder.
        common = {"password": {"file": password.name}, "tls": {"ca": ca.name}}
        endpoints: list[dict[str, Any]] = [
            {"name": name, "kind": kind, "address": f"{server.host}:{server.port}", "username": user, **common}
            for kind, user, servers in (("vcenter", VCENTER_USER, self.vcenters), ("element", ELEMENT_USER, self.arrays))
            for name, server in servers.items()
        ]
        content: dict[str, Any] = {"endpoints": endpoints}
        if self.fleet.declared:
            content["declared"] = [_declared(one) for one in self.fleet.declared]
        yaml = YAML()
        yaml.representer.ignore_aliases = lambda _data: True  # each endpoint is readable by itself
        with path.open("w", encoding="utf-8") as file:
            yaml.dump(content, file)


@contextmanager
def serve(fleet: LabFleet) -> Iterator[Lab]:
    """Serve every endpoint of `fleet` on loopback until the block ends, whatever ends it."""
    from auditor.lab.authority import Authority
    from auditor.lab.element.server import ElementServer
    from auditor.lab.vcenter.server import VCenterServer

    authority = Authority()
    password = secrets.token_urlsafe(24)
    vcenters: dict[str, VCenterServer] = {}
    arrays: dict[str, ElementServer] = {}
    with ExitStack() as stack:
        tls = authority.server_context(_LOOPBACK, "localhost")
        for vcenter in fleet.vcenters:
            vcenters[vcenter.name] = VCenterServer(vcenter, tls, VCENTER_USER, password)
            stack.callback(vcenters[vcenter.name].stop)
        for array in fleet.arrays:
            arrays[array.name] = ElementServer(array, tls, ELEMENT_USER, password)
            stack.callback(arrays[array.name].stop)
        yield Lab(fleet, MappingProxyType(vcenters), MappingProxyType(arrays), authority, password)


def _declared(one: DeclaredDescription) -> dict[str, str]:
    told = {"devices": one.devices, "model": one.model, "generation": one.generation, "firmware": one.firmware}
    return {key: value for key, value in told.items() if value is not None}
