"""An Element cluster of the lab that is served."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from auditor.model import Endpoint
from auditor_lab.arrays.element.server import ElementServer

if TYPE_CHECKING:
    from collections.abc import Iterator

from tests.endpoints.element.element_collecting import S0, serving


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[ElementServer, Endpoint]]:
    with serving(tmp_path, S0) as (server, endpoint):
        yield server, endpoint
