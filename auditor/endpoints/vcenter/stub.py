"""pyVmomi's types over our own wire: what pyVmomi calls a stub adapter.

pyVmomi's own adapter retries nothing, swallows a lost session and hides which half of a request failed, so only its serialiser and its
deserialiser are used. Imports pyVmomi: import this module only where a session is opened.
"""

from __future__ import annotations

import io
import re
import threading
from typing import TYPE_CHECKING, Any, TypeVar
from xml.parsers.expat import ExpatError

from pyVmomi import vim, vmodl
from pyVmomi.SoapAdapter import SoapResponseDeserializer, SoapStubAdapterBase
from pyVmomi.VmomiSupport import versionIdMap

from auditor.endpoints.vcenter.bulk.soap_parsing import fault_of_soap
from auditor.endpoints.vcenter.faults import credentials_refused
from auditor.errors import CredentialsError, EndpointUnreachableError, MalformedAnswerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor.endpoints.vcenter.wire import VCenterWire
    from auditor.model import Endpoint

T = TypeVar("T")

OLDEST_VERSION = "vim.version.version10"
"""API 6.0, which every vCenter in support understands; the real version is asked in it."""

_BEFORE_LOGIN = frozenset({"RetrieveServiceContent", "Login", "LoginByToken", "Logout"})
_READS = frozenset(
    {
        "CreateContainerView",
        "CurrentTime",
        "DestroyView",
        "Fetch",
        "Login",
        "PbmQueryAssociatedEntity",
        "PbmQueryProfile",
        "PbmRetrieveContent",
        "PbmRetrieveServiceContent",
        "QueryConfiguredModuleOptionString",
        "QueryModules",
        "QueryOptions",
        "RetrieveEntityPermissions",
        "RetrieveManagedMethodExecuter",
        "RetrievePropertiesEx",
        "RetrieveServiceContent",
    }
)
"""What may be sent twice: it changes nothing that outlives our session.

ContinueRetrievePropertiesEx is not among them: a token is spent by the first, and the second would skip a part.
"""


_UNREAD = (b"durableName", b"alternateName", b"standardInquiry")
"""Optional parts of every ScsiLun that nothing here reads: raw inquiry bytes, an element a byte, three quarters of its XML.

Source: docs/domain/peers.md#reading: cutting them out before parsing takes the time to a fifth.
"""


class Stub(SoapStubAdapterBase):  # type: ignore[misc]  # pyVmomi ships no types
    """Carries calls of pyVmomi's managed objects over `wire`; may be used from many threads.

    Attributes:
        user: whom the session belongs to, as the server names it; "" before the login.
    """

    path = "/sdk"

    def __init__(self, endpoint: Endpoint, wire: VCenterWire, version: str = OLDEST_VERSION) -> None:
        super().__init__(version=version)
        self.requestContext: dict[str, str] | None = None  # read by SerializeRequest
        self.endpoint = endpoint
        self.wire = wire
        self._login: Callable[[], Any] | None = None
        self._logging_in: int | None = None  # the thread that does
        self._logins = 0
        self._refused: CredentialsError | None = None
        self._login_lock = threading.Lock()
        self.user = ""

    def logs_in_with(self, login: Callable[[], Any]) -> None:
        """Log in, and do so again by the same way when the session is found expired; `login` gives the UserSession.

        Raises:
            CredentialsError: refused.
        """
        self._login = login
        self._log_in(seen=0)

    @property
    def logged_in(self) -> bool:
        """Whether a session was opened and nobody refused to open it again."""
        return self._logins > 0 and self._refused is None

    def speak(self, api_version: str) -> None:
        """Use the newest version that both sides know; `api_version` is AboutInfo.apiVersion."""
        self.ComputeVersionInfo(newest_known(api_version))

    def InvokeMethod(self, mo: Any, info: Any, args: Any) -> Any:  # noqa: N802  the name is pyVmomi's
        """One call of a managed object; raises the server's fault as pyVmomi does."""
        name = info.wsdlName
        return self.ask(
            name,
            self.SerializeRequest(mo, info, args),
            lambda status, body: self.decoded(name, info.result, status, body),
            repeatable=name in _READS,
        )

    def ask(self, operation: str, request: bytes | str, decode: Callable[[int, bytes], T], *, repeatable: bool, kind: str = "") -> T:
        """Send `request`, decode the answer; once more after a new login when the session had expired and it is a read.

        `kind` is for `Pace.turn`.

        Raises:
            EndpointError: of the transport.
            vmodl.MethodFault: as the server gave it.
        """
        if self._refused is not None:
            raise self._refused  # asking again with a refused password locks accounts
        data = request if isinstance(request, bytes) else request.encode()
        seen = self._logins
        for attempt in (1, 2):
            headers = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": self.versionId}
            reply = self.wire.post(operation, data, headers, repeatable=repeatable, path=self.path, kind=kind)
            try:
                return decode(reply.status, reply.body)
            except vim.fault.NotAuthenticated:
                if attempt == 2 or not repeatable or operation in _BEFORE_LOGIN or self._login is None:
                    raise
                if self._logging_in == threading.get_ident():  # a login that looks whether it worked
                    raise
                self._log_in(seen)
            except MalformedAnswerError as error:
                if repeatable:
                    raise
                raise EndpointUnreachableError(error.what, why="whether it was done is not known.", do=error.do) from None
        raise AssertionError("unreachable")

    def fault_in(self, operation: str, status: int, body: bytes) -> None:
        """Raise the fault that `body` holds, as pyVmomi's exception; used for answers whose result pyVmomi has no type for."""
        self.decoded(operation, object, status, body)

    def decoded(self, operation: str, result_type: Any, status: int, body: bytes) -> Any:
        """What `body`, the answer to `operation`, holds, as pyVmomi's objects; `result_type` is as pyVmomi has it.

        Raises:
            vmodl.MethodFault: it holds a fault.
            MalformedAnswerError: it makes no sense.
        """
        deserializer = SoapResponseDeserializer(self)
        if operation.endswith("RetrievePropertiesEx"):
            for name in _UNREAD:
                body = _without(body, name)
        try:
            # A stream, not bytes: only so does expat learn from pyVmomi where the document ends, and a torn one is noticed.
            result = deserializer.Deserialize(io.BytesIO(body), result_type if result_type is not type(None) else object)
        except (ExpatError, AttributeError, KeyError, LookupError, TypeError, ValueError) as error:
            # What pyVmomi's deserialiser raises at a name, a type or a number it does not know.
            fault = fault_of_soap(body)
            if fault is not None:
                raise fault from None
            raise self.nonsense(operation, status, f"{type(error).__name__}: {error}") from None
        if deserializer.isFault:
            fault = result if isinstance(result, vmodl.MethodFault) else fault_of_soap(body)
            raise self.nonsense(operation, status, "a fault of no known kind") if fault is None else fault
        if status != 200 or not re.search(rb"<(?:[\w.-]+:)?%sResponse[\s/>]" % operation.encode(), body):
            raise self.nonsense(operation, status, "neither its response nor a fault")
        return result

    def _log_in(self, seen: int) -> None:
        with self._login_lock:
            if self._logins != seen:
                return  # another thread was quicker
            if self._refused is not None:
                raise self._refused
            if self._login is None:
                raise AssertionError("logs_in_with comes first")
            try:
                self._logging_in = threading.get_ident()
                self.user = str(self._login().userName)
            except vim.fault.InvalidLogin:
                self._refused = credentials_refused(self.endpoint)
                raise self._refused from None
            except CredentialsError as error:  # the password could not be looked up
                self._refused = error
                raise
            finally:
                self._logging_in = None
            self._logins += 1

    def nonsense(self, operation: str, status: int, what: str) -> MalformedAnswerError:
        """The error for an answer to `operation` that makes no sense, `what` saying why."""
        return MalformedAnswerError(
            f"endpoint {self.endpoint.name}: HTTP {status} to {operation} cannot be understood: {what}",
            why="half an answer would be half an audit, so none of it was used.",
            do=f"check that {self.endpoint.address}:{self.endpoint.port} is a vCenter, and any proxy between.",
        )


def _without(body: bytes, name: bytes) -> bytes:
    """`body` without the elements `name` that have no attributes; text cannot look like one, XML escapes its marks."""
    opening, closing = b"<%s>" % name, b"</%s>" % name
    kept, at = [], 0
    while (start := body.find(opening, at)) >= 0:
        end = body.find(closing, start)
        if end < 0:
            break
        kept.append(body[at:start])
        at = end + len(closing)
    return b"".join([*kept, body[at:]]) if kept else body


def newest_known(api_version: str) -> str:
    """The newest pyVmomi version name that is not newer than `api_version`, for example vim.version.v8_0_2_0."""
    version = _numbers(api_version)
    known = {name: _numbers(number) for name, number in versionIdMap.items() if name.startswith("vim.version.")}
    fitting = {name: number for name, number in known.items() if number and number <= version}
    return max(fitting, key=lambda name: fitting[name], default=OLDEST_VERSION)


def _numbers(version: str) -> tuple[int, ...]:
    """(8, 0, 2) of "8.0.2.0", without trailing zeros; () when it is no plain number."""
    parts = version.split(".")
    if not all(part.isdigit() for part in parts):
        return ()
    numbers = [int(part) for part in parts]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
