"""The lab's ONTAP endpoint: REST over HTTPS with basic authentication.

Source: see query.py for the conventions. Statuses and codes of errors: 401 as the HTTP server in front answers it (its body is not
verified); 403 with code 6, 404 with code 3 (no such API) and 4 (no such record) as public clients quote them. A path outside resources.py
is answered as an unknown API, even where a real cluster has it.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import threading
import time
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import parse_qsl, unquote, urlencode

from auditor_lab.arrays.ontap import history, records, writing
from auditor_lab.arrays.ontap.cluster import UP_SINCE_SECONDS, Cluster
from auditor_lab.arrays.ontap.collection import Collection, one
from auditor_lab.arrays.ontap.query import RestError, invalid
from auditor_lab.arrays.ontap.resources import BY_PATH, SOURCES_ONLY, TRANSFERS, Resource
from auditor_lab.arrays.ontap.writing import NO_SUCH_RECORD, Job
from auditor_lab.days import Day
from auditor_lab.wire import Answer, Request, WireServer

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

    from auditor_lab.arrays.ontap.description import OntapDescription

Alteration: TypeAlias = "Callable[[Any], Any]"

_NO_SUCH_API = RestError(404, "3", "API not found")
_FORBIDDEN = RestError(403, "6", "not authorized for that command")
_NOT_SUPPORTED = RestError(400, "5374881", "This operation is not supported on this platform.")  # code and sentence not verified
_R2 = ("storage/aggregates", "cluster/counter/tables", "private/cli/storage/raid-options", "storage/volume-efficiency-policies")
_LACKING = {
    "": (),
    "asa-r2": (*_R2, "protocols/san/vvol-bindings"),
    "afx": (*_R2, "storage/luns", "protocols/san"),
}
"""By platform. Source: NetApp, "Learn about the AFX storage system REST API", removed endpoints; what ASA r2 refuses is not verified."""
_UNAUTHORIZED = {"error": {"message": "User is not authorized.", "code": "6691623"}}  # not verified
_LONGEST_WAIT_SECONDS = 120  # Source: return_timeout, "Getting started with the ONTAP REST API"
_WHOLE = Resource("cluster", lambda c: [c.description], records.whole, keys=(), expensive=("metric", "statistics"))


class OntapServer(WireServer):
    """Serves one cluster at one address, until `stop`.

    Args:
        description: what the cluster holds at the start.
        tls_context: the server's certificate.
        username: its only account.
        password: of the account; only compared, never sent.
        clock: returns seconds; counters and jobs use it.

    Attributes:
        outcome: the result of every change: "success", "ignored" (the job succeeds and nothing has changed), "failure", "never" (the job
            runs for ever).
        alterations: by operation ("GET storage/luns"), a function that changes an answer's body before it is sent. With it a test sends
            answers that a real cluster may give and the lab does not; `faults` are for a network that misbehaves.
    """

    def __init__(
        self,
        description: OntapDescription,
        tls_context: ssl.SSLContext,
        username: str,
        password: str,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.cluster = Cluster(description)
        self.day = Day(description.day, time.time())
        self.outcome = "success"
        self.alterations: dict[str, Alteration] = {}
        self.jobs: dict[str, Job] = {}
        self._clock = clock
        self._started = clock()
        self._positions: dict[str, dict[tuple[str, ...], int]] = {}
        self._username = username
        self._expected = f"{username}:{password}".encode()
        self._lock = threading.Lock()
        super().__init__(self._answer, _operation, tls_context)

    def _answer(self, request: Request) -> Answer:
        accepted = request.headers.get("accept", "")
        hal = "application/json" not in accepted or "hal+json" in accepted
        if not self._known(request.headers.get("authorization", "")):
            return _reply(401, _UNAUTHORIZED, hal=False, headers=(("WWW-Authenticate", 'Basic realm="ONTAP"'),))
        try:
            status, body = self._dispatch(request, hal=hal)
        except RestError as error:
            return _reply(error.status, error.body, hal=hal)
        operation = _operation(request)
        if operation in self.alterations:
            body = self.alterations[operation](body)
        return _reply(status, body, hal=hal)

    def _known(self, authorization: str) -> bool:
        scheme, _, encoded = authorization.partition(" ")
        try:
            credentials = base64.b64decode(encoded, validate=True)
        except binascii.Error:
            return False
        return scheme.lower() == "basic" and hmac.compare_digest(credentials, self._expected)

    def _dispatch(self, request: Request, *, hal: bool) -> tuple[int, Any]:
        parts = _parts(request.path)
        if parts is None:
            raise _NO_SUCH_API
        query = dict(parse_qsl(request.path.partition("?")[2], keep_blank_values=True))
        about = self.cluster.description
        needed = "read" if request.method == "GET" else "write"
        path = "/api/" + "/".join(parts)
        if needed not in about.permissions or any(path == each or path.startswith(each + "/") for each in about.forbidden):
            raise _FORBIDDEN
        if any(path == f"/api/{each}" or path.startswith(f"/api/{each}/") for each in (*_LACKING[about.platform], *about.lacking)):
            raise _NOT_SUPPORTED
        if request.method in ("PATCH", "POST"):
            return self._write(parts, query, request)
        if request.method != "GET":
            raise RestError(405, "0", "Method not allowed")  # not verified
        with self._lock:
            self._settle()
            return 200, self._get(parts, query, request.path, hal=hal)

    def _get(self, parts: list[str], query: dict[str, str], path: str, *, hal: bool) -> Any:
        if parts == ["cluster"]:
            return one(_WHOLE, self.cluster, self.cluster.description, query, hal=hal)
        if parts[:2] == ["cluster", "jobs"] and len(parts) == 3:
            if parts[2] not in self.jobs:
                raise NO_SUCH_RECORD
            return self.jobs[parts[2]].record() | ({"_links": records.link(f"cluster/jobs/{parts[2]}")} if hal else {})
        if parts == ["security", "login", "whoami"]:
            return self._whoami()
        if parts[-1] == "metrics":
            return self._metrics(parts[:-1], query, path)
        if _is_transfers(parts):
            query["relationship.uuid"] = parts[2]
            return Collection(TRANSFERS, self.cluster, self._positions_of(TRANSFERS), query, path).answer(hal=hal)
        resource, keys = _resource(parts)
        if resource.path == SOURCES_ONLY.path and query.pop("list_destinations_only", "false") == "true":
            resource = SOURCES_ONLY
        if keys:
            return one(resource, self.cluster, self._find(resource, keys), query, hal=hal)
        return Collection(resource, self.cluster, self._positions_of(resource), query, path).answer(hal=hal)

    def _metrics(self, parts: list[str], query: dict[str, str], path: str) -> dict[str, Any]:
        """A page of the metrics of one object."""
        if parts == ["cluster"]:
            name, item = "cluster", None
        else:
            resource, keys = _resource(parts)
            if resource.path not in ("storage/luns", "storage/volumes", "storage/aggregates") or not keys:
                raise _NO_SUCH_API
            name, item = resource.path, self._find(resource, keys)
        found = history.metrics(self.cluster, self.day, name, item, query, time.time())
        size = min(int(query.get("max_records", self.cluster.description.page_limit)), self.cluster.description.page_limit)
        first = next((place for place, one in enumerate(found) if one["timestamp"] == query.get("start.timestamp")), 0)
        answer: dict[str, Any] = {"records": found[first : first + size], "num_records": len(found[first : first + size])}
        if first + size < len(found):
            rest = urlencode({**query, "start.timestamp": found[first + size]["timestamp"]})
            answer["_links"] = {"next": {"href": f"{path.partition('?')[0]}?{rest}"}}
        return answer

    def _whoami(self) -> dict[str, Any]:
        """The account: a predefined role where its permissions match one. Source: netapp-ontap, Whoami."""
        writes = "write" in self.cluster.description.permissions
        privileges = [{"path": "/api", "access": "all" if writes else "readonly"}]
        return {"username": self._username, "roles": ["admin" if writes else "readonly"], "privileges": privileges}

    def _write(self, parts: list[str], query: dict[str, str], request: Request) -> tuple[int, Any]:
        resource, keys = _resource(parts)
        method, done = (resource.patch, 200) if request.method == "PATCH" else (resource.post, 201)
        if method is None or bool(keys) != (done == 200):
            raise RestError(405, "0", "Method not allowed")  # not verified
        try:
            body = json.loads(request.body)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise RestError(400, "262188", "The body is not a JSON object")  # code not verified
        timeout = query.get("return_timeout", "0")
        if not timeout.isdigit() or int(timeout) > _LONGEST_WAIT_SECONDS:
            raise invalid(timeout, "return_timeout")
        with self._lock:
            self._settle()
            effect = self._effect(resource, keys, writing.nested(body))
            uuid = self.cluster.uuid("job", len(self.jobs))
            due = None if self.outcome == "never" else self.cluster.uptime + self.cluster.description.job_seconds
            self.jobs[uuid] = job = Job(uuid, f"{request.method} /api/{'/'.join(parts)}", effect, due, outcome=self.outcome)
        if int(timeout) and int(timeout) >= self.cluster.description.job_seconds:
            self.stopping.wait(self.cluster.description.job_seconds)
            with self._lock:
                self._settle()
        return done if job.state == "success" else 202, job.reference()

    def _effect(self, resource: Resource, keys: tuple[str, ...], body: dict[str, Any]) -> writing.Effect:
        if keys:
            assert resource.patch is not None  # noqa: S101  checked before the body is read
            return resource.patch(self.cluster, self._find(resource, keys), body)
        assert resource.post is not None  # noqa: S101  as above
        return resource.post(self.cluster, body)

    def _settle(self) -> None:
        """Advance the cluster to the current time, and finish the jobs that are due."""
        now = UP_SINCE_SECONDS + self._clock() - self._started
        for job in self.jobs.values():
            if job.due is None or job.due > now:
                continue
            self.cluster.advance(job.due)
            job.due, job.state, job.message = None, "success", "success"
            if job.outcome == "failure":
                job.state, job.message, job.code = "failure", "An injected fault failed this job.", 1
            elif job.outcome != "ignored":
                job.carry_out()
                self._positions.clear()
        self.cluster.advance(now)

    def _positions_of(self, resource: Resource) -> dict[tuple[str, ...], int]:
        """The positions of records by their keys; cached until something is written."""
        name = resource.path if resource is not SOURCES_ONLY else "sources"
        if name not in self._positions:
            made = (resource.record(self.cluster, each) for each in resource.objects(self.cluster))
            self._positions[name] = {resource.key(record): place for place, record in enumerate(made)}
        return self._positions[name]

    def _find(self, resource: Resource, keys: tuple[str, ...]) -> Any:
        place = self._positions_of(resource).get(keys)
        if place is None:
            raise NO_SUCH_RECORD
        return resource.objects(self.cluster)[place]


def _parts(path: str) -> list[str] | None:
    """The parts of an address below /api; None for another address."""
    parts = [unquote(part) for part in path.partition("?")[0].strip("/").split("/")]
    return parts[1:] if parts[0] == "api" and len(parts) > 1 else None


def _is_transfers(parts: list[str]) -> bool:
    return parts[:2] == ["snapmirror", "relationships"] and parts[3:] == ["transfers"]


def _resource(parts: list[str]) -> tuple[Resource, tuple[str, ...]]:
    """The resource of an address, and the keys of the record in it; no keys mean the collection."""
    for length in range(len(parts), 0, -1):
        resource = BY_PATH.get("/".join(parts[:length]))
        keys = tuple(parts[length:])
        if resource is not None and len(keys) in (0, len(resource.keys)):
            return resource, keys
    raise _NO_SUCH_API


def _operation(request: Request) -> str:
    """The method and the collection, "GET storage/luns", whichever record is requested."""
    parts = _parts(request.path)
    if not parts:
        return request.method
    if parts[-1] == "metrics":
        return f"{request.method} {parts[0]}{'/' if parts[1:-2] else ''}{'/'.join(parts[1:-2])}/metrics"
    if _is_transfers(parts):
        return f"{request.method} {TRANSFERS.path}"
    if parts[:2] == ["cluster", "jobs"] or parts in (["cluster"], ["security", "login", "whoami"]):
        return f"{request.method} {'/'.join(parts if parts[0] == 'security' else parts[:2])}"
    try:
        return f"{request.method} {_resource(parts)[0].path}"
    except RestError:
        return f"{request.method} {'/'.join(parts)}"


def _reply(status: int, body: Any, *, hal: bool, headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    return Answer(json.dumps(body).encode(), "application/hal+json" if hal else "application/json", status, headers)
