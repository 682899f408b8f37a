"""Snapshots of several collectors become one fleet, in which every endpoint is once."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from auditor.errors import ConfigurationError, SnapshotError
from auditor.facts.needs import EVERYTHING
from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.merging import merge
from auditor.facts.snapshots.snapshot import Snapshot, load_snapshot
from auditor.model import EndpointReading, Gap

WHEN = datetime(2026, 11, 21, 6, 55, tzinfo=UTC)


def reading(name: str, identity: str | None = None, minutes: int = 0, **more: Any) -> EndpointReading:
    at = WHEN + timedelta(minutes=minutes)
    about = EndpointReading(name, "vcenter", f"{name}.example.net:443", "vCenter 8", "verified", at, at, complete=True)
    return replace(about, identity=identity or f"uuid of {name}", **more)


def saved(folder: Path, *readings: EndpointReading, gaps: tuple[Gap, ...] = (), declared: str = "DX90") -> Path:
    """A snapshot in which each endpoint that was read has one host, whose build is the minute of the reading."""
    builder = SnapshotBuilder()
    here = [one for one in readings if not one.left_out]
    columns: dict[str, list[Any]] = {
        "endpoint": [one.name for one in here],
        "host_id": ["host-1"] * len(here),
        "build": [one.started.minute for one in here],
    }
    builder.add(Batch("host", columns))
    builder.add(Batch("declared", {"devices": ["naa.6*"], "model": [declared]}))
    for gap in gaps:
        builder.add(gap)
    builder.finish(readings, started=min(r.started for r in readings), finished=max(r.finished for r in readings)).save_partitioned(folder)
    return folder


def merged(**folders: Path) -> Snapshot:
    return load_snapshot(merge(folders))


def hosts(snapshot: Snapshot) -> list[tuple[object, ...]]:
    return snapshot.connection.execute("SELECT endpoint, build FROM fact.host ORDER BY ALL").fetchall()


def test_endpoints_of_two_collectors_are_one_fleet(tmp_path: Path) -> None:
    gap = Gap("vc-b", "devices of esx-2", "permission System.Read is missing")
    a = saved(tmp_path / "a", reading("vc-a", minutes=1))
    b = saved(tmp_path / "b", reading("vc-b", minutes=2), gaps=(gap,))
    both = merged(a=a, b=b)
    assert hosts(both) == [("vc-a", 56), ("vc-b", 57)]
    assert [one.name for one in both.readings] == ["vc-a", "vc-b"]
    assert both.gaps == (gap,)
    assert (both.started, both.finished) == (WHEN + timedelta(minutes=1), WHEN + timedelta(minutes=2))
    assert both.connection.execute("SELECT devices, model FROM fact.declared").fetchall() == [("naa.6*", "DX90")]


def test_of_two_readings_of_one_endpoint_the_newer_counts_and_a_note_says_so(tmp_path: Path) -> None:
    old = saved(tmp_path / "a", reading("vc-a", minutes=1), gaps=(Gap("vc-a", "devices of esx-1", "it was away"),))
    new = saved(tmp_path / "b", reading("vc-a", minutes=3))
    for snapshot in (merged(a=old, b=new), merged(b=new, a=old)):
        assert hosts(snapshot) == [("vc-a", 58)]
        assert snapshot.gaps == ()
        [note] = snapshot.readings[0].notes
        assert "the reading in b of 2026-11-21T06:58:00+00:00 counts, not that in a of 2026-11-21T06:56:00+00:00" in note


def test_an_endpoint_that_a_collector_was_not_to_read_is_no_reading_of_it(tmp_path: Path) -> None:
    a = saved(tmp_path / "a", reading("vc-a", minutes=1))
    b = saved(
        tmp_path / "b", reading("vc-a", minutes=3, left_out=True, complete=False), reading("vc-b"), gaps=(Gap("vc-a", "all of it", "no"),)
    )
    snapshot = merged(a=a, b=b)
    assert hosts(snapshot) == [("vc-a", 56), ("vc-b", 55)]
    assert (snapshot.gaps, snapshot.readings[0].notes, snapshot.readings[0].left_out) == ((), (), False)


def test_a_gap_of_the_join_is_worked_out_anew(tmp_path: Path) -> None:
    joined = Gap("vc-a", "the array behind naa.6f47acc100000000", "no array of this fleet is read")
    a = saved(tmp_path / "a", reading("vc-a"), gaps=(joined,))
    b = saved(tmp_path / "b", reading("vc-b"))
    folder = merge({"a": a, "b": b})
    assert load_snapshot(folder).gaps == ()
    assert load_snapshot(folder).connection.execute("SELECT count(*) FROM fact.gap").fetchall() == [(0,)]


@pytest.mark.parametrize(
    ("other", "what"),
    [
        pytest.param(reading("vc-b", "uuid of vc-a"), "are one vcenter", id="one endpoint of two names"),
        pytest.param(reading("vc-a", "uuid of another"), "vc-a is uuid of vc-a in a, and uuid of another in b", id="two of one name"),
        pytest.param(replace(reading("vc-a"), kind="element"), "vc-a is ", id="two kinds of one name"),
    ],
)
def test_names_that_do_not_name_one_endpoint_each_are_refused(tmp_path: Path, other: EndpointReading, what: str) -> None:
    with pytest.raises(ConfigurationError, match=what):
        merge({"a": saved(tmp_path / "a", reading("vc-a")), "b": saved(tmp_path / "b", other)})


def _manifest(folder: Path, more: Mapping[str, Any]) -> None:
    path = folder / "snapshot.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **more}))


def test_snapshots_that_were_not_read_for_the_same_facts_are_refused(tmp_path: Path) -> None:
    from auditor.facts.needs import as_json

    a, b = saved(tmp_path / "a", reading("vc-a")), saved(tmp_path / "b", reading("vc-b"))
    less = replace(EVERYTHING, topics=frozenset({"hosts"}))
    _manifest(b, {"asked": as_json(less)})
    with pytest.raises(ConfigurationError, match="a and b were not read for the same facts"):
        merge({"a": a, "b": b})


def test_a_damaged_snapshot_is_not_merged(tmp_path: Path) -> None:
    a, b = saved(tmp_path / "a", reading("vc-a")), saved(tmp_path / "b", reading("vc-b"))
    next(b.rglob("host.parquet")).write_bytes(b"x")
    with pytest.raises(SnapshotError, match=r"b is not a whole snapshot: endpoint=vc-b/host\.parquet is not as it was written"):
        merge({"a": a, "b": b})
    (b / "snapshot.json").unlink()
    with pytest.raises(SnapshotError, match="b is not a whole snapshot"):
        merge({"a": a, "b": b})


def test_a_snapshot_with_a_baseline_is_not_merged(tmp_path: Path) -> None:
    a, b = saved(tmp_path / "a", reading("vc-a")), tmp_path / "b"
    builder = SnapshotBuilder()
    builder.add(Batch("baseline", {"kind": ["host_option"], "of_endpoint": ["vc-b"], "setting": ["x"]}))
    builder.finish((reading("vc-b"),), started=WHEN, finished=WHEN).save(b)
    with pytest.raises(SnapshotError, match="holds a baseline"):
        merge({"a": a, "b": b})


def test_a_snapshot_with_declared_settings_is_not_merged(tmp_path: Path) -> None:
    a, b = saved(tmp_path / "a", reading("vc-a")), tmp_path / "b"
    builder = SnapshotBuilder()
    builder.add(Batch("declared_setting", {"kind": ["option"], "thing": [""], "setting": ["A.B"], "value": ["1"], "rank": [0]}))
    builder.finish((reading("vc-b"),), started=WHEN, finished=WHEN).save(b)
    with pytest.raises(SnapshotError, match="holds declared settings"):
        merge({"a": a, "b": b})
