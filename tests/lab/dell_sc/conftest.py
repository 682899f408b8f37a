"""A Storage Manager of the lab that is served."""

from __future__ import annotations

import ssl
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from auditor_lab.arrays.dell_sc.description import (
    DellScDescription,
)
from auditor_lab.arrays.dell_sc.server import DellScServer
from auditor_lab.authority import Authority

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
from tests.lab.dell_sc.dell_sc_client import DESCRIPTION, Cinder


@pytest.fixture
def serve(tmp_path: Path) -> Callable[..., Any]:
    authority = Authority()
    authority.write(tmp_path / "ca.pem")

    @contextmanager
    def serving(description: DellScDescription = DESCRIPTION, **more: Any) -> Iterator[tuple[Cinder, DellScServer]]:
        server = DellScServer(description, authority.server_context("127.0.0.1"), "Admin", "right", **more)
        context = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
        try:
            with httpx.Client(verify=context, base_url=f"https://127.0.0.1:{server.port}") as session:
                cinder = Cinder(session)
                cinder.login()
                yield cinder, server
        finally:
            server.stop()

    return serving
