"""Secrets that HashiCorp Vault keeps in an engine for keys and values (KV), version 2 or 1.

Three requests are all that it takes, so this is no client library's: they go through the session that arrays have, with its limits of size
and time, its check of certificates, and no proxy of the environment. Nothing that Vault says of an error is repeated: it may quote what was
sent. Tried against OpenBao 2.7.2, a fork of Vault with the same API (KV 2 and 1, tokens, AppRole, namespaces, sealed), and a double that
follows the API's reference; not against HashiCorp's own Vault.

Source: Vault HTTP API reference: overview (headers X-Vault-Token, X-Vault-Namespace and X-Vault-Request; status codes), KV secrets engine
version 2 ("Read secret version") and version 1 ("Read secret"), AppRole auth method ("Login with AppRole").
https://developer.hashicorp.com/vault/api-docs
"""

from __future__ import annotations

import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import quote

from auditor.endpoints.common.answer_limits import UnusableAnswerError, json_value
from auditor.endpoints.common.https import HttpsSession, Request
from auditor.endpoints.common.plain_secrets import MOST_SECRET_BYTES, SECRET_SECONDS, Wanted, no_secret, plain_secret, shown_reference
from auditor.errors import AuditorError, ConfigurationError, CredentialsError, EndpointError
from auditor.model import Endpoint, EndpointKind, Limits, Secret

if TYPE_CHECKING:
    from auditor.endpoints.common.https import Answer
    from auditor.model import Vault

MOST_ANSWER_BYTES = 4 << 20
"""Of an answer. Vault takes values of 512 KiB to 1 MiB, which its storage limits (Vault documentation, "Limits and maximums")."""

_OF_ITS_LIFE = 0.8
"""A token is used for so much of the time that it is good for; then there is a new login."""

_tokens: dict[Vault, tuple[str, float]] = {}
"""What logins by AppRole gave to this process, and until when, by the monotonic clock."""
_logging_in = threading.Lock()


class _RefusedError(Exception):
    """Vault did not give it; the text says why, as the rest of a sentence."""


def vault_secret(wanted: Wanted) -> str:
    """The text of a secret that is in a vault.

    Raises:
        CredentialsError: it is not to be had. The message says where, never what.
    """
    vault = wanted.secret.vault
    assert vault is not None  # noqa: S101  the reader of the file has seen to it
    where = shown_reference(wanted.secret)
    try:
        text = _Reader(vault, wanted).field(*wanted.secret.argument)
    except CredentialsError:
        raise
    except (_RefusedError, EndpointError, ConfigurationError) as error:
        reason = error.what.removeprefix("endpoint vault: ") if isinstance(error, AuditorError) else str(error)
        reason = reason.replace("503 (busy)", "503 (sealed, or busy)")
        raise no_secret(wanted, where, reason) from None
    text = text.rstrip("\r\n")  # as of a file: `vault kv put ... @file` keeps the end of its last line
    if not text:
        raise no_secret(wanted, where, "it is empty")
    return text


class _Reader:
    """Asks one Vault for one secret."""

    def __init__(self, vault: Vault, wanted: Wanted) -> None:
        self._vault = vault
        self._wanted = wanted
        nobody = Secret("none", ())
        self._place = Endpoint(
            "vault",
            EndpointKind("vault"),
            vault.address,
            vault.port,
            "",
            nobody,
            vault.tls,
            Limits(concurrency=1, timeout_seconds=SECRET_SECONDS),
        )

    def field(self, path: str, name: str) -> str:
        """The field `name` of the secret at `path`.

        Raises:
            _RefusedError, EndpointError, ConfigurationError: it was not given.
        """
        vault = self._vault
        middle = "data/" if vault.version == 2 else ""
        request = self._request("GET", f"{quote(vault.mount)}/{middle}{quote(path)}", "the secret")
        with closing(HttpsSession(self._place, "/v1/")) as session:
            token, was_kept = self._token(session)
            answer = self._asked(session, request, token)
            if answer.status == 403 and was_kept:  # it was revoked, or has been used as often as it may
                _tokens.pop(vault, None)
                answer = self._asked(session, request, self._token(session)[0])
        data = self._data(answer)
        held = data.get("data") if vault.version == 2 else data
        if not isinstance(held, dict):
            raise _RefusedError("its newest version was deleted")
        if name not in held:
            raise _RefusedError(f'it has no field "{name}"')
        text = held[name]
        if not isinstance(text, str) or len(text.encode("utf-8", "surrogatepass")) > MOST_SECRET_BYTES:
            raise _RefusedError(f'its field "{name}" is no text of at most {MOST_SECRET_BYTES >> 10} KiB')
        return text

    def _token(self, session: HttpsSession) -> tuple[str, bool]:
        """A token, and whether it was had before."""
        vault = self._vault
        if vault.token is not None:
            return self._own(vault.token, "token"), False
        with _logging_in:
            known, until = _tokens.get(vault, ("", 0.0))
            if known and time.monotonic() < until:
                return known, True
            began = time.monotonic()
            token, seconds = self._logged_in(session)
            _tokens[vault] = token, began + _OF_ITS_LIFE * seconds if seconds else float("inf")
            return token, False

    def _logged_in(self, session: HttpsSession) -> tuple[str, float]:
        """A new token, and the seconds that it is good for; 0: for ever."""
        import msgspec

        vault = self._vault
        assert vault.secret_id is not None  # noqa: S101  the reader of the file has seen to it
        content = {"role_id": vault.role_id, "secret_id": self._own(vault.secret_id, "secret_id")}
        request = self._request("POST", f"auth/{quote(vault.approle_mount)}/login", "the AppRole login", msgspec.json.encode(content))
        answer = self._asked(session, request, "")
        if answer.status in (400, 401, 403):
            raise _RefusedError("Vault refuses the AppRole login: check role_id, secret_id and whether they have expired")
        given = self._value(answer).get("auth")
        token, seconds = (given.get("client_token"), given.get("lease_duration")) if isinstance(given, dict) else (None, None)
        if not isinstance(token, str) or not token or not isinstance(seconds, int):
            raise _RefusedError("the AppRole login gave no token")
        return token, float(seconds)

    def _own(self, secret: Secret, what: str) -> str:
        """A secret that Vault itself asks for."""
        wanted = self._wanted
        do = f"set it, or correct `{what}:` under `vault:` in fleet.yaml."
        return plain_secret(Wanted(secret, "", f"{wanted.what}: vault: no {what}", wanted.why, do)).strip()

    def _request(self, method: str, path: str, label: str, content: bytes | None = None) -> Request:
        # A login may be repeated like a read: a token more that nobody uses ends by itself.
        return Request(label=label, method=method, path=path, is_read=True, content=content, shown_path="...")

    def _asked(self, session: HttpsSession, request: Request, token: str) -> Answer:
        headers = {"X-Vault-Request": "true"}
        if token:
            headers["X-Vault-Token"] = token
        if self._vault.namespace is not None:
            headers["X-Vault-Namespace"] = self._vault.namespace
        if not all(value.isascii() and value.isprintable() for value in headers.values()):
            raise _RefusedError("the token has characters that no header can have")
        return session.ask(Request(request.label, request.method, request.path, request.is_read, content=request.content, headers=headers))

    def _data(self, answer: Answer) -> dict[str, Any]:
        """What `data` of an answer holds."""
        if answer.status == 403:
            raise _RefusedError("Vault refuses the token, or its policies do not let it read that path")
        if answer.status == 404:
            self._not_there(answer)
        data = self._value(answer).get("data")
        if not isinstance(data, dict):
            raise _RefusedError("the answer is none of Vault's")
        return data

    def _not_there(self, answer: Answer) -> NoReturn:
        try:
            held = json_value(answer.body)
        except UnusableAnswerError:
            held = None
        data = held.get("data") if isinstance(held, dict) else None
        if isinstance(data, dict) and data.get("metadata"):
            raise _RefusedError("its newest version was deleted")
        version = self._vault.version
        raise _RefusedError(
            f'nothing is there; "{self._vault.mount}" may be an engine of version {3 - version} (`version:` under `vault:`)'
        )

    def _value(self, answer: Answer) -> dict[str, Any]:
        if answer.status != 200 or len(answer.body) > MOST_ANSWER_BYTES:
            raise _RefusedError(f"Vault answers HTTP {answer.status}, {len(answer.body)} bytes")
        try:
            value = json_value(answer.body)
        except (UnusableAnswerError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise _RefusedError("the answer is none of Vault's")
        return value
