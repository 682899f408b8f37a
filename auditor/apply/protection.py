"""Changes that `protect:` of fleet.yaml holds back: on protected resources, on the storage below them, and on what uses that storage.

A protected host, cluster or vCenter protects the datastores, devices, volumes and policies that its hosts use; a protected volume,
device or datastore holds back what changes it from above. What is not known counts as protected
(docs/decisions/0054-protection-reaches.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.endpoints.settings import setting_of
from auditor.errors import AuditorError, ConfigurationError, EndpointError
from auditor.model import EndpointKind, Outcome, Receipt
from auditor.text.names import fits, fits_host, is_called

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from auditor.endpoints.common.sessions import Sessions
    from auditor.model import Change, Protection

TaggedObjects = Callable[[str], "Sequence[TaggedObject]"]
"""Objects that carry tags, of the vCenter of that name; raises EndpointError where they cannot be read."""


@dataclass(frozen=True, slots=True)
class TaggedObject:
    """One tag on one object.

    Attributes:
        tag: its name.
        category: of the tag.
        id: managed object id of what carries it.
        cluster: the name of the cluster, where it is one.
        host: the name of the host, where it is one.
    """

    tag: str
    category: str
    id: str
    cluster: str | None = None
    host: str | None = None


def without_protected(
    changes: Iterable[Change], protected: Sequence[Protection], tagged: TaggedObjects, vcenters: Collection[str] | None = None
) -> tuple[list[Change], list[Receipt]]:
    """The changes of what is not protected, and a receipt for each other one.

    A tag that cannot be read protects, and so does a host that may stand on what is written: in doubt nothing is written. `vcenters` are
    the names of those of the fleet, which hosts are on; None: not known.
    """
    left, skipped = [], []
    tags = _Tags(tagged)
    for change in changes:
        reason = next(filter(None, (_protection(change, one, tags, vcenters) for one in protected)), None)
        if reason is None:
            left.append(change)
        else:
            skipped.append(Receipt(change, Outcome.PROPOSED, change.before, f"protected by fleet.yaml, so it is proposed alone: {reason}"))
    return left, skipped


class _Tags:
    """The tags of each vCenter, read when the first change needs them."""

    def __init__(self, tagged: TaggedObjects) -> None:
        self._tagged = tagged
        self._known: dict[str, Sequence[TaggedObject] | AuditorError] = {}

    def of(self, endpoint: str) -> Sequence[TaggedObject] | AuditorError:
        if endpoint not in self._known:
            try:
                self._known[endpoint] = self._tagged(endpoint)
            except (EndpointError, ConfigurationError) as error:  # the latter: it is not in fleet.yaml any more
                self._known[endpoint] = error
        return self._known[endpoint]


@dataclass(frozen=True, slots=True)
class _Place:
    """One place that a change is felt at, and what has a name there."""

    endpoint: str
    cluster: str | None = None
    host: str | None = None
    ids: frozenset[str] = frozenset()


def _protection(change: Change, one: Protection, tags: _Tags, vcenters: Collection[str] | None) -> str | None:
    """Why `one` holds back `change`; None where it does not. What is given in it has to fit, all of it."""
    resource = change.resource
    if one.resource is not None and not (_fits(one.resource, resource.name) or _fits(one.resource, resource.id)):
        return _beside(change, one)
    own = _Place(change.target.endpoint, resource.cluster, resource.host, frozenset(value for _, value in change.target.keys))
    return _at(own, one, tags) or _above(change, one, tags, vcenters)


def _above(change: Change, one: Protection, tags: _Tags, vcenters: Collection[str] | None) -> str | None:
    """Why an entry is for a host that stands on what is written, or for a datastore with its tag; None where it is not."""
    if change.reach is not None and one.tag is not None:
        for endpoint, name, object_id in change.reach.objects or ():
            if endpoint and (why := _at(_Place(endpoint, ids=frozenset({object_id})), one, tags)) is not None:
                return f"{why} ({name} is changed by it)"
    hosts = None if change.reach is None else change.reach.hosts
    for endpoint, cluster, host in hosts or ():
        if (why := _at(_Place(endpoint, cluster, host), one, tags)) is not None:
            return f"{why} ({host} stands on it)"
    is_unknown = hosts is None and (change.reach is not None or change.resource.host is None)
    return f"{one.reason} (which hosts stand on it is not known)" if is_unknown and _may_be_of_hosts(change, one, vcenters) else None


def _may_be_of_hosts(change: Change, one: Protection, vcenters: Collection[str] | None) -> bool:
    """Whether an entry that is not for what is written may be for a host that stands on it, where nobody knows which do."""
    at = change.target.endpoint
    if vcenters is None:
        return True
    return any(_fits(one.endpoint, name, short=True) for name in ({at} if at in vcenters else vcenters))


def _beside(change: Change, one: Protection) -> str | None:
    """Why an entry for another object holds back a change of what lies on it or under it; None where it does not."""
    objects = None if change.reach is None else change.reach.objects
    if objects is None:
        setting = setting_of(change.remediator)
        on_storage = change.reach is not None or change.resource.host is None or (setting is not None and not setting.of_host)
        return f"{one.reason} (what it lies on is not known)" if on_storage and _may_be_placed(change, one) else None
    for endpoint, name, object_id in objects:
        at = not endpoint or _fits(one.endpoint, endpoint, short=True)
        if at and (_fits(one.resource, name) or _fits(one.resource, object_id)) and _may_be_placed(change, one):
            return f"{one.reason} ({name} is changed by it)"
    return None


def _may_be_placed(change: Change, one: Protection) -> bool:
    """Whether the cluster and host that an entry names besides an object may be those of the change, or of a host that stands on it."""
    hosts = None if change.reach is None else change.reach.hosts
    places = [(change.resource.cluster, change.resource.host), *((cluster, host) for _, cluster, host in hosts or ())]
    return hosts is None or any(_fits(one.cluster, cluster) and _fits(one.host, host, short=True) for cluster, host in places)


def _at(place: _Place, one: Protection, tags: _Tags) -> str | None:
    """Why an entry is for what is at a place; None where it is not."""
    if not (
        _fits(one.endpoint, place.endpoint, short=True) and _fits(one.cluster, place.cluster) and _fits(one.host, place.host, short=True)
    ):
        return None
    if one.tag is None:
        return one.reason
    carried = tags.of(place.endpoint)
    if isinstance(carried, AuditorError):
        return f"{one.reason} (its tags could not be read: {carried.what})"
    for tagged in carried:
        if _is_on(tagged, place) and (fits(tagged.tag, one.tag) or fits(f"{tagged.category}:{tagged.tag}", one.tag)):
            return f"{one.reason} (tag {tagged.category}:{tagged.tag})"
    return None


def _is_on(tagged: TaggedObject, place: _Place) -> bool:
    pairs = ((tagged.cluster, place.cluster), (tagged.host, place.host))
    return tagged.id in place.ids or any(other is not None and is_called(one, other) for one, other in pairs)


def _fits(glob: str | None, name: str | None, *, short: bool = False) -> bool:
    return glob is None or (fits_host if short else fits)(name, glob)


def tags_of(sessions: Sessions) -> TaggedObjects:
    """Reads the tags of a vCenter now, with the names of the clusters and hosts that carry some. An array has none."""

    def read(name: str) -> Sequence[TaggedObject]:
        endpoint = sessions.endpoint(name)
        if endpoint.kind is not EndpointKind.VCENTER:
            return ()
        from pyVmomi import vim

        from auditor.endpoints.vcenter.automation import open_automation

        def names(kind: object) -> dict[str, str]:
            return {row.id: str(row.values.get("name")) for row in sessions.session(name).read(kind, ("name",))}

        clusters, hosts = names(vim.ClusterComputeResource), names(vim.HostSystem)
        with open_automation(endpoint) as automation:
            return [
                TaggedObject(one.tag, one.category, moid, clusters.get(moid), hosts.get(moid))
                for one in automation.tags()
                for _, moid in one.objects
            ]

    return read
