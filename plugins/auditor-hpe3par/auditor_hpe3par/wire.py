"""The wire of WSAPI: a session key, one request at a time, refusals in auditor's own terms.

Source: HP 3PAR Web Services API 1.3.1 Developer's Guide, p. 22 (error codes), p. 40 and 41 (session keys); python-3parclient at b7eee9d,
hpe3parclient/http.py.
"""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from auditor.endpoints.common.answer_limits import UnusableAnswerError, json_value
from auditor.endpoints.common.https import UNKNOWN_FACTS, HttpsSession, Request
from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.common.tokens import Login, Token
from auditor.errors import CredentialsError, EndpointError, MalformedAnswerError, NotThereError, PermissionMissingError

if TYPE_CHECKING:
    from auditor.endpoints.common.clocks import Difference
    from auditor.endpoints.common.https import Answer
    from auditor.model import Endpoint

_KEY_HEADER = "X-HP3PAR-WSAPI-SessionKey"
_INVALID_KEY = 6  # error code INV_SESS_KEY, with status 403
_LONGEST_MESSAGE = 300


class Wire:
    """Asks one array. Safe to use from several threads; the array answers the requests of one session one after another.

    Raises:
        CredentialsError, EndpointUnreachableError, MalformedAnswerError: as `open_hpe3par`.
    """

    def __init__(self, endpoint: Endpoint, session: HttpsSession) -> None:
        self._endpoint = endpoint
        self._session = session
        self._login = Login(self._key)

    @property
    def clock_difference(self) -> Difference | None:
        """As `HttpsSession.clock_difference`."""
        return self._session.clock_difference

    def get(self, path: str) -> dict[str, Any]:
        """The JSON object at `path`; fields that hold secrets read "***".

        A key that is over (after 15 minutes without a request) is renewed once.

        Raises:
            EndpointError: it could not be asked, or its answer is none that can be used.
        """
        key = self._login.token
        request = Request(f"GET {path}", "GET", path, is_read=True, headers={_KEY_HEADER: key.text})
        answer = self._session.ask(request)
        if answer.status == 401 or (answer.status == 403 and _error_of(answer).get("code") == _INVALID_KEY):
            request = dataclasses.replace(request, headers={_KEY_HEADER: self._login.renewed(key).text})
            answer = self._session.ask(request)
        return self._understood(answer, request)

    def logout(self) -> None:
        """Delete the key, so that the session does not count until its time-out; whether that worked does not matter."""
        path = f"credentials/{quote(self._login.token.text, safe='')}"
        request = Request(
            "DELETE credentials", "DELETE", path, is_read=False, headers={_KEY_HEADER: self._login.token.text}, shown_path="credentials/***"
        )
        try:
            self._session.ask(request)
        except EndpointError:
            return

    def _key(self) -> Token:
        """A session key. A refused user is answered 403 with the error code 5, INV_USER_PASS."""
        content = {"user": self._endpoint.username, "password": password_of(self._endpoint)}
        headers = {"Content-Type": "application/json"}
        request = Request("POST credentials", "POST", "credentials", is_read=True, content=json.dumps(content).encode(), headers=headers)
        answer = self._session.ask(request)
        if answer.status in (401, 403):  # name and password are all that was sent
            raise CredentialsError(
                f"endpoint {self._endpoint.name}: it refused the login of {self._endpoint.username}",
                why="nothing on it was read.",
                do="check the user name and the secret of this endpoint in fleet.yaml, and that the account is not locked.",
            )
        if answer.status not in (200, 201):
            raise self._session.nonsense(answer, request, _words(_error_of(answer)) or "it opens no session")
        try:
            value = json_value(answer.body)  # not `decoded`, which may mask the key
        except UnusableAnswerError as error:
            raise self._session.nonsense(answer, request, str(error)) from None
        key = value.get("key") if isinstance(value, dict) else None
        if not (isinstance(key, str) and key and key.isascii() and key.isprintable()):
            raise MalformedAnswerError(
                f"endpoint {self._endpoint.name}: its answer to POST credentials holds no session key",
                why="nothing on it was read.",
                do="check that the address of a 3PAR stands in fleet.yaml, with its port (8080 on a 3PAR), and no proxy in between.",
            )
        return Token(key)

    def _understood(self, answer: Answer, request: Request) -> dict[str, Any]:
        if answer.status == 404:
            raise NotThereError(
                f"endpoint {self._endpoint.name}: {request.label}: {_words(_error_of(answer)) or 'HTTP 404'}",
                why=UNKNOWN_FACTS,
                do="compare its release with those that this plugin was written for: an older one may not have it.",
            )
        if answer.status == 403:
            raise PermissionMissingError(
                f"endpoint {self._endpoint.name}: {self._endpoint.username} may not call {request.label}: "
                f"{_words(_error_of(answer)) or 'HTTP 403'}",
                why=UNKNOWN_FACTS,
                do=f"give the account a role that allows {request.label}.",
            )
        if answer.status != 200:
            raise self._session.nonsense(answer, request, _words(_error_of(answer)) or "it is not what was asked for")
        decoded = self._session.decoded(answer, request)
        if not isinstance(decoded, dict):
            raise self._session.nonsense(answer, request)
        return decoded


def _error_of(answer: Answer) -> dict[str, Any]:
    """The error object of an answer: code, desc; empty where it has none."""
    try:
        value = json_value(answer.body)
    except UnusableAnswerError:
        return {}
    return value if isinstance(value, dict) else {}


def _words(error: dict[str, Any]) -> str:
    """The code of an error and what the array says of it; '' where there is none."""
    return ": ".join(str(error[key]) for key in ("code", "desc") if error.get(key))[:_LONGEST_MESSAGE]
