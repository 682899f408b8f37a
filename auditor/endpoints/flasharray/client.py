"""Sessions with Pure FlashArrays over REST 2.x."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common import answer_limits
from auditor.endpoints.common.clocks import date_of
from auditor.endpoints.common.sessions import SessionBase
from auditor.endpoints.common.tokens import broken_off, logged_in
from auditor.endpoints.flasharray.wire import NEWEST_API, FlashArrayWire
from auditor.errors import EndpointError, MalformedAnswerError, NotThereError, PermissionMissingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from auditor.model import Endpoint

LICENSED = frozenset({"volume-groups", "pods", "volumes/tags", "realms"})
"""Lists of what an array may have no licence for; what it always has, volumes and hosts, is none of them."""

_WITHOUT_LICENCE = re.compile(r"licen[cs]e|feature .*not (?:enabled|supported|available)", re.IGNORECASE)
"""In a refusal in the array's own words; not verified against a real array."""

PAGE = 1000  # objects asked for at once; an array that holds less to a page says so by what it answers


class FlashArray(SessionBase):
    """One array, asked through REST 2.x. Made by `open_flasharray`; safe to use from several threads.

    Attributes:
        api_version: negotiated, as text.
        purity: the release of its software, for example "6.4.10"; None where it reports none.
        notes: what people should know of the session; empty mostly.
    """

    def __init__(self, endpoint: Endpoint, wire: FlashArrayWire) -> None:
        super().__init__(endpoint, wire.https)
        self._wire = wire
        self._unlicensed: set[str] = set()
        self.api_version = wire.api_version
        about = self._about()
        software = " ".join(str(about[key]) for key in ("os", "version") if about.get(key)) or "FlashArray"
        self.release = f"{software} REST {self.api_version}"
        self.purity = str(about["version"]) if about.get("version") else None
        self.known_identity = _id_of(about)
        newer = f"{endpoint.name} speaks REST up to {wire.newer[-1]}; {wire.api_version} is used" if wire.newer else ""
        if newer:
            self.add_note(f"{newer}, as this version knows none after {NEWEST_API[0]}.{NEWEST_API[1]}.")

    def pages(self, resource: str, **params: str) -> Iterator[dict[str, Any]]:
        """Every page of a list, as the array answers it: `items` and what goes with them; fields that hold secrets read "***".

        The end is reached when the array says that nothing remains, or gives no token for more after a page that had room left. A list
        that ends otherwise, or holds fewer items than the array counts, raises. One that the array has no licence for is empty.

        Args:
            resource: for example "volumes" or "volumes/performance".
            params: query parameters of that resource.

        Raises:
            EndpointUnreachableError: no answer, or none in time.
            CredentialsError: the session was over, and the API token opens no other.
            PermissionMissingError: the account may not ask this.
            NotThereError: the resource, or an object that `params` name, does not exist.
            MalformedAnswerError: an answer is not what REST 2.x promises, or the pages break off.
            EndpointError: the array answered with an error of its own.

        Source: OpenAPI definitions, parameters limit and continuation_token. The vendor's Python client sends the token in quotes, which
        the definitions do not ask for; which of the two an array insists on is not verified against a real system.
        """
        try:
            yield from self._pages(resource, params)
        except EndpointError as error:
            if resource not in LICENSED or type(error) is not EndpointError or not _WITHOUT_LICENCE.search(error.what):
                raise
            if resource not in self._unlicensed:
                self._unlicensed.add(resource)
                self.add_note(
                    f"{self.endpoint.name} has no licence for what GET {resource} lists, so there is none; rules about it do not apply."
                )

    def _pages(self, resource: str, params: dict[str, str]) -> Iterator[dict[str, Any]]:
        label = f"GET {resource}"
        tokens_seen: set[str] = set()
        query: Mapping[str, str] = {**params, "limit": str(PAGE)}
        held = 0
        for _ in range(answer_limits.MOST_PAGES):
            answer, headers = self._wire.ask("GET", resource, params=query)
            if not isinstance(answer.get("items"), list):
                raise self._malformed(label, "it has no list of items")
            yield answer
            following = answer.get("continuation_token") or headers.get("x-next-token")
            remains = answer.get("more_items_remaining")
            held += len(answer["items"])
            if remains is False or (remains is None and not following):
                if remains is None and len(answer["items"]) >= PAGE:
                    raise self._malformed(label, "a full page does not say whether more items remain")
                if type(answer.get("total_item_count")) is int and answer["total_item_count"] > held:
                    raise self._malformed(label, f"it counts {answer['total_item_count']:,} items, and held {held:,}")
                return
            if not isinstance(following, str) or following in tokens_seen:
                raise self._malformed(label, "more items remain, and it does not say where they begin")
            tokens_seen.add(following)
            query = {**params, "limit": str(PAGE), "continuation_token": following}
        raise self._malformed(label, f"it did not end after {answer_limits.MOST_PAGES:,} pages")

    def one(self, resource: str, name: str) -> dict[str, Any]:
        """The object of that name.

        Raises:
            NotThereError: there is none.
            EndpointError: as `pages`.
        """
        for page in self.pages(resource, names=name):
            for item in page["items"]:
                if isinstance(item, dict) and item.get("name") == name:
                    return item
        raise NotThereError(
            f"endpoint {self.endpoint.name}: {resource} holds nothing named {name!r}",
            why="its settings can be neither read nor written.",
            do="audit again: it may have been renamed or deleted since.",
        )

    def patch(self, resource: str, name: str, body: Mapping[str, Any]) -> None:
        """Change the fields of `body` in the object of that name, once.

        Raises:
            RefusedError: the array understood it and said no.
            NotThereError: nothing has that name.
            PermissionMissingError: the account may not.
            CredentialsError: the session was over; nothing was written.
            EndpointUnreachableError: no answer; whether it was written is not known, unless the error says it was never sent.
            MalformedAnswerError: an answer that makes no sense; whether it was written is not known.
        """
        self._wire.ask("PATCH", resource, params={"names": name}, body=dict(body))

    def read_identity(self) -> str | None:
        """The array's id; None when it reports none."""
        return _id_of(self._about())

    def clock(self) -> datetime | None:
        """The time by the array's own clock, in UTC; None when it does not report.

        Source: RFC 9110, Date: REST 2.x has no other field that holds the present time. Not verified against a real system.
        """
        _, headers = self._wire.ask("GET", "arrays", params={"limit": "1"})
        return date_of(headers)

    def role(self) -> str | None:
        """The role of the API token's user, for example readonly or storage_admin; None when the array does not report.

        Releases with management access policies instead of roles report the policies' names.

        Source: OpenAPI definitions, Admin: role.name; from FA2.36 on management_access_policies[].name.
        """
        if self._wire.username is None:
            return None
        try:
            account = self.one("admins", self._wire.username)
        except (NotThereError, PermissionMissingError):
            return None  # a user of a directory service is not among the array's own
        policies = account.get("management_access_policies")
        roles = [account.get("role"), *(policies if isinstance(policies, list) else ())]
        names = [str(each["name"]) for each in roles if isinstance(each, dict) and each.get("name")]
        return ", ".join(dict.fromkeys(names)) or None

    def _about(self) -> dict[str, Any]:
        """The object of the array itself; empty where there is none."""
        answer, _ = self._wire.ask("GET", "arrays", params={"limit": "1"})
        items = answer.get("items")
        return items[0] if isinstance(items, list) and items and isinstance(items[0], dict) else {}

    def _malformed(self, label: str, reason: str) -> MalformedAnswerError:
        return broken_off(self.endpoint, label, reason)


def _id_of(about: Mapping[str, Any]) -> str | None:
    """The id of an array. Source: OpenAPI definitions, Array: id, "A globally unique, system-generated ID."."""
    found = about.get("id")
    return found if isinstance(found, str) and found else None


@contextmanager
def open_flasharray(endpoint: Endpoint) -> Iterator[FlashArray]:
    """A session with a FlashArray; it is logged out and every connection closed at the end.

    Raises:
        CredentialsError: the API token cannot be looked up, or is refused.
        EndpointUnreachableError: no connection, no answer in time, or a certificate that does not verify.
        NotThereError: it speaks no REST version that is known here.
        MalformedAnswerError: something answers, but not a FlashArray.
        ConfigurationError: the endpoint's CA file cannot be read.

    Source: OpenAPI definitions, tag Authorization.
    """
    with logged_in(endpoint, "/api/", FlashArrayWire) as wire:
        yield FlashArray(endpoint, wire)
