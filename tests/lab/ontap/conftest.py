from __future__ import annotations

import ssl
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from auditor_lab.arrays.ontap.server import OntapServer
from auditor_lab.authority import Authority
from auditor_lab.scenario import load_scenario
from tests.waiting import PATIENCE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from auditor_lab.arrays.ontap.description import OntapDescription

    Serve = Callable[..., AbstractContextManager[tuple[httpx.Client, OntapServer]]]


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def incident() -> OntapDescription:
    (cluster,) = load_scenario("ontap-background").ontap
    return cluster


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Serve:
    authority = Authority()
    ca = tmp_path_factory.mktemp("ca") / "ca.pem"
    authority.write(ca)

    @contextmanager
    def serving(
        description: OntapDescription, auth: tuple[str, str] = ("audit", "right"), **options: Any
    ) -> Iterator[tuple[httpx.Client, OntapServer]]:
        server = OntapServer(description, authority.server_context("127.0.0.1"), "audit", "right", **options)
        context = ssl.create_default_context(cafile=str(ca))
        with httpx.Client(verify=context, auth=auth, base_url=f"https://127.0.0.1:{server.port}", timeout=PATIENCE_SECONDS) as session:
            yield session, server
        server.stop()

    return serving
