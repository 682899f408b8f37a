"""Sessions with SolidFire / Element clusters.

solidfire-sdk-python makes the connection and the request, no more: its model classes raise on real answers and drop unknown fields, so
answers are decoded here (docs/domain/arrays.md#python-clients).
"""

from __future__ import annotations

import logging
import re
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.answer_limits import json_value
from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.common.sessions import SessionBase
from auditor.endpoints.element.sdk import api_server_error, element_class
from auditor.endpoints.element.transport import ElementTransport
from auditor.errors import EndpointError, MalformedAnswerError, NotThereError, PermissionMissingError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.model import Endpoint

OLDEST_API = (10, 0)  # the first with QoS policies; API reference, ListQoSPolicies: "New since version 10.0"
NEWEST_API_MAJOR = 12  # a later major version may answer in other shapes
_BOOTSTRAP_API = "7.0"  # GetAPI is asked under the oldest version that the SDK itself would use

_VERSION = re.compile(r"(\d+)\.(\d+)")
_LONGEST_MESSAGE = 300


class ElementArray(SessionBase):
    """One cluster, asked through its JSON-RPC interface. Made by `open_element`; safe to use from several threads.

    Attributes:
        api_version: negotiated, as text: "12.10" is not 12.1.
    """

    def __init__(self, endpoint: Endpoint, transport: ElementTransport) -> None:
        super().__init__(endpoint, transport.https)
        self._transport = transport
        self._cluster_info: dict[str, Any] | None = None
        self._transport.version = _BOOTSTRAP_API
        self._sdk = _sdk(transport, _BOOTSTRAP_API)
        self.api_version = self._negotiated()
        self._transport.version = self.api_version
        self.release = f"Element API {self.api_version}"

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The decoded `result` of a method; fields that hold secrets read "***".

        Raises:
            EndpointUnreachableError: no answer, or none in time; after a write its outcome is unknown.
            CredentialsError: the account is not (or no longer) accepted.
            PermissionMissingError: the account may not call this.
            NotThereError: the method, or an object it names, does not exist.
            RefusedError: a write was understood and refused.
            MalformedAnswerError: the answer is not what JSON-RPC promises.
            EndpointError: a read that the cluster answered with an error of its own.
        """
        return self._result(json_value(self._raw(method, params)), method)

    def cluster_info(self, *, again: bool = False) -> dict[str, Any]:
        """The answer to GetClusterInfo, asked once, or anew with `again`.

        Raises:
            EndpointError: as `call`.
        """
        if self._cluster_info is None or again:
            self._cluster_info = self.call("GetClusterInfo")
        return self._cluster_info

    def identity(self, *, again: bool = False) -> str | None:
        """The cluster's UUID; its uniqueID where it reports no UUID; None when it reports neither.

        Raises:
            EndpointError: it could not be asked.

        Source: API reference, clusterInfo: uuid and uniqueID.
        """
        info = self.cluster_info(again=again).get("clusterInfo")
        ids = [info.get(key) for key in ("uuid", "uniqueID")] if isinstance(info, dict) else []
        self.known_identity = next((one for one in ids if isinstance(one, str) and one), None)
        return self.known_identity

    def clock(self) -> datetime | None:
        """What time it is on the cluster, UTC; None when it does not report it to this account.

        Raises:
            EndpointError: it could not be asked.

        Source: API reference, clusterStats.timestamp: "The current time in UTC+0 format"; recorded. GetNtpInfo reports no time.
        """
        stats = self._field("GetClusterStats", "clusterStats")
        try:
            moment = datetime.fromisoformat(stats["timestamp"])
        except (KeyError, TypeError, ValueError):
            return None
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)

    def role(self) -> str | None:
        """The access types of our account, for example "administrator" or "read, volumes"; None when the cluster does not report them.

        Raises:
            EndpointError: it could not be asked.

        Source: API reference, GetCurrentClusterAdmin and ListClusterAdmins. Which account the former is about is described in two ways
        (the caller's, the primary one), so only an answer with our user name counts.
        """
        for method, under in (("GetCurrentClusterAdmin", "clusterAdmin"), ("ListClusterAdmins", "clusterAdmins")):
            admins = self._field(method, under)
            for admin in admins if isinstance(admins, list) else [admins]:
                access = admin.get("access") if isinstance(admin, dict) and admin.get("username") == self.endpoint.username else None
                if isinstance(access, list):
                    return ", ".join(map(str, access))
        return None

    def _field(self, method: str, under: str) -> Any:
        """A field of an answer; None where the account may not ask, or the release does not know the method."""
        try:
            return self.call(method).get(under)
        except (PermissionMissingError, NotThereError):
            return None

    def _raw(self, method: str, params: dict[str, Any]) -> str:
        """The answer as text, through the SDK's own request."""
        try:
            raw: str = self._sdk.send_request(method, None, params, return_response_raw=True)
        except api_server_error() as error:
            # The SDK wraps whatever its dispatcher raises; ours says more, and a bug in ours must show as one.
            if isinstance(error.__context__, EndpointError):
                raise error.__context__ from None
            raise
        return raw

    def _result(self, answer: Any, method: str) -> dict[str, Any]:
        error = answer.get("error")
        if error is not None:
            raise self._refusal(error if isinstance(error, dict) else {}, method)
        result = answer.get("result")
        if not isinstance(result, dict):
            raise MalformedAnswerError(
                f"endpoint {self.endpoint.name}: its answer to {method} has neither a result nor an error",
                why="what it would have reported is unknown.",
                do="check that an Element cluster's management address (MVIP) stands in fleet.yaml.",
            )
        return result

    def _refusal(self, error: dict[str, Any], method: str) -> EndpointError:
        name = str(error.get("name") or "unnamed error")
        message = f"endpoint {self.endpoint.name}: {method}: {name}: {str(error.get('message') or '')[:_LONGEST_MESSAGE]}".rstrip(": ")
        is_read = method.startswith(("Get", "List"))
        why = "what it would have reported is unknown." if is_read else "nothing was written."
        if "PermissionDenied" in name:
            do = f"give {self.endpoint.username} an access type that allows {method} (Element API reference, Access control)."
            return PermissionMissingError(message, why=why, do=do)
        if name.startswith("xUnknownAPI") or name.lower().endswith("doesnotexist"):
            return NotThereError(message, why=why, do="collect again: it may have been removed since, or the release does not have it.")
        if is_read:
            return EndpointError(message, why=why, do="ask again; if it stays, look at the cluster's own alerts.")
        return RefusedError(message, why=why, do="compare the value with what GetLimits allows.")

    def _negotiated(self) -> str:
        # Numbers are kept as the text they were sent as: a float would make 12.1 of 12.10.
        answer = json_value(self._raw("GetAPI", {}), floats=str)
        versions = self._result(answer, "GetAPI").get("supportedVersions")
        spoken = [
            (int(match[1]), int(match[2]))
            for each in (versions if isinstance(versions, list) else ())
            if (match := _VERSION.fullmatch(str(each)))
        ]
        usable = [version for version in spoken if OLDEST_API <= version < (NEWEST_API_MAJOR + 1, 0)]
        if not usable:
            raise NotThereError(
                f"endpoint {self.endpoint.name}: it speaks no API version from {OLDEST_API[0]}.{OLDEST_API[1]} to {NEWEST_API_MAJOR}.x",
                why="nothing on it was read.",
                do="check its Element release with GetAPI; older and newer ones are not supported.",
            )
        return "{}.{}".format(*max(usable))


@contextmanager
def open_element(endpoint: Endpoint) -> Iterator[ElementArray]:
    """A session with an Element cluster; every connection is closed at the end.

    Element has no login: credentials go with each request, and the first one (GetAPI) shows whether they are good.

    Raises:
        CredentialsError: the password cannot be looked up, or is refused.
        EndpointUnreachableError: no connection, no answer in time, or a certificate that does not verify.
        MalformedAnswerError, NotThereError: something answers, but not an Element cluster we can talk to.
        ConfigurationError: the endpoint's CA file cannot be read.
    """
    with closing(ElementTransport(endpoint, password_of(endpoint))) as transport:
        yield ElementArray(endpoint, transport)


def _sdk(transport: ElementTransport, version: str) -> Any:
    """The SDK's connection object over our transport; it gets neither the address nor the credentials."""
    element = element_class()
    # It adds a handler on import and logs raw answers; debug logging must not show them.
    log = logging.getLogger("solidfire.Element")
    log.handlers.clear()
    log.propagate = False
    log.disabled = True
    return element(api_version=version, dispatcher=transport)
