"""What changed between two kept runs, and who may have done it."""
