"""One ONTAP record of a job to rows of background_job."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from auditor.endpoints.common.background_jobs import FAILED, OK, POOL_OF_VOLUMES, RUNNING, UNKNOWN, VOLUME, begin_of, job_row, moment
from auditor.endpoints.ontap import rows
from auditor.endpoints.ontap.enumerations import JOB_STATES, MOVE_STATES, OPERATION_STATES, TRANSFER_STATES
from auditor.endpoints.ontap.qos import optional
from auditor.endpoints.ontap.schedules import duration_seconds, has_schedule
from auditor.facts.efficiency_states import AT_WORK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row

    Zone = Callable[[], tzinfo | None]
    """Says the cluster's time zone when it is asked."""

_OF_COMMAND_LINE = "%a %b %d %H:%M:%S %Y"  # "Sat Sep 07 00:10:01 2019", as volume efficiency show prints its times
_LONGEST_SECONDS = 10 * 366 * 86_400  # no transfer takes ten years
_NONE = frozenset({"", "-"})
_TRANSFERS = {"transferring": RUNNING, "success": OK, "failed": FAILED, "aborted": FAILED, "hard_aborted": FAILED}
_OPERATIONS = {"success": OK, "failure": FAILED, "failed": FAILED}  # last_op_state, in lower case; other words are not known
_KINDS = (
    (re.compile(r"snapmirror", re.IGNORECASE), "replication"),
    (re.compile(r"vol(?:ume)?[ _-]move", re.IGNORECASE), "move"),
    (re.compile(r"snapshot", re.IGNORECASE), "snapshot"),
    (re.compile(r"efficiency|dedup", re.IGNORECASE), "dedup"),
    (re.compile(r"backup", re.IGNORECASE), "backup"),
)
"""Kind by the description of a job, the first that fits. "App Snapshot Job" and "Cluster Backup Job" are printed in netapp-ontap, Job; that
others name their kind in such words is inferred, and what fits none is `other`."""


def duration_of(transfer: Record) -> timedelta | None:
    """How long a transfer has taken; None when it does not say, or not in ISO 8601."""
    text = transfer.optional_text("total_duration")
    seconds = duration_seconds(text) if text is not None else None
    if seconds is not None and seconds > _LONGEST_SECONDS:
        seconds = None
    if text is not None and seconds is None:
        transfer.parse_errors.add("total_duration", transfer.label, "is not a length of time")
    return None if seconds is None else timedelta(seconds=seconds)


def transfer_row(relationship: Record, role: str, containers: Mapping[str, rows.Container]) -> Row | None:
    """The newest transfer of a relationship, of this side's volume; None where there was none, or one waits.

    Of one that is over its end and its length are reported, and so its begin. Of one that runs, total_duration is that of the last
    successful transfer, and its begin is asked for elsewhere.
    """
    transfer = optional(relationship, "transfer")
    state = None if transfer is None else transfer.listed("state", TRANSFER_STATES)
    if transfer is None or state is None or state == "queued":
        return None
    outcome = _TRANSFERS[state]
    end = _time(transfer, "end_time") if outcome != RUNNING else None
    length = duration_of(transfer) if outcome == OK else None
    path = rows.optional_text(optional(relationship, role), "path")
    volume = containers.get(path or "")
    other = rows.optional_text(optional(relationship, "source" if role == "destination" else "destination"), "path")
    name = rows.optional_text(optional(relationship, "transfer_schedule"), "name")
    return job_row(
        f"snapmirror {relationship.identifier('uuid')}/{role}",
        "replication",
        outcome,
        subject=VOLUME,
        subject_id=None if volume is None else volume.uuid,
        subject_name=path,
        pool_id=None if volume is None else volume.pool_id,
        begin_at=begin_of(end, None if length is None else length.total_seconds()),
        end_at=end,
        size_bytes=transfer.number("bytes_transferred") if transfer.value.get("bytes_transferred") is not None else None,
        schedule=name,
        detail=f"SnapMirror {'to' if role == 'source' else 'from'} {other}",
    )


def volume_rows(volume: Record, zone: Zone) -> Iterator[Row]:
    """The run of a volume's efficiency that runs, the newest that is over, and the newest move."""
    container = rows.container_of(volume)
    about: dict[str, Any] = {
        "subject": VOLUME,
        "subject_id": container.uuid,
        "subject_name": container.path,
        "pool_id": container.pool_id,
    }
    efficiency = optional(volume, "efficiency")
    if efficiency is not None:
        yield from _efficiency_rows(efficiency, zone, about)
    movement = optional(volume, "movement")
    state = movement.listed("state", MOVE_STATES) if movement is not None else None
    if movement is not None and state is not None and (outcome := MOVE_STATES[state]) is not None:
        target = rows.optional_text(optional(movement, "destination_aggregate"), "name")
        begin = _time(movement, "start_time")
        yield job_row(
            f"move {container.uuid}", "move", outcome, begin_at=begin, detail=f"volume move to {target or 'another aggregate'}", **about
        )


def _efficiency_rows(efficiency: Record, zone: Zone, about: dict[str, Any]) -> Iterator[Row]:
    """A run that begins after the end of the one before it is the one that runs: which of them last_op_begin is of, no source says."""
    begin, end = _own_time(efficiency, "last_op_begin", zone), _own_time(efficiency, "last_op_end", zone)
    named = optional(efficiency, "policy")
    policy = rows.optional_text(named, "name")
    own = efficiency.optional_text("schedule")
    schedule = policy if has_schedule(policy) else own if has_schedule(own) else None
    runs = efficiency.listed("op_state", OPERATION_STATES) in AT_WORK
    began_again = runs and begin is not None and (end is None or begin > end)
    job = f"efficiency {about['subject_id']}"
    if runs:
        begun = begin if began_again else None
        yield job_row(
            f"{job} now", "dedup", RUNNING, begin_at=begun, schedule=schedule, detail=efficiency.optional_text("progress"), **about
        )
    if end is not None and not began_again and (begin is None or begin <= end):
        word = (efficiency.optional_text("last_op_state") or "").strip().lower()
        size = efficiency.number("last_op_size") if efficiency.value.get("last_op_size") is not None else None
        outcome = _OPERATIONS.get(word, UNKNOWN)
        yield job_row(job, "dedup", outcome, begin_at=begin, end_at=end, size_bytes=size, schedule=schedule, **about)


def rebuild_rows(pool: Record) -> Iterator[Row]:
    """The RAID groups of an aggregate in which something is made anew. Source: netapp-ontap, RaidGroup: reconstruct, recomputing_parity."""
    storage = pool.value.get("block_storage")
    plexes = storage.get("plexes") if isinstance(storage, dict) else None
    for plex in plexes if isinstance(plexes, list) else ():
        groups = plex.get("raid_groups") if isinstance(plex, dict) else None
        for group in groups if isinstance(groups, list) else ():
            for name, words in (("reconstruct", "a disk is made anew"), ("recomputing_parity", "parity is computed again")):
                work = group.get(name) if isinstance(group, dict) else None
                if isinstance(work, dict) and work.get("active") is True:
                    percent = work.get("percent")
                    yield job_row(
                        f"{name} {group.get('name')}",
                        "rebuild",
                        RUNNING,
                        subject=POOL_OF_VOLUMES,
                        subject_id=pool.identifier("uuid"),
                        subject_name=pool.text("name"),
                        pool_id=pool.identifier("uuid"),
                        detail=f"{group.get('name')}: {words}" + (f", {percent} %" if isinstance(percent, int) else ""),
                    )


def snapshot_row(snapshot: Record, containers: Mapping[str, rows.Container]) -> Row:
    """A snapshot, which begins and ends when it was taken."""
    volume = optional(snapshot, "volume")
    volume_id = str(volume.identifier("uuid")) if volume else ""
    at = _time(snapshot, "create_time")
    known = containers.get(volume_id)
    svm = rows.optional_text(optional(snapshot, "svm"), "name")
    name = rows.optional_text(volume, "name")
    return job_row(
        f"snapshot {volume_id}/{snapshot.identifier('uuid')}",
        "snapshot",
        OK,
        subject=VOLUME,
        subject_id=volume_id or None,
        subject_name=f"{svm}:{name}",
        pool_id=None if known is None else known.pool_id,
        begin_at=at,
        end_at=at,
        detail=snapshot.optional_text("name"),
    )


def listed_row(job: Record) -> Row:
    """A job of cluster/jobs. Only its description says what it works on."""
    state = job.listed("state", JOB_STATES, needed=True)
    description = job.optional_text("description")
    kind = next((kind for pattern, kind in _KINDS if pattern.search(description or "")), "other")
    return job_row(
        f"job {job.identifier('uuid')}",
        kind,
        JOB_STATES[state] if state is not None else UNKNOWN,
        begin_at=_time(job, "start_time"),
        end_at=_time(job, "end_time"),
        detail=description,
    )


def zone_of(cluster: Mapping[str, Any]) -> tzinfo | None:
    """The cluster's time zone; None where it is not reported, or this machine does not know it."""
    timezone = cluster.get("timezone")
    name = timezone.get("name") if isinstance(timezone, dict) else None
    try:
        return ZoneInfo(name) if isinstance(name, str) and name else None
    except (KeyError, ValueError, OSError):
        return None


def _time(record: Record, name: str) -> datetime | None:
    """A time of REST, which is ISO 8601 with an offset; None without a parse error where it is left out."""
    text = record.optional_text(name)
    found = moment(text)
    if found is None and text is not None and text not in _NONE:
        record.parse_errors.add(f"{record.prefix}{name}", record.label, "is not a time with its offset")
    return found


def _own_time(record: Record, name: str, zone: Zone) -> datetime | None:
    """A time of efficiency: ISO 8601, or as the command line prints it, in the cluster's time zone. No source says which REST has."""
    text = record.optional_text(name)
    if text is None or text.strip() in _NONE:
        return None
    if (found := moment(text)) is not None:
        return found
    try:
        local = datetime.strptime(text.strip(), _OF_COMMAND_LINE)  # noqa: DTZ007  its zone follows
    except ValueError:
        record.parse_errors.add(f"{record.prefix}{name}", record.label, "is not a time")
        return None
    there = zone()
    return None if there is None else local.replace(tzinfo=there).astimezone(UTC)
