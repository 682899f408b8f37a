"""Bulk reads by the PropertyCollector: explicit lists of objects a page, tokens followed, holes named. Imports pyVmomi."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyVmomi import vim, vmodl

from auditor.clients.vcenter import moid, translated
from auditor.clients.vcenter_faults import described, error_for
from auditor.errors import EndpointError, MalformedAnswerError, NotThereError, PermissionMissingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from auditor.clients.vcenter import VCenter

GONE = "ManagedObjectNotFound"
"""What `missing` says of every path of an object that was removed between being listed and being read."""


@dataclass(frozen=True, slots=True)
class ObjectFacts:
    """What the PropertyCollector told of one object.

    `values` holds the paths that are set; `missing` the paths that could not be read, with the reason (a fault's name first). A path in
    neither is unset on the server.
    """

    ref: Any
    values: Mapping[str, Any]
    missing: Mapping[str, str]

    @property
    def id(self) -> str:
        """Managed object id, for example host-12."""
        return moid(self.ref)

    @property
    def is_gone(self) -> bool:
        """It was removed while we were reading."""
        return bool(self.missing) and not self.values and all(why == GONE for why in self.missing.values())


def read_objects(
    vcenter: VCenter, kind: Any, paths: Sequence[str], refs: Sequence[Any] | None, page: int, *, answer_size: int | None = None
) -> Iterator[ObjectFacts]:
    """See `VCenter.read`; `answer_size` asks for no more than so many objects in one answer of a page, None leaves it to the server."""
    listed = list_objects(vcenter, kind) if refs is None else list(refs)
    unknown: dict[str, str] = {}  # paths this server does not know at all, learnt on the first page
    for start in range(0, len(listed), page):
        yield from _read_page(vcenter, kind, tuple(paths), listed[start : start + page], unknown, answer_size)


def one_value(vcenter: VCenter, kind: Any, object_id: str, path: str) -> Any:
    """See `VCenter.value`."""
    facts = next(read_objects(vcenter, kind, (path,), [vcenter.object(kind, object_id)], 1))
    why = facts.missing.get(path)
    if why is None:
        return facts.values.get(path)
    kind_of_error = PermissionMissingError if why.startswith("NoPermission") else NotThereError
    raise kind_of_error(
        f"endpoint {vcenter.endpoint.name}: {path} of {object_id}: {why}",
        why="it was not read.",
        do="check that it still exists and what the role of the account may read.",
    )


def list_objects(vcenter: VCenter, kind: Any) -> list[Any]:
    """Every object of `kind` that this session may see.

    Raises:
        EndpointError: the list could not be read; never a part of it.
    """
    doing = f"listing every {_short(kind)}"
    for attempt in (1, 2):
        with translated(vcenter.endpoint, doing):
            view = vcenter.content.viewManager.CreateContainerView(vcenter.content.rootFolder, [kind], recursive=True)
        try:
            facts = list(_read_page(vcenter, vim.view.ContainerView, ("view",), [view], {}))
        finally:
            _drop(vcenter, view)
        if facts and not facts[0].missing:
            # A view is bound to its session: one that vanished means that we had to log in again in between.
            return list(facts[0].values.get("view") or ())
        if attempt == 2 or not (facts and facts[0].is_gone):
            break
    why = facts[0].missing.get("view", "") if facts else "no answer"
    kind_of_error = PermissionMissingError if why.startswith("NoPermission") else MalformedAnswerError
    raise kind_of_error(
        f"endpoint {vcenter.endpoint.name}: {doing}: {why}",
        why="without the list nothing of that kind was read.",
        do="give the role the privilege that is named; or run again, and look at vCenter's log if it stays so.",
    )


def _drop(vcenter: VCenter, view: Any) -> None:
    try:
        with translated(vcenter.endpoint, "dropping a view"):
            view.DestroyView()
    except EndpointError:
        return  # it ends with the session


def _read_page(
    vcenter: VCenter,
    kind: Any,
    paths: tuple[str, ...],
    refs: Sequence[Any],
    unknown: dict[str, str],
    answer_size: int | None = None,
) -> Iterator[ObjectFacts]:
    """One page, whole: every object of `refs` comes out exactly once."""
    waiting = {moid(ref): ref for ref in refs}
    renewed = False
    while waiting:
        asked = tuple(path for path in paths if path not in unknown)
        if not asked:
            yield from (ObjectFacts(ref, {}, dict(unknown)) for ref in waiting.values())
            return
        try:
            for content in _contents(vcenter, kind, asked, list(waiting.values()), answer_size):
                ref = waiting.pop(moid(content.obj), None)
                if ref is not None:
                    yield _facts(content, ref, paths, unknown)
            break
        except vmodl.MethodFault as fault:
            gone = _coped_with(vcenter, fault, asked, waiting, unknown, renewed=renewed)
            renewed = renewed or isinstance(fault, vim.fault.NotAuthenticated)
            if gone is not None:
                yield ObjectFacts(gone, {}, dict.fromkeys(paths, GONE))
    for ref in waiting.values():
        # Asked for by name and passed over without a word: some servers do so with objects the account may not see.
        yield ObjectFacts(ref, {}, dict.fromkeys(paths, "the server said nothing of it"))


def _coped_with(
    vcenter: VCenter, fault: Any, asked: Sequence[str], waiting: dict[str, Any], unknown: dict[str, str], *, renewed: bool
) -> Any | None:
    """Take out of the next request what `fault` is about; an object that is gone is returned.

    Raises:
        EndpointError: nothing less would help.
    """
    if isinstance(fault, vmodl.query.InvalidProperty):
        _learn(vcenter, fault, asked, unknown)
        return None
    if isinstance(fault, vmodl.fault.ManagedObjectNotFound) and fault.obj is not None:
        gone = waiting.pop(moid(fault.obj), None)
        if gone is not None:
            return gone
    if isinstance(fault, vim.fault.NotAuthenticated) and not renewed:
        # The session ended between two parts of this page. Its token died with it, so the rest of the page is asked for anew.
        return None
    raise error_for(fault, vcenter.endpoint, f"reading {len(waiting)} objects, {', '.join(asked)}") from None


def _contents(vcenter: VCenter, kind: Any, paths: Sequence[str], refs: Sequence[Any], answer_size: int | None) -> Iterator[Any]:
    """The ObjectContent of one request, following tokens; a token is cancelled when the reader stops early."""
    collector_type = vmodl.query.PropertyCollector
    spec = collector_type.FilterSpec(
        propSet=[collector_type.PropertySpec(type=kind, all=False, pathSet=list(paths))],
        objectSet=[collector_type.ObjectSpec(obj=ref, skip=False) for ref in refs],
    )
    collector = vcenter.content.propertyCollector
    result = collector.RetrievePropertiesEx([spec], collector_type.RetrieveOptions(maxObjects=answer_size))
    token = None
    try:
        while result is not None:
            token = result.token
            yield from result.objects or ()
            if not token:
                return
            asked, token = token, None  # spent as soon as it is sent
            result = collector.ContinueRetrievePropertiesEx(asked)
    finally:
        if token:
            _cancel(vcenter, collector, token)


def _cancel(vcenter: VCenter, collector: Any, token: str) -> None:
    try:
        with translated(vcenter.endpoint, "cancelling a page"):
            collector.CancelRetrievePropertiesEx(token)
    except EndpointError:
        return  # it ends with the session


def _facts(content: Any, ref: Any, paths: Sequence[str], unknown: Mapping[str, str]) -> ObjectFacts:
    values = {entry.name: entry.val for entry in content.propSet or ()}
    missing = {entry.path: described(entry.fault) for entry in content.missingSet or ()}
    missing.update((path, why) for path, why in unknown.items() if path in paths)
    return ObjectFacts(ref, values, missing)


def _learn(vcenter: VCenter, fault: Any, asked: Sequence[str], unknown: dict[str, str]) -> None:
    """Remember which of `asked` the server refuses: real vCenters fail the whole call, and name the property.

    Raises:
        NotThereError: it named none that we asked for.
    """
    named = str(fault.name or "")
    refused = [path for path in asked if path == named] or [path for path in asked if named and path.startswith(f"{named}.")]
    if not refused:
        raise NotThereError(
            f"endpoint {vcenter.endpoint.name}: {described(fault)}",
            why="the page was not read, and the server did not say which property it lacks.",
            do="report this with the vCenter's version.",
        )
    unknown.update((path, described(fault)) for path in refused)


def _short(kind: Any) -> str:
    return str(kind.__name__.rpartition(".")[2])
