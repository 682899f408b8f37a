"""Drift ages: since when a failure of drift is there, which is the first kept run of an unbroken line of runs that saw it fail.

A run that did not judge the rule, or judged it unknown, neither begins nor ends a line. A run that saw it pass ends the line. So does a run
that was judged by another baseline: its drift was measured against something else. Runs are read from the newest back, and only until every
line has ended.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.engine.rules.rule import DECLARED, DRIFT
from auditor.errors import SnapshotError
from auditor.history.folders import BASELINE_FILE, FINDINGS_FILE, SETTINGS_FILE
from auditor.history.runs import list_runs
from auditor.model import DriftAge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    import duckdb

    from auditor.engine.rules.rule import RuleSet
    from auditor.facts.snapshots.snapshot import Snapshot
    from auditor.history.kept_run import KeptRun
    from auditor.report.json.saved_report import FindingKey

MOST_RUNS = 60
"""Earlier runs that are read at most; two months of daily ones. Source: this project."""


@dataclass(frozen=True, slots=True)
class _Measure:
    """What some rules of drift are measured against.

    Attributes:
        file: of a snapshot, in which it is.
        identity: SQL of what distinguishes it, over that table; no row, or none but NULL: there is none.
    """

    file: str
    identity: str

    def now(self, connection: duckdb.DuckDBPyConnection) -> tuple[Any, ...] | None:
        """It, in a snapshot that is open."""
        return _identity(connection, self.identity.format(source=f"fact.{self.file.partition('.')[0]}"))

    def then(self, folder: Path) -> tuple[Any, ...] | None:
        """It, in a saved snapshot; None where there is none."""
        import duckdb

        if not (folder / self.file).exists():
            return None
        with duckdb.connect() as reading:
            return _identity(reading, self.identity.format(source="read_parquet(?)"), [str(folder / self.file)])


_BASELINE = _Measure(BASELINE_FILE, "SELECT setting, value, thing, epoch_us(taken_at) FROM {source} WHERE kind = 'made'")
_SETTINGS = _Measure(
    SETTINGS_FILE,
    # Where an entry stands in the file is no part of what it wants.
    "SELECT count(*), bit_xor(md5_number_lower(concat_ws(chr(31), kind, thing, setting, value, coalesce(of_endpoint, chr(0)), "
    "coalesce(of_cluster, chr(0)), coalesce(of_host, chr(0)), rank))) FROM {source} HAVING count(*) > 0",
)
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


def drift_ages(run: Path, started: datetime, snapshot: Snapshot, rules: RuleSet) -> dict[FindingKey, DriftAge]:
    """Since when each failure of a drift rule is there; empty where no such rule was judged.

    Args:
        run: the run's own folder, in which its verdicts are saved.
        started: when it began to read.
        snapshot: what was judged, with the baseline within.
        rules: what it was judged by.

    Raises:
        SnapshotError: the run's own verdicts cannot be read.
    """
    ages: dict[FindingKey, DriftAge] = {}
    for measure, is_declared in ((_BASELINE, False), (_SETTINGS, True)):
        views = {rule.id: rule.over for rule in rules if DRIFT in rule.tags and (DECLARED in rule.tags) is is_declared}
        origin = measure.now(snapshot.connection) if views else None
        if origin is not None:
            ages |= _ages(run, started, views, measure, origin)
    return ages


def _ages(run: Path, started: datetime, views: Mapping[str, str], measure: _Measure, origin: tuple[Any, ...]) -> dict[FindingKey, DriftAge]:
    """Since when each failure of some rules is there, which are all measured against one thing.

    Args:
        run: as in `drift_ages`.
        started: likewise.
        views: by the rule.
        measure: what they are measured against.
        origin: its identity now.
    """
    import duckdb

    with duckdb.connect() as scratch:
        try:
            _begin(scratch, run, sorted(views))
        except duckdb.Error as failure:
            raise SnapshotError(
                f"{run}: its verdicts cannot be read again: {str(failure).splitlines()[0]}",
                why="since when each drift is there is not known.",
                do="audit again.",
            ) from failure
        ended = _follow(scratch, measure, origin, _earlier(run, started))
        rows = scratch.execute(_LINES).fetchall()
    own = (run.name, started)
    ages = {}
    for rule, endpoint, resource, since_run, since_at, is_ended in rows:
        first, at = (since_run, since_at) if since_run is not None else own
        ages[rule, endpoint, views[rule], resource] = DriftAge(first, at, at_least=not (is_ended or ended))
    return ages


def _earlier(run: Path, started: datetime) -> Sequence[KeptRun]:
    """Finished runs that began to read before, newest first."""
    state = run.parent.parent
    earlier = [kept for kept in list_runs(state) if kept.finished is not None and kept.id != run.name and kept.started <= started]
    return sorted(earlier, key=lambda kept: (kept.started, kept.id), reverse=True)


def _begin(scratch: duckdb.DuckDBPyConnection, run: Path, rules: Sequence[str]) -> None:
    """Make a line for every failure, which only this run is in."""
    scratch.execute("SET TimeZone = 'UTC'")
    scratch.execute(_BEGIN, {"path": str(run / FINDINGS_FILE), "rules": list(rules)})


def _follow(scratch: duckdb.DuckDBPyConnection, measure: _Measure, origin: tuple[Any, ...], earlier: Sequence[KeptRun]) -> bool:
    """Follow the lines back; true when all have ended, also by a run that was measured against something else or nothing."""
    import duckdb

    for kept in earlier[:MOST_RUNS]:
        if not scratch.execute(_OPEN).fetchall():
            return True
        findings, baseline = kept.findings, kept.baseline
        if baseline is None or findings is None:
            continue  # a saved snapshot that was judged once more; the run that read it is in the line itself
        try:
            if measure.then(baseline.parent) != origin:
                return True
            _step(scratch, kept, str(findings))
        except duckdb.Error:
            continue  # nothing is known of a damaged run: it neither begins nor ends a line
    return False


def _step(scratch: duckdb.DuckDBPyConnection, kept: KeptRun, findings: str) -> None:
    bound: dict[str, Any] = {"path": findings, "rules": [row[0] for row in scratch.execute(_OPEN).fetchall()], "run": kept.id}
    scratch.execute(_FAILED_TOO, {**bound, "at": kept.started.isoformat()})
    if scratch.execute(_NOT_IN_IT, {"run": kept.id}).fetchone():
        scratch.execute(_ENDED, bound)


def _identity(connection: duckdb.DuckDBPyConnection, query: str, bound: Sequence[str] = ()) -> tuple[Any, ...] | None:
    """The row that identifies a baseline or declared settings; None when there is none."""
    row = connection.cursor().execute(query, list(bound)).fetchone()
    return tuple(row) if row else None
