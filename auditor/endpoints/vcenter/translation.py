"""pyVmomi's faults as our errors. Importing this module costs nothing: pyVmomi is imported when a request is made."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.model import Endpoint


@contextmanager
def translated(endpoint: Endpoint, doing: str) -> Iterator[None]:
    """Turn pyVmomi's faults into our errors; `doing` is a gerund with its object, for example "reading options of host-12".

    The fault itself is cut off: its traceback may hold what was sent.

    Raises:
        EndpointError: of the kind that the fault means.
    """
    from pyVmomi import vmodl

    from auditor.endpoints.vcenter.faults import error_for

    try:
        yield
    except vmodl.MethodFault as fault:
        raise error_for(fault, endpoint, doing) from None
