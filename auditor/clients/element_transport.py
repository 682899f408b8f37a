"""HTTP towards an Element cluster: the dispatcher that solidfire-sdk-python sends its requests through.

The SDK's own one opens a TLS connection per call, ignores connect timeouts, does not verify by default and turns a read timeout into
something that looks like a refusal. This one pools, verifies, and says what is not known.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.clients.tls import tls_context
from auditor.errors import (
    AuditorError,
    CredentialsError,
    EndpointError,
    EndpointUnreachableError,
    MalformedAnswerError,
    PermissionMissingError,
)

if TYPE_CHECKING:
    from auditor.model import Endpoint

MASK = "***"
_PRIVATE = re.compile(r"(secret|password|passphrase|pairingkey|privatekey)(?!length)", re.IGNORECASE)  # GetLimits: secretLengthMax
_PRIVATE_BYTES = re.compile(_PRIVATE.pattern.encode(), re.IGNORECASE)

_BUSY = frozenset({429, 503})
_ATTEMPTS = 4  # of a read; a write has one
_WHOLE_ANSWER = 10  # times the timeout: an answer that dribbles for longer is no answer


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    retry_after: str
    body: bytes


class ElementTransport:
    """Posts requests over one pooled, verified session.

    Nothing that leaves it holds a secret: answers are masked before the SDK sees them, and errors are raised without the HTTP exception
    behind them, whose request would carry the credentials.

    Args:
        endpoint: where to, and how patiently.
        password: sent as basic authentication.

    Raises:
        ConfigurationError, EndpointUnreachableError: the endpoint's `tls` cannot be met.
    """

    def __init__(self, endpoint: Endpoint, password: str) -> None:
        import httpx

        self._endpoint = endpoint
        host = f"[{endpoint.address}]" if ":" in endpoint.address else endpoint.address
        self._base = f"https://{host}:{endpoint.port}/json-rpc/"
        self.version = ""
        seconds = endpoint.limits.timeout_seconds
        self._session = httpx.Client(
            verify=tls_context(endpoint),
            auth=httpx.BasicAuth(endpoint.username, password),
            timeout=httpx.Timeout(seconds),
            limits=httpx.Limits(max_connections=endpoint.limits.concurrency),
            trust_env=False,  # a proxy or .netrc of this machine has no business with a management network's credentials
        )

    def close(self) -> None:
        """Close every connection."""
        self._session.close()

    def post(self, data: str) -> str:
        """Send one request and return its answer, a JSON object without secrets. The SDK calls this.

        Raises:
            EndpointError: what went wrong, in our own terms. After a write it says that the outcome is unknown, unless it was never sent.
        """
        import msgspec

        method = msgspec.json.decode(data)["method"]
        is_read = method.startswith(("Get", "List"))
        answer = self._settled(data, method, _ATTEMPTS if is_read else 1)
        if isinstance(answer, EndpointError):
            raise answer
        try:
            decoded = msgspec.json.decode(answer.body)
        except msgspec.DecodeError:
            decoded = None
        if isinstance(decoded, dict) and answer.status not in (401, 403) and (answer.status == 200 or "error" in decoded):
            return self._without_secrets(answer.body, decoded)
        raise self._nonsense(answer, method, is_read=is_read)

    def _settled(self, data: str, method: str, attempts: int) -> _Answer | EndpointError:
        """The answer once the endpoint is not busy any more, or what went wrong; only reads have more than one attempt."""
        patience = self._endpoint.limits.timeout_seconds
        waited = 0.0
        while True:
            attempts -= 1
            answer = self._exchange(data, method)
            if isinstance(answer, EndpointError) or answer.status not in _BUSY:
                return answer
            pause = float(answer.retry_after) if answer.retry_after.isdecimal() else 1.0
            if attempts <= 0 or waited + pause > patience:
                return EndpointUnreachableError(
                    f"endpoint {self._endpoint.name}: it answers {answer.status} (busy) to {method}",
                    why=_lost(method),
                    do="ask again when the array is less busy, or lower `limits: {concurrency}` of this endpoint.",
                )
            time.sleep(pause)
            waited += pause

    def _exchange(self, data: str, method: str) -> _Answer | EndpointError:
        """One request and its whole answer. Errors are returned, not raised: outside the handler no exception holds the credentials."""
        import httpx

        started = False
        deadline = time.monotonic() + _WHOLE_ANSWER * self._endpoint.limits.timeout_seconds
        headers = {"Content-Type": "application/json-rpc", "Accept": "application/json"}
        try:
            with self._session.stream("POST", self._base + self.version, content=data, headers=headers) as response:
                started = True
                pieces = []
                for piece in response.iter_bytes():
                    pieces.append(piece)
                    if time.monotonic() > deadline:
                        return self._unreachable(method, "the answer arrives too slowly to be awaited", sent=True)
                return _Answer(response.status_code, response.headers.get("Retry-After", ""), b"".join(pieces))
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            return self._unreachable(method, str(error) or type(error).__name__, sent=False)
        except httpx.TimeoutException:
            return self._unreachable(method, f"no answer within {self._endpoint.limits.timeout_seconds:g} s", sent=True)
        except (httpx.RemoteProtocolError, httpx.DecodingError) as error:
            if started:
                return self._malformed(method, f"the answer broke off or cannot be unpacked: {error}")
            return self._unreachable(method, str(error), sent=True)
        except httpx.TransportError as error:
            return self._unreachable(method, str(error) or type(error).__name__, sent=True)

    def _without_secrets(self, body: bytes, decoded: dict[str, Any]) -> str:
        import msgspec

        # Most answers name no secret and are passed on as they came; an escaped name would hide from the pattern.
        if _PRIVATE_BYTES.search(body) is None and b"\\u" not in body:
            return body.decode()
        return msgspec.json.encode(masked(decoded)).decode()

    def _nonsense(self, answer: _Answer, method: str, *, is_read: bool) -> AuditorError:
        endpoint = self._endpoint
        if answer.status == 401:
            return CredentialsError(
                f"endpoint {endpoint.name}: it refused the user name or password of {endpoint.username}",
                why="nothing on it was read." if is_read else "nothing was written.",
                do="check `username:` and `password:` of this endpoint in fleet.yaml, and that the account is not locked.",
            )
        if answer.status == 403:
            return PermissionMissingError(
                f"endpoint {endpoint.name}: {endpoint.username} may not call {method}",
                why="what it would have told is unknown." if is_read else "nothing was written.",
                do=f"give the account an access type that allows {method}.",
            )
        if answer.status >= 500:
            return self._unreachable(method, f"it answers HTTP {answer.status}", sent=True)
        return self._malformed(method, f"HTTP {answer.status} with {len(answer.body)} bytes that are not a JSON object")

    def _unreachable(self, method: str, reason: str, *, sent: bool) -> EndpointUnreachableError:
        endpoint = self._endpoint
        return EndpointUnreachableError(
            f"endpoint {endpoint.name}: {endpoint.address}:{endpoint.port} did not answer {method}: {reason}",
            why=_lost(method) if sent else "the request was never sent.",
            do="check the address, the certificate and the network between, or raise `limits: {timeout_seconds}` of this endpoint.",
        )

    def _malformed(self, method: str, reason: str) -> MalformedAnswerError:
        endpoint = self._endpoint
        return MalformedAnswerError(
            f"endpoint {endpoint.name}: its answer to {method} makes no sense: {reason}",
            why=_lost(method),
            do="check that an Element cluster's management address (MVIP) stands in fleet.yaml, and no proxy in between.",
        )


def masked(value: Any) -> Any:
    """`value` with every field that holds a secret replaced, whatever its depth; containers are changed in place.

    Source: ListAccounts, ListStorageContainers and ListVirtualVolumes answer CHAP secrets in clear (arrays.md).
    """
    if isinstance(value, dict):
        for name, inner in value.items():
            value[name] = MASK if inner is not None and _PRIVATE.search(name) else masked(inner)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            value[place] = masked(inner)
    return value


def _lost(method: str) -> str:
    if method.startswith(("Get", "List")):
        return "what it would have told is unknown."
    return "whether the write was carried out is not known; read the setting back before anything else."
