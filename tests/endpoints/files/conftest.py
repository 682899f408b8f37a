"""What the tests of archives share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from auditor.endpoints.files.archives import Member, Unreadable, members
from tests.endpoints.files.making_archives import blind


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., list[Member | Unreadable]]:
    def reading(data: bytes, name: str = "esx.tgz", wanted: Callable[[str], bool] = lambda _: True) -> list[Member | Unreadable]:
        path = tmp_path / name
        path.write_bytes(data)
        return [blind(one, tmp_path) for one in members([path], wanted)]

    return reading
