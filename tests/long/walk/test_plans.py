"""A plan, its apply and its undo over a whole fleet: what was there is there again, fact by fact."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from auditor.audit import AuditRequest, collect
from auditor.cli import run
from auditor.facts.schema import TABLES
from auditor_lab.scenario import described, load_scenario
from auditor_lab.serving import serve
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
    settings = {change["setting"] for change in changes}
    assert settings >= {"device.dsnro", "datastore.sioc", "Scsi.ScsiVVolPESNRO"}
    assert "DelayedAck" not in settings, "on SolidFire it is a hint: docs/domain/facts.md#5"
    allow = [word for one in CLASSES for word in ("--allow", one)]
    assert run(["apply", str(plan), *where, *allow, "--yes", "--max-changes", "500", "--settle", "0"]) == 1, (
        "reboot and array were not allowed"
    )
    [applied] = [Path(path).name for path in (vvols.state / "runs").glob("*-apply")]
    fixed = differing(first, facts(vvols, "fixed"))
    assert {"host_option", "device_scheduling", "datastore"} <= set(fixed)
    assert run(["undo", applied, *where, "--yes"]) == 0
    after = facts(vvols, "after")
    assert differing(first, after) == ["storage_event"], "vCenter's log keeps who turned Storage I/O Control off, and on again"
    assert set(first["storage_event"]) < set(after["storage_event"])
    again = vvols.folder / "again.json"
    assert run(["plan", *where, "--out", str(again)]) == 1
    assert json.loads(again.read_text(encoding="utf-8"))["changes"] == changes


def test_what_would_turn_storage_io_control_on_again_goes_off_first_and_without_it_nothing_is_planned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve(load_scenario("sioc-vs-array-qos")) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        plan = ["plan", "--fleet", str(tmp_path / "fleet.yaml"), "--state-dir", str(tmp_path / "state"), "--out", "-"]
        assert run(plan) == 1
        whole = json.loads(capsys.readouterr().out)
        assert run([*plan, "--only", "sioc/auto-tiering"]) == 1
        printed = capsys.readouterr()
        alone = json.loads(printed.out)
        text = " ".join(printed.err.split())
    numbers = {change["object"]: change["number"] for change in whole["changes"] if change["remediator"] == "pod.io_metric"}
    assert list(numbers) == ["datastore cluster sc-prod-pod on vc-dell"]
    waiting = {change["object"]: change["waits_for"] for change in whole["changes"] if change["remediator"] == "datastore.sioc"}
    assert waiting == {name: list(numbers.values()) for name in ("datastore sc-prod-01 on vc-dell", "datastore sc-prod-02 on vc-dell")}
    assert alone["changes"] == []
    assert "Left to a person: datastore.sioc of datastore sc-prod-01 on vc-dell" in text
    assert {one["change"]["object"] for one in alone["unmet"]} == set(waiting)
    assert all("sdrs/io-metric-off on pod_id" in one["why"] for one in alone["unmet"])


def test_the_true_start_of_incident_s0_is_cured_by_one_plan_queue_first_then_reboot_then_dsnro(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (resources.files("auditor_lab") / "scenarios" / "solidfire-vvols.yaml").read_text(encoding="utf-8")
    half_fixed = "modules: {iscsi_vmk: {configured: iscsivmk_LunQDepth=256}}"
    assert half_fixed in text
    scenario = tmp_path / "s0.yaml"
    scenario.write_text(text.replace(half_fixed, "modules: {}"), encoding="utf-8")
    rules = [word for rule in ("queue/driver-depth", "vvol/pe-dsnro-headroom") for word in ("--only", rule)]
    with serve(described(str(scenario))) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        where = ["--fleet", str(tmp_path / "fleet.yaml"), "--state-dir", str(tmp_path / "state")]
        plan, allow = tmp_path / "plan.json", ["--allow", "reboot", "--allow", "online-caution"]
        run(["plan", *where, *rules, "--out", str(plan)])
        changes = json.loads(plan.read_text(encoding="utf-8"))["changes"]
        queues = {one["resource"]["host"]: one["number"] for one in changes if one["remediator"] == "host.module_option"}
        depths = [(one["resource"]["host"], one["after"], one["waits_for"]) for one in changes if one["remediator"] == "device.dsnro"]
        assert len(depths) == 13
        assert all((after, waits) == (256, [queues[host]]) for host, after, waits in depths)
        run(["apply", str(plan), *where, *allow, "--yes", "--max-changes", "500", "--settle", "0"])
        capsys.readouterr()
        run(["plan", *where, *rules, "--out", "-"])
        again = json.loads(capsys.readouterr().out)["changes"]
    assert [one["fix_class"] for one in again] == ["retune"], "only what somebody tuned is left, which was not allowed"
