"""Bulk reads of a vCenter: one question, three transports that answer it alike."""
