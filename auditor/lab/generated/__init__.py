"""Fleets of any size, drawn from a seed."""
