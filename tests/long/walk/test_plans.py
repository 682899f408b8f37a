"""A plan, its apply and its undo over a whole fleet: what was there is there again, fact by fact."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auditor.audit import AuditRequest, collect
from auditor.cli import run
from auditor.facts.schema import TABLES
from tests.audits import Place

CLASSES = ("online", "online-caution", "reclaim", "retune")
"""Without `array`: the scenario has a QoS minimum that an array does not take back, and whose undo is refused."""
_MOVING = frozenset({"reading", "listed_endpoint"})
"""Tables that say when something was read."""


def facts(place: Place, name: str) -> Mapping[str, list[Any]]:
    """Every row of every table, of a fleet that is read now; without the tables that hold times and loads."""
    folder = place.folder / name
    with collect(AuditRequest(fleet=place.fleet), folder).connection as connection:
        return {
            table: sorted(map(repr, connection.execute(f'SELECT * FROM fact."{table}"').fetchall()))
            for table in TABLES
            if table not in _MOVING and not table.endswith(("_load", "_histogram"))
        }


def differing(one: Mapping[str, list[Any]], other: Mapping[str, list[Any]]) -> list[str]:
    return [table for table in one if one[table] != other[table]]


def test_an_undo_of_an_applied_plan_brings_back_every_fact_and_the_plan_stays_as_it_was(vvols: Place) -> None:
    where = ["--fleet", str(vvols.fleet), "--state-dir", str(vvols.state)]
    first = facts(vvols, "before")
    plan = vvols.folder / "plan.json"
    assert run(["plan", *where, "--out", str(plan)]) == 1
    changes = json.loads(plan.read_text(encoding="utf-8"))["changes"]
    assert {change["setting"] for change in changes} >= {"DelayedAck", "device.dsnro", "datastore.sioc", "Scsi.ScsiVVolPESNRO"}
    allow = [word for one in CLASSES for word in ("--allow", one)]
    assert run(["apply", str(plan), *where, *allow, "--yes", "--max-changes", "500", "--settle", "0"]) == 1, (
        "reboot and array were not allowed"
    )
    [applied] = [Path(path).name for path in (vvols.state / "runs").glob("*-apply")]
    fixed = differing(first, facts(vvols, "fixed"))
    assert {"iscsi_target", "iscsi_option", "host_option", "device_scheduling", "datastore"} <= set(fixed)
    assert run(["undo", applied, *where, "--yes"]) == 0
    after = facts(vvols, "after")
    assert differing(first, after) == []
    again = vvols.folder / "again.json"
    assert run(["plan", *where, "--out", str(again)]) == 1
    assert json.loads(again.read_text(encoding="utf-8"))["changes"] == changes
