"""Looks a credential up at the moment a session opens; the text is never kept, logged or shown."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.errors import CredentialsError

if TYPE_CHECKING:
    from auditor.model import Endpoint

COMMAND_TIMEOUT_SECONDS = 30


def password_of(endpoint: Endpoint) -> str:
    """The password of `endpoint`, from where fleet.yaml says it is.

    Raises:
        CredentialsError: the variable, file, keyring entry or command does not give one. The message says where, never what.
    """
    secret = endpoint.password
    where = f"{secret.way} {secret.argument[0]}"
    match secret.way:
        case "env":
            text = os.environ.get(secret.argument[0], "")
        case "file":
            try:
                text = Path(secret.argument[0]).read_text(encoding="utf-8").rstrip("\r\n")
            except (OSError, UnicodeDecodeError) as error:
                raise _none(endpoint, where, type(error).__name__) from error
        case "keyring":
            text = _from_keyring(endpoint, where)
        case "command":
            text = _from_command(endpoint, where)
        case way:
            raise AssertionError(f"fleet.py let the way {way!r} through")
    if not text:
        raise _none(endpoint, where, "it is empty or not set")
    return text


def _from_keyring(endpoint: Endpoint, where: str) -> str:
    try:
        import keyring
        import keyring.errors
    except ImportError as error:
        raise _none(endpoint, where, "the package keyring is not installed (pip install 'auditor[keyring]')") from error
    try:
        return keyring.get_password(endpoint.password.argument[0], endpoint.username) or ""
    except keyring.errors.KeyringError as error:
        raise _none(endpoint, where, type(error).__name__) from error


def _from_command(endpoint: Endpoint, where: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603  the operator's own command from fleet.yaml, run without a shell
            list(endpoint.password.argument),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=COMMAND_TIMEOUT_SECONDS,
            check=True,
            text=True,
        )
    except (OSError, UnicodeDecodeError, subprocess.SubprocessError) as error:
        # `from None`: the command's output may hold the secret and would travel in the traceback.
        raise _none(endpoint, where, type(error).__name__) from None
    return done.stdout.rstrip("\r\n")


def _none(endpoint: Endpoint, where: str, reason: str) -> CredentialsError:
    return CredentialsError(
        f"endpoint {endpoint.name}: no password from {where}: {reason}",
        why="nothing on it was read.",
        do="set it, or correct `password:` of this endpoint in fleet.yaml.",
    )
