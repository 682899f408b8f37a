"""A partitioned snapshot holds the rows of each endpoint by themselves, and comes back whole or is refused."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from auditor.errors import SnapshotError
from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.snapshot import Snapshot, load_snapshot
from auditor.model import EndpointReading, Gap

pytestmark = pytest.mark.long

WHEN = datetime(2026, 11, 21, 6, 55, tzinfo=UTC)
READING = EndpointReading("vc/a", "vcenter", "vc.example.net:443", "vCenter 8", "verified", WHEN, WHEN, complete=True)


def a_snapshot() -> Snapshot:
    builder = SnapshotBuilder()
    builder.add(Batch("host", {"endpoint": ["vc/a", "vc b", "vc/a"], "host_id": ["host-1", "host-1", "host-2"], "build": [1, 2, None]}))
    builder.add(Batch("declared", {"devices": ["naa.6*", "naa.5*"], "model": ["DX90", "DX60"]}))
    builder.add(Gap("vc b", "devices of esx-2", "permission System.Read is missing"))
    return builder.finish((READING, replace(READING, name="vc b")), started=WHEN, finished=WHEN)


def rows(snapshot: Snapshot, table: str) -> list[tuple[object, ...]]:
    return sorted(snapshot.connection.execute(f'SELECT * FROM fact."{table}"').fetchall(), key=str)


def test_a_partitioned_snapshot_comes_back_the_same(tmp_path: Path) -> None:
    saved = a_snapshot()
    saved.save_partitioned(tmp_path)
    loaded = load_snapshot(tmp_path)
    for table in ("host", "declared", "gap", "reading", "listed_endpoint"):
        assert rows(loaded, table) == rows(saved, table)
    assert loaded.connection.execute("SELECT model FROM fact.declared").fetchall() == [("DX90",), ("DX60",)]
    assert (loaded.readings, loaded.gaps, loaded.asked) == (saved.readings, saved.gaps, saved.asked)


def test_the_rows_of_an_endpoint_lie_in_a_folder_of_its_own_and_tables_without_rows_have_no_file(tmp_path: Path) -> None:
    a_snapshot().save_partitioned(tmp_path)
    files = json.loads((tmp_path / "snapshot.json").read_text())["files"]
    assert set(files) == {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.parquet")}
    hosts = [name for name in files if name.endswith("/host.parquet")]
    assert len(hosts) == 2
    for name in hosts:
        assert (
            len(
                duckdb.execute(
                    "SELECT DISTINCT endpoint FROM read_parquet(?, hive_partitioning = false)", [str(tmp_path / name)]
                ).fetchall()
            )
            == 1
        )
    assert "fleet/declared.parquet" in files
    assert {path.name for path in (tmp_path / "fleet").iterdir()} == {"declared.parquet"}
    assert not list(tmp_path.rglob("device.parquet"))


def test_a_file_that_was_changed_or_is_gone_is_refused(tmp_path: Path) -> None:
    a_snapshot().save_partitioned(tmp_path)
    file = next(tmp_path.rglob("host.parquet"))
    whole = file.read_bytes()
    file.write_bytes(whole[:40] + bytes([whole[40] ^ 1]) + whole[41:])
    with pytest.raises(SnapshotError, match="is not as it was written"):
        load_snapshot(tmp_path)
    file.unlink()
    with pytest.raises(SnapshotError, match="is gone"):
        load_snapshot(tmp_path)


@pytest.mark.parametrize("name", ["../host.parquet", "endpoint=vc/../host.parquet", "fleet/elsewhere.parquet", "/etc/host.parquet"])
def test_a_manifest_that_leads_out_of_the_snapshot_is_refused(tmp_path: Path, name: str) -> None:
    a_snapshot().save_partitioned(tmp_path)
    manifest = json.loads((tmp_path / "snapshot.json").read_text())
    (tmp_path / "snapshot.json").write_text(json.dumps({**manifest, "files": {**manifest["files"], name: "0" * 64}}))
    with pytest.raises(SnapshotError, match="is no file of a snapshot"):
        load_snapshot(tmp_path)


def test_an_auditor_that_knows_one_file_a_table_alone_finds_another_format(tmp_path: Path) -> None:
    a_snapshot().save_partitioned(tmp_path)
    assert json.loads((tmp_path / "snapshot.json").read_text())["format"] == 2
