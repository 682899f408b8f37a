"""The REST v1 wire of NimbleOS: a token, one request at a time, refusals in our own terms.

Source: hpe-storage/nimble-python-sdk at f7f6030, nimbleclient/v1/restclient.py; the vendor's REST API reference, "Errors"
(support.hpe.com, nmtp350en_us). Nothing of it was verified against a real array by us.
"""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.answer_limits import UnusableAnswerError, json_value
from auditor.endpoints.common.https import UNKNOWN_FACTS, HttpsSession, Request
from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.common.tokens import Login, Token, refusal
from auditor.errors import CredentialsError, EndpointError, MalformedAnswerError, PermissionMissingError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.endpoints.common.https import Answer
    from auditor.model import Endpoint

_TOKEN_HEADER = "x-auth-token"  # noqa: S105  the header's name
_LONGEST_MESSAGE = 300


class _Token(Token):
    """A token, with the id by which it is deleted."""

    __slots__ = ("id",)

    def __init__(self, text: str, token_id: str) -> None:
        super().__init__(text)
        self.id = token_id


class NimbleWire:
    """Asks one group of arrays. Safe to use from several threads.

    Raises:
        CredentialsError, EndpointUnreachableError, MalformedAnswerError: as `open_nimble`.
    """

    def __init__(self, endpoint: Endpoint, session: HttpsSession) -> None:
        self._endpoint = endpoint
        self.https = session
        self._login = Login(self._token)

    def ask(
        self, method: str, resource: str, *, params: Mapping[str, str] | None = None, body: Any = None
    ) -> tuple[dict[str, Any], Mapping[str, str]]:
        """The JSON object of an answer, without secrets, and the answer's headers.

        A read (GET) whose session is over logs in and asks once more; a write is sent once and no more. The array answers 401 both where a
        token is over and where the role does not allow the call, so a read that a new token does not help is a matter of the role.

        Raises:
            EndpointError: as `NimbleGroup.rows` and `NimbleGroup.put` say.
        """
        token = self._login.token
        request = Request(
            label=f"{method} {resource}",
            method=method,
            path=resource,
            is_read=method == "GET",
            params=params,
            content=None if body is None else json.dumps({"data": body}).encode(),
            headers={_TOKEN_HEADER: token.text, **({} if body is None else {"Content-Type": "application/json"})},
        )
        answer = self.https.ask(request)
        if answer.status == 401 and not request.is_read:
            raise CredentialsError(
                f"endpoint {self._endpoint.name}: it answers 401 to {request.label}: its session was over, or the role does not allow it",
                why="nothing was written.",
                do="try again: the next reading logs in anew; if it stays, give the account a role that may change volumes.",
            )
        if answer.status == 401:
            request = dataclasses.replace(request, headers={_TOKEN_HEADER: self._login.renewed(token).text})
            answer = self.https.ask(request)
            if answer.status == 401:
                raise self._not_allowed(request, "it answers 401 to a new session, too")
        return self._understood(answer, request), answer.headers

    def logout(self) -> None:
        """End the session on the array, so that it does not count until its time-out; whether that worked does not matter."""
        token = self._login.token
        request = Request("DELETE tokens", "DELETE", f"tokens/{token.id}", is_read=False, headers={_TOKEN_HEADER: token.text})
        try:
            self.https.ask(request)
        except EndpointError:
            return

    def _token(self) -> _Token:
        """A session token and its id. Source: the SDK, `_connect`; REST API reference, POST v1/tokens: 201."""
        content = {"data": {"username": self._endpoint.username, "password": password_of(self._endpoint), "app_name": "auditor"}}
        headers = {"Content-Type": "application/json"}
        request = Request("POST tokens", "POST", "tokens", is_read=True, content=json.dumps(content).encode(), headers=headers)
        answer = self.https.ask(request)
        if answer.status in (400, 401, 403):  # name and password are all that was sent
            raise CredentialsError(
                f"endpoint {self._endpoint.name}: it refused the login of {self._endpoint.username}",
                why="nothing on it was read.",
                do="check the user name and the secret of this endpoint in fleet.yaml, and that the account is not locked.",
            )
        if answer.status >= 400:
            raise self.https.nonsense(answer, request)
        try:
            value = json_value(answer.body)  # not `decoded`, which would mask the token
        except UnusableAnswerError as error:
            raise self.https.nonsense(answer, request, str(error)) from None
        data = value.get("data") if isinstance(value, dict) else None
        text, token_id = (data.get("session_token"), data.get("id")) if isinstance(data, dict) else (None, None)
        if not (isinstance(text, str) and text.isascii() and text.isprintable() and text and isinstance(token_id, str) and token_id):
            raise MalformedAnswerError(
                f"endpoint {self._endpoint.name}: its answer to POST tokens holds no session token",
                why="nothing on it was read.",
                do="check that the management address of a Nimble group stands in fleet.yaml, with port 5392, and no proxy in between.",
            )
        return _Token(text, token_id)

    def _understood(self, answer: Answer, request: Request) -> dict[str, Any]:
        if answer.status >= 500:
            raise self.https.nonsense(answer, request)
        decoded = self.https.decoded(answer, request)
        if not isinstance(decoded, dict):
            raise self.https.nonsense(answer, request)
        if answer.status >= 400:
            raise self._refusal(answer, request, decoded)
        if answer.status not in (200, 201, 202, 206):
            raise self.https.nonsense(answer, request)
        return decoded

    def _refusal(self, answer: Answer, request: Request, error: Mapping[str, Any]) -> EndpointError:
        about = words_of(error.get("messages")) or f"HTTP {answer.status}"
        if answer.status == 403:
            return self._not_allowed(request, about)
        what = f"endpoint {self._endpoint.name}: {request.label}: {about}"
        return refusal(what, request, answer.status, look_at="alarms")

    def _not_allowed(self, request: Request, about: str) -> PermissionMissingError:
        return PermissionMissingError(
            f"endpoint {self._endpoint.name}: {self._endpoint.username} may not call {request.label}: {about}",
            why=UNKNOWN_FACTS if request.is_read else "nothing was written.",
            do=f"give the account a role that allows {request.label}: guest reads.",
        )


def words_of(messages: Any) -> str:
    """The first message of an answer as text: its code and what it says; '' where there is none.

    Source: the SDK's NsErrorWithArguments: code, severity, text.
    """
    first = messages[0] if isinstance(messages, list) and messages and isinstance(messages[0], dict) else {}
    return ": ".join(str(first[key]) for key in ("code", "text") if first.get(key))[:_LONGEST_MESSAGE]
