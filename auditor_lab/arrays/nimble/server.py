"""The lab's Nimble endpoint: REST v1 over HTTPS, with a token of a user's session."""

from __future__ import annotations

import copy
import hmac
import json
import re
import secrets
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import parse_qsl

from auditor_lab.arrays.nimble.description import InitiatorGroupDescription, VolumeDescription
from auditor_lab.arrays.nimble.records import BLOCK_BYTES, UNLIMITED, initiator_group, sets_of, volume
from auditor_lab.wire import Answer, Request, WireServer

if TYPE_CHECKING:
    import ssl
    from collections.abc import Mapping

    from auditor_lab.arrays.nimble.description import NimbleDescription

Alteration: TypeAlias = Callable[[dict[str, Any]], Any]

_PATH = re.compile(r"/v1/([a-z_]+)(?:/([0-9a-zA-Z]+))?/?$")
_PAGING = frozenset({"startRow", "endRow", "pageSize", "sortBy", "iSortBy", "fields"})
_RANGES = {"limit_iops": (256, 4_294_967_294), "limit_mbps": (1, 4_294_967_294)}


class NimbleError(Exception):
    """An error that is answered: an HTTP status, and the code and text of its message."""

    def __init__(self, status: int, code: str, text: str) -> None:
        super().__init__(text)
        self.status, self.code, self.text = status, code, text


class NimbleServer(WireServer):
    """Serves one group at one address, until `stop`.

    Args:
        description: what the group holds at the start.
        tls_context: the server's certificate.
        username, password: of its only account; only compared, never sent.

    Attributes:
        sets: every object by its set and id, as it is answered.
        alterations: by operation ("GET volumes/detail"), a function that changes an answer before it is sent.
        ignored_writes: whether a write is answered as done but changes nothing.
    """

    def __init__(self, description: NimbleDescription, tls_context: ssl.SSLContext, username: str, password: str) -> None:
        self.description = description
        self.sets = sets_of(description, username)
        self.alterations: dict[str, Alteration] = {}
        self.ignored_writes = False
        self._account = (username, password)
        self._sessions: dict[str, str] = {}  # token -> its id
        self._lock = threading.Lock()
        super().__init__(self._answer, _operation, tls_context)

    def expire_sessions(self) -> None:
        """End every session at once."""
        with self._lock:
            self._sessions.clear()

    def _answer(self, request: Request) -> Answer:
        path, _, query = request.path.partition("?")
        try:
            with self._lock:
                return self._do(request, path, dict(parse_qsl(query, keep_blank_values=True)))
        except NimbleError as error:
            return _reply({"messages": [{"code": error.code, "severity": "error", "text": error.text}]}, error.status)

    def _do(self, request: Request, path: str, query: Mapping[str, str]) -> Answer:
        if path.rstrip("/") == "/versions":
            return _reply(
                {"data": [{"name": "v1", "software_version": self.description.version}], "startRow": 0, "endRow": 1, "totalRows": 1}
            )
        known = _PATH.match(path)
        if known is None:
            raise NimbleError(404, "SM_no_path_found", f"No path {path}")
        name, object_id = known[1], known[2]
        if (request.method, name) == ("POST", "tokens"):
            return self._login(_data(request))
        token = self._session(request)
        if name == "tokens":
            if request.method == "DELETE":
                del self._sessions[token]
            return _reply({"data": {"id": self._sessions.get(token, ""), "username": self._account[0]}})
        if name not in self.sets:
            raise NimbleError(404, "SM_no_path_found", f"No path {path}")
        if request.method == "GET" or object_id == "detail":
            whole = object_id == "detail"
            answer = (
                self._listed(name, query, _criteria(request), whole=whole)
                if whole or object_id is None
                else {"data": self._one(name, object_id)}
            )
        else:
            answer = self._write(request, name, object_id)
        answer = self.alterations.get(_operation(request), dict)(copy.deepcopy(answer))
        return _reply(answer, 201 if request.method == "POST" and object_id is None else 200)

    def _one(self, name: str, object_id: str) -> dict[str, Any]:
        if object_id not in self.sets[name]:
            raise NimbleError(404, "SM_enoent", f"Object {object_id} does not exist")
        return self.sets[name][object_id]

    def _listed(self, name: str, query: Mapping[str, str], criteria: Mapping[str, Any], *, whole: bool) -> dict[str, Any]:
        wanted = {**{key: value for key, value in query.items() if key not in _PAGING}, **criteria}
        found = [one for one in self.sets[name].values() if all(str(one.get(key)) == str(value) for key, value in wanted.items())]
        begin = int(query.get("startRow", 0))
        if begin > len(found):
            raise NimbleError(400, "SM_start_row_beyond_total_rows", "startRow is beyond totalRows")
        most = min(int(query.get("pageSize", self.description.page_rows)), self.description.page_rows)
        end = min(begin + most, len(found), int(query.get("endRow", len(found))))
        rows = [one if whole else {key: one[key] for key in ("id", "name") if key in one} for one in found[begin:end]]
        return {"data": rows, "startRow": begin, "endRow": end, "totalRows": len(found)}

    def _write(self, request: Request, name: str, object_id: str | None) -> dict[str, Any]:
        if self.description.role == "guest":
            raise NimbleError(403, "SM_eperm", "Operation not permitted")
        data = _data(request)
        if request.method == "PUT" and object_id is not None and name in ("volumes", "folders", "initiator_groups"):
            held = self._one(name, object_id)
            changed = {**held, **data}
            _refuse_limits(changed)
            if not self.ignored_writes:
                held.update(data)
            return {"data": changed}
        if request.method == "POST" and object_id is None and name in ("volumes", "initiator_groups"):
            return {"data": self._made(name, data)}
        raise NimbleError(404, "SM_no_method_for_URL_pattern", f"The lab does not {request.method} {name}")

    def _made(self, name: str, data: Mapping[str, Any]) -> dict[str, Any]:
        if any(one["name"] == data.get("name") for one in self.sets[name].values()):
            raise NimbleError(409, "SM_eexist", "Object exists")
        place = len(self.sets[name]) + 1
        if name == "volumes":
            made = {**volume(self.description, place, VolumeDescription(str(data["name"]), int(data["size"]))), **data}
            _refuse_limits(made)
        else:
            made = {**initiator_group(self.description, place, InitiatorGroupDescription(str(data["name"]))), **data}
        self.sets[name][made["id"]] = made
        return made

    def _login(self, data: Mapping[str, Any]) -> Answer:
        given = (str(data.get("username")), str(data.get("password")))
        if not all(hmac.compare_digest(one.encode(), other.encode()) for one, other in zip(given, self._account, strict=True)):
            raise NimbleError(401, "SM_http_unauthorized", "Unauthorized")
        token, token_id = secrets.token_hex(16), self.description.id_of("19", len(self._sessions) + 1)
        self._sessions[token] = token_id
        return _reply({"data": {"id": token_id, "session_token": token, "username": given[0]}}, 201)

    def _session(self, request: Request) -> str:
        token = request.headers.get("x-auth-token", "")
        if token not in self._sessions:
            raise NimbleError(401, "SM_http_unauthorized", "Unauthorized")
        return token


def _refuse_limits(changed: Mapping[str, Any]) -> None:
    """Refuse ceilings outside of their ranges, and one in operations that the other would come before.

    Source: the SDK, Volume: limit_iops <= limit_mbps * 2^20 / block_size. The code is one of the SDK's; which belongs here is not verified.
    """
    for name, (lowest, highest) in _RANGES.items():
        value = changed.get(name, UNLIMITED)
        if type(value) is not int or not (value == UNLIMITED or lowest <= value <= highest):
            raise NimbleError(400, "SM_qos_limit_not_in_range", f"{name} must be from {lowest} to {highest}, or -1")
    iops, mbps = changed.get("limit_iops", UNLIMITED), changed.get("limit_mbps", UNLIMITED)
    if UNLIMITED not in (iops, mbps) and "block_size" in changed and iops > (mbps << 20) / BLOCK_BYTES:
        raise NimbleError(400, "SM_invalid_vol_mbps_limit", "limit_mbps would be hit before limit_iops")


def _data(request: Request) -> dict[str, Any]:
    try:
        value = json.loads(request.body)
    except ValueError:
        value = None
    data = value.get("data") if isinstance(value, dict) else None
    if not isinstance(data, dict):
        raise NimbleError(400, "SM_missing_arg", "The request holds no data")
    return data


def _criteria(request: Request) -> dict[str, Any]:
    """What a list is narrowed to by a body: the fields that have to be equal. Source: the SDK, build_advanced_criteria."""
    criteria = _data(request).get("criteria", []) if request.method == "POST" else []
    return {one["fieldName"]: one["value"] for one in criteria if one.get("operator") == "equals"}


def _reply(body: Any, status: int = 200) -> Answer:
    return Answer(json.dumps(body).encode(), "application/json", status)


def _operation(request: Request) -> str:
    known = _PATH.match(request.path.partition("?")[0])
    detail = "/detail" if known and known[2] == "detail" else ""
    return f"{request.method} {known[1]}{detail}" if known else f"{request.method} {request.path.partition('?')[0]}"
