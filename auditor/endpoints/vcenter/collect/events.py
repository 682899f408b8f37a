"""vCenter's events: page by page, newest first; and the hosts and clusters that they name since a moment of vCenter's own clock."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from auditor.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Endpoint

_OF_A_HOST = ("esx.", "vprob.")
_PAGE = 1000
"""Events. Source: HistoryCollector.SetCollectorPageSize in the vSphere API, the most of one page."""

_MOST_REPEATED_PAGES = 100
"""In a row, with no event that is new; what is in the latest page comes again once."""

MOST_EVENTS = 20_000
"""Beyond these, reading the hosts is no slower than reading the log (some 10 ms a page of 100 in pyVmomi)."""


@dataclass(frozen=True, slots=True)
class Cut:
    """There are more events than were asked for; the oldest that was read happened at `oldest`, in UTC."""

    oldest: datetime


@dataclass(frozen=True, slots=True)
class Happened:
    """Hosts and clusters that something happened to, by managed object id; `events` counts everything the account was shown."""

    hosts: frozenset[str]
    clusters: frozenset[str]
    events: int


def clock_of(vcenter: VCenter) -> datetime | None:
    """What vCenter's clock says now, aware; None when it does not report."""
    from pyVmomi import vim

    from auditor.endpoints.vcenter.translation import translated

    try:
        with translated(vcenter.endpoint, "reading its clock"):
            now: datetime = vim.ServiceInstance("ServiceInstance", vcenter.stub).CurrentTime()
    except EndpointError:
        return None
    return now


def happened_since(vcenter: VCenter, endpoint: Endpoint, since: datetime) -> Happened:
    """Read the events from `since` on, by vCenter's clock.

    Raises:
        EndpointError: they cannot be read, or not all of them.
    """
    from pyVmomi import vim

    from auditor.endpoints.vcenter.translation import translated
    from auditor.errors import RefusedError

    hosts: set[str] = set()
    clusters: set[str] = set()
    count = 0
    with translated(endpoint, "reading its events"):
        manager = vcenter.content.eventManager
        wanted = vim.event.EventFilterSpec(time=vim.event.EventFilterSpec.ByTime(beginTime=since))
        collector = manager.CreateCollectorForEvents(wanted)
        try:
            collector.RewindCollector()
            while page := collector.ReadNextEvents(_PAGE):
                count += len(page)
                if count > MOST_EVENTS:
                    raise RefusedError(
                        f"endpoint {endpoint.name}: more than {MOST_EVENTS} events since {since:%Y-%m-%d %H:%M} UTC",
                        why="which hosts changed was not worked out.",
                        do="audit more often, or without --since.",
                    )
                for event in page:
                    if not _note(event, hosts, clusters):
                        raise RefusedError(
                            f"endpoint {endpoint.name}: {event.eventTypeId} is an event of a host, and names none",
                            why="which hosts changed was not worked out.",
                            do="nothing: all of its hosts are read.",
                        )
        finally:
            collector.DestroyCollector()
    return Happened(frozenset(hosts), frozenset(clusters), count)


def _note(event: Any, hosts: set[str], clusters: set[str]) -> bool:
    """Whom an event is about; False for one of an ESXi host that names neither host nor cluster.

    What happens to a machine says nothing of how its host is set, and on a busy cluster happens all the time.

    Source: docs/domain/facts.md#9-5; ids of ESXi's own events begin with "esx." or "vprob." (github.com/lamw/vcenter-event-mapping).
    """
    from pyVmomi import vim

    from auditor.endpoints.vcenter.session import moid

    if event.vm is not None:
        return True
    hosts_named = [event.host.host] if event.host is not None and event.host.host is not None else []
    if isinstance(event, vim.event.TaskEvent) and event.info is not None and isinstance(event.info.entity, vim.HostSystem):
        hosts_named.append(event.info.entity)
    hosts.update(moid(host) for host in hosts_named)
    if isinstance(event, vim.event.EventEx) and event.objectId and "HostSystem" in str(event.objectType):
        hosts.add(str(event.objectId))
    elif not hosts_named and event.computeResource is not None and event.computeResource.computeResource is not None:
        clusters.add(moid(event.computeResource.computeResource))
    elif not hosts_named and isinstance(event, vim.event.EventEx) and str(event.eventTypeId).startswith(_OF_A_HOST):
        return False
    return True


def newest_events(vcenter: VCenter, endpoint: Endpoint, types: list[str], since: datetime | None, most: int) -> Generator[Any, None, None]:
    """Each event of `types` once, the newest page first; a `Cut` ends them where there are more than about `most`.

    Raises:
        EndpointError: they could not be read, or have no end.
    """
    from auditor.errors import MalformedAnswerError

    seen: set[int] = set()
    oldest = datetime.max.replace(tzinfo=UTC)
    repeated = 0
    with closing(newest_pages(vcenter, endpoint, types, since)) as pages:
        for page in pages:
            new = {event.key: event for event in page if event.key not in seen}
            if new and len(seen) >= most:
                yield Cut(oldest)
                return
            repeated = 0 if new else repeated + 1
            if repeated > _MOST_REPEATED_PAGES:
                raise MalformedAnswerError(
                    f"endpoint {endpoint.name}: its events have no end: {repeated} pages had nothing new",
                    why="what happened before these is not known.",
                    do="look at vCenter's log.",
                )
            seen.update(new)
            for event in new.values():
                oldest = min(oldest, event.createdTime.astimezone(UTC))
                yield event


def newest_pages(vcenter: VCenter, endpoint: Endpoint, types: list[str], since: datetime | None) -> Generator[Sequence[Any], None, None]:
    """Pages of events, the newest page first; what is in the latest page may come again.

    Source: vSphere API reference, HistoryCollector: readPrev "retrieves all items (excluding the viewable latest page) from the newest item
    to the oldest item"; EventHistoryCollector.latestPage: "the events in the returned page are unordered".
    """
    from pyVmomi import vim

    from auditor.endpoints.vcenter.session import moid
    from auditor.endpoints.vcenter.translation import translated

    spec = vim.event.EventFilterSpec
    time = None if since is None else spec.ByTime(beginTime=since)
    with translated(endpoint, "reading its events"):
        collector = vcenter.content.eventManager.CreateCollectorForEvents(spec(time=time, eventTypeId=types, disableFullMessage=True))
        try:
            collector.SetCollectorPageSize(_PAGE)
            yield vcenter.value(vim.event.EventHistoryCollector, moid(collector), "latestPage") or ()
            collector.ResetCollector()
            while page := collector.ReadPreviousEvents(_PAGE):
                yield page
        finally:
            collector.DestroyCollector()
