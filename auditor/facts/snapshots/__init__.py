"""Snapshots: what a fleet was at one moment, saved, merged and compared; and the gaps that follow from its own tables."""
