"""The REST 2.x wire of a FlashArray: version, login, one request at a time, refusals in our own terms."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.https import UNKNOWN_FACTS, HttpsSession, Request
from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.common.tokens import Login, Token, refusal
from auditor.errors import CredentialsError, EndpointError, MalformedAnswerError, NotThereError, PermissionMissingError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.endpoints.common.https import Answer
    from auditor.model import Endpoint

OLDEST_API = (2, 2)
"""The first release with arrays, controllers and volume groups. Source: the vendor's OpenAPI definitions (flasharray_qos.LIMITS)."""

NEWEST_API = (2, 56)
"""The newest one that those definitions held in July 2026; 2.12 and 2.18 were never published."""

_VERSION = re.compile(r"(\d+)\.(\d+)")
_TOKEN_HEADER = "x-auth-token"  # noqa: S105  the header's name
_LONGEST_MESSAGE = 300


class FlashArrayWire:
    """Asks one array. Safe to use from several threads.

    Attributes:
        https: what it asks by.
        api_version: the newest that both know, as text: "2.10" is not 2.1.
        newer: versions the array speaks beside it that are not known here; a newer auditor may read more.
        username: whose API token it is, as the login reports; None when it does not.

    Raises:
        CredentialsError, EndpointUnreachableError, NotThereError, MalformedAnswerError: as `open_flasharray`.
    """

    def __init__(self, endpoint: Endpoint, session: HttpsSession) -> None:
        self._endpoint = endpoint
        self.https = session
        self.username: str | None = None
        self.api_version, self.newer = self._negotiated()
        self._login = Login(self._token)

    def ask(
        self,
        method: str,
        resource: str,
        *,
        params: Mapping[str, str] | None = None,
        body: Any = None,
    ) -> tuple[dict[str, Any], Mapping[str, str]]:
        """The JSON object of an answer, without secrets, and the answer's headers.

        A read (GET) whose session is over logs in and asks once more; a write is sent once and no more.

        Raises:
            EndpointError: as `FlashArray.pages` and `FlashArray.patch` say.
        """
        token = self._login.token
        request = Request(
            label=f"{method} {resource}",
            method=method,
            path=f"{self.api_version}/{resource}",
            is_read=method == "GET",
            params=params,
            content=None if body is None else json.dumps(body).encode(),
            headers={_TOKEN_HEADER: token.text, **({} if body is None else {"Content-Type": "application/json"})},
        )
        answer = self.https.ask(request)
        if answer.status == 401:
            # Source: the vendor's pure-fa-openmetrics-exporter, which takes 401 for a token that is over, and logs in again.
            if not request.is_read:
                raise CredentialsError(
                    f"endpoint {self._endpoint.name}: its session was over when {request.label} came",
                    why="nothing was written.",
                    do="try again: the next reading logs in anew.",
                )
            request = dataclasses.replace(request, headers={_TOKEN_HEADER: self._login.renewed(token).text})
            answer = self.https.ask(request)
        return self._understood(answer, request), answer.headers

    def logout(self) -> None:
        """End the session on the array, so that it does not count until its idle time-out; whether that worked does not matter."""
        headers = {_TOKEN_HEADER: self._login.token.text}
        try:
            self.https.ask(Request("POST logout", "POST", f"{self.api_version}/logout", is_read=False, headers=headers))
        except EndpointError:
            return

    def _negotiated(self) -> tuple[str, tuple[str, ...]]:
        request = Request("GET api_version", "GET", "api_version", is_read=True)
        versions = self._understood(self.https.ask(request), request).get("version")
        spoken = sorted(
            (int(match[1]), int(match[2]))
            for each in (versions if isinstance(versions, list) else ())
            if (match := _VERSION.fullmatch(str(each)))
        )
        usable = [version for version in spoken if OLDEST_API <= version <= NEWEST_API]
        newer = tuple("{}.{}".format(*version) for version in spoken if version > NEWEST_API)
        if usable:
            return "{}.{}".format(*usable[-1]), newer
        range_text = "from {}.{} to {}.{}".format(*OLDEST_API, *NEWEST_API)
        why_not = f"all it speaks is newer, from {newer[0]}" if newer else "its newest is {}.{}".format(*spoken[-1]) if spoken else ""
        raise NotThereError(
            f"endpoint {self._endpoint.name}: it speaks no REST version {range_text}{why_not and ': '}{why_not}",
            why="nothing on it was read.",
            do="look for a newer auditor."
            if newer
            else "check that a FlashArray's management address stands in fleet.yaml; update Purity.",
        )

    def _token(self) -> Token:
        """A session token. Source: the definitions, POST login: "Exchange an API token for a session token"."""
        api_token = password_of(self._endpoint).strip()
        refused = CredentialsError(
            f"endpoint {self._endpoint.name}: it refused the login of the API token",
            why="nothing on it was read.",
            do="check `api_token:` of this endpoint in fleet.yaml, and that the token has not expired on the array.",
        )
        if not (api_token.isascii() and api_token.isprintable()):
            raise refused  # it cannot be one, and as a header it would end up in somebody's error message
        request = Request("POST login", "POST", f"{self.api_version}/login", is_read=True, headers={"api-token": api_token})
        answer = self.https.ask(request)
        if answer.status in (400, 401, 403):  # which one is not verified; the token is all that was sent
            raise refused
        items = self._understood(answer, request).get("items")
        if isinstance(items, list) and items and isinstance(items[0], dict) and isinstance(items[0].get("username"), str):
            self.username = items[0]["username"]
        token = answer.headers.get(_TOKEN_HEADER)
        if not token:
            raise MalformedAnswerError(
                f"endpoint {self._endpoint.name}: its answer to POST login holds no {_TOKEN_HEADER}",
                why="nothing on it was read.",
                do="check that a FlashArray's management address stands in fleet.yaml, and no proxy in between.",
            )
        return Token(token)

    def _understood(self, answer: Answer, request: Request) -> dict[str, Any]:
        if answer.status >= 500:
            raise self.https.nonsense(answer, request)
        if answer.status == 200 and not answer.body and not request.is_read:
            return {}
        decoded = self.https.decoded(answer, request)
        if not isinstance(decoded, dict) or answer.status == 401:
            raise self.https.nonsense(answer, request)
        if answer.status != 200:
            raise self._refusal(answer, request, decoded)
        return decoded

    def _refusal(self, answer: Answer, request: Request, error: dict[str, Any]) -> EndpointError:
        """A refusal in the array's own words: {"errors": [{"context": what it is about, "message": ...}]}."""
        errors = error.get("errors")
        first = errors[0] if isinstance(errors, list) and errors and isinstance(errors[0], dict) else {}
        about = ": ".join(str(first[key]) for key in ("context", "message") if first.get(key))[:_LONGEST_MESSAGE] or f"HTTP {answer.status}"
        what = f"endpoint {self._endpoint.name}: {request.label}: {about}"
        if answer.status == 403:
            why = UNKNOWN_FACTS if request.is_read else "nothing was written."
            do = f"give the user of the API token a role that allows {request.label}: readonly reads, storage_admin writes."
            return PermissionMissingError(what, why=why, do=do)
        # Source: OpenStack cinder, pure.py, ERR_MSG_NOT_EXIST.
        return refusal(what, request, 404 if "does not exist" in about else answer.status)
