"""Digests tell the rows of hosts apart, and only rows."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.digests import digests_by_host, text_hashes, texts_by_host
from auditor.facts.snapshots.snapshot import load_snapshot

WHEN = datetime(2026, 11, 21, 6, 55, tzinfo=UTC)

PATHS = (("host-1", "naa.1", "active"), ("host-1", "naa.1", "active"), ("host-1", "naa.2", None), ("host-2", "naa.1", "active"))
"""Host, device and state; the same twice."""


def built(paths: Sequence[tuple[str, str, str | None]]) -> SnapshotBuilder:
    builder = SnapshotBuilder()
    hosts, devices, states = (list(column) for column in zip(*paths, strict=True))
    builder.add(Batch("path", {"endpoint": ["vc"] * len(paths), "host_id": hosts, "device": devices, "state": states}))
    builder.add(Batch("path", {"endpoint": ["vc-west"], "host_id": ["host-1"], "device": ["naa.9"]}))
    return builder


def digests(connection: duckdb.DuckDBPyConnection) -> dict[str, tuple[int, int]]:
    return dict(digests_by_host(connection, "path", "vc"))


@pytest.mark.long
def test_neither_order_nor_a_file_makes_a_difference(tmp_path: Path) -> None:
    built(PATHS).finish((), started=WHEN, finished=WHEN).save(tmp_path)
    kept = digests(load_snapshot(tmp_path).connection)
    assert kept == digests(built(PATHS[::-1]).so_far())
    assert {host: count for host, (count, _) in kept.items()} == {"host-1": 3, "host-2": 1}


@pytest.mark.parametrize(
    "paths",
    [
        pytest.param((("host-1", "naa.1", "dead"), *PATHS[1:]), id="a cell"),
        pytest.param((*PATHS[:2], ("host-1", "naa.2", ""), PATHS[3]), id="an empty text where nothing was told"),
        pytest.param((PATHS[0], *PATHS), id="the same row once more"),
        pytest.param((("host-1", "naa.3", "active"), ("host-1", "naa.3", "active"), *PATHS[2:]), id="two equal rows for two equal ones"),
        pytest.param((PATHS[0], *PATHS[2:]), id="the same row once less"),
        pytest.param((*PATHS[:2], ("host-2", "naa.2", None), PATHS[3]), id="another host's"),
    ],
)
def test_any_change_of_a_hosts_rows_makes_a_difference(paths: Sequence[tuple[str, str, str | None]]) -> None:
    before, after = digests(built(PATHS).so_far()), digests(built(paths).so_far())
    assert before["host-1"] != after["host-1"]
    assert (before["host-2"] == after["host-2"]) == (PATHS[3:] == tuple(path for path in paths if path[0] == "host-2"))


def test_texts_are_known_again_by_host_whatever_their_order() -> None:
    options = [("host-1", "a", "1"), ("host-2", "a", "2"), ("host-1", "b", "2")]
    builder = SnapshotBuilder()
    hosts, keys, values = (list(column) for column in zip(*options, strict=True))
    builder.add(Batch("host_option", {"endpoint": ["vc"] * 3, "host_id": hosts, "key": keys, "value": values}))
    builder.add(Batch("host_option", {"endpoint": ["vc-west"], "host_id": ["host-3"], "key": ["a"], "value": ["1"]}))
    by_host = texts_by_host(builder.so_far(), "host_option", ("key", "value"), "vc")
    with duckdb.connect() as scratch:
        known = text_hashes(scratch, [("b", "2"), ("a", "1"), ("a", "2")]).tolist()
    assert {host: set(rows.tolist()) for host, rows in by_host.items()} == {"host-1": set(known[:2]), "host-2": {known[2]}}
    assert len(set(known)) == 3


def test_a_vcenter_without_options_has_no_texts() -> None:
    assert texts_by_host(SnapshotBuilder().so_far(), "host_option", ("key", "value"), "vc") == {}
