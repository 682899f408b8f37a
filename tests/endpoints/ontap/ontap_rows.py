"""What tests of ONTAP's counters share."""

from __future__ import annotations

from typing import Any

from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.ontap.counters import CounterRow
from auditor.model import Gap


def wrong(parse_errors: ParseErrors) -> list[str]:
    """What could not be understood, and the object that it is about."""
    return [f"{what} of {label}" for (what, _), labels in parse_errors._heard.items() for label in labels]


def counter(name: str, value: Any) -> dict[str, Any]:
    return {"name": name, "value": value}


COUNTED = {
    "disk_busy_percent": 10.0,
    "base_for_disk_busy": 100.0,
    "total_transfer_count": 1000.0,
    "user_read_count": 300.0,
    "user_write_count": 200.0,
}


def disk(
    name: str, *, kind: str = "data", group: str = "/aggr1/plex0/rg0", times: float = 0, part: str = "", **changes: float | None
) -> CounterRow:
    """A disk that has worked so many times COUNTED since a node was up for a while."""
    values = {counter: value * times for counter, value in COUNTED.items()}
    values["base_for_disk_busy"] += 1e6
    values |= {key: value for key, value in changes.items() if value is not None}
    values = {key: value for key, value in values.items() if changes.get(key, 0) is not None}
    about = {"raid.type": kind, "raid_group": group} | ({"physical_disk_name": part} if part else {})
    return CounterRow(name, about, values, {})


def columns(items: Any) -> tuple[dict[str, list[Any]], list[Gap]]:
    listed = list(items)
    gaps = [item for item in listed if isinstance(item, Gap)]
    assert {gap.endpoint for gap in gaps} <= {"na"}
    batches = [item for item in listed if not isinstance(item, Gap)]
    assert [batch.table for batch in batches] in ([], ["array_pool"], ["array_pool_load"])
    return ({name: list(values) for name, values in batches[0].columns.items()} if batches else {}), gaps
