"""The circuit breaker of everything that reads an endpoint: one that has stopped answering is not asked for timeout after timeout."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, TypeVar

from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Circuit:
    """Opens when requests fail one after the other without reaching anything; may be used from many threads.

    A refused login opens it at once: asking again might lock the account. An error that the endpoint answered itself shows that it is
    there, and counts as an answer.

    Args:
        patience: how many requests in a row may fail to reach anything.
        slower_than: failures that took fewer seconds do not count: they cost nothing to try again.

    Attributes:
        opened_by: the error that opened it; None while requests may be sent.
    """

    def __init__(self, patience: int, slower_than: float = 0.0) -> None:
        self._patience = patience
        self._slower_than = slower_than
        self._failures = 0
        self._lock = threading.Lock()
        self.opened_by: EndpointError | None = None

    def check(self) -> None:
        """Do nothing while requests may be sent.

        Raises:
            EndpointError: the one that opened the circuit.
        """
        if self.opened_by is not None:
            raise self.opened_by

    def call(self, request: Callable[[], T]) -> T:
        """The answer to `request`, which is not sent when the circuit is open.

        Raises:
            EndpointError: of this request, or the one that opened the circuit.
        """
        self.check()
        began = time.monotonic()
        try:
            answer = request()
        except EndpointError as error:
            self.failed(error, time.monotonic() - began)
            raise
        self.answered()
        return answer

    def answered(self) -> None:
        """Count an answer."""
        with self._lock:
            self._failures = 0

    def failed(self, error: EndpointError, seconds: float = float("inf")) -> None:
        """Count a request that failed after `seconds`."""
        with self._lock:
            if isinstance(error, CredentialsError):
                self.opened_by = error
            elif isinstance(error, EndpointUnreachableError):
                self._failures += seconds >= self._slower_than
                if self._failures >= self._patience:
                    self.opened_by = error
            else:
                self._failures = 0
