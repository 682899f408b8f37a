"""Sessions with SANtricity Web Services: the one embedded in an array, or the proxy that speaks for several.

Not verified against a real system: what is relied on is what public clients do (docs/domain/arrays.md#eseries).
"""

from __future__ import annotations

import json
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from auditor.endpoints.common.https import UNKNOWN_FACTS, UNKNOWN_OUTCOME, HttpsSession, Request
from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.common.sessions import SessionBase
from auditor.errors import (
    EndpointError,
    EndpointUnreachableError,
    MalformedAnswerError,
    NotThereError,
    PermissionMissingError,
    RefusedError,
)
from auditor.model.identity import joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditor.endpoints.common.https import Answer
    from auditor.model import Endpoint

_BASE = "/devmgr/"
_SYSTEMS = "v2/storage-systems"
_LONGEST_MESSAGE = 300


class WebServices(SessionBase):
    """One SANtricity Web Services. Made by `open_eseries`; safe to use from several threads.

    The account's name and password go with each request. Reads are asked again while it is busy. Writes are sent once.

    Attributes:
        is_proxy: whether it runs beside the arrays that it speaks for, and not on one of them.
    """

    def __init__(self, endpoint: Endpoint, https: HttpsSession) -> None:
        super().__init__(endpoint, https)
        self._https = https
        about = self._object("utils/about", "about")
        self.is_proxy = about.get("runningAsProxy") is True
        software = "SANtricity Web Services Proxy" if self.is_proxy else "SANtricity Web Services, embedded"
        self.release = f"{software} {about.get('version') or '?'}"
        self.identity(again=True)

    def systems(self) -> list[Any]:
        """The storage systems that it speaks for, as it answers now.

        Raises:
            EndpointError: as `listed`.

        Source: openstack/cinder, eseries/client.py, list_storage_systems; NetApp/santricity-webapi-javasdk, StorageSystemResponse.
        """
        return self._list(self._answered("GET", _SYSTEMS, "storage-systems"), "storage-systems")

    def listed(self, system: str, what: str) -> list[Any]:
        """The list of `what`, for example "volumes", that one storage system has.

        The answer is whole: no public client knows of pages in these lists.

        Raises:
            EndpointUnreachableError: no answer, or none in time.
            CredentialsError: the account is not (or no longer) accepted.
            PermissionMissingError: the account may not read this.
            NotThereError: there is no such system, or the release has no such list.
            MalformedAnswerError: the answer is no list, or broke off.
            EndpointError: it answered with an error of its own, for example that its array does not answer it.
        """
        return self._list(self._answered("GET", _path(system, what), what), what)

    def post(self, system: str, what: str, key: str, body: Mapping[str, Any]) -> None:
        """Change the fields of `body` in the object `key` of the list `what`, once.

        Raises:
            RefusedError: it understood, and said no.
            PermissionMissingError: the account may not change this.
            NotThereError: there is no such object.
            EndpointUnreachableError: no answer; whether it was written is not known, unless the error says it was never sent.
            MalformedAnswerError: an answer that makes no sense; whether it was written is not known.

        Source: netappeseries/santricity, netapp_e_host.py, update_host: POST to the object's own address.
        """
        self._answered("POST", f"{_path(system, what)}/{quote(key, safe='')}", what, body)

    def read_identity(self) -> str | None:
        """The world-wide names of its storage systems; None when it reports none."""
        names = [one.get("wwn") for one in self.systems() if isinstance(one, dict)]
        return joined([name for name in names if isinstance(name, str) and name])

    def _object(self, path: str, label: str) -> dict[str, Any]:
        value = self._answered("GET", path, label)
        if isinstance(value, dict):
            return value
        raise self._malformed(label, f"a {type(value).__name__} where an object was expected")

    def _list(self, value: Any, label: str) -> list[Any]:
        if isinstance(value, list):
            return value
        raise self._malformed(label, f"a {type(value).__name__} where a list was expected")

    def _answered(self, method: str, path: str, what: str, body: Mapping[str, Any] | None = None) -> Any:
        content = None if body is None else json.dumps(body).encode()
        headers = None if body is None else {"Content-Type": "application/json"}
        request = Request(f"{method} {what}", method, path, is_read=method == "GET", content=content, headers=headers)
        answer = self._https.ask(request)
        if answer.status == 401:
            raise self._https.nonsense(answer, request)
        if 200 <= answer.status < 300 and not answer.body.strip() and not request.is_read:
            return None
        value = self._https.decoded(answer, request)
        if 200 <= answer.status < 300:
            return value
        raise self._refusal(answer, value, request)

    def _refusal(self, answer: Answer, value: Any, request: Request) -> EndpointError:
        """What an answer of another status means; its words stand in errorMessage or localizedMessage.

        Source: NetApp/santricity-webapi-javasdk, CallResponse: errorMessage, localizedMessage, retcode, codeType; openstack/cinder,
        eseries/client.py: 422 has a retcode. Which other status means what is not verified.
        """
        error = value if isinstance(value, dict) else {}
        message = str(error.get("localizedMessage") or error.get("errorMessage") or "")[:_LONGEST_MESSAGE]
        code = f", {error['retcode']}" if error.get("retcode") else ""
        what = f"endpoint {self.endpoint.name}: {request.label}: {message or 'it does not say why'} (HTTP {answer.status}{code})"
        why = UNKNOWN_FACTS if request.is_read else "nothing was written."
        if answer.status == 403:
            do = f"give {self.endpoint.username} the role {'storage.monitor' if request.is_read else 'storage.admin'}."
            return PermissionMissingError(what, why=why, do=do)
        if answer.status == 404:
            return NotThereError(what, why=why, do="collect again: it may have been removed since, or the release does not have it.")
        if request.is_read:
            return EndpointError(what, why=why, do="ask again; if it stays, see whether the Web Services reach the array's controllers.")
        if answer.status >= 500:
            return EndpointUnreachableError(what, why=UNKNOWN_OUTCOME, do="read the setting back, and look at the array's own events.")
        return RefusedError(what, why=why, do="compare the value with what the array allows.")

    def _malformed(self, label: str, reason: str) -> MalformedAnswerError:
        return MalformedAnswerError(
            f"endpoint {self.endpoint.name}: its answer to GET {label} makes no sense: {reason}",
            why=UNKNOWN_FACTS,
            do="check that the address of SANtricity Web Services (port 8443) stands in fleet.yaml.",
        )


def _path(system: str, what: str) -> str:
    return f"{_SYSTEMS}/{quote(system, safe='')}/{what}"


@contextmanager
def open_eseries(endpoint: Endpoint) -> Iterator[WebServices]:
    """A session with SANtricity Web Services; every connection is closed at the end.

    Raises:
        CredentialsError: the password cannot be looked up, or the account is refused.
        EndpointUnreachableError: no connection, no answer in time, or a certificate that does not verify.
        MalformedAnswerError: something answers, but not SANtricity Web Services.
        ConfigurationError: the endpoint's CA file cannot be read.

    Source: netappeseries/santricity, module_utils/santricity.py: basic authentication with each request, embedded and proxy alike.
    """
    import httpx

    with closing(HttpsSession(endpoint, _BASE, httpx.BasicAuth(endpoint.username, password_of(endpoint)))) as https:
        yield WebServices(endpoint, https)
