"""Requests of the doctor to an endpoint that may stop answering."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.circuit import Circuit
from auditor.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor.model import Endpoint


def circuit_of(endpoint: Endpoint) -> Circuit:
    """A circuit that opens at the first request that runs into the timeout of `endpoint`: each more would wait as long."""
    return Circuit(1, slower_than=endpoint.limits.timeout_seconds)


def attempt(circuit: Circuit, request: Callable[[], Any]) -> Any:
    """The answer to `request`, or the EndpointError that came instead of one."""
    try:
        return circuit.call(request)
    except EndpointError as error:
        return error
