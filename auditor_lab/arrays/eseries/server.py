"""The lab's endpoint of SANtricity Web Services: REST over HTTPS, with basic authentication in each request."""

from __future__ import annotations

import base64
import hmac
import json
import re
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote

from auditor_lab.arrays.eseries.description import HOST_TYPES
from auditor_lab.arrays.eseries.records import LISTS, host_ref, system
from auditor_lab.arrays.eseries.system import StorageSystem
from auditor_lab.wire import Answer, Request, WireServer

if TYPE_CHECKING:
    import ssl

    from auditor_lab.arrays.eseries.description import ESeriesDescription, HostDescription

Alteration: TypeAlias = Callable[[Any], Any]

_PATH = re.compile(r"/devmgr/v2/storage-systems(?:/([^/]+)(?:/([a-z-]+)(?:/([^/]+))?)?)?/?$")
_REQUESTED_BY_HOSTS = frozenset({"hostType", "name", "groupId", "ports", "portsToUpdate", "portsToRemove"})


class ESeriesServer(WireServer):
    """Serves one SANtricity Web Services at one address, until `stop`.

    Args:
        description: what the system holds at the start, and of a proxy the systems beside it.
        tls_context: the server's certificate.
        user: the only account; likewise its `password`.

    Attributes:
        systems: by their ids.
        alterations: by operation ("GET volumes"), a function that changes an answer before it is sent.
        ignored_writes: whether a write is answered as done but changes nothing.
    """

    def __init__(self, description: ESeriesDescription, tls_context: ssl.SSLContext, user: str, password: str) -> None:
        self.description = description
        self.systems = {one.id: StorageSystem(one) for one in (description, *description.also)}
        self.alterations: dict[str, Alteration] = {}
        self.ignored_writes = False
        self._authorization = f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"
        self._lock = threading.Lock()
        super().__init__(self._answer, _operation, tls_context)

    def _answer(self, request: Request) -> Answer:
        path = request.path.partition("?")[0]
        if path.rstrip("/") == "/devmgr/utils/about":  # answered to anybody; not verified
            return self._reply(request, self._about())
        if not hmac.compare_digest(request.headers.get("authorization", "").encode(), self._authorization.encode()):
            return _refusal(401, "authFail", "The user name or the password is not valid.")
        known = _PATH.match(path)
        if known is None:
            return _refusal(404, "notFound", f"{path} is not served.")
        ids = [unquote(part) if part else None for part in known.groups()]
        with self._lock:
            return self._do(request, *ids)

    def _do(self, request: Request, system_id: str | None, what: str | None, key: str | None) -> Answer:
        if system_id is None:
            return self._reply(request, [system(one) for one in self.systems.values()])
        # An array is known by its world-wide name as well. Source: santricity-webapi-javasdk, the text of systemId.
        found = next((one for id_, one in self.systems.items() if system_id in (id_, one.description.reported_wwn.upper())), None)
        if found is None:
            return _refusal(404, "unknownDevice", f"There is no storage system {system_id}.")
        if what is None:
            return self._reply(request, system(found))
        if found.description.status == "offline":
            return _refusal(424, "offline", "The storage system is offline.")
        if what not in LISTS:
            return _refusal(404, "notFound", f"{what} is not served.")
        if request.method == "POST" and what == "hosts" and key is not None:
            return self._change_host(request, found, key)
        if request.method != "GET":
            return _refusal(405, "notAllowed", f"The lab does not {request.method} {what}.")
        listed = LISTS[what](found)
        if key is None:
            return self._reply(request, listed)
        one = next((record for record in listed if record.get("id") == key), None)
        return self._reply(request, one) if one else _refusal(404, "notFound", f"{what} has no {key}.")

    def _change_host(self, request: Request, found: StorageSystem, key: str) -> Answer:
        if self.description.role == "storage.monitor":
            return _refusal(403, "forbidden", "The account has not the role storage.admin.")
        host: HostDescription | None = next((one for one in found.description.hosts if host_ref(found, one) == key), None)
        if host is None:
            return _refusal(404, "invalidHostRef", "There is no such host.")
        try:
            body = json.loads(request.body)
        except ValueError:
            body = None
        if not isinstance(body, dict) or set(body) - _REQUESTED_BY_HOSTS:
            return _refusal(422, "illegalParam", "The request is not understood.")
        index = body.get("hostType", {}).get("index", found.host_types[host.name])
        if index not in HOST_TYPES:
            return _refusal(422, "invalidHostType", f"There is no host type with index {index}.")
        if not self.ignored_writes:
            found.host_types[host.name] = index
        return self._reply(request, next(one for one in LISTS["hosts"](found) if one["id"] == key))

    def _about(self) -> dict[str, Any]:
        return {
            "runningAsProxy": self.description.is_proxy,
            "version": self.description.services,
            "systemId": "a89355ab-692c-4d4a-9383-e249095c3c00",
            "controllerPosition": 0,
        }

    def _reply(self, request: Request, body: Any) -> Answer:
        altered = self.alterations.get(_operation(request), lambda answer: answer)(body)
        return Answer(json.dumps(altered).encode(), "application/json")


def _refusal(status: int, code: str, message: str) -> Answer:
    """As CallResponse of santricity-webapi-javasdk; the words are not verified."""
    body = {"errorMessage": message, "localizedMessage": message, "retcode": code, "codeType": "devicemgrerror"}
    return Answer(json.dumps(body).encode(), "application/json", status)


def _operation(request: Request) -> str:
    path = request.path.partition("?")[0]
    known = _PATH.match(path)
    if known is None:
        return f"{request.method} {path.rstrip('/').rpartition('/')[2]}"
    return f"{request.method} {known[2] or ('storage-system' if known[1] else 'storage-systems')}"
