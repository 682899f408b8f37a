"""Rows of views over a saved snapshot: by the values of their columns, in the order of their ids, with bounds on how many."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from auditor.errors import SnapshotError
from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.views import create_views
from auditor.impact import saved_rows
from auditor.impact.saved_rows import Ask, opened_views
from auditor.model import EndpointReading

pytestmark = pytest.mark.long

WHEN = datetime(2026, 11, 28, 6, 55, tzinfo=UTC)
VIEWS = {"iscsi_target", "baseline_datastore"}  # one that is a table, and one that is computed for each statement


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two hosts with a target each, and one of another vCenter."""
    endpoints, hosts = ["vc", "vc", "vc-0"], ["host-2", "host-1", "host-1"]
    target = {"hba": "vmhba64", "kind": "static", "address": "192.0.2.1", "port": 3260, "iqn": "iqn.2010-01.com.solidfire:x"}
    builder = SnapshotBuilder()
    builder.add(Batch("host", {"endpoint": endpoints, "host_id": hosts, "name": ["esx-2", "esx-1", "esx-1"]}))
    builder.add(Batch("iscsi_target", {"endpoint": endpoints, "host_id": hosts, **{name: [value] * 3 for name, value in target.items()}}))
    readings = [
        EndpointReading(name, "vcenter", f"{name}.example.net:443", "vCenter 8", "verified", WHEN, WHEN, complete=True)
        for name in ("vc", "vc-0")
    ]
    builder.finish(tuple(readings), started=WHEN, finished=WHEN).save(tmp_path / "snapshot")
    return tmp_path / "snapshot"


@pytest.fixture
def ask(folder: Path) -> Iterator[Ask]:
    with opened_views(folder, VIEWS) as asked:
        yield asked


def named(ask: Ask, **wanted: object) -> list[tuple[object, object]]:
    return [(row["endpoint"], row["host"]) for row in ask("iscsi_target", wanted)]


def test_rows_come_by_all_values_that_are_wanted_in_the_order_of_their_ids_and_no_more_than_are_allowed(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert named(ask) == [("vc", "esx-1"), ("vc", "esx-2"), ("vc-0", "esx-1")]
    assert named(ask, host="esx-1") == [("vc", "esx-1"), ("vc-0", "esx-1")]
    assert named(ask, host="esx-1", endpoint="vc") == [("vc", "esx-1")]
    assert named(ask, host="esx-9") == []
    assert ask("iscsi_target", {"host": "esx-2"})[0]["family"] == "solidfire"
    # A view that is computed for each statement is asked like any other; nobody kept a baseline.
    assert ask("baseline_datastore", {"endpoint": "vc"}) == []
    with pytest.raises(KeyError, match=r"iscsi_target has no column \['hosts', 'wwn'\]"):
        ask("iscsi_target", {"wwn": "x", "host": "esx-1", "hosts": "esx-1"})
    monkeypatch.setattr(saved_rows, "MOST_ROWS", 2)
    assert named(ask) == [("vc", "esx-1"), ("vc", "esx-2")]


def test_a_statement_that_fails_is_the_snapshots_fault_where_its_files_are_and_ours_where_they_are_not(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults: list[tuple[object, duckdb.Error]] = []

    def is_fault(connection: object, failure: duckdb.Error) -> SnapshotError | None:
        faults.append((connection, failure))
        return None if len(faults) == 1 else SnapshotError("the snapshot cannot be read", why="", do="")

    monkeypatch.setattr(saved_rows, "snapshot_fault", is_fault)
    with pytest.raises(duckdb.ConversionException):
        ask("iscsi_target", {"delayed_ack": "neither"})
    with pytest.raises(SnapshotError, match="cannot be read"):
        ask("iscsi_target", {"delayed_ack": "neither"})
    for connection, failure in faults:
        assert isinstance(connection, duckdb.DuckDBPyConnection)
        assert isinstance(failure, duckdb.ConversionException)


def test_what_does_not_fit_into_memory_lies_in_a_folder_that_is_gone_afterwards(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[Path, set[str]]] = []

    def created(connection: duckdb.DuckDBPyConnection, spill: Path, views: set[str]) -> None:
        made.append((spill, views))
        create_views(connection, spill, views)

    monkeypatch.setattr(saved_rows, "create_views", created)
    with opened_views(folder, VIEWS):
        [(spill, views)] = made
        assert spill.parent.is_dir()
    assert not spill.parent.exists()
    assert views == VIEWS, "no other view is computed"
