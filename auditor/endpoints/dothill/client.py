"""Sessions with arrays of the Dot Hill family: commands of their command line as addresses over HTTPS, and nothing but `show`.

The array takes a session of half an hour, and few at a time, so one is opened, ended, and opened anew where it is lost. Each controller has
an address of its own; the one in fleet.yaml is asked and no other.
"""

from __future__ import annotations

import base64
import hashlib
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from auditor.endpoints.common.answer_limits import UnusableAnswerError
from auditor.endpoints.common.https import UNKNOWN_FACTS, HttpsSession, Request
from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.common.sessions import SessionBase
from auditor.endpoints.common.tokens import Login, Token, logged_in
from auditor.endpoints.dothill.answers import SESSION_OVER, decoded, status_of
from auditor.errors import CredentialsError, EndpointError, MalformedAnswerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from auditor.endpoints.common.https import Answer as HttpAnswer
    from auditor.endpoints.dothill.answers import Answer, Status
    from auditor.model import Endpoint

_LISTS = ("alerts", "controllers", "disks", "host-groups", "initiators", "maps", "pools", "sessions", "versions", "volumes")
SHOWN = frozenset((*_LISTS, "system", "pool-statistics", "volume-statistics"))
"""All that is ever asked, each with `show`; an address has room for any command, and those that write stand beside these."""

_REFUSED_LOGIN = frozenset({400, 401, 403})


class RefusedCommandError(EndpointError):
    """The array answered a command with an error of its own."""


class DotHillArray(SessionBase):
    """One array, logged in to. Made by `open_dothill`; safe to use from several threads."""

    def __init__(self, endpoint: Endpoint, https: HttpsSession) -> None:
        super().__init__(endpoint, https)
        self._https = https
        self._login = Login(self._key)
        about = self._about()
        self.known_identity = identity_of(about)
        self.release = " ".join(str(about[name]) for name in ("vendor-name", "product-id") if about.get(name)) or "Dot Hill array"

    def show(self, what: str) -> tuple[Answer, Status]:
        """What a command of `SHOWN` answers, whole: objects by their basetype; and how it ended. A lost session is opened anew once.

        Raises:
            EndpointUnreachableError: no answer, or none in time.
            CredentialsError: the account is not, or no longer, accepted.
            PermissionMissingError: the account may not ask this.
            RefusedCommandError: the array answered with an error of its own.
            MalformedAnswerError: the answer is none of an array, or does not say how the command ended.
        """
        if what not in SHOWN:
            raise ValueError(f"show {what} is not among the commands that are asked")
        key = self._login.token
        answer, status = self._asked(what, key)
        if status is None:
            answer, status = self._asked(what, self._login.renewed(key))
        if status is None:
            raise CredentialsError(
                f"endpoint {self.endpoint.name}: it does not take the session that it has just opened",
                why="what it would have reported is unknown.",
                do="look whether another program opens sessions with this account: an array has few at a time.",
            )
        if status.is_error:
            raise RefusedCommandError(
                f"endpoint {self.endpoint.name}: show {what}: {status.text or 'an error without a text'} ({status.code})",
                why=UNKNOWN_FACTS,
                do="run the command on the array's own command line; its firmware may not have it, or the account may not ask it.",
            )
        return answer, status

    def read_identity(self) -> str | None:
        """The serial number of its midplane; None when it reports none."""
        return identity_of(self._about())

    def role(self) -> str | None:
        """The roles of the account, for example "monitor"; None when the array does not report them.

        Source: edingc/powervault_me5_exporter, testdata/sessions.json: `show sessions`, username and roles.
        """
        try:
            sessions = self.show("sessions")[0].get("sessions")
        except RefusedCommandError:
            return None
        own = [one for one in (sessions if isinstance(sessions, list) else ()) if isinstance(one, dict)]
        roles = [str(one["roles"]) for one in own if one.get("username") == self.endpoint.username and one.get("roles")]
        return ", ".join(dict.fromkeys(roles)) or None

    def logout(self) -> None:
        """End the session, so that it does not count for half an hour; whether that worked does not matter.

        Source: OpenStack cinder, stx/client.py: GET /api/exit.
        """
        with suppress(EndpointError):
            self._https.ask(Request("exit", "GET", "exit", is_read=False, headers=self._headers(self._login.token)))

    def _about(self) -> Mapping[str, Any]:
        listed = self.show("system")[0].get("system")
        return listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], dict) else {}

    def _asked(self, what: str, key: Token) -> tuple[Answer, Status | None]:
        """An answer, and how the command ended; None where the session is over."""
        request = Request(f"show {what}", "GET", f"show/{what}", is_read=True, headers=self._headers(key))
        answer = self._https.ask(request)
        if answer.status == 401:
            return {}, None
        objects, status = self._understood(answer, request)
        return objects, None if status.is_error and status.code in SESSION_OVER else status

    def _key(self) -> Token:
        """The key of a new session.

        One request holds both forms of the login, as cinder's client sends them: the hash that scripts send, and basic authentication, by
        which accounts of a directory log in. A firmware that knows MD5 alone is not read.

        Source: OpenStack cinder, stx/client.py (digest in the address and basic authentication in one request); SHA-256 of user_password:
        enix/hpmsa_exporter, msa_exporter.py, and edingc/powervault_me5_exporter, internal/client/client.go.
        """
        user, password = self.endpoint.username, password_of(self.endpoint)
        basic = base64.b64encode(f"{user}:{password}".encode()).decode()
        headers = {"dataType": "json", "Authorization": f"Basic {basic}"}
        path = f"login/{hashlib.sha256(f'{user}_{password}'.encode()).hexdigest()}"
        request = Request("login", "GET", path, is_read=True, headers=headers, shown_path="login")
        answer = self._https.ask(request)
        if answer.status not in _REFUSED_LOGIN:
            _, status = self._understood(answer, request)
            if not status.is_error and status.text:
                return Token(status.text)
        raise CredentialsError(
            f"endpoint {self.endpoint.name}: it refused the login of {self.endpoint.username}",
            why="nothing on it was read.",
            do="check the user name and the secret of this endpoint in fleet.yaml, that the account may use the WBI, and that the firmware "
            "takes SHA-256 logins: one that takes MD5 alone is not read.",
        )

    def _headers(self, key: Token) -> dict[str, str]:
        return {"sessionKey": key.text, "dataType": "json"}

    def _understood(self, answer: HttpAnswer, request: Request) -> tuple[Answer, Status]:
        if answer.status != 200:
            raise self._https.nonsense(answer, request)
        try:
            objects = decoded(answer.body)
        except UnusableAnswerError as error:
            raise self._https.nonsense(answer, request, str(error)) from None
        status = status_of(objects)
        if status is None:
            raise MalformedAnswerError(
                f"endpoint {self.endpoint.name}: its answer to {request.label} does not say how the command ended",
                why=UNKNOWN_FACTS,
                do="check that the management address of one of its controllers stands in fleet.yaml, and no proxy in between.",
            )
        return objects, status


def identity_of(about: Mapping[str, Any]) -> str | None:
    """The serial number of an array by its object of `show system`."""
    found = about.get("midplane-serial-number")
    return found if isinstance(found, str) and found else None


@contextmanager
def open_dothill(endpoint: Endpoint) -> Iterator[DotHillArray]:
    """A session with an array; it is ended and every connection closed at the end.

    Raises:
        CredentialsError: the password cannot be looked up, or is refused.
        EndpointUnreachableError: no connection, no answer in time, or a certificate that does not verify.
        MalformedAnswerError: something answers, but not an array of this family.
        ConfigurationError: the endpoint's CA file cannot be read.
    """
    with logged_in(endpoint, "/api/", DotHillArray) as array:
        yield array
