"""Looks a credential up where no other machine has to be asked: variables, files, keyrings, commands, the terminal.

The text is never kept, logged or shown.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from auditor.bounds.extras import how_to_install
from auditor.endpoints.common.time_limits import within
from auditor.endpoints.common.typed_secrets import NobodyToAskError, typed
from auditor.errors import CredentialsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.model import Secret

SECRET_SECONDS = 30.0
"""A command, a named pipe or a keyring has to come to its end within this time: somebody may have to type a passphrase."""

MOST_SECRET_BYTES = 64 << 10
"""Of a secret; the longest tokens hold a few thousand."""


_SURROGATE = re.compile("[\ud800-\udfff]")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
"""What names a variable by its looks."""


class UnusableSecretError(ValueError):
    """What a command or a file gives is no secret; the text says why, and never what."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A secret that is needed, and the three lines of the error where it is not there."""

    secret: Secret
    account: str  # whose entry of the keyring it is
    what: str  # for example "endpoint vc-east: no password"
    why: str
    do: str

    @property
    def whose(self) -> str:
        """What it is called where somebody has to type it, for example "endpoint vc-east: password of audit@vsphere.local"."""
        return self.what.replace(": no ", ": ") + (f" of {self.account}" if self.account else "")


def plain_secret(wanted: Wanted) -> str:
    """The text of a secret that is in no vault.

    Raises:
        CredentialsError: the variable, file, keyring entry or command does not give one. The message says where, never what.
    """
    secret = wanted.secret
    where = shown_reference(secret)
    match secret.way:
        case "env":
            text = os.environ.get(secret.argument[0], "")
        case "file":
            text = _from_file(wanted, where)
        case "keyring":
            text = _from_keyring(wanted, where)
        case "command":
            text = _from_command(wanted, where)
        case "ask":
            text = _from_terminal(wanted)
        case way:
            raise AssertionError(f"the reader of the file let the way {way!r} through")
    if not text:
        raise no_secret(wanted, where, "it is empty or not set")
    if _SURROGATE.search(text):  # bytes of the environment or the terminal; what encodes it later would raise with the secret in the error
        raise no_secret(wanted, where, "it is not UTF-8")
    return text


def shown_reference(secret: Secret) -> str:
    """Where a secret comes from, for an error: what stands there is named only where it is a reference for certain.

    Somebody may have written the secret itself in its place.
    """
    if secret.way == "ask":
        return "the terminal"
    first = secret.argument[0]
    match secret.way:
        case "env":
            is_reference = first in os.environ or _VARIABLE.fullmatch(first) is not None
        case "file":
            is_reference = os.path.lexists(first)
        case "command":
            is_reference = shutil.which(first) is not None or os.path.lexists(first)
        case "vault":
            is_reference = "/" in first.strip("/")
        case _:  # no entry of a keyring can be seen without its secret
            is_reference = False
    return f"{secret.way} {first}" if is_reference else f"{secret.way} (not repeated, it may be the secret itself)"


def _from_keyring(wanted: Wanted, where: str) -> str:
    try:
        import keyring
        import keyring.errors
    except ImportError as error:
        raise no_secret(wanted, where, f"the package keyring is not installed ({how_to_install('keyring')})") from error
    try:
        return within(SECRET_SECONDS, lambda: keyring.get_password(wanted.secret.argument[0], wanted.account)) or ""
    except TimeoutError:
        raise no_secret(wanted, where, _too_long()) from None
    except keyring.errors.KeyringError as error:
        raise no_secret(wanted, where, type(error).__name__) from error


def _from_terminal(wanted: Wanted) -> str:
    try:
        return typed(wanted.whose)
    except NobodyToAskError as error:
        do = "run it at a terminal and without workers, or give {env: NAME}, {file: PATH}, {keyring: SERVICE} or {command: [WORD, ...]}."
        raise CredentialsError(f"{wanted.what}: {error}", why=wanted.why, do=do) from None


def _from_file(wanted: Wanted, where: str) -> str:
    problem: str
    try:
        return _text(within(SECRET_SECONDS, lambda: _start_of(Path(wanted.secret.argument[0]).open("rb"))))
    except TimeoutError:  # a named pipe that nobody writes to
        problem = _too_long()
    except (OSError, UnusableSecretError) as error:
        problem = str(error) if isinstance(error, UnusableSecretError) else type(error).__name__
    raise no_secret(wanted, where, problem)


def _from_command(wanted: Wanted, where: str) -> str:
    problem: str
    deadline = time.monotonic() + SECRET_SECONDS
    try:
        with _running(wanted.secret.argument) as process:
            assert process.stdout is not None  # noqa: S101  it is a pipe
            output = process.stdout
            text = _text(within(SECRET_SECONDS, lambda: _start_of(output)))
            process.wait(max(0.0, deadline - time.monotonic()))
        if process.returncode == 0:
            return text
        problem = f"it ended with status {process.returncode}"
    except (subprocess.TimeoutExpired, TimeoutError):
        problem = _too_long()
    except (OSError, ValueError) as error:
        problem = str(error) if isinstance(error, UnusableSecretError) else type(error).__name__
    # Outside the handler: the command's output may hold the secret and would travel in the traceback.
    raise no_secret(wanted, where, problem)


@contextmanager
def _running(command: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    """The operator's own command from fleet.yaml, run without a shell; killed where it has not ended with the block.

    It stays in our process group, so that it can ask for a passphrase at the terminal. What it started itself is left alone.
    """
    process = subprocess.Popen(  # noqa: S603  see above
        list(command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _start_of(file: IO[bytes]) -> bytes:
    """What is read of a file or pipe up to its end, or one byte more than a secret may have. It is closed by the thread that reads it."""
    with file:
        return file.read(MOST_SECRET_BYTES + 1)


def _text(content: bytes) -> str:
    """The text of a secret, without the ends of its last line.

    Raises:
        UnusableSecretError: it is too long to be a secret, or no UTF-8.
    """
    if len(content) > MOST_SECRET_BYTES:
        raise UnusableSecretError(f"it holds more than {MOST_SECRET_BYTES >> 10} KiB")
    try:
        return content.decode().rstrip("\r\n")
    except UnicodeDecodeError:
        raise UnusableSecretError("it is not UTF-8") from None


def _too_long() -> str:
    return f"it did not end within {SECRET_SECONDS:g} s"


def no_secret(wanted: Wanted, where: str, reason: str) -> CredentialsError:
    """The error for a secret that `where` does not give."""
    return CredentialsError(f"{wanted.what} from {where}: {reason}", why=wanted.why, do=wanted.do)
