"""The connection to a Dell Storage Manager: versions, login, lost sessions, and what refusals mean."""

from __future__ import annotations

import base64
import json
import threading
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.https import UNKNOWN_FACTS, Request
from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.dell_sc.answers import Attributes, message_of, version, version_range
from auditor.errors import EndpointError, MalformedAnswerError, NotThereError, PermissionMissingError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.endpoints.common.https import Answer, HttpsSession
    from auditor.model import Endpoint

OLDEST_API = (2, 0)  # cinder's oldest
NEWEST_API = "4.1"  # the newest that a public client asks for (telegraf's plugin)

_LOGIN = "ApiConnection/Login"


class ManagerConnection:
    """One login at one Storage Manager. Safe to use from several threads.

    The password is looked up for each login and goes with that request alone; a cookie stands for it from then on.

    Attributes:
        endpoint: whom we talk to.
        https: what carries the requests.
        api_version: the newest that both speak, as text: "2.10" is not 2.1.
        about: the ApiConnection object of the last login.

    Raises:
        EndpointError, ConfigurationError: as `open_dell_sc`.
    """

    def __init__(self, endpoint: Endpoint, https: HttpsSession) -> None:
        self.endpoint = endpoint
        self.https = https
        self.api_version = NEWEST_API
        self._logging_in = threading.Lock()
        self._logins = 0
        self.about = self._log_in()

    def request(self, method: str, path: str, payload: Mapping[str, Any] | None = None, *, is_read: bool, as_task: bool = False) -> Request:
        """One request; with `as_task` one that is answered at once, and carried out afterwards."""
        headers = {**self._headers(), "async": "True"} if as_task else self._headers()
        content = None if payload is None else json.dumps(payload).encode()
        return Request(label=f"{method} {path}", method=method, path=path, is_read=is_read, content=content, headers=headers)

    def read(self, request: Request) -> Answer:
        """The answer to a read, of any status; a session that was lost is made anew, once.

        Raises:
            EndpointError: no answer, or no new session.
        """
        logins = self._logins
        answer = self.https.ask(request)
        if answer.status == 401:
            self._log_in_again(logins)
            answer = self.https.ask(request)
        elif answer.status == 400 and b"Unhandled Exception" in answer.body:
            answer = self.https.ask(request)  # cinder's client asks again then
        return answer

    def write(self, request: Request) -> Answer:
        """The answer to a write, which is sent once.

        Raises:
            RefusedError: the session had ended; whatever is read next makes a new one.
            EndpointError: no answer: whether it was carried out is not known.
        """
        answer = self.https.ask(request)
        if answer.status != 401:
            return answer
        raise RefusedError(
            f"endpoint {self.endpoint.name}: the session had ended when {request.label} was asked",
            why="nothing was written.",
            do="run it again.",
        )

    def value(self, request: Request) -> Any:
        """The decoded answer to a read that went well.

        Raises:
            EndpointError: it did not.
        """
        answer = self.read(request)
        if answer.status != 200:
            raise self.refusal(answer, request)
        return self.https.decoded(answer, request)

    def refusal(self, answer: Answer, request: Request) -> EndpointError:
        """The error for an answer with a status of failure.

        Which status a real manager gives for what is not verified; that its text goes under "result" is.
        """
        message = message_of(answer.body) or f"HTTP {answer.status}"
        what = f"endpoint {self.endpoint.name}: {request.label}: {message}"
        why = UNKNOWN_FACTS if request.is_read else "nothing was written."
        if answer.status == 403:
            return PermissionMissingError(what, why=why, do=f"give {self.endpoint.username} a role that allows {request.label}.")
        if answer.status == 404:
            return NotThereError(what, why=why, do="collect again: it may have been removed since, or the release does not have it.")
        if answer.status == 401 or not 400 <= answer.status < 500:
            return self.https.nonsense(answer, request)
        if request.is_read:
            return EndpointError(what, why=why, do="ask again; if it stays, look at Storage Manager's own log.")
        return RefusedError(what, why=why, do="compare the value with what Storage Manager itself offers.")

    def malformed(self, label: str, reason: str, why: str = UNKNOWN_FACTS) -> MalformedAnswerError:
        """An answer that is whole, and not what was asked for."""
        return MalformedAnswerError(
            f"endpoint {self.endpoint.name}: its answer to {label} makes no sense: {reason}",
            why=why,
            do="check that the address of a Dell Storage Manager (port 3033) stands in fleet.yaml.",
        )

    def _headers(self) -> dict[str, str]:
        return {"x-dell-api-version": self.api_version, "Content-Type": "application/json; charset=utf-8"}

    def _log_in(self) -> Attributes:
        password = password_of(self.endpoint)
        answer = self._ask_to_log_in(password)
        versions = version_range(message_of(answer.body)) if answer.status >= 400 else None
        if versions:
            self.api_version = self._common(*versions)
            answer = self._ask_to_log_in(password)
        request = self.request("POST", _LOGIN, is_read=True)
        if answer.status != 200:
            raise self.refusal(answer, request)
        value = self.https.decoded(answer, request)
        spoken = str(Attributes(value).get("apiVersion")) if isinstance(value, dict) else ""
        if version(spoken) is None:
            raise self.malformed(request.label, "it reports no apiVersion")
        self.api_version = self._common(str(Attributes(value).get("minApiVersion") or spoken), spoken)
        self._logins += 1
        return Attributes(value)

    def _ask_to_log_in(self, password: str) -> Answer:
        """A login is no write: a busy manager may be asked again. One that refuses the password is not, for that could lock the account."""
        basic = base64.b64encode(f"{self.endpoint.username}:{password}".encode()).decode()
        request = self.request("POST", _LOGIN, {"Application": "auditor", "ApplicationVersion": "1.0"}, is_read=True)
        headers = {**self._headers(), "Authorization": f"Basic {basic}"}
        return self.https.ask(Request(request.label, request.method, request.path, is_read=True, content=request.content, headers=headers))

    def _log_in_again(self, logins: int) -> None:
        """Log in, unless another thread has done so since there were `logins` of them."""
        with self._logging_in:
            if self._logins == logins:
                self.about = self._log_in()

    def _common(self, oldest: str, newest: str) -> str:
        """The newest API version that both speak.

        Raises:
            NotThereError: there is none.
        """
        lowest, highest, known = version(oldest), version(newest), version(NEWEST_API) or OLDEST_API
        if lowest is None or highest is None or highest < OLDEST_API or lowest > known:
            raise NotThereError(
                f"endpoint {self.endpoint.name}: it speaks API {oldest} to {newest}, we speak "
                f"{OLDEST_API[0]}.{OLDEST_API[1]} to {NEWEST_API}",
                why="nothing on it was read.",
                do="update Storage Manager or auditor, whichever is the older.",
            )
        return newest if highest < known else NEWEST_API
