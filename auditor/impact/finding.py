"""The impact of every failing finding of a run: which disks wait, for how long, and what the fix gives.

Two queries read the queues in which commands wait and the disks behind them, for all findings together. Each queue is computed once for
each fix. The results stand beside the verdicts as text. Nothing here changes a verdict, and a bug here costs the impacts, not the report.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from auditor.impact.depths import WhatIf
from auditor.impact.device import device_impact
from auditor.impact.moves import Moves
from auditor.impact.pools import Pools
from auditor.impact.ranking import rank_of
from auditor.impact.rows import Device, Disk
from auditor.model import Cure, ImpactModel, ImpactScope

if TYPE_CHECKING:
    import duckdb

VIEWS = frozenset({"disk_stream", "device_queue"})
"""The views that have to be there."""
MOST_QUEUES = 5_000
"""Queues that are computed, the fullest first: policy, so that the time is bounded whatever the fleet (a queue takes some 2 ms)."""
_CHUNK = 5_000
_NOTHING_WAITS = "no command is known to wait in the queues that it is about, and none is known to be half full"
_NOT_ASKED = "how full its queues are was not asked for: an audit of some rules reads only what these need, one of all rules reads it"
_RENAMED = {"name": "resource_name", "depth_at_least": "controller_depth_at_least", "depth_at_most": "controller_depth_at_most"}
_Key = tuple[str, str, str]
_Row = TypeVar("_Row", Device, Disk)


def add_impacts_guarded(connection: duckdb.DuckDBPyConnection, store: str, models: Mapping[str, ImpactModel | str]) -> tuple[str, ...]:
    """Do what `add_impacts` does, and answer what every reader has to know where it could not be done."""
    try:
        add_impacts(connection, store, models)
    except Exception as bug:  # noqa: BLE001  no verdict rests on an impact, so nothing that goes wrong here may cost the verdicts
        last = traceback.extract_tb(bug.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        why = f"a bug in auditor stopped it ({type(bug).__name__} in {place})"
        return (f"no impact of the findings was computed: {why}. The verdicts do not rest on it. Please report it.",)
    return ()


def add_impacts(connection: duckdb.DuckDBPyConnection, store: str, models: Mapping[str, ImpactModel | str]) -> None:
    """Put the impact of each failure into the columns `impact` and `impact_rank` of the verdicts.

    Args:
        connection: has the views of VIEWS and the facts.
        store: the attached database with the table `verdict`.
        models: by rule, of the rules whose failures have an impact; a text says why nothing counts it.
    """
    failing = connection.cursor()
    asked = "CAST(rule AS VARCHAR), endpoint, resource_id, after, desired"
    where = "verdict = 'fail' AND list_contains(?, CAST(rule AS VARCHAR))"
    failing.execute(f"SELECT {asked} FROM {store}.verdict WHERE {where}", [list(models)])
    rows = failing.fetchmany(_CHUNK)
    if not rows:
        return
    impacts = _Impacts(connection)
    columns_of = "rule VARCHAR, endpoint VARCHAR, resource_id VARCHAR, impact VARCHAR, impact_rank DOUBLE"
    connection.execute(f"CREATE OR REPLACE TEMP TABLE auditor_impact ({columns_of})")
    while rows:
        found = [(*row[:3], *impacts.of(row, models[row[0]])) for row in rows]
        columns = [list(column) for column in zip(*found, strict=True)]
        connection.execute("INSERT INTO auditor_impact SELECT unnest(?), unnest(?), unnest(?), unnest(?), unnest(?)", columns)
        rows = failing.fetchmany(_CHUNK)
    connection.execute(
        f"UPDATE {store}.verdict AS v SET impact = i.impact, impact_rank = i.impact_rank FROM auditor_impact AS i "
        "WHERE v.verdict = 'fail' AND CAST(v.rule AS VARCHAR) = i.rule AND v.endpoint = i.endpoint AND v.resource_id = i.resource_id"
    )
    connection.execute("DROP TABLE auditor_impact")


class _Impacts:
    """What is computed already, and the rows to compute more from."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        waiting = _waiting_sql()
        found = _rows(
            connection, Device, f"SELECT {_listed(Device)} FROM device_queue SEMI JOIN ({waiting}) USING (endpoint, host_id, device)"
        )
        self._devices: dict[_Key, Device] = {one.key: one for one in found}
        others = f", or others are fuller: the {MOST_QUEUES:,} fullest were computed" if len(self._devices) >= MOST_QUEUES else ""
        self._nothing_waits = _NOTHING_WAITS + others
        self._disks: dict[_Key, list[Disk]] = {}
        self._places: dict[tuple[ImpactScope, str, str], set[_Key]] = {}
        disks = f"SELECT {_listed(Disk)} FROM disk_stream SEMI JOIN ({waiting}) USING (endpoint, host_id, device)"
        for disk in _rows(connection, Disk, disks):
            key = (disk.endpoint, disk.host_id, disk.device)
            self._disks.setdefault(key, []).append(disk)
            self._place(ImpactScope.DATASTORE, disk.endpoint, disk.datastore_id or "", key)
            self._place(ImpactScope.DATASTORE, disk.endpoint, f"{disk.datastore_id}/{disk.host_id}", key)
            self._place(ImpactScope.DISK, disk.endpoint, f"{disk.vm_id}/{disk.disk}", key)
            if disk.array_name and disk.volume_id:
                self._place(ImpactScope.VOLUME, disk.array_name, disk.volume_id, key)
        for key, device in self._devices.items():
            self._place(ImpactScope.DEVICE, device.endpoint, f"{device.host_id}/{device.device}", key)
            self._place(ImpactScope.DRIVER, device.endpoint, f"{device.host_id}/{device.driver}", key)
            if device.is_protocol_endpoint:
                self._place(ImpactScope.ENDPOINTS, device.endpoint, device.host_id, key)
        asked = connection.execute("SELECT DISTINCT endpoint FROM fact.reading WHERE topic = 'device_load'").fetchall()
        self._asked_for_load = frozenset(endpoint for (endpoint,) in asked)
        self._of_device = cache(self._computed)
        self._pools = Pools(connection)
        self._moves = Moves(connection)

    def of(self, row: tuple[Any, ...], which: ImpactModel | str) -> tuple[str, float | None]:
        """The impact of one failure as JSON, and its rank.

        Args:
            row: rule, endpoint, resource_id, and JSON scalars: the value after the fix, the value desired.
            which: how it is understood; a text: why the model has no answer.
        """
        _, endpoint, resource_id, after, desired = row
        if isinstance(which, str):
            return _as_text({"not_computed": which})
        if which.scope is ImpactScope.POOL:
            return _as_text(self._pools.of_pool(endpoint, resource_id))
        if which.scope is ImpactScope.COPY:
            return _as_text(self._pools.of_copy(endpoint, resource_id, _number(desired)))
        if which.scope is ImpactScope.MOVE:
            return _as_text(self._moves.of_task(endpoint, resource_id))
        return self._of_queues(which, endpoint, resource_id, next((one for one in map(_number, (after, desired)) if one), which.value))

    def _of_queues(self, which: ImpactModel, endpoint: str, resource_id: str, value: float | None) -> tuple[str, float | None]:
        """The impact on the queue that suffers most."""
        keys = self._places.get((which.scope, endpoint, resource_id))
        if not keys or which.cure is None:
            # A volume stands under its array, whose queues are those of hosts behind any vCenter.
            asked = self._asked_for_load if which.scope is ImpactScope.VOLUME else self._asked_for_load & {endpoint}
            return _as_text({"not_computed": self._nothing_waits if asked else _NOT_ASKED})
        wanted = None if which.cure in (Cure.BOTH, Cure.NO_SIOC, Cure.HOST_LIMIT) else value
        found = [self._of_device(key, WhatIf(which.cure, wanted)) for key in sorted(keys)]
        return max(found, key=lambda one: (one[1] is not None, one[1] or 0.0))

    def _computed(self, key: _Key, what_if: WhatIf) -> tuple[str, float | None]:
        return _as_text(device_impact(self._devices[key], self._disks.get(key, ()), what_if))

    def _place(self, scope: ImpactScope, endpoint: str, resource_id: str, key: _Key) -> None:
        self._places.setdefault((scope, endpoint, resource_id), set()).add(key)


def _waiting_sql() -> str:
    """The queues that are half full or more, in which commands wait, or behind which the array holds a disk back; the fullest first."""
    return (
        "SELECT q.endpoint, q.host_id, q.device FROM device_queue AS q LEFT JOIN (SELECT endpoint, host_id, device, "
        "bool_or(is_at_limit AND outstanding > 0) AS is_held FROM disk_stream WHERE device IS NOT NULL GROUP BY ALL) AS s "
        "USING (endpoint, host_id, device) WHERE q.queued >= 0.5 OR q.is_full OR s.is_held OR q.active >= 0.5 * q.depth_in_effect "
        f"ORDER BY q.queued DESC NULLS LAST, q.active DESC NULLS LAST, q.endpoint, q.host_id, q.device LIMIT {MOST_QUEUES}"
    )


def _listed(kind: type[Device | Disk]) -> str:
    return ", ".join(_RENAMED.get(one.name, one.name) for one in fields(kind))


def _rows(connection: duckdb.DuckDBPyConnection, kind: type[_Row], select: str) -> Iterator[_Row]:
    cursor = connection.cursor()
    cursor.execute(select)
    while chunk := cursor.fetchmany(_CHUNK):
        yield from (kind(*row) for row in chunk)


def _as_text(impact: Mapping[str, Any]) -> tuple[str, float | None]:
    return json.dumps(impact, allow_nan=False), rank_of(impact)


def _number(text: str | None) -> float | None:
    """A JSON scalar that is a number above 0, also in quotes; else None."""
    try:
        value = None if text is None else json.loads(text)
        number = None if value is None or isinstance(value, bool) else float(value)
    except (ValueError, TypeError):
        return None
    return number if number is not None and number > 0 else None
