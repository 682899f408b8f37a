"""Rules of plugins are judged beside ours; what is wrong with them costs them alone, and they may fix nothing but their own settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.pipeline.judging import _own
from auditor.pipeline.plugin_rules import plugin_rules
from auditor.pipeline.policy import load_policy, load_rule_set
from auditor.pipeline.request import AuditRequest
from tests.plugins import TYPE, installed, write_plugin

EXAMPLE = Path(__file__).parents[2] / "examples/auditor-example-array/auditor_example_array/rules/example-array/volume-ceiling.yaml"
FIX = EXAMPLE.read_text(encoding="utf-8").partition("fix:\n")[2].partition("by_hand:")[0]
RULE = EXAMPLE.read_text(encoding="utf-8").replace(f"fix:\n{FIX}", "").replace("example-array", "acme")
FIXING = RULE.replace("by_hand:", f"fix:\n{FIX.replace('example_array.volume_limit', 'ontap.qos_policy_limit')}by_hand:")
OURS = RULE.replace("acme/volume-ceiling", "iscsi/delayed-ack")


def site_with(folder: Path, rules: dict[str, str], kind: str = "acme") -> Path:
    """A plugin of that kind with these rules, id -> text."""
    about = TYPE.replace('"acme"', f'"{kind}"').replace("contract=1", 'contract=1, rules="rules"')
    write_plugin(folder, "auditor-acme", {"__init__": about}, kind=kind)
    for rule, text in rules.items():
        path = folder / "auditor_acme" / "rules" / f"{rule}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_they_are_judged_beside_ours_and_are_nobody_elses_idea_of_what_is_usual(tmp_path: Path) -> None:
    before = set(load_rule_set().rules)
    with installed(site_with(tmp_path, {"acme/volume-ceiling": RULE})):
        rules = load_rule_set()
        assert set(rules.rules) - before == {"acme/volume-ceiling"}
        assert list(rules.rules) == sorted(rules.rules)
        assert _own(AuditRequest(fleet=tmp_path / "fleet.yaml"), rules) == ["acme/volume-ceiling"]
        assert load_policy(None).notices == load_policy(None, exclude=["acme/*"]).notices
    assert set(load_rule_set().rules) == before


@pytest.mark.parametrize(
    ("kind", "rules", "why"),
    [
        pytest.param("acme", {"acme/volume-ceiling": RULE.replace("qos_max_iops >=", "qos_max_iop >=")}, "qos_max_iop", id="misspelt"),
        pytest.param("acme", {}, "is not a directory of rules", id="no rules"),
        pytest.param(
            "acme",
            {"acme/volume-ceiling": RULE, "qos/mine": RULE.replace("acme/volume-ceiling", "qos/mine")},
            "they are called acme/NAME, and these are not: qos/mine",
            id="another topic",
        ),
        pytest.param(
            "iscsi", {"iscsi/delayed-ack": OURS}, "auditor itself has rules of these names: iscsi/delayed-ack", id="a name of ours"
        ),
        pytest.param("acme", {"acme/volume-ceiling": FIXING}, "ontap.qos_policy_limit", id="another kind's setting"),
    ],
)
def test_rules_that_are_wrong_are_left_out_with_a_notice_and_all_others_stay(
    tmp_path: Path, kind: str, rules: dict[str, str], why: str
) -> None:
    before = load_rule_set().rules
    with installed(site_with(tmp_path, rules, kind)):
        assert load_rule_set().rules == before
        [fault] = plugin_rules().faults
        assert fault.what.startswith("the rules of auditor-acme 1.2 cannot be used: ")
        assert why in fault.what
        assert any(fault.what in notice for notice in load_policy(None).notices)
