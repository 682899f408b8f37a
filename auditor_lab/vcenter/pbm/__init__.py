"""The storage policy service (PBM)."""
