"""Reads one vCenter, and through it every host, into fact tables; never writes."""
