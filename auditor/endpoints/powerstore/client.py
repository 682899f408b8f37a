"""Sessions with Dell PowerStore over its REST API."""

from __future__ import annotations

import re
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common import answer_limits
from auditor.endpoints.common.sessions import SessionBase
from auditor.endpoints.common.tokens import broken_off, logged_in
from auditor.endpoints.powerstore.wire import PowerStoreWire
from auditor.errors import MalformedAnswerError, NotThereError, PermissionMissingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditor.endpoints.common.https import Answer
    from auditor.model import Endpoint

PAGE = 1000  # as gopowerstore asks; PyPowerStore takes 2,000 for the most. An array that holds less to a page says so by what it answers
_UNASKED = 100  # what an answer holds where nobody asked for more, as one does that a proxy took the limit from
_TRIES = 3  # of a list that changes while it is read

_RELEASE = re.compile(r"(\d+)\.(\d+)(?:\.|$)")
_RANGE = re.compile(r"(\d+)-(\d+)/(\d+)")


class PowerStore(SessionBase):
    """One cluster, asked through its REST API. Made by `open_powerstore`; safe to use from several threads.

    Attributes:
        version: of PowerStoreOS, for example 4.1.0.0; the REST API has the same number.
        api: its first two numbers, by which fields are asked for.
    """

    def __init__(self, endpoint: Endpoint, wire: PowerStoreWire) -> None:
        super().__init__(endpoint, wire.https)
        self._wire = wire
        self.version, self.api = self._installed()
        self.release = f"PowerStoreOS {self.version}"
        self.known_identity = _id_of(self.cluster())

    def has(self, release: tuple[int, int]) -> bool:
        """Whether what came with that release of REST is there."""
        return self.api >= release

    def listed(self, resource: str, select: str, **filters: str) -> list[Any]:
        """Every entry of a list, in the order of their ids; fields that hold secrets read "***".

        It is read in pages of `limit` and `offset`. 206 and Content-Range say that there is more, and how much. A full page that says
        neither may be a part as well: the next one is asked for. A list that is no longer of the same length, or that ends before a page
        that was asked for, is read again from its beginning, as an entry may have moved past.

        Args:
            resource: for example "volume".
            select: the fields that are wanted, as a query has them; an array answers with ids alone otherwise.
            filters: by field, for example type="eq.Node".

        Raises:
            EndpointUnreachableError: no answer, or none in time.
            CredentialsError: the session was over, and the password opens no other.
            PermissionMissingError: the account may not ask this.
            NotThereError: the resource does not exist.
            MalformedAnswerError: an answer is not what the API promises, the pages break off, or the list changes all the time.
            EndpointError: the array answered with an error of its own.

        Source: dell/gopowerstore, client.go, readPaginatedData, and api/api.go, updatePaginationInfoInMeta; dell/python-powerstore,
        PyPowerStore/client.py, request; the OpenAPI definitions for 206.
        """
        query = {"select": select, "order": "id", "limit": str(PAGE), **filters}
        for _ in range(_TRIES):
            found = self._whole(resource, query)
            if found is not None:
                return found
        raise self._malformed(f"GET {resource}", f"its length changed each of the {_TRIES} times that it was read")

    def _whole(self, resource: str, query: Mapping[str, str]) -> list[Any] | None:
        """The entries; None where their number changed on the way."""
        label = f"GET {resource}"
        found: list[Any] = []
        total: int | None = None
        for _ in range(answer_limits.MOST_PAGES):
            page, answer = self._wire.ask("GET", resource, params={**query, "offset": str(len(found))} if found else query)
            if not isinstance(page, list):
                raise self._malformed(label, "it is no list")
            counted = self._total(label, answer, len(found), len(page))
            if counted is not None and total not in (None, counted):
                return None
            total = total if counted is None else counted
            found += page
            if total is not None and len(found) >= total:
                return found
        raise self._malformed(label, f"it did not end after {answer_limits.MOST_PAGES:,} pages")

    def _total(self, label: str, answer: Answer, offset: int, held: int) -> int | None:
        """How many entries there are by the answer of a page that begins at `offset` and has `held` of them; None where it does not say."""
        part = answer.headers.get("content-range", "")
        if answer.status != 206 and not part:
            is_full = held >= PAGE or held == _UNASKED
            return None if is_full else offset + held  # else the whole list, or its end
        match = _RANGE.fullmatch(part.removeprefix("items ").strip())
        if match is None:
            raise self._malformed(label, "a part of a list does not say which")
        first, last, total = map(int, match.groups())
        if first != offset or last != offset + held - 1 or not held:
            raise self._malformed(label, f"it calls itself {part}, and holds {held} from {offset} on")
        return total

    def one(self, resource: str, entry_id: str, select: str) -> dict[str, Any]:
        """The entry of that id.

        Raises:
            NotThereError: there is none.
            EndpointError: as `listed`.
        """
        answer, _ = self._wire.ask("GET", f"{resource}/{entry_id}", params={"select": select})
        if not isinstance(answer, dict):
            raise self._malformed(f"GET {resource}/{entry_id}", "it is no object")
        return answer

    def metrics(self, entity: str, entity_id: str, interval: str) -> list[Any]:
        """The samples of what one object did, the oldest first; empty where there is none. It is a POST, and writes nothing.

        Raises:
            EndpointError: as `listed`.

        Source: the OpenAPI definitions, POST /metrics/generate; dell/csm-metrics-powerstore, internal/service/service.go, takes the last.
        """
        body = {"entity": entity, "entity_id": entity_id, "interval": interval}
        answer, _ = self._wire.ask("POST", "metrics/generate", body=body)
        if answer is not None and not isinstance(answer, list):
            raise self._malformed("POST metrics/generate", "it is no list")
        return answer or []

    def patch(self, resource: str, entry_id: str, body: Mapping[str, Any]) -> None:
        """Change the fields of `body` in the entry of that id, once.

        Raises:
            RefusedError: the array understood it and said no.
            NotThereError: nothing has that id.
            PermissionMissingError: the account may not.
            CredentialsError: the session was over; nothing was written.
            EndpointUnreachableError: no answer; whether it was written is not known, unless the error says it was never sent.
            MalformedAnswerError: an answer that makes no sense; whether it was written is not known.
        """
        self._wire.ask("PATCH", f"{resource}/{entry_id}", body=dict(body), is_read=False)

    def cluster(self) -> dict[str, Any]:
        """The one entry of GET cluster.

        Raises:
            EndpointError: as `listed`; MalformedAnswerError where there is not exactly one.
        """
        select = "id,global_id,name,state" + (",system_time" if self.has((2, 0)) else "")
        found = self.listed("cluster", select)
        if len(found) != 1 or not isinstance(found[0], dict):
            raise self._malformed("GET cluster", f"it has {len(found)} entries where one was expected")
        return found[0]

    def read_identity(self) -> str | None:
        """The cluster's global id; None when it reports none."""
        return _id_of(self.cluster())

    def clock(self) -> datetime | None:
        """The time by the array's own clock, in UTC; None when it does not report: releases before 2.0 do not.

        Source: the OpenAPI definitions, cluster_instance: system_time, added in 2.0, in UTC.
        """
        value = self.cluster().get("system_time")
        try:
            time = datetime.fromisoformat(value) if isinstance(value, str) else None
        except ValueError:
            return None
        return None if time is None else time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)

    def role(self) -> str | None:
        """The names of the account's roles, joined by ", "; None when the array does not report them.

        Source: the OpenAPI definitions, login_session_instance: role_ids, and role_instance: name.
        """
        if not self._wire.role_ids:
            return None
        try:
            names = {str(each.get("id")): each.get("name") for each in self.listed("role", "id,name") if isinstance(each, dict)}
        except (NotThereError, PermissionMissingError):
            return None
        return ", ".join(str(names[one]) for one in self._wire.role_ids if names.get(one)) or None

    def _installed(self) -> tuple[str, tuple[int, int]]:
        """The release that is installed on all appliances, and its first two numbers.

        Source: the OpenAPI definitions, software_installed_instance: is_cluster, "the common software release version that is supported on
        all appliances in the cluster".
        """
        label = "GET software_installed"
        for each in self.listed("software_installed", "id,is_cluster,release_version"):
            version = each.get("release_version") if isinstance(each, dict) and each.get("is_cluster") is True else None
            match = _RELEASE.match(version) if isinstance(version, str) else None
            if match is not None:
                return str(version), (int(match[1]), int(match[2]))
        raise self._malformed(label, "no entry has the release of the cluster")

    def _malformed(self, label: str, reason: str) -> MalformedAnswerError:
        return broken_off(self.endpoint, label, reason)


def _id_of(about: Mapping[str, Any]) -> str | None:
    """The id of a cluster. Source: the OpenAPI definitions, cluster_instance: global_id; `id` is 0 on each."""
    found = about.get("global_id")
    return found if isinstance(found, str) and found else None


@contextmanager
def open_powerstore(endpoint: Endpoint) -> Iterator[PowerStore]:
    """A session with a PowerStore; it is logged out and every connection closed at the end.

    Raises:
        CredentialsError: the password cannot be looked up, or is refused.
        EndpointUnreachableError: no connection, no answer in time, or a certificate that does not verify.
        MalformedAnswerError: something answers, but not a PowerStore.
        ConfigurationError: the endpoint's CA file cannot be read.
    """
    with logged_in(endpoint, "/api/rest/", PowerStoreWire) as wire:
        yield PowerStore(endpoint, wire)
