"""Sessions with Dell Storage Manager (DSM), which speaks for one Storage Center or several.

No reference of this REST interface is public. What is relied on here is what public clients do: OpenStack cinder's (with recorded objects
in its tests), CoprHD's, and two exporters. Nothing of it was verified against a real system by us.
"""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.clocks import date_of
from auditor.endpoints.common.https import UNKNOWN_OUTCOME
from auditor.endpoints.common.sessions import SessionBase
from auditor.endpoints.common.tokens import logged_in
from auditor.endpoints.dell_sc.answers import Attributes, message_of, version
from auditor.endpoints.dell_sc.wire import OLDEST_API, ManagerConnection
from auditor.errors import EndpointError, EndpointUnreachableError, RefusedError
from auditor.model.identity import joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from auditor.endpoints.common.https import Answer, HttpsSession, Request
    from auditor.model import Endpoint

DEFAULT_PROFILE = "Default"
"""Name of the QoS profile that a volume has when nobody gave it one. Source: 3137-BP-EM, title of section 1.3; cinder's tests."""

_WRAPPED_FROM = (2, 2)  # filters stand under "filter" from here on; cinder's LegacyPayloadFilter
_PROVIDERS = {"EnterpriseManager": "Storage Manager", "StorageCenter": "Storage Center, asked directly,"}
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.05, 1.0
_TASK_PATIENCE = 4  # times the time-out: how long a task that goes on is awaited
_TASK_SAID_NO = frozenset({400, 403, 409, 422})


class StorageManager(SessionBase):
    """One Storage Manager, logged in to. Made by `open_dell_sc`; safe to use from several threads.

    Reads are asked once more after a lost session, and while the manager is busy. Writes are sent once.

    Attributes:
        api_version: negotiated, as text.
    """

    def __init__(self, endpoint: Endpoint, https: HttpsSession) -> None:
        super().__init__(endpoint, https)
        self._connection = ManagerConnection(endpoint, https)
        self._storage_centers: list[Any] | None = None
        self._https = https
        self.api_version = self._connection.api_version
        about = self._connection.about
        provider = str(about.get("provider") or "Storage Manager")
        self.release = f"Dell {_PROVIDERS.get(provider, provider)} {about.get('providerVersion') or '?'}, API {self.api_version}"

    def get(self, path: str) -> Any:
        """What GET answers.

        Raises:
            EndpointUnreachableError: no answer, or none in time.
            CredentialsError: the account is not (or no longer) accepted.
            PermissionMissingError: the account may not read this.
            NotThereError: there is no such object, or no such call.
            MalformedAnswerError: the answer is no JSON, or broke off.
            EndpointError: it answered with an error of its own.
        """
        return self._connection.value(self._connection.request("GET", path, is_read=True))

    def compute(self, path: str, payload: Mapping[str, Any] | None = None) -> list[Any]:
        """The list that a POST answers which changes nothing, for example "StorageCenter/ScVolume/64702.1/GetHistoricalIoUsage".

        Raises:
            EndpointError: as `get`; MalformedAnswerError too when it is no list.
        """
        return self._list(self._connection.value(self._connection.request("POST", path, payload or {}, is_read=True)), path)

    def objects(self, kind: str, serial: int) -> list[Any]:
        """Every object of a class that one Storage Center has.

        The answer is whole: no public client or record knows of pages, and what has another status than 200 is not taken for a list.

        Raises:
            EndpointError: as `compute`.

        Source: cinder's and CoprHD's clients: POST StorageCenter/<class>/GetList with a filter.
        """
        of_center = {"attributeName": "scSerialNumber", "attributeValue": serial, "filterType": "Equals"}
        wanted: dict[str, Any] = {"filterType": "AND", "filters": [of_center]}
        wrapped = (version(self.api_version) or OLDEST_API) >= _WRAPPED_FROM
        return self.compute(f"StorageCenter/{kind}/GetList", {"filter": wanted} if wrapped else wanted)

    def listed(self, path: str) -> list[Any]:
        """The list that GET answers.

        Raises:
            EndpointError: as `get`; MalformedAnswerError too when it is no list.
        """
        return self._list(self.get(path), path)

    def storage_centers(self, *, again: bool = False) -> list[Any]:
        """The Storage Centers that the manager speaks for, asked once, or anew with `again`.

        Raises:
            EndpointError: as `listed`.
        """
        if self._storage_centers is None or again:
            self._storage_centers = self.listed("StorageCenter/StorageCenter")
        return self._storage_centers

    def identity(self, *, again: bool = False) -> str | None:
        """The serial numbers of its Storage Centers; None when it reports none. The manager has none of its own that is public.

        Raises:
            EndpointError: it could not be asked.
        """
        serials = [Attributes(one).get("scSerialNumber") for one in self.storage_centers(again=again) if isinstance(one, dict)]
        self.known_identity = joined([str(serial) for serial in serials if type(serial) in (int, str) and serial])
        return self.known_identity

    def object(self, path: str) -> Attributes:
        """The one object that GET answers, for example of "StorageCenter/ScVolume/64702.3494/VolumeConfiguration".

        Raises:
            EndpointError: as `get`; MalformedAnswerError too when it is something else.
        """
        value = self.get(path)
        if isinstance(value, dict):
            return Attributes(value)
        raise self._connection.malformed(path, f"a {type(value).__name__} where an object was expected")

    def modify(self, kind: str, instance: str, attributes: Mapping[str, Any]) -> None:
        """Change attributes of one object, and wait until that has happened; those that are left out stay.

        Raises:
            RefusedError, PermissionMissingError, NotThereError: it said no, and nothing was written.
            EndpointUnreachableError, MalformedAnswerError: whether it was written is not known: no answer, or a task that did not end
                within four times the endpoint's time-out.

        Source: cinder's client: PUT with the header `async: True` answers 202 and an AsyncTask, whose address answers the object once done.
        """
        request = self._connection.request("PUT", f"StorageCenter/{kind}/{instance}", attributes, is_read=False, as_task=True)
        answer = self._connection.write(request)
        if answer.status == 202:
            self._await(self._task(answer, request), request)
        elif not 200 <= answer.status < 300:
            raise self._connection.refusal(answer, request)

    def clock(self) -> datetime | None:
        """What the manager's own clock says, in UTC, to the second; None when it does not report. It is not the Storage Center's.

        Source: RFC 9110 section 6.6.1, Date. The dates in most objects have no time zone.
        """
        answer = self._connection.read(self._connection.request("GET", "ApiConnection/ApiConnection", is_read=True))
        return date_of(answer.headers)

    def role(self) -> str | None:
        """The account's role: None, since no public client or record shows where the API reports it."""
        return None

    def logout(self) -> None:
        """End the session; one that cannot be ended ends by itself."""
        with suppress(EndpointError):
            self._https.ask(self._connection.request("POST", "ApiConnection/Logout", {}, is_read=False))

    def _list(self, value: Any, path: str) -> list[Any]:
        if isinstance(value, list):
            return value
        raise self._connection.malformed(path, f"a {type(value).__name__} where a list was expected")

    def _task(self, answer: Answer, request: Request) -> str:
        """The path of the task that a write started, by the task's number.

        Its `returnValue` is an address too, but one as the manager sees itself ("localhost"); cinder's client calls that a bug.
        """
        task = self._https.decoded(answer, request)
        number = Attributes(task).get("instanceId") if isinstance(task, dict) else None
        if not isinstance(number, str) or not number.isalnum():
            raise self._connection.malformed(request.label, "it was accepted, and no task is named", UNKNOWN_OUTCOME)
        return f"ApiConnection/AsyncTask/{number}"

    def _await(self, path: str, request: Request) -> None:
        """Ask for a task until it has ended."""
        patience = _TASK_PATIENCE * self.endpoint.limits.timeout_seconds
        deadline, pause = time.monotonic() + patience, _FIRST_PAUSE_SECONDS
        about_task = self._connection.request("GET", path, is_read=True)
        while time.monotonic() < deadline:
            try:
                answer = self._connection.read(about_task)
                value = self._https.decoded(answer, about_task) if answer.status == 200 and answer.body else None
            except EndpointError as error:
                raise self._unknown_outcome(request, f"its task cannot be followed: {error.what}") from error
            if answer.status in _TASK_SAID_NO:
                raise self._connection.refusal(answer, request)
            if answer.status not in (200, 204):  # 404 too: a manager that was started anew may have forgotten its tasks
                raise self._unknown_outcome(request, f"its task answers HTTP {answer.status} {message_of(answer.body)}".rstrip())
            if self._has_ended(value, request):
                return
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
        raise self._unknown_outcome(request, f"its task had not ended after {patience:g} s")

    def _has_ended(self, value: Any, request: Request) -> bool:
        """Whether what a task's address answers is the result, and not the task any more."""
        task = Attributes(value) if isinstance(value, dict) else Attributes()
        if task.get("objectType") != "AsyncTask":
            return True
        error = task.get("localizedError") or task.get("error")
        if error or task.get("errorState") not in (None, "", "None"):
            raise RefusedError(
                f"endpoint {self.endpoint.name}: {request.label}: {' '.join(str(error or task.get('errorState')).split())[:300]}",
                why="the task failed; nothing was written.",
                do="look at the task in Storage Manager.",
            )
        return task.get("successful") is True

    def _unknown_outcome(self, request: Request, reason: str) -> EndpointUnreachableError:
        return EndpointUnreachableError(
            f"endpoint {self.endpoint.name}: {request.label}: {reason}",
            why=UNKNOWN_OUTCOME,
            do="look at the task in Storage Manager, and read the setting back.",
        )


@contextmanager
def open_dell_sc(endpoint: Endpoint) -> Iterator[StorageManager]:
    """A session with a Storage Manager; logged out at the end.

    Raises:
        CredentialsError: the password cannot be looked up, or is refused.
        EndpointUnreachableError: no connection, no answer in time, or a certificate that does not verify.
        MalformedAnswerError, NotThereError: something answers, but not a Storage Manager we can talk to.
        ConfigurationError: the endpoint's CA file cannot be read.

    Source: cinder's client: POST ApiConnection/Login with basic authentication and the header x-dell-api-version; a cookie from then on.
    """
    with logged_in(endpoint, "/api/rest/", StorageManager) as manager:
        yield manager
