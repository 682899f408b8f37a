"""Reads a fleet of vCenters, ESXi hosts and storage arrays, judges it, and fixes it safely."""

__version__ = "0.3.0"
