"""Since when a failure of drift is there: the first kept run in an unbroken line of runs that saw it fail.

A run that did not ask, or could not tell, neither begins nor ends a line; one that saw it otherwise ends it. So does a run that was judged
by another baseline: what it called drift was something else. Runs are looked at from the newest back, and only until every line has ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.engine.rule import DRIFT
from auditor.errors import SnapshotError
from auditor.model import DriftAge

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    import duckdb

    from auditor.engine.rule import RuleSet
    from auditor.facts.snapshot import Snapshot
    from auditor.history.runs import KeptRun
    from auditor.report.saved_report import FindingKey

MOST_RUNS = 60
"""Earlier runs that are looked at; two months of daily ones. Source: this project."""

_MADE = "SELECT setting, value, thing, epoch_us(taken_at) FROM fact.baseline WHERE kind = 'made'"
_MADE_THEN = "SELECT setting, value, thing, epoch_us(taken_at) FROM read_parquet(?) WHERE kind = 'made'"
_BEGIN = """CREATE TABLE line AS
SELECT DISTINCT rule, endpoint, resource_id, CAST(NULL AS VARCHAR) AS since_run, CAST(NULL AS TIMESTAMPTZ) AS since_at, false AS is_ended
FROM read_parquet($path) WHERE verdict = 'fail' AND list_contains($rules, rule)"""
_LINES = "SELECT rule, endpoint, resource_id, since_run, since_at, is_ended FROM line"
_OPEN = "SELECT DISTINCT rule FROM line WHERE NOT is_ended"
_FAILED_TOO = """UPDATE line SET since_run = $run, since_at = CAST($at AS TIMESTAMPTZ)
FROM (
    SELECT DISTINCT rule, endpoint, resource_id FROM read_parquet($path)
    WHERE list_contains($rules, rule) AND (verdict = 'fail' OR waived_from = 'fail')
) AS seen
WHERE NOT line.is_ended AND line.rule = seen.rule AND line.endpoint = seen.endpoint AND line.resource_id = seen.resource_id"""
_NOT_IN_IT = "SELECT 1 FROM line WHERE NOT is_ended AND since_run IS DISTINCT FROM $run LIMIT 1"
_ENDED = """UPDATE line SET is_ended = true
FROM (
    SELECT DISTINCT rule, endpoint, resource_id FROM read_parquet($path)
    WHERE list_contains($rules, rule) AND verdict IN ('pass', 'not_applicable')
) AS seen
WHERE NOT line.is_ended AND line.since_run IS DISTINCT FROM $run
    AND line.rule = seen.rule AND line.endpoint = seen.endpoint AND line.resource_id = seen.resource_id"""


def since_when(run: Path, started: datetime, snapshot: Snapshot, rules: RuleSet) -> dict[FindingKey, DriftAge]:
    """Since when each failure of a rule of drift is there; empty where no such rule was judged.

    Args:
        run: the run's own folder, in which its verdicts are saved.
        started: when it began to read.
        snapshot: what was judged, with the baseline within.
        rules: what it was judged by.

    Raises:
        SnapshotError: the run's own verdicts cannot be read.
    """
    import duckdb

    kinds = {rule.id: rule.over for rule in rules if DRIFT in rule.tags}
    made = _made(snapshot.connection, _MADE) if kinds else None
    if made is None:
        return {}
    with duckdb.connect() as scratch:
        try:
            _begin(scratch, run, sorted(kinds))
        except duckdb.Error as failure:
            raise SnapshotError(
                f"{run}: its verdicts cannot be read again: {str(failure).splitlines()[0]}",
                why="since when each drift is there cannot be told.",
                do="audit again.",
            ) from failure
        ended = _follow(scratch, made, _earlier(run, started))
        rows = scratch.execute(_LINES).fetchall()
    own = (run.name, started)
    found = {}
    for rule, endpoint, resource, since_run, since_at, is_ended in rows:
        first, at = (since_run, since_at) if since_run is not None else own
        found[rule, endpoint, kinds[rule], resource] = DriftAge(first, at, at_least=not (is_ended or ended))
    return found


def _earlier(run: Path, started: datetime) -> Sequence[KeptRun]:
    """Finished runs that began to read before, newest first."""
    from auditor.history.runs import list_runs

    state = run.parent.parent
    found = [kept for kept in list_runs(state) if kept.finished is not None and kept.id != run.name and kept.started <= started]
    return sorted(found, key=lambda kept: (kept.started, kept.id), reverse=True)


def _begin(scratch: duckdb.DuckDBPyConnection, run: Path, rules: Sequence[str]) -> None:
    """A line for every failure, which only this run is in."""
    from auditor.history.folders import FINDINGS_FILE

    scratch.execute("SET TimeZone = 'UTC'")
    scratch.execute(_BEGIN, {"path": str(run / FINDINGS_FILE), "rules": list(rules)})


def _follow(scratch: duckdb.DuckDBPyConnection, made: tuple[Any, ...], earlier: Sequence[KeptRun]) -> bool:
    """Follow the lines back. Whether those that are left have ended too: by a run that was judged by another baseline, or by none."""
    import duckdb

    from auditor.history.folders import FINDINGS_FILE

    for kept in earlier[:MOST_RUNS]:
        if not scratch.execute(_OPEN).fetchall():
            return True
        findings = kept.directory / FINDINGS_FILE
        baseline = _baseline_of(kept)
        if baseline is None or not findings.exists():
            continue  # a saved snapshot that was judged once more; the run that read it is in the line itself
        try:
            with duckdb.connect() as reading:
                if _made(reading, _MADE_THEN, [str(baseline)]) != made:
                    return True
            _step(scratch, kept, str(findings))
        except duckdb.Error:
            continue  # a damaged run tells nothing: it neither begins nor ends a line
    return False


def _step(scratch: duckdb.DuckDBPyConnection, kept: KeptRun, findings: str) -> None:
    bound: dict[str, Any] = {"path": findings, "rules": [row[0] for row in scratch.execute(_OPEN).fetchall()], "run": kept.id}
    scratch.execute(_FAILED_TOO, {**bound, "at": kept.started.isoformat()})
    if scratch.execute(_NOT_IN_IT, {"run": kept.id}).fetchone():
        scratch.execute(_ENDED, bound)


def _baseline_of(kept: KeptRun) -> Path | None:
    """The table `baseline` of the snapshot that the run's verdicts are about; None where it has no snapshot of its own."""
    from auditor.history.folders import AFTER_FOLDER, SNAPSHOT_FOLDER

    folder = kept.directory / AFTER_FOLDER
    folder = folder if folder.is_dir() else kept.directory / SNAPSHOT_FOLDER
    file = folder / "baseline.parquet"
    return file if folder.is_dir() and file.exists() else None


def _made(connection: duckdb.DuckDBPyConnection, query: str, bound: Sequence[str] = ()) -> tuple[Any, ...] | None:
    """What tells a baseline from others; None when there is none."""
    row = connection.cursor().execute(query, list(bound)).fetchone()
    return tuple(row) if row else None
