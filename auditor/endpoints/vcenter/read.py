"""Small reads by pyVmomi, of any property, as pyVmomi's own objects. Bulk reads have transports of their own. Imports pyVmomi."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyVmomi import VmomiSupport

from auditor.endpoints.vcenter.bulk.listing import list_refs
from auditor.endpoints.vcenter.bulk.reading import read_page
from auditor.endpoints.vcenter.bulk.reference import PyvmomiTransport, ref_of
from auditor.errors import NotThereError, PermissionMissingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.endpoints.vcenter.bulk.reading import Carrier, ObjectProperties


def read_objects(
    stub: Carrier, content: Any, kind: Any, paths: Sequence[str], refs: Sequence[Any] | None, page: int, *, answer_size: int | None = None
) -> Iterator[ObjectProperties]:
    """See `VCenter.read`; `content` is that of the session.

    `answer_size` asks for no more than so many objects in one answer of a page; None leaves it to the server.
    """
    name = VmomiSupport.GetWsdlName(kind)
    transport = PyvmomiTransport(stub, ref_of(content.propertyCollector).value, shaped=False)
    listed = list_refs(stub.endpoint, content, transport, name) if refs is None else [ref_of(ref) for ref in refs]
    unknown: dict[str, str] = {}  # paths this server does not know at all, learnt on the first page
    for start in range(0, len(listed), page):
        objects, _ = read_page(transport, stub.endpoint, name, paths, listed[start : start + page], unknown, answer_size)
        yield from objects


def one_value(stub: Carrier, content: Any, kind: Any, object_id: str, path: str) -> Any:
    """See `VCenter.value`."""
    facts = next(read_objects(stub, content, kind, (path,), [kind(object_id, stub)], 1))
    why = facts.missing.get(path)
    if why is None:
        return facts.values.get(path)
    kind_of_error = PermissionMissingError if why.startswith("NoPermission") else NotThereError
    raise kind_of_error(
        f"endpoint {stub.endpoint.name}: {path} of {object_id}: {why}",
        why="it was not read.",
        do="check that it still exists and what the role of the account may read.",
    )
