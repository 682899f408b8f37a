"""What was not asked for is distinguished from what is not there, also when a snapshot comes back from the disk."""

import json
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from auditor.errors import SnapshotError
from auditor.facts.needs import EVERYTHING, Needs, needs
from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.snapshot import Snapshot, load_snapshot
from auditor.facts.snapshots.unread import with_unread_gaps
from auditor.facts.table import Fact
from auditor.model import EndpointKind, EndpointReading
from tests.older import without_digests

WHEN = datetime(2026, 11, 21, 6, 55, tzinfo=UTC)
READINGS = tuple(
    EndpointReading(name, kind, f"{name}.example.net:443", "1", "verified", WHEN, WHEN, complete=True)
    for name, kind in (("vc", "vcenter"), ("sf", "element"))
)


def a_snapshot(asked: Needs) -> Snapshot:
    builder = SnapshotBuilder()
    topics = sorted(asked.topics_of(EndpointKind.VCENTER))
    count = len(topics)
    builder.add(Batch("reading", {"endpoint": ["vc"] * count, "scope": [""] * count, "topic": topics, "complete": [True] * count}))
    return builder.finish(READINGS, started=WHEN, finished=WHEN, asked=asked)


def complete(snapshot: Snapshot) -> dict[str, bool]:
    return dict(snapshot.connection.execute("SELECT topic, complete FROM fact.reading").fetchall())


@pytest.mark.parametrize(
    ("asked", "needed", "reported", "whole"),
    [
        pytest.param(
            [("datastore", "type")],
            [("datastore_mount", "host_id")],
            {"vc": "datastores"},
            False,
            id="rows of a property that was not asked",
        ),
        pytest.param([("datastore", "type")], [("datastore", "sioc_enabled")], {"vc": "datastores"}, False, id="a cell that may be empty"),
        pytest.param([("host", "name")], [("host", "vsan_enabled")], {"vc": "hosts"}, True, id="a cell that is only empty when unread"),
        pytest.param([("hba", "driver")], [("iscsi_target", "delayed_ack")], {}, True, id="another table of the same property"),
        pytest.param([("host", "name")], [("array_node", "state")], {"sf": "nodes"}, True, id="a topic of another endpoint"),
        pytest.param([("datastore", "type")], [("datastore", "type")], {}, True, id="the same"),
    ],
)
def test_what_a_run_was_not_asked_for_is_a_gap_and_never_counts_as_absent(
    tmp_path: Path, asked: list[Fact], needed: list[Fact], reported: dict[str, str], whole: bool
) -> None:
    fresh = a_snapshot(needs(asked))
    fresh.save(tmp_path / "kept")
    for snapshot in (fresh, load_snapshot(tmp_path / "kept")):
        assert snapshot.asked == needs(asked)
        found = with_unread_gaps(snapshot, needs(needed))
        assert {gap.endpoint: gap.what for gap in found.gaps} == reported
        assert all("not read in that run" in gap.why for gap in found.gaps)
        assert all(complete(found).values()) is whole


def test_a_snapshot_that_does_not_say_what_it_asked_for_asked_for_everything(tmp_path: Path) -> None:
    a_snapshot(EVERYTHING).save(tmp_path)
    manifest = tmp_path / "snapshot.json"
    said = json.loads(manifest.read_text(encoding="utf-8"))
    assert said.pop("asked") is None
    manifest.write_text(json.dumps(said), encoding="utf-8")
    assert load_snapshot(tmp_path).asked == EVERYTHING


@pytest.mark.parametrize("asked", [{"topics": ["hosts"]}, ["hosts"], {"topics": 3, "facts": []}, {"topics": [], "facts": [1]}])
def test_a_manifest_that_says_nonsense_of_what_was_asked_is_refused(tmp_path: Path, asked: object) -> None:
    a_snapshot(EVERYTHING).save(tmp_path)
    manifest = tmp_path / "snapshot.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text(encoding="utf-8")), "asked": asked}), encoding="utf-8")
    with pytest.raises(SnapshotError):
        load_snapshot(tmp_path)


def test_an_endpoint_that_never_answered_was_asked_and_not_read(tmp_path: Path) -> None:
    fresh = a_snapshot(needs([("datastore", "type"), ("device", "device"), ("array_node", "state"), ("tagged", "tag")]))
    fresh.save(tmp_path / "new")
    for snapshot in (fresh, load_snapshot(tmp_path / "new")):
        ask = snapshot.connection.execute
        assert ask("SELECT scope, topic, complete FROM fact.reading WHERE endpoint = 'sf'").fetchall() == [("", "nodes", False)]
        assert ask("SELECT bool_and(complete) FROM fact.reading WHERE endpoint = 'vc'").fetchone() == (True,)
        assert ask("SELECT endpoint, kind FROM fact.listed_endpoint ORDER BY ALL").fetchall() == [("sf", "element"), ("vc", "vcenter")]


def test_a_snapshot_of_an_older_auditor_is_told_likewise_when_it_is_opened(tmp_path: Path) -> None:
    a_snapshot(needs([("datastore", "type"), ("array_node", "state")])).save(tmp_path)
    (tmp_path / "listed_endpoint.parquet").unlink()
    with duckdb.connect() as connection:
        path = tmp_path / "reading.parquet"
        connection.execute(f"CREATE TABLE told AS SELECT * FROM read_parquet('{path}') WHERE endpoint <> 'sf'")
        connection.execute(f"COPY told TO '{path}' (FORMAT parquet)")
    without_digests(tmp_path)
    ask = load_snapshot(tmp_path).connection.execute
    assert ask("SELECT topic, complete FROM fact.reading WHERE endpoint = 'sf'").fetchall() == [("nodes", False)]
    assert ask("SELECT kind FROM fact.listed_endpoint ORDER BY ALL").fetchall() == [("element",), ("vcenter",)]
