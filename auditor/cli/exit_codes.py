"""The exit code of each sort of failure (docs/exit-codes.md)."""

from __future__ import annotations

FAILED_FIX = 4
"""A fix failed, or its read-back did not match."""


def exit_code_of(error: Exception) -> int:
    """The exit code for this sort of failure."""
    from auditor.errors import EndpointError, GuardError, JournalError

    if isinstance(error, GuardError):
        return 5
    if isinstance(error, JournalError):
        return 4
    return 2 if isinstance(error, EndpointError) else 3
