"""A Storage Center of the lab that is served."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.endpoints.dell_sc.dell_sc_serving import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.model import Endpoint
    from auditor_lab.arrays.dell_sc.server import DellScServer


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[DellScServer, Endpoint]]:
    with serving(tmp_path) as pair:
        yield pair
