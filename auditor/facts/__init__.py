"""Fact tables, the views that join them, and the snapshots that hold them."""
