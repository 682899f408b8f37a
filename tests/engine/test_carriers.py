"""Which arrays carry the devices of hosts that a plan changes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.common.topics import batch
from auditor.engine.fixes.reach import carriers
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.model import Change, FixClass, Resource, Target

if TYPE_CHECKING:
    import duckdb

NOW = datetime(2018, 11, 4, tzinfo=UTC)


def changed(host: str | None, vcenter: str = "vc") -> Change:
    keys = (("pod_id", "group-p1"),) if host is None else (("host_id", host), ("option", "x"))
    return Change(
        "host.option", FixClass.ONLINE, Target(vcenter, keys), 1, 2, ("r",), Resource("host", "h", "h", vcenter, None, None), "why"
    )


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    """Two vCenters and two arrays: a volume, a protocol endpoint, and a volume without a device's name."""
    builder = SnapshotBuilder()
    rows: dict[tuple[str, str], list[dict[str, Any]]] = {
        ("device", "vc"): [{"host_id": host, "device": name} for host, name in (("h1", "naa.1"), ("h1", "naa.pe"), ("h2", "naa.9"))],
        ("device", "other"): [{"host_id": "h1", "device": "naa.pe"}, {"host_id": "h1", "device": None}],
        ("array_volume", "array-a"): [{"volume_id": "1", "device": "naa.1"}, {"volume_id": "2", "device": None}],
        ("array_protocol_endpoint", "array-b"): [{"protocol_endpoint_id": "1", "device": "naa.pe"}],
    }
    for (table, endpoint), content in rows.items():
        builder.add(batch(table, endpoint, content))
    return builder.finish((), started=NOW, finished=NOW).connection


def test_the_arrays_of_a_host_are_those_that_name_a_device_it_sees(connection: duckdb.DuckDBPyConnection) -> None:
    changes = [changed("h1"), changed("h1"), changed("h2"), changed("h1", "other"), changed(None)]
    assert carriers(connection, changes) == {("vc", "h1"): ("array-a", "array-b"), ("other", "h1"): ("array-b",)}


def test_changes_of_no_host_have_no_carriers(connection: duckdb.DuckDBPyConnection) -> None:
    assert carriers(connection, [changed(None)]) == {}
