"""Kept runs, the baseline, drift since a run, incremental audits and the schedule."""
