"""The REST wire of an ONTAP cluster: one request at a time, pages to their end, jobs, refusals in our own terms."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from auditor.endpoints.common import answer_limits
from auditor.endpoints.common.https import UNKNOWN_FACTS, UNKNOWN_OUTCOME, HttpsSession, Request
from auditor.endpoints.common.sessions import SessionBase
from auditor.errors import (
    EndpointError,
    EndpointUnreachableError,
    MalformedAnswerError,
    NotThereError,
    PermissionMissingError,
    RefusedError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditor.model import Endpoint

PAGE = 1000  # records asked for at once, so that memory stays bounded; ONTAP itself would send up to 10,000
_PATIENCE = 15  # seconds ONTAP collects records for one answer, its own default; what it has not got by then is on the next page
_MOST_PATIENCE = 120  # seconds, the most that return_timeout takes. Source: "Getting started with the ONTAP REST API"
BASE = "/api/"
_RETURN_TIMEOUT = re.compile(r"\b(return_timeout=)\d+")
_LONGEST_MESSAGE = 300
_NO_SUCH_RECORD, _NOT_AUTHORIZED = "4", "6"  # codes that the vendor's own clients look for
_now = time.monotonic
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 2.0  # seconds between two looks at a job


class OntapWire(SessionBase):
    """Asks one cluster. Safe to use from several threads."""

    def __init__(self, endpoint: Endpoint, session: HttpsSession) -> None:
        super().__init__(endpoint, session)
        self._session = session

    def get(self, path: str, **params: str) -> dict[str, Any]:
        """One record, or the first page of a collection; `path` is below /api/. Fields that hold secrets read "***".

        Raises:
            EndpointUnreachableError: no answer, or none in time.
            CredentialsError: the account is not (or no longer) accepted.
            PermissionMissingError: the account may not read this.
            NotThereError: neither the release nor the cluster has it.
            MalformedAnswerError: the answer is not a JSON object.
            EndpointError: the cluster answered with an error of its own, for example that it does not know a field.
        """
        return self._ask(Request(f"GET {path.partition('?')[0]}", "GET", path, is_read=True, params=params or None))[1]

    def _pages(self, path: str, params: dict[str, str]) -> Iterator[dict[str, Any]]:
        params = {**params, "max_records": str(PAGE), "return_timeout": str(self._patience()[0])}
        seen: set[str] = set()
        following: str | None = path
        while following is not None:
            answer = self._page(following, path, params)
            count, records = answer.get("num_records"), answer.get("records")
            if isinstance(records, list) and type(count) is int and count != len(records):
                raise self._senseless(path, f"it says {count} records and holds {len(records)}")
            yield answer
            seen.add(following)
            following, params = self._next(answer, path), {}  # the link repeats what was asked
            if len(seen) >= answer_limits.MOST_PAGES and following is not None:
                raise self._senseless(path, f"it did not end after {answer_limits.MOST_PAGES:,} pages")
            if following in seen:
                raise self._senseless(path, "its pages lead back to one that was read; what follows was not read")

    def _page(self, address: str, path: str, params: dict[str, str]) -> dict[str, Any]:
        """One answer of the collection `path`; an empty one without a next link is asked for again.

        Source: github.com/ansible-collections/netapp.ontap issue 364: where no record was found within return_timeout, the answer is an
        empty page without a link (CONTAP-677909).
        """
        answer = self.get(address, **params)
        if not _may_be_cut_short(answer):
            return answer
        most = self._patience()[1]
        began = _now()
        answer = self.get(_patiently(address, most), **({**params, "return_timeout": str(most)} if params else {}))
        if _may_be_cut_short(answer) and _now() - began >= most:
            raise self._senseless(path, f"it found no record within {most} s, and does not say whether there are any")
        return answer

    def _patience(self) -> tuple[int, int]:
        """How many seconds the cluster may collect records for an answer, and for one that was empty; less than our own time-out."""
        timeout = self.endpoint.limits.timeout_seconds
        return max(1, min(_PATIENCE, int(timeout / 2))), max(1, min(_MOST_PATIENCE, int(timeout * 0.9)))

    def patch(self, path: str, body: Mapping[str, Any]) -> None:
        """Change one record, once, and wait for the job that does it, for as long as the endpoint's time-out.

        Raises:
            RefusedError: the cluster said no, or its job failed.
            PermissionMissingError: the account may not change this.
            NotThereError: there is no such record.
            EndpointUnreachableError: no answer, or the job did not end in time: whether it was changed is not known.
            MalformedAnswerError: the answer makes no sense, and the outcome is not known.

        Source: as `pages`: 202 and a job, whose states are queued, running, paused, success and failure (netapp-ontap, Job).
        """
        import msgspec

        headers = {"Content-Type": "application/json"}
        request = Request(f"PATCH {path}", "PATCH", path, is_read=False, content=msgspec.json.encode(body), headers=headers)
        status, answer = self._ask(request)
        job = answer.get("job")
        uuid = job.get("uuid") if isinstance(job, dict) else None
        if isinstance(uuid, str):
            self._await(uuid, request)
        elif status == 202:
            raise MalformedAnswerError(
                f"endpoint {self.endpoint.name}: it took {request.label} and names no job that does it",
                why=UNKNOWN_OUTCOME,
                do="look at the cluster's own jobs (job show).",
            )

    def _await(self, uuid: str, request: Request) -> None:
        """Look at a job until it is over."""
        deadline = time.monotonic() + self.endpoint.limits.timeout_seconds
        pause = _FIRST_PAUSE
        while True:
            try:
                job = self.get(f"cluster/jobs/{quote(uuid, safe='')}")
            except EndpointError as error:
                raise self._unknown(request, f"its job {uuid} cannot be looked at: {error.what}") from None
            state = job.get("state")
            if state == "success":
                return
            if state == "failure":
                raise RefusedError(
                    f"endpoint {self.endpoint.name}: {request.label}: its job failed: {_message(job)}",
                    why="what the job was to change may be as it was, or half done; it is read back.",
                    do="compare the value with what the release allows.",
                )
            if time.monotonic() >= deadline:
                waited = f"{self.endpoint.limits.timeout_seconds:g} s"
                raise self._unknown(request, f"its job {uuid} is still {str(state)[:20]} after {waited}")
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _ask(self, request: Request) -> tuple[int, dict[str, Any]]:
        answer = self._session.ask(request)
        if answer.status == 401:
            raise self._session.nonsense(answer, request)
        if answer.status < 300 and not answer.body.strip():
            return answer.status, {}
        decoded = self._session.decoded(answer, request)
        error = decoded.get("error") if isinstance(decoded, dict) else None
        if answer.status >= 300 and isinstance(error, dict):
            raise self._refusal(answer.status, error, request)
        if not isinstance(decoded, dict) or answer.status >= 300:
            raise self._session.nonsense(answer, request)
        return answer.status, decoded

    def _refusal(self, status: int, error: dict[str, Any], request: Request) -> EndpointError:
        """What {"error": {code, message, target}} means."""
        code = str(error.get("code") or "")
        target = f", about {error['target']}" if isinstance(error.get("target"), str) else ""
        message = f"endpoint {self.endpoint.name}: {request.label}: {_message({'error': error})} (HTTP {status}, code {code}{target})"
        why = UNKNOWN_FACTS if request.is_read else "nothing was written."
        if status == 403 or code == _NOT_AUTHORIZED:
            do = f"give {self.endpoint.username} a role that allows {request.label} (security login rest-role)."
            return PermissionMissingError(message, why=why, do=do)
        if status == 404 or code == _NO_SUCH_RECORD:
            return NotThereError(message, why=why, do="collect again: it may have been removed since, or the release does not have it.")
        if request.is_read:
            return EndpointError(message, why=why, do="ask again; if it stays, look at the cluster's own events, and at its release.")
        if status >= 500:
            return EndpointUnreachableError(message, why=UNKNOWN_OUTCOME, do="read the setting back, and look at the cluster's own events.")
        return RefusedError(message, why=why, do="compare the value with what the release allows.")

    def _unknown(self, request: Request, reason: str) -> EndpointUnreachableError:
        what = f"endpoint {self.endpoint.name}: {request.label} was accepted, but {reason}"
        return EndpointUnreachableError(what, why=UNKNOWN_OUTCOME, do="look at the cluster's own jobs (job show).")

    def _senseless(self, path: str, reason: str) -> MalformedAnswerError:
        what = f"endpoint {self.endpoint.name}: its answer to GET {path} makes no sense: {reason}"
        return MalformedAnswerError(what, why=UNKNOWN_FACTS, do="ask again; if it stays, look at the cluster's own events.")

    def _next(self, answer: dict[str, Any], path: str) -> str | None:
        """Where the next page is, below /api/; None after the last."""
        links = answer.get("_links")
        following = links.get("next") if isinstance(links, dict) else None
        if following is None:
            return None
        href = following.get("href") if isinstance(following, dict) else None
        if not isinstance(href, str) or not href.startswith(BASE):
            raise self._senseless(path, "its link to the next page is none; what follows was not read")
        return href.removeprefix(BASE)


def _may_be_cut_short(answer: Mapping[str, Any]) -> bool:
    """Whether an answer holds no record and no link to a next page."""
    return answer.get("records") == [] and not (isinstance(links := answer.get("_links"), dict) and links.get("next") is not None)


def _patiently(address: str, seconds: int) -> str:
    """The address of a page whose own return_timeout, which a link repeats, is `seconds`."""
    path, question, query = address.partition("?")
    return path + question + _RETURN_TIMEOUT.sub(rf"\g<1>{seconds}", query)


def _message(answer: dict[str, Any]) -> str:
    """What an error, or a job that failed, says of itself."""
    error = answer.get("error")
    message = error.get("message") if isinstance(error, dict) else None
    return str(message or answer.get("message") or "no reason given")[:_LONGEST_MESSAGE]
