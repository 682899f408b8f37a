"""A snapshot comes back as it was saved, or is refused."""

import json
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from auditor.errors import SnapshotError
from auditor.facts import schema
from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.snapshot import Snapshot, load_snapshot
from auditor.facts.views import create_views, seal
from auditor.model import EndpointReading, Gap
from tests.older import without_digests

WHEN = datetime(2026, 11, 21, 6, 55, tzinfo=UTC)
READING = EndpointReading("vc", "vcenter", "vc.example.net:443", "vCenter 8", "verified", WHEN, WHEN, complete=True)


def a_snapshot() -> Snapshot:
    builder = SnapshotBuilder()
    builder.add(
        Batch(
            "host",
            {
                "endpoint": ["vc", "vc"],
                "host_id": ["host-1", "host-2"],
                "name": ["esx-1", None],
                "build": [22380479, None],
                "vsan_enabled": [False, None],
                "boot_time": [WHEN, None],
            },
        )
    )
    builder.add(Gap("vc", "devices of esx-2", "permission System.Read is missing"))
    return builder.finish((READING,), started=WHEN, finished=WHEN)


def rows(snapshot: Snapshot) -> list[tuple[object, ...]]:
    return snapshot.connection.execute(
        "SELECT host_id, name, build, vsan_enabled, boot_time AT TIME ZONE 'UTC', cluster FROM fact.host ORDER BY host_id"
    ).fetchall()


def test_what_was_not_read_is_null_and_what_was_read_keeps_its_type() -> None:
    assert rows(a_snapshot()) == [
        ("host-1", "esx-1", 22380479, False, WHEN.replace(tzinfo=None), None),
        ("host-2", None, None, None, None, None),
    ]


def test_a_saved_snapshot_comes_back_the_same(tmp_path: Path) -> None:
    saved = a_snapshot()
    saved.save(tmp_path / "it's here")
    loaded = load_snapshot(tmp_path / "it's here")
    assert rows(loaded) == rows(saved)
    assert loaded.gaps == saved.gaps == (Gap("vc", "devices of esx-2", "permission System.Read is missing"),)
    assert loaded.readings == (READING,)
    assert (loaded.started, loaded.finished, loaded.hosts) == (WHEN, WHEN, 2)


def test_a_snapshot_is_never_written_over_another(tmp_path: Path) -> None:
    a_snapshot().save(tmp_path)
    with pytest.raises(SnapshotError, match="already holds"):
        a_snapshot().save(tmp_path)


def test_a_snapshot_of_an_older_auditor_loads_without_the_columns_it_did_not_know(tmp_path: Path) -> None:
    a_snapshot().save(tmp_path)
    duckdb.execute(f"COPY (SELECT endpoint, host_id FROM read_parquet('{tmp_path}/host.parquet')) TO '{tmp_path}/h' (FORMAT parquet)")
    (tmp_path / "h").replace(tmp_path / "host.parquet")
    (tmp_path / "vm.parquet").unlink()
    without_digests(tmp_path)
    assert [row[:2] for row in rows(load_snapshot(tmp_path))] == [("host-1", None), ("host-2", None)]


def test_every_cursor_tells_times_in_utc_wherever_the_machine_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/Los_Angeles")
    a_snapshot().save(tmp_path)
    loaded = load_snapshot(tmp_path).connection
    with loaded.cursor() as cursor:
        for connection in (loaded, cursor):
            assert connection.execute("SELECT current_setting('TimeZone')").fetchone() == ("UTC",)


def test_a_sealed_snapshot_reads_its_own_files_and_no_other(tmp_path: Path) -> None:
    folder = tmp_path / "it's here"
    a_snapshot().save(folder)
    a_snapshot().save(tmp_path / "another")
    (folder / "secret.txt").write_text("secret")
    (folder / "secret.parquet").write_bytes((folder / "host.parquet").read_bytes())
    loaded = load_snapshot(folder)
    seal(loaded.connection)
    assert loaded.hosts == 2
    for path in (folder / "secret.txt", folder / "secret.parquet", tmp_path / "another" / "host.parquet", Path("/etc/hostname")):
        name = str(path).replace("'", "''")
        for text in (f"SELECT * FROM read_text('{name}')", f"SELECT * FROM read_parquet('{name}')", f"COPY fact.host TO '{name}'"):
            with pytest.raises(duckdb.PermissionException):
                loaded.connection.execute(text)


def test_a_snapshot_that_goes_away_before_it_is_judged_is_told_as_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.sql.query_planning.FEW_ROWS", -1)  # few facts are copied when they are opened
    a_snapshot().save(tmp_path)
    loaded = load_snapshot(tmp_path)
    (tmp_path / "device.parquet").unlink()
    with pytest.raises(SnapshotError, match=r"cannot be read: .*device\.parquet"):
        create_views(loaded.connection)


def flip(file: Path, at: int) -> None:
    held = bytearray(file.read_bytes())
    held[at] ^= 0xFF
    file.write_bytes(held)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda d: (d / "snapshot.json").unlink(), id="no manifest: it was never finished"),
        pytest.param(lambda d: (d / "snapshot.json").write_text("{"), id="torn manifest"),
        pytest.param(lambda d: (d / "host.parquet").write_bytes(b"PAR1"), id="torn table"),
        pytest.param(lambda d: (d / "device.parquet").unlink(), id="a table that went away"),
        pytest.param(lambda d: flip(d / "host.parquet", 20), id="one byte of a table: a value that reads as another"),
        pytest.param(lambda d: (d / "host.parquet").write_bytes((d / "device.parquet").read_bytes()), id="another table in its place"),
        pytest.param(lambda d: (d / "snapshot.json").write_text(json.dumps({"format": 99})), id="written by a newer auditor"),
    ],
)
def test_a_damaged_snapshot_is_refused_whole(tmp_path: Path, damage: object) -> None:
    a_snapshot().save(tmp_path)
    damage(tmp_path)  # type: ignore[operator]  # a callable from the parameter set
    with pytest.raises(SnapshotError):
        load_snapshot(tmp_path)


@pytest.mark.parametrize(
    "batch",
    [
        pytest.param(Batch("host", {"endpoint": ["vc"], "nmae": ["x"]}), id="misspelt column"),
        pytest.param(Batch("host", {"endpoint": ["vc"], "name": []}), id="columns of different length"),
        pytest.param(Batch("reading", {"endpoint": ["vc"], "topic": ["optoins"]}), id="misspelt topic"),
    ],
)
def test_a_collector_that_misspells_something_is_a_bug_not_a_gap(batch: Batch) -> None:
    with pytest.raises(ValueError, match="unknown"):
        SnapshotBuilder().add(batch)


def test_taking_over_an_endpoint_copies_its_rows_and_gaps_and_nobody_elses() -> None:
    first = a_snapshot()
    builder = SnapshotBuilder()
    builder.take_over(first, ["vc"])
    assert rows(builder.finish((READING,), started=WHEN, finished=WHEN)) == rows(first)
    other = SnapshotBuilder()
    other.take_over(first, ["vc-west"])
    empty = other.finish((), started=WHEN, finished=WHEN)
    assert (empty.hosts, empty.gaps) == (0, ())


def test_tables_that_nobody_asked_for_are_not_opened(tmp_path: Path) -> None:
    a_snapshot().save(tmp_path)
    (tmp_path / "device.parquet").write_bytes(b"no parquet")
    loaded = load_snapshot(tmp_path, ("host", "gap"))
    assert (loaded.hosts, len(loaded.gaps)) == (2, 1)
    with pytest.raises(SnapshotError, match="device"):
        load_snapshot(tmp_path, ("host", "device"))


def test_what_was_added_can_be_asked_before_the_books_are_closed() -> None:
    builder = SnapshotBuilder()
    for host in ("host-1", "host-2"):
        builder.add(Batch("host", {"endpoint": ["vc"], "host_id": [host]}))
        assert builder.so_far().execute("SELECT max(host_id) FROM fact.host").fetchall() == [(host,)]
    assert builder.finish((READING,), started=WHEN, finished=WHEN).hosts == 2


def test_every_table_has_a_name_of_its_own_and_says_what_it_holds() -> None:
    listed = list(schema._TABLES)
    assert len({table.name for table in listed}) == len(listed)
    assert [table.name for table in listed if not table.what] == []
