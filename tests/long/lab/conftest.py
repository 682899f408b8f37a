"""The authority of the lab's servers and a client's context that trusts it, as in tests/lab."""

from tests.lab.conftest import authority, client_context

__all__ = ["authority", "client_context"]
