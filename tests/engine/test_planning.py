from pathlib import Path
from typing import Any

import pytest

from auditor.engine.evaluate import evaluate, load_evaluation
from auditor.engine.fixes.planning import plan
from auditor.model import ByHand, Change, Contradiction, FixClass, Outcome, Plan, Target
from tests.engine.bench import HEADROOM, SOUND, changed, fleet, pe, rule_text, rules_from

_FIX = "{remediator: device.dsnro, target: {host_id: host_id, device: device}, column: dsnro, class: online"
WHEN = ("  class:", "  when: load < 0.5\n  class:")
SET = ("set: least(256, queue_depth)", "set: greatest(256, iops_limit)")


def planned(folder: Path, texts: list[str], rows: list[dict[str, Any]], view: str = "protocol_endpoint") -> Plan:
    return plan(evaluate(fleet(rows, view), rules_from(folder, *texts)))


def target(number: int = 1) -> Target:
    return Target("vc-east", (("device", f"naa.6f47acc2{number:08d}"), ("host_id", "host-1")))


def test_a_failure_becomes_a_change_from_what_was_seen_to_what_is_wanted(tmp_path: Path) -> None:
    (change,) = planned(tmp_path, [SOUND], [pe(1)]).changes
    assert change.target == target()
    assert (change.remediator, change.fix_class) == ("device.dsnro", FixClass.ONLINE_CAUTION)
    assert (change.before, change.after) == (32, 256)
    assert (change.rules, change.reason) == ((HEADROOM,), "Room for several throttled disks")
    assert change.resource.host == "esx-01"


def test_only_failures_ask_for_a_change(tmp_path: Path) -> None:
    rows = [pe(1, dsnro=256), pe(2, dsnro=None), pe(3, per_object_qos=False)]
    assert planned(tmp_path, [SOUND], rows) == Plan()


@pytest.mark.parametrize(
    ("replacements", "columns", "why"),
    [
        pytest.param([], {"queue_depth": 64}, "the fix would not settle it", id="the device queue is too short"),
        pytest.param([], {"queue_depth": 64, "dsnro": 64}, "dsnro is as wanted already", id="nothing to change"),
        pytest.param([], {"host_id": None}, "where to write dsnro is not known", id="the place was not read"),
        pytest.param([WHEN], {"load": 0.9}, "meant for rows where load < 0.5", id="the fix is not meant for it"),
        pytest.param([WHEN], {}, "meant for rows where load < 0.5", id="not known whether it is meant for it"),
        pytest.param([SET], {}, "could not be worked out", id="what to set rests on a missing fact"),
        pytest.param([("class: online-caution", "class: manual")], {}, "Room for several throttled disks", id="a person has to"),
    ],
)
def test_a_fix_that_would_not_do_is_left_to_a_person(
    tmp_path: Path, replacements: list[tuple[str, str]], columns: dict[str, Any], why: str
) -> None:
    rules = rules_from(tmp_path, changed(SOUND, *replacements))
    evaluation = evaluate(fleet([pe(**columns)]), rules)
    found = plan(evaluation)
    assert (found.changes, found.contradictions) == ((), ())
    (hand,) = found.by_hand
    assert why in hand.why
    (finding,) = evaluation.findings()
    assert finding.fix is not None
    assert (finding.fix.outcome, finding.fix.why) == (Outcome.BY_HAND, hand.why)


def test_a_rule_without_a_fix_says_what_a_person_does(tmp_path: Path) -> None:
    found = planned(tmp_path, [rule_text("local/one", holds="dsnro > 99", by_hand="Look at the array.")], [pe()])
    assert [(hand.rule, hand.why, hand.fix_class) for hand in found.by_hand] == [("local/one", "Look at the array.", FixClass.MANUAL)]


def test_a_setting_that_was_not_read_is_not_changed(tmp_path: Path) -> None:
    text = rule_text("local/one", holds="queue_depth > 999", fix=f"{_FIX}, set: '1000', foretold: {{queue_depth: '1000'}}}}")
    (hand,) = planned(tmp_path, [text], [pe(dsnro=None)]).by_hand
    assert hand.why == "dsnro was not read, so a change of it could not be undone"


def test_a_setting_whose_absence_says_something_is_changed_from_none(tmp_path: Path) -> None:
    text = rule_text("local/one", holds="coalesce(dsnro, 0) = 256", fix=f"{_FIX}, set: '256'}}", may_be_missing="{dsnro: NULL is absent}")
    (change,) = planned(tmp_path, [text], [pe(dsnro=None)]).changes
    assert (change.before, change.after) == (None, 256)


def test_a_fix_is_judged_with_everything_it_foretells(tmp_path: Path) -> None:
    text = rule_text("local/one", holds="dsnro >= 256 AND queue_depth >= 256", fix=f"{_FIX}, set: '256'}}")
    reported = rule_text(
        "local/two", holds="dsnro >= 256 AND queue_depth >= 256", fix=f"{_FIX}, set: '256', foretold: {{queue_depth: '256'}}}}"
    )
    found = planned(tmp_path, [text, reported], [pe(queue_depth=64)])
    assert [change.rules for change in found.changes] == [("local/two",)]
    assert [hand.rule for hand in found.by_hand] == ["local/one"]


@pytest.mark.parametrize(
    ("stored", "value", "before", "after"),
    [
        pytest.param("32", "256", 32, 256, id="a whole number"),
        pytest.param("false", "true", False, True, id="truth"),
        pytest.param("32", "'''256'''", "32", "256", id="text that looks like a number"),
        pytest.param("0.5", "0.25", 0.5, 0.25, id="a fraction"),
    ],
)
def test_a_text_column_gives_the_type_that_the_expression_says(tmp_path: Path, stored: str, value: str, before: Any, after: Any) -> None:
    fix = f"{{remediator: host.option, target: {{host_id: host_id, option: option}}, column: value, class: online, set: {value}}}"
    text = rule_text("local/option", over="option", holds="value = at_boot", observed="value", fix=fix)
    row = {"endpoint": "vc", "resource_id": "r", "resource_name": "r", "host_id": "host-1", "option": "Some.Option"}
    text_after = str(after).lower() if isinstance(after, bool) else str(after)
    (change,) = planned(tmp_path, [text], [{**row, "value": stored, "at_boot": text_after}], "option").changes
    assert (change.before, change.after) == (before, after)
    assert (type(change.before), type(change.after)) == (type(before), type(after))


@pytest.mark.parametrize("stored", ["vmfs", "1.7", " 32"])
def test_a_text_that_is_not_of_the_type_is_not_overwritten(tmp_path: Path, stored: str) -> None:
    fix = "{remediator: host.option, target: {option: option}, column: value, class: online, set: 256}"
    text = rule_text("local/option", over="option", holds="value = '256'", observed="value", fix=fix)
    row = {"endpoint": "vc", "resource_id": "r", "resource_name": "r", "option": "Some.Option", "value": stored}
    (hand,) = planned(tmp_path, [text], [row], "option").by_hand
    assert "not of the type the fix would write" in hand.why


def test_rules_that_want_the_same_make_one_change_of_the_costlier_class(tmp_path: Path) -> None:
    online = rule_text("local/one", holds="dsnro = 256", fix=f"{_FIX}, set: '256', reason: one}}")
    reboot = changed(
        rule_text("local/two", holds="dsnro > 255", fix=f"{_FIX}, set: '256', reason: two}}"), ("class: online", "class: reboot")
    )
    (change,) = planned(tmp_path, [online, reboot], [pe()]).changes
    assert (change.rules, change.fix_class, change.reason) == (("local/one", "local/two"), FixClass.REBOOT, "one; two")


def test_a_change_says_what_is_wrong_as_its_failures_do(tmp_path: Path) -> None:
    rules = [
        rule_text(f"local/{name}", holds="dsnro = 256", fix=f"{_FIX}, set: '256'}}", **message)
        for name, message in (
            ("two", {"message": '"{host}: {dsnro:commands}"', "severity": "critical"}),
            ("one", {"message": '"{host}: too few"'}),
            ("zero", {}),
        )
    ]
    (change,) = planned(tmp_path, rules, [pe()]).changes
    assert change.messages == ("esx-01: too few", "esx-01: 32 commands")


@pytest.mark.parametrize(
    ("before", "retunes"),
    [
        pytest.param(512, True, id="downwards"),
        pytest.param(64, False, id="upwards"),
    ],
)
def test_the_direction_of_a_change_says_whether_it_reverts_what_somebody_tuned(tmp_path: Path, before: int, retunes: bool) -> None:
    text = rule_text("local/one", holds="dsnro = 256", fix=f"{_FIX}, set: '256', retunes: dsnro > 256}}")
    (change,) = planned(tmp_path, [text], [pe(dsnro=before)]).changes
    assert change.classes == ((FixClass.RETUNE, FixClass.ONLINE) if retunes else (FixClass.ONLINE,))
    (finding,) = evaluate(fleet([pe(dsnro=before)]), rules_from(tmp_path, text)).findings()
    assert finding.fix is not None
    assert finding.fix.classes == change.classes


def test_where_the_direction_is_not_known_a_change_may_revert_something(tmp_path: Path) -> None:
    text = rule_text("local/one", holds="dsnro = 256", fix=f"{_FIX}, set: '256', retunes: dsnro > iops_limit}}")
    (change,) = planned(tmp_path, [text], [pe(iops_limit=None)]).changes
    assert change.classes == (FixClass.RETUNE, FixClass.ONLINE)


def test_a_change_that_one_rule_calls_a_retune_is_one_for_every_rule_that_wants_it(tmp_path: Path) -> None:
    plain = rule_text("local/one", holds="dsnro = 256", fix=f"{_FIX}, set: '256'}}")
    retune = changed(
        rule_text("local/two", holds="dsnro > 255", fix=f"{_FIX}, set: '256', retunes: true}}"), ("class: online", "class: reboot")
    )
    (change,) = planned(tmp_path, [plain, retune], [pe()]).changes
    assert (change.rules, change.fix_class, change.takes) == (("local/one", "local/two"), FixClass.RETUNE, FixClass.REBOOT)


def test_rules_that_want_a_setting_different_are_named_and_neither_is_planned(tmp_path: Path) -> None:
    one = rule_text("local/one", holds="dsnro = 64", fix=f"{_FIX}, set: '64'}}")
    two = rule_text("local/two", holds="dsnro = 128", fix=f"{_FIX}, set: '128'}}")
    found = planned(tmp_path, [one, two], [pe(1), pe(2)])
    assert found.changes == ()
    assert found.contradictions == tuple(
        Contradiction("device.dsnro", target(number), (("local/one", 64), ("local/two", 128))) for number in (1, 2)
    )


def test_a_fix_that_would_make_a_passing_rule_fail_is_a_contradiction(tmp_path: Path) -> None:
    wants_more = rule_text("local/more", holds="dsnro >= 256", fix=f"{_FIX}, set: '256'}}")
    as_it_is = rule_text("local/stock", holds="dsnro = 32 OR dsnro = 256 AND queue_depth >= 256")
    rules = rules_from(tmp_path, wants_more, as_it_is)
    evaluation = evaluate(fleet([pe(1, queue_depth=64), pe(2, queue_depth=256)]), rules)
    found = plan(evaluation)
    assert found.contradictions == (Contradiction("device.dsnro", target(1), (("local/more", 256), ("local/stock", 32))),)
    assert [change.target for change in found.changes] == [target(2)]
    reported = {finding.resource.name: finding.fix.outcome for finding in evaluation.findings() if finding.fix is not None}
    assert reported == {"naa.6f47acc200000001": Outcome.BY_HAND, "naa.6f47acc200000002": Outcome.PROPOSED}


def test_a_setting_read_two_ways_is_left_to_a_person(tmp_path: Path) -> None:
    one = rule_text("local/one", holds="dsnro = 256", fix=f"{_FIX}, set: '256'}}")
    other = _FIX.replace("column: dsnro", "column: queue_depth")
    two = rule_text("local/two", holds="queue_depth = 256", fix=f"{other}, set: '256'}}")
    found = planned(tmp_path, [one, two], [pe(queue_depth=64)])
    assert found.changes == ()
    assert [(hand.rule, hand.why) for hand in found.by_hand] == [
        (rule, "the rules read the setting differently, so its value is not certain") for rule in ("local/one", "local/two")
    ]


def test_changes_come_by_endpoint_cluster_host_and_resource(tmp_path: Path) -> None:
    places = [("vc-b", "gold", "esx-1"), ("vc-a", "silver", "esx-1"), ("vc-a", "gold", "esx-2"), ("vc-a", "gold", "esx-1")]
    rows = [pe(n, endpoint=e, cluster=c, host=h, host_id=c + h) for e, c, h in places for n in (2, 1)]
    found = planned(tmp_path, [SOUND], rows).changes
    order = [(c.resource.endpoint, c.resource.cluster, c.resource.host, c.resource.name) for c in found]
    assert order == sorted(order, key=str)
    assert len(order) == 8


def test_one_target_on_two_endpoints_is_two(tmp_path: Path) -> None:
    found = planned(tmp_path, [SOUND], [pe(1, endpoint="vc-a"), pe(1, endpoint="vc-b")])
    assert [change.target.endpoint for change in found.changes] == ["vc-a", "vc-b"]


def test_a_saved_run_can_be_planned_again(tmp_path: Path) -> None:
    rules = rules_from(tmp_path / "rules", SOUND, rule_text("local/more", holds="queue_depth < 100"))
    evaluation = evaluate(fleet([pe(1), pe(2, queue_depth=64)], folder=tmp_path), rules)
    evaluation.save(tmp_path / "findings.parquet")
    again = plan(load_evaluation(tmp_path / "findings.parquet"))
    assert again == plan(evaluation)
    assert {type(part) for part in (*again.changes, *again.by_hand)} == {Change, ByHand}


def test_rules_that_are_not_asked_for_ask_for_nothing(tmp_path: Path) -> None:
    rules = rules_from(tmp_path, SOUND, rule_text("local/one", holds="dsnro > 99"))
    found = plan(evaluate(fleet([pe()]), rules), rules.only(["local/one"]))
    assert found.changes == ()
    assert [hand.rule for hand in found.by_hand] == ["local/one"]
