"""A snapshot is saved to a store whole or not at all, and opened from there as it was."""

from datetime import UTC, datetime
from pathlib import Path

import fsspec
import pytest

from auditor.cli import run
from auditor.errors import ConfigurationError, SnapshotError
from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.snapshot import Snapshot, load_snapshot
from auditor.history.saved_snapshots import local_snapshot, save_snapshot, saves_over
from auditor.model import EndpointReading
from auditor.store.address import Address

pytestmark = pytest.mark.long

WHEN = datetime(2026, 11, 21, 6, 55, tzinfo=UTC)
PLACE = Address("memory", "audits/monday")


@pytest.fixture(autouse=True)
def store() -> dict[str, object]:
    """The objects of an empty store."""
    found: dict[str, object] = fsspec.filesystem("memory").store
    found.clear()
    return found


def a_snapshot(endpoint: str = "vc") -> Snapshot:
    builder = SnapshotBuilder()
    builder.add(Batch("host", {"endpoint": [endpoint], "host_id": ["host-1"], "name": ["esx-1"]}))
    reading = EndpointReading(endpoint, "vcenter", "vc.example.net:443", "vCenter 8", "verified", WHEN, WHEN, complete=True)
    return builder.finish((reading,), started=WHEN, finished=WHEN)


def test_a_snapshot_on_a_store_is_judged_from_a_private_copy(store: dict[str, object]) -> None:
    assert not saves_over(PLACE)
    save_snapshot(a_snapshot(), PLACE)
    assert saves_over(PLACE)
    folder = local_snapshot([PLACE])
    assert folder.name == "monday"
    assert folder.parent.stat().st_mode & 0o777 == 0o700
    store.clear()
    assert load_snapshot(folder).connection.execute("SELECT endpoint, name FROM fact.host").fetchall() == [("vc", "esx-1")]


def test_a_snapshot_whose_upload_was_cut_off_is_none(store: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_off(*_: object, **__: object) -> None:
        raise PermissionError

    with monkeypatch.context() as patched:
        patched.setattr(type(fsspec.filesystem("memory")), "pipe_file", cut_off)
        with pytest.raises(SnapshotError, match=r"refuses it .403.; the snapshot is kept in ") as refused:
            save_snapshot(a_snapshot(), PLACE)
    assert store
    with pytest.raises(SnapshotError, match=r"it has no snapshot\.json"):
        local_snapshot([PLACE])
    kept = Path(refused.value.what.rpartition("kept in ")[2])
    assert load_snapshot(kept).hosts == 1


def test_objects_that_are_not_as_they_were_written_are_refused(store: dict[str, object]) -> None:
    save_snapshot(a_snapshot(), PLACE)
    [key] = [key for key in store if key.endswith("/host.parquet")]
    fsspec.filesystem("memory").pipe_file(key, b"other rows")
    with pytest.raises(SnapshotError, match="is not as it was written"):
        load_snapshot(local_snapshot([PLACE]))
    del store[key]
    with pytest.raises(SnapshotError, match=rf"{PLACE} is not a whole snapshot: endpoint=vc/host\.parquet is gone"):
        local_snapshot([PLACE])


def test_several_places_are_one_snapshot_named_by_all(tmp_path: Path) -> None:
    save_snapshot(a_snapshot("vc-a"), PLACE)
    save_snapshot(a_snapshot("vc-b"), tmp_path / "site-b")
    folder = local_snapshot([PLACE, tmp_path / "site-b"])
    assert folder.name == "monday+site-b"
    assert load_snapshot(folder).hosts == 2
    with pytest.raises(ConfigurationError, match="named twice"):
        local_snapshot([PLACE, PLACE])


def test_query_asks_a_snapshot_on_a_store(capsys: pytest.CaptureFixture[str]) -> None:
    save_snapshot(a_snapshot(), PLACE)
    assert run(["query", "SELECT name FROM fact.host", "--from", str(PLACE), "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines() == ["name", "esx-1"]


def test_collect_refuses_a_place_that_holds_a_snapshot_before_it_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fleet = tmp_path / "fleet.yaml"
    login = "username: audit, password: {command: [echo, x]}"
    fleet.write_text(f"endpoints: [{{name: vc-gone, kind: vcenter, address: '127.0.0.1:9', {login}}}]\n", encoding="utf-8")
    save_snapshot(a_snapshot(), PLACE)
    assert run(["collect", "--fleet", str(fleet), "--out", str(PLACE)]) == 3
    assert f"{PLACE} already holds a snapshot" in capsys.readouterr().err
