"""Kept runs as a state directory has them, written from rows: small Parquet files in the newest format, and `run.json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import duckdb

from auditor.engine.verdicts import STORED
from auditor.history.folders import FINDINGS_FILE, RUN_FILE
from auditor.history.kept_run import KeptAlong, KeptRun, Unread, head_of, kept_of
from auditor.model import EndpointReading, Report, Run, Summary
from auditor.model.scope import Scope

WHEN = datetime(2026, 11, 21, 6, tzinfo=UTC)
SCOPE = Scope("f1ee7", "fleet.yaml", ("vc",), 1, 1, 1)
DEVICE_RULE, HOST_RULE = "queue/one", "host/two"
"""A rule over the view `device`, and one over `baseline_option`."""
_OWN = (
    "rule", "verdict", "endpoint", "resource_id", "resource_name", "cluster", "host", "observed", "waived_from", "waiver", "severity",
)  # fmt: skip
KINDS = {DEVICE_RULE: "device", HOST_RULE: "host_option"}


@dataclass(frozen=True)
class Row:
    """One verdict."""

    id: str
    verdict: str
    rule: str = DEVICE_RULE
    endpoint: str | None = "vc"
    host: str | None = "esx-1"
    observed: object = 32
    waived_from: str | None = None
    cluster: str | None = None


def endpoint(name: str = "vc", kind: str = "vcenter", identity: str | None = None, *, answered: bool = True) -> EndpointReading:
    """An endpoint of a run; one that did not answer has no version."""
    version = "8.0.3" if answered else None
    return EndpointReading(name, kind, f"{name}.example", version, "verified", WHEN, WHEN, complete=answered, identity=identity)


def run_id(day: int) -> str:
    """The id of the run of that day."""
    return f"{WHEN + timedelta(days=day):%Y%m%dT%H%M%SZ}-{day % 0x10000:04x}"


def kept(
    state: Path,
    day: int,
    rows: Iterable[Row],
    *,
    endpoints: Sequence[EndpointReading] = (endpoint(),),
    rules: Mapping[str, str] | None = None,
    unread: tuple[Unread, ...] | None = (),
    basis: Mapping[str, str] | None = None,
    scope: Scope | None = SCOPE,
) -> KeptRun:
    """A finished run of that day with these verdicts. `rules`: the view of each rule that was judged by."""
    folder = state / "runs" / run_id(day)
    folder.mkdir(parents=True)
    listed = list(rows)
    write_verdicts(folder / FINDINGS_FILE, listed, KINDS if rules is None else rules)
    counts = {verdict: sum(row.verdict == verdict for row in listed) for verdict in ("fail", "pass", "unknown", "not_applicable", "waived")}
    severity = {"high": counts["fail"]} if counts["fail"] else {}
    summary = Summary(counts["fail"], counts["pass"], counts["unknown"], counts["not_applicable"], counts["waived"], severity)
    at = WHEN + timedelta(days=day)
    run = Run(folder.name, at, at + timedelta(minutes=3), tuple(endpoints), 2)
    report = Report(run, summary, (), (), lambda: iter(()), scope=scope)
    head = head_of(report, KeptAlong(unread, basis or {}))
    (folder / RUN_FILE).write_text(json.dumps(head), encoding="utf-8")
    return kept_of(folder, head)


def write_verdicts(path: Path, rows: Iterable[Row], kinds: Mapping[str, str], *, version: int = 6, without: Iterable[str] = ()) -> None:
    """A file of verdicts, as `Evaluation.save` writes one; of an older format without some columns."""
    about: dict[str, object] = {
        "title": "One",
        "severity": "high",
        "remediator": None,
        "fix_class": "manual",
        "by_hand": "",
        "reason": "",
        "obstacles": {},
    }
    rules = {rule: {**about, "kind": kind} for rule, kind in kinds.items()}
    metadata = json.dumps({"format": version, "rules": rules, "waivers": [{"owner": "storage", "reason": "known"}]}).replace("'", "''")
    own: dict[str, list[object]] = {name: [] for name in _OWN}
    for row in rows:
        waived = row.verdict == "waived"
        values = (row.rule, row.verdict, row.endpoint, row.id, f"name of {row.id}", row.cluster, row.host, json.dumps(row.observed))
        for column, value in zip(
            own, (*values, row.waived_from or ("fail" if waived else None), 0 if waived else None, "high"), strict=True
        ):
            own[column].append(value)
    listed = [f"CAST(unnest(${name}) AS {STORED[name]}) AS {name}" for name in own]
    listed += [f"CAST(NULL AS {kind}) AS {name}" for name, kind in STORED.items() if name not in own]
    select = f"SELECT {', '.join(name for name in STORED if name not in without)} FROM (SELECT {', '.join(listed)})"
    _writing().execute(f"COPY ({select}) TO '{path}' (FORMAT parquet, KV_METADATA {{auditor: '{metadata}'}})", own)


@cache
def _writing() -> duckdb.DuckDBPyConnection:
    """One for all files: to open one takes longer than to write."""
    return duckdb.connect()
