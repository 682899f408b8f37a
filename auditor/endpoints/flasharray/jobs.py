"""Reads what a FlashArray did in the background in the last day: replication of protection groups, their snapshots, drives that recover.

Deduplication and garbage collection run all the time, and no resource reports a run; replication of pods (ActiveCluster, ActiveDR) has no
end. That a transfer failed is reported by alerts alone. Not verified against a real system.

Source: the vendor's client py-pure-client 1.96.0, models ProtectionGroupSnapshotTransfer (REST 2.1 and later), ProtectionGroupSnapshot and
Drive: times are milliseconds since the epoch.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from auditor.endpoints.common.background_jobs import OK, RUNNING, job_row
from auditor.endpoints.common.records import ParseErrors, records
from auditor.endpoints.common.topics import batch, optional
from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.flasharray.client import FlashArray
    from auditor.facts.schema import Batch

PERIOD = timedelta(days=1)
MOST_PAGES = 20
"""Of one list, which has snapshots of months; 1,000 to a page. Policy."""
_LONGEST = 253402300799000  # 9999-12-31T23:59:59Z in milliseconds


@dataclass(slots=True)
class Jobs:
    """The topic `background_jobs`."""

    array: FlashArray
    endpoint: str
    now: datetime | None = None

    def jobs(self) -> Iterator[Batch | Gap]:
        """Every list of jobs; one that cannot be read is a gap, and the next one is tried."""
        what = "GET arrays: the array's clock, by which jobs of the last day are known"
        # Where it reports none, this machine's does: which jobs are of the last day may be off by as much as the two differ.
        self.now = (yield from optional(self.endpoint, what, self.array.clock)) or datetime.now(UTC)
        yield from self._list("protection-group-snapshots/transfer", "id", self._transfer)
        yield from self._list("protection-group-snapshots", "id", self._snapshot)
        yield from self._list("drives", "name", _drive)

    def _list(self, resource: str, key: str, row: Callable[[Record], Row | None]) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors(f"GET {resource}, jobs")
        made: dict[str, Row] = {}
        try:
            for number, answer in enumerate(self.array.pages(resource)):
                if number >= MOST_PAGES:
                    yield Gap(self.endpoint, f"GET {resource}, jobs", f"there are more than {MOST_PAGES} pages")
                    break
                for record in records(answer, "items", "entry", key, parse_errors, labelled="name"):
                    if (one := row(record)) is not None:
                        made.setdefault(one["job_id"], one)
        except (CredentialsError, EndpointUnreachableError):
            raise
        except EndpointError as error:
            yield Gap(self.endpoint, f"GET {resource}, jobs", error.what)
        yield batch("background_job", self.endpoint, list(made.values()))
        yield from parse_errors.gaps(self.endpoint)

    def _is_recent(self, at: datetime | None) -> bool:
        return at is not None and self.now is not None and at >= self.now - PERIOD

    def _transfer(self, transfer: Record) -> Row | None:
        """Replication of a protection group's snapshot; None where it was over before the last day, or has not begun.

        Whether one snapshot that goes to two arrays has one id or two is not verified: its begin tells two apart.
        """
        began, ended = _time(transfer, "started"), _time(transfer, "completed")
        if began is None or not (ended is None or self._is_recent(ended)):
            return None
        name = transfer.text("name") or ""
        return job_row(
            f"transfer {transfer.identifier('id')} {began:%Y-%m-%dT%H:%M:%S}",
            "replication",
            RUNNING if ended is None else OK,
            subject_name=_group_of(name),
            begin_at=began,
            end_at=ended,
            seconds=(self.now - began).total_seconds() if ended is None and self.now is not None else None,
            size_bytes=transfer.number("data_transferred") if transfer.value.get("data_transferred") is not None else None,
            detail=f"replication of {name}",
        )

    def _snapshot(self, snapshot: Record) -> Row | None:
        """A snapshot of a protection group, which takes no time that is reported; None for one of before the last day."""
        at = _time(snapshot, "created")
        if not self._is_recent(at):
            return None
        name = snapshot.text("name") or ""
        job = f"snapshot {snapshot.identifier('id')}"
        return job_row(job, "snapshot", OK, subject_name=_group_of(name), begin_at=at, end_at=at, detail=name)


def _drive(drive: Record) -> Row | None:
    """A drive that recovers; since when is not reported."""
    if drive.optional_text("status") != "recovering":
        return None
    return job_row(f"drive {drive.text('name')}", "rebuild", RUNNING, detail=f"drive {drive.text('name')} recovers")


def _group_of(name: str) -> str | None:
    """The protection group of a snapshot "group.suffix", or "source:group.suffix"."""
    return name.rpartition(".")[0] or name or None


def _time(record: Record, name: str) -> datetime | None:
    """A time in milliseconds since the epoch; null and 0 are none."""
    milliseconds = record.number(name) if record.value.get(name) is not None else None
    if not milliseconds:
        return None
    if milliseconds > _LONGEST:
        record.parse_errors.add(name, record.label, "is not a time")
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
