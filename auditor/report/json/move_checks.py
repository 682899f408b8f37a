"""Checked moves for programs."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from auditor.impact.rows import rounded
from auditor.report.move_words import verdict_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from auditor.impact.interval import Interval
    from auditor.moves.check import EndLoad, MoveCheck
    from auditor.moves.ends import Store
    from auditor.moves.plan import PlannedMove

SCHEMA_VERSION = 1


def write_moves_json(moves: Sequence[PlannedMove], out: TextIO) -> None:
    """Write checked moves, smallest first: JSON, schema version 1 (auditor/report/move_checks.schema.json). Fields are only ever added."""
    json.dump({"schema_version": SCHEMA_VERSION, "moves": [_move(one) for one in moves]}, out, allow_nan=False, indent=2)
    out.write("\n")


def _move(planned: PlannedMove) -> dict[str, Any]:
    check = planned.check
    machine, target, took = check.move.machine, check.move.target, check.took
    return {
        "vm": {"endpoint": machine.endpoint, "id": machine.vm_id, "name": machine.name, "host": machine.host},
        "sources": [{"id": one.datastore_id, "name": one.name} for one in check.move.sources],
        "target": {"id": target.datastore_id, "name": target.name, "free_bytes": target.free_bytes},
        "verdict": check.verdict.value,
        "verdict_text": verdict_line(check),
        "step": planned.step,
        "not_with": [{"vm": name, "shares": what} for name, what in planned.not_with],
        "reasons": [
            {"code": one.code, "sort": one.sort.value, "title": one.title, "text": one.text, "do": one.do, "source": one.source or None}
            for one in check.reasons
        ],
        "offload": {"is_certain": check.offload.is_certain, "conditions": _conditions(check)},
        "size_bytes": _ends(took.size),
        "rate_bytes_per_second": None if took.rate is None else _ends(took.rate),
        "seconds": None if took.seconds is None else _ends(took.seconds),
        "seconds_left": None if took.left is None else _ends(took.left),
        "basis": took.basis,
        "rate_from": took.why,
        "rate_source": took.source,
        "bounds": [{"bytes_per_second": one.bytes_per_second, "text": one.text, "source": one.source} for one in took.bounds],
        "loads": [_load(one) for one in check.loads],
        "ends": [*(_end(one, "source") for one in check.move.sources), _end(target, "target")],
    }


def _end(store: Store, end: str) -> dict[str, Any]:
    return {
        "end": end,
        "datastore": store.name,
        "arrays": store.arrays,
        "family": store.family,
        "devices": list(store.devices),
        "tiers": store.tiers,
        "qos": store.qos,
        "priority": store.priority,
        "max_bytes_per_second": store.max_bytes_per_second,
        "max_iops": store.max_iops,
        "sioc_enabled": store.sioc_enabled,
        "sioc_active_percent": store.sioc_active_percent,
        "datastore_cluster": store.pod,
        "sdrs_behavior": store.behavior,
        "sdrs_moves_by_itself": store.moves_by_itself,
        "io_metric_in_force": store.io_metric_in_force,
    }


def _conditions(check: MoveCheck) -> list[dict[str, Any]]:
    return [{"name": one.name, "holds": one.holds, "text": one.text, "source": one.source} for one in check.offload.conditions]


def _load(load: EndLoad) -> dict[str, Any]:
    found = load.copying
    return {
        "datastore": load.name,
        "end": load.end,
        "now_ms": load.now_ms,
        "while_copied_ms": None if found is None else rounded(found.then),
        "inputs": [] if found is None else [one.as_json() for one in found.inputs],
        "not_computed": load.not_computed or None,
        "neighbours": list(load.neighbours),
        "neighbour_count": load.neighbour_count,
    }


def _ends(value: Interval) -> list[float | None]:
    """Both ends; None where nothing bounds it."""
    return [None if math.isinf(end) else round(end, 3) for end in (value.low, value.high)]
