"""Reads what an Element cluster does in the background: synchronisations, bulk reads and writes, clones, drives, SnapMirror.

Synchronisations are those under way; results of asynchronous methods are there as long as the cluster keeps them. Garbage collection,
scrubs of blocks and schedules of snapshots have no method that reports a run. Not verified against a real system.

Source: Element API reference, objects syncJob, bulkVolumeJob and snapMirrorRelationship, methods ListAsyncResults and GetFeatureStatus
(github.com/NetAppDocs/element-software, api/).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.background_jobs import FAILED, OK, RUNNING, UNKNOWN, VOLUME, begin_of, job_row, moment
from auditor.endpoints.common.records import ParseErrors, Record, objects, records
from auditor.endpoints.common.topics import batch, optional

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.element.client import ElementArray
    from auditor.facts.schema import Batch
    from auditor.model import Gap

SYNCS: Mapping[str, str] = MappingProxyType({"clone": "other", "slice": "rebuild", "block": "rebuild", "remote": "replication"})
"""syncJob.type -> kind. Slices and blocks are copied where a drive or node was lost, added or taken away."""

RESULTS: Mapping[str, str] = MappingProxyType(
    {"DriveAdd": "other", "BulkVolume": "backup", "Clone": "other", "DriveRemoval": "move", "RtfiPendingNode": "other"}
)
"""resultType of ListAsyncResults -> kind."""

_LISTED_ELSEWHERE = frozenset({"BulkVolume", "Clone"})  # while they run
_BULK = {"preparing": RUNNING, "running": RUNNING, "complete": OK, "failed": FAILED}
_MIRRORS = frozenset({"transferring", "finalizing"})


@dataclass(slots=True)
class Jobs:
    """The topic `background_jobs`."""

    array: ElementArray
    endpoint: str
    now: datetime | None = None

    def jobs(self) -> Iterator[Batch | Gap]:
        """Every list of jobs; one that cannot be asked is a gap, and the next one is tried."""
        what = "GetClusterStats: the cluster's clock, by which jobs under way are known"
        self.now = yield from optional(self.endpoint, what, self.array.clock)
        for method, row in (("ListSyncJobs", self._sync), ("ListBulkVolumeJobs", _bulk), ("ListAsyncResults", _result)):
            yield from self._list(method, row)
        features = yield from optional(
            self.endpoint,
            "GetFeatureStatus: whether SnapMirror is in use",
            partial(self.array.call, "GetFeatureStatus", feature="snapMirror"),
        )
        listed = features.get("features") if features is not None else None
        if any(isinstance(one, dict) and one.get("enabled") is True for one in (listed if isinstance(listed, list) else ())):
            yield from self._list("ListSnapMirrorRelationships", _mirror)

    def _list(self, method: str, row: Callable[[Record], Row | None]) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors(method)
        answer = yield from optional(self.endpoint, method, partial(self.array.call, method))
        if answer is not None:
            under, key = _UNDER[method]
            if key:
                listed = list(records(answer, under, "job", key, parse_errors))
            else:
                listed = [Record(value, f"job {place}", parse_errors) for place, value in objects(answer, under, parse_errors)]
            rows = {made["job_id"]: made for one in listed if (made := row(one)) is not None}
            yield batch("background_job", self.endpoint, list(rows.values()))
        yield from parse_errors.gaps(self.endpoint)

    def _sync(self, job: Record) -> Row:
        """A synchronisation, which has no id of its own."""
        word = job.text("type") or ""
        if word and word not in SYNCS:
            job.parse_errors.add("type", job.label, f"is {word[:40]!r}, which is not known")
        ids = [str(job.value.get(name, "-")) for name in ("cloneID", "sliceID", "srcVolumeID", "dstVolumeID", "dstServiceID")]
        length = _seconds(job)
        volume = job.value.get("srcVolumeID", job.value.get("dstVolumeID"))
        return job_row(
            " ".join(("sync", word, *ids)),
            SYNCS.get(word, "other"),
            RUNNING,
            **_of_volume(volume),
            begin_at=begin_of(self.now, length),
            seconds=length,
            size_bytes=job.number("currentBytes") if job.value.get("currentBytes") is not None else None,
            detail=f"{word} synchronisation",
        )


_UNDER = {
    "ListSyncJobs": ("syncJobs", None),
    "ListBulkVolumeJobs": ("bulkVolumeJobs", "bulkVolumeID"),
    "ListAsyncResults": ("asyncHandles", "asyncResultID"),
    "ListSnapMirrorRelationships": ("snapMirrorRelationships", "snapMirrorRelationshipID"),
}


def _bulk(job: Record) -> Row:
    status = job.listed("status", _BULK, needed=True)
    return job_row(
        f"bulk {job.identifier('bulkVolumeID')}",
        "backup",
        UNKNOWN if status is None else _BULK[status],
        **_of_volume(job.value.get("srcVolumeID")),
        begin_at=_time(job, "createTime"),
        seconds=_seconds(job),
        detail=f"bulk {job.optional_text('type')} of a volume",
    )


def _result(job: Record) -> Row | None:
    """What an asynchronous method did; one under way that another list has in more detail is left to that."""
    word = job.text("resultType") or ""
    completed = job.value.get("completed") is True
    if word in _LISTED_ELSEWHERE and not completed:
        return None
    success = job.value.get("success")
    data = job.value.get("data")
    return job_row(
        f"async {job.identifier('asyncResultID')}",
        RESULTS.get(word, "other"),
        RUNNING if not completed else OK if success is True else FAILED if success is False else UNKNOWN,
        **_of_volume(data.get("volumeID") if isinstance(data, dict) else None),
        begin_at=_time(job, "createTime"),
        end_at=_time(job, "lastUpdateTime") if completed else None,
        detail=word or None,
    )


def _mirror(job: Record) -> Row | None:
    """The newest transfer of a relationship with an ONTAP, or the one under way, whose begin is not reported; None where there was none."""
    source, name = job.value.get("sourceVolume"), job.optional_text("scheduleName")
    volume = source.get("volumeID") if isinstance(source, dict) else None
    job_id = f"snapmirror {job.identifier('snapMirrorRelationshipID')}"
    if job.optional_text("relationshipStatus") in _MIRRORS:
        progress = job.number("relationshipProgress") if job.value.get("relationshipProgress") is not None else None
        return job_row(
            job_id, "replication", RUNNING, **_of_volume(volume), size_bytes=progress, schedule=name, detail="SnapMirror to an ONTAP"
        )
    end = _time(job, "lastTransferEndTimestamp")
    if end is None:
        return None
    length = job.number("lastTransferDuration") if job.value.get("lastTransferDuration") is not None else None
    return job_row(
        job_id,
        "replication",
        FAILED if job.optional_text("lastTransferError") else OK,
        **_of_volume(volume),
        begin_at=begin_of(end, length),
        end_at=end,
        size_bytes=job.number("lastTransferSize") if job.value.get("lastTransferSize") is not None else None,
        schedule=name,
        detail="SnapMirror to an ONTAP",
    )


def _of_volume(volume: object) -> dict[str, Any]:
    """What a job is about: a volume by its number, or the cluster where it names none."""
    return {"subject": VOLUME, "subject_id": str(volume)} if type(volume) is int and volume > 0 else {}


def _seconds(job: Record) -> float | None:
    """elapsedTime, a number or a string of one."""
    return job.real("elapsedTime") if job.value.get("elapsedTime") is not None else None


def _time(job: Record, name: str) -> datetime | None:
    """A time of the API, in UTC; one that is empty was never."""
    text = job.optional_text(name)
    found = moment(text)
    if text and found is None:
        job.parse_errors.add(name, job.label, "is not a time")
    return found
