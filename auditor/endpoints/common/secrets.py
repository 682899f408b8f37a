"""The secrets of endpoints, looked up at the moment a session opens; the text is never kept, logged or shown."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from auditor.endpoints.common.plain_secrets import Wanted, plain_secret, shown_reference
from auditor.endpoints.common.typed_secrets import NobodyToAskError, typed
from auditor.model import OpenSession, Sso

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor.model import Endpoint

__all__ = ["Wanted", "ask_first", "password_of", "secret_text", "shown_reference"]


def password_of(endpoint: Endpoint) -> str:
    """The password of `endpoint`, from where fleet.yaml says it is.

    Raises:
        CredentialsError: the variable, file, keyring entry, command, terminal or vault does not give one. It says where, never what.
    """
    return secret_text(_password(endpoint))


def ask_first(endpoints: Iterable[Endpoint]) -> None:
    """Have the secrets of `endpoints` typed that fleet.yaml says to ask for, before threads of their own log in.

    A secret that nobody can be asked for is no error here: the login that needs it reports it.
    """
    for endpoint in endpoints:
        if endpoint.password.way == "ask":
            with suppress(NobodyToAskError):
                typed(_password(endpoint).whose)


def secret_text(wanted: Wanted) -> str:
    """The text of a secret.

    Raises:
        CredentialsError: as `password_of`.
    """
    if wanted.secret.way == "vault":
        from auditor.endpoints.common.vault import vault_secret

        return vault_secret(wanted)
    return plain_secret(wanted)


def _password(endpoint: Endpoint) -> Wanted:
    key, noun = _key_and_noun(endpoint)
    do = f"set it, or correct `{key}:` of this endpoint in fleet.yaml."
    return Wanted(endpoint.password, endpoint.username, f"endpoint {endpoint.name}: no {noun}", "nothing on it was read.", do)


def _key_and_noun(endpoint: Endpoint) -> tuple[str, str]:
    """The key of fleet.yaml that refers to the secret, and its name for people."""
    login = endpoint.login
    if isinstance(login, OpenSession):
        return "session", "key of a session"
    if isinstance(login, Sso) and login.has_token:
        return "token", "token"
    if isinstance(login, Sso) and login.certificate is not None:
        return "passphrase", f"passphrase of {login.key}"
    return "password", "password"
