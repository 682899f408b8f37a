"""Errors a person can act on: what happened, why it matters, what to do."""

from __future__ import annotations


class AuditorError(Exception):
    """A known failure, told in three lines.

    Args:
        what: the place and the mistake.
        why: what the reader has lost by it.
        do: something to paste or to look at.
    """

    def __init__(self, what: str, *, why: str, do: str) -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.do = do

    def __str__(self) -> str:
        return f"error: {self.what}\n  why: {self.why}\n  do:  {self.do}"


class ConfigurationError(AuditorError):
    """fleet.yaml, an option or an argument is wrong; nothing was judged (exit 3)."""


class RuleError(AuditorError):
    """A rule file is wrong; nothing was judged (exit 3)."""


class SnapshotError(AuditorError):
    """A saved snapshot or run cannot be read (exit 3)."""


class JournalError(AuditorError):
    """The journal cannot be written or read, so nothing may be changed (exit 4)."""


class GuardError(AuditorError):
    """A guard stopped a fix before anything was written (exit 5)."""


class EndpointError(AuditorError):
    """An endpoint, or one thing on it, could not be read or written; becomes a Gap when reading."""


class EndpointUnreachableError(EndpointError):
    """No connection, no answer in time, or a TLS certificate that does not verify."""


class CredentialsError(EndpointError):
    """The endpoint refused our user name or password, or the secret could not be looked up."""


class PermissionMissingError(EndpointError):
    """The account is logged in but may not do this."""


class NotThereError(EndpointError):
    """The object, option or command does not exist on that endpoint."""


class TransportNotOfferedError(NotThereError):
    """The server does not offer this way of reading at all."""


class MalformedAnswerError(EndpointError):
    """The endpoint answered with something that is not what its protocol promises."""


class UnknownShapeError(MalformedAnswerError):
    """A whole and well-formed answer that holds something of another form than we know; another way of reading it may cope."""


class RefusedError(EndpointError):
    """The endpoint understood a write and said no."""
