"""Reads what an ONTAP cluster did in the background, as far as REST reports it with times.

A relationship and a volume report their newest transfer and run alone, and a job of `cluster/jobs` is gone 300 seconds after its end: what
came before is in the runs before. RAID scrubs are reported by no resource; when they may run is in array_scrub.

Not verified against a real system. Source: netapp-ontap 9.19.1, SnapmirrorRelationship.transfer, SnapmirrorTransfer, VolumeEfficiency
(last_op_*), VolumeMovement, RaidGroup, Snapshot, Job.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from auditor.endpoints.common.background_jobs import RUNNING
from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.common.topics import batch, optional
from auditor.endpoints.ontap import job_rows
from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.ontap.lists import Lists
    from auditor.facts.schema import Batch

_RELATIONSHIPS, _VOLUMES, _AGGREGATES, _LISTED = "snapmirror/relationships", "storage/volumes", "storage/aggregates", "cluster/jobs"
_SNAPSHOTS = "storage/volumes/*/snapshots"
_FIRST_WITH_SCHEDULE = (9, 11)
"""The first release whose relationships report a schedule of their own; see `BackgroundWork.replication`."""

PERIOD = timedelta(days=1)
MOST_RUNNING = 100
"""Transfers under way that are asked how long they have run: one request each. Policy."""
MOST_SNAPSHOTS = 20_000
"""Of the last day, in the cluster's own order. Policy."""


@dataclass(slots=True)
class Jobs:
    """The topic `background_jobs`, over one cluster's lists."""

    lists: Lists
    _now: datetime | None = field(default=None)

    def jobs(self) -> Iterator[Batch | Gap]:
        """Every kind of job that REST reports. A list that cannot be read is a gap, and the next one is tried.

        Raises:
            CredentialsError: the account is not accepted any more.
            EndpointUnreachableError: the cluster stopped answering.
        """
        clock = "GET cluster/nodes: the cluster's clock, by which jobs under way and those of the last day are known"
        self._now = yield from optional(self.lists.endpoint, clock, self.lists.cluster.clock)
        if self._now is None:
            yield Gap(self.lists.endpoint, clock, "no node reports it")
        for what, read in (
            (_VOLUMES, self._runs),
            (_AGGREGATES, self._rebuilds),
            (_SNAPSHOTS, self._snapshots),
            (_LISTED, self._listed),
            (_RELATIONSHIPS, self._transfers),  # last, since each transfer under way is a request of its own
        ):
            yield from self._tried(what, read)

    def _tried(self, what: str, read: Callable[[ParseErrors], Iterator[Batch | Gap]]) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors(f"GET {what}, jobs")
        try:
            yield from read(parse_errors)
        except (CredentialsError, EndpointUnreachableError):
            raise
        except EndpointError as error:
            yield Gap(self.lists.endpoint, f"GET {what}, jobs", error.what)
        yield from parse_errors.gaps(self.lists.endpoint)

    def _batch(self, table_rows: list[Row]) -> Batch:
        return batch("background_job", self.lists.endpoint, table_rows)

    def _transfers(self, parse_errors: ParseErrors) -> Iterator[Batch | Gap]:
        """The newest transfer of every relationship; one within the cluster is work of both its volumes.

        Only the cluster of the destination reports for how long a transfer under way has run.
        """
        containers = {each.path: each for each in self.lists.known_containers(parse_errors).values()}
        fields = "uuid,source.path,destination.path,transfer"
        if self.lists.cluster.version[:2] >= _FIRST_WITH_SCHEDULE:
            fields += ",transfer_schedule.name"
        asked = 0
        lengths: dict[str, timedelta | None] = {}
        for role, params in (("destination", {}), ("source", {"list_destinations_only": "true"})):
            for page in self.lists.pages(_RELATIONSHIPS, "relationship", parse_errors, fields=fields, **params):
                table_rows = []
                for relationship in page:
                    row = job_rows.transfer_row(relationship, role, containers)
                    if row is None:
                        continue
                    uuid = str(relationship.identifier("uuid"))
                    if row["outcome"] == RUNNING and role == "destination":
                        asked += 1
                        lengths[uuid] = self._length(uuid, parse_errors) if asked <= MOST_RUNNING else None
                    table_rows.append(row | self._since(lengths.get(uuid)) if row["outcome"] == RUNNING else row)
                yield self._batch(table_rows)
        if asked > MOST_RUNNING:
            yield Gap(self.lists.endpoint, f"{_RELATIONSHIPS}: when transfers began", f"more than {MOST_RUNNING} are under way")

    def _since(self, length: timedelta | None) -> Row:
        """The columns of a job that has run so long until now."""
        began = None if self._now is None or length is None else self._now - length
        return {"begin_at": began, "seconds": None if length is None else length.total_seconds()}

    def _length(self, uuid: str, parse_errors: ParseErrors) -> timedelta | None:
        """How long the transfer of a relationship has run that is under way; None where it does not say, or is over."""
        running = list(
            self.lists.records(f"{_RELATIONSHIPS}/{uuid}/transfers", "transfer", parse_errors, fields="uuid,state,total_duration")
        )
        lengths = [length for each in running if (length := job_rows.duration_of(each)) is not None]
        return max(lengths, default=None)

    def _runs(self, parse_errors: ParseErrors) -> Iterator[Batch | Gap]:
        """The newest run of every volume's efficiency, and its newest move."""
        zone = cache(lambda: job_rows.zone_of(self.lists.cluster.get("cluster", fields="timezone")))  # asked where a time names none
        fields = "uuid,name,svm.name,aggregates.uuid,efficiency,movement"
        for page in self.lists.pages(_VOLUMES, "volume", parse_errors, fields=fields):
            found: list[Record] = list(page)
            yield self._batch([row for volume in found for row in job_rows.volume_rows(volume, zone)])

    def _rebuilds(self, parse_errors: ParseErrors) -> Iterator[Batch | Gap]:
        """RAID groups in which a disk is made anew, or parity is computed again; when that began is not reported."""
        for page in self.lists.pages(_AGGREGATES, "aggregate", parse_errors, fields="uuid,name,block_storage.plexes"):
            yield self._batch([row for pool in page for row in job_rows.rebuild_rows(pool)])

    def _snapshots(self, parse_errors: ParseErrors) -> Iterator[Batch | Gap]:
        """Snapshots of the last day; one takes no time that REST reports."""
        if self._now is None:
            return
        params = {"fields": "uuid,name,create_time,volume.uuid,volume.name,svm.name"}
        params["create_time"] = f">={(self._now - PERIOD).isoformat(timespec='seconds').replace('+00:00', 'Z')}"
        containers = self.lists.known_containers(parse_errors)
        left = MOST_SNAPSHOTS
        for page in self.lists.pages(_SNAPSHOTS, "snapshot", parse_errors, key="volume.uuid/uuid", **params):
            yield self._batch([job_rows.snapshot_row(snapshot, containers) for snapshot in page[:left]])
            left -= len(page)
            if left < 0:
                yield Gap(self.lists.endpoint, _SNAPSHOTS, f"there are more than {MOST_SNAPSHOTS:,} of the last day")
                return

    def _listed(self, parse_errors: ParseErrors) -> Iterator[Batch | Gap]:
        """Jobs of the cluster: those that run, and those that ended within the last 300 seconds."""
        for page in self.lists.pages(_LISTED, "job", parse_errors, fields="*"):
            yield self._batch([job_rows.listed_row(job) for job in page])
