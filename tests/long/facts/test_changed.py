"""Which facts two snapshots differ in: by columns where rows are matched, and all of a table's where they are not."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.changed import changed_facts
from tests.older import without_digests

WHEN = datetime(2026, 11, 23, 12, tzinfo=UTC)
HOST = {"endpoint": "vc", "host_id": "host-1", "name": "esx-1", "version": "8.0.3"}
OTHER = {**HOST, "host_id": "host-2", "name": "esx-2"}
PATH = {"endpoint": "vc", "host_id": "host-1", "device": "naa.1", "state": "active"}
FACTS: tuple[tuple[str, str], ...] = (
    ("host", ""),
    ("host", "name"),
    ("host", "version"),
    ("path", "state"),
    ("path", "device"),
    ("vm", "name"),
)

Rows = Sequence[Mapping[str, Any]]


def saved(folder: Path, host: Rows, path: Rows = ()) -> Path:
    builder = SnapshotBuilder()
    for table, rows in (("host", host), ("path", path)):
        if rows:
            builder.add(Batch(table, {column: [row[column] for row in rows] for column in rows[0]}))
    builder.finish((), started=WHEN, finished=WHEN).save(folder)
    return folder


def changed(folder: Path, before: tuple[Rows, Rows], now: tuple[Rows, Rows]) -> set[tuple[str, str]]:
    return set(changed_facts(saved(folder / "before", *before), saved(folder / "now", *now), FACTS, folder / "spill"))


WHOLE_HOST = {("host", ""), ("host", "name"), ("host", "version")}
WHOLE_PATH = {("path", "state"), ("path", "device")}


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        pytest.param(([HOST, OTHER], [PATH]), ([OTHER, HOST], [PATH]), set(), id="another order"),
        pytest.param(
            ([HOST], [PATH]), ([{**HOST, "version": None}], [PATH]), {("host", "version")}, id="a value that is not known any more"
        ),
        pytest.param(([HOST], [PATH]), ([HOST, OTHER], [PATH]), WHOLE_HOST, id="a row more"),
        pytest.param(([HOST, OTHER], [PATH]), ([HOST], [PATH]), WHOLE_HOST, id="a row less"),
        pytest.param(([HOST], [PATH]), ([{**HOST, "host_id": "host-9"}], [PATH]), WHOLE_HOST, id="another row"),
        pytest.param(([HOST], [PATH]), ([HOST], [{**PATH, "state": "dead"}]), WHOLE_PATH, id="a value in a table without identity"),
        pytest.param(([HOST], [PATH]), ([HOST], [PATH, PATH]), WHOLE_PATH, id="the same row twice in such a table"),
        pytest.param(([HOST], [PATH]), ([HOST], []), WHOLE_PATH, id="no row any more"),
    ],
)
def test_what_differs_is_named(tmp_path: Path, before: tuple[Rows, Rows], now: tuple[Rows, Rows], expected: set[tuple[str, str]]) -> None:
    assert changed(tmp_path, before, now) == expected


@pytest.mark.parametrize(
    ("before", "now"),
    [pytest.param([HOST], [HOST, HOST], id="now"), pytest.param([HOST, {**HOST, "version": "7.0.3"}], [HOST], id="before")],
)
def test_two_rows_of_one_identity_make_two_snapshots_incomparable(tmp_path: Path, before: Rows, now: Rows) -> None:
    with pytest.raises(ValueError, match="host has two rows of one identity"):
        changed(tmp_path, (before, []), (now, []))


def test_a_damaged_file_is_not_compared(tmp_path: Path) -> None:
    before, now = saved(tmp_path / "before", [HOST]), saved(tmp_path / "now", [OTHER])
    content = bytearray((before / "host.parquet").read_bytes())
    content[len(content) // 2] ^= 0xFF
    (before / "host.parquet").write_bytes(content)
    with pytest.raises(ValueError, match=r"host\.parquet is not as it was written"):
        changed_facts(before, now, FACTS, tmp_path / "spill")


def test_a_snapshot_without_digests_is_not_compared(tmp_path: Path) -> None:
    before, now = saved(tmp_path / "before", [HOST]), saved(tmp_path / "now", [HOST])
    without_digests(before)
    with pytest.raises(ValueError, match="digest"):
        changed_facts(before, now, FACTS, tmp_path / "spill")
