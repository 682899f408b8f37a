"""Joining and judging a large snapshot is held to an amount of memory, and comes to the same."""

import gc
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from auditor.engine.evaluate import evaluate
from auditor.facts.schema import Batch, create_tables
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.snapshot import load_snapshot
from auditor.facts.views import create_views, seal
from auditor.pipeline.policy import load_rule_set
from auditor.sql import statements as memory
from tests import in_one_process

HOSTS, DEVICES = 40, 500
ASKED = "SELECT count(*), count(driver), min(driver), bit_xor(hash(device)), bit_xor(hash(d)) FROM device AS d"


@pytest.fixture(autouse=True)
def _all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as DuckDB takes by itself: each needs memory of its own."""
    monkeypatch.setattr(in_one_process, "threads", None)


@pytest.fixture
def facts(_all_threads: None) -> Iterator[duckdb.DuckDBPyConnection]:
    """Forty hosts that see the same devices by two paths each; on every fifth host these go by adapters of two modules."""
    with duckdb.connect() as connection:
        create_tables(connection)
        connection.execute(f"""
            CREATE TEMP TABLE seen AS
            SELECT 'vc' AS endpoint, 'host-' || h AS host_id, h, 'naa.' || md5(d || 'device') AS device
            FROM range({HOSTS}) AS t (h), range({DEVICES}) AS u (d);
            INSERT INTO fact.host BY NAME SELECT DISTINCT endpoint, host_id, 'esx-' || h AS name FROM seen;
            INSERT INTO fact.hba BY NAME
            SELECT DISTINCT endpoint, host_id, 'vmhba' || n AS hba, if(h % 5 = 0 AND n = 1, 'qlnativefc', 'lpfc') AS driver
            FROM seen, range(2) AS t (n);
            INSERT INTO fact.device BY NAME SELECT endpoint, host_id, device, 'disk' AS device_type, 64 AS queue_depth FROM seen;
            INSERT INTO fact.path BY NAME
            SELECT endpoint, host_id, device, 'vmhba' || n AS hba, 'vmhba' || n || ':' || device AS path FROM seen, range(2) AS t (n);
            DROP TABLE seen;
        """)
        yield connection


@pytest.mark.parametrize(
    ("limit_mib", "spills"),
    [pytest.param(14, True, id="what does not fit goes to disk"), pytest.param(1, None, id="what cannot be done in so little gets more")],
)
def test_the_views_are_the_same_in_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, facts: duckdb.DuckDBPyConnection, limit_mib: int, spills: bool | None
) -> None:
    plenty = duckdb.connect()
    create_tables(plenty)
    for (name,) in facts.execute("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'fact'").fetchall():
        rows = facts.execute(f'SELECT * FROM fact."{name}"').fetchnumpy()
        if len(next(iter(rows.values()))):
            plenty.register("rows", rows)
            plenty.execute(f'INSERT INTO fact."{name}" SELECT * FROM rows')
            plenty.unregister("rows")
    create_views(plenty, views={"device"})
    monkeypatch.setattr(memory, "JUDGING_MIB", limit_mib)
    monkeypatch.setattr(memory, "MIB_A_THREAD", 0)
    create_views(facts, tmp_path / "spilled")
    seal(facts)
    assert spills is None or list(tmp_path.glob("spilled-*"))
    (reported,) = facts.execute(ASKED).fetchall()
    assert reported == plenty.execute(ASKED).fetchone()
    assert reported[:3] == (HOSTS * DEVICES, HOSTS * DEVICES * 4 // 5, "lpfc")


def test_a_snapshot_is_read_and_saved_whole_in_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "COLLECTING_MIB", 12)
    monkeypatch.setattr(memory, "MIB_A_THREAD", 0)
    builder = SnapshotBuilder(tmp_path / "spilled")
    for host in range(100):
        names = [f"naa.{host:08x}{number:024x}" for number in range(1000)]
        places = {"endpoint": ["vc"] * 1000, "host_id": [f"host-{host}"] * 1000}
        builder.add(Batch("path", {**places, "device": names, "path": [f"vmhba1:C0:T0:L{name}" for name in names]}))
    now = datetime(2026, 11, 21, tzinfo=UTC)
    builder.finish((), started=now, finished=now).save(tmp_path / "snapshot")
    assert list(tmp_path.glob("spilled-*"))
    saved = load_snapshot(tmp_path / "snapshot").connection
    assert saved.execute("SELECT count(*), count(DISTINCT (host_id, device, path)) FROM fact.path").fetchone() == (100_000, 100_000)
    del builder
    gc.collect()  # whatever refers to it in a circle goes too
    assert not list(tmp_path.glob("spilled-*"))


def test_the_limit_holds_until_it_is_lifted_also_when_nothing_else_may_be_set(tmp_path: Path, facts: duckdb.DuckDBPyConnection) -> None:
    limit = "SELECT current_setting('memory_limit')"
    before = facts.execute(limit).fetchone()
    create_views(facts, tmp_path / "spilled", {"device"})
    seal(facts)
    assert facts.execute(limit).fetchone() != before
    memory.lift_limit(facts)
    assert facts.execute(limit).fetchone() == before
    assert not list(tmp_path.glob("spilled-*")), "nothing had to be put there"
    with pytest.raises(duckdb.InvalidInputException, match="locked"):
        facts.execute("SET threads = 1")


def test_a_connection_that_nothing_holds_is_left_alone() -> None:
    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '100MiB'")
        seal(connection)
        memory.lift_limit(connection)
        assert connection.execute("SELECT current_setting('memory_limit')").fetchone() == ("100.0 MiB",)
        with pytest.raises(duckdb.OutOfMemoryException):
            memory.execute(connection, "SELECT list(range) FROM range(100_000_000)")


def test_rows_are_judged_alike_in_so_little_memory_that_the_limit_has_to_be_lifted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, facts: duckdb.DuckDBPyConnection
) -> None:
    rules = load_rule_set(only=["queue/dsnro-effective"])
    monkeypatch.setattr(memory, "JUDGING_MIB", 40)
    monkeypatch.setattr(memory, "MIB_A_THREAD", 0)
    create_views(facts, tmp_path / "spilled", {rules["queue/dsnro-effective"].over})
    seal(facts)
    facts.execute("SET memory_limit = '1MiB'")
    summary = evaluate(facts, rules).summary()
    assert facts.execute("SELECT current_setting('memory_limit')").fetchone() != ("1.0 MiB",)
    assert (summary.unknown, summary.fail, summary.passed) == (HOSTS * DEVICES, 0, 0), "no host reported how any device is scheduled"


@pytest.mark.parametrize("file", [False, True], ids=["in memory", "in a file"])
def test_a_join_whose_build_side_spills_loses_no_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: bool) -> None:
    # Some builds of DuckDB answer with a part of the rows there, without an error (duckdb/duckdb#25702).
    monkeypatch.setattr(memory, "JUDGING_MIB", 16)
    monkeypatch.setattr(memory, "MIB_A_THREAD", 0)
    with duckdb.connect(tmp_path / "joined.db" if file else ":memory:") as connection:
        connection.execute("SET threads = 1")
        connection.execute("CREATE TABLE build AS SELECT range AS k, repeat('x', 20) AS name FROM range(2_000_000)")
        connection.execute("CREATE TABLE probe AS SELECT range * 2 AS k FROM range(2_000_000)")
        memory.limit_memory(connection, tmp_path / "spilled")
        found = memory.execute(connection, "SELECT count(*), count(name) FROM probe JOIN build USING (k)").fetchone()
        held = memory.execute(connection, "SELECT count(*) FROM probe WHERE k IN (SELECT k FROM build)").fetchone()
        assert list(tmp_path.glob("spilled-*"))
    assert (found, held) == ((1_000_000, 1_000_000), (1_000_000,))
