"""Lists every object of a type, by a container view. Imports pyVmomi."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pyVmomi import VmomiSupport, vmodl

from auditor.endpoints.vcenter.bulk.reading import read_page
from auditor.endpoints.vcenter.bulk.reference import ref_of
from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.endpoints.vcenter.translation import translated
from auditor.errors import EndpointError, MalformedAnswerError, PermissionMissingError

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.bulk.reading import BulkClient
    from auditor.model import Endpoint

_VIEW = "ContainerView"


def list_refs(endpoint: Endpoint, content: Any, transport: BulkClient, kind: str) -> list[Ref]:
    """Every object of `kind` that the session of `content` may see; the view is made by SOAP, and belongs to that session.

    Raises:
        EndpointError: the list could not be read; never a part of it.
    """
    doing = f"listing every {kind}"
    managed = VmomiSupport.GetWsdlType("urn:vim25", kind)
    for _ in range(2):
        with translated(endpoint, doing):
            view = content.viewManager.CreateContainerView(content.rootFolder, [managed], recursive=True)
        try:
            [facts], _ = read_page(transport, endpoint, _VIEW, ("view",), [ref_of(view)], {})
        finally:
            with suppress(vmodl.MethodFault, EndpointError):  # it ends with the session
                view.DestroyView()
        if not facts.missing:
            # A view is bound to its session: one that vanished means that we had to log in again in between.
            return [ref if isinstance(ref, Ref) else ref_of(ref) for ref in facts.values.get("view") or ()]
        if not facts.is_gone:
            break
    why = facts.missing["view"]
    kind_of_error = PermissionMissingError if why.startswith("NoPermission") else MalformedAnswerError
    raise kind_of_error(
        f"endpoint {endpoint.name}: {doing}: {why}",
        why="without the list nothing of that kind was read.",
        do="give the role the privilege that is named; or run again, and look at vCenter's log if it stays so.",
    )
