"""A damaged snapshot is the snapshot's fault, and a view that cannot be computed is a bug: neither is reported as the other."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from auditor.engine.evaluate import evaluate
from auditor.errors import SnapshotError
from auditor.facts import views
from auditor.facts.catalog import catalog
from auditor.facts.schema import create_tables
from auditor.facts.snapshots import snapshot as snapshots
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.snapshot import Snapshot, load_snapshot
from auditor.facts.views import create_views, seal
from auditor.model import Gap
from auditor.pipeline.policy import load_rule_set
from auditor.sql import statements as memory
from tests.facts.fleets import WHEN, endpoints, hosts, snapshot
from tests.waiting import PATIENCE_SECONDS

Harm = Callable[[Path], object]


@pytest.fixture(autouse=True)
def _facts_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has few facts is copied when it is opened, and its files are not read again."""
    monkeypatch.setattr("auditor.sql.query_planning.FEW_ROWS", -1)


def saved(folder: Path) -> Snapshot:
    given = hosts()
    snapshot(given).save(folder)
    return load_snapshot(folder)


@pytest.mark.parametrize(
    "harm",
    [
        pytest.param(lambda file: file.unlink(), id="gone"),
        pytest.param(lambda file: file.write_bytes(file.read_bytes()[:100]), id="cut off"),
        pytest.param(lambda file: file.write_bytes(b"\0" * file.stat().st_size), id="zeroed"),
        pytest.param(lambda file: file.write_bytes(file.read_bytes()[:-200] + b"\xff" * 192 + file.read_bytes()[-8:]), id="bad footer"),
    ],
)
def test_a_file_that_is_damaged_after_it_was_opened_is_the_snapshots_fault(tmp_path: Path, harm: Harm) -> None:
    opened = saved(tmp_path / "snapshot")
    harm(tmp_path / "snapshot" / "host.parquet")
    with pytest.raises(SnapshotError, match="the snapshot cannot be read"):
        create_views(opened.connection, views={"host"})


def test_few_facts_are_read_once_and_need_their_files_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.sql.query_planning.FEW_ROWS", 20_000)
    opened = saved(tmp_path / "snapshot")
    for file in (tmp_path / "snapshot").glob("*.parquet"):
        file.write_bytes(b"\0" * file.stat().st_size)
    create_views(opened.connection, views={"host"})
    assert len(opened.connection.execute("SELECT * FROM host").fetchall()) == opened.hosts > 0


def test_a_damaged_file_of_an_older_auditor_that_wrote_no_digests_is_the_snapshots_fault(tmp_path: Path) -> None:
    saved(tmp_path)
    manifest = json.loads((tmp_path / "snapshot.json").read_text(encoding="utf-8"))
    del manifest["tables"]
    (tmp_path / "snapshot.json").write_text(json.dumps(manifest), encoding="utf-8")
    file = tmp_path / "host.parquet"
    content = file.read_bytes()
    footer = int.from_bytes(content[-8:-4], "little") + 8  # the columns' names and types; without it nothing can be opened
    file.write_bytes(content[:4] + b"\xff" * (len(content) - 4 - footer) + content[-footer:])
    opened = load_snapshot(tmp_path)
    with pytest.raises(SnapshotError, match="the snapshot cannot be read"):
        create_views(opened.connection, views={"host"})


def test_a_file_that_is_damaged_while_rules_are_judged_is_the_snapshots_fault_and_not_the_rules(
    tmp_path: Path,
) -> None:
    opened = saved(tmp_path / "snapshot")
    rules = load_rule_set(only=["vaai/device-status"])
    create_views(opened.connection, views={"offload"})
    assert catalog().views["offload"].materialize == "view", "its rows are read while they are judged"
    seal(opened.connection)
    file = tmp_path / "snapshot" / "device_offload.parquet"
    file.write_bytes(b"\0" * file.stat().st_size)
    with pytest.raises(SnapshotError, match="the snapshot cannot be read"):
        evaluate(opened.connection, rules)


@pytest.mark.parametrize("digests", [True, False])
def test_a_view_that_cannot_be_computed_from_whole_files_is_a_bug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, digests: bool) -> None:
    opened = saved(tmp_path / "snapshot")
    if not digests:
        opened.connection.execute("UPDATE snapshot.file SET digest = NULL")
    monkeypatch.setattr(views, "view_sql", lambda _name: "SELECT CAST(host_id AS BIGINT) AS endpoint FROM fact.host")
    with pytest.raises(duckdb.ConversionException):
        create_views(opened.connection, views={"nfs_option"})


def test_a_curve_that_is_not_json_makes_its_values_unknown_and_stops_nothing() -> None:
    with duckdb.connect() as connection:
        create_tables(connection)
        connection.execute("INSERT INTO fact.array BY NAME SELECT 'sf' AS endpoint, 'solidfire' AS family, 'one' AS array_id")
        connection.execute("INSERT INTO fact.vm BY NAME SELECT 'vc' AS endpoint, 'vm' AS vm_id, 'vm' AS name, 'host' AS host_id")
        connection.execute("INSERT INTO fact.host BY NAME SELECT 'vc' AS endpoint, 'host' AS host_id, 'esx' AS name")
        connection.execute("INSERT INTO fact.datastore BY NAME SELECT 'vc' AS endpoint, 'ds' AS datastore_id, 'VVOL' AS type")
        for curve, volume in (("no JSON", "1"), ('{"4096": 100, "8192": "?", "a\\"b": 1}', "2"), ("[1]", "3"), ("{}", "4")):
            row = f"SELECT 'sf' AS endpoint, '{volume}' AS volume_id"
            volume_row = f"{row}, 'vvol-{volume}' AS vvol_id, true AS is_virtual, $curve AS qos_curve"
            connection.execute(f"INSERT INTO fact.array_volume BY NAME {volume_row}", {"curve": curve})
            disk = f"'disk {volume}' AS disk, 'ds' AS datastore_id, 'vvol-{volume}' AS backing_object_id"
            connection.execute(f"INSERT INTO fact.vm_disk BY NAME SELECT 'vc' AS endpoint, 'vm' AS vm_id, {disk}")
            connection.execute(f"INSERT INTO fact.array_volume_load BY NAME {row}, 8192 AS average_io_bytes")
            connection.execute(
                f"INSERT INTO fact.array_qos_policy BY NAME SELECT 'sf' AS endpoint, '{volume}' AS policy_id, $curve AS curve",
                {"curve": curve},
            )
        create_views(connection, views={"array_volume", "vvol_disk", "qos_policy"})
        assert connection.execute("SELECT count(*) FROM array_volume").fetchone() == (4,)
        assert connection.execute("SELECT count(*) FROM vvol_disk").fetchone() == (4,)
        assert connection.execute("SELECT count(*) FROM qos_policy").fetchone() == (4,)


LONG = """
import signal
import sys
import duckdb
from auditor.facts import views
from auditor.facts.schema import create_tables

def long(_name):
    print("begins", flush=True)
    return "SELECT sum(a.n * b.n * c.n) AS n FROM range(90000) AS a (n), range(90000) AS b (n), range(90000) AS c (n)"

signal.signal(signal.SIGINT, signal.default_int_handler)  # a process that a shell starts in the background ignores it
views.view_sql = long
connection = duckdb.connect()
create_tables(connection)
connection.execute("INSERT INTO fact.host (host_id) VALUES ('host-1')")
try:
    views.create_views(connection, views={"nfs_option"})
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_a_snapshot_with_more_gaps_than_any_fleet_has_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builder = SnapshotBuilder()
    for number in range(3):
        builder.add(Gap("vc", f"options of esx-{number}", "refused"))
    builder.finish(endpoints(), started=WHEN, finished=WHEN).save(tmp_path / "snapshot")
    monkeypatch.setattr(snapshots, "MOST_GAPS", 3)
    assert len(load_snapshot(tmp_path / "snapshot").gaps) == 3
    monkeypatch.setattr(snapshots, "MOST_GAPS", 2)
    with pytest.raises(SnapshotError, match="more than 2 things that could not be read"):
        load_snapshot(tmp_path / "snapshot")


def test_ctrl_c_while_a_statement_is_handed_over_ends_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = ThreadPoolExecutor(1)

    class Interrupted:
        def submit(self, job: Callable[[], object]) -> Future[object]:
            worker.submit(job)
            raise KeyboardInterrupt

    monkeypatch.setattr(memory, "_worker", lambda _process: Interrupted())
    endless = "SELECT sum(a.n * b.n * c.n) FROM range(90000) AS a (n), range(90000) AS b (n), range(90000) AS c (n)"
    with duckdb.connect() as connection, pytest.raises(KeyboardInterrupt):
        memory.execute(connection, endless)
    assert worker.submit(lambda: "free").result(PATIENCE_SECONDS) == "free"
    worker.shutdown()


def test_ctrl_c_ends_a_statement_that_runs() -> None:
    with subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begins\n"
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(timeout=120) == 130, "by itself it would take years"
        finally:
            process.kill()
