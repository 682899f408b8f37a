"""The names of files and folders in the state directory and in a run's own directory."""

from __future__ import annotations

JOURNAL_FOLDER = "journal"
"""In the state directory: the journals of all runs."""
SNAPSHOT_FOLDER = "snapshot"
"""In a run: the fleet as read."""
AFTER_FOLDER = "after"
"""In a run: the fleet as read again after a fix."""
SPILL_FOLDER = "spilled"
"""In a run: the prefix of the folders for what does not fit into memory; gone when the audit ends."""
REPORT_FILE = "report.json"
"""In a run: the whole report.

Runs whose verdicts are kept as columns have KEPT_FILE and FINDINGS_FILE instead: a tenth of the time and size.
"""
KEPT_FILE = "kept.json"
"""In a run: the report without its findings."""
FINDINGS_FILE = "findings.parquet"
"""In a run: every verdict, as columns."""
