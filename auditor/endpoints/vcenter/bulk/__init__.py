"""Bulk reads of a vCenter: one question, three lanes that answer it alike."""
