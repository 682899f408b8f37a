"""Generates fleets of any size from a seed."""
