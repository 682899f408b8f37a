"""Finds unknown verdicts that only accepted gaps cause: they stay unknown, and reports do not count them as news."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.facts.catalog import column_topics
from auditor.facts.needs import SOURCES
from auditor.facts.snapshots.unjoined import is_of_the_join
from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import endpoint_type, is_array

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from auditor.engine.verdicts import Evaluation
    from auditor.facts.snapshots.snapshot import Snapshot
    from auditor.model import Gap

# An array that lists the device, or a device of the datastore, has reported all that there is to report of it: no other one is missed.
_UNKNOWN = """
WITH listed AS (
    SELECT device, min(endpoint) AS carrier FROM fact.array_volume WHERE device IS NOT NULL GROUP BY device
    UNION
    SELECT device, min(endpoint) AS carrier FROM fact.array_protocol_endpoint WHERE device IS NOT NULL GROUP BY device
),
of_device AS (SELECT device, min(carrier) AS carrier FROM listed GROUP BY device),
of_datastore AS (
    SELECT e.endpoint, e.datastore_id, min(l.carrier) AS carrier
    FROM fact.datastore_extent AS e JOIN of_device AS l USING (device) GROUP BY ALL
)
SELECT CAST(v.rule AS VARCHAR), v.endpoint, v.host, v.missing, coalesce(d.carrier, s.carrier) AS carrier, count(*)
FROM {store}.verdict AS v
LEFT JOIN of_device AS d ON d.device = v.resource_name
LEFT JOIN of_datastore AS s ON s.endpoint = v.endpoint AND s.datastore_id = v.resource_id
WHERE v.verdict = 'unknown'
GROUP BY ALL
"""


@dataclass(frozen=True, slots=True)
class _Reading:
    """What of one snapshot was not read, and who answers for it."""

    kinds: Mapping[str, EndpointKind]  # by endpoint
    unread: Mapping[str, frozenset[tuple[str, str]]]  # by topic: endpoint, and host id or ""
    host_ids: Mapping[tuple[str, str], frozenset[str]]  # by endpoint and name
    accepted: frozenset[str]  # endpoints whose gaps are all accepted
    joined: frozenset[str]  # vCenters with devices that no array accounts for, where all gaps about that are accepted


def unknown_by_accepted_gaps(evaluation: Evaluation, snapshot: Snapshot, gaps: Sequence[Gap]) -> int:
    """How many unknown verdicts are so by nothing but gaps that are accepted; `gaps` say of each whether it is.

    A verdict is among them where each of its missing columns rests on a topic that was not read whole, of its own endpoint and host, or of
    an array that may have the device; and every gap of these endpoints is accepted. In doubt it is not. One column alone makes it unknown.
    """
    if not any(gap.accepted is not None for gap in gaps):
        return 0
    reading, found = _reading(snapshot, gaps), 0
    views = {rule: judged.kind for rule, judged in evaluation.rules.items()}
    rows = snapshot.connection.execute(_UNKNOWN.format(store=evaluation.store)).fetchall()
    for rule, endpoint, host, missing, array, count in rows:
        causes = [set(column_topics(views[rule], column)) for column in missing or ()]
        found += count if causes and all(_is_accepted(reading, topics, endpoint, host, array) for topics in causes) else 0
    return found


def _reading(snapshot: Snapshot, gaps: Sequence[Gap]) -> _Reading:
    unread: dict[str, set[tuple[str, str]]] = {}
    select = "SELECT topic, endpoint, scope FROM fact.reading WHERE NOT complete"
    for topic, endpoint, scope in snapshot.connection.execute(select).fetchall():
        unread.setdefault(topic, set()).add((endpoint, scope))
    ids: dict[tuple[str, str], set[str]] = {}
    for endpoint, name, host_id in snapshot.connection.execute("SELECT endpoint, name, host_id FROM fact.host").fetchall():
        ids.setdefault((endpoint, name), set()).add(host_id)
    is_open = {gap.endpoint for gap in gaps if gap.accepted is None}
    of_join = [gap for gap in gaps if is_of_the_join(gap)]
    open_join = {gap.endpoint for gap in of_join if gap.accepted is None}
    return _Reading(
        kinds={reading.name: EndpointKind(reading.kind) for reading in snapshot.readings},
        unread={topic: frozenset(ones) for topic, ones in unread.items()},
        host_ids={key: frozenset(ones) for key, ones in ids.items()},
        accepted=frozenset({gap.endpoint for gap in gaps} - is_open),
        joined=frozenset({gap.endpoint for gap in of_join} - open_join),
    )


def _is_accepted(reading: _Reading, topics: set[str], endpoint: str | None, host: str | None, array: str | None) -> bool:
    if endpoint is None or endpoint not in reading.kinds:
        return False
    own = reading.kinds[endpoint]
    causes = set()
    for topic in topics:
        for other, scope in reading.unread.get(topic, ()):
            if other == endpoint:
                is_cause = scope == "" or host is None or scope in reading.host_ids.get((endpoint, host), ())
            else:
                is_cause = reading.kinds.get(other) is not own and array in (None, other)
            if is_cause:
                causes.add(other)
    if causes:
        return causes <= reading.accepted
    # No array that was read has the device, and that is the gap: the catalogue of the fleet is short of one.
    of_arrays = topics & {source.topic for source in SOURCES.values()} - set(endpoint_type(own).topics)
    return bool(of_arrays) and not is_array(own) and array is None and endpoint in reading.joined
