"""A store in this process's memory, empty for each test."""

from collections.abc import Iterator

import fsspec
import pytest

from auditor.store.address import Address


@pytest.fixture
def address() -> Iterator[Address]:
    """An address on an empty store."""
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    memory.pseudo_dirs[:] = [""]
    yield Address("memory", "bucket/state")
    memory.store.clear()
