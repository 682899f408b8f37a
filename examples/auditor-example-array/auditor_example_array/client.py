"""Sessions with Example Arrays: JSON over HTTPS, user name and password with each request."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.answer_limits import MOST_PAGES
from auditor.endpoints.common.https import HttpsSession, Request
from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.common.sessions import SessionBase
from auditor.errors import MalformedAnswerError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.model import Endpoint

PAGE = 100  # volumes asked for at once


class ExampleArray(SessionBase):
    """One array. Made by `open_example_array`; safe to use from several threads."""

    def __init__(self, endpoint: Endpoint, https: HttpsSession) -> None:
        super().__init__(endpoint, https)
        self._https = https
        about = self.get("array")
        self.release = f"Example Array {about.get('version')}"
        self.known_identity = _identity(about)

    def read_identity(self) -> str | None:
        """Its serial number; None when it does not report one."""
        return _identity(self.get("array"))

    def get(self, path: str, **params: str) -> dict[str, Any]:
        """The object at `path`; fields that hold secrets read "***".

        Raises:
            EndpointError: it could not be asked, or its answer is none that can be used.
        """
        return self._asked(Request(f"GET {path}", "GET", path, is_read=True, params=params))

    def pages(self, path: str) -> Iterator[dict[str, Any]]:
        """Every page of the list at `path`, until as many items were read as the array counts.

        Raises:
            EndpointError: as `get`; or the pages break off.
        """
        held = 0
        for _ in range(MOST_PAGES):
            page = self.get(path, offset=str(held), limit=str(PAGE))
            items, total = page.get("items"), page.get("total")
            if not isinstance(items, list) or type(total) is not int:
                raise self._malformed(path, "it has no list of items, or does not count them")
            yield page
            held += len(items)
            if held >= total:
                return
            if not items:
                raise self._malformed(path, f"it counts {total:,} items, and gave {held:,}")
        raise self._malformed(path, f"it did not end after {MOST_PAGES:,} pages")

    def patch(self, path: str, body: dict[str, Any]) -> None:
        """Change the fields of `body`, once.

        Raises:
            EndpointError: as `get`; no answer: whether it was written is not known.
        """
        self._asked(Request("PATCH volumes", "PATCH", path, is_read=False, content=json.dumps(body).encode()))

    def _asked(self, request: Request) -> dict[str, Any]:
        answer = self._https.ask(request)
        if answer.status >= 300:
            raise self._https.nonsense(answer, request)
        value = self._https.decoded(answer, request)
        if not isinstance(value, dict):
            raise self._https.nonsense(answer, request)
        return value

    def _malformed(self, path: str, what: str) -> MalformedAnswerError:
        return MalformedAnswerError(
            f"endpoint {self.endpoint.name}: its answer to GET {path} makes no sense: {what}",
            why="what it would have reported is unknown.",
            do="check that the address of this array stands in fleet.yaml, and no proxy in between.",
        )


def _identity(about: dict[str, Any]) -> str | None:
    serial = about.get("serial")
    return f"example-array {serial}" if isinstance(serial, str) and serial else None


@contextmanager
def open_example_array(endpoint: Endpoint) -> Iterator[ExampleArray]:
    """A session with the array at `endpoint`.

    Raises:
        CredentialsError: it refused the user name or the password.
        EndpointUnreachableError: no connection, no answer in time, or a certificate that does not verify.
        MalformedAnswerError: something else answers.
    """
    import httpx

    https = HttpsSession(endpoint, "/api/v1/", httpx.BasicAuth(endpoint.username, password_of(endpoint)))
    try:
        yield ExampleArray(endpoint, https)
    finally:
        https.close()
