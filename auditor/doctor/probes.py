"""Asking one thing after the other of an endpoint that may fall silent."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from auditor.errors import EndpointError, EndpointUnreachableError

if TYPE_CHECKING:
    from collections.abc import Callable


class Patience:
    """Puts questions to one endpoint until one runs into the timeout: each more would wait as long.

    Args:
        seconds: how long the endpoint may take for an answer.

    Attributes:
        lost: what came instead of that answer; None while the endpoint speaks.
    """

    def __init__(self, seconds: float) -> None:
        self.lost: EndpointUnreachableError | None = None
        self._seconds = seconds

    def ask(self, question: Callable[[], Any] | None) -> Any:
        """The answer, or the EndpointError that came instead of one; None where there is no question."""
        if question is None:
            return None
        if self.lost is not None:
            return self.lost
        began = time.monotonic()
        try:
            return question()
        except EndpointUnreachableError as error:
            self.lost = error if time.monotonic() - began >= self._seconds else None
            return error
        except EndpointError as error:
            return error
