"""What a FlashArray did in the background in the last day: each list into rows of background_job."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from auditor.facts.needs import needs
from auditor_lab.wire import Fault
from tests.endpoints.flasharray.conftest import collected

if TYPE_CHECKING:
    from auditor.endpoints.common.topics import Row
    from auditor.model import Endpoint
    from auditor_lab.arrays.flasharray.server import FlashArrayServer

    Served = tuple[FlashArrayServer, Endpoint]

JOBS = needs([("background_job", "kind")])
TRANSFERS, SNAPSHOTS = "GET protection-group-snapshots/transfer", "GET protection-group-snapshots"


def ago(hours: float) -> int:
    """Milliseconds since the epoch."""
    return round((datetime.now(UTC) - timedelta(hours=hours)).timestamp() * 1000)


def _with_items(listed: list[dict[str, Any]], body: Any) -> Any:
    return body | {"items": listed}


def read(served: Served, **items: list[dict[str, Any]]) -> tuple[list[Row], list[str]]:
    server, endpoint = served
    for name, operation in (("transfers", TRANSFERS), ("snapshots", SNAPSHOTS), ("drives", "GET drives")):
        listed = items.get(name, [])
        server.alterations[operation] = partial(_with_items, listed)
    found = collected(endpoint, JOBS)
    return found.tables["background_job"], [f"{gap.what}: {gap.why}" for gap in found.gaps]


def told(row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("kind", "outcome", "subject_name", "bytes"))


def sent(name: str, began: float | None, ended: float | None, **more: Any) -> dict[str, Any]:
    began_at, ended_at = (None if at is None else ago(at) for at in (began, ended))
    return {"id": name, "name": name, "started": began_at, "completed": ended_at, "data_transferred": 77, "progress": 0.5, **more}


def test_transfers_of_the_last_day_and_those_under_way_are_jobs(served: Served) -> None:
    rows, gaps = read(
        served,
        transfers=[sent("pg.1", 3, 2), sent("far:pg.2", 30, None), sent("pg.3", 30, 23), sent("pg.4", 30, 25), sent("pg.5", None, None)],
    )
    assert (list(map(told, rows)), gaps) == (
        [("replication", "ok", "pg", 77), ("replication", "running", "far:pg", 77), ("replication", "ok", "pg", 77)],
        [],
    )
    over, running, _ = rows
    assert over["end_at"] - over["begin_at"] == pytest.approx(timedelta(hours=1), abs=timedelta(seconds=1))
    assert (running["end_at"], round(running["seconds"] / 3600)) == (None, 30)


def test_one_snapshot_that_goes_to_two_arrays_is_two_jobs(served: Served) -> None:
    rows, gaps = read(served, transfers=[sent("pg.1", 3, 2), sent("pg.1", 5, 2), sent("pg.1", 3, 2)])
    assert (len(rows), len({row["job_id"] for row in rows}), gaps) == (2, 2, [])


def test_snapshots_of_groups_and_drives_that_recover_are_jobs(served: Served) -> None:
    rows, gaps = read(
        served,
        snapshots=[{"id": "s1", "name": "pg.1", "created": ago(1)}, {"id": "s2", "name": "pg.0", "created": ago(25)}],
        drives=[{"name": "CH0.BAY1", "status": "recovering"}, {"name": "CH0.BAY2", "status": "healthy"}],
    )
    assert (list(map(told, rows)), gaps) == ([("snapshot", "ok", "pg", None), ("rebuild", "running", None, None)], [])
    assert rows[0]["begin_at"] == rows[0]["end_at"]
    assert rows[1]["begin_at"] is None


@pytest.mark.parametrize("odd", ["soon", 10**18])
def test_a_time_that_is_none_is_a_gap(served: Served, odd: Any) -> None:
    rows, gaps = read(served, transfers=[sent("pg.1", 1, None, started=odd)])
    assert (rows, [gap.partition(" of ")[0] for gap in gaps]) == ([], [f"{TRANSFERS}, jobs: started"])


def test_a_list_that_may_not_be_read_leaves_the_others(served: Served) -> None:
    served[0].faults.active.append(Fault("status", TRANSFERS, status=403))
    rows, gaps = read(served, snapshots=[{"id": "s1", "name": "pg.1", "created": ago(1)}])
    assert (len(rows), [gap.partition(":")[0] for gap in gaps]) == (1, [f"{TRANSFERS}, jobs"])
