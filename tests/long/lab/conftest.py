"""Clients of the lab's servers that nobody of the lab wrote, and the authority that both trust, as in tests/lab."""

from tests.lab.conftest import authority, client_context, govc_binary, log_in, plain, serve_vcenter
from tests.lab.test_vijson import plain_json

__all__ = ["authority", "client_context", "govc_binary", "log_in", "plain", "plain_json", "serve_vcenter"]
