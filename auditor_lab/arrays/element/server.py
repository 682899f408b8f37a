"""The lab's Element endpoint: JSON-RPC over HTTPS with basic authentication."""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, TypeAlias

from auditor_lab.arrays.element.cluster import Cluster, ElementError
from auditor_lab.arrays.element.methods import METHODS, Method
from auditor_lab.wire import Answer, Request, WireServer

if TYPE_CHECKING:
    import ssl

    from auditor_lab.arrays.element.description import ElementDescription, NodeDescription

Alteration: TypeAlias = Callable[[dict[str, Any], Any], Any]

_PATH = re.compile(r"/json-rpc/([\w.]+)/?$")
_UNAUTHORIZED = Answer(
    b"<!DOCTYPE html><html><head><title>401 Unauthorized</title></head><body><h1>401 Unauthorized.</h1></body></html>",
    "text/html",
    401,
    (("WWW-Authenticate", 'Basic realm="Element"'),),
)
_HALF_DONE = ElementError("xDBOperationFailed", "An injected fault stopped this half way.")  # the name is the lab's
_NOT_FOUND = Answer(b"<html><body><h1>404 Not Found</h1></body></html>", "text/html", 404)


class ElementServer(WireServer):
    """Serves one cluster at one address, until `stop`.

    Args:
        description: what the cluster holds at the start.
        tls_context: the server's certificate.
        username: its only account.
        password: of the account; only compared, never sent.

    Attributes:
        alterations: by method, a function that changes a result before it is sent: (params, result) -> result. With it a test sends answers
            that a real cluster may give and the lab does not; `faults` are for a network that misbehaves.
    """

    def __init__(self, description: ElementDescription, tls_context: ssl.SSLContext, username: str, password: str) -> None:
        self.cluster = Cluster(description, username)
        self.alterations: dict[str, Alteration] = {}
        self._expected = f"{username}:{password}".encode()
        self._lock = threading.Lock()
        super().__init__(self._answer, _operation, tls_context)

    def add_node(self, name: str | None = None) -> NodeDescription:
        """Add a storage node while serving; see `Cluster.add_node`."""
        with self._lock:
            return self.cluster.add_node(name)

    def _answer(self, request: Request) -> Answer:
        version = _PATH.search(request.path.split("?")[0])
        if version is None or request.method != "POST":
            return _NOT_FOUND
        if not self._known(request.headers.get("authorization", "")):
            return _UNAUTHORIZED
        try:
            call = json.loads(request.body)
        except ValueError:
            call = None
        if not isinstance(call, dict):
            return _reply(None, error=ElementError("xParseError", "The request is not a JSON object."))  # name not verified
        with self._lock:
            return self._call(version[1], call, request)

    def _known(self, authorization: str) -> bool:
        scheme, _, encoded = authorization.partition(" ")
        try:
            credentials = base64.b64decode(encoded, validate=True)
        except binascii.Error:
            return False
        return scheme.lower() == "basic" and hmac.compare_digest(credentials, self._expected)

    def _call(self, version: str, call: dict[str, Any], request: Request) -> Answer:
        name, params = str(call.get("method")), dict(call.get("params") or {})
        try:
            requested = dict(params)
            lacking = frozenset(fault.privilege for fault in request.faults if fault.kind == "permission")
            method = self._method(version, name, lacking)
            if request.fault("half") and len(requested.get("qos") or ()) > 1:
                params["qos"] = dict(list(requested["qos"].items())[: len(requested["qos"]) // 2])
            with _ignored(self.cluster) if request.fault("deaf") else nullcontext():
                result = method(self.cluster, params)
            if request.fault("half"):
                return _reply(call.get("id"), error=_HALF_DONE)
            if name in self.alterations:
                result = self.alterations[name](requested, result)
        except ElementError as error:
            return _reply(call.get("id"), error=error)
        return _reply(call.get("id"), result=result, unused=params)

    def _method(self, version: str, name: str, lacking: frozenset[str]) -> Method:
        description = self.cluster.description
        if version not in description.api_versions and name != "GetAPI":
            raise ElementError("xUnknownAPIVersion", f"Unknown API version {version}")  # name not verified
        if name not in METHODS:
            raise ElementError("xUnknownAPIMethod", f"method={name}")
        needed = "write" if name.startswith("Modify") else "read"
        if needed not in description.permissions - lacking:
            # The name comes from a vendor's script; when it is used, and its text, are not verified.
            raise ElementError("xPermissionDenied", f"Permission denied for method {name}")
        return METHODS[name]


@contextmanager
def _ignored(cluster: Cluster) -> Iterator[None]:
    """Undo everything that the block writes."""
    before = cluster.written()
    yield
    cluster.reset_options(before)


def _reply(call_id: Any, *, result: Any = None, error: ElementError | None = None, unused: dict[str, Any] | None = None) -> Answer:
    body: dict[str, Any] = {"id": call_id}
    if error is not None:
        # Every error of the system itself has the code 500. Source: API reference, "error".
        body["error"] = {"code": 500, "message": error.message, "name": error.name}
    else:
        body["result"] = result
    if unused:
        body["warning"] = {"unusedParameters": unused}
    return Answer(json.dumps(body).encode(), "application/json")


def _operation(request: Request) -> str:
    try:
        call = json.loads(request.body)
    except ValueError:
        return ""
    return str(call.get("method", "")) if isinstance(call, dict) else ""
