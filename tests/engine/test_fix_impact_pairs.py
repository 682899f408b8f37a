"""Which rules over another view a fix is held against, and with what values; over two small views."""

from pathlib import Path
from typing import Any

import duckdb
import pytest

from auditor.engine.evaluate import evaluate
from auditor.engine.fixes import impact
from auditor.engine.fixes.impact import predict_fix_impact
from auditor.engine.fixes.planning import plan
from auditor.engine.rules.params import ParamValues
from auditor.errors import RuleError, SnapshotError
from auditor.facts.views import seal
from auditor.model import Plan
from tests.engine.bench import VIEWS, pe, rule_text, rules_from

PLACE = "remediator: device.dsnro, target: {host_id: host_id, device: option}, column: value, class: online"
OWN = "remediator: device.dsnro, target: {host_id: host_id, device: device}, column: dsnro, class: online, set: '256'"
DRIFT = rule_text("local/drift", over="option", holds="value = at_boot", fix=f"{{{PLACE}, set: '64'}}", tags="[drift]")
LESSON = rule_text("local/lesson", holds="dsnro >= 128", fix=f"{{{OWN}}}")
SETTING = {"endpoint": "vc-east", "resource_id": "r1", "resource_name": "r1", "host_id": "host-1", "option": pe()["device"]}


def planned(folder: Path, *texts: str, **columns: Any) -> Plan:
    """The endpoint passes by its rule; its DSNRO of 256 is to be 64, as another view has it."""
    rules = rules_from(folder, *texts)
    connection = duckdb.connect()
    rows = {"protocol_endpoint": pe(**{"dsnro": 256, **columns}), "option": {**SETTING, "value": "256", "at_boot": "64"}}
    for view, types in VIEWS.items():
        connection.execute(f'CREATE TABLE "{view}" ({", ".join(f"{name} {kind}" for name, kind in types.items())})')
        row = rows[view]
        connection.execute(f'INSERT INTO "{view}" ({", ".join(row)}) VALUES ({", ".join("?" * len(row))})', list(row.values()))
    seal(connection)
    evaluation = evaluate(connection, rules)
    predict_fix_impact(evaluation, rules, ParamValues())
    return plan(evaluation, rules)


def other(holds: str, fix: str = OWN, **keys: str) -> str:
    return rule_text("local/lesson", holds=holds, **({"fix": f"{{{fix}}}"} if fix else {}), **keys)


def test_a_fix_is_held_against_a_baseline_that_is_left_to_a_person(tmp_path: Path) -> None:
    """The lesson would raise what the baseline wants as it is; where the setting is, only a neighbour of the baseline says."""
    baseline = rule_text("local/drift", over="option", holds="value = '256'", tags="[drift]")
    beside = rule_text("local/place", over="option", holds="value > '1'", fix=f"{{{PLACE}, set: '64'}}")
    lesson = rule_text("local/lesson", holds="dsnro >= 512", fix=f"{{{OWN.replace('256', '512')}}}")
    assert [change.rules for change in planned(tmp_path / "alone", lesson, beside).changes] == [("local/lesson",)]
    found = planned(tmp_path / "both", lesson, beside, baseline)
    assert found.changes == ()
    assert [{rule for rule, _ in clash.wants} for clash in found.contradictions] == [{"local/lesson", "local/drift"}]


@pytest.mark.parametrize(
    ("texts", "columns", "is_held"),
    [
        pytest.param([LESSON], {}, True, id="a lesson about the same setting"),
        pytest.param([other("dsnro >= 32")], {}, False, id="one that would still pass"),
        pytest.param([other("dsnro >= 128", fix="")], {}, False, id="one that does not say where the setting is"),
        pytest.param(
            [other("dsnro >= 128", fix=""), rule_text("local/place", holds="dsnro > 1", fix=f"{{{OWN}}}")],
            {},
            True,
            id="one whose neighbour says where it is",
        ),
        pytest.param([other("dsnro >= 128", OWN.replace("device.dsnro", "host.option"))], {}, False, id="another setting of that device"),
        pytest.param([other("dsnro >= 128", OWN.replace("host_id: host_id, ", ""))], {}, False, id="a setting found by other keys"),
        pytest.param([other("dsnro >= 128", OWN.replace("device: device", "device: lower(family)"))], {}, False, id="of another device"),
        pytest.param([LESSON], {"host_id": None}, False, id="of a host that is not known"),
        pytest.param([LESSON], {"endpoint": "vc-west"}, False, id="of another vCenter"),
        pytest.param([other("family = 'solidfire'")], {}, False, id="one that does not look at it"),
        pytest.param(
            [other("dsnro >= 128 OR iops_limit > 5", may_be_missing="{iops_limit: no limit}")],
            {"iops_limit": None},
            False,
            id="one that would be unknown, and looks at the setting itself",
        ),
        pytest.param(
            [other("dsnro >= 64 AND queue_depth >= 100", f"{OWN}, foretold: {{queue_depth: '64'}}")],
            {},
            True,
            id="one that fails by what is so once it is set at all",
        ),
        pytest.param(
            [other("dsnro >= 64 AND queue_depth >= 100", f"{OWN}, foretold: {{queue_depth: dsnro - 200}}")],
            {},
            False,
            id="what goes by the row is left as it is",
        ),
        pytest.param(
            [
                other(
                    "dsnro >= 64 AND queue_depth >= $least",
                    f"{OWN}, foretold: {{queue_depth: $least - 1}}",
                    params="{least: {default: 100, unit: commands, why: policy}}",
                )
            ],
            {},
            False,
            id="what goes by a param is left as well",
        ),
        pytest.param(
            [other("queue_depth >= 100", f"{OWN}, foretold: {{queue_depth: '256'}}")],
            {},
            True,
            id="one that looks at what the view makes of it, which is not guessed",
        ),
        pytest.param(
            [
                other("queue_depth >= 100", fix=""),
                rule_text("local/place", holds="dsnro > 1", fix=f"{{{OWN}, foretold: {{queue_depth: '256'}}}}"),
            ],
            {},
            False,
            id="what a neighbour's fix makes of it is the neighbour's",
        ),
        pytest.param(
            [
                rule_text("local/a", holds="load > 1", fix=f"{{{OWN.replace('device.dsnro', 'host.option')}}}"),
                rule_text("local/b", holds="load > 1", fix=f"{{{OWN}}}"),
                other("dsnro >= 128", fix=""),
            ],
            {"load": 2.0},
            True,
            id="one of two neighbours says where it is",
        ),
        pytest.param(
            [other("dsnro >= 128", OWN.replace("device: device", "device: lower(family)")), rule_text("local/place", fix=f"{{{OWN}}}")],
            {},
            True,
            id="its own fix says another place than its neighbour's",
        ),
        pytest.param(
            [
                other(
                    "dsnro >= 128",
                    OWN.replace("device: device", "device: device || $suffix"),
                    params="{suffix: {default: x, unit: text, why: policy}}",
                ),
                rule_text("local/place", fix=f"{{{OWN}}}"),
            ],
            {},
            True,
            id="the target of one fix has a param, the other's has none",
        ),
        pytest.param(
            [
                other("dsnro >= 32 AND host_id <> 'x'", fix=""),
                rule_text("local/zz", over="option", holds="host_id <> 'x'", fix=f"{{{PLACE.replace('value', 'host_id')}, set: '64'}}"),
            ],
            {},
            False,
            id="a rule over a third view says nothing of where it is",
        ),
    ],
)
def test_a_fix_is_held_against_rules_over_another_view_that_it_would_break(
    tmp_path: Path, texts: list[str], columns: dict[str, Any], is_held: bool
) -> None:
    found = planned(tmp_path, DRIFT, *texts, **columns)
    drift = [change for change in found.changes if change.rules == ("local/drift",)]
    assert (len(drift), len(found.contradictions)) == ((0, 1) if is_held else (1, 0))
    if is_held:
        assert {rule for rule, _ in found.contradictions[0].wants} == {"local/drift", "local/lesson"}


def test_two_drifts_over_different_views_are_held_against_each_other(tmp_path: Path) -> None:
    found = planned(tmp_path, DRIFT, other("dsnro >= 128", tags="[drift]"))
    assert (found.changes, len(found.contradictions)) == ((), 1)


def test_rules_of_which_none_is_drift_are_not_held_against_each_other(tmp_path: Path) -> None:
    plain = DRIFT.replace("tags: [drift]", "tags: [other]")
    elsewhere = rule_text("local/zz", over="option", holds="value_type = 'x'", fix=f"{{{PLACE}, set: '1'}}", tags="[drift]")
    found = planned(tmp_path, plain, LESSON, elsewhere)
    assert ([change.after for change in found.changes], found.contradictions) == ([64], ())


def test_a_rule_that_cannot_be_computed_on_what_a_fix_would_leave_ends_the_judging(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="local/lesson fails on what the fix of local/drift would leave") as caught:
        planned(tmp_path, DRIFT, other("dsnro // (dsnro - 64) >= 0"))
    assert "nothing was judged" in caught.value.why


def test_a_file_of_the_snapshot_that_went_away_is_no_mistake_of_a_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = SnapshotError("device.parquet went away", why="x", do="x")
    monkeypatch.setattr(impact, "snapshot_fault", lambda _connection, failure: gone if isinstance(failure, duckdb.Error) else None)
    with pytest.raises(SnapshotError) as raised:
        planned(tmp_path, DRIFT, other("dsnro // (dsnro - 64) >= 0"))
    assert raised.value is gone
