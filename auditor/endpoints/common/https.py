"""HTTPS towards arrays: one pooled, verified session an endpoint, and errors in our own terms that hold no credentials."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from auditor.endpoints.common.answer_limits import MOST_BYTES, UnusableAnswerError, json_value, too_large
from auditor.endpoints.common.answer_time import SlowAnswerError
from auditor.endpoints.common.clocks import date_of, difference
from auditor.endpoints.common.masking import masked, names_a_secret
from auditor.endpoints.common.tls import tls_context
from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError, MalformedAnswerError, PermissionMissingError
from auditor.model import Exchange

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx

    from auditor.endpoints.common.clocks import Difference
    from auditor.model import Endpoint

UNKNOWN_OUTCOME = "whether the write was carried out is not known; read the setting back before anything else."
UNKNOWN_FACTS = "what it would have reported is unknown."

_BUSY = frozenset({429, 503})
_ATTEMPTS = 4  # of a read; a write has one


@dataclass(frozen=True, slots=True)
class Request:
    """One request.

    Attributes:
        label: what errors and gaps call it, for example "GET volumes"; never with a credential in it.
        path: below the session's base address.
        shown_path: what recordings have instead of the path, where that holds a secret; empty: the path itself.
        is_read: a read may be asked again when the endpoint is busy; a write never is.
    """

    label: str
    method: str
    path: str
    is_read: bool
    params: Mapping[str, str] | None = None
    content: bytes | None = None
    headers: Mapping[str, str] | None = None
    shown_path: str = ""

    @property
    def lost(self) -> str:
        """What the user does not know when there is no answer."""
        return UNKNOWN_FACTS if self.is_read else UNKNOWN_OUTCOME


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer, whatever its status."""

    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes


class HttpsSession:
    """Sends requests to one endpoint. Safe to use from several threads.

    Errors are raised without the HTTP exception behind them, whose request would carry the credentials. Cookies are kept, as logins
    that answer with one expect.

    Args:
        endpoint: where to, and how patiently.
        base: path every request's own path is appended to, for example "/api/rest/".
        auth: basic authentication, or None where a login comes first.

    Attributes:
        clock_difference: how far its clock is from this machine's, by the Date of its answers; None where they have none.

    Raises:
        ConfigurationError, EndpointUnreachableError: the endpoint's `tls` cannot be met.
    """

    def __init__(self, endpoint: Endpoint, base: str, auth: httpx.Auth | None = None) -> None:
        import httpx

        from auditor.endpoints.common.timed_transport import TimedTransport

        # Debug logging must not show the headers of every answer: a login's hold the session's token or cookie. Nor may a line of each
        # request show its address: a login of a Dot Hill array has its secret in it.
        logging.getLogger("httpcore").setLevel(logging.INFO)
        logging.getLogger("httpx").setLevel(logging.WARNING)
        self._endpoint = endpoint
        self.clock_difference: Difference | None = None
        host = f"[{endpoint.address}]" if ":" in endpoint.address else endpoint.address
        self._path = base
        self._base = f"https://{host}:{endpoint.port}{base}"
        self._session = httpx.Client(
            transport=TimedTransport(tls_context(endpoint), endpoint),
            auth=auth,
            timeout=httpx.Timeout(endpoint.limits.timeout_seconds),
            trust_env=False,  # a proxy or .netrc of this machine has no business with a management network's credentials
        )

    def close(self) -> None:
        """Close every connection."""
        self._session.close()

    def ask(self, request: Request) -> Answer:
        """The whole answer, of any status but busy ones, which a read waits out as long as the endpoint's time-out allows.

        Raises:
            EndpointUnreachableError: no answer, or none in time; its `why` says whether a write's outcome is unknown.
            MalformedAnswerError: the answer broke off.
        """
        attempts = _ATTEMPTS if request.is_read else 1
        patience = self._endpoint.limits.timeout_seconds
        waited = 0.0
        while True:
            attempts -= 1
            asked, before = time.monotonic(), datetime.now(UTC)
            answer = self._exchange(request)
            seconds = time.monotonic() - asked
            if isinstance(answer, EndpointError):
                raise answer
            if answer.status not in _BUSY:
                self._record(request, answer, seconds)
                self._compare_clocks(answer, before, seconds)
                return answer
            retry_after = answer.headers.get("retry-after", "")
            pause = float(retry_after) if retry_after.isdecimal() else 1.0
            if attempts <= 0 or waited + pause > patience:
                raise EndpointUnreachableError(
                    f"endpoint {self._endpoint.name}: it answers {answer.status} (busy) to {request.label}",
                    why=request.lost,
                    do="ask again when the array is less busy, or lower `limits: {concurrency}` of this endpoint.",
                )
            time.sleep(pause)
            waited += pause

    def decoded(self, answer: Answer, request: Request) -> Any:
        """The JSON value of an answer, with "***" in every field that holds a secret.

        Raises:
            CredentialsError, PermissionMissingError, EndpointUnreachableError: statuses 401, 403 and 5xx whose body is no JSON object.
            MalformedAnswerError: anything else that is not JSON.
        """
        try:
            value = json_value(answer.body)
            return masked(value) if names_a_secret(answer.body) else value
        except UnusableAnswerError as error:
            raise self.nonsense(answer, request, str(error)) from None
        except RecursionError:  # of `masked`, which needs more room than decoding
            raise self.nonsense(answer, request, "it is nested too deeply") from None

    def nonsense(self, answer: Answer, request: Request, reason: str = "it is not what was asked for") -> EndpointError:
        """What an answer means whose status, or whose form, is not one of a good answer; `reason`: what is wrong with its form."""
        endpoint = self._endpoint
        account = endpoint.username or "the API token"
        if answer.status == 401:
            return CredentialsError(
                f"endpoint {endpoint.name}: it refused the login of {account}",
                why="nothing on it was read." if request.is_read else "nothing was written.",
                do="check the user name and the secret of this endpoint in fleet.yaml, and that the account is not locked.",
            )
        if answer.status == 403:
            return PermissionMissingError(
                f"endpoint {endpoint.name}: {account} may not call {request.label}",
                why=UNKNOWN_FACTS if request.is_read else "nothing was written.",
                do=f"give the account a role that allows {request.label}.",
            )
        if answer.status >= 500:
            return self._unreachable(request, f"it answers HTTP {answer.status}", sent=True)
        return self._malformed(request, f"HTTP {answer.status}, {len(answer.body)} bytes: {reason}")

    def _compare_clocks(self, answer: Answer, before: datetime, seconds: float) -> None:
        """Keep the difference of the clocks that is least uncertain."""
        theirs = date_of(answer.headers)
        if theirs is not None:
            found = difference(theirs, before, before + timedelta(seconds=seconds))
            if self.clock_difference is None or found.uncertain_seconds < self.clock_difference.uncertain_seconds:
                self.clock_difference = found

    def _record(self, request: Request, answer: Answer, seconds: float) -> None:
        if self._endpoint.tap is not None:
            query = f"?{urlencode(request.params)}" if request.params else ""
            path = f"{self._path}{request.shown_path or request.path}{query}"
            body = request.content or b""
            self._endpoint.tap(Exchange(request.label, request.method, path, body, answer.status, answer.headers, answer.body, seconds))

    def _exchange(self, request: Request) -> Answer | EndpointError:
        """One request and its whole answer. Errors are returned, not raised: outside the handler no exception holds the credentials."""
        import httpx

        started = False
        try:
            with self._session.stream(
                request.method,
                self._base + request.path,
                params=request.params,
                content=request.content,
                headers={"Accept": "application/json", **(request.headers or {})},
            ) as response:
                started = True
                return Answer(response.status_code, dict(response.headers), _whole(response))
        except SlowAnswerError as error:
            return self._unreachable(request, str(error), sent=True)
        except UnusableAnswerError as error:
            return self._malformed(request, str(error))
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            return self._unreachable(request, str(error) or type(error).__name__, sent=False)
        except (httpx.TimeoutException, TimeoutError):
            return self._unreachable(request, f"no answer within {self._endpoint.limits.timeout_seconds:g} s", sent=True)
        except (httpx.RemoteProtocolError, httpx.DecodingError) as error:
            if started:
                return self._malformed(request, f"the answer broke off or cannot be unpacked: {error}")
            return self._unreachable(request, str(error), sent=True)
        except httpx.InvalidURL:
            return self._malformed(request, "an id in an earlier answer is none that an address can hold")
        except httpx.TransportError as error:
            return self._unreachable(request, str(error) or type(error).__name__, sent=True)

    def _unreachable(self, request: Request, reason: str, *, sent: bool) -> EndpointUnreachableError:
        endpoint = self._endpoint
        return EndpointUnreachableError(
            f"endpoint {endpoint.name}: {endpoint.address}:{endpoint.port} did not answer {request.label}: {reason}",
            why=request.lost if sent else "the request was never sent.",
            do="check the address, the certificate and the network between, or raise `limits: {timeout_seconds}` of this endpoint.",
        )

    def _malformed(self, request: Request, reason: str) -> MalformedAnswerError:
        endpoint = self._endpoint
        return MalformedAnswerError(
            f"endpoint {endpoint.name}: its answer to {request.label} makes no sense: {reason}",
            why=request.lost,
            do=f"check that the management address of a {endpoint.kind} stands in fleet.yaml, and no proxy in between.",
        )


def _whole(response: httpx.Response) -> bytes:
    """The body of an answer, unpacked.

    Raises:
        UnusableAnswerError: it is over the limit.
    """
    pieces, held = [], 0
    for piece in response.iter_bytes():
        pieces.append(piece)
        held += len(piece)
        if held > MOST_BYTES:
            raise UnusableAnswerError(too_large())
    return b"".join(pieces)
