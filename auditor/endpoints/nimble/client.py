"""Sessions with groups of HPE Nimble arrays over the REST interface v1 of NimbleOS."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common import answer_limits
from auditor.endpoints.common.clocks import date_of
from auditor.endpoints.common.sessions import SessionBase
from auditor.endpoints.common.tokens import broken_off, logged_in
from auditor.endpoints.nimble.wire import NimbleWire, words_of
from auditor.errors import MalformedAnswerError, NotThereError, PermissionMissingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from auditor.model import Endpoint


class NimbleGroup(SessionBase):
    """One group of arrays, which is asked as one. Made by `open_nimble`; safe to use from several threads.

    Attributes:
        about: the group as it reported itself when the session opened.
    """

    def __init__(self, endpoint: Endpoint, wire: NimbleWire) -> None:
        super().__init__(endpoint, wire.https)
        self._wire = wire
        self.about = self._group()
        self.release = f"NimbleOS {self.about.get('version_current') or '?'}"
        self.known_identity = _id_of(self.about)

    def pages(self, resource: str, **params: str) -> Iterator[dict[str, Any]]:
        """Every page of a list with all fields, as the array answers it: rows under `data`; fields that hold secrets read "***".

        The end is reached when as many rows were held as the array counts. A list whose count changes while it is read may have lost a row
        to that, and raises after what was held; so does one that the array calls partial.

        Args:
            resource: for example "volumes".
            params: fields that have to have these values.

        Raises:
            EndpointUnreachableError: no answer, or none in time.
            CredentialsError: the session was over, and the secret opens no other.
            PermissionMissingError: the account may not ask this.
            NotThereError: the list does not exist.
            MalformedAnswerError: an answer is not what REST v1 promises, or is partial.
            EndpointError: the array answered with an error of its own.

        Source: nimble-python-sdk, NimOSAPIClient.get: startRow, endRow, totalRows, and an answer with `messages` is a partial one; REST API
        reference 5.1, "GET Syntax Details". Statuses 200 and 206 are both normal there; what 206 means by itself is not verified, so that
        rows are counted.
        """
        label = f"GET {resource}"
        held = 0
        total: int | None = None
        for _ in range(answer_limits.MOST_PAGES):
            answer, _headers = self._wire.ask("GET", f"{resource}/detail", params={**params, **({"startRow": str(held)} if held else {})})
            rows, counted = answer.get("data"), answer.get("totalRows")
            if rows is None and counted == 0:
                rows = []
            if not isinstance(rows, list) or type(counted) is not int:
                raise self._malformed(label, "it has no list of rows with their number")
            yield {**answer, "data": rows}
            held += len(rows)
            if answer.get("messages"):
                raise self._malformed(label, f"it calls itself partial: {words_of(answer['messages']) or 'without a reason'}")
            if total is not None and counted != total:
                raise self._malformed(label, f"it counted {total:,} rows, then {counted:,}: the list changed while it was read")
            total = counted
            if held >= total:
                return
            if not rows:
                raise self._malformed(label, f"it counts {total:,} rows, and held {held:,}")
        raise self._malformed(label, f"it did not end after {answer_limits.MOST_PAGES:,} pages")

    def one(self, resource: str, object_id: str) -> dict[str, Any]:
        """The object of that id, with all its fields.

        Raises:
            NotThereError: there is none.
            EndpointError: as `pages`.
        """
        answer, _ = self._wire.ask("GET", f"{resource}/{object_id}")
        data = answer.get("data")
        if not isinstance(data, dict):
            raise self._malformed(f"GET {resource}", "it holds no object")
        if data.get("id") not in (None, object_id):
            raise NotThereError(
                f"endpoint {self.endpoint.name}: {resource} holds nothing with the id {object_id!r}",
                why="its settings can be neither read nor written.",
                do="audit again: it may have been deleted since.",
            )
        return data

    def put(self, resource: str, object_id: str, body: Mapping[str, Any]) -> None:
        """Change the fields of `body` in the object of that id, once; the others stay. An answer that speaks of a job is not waited for.

        Raises:
            RefusedError: the array understood it and said no.
            NotThereError: nothing has that id.
            PermissionMissingError: the account may not.
            CredentialsError: the session was over, or the account may not; nothing was written.
            EndpointUnreachableError: no answer; whether it was written is not known, unless the error says it was never sent.
            MalformedAnswerError: an answer that makes no sense; whether it was written is not known.

        Source: nimble-python-sdk, NimOSAPIClient.put and Resource.update.
        """
        self._wire.ask("PUT", f"{resource}/{object_id}", body=dict(body))

    def read_identity(self) -> str | None:
        """The group's id; None when it reports none."""
        return _id_of(self._group())

    def clock(self) -> datetime | None:
        """The time by the array's own clock, in UTC; None when it does not report.

        Source: RFC 9110, Date. Not verified against a real array.
        """
        _, headers = self._wire.ask("GET", "groups")
        return date_of(headers)

    def role(self) -> str | None:
        """The role of the account, for example guest or administrator; None when the array does not report.

        Source: nimble-golang-sdk, User: name, role. Whether a guest may list users is not verified.
        """
        try:
            for page in self.pages("users", name=self.endpoint.username):
                for user in page["data"]:
                    if isinstance(user, dict) and user.get("name") == self.endpoint.username:
                        return user["role"] if isinstance(user.get("role"), str) and user["role"] else None
        except (NotThereError, PermissionMissingError):
            return None  # a user of a directory is not among the array's own
        return None

    def _group(self) -> dict[str, Any]:
        """The object of the group itself; empty where there is none."""
        first = next(self.pages("groups"))["data"]
        return first[0] if first and isinstance(first[0], dict) else {}

    def _malformed(self, label: str, reason: str) -> MalformedAnswerError:
        return broken_off(self.endpoint, label, reason, look_at="alarms")


def _id_of(group: Mapping[str, Any]) -> str | None:
    found = group.get("id")
    return found if isinstance(found, str) and found else None


@contextmanager
def open_nimble(endpoint: Endpoint) -> Iterator[NimbleGroup]:
    """A session with a group of Nimble arrays; its token is deleted and every connection closed at the end.

    Raises:
        CredentialsError: the secret cannot be looked up, or is refused.
        EndpointUnreachableError: no connection, no answer in time, or a certificate that does not verify.
        MalformedAnswerError: something answers, but not NimbleOS.
        ConfigurationError: the endpoint's CA file cannot be read.

    Source: nimble-python-sdk, NimOSAPIClient: port 5392, v1/tokens.
    """
    with logged_in(endpoint, "/v1/", NimbleWire) as wire:
        yield NimbleGroup(endpoint, wire)
