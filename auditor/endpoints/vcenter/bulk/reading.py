"""Bulk reads by the PropertyCollector: explicit lists of objects a page, tokens followed, missing properties named. Imports pyVmomi."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pyVmomi import vim, vmodl

from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.endpoints.vcenter.faults import described, error_for
from auditor.errors import MalformedAnswerError, NotThereError, SessionLostError
from auditor.text.names import as_shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from auditor.endpoints.vcenter.wire import VCenterWire
    from auditor.model import BulkTransport, Endpoint

T = TypeVar("T")
GONE = "ManagedObjectNotFound"
"""What `missing` says of every path of an object that was removed between being listed and being read."""


_MOST_EMPTY_ANSWERS = 10
"""Parts of an answer may hold no object, in theory; each of the others holds one at least."""


@dataclass(frozen=True, slots=True)
class ObjectProperties:
    """What the PropertyCollector reported for one object.

    `values` holds the paths that are set, in the shapes of `shapes.PROPERTIES`; `missing` the paths that could not be read, with the reason
    (a fault's name first). A path in neither is unset on the server.
    """

    ref: Ref
    values: Mapping[str, Any]
    missing: Mapping[str, str]

    @property
    def id(self) -> str:
        """Managed object id, for example host-12."""
        return self.ref.value

    @property
    def is_gone(self) -> bool:
        """It was removed while we were reading."""
        return bool(self.missing) and not self.values and all(why == GONE for why in self.missing.values())


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of the PropertyCollector; `token` asks for the rest of it, None when this was all. `size` is bytes, unpacked."""

    objects: Sequence[ObjectProperties]
    token: str | None
    size: int


class Carrier(Protocol):
    """Carries requests of SOAP on one session, and logs in again where it has ended: what transports use of `Stub`, see there."""

    @property
    def endpoint(self) -> Endpoint: ...  # noqa: D102  as fleet.yaml has it

    @property
    def wire(self) -> VCenterWire: ...  # noqa: D102  the connections

    def ask(self, operation: str, request: bytes | str, decode: Callable[[int, bytes], T], *, repeatable: bool) -> T: ...  # noqa: D102

    def fault_in(self, operation: str, status: int, body: bytes) -> None: ...  # noqa: D102


class BulkClient(Protocol):
    """A way to ask and to understand the answer.

    Every method raises `vmodl.MethodFault` as the server gave it, UnknownShapeError for a whole answer it cannot understand,
    TransportNotOfferedError where the server does not offer the transport, and the EndpointErrors of the wire.
    """

    @property
    def name(self) -> BulkTransport:
        """What it is called."""

    def retrieve(self, kind: str, paths: Sequence[str], refs: Sequence[Ref], answer_size: int | None) -> Answer:
        """RetrievePropertiesEx; `answer_size` is the most objects in one answer, None leaves it to the server."""

    def more(self, kind: str, token: str) -> Answer:
        """ContinueRetrievePropertiesEx; spends the token."""

    def close(self) -> None:
        """End the session, where the transport has one of its own."""


def read_page(
    transport: BulkClient,
    endpoint: Endpoint,
    kind: str,
    paths: Sequence[str],
    refs: Sequence[Ref],
    unknown: dict[str, str],
    answer_size: int | None = None,
) -> tuple[list[ObjectProperties], int]:
    """One page, whole: every object of `refs` comes out exactly once. Returns what was found, and the size of the answers in bytes.

    `unknown` is what this server is known not to know, by path; it learns.

    Raises:
        EndpointError: the page as a whole could not be read.
    """
    waiting = {ref.value: ref for ref in refs}
    objects: list[ObjectProperties] = []
    size = 0
    renewed = False
    while waiting:
        wanted = tuple(path for path in paths if path not in unknown)
        if not wanted:
            objects += (ObjectProperties(ref, {}, dict(unknown)) for ref in waiting.values())
            return objects, size
        try:
            for answer in _answers(transport, endpoint, kind, wanted, list(waiting.values()), answer_size):
                size += answer.size
                for one in answer.objects:
                    ref = waiting.pop(one.id, None)
                    if ref is not None:
                        objects.append(_with(one, {path: why for path, why in unknown.items() if path in paths}))
            break
        except vmodl.MethodFault as fault:
            gone = _coped_with(endpoint, fault, wanted, waiting, unknown, renewed=renewed)
            renewed = renewed or isinstance(fault, vim.fault.NotAuthenticated)
            if gone is not None:
                objects.append(ObjectProperties(gone, {}, dict.fromkeys(paths, GONE)))
    # Asked for by name and passed over without a word: some servers do so with objects the account may not see.
    objects += (ObjectProperties(ref, {}, dict.fromkeys(paths, "the server said nothing of it")) for ref in waiting.values())
    return objects, size


def _with(one: ObjectProperties, unknown: Mapping[str, str]) -> ObjectProperties:
    """`one` with what the server is known not to know, and its name as vCenter shows it."""
    name = one.values.get("name")
    if isinstance(name, str) and "%" in name:
        one = ObjectProperties(one.ref, {**one.values, "name": as_shown(name)}, one.missing)
    return ObjectProperties(one.ref, one.values, {**one.missing, **unknown}) if unknown else one


def _answers(
    transport: BulkClient, endpoint: Endpoint, kind: str, paths: Sequence[str], refs: Sequence[Ref], answer_size: int | None
) -> Iterator[Answer]:
    """The answers to one request, following tokens to the end.

    Raises:
        MalformedAnswerError: there are more of them than objects.
    """
    answer = transport.retrieve(kind, paths, refs, answer_size)
    yield answer
    for _ in range(len(refs) + _MOST_EMPTY_ANSWERS):
        if not answer.token:
            return
        answer = transport.more(kind, answer.token)
        yield answer
    if answer.token:
        raise MalformedAnswerError(
            f"endpoint {endpoint.name}: its answers to one request for {len(refs)} objects of kind {kind} have no end",
            why="what they hold is not all, so none of it was used.",
            do=f"check what answers at {endpoint.address}:{endpoint.port}, and any proxy between.",
        )


def _coped_with(
    endpoint: Endpoint, fault: Any, wanted: Sequence[str], waiting: dict[str, Ref], unknown: dict[str, str], *, renewed: bool
) -> Ref | None:
    """Take out of the next request what `fault` is about; an object that is gone is returned.

    Raises:
        EndpointError: nothing less would help.
    """
    if isinstance(fault, vmodl.query.InvalidProperty):
        _learn(endpoint, fault, wanted, unknown)
        return None
    if isinstance(fault, vmodl.fault.ManagedObjectNotFound) and fault.obj is not None:
        gone = waiting.pop(str(fault.obj._GetMoId()), None)  # noqa: SLF001  pyVmomi's accessor
        if gone is not None:
            return gone
    if isinstance(fault, vim.fault.NotAuthenticated) and not renewed:
        # The session ended between two parts of this page. Its token died with it, so the rest of the page is asked for anew.
        return None
    error = error_for(fault, endpoint, f"reading {len(waiting)} objects, {', '.join(wanted)}")
    if isinstance(fault, vim.fault.NotAuthenticated):
        raise SessionLostError(error.what, why=error.why, do=error.do) from None
    raise error from None


def _learn(endpoint: Endpoint, fault: Any, wanted: Sequence[str], unknown: dict[str, str]) -> None:
    """Remember which of `wanted` the server refuses: real vCenters fail the whole call, and name the property.

    Raises:
        NotThereError: it named none that we asked for.
    """
    named = str(fault.name or "")
    refused = [path for path in wanted if path == named] or [path for path in wanted if named and path.startswith(f"{named}.")]
    if not refused:
        raise NotThereError(
            f"endpoint {endpoint.name}: {described(fault)}",
            why="the page was not read, and the server did not say which property it lacks.",
            do="report this with the vCenter's version.",
        )
    unknown.update((path, described(fault)) for path in refused)
