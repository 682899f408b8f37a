"""Serves a recording on the protocols it was made from, read-only."""
