"""Reads a fleet of vCenters, ESXi hosts and storage arrays, judges it, and puts it right safely."""

__version__ = "0.1.0"
