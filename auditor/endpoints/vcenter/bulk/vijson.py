"""The fast transport of vCenter 8.0 Update 1 and later: VI/JSON, decoded by msgspec straight into the shapes. Imports pyVmomi.

It has a session of its own: whether a SOAP session's id is good here is not documented. Source: Broadcom, "Virtual Infrastructure JSON
API"; docs/domain/peers.md#vijson. Not held against a real vCenter; the lab's side is held against govmomi's client.

Which release both sides speak is the server's word: it is asked by `hello` before the login, with the releases that we know.
"""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, get_origin

import msgspec
from msgspec import Raw, Struct, field
from pyVmomi import vim, vmodl

from auditor.endpoints.common.answer_limits import UnusableAnswerError, json_value
from auditor.endpoints.vcenter.bulk.faults import fault_of, reason
from auditor.endpoints.vcenter.bulk.reading import Answer, ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import PROPERTIES, Ref, Shape
from auditor.endpoints.vcenter.faults import credentials_refused
from auditor.endpoints.vcenter.wire import SESSION_HEADER
from auditor.errors import AuditorError, CredentialsError, MalformedAnswerError, TransportNotOfferedError, UnknownShapeError
from auditor.model import BulkTransport
from auditor.once import once

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from auditor.endpoints.vcenter.wire import VCenterWire
    from auditor.model import Endpoint

HELLO_PATH = "/api/vcenter/system?action=hello"
"""Asked without a session. Source: vSphere Automation API, Vcenter System hello: "the server will select the first mutually supported
release ID", and an empty text where there is none; added in 8.0.2.0."""
RELEASES = ("9.0.0.0", "8.0.3.0", "8.0.2.0", "8.0.1.0")
"""Those whose documents we have seen, in the order we like them."""
_WITHOUT_HELLO = "8.0.1.0"
"""The one release that has VI/JSON and no `hello`."""

_REF = "ManagedObjectReference"


class _Property(Struct, gc=False):
    name: str
    val: Raw


class _Missing(Struct, gc=False):
    path: str
    fault: dict[str, Any]


class _Content(Struct, gc=False):
    obj: Ref
    properties: list[_Property] = field(default_factory=list, name="propSet")
    missing: list[_Missing] = field(default_factory=list, name="missingSet")


class _Result(Struct, gc=False):
    objects: list[_Content] = []
    token: str | None = None


class VijsonTransport:
    """VI/JSON of one vCenter; may be used from many threads.

    Args:
        endpoint: as fleet.yaml has it.
        wire: shared with SOAP, so that both together keep to the endpoint's limit on requests in flight.
        api_version: of the vCenter, as it reports it itself.
        collector: id of the PropertyCollector.
        sessions: id of the SessionManager.
        password: looked up anew at every login.
    """

    name = BulkTransport.VIJSON

    def __init__(
        self, endpoint: Endpoint, wire: VCenterWire, api_version: str, *, collector: str, sessions: str, password: Callable[[], str]
    ) -> None:
        self._endpoint = endpoint
        self._wire = wire
        self._api_version = api_version
        self.release = ""  # that both sides speak; "" until the first login
        self._collector = f"PropertyCollector/{collector}"
        self._sessions = f"SessionManager/{sessions}"
        self._password = password
        self._session = ""
        self._logins = 0
        self.has_answered = False  # a session was good for one answer at least
        self._refused: CredentialsError | None = None
        self._lock = threading.Lock()

    def retrieve(self, kind: str, paths: Sequence[str], refs: Sequence[Ref], answer_size: int | None) -> Answer:
        """See `BulkClient`."""
        options: dict[str, Any] = {"_typeName": "RetrieveOptions"}
        if answer_size is not None:
            options["maxObjects"] = answer_size
        objects = [
            {"_typeName": "ObjectSpec", "obj": {"_typeName": _REF, "type": ref.type, "value": ref.value}, "skip": False} for ref in refs
        ]
        wanted = [{"_typeName": "PropertySpec", "type": kind, "all": False, "pathSet": list(paths)}]
        spec = [{"_typeName": "PropertyFilterSpec", "propSet": wanted, "objectSet": objects}]
        answer = self._ask(kind, "RetrievePropertiesEx", {"specSet": spec, "options": options}, repeatable=True)
        if refs and not answer.objects and not answer.token:
            # A server that knows an object says something of it, if only why it cannot be read. A proxy's empty answer looks the same.
            raise self._of_unknown_form("RetrievePropertiesEx", f"it says nothing of {len(refs)} objects")
        return answer

    def more(self, kind: str, token: str) -> Answer:
        """See `BulkClient`."""
        return self._ask(kind, "ContinueRetrievePropertiesEx", {"token": token}, repeatable=False)

    def close(self) -> None:
        """Log out; nothing is lost if that fails, vCenter ends an idle session by itself."""
        if self._session:
            with suppress(vmodl.MethodFault, AuditorError):
                self._post(self._sessions, "Logout", {}, repeatable=False)
            self._session = ""

    def _ask(self, kind: str, method: str, parameters: dict[str, Any], *, repeatable: bool) -> Answer:
        body = self._with_session(lambda: self._post(self._collector, method, parameters, repeatable=repeatable), repeatable=repeatable)
        if not body:
            return Answer((), None, 0)  # 204: a result that is unset, which is what nothing to report looks like
        try:
            result = _ANSWER.decode(body)
            return Answer([_properties_of(kind, one) for one in result.objects], result.token, len(body))
        except (msgspec.ValidationError, KeyError) as error:
            raise self._of_unknown_form(method, str(error)) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self._nonsense(method, 200, f"{type(error).__name__}: {error}") from None

    def _with_session(self, call: Callable[[], bytes], *, repeatable: bool) -> bytes:
        seen = self._logins
        if not seen:
            self._log_in(seen)
            seen = self._logins
        try:
            return self._answered(call())
        except vim.fault.NotAuthenticated:
            if not repeatable:
                raise
        self._log_in(seen)
        try:
            return self._answered(call())
        except vim.fault.NotAuthenticated:
            if self.has_answered:
                raise
        raise self._nonsense("a request", 401, "the session that it has just opened is good for nothing")

    def _answered(self, body: bytes) -> bytes:
        self.has_answered = True
        return body

    def _log_in(self, seen: int) -> None:
        with self._lock:
            if self._logins != seen:
                return  # another thread was quicker
            if self._refused is not None:
                raise self._refused
            self._session = ""
            if not self.release:
                self.release = self._negotiated()
            try:
                self._post(self._sessions, "Login", {"userName": self._endpoint.username, "password": self._password()}, repeatable=True)
            except vim.fault.NotAuthenticated:
                raise self._nonsense("Login", 401, "a login cannot have a session yet") from None
            except vim.fault.InvalidLogin:
                self._refused = credentials_refused(self._endpoint)
                raise self._refused from None
            except CredentialsError as error:  # the password could not be looked up
                self._refused = error
                raise
            if not self._session:
                raise self._nonsense("Login", 200, f"no {SESSION_HEADER}")
            self._logins += 1

    def _negotiated(self) -> str:
        """The release that the server chooses among ours.

        Raises:
            TransportNotOfferedError: there is none, or nobody to ask.
            EndpointError: as for every answer.
        """
        body = json.dumps({"api_releases": RELEASES}).encode()
        reply = self._wire.post("hello", body, {"Content-Type": "application/json"}, repeatable=True, path=HELLO_PATH)
        if reply.status == 404 and self._api_version.split(".")[:3] == ["8", "0", "1"]:
            return _WITHOUT_HELLO
        if reply.status == 404:
            raise self._not_offered(f"there is no {HELLO_PATH} to ask for the release of VI/JSON")
        decoded = None
        with suppress(UnusableAnswerError):
            decoded = json_value(reply.body)
        chosen = decoded.get("api_release") if isinstance(decoded, dict) and reply.status == 200 else None
        if chosen == "":
            raise self._not_offered(f"it speaks none of the releases {', '.join(RELEASES)} of VI/JSON")
        if chosen not in RELEASES:
            raise self._nonsense("hello", reply.status, "no release that was offered")
        return str(chosen)

    def _post(self, where: str, method: str, parameters: dict[str, Any], *, repeatable: bool) -> bytes:
        headers = {"Content-Type": "application/json"}
        if self._session:
            headers[SESSION_HEADER] = self._session
        path = f"/sdk/vim25/{self.release}/{where}/{method}"
        reply = self._wire.post(method, json.dumps(parameters).encode(), headers, repeatable=repeatable, path=path)
        if reply.session:
            self._session = reply.session
        if reply.status in (200, 204):
            return reply.body
        if reply.status == 401:
            raise vim.fault.NotAuthenticated(msg="the session is not authenticated")
        if reply.status == 404:
            raise self._not_offered(f"there is no VI/JSON at /sdk/vim25/{self.release}")
        raise self._fault(method, reply.status, reply.body)

    def _fault(self, method: str, status: int, body: bytes) -> Exception:
        decoded = None
        with suppress(UnusableAnswerError):
            decoded = json_value(body)
        if not isinstance(decoded, dict) or "_typeName" not in decoded:
            return self._nonsense(method, status, "neither a result nor a fault")
        fault: Exception = fault_of(decoded, str(decoded.get("faultstring") or ""))
        return fault

    def _not_offered(self, what: str) -> TransportNotOfferedError:
        return TransportNotOfferedError(
            f"endpoint {self._endpoint.name}: {what}",
            why="the fast way to read it is missing; nothing was lost by asking.",
            do="let it be read by SOAP: `--transport soap`.",
        )

    def _of_unknown_form(self, method: str, what: str) -> UnknownShapeError:
        return UnknownShapeError(
            f"endpoint {self._endpoint.name}: the answer to {method} (VI/JSON) is of an unknown form: {what}",
            why="it was not read this way.",
            do="report this with the vCenter's version; `--transport soap` reads it by SOAP.",
        )

    def _nonsense(self, method: str, status: int, what: str) -> MalformedAnswerError:
        return MalformedAnswerError(
            f"endpoint {self._endpoint.name}: HTTP {status} to {method} (VI/JSON) cannot be understood: {what}",
            why="half an answer would be half an audit, so none of it was used.",
            do=f"check that {self._endpoint.address}:{self._endpoint.port} is a vCenter, and any proxy between.",
        )


def may_have_vijson(api_version: str) -> bool:
    """Whether a vCenter of this API version is asked for VI/JSON at all: 8.0 Update 1 and later."""
    parts = api_version.split(".")
    return all(part.isdigit() for part in parts) and tuple(map(int, parts)) >= (8, 0, 1)


_ANSWER = msgspec.json.Decoder(_Result)


def _properties_of(kind: str, content: _Content) -> ObjectProperties:
    shapes = PROPERTIES[kind]
    values = {one.name: _value(one.val, shapes[one.name]) for one in content.properties}
    return ObjectProperties(content.obj, values, {one.path: reason(one.fault) for one in content.missing})


def _value(raw: Raw, shape: Any) -> Any:
    boxed, bare = _decoders(shape)
    # A value of no declared type comes in a box that names its type; a data object names it itself.
    return boxed.decode(raw).value if boxed is not None and bytes(memoryview(raw)[:1]) == b"{" else bare.decode(raw)


@once
def _decoders(shape: Any) -> tuple[msgspec.json.Decoder[Any] | None, msgspec.json.Decoder[Any]]:
    bare = msgspec.json.Decoder(shape)
    if get_origin(shape) is None and isinstance(shape, type) and issubclass(shape, (Shape, Ref)):
        return None, bare
    box = msgspec.defstruct("Box", [("value", shape, field(name="_value"))])
    return msgspec.json.Decoder(box), bare
