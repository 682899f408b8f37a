"""A baseline and a lesson that want one setting different: neither is fixed at the other's cost."""

from dataclasses import replace
from typing import Any

import duckdb
import pytest

from auditor.engine.evaluate import evaluate
from auditor.engine.fixes.impact import predict_fix_impact
from auditor.engine.fixes.planning import plan
from auditor.engine.rules.params import ParamValues, param_values
from auditor.engine.rules.rule import RuleSet
from auditor.facts.catalog import view_columns
from auditor.facts.views import seal
from auditor.model import Plan
from auditor.pipeline.policy import load_rule_set
from tests.engine.bench import Override

DRIFT, LESSON = "baseline/dsnro", "vvol/pe-dsnro-headroom"
SIOC, OVERLAP = "baseline/sioc", "sioc/overlap-array-qos"
RULES = load_rule_set(only=[DRIFT, LESSON, SIOC, OVERLAP, "baseline/option", "iscsi/max-io-size", "vaai/xcopy-size"])
OPTIONS = RULES["baseline/option"]
PLACE = {"endpoint": "vc", "cluster": "gold", "host": "esx-1", "host_id": "host-1"}


def endpoint(dsnro: int, number: int = 1, *, disk_depth: int = 64, **more: Any) -> dict[str, Any]:
    """A protocol endpoint with throttled disks that send `disk_depth` commands each: the lesson asks for four times that in its queue."""
    device = f"naa.{number}"
    own = {"resource_id": f"host-1/{device}", "resource_name": device, "device": device, "dsnro": dsnro}
    return {
        **PLACE,
        **own,
        "family": "solidfire",
        "per_object_qos": True,
        "vvol_disks": 12,
        "carries_vvol_disks": True,
        "stalls_neighbours": True,
        "is_deepened": True,
        "queue_depth": 256,
        "deepest_disk_queue_at_least": disk_depth,
        "deepest_disk_queue_at_most": disk_depth,
        **more,
    }


def drifted(commands: int, wanted: int, number: int = 1) -> dict[str, Any]:
    device = f"naa.{number}"
    own = {"resource_id": f"host-1/{device}", "resource_name": device, "device": device, "is_known": True, "is_seen": True}
    return {**PLACE, **own, "commands": commands, "wanted_commands": wanted}


def planned(params: ParamValues | None = None, rules: tuple[str, ...] = (DRIFT, LESSON), **views: Any) -> Plan:
    return planned_by(RULES.only(rules), params, **views)


def planned_by(chosen: RuleSet, params: ParamValues | None = None, **views: Any) -> Plan:
    connection = duckdb.connect()
    for view in sorted({rule.over for rule in chosen}):
        columns = view_columns()[view]
        connection.execute(f'CREATE TABLE "{view}" ({", ".join(f"{name} {kind}" for name, kind in columns.items())})')
        for row in views.get(view, ()):
            listed = ", ".join(row)
            connection.execute(f'INSERT INTO "{view}" ({listed}) VALUES ({", ".join("?" * len(row))})', list(row.values()))
    seal(connection)
    evaluation = evaluate(connection, chosen, params)
    predict_fix_impact(evaluation, chosen, params or ParamValues())
    return plan(evaluation, chosen)


def test_a_baseline_never_undoes_what_a_lesson_asked_for() -> None:
    found = planned(protocol_endpoint=[endpoint(256)], baseline_dsnro=[drifted(256, 32)])
    (contradiction,) = found.contradictions
    assert contradiction.wants == ((DRIFT, 32), (LESSON, 256))
    assert found.changes == ()


def test_a_lesson_never_makes_a_setting_leave_the_baseline() -> None:
    found = planned(protocol_endpoint=[endpoint(32)], baseline_dsnro=[drifted(32, 32)])
    (contradiction,) = found.contradictions
    assert contradiction.wants == ((DRIFT, 32), (LESSON, 256))
    assert found.changes == ()


def test_what_both_want_is_one_change() -> None:
    (change,) = planned(protocol_endpoint=[endpoint(32)], baseline_dsnro=[drifted(32, 256)]).changes
    assert (change.before, change.after, change.rules) == (32, 256, (DRIFT, LESSON))


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"per_object_qos": False}, id="the lesson is not about it"),
        pytest.param({"queue_depth": None}, id="the lesson cannot tell"),
        pytest.param({"disk_depth": 8}, id="the lesson would still hold"),
        pytest.param({"number": 2}, id="the lesson is about another device"),
        pytest.param({"host_id": "host-2"}, id="the lesson is about another host"),
        pytest.param({"endpoint": "vc-2"}, id="the lesson is about a host of another vCenter"),
    ],
)
def test_where_no_lesson_is_broken_drift_is_put_back(more: dict[str, Any]) -> None:
    found = planned(protocol_endpoint=[endpoint(256, **more)], baseline_dsnro=[drifted(256, 32)])
    assert found.contradictions == ()
    assert [(change.before, change.after) for change in found.changes] == [(256, 32)]


def test_only_the_setting_that_a_lesson_is_about_is_left_alone() -> None:
    found = planned(protocol_endpoint=[endpoint(256)], baseline_dsnro=[drifted(256, 32), drifted(256, 32, 2)])
    assert [dict(one.target.keys)["device"] for one in found.contradictions] == ["naa.1"]
    assert [dict(change.target.keys)["device"] for change in found.changes] == ["naa.2"]


def test_what_one_device_is_put_back_to_says_nothing_of_another() -> None:
    found = planned(protocol_endpoint=[endpoint(256, disk_depth=8)], baseline_dsnro=[drifted(256, 32), drifted(256, 16, 2)])
    assert found.contradictions == ()
    assert sorted(change.after for change in found.changes if isinstance(change.after, int)) == [16, 32]


@pytest.mark.long
def test_a_lesson_is_asked_with_the_values_of_the_fleet() -> None:
    params = param_values([Override(LESSON, "headroom", 1, "vc", "gold")], RULES)
    rows: dict[str, Any] = {"protocol_endpoint": [endpoint(256)], "baseline_dsnro": [drifted(256, 64)]}
    assert len(planned(**rows).contradictions) == 1
    assert [change.after for change in planned(params, **rows).changes] == [64]


def datastore(*, enabled: bool, both: bool) -> dict[str, Any]:
    own = {"endpoint": "vc", "resource_id": "datastore-1", "resource_name": "gold", "datastore_id": "datastore-1"}
    return {**own, "type": "VMFS", "families": "solidfire", "sioc_enabled": enabled, "both_throttle": both}


def wanted(*, enabled: bool, now: bool) -> dict[str, Any]:
    own = {"endpoint": "vc", "resource_id": "datastore-1", "resource_name": "gold", "datastore_id": "datastore-1"}
    return {**own, "is_known": True, "is_seen": True, "sioc_enabled": now, "wanted_enabled": enabled, "io_metric_in_force": False}


def test_what_the_view_makes_of_a_setting_is_not_guessed() -> None:
    """Whether both would throttle is the view's to work out: switched on, nobody knows, so nothing is switched on."""
    rows: dict[str, Any] = {"datastore": [datastore(enabled=False, both=False)], "baseline_datastore": [wanted(enabled=True, now=False)]}
    found = planned(None, (SIOC, OVERLAP), **rows)
    assert (found.changes, [one.wants for one in found.contradictions]) == ((), [((SIOC, True), (OVERLAP, False))])


def test_rules_without_drift_are_left_to_themselves() -> None:
    assert len(planned(None, (LESSON,), protocol_endpoint=[endpoint(32)]).changes) == 1


def host(**settings: int) -> dict[str, Any]:
    return {**PLACE, "resource_id": "host-1", "resource_name": "esx-1", "software_iscsi": True, **settings}


def test_a_lesson_about_two_settings_is_asked_about_either() -> None:
    """It is about two sizes of transfers; where the second is kept, only a rule tells that does not apply."""
    size, copies = RULES["iscsi/max-io-size"], RULES["vaai/xcopy-size"]
    assert size.fix is not None
    assert size.applies is not None
    columns = ("iscsi_max_io_size_kb", "max_transfer_kb")
    asks_both = replace(size.holds, text="iscsi_max_io_size_kb = 512 AND max_transfer_kb = 0", columns=columns, params=())
    zero = replace(size.desired, text="0", params=())
    fix = replace(size.fix, value=zero, retunes=None, when=None)
    both = replace(size, id="lesson/both", holds=asks_both, params={}, desired=zero, fix=fix)
    reported = replace(copies, id="lesson/told", applies=replace(size.applies, text="NOT software_iscsi"))
    rules = RuleSet({rule.id: rule for rule in (OPTIONS, both, reported)}, RULES.views)
    wanted_option = {"option": "DataMover.MaxHWTransferSize", "is_known": True, "is_own": True, "is_listed": True, "needs_reboot": False}
    drifted_option = {
        **PLACE,
        "resource_id": "host-1/DataMover.MaxHWTransferSize",
        **wanted_option,
        "acts_at_once": True,
        "value": "0",
        "wanted": "1",
        "wanted_number": 1,
    }
    found = planned_by(rules, host=[host(iscsi_max_io_size_kb=512, max_transfer_kb=0)], baseline_option=[drifted_option])
    assert found.changes == ()
