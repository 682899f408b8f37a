"""The lab's endpoint of SANtricity Web Services: REST over HTTPS, with basic authentication in each request."""

from __future__ import annotations

import base64
import copy
import hmac
import json
import re
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote

from auditor_lab.arrays.eseries.records import LISTS, graph, system
from auditor_lab.arrays.eseries.system import StorageSystem
from auditor_lab.arrays.eseries.writing import refusal, written
from auditor_lab.wire import Answer, Request, WireServer

if TYPE_CHECKING:
    import ssl

    from auditor_lab.arrays.eseries.description import ESeriesDescription

Alteration: TypeAlias = Callable[[Any], Any]

_PATH = re.compile(r"/devmgr/v2/storage-systems(?:/([^/]+)(?:/([a-z-]+)(?:/([^/]+))?)?)?/?$")


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
            return refusal(401, "authFail", "The user name or the password is not valid.")
        known = _PATH.match(path)
        if known is None:
            return refusal(404, "notFound", f"{path} is not served.")
        ids = [unquote(part) if part else None for part in known.groups()]
        with self._lock:
            return self._do(request, *ids)

    def _do(self, request: Request, system_id: str | None, what: str | None, key: str | None) -> Answer:
        if system_id is None:
            return self._reply(request, [system(one) for one in self.systems.values()])
        # An array is known by its world-wide name as well. Source: santricity-webapi-javasdk, the text of systemId.
        found = next((one for id_, one in self.systems.items() if system_id in (id_, one.description.reported_wwn.upper())), None)
        if found is None:
            return refusal(404, "unknownDevice", f"There is no storage system {system_id}.")
        if what is None:
            return self._reply(request, system(found))
        if found.description.status == "offline":
            return refusal(424, "offline", "The storage system is offline.")
        if request.method == "POST":
            state = copy.deepcopy(found) if self.ignored_writes else found
            answer = written(state, what, key, request.body)
            return answer if isinstance(answer, Answer) else self._reply(request, answer)
        if request.method != "GET":
            return refusal(405, "notAllowed", f"The lab does not {request.method} {what}.")
        return self._read(request, found, what, key)

    def _read(self, request: Request, found: StorageSystem, what: str, key: str | None) -> Answer:
        if what == "graph":
            whole = graph(found)
            return self._reply(request, [whole["sa"]["defaultHostTypeIndex"]] if key == "xpath-filter" else whole)
        if what not in LISTS:
            return refusal(404, "notFound", f"{what} is not served.")
        listed = LISTS[what](found)
        if key is None:
            return self._reply(request, listed)
        one = next((record for record in listed if record.get("id") == key), None)
        return self._reply(request, one) if one else refusal(404, "notFound", f"{what} has no {key}.")

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


def _operation(request: Request) -> str:
    path = request.path.partition("?")[0]
    known = _PATH.match(path)
    if known is None:
        return f"{request.method} {path.rstrip('/').rpartition('/')[2]}"
    return f"{request.method} {known[2] or ('storage-system' if known[1] else 'storage-systems')}"
