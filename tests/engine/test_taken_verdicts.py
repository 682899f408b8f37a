"""Verdicts of an earlier run that are taken over: failures come into the store as they were before waivers, others stay in their file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb

from auditor.engine.taken_verdicts import TakenVerdicts, take_over
from auditor.engine.verdict_rows import JudgedRule
from auditor.engine.verdict_sql import VERDICT_COLUMNS
from auditor.engine.verdicts import STORED, DeferredVerdicts, new_store
from auditor.model import Verdict
from auditor.sql.names import quoted

RULES = {name: JudgedRule(name, severity, "host", None, "manual", "", "", {}) for name, severity in (("a/one", "high"), ("b/two", "low"))}
HERE = {"impact": '{"x": 1}', "impact_rank": 2.5, "waiver": 0}


def file_of(path: Path, *rows: Mapping[str, Any]) -> Path:
    """A file of saved verdicts with these rows; a cell that a row does not have is NULL."""
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE saved ({', '.join(f'{name} {kind}' for name, kind in STORED.items())})")
    for row in rows:
        connection.execute(f"INSERT INTO saved VALUES ({', '.join('?' * len(STORED))})", [row.get(name) for name in STORED])
    connection.execute(f"COPY saved TO {quoted(str(path))} (FORMAT parquet)")
    return path


def row(rule: str, verdict: str, host: str, **cells: Any) -> dict[str, Any]:
    return {"rule": rule, "verdict": verdict, "endpoint": "vc", "resource_id": host, "resource_name": host, "severity": "medium", **cells}


def taken(path: Path, rules: set[str], *rows: Mapping[str, Any]) -> tuple[list[dict[str, Any]], tuple[DeferredVerdicts, ...], Any]:
    """The rows of the store afterwards, as text where they have words of their own, what was deferred, and the connection."""
    connection = duckdb.connect()
    store = new_store(connection, RULES)
    deferred = take_over(connection, store, TakenVerdicts(file_of(path, *rows), frozenset(rules)), RULES)
    cells = connection.execute(f"SELECT {', '.join(STORED)} FROM {store}.verdict ORDER BY rule, resource_id").fetchall()
    return [dict(zip(STORED, one, strict=True)) for one in cells], deferred, connection


def test_failures_are_stored_as_they_were_before_waivers_and_impacts(tmp_path: Path) -> None:
    stored, deferred, _ = taken(
        tmp_path / "it's.parquet",
        {"a/one"},
        row("a/one", "fail", "h1", observed="1", message="too low", missing=None, retunes=True, **HERE),
        row("a/one", "waived", "h2", waived_from="fail", desired='"2"', **HERE),
        row("b/two", "fail", "h3"),
    )
    nothing = dict.fromkeys(STORED)
    expected = [
        row("a/one", "fail", "h1", observed="1", message="too low", retunes=True),
        row("a/one", "fail", "h2", desired='"2"'),
    ]
    assert stored == [{**nothing, **one} for one in expected]
    assert deferred == ()


def test_other_verdicts_are_counted_by_rule_and_stay_in_their_file(tmp_path: Path) -> None:
    stored, deferred, connection = taken(
        tmp_path / "verdicts.parquet",
        {"b/two", "a/one"},
        row("a/one", "pass", "h1"),
        row("a/one", "pass", "h2"),
        row("a/one", "unknown", "h3", missing=["dsnro"]),
        row("a/one", "waived", "h4", waived_from="unknown"),
        row("b/two", "not_applicable", "h5"),
        row("b/two", "fail", "h6"),
    )
    assert [one["resource_id"] for one in stored] == ["h6"]
    assert [(one.rule, one.severity, one.counts) for one in deferred] == [
        ("a/one", "high", {Verdict.PASS: 2, Verdict.UNKNOWN: 2}),
        ("b/two", "low", {Verdict.NOT_APPLICABLE: 1}),
    ]
    assert all(type(count) is int for one in deferred for count in one.counts.values())
    places = list(VERDICT_COLUMNS)
    rows = connection.execute(f"{deferred[0].select} ORDER BY resource_id").fetchall()
    assert [(cells[places.index("resource_id")], cells[places.index("verdict")], cells[places.index("missing")]) for cells in rows] == [
        ("h1", "pass", None),
        ("h2", "pass", None),
        ("h3", "unknown", ["dsnro"]),
        ("h4", "unknown", None),
    ]
    assert [name for name, *_ in connection.description] == places
    assert all(one.bound == {} for one in deferred)
    assert deferred[0].saved == deferred[1].saved is not None
    every = connection.execute(f"SELECT rule, verdict, severity FROM ({deferred[0].saved}) ORDER BY resource_id").fetchall()
    assert every == [("a/one", verdict, "medium") for verdict in ("pass", "pass", "unknown", "unknown")] + [
        ("b/two", "not_applicable", "medium"),
        ("b/two", "fail", "medium"),
    ]


def test_without_a_rule_nothing_is_taken_over(tmp_path: Path) -> None:
    stored, deferred, _ = taken(tmp_path / "verdicts.parquet", set(), row("a/one", "fail", "h1"), row("b/two", "pass", "h2"))
    assert (stored, deferred) == ([], ())
