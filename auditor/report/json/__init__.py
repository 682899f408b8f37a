"""The report for programs, and read back from there."""
