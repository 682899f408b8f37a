"""Fujitsu ETERNUS DX: session over SSH, collector, rows and settings."""
