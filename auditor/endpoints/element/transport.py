"""The dispatcher that solidfire-sdk-python sends its requests through.

The SDK's own one opens a TLS connection per call, ignores connect timeouts, does not verify by default and turns a read timeout into
something that looks like a refusal. This one pools, verifies, and says what is not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.common.https import HttpsSession, Request
from auditor.endpoints.common.masking import names_a_secret

if TYPE_CHECKING:
    from auditor.model import Endpoint

_JSON_RPC = {"Content-Type": "application/json-rpc"}


class ElementTransport:
    """Posts JSON-RPC requests over one session. Answers are masked before the SDK sees them.

    Args:
        endpoint: where to, and how patiently.
        password: sent as basic authentication.

    Raises:
        ConfigurationError, EndpointUnreachableError: the endpoint's `tls` cannot be met.
    """

    def __init__(self, endpoint: Endpoint, password: str) -> None:
        import httpx

        self.https = HttpsSession(endpoint, "/json-rpc/", httpx.BasicAuth(endpoint.username, password))
        self.version = ""

    def close(self) -> None:
        """Close every connection."""
        self.https.close()

    def post(self, data: str) -> str:
        """Send one request and return its answer, a JSON object without secrets. The SDK calls this.

        Raises:
            EndpointError: what went wrong, in our own terms. After a write it says that the outcome is unknown, unless it was never sent.
        """
        import msgspec

        method = msgspec.json.decode(data)["method"]
        request = Request(
            label=method,
            method="POST",
            path=self.version,
            is_read=method.startswith(("Get", "List")),
            content=data.encode(),
            headers=_JSON_RPC,
        )
        answer = self.https.ask(request)
        decoded = self.https.decoded(answer, request)
        if not isinstance(decoded, dict) or answer.status in (401, 403) or (answer.status != 200 and "error" not in decoded):
            raise self.https.nonsense(answer, request)
        return msgspec.json.encode(decoded).decode() if names_a_secret(answer.body) else answer.body.decode()
