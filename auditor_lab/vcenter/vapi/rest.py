"""The REST forms of the vSphere Automation API: below /api, and for sessions and tags the older one below /rest.

Below /rest every name of the service is a step of the path, an id is `id:ID`, the action is in `~action`, the body holds the arguments by
name, and the answer is in `value`. Source: govmomi, vapi/rest and vapi/tags; paths below /api from the client that VMware publishes.
Broadcom's reference of com.vmware.cis.session has `get` as a POST below /rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote

from auditor_lab.vcenter.vapi.errors import CHALLENGE, VapiError, message
from auditor_lab.vcenter.vapi.values import plain
from auditor_lab.wire import Answer, Request

if TYPE_CHECKING:
    from auditor_lab.vcenter.vapi.operations import Operation

_API, _LEGACY = "/api", "/rest"
_ACTIONS = {"/api": "action", "/rest": "~action"}
_STANDARD = {"list": "GET", "get": "GET", "create": "POST", "update": "PATCH", "delete": "DELETE"}
_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Routed:
    """The operation of a request, the arguments in its path and query, and whether it came by /rest."""

    name: str
    arguments: Mapping[str, Any]
    legacy: bool


class Routes:
    """The path of each operation of the API."""

    def __init__(self, operations: Mapping[str, Operation]) -> None:
        self._operations = operations
        self._places = [(_API, one.method, _pattern(one.path), one.action, name) for name, one in operations.items()] + [
            _legacy_place(name, one)
            for name, one in operations.items()
            if name.startswith(("com.vmware.cis.session.", "com.vmware.cis.tagging."))
        ]

    def find(self, request: Request) -> Routed | None:
        """The operation of a request; None if there is none at that path."""
        path, _, query_text = request.path.partition("?")
        root = _LEGACY if path.startswith(_LEGACY) else _API
        query = dict(parse_qsl(query_text, keep_blank_values=True))
        action = query.pop(_ACTIONS[root], "")
        query.pop("vmw-task", None)
        for place, method, pattern, its_action, name in self._places:
            match = pattern.fullmatch(path.removeprefix(root)) if (place, method, its_action) == (root, request.method, action) else None
            if match:
                return Routed(name, query | {key: unquote(value) for key, value in match.groupdict().items()}, root == _LEGACY)
        return None

    def arguments(self, routed: Routed, body: bytes) -> dict[str, Any]:
        """All arguments of a request.

        Raises:
            VapiError: invalid_request, the body is not a JSON object.
        """
        try:
            given = json.loads(body) if body.strip() else None
        except ValueError:
            given = ()
        if given is not None and not isinstance(given, dict):
            raise VapiError("invalid_request", [message("lab.invalid_request", "The body is not a JSON object.")])
        named = self._operations[routed.name].body
        if named and not routed.legacy:
            given = {named: given}
        return {**(given or {}), **routed.arguments}


def answer(result: Any, routed: Routed, status: int) -> Answer:
    """The answer with an operation's result."""
    if routed.legacy:
        return Answer(b"" if result is None else _bytes({"value": plain(result, legacy=True)}), _JSON)
    return Answer(b"", _JSON, 204) if result is None else Answer(_bytes(plain(result)), _JSON, status)


def trouble(error: VapiError, *, legacy: bool) -> Answer:
    """The answer with an error; it may name how to log in."""
    value = plain(error.value, legacy=legacy)
    headers = (("WWW-Authenticate", CHALLENGE),) if error.status == 401 else ()
    return Answer(_bytes({"type": error.value.name, "value": value} if legacy else value), _JSON, error.status, headers)


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path))


def _legacy_place(name: str, operation: Operation) -> tuple[str, str, re.Pattern[str], str, str]:
    """The /rest form of an operation: standard ones by method alone, others by action."""
    service, _, short = name.rpartition(".")
    path = "/" + service.replace("_", "-").replace(".", "/")
    named = re.search(r"\{(\w+)\}", operation.path)
    of_one = f"/id:(?P<{named[1]}>[^/]+)" if named else ""
    if short == "list_tags_for_category":  # elsewhere the id in the path is the tag's; govmomi sends the category's, and a body too
        of_one = "(?:/id:[^/]+)?"
    by_action = short not in _STANDARD or name == "com.vmware.cis.session.get"
    method, action = ("POST", short.replace("_", "-")) if by_action else (_STANDARD[short], "")
    return _LEGACY, method, re.compile(re.escape(path) + of_one), action, name


def _bytes(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
