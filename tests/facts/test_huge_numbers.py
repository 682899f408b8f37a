"""A number that no column holds leaves its cell empty and its topic unread, and a gap names it."""

from datetime import UTC, datetime

import pytest

from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.model import EndpointReading, Gap

WHEN = datetime(2026, 11, 22, tzinfo=UTC)


def reading(name: str) -> EndpointReading:
    return EndpointReading(name, "element", f"{name}.example.net:443", "12", "verified", WHEN, WHEN, complete=True)


@pytest.mark.parametrize("number", [2**63, -(2**64), 10**30])
def test_only_the_endpoint_that_answered_with_it_and_only_that_topic_is_unread(number: int) -> None:
    builder = SnapshotBuilder()
    for name, most in (("sf-odd", number), ("sf-prod", 2**63 - 1)):
        builder.add(Batch("array_volume", {"endpoint": [name, name], "volume_id": ["1", "2"], "qos_max_iops": [most, 100]}))
        topics = ["volumes", "nodes"]
        builder.add(
            Batch("reading", {"endpoint": [name] * 2, "scope": [""] * 2, "topic": topics, "complete": [True] * 2, "read_at": [WHEN] * 2})
        )
    snapshot = builder.finish((reading("sf-odd"), reading("sf-prod")), started=WHEN, finished=WHEN)
    limits = snapshot.connection.execute("SELECT endpoint, qos_max_iops FROM fact.array_volume ORDER BY endpoint, volume_id").fetchall()
    assert limits == [("sf-odd", None), ("sf-odd", 100), ("sf-prod", 2**63 - 1), ("sf-prod", 100)]
    whole = snapshot.connection.execute("SELECT endpoint, topic FROM fact.reading WHERE complete ORDER BY ALL").fetchall()
    assert whole == [("sf-odd", "nodes"), ("sf-prod", "nodes"), ("sf-prod", "volumes")]
    assert [one.complete for one in snapshot.readings] == [False, True]
    assert snapshot.gaps == (Gap("sf-odd", "volumes: qos_max_iops of array_volume", "a number in the answer is too large for its column"),)


def test_a_real_number_that_is_too_large_is_left_out_as_well() -> None:
    builder = SnapshotBuilder()
    builder.add(Batch("array_volume_load", {"endpoint": ["sf"], "volume_id": ["1"], "utilization": [10**400]}))
    snapshot = builder.finish((reading("sf"),), started=WHEN, finished=WHEN)
    assert snapshot.connection.execute("SELECT utilization FROM fact.array_volume_load").fetchall() == [(None,)]
    assert [gap.what for gap in snapshot.gaps] == ["volume_load: utilization of array_volume_load"]
