"""The REST wire of a PowerStore: login, one request at a time, refusals in our own terms."""

from __future__ import annotations

import base64
import dataclasses
import json
import time
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.https import UNKNOWN_FACTS, HttpsSession, Request
from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.common.tokens import Login, Token, refusal
from auditor.errors import CredentialsError, EndpointError, PermissionMissingError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.endpoints.common.https import Answer
    from auditor.model import Endpoint

_TOKEN_HEADER = "dell-emc-token"  # noqa: S105  the header's name
_LONGEST_MESSAGE = 300
_FRESH_SECONDS = 60.0
"""A session that is younger is not what a 403 is about."""


class _Token(Token):
    """A token, and when it was given."""

    __slots__ = ("since",)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.since = time.monotonic()


class PowerStoreWire:
    """Asks one array. Safe to use from several threads.

    A login is GET login_session with basic authentication. It is answered by the cookie auth_cookie, which the session keeps, and by the
    header DELL-EMC-TOKEN, which every request but GET needs.

    Attributes:
        https: what it asks by.
        role_ids: of the account, as the login reports them; None where it does not.

    Raises:
        CredentialsError, EndpointUnreachableError, MalformedAnswerError: as `open_powerstore`.

    Source: dell/python-powerstore, PyPowerStore/client.py, AuthenticationManager; dell/gopowerstore, api/api.go, login.
    """

    def __init__(self, endpoint: Endpoint, session: HttpsSession) -> None:
        self._endpoint = endpoint
        self.https = session
        self.role_ids: tuple[str, ...] | None = None
        self._login = Login(self._token)

    def ask(
        self, method: str, resource: str, *, params: Mapping[str, str] | None = None, body: Any = None, is_read: bool = True
    ) -> tuple[Any, Answer]:
        """The JSON value of an answer, without secrets, None where it has none; and the answer.

        A read whose session is over logs in and asks once more; a write is sent once and no more. 401 is that; 403 may be (gopowerstore
        logs in anew for it), unless the session is new.

        Raises:
            EndpointError: as `PowerStore.listed` and `PowerStore.patch` say.
        """
        token = self._login.token
        request = Request(
            label=f"{method} {resource}",
            method=method,
            path=resource,
            is_read=is_read,
            params=params,
            content=None if body is None else json.dumps(body).encode(),
            headers={_TOKEN_HEADER: token.text, **({} if body is None else {"Content-Type": "application/json"})},
        )
        answer = self.https.ask(request)
        if answer.status == 401 or (answer.status == 403 and time.monotonic() - token.since > _FRESH_SECONDS):
            if not is_read:
                raise CredentialsError(
                    f"endpoint {self._endpoint.name}: its session was over when {request.label} came, or the account may not do it",
                    why="nothing was written.",
                    do="try again: the next reading logs in anew.",
                )
            request = dataclasses.replace(request, headers={**(request.headers or {}), _TOKEN_HEADER: self._login.renewed(token).text})
            answer = self.https.ask(request)
        return self._understood(answer, request), answer

    def logout(self) -> None:
        """End the session on the array; whether that worked does not matter. Source: PyPowerStore/client.py, logout_session."""
        headers = {_TOKEN_HEADER: self._login.token.text}
        try:
            self.https.ask(Request("POST logout", "POST", "logout", is_read=False, headers=headers))
        except EndpointError:
            return

    def _token(self) -> _Token:
        secret = base64.b64encode(f"{self._endpoint.username}:{password_of(self._endpoint)}".encode()).decode()
        request = Request(
            "GET login_session",
            "GET",
            "login_session",
            is_read=True,
            params={"select": "id,role_ids"},
            headers={"authorization": f"Basic {secret}"},
        )
        answer = self.https.ask(request)
        if answer.status == 401:
            raise self.https.nonsense(answer, request)
        sessions = self._understood(answer, request)
        if not isinstance(sessions, list):
            raise self.https.nonsense(answer, request)
        held = sessions[0].get("role_ids") if sessions and isinstance(sessions[0], dict) else None
        self.role_ids = tuple(map(str, held)) if isinstance(held, list) else None
        return _Token(answer.headers.get(_TOKEN_HEADER, ""))

    def _understood(self, answer: Answer, request: Request) -> Any:
        if answer.status >= 500:
            raise self.https.nonsense(answer, request)
        if answer.status in (201, 202, 204) and not answer.body:
            return None
        if answer.status == 401:
            raise self.https.nonsense(answer, request)
        if answer.status == 416 and request.is_read:
            return []  # the list ends before the page that was asked for
        decoded = self.https.decoded(answer, request)
        if answer.status not in (200, 201, 202, 206):
            raise self._refusal(answer, request, decoded)
        return decoded

    def _refusal(self, answer: Answer, request: Request, error: Any) -> EndpointError:
        """A refusal in the array's own words: {"messages": [{"code", "severity", "message_l10n", "arguments"}]}.

        Source: the OpenAPI definitions, error_response; dell/gopowerstore, api/test_data/err_response.json.
        """
        messages = error.get("messages") if isinstance(error, dict) else None
        first = messages[0] if isinstance(messages, list) and messages and isinstance(messages[0], dict) else {}
        words = ": ".join(str(first[key]) for key in ("code", "message_l10n") if first.get(key))
        about = words[:_LONGEST_MESSAGE] or f"HTTP {answer.status}"
        what = f"endpoint {self._endpoint.name}: {request.label}: {about}"
        if answer.status == 403:
            why = UNKNOWN_FACTS if request.is_read else "nothing was written."
            do = f"give {self._endpoint.username} a role that allows {request.label}: Operator reads, Storage Administrator writes."
            return PermissionMissingError(what, why=why, do=do)
        return refusal(what, request, answer.status)
