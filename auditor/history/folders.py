"""The layout of the state directory and of a run's own directory: every name, and which snapshot is a run's last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.facts.snapshots.snapshot import holds_snapshot

if TYPE_CHECKING:
    from pathlib import Path

RUNS_FOLDER = "runs"
"""In the state directory: a directory for each run, named by the run's id."""
JOURNAL_FOLDER = "journal"
"""In the state directory: the journals of all runs."""
BASELINE_FILE = "baseline.parquet"
"""In the state directory: the baseline in force."""
SETTINGS_FILE = "declared_setting.parquet"
"""In a snapshot: what settings.yaml declared when it was read."""
SNAPSHOT_FOLDER = "snapshot"
"""In a run: the fleet as read."""
AFTER_FOLDER = "after"
"""In a run: the fleet as read again after a fix."""
SPILL_FOLDER = "spilled"
"""In a run: the prefix of the folders for what does not fit into memory; gone when the audit ends."""
RUN_FILE = "run.json"
"""In a run: written last. A run that has none is unfinished."""
REPORT_FILE = "report.json"
"""In a run: the whole report.

Runs whose verdicts are kept as columns have KEPT_FILE and FINDINGS_FILE instead: a tenth of the time and size.
"""
KEPT_FILE = "kept.json"
"""In a run: the report without its findings."""
FINDINGS_FILE = "findings.parquet"
"""In a run: every verdict, as columns."""

JUDGED_FILE = "judged.json"
"""In a run: what its verdicts follow from, so that a later run can take them over."""
TAKEN_FILE = "taken.parquet"
"""In a run: the verdicts of the run that it takes some over from, while it judges."""


def last_snapshot(run: Path) -> Path | None:
    """The snapshot of the last state that a run read: after its fix, where it made one.

    None where the run has no snapshot of its own, because it judged a saved one or because it never read the fleet to the end.
    """
    folders = (run / AFTER_FOLDER, run / SNAPSHOT_FOLDER)
    return next((folder for folder in folders if holds_snapshot(folder)), None)
