"""Clients of the lab's servers that nobody of the lab wrote, and the authority that both trust, as in tests/lab."""

from tests.lab.conftest import authority, client_context, govc_binary, log_in

__all__ = ["authority", "client_context", "govc_binary", "log_in"]
