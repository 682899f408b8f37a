"""The health of an array as a whole, by what its collector reads anyway: controllers, the state of its volumes, their latency."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.health import ARRAY_LATENCY, ARRAY_VOLUMES, CONTROLLERS, Health
from auditor.facts.needs import Needs
from auditor.model import Gap
from auditor.model.endpoint_kinds import endpoint_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NODES, _VOLUMES, _LOAD, _POLICIES = "nodes", "volumes", "volume_load", "qos_policies"
LEAST_IOPS, MOST_UNDER_WAY = 10, 4096
"""Commands a second from which on the latency of a volume counts, and commands under way up to which that of fewer counts, too.

One that was counted wrong outweighs all others. But a volume that was busy does few commands when its array stands still, and each takes
seconds: rate times latency, which is what is under way (Little's law), is then no more than queues hold.

Source: NetApp/harvest#2597 (600,000 s at a handful of commands; its setting latency_io_reqd says "unreliable"). Policy: the numbers.
"""
_FACTS = frozenset(
    {
        *(("array_node", column) for column in ("node_id", "name", "state")),
        *(("array_volume", column) for column in ("volume_id", "name", "status", "is_virtual")),
        *(("array_volume_load", column) for column in ("volume_id", "actual_iops", "latency_us")),
    }
)


def read_array_health(session: Any, *, with_volumes: bool) -> Health:
    """The health of an array now; a gate whose topic could not be read whole, or that such an array does not have, is in `unknown`.

    Args:
        session: an open session with an array.
        with_volumes: also its volumes: their states, and their mean latency, weighted by their commands. An idle array has none.

    Raises:
        EndpointError: the array could not be asked at all.
    """
    endpoint = session.endpoint
    kind = endpoint_type(endpoint.kind)
    wanted = {_NODES: CONTROLLERS} | ({_VOLUMES: ARRAY_VOLUMES, _LOAD: ARRAY_LATENCY} if with_volumes else {})
    topics = frozenset(wanted).intersection(kind.topics)
    needed = topics | ({_POLICIES} if with_volumes else set())  # volumes name their policies
    rows: dict[str, list[dict[str, Any]]] = {}
    gaps: dict[str, str] = {}
    reasons: list[str] = []
    for item in kind.load(kind.collector)(session, endpoint, Needs(_FACTS, needed.intersection(kind.topics))):
        if isinstance(item, Gap):
            reasons.append(item.why)
        elif item.table == "reading":
            gaps |= {row["topic"]: "; ".join(reasons[:1]) or "it was not read whole" for row in _rows(item.columns) if not row["complete"]}
            reasons = []
        else:
            rows.setdefault(item.table, []).extend(_rows(item.columns))
    unknown = {gate: f"arrays of kind {endpoint.kind} do not report it" for topic, gate in wanted.items() if topic not in topics}
    unknown |= {wanted[topic]: why for topic, why in gaps.items() if topic in wanted}
    good = {CONTROLLERS: _controllers(rows.get("array_node", ())), ARRAY_VOLUMES: _volumes(rows.get("array_volume", ()))}
    latency = _latency(rows.get("array_volume_load", ())) if ARRAY_LATENCY not in unknown else None
    if with_volumes and latency is None:
        unknown.setdefault(ARRAY_LATENCY, "none of its volumes is in use, or their latency is not reported")
    figures = {} if latency is None else {ARRAY_LATENCY: latency}
    known = {gate: states for gate, states in good.items() if gate in wanted.values() and gate not in unknown}
    return Health(endpoint.name, known, {}, figures, unknown)


def _rows(columns: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    return (dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True))


def _controllers(rows: Any) -> frozenset[str]:
    return frozenset(f"controller {row.get('name') or row.get('node_id')} ({row['state']})" for row in rows if row.get("state"))


def _volumes(rows: Any) -> frozenset[str]:
    """Those of hosts: virtual volumes come and go with machines that are switched on and off."""
    return frozenset(f"volume {row.get('name')} ({row['status']})" for row in rows if row.get("status") and row.get("is_virtual") is False)


def _latency(rows: Any) -> float | None:
    """In ms; None where nothing is in use. A latency of 0 beside commands was not measured."""
    known = [(row["actual_iops"], row["latency_us"]) for row in rows if row.get("actual_iops") and row.get("latency_us")]
    known = [(iops, latency) for iops, latency in known if iops >= LEAST_IOPS or iops * latency <= MOST_UNDER_WAY * 1e6]
    commands = sum(iops for iops, _ in known)
    return sum(iops * latency for iops, latency in known) / commands / 1000 if commands else None
