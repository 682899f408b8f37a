"""Where machines are being moved to: a running task names the machine, and only vCenter's event of it the target."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from auditor.endpoints.vcenter.collect.events import newest_pages

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Endpoint

EVENTS = ("VmBeingRelocatedEvent", "VmBeingHotMigratedEvent", "VmBeingMigratedEvent")
"""Events that a move begins with; each has destDatastore. Source: vSphere API reference, under their names."""

_BEFORE = timedelta(minutes=5)  # a task may be made before its event is logged, and the other way round
_MOST_PAGES = 20  # of 1,000 events each, newest first


def is_relocation(description_id: str | None) -> bool:
    """Whether a task moves disks; a task that does not say what it does counts as no move.

    Source: TaskInfo.descriptionId; other words than VirtualMachine.relocate are not verified.
    """
    words = (description_id or "").casefold()
    return "relocate" in words or "storagevmotion" in words


def targets(vcenter: VCenter, endpoint: Endpoint, begun: Iterable[datetime]) -> Mapping[str, str]:
    """The datastores that machines are being moved to, by machine's id, of moves that began at these times; the newest event counts.

    Raises:
        EndpointError: the events could not be read.
    """
    since = min(begun, default=None)
    found: dict[str, tuple[datetime, str]] = {}
    with closing(newest_pages(vcenter, endpoint, list(EVENTS), None if since is None else since - _BEFORE)) as pages:
        for _, page in zip(range(_MOST_PAGES), pages, strict=False):
            for event in page:
                vm, target = _ends(event)
                if vm and target and (vm not in found or event.createdTime > found[vm][0]):
                    found[vm] = (event.createdTime, target)
    return {vm: target for vm, (_, target) in found.items()}


def _ends(event: Any) -> tuple[str | None, str | None]:
    """The machine and the target datastore that an event names; None where it does not."""
    vm, target = getattr(event, "vm", None), getattr(event, "destDatastore", None)
    return (
        None if vm is None else str(vm.vm._GetMoId()),  # noqa: SLF001  pyVmomi's accessor
        None if target is None else str(target.datastore._GetMoId()),  # noqa: SLF001  as above
    )
