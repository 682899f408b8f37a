"""Reads one vCenter, and takes over from an earlier run what its hosts need not be asked again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from auditor.endpoints.common.clocks import clock_notes, difference
from auditor.endpoints.vcenter.collect.events import clock_of
from auditor.endpoints.vcenter.collect.host_comparison import HostComparison, compare_hosts
from auditor.endpoints.vcenter.collect.topics import collect_vcenter
from auditor.facts.snapshots.earlier import live_topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.vcenter.collect.rows import Facts
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.facts.needs import Needs
    from auditor.facts.snapshots.builder import SnapshotBuilder
    from auditor.facts.snapshots.earlier import Earlier
    from auditor.model import Endpoint


def collect_incrementally(
    vcenter: VCenter, endpoint: Endpoint, needs: Needs, earlier: Earlier | None, builder: SnapshotBuilder
) -> Iterator[Facts]:
    """Yield what is needed of a vCenter, as `collect_vcenter`; hosts that are as the `earlier` run found them are not asked themselves.

    What they said then is copied into `builder`, and the session's notes say so. vCenter's clock is noted for the next run, before
    anything is read: what happens from here on may not be in this run.
    """
    if not live_topics(needs):
        yield from collect_vcenter(vcenter, endpoint, needs)
        return
    before = datetime.now(UTC)
    now = clock_of(vcenter)
    vcenter.clock_at_start = now.isoformat() if now else None
    if now is not None and now.tzinfo is not None and endpoint.share.is_first:
        for note in clock_notes(endpoint.name, difference(now, before, datetime.now(UTC))):
            vcenter.add_note(note)
    if earlier is None:
        yield from collect_vcenter(vcenter, endpoint, needs)
        return
    comparison = compare_hosts(vcenter, endpoint, earlier, needs, now, builder.so_far)
    if isinstance(comparison, HostComparison):
        yield from collect_vcenter(vcenter, endpoint, needs, comparison)
        builder.take_over_hosts(earlier.directory, endpoint.name, comparison.taken, comparison.topics)
        vcenter.add_note(f"{endpoint.name}: {comparison.note()}")
    else:
        yield from collect_vcenter(vcenter, endpoint, needs)
        vcenter.add_note(f"{endpoint.name}: {comparison}")
