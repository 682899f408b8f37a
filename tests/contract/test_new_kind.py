"""A kind that is new needs a session of a few lines; one that is not whole ends with what it lacks, before anything is read by it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from auditor.endpoints.collect import read_endpoint
from auditor.endpoints.common.sessions import SessionBase, Sessions, missing_attributes
from auditor.errors import ConfigurationError
from auditor.facts.needs import EVERYTHING
from auditor.facts.schema import Batch
from auditor.model import Gap
from tests.new_kind import new_kind

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.facts.snapshots.builder import SnapshotBuilder
    from auditor.model import Endpoint, EndpointReading

CLIENT = """
from contextlib import contextmanager

from auditor.endpoints.common.sessions import SessionBase


class NewArray(SessionBase):
    release = "New 1.0"


@contextmanager
def opened(endpoint):
    yield NewArray(endpoint)
"""
COLLECT = """
from datetime import UTC, datetime

from auditor.facts.schema import Batch


def collected(session, endpoint, needs):
    yield Batch("array", {"endpoint": [endpoint.name], "name": ["new one"]})
    read = {"endpoint": [endpoint.name], "scope": [""], "topic": ["array"], "complete": [True], "read_at": [datetime.now(UTC)]}
    yield Batch("reading", read)
"""
NOTHING_READS = "def collected(*_):\n    raise AssertionError('it was read')\n"
NAMES = ("endpoint", "release", "clock_at_start", "known_identity", "notes", "add_note", "transport", "clock", "identity", "role")


class Whole:
    """A session of its own making: it has each of the names, and no base."""

    endpoint = release = clock_at_start = known_identity = notes = add_note = transport = clock = identity = role = None


@pytest.mark.parametrize("name", NAMES)
def test_a_session_that_lacks_one_attribute_is_told_which(name: str) -> None:
    without = type("Without", (), {one: None for one in NAMES if one != name})
    assert missing_attributes(Whole()) == ()
    assert missing_attributes(without()) == (name,)


def test_what_the_base_leaves_to_the_kind_is_its_release_alone(tmp_path: Path) -> None:
    with new_kind(tmp_path, {}) as endpoint:
        assert missing_attributes(SessionBase(endpoint)) == ("release",)


def test_a_new_kind_with_the_base_and_a_release_is_read(tmp_path: Path) -> None:
    with new_kind(tmp_path, {"client": CLIENT, "collect": COLLECT}) as endpoint:
        reading, items = read(endpoint)
    assert (reading.complete, reading.version, reading.bug) == (True, "New 1.0", None)
    assert [item.columns["name"] for item in items if isinstance(item, Batch) and item.table == "array"] == [["new one"]]


@pytest.mark.parametrize(
    ("client", "missing"),
    [
        pytest.param(CLIENT.replace("release =", "relase ="), "NewArray of auditor.endpoints.new_kind lacks release", id="misspelt"),
        pytest.param(
            CLIENT.replace("NewArray(endpoint)", "object()"),
            f"object of auditor.endpoints.new_kind lacks {', '.join(NAMES)}",
            id="without the base",
        ),
    ],
)
def test_a_new_kind_whose_session_is_not_whole_is_not_read_and_the_gap_names_what_it_lacks(
    tmp_path: Path, client: str, missing: str
) -> None:
    with new_kind(tmp_path, {"client": client, "collect": NOTHING_READS}) as endpoint:
        reading, items = read(endpoint)
        with Sessions({endpoint.name: endpoint}) as sessions, pytest.raises(ConfigurationError) as told:
            sessions.session(endpoint.name)
    assert told.value.what == missing
    assert not reading.complete
    assert items == [Gap("new", "all of it, at 192.0.2.1:443", missing)]


def read(endpoint: Endpoint) -> tuple[EndpointReading, list[Batch | Gap]]:
    """What a collection says of the endpoint, and all that it kept."""
    items: list[Batch | Gap] = []
    builder = cast("SnapshotBuilder", SimpleNamespace(add=items.append))
    return read_endpoint(endpoint, builder, lambda *_: None, EVERYTHING, None), items
