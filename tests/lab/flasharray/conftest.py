"""An array of every kind of thing, served, and a plain HTTP client that is not ours."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from auditor_lab.arrays.flasharray.description import FlashArrayDescription
from auditor_lab.arrays.flasharray.parts import (
    HostDescription,
    LoadDescription,
    MachineDescription,
    PodDescription,
    QosDescription,
    RemoteArrayDescription,
    VolumeDescription,
    VolumeGroupDescription,
    VvolDescription,
)
from auditor_lab.arrays.flasharray.server import FlashArrayServer
from auditor_lab.authority import Authority

API_TOKEN = "3f1c9b0e-7c4a-5a5e-1b2d-0f9a8e7d6c5b"


class Client:
    """A logged-in session of one array."""

    def __init__(self, session: httpx.Client) -> None:
        self.session = session

    def login(self, token: str | bytes = API_TOKEN) -> httpx.Response:
        answer = self.session.post("/api/2.15/login", headers=[(b"api-token", token if isinstance(token, bytes) else token.encode())])
        self.session.headers["x-auth-token"] = answer.headers.get("x-auth-token", "")
        return answer

    def get(self, what: str, **query: Any) -> httpx.Response:
        return self.session.get(f"/api/2.15/{what}", params=query)

    def items(self, what: str, **query: Any) -> list[dict[str, Any]]:
        answer = self.get(what, **query)
        assert answer.status_code == 200, answer.text
        items: list[dict[str, Any]] = answer.json()["items"]
        return items

    def names(self, what: str, **query: Any) -> list[str]:
        return [item["name"] for item in self.items(what, **query)]

    def patch(self, what: str, body: Any, **query: Any) -> httpx.Response:
        return self.session.patch(f"/api/2.15/{what}", params=query, json=body)

    def refused(self, answer: httpx.Response) -> tuple[int, str | None]:
        """Status and context of a refusal that has the form of one."""
        errors = answer.json()["errors"]
        assert all(set(error) == {"context", "message"} and error["message"] for error in errors)
        return answer.status_code, errors[0]["context"]


@pytest.fixture
def described() -> FlashArrayDescription:
    """Two host groups, a single host, a pod over two arrays, a volume group, a machine on vVols."""
    return FlashArrayDescription(
        name="fa-1",
        id="6c1b16ce-1c03-4d1c-b974-33405cf8d565",
        host_groups=("blue", "empty"),
        hosts=(
            HostDescription(
                "esx-1", "blue", wwns=("2100F4C7AA002706", "2100F4C7AA002707"), load=LoadDescription(96, 35, 4096, 8192, 78, 153)
            ),
            HostDescription("esx-2", "blue", wwns=("2100F4C7AA0025FC",), preferred_arrays=("fa-1",), port_details="Single Controller"),
            HostDescription("windows", personality=None, iqns=("iqn.1991-05.com.microsoft:windows",), nqns=("nqn.2014-08.org:windows",)),
        ),
        pods=(PodDescription("both", (RemoteArrayDescription("fa-2", "704fa624-cf6e-4196-a6f5-314f0f1ad12f"),)),),
        volume_groups=(VolumeGroupDescription("apps", QosDescription(50_000)), VolumeGroupDescription("both::apps")),
        volumes=(
            VolumeDescription("pe", subtype="protocol_endpoint", host_groups=("blue",)),
            VolumeDescription(
                "ds-1", host_groups=("blue",), load=LoadDescription(100, 50, 4096, 8192, 200, 300, qos_rate_limit_usec_per_read_op=7)
            ),
            VolumeDescription("ds-2", 2 << 40, host_groups=("blue", "empty"), qos=QosDescription(1000, 1 << 20)),
            VolumeDescription("apps/log", 1 << 30, hosts=("windows",)),
            VolumeDescription("both::ds", 1 << 30, serial="704FA624CF6E4196000217F9", host_groups=("blue",)),
        ),
        machines=(
            MachineDescription("web", (VvolDescription("Config"), VvolDescription("Data"), VvolDescription("Swap")), bound_by=("esx-1",)),
            MachineDescription("off"),
        ),
        iscsi_portals=("192.0.2.10", "192.0.2.11"),
        ntp_servers=("192.0.2.1",),
    )


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., tuple[Client, FlashArrayServer]]]:
    """Serves arrays: called, it gives a logged-in client and the server."""
    authority = Authority()
    authority.write(tmp_path / "ca.pem")
    context = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
    with ExitStack() as stack:

        def serving(description: FlashArrayDescription, **options: Any) -> tuple[Client, FlashArrayServer]:
            server = FlashArrayServer(description, authority.server_context("127.0.0.1"), API_TOKEN, **options)
            stack.callback(server.stop)
            session = stack.enter_context(httpx.Client(verify=context, base_url=f"https://127.0.0.1:{server.port}"))
            client = Client(session)
            client.login()
            return client, server

        yield serving
