"""What a snapshot does not have, in few words: which topics of which endpoint or host were not read whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.history.kept_run import Unread

if TYPE_CHECKING:
    from auditor.facts.snapshots.snapshot import Snapshot

_UNREAD = """SELECT r.endpoint, CASE WHEN r.scope <> '' THEN coalesce(h.name, r.scope) END AS host, list_sort(list(DISTINCT r.topic))
FROM fact.reading AS r
LEFT JOIN fact.host AS h ON h.endpoint = r.endpoint AND h.host_id = r.scope
WHERE NOT r.complete
GROUP BY ALL
ORDER BY ALL"""


def unread_of(snapshot: Snapshot) -> tuple[Unread, ...]:
    """The topics that were requested and not read whole, by endpoint and host."""
    rows = snapshot.connection.cursor().execute(_UNREAD).fetchall()
    return tuple(Unread(endpoint, host, tuple(topics)) for endpoint, host, topics in rows)
