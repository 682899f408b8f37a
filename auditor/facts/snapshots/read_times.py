"""When a snapshot's facts were read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from auditor.model import ReadTime

if TYPE_CHECKING:
    from auditor.facts.snapshots.snapshot import Snapshot

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_OF_ENDPOINTS = "SELECT endpoint, topic, NULL, min(epoch_us(read_at)), max(epoch_us(read_at)) FROM fact.reading GROUP BY ALL"
_OF_EARLIER_HOSTS = (
    "SELECT r.endpoint, r.topic, h.name, epoch_us(r.read_at), epoch_us(r.read_at) FROM fact.reading AS r "
    "JOIN fact.host AS h ON h.endpoint = r.endpoint AND h.host_id = r.scope WHERE epoch_us(r.read_at) < ?"
)


def read_times(snapshot: Snapshot, started: datetime) -> tuple[ReadTime, ...]:
    """The first and last answer of each endpoint to each topic, and each answer of a host from before `started`.

    Answers from before the run `started` (aware) are those that an incremental audit took over from an earlier run.
    """
    earliest = int(started.timestamp() * 1_000_000)
    rows = snapshot.connection.cursor().execute(f"{_OF_ENDPOINTS} UNION ALL {_OF_EARLIER_HOSTS} ORDER BY ALL", [earliest]).fetchall()
    return tuple(
        ReadTime(endpoint, topic, host, _instant(first), _instant(last)) for endpoint, topic, host, first, last in rows if first is not None
    )


def _instant(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)
