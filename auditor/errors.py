"""Errors that a person can act on: what happened, why it matters, what to do."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import Any

CRASHED = 70
"""The exit code for a bug of ours: EX_SOFTWARE of sysexits.h."""


class AuditorError(Exception):
    """A known failure; its text has three lines.

    Args:
        what: the place and the mistake.
        why: what the reader loses because of it.
        do: something to paste or to look at.
    """

    def __init__(self, what: str, *, why: str, do: str) -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.do = do

    def __reduce__(self) -> tuple[Any, ...]:
        """How it travels between processes: `Exception` would call the class with `what` alone."""
        return _made_again, (type(self), self.args), self.__dict__

    def __str__(self) -> str:
        return f"error: {self.what}\n  why: {self.why}\n  do:  {self.do}"


class ConfigurationError(AuditorError):
    """fleet.yaml, an option or an argument is wrong; nothing was judged (exit 3)."""


def not_on_windows(what: str) -> ConfigurationError:
    """The error for a part of auditor that Windows does not have; `what` is the subject of its sentence."""
    return ConfigurationError(
        f"{what} does not run on Windows",
        why="it ends and watches processes as Linux and macOS do; nothing was done.",
        do="run that part on Linux: docs/how-to/install.md says what runs where.",
    )


class RuleError(AuditorError):
    """A rule file is wrong; nothing was judged (exit 3)."""


class UncomputableRuleError(RuleError):
    """A rule cannot be computed over these facts, for example since a cast fails.

    Attributes:
        rule: its id.
    """

    rule: str = ""


class SnapshotError(AuditorError):
    """A saved snapshot or run cannot be read (exit 3)."""


class StoreError(AuditorError):
    """An object store cannot be reached, read or written (exit 3)."""


class JournalError(AuditorError):
    """The journal cannot be written or read, so nothing may be changed (exit 4)."""


class GuardError(AuditorError):
    """A guard stopped a fix before anything was written (exit 5)."""


class EndpointError(AuditorError):
    """An endpoint, or one thing on it, could not be read or written; becomes a Gap when reading."""


class EndpointUnreachableError(EndpointError):
    """There was no connection, no answer in time, or the TLS certificate could not be verified."""


class ConnectionLostError(EndpointUnreachableError):
    """No answer came: no connection, one that broke, or a certificate that does not verify. Another way of asking ends the same way."""


class SessionLostError(EndpointUnreachableError):
    """A session that had worked ended, and was not to be had anew."""


class CredentialsError(EndpointError):
    """The endpoint refused the user name or password, or the secret could not be looked up."""


class PermissionMissingError(EndpointError):
    """The account is logged in but lacks a permission."""


class NotThereError(EndpointError):
    """The object, option or command does not exist on that endpoint."""


class TransportNotOfferedError(NotThereError):
    """The server does not offer this way of reading."""


class MalformedAnswerError(EndpointError):
    """The endpoint's answer does not follow its protocol."""


class UnknownShapeError(MalformedAnswerError):
    """A complete, well-formed answer with content of an unknown form; another transport may be able to read it."""


class RefusedError(EndpointError):
    """The endpoint understood a write and refused it."""


def _made_again(kind: type[AuditorError], args: tuple[Any, ...]) -> AuditorError:
    """The error that came from another process, before its attributes are put back."""
    return kind.__new__(kind, *args)


_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NO_ROOM_TEXTS = ("No space left on device", "Disk quota exceeded", "File too large")


def no_room(error: BaseException) -> str | None:
    """What of this machine took no more data, where that is why `error` or one that it came from was raised; None where it is not.

    DuckDB has the reason in its text alone.
    """
    for one in _chain(error):
        if isinstance(one, OSError) and one.errno in _NO_ROOM:
            where = f" {one.filename}" if isinstance(one.filename, str) else ""
            return f"the disk took no more data: cannot write{where}: {one.strerror}"
        if type(one).__module__.partition(".")[0] in ("duckdb", "_duckdb"):
            reason = next((text for text in _NO_ROOM_TEXTS if text in str(one)), None)
            if reason is not None:
                return f"the disk took no more data: {reason}"
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
