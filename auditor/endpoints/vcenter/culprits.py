"""Who may have put a setting back after it was written: what vCenter's log, its datastore clusters and its extensions show."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from auditor.endpoints.vcenter.collect.changes import EVENTS, change_of
from auditor.endpoints.vcenter.collect.events import clock_of
from auditor.endpoints.vcenter.session import moid
from auditor.errors import EndpointError

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Change

_LOOK_BACK = timedelta(hours=1)
_MOST_EVENTS = 1000
"""Events. Source: EventFilterSpec.maxCount in the vSphere API."""


def who_put_back(vcenter: VCenter, change: Change, *, is_untouched: bool = False) -> str:
    """Who may have changed the setting of `change` since it was written, in words; empty where nothing shows it.

    An event shows that somebody changed something on the object, never that it was this setting (docs/design/who-changed-it.md).

    Args:
        vcenter: an open session.
        change: what was written.
        is_untouched: this run wrote nothing to the object: events of its own account are another session's, and count.

    Raises:
        EndpointError: what shows it could not be read.
    """
    keys = dict(change.target.keys)
    found = []
    if "datastore_id" in keys:
        found += _storage_drs(vcenter, keys["datastore_id"])
    found += _logged(vcenter, keys.get("host_id") or keys.get("datastore_id"), is_untouched=is_untouched)
    return "; ".join(found)


def registered(vcenter: VCenter) -> list[str]:
    """The keys of the extensions that are registered with a vCenter; whether they are enabled nobody says.

    Raises:
        EndpointError: they could not be read.

    Source: vSphere API reference, ExtensionManager.extensionList.
    """
    from auditor.endpoints.vcenter.translation import translated

    with translated(vcenter.endpoint, "reading its extensions"):
        return [one.key for one in vcenter.content.extensionManager.extensionList or () if one.key]


def _storage_drs(vcenter: VCenter, datastore: str) -> list[str]:
    """The datastore cluster whose I/O metric may turn Storage I/O Control on again. Source: docs/domain/facts.md#4-1."""
    from pyVmomi import vim

    parent = vcenter.value(vim.Datastore, datastore, "parent")
    if not isinstance(parent, vim.StoragePod):
        return []
    [facts] = vcenter.read(vim.StoragePod, ("name", "podStorageDrsEntry.storageDrsConfig.podConfig"), [parent])
    config = facts.values.get("podStorageDrsEntry.storageDrsConfig.podConfig")
    if config is None or not (config.enabled and config.ioLoadBalanceEnabled):
        return []
    name = facts.values.get("name", moid(parent))
    return [f"Storage DRS of datastore cluster {name} uses the I/O metric, which turns Storage I/O Control on again"]


def _logged(vcenter: VCenter, object_id: str | None, *, is_untouched: bool) -> list[str]:
    """The newest change of the object that somebody else than our own session made, by vCenter's log."""
    from pyVmomi import vim

    from auditor.endpoints.vcenter.translation import translated

    now = clock_of(vcenter)
    if object_id is None or now is None:
        return []
    spec = vim.event.EventFilterSpec
    wanted = spec(
        time=spec.ByTime(beginTime=now - _LOOK_BACK), eventTypeId=["TaskEvent", *EVENTS], disableFullMessage=True, maxCount=_MOST_EVENTS
    )
    try:
        with translated(vcenter.endpoint, "reading its events"):
            events: list[Any] = vcenter.content.eventManager.QueryEvents(wanted) or []
    except EndpointError:
        return []
    for event in sorted(events, key=lambda one: (one.createdTime, one.key), reverse=True):
        changed = change_of(event)
        # Our own write leaves such events too; vCenter acts without a user's name, or under an account of its own.
        is_ours = bool(event.userName) and event.userName in {vcenter.endpoint.username, vcenter.stub.user}
        if changed is not None and changed[1] == object_id and (is_untouched or not is_ours):
            by = f"our own account {event.userName}, in another session" if is_ours else event.userName or "vCenter itself"
            return [f"vCenter's log has {changed[2]} by {by} at {event.createdTime:%Y-%m-%d %H:%M:%S} UTC"]
    return []
