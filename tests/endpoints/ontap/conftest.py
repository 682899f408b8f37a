"""One served ONTAP cluster, and one whole reading of it, for all tests of the collector."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.endpoints.ontap.ontap_cluster import CLUSTER, Collected, Served, collected, serving

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("ontap"), CLUSTER) as served:
        yield served


@pytest.fixture
def served(shared: Served) -> Iterator[Served]:
    server, _, clock = shared
    server.requests.clear()
    clock.slept.clear()
    yield shared
    server.alterations.clear()
    server.faults.active.clear()


@pytest.fixture(scope="session")
def whole(shared: Served) -> Collected:
    """What is read where nothing is wrong; read once, before anything is."""
    found = collected(shared[1], shared[2])
    assert [(gap.what, gap.why) for gap in found.gaps] == []
    assert found.incomplete() == set()
    return found
